/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules of measuring against simulated machines: every regime of disturbance, several machine
 * models, many seeds; a roofline, a memory curve and a latency curve of each. Prints for each
 * regime how far results are from the truth, how often intervals hold it, the clock, levels and
 * edges, which points are called good, and the time it took. The last lines are the bars.
 *
 *     matrix [-s SEEDS] [-r REGIME] [-m MODEL] [-v]      -v lists the points that miss a bar
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/windows/planner.h"
#include "record/point.h"
#include "record/roof.h"
#include "tests/unit/simulated_run.h"

/* Classes of results: what the core decides, shared levels and memory, latency. */
enum kind { CORE, SHARED, LATENCY, KINDS };
static const char *const kind_names[KINDS] = { "core", "shared", "latency" };
/* Bars: for 95 % of good points, and for every good point, percent. */
static const double usual_bar[KINDS] = { 1, 4, 5 }, worst_bar[KINDS] = { 3, 8, 8 };
#define GOOD_SHARE_BAR 0.70
#define CLOCK_BAR      1.0
#define LEVELS_BAR     0.95
#define EDGE_FACTOR    1.25
#define OWN_SHARE      0.6
#define DISTINCT       0.05
#define ONE_LEVEL      0.12 /* rates closer than this are one level, as in plateau.h */
#define MEMORY_FACTOR  3 /* of the last capacity: memory for certain */

static const struct machine {
	const char *model, *topology;
} machines[] = {
	{ "zen4", "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=32768) core:1 pu:1" },
	{ "granite-rapids",
	  "pack:1 l3:1(size=503316480) l2:2(size=2097152) l1d:1(size=49152) core:1 pu:1" },
	{ "skylake-x",
	  "pack:1 l3:1(size=25952256) l2:4(size=1048576) l1d:1(size=32768) core:1 pu:2" },
	{ "zen3", "pack:1 l3:1(size=33554432) l2:4(size=524288) l1d:1(size=32768) core:1 pu:2" },
	{ "neoverse-v1",
	  "pack:1 l3:1(size=33554432) l2:4(size=1048576) l1d:1(size=65536) core:1 pu:1" },
	{ "thunderx2",
	  "pack:1 l3:1(size=33554432) l2:4(size=262144) l1d:1(size=32768) core:1 pu:1" },
};

static const char *const experiments[][6] = {
	{ "experiment=roofline", "isa=widest", "threads=1", "ratio=[1:0, 2:1]",
	  "fp_op=[fma, add, fma+add]", "stores=normal" },
	{ "experiment=memcurve", "isa=widest", "threads=1", "ratio=1:0", "pages=thp", NULL },
	{ "experiment=latency", "threads=1", "pages=thp", NULL, NULL, NULL },
};

/* A list of numbers that grows. */
struct numbers {
	double *x;
	size_t n, cap;
};

static void add(struct numbers *list, double x)
{
	TP_RESERVE(list->x, list->cap, list->n + 1);
	list->x[list->n++] = x;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The value that this share of the list does not exceed; NaN of an empty list. */
static double quantile(struct numbers *list, double share)
{
	if (!list->n)
		return NAN;
	qsort(list->x, list->n, sizeof(*list->x), rising);
	return list->x[(size_t)(share * (double)(list->n - 1) + 0.5)];
}

struct sums {
	struct numbers error[KINDS], good_error[KINDS]; /* percent, absolute */
	size_t points[KINDS], good[KINDS], missed[KINDS]; /* bar of each good point */
	size_t covered, intervals;
	struct numbers clock; /* percent, absolute */
	size_t curves, right_levels, edges, right_edges;
	double seconds; /* virtual */
	size_t runs, failed;
};

static bool verbose;

/* The core's private caches hold it completely: near their edge, other threads matter. */
static bool is_own(const struct simulated_run *s, uint64_t bytes)
{
	return (double)bytes <=
	       OWN_SHARE * (double)tp_simulation_true_capacity_bytes(s->simulation, 2);
}

/* Decided only by a core: FP, and sets that its private caches hold. */
static enum kind kind_of(const struct simulated_run *s, const struct tp_point *p)
{
	uint64_t bytes = tp_kernel_row(p)->working_set_bytes;
	if (p->less_is_better)
		return LATENCY;
	return is_own(s, bytes) ? CORE : SHARED;
}

static void tell(const struct simulated_run *s, const struct tp_point *p, const char *regime,
		 uint64_t seed, double truth, const char *why)
{
	char flags[256];
	if (verbose)
		printf("  %s %s seed %llu: %s %s %s %s %llu B: %.4g, truth %.4g (%+.1f %%), %u of "
		       "%zu windows, clock %.3f, %s: %s\n",
		       regime, s->session.machine.model.name, (unsigned long long)seed,
		       p->experiment, p->kernel, tp_kernel_row(p)->isa, tp_kernel_row(p)->level,
		       (unsigned long long)tp_kernel_row(p)->working_set_bytes, p->median, truth,
		       100 * (p->median / truth - 1), p->kept, p->n_samples, p->core_ghz,
		       tp_quality_words(p->quality, p->flags, flags, sizeof(flags)), why);
}

static void take_point(struct sums *sums, const struct simulated_run *s, const struct tp_point *p,
		       const char *regime, uint64_t seed)
{
	double truth = simulated_truth(s, p);
	if (p->state != TP_POINT_DONE || !(truth > 0))
		return;
	enum kind kind = kind_of(s, p);
	const struct tp_isa *isa = tp_window_plan(&s->session.plan.items[p->point])->kernel.isa;
	double mean_ghz = tp_simulation_true_ghz(
		s->simulation, p->less_is_better ? 0 : tp_isa_operand_bytes(isa, 8));
	double ghz = s->ghz[p->point];
	/* A clock that steps is not a disturbance: what the core decides goes with the clock it
	 * had.
	 */
	if (is_own(s, tp_kernel_row(p)->working_set_bytes) && ghz > 0)
		truth *= kind == LATENCY ? mean_ghz / ghz : ghz / mean_ghz;
	double error = 100 * fabs(p->median / truth - 1);
	sums->points[kind]++;
	add(&sums->error[kind], error);
	if (p->quality == TP_QUALITY_GOOD) {
		sums->good[kind]++;
		add(&sums->good_error[kind], error);
		if (error > worst_bar[kind]) {
			sums->missed[kind]++;
			tell(s, p, regime, seed, truth, "good, and too far off");
		}
	}
	if (p->ci_high > p->ci_low) {
		sums->intervals++;
		sums->covered += p->ci_low <= truth && truth <= p->ci_high;
	}
	if (p->core_ghz > 0 && ghz > 0)
		add(&sums->clock, 100 * fabs(p->core_ghz / ghz - 1));
}

static double rate_at(const struct simulated_run *s, double bytes)
{
	const struct tp_point *last = &s->run.points[s->run.n_points - 1];
	struct tp_kernel_row row = *tp_kernel_row(last);
	struct tp_point at = *last;
	at.row = &row;
	row.working_set_bytes = (uint64_t)bytes;
	row.flushed = false;
	return simulated_truth(s, &at);
}

/*
 * Levels that a curve can show: those that the sizes reach, and whose rate differs from the one
 * before. Of these, a level is `flat` if its rate hardly changes over an octave and differs from
 * the one before by more than one level may; the others a curve may show or not.
 */
static unsigned true_levels(const struct simulated_run *s, unsigned *flat)
{
	const struct tp_point *last = &s->run.points[s->run.n_points - 1];
	double reach = (double)tp_kernel_row(last)->working_set_bytes, below = 0, rate = 0;
	unsigned n = 0;
	*flat = 0;
	for (int level = 1; level <= 4; level++) {
		double capacity =
			level < 4 ? (double)tp_simulation_true_capacity_bytes(s->simulation, level)
				  : MEMORY_FACTOR * below;
		double middle = level == 4 ? capacity
				: below	   ? sqrt(below * capacity)
					   : capacity / 2;
		if (!(capacity > 0) || middle > reach)
			continue;
		double truth = rate_at(s, middle);
		if (fabs(truth / rate - 1) > DISTINCT) {
			double change =
				rate_at(s, middle * M_SQRT1_2) / rate_at(s, middle * M_SQRT2);
			n++;
			*flat += fabs(change - 1) < DISTINCT && fabs(truth / rate - 1) > ONE_LEVEL;
		}
		rate = truth;
		below = capacity;
	}
	return n;
}

/* How far an edge is from the nearest one that there is. */
static double edge_factor(const struct simulated_run *s, uint64_t bytes)
{
	double least = INFINITY;
	for (int level = 1; level <= 3; level++) {
		double truth = (double)tp_simulation_true_capacity_bytes(s->simulation, level);
		if (truth > 0)
			least = fmin(least, exp(fabs(log((double)bytes / truth))));
	}
	return least;
}

static void take_curve(struct sums *sums, const struct simulated_run *s, const char *regime,
		       uint64_t seed)
{
	unsigned found = 0;
	for (size_t i = 0; i < tp_run_n_plateaus(&s->run); i++) {
		const struct tp_plateau *p = &tp_run_plateaus(&s->run)[i];
		found++;
		if (!p->capacity_bytes)
			continue;
		sums->edges++;
		sums->right_edges += edge_factor(s, p->capacity_bytes) < EDGE_FACTOR;
	}
	sums->curves++;
	unsigned least, most = true_levels(s, &least);
	bool right = least <= found && found <= most;
	sums->right_levels += right;
	if (verbose && !right)
		printf("  %s %s seed %llu: %s has %u levels, truth %u to %u\n", regime,
		       s->session.machine.model.name, (unsigned long long)seed,
		       s->session.plan.items[0].experiment->name, found, least, most);
}

static void take_run(struct sums *sums, const struct simulated_run *s, const char *regime,
		     uint64_t seed)
{
	for (size_t i = 0; i < s->run.n_points; i++)
		take_point(sums, s, &s->run.points[i], regime, seed);
	if (strcmp(s->session.plan.items[0].experiment->name, "memcurve") == 0)
		take_curve(sums, s, regime, seed);
	sums->seconds += s->seconds;
	sums->runs++;
}

static bool open_run(struct simulated_run *s, const struct machine *machine, size_t experiment)
{
	char topology[256], model[64];
	const char *sets[8] = { topology, model };
	size_t n = 2;
	struct tp_diags diags = { 0 };
	snprintf(topology, sizeof(topology), "topology=synthetic:%s", machine->topology);
	snprintf(model, sizeof(model), "machine=%s", machine->model);
	for (size_t i = 0; i < 6 && experiments[experiment][i]; i++)
		sets[n++] = experiments[experiment][i];
	bool open = simulated_open(s, sets, n, &diags) == TP_OK;
	for (size_t i = 0; i < diags.n && !open; i++)
		fprintf(stderr, "%s: %s: %s\n", machine->model, diags.items[i].where,
			diags.items[i].what);
	tp_diags_release(&diags);
	return open;
}

static void measure(struct sums *sums, struct simulated_run *s, const struct tp_regime *regime,
		    unsigned seeds)
{
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct tp_diag diag = { 0 };
		if (simulated_measure(s, regime, seed, &diag) == TP_OK) {
			take_run(sums, s, regime->name, seed);
			continue;
		}
		sums->failed++;
		fprintf(stderr, "%s %s seed %llu: %s: %s\n", regime->name,
			s->session.machine.model.name, (unsigned long long)seed, diag.where,
			diag.what);
	}
}

static double percent(size_t part, size_t all)
{
	return all ? 100.0 * (double)part / (double)all : NAN;
}

static void head(void)
{
	printf("%-20s", "regime");
	for (int k = 0; k < KINDS; k++)
		printf("| %-7s good  95 %%  worst(good) ", kind_names[k]);
	printf("| interval  clock  levels  edges  s/run\n");
	printf("%-20s", "");
	for (int k = 0; k < KINDS; k++)
		printf("| %-29s", "          %  error   error %");
	printf("| holds %%  error%%     %%     %%\n");
}

static void row(const char *name, struct sums *s)
{
	printf("%-20s", name);
	for (int k = 0; k < KINDS; k++)
		printf("| %7zu %4.0f %6.2f %6.2f %4zu ", s->points[k],
		       percent(s->good[k], s->points[k]), quantile(&s->good_error[k], 0.95),
		       quantile(&s->good_error[k], 1), s->missed[k]);
	printf("| %6.1f %7.2f %6.0f %6.0f %6.2f\n", percent(s->covered, s->intervals),
	       quantile(&s->clock, 0.95), percent(s->right_levels, s->curves),
	       percent(s->right_edges, s->edges), s->runs ? s->seconds / (double)s->runs : NAN);
	fflush(stdout);
}

static void merge(struct sums *all, const struct sums *s)
{
	for (int k = 0; k < KINDS; k++) {
		for (size_t i = 0; i < s->error[k].n; i++)
			add(&all->error[k], s->error[k].x[i]);
		for (size_t i = 0; i < s->good_error[k].n; i++)
			add(&all->good_error[k], s->good_error[k].x[i]);
		all->points[k] += s->points[k];
		all->good[k] += s->good[k];
		all->missed[k] += s->missed[k];
	}
	for (size_t i = 0; i < s->clock.n; i++)
		add(&all->clock, s->clock.x[i]);
	all->covered += s->covered;
	all->intervals += s->intervals;
	all->curves += s->curves;
	all->right_levels += s->right_levels;
	all->edges += s->edges;
	all->right_edges += s->right_edges;
	all->seconds += s->seconds;
	all->runs += s->runs;
	all->failed += s->failed;
}

static void release(struct sums *s)
{
	for (int k = 0; k < KINDS; k++) {
		free(s->error[k].x);
		free(s->good_error[k].x);
	}
	free(s->clock.x);
	*s = (struct sums){ 0 };
}

static void bar(const char *what, double value, const char *relation, double wanted, bool met)
{
	printf("%-58s %8.2f  bar %s %g  %s\n", what, value, relation, wanted,
	       met ? "met" : "MISSED");
}

static void bars(struct sums *s)
{
	char what[80];
	for (int k = 0; k < KINDS; k++) {
		double usual = quantile(&s->good_error[k], 0.95);
		snprintf(what, sizeof(what), "good points, %s: error of 95 %%, percent",
			 kind_names[k]);
		bar(what, usual, "<=", usual_bar[k], !(usual > usual_bar[k]));
		double worst = quantile(&s->good_error[k], 1);
		snprintf(what, sizeof(what), "good points, %s: worst error, percent",
			 kind_names[k]);
		bar(what, worst, "<=", worst_bar[k], !(worst > worst_bar[k]));
	}
	double clock = quantile(&s->clock, 0.95);
	bar("clock: error of 95 %, percent", clock, "<=", CLOCK_BAR, !(clock > CLOCK_BAR));
	double levels = percent(s->right_levels, s->curves);
	bar("curves with the right number of levels, percent", levels, ">=", 100 * LEVELS_BAR,
	    levels >= 100 * LEVELS_BAR);
}

/* The regimes of the two known virtual machines, and that of a core that is never ours. */
static void bars_of(const char *regime, const struct sums *s)
{
	size_t good = 0, points = 0;
	char what[80];
	for (int k = 0; k < KINDS; k++) {
		good += s->good[k];
		points += s->points[k];
	}
	double share = percent(good, points);
	if (strcmp(regime, "zen4-vm") == 0 || strcmp(regime, "gnr-vm") == 0) {
		snprintf(what, sizeof(what), "%s: good points, percent", regime);
		bar(what, share, ">=", 100 * GOOD_SHARE_BAR, share >= 100 * GOOD_SHARE_BAR);
	} else if (strcmp(regime, "smt-neighbour-half") == 0) {
		double core = percent(s->good[CORE], s->points[CORE]);
		bar("smt-neighbour-half: good points of the core, percent", core, "<=", 0,
		    s->good[CORE] == 0);
	}
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	const char *only_regime = NULL, *only_model = NULL;
	unsigned seeds = 20;
	for (int option; (option = getopt(argc, argv, "s:r:m:v")) != -1;) {
		if (option == 's')
			seeds = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'r')
			only_regime = optarg;
		else if (option == 'm')
			only_model = optarg;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	enum { MACHINES = TP_COUNT_OF(machines), EXPERIMENTS = TP_COUNT_OF(experiments) };
	struct simulated_run runs[MACHINES][EXPERIMENTS] = { 0 };
	for (size_t m = 0; m < MACHINES; m++)
		for (size_t e = 0; e < EXPERIMENTS; e++)
			if ((!only_model || strcmp(only_model, machines[m].model) == 0) &&
			    !open_run(&runs[m][e], &machines[m], e))
				return 1;
	struct sums all = { 0 }, *each = calloc(tp_regime_count, sizeof(*each));
	if (!each)
		return 1;
	head();
	for (size_t r = 0; r < tp_regime_count; r++) {
		const struct tp_regime *regime = &tp_regime_table[r];
		/* A cache whose size moves has no single truth: test_curve_levels covers that
		 * regime. */
		if (regime->last_level.least > 0 ||
		    (only_regime && strcmp(only_regime, regime->name) != 0))
			continue;
		for (size_t m = 0; m < MACHINES; m++)
			for (size_t e = 0; e < EXPERIMENTS; e++)
				if (runs[m][e].session.plan.n)
					measure(&each[r], &runs[m][e], regime, seeds);
		row(regime->name, &each[r]);
		merge(&all, &each[r]);
	}
	row("all", &all);
	printf("\n");
	bars(&all);
	for (size_t r = 0; r < tp_regime_count; r++) {
		if (each[r].runs)
			bars_of(tp_regime_table[r].name, &each[r]);
		release(&each[r]);
	}
	size_t failed = all.failed;
	release(&all);
	free(each);
	for (size_t m = 0; m < MACHINES; m++)
		for (size_t e = 0; e < EXPERIMENTS; e++)
			simulated_close(&runs[m][e]);
	return failed ? 1 : 0;
}
