# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# idle WORDS ARGUMENT...: a note says so, and the plan is made.
idle() {
	local words=$1
	shift
	run --dry-run "$@"
	expect_exit 0
	expect_err "$words"
}

# An option that has no effect with the others is reported.
idle 'autotune.space: has no effect here' autotune-dgemm --set autotune.space=small
expect_err 'autotune.n, autotune.m and autotune.k give all sizes'
idle 'autotune.elements: has no effect here' autotune-dgemm --set autotune.elements=1000
idle 'autotune.space: has no effect here' autotune-triad --set autotune.space=small
idle 'size_min: has no effect here' memcurve --set sizes=64KiB --set size_min=4KiB --set points_per_octave=9
expect_err 'points_per_octave: has no effect here'
idle 'stores: has no effect here: the kernels only load' memcurve --set ratio=1:0 --set stores=nontemporal
idle 'stop.trim_samples: has no effect here' memcurve --set stop.trim_samples=4
idle 'intensity_points: has no effect here' mixed-l1 --set intensity=1,2 --set intensity_points=3
idle 'counters.habit: has no effect here' counters --set source=papi --set counters.habit=zen4
idle 'counters.group: has no effect here' counters --set source=emulated --set counters.group=true

# An option that a command line replaces on purpose is not reported.
run --dry-run memcurve --set sizes=64KiB
expect_exit 0
expect_not_err 'no effect'

# If it has an effect, nothing is reported; nor for unset options.
run --dry-run memcurve --set stop.basis=trimmed --set stop.trim_samples=4 --set ratio=2:1 --set stores=nontemporal
expect_exit 0
expect_not_err 'no effect'
for preset in "$TPROF_SRCDIR"/presets/*.yaml; do
	run --check "$preset"
	expect_not_err 'no effect'
done

# A preset is reported whole: a name that is not an ISA, and all other errors.
printf '%s\n' 'experiment: roofline' 'threds: 2' 'isa: [avx2, avx9]' 'threads: x' >bad.yaml
run --check bad.yaml
expect_exit 2
expect_err 'bad.yaml:2:1: unknown option "threds"'
expect_err 'did you mean threads?'
expect_err 'bad.yaml:3:13: isa: "avx9" is not an ISA'
expect_err 'did you mean avx2?'
expect_err 'bad.yaml:4:10: threads: "x"'
run --batch quick --set isa=avx9 --set threads=x
expect_exit 2
expect_err '"avx9" is not an ISA'
expect_err '"x" is not a whole number'
