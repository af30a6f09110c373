# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# A press on a screen's name in the first row goes there and no further: where there is little room, names move when another is chosen.
. "$TPROF_CLI/lib.sh"

open 80x24 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$(fixture all-plots)" --speed 0
wait_for complete
press 4
wait_for '4 Roofline'
# The last column of " 6 Mixed ", where Counters begins as soon as the name of Roofline is short again. A press and its release: one click.
click 0 48
wait_for '4 Roofl ' '7 Count '
press q
expect_end 0
