# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh disable=SC2016
#
# A program on the command line is a job of the shell, like tprof and its engine: Ctrl-Z stops all of them and fg goes on, Ctrl-C ends all.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

journal=$TMP/run/journal.ndjson

# app OPTION... -- PROGRAM...: tprof in a shell of the pane; "ended STATUS" is there when it has ended, also after fg.
app() {
	local word line="'$TPROF' --app --run-dir '$TMP/run'"
	rm -rf "$TMP/run"
	: >"$TMP/runs"
	pane_shell 100x30
	for word; do
		line+=" $(printf %q "$word")"
	done
	# A job that has stopped has not ended.
	echo "finish() { local status=\$?; case \$status in 14[789]) ;; *) echo \"ended \$status\" ;; esac; }; clear; $line; finish" >"$TMP/app.sh"
	type_line ". '$TMP/app.sh'"
}

# job: tprof, its engine, and what that runs with its children.
job() {
	local found level
	level=$(pgrep -P "$(pane_process)" | head -n 1)
	while [ -n "$level" ]; do
		found+=" $level"
		level=$(pgrep -P "$(tr ' ' , <<<"$level")" | paste -sd ' ')
	done
	echo "$found"
}

stands() { # stands PROCESS...: each of them is stopped
	local process
	for process; do
		grep -q '^State:[[:space:]]*T' "/proc/$process/status" || return 1
	done
}

is_stopped_job() {
	type_line 'clear; jobs; echo "asked $((40 + 2))"'
	until_true sees 'asked 42'
	sees 'Stopped'
}

all_gone() {
	local process
	for process; do
		gone "$process" || return 1
	done
}

is_deep() {
	[ "$(job | wc -w)" -ge 4 ] && runs 2
}

runs() { # runs N: N runs of the program have begun
	[ "$(wc -l <"$TMP/runs")" -ge "$1" ]
}

# suspend N: at least N processes stop, and the shell has the terminal; continue_job: they go on.
suspend() {
	read -r -a processes <<<"$(job)"
	[ ${#processes[@]} -ge "$1" ] || fail_with_pane "there are only processes ${processes[*]}"
	press C-z
	wait_for 'Stopped'
	until_true stands "${processes[@]}" || fail_with_pane "something goes on while it is stopped: ${processes[*]}"
	type_line 'clear; echo "here is $((40 + 2))"'
	wait_for 'here is 42'
}

continue_job() {
	type_line 'clear; fg; finish'
}

# While roofs are measured: there is no program yet.
app --set app.roofs=measure --set level=L1,DRAM --set stop.max_time=2s --set stop.max_samples=1000000 --set stop.min_count=100000 --set app.threads=1 --set app.runs=2 \
	--set app.max_time=1ms -- true
until_true begun "$journal" 0 || fail_with_pane "no roof is measured"
suspend 2
continue_job
wait_for 'ended 0'
! grep -qE '"state": "(failed|skipped)"' "$TMP/run/run.json" || fail 'a point was not measured'

# While the program reads the terminal, twice, and in the background, where it may not read.
app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- sh -c 'echo r >>runs; echo "what is your name"; read -r name; echo "you are $name"'
wait_for 'what is your name'
suspend 3
continue_job
until_true lacks 'here is'
suspend 3
type_line 'clear; bg; echo "on with $((40 + 2))"'
wait_for 'on with 42'
until_true stands "${processes[@]}" || fail_with_pane 'it goes on in the background without its input'
type_line 'clear; jobs'
wait_for 'Stopped'
continue_job
type_line 'tprof'
wait_for 'you are tprof' 'ended 0'
[ "$(wc -l <runs)" = 3 ] || fail "the program ran $(wc -l <runs) times"

# One that begins in the background stops where it reads.
: >"$TMP/runs"
pane_shell 100x30
type_line "clear; $TPROF --app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- sh -c 'echo r >>runs; read -r name; echo \"you are \$name\"' &"
until_true runs 1 || fail_with_pane 'it does not begin'
until_true is_stopped_job || fail_with_pane 'it does not stop'
rm -f "$TMP/status"
continue_job
type_line 'tprof'
wait_for 'you are tprof'
until_true ended || fail_with_pane 'it does not end'

# While it is timed: the run that was stopped is done again.
app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- sh -c 'echo r >>runs; sleep 1; true'
until_true runs 2 || fail_with_pane 'it is not timed'
suspend 3
continue_job
wait_for 'ended 0'
[ "$(wc -l <runs)" = 4 ] || fail "the program ran $(wc -l <runs) times"
expect_cells samples 2 "$TMP/run/points.csv"

# Ctrl-C ends all of it in each of these.
app --set app.roofs=measure --set level=L1,DRAM --set stop.max_time=60s --set stop.max_samples=1000000 --set stop.min_count=100000 --set app.threads=1 -- true
until_true begun "$journal" 0 || fail_with_pane "no roof is measured"
read -r -a processes <<<"$(job)"
press C-c
wait_for 'ended 130'
until_true all_gone "${processes[@]}" || fail_with_pane "something is left: ${processes[*]}"

app --set app.roofs=none -- sh -c 'echo r >>runs; read -r name; true'
until_true runs 1
read -r -a processes <<<"$(job)"
press C-c
wait_for 'ended 130'
until_true all_gone "${processes[@]}" || fail_with_pane "something is left: ${processes[*]}"

app --set app.roofs=none -- sh -c 'echo r >>runs; test "$(wc -l <runs)" -lt 2 || sleep 100; true'
# With what the program has started.
until_true is_deep || fail_with_pane 'it does not sleep'
read -r -a processes <<<"$(job)"
press C-c
wait_for 'ended 130'
until_true all_gone "${processes[@]}" || fail_with_pane "something is left: ${processes[*]}"
