#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shipped preset of gathers: how many variants, in how many seconds (the bar is 3,000 in a minute), and the time of a gather against its
# lines. Prints, never judges.
# Usage: tests/bench/gather.sh [PROGRAM]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tprof=${1:-$(cd "$here/../.." && pwd)/build/tprof}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config

begun=$(date +%s.%N)
"$tprof" --batch gather --csv --run-dir "$work/run" >"$work/points.csv" 2>"$work/messages" || {
	cat "$work/messages" >&2
	exit 1
}
ended=$(date +%s.%N)

# Texts of these points have no commas.
awk -F, -v begun="$begun" -v ended="$ended" '
NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
{
	n++
	quality[$c["quality"]]++
	key = $c["vector_bits"] " " ($c["masked"] == "true" ? "on" : "off")
	if (!(key in keys)) { keys[key] = ++k; names[k] = key }
	cell = key SUBSEP $c["lines"]
	values[cell, ++count[cell]] = $c["median_ns"] + 0
	if ($c["lines"] > most) most = $c["lines"] + 0
}
function median(cell,    i, j, m, x, v) {
	m = count[cell]
	for (i = 1; i <= m; i++) {
		x = values[cell, i]
		for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
		v[j + 1] = x
	}
	return m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2
}
END {
	printf "%d variants in %.1f s (%.1f ms each): %d good, %d fair, %d poor\n", n, ended - begun, 1000 * (ended - begun) / n,
		quality["good"], quality["fair"], quality["poor"]
	printf "ns of a gather, median\n%-5s %-4s", "bits", "mask"
	for (l = 1; l <= most; l++) printf " %6d", l
	print ""
	for (i = 1; i <= k; i++) {
		split(names[i], name, " ")
		printf "%-5s %-4s", name[1], name[2]
		for (l = 1; l <= most; l++)
			if (count[names[i], l]) printf " %6.1f", median(names[i] SUBSEP l)
			else printf " %6s", "-"
		print ""
	}
}' "$work/points.csv"
