# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A signal during the run: it ends soon, keeps its measurements, and leaves no other files.
long_preset long.yaml

# ended DIR: the run ended in good order with its first point only, and its last line goes on with it.
ended() {
	expect_exit 130
	expect_last_line "tprof --resume $1"
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

expect_last_line() {
	[ "$(tail -n 1 err)" = "$1" ] || fail "expected the last line \"$1\", got: $(tail -n 1 err)"
}

last_begun() {
	cat "$XDG_DATA_HOME"/tprof/runs/*/journal.ndjson >journals 2>/dev/null && begun journals 1
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

# Without a directory of its own it is the last run. A shell takes the line as it is. Messages can be switched off.
start --batch long.yaml
await last_begun
kill -INT "$program"
finish
expect_exit 130
expect_last_line 'tprof --resume last'
start --batch long.yaml --run-dir "it's mine"
await begun "it's mine/journal.ndjson" 1
kill -INT "$program"
finish
expect_exit 130
expect_last_line "tprof --resume 'it'\\''s mine'"
start --batch long.yaml --run-dir quiet --quiet
await begun quiet/journal.ndjson 1
kill -INT "$program"
finish
expect_exit 130
expect_no_err

# The requested data are still written, with the points that were measured.
start --batch long.yaml --csv=all --run-dir csv
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
