# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: pastes and sequences on every screen.
#
# Only keys act as keys: pasted text goes into text fields, and escape sequences without a meaning here go nowhere, also in pieces. On every screen and over every box nothing starts, ends, is deleted, typed or opened.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
for name in 2026-01-01-000000-one 2026-01-02-000000-two; do
	cp -R "$fixture_folder/all-plots" "$runs/$name"
done
chmod -R u+w "$runs"
escape=$'\033'

# paste TEXT: in brackets, as a terminal sends it.
paste_text() {
	text "${escape}[200~$1${escape}[201~"
}

# With a Ctrl-C, an escape sequence and line ends in it.
evil=$'q\rr\nyd\003q'"$escape"$'[Ar q\ty1 2n\r'
# Ctrl with letters as terminals with new keyboards send it, keys of other terminals, answers to questions that were not asked.
strange="${escape}[97;5u${escape}[113;5u${escape}[114u${escape}[27;5;113~${escape}[1;5A${escape}[?1;2c${escape}[>0;276;0c${escape}[24;80R${escape}[200q"
strange+="${escape}O5r${escape}]11;rgb:1d1d/y/q$escape\\${escape}]0;quit"$'\a'"${escape}P>|tmux 3 qrdy$escape\\${escape}_Gqr$escape\\"

# untouched NAME: what is pasted and swallowed leaves all as it is, and the next key is heard.
untouched() {
	until_true settled
	seen >"$TMP/before"
	paste_text "$evil"
	text "$strange"
	text "${escape}[97;5"
	text "u$escape"
	text '[114;5u'
	until_true settled
	! ended || fail "$1: it ended"
	# The clock of the head may go on, and no more.
	seen >"$TMP/after"
	diff -u "$TMP/before" "$TMP/after" >&2 || fail_with_pane "$1: it is not as before"
	[ "$(find "$runs" -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail "$1: a run was made or deleted"
}

# The row of the views of a place; others are there than before.
views() {
	seen | sed -n 2p
}

are_others() {
	[ "$(views)" != "$views" ]
}

open 120x40 LC_ALL=C.UTF-8
press 4
wait_for '2 runs'
press Enter
wait_for 'Mixed, '
for key in 2 3 ']' ']' 4 ']' 5 '?'; do
	views=$(views)
	press "$key"
	until_true are_others || fail_with_pane "$key changes nothing"
	# The plan comes first, its estimates a moment later.
	[ "$key" != 2 ] || wait_for 'about '
	untouched "screen $key"
done

# Boxes.
press Escape
view Runs
wait_for '2 runs'
press Delete
wait_asked
untouched 'a question'
press n
wait_answered
view Home
wait_for 'My program'
press Down
untouched 'Home'
press Down Down Enter
# A list that filters takes what is pasted as letters to find, and opens nothing.
wait_for 'Open an example run'
paste_text "$evil"
until_true settled
sees 'Open an example run' || fail_with_pane 'examples: a paste has chosen'
press Escape
wait_without 'Open an example run'
press 2
wait_for 'What to measure'
press Enter
wait_for 'Esc back'
untouched 'a list of words'
press Escape
press o
wait_for 'Load a preset'
untouched 'presets'
press Escape
view Roofline
wait_for 'Roofline, '
press v
wait_for 'Esc back'
untouched 'parts of a plot'
press Escape
press t
wait_for 'q back'
untouched 'tables'
press q i
untouched 'texts in full'
press Escape

# Text fields: a paste is text, a sequence is nothing.
press 2 w
wait_for 'Save as a preset'
press C-u
paste_text $'q r\ry'
text "$strange"
wait_for_line ' q r y +│'
press Escape
press 4 /
paste_text 'tqo'
wait_for 'tqo'
press BSpace BSpace
paste_text 'wo'
wait_without '000000-one'
wait_for 'two'
press Escape
press x
wait_for 'Export to folder'
press C-u
paste_text "$TMP/qrd"
wait_for "$TMP/qrd"
press Escape
view Roofline
press d
wait_for 'NAME:AI,GFLOPS'
paste_text 'quick:1,5'
press Enter
wait_for 'quick'
press q
expect_end 0
[ "$(find "$runs" -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail 'a run was made or deleted'
