# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: classification of events.
. "$TPROF_CLI/lib.sh"

# What events count, from other sources: real output of PAPI's Counter Analysis Toolkit, a CSV, a run directory.
data="$TPROF_SRCDIR/tests/counters"

# The toolkit's own code, counted exactly by stepping: each instruction class is an event, so every metric is defined.
COLUMNS=120 run --classify "$data/cat-stepped" --ascii --color never
expect_exit 0
expect_no_err
expect_out_line 'Counters, branch, replay, 5 events, 11 rows, 1 repetition'
expect_out_line 'not taken branches +(exact|[0-9.e-]+) +0 % +defined +step::COND - step::COND_TAKEN'
expect_out_line 'mispredicted branches +1 +100 % +not here.*'
expect_out_line 'dependent +1 +step::BRANCHES +step::COND \+ step::JUMPS'
expect_out_line 'not representable +1 +step::INSTRUCTIONS +residual 0\.[0-9]+'
expect_out_line 'CE, M: counted by no event'
expect_out_line 'Counters, flops, replay, 20 events, 48 rows, 1 repetition'
expect_out_line ' *[0-9]+ +step::DP_512_FMA +.* DP_512_FMA'
expect_out_line 'dependent +3 +step::DP_256_BOTH +step::DP_256 \+ 2 x step::DP_256_FMA'
LC_ALL=C grep -q '[^ -~]' out && fail 'expected pure ASCII'

# No line is wider than the terminal, in UTF-8 as well.
for columns in 80 120; do
	COLUMNS=$columns run --classify "$data/cat-stepped"
	wide=$(LC_ALL=C.UTF-8 wc -L <out)
	[ "$wide" -le "$columns" ] || fail "expected at most $columns columns, not $wide"
done

# The reason why an event was dropped, and a question about an event that does not exist.
run --classify "$data/cat-stepped" --explain '*both' --output why.txt
expect_exit 0
grep -q '^flops: step::DP_256_BOTH$' why.txt || fail 'expected the family in the heading'
grep -A 3 '^flops: step::DP_256_BOTH$' why.txt | tr -s '\n ' ' ' |
	grep -q 'DP_256_BOTH Dropped, it counts nothing new: it is step::DP_256 + 2 x step::DP_256_FMA\.' ||
	fail 'expected the answer about DP_256_BOTH first'
grep -q 'Counters.*flops' why.txt || fail 'expected the report beside the answer'

# Only the answer, if no report is requested; nothing if neither is.
COLUMNS=120 run --classify "$data/cat-stepped" --explain 'step::COND' --report=never
expect_exit 0
[ "$(sed -n 1p out)" = 'branch: step::COND' ] || fail 'expected the heading of the event'
[ "$(sed -n 2p out)" = '  Chosen, 1st of 3: it counts CR, which no event chosen before it counts.' ] || fail 'expected the answer'
sed -n 3p out | grep -q '^  It is part of not taken branches (1 x)' || fail 'expected the metrics that use it'
grep -q 'Counters' out && fail 'expected no report'
run --classify "$data/cat-stepped" --report=never
expect_exit 0
[ ! -s out ] || fail 'expected no output without report'

# A page a family; --report=full adds pictures and values.
COLUMNS=120 run --classify "$data/cat-stepped"
short=$(wc -l <out)
grep -q 'Counts of' out && fail 'expected no pictures in a short report'
expect_out '--report=full adds'
COLUMNS=120 run --classify "$data/cat-stepped" --report=full
grep -q 'Counts of' out || fail 'expected pictures in a full report'
[ "$(wc -l <out)" -gt "$((short + 40))" ] || fail 'expected more lines in a full report'
run --classify "$data/cat-stepped" --explain nothing
expect_exit 2
expect_err 'no event is called "nothing"'
expect_out 'Counters'

# Data: JSON, a row for each event, derived events for PAPI, pictures.
run --classify "$data/cat-stepped" --json -o -
expect_exit 0
if have python3; then
	python3 - out <<'END' 2>why || fail "JSON: $(cat why)"
import json, sys
f = json.load(open(sys.argv[1]))["families"]["flops"]
assert len(f["chosen"]) == 16, f["chosen"]
m = {m["symbol"]: m for m in f["metrics"]}["DP_OPS"]
assert m["defined"] and m["backward_error"] < 1e-12, m
terms = {t["event"]: t["rounded"] for t in m["terms"]}
assert terms == {"step::DP_SCALAR": 1, "step::DP_128": 2, "step::DP_256": 4, "step::DP_512": 8, "step::DP_SCALAR_FMA": 2,
                 "step::DP_128_FMA": 4, "step::DP_256_FMA": 8, "step::DP_512_FMA": 16}, terms
END
fi
run --classify "$data/cat-stepped" --csv
expect_exit 0
[ "$(wc -l <out)" -eq 26 ] || fail 'expected a head and a row for each of 25 events'
run --classify "$data/cat-stepped" --papi-file metrics.csv --svg pictures.svg --quiet
expect_exit 0
expect_file metrics.csv
grep -q '^EVENT,BR_NOT_TAKEN,DERIVED_POSTFIX,N0|N1|-|,step::COND,step::COND_TAKEN' metrics.csv ||
	fail 'expected not taken branches as a derived event'
grep -q 'Counts of branch events' pictures.svg || fail 'expected a picture of the counts'

# Software events: every benchmark is read; those that are not analysed are named, which is not an error.
run --classify "$data/cat-software"
expect_exit 0
expect_err 'sequential pattern'
expect_err 'family cat-icache has no basis'
expect_out 'dcache-write'
expect_out 'none: no event of this family'
run --classify "$data/cat-7.0"
expect_exit 0
expect_no_err
expect_out '36 rows of 48'

# A run directory and only its table give the same result; each output in a folder is a repetition.
mkdir twice
cp -R "$data/cat-stepped" twice/a
cp -R "$data/cat-stepped" twice/b
run --classify twice --ascii
expect_exit 0
expect_out '2 repetitions'
printf 'family,event,row,repetition,count,iterations\n' >readings.csv
for row in 0 1 2 3 4 5 6 7 8 9 10; do
	set -- 2 2 2 2 2.5 2.5 2 2.5 2.5 2 1
	shift $row
	printf 'branch,"RETIRED, ALL",%d,0,%s,1\n' "$row" "$1"
done >>readings.csv
run --classify readings.csv
expect_exit 0
expect_out_line '1 +RETIRED, ALL +.*CR'
"$TPROF" --classify - <readings.csv >from-stdin 2>&1 || fail 'expected readings from standard input'
cmp -s out from-stdin || fail 'expected the same from standard input'

# A user's own basis with two ideal events.
cat >mine.yaml <<'END'
name: cat-icache
title: mine
per: block
limits: {noise: 1, residual: 1, alpha: 1e-3, defined: 1e-3}
ideals: [{name: SOMETHING}]
rows: [{name: one, expect: {SOMETHING: 1}}]
metrics: [{name: a thing, symbol: THING, signature: {SOMETHING: 1}}]
END
printf 'family,event,row,repetition,count,iterations\ncat-icache,E,0,0,20,10\n' >mine.csv
run --classify mine.csv --basis mine.yaml
expect_exit 0
expect_out_line 'a thing +exact +0 % +defined +0\.5 x E'
