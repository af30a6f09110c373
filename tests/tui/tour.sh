# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The first hour: ten tasks, each with at most as many keys as the manual says (tprof-screens(7), FIRST HOUR), at two sizes. What is measured is
# simulated, so it takes no time and is the same everywhere.
#
# With TPROF_TOUR=FOLDER the pane at the end of each task goes to FOLDER/TASK-COLUMNSxROWS.ansi, for pictures.
. "$TPROF_CLI/lib.sh"

manual=$TPROF_SRCDIR/man/tprof-screens.7.in
runs=$XDG_DATA_HOME/tprof/runs
simulated=(--machine zen4 --simulate --set isa=avx2 --set threads=1)

# task NAME WORDS: begins a task; WORDS are those of the manual.
task() {
	task_name=$1
	task_words=$2
	total=$((total + used))
	used=0
	allowed=$(sed -n "s/^\.It $2 Ta .* Ta \([0-9]*\)$/\1/p" "$manual")
	[ -n "$allowed" ] || fail "the manual has no keys for: $2"
}

# key KEY...: presses keys and counts them.
key() {
	press "$@"
	used=$((used + $#))
}

# reached WORD...: the task is done when the pane shows all of them.
reached() {
	wait_for "$@"
	[ "$used" -le "$allowed" ] || fail_with_pane "$task_words: $used keys, the manual says $allowed"
	tasks_done=$((tasks_done + 1))
	[ -n "${TOUR_FOLDER-}" ] || return 0
	until_true settled
	seen_with_colours >"$TOUR_FOLDER/$task_name-$size.ansi"
}

reads_l2() {
	seen | tail -n 5 | grep -q '^ *L2 [0-9.]* GB/s'
}

other_reading() {
	[ "$(seen | tail -n 5)" != "$reading" ]
}

store_yesterday() {
	rm -rf "$runs" && mkdir -p "$runs"
	# The CPU had less of its L3 to itself.
	run --batch "$TPROF_SRCDIR/presets/roofline.yaml" "${simulated[@]}" --simulate=huge-llc --set 'fp_op=fma,add' \
		--run-dir "$runs/2026-01-01-000000-roofline" -q
	expect_exit 0
}

store_interrupted() {
	rm -rf "$runs" && mkdir -p "$runs"
	run --batch "$TPROF_SRCDIR/presets/roofline.yaml" "${simulated[@]}" --run-dir "$TMP/whole" -q
	expect_exit 0
	mkdir "$runs/2026-01-02-000000-roofline"
	cp "$TMP/whole/preset.yaml" "$runs/2026-01-02-000000-roofline/"
	sed '/"point_end"/q' "$TMP/whole/journal.ndjson" >"$runs/2026-01-02-000000-roofline/journal.ndjson"
	rm -rf "$TMP/whole"
}

store_capacity() {
	rm -rf "$runs" && mkdir -p "$runs"
	cp -R "$TMP/capacity" "$runs/2026-01-01-000000-memcurve"
}
# A run of this machine whose curve is said to have found less L3 than is reported; without an L3, an L1 of 5 KiB, which no machine has.
small_preset "$TMP/tiny.yaml" <<'END'
experiment: memcurve
isa: scalar
sizes: [2 KiB, 4 KiB]
END
"$TPROF" --batch "$TMP/tiny.yaml" --quiet --run-dir "$TMP/capacity" >"$TMP/batch.out" 2>"$TMP/batch.err" || true
expect_file "$TMP/capacity/run.json"
level=L1 bytes=5120 offer='L1 measured 5 KiB' adopted='cache_size.L1: 5KiB'
reported=$(grep -A3 '"L3": {' "$TMP/capacity/run.json" | sed -n 's/.*"reported_bytes": \([0-9]*\).*/\1/p' | head -n 1)
if [ "${reported:-0}" -ge 16777216 ]; then
	level=L3 bytes=5242880 offer='L3 measured 5 MiB' adopted='cache_size.L3: 5MiB'
fi
row='{"run": 0, "kernel": "load", "isa": "scalar", "precision": "double", "threads": 1, "level": "'$level'", "median_gbps": 10, '
row+='"from_bytes": 2048, "to_bytes": 4096, "capacity_bytes": '$bytes', "points": 3, "quality": "good"}'
awk -v row="$row" '
	/^"plateaus": \[/ { print "\"plateaus\": ["; print row; print "],"; skipping = 1; next }
	skipping && /^\]/ { skipping = 0; next }
	!skipping { print }
' "$TMP/capacity/run.json" >"$TMP/changed.json"
mv "$TMP/changed.json" "$TMP/capacity/run.json"

for at in 80x24 120x40; do
	tasks_done=0 used=0 total=0

	store_yesterday
	open "$at" LC_ALL=C.UTF-8 -- "${simulated[@]}"
	wait_for 'simulated'
	task 1-measure 'Measure what is set up'
	key r
	reached 'Roofline, avx2 double' 'ridge at'

	# It stands on its roof.
	task 2-read 'Read the bandwidth of L2'
	wait_for_line 'L2 [0-9.]+ GB/s'
	reached 'GB/s'

	task 3-compare 'Compare with yesterday'
	key c
	reached 'Comparison of 2 runs' 'faster'
	press q
	wait_for '2 runs in'
	press 3
	wait_for 'Roofline, avx2 double'
	until reads_l2; do
		reading=$(seen | tail -n 5)
		press Down
		until_true other_reading || fail_with_pane 'the cursor does not move'
	done

	task 4-hide 'Hide a series'
	key v End Space Enter
	reached 'not all shown (v)'
	until_true reads_l2 || fail_with_pane 'the cursor left its series'

	task 5-dot 'Put a dot on the roofline'
	key d
	wait_for 'Your own dot'
	text 'spmv:0.17,3.2'
	key Enter
	wait_without 'Your own dot'
	reached 'spmv'
	press C-c
	expect_end 0

	store_capacity
	open "$at" LC_ALL=C.UTF-8
	press 2
	wait_for "$offer"
	task 6-adopt 'Adopt the measured cache size'
	key u
	wait_for 'Use what was found?'
	key y
	wait_without "$offer"
	reached "$adopted"

	task 7-save 'Save a preset'
	key w Enter
	reached 'saved: '
	until_true grep -rqs 'cache_size' "$XDG_CONFIG_HOME/tprof" || fail_with_pane 'the preset does not have the size'
	rm -rf "${XDG_CONFIG_HOME:?}/tprof"
	press C-c
	expect_end 0

	rm -rf "$runs" && mkdir -p "$runs"
	cp -R "$fixture_folder/counters" "$runs/2026-01-01-000000-counters"
	chmod -R u+w "$runs"
	open "$at" LC_ALL=C.UTF-8
	wait_for 'Setup'
	task 8-explain 'Explain an event'
	key 3
	reached 'represents' 'Chosen, 1st'

	task 9-help 'Leave the help'
	key '?'
	wait_for 'Keys on Counters'
	[ -z "${TOUR_FOLDER-}" ] || { until_true settled && seen_with_colours >"$TOUR_FOLDER/9-help-open-$size.ansi"; }
	key q
	wait_without 'Keys on Counters'
	reached 'Chosen, 1st'
	press C-c
	expect_end 0

	store_interrupted
	open "$at" LC_ALL=C.UTF-8
	wait_for 'Setup'
	task 10-resume 'Resume an interrupted run'
	key 4
	wait_for '1 run in' 'interrupted'
	key e
	reached 'Roofline, ' 'ridge at'
	press C-c
	expect_end 0

	[ "$tasks_done" = 10 ] || fail "only $tasks_done tasks at $at"
	total=$((total + used))
	[ "$total" -le 17 ] || fail "$total keys in all at $at: they were 26 with fifteen tabs, and are a third fewer"
done
