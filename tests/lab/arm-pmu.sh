# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A PMU: with -icount it counts cycles and instructions exactly.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

ok 'the kernel has a PMU' sh -c 'dmesg | grep "armv8_pmuv3 PMU driver"'
ok 'doctor' ends 0 doctor
ok 'the setting that hides it from PAPI has a remedy' says 'sysctl kernel.perf_event_paranoid'
echo 1 >/proc/sys/kernel/perf_event_paranoid

ok 'events are listed' ends 0 --list events
cp /tmp/out /out/events
ok 'instructions and cycles count, by perf and PAPI' same 4 \
	"$(grep -cE '^(instructions|cycles|INST_RETIRED|CPU_CYCLES) +yes' /out/events)"
ok 'the others are refused for a reason' same '' \
	"$(awk '$2 == "no" && !/reason [0-9]+/ { print $1 }' /out/events | head -n 3)"
ok 'which is there' says '^reason [0-9]+ .*this CPU has no such event'

# Every row is exact, so whatever interrupts leave is left out.
ok 'counters are classified' ends 0 --batch counters --set families=instructions --set counters.repetitions=2 \
	--set 'counters.events=[INST_RETIRED,perf::INSTRUCTIONS,BR_RETIRED]' --run-dir /root/run --report=always
ok 'instructions retired are chosen, by one of two names' says '^1  (perf::INSTRUCTIONS|INST_RETIRED) .* INSTRUCTIONS'
ok 'both count alike' says '^dependent +1 '
ok 'the metric is defined, of one event' says '^instructions +exact +0 % +defined +(perf::INSTRUCTIONS|INST_RETIRED)$'
ok 'an event that stays 0 is not implemented' says '^not implemented here +1 +BR_RETIRED'
ok 'all 39 rows count' same 39 "$(awk -F, '$2 == "INST_RETIRED" { print $3 }' /root/run/readings.csv | sort -u | wc -l)"
ok 'INST_RETIRED and perf::INSTRUCTIONS agree in each' same '' "$(awk -F, '
	$2 == "INST_RETIRED" { a[$3 "," $4] = $5 / $6 }
	$2 == "perf::INSTRUCTIONS" { b[$3 "," $4] = $5 / $6 }
	END { for (i in a) if (a[i] != b[i]) print i, a[i], b[i] }' /root/run/readings.csv)"

export PAPI_USER_EVENTS_FILE=/root/run/metrics.papi
ok 'the metric is an event of PAPI' ends 0 --list events
ok 'which counts' says '^INSTRUCTIONS +yes +perf_event +instructions: 1 x'
unset PAPI_USER_EVENTS_FILE

for loop in 'add 3 20' 'memory 5 16' 'mixed 10 12'; do
	# shellcheck disable=SC2086 # words
	set -- $loop
	known=$(($2 * $3 * 1000000))
	ok "--app counts by the formulas of that run: $1" ends 0 --app --app-source pmu --set app.formulas=/root/run --set app.roofs=none \
		--run-dir "/root/app-$1" --csv -- known "$1" "$3"
	ok 'its instructions' near $known "$(column instructions "/root/app-$1/app_regions.csv")" 0.01
	ok 'what nothing counts is said' says 'operations in double precision are not counted'
	ok "--profile reads the PMU: $1" ends 0 --profile --run-dir "/root/$1" --report=always \
		--set profile.events=armv8_pmuv3/inst_retired/,armv8_pmuv3/cpu_cycles/ -- known "$1" "$3"
	column seconds "/root/$1/profile.csv" >/tmp/seconds
	instructions=$(column event_1_per_s "/root/$1/profile.csv" | paste /tmp/seconds - | awk '{ n += $1 * $2 } END { printf "%.0f", n }')
	cycles=$(column event_2_per_s "/root/$1/profile.csv" | paste /tmp/seconds - | awk '{ n += $1 * $2 } END { printf "%.0f", n }')
	ok "instructions of the program, and a sampler" near $known "$instructions" 0.1
	ok 'cycles: 4 an instruction on this machine' near $((4 * instructions)) "$cycles" 0.02
done
done_testing
