# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: templates from the source to the report.
#
# C templates: all combinations are compiled once and measured; what goes wrong is one failed point; a killed run goes on.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
short=(--set stop.max_time=5ms --set stop.basis=trimmed --set measure_again=false --set template.mca=none)
# column NAME: that column of the points in out, without the head. No cell of these points holds a comma.
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' out
}
objects() { find "$XDG_CACHE_HOME/tprof/objects" -name object.so 2>/dev/null | wc -l; }

cat >own.c <<'END'
#include <tprof_bench.h>
#include "own.h"
TPROF_ARRAY_1D(float, a, N);
TPROF_ARRAY_2D(double, b, 4, N);
static int prepared;
TPROF_BENCH_SETUP { prepared = 1; }
TPROF_BENCH
{
	double sum = 0;
	TPROF_FILL_1D(a, i + prepared);
	TPROF_FILL_2D(b, i * j);
	TPROF_BENCH_BEGIN(scale);
	for (int i = 0; i < N; i++)
		a[i] = a[i] * FACTOR + 1;
	TPROF_BENCH_END(scale);
#if N > 100
	TPROF_WARM(b);
	TPROF_BENCH_BEGIN(sum);
	for (int i = 0; i < N; i++)
		sum += b[1][i];
	TPROF_KEEP(sum);
	TPROF_BENCH_END(sum);
#endif
#if N == 300
	UNKNOWN_FUNCTION
#elif N == 400
	*(volatile int *)8 = 1;
#elif N == 500
	for (volatile int forever = 1; forever;) {}
#endif
	TPROF_BENCH_COUNTS(scale, 2.0 * N, 8.0 * N);
}
END
echo '#define FACTOR 1.5f' >own.h
printf 'experiment: template\ntemplate: {source: ./own.c, N: 64..256*2}\n' >own.yaml

# Code of a file, flags that load something, and macros of more than a word run only with a word of the user.
run --batch own.yaml "${short[@]}"
expect_exit 2
expect_err --allow-code
for wish in 'flags: -fplugin=x' 'N: "f()"' 'compiler: ./cc'; do
	printf 'experiment: template\ntemplate: {source: matmul, %s}\n' "$wish" >bad.yaml
	run --batch bad.yaml "${short[@]}"
	expect_exit 2
	expect_err --allow-code
done

# Two regions of three variants: the objects are made once. In the smallest, a region is missing.
run --batch own.yaml --allow-code "${short[@]}" --csv
expect_exit 3
expect_err 'the region sum is never reached'
[ "$(column region | sort | uniq -c | tr '\n' ' ' | tr -s ' ')" = ' 3 scale 2 sum ' ] || fail 'expected each region of each variant'
[ "$(column parameters | sort -u | tr '\n' ' ')" = 'N=128 N=256 N=64 ' ] || fail 'expected the parameters'
[ "$(column median_ns | grep -c '[1-9]')" -eq 5 ] || fail 'expected five times'
[ "$(column flop | grep . | sort -n | tr '\n' ' ')" = '128 256 512 ' ] || fail 'expected what the source counts'
[ "$(column array_bytes | sort -nu | tr '\n' ' ')" = '2304 4608 9216 ' ] || fail 'expected the arrays of the header'
[ "$(objects)" -eq 3 ] || fail 'expected three objects'
messages=("$XDG_CACHE_HOME"/tprof/objects/*/messages.txt)
if cc --version | grep -q -e clang -e GCC -e gcc -e Free\ Software; then
	grep -q vectorized "${messages[@]}" || fail 'expected the report of the compiler'
	column vector_loops | grep -q '^1$' || fail 'expected a loop of vectors'
fi

# Nothing is compiled again, except for a change in an included file.
touch -d '2 days ago' "$XDG_CACHE_HOME"/tprof/objects/*/object.so
run --batch own.yaml --allow-code "${short[@]}" --set template.regions=scale
expect_exit 0
find "$XDG_CACHE_HOME/tprof/objects" -name object.so -newermt '1 day ago' | grep -q . && fail 'expected nothing to be compiled again'
echo '#define FACTOR 2.5f' >own.h
run --batch own.yaml --allow-code "${short[@]}" --set template.regions=scale
expect_exit 0
[ "$(objects)" -eq 6 ] || fail 'expected three other objects'

# What does not compile, crashes or has no end is one point; the others are measured.
run --batch own.yaml --allow-code "${short[@]}" --set template.regions=scale --set template.limit=1s \
	--set template.N=64,300,400,500,600 --csv
expect_exit 3
expect_err 'own.c:25'
expect_err 'UNKNOWN_FUNCTION'
expect_err 'N=400): the engine ' # died of the fault, or ended by a sanitizer
expect_err 'did not end in the time that it has'
[ "$(column median_ns | grep -c '[1-9]')" -eq 2 ] || fail 'expected the two that are well'

# Steps, cold caches and two compilers' flags; the header alone.
run --batch own.yaml --allow-code "${short[@]}" --set template.regions=sum --set template.N=128 --set 'template.flags="-O1" "-O2 -g"' \
	--set cache=cold --csv
expect_exit 0
[ "$(column parameters | tr '\n' ' ')" = 'N=128 flags=-O1 "N=128 flags=""-O2 -g""" ' ] || fail 'expected the flags'
[ "$(column steps | sort -u)" = 1 ] || fail 'expected one step with cold caches'
# A flag may hold blanks.
run --batch own.yaml --allow-code "${short[@]}" --set template.regions=sum --set template.N=128 \
	--set 'template.flags="-O1 \"-DTWO=1 +  1\""' --csv
expect_exit 0
grep -qaxF 'flag -DTWO=1 +  1' "$XDG_CACHE_HOME"/tprof/objects/*/key || fail 'expected a flag with blanks'
cc -O2 -I "$TPROF_SRCDIR/include" -DTPROF_BENCH_MAIN -DN=128 -o alone own.c || fail 'expected the header to be enough'
./alone >out || fail 'expected the regions alone'
expect_out 'scale: '
expect_out 'sum: '

# Commands before and after each point: without a shell, with the values of the point, and only with a word of the user.
cat >commands.yaml <<END
experiment: template
template:
  source: ./own.c
  N: [64, 128]
  regions: scale
  mca: none
  before: ["mkdir $TMP/made-{N}"]
  after: ["touch $TMP/made-{N}/after"]
END
run --batch commands.yaml "${short[@]}"
expect_exit 2
expect_err 'template.before'
expect_err 'template.after'
[ ! -e "$TMP/made-64" ] || fail 'a command ran without a word of the user'
run --batch commands.yaml "${short[@]}" --allow-code --csv
expect_exit 0
[ -e "$TMP/made-64/after" ] || fail 'expected what the commands make'
[ -e "$TMP/made-128/after" ] || fail 'expected what the commands make of each point'
run --batch commands.yaml "${short[@]}" --allow-code
expect_err 'mkdir of template.before ended with exit status 1'
run --check commands.yaml --set 'template.before=echo {M}'
expect_err template.before

# Words for what cannot be planned.
printf 'int main(void) { return 0; } /* TPROF_BENCH_BEGIN(x) */\n' >none.c
run --check own.yaml --set template.source=./none.c
expect_err 'marks no region'
run --check own.yaml --set template.source=matmult
expect_err 'did you mean matmul'
run --check own.yaml --set template.N=8..4
expect_err 'empty or endless'
run --check own.yaml --set template.N=1..1000 --set template.M=1..1000
expect_err '1000000 combinations'

# A killed run goes on, and compiles nothing again.
printf 'experiment: template\ntemplate: {source: ./own.c, N: 64, FACTOR_: 1..40, regions: scale, mca: none}\nstop: {max_time: 50ms, basis: trimmed}\n' >long.yaml
start --batch long.yaml --allow-code --set name=torn --set measure_again=false
folder_of() { compgen -G "$XDG_DATA_HOME/tprof/runs/*torn/journal.ndjson"; }
await folder_of
journal=$(folder_of)
await begun "$journal" 2
kill -KILL "$program"
finish
before=$(objects)
touch -d '2 days ago' "$XDG_CACHE_HOME"/tprof/objects/*/object.so
run --resume last --allow-code --csv
expect_exit 0
[ "$(column median_ns | grep -c '[1-9]')" -eq 40 ] || fail 'expected all points'
[ "$(objects)" = "$before" ] || fail 'expected no further object'
find "$XDG_CACHE_HOME/tprof/objects" -name object.so -newermt '1 day ago' | grep -q . && fail 'expected nothing to be compiled again'
run --show last --report=always
expect_out 'own'
