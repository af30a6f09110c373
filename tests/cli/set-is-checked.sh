# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# --set follows the same rules as a preset, and errors name it.
run --batch quick --set threads=none
expect_exit 2
expect_no_out
expect_err --set
expect_err none

run --batch quick --set thread=2
expect_exit 2
expect_err threads

run --print-config quick --set threads=2
expect_exit 0
expect_out_line ' *threads: *\[?2\]?.*'
