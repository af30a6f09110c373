# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of a program.
#
# The screen Application: a program under its roofs, the run of an earlier version marked beside it, and a run without a program.
. "$TPROF_CLI/lib.sh"

run=$(fixture application)

# walk PREFIX: words and picture; where they have no room beside each other, Tab goes to the picture.
walk() {
	view Program
	wait_for 'Counted by agent'
	pane "$1-application"
	if [ "${size%x*}" -lt 112 ]; then
		press Tab
		wait_for 'FLOP per byte'
		pane "$1-application-picture"
	fi
	press q
	press q
	expect_end 0
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	wait_for complete
	walk utf8
done
open 80x24 LC_ALL=C NO_COLOR=1 -- --replay "$run" --speed 0
wait_for complete
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-application*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi

# The earlier version: the same intensity, another speed.
runs=$TMP/data/tprof/runs
mkdir -p "$runs"
cp -R "$run" "$runs/2026-01-02-000000-after"
cp -R "$(fixture application-before)" "$runs/2026-01-01-000000-before"
open 120x40 LC_ALL=C.UTF-8 XDG_DATA_HOME="$TMP/data" --
wait_for '2 Setup'
press 4
wait_for 'before'
press Down Space
wait_for '1 marked'
press Up Enter
wait_for 'Before: 2026-01-01-000000-before' 'time before' '1.48x'
press q
expect_end 0

# Scrolling shows what has no room: functions, and where it is what the program printed.
printed=$TMP/printed
cp -R "$run" "$printed"
sed -i 's/^"roofs": \[/"program": { "output": { "bytes": 1048576, "cut_bytes": 3145728 } },\n&/' "$printed/run.json"
open 80x24 LC_ALL=C.UTF-8 -- --replay "$printed" --speed 0
wait_for complete
view Program
wait_for 'Counted by agent'
press End
wait_for 'instructions' 'spmv_csr' 'output.txt' '3 MiB'
press q
expect_end 0

# Why there is no picture.
if [ "$(uname -m)" = x86_64 ]; then
	"$TPROF" --app --run-dir "$TMP/bare" --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- true >"$TMP/said" 2>&1 || fail 'true cannot be counted'
	open 120x40 LC_ALL=C.UTF-8 -- --replay "$TMP/bare" --speed 0
	wait_for complete
	view Program
	wait_for 'Counted by agent' 'No roofs: app.roofs is none.'
	press q
	expect_end 0
fi
