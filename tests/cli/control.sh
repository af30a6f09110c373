# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: commands for a run under way.
. "$TPROF_CLI/lib.sh"

# Commands on standard input of --control: stop, skip, pause, go; the end of the input stops the run.

# begin NAME: starts long.yaml, with commands from descriptor 7.
begin() {
	ran="tprof --batch long.yaml --control ($1)"
	rm -f words
	mkfifo words
	: >out # or what the run before this one said is taken for its own
	"$TPROF" --batch long.yaml --events --control --run-dir "$1" <words >out 2>err &
	program=$!
	exec 7>words
}

end() {
	exec 7>&-
	finish
}

ended() {
	grep -q "\"ev\":\"point_end\".*\"point\":$1," out
}

another_engine() {
	[ "$(engine out)" != "$victim" ]
}

long_preset long.yaml

# Skip: the current point is abandoned, the others are measured. A command may arrive in pieces; unknown ones are ignored.
begin skip
await begun out 1
printf 'painted\n\n\nSTOP\nstop it\nstopp\nskip, please\n\001\377\nsk' >&7
printf '%5000s\n' x >&7
await begun out 1
printf 's' >&7
sleep 0.1
alive "$program" || fail 'expected the run to go on'
! ended 1 || fail 'expected that nonsense skips nothing'
printf '\nskip\n' >&7
finish
exec 7>&-
expect_exit 3
expect_err '2 of 3 points'
expect_run skip complete
expect_cells point '0 2' skip/points.csv
grep '"what": "skipped by hand"' skip/run.json >/dev/null || fail 'expected the reason in the record'

# Pause: no point begins until "go".
begin pause
await begun out 1
printf 'pause\nskip\n' >&7
await ended 1
for _ in 1 2 3 4 5; do
	sleep 0.1
	! grep -q '"ev":"point_begin".*"point":2,' out || fail 'expected no further point while it pauses'
done
alive "$program" || fail 'expected the run to wait'
printf 'go\n' >&7
finish
exec 7>&-
expect_exit 3
expect_cells point '0 2' pause/points.csv

# A run that pauses goes on pausing when its engine dies.
begin dies
await begun out 1
printf 'pause\n' >&7
# What it has read it obeys: nothing is left in the pipe.
read_all() {
	python3 -c 'import fcntl, struct, termios
exit(struct.unpack("i", fcntl.ioctl(7, termios.FIONREAD, bytes(4)))[0])'
}
if have python3; then await read_all; else sleep 2; fi
victim=$(engine out)
kill -KILL "$victim"
await ended 1
await another_engine
for _ in 1 2 3 4 5; do
	sleep 0.1
	! grep -q '"ev":"point_begin".*"point":2,' out || fail 'expected the next engine to pause too'
done
printf 'go\n' >&7
finish
exec 7>&-
expect_exit 3
expect_cells point '0 2' dies/points.csv

# Stop: the measurements are saved and the run can be resumed. The same during a pause.
begin stop
await begun out 1
printf 'pause\nstop\n' >&7
finish
exec 7>&-
expect_exit 130
expect_run stop interrupted
expect_cells point 0 stop/points.csv

# The end of the input also stops the run, because its controller has gone.
begin gone
await begun out 1
end
expect_exit 130
expect_run gone interrupted
expect_cells point 0 gone/points.csv
await gone "$(engine out)"

# Half a command at the end is ignored, and the run still stops.
begin half
await begun out 1
printf 'ski' >&7
end
expect_exit 130
expect_cells point 0 half/points.csv

# Endless input does not keep the run from writing its events.
begin flood
await begun out 1
yes painted >&7 2>/dev/null &
talker=$!
before=$(grep -c '"ev":"sample"' out)
more() {
	[ "$(grep -c '"ev":"sample"' out)" -gt "$((before + 50))" ]
}
await more
kill "$talker"
wait "$talker" 2>/dev/null
printf '\nstop\n' >&7
finish
exec 7>&-
expect_exit 130

# Without --control standard input is not read.
echo stop | "$TPROF" --batch long.yaml --set stop.max_time=20ms --set stop.min_count=3 --run-dir plain >out 2>err || status=$?
expect_run plain complete
