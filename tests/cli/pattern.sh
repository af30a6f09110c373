# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: loops from the pattern to the report.
#
# Patterns from a preset to the report: compiled, checked, measured; errors have their place.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
short=(--set stop.max_time=20ms --set measure_again=false)
# column NAME: that column of the points in out, without the head.
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' out
}

# Our own pattern, which the tests below damage.
cat >own.yaml <<'END'
summary: a column is added to the next
parameters:
  n: 60
  tile: 8
arrays:
  a: {type: double, extents: [n, n]}
  b: {type: double, extents: [n, n]}
map:
  a(i, j): [i, j]
  b(i, j): [i, j]
statements:
  S(i, j):
    code: |
      b(i, j) = a(i, j - 1) + // a(i, j) itself doesn't count
                a(i, j + 1);
    flops: 1
    instances: n * (n - 2)
init:
  c: |
    PARALLEL
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            a(i, j) = i + 0.5 * j;
            b(i, j) = 0;
        }
run:
  domain: "[n] -> { S[i, j] : 0 <= i < n and 1 <= j < n - 1 }"
  schedule:
    - "{ S[i, j] -> [i, j] }"
    - "{ [i, j] -> [floor(i / tile), floor(j / tile), i, j] }"
validate: reference
END
cat >own-preset.yaml <<'END'
experiment: pattern
pattern: ./own.yaml
END

# Code of a file runs only with a word of the user: the path typed, or --allow-code.
run --batch own-preset.yaml "${short[@]}"
expect_exit 2
expect_err --allow-code
printf 'experiment: pattern\npattern.cflags: -O2 -fplugin=x\n' >flags.yaml
run --batch flags.yaml "${short[@]}"
expect_exit 2
expect_err --allow-code
run --batch own-preset.yaml "${short[@]}" --allow-code --set 'pattern.parameters=tile=8 16' --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(column parameters | grep -c .)" -eq 2 ] || fail 'expected two points'
column parameters | grep -qx 'n=60 tile=16' || fail 'expected the parameters in a column'
[ "$(column exact | sort -u)" = true ] || fail 'expected the grid of the naive order to the last bit'
column element_ns | grep -q '[1-9]' || fail 'expected a time of an element'
[ "$(column bytes_per_element | sort -u)" = 24 ] || fail 'expected two reads and a write of an element'
run --show last --report=always
expect_out 'Pattern own'
expect_out 'n=60 tile=16'

# damage FROM TO: measures own.yaml with a change, as bad.yaml.
damage() {
	F=$1 T=$2 awk 'BEGIN { f = ENVIRON["F"]; t = ENVIRON["T"] }
		(at = index($0, f)) { $0 = substr($0, 1, at - 1) t substr($0, at + length(f)) } { print }' own.yaml >bad.yaml
	! cmp -s own.yaml bad.yaml || fail "nothing to damage: $1"
	run --batch own-preset.yaml --set pattern=./bad.yaml "${short[@]}"
}

# Tiles that leave the last column out are refused; a wrong result is reported with its element.
damage 'floor(j / tile), i, j] }' 'floor(j / tile), i, j] : j < 58 }'
expect_exit 2
expect_err 'bad.yaml:30'
damage 'validate: reference' 'validate: {c: "for (long i = 0; i < n; i++) CHECK(b, i == 5 ? 7 : 2 * i + 4, i, 4);"}'
expect_exit 1
expect_err 'wrong result with n=60 tile=8: b(5, 4) is 14, expected 7'
for bits in 0 1e-10; do
	damage 'validate: reference' "validate: {c: \"for (long i = 0; i < n; i++) CHECK(b, 2 * i + 4 + $bits, i, 4);\"}"
	run --batch own-preset.yaml --set pattern=./bad.yaml "${short[@]}" --csv
	[ "$(column exact)" = "$([ "$bits" = 0 ] && echo true || echo false)" ] || fail 'expected to hear of rounding'
done

# A schedule that breaks a dependence is reported before it runs; so is a loop that threads cannot share.
damage 'b(i, j) = a(i, j - 1) +' 'a(i, j) = a(i, j - 1) +'
expect_not_err 'breaks a dependence'
sed -i 's|^    - "{ \[i, j\] -> .*|    - "{ [i, j] -> [i, -j] }"|' bad.yaml
run --dry-run own-preset.yaml --set pattern=./bad.yaml
expect_err 'breaks a dependence: S['

# Compiler errors have the line of the document.
damage 'a(i, j + 1);' 'a(i, j + m);'
expect_exit 1
expect_err 'bad.yaml:15'
expect_err "undeclared"
damage 'b(i, j) = a(i, j - 1) +' 'b(i) = a(i, j - 1) +'
expect_exit 2
expect_err 'bad.yaml:13'
expect_err 'b has 2 indices in the map, 1 here'
damage '1 <= j < n - 1 }' '1 <= j and and n }'
expect_exit 2
expect_err 'bad.yaml:27'
damage 'extents: [n, n]}' 'extents: [n, n - 60]}'
expect_exit 2
expect_err 'a: n - 60 is 0'

# Whole numbers are equal or not.
cat >ints.yaml <<'END'
summary: whole numbers
parameters: {n: 8}
arrays: {a: {type: int32, extents: n}}
map: {a(i): i}
statements: {"S(i)": {code: "a(i) = 100000 + i;", instances: n}}
init: {c: "for (long i = 0; i < n; i++) a(i) = 0;"}
run: {c: "for (long i = 0; i < n; i++) S(i);"}
validate: {c: "for (long i = 0; i < n; i++) CHECK(a, 100001 + i, i);"}
END
run --batch own-preset.yaml --set pattern=./ints.yaml "${short[@]}"
expect_exit 1
expect_err 'a(0) is 100000, expected 100001'

# A crash is one failed point.
damage 'a(i, j + 1);' '*(volatile double *)(long)(i + 8);'
expect_exit 1
expect_err 'while it measured this point'

# Parameters: ranges, conditions, unknown names.
run --dry-run own-preset.yaml --set pattern.parameters='n=32..128*2,tile=4 8' --set 'pattern.where=n >= 16 * tile' --csv
expect_exit 0
[ "$(grep -c '^' out)" -ge 5 ] || fail 'expected four combinations'
run --dry-run own-preset.yaml --set pattern.parameters=tle=8
expect_exit 2
expect_err 'no pattern of this run has the parameter of "tle=8"'
run --dry-run own-preset.yaml --set pattern.parameters=tile=8..4
expect_exit 2
expect_err 'the range is empty or endless'
run --dry-run own-preset.yaml --set 'pattern.where=tile < 1'
expect_exit 2
expect_err 'no combination of the parameters meets the conditions'
# Threads are in a list, each with its CPU; the slowest, the middle and the fastest of them are columns, and stand in the table.
run --batch pattern-triad "${short[@]}" --set level=L1 --set threads=all --set invocations=2 --run-dir threads
expect_exit 0
number() {
	grep -o "\"$1\": [0-9.]*" threads/run.json | sed -n '1s/.* //p'
}
slow=$(number thread_min_gbps) fast=$(number thread_max_gbps) n=$(number threads)
if [ "$n" -gt 1 ]; then
	grep -o '"invocation": [0-9]*, "thread": [0-9]*, "cpu": [0-9]*, "gbps": [0-9.]*' threads/run.json >list ||
		fail 'expected the list thread_rates'
	[ "$(wc -l <list)" = $((2 * n)) ] || fail "expected $n threads in two processes"
	awk -v slow="$slow" -v fast="$fast" '$2 == "0," { min = !min || $NF < min ? $NF : min; max = $NF > max ? $NF : max }
		END { exit !(min / slow < 1.001 && slow / min < 1.001 && max / fast < 1.001 && fast / max < 1.001) }' list ||
		fail "expected rates from $slow to $fast"
	run --show threads --report=always
	expect_out 'min/med/max'
fi

# Sizes far apart make no plateaus, those of a curve may.
run --batch pattern-triad "${short[@]}" --set sizes=8KiB,24KiB,128KiB,512KiB --run-dir sparse
expect_exit 0
plateaus() {
	sed -n '/^"plateaus"/,/^\]/p' "$1/run.json" | grep -c '^{'
}
[ "$(plateaus sparse)" = 0 ] || fail 'expected no plateau of sizes that are far apart'
run --batch pattern-triad "${short[@]}" --set sizes=4KiB,6KiB,8KiB,12KiB,16KiB --run-dir dense
expect_exit 0
[ "$(plateaus dense)" = 1 ] || fail 'expected a plateau of sizes that are near each other'

# Every number of streams has a point, and whoever waits for a compiler has it in the estimate: the first one, in seconds.
run --dry-run pattern-streams --set level=L1
[ "$(grep -c ' streams=' out)" = 18 ] || fail 'expected 3 to 20 streams'
run --dry-run pattern-streams --set level=L1,L2 --set pattern.streams=3
awk '/ streams / { s[n++] = $10 * ($11 == "ms" ? 0.001 : 1) } END { exit !(n == 2 && s[0] - s[1] > 0.2 && s[0] - s[1] < 0.4) }' out ||
	fail 'expected the estimate of a compilation in one of two points'
run --dry-run pattern-triad --set pattern=triadd
expect_exit 2
expect_err 'did you mean triad?'

# Each parameter is also a separate key; the last setting counts, only for that parameter.
cat >keys.yaml <<'END'
experiment: pattern
pattern: jacobi-2d-tiles
pattern.n: 100
pattern.tile_i: [16, 32]
pattern.tile_j: 8..32*2
END
run --dry-run keys.yaml
expect_exit 0
expect_out '6 points'
run --dry-run keys.yaml --set pattern.tile_i=64
expect_exit 0
expect_out '3 points'
expect_out 'tile_j=32'
run --print-config keys.yaml --set pattern.tile_i=64
expect_exit 0
cp out printed.yaml
run --dry-run printed.yaml
expect_exit 0
expect_out '3 points'
run --dry-run keys.yaml --set pattern.tile_k=64
expect_exit 2
expect_err 'no pattern of this run has the parameter of "tile_k=64"'
run --dry-run keys.yaml --set pattern.tile_i=x
expect_exit 2

# Code is the same for all values of runtime parameters, so they repeat nothing.
damage 'a(i, j + 1);' 'REPEAT(k, 1, n, a(i, k) +) 0;'
expect_exit 2
expect_err 'bad.yaml:13'
expect_err 'cannot be bounds'

# The example of the manual works as it stands there, and the loops of its text are those that come out.
page=$TPROF_SRCDIR/man/tprof-pattern.5
awk '/^\.Sh/ { here = /EXAMPLES/ } here && /^\.Ed/ { exit } here && in_example { print } here && /^\.Bd/ { in_example = 1 }' \
	"$page" >transpose.yaml
expect_file transpose.yaml
run --batch pattern-triad --set pattern=./transpose.yaml --set pattern.n_from=pattern "${short[@]}" \
	--set pattern.tile='16 64 128' --set pattern.n=200 --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(column parameters | grep -c .)" -eq 3 ] || fail 'expected three points'
# loops NTH: the lines of that block of C in the manual, each as one line of a program.
loops() {
	awk -v nth="$1" '/^#pragma/ { n++ } n == nth && /^\.Ed/ { exit } n == nth { printf "%s ", $0 }' "$page" | tr -s ' '
}
shown() {
	awk '/void tp_run_arrays\(/ { here = 1 } here && /^#pragma omp/ { in_loops = 1 } /__asm__/ && in_loops { exit } in_loops { printf "%s ", $0 }' \
		out | tr -s ' '
}
if [ "$(nproc)" -lt 2 ]; then
	skip 'one CPU: no code for several threads'
else
	run --show-code pattern-triad --set pattern=./transpose.yaml --set pattern.n_from=pattern --set threads=2
	[ "$(shown)" = "$(loops 2)" ] || fail "expected tiles as in the manual: $(shown)"
	sed -i 's|^    - "{ \[i, j\] -> .*|    - "{ [i, j] -> [j, i] }"|' transpose.yaml
	run --show-code pattern-triad --set pattern=./transpose.yaml --set pattern.n_from=pattern --set threads=2
	[ "$(shown)" = "$(loops 1)" ] || fail "expected an interchange as in the manual: $(shown)"
fi

# The code of a configuration can be seen, and the patterns with their parameters.
run --show-code keys.yaml --set pattern.tile_i=64 --set pattern.tile_j=8
expect_exit 0
expect_not_out '#pragma omp for'
expect_out '#pragma GCC unroll'
expect_out 'static const long tile_i = 64;'
expect_out 'S(c2, c3);'
run --show-code latency
expect_exit 2
run --list patterns
expect_exit 0
expect_out_line 'jacobi-2d-tiles .* n=.* tile_i=.*'

# Without a compiler, what was compiled with tprof runs; other parameters need one.
if ! [ -e "$(dirname "$TPROF")/objects/built" ]; then
	skip 'nothing was compiled with this tprof'
else
	PATH=/nonexistent run --batch pattern-triad --set level=L1,L2 "${short[@]}" --csv
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
	expect_err 'compiled with tprof'
	[ "$(column prebuilt | sort | uniq -c | tr -s ' ')" = ' 2 true' ] || fail 'expected two points of prebuilt code'
	PATH=/nonexistent run --batch pattern-triad --set pattern=jacobi-2d-tiles --set pattern.tile_i=17 "${short[@]}"
	[ "$status" -ne 0 ] || fail 'expected no code for other parameters'
fi
run --batch pattern-triad --set pattern.compiler=no-such-compiler --set level=L1 "${short[@]}"
[ "$status" -ne 0 ] || fail 'expected no compiler'
expect_err 'no-such-compiler'

# Every shipped pattern is legal and computes its result.
for pattern in "$TPROF_SRCDIR"/presets/patterns/*.yaml; do
	name=${pattern##*/}
	run --dry-run pattern-triad --set pattern="${name%.yaml}" --set level=L2
	expect_exit 0
	expect_not_err 'breaks a dependence'
done
