# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: dots on a plot.
#
# A dot of one's own on the Roofline screen: asked for in one line, refused with what is wrong, drawn and read.
. "$TPROF_CLI/lib.sh"

run=$(fixture all-plots)

# The cursor walks over all series until it reads the dot.
read_dot() {
	sees "$name" && return 0
	press Down
	return 1
}

for at in 80x24 200x60; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	wait_for complete
	view Roofline
	wait_for 'Roofline, '
	press d
	wait_for 'Your own dot'
	text 'spmv'
	press Enter
	wait_for 'has no name followed by :'
	text ':0.17,3.2'
	press Enter
	wait_without 'Your own dot'
	wait_for spmv
	press d
	text 'left'
	press Escape
	wait_without 'Your own dot'
	name='spmv: AI 0.17 FLOP/B, 3.2 GFLOP/s'
	until_true read_dot || fail_with_pane "the cursor does not read the dot"
	wait_for 'spmv, on DRAM'
	# A slower one, with the name that was kept: how far it lies below its roof is next to it, and if there is room, the table of the roofs.
	press d
	text ':0.17,1'
	press Enter
	wait_without 'Your own dot'
	name='left: AI 0.17 FLOP/B, 1 GFLOP/s'
	until_true read_dot || fail_with_pane "the cursor does not read the second dot"
	wait_for 'left, 3.2x below DRAM'
	[ "$at" = 80x24 ] || wait_for 'ISA   level  kernel' 'avx2  DRAM   2ld1st'
	pane dot
	press q
	expect_end 0
done
