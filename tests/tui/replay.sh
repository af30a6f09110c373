# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: runs that are played again.
#
# A stored run as if it were live: its pace, its end, killed and old runs; and the keys of a run in progress.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)

# Slowly: all points are planned from the start; pause stops the replay; s goes to the end.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0.125
wait_for 'replay' 'x0.125' '0 of ' '0:00 elapsed'
press p
wait_for 'paused'
until_true settled || fail_with_pane 'a paused replay moves'
press + +
wait_for 'x0.5'
press - p
wait_for 'x0.25' 'replay'
press n
wait_for 'a replay skips nothing'
press s
wait_for 'complete' 'points measured'
press s
wait_for 'no run is under way'
# The numbers as text, scrolled, and back.
press t
wait_for 'GB/s'
wait_without 'Points ──'
press G g Escape
wait_for 'Points'
# One point, and back to the result.
press Home Down
wait_for 'Point 2 of' 'windows'
press Escape
wait_for 'points measured'
press C-c
expect_end 0

# Killed: no results, and a journal that ends in the middle of a line. Without a journal the points are enough.
cp -R "$run" killed
rm -f killed/run.json killed/points.csv
head -n 200 killed/journal.ndjson | head -c -20 >torn
mv torn killed/journal.ndjson
open 80x24 LC_ALL=C.UTF-8 -- --replay ./killed --speed 0
wait_for 'interrupted' 'points measured'
press q
expect_end 0
cp -R "$run" old
rm old/journal.ndjson
open 80x24 LC_ALL=C -- --replay ./old --speed 0
wait_for 'complete' 'points measured'
press q
expect_end 0
open 80x24 LC_ALL=C -- --replay ./old/run.json
wait_for 'replay'
press s
wait_for 'complete'
press q
expect_end 0

# Live: skip abandons the point, pause holds the next one, stop asks and saves; e resumes the run.
mkdir -p "$XDG_CONFIG_HOME/tprof"
small_preset "$XDG_CONFIG_HOME/tprof/config.yaml" <<'END'
END
slow=(--set experiment=memcurve --set isa=scalar --set ratio=1:0 --set threads=1 --set 'sizes=[8KiB, 16KiB, 32KiB]' --set window=5ms
	--set stop.max_time=60min --set stop.max_samples=1000000 --set stop.min_count=100000)
open 120x40 LC_ALL=C.UTF-8 -- "${slow[@]}"
view Points
wait_for 'Ready to measure' '3 points' 'measure it'
press r
wait_for 'Point 1 of 3: under way' 'so far'
# A row for the CPU at work, below the points and in a separate part.
wait_for_line 'CPU [0-9]+ +[0-9.]+ GHz .*others [0-9]+ %, stolen [0-9]+ %'
press Tab Tab
wait_without 'under way'
wait_for_line '^ CPU [0-9]+ +[0-9.]+ GHz'
press Escape
wait_for 'Point 1 of 3: under way'
press p
wait_for 'pauses after this point'
press n
wait_for '1 of 3' 'skipped by hand' 'paused'
until_true settled || fail_with_pane 'a paused run moves'
lacks 'Point 3 of 3: under way' || fail_with_pane 'the next point began'
press p
wait_for 'Point 3 of 3: under way' # a curve is measured from coarse to fine
press s
wait_for 'Stop the run?'
press n
wait_without 'Stop the run?'
press s
wait_for 'Stop the run?'
press y
wait_for 'interrupted' '0 of 3 points measured' '3 skipped' 'measure what is missing'
press e
wait_for 'Point 1 of 3: under way'
# The engine is killed: its point has failed, the next one is measured, and the run can be resumed.
pkill -KILL -P "$(screens_process)"
wait_for 'Point 3 of 3: under way' 'the engine was killed'
press s
wait_for 'Stop the run?'
press y
wait_for 'interrupted' '1 failed, 2 skipped' 'measure what is missing'
press e
wait_for 'under way' 'so far'
press q
wait_for 'Quit?' 'A run is under way'
press y
expect_end 0
grep -qxF '"state": "interrupted",' "$(live_run)/run.json" || fail 'the run was not saved'
