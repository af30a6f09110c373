# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: a comparison over the screen of runs.
#
# Key c on Runs: the roofs of two machines on each other, a bar for each change, and the text; across a dimension; runs without roofs.
. "$TPROF_CLI/lib.sh"

runs=$XDG_DATA_HOME/tprof/runs
mkdir -p "$runs"

# simulated NAME MACHINE ISA PRESET [SET...]: a stored run.
simulated() {
	local name=$1 machine=$2 isa=$3 preset=$4
	shift 4
	run --batch "$preset" --machine "$machine" --simulate quiet --set "isa=$isa" --set threads=1 "$@" --run-dir "$runs/$name" -q
	expect_exit 0
}

# show_runs SIZE [VARIABLE]: the screen of runs with the first two marked.
show_runs() {
	open "$@"
	press 4
	wait_for '2 runs in'
	press Space Space
	wait_for '2 marked'
}

simulated 2026-01-01-000000-one zen4 avx2 roofline
simulated 2026-01-02-000000-two granite-rapids avx2 roofline
# The changes as the table has them, as patterns of lines: "L3 2ld1st .* [-]72.8 %".
run --compare "$runs/2026-01-01-000000-one" "$runs/2026-01-02-000000-two" --csv
expect_exit 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ change = 100 * ($column["ratio"] - 1)
	  printf "%s %s .* [%s]%.1f %%\n", $column["level"], $column["kernel"], change < 0 ? "-" : "+",
		change < 0 ? -change : change }' out | sed 's/fma+add/fma[+]add/' >changes
[ "$(wc -l <changes)" -eq 7 ] || fail 'expected seven pairs'

for at in '80x24 LC_ALL=C.UTF-8' '120x40 LC_ALL=C.UTF-8' '200x60 LC_ALL=C.UTF-8' '80x24 LC_ALL=C'; do
	# shellcheck disable=SC2086 # two words
	show_runs $at
	press c
	# Roofs first, with both runs in the legend, then the bars.
	wait_for 'Roofline, double' '1 of 2' 'one: avx2, 1 thread' 'two: avx2, 1 thread' 'no verdict, different machines'
	wait_for_line 'a across .*q back'
	press '>'
	wait_for '2 of 2' 'change of the speed, %'
	while read -r change; do
		wait_for_line "$change"
	done <changes
	press Down
	wait_for_line '^ [A-Z0-9]+ 2ld1st: -[0-9.]+ % \[-[0-9.]+ -[0-9.]+\]; A [0-9.]+, B [0-9.]+ GB/s'
	# The text, and back.
	press t
	wait_for 'Comparison of 2 runs' 'Roofs side by side' 'No verdict'
	press t
	wait_for 'change of the speed, %'
	press Tab
	wait_for 'Roofline, double' '1 of 2'
	press a
	wait_for 'pair in one way only'
	press q
	wait_for '2 runs in'
	press q
	expect_end 0
done

# From 160 columns the text is next to the pictures.
show_runs 200x60 LC_ALL=C.UTF-8
press c
wait_for 'Roofline, double' 'Roofs side by side'
resize 80x24
wait_without 'Roofs side by side'
wait_for 'Roofline, double'
press Escape q
expect_end 0

# One run for each ISA: they pair across it, and nothing else.
rm -rf "${runs:?}"/*
simulated 2026-01-01-000000-one zen4 sse roofline
simulated 2026-01-02-000000-two zen4 avx2 roofline
show_runs 80x24 LC_ALL=C.UTF-8
press c '>'
wait_for 'across isa' 'change of the speed, %' '% faster'
press q q
expect_end 0

# Runs without roofs open on the bars. The same preset twice: nothing changed, in picture and text.
rm -rf "${runs:?}"/*
for name in 2026-01-01-000000-one 2026-01-02-000000-two; do
	simulated "$name" zen4 avx2 latency --set size_max=64KiB
done
show_runs 120x40 LC_ALL=C.UTF-8
press c
wait_for '1 of' 'change of the speed, %' '+0.0 % same'
press t
wait_for 'Nothing changed'
press q
wait_for 'change of the speed, %'
press q
wait_for '2 marked'
press q
expect_end 0
