# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A limit on the address space that is unknown to the plan (batch systems set one): sizes that fit are still measured.
small_preset sizes.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 512MiB, 16KiB]
END
run --check sizes.yaml
[ "$status" -eq 4 ] && skip_all 'this machine has no 512 MiB to plan with'
expect_exit 0
(ulimit -v 400000 && "$TPROF" --version) >out 2>&1 || skip_all 'the program does not start with an address space of 400 MB'
ran='ulimit -v 400000; tprof --batch sizes.yaml'
(ulimit -v 400000 && "$TPROF" --batch sizes.yaml --csv --run-dir little) >out 2>err
status=$?
expect_exit 3
expect_err '2 of 3 points'
expect_err 'cannot reserve'
expect_err 'smaller sizes'
expect_cells working_set_bytes '8192 16384'
expect_run little complete
