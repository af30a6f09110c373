#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks load memory together: the sum of N processes of one thread (--ranks) against one process of N threads, in turn, ROUNDS times.
# Bar: the medians of the rounds differ by no more than 8 %, which is what a good point of memory promises on an undisturbed machine. The
# largest difference of a round from its median shows how disturbed it was. One process alone is told, too: the sum of what ranks would
# get one after the other. Prints, and says by its exit code whether the bar holds. Usage: tests/bench/ranks.sh [PROGRAM] [ROUNDS] [RANKS]
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=$(realpath "${1:-$here/../../build/tprof}") || exit 2
rounds=${2:-5}
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

# memory FILE: "KERNEL MEDIAN" of each memory point
memory() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["level"] == "DRAM" { print $at["kernel"], $at["median_gbps"] }' "$1"
}

for ((i = 1; i <= rounds; i++)); do
	timeout 120 "$tprof" --batch team.yaml -q --run-dir "team-$i" || echo "team $i ended with $?"
	memory "team-$i/points.csv" >>team
	for ((r = 1; r < ranks; r++)); do
		timeout 120 "$tprof" --batch one.yaml -q --ranks="$r/$ranks" --ranks-dir meet --run-dir "ranks-$i" &
	done
	timeout 120 "$tprof" --batch one.yaml -q --ranks="0/$ranks" --ranks-dir meet --run-dir "ranks-$i" || echo "ranks $i ended with $?"
	wait
	for kernel in $(memory "ranks-$i/rank-0/points.csv" | cut -d' ' -f1); do
		for ((r = 0; r < ranks; r++)); do
			memory "ranks-$i/rank-$r/points.csv"
		done | awk -v k="$kernel" '$1 == k { sum += $2; n++ } END { print k, sum }'
	done >>ranks
	timeout 120 "$tprof" --batch one.yaml -q --run-dir "one-$i" || echo "one $i ended with $?"
	memory "one-$i/points.csv" >>one
done

sort team | awk -v size="$ranks" '
function median(values, n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && values[j] < values[j - 1]; j--) {
			t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
		}
	return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}
function take(kind, kernel, value) { v[kind, kernel, ++n[kind, kernel]] = value; seen[kernel] = 1 }
function middle(kind, kernel,    i, a) {
	for (i = 1; i <= n[kind, kernel]; i++)
		a[i] = v[kind, kernel, i]
	return n[kind, kernel] ? median(a, n[kind, kernel]) : 0
}
function spread(kind, kernel, m,    i, d, most) {
	for (i = 1; i <= n[kind, kernel]; i++) {
		d = v[kind, kernel, i] / m - 1
		most = (d < 0 ? -d : d) > most ? (d < 0 ? -d : d) : most
	}
	return most
}
{ take("team", $1, $2) }
END {
	while ((getline line < "ranks") > 0) { split(line, f, " "); take("ranks", f[1], f[2]) }
	while ((getline line < "one") > 0) { split(line, f, " "); take("one", f[1], f[2]) }
	for (k in seen) {
		t = middle("team", k); r = middle("ranks", k); o = middle("one", k)
		st = spread("team", k, t); sr = spread("ranks", k, r); limit = 0.08
		d = r / t - 1
		good = (d < 0 ? -d : d) <= limit
		printf "%s: team %.2f GB/s (+-%.1f %%), ranks %.2f (+-%.1f %%), %+.1f %%, limit %.1f %%: %s; %d times one alone %.2f\n", k, t,
			100 * st, r, 100 * sr, 100 * d, 100 * limit, good ? "holds" : "FAILS", size, size * o
		bad += !good
	}
	exit bad > 0
}'
