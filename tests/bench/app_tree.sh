#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Trees of processes: the counts of tprof --app for all of them, against known ones or the sum over single runs of the same programs. FLOPs are known exactly; instructions of compilers differ a little from run to run (addresses,
# names of temporary files). Status 1 where a process is missing, FLOPs differ, or instructions do by more than 1 %.
#
# usage: tests/bench/app_tree.sh [CHILDREN]	short children of the last tree (default: 10000)
#
# TPROF names the program (default: build/tprof). Needs gcc and make; python3-numpy, if it is there, is another tree.
set -u
export LC_ALL=C OPENBLAS_NUM_THREADS=1 CCACHE_DISABLE=1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tprof=${TPROF:-$top/build/tprof}
children=${1:-10000}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
cd "$scratch" || exit 2
gcc -O2 -ffp-contract=off -I"$top/include" -o part "$top/tests/app/part.c" || exit 2
failed=0

count() { # count COMMAND...: its tables in ./run
	rm -rf run
	"$tprof" --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- "$@" >out 2>err || {
		cat err >&2
		exit 1
	}
}

# of COLUMN PROGRAM...: sum over the rows of these programs; no program: over all
of() {
	awk -F, -v column="$1" -v programs=" ${*:2} " 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$(at["process"]) == "all" && (programs == "  " || index(programs, " " $(at["program"]) " ")) { sum += $(at[column]) }
		END { printf "%.0f", sum }' run/app_processes.csv
}

uncounted() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$(at["uncounted"]) != "" { n += $(at["processes"]) } END { print n + 0 }' run/app_processes.csv
}

# line NAME PROCESSES COUNTED EXPECTED ALLOWED-PERCENT
line() {
	local verdict
	verdict=$(awk -v a="$3" -v b="$4" -v most="$5" 'BEGIN {
		d = b ? 100 * (a / b - 1) : 100
		printf "%.3f%% %s", d, (d < 0 ? -d : d) <= most ? "ok" : "DIFFERS"
	}')
	printf '%-34s %9s %9s %14s %14s %s\n' "$1" "$2" "$(uncounted)" "$3" "$4" "$verdict"
	case $verdict in *DIFFERS) failed=1 ;; esac
}

printf '%-34s %9s %9s %14s %14s %s\n' tree processes uncounted counted expected differs
count sh -c './part 10000 | ./part 20000 >/dev/null; ./part 30000'
line "sh -c 'a | b; c', FLOPs" "$(of processes part)" "$(of flops part)" 120000 0
seq 1 200 >numbers
count xargs -P 4 -n 1 -a numbers ./part
line 'xargs -P 4, 200 times, FLOPs' "$(of processes part)" "$(of flops part)" 40200 0

if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	cat >pool.py <<'END'
import multiprocessing, numpy, sys
def work(n):
    a = numpy.ones(100000)
    for i in range(n): (a * 1.5).sum()
if __name__ == "__main__":
    with multiprocessing.Pool(2) as p: p.map(work, [int(x) for x in sys.argv[1:]], 1)
END
	count /usr/bin/python3 pool.py 1 1 1 1
	few=$(of flops)
	count /usr/bin/python3 pool.py 101 201 51 151
	# What the interpreter itself computes is in both.
	line 'python multiprocessing, FLOPs' "$(of processes)" "$(($(of flops) - few))" $((500 * 200000)) 0.01
fi

# Compilers: gcc itself, what it starts, and a make that starts all that again and again.
for i in 1 2 3 4 5 6; do
	{
		echo '#include <stdio.h>'
		for k in 1 2 3 4 5 6 7 8; do
			echo "double f${i}_$k(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * $k; return s; }"
		done
	} >"f$i.c"
done
single=0
for i in 1 2 3 4 5 6; do
	gcc -O2 -S -o "f$i.s" "f$i.c" -### 2>&1 | sed -n '/cc1/p' >words
	eval "set -- $(cat words)"
	# One process without children has no rows of processes.
	rm -rf run
	"$tprof" --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- "$@" >out 2>err || exit 1
	one=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$(at["region"]) == "(program)" { print $(at["instructions"]) }' run/app_regions.csv)
	single=$((single + one))
	[ $i -gt 1 ] || first=$one
done
count gcc -O2 -c -o f1.o f1.c
line 'gcc -c, instructions of cc1' "$(of processes)" "$(of instructions cc1)" "$first" 1
printf 'all: f1.o f2.o f3.o f4.o f5.o f6.o\n%%.o: %%.c\n\tgcc -O2 -c -o $@ $<\n' >Makefile
rm -f ./*.o
# Each run makes everything again.
count sh -c 'rm -f *.o; make -j2'
line 'make -j2, 6 files, cc1' "$(of processes)" "$(of instructions cc1)" "$single" 1

# Many children: files and memory are bounded.
seq "$children" | sed 's/.*/1/' >numbers
from=$EPOCHREALTIME
/usr/bin/time -f %M -o native xargs -P 2 -n 1 -a numbers ./part >/dev/null
middle=$EPOCHREALTIME
rm -rf run
/usr/bin/time -f %M -o memory "$tprof" --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- \
	xargs -P 2 -n 1 -a numbers ./part >out 2>err || exit 1
line "xargs -P 2, $children short children" "$(of processes part)" "$(of flops part)" $((2 * children)) 0
awk -v a="$from" -v b="$middle" -v c="$EPOCHREALTIME" -v kib="$(cat memory)" -v n="$children" 'BEGIN {
	printf "  natively %.1f s; counted once and timed once %.1f s (%.1f ms a child); tprof at most %.0f MiB\n",
		b - a, c - b, 1e3 * (c - b) / n, kib / 1024
}'
exit $failed
