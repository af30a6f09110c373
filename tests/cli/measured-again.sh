# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# A roof below that of the next level is measured once more, in a fresh process. Half of each simulated core is taken, so L2 gives less
# than the L3 of all: the second measurement agrees, and the report still calls it odd.
. "$TPROF_CLI/lib.sh"

run --batch quick --machine zen4 --simulate smt-neighbour-half --set isa=avx2 --run-dir odd
expect_exit 0
expect_err 'tprof: measured again: 1 point with results that contradict others'
expect_run odd complete
run --show odd
expect_exit 0
expect_out 'the roof of L2 ('
expect_out 'is lower than'
expect_out 'measured again: 1 point with results that contradict others'

# The journal holds both measurements; the later one counts.
twice=$(sed -n 's/.*"ev":"point_end".*"point":\([0-9]*\),.*/\1/p' odd/journal.ndjson | sort | uniq -d)
[ "$twice" = 1 ] || fail "expected that point 1 is measured twice, got: $twice"
[ "$(grep -c '"ev":"point_end".*"point":[02-5],' odd/journal.ndjson)" -eq 5 ] || fail 'expected each other point once'
[ "$(column point odd/points.csv | grep -cx 1)" -eq 1 ] || fail 'expected one result of point 1'
rm -rf again
cp -R odd again
rm again/run.json
run --show again --csv
expect_exit 0
cut -d, -f1-20 odd/points.csv >"$TMP/kept"
cut -d, -f1-20 "$TMP/out" | cmp - "$TMP/kept" || fail 'the journal and the record differ'

# Where nothing contradicts anything, nothing is measured again.
run --batch quick --machine zen4 --simulate --set isa=avx2 --run-dir plain
expect_exit 0
expect_not_err 'measured again'
