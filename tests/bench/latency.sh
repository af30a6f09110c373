#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures latencies and prints them against those of the development machine (multichase: L1 1.09 ns, L2 3.85, L3 12.1, memory
# 129.8) as ratios; and what small pages add, and latency under load. Prints, never judges: neighbours that share the last cache and
# the memory move the lower levels by a factor. Usage: tests/bench/latency.sh [PROGRAM] [REPETITIONS]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
times=${2:-3}
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

printf '== idle, %d times: ns, lowest of the runs (ratio to the reference)\n' "$times"
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

printf '\n== memory as multichase walks it (blocks of 64 small pages, one line in four): ns (ratio to its 129.8)\n'
for i in $(seq "$times"); do
	"$tprof" --batch latency --set sizes=256MiB --set chase.stride=256 --set chase.block=256KiB --run-dir "$work/blocks-$i" --csv -q \
		>"$work/blocks-$i.csv" || true
done
rows "$work"/blocks-*.csv | awk '{ printf "%-6s median %8.2f (%.3f) best %8.2f (%.3f)  %s\n", $2, $5, $5 / 129.8, $6, $6 / 129.8, $9 }' | sort

printf '\n== loaded, memory: GB/s of the other threads, ns, times idle\n'
"$tprof" --batch loaded-latency --set level=DRAM --run-dir "$work/loaded" --csv -q >"$work/loaded.csv" || true
rows "$work/loaded.csv" | awk '
$1 == "chase" { idle = $5 }
{ printf "%-14s pause %6d %8.2f GB/s %8.1f ns  x%.2f  %s\n", $1, $8, $7, $5, (idle > 0 ? $5 / idle : 0), $9 }'
