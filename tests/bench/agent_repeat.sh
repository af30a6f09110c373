#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# agent_repeat.sh [RUNS]: how many of 10 runs of each loop of tests/bench/agent/loops.c count the same under the agent, in every class of
# instructions. BUILD names the build.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$here/build}
runs=${1:-10}
make -s -C "$build" libtprof-agent.so tests/agent/run_agent || exit 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"${CC_PLAIN:-gcc}" -O2 -ftree-vectorize -march=native -fopenmp -o "$folder/loops" "$here/tests/bench/agent/loops.c" -lm || exit 1
for name in triad dgemm spmv stencil chase sort calls recursion; do
	for ((i = 0; i < runs; i++)); do
		"$build/tests/agent/run_agent" "$build/libtprof-agent.so" "$folder/loops" "$name" 9>"$folder/counts" >/dev/null || exit 1
		grep -q '^instructions [1-9]' "$folder/counts" || { echo "$name was not counted" >&2; exit 1; }
		md5sum <"$folder/counts"
	done | sort | uniq -c | sort -rn | awk -v name="$name" -v runs="$runs" 'NR == 1 { printf "%-10s %d of %d alike\n", name, $1, runs }'
done
