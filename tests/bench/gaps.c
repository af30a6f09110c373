/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records what disturbs a CPU of this machine, in the terms of a regime of the simulated machine
 * (src/measure/simulated/simulation.c): gaps in the clock, and what the gauge of the core reads.
 *
 *     gaps [-c CPU] [-t SECONDS] [-g LEAST_GAP_US]
 *
 * It judges nothing. Gaps are times in which the clock was not read: pauses by a hypervisor,
 * interrupts, other processes. Of those with a context switch only the number is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "machine/machine.h"
#include "measure/gauge.h"

enum { READINGS = 4000 };

/* Longer gaps are another kind of pauses: the CPU was given to another process. */
#define LONG_SECONDS 100e-6

struct numbers {
	double *x;
	size_t n, cap;
};

static void add(struct numbers *list, double x)
{
	TP_RESERVE(list->x, list->cap, list->n + 1);
	list->x[list->n++] = x;
}

static void print_quantiles(const char *what, struct numbers *list, double scale)
{
	static const double shares[] = { 0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1 };
	tp_sort_doubles(list->x, list->n);
	printf("%-28s", what);
	for (size_t i = 0; i < TP_COUNT_OF(shares) && list->n; i++)
		printf(" %9.4g",
		       scale * list->x[(size_t)(shares[i] * (double)(list->n - 1) + 0.5)]);
	printf("\n");
}

/* Gaps of at least `least` seconds during `seconds`. */
static double record_gaps(const struct tp_clock *clock, double seconds, double least,
			  struct numbers *gaps)
{
	uint64_t first = tp_clock_begin(clock), last = first;
	double sum = 0, elapsed = 0;
	while (elapsed < seconds) {
		uint64_t now = tp_clock_begin(clock);
		double gap = (double)(now - last) / clock->hz;
		if (gap >= least) {
			add(gaps, gap);
			sum += gap;
			now = tp_clock_begin(clock); /* storing it may take time as well */
		}
		last = now;
		elapsed = (double)(now - first) / clock->hz;
	}
	printf("%zu gaps in %.2f s: %.1f a second, mean %.2f us, %.2f %% of the time\n", gaps->n,
	       elapsed, (double)gaps->n / elapsed, gaps->n ? sum / (double)gaps->n * 1e6 : 0,
	       100 * sum / elapsed);
	return elapsed;
}

static void record_gauge(const struct tp_clock *clock, const struct tp_cpu *cpu)
{
	struct tp_gauge gauge;
	struct tp_diag diag;
	struct numbers chain = { 0 }, width = { 0 }, ghz = { 0 };
	if (tp_gauge_init(&gauge, clock, cpu, &diag) != TP_OK || !gauge.unit.chain_additions) {
		printf("no gauge on this machine\n");
		return;
	}
	for (int i = 0; i < READINGS; i++) {
		struct tp_gauge_reading readings[2];
		struct tp_core_seen seen;
		tp_gauge_read(&gauge, &readings[0]);
		tp_gauge_read(&gauge, &readings[1]);
		for (int k = 0; k < TP_GAUGE_PIECES; k++)
			add(&chain, gauge.unit.chain_additions / readings[0].chain_seconds[k]);
		tp_core_see(&readings[0], &readings[1], &gauge.unit, &seen);
		add(&ghz, seen.ghz);
		add(&width, seen.width);
	}
	print_quantiles("pieces of the chain, GHz", &chain, 1e-9);
	print_quantiles("clock by the gauge, GHz", &ghz, 1);
	print_quantiles("additions a cycle", &width, 1);
	tp_gauge_release(&gauge);
	free(chain.x);
	free(width.x);
	free(ghz.x);
}

/* One kind of pauses: those at least as long as `from`, and shorter than `to`; gaps are sorted. */
static void print_kind(const struct numbers *gaps, double from, double to, double elapsed)
{
	double sum = 0, least = 0, most = 0;
	size_t n = 0;
	for (size_t i = 0; i < gaps->n; i++) {
		if (gaps->x[i] < from || gaps->x[i] >= to)
			continue;
		least = n ? least : gaps->x[i];
		most = gaps->x[i];
		sum += most;
		n++;
	}
	if (n)
		printf(" { %.4g, %.3g, %.3g, %.3g },", (double)n / elapsed, least, sum / (double)n,
		       most);
}

int main(int argc, char **argv)
{
	unsigned cpu_number = 0;
	double seconds = 2, least = 1e-6;
	for (int option; (option = getopt(argc, argv, "c:t:g:")) != -1;) {
		if (option == 'c')
			cpu_number = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 't')
			seconds = strtod(optarg, NULL);
		else if (option == 'g')
			least = strtod(optarg, NULL) * 1e-6;
		else
			return 2;
	}
	struct tp_cpu cpu;
	struct tp_clock clock;
	struct tp_diag diag;
	struct numbers gaps = { 0 };
	tp_arch_identify(&cpu);
	tp_clock_init(&clock, &cpu, 0);
	if (tp_machine_pin(cpu_number, &diag) != TP_OK) {
		fprintf(stderr, "%s\n", diag.what);
		return 1;
	}
	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	double elapsed = record_gaps(&clock, seconds, least, &gaps);
	getrusage(RUSAGE_THREAD, &after);
	printf("%.1f involuntary context switches a second\n",
	       (double)(after.ru_nivcsw - before.ru_nivcsw) / elapsed);
	printf("%-28s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "quantiles", "least", "1 %", "5 %",
	       "25 %", "50 %", "75 %", "95 %", "99 %", "most");
	print_quantiles("gaps, us", &gaps, 1e6);
	record_gauge(&clock, &cpu);
	printf("as a regime: .pauses = {");
	print_kind(&gaps, 0, LONG_SECONDS, elapsed);
	print_kind(&gaps, LONG_SECONDS, INFINITY, elapsed);
	printf(" }\n");
	free(gaps.x);
	return 0;
}
