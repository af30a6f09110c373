# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# When the program itself is killed, its engine ends too, and the journal has the measurements.
long_preset long.yaml
start --batch long.yaml --set name=torn
# The folder of all runs is there a moment before that of this one.
has_journal() { compgen -G "$XDG_DATA_HOME/tprof/runs/*torn/journal.ndjson"; }
await has_journal
set -- "$XDG_DATA_HOME"/tprof/runs/*torn
await begun "$1/journal.ndjson" 1
victim=$(engine "$1/journal.ndjson")
alive "$victim" || fail 'expected an engine'
kill -KILL "$program"
finish
expect_exit 137
await gone "$victim"

grep -qxF '"state": "running",' "$1/run.json" || fail 'expected a run.json that knows of no end'
[ ! -e "$1/points.csv" ] || fail 'expected no results'
expect_count 1 '"ev":"point_end"' "$1/journal.ndjson"
grep -q '"ev":"point_end".*"point":0,.*"state":"done"' "$1/journal.ndjson" || fail 'expected the finished point in the journal'
# A busy machine gives few: as many at least as its value comes from.
kept=$(sed -n 's/.*"ev":"point_end".*"samples":\([0-9]*\).*/\1/p' "$1/journal.ndjson")
[ "$(grep -c '"ev":"sample".*"point":0,' "$1/journal.ndjson")" -ge "${kept:?}" ] || fail 'expected its samples in the journal'

run --list runs
expect_exit 0
expect_out torn
expect_out interrupted
