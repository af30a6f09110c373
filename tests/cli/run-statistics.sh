# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Samples, invocations and the rules for stopping.
small_preset point.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 512KiB]
END

# Several fresh processes: the interval cannot be that narrow, so all of them are needed. Every sample is in the record.
run --batch point.yaml --set invocations=3 --set stop.error=0.0001 --set stop.error_dram=0.0001 --csv --run-dir three --events -o three.csv
expect_exit 0
expect_count 3 '"ev":"hello"' out
expect_cells invocations '3 3' three.csv
for invocation in 0 1 2; do
	if [ $invocation -gt 0 ] && [ "$(count "\"invocation\": $invocation}" three/run.json)" -lt 6 ]; then
		fail "expected samples of invocation $invocation"
	fi
	grep -q "\"ev\":\"hello\".*\"invocation\":$invocation}" three/journal.ndjson || fail "expected a process for invocation $invocation"
done
[ "$(sed -n 's/.*"ev":"hello".*"pid":\([0-9]*\).*/\1/p' out | sort -u | wc -l)" -eq 3 ] || fail 'expected three processes'

# A rule that is easily content: one process is enough.
run --batch point.yaml --set invocations=3 --set stop.error=0.5 --set stop.error_dram=0.5 --csv --events -o one.csv
expect_exit 0
[ "$(count '"ev":"hello"' out)" -le 3 ] || fail 'expected at most three processes'

# Samples and windows: no more than max_samples, and kept and dropped add up to what was seen.
run --batch point.yaml --set stop.max_samples=5 --set stop.error=0.0001 --set stop.error_dram=0.0001 --set stop.max_time=1min --csv --run-dir five
expect_exit 0
paste <(column samples) <(column dropped) | awk '$1 + $2 != 5 { bad = 1 } END { exit bad || NR != 2 }' || fail 'expected five windows a point'
expect_count 10 '"rate": ' five/run.json
expect_cells flags 'not-converged not-converged' <(sed 's/[a-z-]*|\(not-converged\)/\1/; s/\(not-converged\)|[a-z|-]*/\1/' out)

# Nor more when an interval that is narrow enough would rather be looked at longer.
run --batch point.yaml --set stop.basis=mean --set stop.max_samples=5 --set stop.error=0.5 --set stop.error_dram=0.5 --csv
expect_exit 0
paste <(column samples) <(column dropped) | awk '$1 + $2 > 5 { bad = 1 } END { exit bad || NR != 2 }' || fail 'expected at most five windows a point'

# The mean and the trimmed rule.
for basis in mean trimmed; do
	run --batch point.yaml --set stop.basis=$basis --set stop.max_samples=40 --set stop.max_time=1s --set stop.error=0.5 \
		--set stop.error_dram=0.5 --set stop.trim_tolerance=1 --csv
	expect_exit 0
	expect_numbers median_gbps
	expect_between ci_low ci_low ci_high
done

# --strict: a point with a flag is not good enough.
run --batch point.yaml --set stop.error=0.0001 --set stop.error_dram=0.0001 --strict
expect_exit 5
run --batch point.yaml --set stop.error=0.0001 --set stop.error_dram=0.0001
expect_exit 0
