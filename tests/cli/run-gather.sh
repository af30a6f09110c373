# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: gathers from the preset to the report.
. "$TPROF_CLI/lib.sh"

# Gathers: lists, columns, what is refused. Without such instructions the reason is reported.
small_preset gather.yaml <<'END'
experiment: gather
precision: single
cache: cold
gather:
  elements: [3, 4]
  lists: lines
  places: 64
END
run --dry-run gather.yaml
if ! grep -qw avx2 /proc/cpuinfo; then
	expect_exit 2
	expect_err 'gather'
	skip_all 'this CPU has no gathers'
fi
expect_exit 0

run --batch gather.yaml --set gather.mask=on,off --csv --run-dir gather --report=always --ascii
expect_exit 0
expect_cells kernel 'gather-3:1 gather-3:2 gather-3:3 gather-3:1 gather-3:2 gather-3:3 gather-4:1 gather-4:2 gather-4:3 gather-4:4'
expect_cells lines '1 2 3 1 2 3 1 2 3 4'
expect_cells masked 'true true true false false false false false false false'
expect_cells vector_bits '128 128 128 128 128 128 128 128 128 128'
expect_cells level 'DRAM DRAM DRAM DRAM DRAM DRAM DRAM DRAM DRAM DRAM'
[ "$(column offsets | tail -1)" = '0 16 32 48' ] || fail "expected the offsets; got $(column offsets | tail -1)"
for name in median_ns best_ns median_gbps latency_cycles gather_ticks; do
	expect_numbers $name
done
expect_between best_ns median_ns median_ns
expect_err 'Gather, single, cold caches, 1 thread'
expect_err 'of a gather'
grep -q '"gather_ticks"' gather/run.json || fail 'expected ticks in run.json'

# The same as rows of numbers: a head, ten gathers, an index for each element.
[ "$(cut -d, -f9-15 gather/gathers.csv | sed -n '1p;3p;11p' | paste -sd ' ')" = 'elements,lines,idx0,idx1,idx2,idx3,idx4 3,2,0,1,32,, 4,4,0,16,32,48,' ] ||
	fail "expected indexes; got: $(cut -d, -f9-15 gather/gathers.csv)"
[ "$(wc -l <gather/gathers.csv)" -eq 11 ] || fail 'expected ten rows'
rm gather/gathers.csv
run --show gather --json
expect_exit 0
expect_out '"idx3": 48'

# A stored run shows the same; several processes add up; another width and type.
run --show gather --csv
expect_exit 0
expect_numbers gather_ticks
run --batch gather.yaml --set cache=hot --set precision=double --set gather.width=256 --set invocations=2 --csv
expect_exit 0
expect_cells masked 'true true true false false false false'
expect_cells cold 'false false false false false false false'
expect_cells precision 'double double double double double double double'
expect_numbers gather_ticks

# What cannot be.
run --dry-run gather.yaml --set gather.lists=all --set gather.elements=9
expect_exit 2
expect_err 'gather.lists: lines'
run --dry-run gather.yaml --set gather.elements=17
expect_exit 2
run --dry-run gather.yaml --set isa=scalar
expect_exit 2

expect_err 'AVX2'
run --dry-run gather.yaml --set gather.width=128 --set gather.elements=8
expect_exit 2
expect_err 'no chosen vector holds'
