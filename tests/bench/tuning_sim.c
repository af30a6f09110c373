/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Techniques of searching on made-up spaces: what they cost by the clock of the space, against the
 * fixed-size search, and what is lost by their choice. Prints, asserts nothing.
 *
 *     tuning_sim CONFIGURATIONS SPACES [mean|median [SECONDS]]      limit of a configuration, 10
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "tests/unit/tuning_space.h"
#include "experiments/autotune/row.h"

static const struct kind {
	const char *name;
	double call_seconds, noise, spread;
} kinds[] = {
	{ "quiet, calls of 0.3 ms", 0.3e-3, 0.003, 0.002 },
	{ "calls of 2 ms", 2e-3, 0.01, 0.005 },
	{ "calls of 40 ms", 40e-3, 0.01, 0.005 },
	{ "noisy, calls of 2 ms", 2e-3, 0.03, 0.02 },
};

struct sums {
	double seconds, speedup, loss, worst;
	double processes, iterations;
};

struct cell {
	const char *name;
	bool shares;
	unsigned order; /* 0 = by lot, 1 = worst first, 2 = best first */
};

static const struct cell cells[] = {
	{ "default", false, 0 },       { "single", false, 0 },	   { "hand-time", false, 0 },
	{ "hand-accuracy", false, 0 }, { "confidence", false, 0 }, { "c+i", false, 0 },
	{ "c+i+o", false, 0 },	       { "c+i+o", false, 1 },	   { "c+i+o", false, 2 },
	{ "c+i+o/100", false, 0 },     { "racing", true, 0 },	   { "racing", true, 1 },
	{ "racing", true, 2 },	       { "racing", false, 0 },	   { "racing/100", true, 0 },
};
static const char *const orders[] = { "by lot", "worst first", "best first" };

static void make_order(const struct space *space, unsigned kind, size_t *order)
{
	space_shuffle(space, 5, order);
	for (size_t i = 1; kind > 0 && i < space->n; i++)
		for (size_t k = i; k > 0; k--) {
			double a = space->configs[order[k - 1]].rate,
			       b = space->configs[order[k]].rate;
			size_t keep = order[k];

			if (kind == 1 ? a <= b : a >= b)
				break;
			order[k] = order[k - 1];
			order[k - 1] = keep;
		}
}

static bool search(struct space *space, const struct cell *cell,
		   const struct tp_tuning_rules *asked, struct tp_trial *best)
{
	struct tp_tuned tuned = space_tuned(space);
	struct tp_technique technique;
	struct tp_diag diag;
	size_t order[SPACE_MAX];
	struct tp_tuning_rules rules = *asked;

	space_reset(space);
	space->shares = cell->shares;
	make_order(space, cell->order, order);
	rules.order = order;
	if (tp_technique_find(cell->name, &technique) &&
	    space_search(&technique, &tuned, &rules, best, &diag) == TP_OK)
		return true;
	fprintf(stderr, "%s: %s\n", cell->name, diag.what);
	return false;
}

static bool measure(const struct kind *kind, size_t n, size_t spaces,
		    const struct tp_tuning_rules *rules)
{
	struct sums sums[TP_COUNT_OF(cells)] = { 0 };
	static struct space space;

	for (size_t seed = 0; seed < spaces; seed++) {
		double base = 0;

		space_make(&space, n, kind->call_seconds, kind->noise, kind->spread, seed);
		for (size_t i = 0; i < TP_COUNT_OF(cells); i++) {
			struct tp_trial best;
			double loss;

			if (!search(&space, &cells[i], rules, &best))
				return false;
			loss = 1 - space.configs[best.index].rate /
					   space.configs[space_best(&space)].rate;
			base = i == 0 ? space.now : base;
			sums[i].seconds += space.now;
			sums[i].speedup += base / space.now;
			sums[i].loss += loss;
			sums[i].worst = fmax(sums[i].worst, loss);
			sums[i].processes += space.begins;
			sums[i].iterations += space.iterations;
		}
	}
	printf("%s: %zu configurations, %zu spaces\n", kind->name, n, spaces);
	printf("  %-16s %-12s %-9s %10s %9s %8s %8s %9s %10s\n", "technique", "order", "processes",
	       "seconds", "speed-up", "loss %", "worst %", "begins", "iterations");
	for (size_t i = 0; i < TP_COUNT_OF(cells); i++) {
		const struct sums *s = &sums[i];
		double m = (double)spaces;

		printf("  %-16s %-12s %-9s %10.2f %9.1f %8.3f %8.3f %9.0f %10.0f\n", cells[i].name,
		       orders[cells[i].order], cells[i].shares ? "shared" : "own", s->seconds / m,
		       s->speedup / m, 100 * s->loss / m, 100 * s->worst, s->processes / m,
		       s->iterations / m);
	}
	return true;
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 96;
	size_t spaces = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;
	bool by_mean = argc > 3 && strcmp(argv[3], "mean") == 0;
	struct tp_tuning_rules rules = { .basis = by_mean ? TP_BASIS_MEAN : TP_BASIS_MEDIAN,
					 .max_seconds = argc > 4 ? strtod(argv[4], NULL) : 0 };

	if (n == 0 || n > SPACE_MAX || spaces == 0) {
		fprintf(stderr,
			"usage: tuning_sim CONFIGURATIONS(1..%d) SPACES [mean|median [SECONDS]]\n",
			SPACE_MAX);
		return 2;
	}
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++)
		if (!measure(&kinds[i], n, spaces, &rules))
			return 1;
	return 0;
}
