#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where rows of the 9-point Jacobi stencil stop fitting into L1 and L2: as layer conditions predict, and as the time of an
# element shows. The measured edge is where the time passes the middle between the first and the last quarter of the sizes;
# few rows keep the grid in L2, or in L3, on both sides of it. The bar is a factor of 1.5. Prints, never judges.
# Usage: tests/bench/layers-condition.sh [PROGRAM]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config

# The longest vectors: else the arithmetic hides the transfers.
flags='-O3 -march=native -fopenmp'
[ "$(uname -m)" != x86_64 ] || flags+=' -mprefer-vector-width=512'

# edge LEVEL COLUMN ROWS SIZES
edge() {
	printf 'experiment: pattern\npattern: jacobi-2d-rows\npattern.cflags: %s\n' "$flags" >"$work/preset.yaml"
	printf 'pattern.parameters: [m=%s, n=%s]\nstop: {max_time: 500ms}\n' "$3" "$4" >>"$work/preset.yaml"
	"$tprof" --batch "$work/preset.yaml" --allow-code --csv >"$work/points.csv" 2>"$work/messages" || {
		cat "$work/messages" >&2
		exit 1
	}
	awk -F, -v level="$1" -v column="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["element_ns"] > 0 { size[++k] = $c["n"]; ns[k] = $c["element_ns"]; predicted = $c[column] }
	function median(from, to,    i, j, x, v, m) {
		for (i = from; i <= to; i++) {
			x = ns[i]
			for (j = m++; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
			v[j + 1] = x
		}
		return v[int((m + 1) / 2)]
	}
	END {
		quarter = int(k / 4)
		low = median(1, quarter)
		high = median(k - quarter + 1, k)
		middle = (low + high) / 2
		# From the last size below the middle on, all are above it.
		for (at = k; at > 1 && ns[at] > middle; at--);
		share = (middle - ns[at]) / (ns[at + 1] - ns[at])
		measured = size[at] + share * (size[at + 1] - size[at])
		ratio = measured / predicted
		printf "%s: predicted n = %d, measured n = %.0f (%.3f ns before, %.3f behind), factor %.2f\n", level, predicted,
			measured, low, high, ratio < 1 ? 1 / ratio : ratio
	}' "$work/points.csv"
}

printf 'load %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
edge L1 l1_n 34 '512 640 768 896 1024 1152 1280 1408 1536 1664 1792 1920 2048 2304 2560 2816 3072 3328'
edge L2 l2_n 10 '16000 20000 24000 28000 32000 40000 48000 56000 64000 72000 80000 90000 100000 110000 120000'
