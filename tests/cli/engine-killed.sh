# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: the end of an engine.
. "$TPROF_CLI/lib.sh"

# When an engine dies, one point fails; another engine measures the remaining points.
ulimit -c 0
long_preset long.yaml
for signal in ILL SEGV KILL; do
	start --batch long.yaml --events --run-dir "$signal"
	await begun out 1
	victim=$(engine out)
	kill -s "$signal" "$victim"
	finish
	expect_exit 3
	gone "$victim" || fail 'expected the engine to be gone'
	[ "$(engine out)" != "$victim" ] || fail 'expected another engine'
	expect_err '2 of 3 points'
	expect_err 'point 1 ('
	case $signal in
	KILL) expect_err 'was killed' ;;
	# with the address sanitizer the process ends by itself
	*) grep -qE 'the engine (died of|ended \(exit)' err || fail 'expected to be told how the engine ended' ;;
	esac
	expect_run "$signal" complete
	expect_cells point '0 2' "$signal/points.csv"
	expect_count 2 '"state": "done"' "$signal/run.json"
	expect_count 1 '"state": "failed"' "$signal/run.json"
	grep '"state": "failed"' "$signal/run.json" | grep -q '"what": "the engine ' || fail 'expected the reason in the record'
	grep -q '"ev":"point_end".*"point":1,.*"state":"failed"' "$signal/journal.ndjson" || fail 'expected the failure in the journal'
	gone "$(engine out)" || fail 'expected no engine to be left'
done

# If each engine dies, each fails one point, and the run ends.
small_preset three.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 16KiB, 32KiB]
window: 5ms
END
sed -i 's/^stop:.*/stop: {max_time: 60min, max_samples: 1000000, min_count: 100000}/; /^window: 20us/d' three.yaml
start --batch three.yaml --run-dir three
for point in 0 1 2; do
	await begun three/journal.ndjson $point
	kill -KILL "$(engine three/journal.ndjson)"
done
finish
expect_exit 1
expect_err '0 of 3 points'
expect_count 3 '"state": "failed"' three/run.json
expect_file three/points.csv

# The results of earlier invocations stay when the engine of a later one dies, and the run says why it has no more.
start --batch three.yaml --set sizes=8KiB --set stop.max_time=3s --set invocations=3 --run-dir later
await grep -q '"ev":"hello".*"invocation":1' later/journal.ndjson
await grep -q '"ev":"sample".*"invocation":1' later/journal.ndjson
kill -KILL "$(engine later/journal.ndjson)"
finish
expect_exit 3
expect_err 'the engine was killed while it measured this point'
expect_err '1 of 1 points'
expect_run later failed
expect_count 1 '"state": "done"' later/run.json
expect_cells invocations 1 later/points.csv
