# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of commands.
#
# Programs on the screens: variants on the screen Run with one that failed, the curve over a parameter with the cursor on a point.
. "$TPROF_CLI/lib.sh"

run=$(fixture program)

# walk PREFIX: the run, then the curve.
walk() {
	wait_for complete
	view Points
	wait_for 'gzip level=9'
	pane "$1-program-run"
	view Curve
	wait_for 'time over level'
	press Left
	wait_for 'gzip level=3'
	pane "$1-program-curve"
	press q
	expect_end 0
}

for at in 80x24 120x40; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	walk utf8
done
open 80x24 LC_ALL=C -- --replay "$run" --speed 0
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-program*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi
