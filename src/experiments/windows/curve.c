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

/* Explicit sizes are used as given, up to the 64 bytes that kernels work in. */
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
	/*
	 * Neighbours closer than a fiftieth of an octave measure the same thing twice, unless this
	 * many were requested.
	 */
	double least_ratio = exp2(0.02);
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
		least_ratio = fmin(least_ratio, exp2(step / 2));
		/* The reported cache may be the host's, but the curve shows how much of it is ours.
		 */
		int last = tp_machine_last_level(context->machine);
		if (tp_config_value(config, TP_OPT_SIZE_MAX)->source == TP_FROM_DEFAULT)
			high = fmax(high, 4.0 * (double)tp_machine_share(context->machine, last,
									 threads));
		/* The default reach adapts to a small machine; a requested size does not. */
		double room = tp_machine_room_bytes(context->machine, 0.5) / threads;
		if (tp_config_value(config, TP_OPT_SIZE_MAX)->source == TP_FROM_DEFAULT &&
		    high > room) {
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
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || (double)sizes[i] > (double)sizes[kept - 1] * least_ratio ||
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

/* The last cache that a core has for itself. */
static int own_level(const struct tp_machine *machine)
{
	return machine->cache[2].size_bytes && machine->cache[2].sharing_cores <= 1 ? 2 : 1;
}

/*
 * A level as it goes into the run. Where others use a cache as well, its rate and its end are what
 * they leave, and move while a curve is measured.
 */
struct found_level {
	struct tp_level shape;
	enum tp_level_class class;
	bool moves; /* its points come from several moments */
	double end_low_bytes, end_high_bytes; /* where it ends, if that moves; else 0 */
};

/*
 * The level of a plateau of latency is that which holds its largest working set, give or take what
 * a cache holds beyond its capacity. Steps inside a level come from the TLB, so several may have
 * one name. If others take most of a cache, memory shows long before its capacity: the largest size
 * still names it correctly.
 */
static enum tp_level_class class_of_latency(const struct tp_machine *machine, double to_bytes,
					    unsigned threads)
{
	const double beyond = 1.41;
	return tp_planner_class(machine, (uint64_t)(to_bytes / beyond), threads);
}

/* The cache that a plateau mostly lies in, as reported. */
static enum tp_level_class class_of(const struct tp_machine *machine,
				    const struct tp_curve_point *x, unsigned threads,
				    const struct tp_level *level)
{
	return tp_planner_class(
		machine, (uint64_t)sqrt(x[level->first].size_bytes * x[level->last].size_bytes),
		threads);
}

/* The last of the plateaus from `levels` on that lie in that cache goes up to its reported end. */
static bool reach_the_end(const struct tp_machine *machine, const struct tp_curve_point *x,
			  unsigned threads, const struct found_level *levels, size_t n,
			  enum tp_level_class class)
{
	const double least = 0.6, most = 1.5;
	double end = 0, reported = (double)tp_machine_share(machine, (int)class, threads);
	for (size_t i = 0; i < n && class_of(machine, x, threads, &levels[i].shape) == class; i++)
		end = x[levels[i].shape.last].size_bytes;
	return end >= least * reported && end <= most * reported;
}

/*
 * The levels of a curve of bandwidth, each once. A plateau belongs to the reported cache that it
 * mostly lies in; one that extends far beyond the last cache belongs to memory. Two in a shared
 * cache, or in memory, are two moments of one level. So are two in a private cache that ends where
 * it is reported to: its rate sags as it fills. If it does not, the later one is a level down.
 */
static size_t name_levels(const struct tp_machine *machine, const struct tp_curve_point *x,
			  unsigned threads, struct found_level *levels, size_t n)
{
	const double far = 2, last = (double)tp_machine_share(
				      machine, tp_machine_last_level(machine), threads);
	const enum tp_level_class own = (enum tp_level_class)own_level(machine);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct found_level *level = &levels[i], *previous = kept ? &levels[kept - 1] : NULL;
		double to = x[level->shape.last].size_bytes;
		level->class = class_of(machine, x, threads, &level->shape);
		if (previous && to > far * last)
			level->class = TP_CLASS_DRAM;
		if (!previous || level->class > previous->class) {
			levels[kept++] = *level;
		} else if (previous->class > own ||
			   reach_the_end(machine, x, threads, level, n - i, previous->class)) {
			struct tp_level merged = level->shape;
			merged.first = previous->shape.first;
			merged.rate = fmax(merged.rate, previous->shape.rate);
			previous->shape = merged;
			previous->moves = true;
		} else {
			level->class = previous->class + 1;
			levels[kept++] = *level;
		}
	}
	return kept;
}

/* Size where the curve passes `rate` between its points a and a + 1. */
static double crossing(const struct tp_curve_point *a, double rate)
{
	double share = log(a[0].rate / rate) / log(a[0].rate / a[1].rate);
	return a[0].size_bytes * pow(a[1].size_bytes / a[0].size_bytes, fmin(fmax(share, 0), 1));
}

/* A way between a core's own caches and memory that is longer has the shared cache on it. */
#define SHARED_OCTAVES 1.5

/*
 * The shared cache that the machine reports between levels[at] and memory, where it has no plateau
 * because what is left of it moves: all points on the way belong to it. False: the way is short.
 */
static bool insert_shared(const struct tp_machine *machine, const struct tp_curve_point *x,
			  struct found_level *levels, size_t at, size_t n)
{
	const int last = tp_machine_last_level(machine);
	struct tp_level *own = &levels[at].shape, *memory = &levels[at + 1].shape;
	const double edge = 1.5 * x[own->last].size_bytes;
	size_t first = own->last + 1, end = memory->first;
	if (n == MAX_LEVELS || last <= (int)levels[at].class)
		return false;
	while (first < end && x[first].size_bytes < edge)
		first++;
	if (first + 2 >= end || log2(x[end].size_bytes / x[own->last].size_bytes) < SHARED_OCTAVES)
		return false;
	memmove(&levels[at + 2], &levels[at + 1], (n - at - 1) * sizeof(*levels));
	levels[at + 1] = (struct found_level){
		.shape = { .first = first, .last = end - 1, .rate = x[first].rate },
		.class = (enum tp_level_class)last,
		.moves = true,
	};
	/* The own cache ends where it leaves for this one, not for memory. */
	double middle = sqrt(own->rate * x[first].rate);
	for (size_t i = own->last; i < first; i++)
		if (x[i + 1].rate < middle) {
			own->capacity_bytes = crossing(&x[i], middle);
			break;
		}
	own->fall_from_bytes = own->fall_to_bytes = 0;
	return true;
}

/* A larger working set is not faster by this much, unless the cache has grown in between... */
#define GROWN 1.15

/* ... near its end: this far from the best fit it is something else. */
#define EDGE_REACH 8

/*
 * Where a shared cache ends. Points close to each other were measured at different times: if some
 * are faster than smaller ones, the end has moved, between the first that is nearer to memory and
 * the last that is nearer to the cache.
 */
static void find_end(const struct tp_curve_point *x, const struct tp_point *const *curve, size_t n,
		     struct found_level *level, struct found_level *memory)
{
	struct tp_level *shape = &level->shape;
	const double middle = sqrt(shape->rate * memory->shape.rate);
	const double edge =
		shape->capacity_bytes > 0 ? shape->capacity_bytes : x[shape->last].size_bytes;
	size_t low = n, high = 0;
	double slowest = INFINITY;
	bool moves = level->moves;
	if (!(shape->rate > memory->shape.rate))
		return;
	for (size_t i = shape->first; i + 1 < n; i++) {
		if (curve[i]->quality == TP_QUALITY_POOR || x[i].size_bytes < edge / EDGE_REACH ||
		    x[i].size_bytes > edge * EDGE_REACH)
			continue;
		slowest = fmin(slowest, x[i].rate);
		moves |= x[i].rate > GROWN * slowest;
		if (x[i].rate < middle)
			low = TP_MIN(low, i);
		else
			high = i;
	}
	if (!moves || low == n || high < shape->first || (high < low && !level->moves))
		return;
	level->moves = true;
	level->end_low_bytes = x[TP_MAX(low, shape->first + 1) - 1].size_bytes;
	level->end_high_bytes = x[high + 1].size_bytes;
	shape->capacity_bytes = sqrt(level->end_low_bytes * level->end_high_bytes);
	shape->last = TP_MAX(shape->last, high);
	shape->fall_from_bytes = shape->fall_to_bytes = 0;
	memory->shape.first = TP_MIN(TP_MAX(memory->shape.first, high + 1), memory->shape.last);
}

/* The typical value of the points of a level, each per cycle of its own windows; 0 = unknown. */
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
	return tp_median(x, n);
}

/*
 * The level's value in its own unit, as its points have it: levels are found in rates, at one
 * clock. One that moves has the range of its points, without a tenth at either end.
 */
static void set_value(struct tp_plateau *p, const struct found_level *found,
		      const struct tp_point *const *curve)
{
	const struct tp_level *level = &found->shape;
	double x[LEVEL_POINTS];
	size_t n = 0;
	for (size_t i = level->first; i <= level->last && n < LEVEL_POINTS; i++)
		x[n++] = tp_point_median(curve[i]);
	double median = tp_median(x, n);
	double low = level->low / level->rate, high = level->high / level->rate;
	if (curve[level->first]->less_is_better) {
		p->ns = median;
		p->ci_low = median / high;
		p->ci_high = low > 0 ? median / low : 0;
		p->latency_cycles = per_cycle(curve, level);
		return;
	}
	p->gbps = median;
	p->ci_low = found->moves ? tp_quantile_sorted(x, n, 0.1) : median * low;
	p->ci_high = found->moves ? tp_quantile_sorted(x, n, 0.9) : median * high;
	p->bytes_per_cycle = per_cycle(curve, level);
}

/* The slope after a level, if it is long enough to be more informative than the edge. */
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
	double core = (double)tp_machine_share(machine, own_level(machine), curve[0]->threads);
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

/*
 * Flushed points are in memory, however few they are and wherever the cache before them ends. What
 * was found last is the cache, if it is clearly faster.
 */
static size_t add_flushed(const struct tp_point *const *curve, const struct tp_curve_point *x,
			  size_t n_points, struct found_level *levels, size_t n)
{
	const double faster = 1.12;
	size_t first = n_points;
	double rates[LEVEL_POINTS];
	while (first > 0 && n_points - first < LEVEL_POINTS &&
	       tp_kernel_row(curve[first - 1])->flushed)
		first--;
	if (first == n_points || n == 0 || n == MAX_LEVELS || levels[n - 1].class == TP_CLASS_DRAM)
		return n;
	for (size_t i = first; i < n_points; i++)
		rates[i - first] = x[i].rate;
	double rate = tp_median(rates, n_points - first);
	struct tp_level *last = &levels[n - 1].shape;
	if (last->rate < faster * rate) {
		levels[n - 1].class = TP_CLASS_DRAM;
		return n;
	}
	last->last = TP_MIN(last->last, first - 1);
	last->fall_from_bytes = last->fall_to_bytes = 0;
	levels[n] = (struct found_level){
		.shape = { .first = first,
			   .last = n_points - 1,
			   .rate = rate,
			   .low = rates[0],
			   .high = rates[n_points - first - 1] },
		.class = TP_CLASS_DRAM,
	};
	return n + 1;
}

/* The levels of a curve: of latency as they are found, of bandwidth each once. */
static size_t find_levels(const struct tp_machine *machine, const struct tp_point *const *curve,
			  const struct tp_curve_point *x, size_t n_points,
			  struct found_level *found)
{
	struct tp_level levels[MAX_LEVELS];
	const unsigned threads = curve[0]->threads;
	size_t n = 0;
	tp_plateaus(x, n_points, NULL, levels, MAX_LEVELS, &n);
	for (size_t i = 0; i < n; i++)
		found[i] = (struct found_level){ .shape = levels[i] };
	if (curve[0]->less_is_better) {
		for (size_t i = 0; i < n; i++)
			found[i].class =
				class_of_latency(machine, x[levels[i].last].size_bytes, threads);
		return n;
	}
	n = add_flushed(curve, x, n_points, found, name_levels(machine, x, threads, found, n));
	for (size_t i = 0; i + 1 < n; i++) {
		if (found[i + 1].class != TP_CLASS_DRAM)
			continue;
		if ((int)found[i].class <= own_level(machine) &&
		    insert_shared(machine, x, found, i, n)) {
			n++;
			i++;
		}
		if ((int)found[i].class > own_level(machine))
			find_end(x, curve, n_points, &found[i], &found[i + 1]);
	}
	return n;
}

static void add_plateaus(const struct tp_machine *machine, struct tp_run *run,
			 const struct tp_point *const *curve, size_t n)
{
	TP_FREE struct tp_curve_point *x = tp_alloc(n, sizeof(*x));
	TP_FREE double *scratch = tp_alloc(n, sizeof(*scratch));
	struct found_level levels[MAX_LEVELS];
	curve_points(machine, curve, n, fast_ghz(curve, n, scratch), x);
	size_t n_levels = find_levels(machine, curve, x, n, levels);
	for (size_t i = 0; i < n_levels; i++) {
		const struct found_level *level = &levels[i];
		const struct tp_point *first = curve[level->shape.first],
				      *last = curve[level->shape.last];
		struct tp_plateau *p = tp_run_add_row(run, &tp_plateau_part);
		*p = (struct tp_plateau){
			.run = first->run,
			.threads = first->threads,
			.from_bytes = tp_kernel_row(first)->working_set_bytes,
			.to_bytes = tp_kernel_row(last)->working_set_bytes,
			.capacity_bytes = (uint64_t)level->shape.capacity_bytes,
			.capacity_low_bytes = (uint64_t)level->end_low_bytes,
			.capacity_high_bytes = (uint64_t)level->end_high_bytes,
			.points = (unsigned)(level->shape.last - level->shape.first + 1),
		};
		tp_copy(p->isa, sizeof(p->isa), tp_kernel_row(first)->isa);
		tp_copy(p->precision, sizeof(p->precision), tp_kernel_row(first)->precision);
		tp_copy(p->kernel, sizeof(p->kernel), first->kernel);
		tp_copy(p->pages_wanted, sizeof(p->pages_wanted),
			tp_kernel_row(first)->pages_wanted);
		tp_copy(p->level, sizeof(p->level), tp_planner_level_name(level->class));
		if (level->class < TP_CLASS_DRAM)
			p->reported_bytes =
				tp_machine_share(machine, (int)level->class, p->threads);
		set_value(p, level, curve);
		tp_plateau_judge(run, p);
		add_slope(run, p, &level->shape, i + 1 == n_levels);
	}
}

void tp_curve_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	TP_FREE const struct tp_point **curve = tp_alloc(run->n_points + 1, sizeof(*curve));
	TP_FREE bool *taken = tp_alloc(run->n_points + 1, sizeof(*taken));
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
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
		add_plateaus(tp_machine_of_affinity(machine, first->cpus, &arena), run, curve, n);
	}
}

static bool is_on(const struct tp_point *p, const struct tp_plateau *plateau)
{
	uint64_t bytes = tp_kernel_row(p)->working_set_bytes;
	return bytes >= plateau->from_bytes && bytes <= plateau->to_bytes;
}

/* Larger ones would have to fetch their memory again. */
#define EDGE_BYTES_MOST (128u << 20)

static bool decides_edge(const struct tp_point *p, const struct tp_plateau *plateau)
{
	const uint64_t bytes = tp_kernel_row(p)->working_set_bytes;
	return bytes <= EDGE_BYTES_MOST && tp_plateau_edge_is_near(plateau, bytes);
}

/* Why the point is to be measured again, by n plateaus of its curve: bits of enum tp_again. */
static unsigned char doubt_point(const struct tp_point *p, const struct tp_plateau *plateaus,
				 size_t n)
{
	unsigned char why = 0;
	for (size_t i = 0; i + 1 < n; i++) {
		const struct tp_plateau *plateau = &plateaus[i], *next = plateau + 1;
		bool shared = strcmp(next->level, tp_planner_level_name(TP_CLASS_DRAM)) == 0;
		if (is_on(p, plateau) && tp_plateau_is_slower(plateau, next))
			why |= TP_AGAIN_ODD;
		/*
		 * For a shared cache every other point: the others keep the earlier values, and an
		 * edge that has moved shows.
		 */
		if (decides_edge(p, plateau) &&
		    (shared ? p->point % 2 == 0 : p->quality != TP_QUALITY_GOOD))
			why |= TP_AGAIN_EDGE;
	}
	return why;
}

void tp_curve_doubt(const struct tp_run *run, unsigned index, unsigned char *again)
{
	const struct tp_plateau *plateaus = tp_run_plateaus(run);
	for (size_t i = 0, end; i < tp_run_n_plateaus(run); i = end) {
		for (end = i + 1; end < tp_run_n_plateaus(run); end++)
			if (!tp_plateau_same_curve(&plateaus[i], &plateaus[end]))
				break;
		if (plateaus[i].run != index || tp_plateau_is_latency(&plateaus[i]))
			continue;
		for (size_t k = 0; k < run->n_points; k++)
			if (tp_plateau_is_of(&plateaus[i], &run->points[k]))
				again[k] |= doubt_point(&run->points[k], &plateaus[i], end - i);
	}
}
