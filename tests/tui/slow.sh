# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Slow lines, as slow_line.c makes them: at 2 kB/s and 200x60, behind buffers without end, a key is answered within 0.3 s, whatever a
# run paints. Bytes decide, not times: at most 600 lie between the key and its answer.
. "$TPROF_CLI/lib.sh"

line=${TPROF%/*}/tests/tui/slow_line
expect_file "$line"
run=$(fixture all-plots)
# What the line carries when a place is chosen, a screen in it, and a row.
tab='48;5;75m'
screen='38;5;75m['
row='48;5;24m'

# on_line BYTES_PER_SECOND SPEED STEP...: a replay on such a line; what the steps print goes to steps.
on_line() {
	env TERM=xterm-256color LC_ALL=C.UTF-8 "$line" "$1" 200x60 "${@:3}" -- "$TPROF" --replay "$run" --speed "$2" \
		>"$TMP/steps" 2>"$TMP/err" || fail "on the line: $(cat "$TMP/err")"
}

# at_most WORD BYTES COUNT: so many steps printed WORD and no more than these bytes.
at_most() {
	awk -v word="$1:" -v most="$2" -v want="$3" '$1 == word && $2 <= most { n++ } END { exit n != want }' "$TMP/steps" ||
		fail "$1: not $3 of at most $2 bytes: $(cat "$TMP/steps")"
}

# Places and screens while the run paints, also before the first frame is whole; the cursor in lists of points, runs and options.
on_line 2000 0.05 "await=$tab" "answer=4 $tab" rest=1 "answer=3 $tab" rest=0.5 "answer=] $screen" rest=1 "key=[" rest=2 \
	"answer=j $row" rest=1.5 "answer=k $row" "answer=4 $tab" "answer=2 $tab" rest=0.2 "answer=j $row"
at_most answer 600 8

# A terminal that does not answer gets whole frames.
on_line 0 0 deaf "await=$tab" empty "answer=] $screen" 'await=FLOP/byte' empty rest=0
at_most rest 0 1

# Nothing moves: nothing is written. A run under way writes little.
on_line 0 0 "await=$tab" empty rest=2
at_most rest 0 1
on_line 0 0.2 "await=$tab" rest=1 rest=3 key=] rest=1 rest=3
awk '$1 == "rest:" && $5 == 3 && $2 <= 3 * 15000 { n++ } END { exit n != 2 }' "$TMP/steps" || fail "$(cat "$TMP/steps")"
