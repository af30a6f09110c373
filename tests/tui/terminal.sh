# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: what the terminal sends.
#
# Every exit restores the terminal: by key, by signal, by a crash. After Ctrl-Z the screens come back.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)

# shown COLUMNSxROWS: the curve of the run is on the screen.
shown() {
	open "$1" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	view Curve
	pane utf8-curve
	[ "$(mode mouse_any_flag)" = 1 ] || fail_with_pane 'the mouse was not taken'
	[ "$(mode cursor_flag)" = 0 ] || fail_with_pane 'the cursor is seen'
}

shown 80x24
press C-c
expect_end 0

# signal name, status at the end
while read -r name code; do
	shown 80x24
	kill -s "$name" "$(screens_process)"
	expect_end "$code"
	wait_for 'ready$'
done <<'END'
TERM 130
HUP 130
INT 0
SEGV 139
ABRT 134
BUS 135
END

# Suspended and resumed three times, in a terminal of another size each time.
shown 80x24
for at in 120x40 200x60 80x24; do
	press C-z
	wait_for 'Stopped'
	is_sane || fail_with_pane 'the terminal is not as it was while suspended'
	resize "$at"
	type_line 'clear; fg; finish'
	pane utf8-curve
	[ "$(mode mouse_any_flag)" = 1 ] || fail_with_pane 'the mouse was not taken again'
done
press q
expect_end 0

# The terminal is closed: the program ends.
shown 80x24
process=$(screens_process)
tm kill-session -t t
await gone "$process"

# Without the mouse; a key takes it and gives it back.
open 80x24 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0 --no-mouse
view Curve
pane utf8-curve
[ "$(mode mouse_any_flag)" = 0 ] || fail_with_pane 'the mouse was taken'
press M
wait_for 'the mouse works here'
[ "$(mode mouse_any_flag)" = 1 ] || fail_with_pane 'the mouse was not taken'
press M
wait_for "the terminal has the mouse"
[ "$(mode mouse_any_flag)" = 0 ] || fail_with_pane 'the mouse was not left'
press q
expect_end 0

# No terminal, or an unknown one.
run --replay "$run"
expect_exit 2
expect_err 'not a terminal'
open 80x24 TERM=no-such-terminal
until_true ended || fail_with_pane 'the screens did not end'
grep -qF '"no-such-terminal" is not known' "$TMP/err" || fail "no word about the terminal: $(cat "$TMP/err")"
cmp -s "$TMP/stty.before" "$TMP/stty.after" || fail 'the settings of the terminal differ'
