#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs one test script for `make check`: those of tests/cli and tests/tui through the runner of their folder, any other
# by itself.
#
# usage: script.sh FILE
set -u

case $1 in
*/cli/*.sh | */tui/*.sh) exec bash "${1%/*}/run.sh" "$(basename "$1" .sh)" ;;
*) exec bash "$1" ;;
esac
