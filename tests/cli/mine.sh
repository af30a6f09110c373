# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: tables of others.
. "$TPROF_CLI/lib.sh"

# --mine: tables of anybody and runs, on the command line, in a preset, and when they are shown later.

# The time is 50, but 200 from three lines on; 500 from five on if the width is 256. Each row is a little slower than the one before.
awk 'BEGIN {
	print "lines,width,isa,time"
	for (i = 0; i < 240; i++) {
		lines = 1 + i % 6; width = int(i / 6) % 2 ? 256 : 128
		time = lines <= 2 ? 50 : lines <= 4 || width == 128 ? 200 : 500
		printf "%d,%d,%s,%.3f\n", lines, width, substr("abc", int(i / 12) % 3 + 1, 1), time * (1 + 0.0001 * (i * 7 % 100))
	}
}' >times.csv

# Without a target the columns are listed.
run --mine times.csv
expect_exit 0
expect_out_line 'width +numbers +2 +0 +128 +256'
expect_out_line 'isa +words +3 +0 +a +c'
expect_err 'choose the column to explain: tprof --mine times.csv --target COLUMN'
run --mine times.csv --json
expect_exit 2
expect_err 'which column is to be explained?'

run --mine times.csv --target time
expect_exit 0
expect_no_err
expect_out_line 'Quality  good'
expect_out 'What matters most is'
expect_out_line '  lines <= 2: 50\.[0-9], all [0-9]+ rows'
expect_out 'lines > 4 and width = 256: 50'
expect_out_line 'held-out rows  48 of 48 rows right, 100\.0%'
expect_out 'Density of time, 3 categories'
awk 'length($0) > 4 * 80 { exit 1 }' out || fail 'expected at most 80 columns'

# As data; the seed makes it the same again.
run --mine times.csv --target time --json -o one.json
expect_exit 0
run --mine times.csv --set mine.target=time --set seed=1 --json -o two.json
cmp -s one.json two.json || fail 'expected the same result of the same seed'
expect_json one.json
run --mine times.csv --target time --csv
expect_exit 0
expect_out_line 'lines,width,isa,time,category,said,held_out,group'
[ "$(wc -l <out)" = 241 ] || fail 'expected a line for each row'
run --mine times.csv --target time --svg tree.svg
expect_exit 0
expect_no_out
expect_file tree.svg
grep -q '>&lt;= 2<' tree.svg || fail 'expected the tree in the document'
run --mine times.csv --target time --ascii
LC_ALL=C grep -q '[^ -~]' out && fail 'expected pure ASCII'

# What cannot be: words, place, and what to do.
run --mine times.csv --target tim
expect_exit 2
expect_err 'mine.target: times.csv has no column "tim"'
expect_err 'did you mean time?'
run --mine times.csv --target time --set 'mine.filter=lines > 9'
expect_exit 2
expect_err 'no row is left: the conditions leave out all 240'
run --mine nosuch.csv --target time
expect_exit 2
run --mine nosuch
expect_exit 2
run --target time --list isas
expect_exit 2
expect_err 'tprof --mine results.csv --target time'

# A run keeps what its preset said, and says it again.
cat >swept.yaml <<'END'
name: swept
experiment: memcurve
isa: scalar
ratio: [1:0, 2:1]
threads: [1, 2]
size_max: 4MiB
mine:
  target: median_gbps
  features: [working_set_bytes, threads, loads]
  categories: quantiles
  bins: 3
END
run --batch swept.yaml --simulate --machine zen4 --run-dir swept --report always
expect_exit 0
expect_err 'median_gbps by 3 columns'
run --show swept
expect_exit 0
expect_out 'median_gbps by 3 columns'
expect_out 'Cut into ranges with equally many rows.'
run --mine swept
expect_exit 0
expect_out 'Cut into ranges with equally many rows.'
# Another target starts anew: isa and experiment are the same everywhere.
run --mine swept --target core_ghz
expect_exit 0
expect_not_out 'by 3 columns'
run --batch swept.yaml --simulate --machine zen4 --set mine.depth=99
expect_exit 2
expect_err 'mine.depth'
