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

# Pictures that are asked for stand in place of the usual ones.
run --mine times.csv --target time --set 'mine.plot=line x=lines colour=width,box x=isa y=time log=y' --ascii
expect_exit 0
expect_out 'Mean of time over lines'
expect_out 'time by isa'
expect_out 'width 256'
expect_not_out 'Density of time'
run --mine times.csv --target time --set 'mine.plot=scatter x=lines y=time colour=isa' --svg plot.svg --html plot.html
expect_exit 0
grep -q '>time over lines<' plot.svg || fail 'expected the plot in the document'
grep -q '>time over lines<' plot.html || fail 'expected the plot on the page'
# What cannot be drawn is refused at its place.
mkdir -p "$XDG_CONFIG_HOME/tprof"
printf 'mine:\n  target: time\n  plot: [box x=isa, line x=linse]\n' >"$XDG_CONFIG_HOME/tprof/config.yaml"
run --mine times.csv
expect_exit 2
expect_err 'config.yaml:3:9: mine.plot "line x=linse": times.csv has no column "linse"'
expect_err 'did you mean lines?'
rm "$XDG_CONFIG_HOME/tprof/config.yaml"
run --mine times.csv --target time --set 'mine.plot=pie x=lines'
expect_exit 2
expect_err '"pie" is not a kind of picture'
expect_err 'begin with scatter, line, density, box or heat'

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

# The preset of a run is checked before anything is measured, at the place in the file.
sed 's/^  target: .*/&\n  plot: [line x=working_set_bytes colour=threads, box x=thraeds]/' swept.yaml >plots.yaml
run --check plots.yaml
expect_exit 2
expect_err 'plots.yaml:9:9: mine.plot: the results have no column "thraeds"'
expect_err 'did you mean threads?'
sed 's/median_gbps/median_gpbs/' swept.yaml >typo.yaml
run --check typo.yaml
expect_exit 2
expect_err 'typo.yaml:8:11: mine.target: the results have no column "median_gpbs"'
sed -i 's/thraeds/threads/' plots.yaml
run --batch plots.yaml --simulate --machine zen4 --run-dir plots --report always --svg plots.svg
expect_exit 0
expect_err 'Mean of median_gbps over working_set_bytes'
expect_err 'median_gbps by threads'
run --show plots
expect_out 'median_gbps by threads'

# Tables of other programs: a note has what was decided, and mine.read overrides it.
awk 'BEGIN {
	printf "\357\273\277Kern;Zeit [ms]\r\n"
	for (i = 0; i < 60; i++)
		printf "%s;%d,%03d\r\n", i % 2 ? "a" : "b", i % 2 ? 1 : 8, i
}' >euro.csv
run --mine euro.csv
expect_exit 0
expect_out_line 'Zeit \[ms\] +numbers +60 +0 +1\.001 +8\.058'
expect_out 'semicolons separate the cells; commas are decimal'
run --mine euro.csv --target 'Zeit [ms]'
expect_exit 0
expect_out 'Kern = '
run --mine euro.csv --set mine.read=decimal:point
expect_exit 0
expect_out_line 'Zeit \[ms\] +numbers +60 +0 +1001 +8058'
run --mine euro.csv --set mine.read=sep:comma,header:no
expect_exit 0
expect_out '2 columns'
run --mine euro.csv --set mine.read=sep:
expect_exit 2
expect_err 'mine.read: "sep:" is not allowed'
expect_err 'decimal:comma'

# Rows that cannot be read are counted, also without a target, and lower the trust.
awk 'BEGIN { print "k,n"; for (i = 0; i < 80; i++) print (i % 2 ? "a,1" : "b,8") (i % 4 ? "" : ",x,y") }' >wide.csv
run --mine wide.csv
expect_exit 0
expect_out '20 of 80 rows are left out: 20 with too many cells'
run --mine wide.csv --target n
expect_exit 0
expect_out_line 'Quality  fair'
expect_out 'of 80 rows could not be read'

# A word among numbers is missing; a common unit is taken off.
awk 'BEGIN { print "k,bw"; for (i = 0; i < 48; i++) print (i % 2 ? "a,10." : "b,80.") i " GB/s"; print "a,DNF" }' >units.csv
run --mine units.csv --target bw
expect_exit 0
expect_out '1 of 49 cells of bw'
expect_out 'DNF'
expect_out '1 of 49 rows is left out for want of a value'
expect_out 'bw in GB/s'

# JSON that is not of a run.
printf '{"context": {}, "benchmarks": [{"name": "BM/1", "real_time": 1.5}, {"name": "BM/2", "real_time": 2.5}]}' >gb.json
run --mine gb.json
expect_exit 0
expect_out_line 'real_time +numbers +2 +0 +1\.5 +2\.5'

# Several tables are one, with their names in a column.
printf 'k,ns\na,1\nb,8\n' >one.csv
printf 'k,ns,more\na,2.5\nc,9,x\n' >two.csv
run --mine one.csv two.csv
expect_exit 0
expect_out 'one.csv + two.csv'
expect_out '4 columns, 4 rows'
expect_out_line 'source +words +2 +0 +one.csv +two.csv'
expect_out_line 'ns +numbers +4 +0 +1 +9'
expect_out_line 'more +words +1 +3 +x'
expect_out 'one.csv: has no column more'
run --mine one.csv swept
expect_exit 2
expect_err 'swept: is a run: only tables can be joined'

# A limit of memory is met before anything is learned, and read before everything is.
awk 'BEGIN {
	print "a,b,c,time"
	for (i = 0; i < 40000; i++)
		printf "%d,%d,%d,%d\n", i * 7919 % 10007, i * 104 % 997, i * 31 % 211, i * 271 % 9973
}' >large.csv
if (ulimit -v 60000 && "$TPROF" --version) >out 2>&1; then
	ran='ulimit -v 60000; tprof --mine large.csv'
	(ulimit -v 60000 && "$TPROF" --mine large.csv --target time) >out 2>err
	status=$?
	expect_exit 4
	expect_err 'large.csv: learning from 40000 rows and 3 columns may take'
	expect_err 'mine.filter'
	(ulimit -v 60000 && "$TPROF" --mine large.csv --target time --set mine.learn=tree) >out 2>err
	status=$?
	expect_exit 0
fi

# A tree needs rows; a line does with fewer.
awk 'BEGIN { print "n,k,ns"; for (i = 1; i <= 19; i++) print i * i % 7 "," (i % 2 ? "a," : "b,") i % 2 * 8 + i / 100 }' >few.csv
run --mine few.csv --target ns
expect_exit 2
expect_err '19 rows are too few for a tree, which needs 20'
expect_err 'mine.learn=regression,correlation'
run --mine few.csv --target ns --set mine.learn=regression
expect_exit 0
expect_out '19 rows'

# A row that begins like a frame of a table is a row, also where a buffer ends within it, as with names of the first two lengths.
for name in d dd ddddddd; do
	awk -v name=$name 'BEGIN { print "a b c", name, "e"; for (i = 0; i < 140000; i++) print "- - -", 10 + i % 10, 10 + i % 10 * 7 + i % 3 }' >frames.txt
	run --mine frames.txt --target e --set mine.learn=regression
	expect_exit 0
	expect_out ' of 140000 rows'
done
