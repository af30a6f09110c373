# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

names=(copy scale add triad daxpy dot update)
list=$(IFS=,; echo "${names[*]}")
# column NAME: that column of the points in out, without the head.
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' out
}

# Every name is a separate point, with its name and its ratio, and a bandwidth.
run --batch memcurve --simulate --machine zen4 --set isa=avx2 --set kernel="$list" --set sizes=16KiB --csv
expect_exit 0
[ "$(column kernel | paste -sd,)" = "$list" ] || fail "expected the kernels $list"
[ "$(column loads | paste -sd,)" = 1,1,2,2,2,2,1 ] || fail 'expected the loads of the kernels'
[ "$(column stores | paste -sd,)" = 1,1,1,1,1,0,1 ] || fail 'expected the stores of the kernels'
[ "$(column median_gbps | grep -c .)" -eq "${#names[@]}" ] || fail 'expected bandwidths'
[ -z "$(column median_gflops | tr -d '\n')" ] || fail 'expected no rates of arithmetic'
[ -z "$(column fp_op | tr -d '\n')" ] || fail 'expected no floating point peak'

# What stores are in a region of their own is what the name says, also in a race.
run --batch roofline --simulate --machine zen4 --set isa=avx2 --set kernel=triad,daxpy --set level=L1,L2 --set fp_op=fma --csv
expect_exit 0
paste -d' ' <(column kernel) <(column level) <(column variant) >found
grep -q '^triad L1 .*two-streams' found || fail 'expected two regions of triad in L1'
grep -q '^triad L2 .*two-streams' found || fail 'expected two regions of triad in L2'
grep -q '^daxpy L1 ' found || fail 'expected daxpy in L1'
! grep -q '^daxpy .*two-streams' found || fail 'expected one region of daxpy'
grep -q '^fma FP ' found || fail 'expected the peak beside them'

# The name is in the report.
run --show last
expect_out triad
expect_out daxpy

# Measured as well, on any machine.
run --batch memcurve --set isa=scalar --set kernel=triad --set sizes=16KiB --set stop.max_time=20ms --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(column kernel)" = triad ] || fail 'expected a point of triad'

# The ratio of somebody else is not used then.
run --dry-run roofline --set kernel=copy --set ratio=1:0
expect_exit 0
expect_err 'ratio: has no effect here: kernel names what is measured'
run --dry-run mixed --set kernel=copy
expect_exit 2
run --dry-run roofline --set kernel=triadd
expect_exit 2
expect_err 'did you mean triad?'

run --list kernels
for name in "${names[@]}"; do
	expect_out_line "$name +arrays +.*"
done
case $(uname -m) in
x86_64)
	for name in "${names[@]}"; do
		run --dump-asm "sse:$name:16KiB"
		expect_exit 0
		expect_out "# sse $name,"
	done
	# Without a working set, add is the instruction.
	run --dump-asm sse:add
	expect_exit 0
	expect_not_out ' over '
	;;
esac
