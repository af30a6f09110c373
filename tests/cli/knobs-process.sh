# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"
program=
trap 'kill "$program" 2>/dev/null' EXIT # a test that fails leaves nothing that works on

# Scheduling class and priority of the measuring process; tprof itself keeps its own.
long_preset long.yaml
nice_of() { # fields of /proc/PID/stat behind the name: 17 nice, 39 policy
	sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f "$2"
}
start --batch long.yaml --run-dir nice --set knobs.priority=7 --set knobs.scheduler=batch
await begun nice/journal.ndjson 1
victim=$(engine nice/journal.ndjson)
[ "$(nice_of "$victim" 17)" = 7 ] || fail "expected the engine at nice 7: $(cat "/proc/$victim/stat")"
[ "$(nice_of "$victim" 39)" = 3 ] || fail "expected the engine in the class batch: $(cat "/proc/$victim/stat")"
[ "$(nice_of "$program" 17)" = "$(nice_of $$ 17)" ] || fail 'expected tprof at the priority it was started with'
for thread in "/proc/$victim"/task/*; do
	[ "$(nice_of "${thread#/proc/}" 17)" = 7 ] || fail 'expected all threads at nice 7'
done
kill -INT "$program"
finish
expect_exit 130
grep -q '"got": "batch"' nice/run.json || fail 'expected the class in the record'
grep -q '"got": "7"' nice/run.json || fail 'expected the priority in the record'

# Real-time threads that may use all of the time would hang the machine: tprof refuses this class and measures without it.
small_preset short.yaml <<'END2'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: 8KiB
invocations: 3
END2
mkdir -p root/proc/sys/kernel
echo -1 >root/proc/sys/kernel/sched_rt_runtime_us
echo 1000000 >root/proc/sys/kernel/sched_rt_period_us
export TPROF_TEST_ROOT=$TMP/root
run --batch short.yaml --run-dir refused --set knobs.scheduler=fifo
expect_exit 0
expect_err 'knobs.scheduler: fifo is left out'
expect_err 'sudo sysctl kernel.sched_rt_runtime_us=950000'
expect_count 1 'fifo is left out' err
expect_count 1 '"where": "knobs.scheduler"' refused/run.json
tr -d '\n' <refused/run.json | grep -q '"scheduler": {    "before": "[a-z]*",    "wanted": "fifo",    "got": "[a-eg-z][a-z]*"' ||
	fail 'expected the record to say that it was not had'

# Where the class is permitted, it is set, and the run ends.
echo 950000 >root/proc/sys/kernel/sched_rt_runtime_us
share=$(cat /proc/sys/kernel/sched_rt_runtime_us 2>/dev/null || echo -1)
if [ "$share" -gt 0 ] && chrt -f 1 true 2>/dev/null; then
	run --batch short.yaml --run-dir fifo --set knobs.scheduler=fifo
	expect_exit 0
	grep -q '"got": "fifo 1, at most 95 % of the time"' fifo/run.json || fail 'expected fifo in the record'
else
	skip 'SCHED_FIFO is not permitted to this process'
fi
