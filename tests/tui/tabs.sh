# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Places and screens: digits, Tab and brackets, clicks. The result has the screens that the run has something for.
. "$TPROF_CLI/lib.sh"

open 80x24 LC_ALL=C.UTF-8 TERM=xterm-256color -- --replay "$(fixture all-plots)" --speed 0
wait_for complete
wait_for_line '^ 1 Home  2 Setup  3 Result  4 Runs  5 Learn'
wait_for_line '^ +\[Points\] +Roofline +Curve +Mixed +Tree$'
press ']'
wait_for '[Roofline]' 'GFLOP/s'
press Tab
wait_for '[Curve]'
press '['
wait_for '[Roofline]'
press BTab BTab
wait_for '[Tree]'
# A place opens on the screen that was shown last.
press 4
wait_for '[Runs]'
press 3
wait_for '[Tree]'
# A click on a name shows that screen; a release does not count.
column=$(seen | sed -n 2p | grep -bo Curve | cut -d: -f1)
click 1 "$column"
wait_for '[Curve]' 'Memory curve, avx2 double'
click 0 29
wait_for '[Runs]'
press q
expect_end 0
