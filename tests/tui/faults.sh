# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Everything that can happen to a run in progress: no finished point is lost, and the terminal is restored.
. "$TPROF_CLI/lib.sh"

mkdir -p "$XDG_CONFIG_HOME/tprof"
long_preset "$TMP/long.yaml"
# load PATH: loads it into the form, by keys.
load() {
	press 2
	wait_for 'What to measure'
	press o
	wait_for 'Load a preset'
	press End
	wait_for 'another'
	press Enter
	wait_for 'or the path of a file'
	press C-u
	text "$1"
	press Enter
}

# measuring COLUMNSxROWS PRESET: loads and runs it, and waits for the second of its three points.
measuring() {
	rm -rf "$XDG_DATA_HOME"
	mkdir -p "$XDG_DATA_HOME/tprof/runs"
	open "$1" LC_ALL=C.UTF-8
	load "$2"
	wait_for_line 'points +3|3 points'
	press r
	until_true run_made || fail_with_pane 'no run'
	directory=$(live_run)
	until_true begun "$directory/journal.ndjson" 1 || fail_with_pane 'the second point did not begin'
	process=$(screens_process)
	measures=$(engine "$directory/journal.ndjson")
}

# The run has its first point, whatever ended it; with a preset that ends, it can be resumed. The results are written, except by screens that died: their run has the state "running", and readers see that it is not being measured.
expect_kept() { # expect_kept STATE [STATE that run.json says]
	kept() {
		[ -f "$directory/run.json" ] && grep -qF "\"state\": \"$1\"," "$directory/run.json"
	}
	until_true kept "${2:-$1}" || fail_with_pane "expected the state $1: $(grep '"state"' "$directory/run.json" | head -n 1)"
	run --show "$directory" --json
	grep -qxF "\"state\": \"$1\"," "$TMP/out" || fail "expected to read the state $1: $(grep '"state"' "$TMP/out")"
	run --show "$directory" --csv
	expect_exit 0
	[ "$(column median_gbps "$TMP/out" | head -n 1)" != '' ] || fail 'the first point is lost'
}

stopped() { # stopped PROCESS
	[ "$(ps -o state= -p "$1")" = T ]
}

no_engine() {
	gone "$measures"
}

# The terminal shrinks and grows during a run; the run goes on with a message.
measuring 120x40 "$TMP/long.yaml"
resize 60x10
wait_for 'needs 80x24' 'Measuring goes on' '1 of 3'
resize 120x40
wait_for 'measuring 1/3'

# Ctrl-Z and back: the run waits, then goes on as before.
press C-z
wait_for 'Stopped'
is_sane || fail_with_pane 'the terminal is not as it was while suspended'
alive "$measures" || fail_with_pane 'the run ended by Ctrl-Z'
until_true stopped "$measures" || fail_with_pane 'the engine measures while the screens are suspended'
type_line 'clear; fg; finish'
wait_for 'measuring 1/3'

# Stopped by key: saved; then quit.
view Points
press s
wait_asked
press y
expect_kept interrupted
wait_without 'measuring 1/3'
press C-c
expect_end 0

# Quit while it measures: asks first.
measuring 120x40 "$TMP/long.yaml"
press q
wait_asked
press n
wait_for 'measuring 1/3'
press q
wait_asked
press y
until_true ended || fail_with_pane 'the screens did not end'
expect_kept interrupted
expect_sane
until_true no_engine || fail 'the run outlived the screens'

# Ctrl-C asks the same, and a second one is an answer. The last line goes on with the run.
measuring 80x24 "$TMP/long.yaml"
press C-c
wait_asked
press C-c
until_true ended || fail_with_pane 'the second Ctrl-C did not end the screens'
[ "$(tail -n 1 "$TMP/err")" = 'tprof --resume last' ] || fail "the last line is: $(tail -n 1 "$TMP/err")"
expect_kept interrupted

# Signals to the screens: the measurements are saved, and no process is left.
for name in TERM HUP SEGV KILL; do
	measuring 80x24 "$TMP/long.yaml"
	kill -s "$name" "$process"
	until_true ended || fail_with_pane "SIG$name did not end the screens"
	until_true no_engine || fail_with_pane "the run outlived the screens after SIG$name"
	case $name in
	SEGV | KILL) expect_kept interrupted running ;;
	*) expect_kept interrupted ;;
	esac
	[ "$name" = KILL ] || expect_sane
done

# The terminal is closed.
measuring 80x24 "$TMP/long.yaml"
tm kill-session -t t
until_true gone "$process" || fail 'the screens outlived their terminal'
until_true no_engine || fail 'the run outlived its terminal'
expect_kept interrupted

# The engine dies: that point fails, the others are measured.
ulimit -c 0
for name in KILL ILL; do
	measuring 120x40 "$TMP/long.yaml"
	kill -s "$name" "$(engine "$directory/journal.ndjson")"
	expect_kept complete
	wait_without 'measuring'
	press C-c
	expect_end 0
	run --show "$directory" --csv
	[ "$(grep -c . "$TMP/out")" -ge 3 ] || fail "the points beside the one that SIG$name hit are missing"
done

# The directory of the run is deleted during the run: there is a message and no crash.
measuring 120x40 "$TMP/long.yaml"
rm -rf "$directory"
view Points
press s
wait_asked
press y
wait_without 'measuring 1/3'
press 1 2 3 4 5 '?' 3
alive "$process" || fail_with_pane 'the program ended'
quit
expect_sane

# A broken preset: there is a message, and the form stays as it was.
printf 'experiment: memcurve\nsizes: [1KiB, oops]\nthreds: 1\n' >"$TMP/broken.yaml"
open 120x40 LC_ALL=C.UTF-8
load "$TMP/broken.yaml"
wait_for_line 'broken.yaml|oops|threds'
press Escape
wait_for_line 'question +<? ?How fast can this machine compute.*'
press C-c
expect_end 0

# The disk is full: the run reports it and ends, its results go where there is room, and the screens go on working.
small=$TMP/small
mkdir "$small"
if mount -t tmpfs -o size=24k none "$small" 2>"$TMP/why"; then
	# shellcheck disable=SC2064
	trap "close_server; umount '$small'" EXIT
	sed 's/60min/300ms/' "$TMP/long.yaml" >"$TMP/short.yaml"
	mkdir -p "$small/tprof/runs"
	open 120x40 LC_ALL=C.UTF-8 "XDG_DATA_HOME=$small" "TMPDIR=$TMP"
	load "$TMP/short.yaml"
	wait_for_line 'points +3|3 points'
	press r
	wait_for 'exit 4'
	wait_without 'measuring'
	press C-c
	expect_end 0
	expect_sane
	elsewhere() {
		grep -qs '"state": "complete"' "$TMP"/tprof-run-*/run.json
	}
	until_true elsewhere || fail 'the results of a full disk are nowhere'
else
	skip "a full disk under the screens (no mount here: $(cat "$TMP/why"))"
fi
