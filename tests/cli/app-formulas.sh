# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# A program is counted by the formulas of a run of counter classification: a made-up one, with events that every kernel has.
. "$TPROF_CLI/lib.sh"

# app ARGUMENT...: counted by the CPU's counters, quickly.
app() {
	run --app --app-source pmu --set app.roofs=none --set app.runs=1 --set stop.max_samples=1 "$@" -- true
}

# classified NAME SOURCE LOADS: a run of this CPU.
runs=$XDG_DATA_HOME/tprof/runs
classified() {
	mkdir -p "$runs/$1"
	sed -e "s/@CPU@/$cpu/; s/@SOURCE@/$2/; s/@DP@/DP_OPS/; s/@LOADS@/$3/" "$TPROF_SRCDIR/tests/app/classified.json" >"$runs/$1/run.json"
}

# In any case the run records the CPU.
app --run-dir here --set app.formulas=off
cpu=$(sed -n 's/^  "cpu": "\(.*\)",$/\1/p' here/run.json)
[ -n "$cpu" ] || skip_all 'the CPU has no name here'
cpu=$(printf '%s' "$cpu" | sed 's/[&/\\]/\\&/g')

# A run that is asked for by name and cannot be taken is refused in words.
classified 2026-01-01-000000-emulated emulated perf::PAGE-FAULTS
app --set app.formulas=emulated
expect_exit 1
expect_err 'the events of this run are not hardware events (emulated)'
app --set app.formulas=nothing-of-that-name
expect_exit 1
expect_err 'there is no such run'

classified 2026-01-02-000000-counters papi perf::PAGE-FAULTS
app --set app.formulas=counters
if grep -q 'built without libpfm4' err; then
	expect_exit 1
	expect_err 'libpfm4-dev'
	skip 'this tprof was built without libpfm4'
	exit 0
fi
if grep -qE 'is not permitted while|cores of two kinds|Function not implemented' err; then
	expect_exit 1
	skip 'programs may not be counted here'
	exit 0
fi
expect_exit 0

# The newest run with hardware events is found and reported; the counts are page faults times the coefficients.
app
expect_exit 0
expect_err 'DP operations by the formula of 2026-01-02-000000-counters: 2.5 x perf::PAGE-FAULTS'
expect_err 'SP operations by the formula of 2026-01-02-000000-counters: 3 x perf::MINOR-FAULTS + 300 x perf::MAJOR-FAULTS'
run --show last --json
flops=$(sed -n 's/.*"flops_dp": *\([0-9]*\).*/\1/p' out | head -n 1)
[ "$flops" -ge 50 ] || fail "expected page faults as operations, found $flops"
run --show last
expect_out 'DP operations by the formula of 2026-01-02-000000-counters'

# An unknown event: for loads it leaves a note, and they are counted in another way or not at all.
classified 2026-01-03-000000-counters papi perf::NO-SUCH-EVENT
app
expect_exit 0
expect_err 'the formula of 2026-01-03-000000-counters for load instructions cannot be used: libpfm4 finds no event perf::NO-SUCH-EVENT'

# Who counts every instruction needs no formula.
app --app-source agent --set app.formulas=off
expect_err 'only counters of the CPU use formulas'
