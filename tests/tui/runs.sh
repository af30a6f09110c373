# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of stored runs.
#
# Stored runs on the screens: opened, found, deleted after a question, deleted by others, and ten thousand of them.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"

# stored NAME: stores a run of that name.
stored() {
	cp -R "$fixture_folder/all-plots" "$runs/$1"
	chmod -R u+w "$runs/$1"
}
stored 2026-01-01-000000-first
stored 2026-01-02-000000-second
stored 2026-01-03-000000-third

open 120x40 LC_ALL=C.UTF-8
press 4
wait_for '3 runs in' first second third

# Opened: its curve is that of the replay.
press Enter
view Curve
wait_for_line 'run 2|avx2'
press 4
wait_for '3 runs in'

# Found by name.
press /
text second
press Enter
wait_without third
wait_for second
press Delete
wait_asked
press n
wait_answered
[ -d "$runs/2026-01-02-000000-second" ] || fail_with_pane 'deleted though the answer was no'
press Delete
wait_asked
press y
until_true test ! -e "$runs/2026-01-02-000000-second" || fail_with_pane 'not deleted'
for name in 2026-01-01-000000-first 2026-01-03-000000-third; do
	[ -d "$runs/$name" ] || fail_with_pane 'too much was deleted'
done
press C-c
expect_end 0

stored all-plots
# The directory of the open run is deleted, and then all of them: the screens still show what is in memory.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$runs/all-plots" --speed 0
view Curve
pane utf8-curve
rm -rf "$runs"
view Mixed
pane utf8-mixed
press 4
wait_for 'runs in'
press Enter Space c x d n Escape
view Curve
pane utf8-curve
press C-c
expect_end 0

# Two runs of one preset are distinguishable: experiment, ISA, threads, quality and figures, in the list or below it.
mkdir -p "$runs"
day=1
for isa in sse avx2; do
	run --batch "$TPROF_SRCDIR/presets/roofline.yaml" --machine zen4 --simulate --set "isa=$isa" --set ratio=1:0 \
		--set threads=1 --run-dir "$runs/2026-02-0$day-000000-roofline" -q
	expect_exit 0
	day=$((day + 1))
done
open 80x24 LC_ALL=C.UTF-8
press 4
wait_for '2 runs in' '~ fair  ? poor'
wait_for_line '^ +02-01 00:00 roofline +sse +1 [0-9]+ good +[0-9.]+-[0-9.]+ GB/s'
wait_for_line '^ +02-02 00:00 roofline +avx2 +1 [0-9]+ good +[0-9.]+-[0-9.]+ GB/s'
wait_for_line '^ roofline, [a-z0-9]+, 1 thread, [0-9.]+-[0-9.]+ GB/s, [0-9.-]+ GFLOP/s, [0-9]+ good'
press /
text avx2
press Enter
wait_for '1 of 2'
wait_for_line '^ roofline, avx2, 1 thread, '
press C-c
expect_end 0
rm -rf "$runs"

# Ten thousand runs, in memory if possible, because many directories are slow on some disks.
many=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$many"; close_server' EXIT
mkdir -p "$many/tprof/runs"
cat >"$TMP/small.json" <<'END'
{
"format": "tprof-run",
"version": 1,
"state": "complete",
"wall_seconds": 1.5,
"points_done": 1,
"points_planned": 1,
"tprof": {
  "version": "0.1.0"
},
"started": "2025-01-01T00:00:00Z",
"notes": "One of many.",
"points": [
],
"roofs": [
],
"plateaus": [
]
}
END
(
	cd "$many/tprof/runs" || exit
	seq -f '2025-01-01-%06g-many' 10000 | xargs mkdir
	# shellcheck disable=SC2016 # for the inner shell
	seq -f '2025-01-01-%06g-many/run.json' 10000 | xargs -n 500 sh -c 'tee "$@" <"$TMP/small.json" >/dev/null' -
)
open 120x40 LC_ALL=C.UTF-8 "XDG_DATA_HOME=$many"
press 4
wait_for '10000 runs in' 'One of many.'
press End
wait_for '2025-01-01-000001-many'
press Home
wait_for '2025-01-01-010000-many'
press PgDn PgDn Down Up 5 4
wait_for '10000 runs in'
press C-c
expect_end 0
