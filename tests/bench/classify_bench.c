/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The classification on planted data: how often each score finds the planted basis, and what many
 * events cost. Prints, asserts nothing.
 *
 *     classify_bench recovery SEEDS EVENTS      one line for each family and score
 *     classify_bench noise SEEDS EVENTS         the cache family with more and more noise on every
 *                                               event
 *     classify_bench cost EVENTS ROWS IDEALS    two repetitions; seconds of a processor and by the
 *                                               clock, peak memory of the process
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/unit/planted.h"

static const char *const kinds[PLANTED_KINDS] = { "flops 48x16", "branch 11x5", "cache 20x4" };
static const char *const scores[TP_SCORE_COUNT] = {
	[TP_SCORE_ORIGINAL] = "original column",
	[TP_SCORE_TRAILING] = "trailing part",
	[TP_SCORE_MIXED] = "trailing part, norm of the original column",
};

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool classify(const struct tp_classify_input *input, struct tp_classification_result *result)
{
	struct tp_diag diag;

	if (tp_classify(input, result, &diag) == TP_OK)
		return true;
	fprintf(stderr, "%s: %s\n", diag.where, diag.what);
	return false;
}

/* Out of `seeds`: found[score]. */
static bool recover(enum planted_kind kind, size_t seeds, size_t n_events, double quiet,
		    size_t *found)
{
	for (size_t seed = 0; seed < seeds; seed++) {
		struct planted p;
		bool made = planted_make(&p, kind, n_events, quiet, seed);

		for (unsigned score = 0; made && score < TP_SCORE_COUNT; score++) {
			struct tp_classify_input input = planted_input(&p, (enum tp_score)score);
			struct tp_classification_result result;

			made = classify(&input, &result);
			found[score] += made && planted_found(&p, &result);
			tp_classification_result_release(&result);
		}
		planted_release(&p);
		if (!made)
			return false;
	}
	return true;
}

static bool recovery(size_t seeds, size_t n_events)
{
	for (unsigned kind = 0; kind < PLANTED_KINDS; kind++) {
		size_t found[TP_SCORE_COUNT] = { 0 };

		if (!recover((enum planted_kind)kind, seeds, n_events, 0, found))
			return false;
		for (unsigned score = 0; score < TP_SCORE_COUNT; score++)
			printf("%-12s score of the %-42s %3zu of %zu (%.0f %%)\n", kinds[kind],
			       scores[score], found[score], seeds,
			       100.0 * (double)found[score] / (double)seeds);
	}
	return true;
}

static bool noise(size_t seeds, size_t n_events)
{
	static const double relative[] = { 0, 0.005, 0.01, 0.02, 0.03, 0.05 };

	for (size_t i = 0; i < sizeof(relative) / sizeof(relative[0]); i++) {
		size_t found[TP_SCORE_COUNT] = { 0 };

		if (!recover(PLANTED_CACHE, seeds, n_events, relative[i], found))
			return false;
		printf("noise +-%.1f %%: original %3zu, trailing %3zu, mixed %3zu of %zu\n",
		       100 * relative[i], found[TP_SCORE_ORIGINAL], found[TP_SCORE_TRAILING],
		       found[TP_SCORE_MIXED], seeds);
	}
	return true;
}

/* Sums of a few ideal events: all of them survive to the end, which is the most there is to do. */
static bool cost(size_t n_events, size_t n_rows, size_t n_ideals)
{
	struct planted p = { .n_rows = n_rows,
			     .n_ideals = n_ideals,
			     .n_events = n_events,
			     .n_repetitions = 2,
			     .random = 88172645463325252u,
			     .limits = { 1e-10, 1e-8, 5e-4, 1e-6, 1e-3, TP_SCORE_ORIGINAL } };
	struct tp_classification_result result = { 0 };
	struct rusage usage;
	bool done = false;
	double *x = calloc(n_ideals, sizeof(*x)), *signature = calloc(n_ideals, sizeof(*x));

	p.expectations = calloc(n_rows * n_ideals, sizeof(*p.expectations));
	p.counts = calloc(n_events * 2 * n_rows, sizeof(*p.counts));
	if (!x || !signature || !p.expectations || !p.counts)
		goto out;
	for (size_t r = 0; r < n_rows; r++)
		p.expectations[r * n_ideals + r % n_ideals] = (double)(12 + r);
	for (size_t e = 0; e < n_events; e++) {
		memset(x, 0, n_ideals * sizeof(*x));
		for (size_t k = 1 + planted_below(&p, 4); k > 0; k--)
			x[planted_below(&p, n_ideals)] += (double)(1 + planted_below(&p, 3));
		planted_event(&p, e, x, 0);
	}
	signature[0] = 1;
	getrusage(RUSAGE_SELF, &usage);
	long before = usage.ru_maxrss;
	struct tp_classify_input input = planted_input(&p, TP_SCORE_ORIGINAL);

	input.signatures = signature;
	input.n_metrics = 1;
	double begin = clock_seconds(CLOCK_MONOTONIC);
	double cpu_begin = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);

	done = classify(&input, &result);
	double seconds = clock_seconds(CLOCK_MONOTONIC) - begin;
	double cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;

	getrusage(RUSAGE_SELF, &usage);
	printf("%7zu events x %3zu rows x %3zu ideal events x 2: %7.3f s of a processor (%.3f s), "
	       "%6.0f ns an event, peak %4ld MiB (input %4ld), %zu chosen\n",
	       n_events, n_rows, n_ideals, cpu_seconds, seconds,
	       cpu_seconds / (double)n_events * 1e9, usage.ru_maxrss / 1024, before / 1024,
	       result.n_chosen);
out:
	tp_classification_result_release(&result);
	planted_release(&p);
	free(x);
	free(signature);
	return done;
}

int main(int argc, char **argv)
{
	size_t numbers[3] = { 0 };

	for (int i = 2; i < argc && i < 5; i++)
		numbers[i - 2] = strtoul(argv[i], NULL, 10);
	if (argc == 4 && strcmp(argv[1], "recovery") == 0)
		return recovery(numbers[0], numbers[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (argc == 4 && strcmp(argv[1], "noise") == 0)
		return noise(numbers[0], numbers[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (argc == 5 && strcmp(argv[1], "cost") == 0)
		return cost(numbers[0], numbers[1], numbers[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
	fprintf(stderr, "see tests/bench/classify.sh\n");
	return 2;
}
