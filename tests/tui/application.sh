# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of a program.
#
# The screen Application: a program under its roofs with its regions, where it could move, its words; the run of an earlier version marked next to it, and a run
# without a program.
. "$TPROF_CLI/lib.sh"

run=$(fixture application)

# walk PREFIX: the dot with what is left to its roof, its table, and where it would be; then the text, which is next to the picture if there is room.
walk() {
	view Program
	wait_for 'of roof' 'FLOP per byte' 'spmv, 16x below DRAM'
	[ "${size%x*}" -lt 112 ] || wait_for 'Counted by agent'
	pane "$1-application"
	press w
	wait_for 'vectorised: at the DRAM roof' 'vectorised: 1.55 GFLOP/s' 'Vectorise: 100 % of its FLOPs are scalar'
	press w
	wait_without 'vectorised: at the DRAM roof'
	press Right
	wait_for 'spmv, 2.0x below DRAM' 'spmv, 1.493 GFLOP/s: memory-bound perhaps'
	# Up goes over all roofs.
	press Up
	wait_for 'FLOP/B on DRAM avx512'
	press t
	wait_for 'Counted by agent'
	if [ "${size%x*}" -lt 112 ]; then
		pane "$1-application-words"
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

# Scrolling shows the rest: functions, and where the program's output is.
printed=$TMP/printed
cp -R "$run" "$printed"
sed -i 's/^"roofs": \[/"program": { "output": { "bytes": 1048576, "cut_bytes": 3145728 } },\n&/' "$printed/run.json"
open 80x24 LC_ALL=C.UTF-8 -- --replay "$printed" --speed 0
wait_for complete
view Program
press t
wait_for 'Counted by agent'
press End
wait_for 'instructions' 'spmv_csr' 'output.txt' '3 MiB'
press q
press q
expect_end 0

# Why there is no picture.
if [ "$(uname -m)" = x86_64 ]; then
	"$TPROF" --app --run-dir "$TMP/bare" --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- true >"$TMP/said" 2>&1 || fail 'true cannot be counted'
	open 200x60 LC_ALL=C.UTF-8 -- --replay "$TMP/bare" --speed 0
	wait_for complete
	view Program
	wait_for 'Counted by agent' 'No roofs: app.roofs is none.'
	press q
	expect_end 0

	# While it is measured the head names the phase and the run, and Points does.
	open 100x24 LC_ALL=C.UTF-8 -- --set experiment=app --set 'app.command=sleep 0.3' --set app.runs=12 --set app.roofs=none
	press 2 r
	wait_for 'app  timing ' '/12'
	wait_for_line '  timing [0-9]+/12 *$'
	wait_for 'timed without that'
	press q
	expect_end 0
fi
