#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The bars of counter classification, printed in one run; nothing here has a verdict.
#
# usage: tests/bench/counters.sh [BUILD] [CATFOLDER...]
#   BUILD       folder of the build (default: build)
#   CATFOLDER   output of PAPI's Counter Analysis Toolkit, to be imported and analysed as it is
set -u
export LC_ALL=C.UTF-8
build=${1:-build}
shift $(($# > 0))
tprof=$build/tprof
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

measure() { # measure NAME OPTION...: a run in the scratch folder, its seconds
	local name=$1 begun ended
	shift
	begun=$(date +%s%N)
	"$tprof" --batch counters --run-dir "$scratch/$name" --report=never --quiet "$@" || echo "  (exit $?)"
	ended=$(date +%s%N)
	printf '%-44s %8.2f s\n' "$name" "$(awk -v ns=$((ended - begun)) 'BEGIN { print ns / 1e9 }')"
}

metrics() { # metrics NAME: each metric with its backward error and formula
	python3 - "$scratch/$1/run.json" <<'END'
import json, sys

for name, family in json.load(open(sys.argv[1]))["families"].items():
    print(f"  {name}: {len(family['chosen'])} chosen of {len(family['events'])} events, {len(family['rows'])} rows")
    for m in family["metrics"]:
        error = m["backward_error"]
        terms = " + ".join(f"{t['coefficient']:.6g} {t['event']}" for t in m["terms"]) or "0"
        print(f"    {m['name']:40} {'none' if error is None else f'{error:.3g}':>9}  {terms}")
END
}

echo '== all families, emulated, end to end'
measure 'all families'
metrics 'all families'

echo
echo '== events that count like a Sapphire Rapids: FMA metrics 0.236 with 0.8, executed branches 1'
measure 'sapphire rapids' --set counters.habit=sapphire-rapids --set families=flops,branch --set counters.misleading=0
metrics 'sapphire rapids'

echo
echo '== the same counts through PAPI as software-defined events'
measure 'through PAPI' --set counters.software_events=true --set families=flops,branch
metrics 'through PAPI'

for folder in "$@"; do
	echo
	echo "== import of $folder"
	"$tprof" --classify "$folder"
done
