# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Alone: it times a program, and measures roofs with all threads.
#
# From Home to the user's program under the roofs, with its dot in sight: the command, Enter, and at most three more keys.
. "$TPROF_CLI/lib.sh"

have gcc || exit 77
[ "$(uname -m)" = x86_64 ] || skip_all 'the agent counts x86-64 alone'

cat >"$TMP/stencil.c" <<'END'
#include <stdio.h>
static double a[2000], b[2000];
int main(void)
{
	for (int i = 0; i < 2000; i++)
		b[i] = i;
	for (int k = 0; k < 20000; k++)
		for (int i = 1; i < 1999; i++)
			a[i] = 0.5 * (b[i - 1] + b[i + 1]) + 0.25 * a[i];
	printf("%g\n", a[7]);
	return 0;
}
END
mkdir -p "$TMP/project/data" "$TMP/project/a folder"
gcc -O1 -o "$TMP/project/stencil" "$TMP/stencil.c" || fail 'gcc cannot compile'
cp "$TMP/stencil.c" "$TMP/project"
mkdir -p "$XDG_CONFIG_HOME/tprof"
printf 'stop: {max_time: 20ms}\nwindow: 20us\npages: default\nmeasure_again: false\napp: {runs: 2, max_time: 2s}\n' >"$XDG_CONFIG_HOME/tprof/config.yaml"
cd "$TMP/project" || exit 1

# The dot, with the distance to its roof next to it, and its legend. Not yet on the screen of points.
sees_dot() {
	sees 'FLOP per byte' && seen | grep -qE 'stencil, ([0-9.]+x (below|above)|on) [A-Za-z]' && seen | grep -qE '[^ ]  stencil, (L[123]|DRAM)'
}

keys_allowed=3
for at in 80x24 120x40 200x60; do
	rm -rf "$XDG_DATA_HOME/tprof"
	open "$at" LC_ALL=C.UTF-8
	wait_for 'My program'
	keys=1
	press Enter
	wait_for 'Tab completes paths'
	text './stencil 1 2'
	press Enter
	until_true sees_dot || fail_with_pane 'no dot of the program'
	[ "$keys" -le "$keys_allowed" ] || fail "$keys keys"
	! asked || fail_with_pane 'what was typed is asked about'
	grep -q 'command: .*stencil 1 2' "$(live_run)/preset.yaml" || fail 'another command was run'

	# It is remembered, and on the list; it opens on its dot again.
	press q
	expect_end 0
	open "$at" LC_ALL=C.UTF-8
	wait_for './stencil 1 2'
	wait_for_line '[0-9-]+ [0-9:]+ stencil '
	press Down Down Down Down Down Down Enter
	until_true sees_dot || fail_with_pane 'the run opens without its dot'
	press C-c
	expect_end 0
done

# Tab: what all files have in common, then a list; programs come before other files.
open 120x40 LC_ALL=C.UTF-8
wait_for 'My program'
press Enter C-u
text st
press Tab
wait_for './stencil'
press C-u
text './stencil '
press Tab
wait_for 'Files' 'a folder/' 'data/' 'stencil.c'
press Enter
wait_without 'Files'
wait_for './stencil "a folder/'
press C-u
text q
wait_for_line 'My program +q'

# Errors are shown in place; pasted text is text.
press Enter
wait_for 'there is no program q'
press Escape
wait_without 'Tab completes paths'
text $'\033[200~qr\033[201~'
wait_for_line 'My program +qqr'
press Escape C-c
expect_end 0

# What is changed in Setup and not saved is not lost without a question.
open 80x24 LC_ALL=C.UTF-8
wait_for 'My program'
press 2
wait_for 'What to measure'
press R
wait_asked
press y
wait_answered
view Home
wait_for 'My program'
press Enter C-u
text ./stencil
press Enter
until_true sees_dot || fail_with_pane 'no dot of the program'
press q
expect_end 0
