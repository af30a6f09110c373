# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: chases from the preset to the report.
. "$TPROF_CLI/lib.sh"

# A latency curve with two kinds of pages: every size with each, times instead of rates.
small_preset latency.yaml <<'END'
experiment: latency
sizes: [64, 4KiB, 32KiB, 128KiB, 512KiB]
END
run --batch latency.yaml --set pages=small,default --csv --run-dir latency --report=always --ascii
expect_exit 0
expect_cells working_set_bytes '64 4096 32768 131072 524288 64 4096 32768 131072 524288'
expect_cells kernel 'chase chase chase chase chase chase chase chase chase chase'
expect_cells level '         '
expect_cells loads '         '
expect_cells median_gbps '         '
expect_cells bytes_per_cycle '         '
expect_intervals
for column in core_ghz mean; do
	expect_numbers $column
done
# The columns after cpus, which has no comma for one thread.
for column in median_ns best_ns latency_cycles; do
	expect_numbers $column
done
expect_between best_ns median_ns median_ns
expect_cells pages_wanted 'small small small small small default default default default default'
grep -qxF "\"state\": \"complete\"," latency/run.json || fail "expected a complete run"
grep -q '"median_ns"' latency/run.json || fail 'expected latencies in run.json'
expect_err 'Latency, 1 thread'

# A stored run shows the same.
run --show latency --csv
expect_exit 0
expect_numbers median_ns

# The same seed is the same walk; shuffled points are the same points.
run --batch latency.yaml --set shuffle=yes --csv
expect_exit 0
[ "$(column working_set_bytes | sort -n | paste -sd ' ')" = '64 4096 32768 131072 524288' ] || fail 'expected the same sizes'

# After a chase, buffers hold normal numbers again: otherwise denormal numbers would slow later kernels in the same process.
small_preset both.yaml <<'END'
isa: scalar
runs:
  - experiment: latency
    sizes: [16KiB]
  - experiment: mixed
    level: L1
    fp_op: add
    intensity: 0.125
END
run --batch both.yaml --csv
expect_exit 0
expect_cells experiment 'latency mixed mixed mixed'

# Another walk is another kernel; an impossible one is refused.
run --batch latency.yaml --set sizes=64KiB --set chase.stride=256 --set chase.block=16KiB --csv
expect_exit 0
expect_cells kernel chase-stride256-block16K
for bad in chase.stride=100 chase.block=1000 chase.stride=128KiB; do
	run --dry-run latency.yaml --set "$bad"
	expect_exit 2
	expect_no_out
	expect_err "${bad%=*}"
done

# Only latency compares pages.
echo 'experiment: roofline' >roofline.yaml
run --batch roofline.yaml --set pages=small,thp
expect_exit 2
expect_no_out
expect_err 'takes one kind of pages'
run --dry-run latency.yaml --set isa=scalar
expect_exit 0
