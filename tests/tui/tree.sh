# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of trees.
#
# The screen Tree of a replayed run: its parts at three sizes, in ASCII and without colour; folds, cuts that are moved, choices and what
# they are in batch, files, and the way there and back.
. "$TPROF_CLI/lib.sh"

# A run whose preset set the column to explain.
run=$(fixture gather)
sed -i '1s/^{$/{ "mine": {"target": "median_ns"},/' "$run/run.json"

# walk PREFIX: a picture of each part.
walk() {
	view Tree
	pane "$1-tree"
	press Tab
	pane "$1-tree-categories"
	press Tab
	pane "$1-tree-accuracy"
	press Tab
	pane "$1-tree-importance"
	press q
	wait_for '[Tree]'
}

open 80x24 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
wait_for '50 of 50 points'
walk utf8
# The help lists its keys; q goes back.
press '?'
wait_for 'Keys on Tree'
wait_for 'unfold the whole tree'
press q
wait_for '[Tree]'
press 3
wait_for '[Tree]'
press q
expect_end 0

open 80x24 LC_ALL=C -- --replay "$run" --speed 0
walk ascii
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-tree*-80x24.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi
press q
expect_end 0

# Larger screens show all parts at once; Tab goes from one to the next, a click chooses one.
for at in 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	view Tree
	pane utf8-tree
	press q
	expect_end 0
done

open 80x24 LC_ALL=C.UTF-8 NO_COLOR=1 -- --replay "$run" --speed 0
view Tree
pane utf8-tree
# Folds: all but the first question; one; and back.
press Down Left
wait_for '▸ working_set_bytes <= 640 KiB'
press +
wait_for '▾ working_set_bytes <= 640 KiB' 'elements <= 4'
press -
wait_for '▸ working_set_bytes <= 640 KiB' '▸ working_set_bytes > 640 KiB'
wait_without 'elements <= 4'
press Enter
wait_for '▸ elements <= 4' 'rows with working_set_bytes <= 640 KiB:'
press + q
expect_end 0

# The choice is shown as words of the command line.
open 80x24 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$run" --speed 0
view Tree
wait_for '[Tree]'
press '(' e
wait_for 'mine.criterion=entropy, mine.depth=5' 'bits'
said=$(seen | grep -oE 'category of [0-9]+%')
run --mine "$run" --set mine.criterion=entropy --set mine.depth=5
expect_exit 0
grep -qF "$said" "$TMP/out" || fail "the screen says \"$said\", in batch it is: $(grep -F category "$TMP/out")"
press Tab
wait_for 'cut 1 of 2 22.84 ns'
press '>' '>'
wait_for_line 'cut 1 of 2 23\.[0-9]+ ns +yours' 'mine.cuts=23.'
press a
wait_for 'cut 2 of 3' 'D '
press '{' Delete
wait_for 'cut 1 of 2' 'yours'
press Delete Delete
wait_for 'the last cut stays'
press 0
wait_for 'cut 1 of 2 22.84 ns'
wait_without 'mine.cuts'

# A cut is dragged: pressed where its line is, which chooses it, and let go five columns further. (Both at once would be a click.) A double
# click elsewhere adds one.
button() { # button M|m ROW COLUMN: pressed, released
	text $'\033'"[<0;$(($3 + 1));$(($2 + 1))$1"
}
column_of_cut() {
	local LC_ALL=C.UTF-8 line
	line=$(seen | grep -m 1 "║")
	line=${line%%║*}
	echo "${#line}"
}
press '}'
wait_for 'cut 2 of 2 41.91 ns'
column=$(column_of_cut)
press '{'
wait_for 'cut 1 of 2 22.84 ns'
button M 8 "$column"
wait_for 'cut 2 of 2 41.91 ns'
button m 8 "$((column + 5))"
wait_for_line 'cut 2 of 2 5[0-3][0-9.]* ns +yours'
twice 8 55
wait_for 'cut 3 of 3'
press 0
wait_for 'cut 2 of 2 41.91 ns'

# Plots: W asks for one, which is checked and drawn in place of the density; w goes back to that.
press w
wait_for 'no plot is chosen yet: W chooses one'
press W
wait_for 'scatter x='
text elementz
press Enter
wait_for 'has no column "elementz"' 'did you mean elements?'
press C-u
text 'box x=elements y=median_ns log=y'
press Enter
wait_for 'mine.plot=box x=elements' 'median and quartiles' 'smallest and largest'
wait_without 'cut 2 of 2'
press w
wait_for 'cut 2 of 2 41.91 ns'
press w
wait_for 'median and quartiles'
press W
wait_for 'box x=elements y=median_ns log=y'
press Escape w
wait_for 'cut 2 of 2 41.91 ns'

# The column to explain, from a list.
press y
wait_for 'Which column is to be explained?' '(*) median_ns'
press Up Enter
wait_without 'Which column is to be explained?'
wait_for 'mine.target='
press y
wait_for 'Which column is to be explained?' 'Esc back'
press Escape
wait_without 'Which column is to be explained?'
press f
wait_for 'Which columns explain it?' '[x] lines'
press Escape
wait_without 'By what'

# All of it as text, and as files.
press t
wait_for 'Quality' 'Says' 'q back'
press q
wait_for '[Tree]'
press x
wait_for 'Write what was learned' '.svg .txt .json'
press C-u
text "$TMP/out"
press Enter
wait_for 'wrote'
grep -q '<svg' "$TMP/out.svg" || fail 'no picture was written'
grep -q '^Quality' "$TMP/out.txt" || fail 'no text was written'
expect_json "$TMP/out.json"
press q
expect_end 0

# Result opens the newest run if none is open.
runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"
cp -R "$run" "$runs/2026-01-01-000000-gathers"
open 80x24 LC_ALL=C.UTF-8
wait_for 'Setup'
press 3
wait_for 'gathers'
view Tree
wait_for 'What explains median_ns' '[Tree]'
press q
expect_end 0

# Too few rows: they are shown without a tree; also where none can be learned.
for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$TPROF_SRCDIR/examples/runs/mixed" --speed 0
	wait_for complete
	view Tree
	wait_for '7 rows are too few for a tree, which needs 20' '6.79258' '58.9575' 'mixed-fma-2ld1st-20:3'
	wait_without 'any row' 'Importance' 'held-out rows'
	press q
	expect_end 0
done
program=$TPROF_SRCDIR/examples/runs/program
open 80x24 LC_ALL=C.UTF-8 -- --replay "$program" --speed 0
wait_for complete
view Tree
wait_for 'too few rows of each to learn' 'gzip level=9' "$(sed -n '/gzip level=9/s/.*"median_metric": \([0-9.]*\).*/\1/p' "$program/run.json")"
press q
expect_end 0

# The same while a run is measured: it grows with the points, and the forest comes when they are all there.
open 80x24 LC_ALL=C.UTF-8 -- --set experiment=memcurve --set isa=scalar --set threads=1 --set size_max=1MiB --set points_per_octave=4 \
	--set stop.max_time=200ms --set stop.max_samples=1000000 --set stop.min_count=100000
wait_for 'Setup'
press r
until_true run_made || fail_with_pane 'nothing is measured'
view Tree
wait_for_line '[1-9][0-9]* of [0-9]+ points'
wait_for 'What explains median_gbps' '[Tree]  Categories'
press Tab Tab Tab
wait_for 'shuffled'
press C-c
expect_end 0
