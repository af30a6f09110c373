# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Where a program waits, or the kernel works for it, or few of its instructions compute in floating point, the report is about that, and
# no roof is named.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

# verdict BOUND COMMAND...: what limits the program, by its row; the report is on stderr.
verdict() {
	local bound=$1
	shift
	run --app --run-dir run --set app.roofs=none --set app.runs=2 --set app.max_time=1ms --report=always -- "$@"
	expect_exit 0
	expect_cells bound "$bound" run/app_regions.csv
	expect_cells roof '' run/app_regions.csv
	rm -rf run
}

verdict waiting sleep 0.4
expect_err 'The program: it waits: for '
expect_err 'Look for what it waits for'
verdict kernel dd if=/dev/zero of=/dev/null bs=1 count=400000
expect_err 'its time goes into the kernel: '
expect_err 'Look at its system calls'
