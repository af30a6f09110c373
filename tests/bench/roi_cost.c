/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What regions of include/tprof_roi.h cost: nanoseconds for a begin and an end together. By itself
 * it prints the cost in an unwatched program; with the agent in it (tprof --app), the cost of being
 * timed. It gives no verdict.
 *
 *	build/tests/bench/roi_cost; build/tprof --app -- build/tests/bench/roi_cost
 */
#include "include/tprof_roi.h"

#include <stdio.h>
#include <time.h>

enum { CALLS = 10000000, ROUNDS = 9 };

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Of one round of the loop, which marks a region or nothing. */
static double round_ns(int calls, int marked)
{
	double start = now_ns();
	for (int i = 0; i < calls; i++) {
		if (marked)
			tprof_roi_begin("cost");
		__asm__ volatile("" ::: "memory");
		if (marked)
			tprof_roi_end("cost");
	}
	return (now_ns() - start) / calls;
}

int main(void)
{
	int calls = tprof_roi_hook ? CALLS / 100 : CALLS;
	double best = 1e9, empty = 1e9;
	for (int i = 0; i < ROUNDS; i++) {
		double with = round_ns(calls, 1), without = round_ns(calls, 0);
		best = with < best ? with : best;
		empty = without < empty ? without : empty;
	}
	printf("%s: %.2f ns for begin and end (%.2f ns of them the loop)\n",
	       tprof_roi_hook ? "with the agent" : "by itself", best, empty);
	return 0;
}
