# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: lessons that are wrong.
. "$TPROF_CLI/lib.sh"

# --check on lessons: the shipped ones, the example of the manual, all errors of a bad one, remarks.
for lesson in "$TPROF_SRCDIR"/presets/lessons/*.yaml; do
	run --check "$lesson"
	expect_exit 0
	expect_err ': ok, a lesson of '
done

page=$TPROF_SRCDIR/man/tprof-lesson.5
awk '/^\.Sh/ { here = /EXAMPLES/ } here && /^\.Ed/ { exit } here && in_example { print } here && /^\.Bd/ { in_example = 1 }' \
	"$page" >20-l1.yaml
expect_file 20-l1.yaml
run --check 20-l1.yaml
expect_exit 0
expect_err_line '.*20-l1.yaml: ok, a lesson of 5 steps'
expect_not_err 'never'
[ "$(wc -l <err)" -eq 1 ] || fail 'expected no remarks on the example of the manual'

# The user's own lessons are found by name.
mkdir -p "$XDG_CONFIG_HOME/tprof/presets/lessons"
cp 20-l1.yaml "$XDG_CONFIG_HOME/tprof/presets/lessons"
run --check lessons/20-l1
expect_exit 0
run --list lessons
expect_out_line 'lessons/20-l1 +0\.2 min +How fast is L1\? .*'
run --list lessons --names
expect_out_line 'lessons/20-l1'

# Errors come together, with places; options for its presets are checked, too.
sed 's/l1.median_gbps, memory/l1.median_gbps}, {l2.median_gbps}/; s/unit: times$/unit: time/; s/table: plateaus, where: {level: L1}/table: roofs/' \
	20-l1.yaml >bad.yaml
run --check bad.yaml
expect_exit 2
expect_no_out
expect_err 'bad.yaml:9:11: unit: there is no unit "time"'
expect_err 'did you mean times?'
expect_err 'bad.yaml:17:19: this measurement has no table "roofs"'
run --check 20-l1.yaml --set iterations=4
expect_exit 2
expect_err '--set'
run --check 20-l1.yaml --machine zen4 --simulate quiet
expect_exit 0

# What nothing uses is remarked.
sed '/- plot/d; s/, *dram: .*//; s/{l1.median_gbps}, //' 20-l1.yaml >odd.yaml
echo 'terms: {inclusive: that it holds what the smaller ones hold}' >>odd.yaml
run --check odd.yaml
expect_exit 0
expect_err 'the term inclusive is in no text'
run --check odd.yaml --quiet
expect_exit 0
expect_no_err

# A preset is still a preset.
run --check quick
expect_exit 0
expect_err 'quick.yaml: ok'
