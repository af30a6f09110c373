# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The row of tabs, which the stored panes leave out. A click on a name shows that screen, even if the names move then because there is little room.
. "$TPROF_CLI/lib.sh"

open 80x24 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$(fixture all-plots)" --speed 0
wait_for complete
view Roofline
wait_for '4 Roofline'
# A column of " 5 Curve ". Mixed begins there as soon as the name of Roofline is short again, so a release must not count as a click.
click 0 39
wait_for '4 Roofl ' 'Memory curve, avx2 double'
press q
expect_end 0

open 180x40 LC_ALL=C.UTF-8 -- --replay "$(fixture all-plots)" --speed 0
wait_for_line '^ tprof +1 Machine +2 Setup +3 Run +4 Roofline +5 Curve '
press q
expect_end 0
