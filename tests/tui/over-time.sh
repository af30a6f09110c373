# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of a profile.
#
# A program over time: all meters in lanes with the phases next to them, then one meter with the cursor on a sample.
. "$TPROF_CLI/lib.sh"

run=$(fixture over-time)

# walk PREFIX: the lanes, then the first meter.
walk() {
	wait_for complete
	view Time
	wait_for 'over time, each from 0 to the most'
	pane "$1-over-time-lanes"
	press '>'
	wait_for 'CPUs that the program keeps busy'
	press Right
	pane "$1-over-time-meter"
	press q
	expect_end 0
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	walk utf8
done

# Meters can be hidden, with their pages.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
wait_for complete
view Time
wait_for 'over time, each from 0 to the most' 'cpus '
press v
wait_for '[x] cpus'
press Down Space
wait_for '[ ] cpus'
press Enter
wait_for 'not all shown'
wait_without ' cpus '
press '>'
wait_without 'CPUs that the program keeps busy'
press v Enter
wait_for 'q quit'
press '<'
wait_for 'CPUs that the program keeps busy'
press q
expect_end 0

open 80x24 LC_ALL=C -- --replay "$run" --speed 0
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-over-time*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi
