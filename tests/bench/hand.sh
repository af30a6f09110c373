#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Roofs against loops written by hand (hand.c): L2 loads, stores and two loads a store against the best of a sweep over sizes inside
# L2, and fma+add against the best split of the registers, for each ISA, in a cycle. Both run in turn, RUNS times, and medians are compared. Bar:
# 97 %. Prints, never judges by exit code. Usage: tests/bench/hand.sh [PROGRAM] [RUNS]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
runs=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${CC:-cc}" -O2 -o "$work/hand" "$here/hand.c"
size() {
	getconf "LEVEL$1_SIZE"
}
l1=$(size 1_DCACHE) l2=$(size 2_CACHE)
isas=scalar,sse,avx2
"$tprof" --list isas | grep -q '^ *avx512 ' && isas=$isas,avx512
for ((i = 1; i <= runs; i++)); do
	"$work/hand" "$l1" "$l2" | awk '{ key = $1 " " $2; if ($4 > best[key]) { best[key] = $4; at[key] = $3 } }
		END { for (key in best) print "hand", key, best[key], at[key] }' >>"$work/rates.txt"
	"$tprof" --batch roofline --set "isa=$isas" --set threads=1 --set precision=double --set level=L2 --set ratio=1:0,0:1,2:1 \
		--set fp_op=fma+add --set stores=normal --csv -q | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{
			rate = $c["fp_op"] != "" ? $c["flop_per_cycle"] : $c["bytes_per_cycle"]
			what = $c["fp_op"] != "" ? "fma+add" : $c["kernel"]
			print "tprof", what, $c["isa"], rate, $c["quality"]
		}' >>"$work/rates.txt"
done
lscpu | sed -n 's/^Model name: *//p'
sort -k1,3 -k4,4g "$work/rates.txt" | awk '
{
	key = $2 " " $3
	n[$1, key]++; rate[$1, key, n[$1, key]] = $4; note[$1, key, n[$1, key]] = $5
	keys[key] = 1
}
END {
	printf "%-16s %10s %10s %8s\n", "", "tprof", "by hand", "ratio"
	for (key in keys) {
		if (!n["tprof", key] || !n["hand", key])
			continue
		a = int((n["tprof", key] + 1) / 2); b = int((n["hand", key] + 1) / 2)
		x = rate["tprof", key, a]; y = rate["hand", key, b]
		printf "%-16s %10.2f %10.2f %7.1f%%  %s; by hand best at %s\n", key, x, y, 100 * x / y, note["tprof", key, a],
			note["hand", key, b] | "sort"
	}
}'
