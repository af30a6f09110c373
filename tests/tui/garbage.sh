# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: keys of every kind.
#
# Garbage on the terminal: 100 KB of random bytes with escape sequences, long lines, incomplete sequences. Only the keys that quit end the
# program, and it goes on painting and obeying keys.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)

# garbage SEED BYTES: the same bytes with every awk, whose rand() is its own, without q, Ctrl-C and Ctrl-Z, which would end or suspend the program, and without r, which measures.
garbage() {
	LC_ALL=C awk -v seed="$1" -v bytes="$2" '
	# From 0 to below 1: the minimal standard generator of Park and Miller, whose products are exact in a double.
	function random() {
		state = state * 16807 % 2147483647
		return state / 2147483647
	}
	BEGIN {
		state = seed
		split("[A [B [C [D [5~ [6~ [H [F OP [Z [<0;10;5M [<64;3;9M [<65;200;99M [<0;999;999M [200~ [201~ [99999999999m ]0;x P [?1;2c", part, " ")
		while (n < bytes) {
			if (random() < 0.2) {
				word = part[int(random() * 20) + 1]
				printf "\033%s", word
				n += length(word) + 1
			}
			c = int(random() * 255) + 1
			if (c == 3 || c == 26 || c == 113 || c == 114)
				continue
			printf "%c", c
			n++
		}
	}'
}

paste_file() {
	tm load-buffer -b garbage "$1"
	tm paste-buffer -r -b garbage -t t
}

open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
view Curve
pane utf8-curve
process=$(screens_process)

# On the plots: every screen of a run, a fifth each.
for screen in 3 4 5 6 '?'; do
	press Escape "$screen"
	garbage "1$(printf '%d' "'$screen")" 20480 >"$TMP/garbage"
	paste_file "$TMP/garbage"
done

# quits: the program still obeys, whatever is open; an unfinished paste is ended first. It has read what came before by then, which
# takes seconds of its time. Not with Ctrl-C, which would also reach the shell
# before it has written the exit status.
quits() {
	ended && return
	text $'\033[201~'
	press Escape Escape
	press q
	press y
	ended
}
alive "$process" || fail_with_pane "the program ended: $(cat "$TMP/status" "$TMP/err" 2>/dev/null)"
until_true quits || fail_with_pane 'it does not hear any more'
case $(cat "$TMP/status") in
0 | 130) expect_sane ;;
*) fail_with_pane "ended with $(cat "$TMP/status")" ;;
esac

# A terminal that sends an incomplete sequence and is closed.
open 80x24 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
view Curve
pane utf8-curve
process=$(screens_process)
text $'\033[<0;1'
text $'\033['
text $'\033'
tm kill-session -t t
await gone "$process"
