# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: orders of an engine.
. "$TPROF_CLI/lib.sh"

# The worker process of autotuning, used by hand: commands on standard input, one line for each answer.
cpu=$(one_cpu)
number='[0-9]+(\.[0-9]+)?(e-[0-9]+)?'
tab=$'\t'

# ask LINE...: sends the commands to a worker.
ask() {
	ran="tprof --worker <<< $*"
	status=0
	printf '%s\n' "$@" | "$TPROF" --worker >"$TMP/out" 2>"$TMP/err" || status=$?
	head -n 1 out | grep -qx hello || fail 'expected a greeting'
}

# Every impossible command has its own error, and the worker goes on.
ask "open dgemm 8 8 0 $cpu" "open dgemm 8 8 8 $cpu libm.so.6" "open dgemm 8 8 8 $cpu /no where/lib.so" \
	"open dgemm 1000000 1000000 1000000 $cpu" 'open dgemm 8 8 8 9999999' "open waltz 8 8 8 $cpu" 'run 0 1' 'close 0' 'dance' 'cancel'
expect_exit 0
expect_no_err
expect_out "error usage${tab}dgemm${tab}the size k is 0${tab}every size is at least 1"
expect_out "error not found${tab}libm.so.6${tab}has no cblas_dgemm${tab}install one (Debian package libopenblas0-pthread)"
expect_out "error not found${tab}/no where/lib.so${tab}cannot be loaded"
expect_out "error resource not available${tab}dgemm${tab}21.83 TiB of memory are needed"
expect_count 9 'error ' out
[ "$(wc -l <out)" -eq 10 ] || fail 'expected ten lines'

# Two sizes in one worker, in turn.
ask "open triad 1000 0 0 $cpu" "open triad 20000 0 0 $cpu" 'run 0 3' 'run 1 2' 'run 0 1' 'close 0' 'run 0 1' 'run 1 1'
expect_exit 0
expect_no_err
if grep -q 'built without OpenMP' out; then
	skip 'TRIAD: built without OpenMP'
else
	for pattern in "ok 0 $number" "ok 1 $number" "seconds $number $number $number" "seconds $number $number" ok \
		"error usage.*"; do
		expect_out_line "$pattern"
	done
	[ "$(grep -cxE "seconds $number" out)" -eq 2 ] || fail 'expected two readings of one number'
fi

# The issue width of the core, by itself and around each reading; the kind of pages.
ask 'gauge' 'gauge x' "open triad 1000 0 0 $cpu:waltz" "open triad 1000 0 0 $cpu:small" 'gauge 0' 'gauge 0' 'run 0 2'
expect_exit 0
expect_no_err
expect_out "error usage${tab}worker${tab}gauge: ticks of the clock in a second, or 0"
expect_out "error usage${tab}worker${tab}open: a routine, three sizes, CPUs with commas, a library"
if ! grep -q 'built without OpenMP' out; then
	[ "$(grep -cxE "ok $number" out)" -eq 2 ] || fail 'expected a width twice'
	expect_out_line "seconds $number/$number $number/$number"
fi

# The installed libraries, each with a title, and the first of them in use.
ask blas
if grep -q '^error not found' out; then
	expect_out 'libopenblas0-pthread'
	skip_all 'no BLAS library is installed'
fi
n=$(sed -n 's/^ok //p' out)
[ "$(grep -cE "^blas [^$tab]+$tab.+" out)" -eq "$n" ] || fail 'expected a line for each library'
ask "open dgemm 40 30 20 $cpu" 'run 0 2' "open sgemm 40 30 20 $cpu" 'run 1 2'
expect_exit 0
expect_out_line "ok 1 $number"
expect_count 2 'seconds ' out
expect_not_out error
