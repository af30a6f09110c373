# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Every shipped pattern, with one thread and with all, computes its result; a wrong one is caught. Every preset of patterns can be planned.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
short=(--set stop.max_time=5ms --set stop.error=0.2 --set measure_again=false --set window=50us)
cd "$TPROF_SRCDIR/presets/patterns" || exit 1
names=(*.yaml)
cd "$TMP" || exit 1

# plan WHAT: a preset for the shipped patterns that WHAT names, small.
plan() {
	printf '%s\n' 'experiment: pattern' "$1" 'pattern.n_from: level' 'level: L2' 'threads: [1, all]' "${@:2}" >small.yaml
	run --batch small.yaml "${short[@]}" --csv
	expect_exit 0
	expect_not_err 'breaks a dependence'
	awk -F, 'NR > 1 { sub(/ .*/, "", $4); print $4 }' out >>measured # the kernel: the pattern and its parameters
}
printf -v list '%s, ' "${names[@]%.yaml}"
plan "pattern: [${list%, }]" 'pattern.streams: [3, 20]' 'pattern.k: [1, 3, 8]' 'pattern.pad: [1, 8]' 'pattern.S: 5' \
	'pattern.where: ["f == 2", "g == 1", "h == 0"]'
plan 'pattern: strides' 'pattern.S: [1, 7, 8192]' 'pattern.where: ["g == h or f + g == 0", "S == 7 or f == 1", "g < 2"]'
plan 'pattern: [triad, jacobi-1d]' 'pattern.template: [unified, independent]' 'pattern.nowait: [false, true]'
for name in "${names[@]%.yaml}"; do
	grep -qx "$name" measured || fail "expected a point of $name"
done

# spoil NAME FROM TO: a shipped pattern with a change is caught.
spoil() {
	F=$2 T=$3 awk 'BEGIN { f = ENVIRON["F"]; t = ENVIRON["T"] }
		(at = index($0, f)) { $0 = substr($0, 1, at - 1) t substr($0, at + length(f)) } { print }' \
		"$TPROF_SRCDIR/presets/patterns/$1.yaml" >spoiled.yaml
	! cmp -s "$TPROF_SRCDIR/presets/patterns/$1.yaml" spoiled.yaml || fail "nothing to spoil: $2"
	printf '%s\n' 'experiment: pattern' 'pattern: ./spoiled.yaml' "${@:4}" >spoiled-preset.yaml
	run --batch spoiled-preset.yaml --allow-code "${short[@]}"
	expect_exit 1
	expect_err 'wrong result with'
}
spoil streams 'streams - 2, + 3.0' 'streams - 2, + 3.5' 'pattern.streams: 4'
spoil interleaved 'b(j, i) + 3.0' 'b(0, i) + 3.0' 'pattern.k: 2'
spoil strides 'line += (how) == 1 ? S : 1;' 'line += (how) == 1 ? S + (line == 9 * S) : 1;' 'pattern.n: 1000' 'pattern.where: ["f == 1", "g == 0", "h == 0"]'
spoil strides 'order(i) = (int32_t)line;' 'order(i) = (int32_t)(line | 1);' 'pattern.n: 1000' 'pattern.where: ["f == 2", "g == 0", "h == 0"]'

# Every preset of patterns is planned as it is, and has a sentence that describes it.
for preset in "$TPROF_SRCDIR"/presets/pattern-*.yaml; do
	name=${preset##*/}
	run --dry-run "${name%.yaml}"
	expect_exit 0
	grep -qE '^notes: [A-Z].*' "$preset" || fail "$name: expected notes"
done
