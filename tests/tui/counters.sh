# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of counters.
#
# The screen Counters: its views at three sizes, in UTF-8 and in ASCII; families, filters, marks, export; a run in progress.
. "$TPROF_CLI/lib.sh"

run=$(fixture counters)

changed() {
	! seen | cmp -s - "$TMP/before"
}

# walk PREFIX: every view; the curve of an event over buffers in the second family, and a metric that cannot be counted in the first.
walk() {
	view Counters
	pane "$1-counters-events"
	press Tab Right Right
	pane "$1-counters-noise"
	press BTab '>' Down Tab Tab Right Right
	pane "$1-counters-curves"
	press '<' Tab End
	pane "$1-counters-formulas"
	view Points
	pane "$1-counters-run"
	press q
	expect_end 0
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	wait_for complete
	walk utf8
done
open 80x24 LC_ALL=C -- --replay "$run" --speed 0
wait_for complete
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-counters-*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi

# Events by fate, by words, sorted; the other views keep the search words.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
wait_for complete
view Counters
wait_for '52 events' 'BR_MISP_RETIRED:ALL_BRANCHES'
press a
wait_for 'only chosen'
wait_without COND_NTAKEN
press a
wait_for 'only dependent' COND_NTAKEN
for _ in 1 2 3 4; do
	sees 'only ' || break
	seen >"$TMP/before"
	press a
	until_true changed
done
wait_without 'only '
press /
text 'misp chos'
wait_for '1 of 52'
press Enter
wait_for 'Chosen, 3rd of 4'
press Enter # its curve
wait_for 'BR_MISP_RETIRED:ALL_BRANCHES' 'per iteration' 'row 1,'
press Escape
press Escape
press o
wait_for 'by name'

# A metric in full, and back.
press Tab Tab Tab End Enter
wait_for 'cannot count it' 'CE: counted by no event'
press Escape
wait_for 'Chosen events'

# From another view q goes back to the events, and from there it quits.
press q
wait_for 'counts' 'q quit'

# The mouse: tabs, families, rows; in a terminal with SGR mouse reports.
press q
expect_end 0
open 120x40 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$run" --speed 0
wait_for complete
view Counters
press Tab Tab Tab
wait_for "Chosen events"
click 2 2
wait_for 'fate'
click 3 12
wait_for_line 'MEM_LOAD_RETIRED'
wheel down 9 20
click 2 12
wait_for 'events by rising noise'

# Exported files.
press BTab x
wait_for 'Write the run'
text "/exported"
press Enter
wait_for '.papi'
press q
expect_end 0
[ -s exported/counters.papi ] || [ -s "$PWD/exported/counters.papi" ] || fail 'no derived-event file was written'
head -n 1 exported/counters.readings.csv | grep -qx 'family,event,row,repetition,count,iterations' || fail 'no readings were written'

# During a run the screen counts readings, not bytes per second; a family appears after its last kernel.
open 120x40 LC_ALL=C.UTF-8 -- --set experiment=counters --set families=branch --set source=emulated --set counters.misleading=0
press 2 r
wait_for 'branch' 'chosen' 'counts'
view Points
wait_for 'readings' complete
lacks 'GB/s' || fail_with_pane 'a counters run tells of GB/s'
view Counters
wait_for 'branch' 'chosen' 'counts'
press q
expect_end 0
