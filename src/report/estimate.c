/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"

/*
 * A bound comes from a measured frequency, which reads that much low at most when all else is well.
 */
#define BOUND_SLACK 0.005
/* How far from the fast mode a window may be to be kept, twice: see measure/sampler.h. */
#define KEPT_CORE   0.04
#define KEPT_BEYOND 0.20
/* Of a normal distribution. */
#define MAD_TO_SIGMA 1.4826
/* Threads of a team compete for what they share; two in DRAM have been seen in two modes. */
#define TEAM_FACTOR 1.5

/*
 * How far the truth may lie above a point with these flags, inside a core and beyond it; the
 * largest that applies counts. Seen on the development machine in runs in a row: nine of ten points
 * with disturbed lay within 12 % (L1), 9 % (L2), 14 % (L3) and 10 % (DRAM) of the median over the
 * runs, part of which is scatter (difference.h); where every window was shared with the sibling,
 * the worst lay 31 % below. The others are met by work of unknown size on the same core, which can
 * take half of it.
 */
static const struct {
	uint32_t flags; /* all of them */
	double core, shared;
} shortfalls[] = {
	{ TP_FLAG(DISTURBED), 0.15, 0.10 }, { TP_FLAG(DISTURBED) | TP_FLAG(SIBLING), 0.35, 0.10 },
	{ TP_FLAG(SHARED_CORE), 1, 1 },	    { TP_FLAG(UNDER_MODEL), 1, 1 },
	{ TP_FLAG(OTHER_TPROF), 1, 1 },
};

void tp_estimate_context(const struct tp_run *run, struct tp_estimate_context *context)
{
	*context = (struct tp_estimate_context){ .known = false };
	for (int level = 1; level <= 3; level++) {
		char key[64];
		snprintf(key, sizeof(key), "machine.cache.L%d.size_bytes", level);
		const struct tp_fact *size = tp_run_fact(run, key);
		snprintf(key, sizeof(key), "machine.cache.L%d.sharing_cores", level);
		const struct tp_fact *sharing = tp_run_fact(run, key);
		if (!size || !size->is_number || !(size->number > 0))
			continue;
		context->size_bytes[level] = size->number;
		context->sharing_cores[level] =
			sharing && sharing->is_number ? fmax(sharing->number, 1) : 1;
		context->known = true;
	}
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			context->fastest_ghz = fmax(context->fastest_ghz, run->points[i].core_ghz);
}

enum tp_repeat tp_estimate_level(const char *level)
{
	for (int i = 0; i < TP_REPEAT_COUNT; i++)
		if (strcmp(level, tp_repeat_name((enum tp_repeat)i)) == 0)
			return (enum tp_repeat)i;
	return TP_REPEAT_COUNT;
}

enum tp_repeat tp_estimate_repeat(const struct tp_point *point,
				  const struct tp_estimate_context *context)
{
	static const double inside[] = { 0, 0.75, 0.75, 0.4 };
	static const double beyond = 3;
	enum tp_repeat named = tp_estimate_level(tp_kernel_row(point)->level);
	double size = (double)tp_kernel_row(point)->working_set_bytes;
	if (named != TP_REPEAT_COUNT)
		return named;
	/* What has a value and no kernel is a program. */
	if (*point->unit && point->kind && !tp_table_is(point->kind->table, &tp_kernel_table))
		return TP_REPEAT_PROGRAM;
	if (!context->known)
		return TP_REPEAT_EDGE;
	for (int level = 1; level <= 3; level++) {
		double sharing = fmin(fmax(point->threads, 1), context->sharing_cores[level]);
		if (!(context->size_bytes[level] > 0))
			continue;
		double share = context->size_bytes[level] / sharing;
		if (size <= inside[level] * share)
			return level == 1 ? TP_REPEAT_L1 : level == 2 ? TP_REPEAT_L2 : TP_REPEAT_L3;
		if (size < beyond * share)
			return TP_REPEAT_EDGE;
	}
	return TP_REPEAT_DRAM;
}

static bool is_shared(enum tp_repeat repeat)
{
	return repeat == TP_REPEAT_L3 || repeat == TP_REPEAT_DRAM || repeat == TP_REPEAT_EDGE;
}

/*
 * Some windows were left alone by the sibling, and those made the median. Unknown without the
 * windows.
 */
static bool has_own_windows(const struct tp_point *point)
{
	size_t clean = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		clean += point->samples[i].flags == 0;
	return point->n_samples > 0 && clean >= point->kept;
}

static double shortfall_of(const struct tp_point *point, enum tp_repeat repeat,
			   const struct tp_estimate_context *context)
{
	bool shared = repeat == TP_REPEAT_L3 || repeat == TP_REPEAT_DRAM;
	double most = 0, median = tp_point_median(point);
	uint32_t flags = point->flags;
	if (has_own_windows(point))
		flags &= ~TP_FLAG(SIBLING);
	for (size_t i = 0; i < TP_COUNT_OF(shortfalls); i++)
		if ((flags & shortfalls[i].flags) == shortfalls[i].flags)
			most = fmax(most, shared ? shortfalls[i].shared : shortfalls[i].core);
	if (!(point->bound > 0) || !(median > 0) || point->less_is_better)
		return most;
	/*
	 * Nothing is faster than the machine: a point at its bound has lost nothing, whatever its
	 * flags say. What slows a point down may slow down the chain beside it too, from which the
	 * bound was made.
	 */
	double bound = point->bound;
	if (point->core_ghz > 0)
		bound *= fmax(context->fastest_ghz / point->core_ghz, 1);
	return fmin(most, fmax(bound / median - 1, 0) + BOUND_SLACK);
}

/*
 * What windows or clock say of how far another run may be from this one; from three processes on
 * these have shown it.
 */
static double scatter_of(const struct tp_point *point)
{
	double scatter = 0, median = tp_point_median(point);
	if (point->invocations < 3 && point->flags & (TP_FLAG(NOISY) | TP_FLAG(UNSTABLE)))
		scatter = MAD_TO_SIGMA * point->mad / median;
	/*
	 * A clock that moved on its own; where something shares the core, the chain that tells the
	 * clock is slowed as well.
	 */
	if (point->flags & TP_FLAG(FREQ_DRIFT) &&
	    !(point->flags & (TP_FLAG(DISTURBED) | TP_FLAG(SIBLING))))
		scatter = fmax(scatter, fabs(log(point->core_ghz_after / point->core_ghz)) / 2);
	return isfinite(scatter) ? scatter : 0;
}

/* An interval of times as one of speeds. */
static void invert(struct tp_estimate *e)
{
	double low = e->low, high = e->high;
	e->value = e->value > 0 ? 1 / e->value : 0;
	e->low = high > 0 ? 1 / high : 0;
	e->high = low > 0 ? 1 / low : 0;
}

void tp_estimate_point(const struct tp_point *point, enum tp_repeat repeat,
		       const struct tp_estimate_context *context, struct tp_estimate *estimate)
{
	bool team = point->threads > 1 && is_shared(repeat);
	*estimate = (struct tp_estimate){
		.value = tp_point_median(point),
		.low = point->ci_low,
		.high = point->ci_high,
		.windows = point->kept,
		.processes = point->invocations,
		.repeat = tp_repeat_deviation(repeat) * (team ? TEAM_FACTOR : 1),
		.scatter = scatter_of(point),
		.shortfall = shortfall_of(point, repeat, context),
	};
	if (point->kept == 1 || !(point->ci_low > 0) || !(point->ci_high > 0)) {
		/* One window has no interval; it was kept for being near the fast mode of all. */
		bool wide = is_shared(repeat) || repeat == TP_REPEAT_PROGRAM;
		double near = wide ? KEPT_BEYOND : KEPT_CORE;
		estimate->low = estimate->value * (1 - near);
		estimate->high = estimate->value * (1 + near);
		estimate->windows = 0;
	}
	if (point->less_is_better)
		invert(estimate);
}

static bool is_on(const struct tp_point *p, const struct tp_plateau *plateau)
{
	return p->state == TP_POINT_DONE && p->run == plateau->run && !*tp_kernel_row(p)->level &&
	       p->threads == plateau->threads &&
	       tp_kernel_row(p)->working_set_bytes >= plateau->from_bytes &&
	       tp_kernel_row(p)->working_set_bytes <= plateau->to_bytes &&
	       strcmp(tp_kernel_row(p)->isa, plateau->isa) == 0 &&
	       strcmp(tp_kernel_row(p)->precision, plateau->precision) == 0 &&
	       strcmp(p->kernel, plateau->kernel) == 0 &&
	       strcmp(tp_kernel_row(p)->pages_wanted, plateau->pages_wanted) == 0;
}

/*
 * The rate of a plateau is the median of its points: at least half of them were no worse than this.
 */
static double median_shortfall(const struct tp_run *run, const struct tp_plateau *plateau,
			       enum tp_repeat repeat, const struct tp_estimate_context *context)
{
	double *x = malloc((run->n_points + 1) * sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i < run->n_points && x; i++)
		if (is_on(&run->points[i], plateau))
			x[n++] = shortfall_of(&run->points[i], repeat, context);
	if (n)
		tp_sort_doubles(x, n);
	double shortfall = n ? x[n / 2] : 0;
	free(x);
	return shortfall;
}

void tp_estimate_plateau(const struct tp_run *run, const struct tp_plateau *plateau,
			 enum tp_repeat repeat, const struct tp_estimate_context *context,
			 struct tp_estimate *estimate)
{
	bool team = plateau->threads > 1 && is_shared(repeat);
	*estimate = (struct tp_estimate){
		.value = plateau->ns > 0 ? plateau->ns : plateau->gbps,
		.low = plateau->ci_low,
		.high = plateau->ci_high,
		.repeat = tp_repeat_deviation(repeat) * (team ? TEAM_FACTOR : 1),
		.shortfall = median_shortfall(run, plateau, repeat, context),
	};
	if (plateau->ns > 0)
		invert(estimate);
}
