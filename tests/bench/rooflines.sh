#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rooflines of every ISA, one thread, in a row. Each good point is compared with the median of its kind over all runs: within the core
# (L1, L2, FP) by its work in a cycle, bar 3 %; beyond it by its rate, bar 8 %. Prints the good points that are further off, the share
# of good points (bar 65 % on an idle machine), and how long the runs took. Never judges by exit code.
# Usage: tests/bench/rooflines.sh [PROGRAM] [RUNS] [OPTION]...
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
runs=${2:-10}
shift $(($# < 2 ? $# : 2))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((i = 1; i <= runs; i++)); do
	from=$(date +%s.%N)
	"$tprof" --batch roofline --set isa=auto --set threads=1 --set seed="$i" "$@" --csv -q >"$work/$i.csv" || true
	echo "$from $(date +%s.%N)" >>"$work/times"
done
lscpu | sed -n 's/^Model name: *//p'
awk '{ x = $2 - $1; least = NR == 1 || x < least ? x : least; most = x > most ? x : most }
	END { printf "%d runs, %.2f to %.2f s\n", NR, least, most }' "$work/times"
awk -F, '
FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; run++; next }
{
	core = $c["level"] != "L3" && $c["level"] != "DRAM"
	fp = $c["fp_op"] != ""
	value = core ? (fp ? $c["flop_per_cycle"] : $c["bytes_per_cycle"]) : $c["median_gbps"]
	key = $c["isa"] "/" $c["level"] "/" $c["kernel"]
	print key, run, value, $c["quality"], core, $c["flags"] == "" ? "-" : $c["flags"]
}' "$work"/*.csv | sort -k1,1 -k3,3g | awk '
function close_key(   i, middle, off, bar) {
	middle = n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2
	for (i = 1; i <= n; i++) {
		points++
		if (quality[i] != "good")
			continue
		good++
		off = value[i] / middle - 1
		bar = core ? 0.03 : 0.08
		if (off > bar || off < -bar) {
			far++
			printf "  %s in run %s: %+.1f %% (%s)\n", key, run[i], 100 * off, flags[i]
		}
	}
	n = 0
}
$1 != key { if (n) close_key(); key = $1 }
{ n++; run[n] = $2; value[n] = $3; quality[n] = $4; core = $5; flags[n] = $6 }
END { close_key(); printf "%d points, %d good (%.0f %%; bar 65 %%), %d of them too far from the median (bar 0)\n", points, good, 100 * good / points, far }'
