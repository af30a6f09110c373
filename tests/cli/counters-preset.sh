# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: counted events from the preset to the report.
. "$TPROF_CLI/lib.sh"

# The shipped preset does what is possible here and reports what it leaves out; that is not a failure. The emulated events come from the nearest real CPU.
run --batch counters --set families=branch,flops --set source=emulated --run-dir emulated --report=never
if grep -q 'cannot be stepped\|no kernels for' err; then
	skip 'the kernels cannot be stepped here'
	exit 0
fi
expect_exit 0
expect_err 'counters.habit: the emulated events are modelled on '
COLUMNS=100 run --show emulated
expect_exit 0
expect_out_line 'branch: chosen events, and what each counts'
expect_out_line 'flops: chosen events, and what each counts'
expect_out 'adds the pictures and the values of dropped events'
grep -q 'Noise of' out && fail 'expected no pictures of families in a short report'
grep -Eq '[0-9]e-(1[1-9]|[2-9][0-9])' <(grep -v 'noise up to\|defined up to\|an error of' out) && fail "expected rounding to be called exact: $(cat out)"
COLUMNS=100 run --show emulated --report=full
grep -q 'Noise of branch events' out || fail 'expected the pictures in a full report'

# Hardware events where they start, else the emulation with a note: both succeed.
run --batch counters --set families=branch --set counters.repetitions=1 --run-dir auto --report=never
expect_exit 0

# Interrupts make some readings too high. They are taken again, and the record counts those left out.
run --batch counters --set families=instructions --set source=emulated --set counters.interrupts=5% --run-dir interrupted --report=never
expect_exit 0
COLUMNS=120 run --show interrupted --ascii
expect_out_line 'Counters, instructions, emulated, .*, 2 repetitions, [0-9]+ disturbed left out'
expect_out_line '^instructions +exact +0 % +defined .*'
run --classify interrupted/readings.csv --explain '*INST*' --report=never
expect_exit 0

# What cannot be stepped is left out of the plan, and that is not a failure either.
run --batch counters --set families=branch,traffic,blas --set source=emulated --set counters.scale=1 --set counters.repetitions=1 \
	--run-dir scaled --report=never
expect_exit 0
grep -Eq 'blas/gemm: [0-9]+ of 108 rows are left out: two passes are [0-9]+ instructions, the limit is 30000' err ||
	fail "expected the rows that are left out: $(cat err)"
[ "$(grep -c 'blas/gemm: ' err)" -eq 1 ] || fail 'expected to hear of rows that are left out once'

# A reason that many events share stands below the table, once.
run --list events
if [ "$(cat code 2>/dev/null || echo "$status")" = 0 ] && grep -q ' reason 1$' out; then
	expect_err 'reason 1 ('
	[ "$(grep -c '^reason 1 (' err)" -eq 1 ] || fail 'expected each reason once'
fi

# The events that the kernel names itself need no PAPI; those of the hardware are counted on machines of tests/lab.
run --list events
if grep -qE '^task-clock +yes' out; then
	run --batch counters --set source=perf --set counters.events=task-clock --set families=branch --run-dir perf --report=never
	expect_exit 0
	[ "$(awk -F, '$2 == "task-clock" { print $3 }' perf/readings.csv | sort -u | wc -l)" -eq 11 ] || fail 'expected readings of every row'
else
	skip 'the kernel counts no events here'
fi
