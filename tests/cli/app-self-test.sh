# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Kernels that do a known number of everything are counted exactly, by every way that works here.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"
subject=${TPROF%/*}/tprof-subject
[ -x "$subject" ] || skip_all "this tprof does not lie beside its subject"
if ldd "$subject" | grep -q libasan; then
	skip_all "the agent cannot be loaded into programs with sanitizers"
fi

run --app --self-test
expect_exit 0
expect_out_line 'agent: 31 of 31 kernels of scalar are exact'
expect_out_line 'agent: 31 of 31 kernels of sse are exact'
expect_out_line 'agent: 50 of 50 kernels of counting are exact'
expect_not_out WRONG
# Each further ISA is counted, or reported as missing.
for isa in avx2 avx512; do
	grep -qE "^agent: ([0-9]+) of \1 kernels of $isa are exact$|^$isa is left out: " out || fail "nothing is said of $isa"
done
"$subject" sse >ran || fail "the subject runs by itself"
[ "$(wc -l <ran)" = 31 ] || fail "the subject runs 31 kernels of sse"
"$subject" mmx 2>said
[ "$?" = 2 ] || fail "the subject knows its ISAs"
