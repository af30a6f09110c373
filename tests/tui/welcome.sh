# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the first pages.
#
# The greeting on a machine without runs: when it comes and when not, what it offers, and the example runs.
. "$TPROF_CLI/lib.sh"

fresh() {
	rm -rf "$XDG_DATA_HOME/tprof" "$XDG_CONFIG_HOME/tprof"
}

# Without colour and in ASCII it says the same. Esc goes on to Setup, and it does not come again.
fresh
open 80x24 LC_ALL=C NO_COLOR=1 -- --ascii
wait_for 'Welcome to tprof' '1  measure this machine' 'open an example run' 'Esc goes on to Setup'
press Escape
wait_without 'Welcome to tprof'
wait_for 'What to measure'
press q
expect_end 0
open 80x24 LC_ALL=C.UTF-8
wait_for 'What to measure' 'q quit'
lacks Welcome || fail_with_pane 'it greets again'

# W brings it back; ? shows the help, which names W.
press W
wait_for 'Welcome to tprof' 'Esc back'
press '?'
wait_for 'Keys on Setup'
press /
text 'what to begin with'
wait_for_line '^ *W +what to begin with'
press Escape
wait_for 'q back'
press q
wait_for 'What to measure'
press q
expect_end 0

# It does not greet who has set something up, who replays a run, and who has a configuration.
fresh
open 80x24 LC_ALL=C.UTF-8 -- --set isa=sse
wait_for 'What to measure' 'q quit'
lacks Welcome || fail_with_pane 'it greets who has set something up'
press q
expect_end 0
open 80x24 LC_ALL=C.UTF-8 -- --replay example/roofline --speed 0
wait_for complete 'q quit'
lacks Welcome || fail_with_pane 'it greets who replays'
press q
expect_end 0
mkdir -p "$XDG_CONFIG_HOME/tprof"
echo 'threads: 1' >"$XDG_CONFIG_HOME/tprof/config.yaml"
open 80x24 LC_ALL=C.UTF-8
wait_for 'What to measure' 'q quit'
lacks Welcome || fail_with_pane 'it greets who has a configuration'
press q
expect_end 0

# An example opens with its plot; Esc in their list goes back to the greeting. Ctrl-C quits, and it greets again.
fresh
open 120x40 LC_ALL=C.UTF-8
wait_for 'Welcome to tprof'
press C-c
expect_end 0
open 120x40 LC_ALL=C.UTF-8
wait_for 'Welcome to tprof'
press Down Down Enter
wait_for 'Open an example run' 'loaded-latency'
press Escape
wait_for 'Welcome to tprof'
view Points
wait_for 'Open an example run'
press Enter
wait_for 'Roofline, ' 'ridge at'
view Points
wait_for 'complete'
press e
wait_for 'nothing is missing in example/roofline'

# All of them open on a screen that shows something; Runs offers them too, and has none to delete.
press 4
wait_for 'There are no runs yet' 'E examples'
for name in $("$TPROF" --list experiments --names); do
	press 4
	wait_for 'There are no runs yet'
	press E
	wait_for 'Open an example run'
	press g
	for ((i = 0; i < $(find "$TPROF_SRCDIR/examples/runs" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | grep -nxF "$name" | cut -d: -f1) - 1; i++)); do
		press j
	done
	press Enter
	wait_without 'Open an example run'
	for words in ' in this run' 'Points ──'; do
		lacks "$words" || fail_with_pane "$name opens on a screen that shows nothing of it"
	done
	view Points
	wait_for_line "^ $name +complete"
done
press q
expect_end 0

# The first lesson.
fresh
open 80x24 LC_ALL=C.UTF-8
wait_for 'Welcome to tprof'
press 2
wait_for 'What a working set is'
lacks Welcome || fail_with_pane 'the greeting covers the lessons'
press q
expect_end 0

# Measuring opens Run, and the results once it is complete.
fresh
open 80x24 LC_ALL=C.UTF-8 TPROF_SEED=1
wait_for 'Welcome to tprof'
view Machine
wait_for 'Roofline, ' 'ridge at'
run_made || fail_with_pane 'no run was made'
press q
expect_end 0
