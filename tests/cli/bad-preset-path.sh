# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --batch no/such/preset.yaml
expect_exit 2
expect_no_out
expect_err no/such/preset.yaml

# A misspelled name of a shipped preset.
run --batch quikc
expect_exit 2
expect_no_out
expect_err quick

# A directory and a device are not presets.
run --batch "$TMP"
expect_exit 2
expect_no_out
run --check /dev/null
expect_exit 2
expect_no_out
