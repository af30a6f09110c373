#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures the searches of autotune against their bars and prints ratios; judges nothing. Run it on a machine that is quiet.
# Usage: tests/bench/autotune.sh [BUILD] [STREAM] [PART]...
# BUILD: the build folder. STREAM: a STREAM binary (OpenMP, static arrays of 40000000 elements), or "-". Its figure depends on the width of the
# vectors that the compiler chose: pass the best of -O3 -march=native with -mprefer-vector-width=128, 256 and 512.
# Parts: study simulated search peak triad (default: all). study takes about five minutes, search ten: each has a fixed-size baseline over
# 96 products. simulated takes a minute and needs no quiet machine.
# Environment: REPETITIONS (5), ORDERS ("as-is reversed random"), STREAM_ELEMENTS (40000000).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build}
stream=${2:--}
[ $# -lt 2 ] && set -- "$build" "$stream"
shift 2
parts=${*:-study simulated search peak triad}
tprof=$build/tprof
repetitions=${REPETITIONS:-5}
orders=${ORDERS:-as-is reversed random}
elements=${STREAM_ELEMENTS:-40000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'experiment: autotune' >"$work/search.yaml"

head_line() { printf '\n== %s\n' "$1"; }

# measure NAME PRESET ARGUMENTS...: a run directory $work/NAME
measure() {
	local name=$1
	shift
	rm -rf "${work:?}/$name"
	"$tprof" --batch "$@" --run-dir "$work/$name" --report=never -q || true
}

# column FILE NAME: that column of points.csv, a line a point
column() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(row[sys.argv[2]] or 0)' "$work/$1/points.csv" "$2"
}

# against NAME: loss and time of the search in $work/NAME against those of $work/baseline
against() {
	python3 - "$work/baseline" "$work/$1" <<'END'
import csv, sys
def read(d, f): return list(csv.DictReader(open(d + "/" + f)))
def best(rows): return max((t for t in rows if t["incumbent"] == "true"), key=lambda t: float(t["value"]))
base, mine = read(sys.argv[1], "trials.csv"), read(sys.argv[2], "trials.csv")
top, won = best(base), best(mine)
there = next(t for t in base if t["index"] == won["index"])
seconds = [float(read(d, "points.csv")[0]["seconds"]) for d in sys.argv[1:]]
loss = 100 * (1 - float(there["value"]) / float(top["value"]))
print("%6.2f %8.2f %8.1f  n %s m %s k %s  (%s GFLOP/s, baseline %s)" % (loss, seconds[1], seconds[0] / seconds[1],
      won["n"], won["m"], won["k"], won["value"], top["value"]))
END
}

# study_table NAME: techniques of $work/NAME with both losses
study_table() {
	python3 - "$work/$1/study.csv" <<'END'
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print("%-14s %8.2f %8.2f %8.2f %8.1f %8.1f  %s" % (r["technique"], float(r["best"]), 100 * float(r["loss"]), 100 * float(r["error"]),
          float(r["seconds"]), float(r["speedup"]), r["configuration"]))
END
}

# bar_of_errors: the largest of each kind over tables on standard input
bar_of_errors() {
	awk '{ e = $4 < 0 ? -$4 : $4
		rule = $1 ~ /^(confidence|c\+i|racing)/ ? "that stop by a rule (bar: loss and error <= 2 %)" : "of fixed numbers of calls"
		if (e > error[rule]) error[rule] = e
		if ($3 > loss[rule]) loss[rule] = $3
		n[rule]++ } END { for (r in n) printf "techniques %s: largest loss %.2f %%, largest error %.2f %%\n", r, loss[r], error[r] }'
}

study() {
	head_line "the preset autotune-study: loss of the choice, error of the reported peak"
	echo "technique       GFLOP/s    loss%   error%  seconds speed-up  choice"
	measure study autotune-study
	study_table study | tee "$work/table"
	bar_of_errors <"$work/table"
}

simulated() {
	local machine seed
	head_line "the same on simulated machines that are quiet, $repetitions seeds each"
	for machine in zen4 granite-rapids neoverse-v1; do
		for ((seed = 1; seed <= repetitions; seed++)); do
			measure study autotune-study --machine "$machine" --simulate quiet --set "seed=$seed"
			study_table study
		done >"$work/table"
		echo "$machine"
		bar_of_errors <"$work/table"
	done
}

search() {
	local technique order i
	head_line "96 products, one core: the fixed-size baseline (10 x 200 calls of each)"
	measure baseline "$work/search.yaml" --set autotune.space=small --set technique=default
	printf '%.1f s\n' "$(column baseline seconds)"
	head_line "c+i+o (bar: loss <= 2 %, speed-up >= 50) and racing (bar: loss <= 1 %, no slower than c+i+o)"
	echo "technique order     loss%  seconds speed-up  choice"
	for order in $orders; do
		for ((i = 1; i <= repetitions; i++)); do
			for technique in c+i+o racing; do
				measure one "$work/search.yaml" --set autotune.space=small --set "technique=$technique" \
					--set "autotune.order=$order" --set "seed=$i"
				printf '%-9s %-8s %s\n' "$technique" "$order" "$(against one)"
			done
		done
	done | tee "$work/table"
	awk '{
		key = $1 " " $2; n[key]++; loss[key] = $3 > loss[key] || n[key] == 1 ? $3 : loss[key]; seconds[key] += $4
		speed[key] = $5 < speed[key] || n[key] == 1 ? $5 : speed[key]
	} END {
		print "\ntechnique order: largest loss, smallest speed-up, mean seconds"
		for (key in n) printf "%-18s %6.2f %% %8.1f x %8.2f s\n", key, loss[key], speed[key], seconds[key] / n[key]
	}' "$work/table" | sort
}

peak() {
	local threads scope gemm fma
	head_line "DGEMM against the emitted FMA peak, best windows (bar: 0.90)"
	printf 'experiment: roofline\n' >"$work/roofline.yaml"
	for scope in core machine; do
		measure gemm "$work/search.yaml" --set "scope=$scope" --set autotune.n=64,128,512,1000,2000,4000 \
			--set autotune.m=64,128,512,1000,2000,4000 --set autotune.k=128,200,256,512,1000 --set autotune.max_time=3s
		threads=$(column gemm threads)
		measure fma "$work/roofline.yaml" --set "threads=$threads" --set isa=auto --set fp_op=fma --set level=L1
		gemm=$(column gemm best_gflops)
		fma=$(column fma best_gflops | sort -g | tail -n 1)
		awk -v s="$scope" -v t="$threads" -v g="$gemm" -v f="$fma" -v l="$(column gemm library) $(column gemm variant)" \
			'BEGIN { printf "%-8s %3d threads %8.2f / %8.2f GFLOP/s = %.3f  %s\n", s, t, g, f, (f > 0 ? g / f : 0), l }'
	done
}

triad() {
	local level scope threads rate size best
	head_line "TRIAD against the emitted kernel of two loads and a store of the same size, best windows (bar: L1 and L2 0.95)"
	printf 'experiment: memcurve\n' >"$work/memcurve.yaml"
	for scope in core machine; do
		for level in L1 L2 L3 DRAM; do
			measure triad "$work/search.yaml" --set routine=triad --set "scope=$scope" --set "level=$level"
			threads=$(column triad threads)
			rate=$(column triad best_gbps)
			size=$(column triad working_set_bytes)
			measure emitted "$work/memcurve.yaml" --set "threads=$threads" --set isa=auto --set ratio=2:1 --set "sizes=$size"
			best=$(column emitted best_gbps | sort -g | tail -n 1)
			awk -v s="$scope" -v t="$threads" -v l="$level" -v r="$rate" -v b="$best" -v n="$(column triad variant)" \
				'BEGIN { printf "%-8s %3d threads %-5s %8.2f / %8.2f GB/s = %.3f  %s\n", s, t, l, r, b, (b > 0 ? r / b : 0), n }'
			[[ $level = DRAM && $stream != - ]] && beside_stream "$scope" "$threads"
		done
	done
}

# beside_stream SCOPE THREADS: arrays of the same size, in the small pages that static arrays have; best of some turns of each
beside_stream() {
	local i
	for ((i = 1; i <= repetitions; i++)); do
		measure triad "$work/search.yaml" --set routine=triad --set "scope=$1" --set level=DRAM --set pages=small \
			--set "autotune.elements=$elements"
		echo "$(column triad best_gbps) $(OMP_NUM_THREADS=$2 OMP_PROC_BIND=true "$stream" |
			awk '$1 == "Triad:" { print $2 / 1000 }')"
	done | awk '{ r = $1 > r ? $1 : r; b = $2 > b ? $2 : b }
		END { printf "%27s %8.2f / %8.2f GB/s = %.3f  STREAM, small pages (bar: within 3 %%)\n", "", r, b, (b > 0 ? r / b : 0) }'
}

for part in $parts; do
	case $part in
	study | simulated | search | peak | triad) "$part" ;;
	*)
		echo "autotune.sh: there is no part $part: study, simulated, search, peak, triad" >&2
		exit 2
		;;
	esac
done
