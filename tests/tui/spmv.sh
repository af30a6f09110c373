# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of sparse matrices.
#
# A run of spmv: its formats are dots of the roofline, which the cursor reads, and the screen Runs describes the matrix.
. "$TPROF_CLI/lib.sh"

run=$(fixture spmv)

# The cursor walks over all series until it reads a format.
read_format() {
	sees ', dia on L' && return 0
	press Down
	return 1
}

for at in 80x24 120x40; do
	open "$at" LC_ALL=C.UTF-8 -- --replay "$run" --speed 0
	wait_for complete
	view Roofline
	wait_for 'csr, L' 'bcsr, L' 'dia, L'
	until_true read_format || fail_with_pane "the cursor reads no format"
	wait_for 'GFLOP/s'
	press q
	expect_end 0
done

# A fault after the head of the file is reported when a run is to begin, and no run begins.
mkdir -p "$XDG_CONFIG_HOME/tprof"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n0 0 1\n1 1 1\n' >late.mtx
printf 'experiment: spmv\nmatrix: late.mtx\n' >"$XDG_CONFIG_HOME/tprof/config.yaml"
open 120x40 LC_ALL=C.UTF-8 -- --ascii
press 2
wait_for spmv
press r
wait_for 'late.mtx:3: row 0 is not one of 1 to 2'
[ -z "$(live_run)" ] || fail 'expected no run'
press q
expect_end 0
