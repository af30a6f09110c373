# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Where a program waits, or the kernel works for it, or few of its instructions compute in floating point, the report is about that, and
# no roof is named. Nor is one where the run that was counted ended otherwise than the others.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

# verdict BOUND STATUS COMMAND...: what limits the program, by its row; the report is on stderr.
verdict() {
	local bound=$1 status=$2
	shift 2
	rm -rf run
	run --app --run-dir run --set app.roofs=none --set app.runs=2 --set app.max_time=1ms --report=always -- "$@"
	expect_exit "$status"
	expect_cells bound "$bound" run/app_regions.csv
	expect_cells roof '' run/app_regions.csv
}

verdict waiting 0 sleep 0.4
expect_err 'The program: it waits: it has no CPU for '
expect_err 'Look for what it waits for'
verdict kernel 0 dd if=/dev/zero of=/dev/null bs=1M count=2000
expect_err 'its time goes into the kernel: '
expect_err 'Look at its system calls'

# The first run takes away what the others look for.
touch once
verdict differs 1 sh -c 'rm once'
expect_err 'no verdict: the counted run ended differently'

# A sanitizer must be loaded first; its program is counted anyway.
cat >sum.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	volatile double s = 0;
	(void)argv;
	for (int i = 0; i < 300000; i++)
		s = s + argc;
	printf("%g\n", s);
	return 0;
}
END
if gcc -O1 -fsanitize=address -o sum sum.c 2>/dev/null; then
	rm -rf run
	run --app --run-dir run --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- ./sum
	expect_exit 0
	expect_out 300000
	expect_err 'verify_asan_link_order=0'
	expect_cells flops_dp 300000 run/app_regions.csv
fi
# What tprof itself brings is in no table.
! grep -E 'libtprof|libZydis' run/app_functions.csv || fail 'expected the functions of the program alone'
