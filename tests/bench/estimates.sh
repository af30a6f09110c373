#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How good are the estimates? Runs the shipped presets, each ROUNDS times, in a separate data folder, and prints for each run of a
# preset the share of points that took between 0.67 and 1.5 times what was estimated, and the estimate and the time of the whole run. The first round has only simulations; later ones learn from earlier ones. For later rounds it also prints how many points took as long as in the round before, within the same factor: noise decides about the others, and no estimate is nearer.
#
# usage: tests/bench/estimates.sh TPROF [SECONDS [ROUNDS [PRESET...]]]
#        SIMULATE=REGIME tests/bench/estimates.sh ...: the same on a simulation of this machine, each round with other noise
# (SECONDS 45: presets that are estimated to take longer are left out; ROUNDS 2; default: all shipped presets). No verdict.
set -u
export LC_ALL=C

tprof=$(realpath "${1:?usage: $0 TPROF [SECONDS [ROUNDS [PRESET...]]]}") || exit 2
limit=${2:-45}
rounds=${3:-2}
shift $(($# < 3 ? $# : 3))
presets=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
[ ${#presets[@]} -gt 0 ] || mapfile -t presets < <("$tprof" --list presets --names)

cat >ratios.py <<'END'
import json, sys
preset, number, *paths = sys.argv[1:]
one = preset != "all"
def near(ratio):
    return 0.67 <= ratio <= 1.5
def load(path):
    with open(path + "/run.json") as file:
        return json.load(file)
def seconds(run):
    return [p["seconds"] if p["state"] == "done" else None for p in run["points"]]
points = good = whole = again = both = 0
for path in paths:
    run = load(path)
    if not one and number != "1":  # no estimate comes nearer than a point comes to itself
        before = load(path.replace(f"runs-{number}/", f"runs-{int(number) - 1}/"))
        pairs = [(a, b) for a, b in zip(seconds(before), seconds(run)) if a and b]
        both += len(pairs)
        again += sum(near(b / a) for a, b in pairs)
    with open(path + "/journal.ndjson") as file:
        plan = next(e for e in map(json.loads, file) if e["ev"] == "plan")
    ratios = [p["seconds"] / p["estimate_seconds"] for p in run["points"]
              if p["state"] == "done" and p.get("estimate_seconds") and p.get("seconds")]
    points += len(ratios)
    good += sum(map(near, ratios))
    ratio = run["wall_seconds"] / plan["estimate_seconds"]
    whole += near(ratio)
    if one:
        middle = sorted(ratios)[len(ratios) // 2] if ratios else 0
        print(f"{preset:18} run {number}: {good:4} of {points:4} points near ({100 * good / max(points, 1):3.0f} %), median ratio {middle:.2f}; "
              f"{plan['estimate_seconds']:7.2f} s estimated, {run['wall_seconds']:7.2f} s real ({ratio:.2f})")
if not one:
    print(f"run {number} of all: {good} of {points} points near ({100 * good / max(points, 1):.1f} %), {whole} of {len(paths)} whole runs"
          + (f"; {again} of {both} points took as long as the time before ({100 * again / both:.1f} %)" if both else ""))
END

measured=()
for preset in "${presets[@]}"; do
	simulated=()
	[ -n "${SIMULATE-}" ] && simulated=(--simulate="$SIMULATE")
	seconds=$("$tprof" --dry-run "$preset" "${simulated[@]}" 2>/dev/null |
		sed -nE 's/^[0-9]+ points?, about (([0-9.]+) min )?([0-9.]+) (ms|s).*/\2 \3 \4/p' |
		awk '{ if (NF == 3) print $1 * 60 + $2; else print $2 == "ms" ? $1 / 1000 : $1 }')
	if [ -z "$seconds" ] || ! awk -v s="$seconds" -v l="$limit" 'BEGIN { exit !(s <= l) }'; then
		echo "$preset: left out (${seconds:-no} s estimated)"
		continue
	fi
	for ((i = 1; i <= rounds; i++)); do
		[ -n "${SIMULATE-}" ] && simulated=(--simulate="$SIMULATE" --set "seed=$i")
		"$tprof" --batch "$preset" "${simulated[@]}" --quiet --run-dir "runs-$i/$preset" 2>errors
		code=$?
		case $code in
		0 | 3 | 5) python3 ratios.py "$preset" $i "runs-$i/$preset" ;;
		*)
			echo "$preset ended with $code: $(head -n 1 errors)"
			continue 2
			;;
		esac
	done
	measured+=("$preset")
done
for ((i = 1; i <= rounds; i++)); do
	python3 ratios.py all $i "${measured[@]/#/runs-$i/}"
done
