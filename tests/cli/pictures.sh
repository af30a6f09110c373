# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: plots as files.
. "$TPROF_CLI/lib.sh"

# Pictures show what was measured, or list what they leave out. All runs are simulated, so the test knows what is in them.
cat >mixed.yaml <<'END'
experiment: mixed
simulate: quiet
machine: zen4
level: [L1, L2]
fp_op: [fma, add]
threads: [1, 2]
isa: [avx2, avx512]
END
run --batch mixed.yaml --run-dir mixed --report=never
expect_exit 0
COLUMNS=120 LINES=50 run --show mixed
expect_exit 0
# Operations are distinguished by glyph, not only by colour.
expect_out 'mixed fma, L1'
expect_out 'mixed add, L1'
glyphs=$(grep -oE '[^ ] +mixed (fma|add), L[12]' out | sed 's/ .*//' | sort -u | wc -l)
[ "$glyphs" -eq 4 ] || fail "expected four glyphs for two levels and two operations, not $glyphs"
expect_out 'Left out: everything of avx2 except the fastest level'
# A dot that is far below its roof gets a reason, one that is near gets none.
if grep -qE 'farthest: -([1-9][0-9])' out; then
	expect_out 'The farthest:'
fi
# Without a report, an SVG has a picture for each number of threads.
run --show mixed --svg -
expect_exit 0
expect_out 'Roofline, avx512 double, 1 thread'
expect_out 'Roofline, avx512 double, 2 threads'
expect_out 'Left out: everything of avx2 except'

# The SVG of a curve has its plateaus and measured edges.
cat >curve.yaml <<'END'
experiment: memcurve
simulate: quiet
machine: zen4
isa: avx2
ratio: 1:0
size_min: 8KiB
size_max: 8MiB
points_per_octave: 4
END
run --batch curve.yaml --run-dir curve --report=never
expect_exit 0
run --show curve --svg -
expect_exit 0
grep -qE '>L1 [0-9.]+ GB/s, edge at [0-9.]+[KM]<' out || fail 'expected the plateau of L1 with its value and its edge'

# Runs on each other keep theory and ridges.
for name in one two; do
	run --batch quick --machine zen4 --simulate --run-dir "$name" --report=never
	expect_exit 0
done
run --compare one two --svg overlay.svg
expect_file overlay.svg
grep -q 'theoretical' overlay.svg || fail 'expected theory in the overlay'
ridge=$(run --show one --svg - && grep -oE '>[0-9]\.[0-9]+<' out | head -n 1)
[ -n "$ridge" ] || fail 'expected a ridge with its intensity'
grep -qF "$ridge" overlay.svg || fail "expected the ridge $ridge in the overlay"
