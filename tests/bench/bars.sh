#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures tprof against its bars and prints ratios: accuracy against the ceilings of the development machine (on another
# machine: against its model), wall times, repeatability, disturbance, planning. Prints, never judges by exit code: windows
# of a shared machine are what they are. Usage: tests/bench/bars.sh [PROGRAM] [PART]...
# Parts: roofs team times repeat busy scale (default: all).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tprof=${1:-$top/build/tprof}
[ $# -gt 0 ] && shift
parts=${*:-roofs team times repeat busy scale}
work=$(mktemp -d)
busy_pid=
cleanup() {
	[ -z "$busy_pid" ] || kill "$busy_pid" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

n=0
# run NAME ARGUMENTS...: one batch run; rows in $work/NAME.csv, wall seconds in $work/NAME.wall
run() {
	local name=$1 from to
	shift
	n=$((n + 1))
	from=$(date +%s.%N)
	"$tprof" --batch "$@" --run-dir "$work/run-$n" --csv -q >"$work/$name.csv" || true
	to=$(date +%s.%N)
	awk -v a="$from" -v b="$to" 'BEGIN { printf "%.2f\n", b - a }' >"$work/$name.wall"
}

# points FILE: one line a point, "key median best ci_percent flags", key = threads/isa/precision/level/kernel/size
points() {
	awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{
		fp = $c["fp_op"] != ""
		m = fp ? $c["median_gflops"] : $c["median_gbps"]; b = fp ? $c["best_gflops"] : $c["best_gbps"]
		ci = m > 0 ? 50 * ($c["ci_high"] - $c["ci_low"]) / m : 0
		f = $c["flags"] == "" ? "-" : $c["flags"]
		print $c["threads"] "/" $c["isa"] "/" $c["precision"] "/" $c["level"] "/" $c["kernel"] "/" \
			$c["working_set_bytes"], m, b, ci, f
	}' "$1"
}

head_line() { printf '\n== %s\n' "$1"; }

roofs() {
	head_line "roofs against ceilings (percent; best and median window; one run of every ISA, 1 thread)"
	run loads roofline --set isa=auto --set threads=1 --set ratio=1:0,2:1,0:1 --set fp_op=fma,add,fma+add
	run nt roofline --set isa=avx2 --set threads=1 --set ratio=1:1,0:1 --set stores=nontemporal --set level=DRAM --set fp_op=fma
	{ points "$work/loads.csv"; points "$work/nt.csv"; } >"$work/roofs.txt"
	if grep -q 'Zen 4' "$work/run-1/run.json" && grep -q KVM "$work/run-1/run.json"; then
		awk -v ceilings="$here/ceilings-zen4-vm.csv" '
		BEGIN {
			while ((getline line <ceilings) > 0) {
				if (line ~ /^#/ || line ~ /^level/) continue
				split(line, f, ","); key = f[1] "/" f[2] "/" f[3]
				order[++rows] = key; ceiling[key] = f[4]; bar[key] = f[5]; peer[key] = f[6]
			}
		}
		{
			split($1, f, "/"); key = f[4] "/" f[2] "/" f[5]
			if (f[3] == "double" && !(key in median)) { median[key] = $2; best[key] = $3; flags[key] = $5 }
		}
		END {
			printf "%-24s %9s %9s %9s %7s %7s %5s %9s  %s\n", "level/isa/kernel", "ceiling", "median", "best", "median%", "best%", "bar%", "peer", "flags"
			for (i = 1; i <= rows; i++) {
				k = order[i]
				if (!(k in median)) { printf "%-24s %9.1f   not measured\n", k, ceiling[k]; continue }
				mp = 100 * median[k] / ceiling[k]; bp = 100 * best[k] / ceiling[k]
				met += bp >= bar[k]; over += bp > 102; total++
				printf "%-24s %9.1f %9.2f %9.2f %7.1f %7.1f %5d %9s  %s%s\n", k, ceiling[k], median[k], best[k], mp, bp, bar[k], peer[k] == "" ? "-" : peer[k], flags[k], bp < bar[k] ? "  BELOW" : ""
			}
			printf "%d of %d rows at or above their bar (best window); %d more than 2 %% above the ceiling\n", met, total, over
		}' "$work/roofs.txt"
	else
		echo "not the development machine: medians against the machine's own model are in the report"
		"$tprof" --batch roofline --run-dir "$work/own" --report=always
	fi
}

team() {
	head_line "2 threads against 1 (development machine: L1, L2, FP x2.00, L3 x1.98, DRAM read x1.95, 2:1 x1.86, NT copy x1.86)"
	run scaling roofline --set isa=avx2 --set threads=1,2 --set ratio=1:0,2:1
	run scaling_nt roofline --set isa=avx2 --set threads=1,2 --set ratio=1:1 --set stores=nontemporal --set level=DRAM --set fp_op=fma
	{ points "$work/scaling.csv"; points "$work/scaling_nt.csv"; } | awk '
	{ split($1, f, "/"); key = f[4] "/" f[5]; if (!((f[1], key) in median)) { median[f[1], key] = $2; best[f[1], key] = $3; flags[f[1], key] = $5 } keys[key] }
	END { for (k in keys) if (median[1, k] > 0) printf "%-16s %9.2f -> %9.2f  median x%.2f, best x%.2f  %s %s\n", k, median[1, k], median[2, k], median[2, k] / median[1, k], best[2, k] / best[1, k], flags[1, k], flags[2, k] }' | sort
}

times() {
	head_line "wall time in seconds (bars: 1.5, 5, 10, 6)"
	run one roofline --set isa=avx2 --set threads=1 --set fp_op=fma,add
	run four roofline --set isa=auto --set threads=1 --set fp_op=fma,add
	run threads roofline --set isa=auto --set threads=1,2 --set fp_op=fma,add
	run curve memcurve --set isa=avx2 --set ratio=1:0 --set points_per_octave=2.6
	local name what
	for name in one four threads curve; do
		case $name in
		one) what="one ISA, 1 thread, 4 levels, fma, add" ;;
		four) what="all ISAs, 1 thread" ;;
		threads) what="all ISAs, 1 and 2 threads" ;;
		curve) what="memory curve" ;;
		esac
		points "$work/$name.csv" | awk -v what="$what" -v wall="$(cat "$work/$name.wall")" '
		{ total++; split($1, f, "/"); dram = f[4] == "DRAM" || f[6] > 32 * 1048576
		  if ($4 > (dram ? 2.05 : 1.05)) wide++
		  if ($4 > (dram ? 2.05 : 1.05) && $5 == "-") silent++
		  flagged += $5 != "-" }
		END { printf "%-42s %6.2f s  %3d points, %d flagged, %d intervals wider than asked, %d of them without a flag\n", what, wall, total, flagged, wide, silent }'
	done
	local from to
	from=$(date +%s%N)
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$tprof" --version >/dev/null; done
	to=$(date +%s%N)
	awk -v ns=$((to - from)) 'BEGIN { printf "tprof --version: %.1f ms (bar 20 ms)\n", ns / 1e7 }'
	local emit
	emit=$(dirname "$tprof")/tests/bench/emit_time
	if [ -x "$emit" ]; then "$emit" | tail -n 3; else echo "emit_time is not built: make -C build tests/bench/emit_time"; fi
}

# compare A B: largest difference of medians per level class
compare() {
	points "$work/$1.csv" | sort >"$work/a.txt"
	points "$work/$2.csv" | sort >"$work/b.txt"
	join "$work/a.txt" "$work/b.txt" | awk '
	{ split($1, f, "/"); level = f[4]; d = 100 * ($6 / $2 - 1); if (d < 0) d = -d
	  limit = level == "L3" || level == "DRAM" ? 4 : 1
	  count[level]++; if (d > worst[level]) worst[level] = d
	  if (d > limit) { over[level]++; if ($5 == "-" && $9 == "-") silent[level]++ } }
	END { for (l in count) printf "%-5s %3d points: largest difference %.2f %%, %d beyond the limit, %d of them without a flag\n", l, count[l], worst[l], over[l], silent[l] }' | sort
}

repeat() {
	head_line "two runs in a row (limits: L1, L2, FP 1 %; L3, DRAM 4 %)"
	run first roofline --set isa=auto --set threads=1 --set ratio=1:0,2:1
	run second roofline --set isa=auto --set threads=1 --set ratio=1:0,2:1
	compare first second
}

busy() {
	head_line "with a busy loop on the measured CPU (L1 and FP at most 3 % lower; flagged)"
	run quiet roofline --set isa=auto --set threads=1 --set level=L1 --set ratio=1:0,2:1
	taskset -c 0 sh -c 'while :; do :; done' &
	busy_pid=$!
	run disturbed roofline --set isa=auto --set threads=1 --set level=L1 --set ratio=1:0,2:1
	kill "$busy_pid"
	wait "$busy_pid" 2>/dev/null || true
	busy_pid=
	points "$work/quiet.csv" | sort >"$work/a.txt"
	points "$work/disturbed.csv" | sort >"$work/b.txt"
	join "$work/a.txt" "$work/b.txt" | awk '
	{ d = 100 * ($6 / $2 - 1); if (d < worst) worst = d; total++; low += d < -3; flagged += $9 != "-" }
	END { printf "%d points: lowest %.2f %% against quiet, %d below -3 %%, %d flagged\n", total, worst, low, flagged }'
}

scale() {
	head_line "planning a synthetic machine of 256 CPUs (bar 100 ms; linear in points)"
	local points from to count
	for points in 1 2 4 8 16; do
		from=$(date +%s%N)
		count=$("$tprof" --dry-run memcurve --topology 'synthetic:pack:2 core:64 pu:2' --set isa=avx2 --set "threads=1,64,128,256" \
			--set "points_per_octave=$points" -q | wc -l)
		to=$(date +%s%N)
		awk -v p="$count" -v ns=$((to - from)) 'BEGIN { printf "%5d lines planned in %6.1f ms\n", p, ns / 1e6 }'
	done
}

for part in $parts; do
	case $part in
	roofs | team | times | repeat | busy | scale) "$part" ;;
	*)
		echo "unknown part $part: roofs team times repeat busy scale" >&2
		exit 2
		;;
	esac
done
