# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: readings that are wrong in every way.
. "$TPROF_CLI/lib.sh"

# Broken readings: every error is reported with its place, and the rest is analysed.
data="$TPROF_SRCDIR/tests/counters"

# Lines of a table.
{
	echo family,event,row,repetition,count,iterations
	for row in 0 1 2 3 4 5 6 7 8 9 10; do
		set -- 2 2 2 2 2.5 2.5 2 2.5 2.5 2 1
		shift $row
		echo "branch,COND,$row,0,$1,1"
	done
	echo branch,BAD,0,0,-5,1
	echo branch,BAD,1,0,nan,1
	echo branch,BAD,2,0,1
} >readings.csv
run --classify readings.csv
expect_exit 1
expect_err 'readings.csv:13'
expect_err 'readings.csv:14'
expect_err 'readings.csv:15'
expect_out_line '1 +COND +.*CR'

# Output of the toolkit, with good and incomplete files.
mkdir mixed
cp "$data"/cat-stepped/*.branch "$data"/cat-stepped/*DP_256.vec mixed
head -n 7 "$data/cat-stepped/step::COND.branch" >'mixed/CUT.branch'
printf -- '-1.00\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 >'mixed/NEGATIVE.branch'
printf '99999999999999999999\n' >'mixed/HUGE.branch'
: >'mixed/EMPTY.vec'
echo hello >mixed/README
run --classify mixed
expect_exit 1
expect_err 'CUT.branch:7: the file ends after 7 of 11 rows'
expect_err 'NEGATIVE.branch:1: the count -1 is negative'
expect_err 'HUGE.branch:1: the count 1e+20 is beyond 2^63'
expect_err 'EMPTY.vec: the file is empty'
expect_err 'README: a file of an unknown kind'
expect_out 'step::COND_TAKEN'
expect_out_line 'invalid +1 +CUT'

# Nothing can be analysed.
run --classify nowhere
expect_exit 2
mkdir empty
run --classify empty
expect_exit 2
expect_err "no output of PAPI's Counter Analysis Toolkit"
printf 'family,event,row,repetition,count,iterations\nunheard-of,E,0,0,1,1\n' >unknown.csv
run --classify unknown.csv
expect_exit 2
expect_err 'unheard-of'
expect_err 'no family in it could be analysed'
echo nonsense >nonsense.csv
run --classify nonsense.csv
expect_exit 2
expect_err 'nonsense.csv:1'
run --classify readings.csv --basis nowhere.yaml
expect_exit 2
expect_err 'nowhere.yaml'
run --basis x.yaml
expect_exit 2
expect_err '--basis belongs to --classify'
run --batch quick --papi-file x
expect_exit 2
expect_err 'no metrics of events'
