# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# The agent and the plug-in for qemu count the same in the same functions: loops, string instructions, masks, gathers, x87,
# recursion, threads, marked regions. Outside them the C library queries the processor, and takes other paths in qemu.
. "$TPROF_CLI/lib.sh"

build=${TPROF_BUILDDIR:-$TPROF_SRCDIR/build}
count=$build/tests/bench/app_count
command -v qemu-x86_64 >/dev/null || skip_all "no qemu-x86_64 (Debian package qemu-user)"
if [ ! -x "$count" ] || [ ! -f "$build/libtprof-qemu.so" ]; then
	skip_all "no plug-in: it is for x86-64 alone"
fi
command -v cc >/dev/null || skip_all "no C compiler"
cc -O2 -fno-tree-vectorize -pthread -I"$TPROF_SRCDIR/include" -o agree "$TPROF_SRCDIR/tests/app/agree.c" ||
	fail "tests/app/agree.c does not compile"

names=(scalar strings old recursion)
words=()
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
	names+=(vector masks gathers)
else
	words=(plain)
fi
for way in agent qemu; do
	ran="app_count $way"
	status=0
	timeout 900 "$count" "$way" "${names[@]/#/function=}" ./agree "${words[@]}" >"$TMP/out" 2>"$TMP/err" || status=$?
	expect_exit 0
	expect_out_line 'team flops_dp 3000'
	# Their regions, and what the program's own code did in all. Only the agent looks for chains.
	grep -E '^([a-z]+|module agree) [a-z0-9_]+ [0-9]+$' "$TMP/out" | grep -vE '^(threads|complete|team) | chain(ed)?_' >"$way.counts"
done
for name in "${names[@]}" outer inner; do
	grep -q "^$name entries [1-9]" agent.counts || fail "the agent counted no $name"
done
expect_out_line 'threads 4'
diff agent.counts qemu.counts >differences || {
	cp differences "$TMP/out"
	fail "agent (<) and qemu (>) differ"
}

# Known by construction: 50 passes, 500 on each of three threads and one in a child, of 1000 additions and products.
expected=$(((50 + 3 * 500 + 1) * 1000 * 2))
grep -qx "scalar flops_dp $expected" qemu.counts || fail "expected $expected FLOPs in scalar"
grep -qx "scalar bytes_stored $(((50 + 3 * 500 + 1) * 8000))" qemu.counts || fail "expected 8 bytes stored for each element"

# A static program: the agent names the alternative, and the plug-in counts it.
if cc -O2 -static -pthread -I"$TPROF_SRCDIR/include" -o static "$TPROF_SRCDIR/tests/app/agree.c" 2>/dev/null; then
	"$count" agent ./static >"$TMP/out" 2>"$TMP/err" && fail "the agent took a static program"
	expect_err "qemu"
	timeout 900 "$count" qemu function=recursion ./static plain >"$TMP/out" 2>"$TMP/err" || fail "qemu did not count it"
	grep -q '^recursion entries [1-9]' "$TMP/out" || fail "no region in a static program"
else
	skip "no static C library"
fi

# Killed by a signal: what was counted before is there.
cat >killed.c <<'END'
#include <signal.h>
__attribute__((noinline)) double work(volatile double *x) { for (int i = 0; i < 1000; i++) *x += 1; return *x; }
int main(void) { volatile double x = 0; work(&x); raise(SIGKILL); return 0; }
END
cc -O1 -o killed killed.c || fail "killed.c does not compile"
status=0
timeout 900 "$count" qemu function=work ./killed >"$TMP/out" 2>"$TMP/err" || status=$?
[ "$status" -eq 137 ] || fail "the program was killed by signal 9"
grep -qx 'work flops_dp 1000' "$TMP/out" || fail "counts of a killed program are lost"
