#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Holds memory bandwidth by flushed slices against a walk through several times the last cache: for each ISA, ratio and number of
# threads, both in turn, round after round. Prints the median of both, the ratio of each round (median, least, most), and the scatter
# of the walk itself, without which no ratio means anything. The bar is 3 % for loads; flushed stores read too high, which is why they
# walk. Prints, never judges.
# Usage: tests/bench/flushed.sh [PROGRAM] [ROUNDS] [ISA,...] [THREADS,...]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
rounds=${2:-9}
isas=${3:-auto}
threads=${4:-1,all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/memory.yaml" <<END
experiment: roofline
level: DRAM
fp_op: fma
isa: [$isas]
threads: [$threads]
runs:
  - {ratio: ["1:0", "2:1", "0:1"]}
  - {ratio: ["1:1", "0:1"], stores: nontemporal}
END
for round in $(seq "$rounds"); do
	for way in flushed walked; do
		"$tprof" --batch "$work/memory.yaml" --set "dram=$way" --run-dir "$work/$way-$round" --csv -q >"$work/one.csv" || true
		sed 's/"[^"]*"/x/g' "$work/one.csv" | awk -F, -v way="$way" -v round="$round" '
			$1 == "run" { for (i = 1; i <= NF; i++) c[$i] = i; next }
			$c["level"] == "DRAM" { print way, round, $c["isa"], $c["kernel"], $c["threads"], $c["median_gbps"], $c["quality"] }
		' >>"$work/all"
		rm -rf "${work:?}/$way-$round"
	done
done
printf '%-8s %-8s %7s %9s %9s %7s %7s %7s %8s\n' isa kernel threads flushed walked ratio least most scatter
awk '
function median(x, n,    i, k, t) {
	for (i = 2; i <= n; i++)
		for (k = i; k > 1 && x[k] < x[k - 1]; k--) { t = x[k]; x[k] = x[k - 1]; x[k - 1] = t }
	return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
}
{ key = $3 " " $4 " " $5; if (!(key in seen)) { seen[key] = 1; keys[++n] = key } value[$1, $2, key] = $6; if ($2 > rounds) rounds = $2 }
END {
	for (i = 1; i <= n; i++) {
		m = 0
		for (r = 1; r <= rounds; r++) {
			f = value["flushed", r, keys[i]]; w = value["walked", r, keys[i]]
			if (f > 0 && w > 0) { m++; flushed[m] = f; walked[m] = w; ratio[m] = f / w }
		}
		if (!m) continue
		mf = median(flushed, m); mw = median(walked, m); mr = median(ratio, m)
		split(keys[i], k, " ")
		printf "%-8s %-8s %7s %9.2f %9.2f %7.3f %7.3f %7.3f %7.1f%%\n", k[1], k[2], k[3], mf, mw, mr, ratio[1], ratio[m], 100 * (walked[m] / walked[1] - 1)
	}
}' "$work/all"
