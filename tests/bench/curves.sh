#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory curves in a row: each finds the same levels, each level once, and takes at most 5 s. With a regime as argument the machine is
# simulated, a seed each. Prints, for each level, in how many curves it was found, the smallest and largest of its rates and of its
# edges, and how many pairs of curves contradict each other: neither their edges (with the range that a moving edge names) nor their
# rates (with their intervals, and 8 % beyond) meet. Bar: one set of levels, no level twice. Never judges by exit code.
# Usage: tests/bench/curves.sh [PROGRAM] [RUNS] [REGIME[:MACHINE]]...; "-" is this machine
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
runs=${2:-10}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- - quiet:granite-rapids huge-llc:granite-rapids noisy-memory:granite-rapids gnr-vm:granite-rapids \
	moving-llc:granite-rapids noisy-memory:zen4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# plateaus RUN: level, rate, low, high, edge, its low and high; a line each
plateaus() {
	awk '
	/^"plateaus": \[/ { inside = 1; next }
	inside && /^\]/ { inside = 0 }
	inside {
		n = split("level median_gbps ci_low ci_high capacity_bytes capacity_low_bytes capacity_high_bytes", keys, " ")
		line = ""
		for (i = 1; i <= n; i++) {
			value = 0
			if (match($0, "\"" keys[i] "\": *[^,}]*")) {
				value = substr($0, RSTART + length(keys[i]) + 3, RLENGTH - length(keys[i]) - 3)
				gsub(/[" ]/, "", value)
			}
			line = line " " (value == "null" ? 0 : value)
		}
		print line
	}' "$1/run.json"
}

for where in "$@"; do
	regime=${where%%:*} machine=${where#*:}
	rm -f "$work"/*.txt
	for ((i = 1; i <= runs; i++)); do
		simulated=()
		[ "$regime" = - ] || simulated=(--machine "$machine" --simulate "$regime" --set "seed=$i")
		rm -rf "$work/run"
		"$tprof" --batch memcurve --set ratio=1:0 "${simulated[@]}" --run-dir "$work/run" -q || true
		plateaus "$work/run" | awk -v run="$i" '{ print run, $0 }' >>"$work/levels.txt"
		sed -n 's/.*"wall_seconds": *\([0-9.]*\).*/\1/p' "$work/run/run.json" | head -1 >>"$work/seconds.txt"
	done
	sort -n "$work/seconds.txt" | awk -v where="$where" '
	{ x[NR] = $1 }
	END { printf "%s: %d curves, %.1f to %.1f s (bar 5)\n", where, NR, x[1], x[NR] }'
	awk -v mib=1048576 -v beyond=0.08 '
	{
		sets[$1] = sets[$1] " " $2
		key = $2
		twice[key] += found[$1, key]++
		n[key]++
		at = n[key]
		run[key, at] = $1; rate[key, at] = $3; low[key, at] = $4; high[key, at] = $5; edge[key, at] = $6
		edge_low[key, at] = $7 ? $7 : $6 / 1.25; edge_high[key, at] = $8 ? $8 : $6 * 1.25
		moves[key] += $7 > 0
	}
	function least(a, b) { return a < b ? a : b }
	function most(a, b) { return a > b ? a : b }
	END {
		split("L1 L2 L3 DRAM", order, " ")
		for (k = 1; k <= 4; k++) {
			key = order[k]
			if (!n[key])
				continue
			r0 = r1 = rate[key, 1]; e0 = e1 = edge[key, 1]; pairs = bad = 0
			for (i = 1; i <= n[key]; i++) {
				r0 = least(r0, rate[key, i]); r1 = most(r1, rate[key, i])
				e0 = least(e0, edge[key, i]); e1 = most(e1, edge[key, i])
				for (j = 1; j < i; j++) {
					pairs++
					meets = least(high[key, i], high[key, j]) * (1 + beyond) >= most(low[key, i], low[key, j])
					if (edge[key, i] && edge[key, j])
						meets = meets && least(edge_high[key, i], edge_high[key, j]) >= most(edge_low[key, i], edge_low[key, j])
					bad += !meets
				}
			}
			printf "  %-4s %3d times, %d twice in a curve, %.1f to %.1f GB/s, ends at %.3g to %.3g MiB, moves in %d; %d of %d pairs contradict\n",
				key, n[key], twice[key], r0, r1, e0 / mib, e1 / mib, moves[key], bad, pairs
		}
		for (i in sets) count[sets[i]]++
		for (s in count) printf "  levels%s in %d\n", s, count[s]
	}' "$work/levels.txt"
done
