#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the tests of the screens and writes TAP. Each is a script as in tests/cli, run by the runner there with the helpers
# of lib.sh in this folder.
#
# usage: run.sh [TEST...]	(names without .sh; default: every NAME.sh beside this file)
#
# Environment: that of tests/cli/run.sh; TPROF_GOLDEN_WRITE=1 writes the panes below tests/golden/tui anew.
set -u

TPROF_CLI=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TPROF_CLI
exec bash "$TPROF_CLI/../cli/run.sh" "$@"
