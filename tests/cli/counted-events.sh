# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Events in addition to the time of compiled code: in its row, in the report, and why one is not counted.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
short=(--set stop.max_time=20ms --set measure_again=false --set threads=1 --set pattern.n_from=pattern)
# count SOURCE EVENT: what was counted for an element with that source of random lines.
count() {
	awk -F, -v source="source=$1" -v event="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "counts") at = i; next }
		index($0, " " source ",") { n = split($at, pairs, " ")
			for (k = 1; k <= n; k++) { split(pairs[k], pair, "="); if (pair[1] == event) print pair[2] } }' out
}

run --batch pattern-random "${short[@]}" --set pattern.n=20000 --set events=page-faults,stepped_instructions,no-such:event --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(grep -c 'no-such:event: no source has an event of that name here' err)" -eq 1 ] || fail 'expected the reason, once'
if grep -q 'stepped_instructions\|stepping' err; then
	skip 'no process can be stepped here'
else
	# The trap: a call of rand() is many instructions, a generator in registers a few.
	for source in 0 1 2; do
		[ -n "$(count $source stepped_instructions)" ] || fail "expected instructions with source=$source: $(cat out)"
	done
	awk -v generator="$(count 0 stepped_instructions)" -v trap="$(count 2 stepped_instructions)" \
		'BEGIN { exit !(generator > 1 && generator < 30 && trap > 2 * generator) }' ||
		fail "expected that rand() takes many instructions: $(cat out)"
	run --show last --report=always
	expect_out stepped_instructions
	expect_out 'over all threads.'
	tr -s ' \n' ' ' <out | grep -Eq 'For an element the fastest has [0-9.]+ stepped_instructions, the slowest [0-9.]+' ||
		fail 'expected the counts to explain the slowest'
fi
run --show last --csv
if [ -n "$(count 0 page_faults)" ]; then
	awk -v faults="$(count 0 page_faults)" 'BEGIN { exit !(faults < 0.1) }' || fail 'expected arrays that are there already'
else
	skip 'the kernel counts no page faults here'
fi

# A pattern whose arrays cannot be made small gets a note, and is measured anyway.
cat >fixed.yaml <<'END'
summary: a constant edge
parameters: {edge: 300}
arrays: {a: {type: double, extents: [edge, edge]}}
map: {"a(i, j)": [i, j]}
statements: {"S(i, j)": {code: "a(i, j) = i + j;", instances: edge * edge}}
init: {c: "for (long i = 0; i < edge; i++) for (long j = 0; j < edge; j++) a(i, j) = 0;"}
run: {c: "for (long i = 0; i < edge; i++) for (long j = 0; j < edge; j++) S(i, j);"}
validate: {c: "for (long i = 0; i < edge; i++) CHECK(a, 2 * i, i, i);"}
END
run --batch pattern-random --set pattern=./fixed.yaml "${short[@]}" --set events=stepped_instructions --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
expect_err 'too many to step through, and the code of fixed takes no smaller n'

# Of a template its region counts, and not what its body does around it.
cat >own.c <<'END'
#include <tprof_bench.h>
TPROF_ARRAY_1D(double, a, N);
TPROF_BENCH
{
	TPROF_FILL_1D(a, i);
	for (volatile int k = 0; k < 500; k++);
	TPROF_BENCH_BEGIN(scale);
	for (int i = 0; i < N; i++)
		a[i] *= 1.5;
	TPROF_BENCH_END(scale);
}
END
run --batch template-matmul --set template.source=./own.c --set 'template.parameters=N=128 256' --set template.regions=scale --allow-code --set stop.max_time=5ms --set measure_again=false \
	--set events=stepped_instructions --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
if ! grep -q 'stepped\|stepping' err; then
	sed -i 's/,N=\([0-9]*\),/, source=\1,/' out
	awk -v small="$(count 128 stepped_instructions)" -v large="$(count 256 stepped_instructions)" \
		'BEGIN { exit !(small > 16 && large > 1.5 * small && large < 1000) }' ||
		fail "expected the instructions of the region: $(cat out)"
fi
