#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How long 100 configurations of a tile sweep take to compile, and to come from the cache the second time: the time from the
# engine's first word to its first point. Usage: tests/bench/pattern_cache.sh [TPROF]
set -eu
cd "$(dirname "$0")/../.."
tprof=$(realpath "${1:-build/tprof}")
cache=$(mktemp -d)
trap 'rm -rf --one-file-system "$cache"' EXIT
tiles=4,5,6,7,8,9,10,11,12,13

seconds() { # from hello to the first point
	XDG_CACHE_HOME=$cache XDG_DATA_HOME=$cache "$tprof" --batch pattern-triad --events --set pattern=jacobi-2d --set pattern.n=64 \
		--set pattern.tile_i=$tiles --set pattern.tile_j=$tiles --set stop.max_time=2ms --set measure_again=false 2>/dev/null |
		awk -F'"t":' '/"ev":"hello"/ { split($2, a, ","); from = a[1] }
			/"ev":"point_begin"/ && !done { split($2, a, ","); printf "%.3f s\n", a[1] - from; done = 1 }'
}
echo "100 configurations, CPUs: $(nproc), load $(cut -d' ' -f1 /proc/loadavg)"
echo "compiled:       $(seconds)"
for _ in 1 2 3; do echo "from the cache: $(seconds)"; done
