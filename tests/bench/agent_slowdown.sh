#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# agent_slowdown.sh [NAME...]: what instrumentation costs: each loop of tests/bench/agent/loops.c by itself and
# under the agent, the shortest of three runs of each in turn. Outputs have to be the same. BUILD names the build.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$here/build}
make -s -C "$build" libtprof-agent.so tests/agent/run_agent || exit 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
blas=()
ldconfig -p | grep -q 'libopenblas\.so\.0' && blas=(-DBLAS -l:libopenblas.so.0)
"${CC_PLAIN:-gcc}" -O2 -ftree-vectorize -march=native -fopenmp -o "$folder/loops" "$here/tests/bench/agent/loops.c" "${blas[@]}" -lm || exit 1
[ $# -gt 0 ] || set -- triad dgemm spmv stencil chase sort calls recursion parallel ${blas[0]:+blas}
export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1
TIMEFORMAT=%R
printf '%-10s %9s %9s %6s  %s\n' loop native/s agent/s ratio output
for name; do
	native_all=() agent_all=()
	for _ in 1 2 3; do
		t=$({ time "$folder/loops" "$name" >"$folder/native"; } 2>&1)
		native_all+=("$t")
		t=$({ time timeout 120 "$build/tests/agent/run_agent" "$build/libtprof-agent.so" "$folder/loops" "$name" \
			>"$folder/agent" 9>"$folder/counts"; } 2>&1)
		agent_all+=("$t")
	done
	native=$(printf '%s\n' "${native_all[@]}" | sort -g | head -n 1)
	agent=$(printf '%s\n' "${agent_all[@]}" | sort -g | head -n 1)
	same=same
	cmp -s "$folder/native" "$folder/agent" || same=DIFFERENT
	grep -q '^instructions [1-9]' "$folder/counts" || same='NOT COUNTED'
	printf '%-10s %9s %9s %6s  %s %s\n' "$name" "$native" "$agent" \
		"$(awk "BEGIN { printf \"%.2f\", $agent / $native }")" "$same" "$(sed -n 's/^words \(.\)/\1/p' "$folder/counts")"
done
