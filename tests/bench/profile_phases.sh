#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How near the phases that --profile finds come to those that a program has: it copies and computes in turn, half a second each, copies
# being of memory or through a pipe. Prints for each run the phases, their letters, and the largest distance of an edge.
#
# usage: profile_phases.sh [RUNS]	(environment: TPROF, default build/tprof)
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tprof=${TPROF:-$root/build/tprof}
runs=${1:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-gcc}" -O2 -o "$scratch/phases" "$root/tests/bench/profile_phases.c"

for kind in memory pipe; do
	for ((i = 0; i < runs; i++)); do
		"$tprof" --profile -q --report never --run-dir "$scratch/$kind$i" -- "$scratch/phases" "$kind" 8 >"$scratch/edges"
		python3 - "$kind" "$scratch/$kind$i/run.json" "$scratch/edges" <<'END'
import json, sys

kind, run, edges = sys.argv[1], json.load(open(sys.argv[2])), [float(line) for line in open(sys.argv[3])][:-1]
phases = run["phases"]
found = [p["start_s"] for p in phases[1:]]
far = [min((abs(e - f) for f in found), default=9) for e in edges]
extra = len(found) - len(edges)
print(f"{kind:7} {len(phases)} phases {''.join(p['letter'] for p in phases):10} "
      f"edges within 20 ms: {sum(d <= 0.02 for d in far)} of {len(edges)}, farthest {1000 * max(far):.1f} ms, {extra:+d} edges")
END
	done
done
