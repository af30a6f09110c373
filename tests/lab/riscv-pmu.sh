# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# RISC-V with vectors, whose PMU the firmware gives to the kernel (SBI): PAPI does not know it, so perf counts.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

ok 'the kernel has a PMU' sh -c 'dmesg | grep "riscv-pmu-sbi: SBI PMU extension is available"'
echo 1 >/proc/sys/kernel/perf_event_paranoid
ok 'events are listed' ends 0 --list events
cp /tmp/out /out/events
for event in cycles instructions dTLB-load-misses dTLB-store-misses iTLB-load-misses; do
	ok "$event counts" grep -E "^$event +yes +perf" /out/events
done
ok 'the others are refused for a reason' says '^reason [0-9]+ .*this CPU has no such event'

# This emulator counts the kernel's instructions, too (the CPU lacks Smcntrpmf): some percent more, never alike, and no metric.
ok 'the list says what the PMU counts' says 'also counts what the kernel executes'
ok 'counters are read' ends 0 --batch counters --set source=perf --set families=instructions --set counters.repetitions=2 \
	--set 'counters.events=[instructions,cycles,dTLB-load-misses,iTLB-load-misses]' --run-dir /root/run --report=always
ok 'so does the run' says 'also counts what the kernel executes'
ok 'noise is seen' says 'instructions +noise [0-9]'
ok 'no event is chosen' says '^none: no event of this family is quiet'
ok 'no metric is defined' says 'none can be counted here: instructions'
ok 'loops of 14, 26 and 50 instructions count as such, within 5 %' same '' "$(awk -F, '
	BEGIN { split("14 26 50", known, " ") }
	$2 == "instructions" && $3 < 18 { n = known[$3 % 3 + 1]; if ($5 / $6 < 0.95 * n || $5 / $6 > 1.05 * n) print $3, $5 / $6 }' /root/run/readings.csv)"
for event in cycles dTLB-load-misses iTLB-load-misses; do
	ok "$event: there are readings" grep -q "^instructions,$event,.*,[1-9]" /root/run/readings.csv
done

ok 'the kernels of this CPU' ends 0 --list isas
ok 'scalar' says '^scalar .* yes'
ok 'vectors' says '^rvv1.0 +128 +yes'
for isa in scalar rvv1.0; do
	ok "$isa is measured" ends 0 --batch quick --set isa=$isa --set level=L1 --set cache_size.L1=32KiB --csv
	ok "$isa: three points" same 3 "$(column isa | grep -c "^$isa\$")"
done
done_testing
