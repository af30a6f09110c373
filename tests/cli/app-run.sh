# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: programs under the agent, from the option to the report.
# Alone: it times programs, and measures roofs with all threads.
#
# A real program is counted, timed and placed under roofs: its streams and its exit status stay its own.
. "$TPROF_CLI/lib.sh"

have gcc || exit 77
[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

cat >triad.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double a[4096], b[4096], c[4096];
__attribute__((noinline)) void triad(void)
{
	for (int i = 0; i < 4096; i++)
		a[i] = b[i] + 0.5 * c[i];
	__asm__ volatile("" ::: "memory");
}
int main(int argc, char **argv)
{
	char line[64] = "";
	for (int r = 0; r < 1000; r++)
		triad();
	if (argc > 1 && strcmp(argv[1], "read") == 0 && fgets(line, sizeof(line), stdin))
		printf("read %s", line);
	if (argc > 1 && strcmp(argv[1], "die") == 0)
		abort();
	printf("a is %g\n", a[7]);
	fprintf(stderr, "words for people\n");
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
gcc -O1 -ffp-contract=off -fno-tree-vectorize -o triad triad.c || fail "gcc cannot compile"

# app ARGUMENT...: one quick run without roofs.
app() {
	run --app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms "$@"
}

# Only the program's bytes are on standard output; the report is on standard error.
app -- ./triad
expect_exit 0
[ "$(cat out)" = "a is 0" ] || fail "standard output is not the program's"
expect_err "words for people"
expect_err "Program ./triad"
[ "$(grep -c 'words for people' err)" = 1 ] || fail "more than one run prints"
# Two operations for each of 4096 elements, a thousand times: exactly.
run --show last --json
grep -q '"flops_dp": *8192000' out || fail "8,192,000 FLOPs are not counted"

# Its exit status, and what it read.
app -- ./triad 7
expect_exit 7
echo "from a file" >input

"$TPROF" --app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- ./triad read <input >out 2>err || fail "it fails"
expect_out "read from a file"
printf 'from a pipe\n' | "$TPROF" --app --set app.roofs=none --set app.runs=2 --set app.max_time=1ms -- ./triad read >out 2>err || fail "it fails"
expect_out "read from a pipe"

# Data of tprof on standard output are not mixed with the program's.
app --json -- ./triad
expect_exit 0
expect_err "a is 0"
expect_not_out "a is 0"

# A program that dies: its counts are there, and the status is the signal.
app -- ./triad die
expect_exit 134
expect_err "The program died of signal 6"
expect_err "FLOP/byte"

# With roofs: a sentence, and the bound.
run --app --set level=L1,DRAM --set stop.max_time=20ms --set app.runs=3 --set app.max_time=50ms -- ./triad
expect_exit 0
expect_err "The program: "
expect_err "of roof"
