# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of gathers.
#
# The screen Curve with gathers: time against cache lines, the cursor on a gather, at two sizes, in UTF-8 and in ASCII.
. "$TPROF_CLI/lib.sh"

run=$(fixture gather)

# walk PREFIX: the picture, and the cursor two points further on another series.
walk() {
	view Curve
	pane "$1-gather"
	press Right Right Down
	pane "$1-gather-cursor"
	press q
	expect_end 0
}

for at in 80x24 120x40; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	walk utf8
done
open 80x24 LC_ALL=C -- --replay "$run" --speed 0
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-gather*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi
