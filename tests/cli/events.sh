# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The stream of events, as it is printed and as it is kept.
small_preset tiny.yaml <<'END'
experiment: roofline
isa: scalar
level: [L1, L2]
fp_op: add
END
run --batch tiny.yaml --events --run-dir run
expect_exit 0
if have python3; then
	python3 -c 'import json, sys
for line in sys.stdin: assert json.loads(line)["v"] == 1' <out || fail 'expected a JSON object of version 1 a line'
fi
[ "$(grep -vc '^{"v":1,"ev":".*}$' out)" -eq 0 ] || fail 'expected events only'
[ "$(sed -n 's/.*"ev":"\([a-z_]*\)".*/\1/p' out | grep -v progress | uniq | paste -sd ' ')" = \
	'plan hello point_begin sample point_end point_begin sample point_end point_begin sample point_end done' ] ||
	fail "expected another order of events; got: $(sed -n 's/.*"ev":"\([a-z_]*\)".*/\1/p' out | uniq | paste -sd ' ')"
grep -v '"ev":"progress"' out | cmp -s - run/journal.ndjson || fail 'expected the same events in the journal'
grep -q '"ev":"done".*"state":"complete"' out || fail 'expected the end to be complete'
[ "$(engine out)" -gt 0 ] || fail 'expected the process of the engine'

# Events and results together, with a file for the results.
run --batch tiny.yaml --events --csv -o points.csv
expect_exit 0
expect_count 3 '"ev":"point_end"' out
expect_cells level 'L1 L2 FP' points.csv

# When the reader leaves, the run ends in good order and keeps its measurements.
small_preset endless.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 16KiB]
END
"$TPROF" --batch endless.yaml --set stop.max_time=60min --set stop.max_samples=1000000 --set stop.error=0.0001 --set stop.min_count=100000 \
	--events --run-dir left 2>err | head -n 1 >out
status=${PIPESTATUS[0]}
ran='tprof --events | head -n 1'
expect_exit 130
grep -q '"ev":"plan"' out || fail 'expected the first event'
expect_run left interrupted
