#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What --profile costs: a program of fixed work runs with and without it in turn. Prints its CPU time and its time with the profile over
# those without, by medians, with the spread of those without; and the CPU time that the sampler took. THREADS that only wait run next to the one that works: each of them costs the sampler something.
#
# usage: profile_overhead.sh [PAIRS [INTERVAL [THREADS]]]	(environment: TPROF, default build/tprof)
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tprof=${TPROF:-$root/build/tprof}
pairs=${1:-10}
interval=${2:-10ms}
threads=${3:-0}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/work.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static void *wait(void *unused)
{
	for (;;)
		pause();
	return unused;
}
int main(int n, char **words)
{
	pthread_t thread;
	for (int i = n > 1 ? atoi(words[1]) : 0; i > 0; i--)
		pthread_create(&thread, NULL, wait, NULL);
	struct timespec a, b;
	struct rusage used;
	double x = 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < 400000000; i++)
		x = x * 1.0000001 + 1e-9;
	clock_gettime(CLOCK_MONOTONIC, &b);
	getrusage(RUSAGE_SELF, &used);
	printf("%.6f %.6f\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec),
	       (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec);
	return x == 0;
}
END
"${CC:-gcc}" -O1 -pthread -o "$scratch/work" "$scratch/work.c"
for ((i = 0; i < pairs; i++)); do
	"$scratch/work" "$threads" >>"$scratch/without"
	"$tprof" --profile -q --report never --interval "$interval" --run-dir "$scratch/run$i" -- "$scratch/work" "$threads" >>"$scratch/with"
done
python3 - "$scratch" "$pairs" <<'END'
import csv, statistics as st, sys

folder, pairs = sys.argv[1], int(sys.argv[2])
rows = {k: [[float(x) for x in line.split()] for line in open(f"{folder}/{k}")] for k in ("without", "with")}
for column, name in ((1, "CPU time"), (0, "time")):
    a, b = [r[column] for r in rows["without"]], [r[column] for r in rows["with"]]
    ratios = sorted(y / x for x, y in zip(a, b))
    print(f"{name:9} with over without: {st.median(b) / st.median(a):.4f}, pairs from {ratios[0]:.3f} to {ratios[-1]:.3f}; "
          f"spread without: {100 * (max(a) - min(a)) / st.median(a):.1f} %")
shares = []
for i in range(pairs):
    row = next(csv.DictReader(open(f"{folder}/run{i}/points.csv")))
    shares.append(float(row["sampler_share"]))
print(f"sampler: {100 * st.median(shares):.2f} % of a CPU (median), {100 * max(shares):.2f} % at most")
END
