#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sparse matrices: 12 of them in five formats, and whether the advice names the fastest format (or one within 5 % of it); CSR against a plain loop that the compiler makes of six lines of C; a random matrix of 1 million rows with 16 million non-zeros. Prints figures, without a verdict.
#
# usage: tests/bench/spmv.sh [SECONDS]	(default: 1 second a point)
#
# TPROF names the program (default: build/tprof), CC the compiler. Needs python3 to write matrices.
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
tprof=${TPROF:-$top/build/tprof}
seconds=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
[ -x "$tprof" ] || {
	echo "spmv: there is no $tprof; ./bootstrap build" >&2
	exit 2
}

# --- matrices in files ---

python3 - <<'END'
import random
random.seed(5)

def write(name, kind, rows, columns, entries):
    with open(name, 'w') as f:
        f.write('%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n' % (kind, rows, columns, len(entries)))
        for e in entries:
            f.write(' '.join(map(str, e)) + '\n')

# A mesh with three unknowns a point, as of a solid: blocks of 3 x 3, symmetric.
n, side, entries = 8000, 20, set()
for p in range(n):
    for d in (0, 1, side, side * side):
        q = p + d
        if q < n:
            for a in range(3):
                for b in range(3):
                    i, j = 3 * q + a, 3 * p + b
                    if i >= j:
                        entries.add((i + 1, j + 1))
write('solid.mtx', 'real symmetric', 3 * n, 3 * n, [(i, j, round(random.uniform(-1, 1), 6)) for i, j in sorted(entries)])
# Fluxes between neighbours: skew-symmetric, four full diagonals.
n = 60000
write('flux.mtx', 'real skew-symmetric', n, n,
      [(i + d + 1, i + 1, round(random.uniform(0.1, 1), 6)) for i in range(n) for d in (1, 250) if i + d < n])
# Links: a pattern, in which few have many.
n = 30000
links = {(random.randrange(n) + 1, int(n * random.random() ** 3) + 1) for _ in range(300000)}
links |= {(int(n * random.random() ** 4) + 1, random.randrange(n) + 1) for _ in range(200000)}
write('links.mtx', 'pattern general', n, n, sorted(links))
# Nine rows of ten are empty, the others are short.
n = 200000
write('empty.mtx', 'integer general', n, n,
      sorted({(10 * random.randrange(n // 10) + 1, random.randrange(n) + 1, random.randrange(1, 9)) for _ in range(60000)}))
write('one.mtx', 'real general', 1, 1, [(1, 1, 2.5)])
# A term in a few of many documents: more columns than rows.
write('wide.mtx', 'real general', 4000, 50000,
      sorted({(random.randrange(4000) + 1, random.randrange(50000) + 1) : 0 for _ in range(400000)}) and
      [(i, j, 1.5) for i, j in sorted({(random.randrange(4000) + 1, random.randrange(50000) + 1) for _ in range(400000)})])
# The same structure as general files, for the plain loop.
def stencil(side):
    for i in range(side * side):
        x, y = i % side, i // side
        for j, ok in ((i - side, y > 0), (i - 1, x > 0), (i, True), (i + 1, x + 1 < side), (i + side, y + 1 < side)):
            if ok:
                yield (i + 1, j + 1, 4 if i == j else -1)
write('stencil.mtx', 'real general', 160000, 160000, list(stencil(400)))
n = 20000
write('band.mtx', 'real general', n, n, [(i + 1, j + 1, 0.5) for i in range(n) for j in range(max(0, i - 8), min(n, i + 8))])
write('scattered.mtx', 'real general', n, n,
      [(i + 1, j + 1, 0.5) for i in range(n) for j in sorted(random.sample(range(n), 16))])
END

# --- advice ---

# column NAME FILE: a column of a CSV file by its head. No cell before it may hold a comma.
field() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$2"
}

# key NAME: a value of the only row of "matrices".
key() {
	sed -n '/^"matrices": \[/,/^\]/p' run/run.json | sed -nE "s/.*\"$1\": \"?([^\",}]*)\"?[,}].*/\1/p" | head -n 1
}

measure() { # measure MATRIX SECONDS [OPTION...]: leaves points.csv and run/
	rm -rf run
	local matrix=$1 limit=$2
	shift 2
	"$tprof" --batch spmv --set "matrix=$matrix" --set roofs=false --set "stop.max_time=$limit" "$@" --report=never --csv \
		--run-dir run >all.csv 2>err
	# Names of matrices hold commas in quotes.
	sed -E 's/"[^"]*"/-/g' all.csv >points.csv
}

hits=0
count=0
printf '%-26s %8s %8s %8s %8s %8s  %-7s %-7s %s\n' matrix coo csr bcsr dia ell advice fastest ''
for matrix in laplace2d:1000 laplace3d:100 banded:100000,8 blocks:100000,4 random:100000,1600000 powerlaw:100000,1600000 \
	solid.mtx flux.mtx links.mtx empty.mtx one.mtx wide.mtx; do
	measure "$matrix" "$seconds"
	line=$(printf '%-26s' "$matrix")
	for format in coo csr bcsr dia ell; do
		value=$(paste <(field kernel points.csv) <(field median_gflops points.csv) | awk -v k="spmv-$format" '$1 == k { print $2 }')
		line+=$(if [ -n "$value" ]; then printf ' %8.2f' "$value"; else printf ' %8s' -; fi)
	done
	count=$((count + 1))
	verdict=missed
	if [ "$(key agrees)" = true ]; then
		hits=$((hits + 1))
		verdict=ok
	fi
	printf '%s  %-7s %-7s %s\n' "$line" "$(key advice)" "$(key fastest)" "$verdict"
done
echo "advice: $hits of $count name the fastest format, or one within 5 % of it"
echo

# --- a plain loop ---

cat >plain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) static void multiply(int n, const int *starts, const int *columns, const double *values, const double *x, double *y)
{
	for (int i = 0; i < n; i++) {
		double sum = 0;
		for (int k = starts[i]; k < starts[i + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[i] = sum;
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A general file whose entries are sorted by rows. Prints the GFLOP/s of the fastest of many trials. */
int main(int argc, char **argv)
{
	int n, m, entries, row, column;
	char line[256];
	FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
	if (!f || !fgets(line, sizeof(line), f) || fscanf(f, "%d %d %d", &n, &m, &entries) != 3)
		return 1;
	int *starts = calloc((size_t)n + 1, sizeof(int)), *columns = malloc((size_t)entries * sizeof(int));
	double *values = malloc((size_t)entries * sizeof(double)), *x = malloc((size_t)m * sizeof(double)), *y = calloc((size_t)n, sizeof(double));
	for (int k = 0; k < entries; k++) {
		if (fscanf(f, "%d %d %lf", &row, &column, &values[k]) != 3)
			return 1;
		columns[k] = column - 1;
		starts[row] = k + 1;
	}
	for (int i = 0; i < n; i++)
		if (starts[i + 1] < starts[i])
			starts[i + 1] = starts[i];
	for (int i = 0; i < m; i++)
		x[i] = 1.0 / (i + 1);
	double best = 1e9, until = now() + atof(argv[2]);
	int passes = 1 + 2000000 / entries;
	while (now() < until) {
		double from = now();
		for (int p = 0; p < passes; p++)
			multiply(n, starts, columns, values, x, y);
		double took = (now() - from) / passes;
		best = took < best ? took : best;
	}
	printf("%.4f\n", 2e-9 * entries / best + 0 * y[0]);
	return 0;
}
END
"${CC:-cc}" -O3 -march=native -o plain plain.c || exit 2
printf '%-26s %10s %10s %8s\n' 'GFLOP/s, fastest window' 'plain loop' 'csr' 'ratio'
for matrix in stencil.mtx band.mtx scattered.mtx; do
	before=$(./plain $matrix "$seconds")
	measure $matrix "$seconds" --set format=csr
	after=$(./plain $matrix "$seconds")
	awk -v name=$matrix -v a="$before" -v b="$after" -v csr="$(field best_gflops points.csv)" \
		'BEGIN { p = a > b ? a : b; printf "%-26s %10.2f %10.2f %7.0f%%\n", name, p, csr, 100 * csr / p }'
done
echo

# --- a large one ---

from=$(date +%s.%N)
measure random:1000000,16000000 4 --set format=coo,csr,bcsr,ell
awk -v a="$from" -v b="$(date +%s.%N)" 'BEGIN { printf "random:1000000,16000000 in %.1f s, advice ", b - a }'
echo "$(key advice), fastest $(key fastest)"
paste <(field kernel points.csv) <(field median_gflops points.csv) <(field median_gbps points.csv) <(field quality points.csv) |
	awk '{ printf "  %-10s %6.3f GFLOP/s %6.2f GB/s  %s\n", $1, $2, $3, $4 }'
