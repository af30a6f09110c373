# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of a search.
#
# The screen Autotune: searches at three sizes, in UTF-8 and in ASCII; axes, slices, cursor, searches; a run in progress.
. "$TPROF_CLI/lib.sh"

run=$(fixture autotune)

# walk PREFIX: an unfinished search, the map of a finished one, and a search in which only one size varies.
walk() {
	view Search
	pane "$1-autotune-open"
	press '<' '<' Down
	pane "$1-autotune-map"
	press '>'
	pane "$1-autotune-sizes"
	press q
	expect_end 0
}

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	wait_for interrupted
	walk utf8
done
open 80x24 LC_ALL=C -- --replay "$run" --speed 0
wait_for interrupted
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-autotune-*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi

# The text of a search does not depend on colours.
for terminal in xterm-256color screen vt100; do
	open 80x24 LC_ALL=C.UTF-8 "TERM=$terminal" -- --replay "$run" --speed 0
	wait_for interrupted
	view Search
	pane utf8-autotune-open
	press q
	expect_end 0
done

# The best configuration, its neighbours, and failed ones; axes and slices; the cursor stays when the slice changes, and returns to the best.
open 120x40 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$run" --speed 0
wait_for interrupted
view Search
wait_for 'dgemm core, c+i' '5 of 5' 'm (best over k)' 'the best' 'found after 18.1 s'
press Right Up
wait_for 'cut off early'
press b
wait_for '100*' 'the best'
press '<' '<'
wait_for '3 of 5' racing
press '}'
wait_for 'm (k = 64)'
press '}'
wait_for 'k = 100'
press g Up Up Up Down Down Down
wait_for 'n 512 m 512 k 100 '
press '}' '{' '{'
wait_for 'k = 64'
press '{'
wait_for 'm (best over k)'
press a
wait_for 'k (best over m)'
press b
wait_for 'the best'
press '>'
wait_for 'L1 core 268.4' 'the best, 75.7 % of 354.6'
press a
wait_for 'only one size varies'
press Down # the next level
wait_for '101.2 GB/s'
press '<'
wait_for 'dgemm core' racing

# The mouse: a cell, and a technique.
click 7 19
wait_for 'n 512 m 1000 k 512 '
row=$(($(seen | grep -n '^ c+i+o' | cut -d: -f1) - 1))
click "$row" 3
wait_for '2 of 5'

# The roofline shows the result with the roofs of kernels; Run and the report show it, too.
view Roofline
wait_for 'TRIAD DRAM' 'dgemm' 'L1 347'
view Points
wait_for 'what the searches found'
press t
wait_for 'Autotuned peaks'
press q q
expect_end 0

# A replay shows the trials one after the other: the map grows.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 128
view Search
wait_for 'dgemm core, default' 'under way'
press p
wait_for paused
press p
wait_without paused
press s
wait_for '5 of 5'
press q
expect_end 0
