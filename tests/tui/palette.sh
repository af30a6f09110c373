# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the box that finds anything.
#
# `:` finds screens, actions, options, presets, runs, examples, lessons and help by a few letters, and goes there, by keys, by mouse and
# with pasted words; in a text field it is a character.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
cp -R "$fixture_folder/all-plots" "$runs/2026-01-01-000000-yesterday"
cp -R "$fixture_folder/all-plots" "$runs/2026-01-02-000000-today"
chmod -R u+w "$runs"
escape=$'\033'

# find WORDS: opens the box and types them.
find_words() {
	press :
	wait_for 'Find anything'
	text "$1"
	wait_for "find $1"
}

# A row of the box, with its kind.
row() {
	wait_for_line "^ *[|│─✓a-zA-Z0-9 ]*[|│] *$1 "
}

# first KIND NAME: the first row, which Enter takes.
first_is() {
	seen | grep -A 1 -E '[|│] find ' | tail -n 1 | grep -qE "[|│] $1 +$2"
}

first() {
	until_true first_is "$1" "$2" || fail_with_pane "the first row is not: $1 $2"
}

# Each kind of thing, from Setup, in a small terminal and a larger one, in UTF-8 and ASCII.
for look in '80x24 LC_ALL=C.UTF-8' '120x40 LC_ALL=C.UTF-8' '80x24 LC_ALL=C NO_COLOR=1 -- --ascii'; do
	# shellcheck disable=SC2086 # a list of words
	open $look
	wait_for '2 Setup'
	press 2
	wait_for 'What to measure'

	# Without letters: screens first, then what keys do here. Nothing is changed by Esc.
	press :
	wait_for 'Find anything' 'Esc back'
	row 'go +Setup'
	row 'go +Lessons'
	row 'do +change'
	press Escape
	wait_without 'Find anything'
	wait_for 'What to measure' 'q quit'

	# A screen, by its name or by the place where it is.
	find_words 'home mach'
	first go Machine
	press Escape
	wait_without 'Find anything'
	find_words runs
	first go Runs
	press Enter
	wait_for '2 runs'

	# An action of this screen does what its key does; those of other screens are in the help.
	find_words delete
	first 'do' delete
	press Enter
	wait_asked
	press n
	wait_answered
	find_words 'save as a preset'
	first help save
	press Enter
	wait_for '1 of ' 'save as a preset'
	press Escape q
	wait_for '2 runs'

	# A run, by a part of its name; it opens on its results.
	find_words yester
	first run 2026-01-01-000000-yesterday
	press Enter
	wait_for 'Mixed, '

	# An option: the cursor of Setup is on it, also on one that is not shown at first.
	find_words 'race_c'
	first option stop.race_count
	press Enter
	wait_for_line 'stop.race_count +<'
	press Enter
	wait_for 'Esc back'
	press Escape

	# A preset. With changes there is a question first.
	find_words quick
	first preset quick
	press Enter
	wait_for 'quick.yaml'
	find_words isa
	first option isa
	press Enter
	wait_for_line 'isa +<'
	press Left
	wait_for 'quick.yaml (changed)'
	find_words pattern-strides
	first preset pattern-strides
	press Enter
	wait_asked
	press n
	wait_answered
	wait_for 'quick.yaml (changed)'
	find_words 'preset patt-stri'
	press Enter
	wait_asked
	press y
	wait_for 'pattern-strides.yaml'

	# A lesson.
	find_words 'lesson ridge'
	first lesson '03-roofline'
	press Enter
	wait_for 'The roofline and its ridge' 'q back'

	# Words without a row are looked up in the help.
	find_words 'xyzzy'
	wait_for 'look it up in the help'
	press Enter
	wait_for 'Nothing matches'
	press Escape q q
	wait_for 'What a working set is'

	# It quits.
	find_words quit
	first 'do' quit
	press Enter
	expect_end 0
done

# In a large terminal over a plot; the rows below the list describe the row in full.
run=$(fixture all-plots)
open 120x40 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$run" --speed 0
wait_for complete
view Roofline
wait_for 'Roofline, avx2'
find_words 'zoom'
first 'do' zoom
wait_for 'zoom in around the cursor'
press Down Up PgDn PgUp End Home Enter
wait_without 'Find anything'
find_words 'example loaded'
first example loaded-latency
press Escape
wait_for 'Roofline, avx2'

# Pasted words are typed, with their line ends, and open nothing; over the help, too.
press :
wait_for 'Find anything'
text "${escape}[200~"$'run\rq\n'"${escape}[201~"
wait_for 'find run q'
press C-u
text "${escape}[200~counters${escape}[201~"
wait_for 'find counters'
press Escape
wait_for 'Roofline, avx2'

# The wheel moves, a click chooses, a double click does it, a click outside the box closes it.
line_of() {
	seen | grep -nE -m 1 -e "$1" | cut -d: -f1
}
press :
wait_for 'Find anything' 'find'
click $(($(line_of 'go +Curve') - 1)) 20
wait_for_line '│ Result: the memory curve +│'
wheel down 10 40
wait_for 'Find anything'
twice $(($(line_of 'go +Runs') - 1)) 20
wait_for '2 runs'
press :
wait_for 'Find anything'
click 20 0
wait_without 'Find anything'
wait_for '2 runs'

# In a text field it is a character, and letters that move in lists are letters in the box.
press /
text ':x'
wait_for '/:x'
press Escape
find_words 'qjk:'
wait_for 'look it up'
press Escape
wait_for '2 runs'

# Over a comparison it has the keys of the comparison, and not those of the list below it.
press Space Space c
wait_for '1 of 3'
find_words delete
first help delete
press Escape
find_words picture
first 'do' picture
press Escape
find_words setup
first go Setup
press Enter
wait_for 'What to measure'

# Ctrl-C quits over the box, too.
press :
wait_for 'Find anything'
press C-c
expect_end 0
