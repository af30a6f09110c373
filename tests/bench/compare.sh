#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How well --compare tells differences from noise on this machine: runs of one preset against each other (share of points that are
# called different; bar: below 2 % while the machine is quiet), scalar against a wider ISA in L2, and a change of 3 % planted into one
# roof of a copy. Prints, never judges by exit code. Usage: tests/bench/compare.sh [PROGRAM] [RUNS]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
runs=${2:-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compared NAME RUN RUN OPTIONS...: the table of pairs in $work/NAME.csv; the status in $status
compared() {
	local name=$1
	shift
	status=0
	"$tprof" --compare "$@" --csv -q >"$work/$name.csv" || status=$?
}

# verdicts FILE...: counts over all rows
verdicts() {
	awk -F, '
	FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ n++; v[$c["verdict"]]++; flagged += $c["flags"] != "" || $c["baseline_flags"] != "" }
	END {
		different = v["faster"] + v["slower"]
		printf "%d pairs, %d with flags: %d same, %d unclear, %d different (%.2f %%; bar 2 %%)\n", n, flagged, v["same"],
			v["unclear"], different, n ? 100 * different / n : 0
	}' "$@"
}

# different FILE: the rows that are called different
different() {
	awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["verdict"] == "faster" || $c["verdict"] == "slower" {
		printf "   %s %s %s %s %s: %+.1f %% [%+.1f %+.1f]  %s / %s\n", $c["verdict"], $c["isa"], $c["level"], $c["kernel"],
			$c["working_set_bytes"], 100 * ($c["ratio"] - 1), 100 * ($c["low"] - 1), 100 * ($c["high"] - 1),
			$c["baseline_flags"], $c["flags"]
	}' "$1"
}

# repeated NAME PRESET OPTIONS...: runs of it, every pair compared
repeated() {
	local name=$1 i k
	shift
	for ((i = 1; i <= runs; i++)); do
		"$tprof" --batch "$@" --run-dir "$work/$name-$i" -q || true
	done
	for ((i = 1; i < runs; i++)); do
		for ((k = i + 1; k <= runs; k++)); do
			compared "$name-$i-$k" "$work/$name-$i" "$work/$name-$k"
		done
	done
	printf '%s: ' "$name"
	verdicts "$work/$name"-*-*.csv
	for i in "$work/$name"-*-*.csv; do different "$i"; done
}

printf '== runs of one preset against each other (%d of each)\n' "$runs"
repeated roofline roofline --set isa=scalar,widest --set threads=1 --set ratio=2:1,1:0
repeated curve memcurve --set isa=widest --set ratio=1:0 --set points_per_octave=2

printf '\n== scalar against wider ISAs in L2 (bar: called different)\n'
"$tprof" --batch roofline --set isa=auto --set threads=1 --set level=L2 --set ratio=1:0,2:1 --set fp_op=fma --run-dir "$work/isas" -q || true
compared across "$work/isas" --across isa
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
$c["level"] == "L2" { printf "%-8s against %-8s %-8s ratio %.2f [%.2f %.2f]: %s\n", $c["isa"], $c["against"], $c["kernel"], $c["ratio"], $c["low"],
	$c["high"], $c["verdict"] }' "$work/across.csv"

printf '\n== a loss of 3 %% planted into one roof after the other (bar: that one is called slower, no other)\n'
# Two copies of one table: what differs is what was planted. Flags that hide it are printed; "quiet" leaves them out of both.
plant() { # plant ROW: its rates times 0.97
	awk -F, -v OFS=, -v row="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	NR == row { split("median_gbps median_gflops ci_low ci_high", m, " ")
		for (i in m) if ($c[m[i]] != "") $c[m[i]] *= 0.97 }
	{ print }'
}
quiet() { # without flags
	awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 { $c["flags"] = "" } { print }'
}
# The columns that are touched stand before any that may hold a comma in quotes.
quiet <"$work/roofline-1/points.csv" >"$work/quiet.csv"
cp "$work/roofline-1/points.csv" "$work/flagged.csv"
rows=$(wc -l <"$work/quiet.csv")
for kind in flagged quiet; do
	for ((row = 2; row <= rows; row++)); do
		plant "$row" <"$work/$kind.csv" >"$work/planted.csv"
		compared plant "$work/$kind.csv" "$work/planted.csv"
		awk -F, -v status="$status" -v wanted="$((row - 1))" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		NR - 1 == wanted { level = $c["level"]; verdict = $c["verdict"] }
		NR - 1 != wanted && ($c["verdict"] == "slower" || $c["verdict"] == "faster") { others++ }
		END { print level, verdict, others + 0, status }' "$work/plant.csv"
	done | awk -v kind="$kind" '
	{ n[$1]++; found[$1] += $2 == "slower" && $4 == 1; others += $3 }
	END { for (l in n) printf "%-8s %-5s found %d of %d\n", kind, l, found[l], n[l]; printf "%-8s others called different: %d\n", kind, others }' | sort
done
