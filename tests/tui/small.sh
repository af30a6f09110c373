# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: terminals that are too small.
#
# In a terminal that is too small tprof shows what it needs; when it grows, everything is there again.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)
open 80x24 LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
view Curve
pane utf8-curve
resize 79x24
wait_for 'needs 80x24' '79x24'
resize 30x5
wait_for '30x5'
for at in 1x1 200x60 80x23 2x80 120x40 10x10 5x3 80x24; do
	resize "$at"
done
pane utf8-curve
for ((i = 0; i < 60; i++)); do
	resize $((40 + i * 7 % 120))x$((10 + i * 5 % 50))
done
resize 120x40
pane utf8-curve
press q
expect_end 0
