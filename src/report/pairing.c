/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pairing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/reporter.h"

static const char *const dimension_names[] = { "",
#define DIMENSION_ROW(id, name) name,
					       TP_DIMENSION_LIST(DIMENSION_ROW)
#undef DIMENSION_ROW
};

const char *tp_dimension_name(enum tp_dimension dimension)
{
	return dimension_names[dimension];
}

bool tp_dimension_parse(const char *name, enum tp_dimension *dimension, char *hint, size_t size)
{
	TP_STR text = { 0 };
	for (size_t i = 1; i < TP_DIMENSION_COUNT; i++)
		if (strcmp(name, dimension_names[i]) == 0) {
			*dimension = (enum tp_dimension)i;
			return true;
		}
	const char *near = tp_nearest(name, dimension_names + 1, TP_DIMENSION_COUNT - 1);
	if (near)
		tp_str_printf(&text, "did you mean %s? There are ", near);
	tp_str_list(&text, dimension_names + 1, TP_DIMENSION_COUNT - 1, " and ");
	tp_copy(hint, size, tp_str_text(&text));
	return false;
}

const char *tp_dimension_text(enum tp_dimension dimension, const struct tp_point *point, char *out,
			      size_t size)
{
	const char *text = "";
	switch (dimension) {
	case TP_ACROSS_ISA:
		text = tp_kernel_row(point)->isa;
		break;
	case TP_ACROSS_PRECISION:
		text = tp_kernel_row(point)->precision;
		break;
	case TP_ACROSS_THREADS:
		snprintf(out, size, "%u thread%s", point->threads, point->threads == 1 ? "" : "s");
		return out;
	case TP_ACROSS_LEVEL:
		text = tp_kernel_row(point)->level;
		break;
	case TP_ACROSS_KERNEL:
		text = point->kernel;
		break;
	case TP_ACROSS_FP_OP:
		text = tp_kernel_row(point)->fp_op;
		break;
	case TP_ACROSS_STORES:
		text = tp_kernel_row(point)->nontemporal ? "nontemporal" : "normal";
		break;
	case TP_ACROSS_PAGES:
		text = *tp_kernel_row(point)->pages_wanted ? tp_kernel_row(point)->pages_wanted
							   : tp_kernel_row(point)->pages;
		break;
	case TP_ACROSS_PAUSE:
		snprintf(out, size, "pause %u", tp_kernel_row(point)->pause_cycles);
		return out;
	case TP_ACROSS_NONE:
	case TP_DIMENSION_COUNT:
		break;
	}
	snprintf(out, size, "%s", text);
	return out;
}

/* --- keys: what was measured, as text --- */

/* The kernel without its kind of store: "2ld1st" for "2ld1st-nt". */
static void add_kernel(struct tp_str *key, const char *kernel, bool keep_stores)
{
	const char *nt = keep_stores ? NULL : strstr(kernel, "-nt");
	if (!nt)
		tp_str_add(key, kernel);
	else
		tp_str_printf(key, "%.*s%s", (int)(nt - kernel), kernel, nt + 3);
}

static void add_key(struct tp_str *key, const struct tp_point *p, enum tp_dimension across)
{
	bool fp = tp_point_is_fp(p);
	/*
	 * The name of an FP kernel has its operation, and mixed ones have ratio and intensity too.
	 */
	bool kernel = across != TP_ACROSS_KERNEL && !(across == TP_ACROSS_FP_OP && fp);
	bool ratio = across != TP_ACROSS_KERNEL;
	bool best = tp_kernel_row(p)->best_ratio;
	/* A level's size follows from the level, the team and, of a roof, the machine. */
	const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
	bool roof = reporter && reporter->roofs;
	bool size = !(across == TP_ACROSS_LEVEL ||
		      ((roof || across == TP_ACROSS_THREADS) && *tp_kernel_row(p)->level));

	tp_str_printf(key, "%s|%s|%s|%s|%u|%s|", p->experiment, p->unit,
		      across == TP_ACROSS_ISA ? "" : tp_kernel_row(p)->isa,
		      across == TP_ACROSS_PRECISION ? "" : tp_kernel_row(p)->precision,
		      across == TP_ACROSS_THREADS ? 0 : p->threads,
		      across == TP_ACROSS_LEVEL ? "" : tp_kernel_row(p)->level);
	if (kernel && !best)
		add_kernel(key, p->kernel, across != TP_ACROSS_STORES);
	if (ratio)
		tp_str_printf(key, "|%s%u:%u", best ? "best" : "",
			      best ? 0 : tp_kernel_row(p)->loads,
			      best ? 0 : tp_kernel_row(p)->stores);
	if (across != TP_ACROSS_FP_OP)
		tp_str_printf(key, "|%s", tp_kernel_row(p)->fp_op);
	if (kernel && across != TP_ACROSS_PRECISION)
		tp_str_printf(key, "|%.6g", tp_kernel_row(p)->ai_flop_per_byte);
	if (size)
		tp_str_printf(key, "|%llu",
			      (unsigned long long)tp_kernel_row(p)->working_set_bytes);
	if (across != TP_ACROSS_STORES && across != TP_ACROSS_KERNEL && !best)
		tp_str_printf(key, "|%d", tp_kernel_row(p)->nontemporal);
	if (across != TP_ACROSS_PAGES)
		tp_str_printf(key, "|%s", tp_kernel_row(p)->pages_wanted);
	if (across != TP_ACROSS_PAUSE)
		tp_str_printf(key, "|%u", tp_kernel_row(p)->pause_cycles);
}

/* A run's finished points by key, alike ones in the order of the run. */
struct entry {
	const char *key; /* into the list's text */
	size_t point;
};

struct list {
	struct entry *entries;
	size_t n;
	struct tp_str text;
};

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->key, b->key);
	return order ? order : (a->point > b->point) - (a->point < b->point);
}

/* `taken`: points to leave out; may be NULL. */
static struct list make_list(const struct tp_run *run, enum tp_dimension across, const bool *taken)
{
	struct list list = { .entries = tp_alloc(run->n_points + 1, sizeof(*list.entries)) };
	TP_FREE size_t *starts = tp_alloc(run->n_points + 1, sizeof(*starts));
	for (size_t i = 0; i < run->n_points; i++) {
		if (run->points[i].state != TP_POINT_DONE || (taken && taken[i]))
			continue;
		list.entries[list.n].point = i;
		starts[list.n++] = list.text.len;
		add_key(&list.text, &run->points[i], across);
		tp_str_add_n(&list.text, "", 1);
	}
	/* The text may have moved while it grew. */
	for (size_t i = 0; i < list.n; i++)
		list.entries[i].key = list.text.s + starts[i];
	qsort(list.entries, list.n, sizeof(*list.entries), by_key);
	return list;
}

static void drop_list(struct list *list)
{
	free(list->entries);
	tp_str_release(&list->text);
}

/* --- pairs --- */

static void add_pair(struct tp_pairing *pairing, size_t a, size_t b)
{
	TP_RESERVE(pairing->pairs, pairing->cap, pairing->n + 1);
	pairing->pairs[pairing->n++] = (struct tp_pair){ a, b };
}

/* The same work: k-th with k-th of those alike. */
static void pair_same(struct tp_pairing *pairing, const struct tp_run *run_a,
		      const struct tp_run *run_b, bool *taken_a, bool *taken_b)
{
	TP_CLEANUP(drop_list) struct list a = make_list(run_a, TP_ACROSS_NONE, NULL);
	TP_CLEANUP(drop_list) struct list b = make_list(run_b, TP_ACROSS_NONE, NULL);
	for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
		int order = strcmp(a.entries[i].key, b.entries[k].key);
		if (order < 0) {
			i++;
		} else if (order > 0) {
			k++;
		} else {
			size_t pa = a.entries[i++].point, pb = b.entries[k++].point;
			taken_a[pa] = taken_b[pb] = true;
			add_pair(pairing, pa, pb);
		}
	}
}

/* What is left of b with the first of a that differs in the dimension only. */
static void pair_across(struct tp_pairing *pairing, const struct tp_run *run_a,
			const struct tp_run *run_b, enum tp_dimension across, bool *taken_a,
			bool *taken_b)
{
	TP_CLEANUP(drop_list) struct list a = make_list(run_a, across, NULL);
	TP_CLEANUP(drop_list) struct list b = make_list(run_b, across, taken_b);
	for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
		int order = strcmp(a.entries[i].key, b.entries[k].key);
		if (order < 0) {
			i++;
			continue;
		}
		size_t pa = a.entries[i].point, pb = b.entries[k++].point;
		if (order > 0 || (run_a == run_b && pa == pb))
			continue;
		taken_a[pa] = taken_b[pb] = true;
		add_pair(pairing, pa, pb);
	}
}

static void add_leftovers(const struct tp_run *run, const bool *taken, size_t **list, size_t *n,
			  size_t *cap)
{
	for (size_t i = 0; i < run->n_points; i++) {
		if (run->points[i].state != TP_POINT_DONE || taken[i])
			continue;
		TP_RESERVE(*list, *cap, *n + 1);
		(*list)[(*n)++] = i;
	}
}

static int by_second(const void *left, const void *right)
{
	const struct tp_pair *a = left, *b = right;
	return (a->b > b->b) - (a->b < b->b);
}

void tp_pairing_find(struct tp_pairing *pairing, const struct tp_run *a, const struct tp_run *b,
		     enum tp_dimension across)
{
	TP_FREE bool *taken_a = tp_alloc(a->n_points + 1, sizeof(*taken_a));
	TP_FREE bool *taken_b = tp_alloc(b->n_points + 1, sizeof(*taken_b));

	*pairing = (struct tp_pairing){ 0 };
	if (a != b)
		pair_same(pairing, a, b, taken_a, taken_b);
	if (across != TP_ACROSS_NONE)
		pair_across(pairing, a, b, across, taken_a, taken_b);
	if (a != b) {
		add_leftovers(a, taken_a, &pairing->only_a, &pairing->n_only_a, &pairing->cap_a);
		add_leftovers(b, taken_b, &pairing->only_b, &pairing->n_only_b, &pairing->cap_b);
	}
	if (pairing->n)
		qsort(pairing->pairs, pairing->n, sizeof(*pairing->pairs), by_second);
}

void tp_pairing_release(struct tp_pairing *pairing)
{
	free(pairing->pairs);
	free(pairing->only_a);
	free(pairing->only_b);
	*pairing = (struct tp_pairing){ 0 };
}

/*
 * A bound comes from a measured frequency, which reads that much low at most when all else is well.
 */
#define BOUND_SLACK 0.005

/* Twice the distance from the fast mode within which windows are kept: see measure/sampler.h. */
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
 * the worst lay 31 % below. The others coincide with work of unknown size on the same core, which
 * can take half of it.
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

static double shortfall_of(const struct tp_point *point, enum tp_repeat repeat,
			   const struct tp_estimate_context *context)
{
	bool shared = repeat == TP_REPEAT_L3 || repeat == TP_REPEAT_DRAM;
	double most = 0, median = tp_point_median(point);
	uint32_t flags = point->flags;
	size_t clean = 0;
	/*
	 * The sibling left some windows undisturbed, and those made the median. Unknown without the
	 * windows.
	 */
	for (size_t i = 0; i < point->n_samples; i++)
		clean += point->samples[i].flags == 0;
	if (point->n_samples > 0 && clean >= point->kept)
		flags &= ~TP_FLAG(SIBLING);
	for (size_t i = 0; i < TP_COUNT_OF(shortfalls); i++)
		if ((flags & shortfalls[i].flags) == shortfalls[i].flags)
			most = fmax(most, shared ? shortfalls[i].shared : shortfalls[i].core);
	if (!(point->bound > 0) || !(median > 0) || point->less_is_better)
		return most;
	/*
	 * Nothing is faster than the machine: a point at its bound has lost nothing, whatever its
	 * flags. A slowdown may also affect the chain around it, from which the bound was made.
	 */
	double bound = point->bound;
	if (point->core_ghz > 0)
		bound *= fmax(context->fastest_ghz / point->core_ghz, 1);
	return fmin(most, fmax(bound / median - 1, 0) + BOUND_SLACK);
}

/*
 * How far another run may be from this one, by windows or clock; from three processes on these have
 * shown it.
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

void tp_estimate_in_cycles(const struct tp_point *point, double per_cycle,
			   struct tp_estimate *estimate)
{
	const double scale = per_cycle / estimate->value;
	estimate->value = per_cycle;
	estimate->low *= scale;
	estimate->high *= scale;
	if (point && !(point->flags & (TP_FLAG(NOISY) | TP_FLAG(UNSTABLE))))
		estimate->scatter = 0; /* it came from the clock */
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
	TP_FREE double *x = tp_alloc(run->n_points + 1, sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++)
		if (is_on(&run->points[i], plateau))
			x[n++] = shortfall_of(&run->points[i], repeat, context);
	if (n)
		tp_sort_doubles(x, n);
	double shortfall = n ? x[n / 2] : 0;
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
