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

# Several fresh processes: no interval is narrow enough, so all of them are needed. The record has every sample.
run --batch point.yaml --set invocations=3 --set stop.error=0.0001 --set stop.error_dram=0.0001 --csv --run-dir three --events -o three.csv
expect_exit 0
expect_count 3 '"ev":"hello"' out
expect_cells invocations '3 3' three.csv
for invocation in 0 1 2; do
	if [ $invocation -gt 0 ] && [ "$(count "\"invocation\": $invocation," three/run.json)" -lt 6 ]; then
		fail "expected samples of invocation $invocation"
	fi
	grep -q "\"ev\":\"hello\".*\"invocation\":$invocation}" three/journal.ndjson || fail "expected a process for invocation $invocation"
done
[ "$(sed -n 's/.*"ev":"hello".*"pid":\([0-9]*\).*/\1/p' out | sort -u | wc -l)" -eq 3 ] || fail 'expected three processes'

# With a wide error one process is enough.
run --batch point.yaml --set invocations=3 --set stop.error=0.5 --set stop.error_dram=0.5 --csv --events -o one.csv
expect_exit 0
[ "$(count '"ev":"hello"' out)" -le 3 ] || fail 'expected at most three processes'

# Samples and windows: at most max_samples, and kept and dropped ones add up to all. On a quiet machine: a disturbed point is measured again.
run --batch point.yaml --machine zen4 --simulate quiet --set stop.max_samples=5 --set stop.error=0.0001 --set stop.error_dram=0.0001 \
	--set stop.max_time=1min --csv --run-dir five
expect_exit 0
paste <(column samples) <(column dropped) |
	awk '$1 + $2 != 5 { bad = 1 } END { exit bad || NR != 2 }' || fail 'expected five windows a point'
expect_count "$(paste <(column samples) <(column dropped) | awk '{ n += $1 + $2 } END { print n }')" '"rate": ' five/run.json
expect_cells flags 'not-converged not-converged' <(sed -E 's/([a-z-]+\|)*not-converged(\|[a-z-]+)*/not-converged/' out)

# The limit also holds when a point would like more windows after its interval is narrow enough.
run --batch point.yaml --machine zen4 --simulate quiet --set stop.basis=mean --set stop.max_samples=5 --set stop.error=0.5 \
	--set stop.error_dram=0.5 --csv
expect_exit 0
paste <(column samples) <(column dropped) |
	awk '$1 + $2 > 5 { bad = 1 } END { exit bad || NR != 2 }' || fail 'expected at most five windows a point'

# The mean, the trimmed rule, and the mean without outliers.
for basis in mean trimmed sigma; do
	run --batch point.yaml --set stop.basis=$basis --set stop.max_samples=40 --set stop.max_time=1s --set stop.error=0.5 \
		--set stop.error_dram=0.5 --set stop.trim_tolerance=1 --csv
	expect_exit 0
	expect_numbers median_gbps
	expect_between ci_low ci_low ci_high
done
# One group of five is enough, whatever stop.min_count says of the other rules; on a quiet machine, as disturbed windows do not count.
run --batch point.yaml --machine zen4 --simulate quiet --set stop.basis=trimmed --set stop.trim_tolerance=1 --csv
expect_exit 0
column samples | awk '$1 < 5 || $1 > 9 { bad = 1 } END { exit bad || NR != 2 }' || fail "expected one group of windows a point; got $(column samples)"

# stop.sigmas belongs to that basis, and has its range.
run --batch point.yaml --machine zen4 --simulate quiet --set stop.basis=sigma --set stop.sigmas=2 --csv
expect_exit 0
run --dry-run point.yaml --set stop.sigmas=2
expect_err 'stop.sigmas: has no effect here'
expect_err 'it belongs to stop.basis=sigma'
run --dry-run point.yaml --set stop.basis=sigma --set stop.sigmas=0.5
expect_exit 2
expect_err 'stop.sigmas: "0.5" is out of range'

# Three windows are taken at least, or there is no value; so few are poor. --strict fails on that, at any level; without it nothing fails.
run --batch point.yaml --machine zen4 --simulate quiet --set stop.max_samples=1 --csv
expect_exit 0
expect_cells samples '3 3'
expect_cells quality 'fair poor'
for level in --strict --strict=poor --strict=fair; do
	run --batch point.yaml --machine zen4 --simulate quiet --set stop.max_samples=1 $level
	expect_exit 5
done

# Five windows of a quiet machine are fair: --strict lets them pass, --strict=fair does not.
run --batch point.yaml --simulate quiet --machine zen4 --set window=1ms --set stop.max_time=1s --set stop.max_samples=5 --set stop.error=0.0001 \
	--set stop.error_dram=0.0001 --csv --strict
expect_exit 0
expect_cells quality 'fair fair'
run --batch point.yaml --simulate quiet --machine zen4 --set window=1ms --set stop.max_time=1s --set stop.max_samples=5 \
	--set stop.error=0.0001 --set stop.error_dram=0.0001 --strict=fair
expect_exit 5
run --batch point.yaml --strict=bad
expect_exit 2
expect_err 'poor or fair'
