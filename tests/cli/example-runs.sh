# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Every experiment has an example run that ships; each is small, loads without a remark and shows something. A new experiment
# without one fails here: tests/examples.sh makes it.
. "$TPROF_CLI/lib.sh"
folder=$TPROF_SRCDIR/examples/runs
export LC_ALL=C.UTF-8

run --list experiments --names
sed 's|^|example/|' out | sort >experiments
run --list examples --names
expect_exit 0
cmp -s experiments out || fail "experiments (<) and examples (>) differ; tests/examples.sh makes examples: $(diff experiments out)"
run --list examples
expect_exit 0
expect_out 'The roofs of one core'
expect_err 'tprof --show example/roofline'

while read -r name; do
	of=${name#example/}
	run --show "$name"
	expect_exit 0
	expect_no_err
	grep -qE "^tprof · (simulated: zen4, quiet · )?$of · complete · " out || fail "expected the state of $name"
	# A reader learns nothing from poor points; simulated ones are good.
	bad=poor
	if grep -q '· simulated: ' out; then bad='(fair|poor)'; fi
	if grep -qE '"quality": "'"$bad"'"' "$folder/$of/run.json"; then fail "points of $name are not good"; fi
	grep -q '[0-9]' out || fail "expected figures of $name"
	if grep -q "$PWD" out; then fail "paths of this machine in what is shown of $name"; fi
	bytes=$(cat "$folder/$of"/* | wc -c)
	[ "$bytes" -lt 65536 ] || fail "$name takes $bytes bytes, more than 64 KiB"
	# Who measured it, and where, is not recorded.
	if grep '"hostname": "' "$folder/$of/run.json" | grep -qvF '"example"'; then fail "$name names its machine"; fi
	if grep -qE '/(tmp|home|root|work|Users)/' "$folder/$of"/*; then fail "$name holds a path of its machine"; fi
done <experiments

# The other commands take them by their names, and none changes them.
run --show example/roofline --json
expect_exit 0
expect_out '"experiment": "roofline"'
run --show example/roofline --svg -
expect_exit 0
expect_out '</svg>'
run --compare example/roofline example/roofline
expect_exit 0
expect_out 'Nothing changed: 6 same'
run --mine example/memcurve
expect_exit 0
expect_out working_set_bytes
run --resume example/roofline
expect_exit 2
expect_err 'nothing is missing in this run'
find "$folder" -name '*.ndjson' | grep -q . && fail 'an example was written to'

# Names.
run --show example/rooflin
expect_exit 2
expect_err 'there is no such example run'
expect_err 'did you mean example/roofline?'
for name in example/ example/../runs example/roofline/ example/zzzzzzzz; do
	run --show "$name"
	expect_exit 2
	expect_err 'there is no such example run'
done
# A path of that name comes first.
mkdir -p example
cp -R "$folder/latency" example/roofline
run --show example/roofline
expect_exit 0
expect_out ' · latency · complete'

