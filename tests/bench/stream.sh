#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The STREAM patterns against a program with the rules of STREAM: the same compiler, flags, CPU, pages and array size, in turns. The bar is
# 3 % on one thread. Then triad in L1 and L2 against the emitted kernel of the same mix; the bar is 95 %. Prints, never judges.
# Usage: tests/bench/stream.sh [PROGRAM] [ROUNDS] [ELEMENTS]     (ELEMENTS: of an array; default: all three take what tprof calls DRAM)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
rounds=${2:-4}
ntimes=20 # the best of as many counts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache OMP_NUM_THREADS=1
flags=(-O3 -march=native -fopenmp)
cc=$(command -v cc || command -v gcc)

# column FILE NAME...: these columns of the points, without the head.
column() {
	python3 - "$@" <<'PYTHON'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(*[row[name] or '-' for name in sys.argv[2:]])
PYTHON
}

if [ $# -gt 2 ]; then
	n=$3
else
	n=$("$tprof" --dry-run pattern-triad --set level=DRAM 2>/dev/null |
		awk '$2 == "pattern" { b = $7 * ($8 ~ /G/ ? 2^30 : $8 ~ /M/ ? 2^20 : 2^10) } END { printf "%d\n", b / 24 }')
fi
n=$((n - n % 512 + 168)) # arrays of the reference begin at different places of a page, as those of tprof do
"$cc" "${flags[@]}" -mcmodel=large "-DELEMENTS=$n" "-DNTIMES=$((ntimes + 1))" "$here/stream_reference.c" -o "$work/reference"
printf '%s, %s, arrays of %d doubles (%d MiB), load %s\n' "$cc" "${flags[*]}" "$n" "$((n / 131072))" "$(cut -d' ' -f1-3 /proc/loadavg)"

cat >"$work/stream.yaml" <<YAML
experiment: pattern
pattern: [copy, scale, sum, triad]
pattern.n: $n
pattern.compiler: $cc
threads: 1
affinity: 0
pages: default
measure_again: false
stop.max_time: 20s
stop.min_count: $ntimes
stop.max_samples: $ntimes
YAML
for ((r = 0; r < rounds; r++)); do
	taskset -c 0 "$work/reference" | sed "s/^/reference $r /" >>"$work/all"
	"$tprof" --batch "$work/stream.yaml" --allow-code --csv -q >"$work/points.csv" 2>"$work/messages" || cat "$work/messages" >&2
	column "$work/points.csv" pattern best_gbps median_gbps | sed "s/^/tprof $r /" >>"$work/all"
done

awk '
{ best[$1, $2, $3] = $4; median[$1, $2, $3] = $5; names[$3]; rounds = $2 + 1 }
{ if ($4 > top[$1, $3]) top[$1, $3] = $4 }
END {
	printf "%-7s %10s %10s %8s   %s\n", "kernel", "STREAM", "tprof", "ratio", "best GB/s of all rounds; ratio of each round (best windows; medians)"
	split("copy scale sum triad", order, " ")
	for (k = 1; k <= 4; k++) {
		name = order[k]
		printf "%-7s %10.3f %10.3f %8.4f  ", name, top["reference", name], top["tprof", name], top["tprof", name] / top["reference", name]
		for (r = 0; r < rounds; r++)
			printf " %.3f (%.3f)", best["tprof", r, name] / best["reference", r, name], median["tprof", r, name] / median["reference", r, name]
		print ""
	}
}' "$work/all"

# With flags that let the compiler use the vectors of the emitted kernel, and without.
emitted() { # emitted ISA: "BYTES GB/s" a line
	"$tprof" --batch memcurve --set kernel=triad --set "isa=$1" --set threads=1 --set affinity=0 --set sizes=24KiB,512KiB --csv -q \
		2>/dev/null >"$work/emitted.csv" && column "$work/emitted.csv" median_gbps
}
compiled() { # compiled FLAG...
	"$tprof" --batch pattern-triad --allow-code --set pattern.template=independent --set level=L1,L2 --set affinity=0 \
		--set "pattern.cflags=${flags[*]} $*" --csv -q 2>/dev/null >"$work/compiled.csv" && column "$work/compiled.csv" median_gbps
}
isas=(widest)
if grep -q avx512f /proc/cpuinfo; then isas=(avx2 avx512); fi
echo "triad, compiled against emitted, median GB/s: L1 and L2, in turns"
for isa in "${isas[@]}"; do
	width=()
	[ "$isa" != avx512 ] || width=(-mprefer-vector-width=512)
	for ((r = 0; r < rounds; r++)); do # one after the other: they take the same CPU
		emitted "$isa" >"$work/1"
		compiled "${width[@]}" >"$work/2"
		compiled "${width[@]}" -funroll-loops >"$work/3"
		paste -d' ' "$work"/[123]
	done | awk -v isa="$isa" '
	NF < 3 { next }
	{ level = NR % 2 ? "L1" : "L2"; e = $(NF - 2); c = $(NF - 1); u = $NF
	  printf "%-7s %s emitted %7.1f, compiled %7.1f (%.3f), with -funroll-loops %7.1f (%.3f)\n", isa, level, e, c, c / e, u, u / e }'
done
