# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Pictures of a stored run with roofs and patterns: heat map with the best tile, bars, dots below the roofs, and their part of the report.
. "$TPROF_CLI/lib.sh"

stored=$TPROF_SRCDIR/tests/tui/runs/patterns

run --show "$stored" --svg pictures.svg
expect_exit 0
for part in 'jacobi-2d-tiles: GB/s, 1 thread' '>104*</text>' '>tile_i</text>' 'Patterns compared, the best of each, L1, 1 thread' \
	'jacobi-2d-tiles tile_i=16 tile_j=32' 'ns an element' '>triad, L1</text>' '>jacobi-2d-tiles, L1</text>'; do
	grep -qF "$part" pictures.svg || fail "\"$part\" is not in the SVG"
done
# One tile is the best of the map, and has its look.
[ "$(grep -c 'tp-tile tp-first tp-best' pictures.svg)" = 1 ] || fail 'not one best tile'
# A sweep over tiles at one size is not a curve.
grep -q 'working set per thread' pictures.svg && fail 'a curve of single points'

run --show "$stored" --report=always --ascii
expect_exit 0
expect_out 'of roof'
expect_out 'There it is'
expect_out '104*'
expect_out 'tile_j'
