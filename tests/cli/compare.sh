# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: runs side by side.
. "$TPROF_CLI/lib.sh"

# --compare: runs and tables against each other, with an exit status for scripts.

# table FILE [ISA:LEVEL FACTOR]...: a points.csv of two ISAs with undisturbed values; the named ones are multiplied by a factor.
table() {
	local file=$1
	shift
	awk -v changes="$*" '
	BEGIN {
		n = split(changes, f, " ")
		for (i = 1; i < n; i += 2) factor[f[i]] = f[i + 1]
		print "point,experiment,kernel,isa,precision,threads,level,fp_op,working_set_bytes,loads,stores," \
			"median_gbps,median_gflops,ci_low,ci_high,samples,flags"
		split("scalar avx2", isas, " ")
		split("L1 L2 L3 DRAM FP", levels, " ")
		split("59 59 55 25 14.8 236 118 100 32 59.1", rates, " ")
		for (i = 1; i <= 2; i++) {
			bytes = 16384
			for (l = 1; l <= 5; l++) {
				key = isas[i] ":" levels[l]
				v = rates[5 * (i - 1) + l] * (key in factor ? factor[key] : 1)
				fp = l == 5
				bytes *= 4
				printf "%d,roofline,%s,%s,double,1,%s,%s,%s,%s,%s,%s,%s,%.10g,%.10g,24,\n", p++, fp ? "fma" : "load",
					isas[i], levels[l], fp ? "fma" : "", fp ? "" : bytes, fp ? "" : 1, fp ? "" : 0,
					fp ? "" : v, fp ? v : "", v * 0.998, v * 1.002
			}
		}
	}' >"$file"
}

# A table with itself: nothing is worse.
table old.csv
run --compare old.csv old.csv
expect_exit 0
expect_no_err
[ "$(tail -n 1 out)" = 'tprof: 10 points: 10 same' ] || fail 'expected the verdict as the last line'
awk 'length($0) > 80 { exit 1 }' out || fail 'expected at most 80 columns'
# No row is needed: one line shows what would have counted.
expect_out 'Nothing changed: 10 same'
expect_out 'Smallest change that would count here: FP '
expect_not_out '+0.0'
expect_not_out 'ridge points'

# Two different tables: a roof that lost 3 % is slower, and so is the status; better is not worse.
table new.csv avx2:L1 0.97
run --compare old.csv new.csv
expect_exit 1
tail -n 1 out | grep -qE '^tprof: 10 points: 9 same, 1 slower; slower: L1 avx2 load double 1 thread -3\.0 % \[-[0-9.]+ -[0-9.]+\]$' ||
	fail 'expected the roof with its interval in the verdict'
grep -qE '^avx2 .*-3\.0 .*slower' out || fail 'expected the row that changed'
! grep -q scalar out || fail "expected no row of what is the same"
expect_out 'The others: 9 same'
expect_out 'ridge points'
run --compare new.csv old.csv
expect_exit 0
expect_out '1 faster'

# The user sets the tolerance; a narrow one is finer than such runs can resolve.
run --compare old.csv new.csv --tolerance 50%
expect_exit 0
expect_out '10 same'
run --compare old.csv old.csv --tolerance 0.001
expect_exit 0
expect_out '10 unclear'
expect_out 'No change was found: 10 unclear'
expect_not_out '+0.0'
expect_out 'invocations=5'
run --compare old.csv old.csv --tolerance 0.001 --strict
expect_exit 5

# A disturbed point may be slow only because of the disturbance.
sed '7s/$/disturbed/' new.csv >noisy.csv
run --compare old.csv noisy.csv
expect_exit 0
expect_out '1 unclear'
expect_out 'disturbed (1)'

# Three runs: the first is the baseline of both others.
table third.csv scalar:FP 0.95
run --compare old.csv new.csv third.csv
expect_exit 1
expect_out 'B against A'
expect_out 'C against A'
expect_out '20 points: 18 same, 2 slower'

# Points without a partner are listed and get no verdict.
sed '7d' new.csv >short.csv
run --compare old.csv short.csv
expect_exit 0
expect_out 'In A, not in B: 1 point'
expect_out '9 points: 9 same, 1 unpaired'
run --compare old.csv short.csv --strict
expect_exit 5

# Across a dimension: one run with itself, and two runs with one ISA each.
run --compare old.csv --across isa
expect_exit 0
expect_out '5 points: 5 faster'
expect_out 'L2 avx2 load double 1 thread against scalar +100.0 %'
grep -v avx2 old.csv >scalar.csv
grep -v scalar old.csv >avx2.csv
run --compare avx2.csv scalar.csv
expect_exit 2
expect_err 'it has no point in common with avx2.csv'
expect_err '--across'
run --compare avx2.csv scalar.csv --across isa
expect_exit 1
expect_out '5 points: 5 slower'

# Data: one row for each pair; the verdict goes to stderr then.
run --compare old.csv new.csv --csv
expect_exit 1
expect_err 'tprof: 10 points: 9 same, 1 slower'
[ "$(wc -l <out)" -eq 11 ] || fail 'expected a head and ten rows'
expect_cells verdict 'same same same same same slower same same same same'
expect_numbers ratio
expect_between low ratio high
run --compare old.csv new.csv --json -o compared.json -q
expect_exit 1
expect_no_out
expect_no_err
expect_json compared.json
expect_count 1 '"verdict": "slower"' compared.json
run --compare old.csv new.csv --quiet
expect_exit 1
expect_no_out
expect_no_err

# The pictures of the same comparison, in both documents: a bar a pair with its change and verdict; the page has the text too.
run --compare old.csv new.csv --svg both.svg --html both.html
expect_exit 1
expect_out '1 slower'
for file in both.svg both.html; do
	grep -qF '>new.csv against old.csv, double 1 thread<' "$file" || fail "expected the title of the changes in $file"
	grep -qF '>L1 avx2 load<' "$file" || fail "expected the name of a bar in $file"
	[ "$(grep -cF '>-3.0 % slower<' "$file")" -eq 1 ] || fail "expected one slower bar in $file"
	[ "$(grep -cF '>+0.0 % same<' "$file")" -eq 9 ] || fail "expected nine bars that are the same in $file"
done
grep -qF 'L1 avx2 load: -3.0 % slower [-' both.html || fail 'expected the band under the pointer'
grep -qF '10 points: 9 same, 1 slower' both.svg || fail 'expected the verdict beside the pictures'
grep -qF 'Smallest change that would count here' both.html || fail 'expected the text on the page'
# Across a dimension.
run --compare old.csv --across isa --svg across.svg
expect_exit 0
grep -qF '>old.csv, across isa, avx2 double 1 thread against scalar<' across.svg || fail 'expected the dimension in the title'
grep -qF '>+300 % faster<' across.svg || fail 'expected the change across ISAs'

# A stored run, found by its name, against its own table and against a copy of that elsewhere.
small_preset tiny.yaml <<'END'
name: tiny
experiment: roofline
isa: scalar
level: [L1, L2]
fp_op: add
END
run --batch tiny.yaml
expect_exit 0
run --compare last last
expect_exit 0
expect_out '3 points'
expect_not_out slower:
cp "$XDG_DATA_HOME"/tprof/runs/*/points.csv kept.csv
run --compare kept.csv last
expect_exit 0
expect_out '3 points'
expect_not_out slower:

# Another machine: no verdict, but no failure.
for name in here there; do
	mkdir "$name"
	sed 's/"hostname": "[^"]*"/"hostname": "'"$name"'"/; /"container"/d' "$XDG_DATA_HOME"/tprof/runs/*/run.json >"$name/run.json"
done
if grep -q hostname here/run.json; then
	run --compare here there
	expect_exit 0
	expect_out 'No verdict'
	expect_out 'Roofs side by side'
	tail -n 1 out | grep -qF 'no verdict, different machines: here and there' || fail 'expected to hear why'
else
	skip 'this machine has no name'
fi

# Roofs of two machines pair by level, at any size: every one has a ratio.
for machine in zen4 granite-rapids; do
	run --batch roofline --machine "$machine" --simulate quiet --set isa=avx2 --set threads=1 --run-dir "$machine" --report=never
	expect_exit 0
done
run --compare zen4 granite-rapids
expect_exit 0
for level in L1 L2 L3 DRAM; do
	expect_line="^avx2 +$level +2ld1st +double +1 +[0-9.]+ +[0-9.]+ +[0-9.]+$"
	grep -qE "$expect_line" out || fail "no ratio of $level"
done
# Their pictures: the roofs of both on each other, and a bar for each pair, with the ratio and without a verdict.
run --compare zen4 granite-rapids --csv --svg machines.svg --html machines.html
expect_exit 0
bars=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ change = 100 * ($column["ratio"] - 1); printf (change < 99.95 ? ">%+.1f %%<\n" : ">%+.0f %%<\n"), change }' out)
[ "$(echo "$bars" | wc -l)" -eq 7 ] || fail 'expected a row for each roof'
for file in machines.svg machines.html; do
	grep -qF '>Roofline, double<' "$file" || fail "no roofs in $file"
	while read -r bar; do
		grep -qF -e "$bar" "$file" || fail "no bar of $bar in $file"
	done <<<"$bars"
	for word in same faster slower unclear; do
		! grep -qF " % $word" "$file" || fail "a verdict on different machines in $file"
	done
done

# Mistakes.
run --compare old.csv
expect_exit 2
expect_err '--across'
run --compare old.csv missing.csv
expect_exit 2
run --compare old.csv new.csv --across colour
expect_exit 2
expect_err 'isa, precision'
run --compare old.csv new.csv --across thread
expect_exit 2
expect_err 'did you mean threads?'
for tolerance in 0 -1% 2 nan x ''; do
	run --compare old.csv new.csv --tolerance "$tolerance"
	expect_exit 2
	expect_err '2% or 0.02'
done
run --batch tiny.yaml --across isa
expect_exit 2
expect_err 'belongs to --compare'
sed '3s/59,/fast,/' old.csv >broken.csv
run --compare old.csv broken.csv
expect_exit 2
expect_err 'broken.csv:3'
