# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# What was found is one key away: a cache size of a memory curve on Machine and Setup, a model on Machine.
. "$TPROF_CLI/lib.sh"

# A run of this machine. Its curve is then said to have found an L1 of 5 KiB, which no machine has.
small_preset "$TMP/tiny.yaml" <<'END'
experiment: memcurve
isa: scalar
sizes: [2 KiB, 4 KiB]
END
"$TPROF" --batch "$TMP/tiny.yaml" --quiet >"$TMP/batch.out" 2>"$TMP/batch.err" || true
run=$(live_run)
expect_file "$run/run.json"
awk -v row='{"run": 0, "kernel": "load", "isa": "scalar", "precision": "double", "threads": 1, "level": "L1", "median_gbps": 10, "from_bytes": 2048, "to_bytes": 4096, "capacity_bytes": 5120, "reported_bytes": 32768, "points": 3, "quality": "good"}' '
	/^"plateaus": \[/ { print "\"plateaus\": ["; print row; print "],"; skipping = 1; next }
	skipping && /^\]/ { skipping = 0; next }
	!skipping { print }
' "$run/run.json" >"$TMP/changed.json"

# Of poor points nothing is shown as measured, offered or advised.
sed 's/"quality": "good"}/"quality": "poor"}/' "$TMP/changed.json" >"$run/run.json"
grep -q '"capacity_bytes": 5120.*"quality": "poor"' "$run/run.json" || fail 'the plateau is not poor'
"$TPROF" --show "$run" >"$TMP/show.out"
grep -q 'cache_size.L1' "$TMP/show.out" && fail "--show advises a poor size: $(cat "$TMP/show.out")"
open 120x40 LC_ALL=C.UTF-8
wait_without 'L1 measured'
view Machine
wait_for 'Caches' 'Measured ones come from a memory curve'
wait_without 'measured 5 KiB'
press C-c
expect_end 0

mv "$TMP/changed.json" "$run/run.json"

# The report names the option.
"$TPROF" --show "$run" >"$TMP/show.out"
grep -q 'cache_size.L1=5KiB' "$TMP/show.out" || fail "--show does not offer the measured size: $(cat "$TMP/show.out")"

# The offer is asked for: no leaves it, yes takes it.
refuse_then_adopt() {
	press u
	wait_for 'Use what was found?' 'L1 measured 5 KiB (good, 20'
	press n
	wait_without 'Use what was found?'
	wait_for 'L1 measured 5 KiB'
	press u
	wait_for 'Use what was found?'
	press y
	wait_for 'cache_size.L1: 5KiB'
	wait_without 'L1 measured 5 KiB'
}

for at in 80x24 120x40 200x60; do
	# Setup offers it; u takes it, and nothing is offered any more.
	open "$at" LC_ALL=C.UTF-8
	wait_for 'L1 measured 5 KiB'
	press 2
	wait_for 'What to measure'
	refuse_then_adopt
	press / c a c h e _ s i z e . L 1 Enter
	wait_for_line 'cache_size.L1 .*5KiB'
	press BSpace
	wait_for 'L1 measured 5 KiB'

	# Machine offers it too.
	view Machine
	wait_for 'Caches'
	press Right
	wait_for 'L1 measured 5 KiB (good, 20'
	refuse_then_adopt
	press C-c
	expect_end 0
done

# A size that the user gave stays, whatever was measured. So does a model: where none is given, one that looks like this
# machine may be offered.
open 120x40 LC_ALL=C.UTF-8 -- --machine zen4 --set cache_size.L1=16KiB
view Machine
wait_for 'Caches' 'measured in'
wait_without 'L1 measured'
press u
wait_for 'no difference was found'
press C-c
expect_end 0

# Enter on a model: runs take it. Space only shows its figures.
open 80x24 LC_ALL=C.UTF-8 -- --topology 'synthetic:pack:1 core:4 pu:1'
view Machine
wait_for 'Machine models'
press Right Right Right Right Right
wait_for 'a64fx'
press End Space
wait_for 'are shown; Enter takes it for runs'
press Enter
wait_for 'machine: ' 'from now on'
name=$(seen | grep -o 'machine: [a-z0-9-]*' | head -n 1 | cut -d' ' -f2)
press 2
wait_for_line "machine +.*$name"
press C-c
expect_end 0
