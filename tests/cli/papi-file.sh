# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Metrics as derived events of PAPI, the whole way: readings are classified, the file is written, and a program that uses only PAPI adds the
# metrics by name. The readings name software events of the kernel, which count on most machines: their meaning does not
# matter, only that PAPI computes from their counts the same as the classification.
expected='2 2 1.5 0 0
2 2 1 0 0
2 2 2 0 0
2 2 1.5 0 .5
2.5 2.5 1.5 0 .5
2.5 2.5 2 0 .5
2.5 2 1.5 0 .5
3 2.5 1.5 0 .5
3 2.5 2 0 .5
2 2 1 1 0
1 1 1 0 0'
{
	echo 'family,event,row,repetition,count,iterations'
	awk '{
		split("TASK-CLOCK PAGE-FAULTS MINOR-FAULTS CPU-CLOCK CONTEXT-SWITCHES", name, " ")
		for (i = 1; i <= 5; i++)
			# MINOR-FAULTS counts two for one, so that a coefficient is a fraction.
			printf "branch,perf::%s,%d,0,%.0f,1000\n", name[i], NR - 1, $i * 1000 * (i == 3 ? 2 : 1)
	}' <<<"$expected"
} >readings.csv

run --classify readings.csv --papi-file metrics.csv
expect_exit 0
expect_file metrics.csv
for line in 'EVENT,BR_UNCOND,NOT_DERIVED,perf::CPU-CLOCK,LDESC,' \
	'EVENT,BR_TAKEN,DERIVED_POSTFIX,N0|2|/|,perf::MINOR-FAULTS,LDESC,' \
	'EVENT,BR_NOT_TAKEN,DERIVED_POSTFIX,N0|2|*|N1|-|2|/|,perf::PAGE-FAULTS,perf::MINOR-FAULTS,LDESC,'; do
	grep -qF -e "$line" metrics.csv || fail "expected in metrics.csv: $line; it holds: $(cat metrics.csv)"
done

# --- PAPI reads it ---

check=$(dirname "$TPROF")/tests/unit/papi_check
[ -x "$check" ] || skip_all 'built without PAPI, or without tests: nothing reads the file'
grep -q '^CPU,' metrics.csv || skip_all 'PAPI names no PMU of this machine'
natives='perf::TASK-CLOCK perf::PAGE-FAULTS perf::MINOR-FAULTS perf::CPU-CLOCK'
# shellcheck disable=SC2086
"$check" $natives >/dev/null 2>&1 || skip_all 'the software events of the kernel do not count here'
ran="PAPI_USER_EVENTS_FILE=metrics.csv papi_check ..."
status=0
# shellcheck disable=SC2086
PAPI_USER_EVENTS_FILE=$PWD/metrics.csv "$check" $natives BR_UNCOND BR_TAKEN BR_NOT_TAKEN BR_COND_RETIRED \
	BR_COND_EXECUTED >"$TMP/out" 2>"$TMP/err" || status=$?
expect_exit 0
value() {
	awk -v name="$1" '$1 == name { print $2 }' "$TMP/out"
}
same() { # same METRIC VALUE
	[ "$(value "$1")" = "$2" ] || fail "expected $1 to be $2"
}
[ "$(value perf::PAGE-FAULTS)" -ge 37 ] || fail 'expected at least the 37 page faults of papi_check'
minor=$(value perf::MINOR-FAULTS)
same BR_UNCOND "$(value perf::CPU-CLOCK)"
same BR_TAKEN "$((minor / 2))"
# Cut to a whole number by PAPI, as by the shell.
same BR_NOT_TAKEN "$(((2 * $(value perf::PAGE-FAULTS) - minor) / 2))"
same BR_COND_RETIRED "$(value perf::PAGE-FAULTS)"
same BR_COND_EXECUTED "$(value perf::TASK-CLOCK)"
