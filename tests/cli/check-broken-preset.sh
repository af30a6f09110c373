# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: presets that are wrong in every way.
. "$TPROF_CLI/lib.sh"

# All errors of a file at once, each with file:line:column, what was found and what is allowed.
cat >broken.yaml <<'END'
experiment: memcurve
thraeds: 2
size_max: twelve
precision: quadruple
points_per_octave: 1000000
END
for how in --check --batch --dry-run; do
	run "$how" broken.yaml
	expect_exit 2
	expect_no_out
	expect_err broken.yaml:2:1
	expect_err threads
	expect_err broken.yaml:3:
	expect_err twelve
	expect_err broken.yaml:4:
	expect_err single
	expect_err broken.yaml:5:
done
[ -z "$(find "$XDG_DATA_HOME" -mindepth 1)" ] || fail 'expected no trace of a run'

# Not YAML at all.
printf 'experiment: [memcurve\nthreads: 1\n' >torn.yaml
run --check torn.yaml
expect_exit 2
expect_no_out
expect_err torn.yaml:

# Not text at all.
head -c 4096 "$TPROF" >binary.yaml
run --check binary.yaml
expect_exit 2
expect_no_out
