# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Kernels can be hidden in plots: the roof of one goes, and comes back.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
wait_for complete
view Roofline
wait_for 'fma 59.1 GFLOP/s' 'add 29.55 GFLOP/s'
press v
wait_for '[x] 2ld1st' '[ ] everything'
text add
wait_without 2ld1st
press Space
wait_for '[ ] add'
press Enter
wait_without 'add 29.55 GFLOP/s'
wait_for 'fma 59.1 GFLOP/s'
# An ISA alone, and everything again.
press v
wait_for '[ ] add'
text sse
wait_without everything
press Enter
wait_for 'Roofline, sse double' 'not all shown'
wait_without 'fma 59.1 GFLOP/s'
press v Enter
wait_for 'add 29.55 GFLOP/s'
press q
expect_end 0

# Each ISA has a separate picture after the common one.
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
wait_for complete
view Roofline
wait_for 'Roofline, avx2 double' '1 of 3'
press ,
wait_for 'Roofline, sse double' '3 of 3'
press q
expect_end 0

# A stored run that is opened while another is under way is drawn over it.
mkdir -p "$XDG_DATA_HOME/tprof/runs"
cp -R "$fixture_folder/all-plots" "$XDG_DATA_HOME/tprof/runs/2026-01-01-000000-below"
open 120x40 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0.02
press 4
wait_for below
press Enter
wait_for 'drawn over it'
view Roofline
wait_for '2026-01-01-000000-below: avx2, 1 thread' theoretical
press q
expect_end 0
