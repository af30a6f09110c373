#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the tests of the screens and writes TAP: each is a script as in tests/cli, run by the runner there, with the helpers
# of lib.sh in this folder. They need tmux.
#
# usage: run.sh [TEST...]	(names without .sh; default: every NAME.sh beside this file)
#
# Environment: that of tests/cli/run.sh, and TPROF_GOLDEN_WRITE=1, which writes the panes below tests/golden/tui anew.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v tmux >/dev/null; then
	echo '1..0 # SKIP the screens cannot be tested: there is no tmux'
	exit 0
fi
export GOLDEN_WRITE=${TPROF_GOLDEN_WRITE-}
export TPROF_CLI=$here
exec bash "$here/../cli/run.sh" "$@"
