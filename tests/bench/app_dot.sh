#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How soon tprof --app has a program's dot: from the start of tprof to the first row of a region that has a time, on an
# idle machine without roofs of an earlier run (bar 3 s and 2 times the program) and with them (1 s and 2 times), and next to four busy loops (10 s and 3 times the program there). The program's time is the least of three. Status 1 if a bar is missed. usage: tests/bench/app_dot.sh [RUNS]
#
# TPROF names the program (default: build/tprof).
set -u
export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tprof=${TPROF:-$top/build/tprof}
runs=${1:-3}
scratch=$(mktemp -d) || exit 2
loops=()
trap '[ ${#loops[@]} -eq 0 ] || kill "${loops[@]}" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
cd "$scratch" || exit 2
gcc -O2 -ffp-contract=off -I"$top/include" -o part "$top/tests/app/part.c" || exit 2
failed=0

# dot COMMAND...: seconds until it is there, in $took
dot() {
	local from=$EPOCHREALTIME line whole
	took=-
	while IFS= read -r line; do
		case $line in
		*'"ev":"app_region"'*'"seconds":'*)
			took=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
			break
			;;
		esac
	done < <(exec "$tprof" --app --events --run-dir run --set app.runs=1 --set app.max_time=1ms -- "$@" 2>err)
	whole=$!
	wait $whole
}

native() { # native COMMAND...: the least of three, in $took
	local from
	for _ in 1 2 3; do
		from=$EPOCHREALTIME
		"$@" >out
		awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
	done | sort -n | head -n 1 >least
	took=$(cat least)
}

# measure HOW BASE TIMES: dots of three programs against BASE + TIMES x their time
measure() {
	local how=$1 base=$2 times=$3 n i program
	for n in 5000000 100000000 400000000; do
		native ./part $n
		program=$took
		for ((i = 0; i < runs; i++)); do
			rm -rf run
			[ "$how" = 'idle, with roofs' ] || export XDG_DATA_HOME=$scratch/data.$n.$i.$RANDOM
			dot ./part $n
			awk -v how="$how" -v program="$program" -v took="$took" -v base="$base" -v times="$times" 'BEGIN {
				bar = base + times * program
				ok = took != "-" && took <= bar
				printf "%-22s %9.3f s %9.3f s %9.3f s %s\n", how, program, took, bar, ok ? "ok" : "LATE"
				exit !ok
			}' || failed=1
		done
	done
}

export XDG_CONFIG_HOME=$scratch/config
printf '%-22s %11s %11s %11s\n' where program 'first dot' bar
measure 'idle, no roofs' 3 2
export XDG_DATA_HOME=$scratch/data
# Poor roofs are measured again by each run, after the dot: the machine was not idle.
"$tprof" --app --set app.runs=1 --set app.max_time=1ms -- ./part 1000 >out 2>err
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$(at["app_command"]) == "" { n++; poor += $(at["quality"]) == "poor" }
	END { printf "roofs of the earlier run: %d of %d are good or fair\n", n - poor, n }' "$XDG_DATA_HOME"/tprof/runs/*/points.csv
measure 'idle, with roofs' 1 2
for _ in 1 2 3 4; do
	(while :; do :; done) &
	loops+=($!)
done
measure 'beside 4 busy loops' 10 3
exit $failed
