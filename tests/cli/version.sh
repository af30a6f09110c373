# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

run --version
expect_exit 0
expect_out_line "tprof ${TPROF_VERSION//./\\.}.*"
expect_no_err
