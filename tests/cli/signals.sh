# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A signal during the run: it ends soon, keeps its measurements, and leaves no other files.
long_preset long.yaml

# ended DIR: the run ended in good order with its first point only.
ended() {
	expect_exit 130
	expect_run "$1" interrupted
	expect_cells point 0 "$1/points.csv"
	expect_cells working_set_bytes 8192 "$1/points.csv"
	expect_count 1 '"state": "done"' "$1/run.json"
	expect_count 2 '"state": "skipped"' "$1/run.json"
	tail -n 1 "$1/journal.ndjson" | grep -q '"ev":"done".*"state":"cancelled"' || fail 'expected the journal to end with done'
	expect_err '1 of 3 points'
	expect_err "$1"
	gone "$(engine "$1/journal.ndjson")" || fail 'expected the engine to be gone'
}

for signal in INT TERM HUP; do
	start --batch long.yaml --run-dir "$signal"
	await begun "$signal/journal.ndjson" 1
	kill -s "$signal" "$program"
	finish
	ended "$signal"
	expect_no_out
done
[ -z "$(find "$TMP" -name '*.json.??????' -o -name '*.csv.??????')" ] || fail 'expected no temporary files'

# The requested data are written all the same, with the points that were measured.
start --batch long.yaml --csv --run-dir csv
await begun csv/journal.ndjson 1
kill -INT "$program"
finish
ended csv
cmp -s out csv/points.csv || fail 'expected the finished point on stdout'

# An engine that does not answer does not block the program.
start --batch long.yaml --run-dir stopped
await begun stopped/journal.ndjson 1
kill -STOP "$(engine stopped/journal.ndjson)"
kill -INT "$program"
finish
ended stopped

# nohup: the run survives the loss of its terminal.
(
	trap '' HUP
	exec "$TPROF" --batch long.yaml --run-dir nohup
) >out 2>err &
program=$!
ran='nohup tprof'
await begun nohup/journal.ndjson 1
kill -HUP "$program"
sleep 0.3
alive "$program" || fail 'expected the run to outlive its terminal'
kill -TERM "$program"
finish
ended nohup
