# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# A simulated machine on the screens: planned, run, shown and listed, and every head shows that it is simulated.
. "$TPROF_CLI/lib.sh"

open 120x40 LC_ALL=C.UTF-8 -- --machine zen4 --simulate --set isa=avx2
view Machine
wait_for 'A simulated machine: not measured.'
press 2
wait_for 'What to measure' 'simulated' 'Simulated: the reference system of zen4,'
wait_for_line 'simulate +[<]? *quiet'

# It runs at once.
press r
wait_for 'Roofline, avx2 double' 'simulated: zen4, quiet'
view Points
wait_for 'complete' 'every point was measured'
press Enter
view Roofline
wait_for 'Roofline, avx2 double' 'simulated: zen4, quiet'
press 4
wait_for '1 run in' 'simulated: zen4, quiet'
wait_for_line 'roofline +avx2 +1 simulated +[0-9].* GB/s'
resize 240x40
wait_for_line 'roofline +roofline +avx2 +1 6 good +[0-9].* GB/s.* simulated +6 zen4, quiet'

# A replay takes as long as the machine would.
press q
until_true test -s "$TMP/status" || fail_with_pane 'the screens did not end'
name=$(ls "$XDG_DATA_HOME/tprof/runs")
open 80x24 LC_ALL=C.UTF-8 -- --replay "$name" --speed 0
wait_for 'simulated: zen4, quiet'
