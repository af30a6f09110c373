#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks load memory together: the run of all of N processes of one thread (--ranks) against one process of N threads. Each of ROUNDS rounds
# measures a team, the ranks, and the team again, and compares ranks and second team with the first by tprof --compare: what it says of two
# teams shows how far this machine repeats itself. Bar: over the rounds, the middle of the ranks' change lies within what --compare says
# that two equal runs may differ by (its column visible), and --compare calls the ranks faster or slower in no more rounds than the same
# team by three standard deviations. Where the interval of the middle (95 %, by order) is wider than that limit, this machine cannot tell.
# Prints, and says by its exit code: 0 holds, 1 fails, 75 cannot be told here, 77 fewer CPUs than ranks.
# Usage: tests/bench/ranks.sh [PROGRAM] [ROUNDS] [RANKS]
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=$(realpath "${1:-$here/../../build/tprof}") || exit 2
rounds=${2:-20}
ranks=${3:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config

[ "$(nproc)" -ge "$ranks" ] || { echo "skipped: $(nproc) CPUs for $ranks ranks"; exit 77; }

preset() { # preset THREADS
	cat <<-END
		experiment: roofline
		isa: avx2
		precision: double
		threads: $1
		ratio: [1:0, 2:1]
		level: DRAM
		fp_op: fma
		measure_again: false
		stop: {max_time: 1s, error_dram: 2%}
	END
}
preset 1 >one.yaml
preset "$ranks" >team.yaml

measure() { timeout 120 "$tprof" "$@" -q >said 2>&1 || echo "$* ended with $?: $(tail -n 1 said)"; }

# told KIND A B: a line "KIND KERNEL RATIO LIMIT VERDICT" for each memory point
told() {
	timeout 60 "$tprof" --compare "$2" "$3" --csv 2>/dev/null | awk -F, -v kind="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "point" && $at["level"] == "DRAM" { print kind, $at["kernel"], $at["ratio"], $at["visible"], $at["verdict"] }'
}

for ((i = 1; i <= rounds; i++)); do
	measure --batch team.yaml --run-dir "a$i"
	for ((r = 1; r < ranks; r++)); do
		timeout 120 "$tprof" --batch one.yaml -q --ranks="$r/$ranks" --ranks-dir meet --run-dir "r$i" >/dev/null 2>&1 &
	done
	measure --batch one.yaml --ranks="0/$ranks" --ranks-dir meet --run-dir "r$i"
	wait
	measure --batch team.yaml --run-dir "b$i"
	told ranks "a$i" "r$i/sum" >>lines
	told team "a$i" "b$i" >>lines
done

sort -k1,2 -k3,3g lines | awk -v rounds="$rounds" '
# Ratios come in ascending order for each kind and kernel.
{ key = $1 " " $2; ratio[key, ++n[key]] = $3; limit[key, n[key]] = $4; named[key] += $5 == "faster" || $5 == "slower"; kernel[$2] = 1 }
function at(key, rank) { return 100 * (ratio[key, rank < 1 ? 1 : rank > n[key] ? n[key] : rank] - 1) }
function middle(key) { return (at(key, int((n[key] + 1) / 2)) + at(key, int(n[key] / 2) + 1)) / 2 }
function limit_of(key,    i, sum) {
	for (i = 1; i <= n[key]; i++)
		sum += 100 * limit[key, i]
	return sum / n[key]
}
# Ends of a 95 % interval of the median, by order statistics.
function low(key) { return at(key, int(n[key] / 2 - 0.98 * sqrt(n[key]))) }
function high(key) { return at(key, int(n[key] / 2 + 1 + 0.98 * sqrt(n[key]) + 0.999)) }
END {
	for (k in kernel) {
		r = "ranks " k; t = "team " k
		if (n[r] < rounds || n[t] < rounds) {
			printf "%s: %d of %d rounds have ranks, %d a second team: FAILS\n", k, n[r], rounds, n[t]
			bad++
			continue
		}
		limit_r = limit_of(r)
		share = (named[r] + named[t]) / (2 * rounds)
		more = 3 * sqrt(2 * rounds * share * (1 - share))
		off = middle(r) < 0 ? -middle(r) : middle(r)
		wide = high(r) - low(r) > 2 * limit_r
		good = off <= limit_r && named[r] <= named[t] + more
		word = !good ? "FAILS" : wide ? "cannot be told" : "holds"
		printf "%s: ranks %+.1f %% (%+.1f to %+.1f), the same team %+.1f %% (%+.1f to %+.1f), limit %.1f %%; named in %d and %d of %d rounds: %s\n",
			k, middle(r), low(r), high(r), middle(t), low(t), high(t), limit_r, named[r], named[t], rounds, word
		bad += !good
		dim += good && wide
	}
	exit bad ? 1 : dim ? 75 : !length(kernel)
}'
