# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: every screen.
#
# The screens of a replayed run, at three sizes, in UTF-8 and in pure ASCII.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)

# walk PREFIX: a picture of every screen that shows the run.
walk() {
	pane "$1-run"
	view Roofline
	pane "$1-roofline"
	view Curve
	pane "$1-curve"
	view Mixed
	pane "$1-mixed"
	press '?'
	pane "$1-help"
	press q q
	expect_end 0
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	walk utf8
done
for at in 80x24 120x40; do
	open "$at" LC_ALL=C -- --replay "$run" --speed 0
	walk ascii
	if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-*-"$at".txt >"$TMP/odd"; then
		fail "not in ASCII: $(cat "$TMP/odd")"
	fi
done
