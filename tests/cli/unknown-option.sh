# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --bacth quick
expect_exit 2
expect_no_out
expect_err --bacth

run --list nonsense
expect_exit 2
expect_no_out
expect_err nonsense

run --report=perhaps --check "$TPROF_SRCDIR/presets/quick.yaml"
expect_exit 2
expect_no_out
expect_err perhaps

# An option without its value.
run --batch
expect_exit 2
expect_no_out
