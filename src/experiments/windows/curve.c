/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/curve.h"
#include "analysis/plateau.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "base/str.h"
#include "record/point.h"
#include "record/roof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_GRAIN_BYTES = 512, MAX_LEVELS = 8, LEVEL_POINTS = 256 };

/* A way between two levels that is longer is a slope. */
#define SLOPE_OCTAVES 2.0

/* Where the curve bends: extra points at these multiples of every reported capacity. */
static const double around_edge[] = { 0.7, 0.85, 1.0, 1.18, 1.4 };

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void add_size(uint64_t *sizes, size_t *n, double bytes, double low, double high)
{
	if (bytes < low || bytes > high || *n >= TP_CURVE_SIZES_MAX)
		return;
	double rounded = floor(bytes / SIZE_GRAIN_BYTES + 0.5) * SIZE_GRAIN_BYTES;
	sizes[(*n)++] = (uint64_t)fmax(rounded, SIZE_GRAIN_BYTES);
}

/* Sizes given one by one are taken as they are, up to the 64 bytes that kernels work in. */
static size_t given_sizes(struct tp_plan_context *context, const struct tp_value *value,
			  uint64_t *sizes)
{
	size_t n = 0;
	for (size_t i = 0; i < value->n && n < TP_CURVE_SIZES_MAX; i++) {
		uint64_t bytes = value->items[i].count / 64 * 64;
		if (bytes != value->items[i].count)
			tp_planner_note(context, TP_OPT_SIZES,
					"%s is measured as %llu bytes (whole cache lines)",
					value->items[i].text, (unsigned long long)bytes);
		sizes[n++] = bytes;
	}
	return n;
}

enum tp_status tp_curve_check(struct tp_plan_context *context, struct tp_diags *diags)
{
	if (tp_config_real(context->config, TP_OPT_SIZE_MIN) <=
	    tp_config_real(context->config, TP_OPT_SIZE_MAX))
		return TP_OK;
	return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_SIZE_MIN,
				 "make it smaller than size_max",
				 "size_min is larger than size_max");
}

const uint64_t *tp_curve_sizes(struct tp_plan_context *context, unsigned threads, size_t *count)
{
	const struct tp_config *config = context->config;
	const struct tp_value *given = tp_config_value(config, TP_OPT_SIZES);
	size_t n = 0;
	uint64_t *sizes =
		tp_arena_alloc(&context->plan->arena, TP_CURVE_SIZES_MAX * sizeof(*sizes));
	if (given->n) {
		static const char why[] = "sizes lists the working sets";
		tp_planner_idle(context, TP_OPT_SIZE_MIN, TP_OPT_SIZES, why);
		tp_planner_idle(context, TP_OPT_SIZE_MAX, TP_OPT_SIZES, why);
		tp_planner_idle(context, TP_OPT_POINTS_PER_OCTAVE, TP_OPT_SIZES, why);
		n = given_sizes(context, given, sizes);
	} else {
		double low = tp_config_real(config, TP_OPT_SIZE_MIN),
		       high = tp_config_real(config, TP_OPT_SIZE_MAX);
		double step = 1 / tp_config_real(config, TP_OPT_POINTS_PER_OCTAVE);
		/* What is reported may be the host's cache, but the curve shows how much of it is
		 * ours. */
		int last = tp_machine_last_level(context->machine);
		if (tp_config_value(config, TP_OPT_SIZE_MAX)->source == TP_FROM_DEFAULT)
			high = fmax(high, 4.0 * (double)tp_machine_share(context->machine, last,
									 threads));
		/*
		 * The default reach bends to a small machine; a size that somebody asked for does
		 * not.
		 */
		double room = 0.5 * (double)context->machine->available_bytes / threads;
		if (tp_config_value(config, TP_OPT_SIZE_MAX)->source == TP_FROM_DEFAULT &&
		    !context->machine->foreign && high > room) {
			high = room;
			tp_planner_note(context, TP_OPT_SIZE_MAX,
					"lowered to what half of the available memory allows");
		}
		for (size_t i = 0;
		     n < TP_CURVE_SIZES_MAX && low * exp2((double)i * step) < high * 1.0001; i++)
			add_size(sizes, &n, low * exp2((double)i * step), low, high * 1.0001);
		for (int level = 1; level <= 3; level++)
			for (size_t i = 0; i < TP_COUNT_OF(around_edge); i++)
				add_size(
					sizes, &n,
					(double)tp_machine_share(context->machine, level, threads) *
						around_edge[i],
					low, high);
	}
	qsort(sizes, n, sizeof(*sizes), ascending);
	/* Neighbours closer than a fiftieth of an octave measure the same thing twice. */
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || (double)sizes[i] > (double)sizes[kept - 1] * 1.014 ||
		    (given->n && sizes[i] != sizes[kept - 1]))
			sizes[kept++] = sizes[i];
	*count = kept;
	return sizes;
}

static bool same_curve(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(tp_kernel_row(a)->pages_wanted, tp_kernel_row(b)->pages_wanted) == 0;
}

static int by_size(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a,
			      *y = *(const struct tp_point *const *)b;
	return (tp_kernel_row(x)->working_set_bytes > tp_kernel_row(y)->working_set_bytes) -
	       (tp_kernel_row(x)->working_set_bytes < tp_kernel_row(y)->working_set_bytes);
}

/*
 * The level of a plateau of latency is that which holds its largest working set, give or take what
 * a cache holds beyond its capacity. Steps inside a level are those of the TLB, so several may have
 * one name. Where others take most of a cache, memory shows long before its capacity: by the
 * largest size it still has its right name. That of bandwidth is the reported cache it mostly lies
 * in. No two share a name; the later one goes a level down.
 */
static void name_plateau(const struct tp_machine *machine, struct tp_plateau *plateau,
			 enum tp_level_class *previous)
{
	const double beyond = 1.41, from = (double)plateau->from_bytes,
		     to = (double)plateau->to_bytes;
	enum tp_level_class level = tp_planner_class(
		machine, (uint64_t)(plateau->ns > 0 ? to / beyond : sqrt(from * to)),
		plateau->threads);
	if (!(plateau->ns > 0) && level <= *previous)
		level = *previous < TP_CLASS_DRAM ? *previous + 1 : TP_CLASS_DRAM;
	*previous = level;
	tp_copy(plateau->level, sizeof(plateau->level), tp_planner_level_name(level));
	if (level < TP_CLASS_DRAM)
		plateau->reported_bytes = tp_machine_share(machine, (int)level, plateau->threads);
}

/* The usual one of the points of a level, each per cycle of its own windows; 0 = unknown. */
static double per_cycle(const struct tp_point *const *curve, const struct tp_level *level)
{
	double x[LEVEL_POINTS];
	size_t n = 0;
	for (size_t i = level->first; i <= level->last && n < LEVEL_POINTS; i++) {
		const struct tp_point *p = curve[i];
		double value = p->less_is_better ? p->median * p->core_ghz
						 : tp_kernel_row(p)->bytes_per_cycle;
		if (value > 0)
			x[n++] = value;
	}
	tp_sort_doubles(x, n);
	return n ? tp_median_sorted(x, n) : 0;
}

/* The median of the points of a level, as measured; 0 = there is none. */
static double level_median(const struct tp_point *const *curve, const struct tp_level *level)
{
	double x[LEVEL_POINTS];
	size_t n = 0;
	for (size_t i = level->first; i <= level->last && n < LEVEL_POINTS; i++)
		x[n++] = tp_point_median(curve[i]);
	tp_sort_doubles(x, n);
	return n ? tp_median_sorted(x, n) : 0;
}

/*
 * The level's value in its own unit, as its points have it: levels are found in rates, at one
 * clock.
 */
static void set_value(struct tp_plateau *p, const struct tp_level *level,
		      const struct tp_point *const *curve)
{
	double median = level_median(curve, level);
	double low = level->low / level->rate, high = level->high / level->rate;
	if (curve[level->first]->less_is_better) {
		p->ns = median;
		p->ci_low = median / high;
		p->ci_high = low > 0 ? median / low : 0;
		p->latency_cycles = per_cycle(curve, level);
		return;
	}
	p->gbps = median;
	p->ci_low = median * low;
	p->ci_high = median * high;
	p->bytes_per_cycle = per_cycle(curve, level);
}

/* The way behind a level, where it is so long that it says more than the edge. */
static void add_slope(struct tp_run *run, const struct tp_plateau *plateau,
		      const struct tp_level *level, bool last)
{
	if (plateau->ns > 0 || !(level->fall_from_bytes > 0) ||
	    (!last && log2(level->fall_to_bytes / level->fall_from_bytes) < SLOPE_OCTAVES))
		return;
	struct tp_slope row = { .run = plateau->run,
				.threads = plateau->threads,
				.from_bytes = (uint64_t)level->fall_from_bytes,
				.to_bytes = (uint64_t)level->fall_to_bytes,
				.from_gbps = plateau->gbps,
				.to_gbps = level->fall_rate,
				.open = last };
	tp_copy(row.isa, sizeof(row.isa), plateau->isa);
	tp_copy(row.precision, sizeof(row.precision), plateau->precision);
	tp_copy(row.kernel, sizeof(row.kernel), plateau->kernel);
	tp_copy(row.pages_wanted, sizeof(row.pages_wanted), plateau->pages_wanted);
	tp_copy(row.level, sizeof(row.level), plateau->level);
	*(struct tp_slope *)tp_run_add_row(run, &tp_slope_part) = row;
}

/* The clock that a tenth of a curve's points have or exceed; 0 = unknown. `scratch`: n numbers. */
static double fast_ghz(const struct tp_point *const *curve, size_t n, double *scratch)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (curve[i]->core_ghz > 0)
			scratch[known++] = curve[i]->core_ghz;
	tp_sort_doubles(scratch, known);
	return known ? scratch[known - 1 - known / 10] : 0;
}

/*
 * The curve as plateaus are found in it. The clock steps from point to point, and the caches of a
 * core go with it: there, rates are taken at one clock, or each step of the clock would look like
 * one of the curve. It is a fast one, at which levels are furthest apart.
 */
static void curve_points(const struct tp_machine *machine, const struct tp_point *const *curve,
			 size_t n, double ghz, struct tp_curve_point *x)
{
	/* The last cache that a core has for itself. */
	int own = machine->cache[2].size_bytes && machine->cache[2].sharing_cores <= 1 ? 2 : 1;
	double core = (double)tp_machine_share(machine, own, curve[0]->threads);
	for (size_t i = 0; i < n; i++) {
		const struct tp_point *p = curve[i];
		double median = tp_point_median(p),
		       size = (double)tp_kernel_row(p)->working_set_bytes;
		double rate = p->less_is_better && median > 0 ? 1 / median : median;
		if (size <= core && ghz > 0 && p->core_ghz > 0)
			rate *= ghz / p->core_ghz;
		x[i] = (struct tp_curve_point){ size, rate,
						median > 0 ? (p->ci_high - p->ci_low) / 2 / median
							   : 0 };
	}
}

static void add_plateaus(const struct tp_machine *machine, struct tp_run *run,
			 const struct tp_point *const *curve, size_t n)
{
	TP_FREE struct tp_curve_point *x = tp_alloc(n, sizeof(*x));
	TP_FREE double *scratch = tp_alloc(n, sizeof(*scratch));
	struct tp_level levels[MAX_LEVELS];
	size_t n_levels = 0;
	curve_points(machine, curve, n, fast_ghz(curve, n, scratch), x);
	tp_plateaus(x, n, NULL, levels, MAX_LEVELS, &n_levels);
	enum tp_level_class previous = TP_CLASS_FP;
	for (size_t i = 0; i < n_levels; i++) {
		const struct tp_point *first = curve[levels[i].first],
				      *last = curve[levels[i].last];
		struct tp_plateau *p = tp_run_add_row(run, &tp_plateau_part);
		*p = (struct tp_plateau){ .run = first->run,
					  .threads = first->threads,
					  .from_bytes = tp_kernel_row(first)->working_set_bytes,
					  .to_bytes = tp_kernel_row(last)->working_set_bytes,
					  .capacity_bytes = (uint64_t)levels[i].capacity_bytes,
					  .points = (unsigned)(levels[i].last - levels[i].first +
							       1) };
		tp_copy(p->isa, sizeof(p->isa), tp_kernel_row(first)->isa);
		tp_copy(p->precision, sizeof(p->precision), tp_kernel_row(first)->precision);
		tp_copy(p->kernel, sizeof(p->kernel), first->kernel);
		tp_copy(p->pages_wanted, sizeof(p->pages_wanted),
			tp_kernel_row(first)->pages_wanted);
		set_value(p, &levels[i], curve);
		name_plateau(machine, p, &previous);
		add_slope(run, p, &levels[i], i + 1 == n_levels);
	}
}

void tp_curve_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	TP_FREE const struct tp_point **curve = tp_alloc(run->n_points + 1, sizeof(*curve));
	TP_FREE bool *taken = tp_alloc(run->n_points + 1, sizeof(*taken));
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *first = &run->points[i];
		if (taken[i] || first->run != index || first->state != TP_POINT_DONE)
			continue;
		size_t n = 0;
		for (size_t k = i; k < run->n_points; k++)
			if (run->points[k].state == TP_POINT_DONE &&
			    same_curve(first, &run->points[k])) {
				curve[n++] = &run->points[k];
				taken[k] = true;
			}
		qsort(curve, n, sizeof(*curve), by_size);
		add_plateaus(machine, run, curve, n);
	}
}

static bool is_on(const struct tp_point *p, const struct tp_plateau *plateau)
{
	const struct tp_kernel_row *row = tp_kernel_row(p);
	return p->run == plateau->run && p->threads == plateau->threads &&
	       row->working_set_bytes >= plateau->from_bytes &&
	       row->working_set_bytes <= plateau->to_bytes && strcmp(row->isa, plateau->isa) == 0 &&
	       strcmp(row->precision, plateau->precision) == 0 &&
	       strcmp(p->kernel, plateau->kernel) == 0 &&
	       strcmp(row->pages_wanted, plateau->pages_wanted) == 0;
}

void tp_curve_doubt(const struct tp_run *run, unsigned index, bool *again)
{
	const struct tp_plateau *plateaus = tp_run_plateaus(run);
	for (size_t i = 0; i + 1 < tp_run_n_plateaus(run); i++) {
		if (plateaus[i].run != index ||
		    !tp_plateau_is_slower(&plateaus[i], &plateaus[i + 1]))
			continue;
		for (size_t k = 0; k < run->n_points; k++)
			again[k] |= is_on(&run->points[k], &plateaus[i]);
	}
}
