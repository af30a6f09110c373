# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: loaded latency from the preset to the report.
. "$TPROF_CLI/lib.sh"

# On one CPU, experiments that need two are refused with the reason.
small_preset loaded.yaml <<'END'
experiment: loaded-latency
isa: scalar
level: DRAM
ratio: [1:0, 2:1]
throttle: [5000, 0]
END
if [ "$(cpus_allowed)" -lt 2 ]; then
	run --batch loaded.yaml
	expect_exit 2
	expect_err 'one CPU only'
	skip_all 'loaded latency needs two CPUs'
fi

# Idle first, then each mix by falling pause. cpus holds commas here, so columns after it cannot be read by position.
run --batch loaded.yaml --set threads=2 --csv --run-dir loaded --report=always --ascii
expect_exit 0
expect_cells kernel 'chase chase+load chase+load chase+2ld1st chase+2ld1st'
expect_cells level 'DRAM DRAM DRAM DRAM DRAM'
expect_cells threads '2 2 2 2 2'
expect_cells loads ' 1 1 2 2'
expect_intervals
[ -z "$(column median_gbps | sed -n 1p)" ] || fail 'expected no bandwidth beside the idle chase'
# A thread that never had its CPU during a short point has moved nothing.
paste -d, <(column median_gbps) <(column flags) | sed 1d | awk -F, '!($1 > 0) && $2 !~ /ctx-switch/ { bad = 1 } END { exit bad }' ||
	fail "expected bandwidths of the streams; got: $(cells median_gbps)"
sed 's/"[^"]*"/x/g' out >plain
expect_numbers median_ns plain
expect_cells pause_cycles ' 5000  5000 ' plain
grep -qxF "\"state\": \"complete\"," loaded/run.json || fail "expected a complete run"
grep -q '"stream_gbps"' loaded/run.json || fail 'expected the bandwidth of the streams in the windows'
expect_err 'Loaded latency, DRAM, 2 threads'

# The default is all threads; private levels are left out with a message; the sweep is automatic.
run --dry-run loaded.yaml --topology 'synthetic:pack:1 l3:1(size=33554432) core:8 l2:1(size=1048576) l1:1(size=32768) pu:1' \
	--set level=L2,L3,DRAM --set throttle=
expect_exit 0
awk '$2 == "loaded-latency" { n[$6]++; if ($5 != 8) bad = 1 } END { exit !(n["L3"] == n["DRAM"] && n["L3"] > 10 && !n["L2"]) || bad }' out ||
	fail 'expected as many points of L3 as of DRAM, and none of L2'
expect_err 'belongs to one core'
[ "$(awk '$2 == "loaded-latency" && $7 == "chase"' out | wc -l)" -eq 2 ] || fail 'expected one idle point a level'

# Impossible requests.
run --batch loaded.yaml --set threads=1
expect_exit 2
expect_err 'one thread is timed'
run --batch loaded.yaml --set ratio=best
expect_exit 2
expect_err 'best is for the roofline'
run --batch loaded.yaml --set throttle=-1
expect_exit 2
run --dry-run loaded.yaml --topology 'synthetic:core:1 pu:1'
expect_exit 2
expect_err 'one CPU only'
