/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/quality.h"

#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "measure/sampler.h"
#include "record/point.h"
#include "record/roof.h"

/* Time that windows should cover: of streams of loads and stores, and of the short ones of a chase.
 */
#define STREAM_SECONDS 0.02
#define CHASE_SECONDS  0.004
/* Where 3 % matter instead of 8 %, what is uneven counts for more. */
#define EDGE_FACTOR (8 / 3.)
/* A working set from this share of the last own cache on has a part of itself beyond. */
#define EDGE_SHARE 0.6

/*
 * A group of windows has this share of those that count, or of all undisturbed ones. A rhythm shows
 * in several windows, and in more than were disturbed: if these are many, others were disturbed
 * unnoticed.
 */
#define MODE_SHARE     0.25
#define RHYTHM_SHARE   0.1
#define RHYTHM_WINDOWS 6.

/* The flag for a doubt. */
static const struct {
	enum tp_doubt doubt;
	uint32_t flag;
} reasons[] = {
	{ TP_DOUBT_FEWNESS, TP_FLAG(FEW_WINDOWS) },    { TP_DOUBT_BREVITY, TP_FLAG(FEW_WINDOWS) },
	{ TP_DOUBT_INTERVAL, TP_FLAG(WIDE_INTERVAL) }, { TP_DOUBT_SPREAD, TP_FLAG(NOISY) },
	{ TP_DOUBT_BELOW_BEST, TP_FLAG(UNEVEN) },      { TP_DOUBT_WANDER, TP_FLAG(UNEVEN) },
	{ TP_DOUBT_UNEVEN, TP_FLAG(UNEVEN) },	       { TP_DOUBT_MODES, TP_FLAG(TWO_MODES) },
	{ TP_DOUBT_RHYTHMS, TP_FLAG(TWO_MODES) },      { TP_DOUBT_DROPPED, TP_FLAG(DISTURBED) },
	{ TP_DOUBT_UNCLEAN, TP_FLAG(DISTURBED) },      { TP_DOUBT_UNGAUGED, TP_FLAG(CORE_UNKNOWN) },
	{ TP_DOUBT_PARTED, TP_FLAG(SIBLING) },	       { TP_DOUBT_CLOCK, TP_FLAG(FREQ_DRIFT) },
	{ TP_DOUBT_CHOICE, TP_FLAG(CLOCK_STEPS) },
};
/* Doubts that only the judgement of a point raises. */
#define OWN_FLAGS                                                                                  \
	(TP_FLAG(CORE_UNKNOWN) | TP_FLAG(CLOCK_STEPS) | TP_FLAG(FEW_WINDOWS) |                     \
	 TP_FLAG(WIDE_INTERVAL) | TP_FLAG(TWO_MODES) | TP_FLAG(UNEVEN))

/* Doubts that are flags already. */
static const struct {
	uint32_t flag;
	enum tp_doubt doubt;
} seen_flags[] = {
	{ TP_FLAG(SHARED_CORE), TP_DOUBT_PARTED },
	{ TP_FLAG(OVER_BOUND), TP_DOUBT_OVER },
	{ TP_FLAG(UNSTABLE), TP_DOUBT_DISAGREED },
	{ TP_FLAG(NO_FREQ), TP_DOUBT_UNGAUGED },
	{ TP_FLAG(COARSE_CLOCK), TP_DOUBT_COARSE },
	{ TP_FLAG(OTHER_TPROF), TP_DOUBT_CONTESTED },
	{ TP_FLAG(SMALL_PAGES), TP_DOUBT_OTHER_PAGES },
	{ TP_FLAG(WARMING), TP_DOUBT_UNSTEADY },
};

/* 1, or how much smaller a is than b. */
static double share_of(double a, double b)
{
	return b > 0 ? fmin(a / b, 1) : 1;
}

/*
 * Inside the core, a changing clock does not cast doubt on the work per cycle: each doubt is
 * computed from the rates and from the work per cycle, and the smaller one counts. The windows that
 * count, and all n that were left alone per cycle; both sorted.
 */
static void see_cycles(const double *kept, size_t n_kept, const double *cycles, size_t n,
		       double *scratch, struct tp_seen *seen)
{
	struct tp_summary second, cycle;
	const double *own = &cycles[n - n_kept];
	tp_summarise(kept, n_kept, 0.99, scratch, &second);
	tp_summarise(own, n_kept, 0.99, scratch, &cycle);
	seen->x[TP_DOUBT_MODES] =
		fmin(seen->x[TP_DOUBT_MODES], tp_quality_modes(own, n_kept, MODE_SHARE));
	seen->x[TP_DOUBT_BELOW_BEST] = fmin(seen->x[TP_DOUBT_BELOW_BEST],
					    tp_quantile_sorted(cycles, n, 0.98) / cycle.median - 1);
	seen->x[TP_DOUBT_SPREAD] *= share_of(cycle.mad / cycle.median, second.mad / second.median);
	seen->x[TP_DOUBT_INTERVAL] *=
		share_of((cycle.median_ci.high - cycle.median_ci.low) / cycle.median,
			 (second.median_ci.high - second.median_ci.low) / second.median);
	seen->x[TP_DOUBT_CLOCK] = seen->x[TP_DOUBT_CHOICE] = 0;
}

/* Doubts from the windows themselves, including disturbed ones and those of a warming chase. */
static void see_windows(const struct tp_point *point, double *x, double *scratch,
			struct tp_seen *seen)
{
	const struct tp_sample *samples = point->samples;
	size_t n = point->n_samples, late = 0, clean = 0;
	double seconds = 0;
	double apart =
		seen->reach == TP_REACH_CORE || point->less_is_better ? 0 : TP_SHARED_STEP_SECONDS;
	/* A chase begins in caches that are empty, or that its building has filled. */
	for (size_t i = point->less_is_better ? n / 4 : 0; i < n; i++)
		if (!(samples[i].flags & ~(TP_FLAG(DISTURBED) | TP_FLAG(WARMING))))
			x[late++] = samples[i].rate;
	seen->x[TP_DOUBT_WANDER] = tp_quality_wander(x, late, point->less_is_better, scratch);
	for (size_t i = 0; i < n; i++)
		if (!(samples[i].flags & ~TP_FLAG(DISTURBED))) {
			x[clean++] = samples[i].rate;
			seconds += fmax(samples[i].seconds, apart);
		}
	seen->x[TP_DOUBT_BREVITY] =
		(point->less_is_better ? CHASE_SECONDS : STREAM_SECONDS) / seconds;
	seen->x[TP_DOUBT_UNCLEAN] = clean < point->kept;
	if (clean < point->kept || point->kept == 0)
		return;
	/* The clean ones that count: among them noise only makes a window slower. */
	tp_sort_doubles(x, clean);
	const double *kept = &x[clean - point->kept];
	double median = tp_median_sorted(kept, point->kept);
	seen->x[TP_DOUBT_MODES] = tp_quality_modes(kept, point->kept, MODE_SHARE);
	seen->x[TP_DOUBT_BELOW_BEST] = tp_quantile_sorted(x, clean, 0.98) / median - 1;
	if (!point->less_is_better)
		seen->x[TP_DOUBT_UNEVEN] =
			(tp_quantile_sorted(x, clean, 0.9) - tp_quantile_sorted(x, clean, 0.1)) /
			median;
	double ghz = 0, kept_ghz = 0, n_kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (samples[i].flags & ~TP_FLAG(DISTURBED))
			continue;
		ghz += samples[i].core_ghz / (double)clean;
		if (samples[i].rate >= kept[0]) {
			kept_ghz += samples[i].core_ghz;
			n_kept++;
		}
	}
	if (!(ghz > 0))
		return;
	seen->x[TP_DOUBT_CHOICE] = fabs(kept_ghz / n_kept / ghz - 1);
	double *cycles = &scratch[n + 1];
	size_t clocked = 0;
	for (size_t i = 0; i < n; i++)
		if (!(samples[i].flags & ~TP_FLAG(DISTURBED)) && samples[i].core_ghz > 0)
			cycles[clocked++] = samples[i].rate / samples[i].core_ghz;
	tp_sort_doubles(cycles, clocked);
	double least = fmax(RHYTHM_WINDOWS, (double)(n - clocked) + 1);
	seen->x[TP_DOUBT_RHYTHMS] =
		tp_quality_modes(cycles, clocked, fmax(RHYTHM_SHARE, least / (double)clocked));
	if (seen->reach == TP_REACH_CORE && !point->less_is_better && clocked == clean)
		see_cycles(kept, point->kept, cycles, clean, scratch, seen);
}

static void see(const struct tp_point *point, struct tp_seen *seen)
{
	double value = point->median;
	seen->x[TP_DOUBT_FEWNESS] = point->kept ? 1. / point->kept : 1;
	if (point->ci_low > 0 && point->ci_high > 0)
		seen->x[TP_DOUBT_INTERVAL] =
			fmax(point->ci_high - value, value - point->ci_low) / value;
	seen->x[TP_DOUBT_SPREAD] = TP_MAD_TO_SIGMA * point->mad / value;
	seen->x[TP_DOUBT_DROPPED] = 1 - (double)point->kept / (double)point->n_samples;
	if (point->core_ghz > 0 && point->core_ghz_after > 0)
		seen->x[TP_DOUBT_CLOCK] = fabs(point->core_ghz_after / point->core_ghz - 1);
	if (point->flags & TP_FLAG(UNDER_MODEL) && point->bound > 0)
		seen->x[TP_DOUBT_UNDER] = 1 - value / point->bound;
	/*
	 * With neighbours that never leave, a whole core is never seen: only a model shows its
	 * width.
	 */
	if (point->core_width > 0) {
		bool told = point->core_share > 0;
		seen->x[TP_DOUBT_UNGAUGED] = !told;
		seen->x[TP_DOUBT_PARTED] = told && point->core_share < TP_WHOLE_CORE_SHARE;
	}
	for (size_t i = 0; i < TP_COUNT_OF(seen_flags); i++)
		if (point->flags & seen_flags[i].flag)
			seen->x[seen_flags[i].doubt] = 1;
}

enum tp_reach tp_window_reach(double bytes, double own_bytes)
{
	if (own_bytes > 0 && bytes > own_bytes)
		return TP_REACH_SHARED;
	return bytes > EDGE_SHARE * own_bytes ? TP_REACH_EDGE : TP_REACH_CORE;
}

/* Observations from the record of a finished point. False: its windows are unknown. */
static bool window_see(const struct tp_point *point, enum tp_reach reach, struct tp_seen *seen)
{
	TP_FREE double *x = tp_alloc(3 * (point->n_samples + 1), sizeof(*x));
	bool known = point->n_samples && point->median > 0;
	*seen = (struct tp_seen){ .reach = reach };
	if (known) {
		see(point, seen);
		see_windows(point, x, &x[point->n_samples + 1], seen);
	}
	if (reach == TP_REACH_EDGE) {
		seen->x[TP_DOUBT_UNEVEN] *= EDGE_FACTOR;
		seen->x[TP_DOUBT_WANDER] *= EDGE_FACTOR;
	}
	return known;
}

void tp_window_quality(struct tp_point *point, enum tp_reach reach)
{
	static const enum tp_quality qualities[] = {
		[TP_GRADE_GOOD] = TP_QUALITY_GOOD,
		[TP_GRADE_FAIR] = TP_QUALITY_FAIR,
		[TP_GRADE_POOR] = TP_QUALITY_POOR,
	};
	struct tp_seen seen;
	uint32_t doubts;
	point->quality = TP_QUALITY_NONE;
	if (!window_see(point, reach, &seen))
		return;
	point->quality = qualities[tp_quality_grade(&seen, &doubts)];
	point->flags &= ~OWN_FLAGS;
	for (size_t i = 0; i < TP_COUNT_OF(reasons); i++)
		if (doubts & 1u << reasons[i].doubt)
			point->flags |= reasons[i].flag;
}

/* --- whole runs --- */

static double fact(const struct tp_run *run, const char *key)
{
	const struct tp_fact *f = tp_run_fact(run, key);
	return f && f->is_number ? f->number : 0;
}

/* If unknown, both limits hold, as at an edge. */
static enum tp_reach reach_of(const struct tp_point *point, double l2_bytes)
{
	const struct tp_kernel_row *row = tp_kernel_row(point);
	if (strcmp(row->level, "L3") == 0 || strcmp(row->level, "DRAM") == 0)
		return TP_REACH_SHARED;
	return !row->working_set_bytes ? TP_REACH_CORE
				       : tp_window_reach((double)row->working_set_bytes, l2_bytes);
}

static double l2_bytes_of(const struct tp_run *run)
{
	return fact(run, "machine.cache.L2.size_bytes") /
	       fmax(fact(run, "machine.cache.L2.sharing_cores"), 1);
}

void tp_window_judge(struct tp_run *run, const struct tp_point_kind *kind)
{
	const double l2_bytes = l2_bytes_of(run);
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_point *p = &run->points[i];
		if (p->kind == kind && p->state == TP_POINT_DONE && p->quality == TP_QUALITY_NONE)
			tp_window_quality(p, reach_of(p, l2_bytes));
	}
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		struct tp_roof *roof = &tp_run_roofs(run)[i];
		if (roof->quality != TP_QUALITY_NONE || roof->point >= run->n_points ||
		    run->points[roof->point].kind != kind)
			continue;
		roof->quality = run->points[roof->point].quality;
		roof->flags |= run->points[roof->point].flags;
	}
	for (size_t i = 0; i < tp_run_n_plateaus(run); i++)
		if (tp_run_plateaus(run)[i].quality == TP_QUALITY_NONE)
			tp_plateau_judge(run, &tp_run_plateaus(run)[i]);
}

void tp_window_doubt_company(struct tp_run *run, unsigned index)
{
	enum { LEAST = 4, OF = 4, MOST = 3 };
	const double l2_bytes = l2_bytes_of(run);
	size_t n = 0, troubled = 0;
	TP_EACH_POINT (p, run) {
		bool judged = p->run == index && p->quality != TP_QUALITY_NONE &&
			      reach_of(p, l2_bytes) == TP_REACH_SHARED;
		n += judged;
		troubled += judged && p->quality != TP_QUALITY_GOOD;
	}
	if (n < LEAST || OF * troubled < MOST * n)
		return;
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_point *p = &run->points[i];
		if (p->run != index || p->quality != TP_QUALITY_GOOD ||
		    reach_of(p, l2_bytes) != TP_REACH_SHARED)
			continue;
		p->quality = TP_QUALITY_FAIR;
		p->flags |= TP_FLAG(UNEVEN);
	}
}
