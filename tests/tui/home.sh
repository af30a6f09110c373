# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the first pages.
#
# Home, which the screens open on: what to begin with, the example runs, the machine, the last runs.
. "$TPROF_CLI/lib.sh"

fresh() {
	rm -rf "$XDG_DATA_HOME/tprof" "$XDG_CONFIG_HOME/tprof"
}

# Without colour and in ASCII it shows the same. A first start has a text in place of the runs.
fresh
for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C NO_COLOR=1 -- --ascii
	wait_for 'My program' 'Measure this machine' 'What a working set is' 'Open an example' 'No runs yet.' 'Enter do'
	wait_for_line 'Machine .*[0-9]+ core'
	wait_for_line 'Health +([0-9]+ (problem|warning|note)|all in order)'
	if seen | grep -nP '[^\x00-\x7f]' >"$TMP/odd"; then
		fail_with_pane "not in ASCII: $(cat "$TMP/odd")"
	fi
	press q
	expect_end 0
done

# What is set up is shown on Setup, what is replayed on Run.
open 80x24 LC_ALL=C.UTF-8 -- --set isa=sse
wait_for 'What to measure' 'q quit'
press q
expect_end 0
open 80x24 LC_ALL=C.UTF-8 -- --replay example/roofline --speed 0
wait_for complete 'q quit'
press q
expect_end 0

# Health and machine are those of Machine.
open 80x24 LC_ALL=C.UTF-8
wait_for_line 'Health +([0-9]|all)'
press Down Down Down Down Down Enter
wait_for_line '^ +Doctor +[0-9a].*──'
view Home
wait_for 'My program'

# An example opens with its plot; Esc in their list goes back.
press Home Down Down Down Enter
wait_for 'Open an example run' 'loaded-latency' 'Esc back'
press Escape
wait_without 'Open an example run'
press Enter
wait_for 'Open an example run'
press Enter
wait_for 'Roofline, ' 'ridge at'
view Points
wait_for 'complete'
press e
wait_for 'nothing is missing in example/roofline'

# All of them open on a screen that shows something; Runs offers none for deletion.
press 4
wait_for 'There are no runs yet'
for name in $("$TPROF" --list experiments --names); do
	view Home
	wait_for 'No runs yet.'
	press Home Down Down Down Enter
	wait_for 'Open an example run'
	text "$name"
	press Enter
	wait_without 'My program'
	for words in ' in this run' 'Points ──'; do
		lacks "$words" || fail_with_pane "$name opens on a screen that shows nothing of it"
	done
	view Points
	wait_for_line "^ $name +complete"
done
press q
expect_end 0

# The next lesson.
open 80x24 LC_ALL=C.UTF-8
wait_for 'What a working set is'
press Down Down Enter
wait_for 'What a working set is' 'page 1 of '
lacks 'My program' || fail_with_pane 'Home, not the lesson'
press C-c
expect_end 0

# Measuring opens Run, and the results once it is complete. Then the run is on Home, and opens on them.
fresh
open 80x24 LC_ALL=C.UTF-8 TPROF_SEED=1
wait_for 'My program'
press Down Enter
wait_for 'Roofline, ' 'ridge at'
run_made || fail_with_pane 'no run was made'
view Home
wait_for_line '[0-9-]+ [0-9:]+ quick .*GFLOP/s.* [0-9]'
press Home Down Down Down Down Down Down Enter
wait_for 'Roofline, ' 'ridge at'
press q
expect_end 0
