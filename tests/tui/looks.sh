# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The terminal decides the look, never the text: 256 colours, 8 colours, none.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)
ASAN_OPTIONS=${ASAN_OPTIONS-}
escape=$(printf '\033')

# Prints how many colours the pane uses: 256, 8, or 0. $TMP/look has its sequences.
colours() {
	seen_with_colours >"$TMP/look"
	if grep -qE "${escape}\[[0-9;]*[34]8;[25];" "$TMP/look"; then
		echo 256
	elif grep -qE "${escape}\[([0-9]+;)*(3[0-7]|4[0-7]|9[0-7])(;[0-9]+)*m" "$TMP/look"; then
		echo 8
	else
		echo 0
	fi
}

# TERM, another variable, expected colours, pane: the console of Linux has no Braille in its font.
# On the console ncurses loads libgpm for the mouse and unloads it with its memory, which a leak checker reports; tprof cannot prevent that.
while read -r terminal variable expected name; do
	leaks=ASAN_OPTIONS=$ASAN_OPTIONS
	[ "$terminal" = linux ] && leaks=ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	open 80x24 LC_ALL=C.UTF-8 "TERM=$terminal" "$variable" "$leaks" -- --replay "$run" --speed 0
	view Curve
	pane "$name"
	got=$(colours)
	[ "$got" = "$expected" ] || fail_with_pane "TERM=$terminal $variable: expected $expected colours, got $got"
	grep -qE "${escape}\[([0-9]+;)*[1457](;[0-9]+)*m|${escape}\[[0-9;]*48;5" "$TMP/look" ||
		fail_with_pane "TERM=$terminal $variable: nothing marks the screen that is shown"
	press q
	expect_end 0
done <<'END'
xterm-256color LANG=C 256 utf8-curve
tmux-256color LANG=C 256 utf8-curve
screen LANG=C 8 utf8-curve
linux LANG=C 8 console-curve
vt100 LANG=C 0 utf8-curve
xterm-256color NO_COLOR=1 0 utf8-curve
linux NO_COLOR=1 0 console-curve
END

# ASCII on request in a UTF-8 locale.
open 80x24 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0 --ascii
view Curve
pane ascii-curve
press q
expect_end 0
