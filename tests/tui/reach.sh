# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Everything on a screen can be reached and left: q goes back, Tab shows the parts that have no room, i the texts that have none, and the
# mouse does what keys do.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)
runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"
for name in 2026-01-01-000000-first 2026-01-02-000000-second; do
	cp -R "$fixture_folder/all-plots" "$runs/$name"
	chmod -R u+w "$runs/$name"
done

# click_on TEXT: a click on its first letter, wherever it is.
click_on() {
	local line column
	line=$(seen | grep -nF -m 1 -e "$1" | cut -d: -f1)
	[ -n "$line" ] || fail_with_pane "there is nothing to click on: $1"
	column=$(seen | sed -n "${line}p" | sed 's/[^ -~]/./g' | grep -bo -F -e "$1" | head -n 1 | cut -d: -f1)
	click "$((line - 1))" "$column"
}

still_there() {
	[ ! -f "$TMP/status" ] || fail_with_pane 'q ended the program'
}

# q goes back from the help, the tables, the report and the comparison, and its hint names it.
open 80x24 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$run" --speed 0
wait_for complete 'q quit'
press '?'
wait_for 'Keys on Points' 'q back'
press q
wait_for '50 of 50 points' 'q quit'
press t
wait_for 'q back'
press q
wait_for '50 of 50 points' 'q quit'
view Roofline
wait_for 'Roofline, avx2'
press t
wait_without 'AI 0.17'
press q
wait_for 'AI 0.17'
press 4
wait_for '2 runs'
press Space Space c
wait_for 'Comparison of 2 runs' 'q back'
wait_without 'Space mark'
press q
wait_for '2 runs' 'q quit'
still_there

# Over a box only its key is offered: letters go into the field.
press /
wait_for 'Esc back'
wait_without 'q quit'
text q
wait_for '/q'
press Escape
wait_for 'q quit'

# The parts that have no room here, one after the other.
press Tab
wait_for 'Caches' 'Roofline' 'q back'
press q
wait_for '2 runs'
press Tab Tab
wait_for 'A cluster run measures'
press Tab
wait_for '[Runs]'
press 2
wait_for 'Tab next part'
press Tab
wait_for 'Points' 'size/thread' 'q back'
view Points
wait_for '50 of 50 points'
press Tab
wait_for 'The run' 'GFLOP/s'
press Escape
wait_for '50 of 50 points'
view Machine
for _ in 1 2 3 4 5 6; do
	press Tab
done
wait_for 'Doctor'
press Tab
wait_for 'Topology'

# What has no room: in the line above the footer, or in a box.
view Roofline
wait_for 'i full'
press i
wait_for 'In full' 'farthest below' 'Esc back'
press Escape
wait_without 'In full'

# The wheel moves the cursor of a plot, and does not zoom.
view Curve
wait_for 'plateau'
before=$(seen | tail -n 4 | head -n 1)
axis=$(seen | tail -n 6 | head -n 1)
wheel down 10 40
same_reading() { [ "$(seen | tail -n 4 | head -n 1)" = "$before" ]; }
another_reading() { ! same_reading; }
until_true another_reading || fail_with_pane 'the wheel does not move the cursor'
wheel up 10 40
until_true same_reading || fail_with_pane 'the wheel does not move the cursor back'
[ "$(seen | tail -n 6 | head -n 1)" = "$axis" ] || fail_with_pane 'the wheel zooms'

# A click on a hint does what its key does; a double click opens; a single one does not, on the chosen row either.
click_on 't table'
wait_for 'q back'
click_on 'q back'
wait_for 'q quit'
click_on '? help'
wait_for 'Keys on Curve'
click_on 'q back'
press 4
wait_for '2 runs'
click 4 24
click 4 40
wait_for '2 runs'
twice 4 24
wait_for 'Mixed, avx2'
# In the preview as well, which Enter opens.
press 4
wait_for '2 runs'
press Tab
wait_for 'Caches'
twice 7 20
wait_for 'Mixed, avx2'
press 4
wait_for '2 runs'
press Delete
wait_asked
click_on 'n keep'
wait_answered
for name in 2026-01-01-000000-first 2026-01-02-000000-second; do
	[ -d "$runs/$name" ] || fail_with_pane 'a run was deleted'
done
view Points
wait_for '50 of 50 points'
twice 7 20
wait_for 'Roofline, '
press q
expect_end 0
