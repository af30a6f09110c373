#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures latencies in turn with a chase written by hand (hand_chase.c), in turn, and prints the ratios: the bar is 10 %. Then against those
# of the first development machine (multichase: L1 1.09 ns, L2 3.85, L3 12.1, memory 129.8); what small pages add, and latency under
# load. Prints, without a verdict: neighbours that share the last cache and the memory move the lower levels by a factor.
# Usage: tests/bench/latency.sh [PROGRAM] [REPETITIONS] [PART]... with parts beside idle blocks loaded (default: all)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
times=${2:-3}
shift $(($# < 2 ? $# : 2))
parts=" ${*:-beside idle blocks loaded} "
hand=$here/../../build/tests/bench/hand_chase
[ -x "$hand" ] || hand=$(dirname "$tprof")/tests/bench/hand_chase
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The columns that are read, with the quoted ones made plain: KEY-COLUMNS... of every row of $work/*.csv.
rows() {
	sed 's/"[^"]*"/x/g' "$@" | awk -F, '
	$1 == "run" { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ print $c["kernel"], $c["pages_wanted"] == "" ? "-" : $c["pages_wanted"], $c["level"] == "" ? "-" : $c["level"],
		$c["working_set_bytes"], $c["median_ns"], $c["best_ns"], $c["median_gbps"] + 0, $c["pause_cycles"] + 0,
		$c["flags"] == "" ? "-" : $c["flags"] }'
}

part() { case $parts in *" $1 "*) true ;; *) false ;; esac; }

# Both on one CPU, the last one; a round is the hand-written chase, tprof, and the hand-written chase again. By hand: the fast slices
# within L1 and L2, where slices differ by disturbances only; the median beyond.
beside() {
	local cpu l1 l2 size pages round before here_ns after column
	cpu=$(($(nproc) - 1))
	l1=$(getconf LEVEL1_DCACHE_SIZE)
	l2=$(getconf LEVEL2_CACHE_SIZE)
	printf '== beside a chase written by hand, %d rounds on CPU %d: ns (median of the rounds; ratio tprof / by hand: median, least, most)\n' \
		"$times" "$cpu"
	printf '%-6s %10s %10s %10s %7s %7s %7s\n' pages bytes hand tprof ratio least most
	for pages in thp small; do
		for size in $((l1 / 2)) $((l2 / 2)) $((16 << 20)) $((64 << 20)) $((256 << 20)); do
			: >"$work/beside"
			column=$((size > l2 ? 1 : 2))
			for round in $(seq "$times"); do
				before=$(taskset -c "$cpu" "$hand" "$size" "$pages" | cut -d" " -f"$column")
				taskset -c "$cpu" "$tprof" --batch latency --set "sizes=$size" --set "pages=$pages" \
					--run-dir "$work/beside-$pages-$size-$round" --csv -q >"$work/one.csv" || true
				here_ns=$(rows "$work/one.csv" | awk '{ print $5 }')
				after=$(taskset -c "$cpu" "$hand" "$size" "$pages" | cut -d" " -f"$column")
				printf '%s %s %s\n' "$before" "$here_ns" "$after" >>"$work/beside"
			done
			awk -v pages="$pages" -v size="$size" '
			function median(x, n,    i, k, t) {
				for (i = 2; i <= n; i++)
					for (k = i; k > 1 && x[k] < x[k - 1]; k--) { t = x[k]; x[k] = x[k - 1]; x[k - 1] = t }
				return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
			}
			{ hand[NR] = ($1 + $3) / 2; own[NR] = $2; ratio[NR] = $2 / hand[NR] }
			END {
				printf "%-6s %10d %10.3f %10.3f %7.3f", pages, size, median(hand, NR), median(own, NR), median(ratio, NR)
				printf " %7.3f %7.3f\n", ratio[1], ratio[NR] # sorted by now
			}' "$work/beside"
		done
	done
}

idle() {
	printf '\n== idle, %d times: ns, lowest of the runs (ratio to the reference)\n' "$times"
	for i in $(seq "$times"); do
		"$tprof" --batch latency --set sizes=16KiB,256KiB,4MiB,8MiB,256MiB --run-dir "$work/idle-$i" --csv -q >"$work/idle-$i.csv" || true
	done
	rows "$work"/idle-*.csv | awk '
	BEGIN { r[16384] = 1.09; r[262144] = 3.85; r[4194304] = r[8388608] = 12.1; r[268435456] = 129.8 }
	{
		k = $2 " " $4
		if (!(k in median)) { order[++n] = k; median[k] = $5; best[k] = $6 }
		if ($5 < median[k]) median[k] = $5
		if ($6 < best[k]) best[k] = $6
		if ($5 > most[k]) most[k] = $5
	}
	END {
		printf "%-6s %10s %9s %7s %9s %7s %9s\n", "pages", "bytes", "median", "ratio", "best", "ratio", "highest"
		for (i = 1; i <= n; i++) {
			split(order[i], f, " "); k = order[i]
			printf "%-6s %10d %9.3f %7.3f %9.3f %7.3f %9.3f\n", f[1], f[2], median[k], median[k] / r[f[2]], best[k], best[k] / r[f[2]], most[k]
		}
	}'
}

blocks() {
	printf '\n== memory as multichase walks it (blocks of 64 small pages, one line in four): ns (ratio to its 129.8)\n'
	for i in $(seq "$times"); do
		"$tprof" --batch latency --set sizes=256MiB --set chase.stride=256 --set chase.block=256KiB --run-dir "$work/blocks-$i" --csv -q \
			>"$work/blocks-$i.csv" || true
	done
	rows "$work"/blocks-*.csv | awk '{ printf "%-6s median %8.2f (%.3f) best %8.2f (%.3f)  %s\n", $2, $5, $5 / 129.8, $6, $6 / 129.8, $9 }' | sort
}

loaded() {
	printf '\n== loaded, memory: GB/s of the other threads, ns, times idle\n'
	"$tprof" --batch loaded-latency --set level=DRAM --run-dir "$work/loaded" --csv -q >"$work/loaded.csv" || true
	rows "$work/loaded.csv" | awk '
	$1 == "chase" { idle = $5 }
	{ printf "%-14s pause %6d %8.2f GB/s %8.1f ns  x%.2f  %s\n", $1, $8, $7, $5, (idle > 0 ? $5 / idle : 0), $9 }'
}

for name in beside idle blocks loaded; do
	if part "$name"; then
		"$name"
	fi
done
