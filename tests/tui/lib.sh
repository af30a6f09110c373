# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for tests of the screens: tprof in a pane of a separate tmux server. A test starts with
#	. "$TPROF_CLI/lib.sh"
# opens the screens with `open`, presses keys, and names the text that it expects. Nothing here waits for a fixed time: the helpers
# look for the expected text until it is there, or until patience_seconds have passed.
#
# Besides these, the helpers of tests/cli/lib.sh.

# shellcheck source=tests/cli/lib.sh
. "${TPROF_CLI%/*}/cli/lib.sh"
have tmux || exit 77

golden_folder=$TPROF_SRCDIR/tests/golden/tui
fixture_folder=$TPROF_SRCDIR/tests/tui/runs
patience_seconds=${PATIENCE_SECONDS:-200}
size=
pane_name=
server_process=
mkdir -p "$XDG_DATA_HOME/tprof/runs"

# The socket of the server is in the folder of the test, so that no other session is seen or ended.
tm() {
	env -u TMUX LC_ALL=C.UTF-8 tmux -S "$TMP/tmux" -f /dev/null -u "$@"
}

# A server that is ending still takes a connection and closes it at once: a new session has to wait for its end.
close_server() {
	[ -n "$server_process" ] || return 0
	tm kill-server 2>/dev/null
	until_true gone "$server_process"
	server_process=
	return 0
}
trap close_server EXIT

# pane_shell COLUMNSxROWS: a pane with an interactive shell that knows the test's folders. Its prompt is "ready$ ".
pane_shell() {
	size=$1
	close_server
	cat >"$TMP/shell.rc" <<-'END'
		PS1='ready$ '
		unset HISTFILE PROMPT_COMMAND
		ulimit -c 0
		bind 'set enable-bracketed-paste off' 2>/dev/null
		# The state of the terminal after the screens, unless they are only suspended.
		finish() {
			local status=$?
			[ "$status" = 148 ] && return
			stty -g >"$TMP/stty.after"
			echo "$status" >"$TMP/status.new"
			mv "$TMP/status.new" "$TMP/status"
		}
	END
	tm new-session -d -s t -x "${1%x*}" -y "${1#*x}" "exec bash --rcfile '$TMP/shell.rc' -i" ||
		fail 'tmux does not start'
	server_process=$(tm display-message -p '#{pid}')
	tm set-option -g history-limit 1000
	tm set-option -g window-size manual
	tm set-option -g remain-on-exit on
	wait_for 'ready$'
}

# type_line TEXT: types a line into the shell of the pane.
type_line() {
	tm send-keys -t t -l -- "$1"
	tm send-keys -t t Enter
}

# open COLUMNSxROWS [VARIABLE=VALUE...] [-- ARGUMENT...]: the screens in a new pane, in a shell. The terminal's settings before and after go to stty.before and stty.after, the exit status to status, and standard error to err.
open() {
	local variables=() word
	close_server
	rm -f "$TMP/status" "$TMP/stty.after"
	pane_shell "$1"
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	[ $# -gt 0 ] && shift
	ran="tprof $* at $size ${variables[*]}"
	{
		printf 'stty -g >%q\n' "$TMP/stty.before"
		printf 'env TERM=tmux-256color'
		for word in "${variables[@]}" "$TPROF" "$@"; do
			printf ' %q' "$word"
		done
		printf ' 2>%q\nfinish\n' "$TMP/err"
	} >"$TMP/open.sh"
	type_line ". '$TMP/open.sh'"
}

# press KEY...: keys as tmux names them.
press() {
	tm send-keys -t t "$@"
}

# text TEXT: types it as it is.
text() {
	tm send-keys -t t -l -- "$1"
}

# view TITLE: to that screen: the digit of its place, then ] until its name stands in brackets. Each key is shown before the next one
# is sent: an engine that measures may hold a frame back. A run that begins may have no next screen yet.
view() {
	local place before i
	place=$(place_of "$1")
	press "$place"
	until_true is_at "$place" || fail_with_pane "no place $place"
	for ((i = 0; i < 12; i++)); do
		before=$(shown_view)
		[ "$before" = "$1" ] && return
		press ']'
		patience_seconds=5 until_true has_left "$before"
	done
	fail_with_pane "no view $1"
}

# The name in brackets in the second row; empty while a frame arrives.
shown_view() {
	seen | sed -n '2s/.*\[\([^]]*\)\].*/\1/p'
}

place_of() {
	case $1 in
	Home | Machine) echo 1 ;;
	Setup) echo 2 ;;
	Runs | Nodes) echo 4 ;;
	Lessons | Help) echo 5 ;;
	*) echo 3 ;;
	esac
}

is_at() {
	local shown
	shown=$(shown_view)
	[ -n "$shown" ] && [ "$(place_of "$shown")" = "$1" ]
}

has_left() {
	local shown
	shown=$(shown_view)
	[ -n "$shown" ] && [ "$shown" != "$1" ]
}

# click ROW COLUMN (from 0), wheel up|down ROW COLUMN: sent as SGR mouse reports; TERM must not be an old terminal.
click() {
	text $'\033'"[<0;$(($2 + 1));$(($1 + 1))M"
	text $'\033'"[<0;$(($2 + 1));$(($1 + 1))m"
}

# twice ROW COLUMN: a double click.
twice() {
	local at="$(($2 + 1));$(($1 + 1))" escape=$'\033'
	text "${escape}[<0;${at}M${escape}[<0;${at}m${escape}[<0;${at}M${escape}[<0;${at}m"
}

wheel() {
	local button=64
	[ "$1" = down ] && button=65
	text $'\033'"[<$button;$(($3 + 1));$(($2 + 1))M"
}

resize() { # resize COLUMNSxROWS
	size=$1
	tm resize-window -t t -x "${1%x*}" -y "${1#*x}"
}

# The text of the pane, without blanks at the ends of lines.
seen() {
	tm capture-pane -p -t t | sed 's/[[:space:]]*$//'
}

# The same with colours and attributes.
seen_with_colours() {
	tm capture-pane -p -e -t t
}

# Replaces text that differs from machine to machine and day to day, and the row of tabs, so that a new screen does not change every pane.
masked() {
	sed -E -e '1s/^ 1 Home.*/@TABS@/' -e "s|$TMP|@TMP@|g" -e "s|$TPROF_SRCDIR|@SRC@|g" \
		-e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?Z?/@TIME@/g' -e 's/@TIME@ +/@TIME@ /g'
}

fail_with_pane() { # fail_with_pane TEXT
	{
		echo "$1"
		echo "--- the pane ($size)"
		seen
		if [ -s "$TMP/err" ]; then
			echo "--- its standard error"
			cat "$TMP/err"
		fi
	} >&2
	fail "$1"
}

# until_true COMMAND...: waits until it succeeds; false when it does not in time.
until_true() {
	local deadline=$((SECONDS + patience_seconds))
	until "$@"; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.03
	done
}

sees() {
	seen | grep -qF -e "$1"
}

sees_line() {
	seen | grep -qE -e "$1"
}

wait_for() { # wait_for TEXT...: until the pane shows all of them
	local word
	for word; do
		until_true sees "$word" || fail_with_pane "waited in vain for: $word"
	done
}

wait_for_line() { # wait_for_line REGEX: until a line of the pane matches
	until_true sees_line "$1" || fail_with_pane "waited in vain for a line that matches: $1"
}

lacks() {
	! sees "$1"
}

wait_without() { # wait_without TEXT: until the pane does not show it
	until_true lacks "$1" || fail_with_pane "waited in vain for this to go: $1"
}

same_as_golden() {
	seen | masked >"$TMP/pane"
	cmp -s "$TMP/pane" "$1"
}

settled() {
	seen >"$TMP/settle.a"
	sleep 0.4
	seen >"$TMP/settle.b"
	cmp -s "$TMP/settle.a" "$TMP/settle.b"
}

# pane NAME: the text of the pane is (or becomes) tests/golden/tui/NAME-COLUMNSxROWS.txt.
pane() {
	local file=$golden_folder/$1-$size.txt
	pane_name=$1-$size
	if [ -n "${GOLDEN_WRITE-}" ]; then
		until_true settled
		seen | masked >"$file"
		return
	fi
	[ -f "$file" ] || fail_with_pane "there is no $file"
	until_true same_as_golden "$file" && return
	{
		echo "the pane differs from $pane_name.txt (- expected, + got):"
		diff -u "$file" "$TMP/pane" | sed 1,2d
	} >&2
	fail "the pane differs from $pane_name.txt"
}

# --- the terminal ---

mode() { # mode FORMAT: what tmux knows of the pane, such as alternate_on
	tm display-message -p -t t "#{$1}"
}

pane_process() {
	tm display-message -p -t t '#{pane_pid}'
}

# screens_process: the process of the screens, whose parent is the shell of the pane.
screens_process() {
	pgrep -P "$(pane_process)" -x "$(basename "$TPROF" | cut -c1-15)" | head -n 1
}

ended() {
	[ -f "$TMP/status" ]
}

# quit: by C-c, and "y" where the screens ask first.
quit() {
	press C-c
	until_true answered || fail_with_pane 'C-c has no answer'
	ended || press y
	until_true ended || fail_with_pane 'the screens did not end'
}

answered() {
	ended || asked
}

# asked: a question is open, with its keys and nothing else in the last line.
asked() {
	seen | tail -n 1 | grep -qE '^ y [a-z ]+  n [a-z ]+$'
}

wait_asked() {
	until_true asked || fail_with_pane 'waited in vain for a question'
}

not_asked() {
	! asked
}

wait_answered() {
	until_true not_asked || fail_with_pane 'waited in vain for the question to go'
}

expect_end() { # expect_end CODE: the screens end with that status, and leave the terminal as it was
	until_true ended || fail_with_pane 'the screens did not end'
	status=$(cat "$TMP/status")
	[ "$status" = "$1" ] || fail_with_pane "expected the end with status $1, got $status"
	expect_sane
}

is_sane() {
	[ "$(mode alternate_on)" = 0 ] && [ "$(mode cursor_flag)" = 1 ] && [ "$(mode mouse_any_flag)" = 0 ] &&
		[ "$(mode keypad_cursor_flag)" = 0 ] && [ "$(mode bracket_paste_flag)" != 1 ]
}

# expect_sane: the terminal's line settings are those of before; no alternate screen, cursor seen, no mouse reports.
expect_sane() {
	until_true is_sane ||
		fail_with_pane "the terminal was left: alternate $(mode alternate_on), cursor $(mode cursor_flag), mouse $(mode mouse_any_flag), keypad $(mode keypad_cursor_flag)"
	cmp -s "$TMP/stty.before" "$TMP/stty.after" ||
		fail "the settings of the terminal differ: $(diff "$TMP/stty.before" "$TMP/stty.after")"
}

# --- runs ---

# fixture NAME: copies a stored run of tests/tui/runs into the current folder and prints its path, a
# relative one, so that it looks the same everywhere.
fixture() {
	cp -R "$fixture_folder/$1" "$TMP/$1"
	chmod -R u+w "$TMP/$1"
	echo "./$1"
}

# live_run: the latest run directory that was made in this test; run_made: there is one.
live_run() {
	find "$XDG_DATA_HOME/tprof/runs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sort | tail -n 1
}

run_made() {
	[ -n "$(live_run)" ] && [ -f "$(live_run)/journal.ndjson" ]
}
