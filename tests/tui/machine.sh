# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of the machine.
#
# The screen Machine: sections of a big foreign machine fold, models are chosen, the doctor examines; then help and comparison.
. "$TPROF_CLI/lib.sh"

big='synthetic:pack:2 numa:2 l3:4 l2:8 core:1 pu:2'

for at in 80x24 120x40 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --topology "$big"
	view Machine
	wait_for '2 packages, 128 cores, 256 CPUs' '4 x L3 16 MiB' '8 cores: CPUs 0-15' 'each core: L2 4 MiB' Doctor
	# Every section can be reached at any size.
	press Right Right Right
	press q
	expect_end 0
done

# One column: a section without room is a title until it gets the focus.
open 80x24 LC_ALL=C -- --topology "$big" --machine zen4
view Machine
wait_for 'Theoretical peaks zen4'
press Right Right
wait_for 'FMA+ADD' 'avx512'
press Right Right
wait_for 'tprof can plan for it'
press Right
wait_for 'graviton4'
press End Home Enter
wait_for 'Theoretical peaks a64fx'
press Right
wait_for_line '^ (ok|note|warning|problem)( |$)'
wait_for_line '^   [A-Z]'
press '?'
wait_for 'Keys on Machine'
press /
text 'ctx-switch'
wait_for 'the kernel took the CPU away'
wait_without 'Keys on Machine'
press Escape
wait_for 'Keys on Machine'
press '?'
wait_for 'a64fx'
press q
expect_end 0

# Two runs of the same points are compared; a run with foreign files is not deleted.
runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"
cp -R "$fixture_folder/all-plots" "$runs/2026-01-01-000000-first"
cp -R "$fixture_folder/all-plots" "$runs/2026-01-02-000000-second"
chmod -R u+w "$runs"
echo 'years of work' >"$runs/2026-01-02-000000-second/thesis.tex"
open 120x40 LC_ALL=C.UTF-8
press 4
wait_for '2 runs in'
press Space Space
wait_for '2 marked'
press c
wait_for 'Comparison of 2 runs' 'same'
press Escape
wait_for '2 marked'
press Home Space Down Space
wait_without 'marked'
press Home Delete y
wait_for 'thesis.tex'
expect_file "$runs/2026-01-02-000000-second/thesis.tex"
expect_file "$runs/2026-01-02-000000-second/journal.ndjson"

# Exported to a typed folder.
press x
wait_for 'Export to folder'
press C-u
text "$TMP/out here"
press Enter
wait_for 'are in'
for ending in svg csv json txt; do
	expect_file "$TMP/out here/2026-01-02-000000-second.$ending"
done
press q
expect_end 0

# The mouse: a click chooses, a double click opens; the wheel scrolls; a click on a title gives its section the focus.
mv "$runs/2026-01-02-000000-second" "$runs/2026-01-03-000000-third"
open 120x40 LC_ALL=C.UTF-8 TERM=xterm-256color
press 4
wait_for third first
click 5 30
wait_for '2026-01-01-000000-first'
twice 5 30
wait_for '[Mixed]'
press 4
wait_for '▸'
view Machine
wait_for 'Machine models'
wait_without 'Arm Neoverse V1'
click "$(($(seen | grep -n 'Machine models' | cut -d: -f1) - 1))" 65
wait_for 'Arm Neoverse V1'
press q
expect_end 0
