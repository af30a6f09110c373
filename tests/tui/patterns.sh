# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of patterns.
#
# The screen Patterns: heat map, bars, configurations with their loops; patterns as dots of the roofline; a run without any.
. "$TPROF_CLI/lib.sh"

run=$(fixture patterns)

# walk PREFIX: the pictures of the run, the cursor on a tile, the code.
walk() {
	wait_for complete
	view Patterns
	wait_for 'jacobi-2d-tiles: GB/s'
	press G
	pane "$1-patterns-heat"
	press '>'
	wait_for 'Patterns compared'
	pane "$1-patterns-bars"
	press t
	wait_for 'Caches   L1d'
	press t Enter
	# The loops come after the rest, when the cursor stands still.
	wait_for 'parameters' 'GB/s' 'Generated loops' 'for (long c0 = 0'
	press Down
	wait_for 'tile_i=8 tile_j=8  unified' 'Generated loops'
	press Enter
	wait_for 'Patterns compared'
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	walk utf8
	view Roofline
	wait_for 'jacobi-2d-tiles, L1'
	press q
	expect_end 0
done

open 80x24 LC_ALL=C -- --replay "$run" --speed 0
walk ascii
press q
expect_end 0
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-patterns-*-80x24.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi

# The terminal decides the look, never the text.
open 80x24 LC_ALL=C.UTF-8 TERM=vt100 -- --replay "$run" --speed 0
walk utf8
press q
expect_end 0

# A run without patterns has no screen of them.
open 80x24 LC_ALL=C.UTF-8 -- --replay "$(fixture spmv)" --speed 0
wait_for complete '[Points]'
lacks 'Patterns' || fail_with_pane 'a tab without patterns'
press q
expect_end 0

# A run of one configuration has a bar.
run --batch pattern-triad --set level=L1 --set pattern.template=unified --set pattern.compiler=prebuilt --run-dir one -q
expect_exit 0
open 80x24 LC_ALL=C.UTF-8 -- --replay ./one --speed 0
wait_for complete
view Patterns
wait_for 'triad n=' 'GFLOP/s'
press q
expect_end 0
