/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a point says of itself, by the windows that count. */
#include "analysis/stats.h"
#include "base/vec.h"
#include "measure/keep.h"
#include "measure/runner.h"
#include "record/kernel_row.h"

#include <math.h>
#include <stdlib.h>

/* Change of the clock between the first and the last windows that is worth a flag. */
#define DRIFT_LIMIT 0.01
/* The clock's usual values: without so much at either end. */
#define UNUSUAL_SHARE 0.1
/*
 * A reason is worth a flag if it spoiled more windows than this share, or if fewer than this share
 * are left.
 */
#define SPOILT_SHARE 0.5
#define LEFT_SHARE   0.1
/*
 * Kept windows this different from each other will not repeat within a few percent in another run.
 */
#define NOISY_SIGMA  0.03
#define NOISY_BEST   0.04
#define MAD_TO_SIGMA 1.4826 /* of a normal distribution */

enum { CLOCK_WINDOWS = 6, CLOCK_PART = 4, LEFT_LEAST = 8 };

struct clocks {
	double low, median, high;
};

static struct clocks clocks_of(const double *ghz, size_t n, double *scratch)
{
	if (n == 0)
		return (struct clocks){ 0 };
	for (size_t i = 0; i < n; i++)
		scratch[i] = ghz[i];
	tp_sort_doubles(scratch, n);
	size_t skip = (size_t)(UNUSUAL_SHARE * (double)n);
	return (struct clocks){ scratch[skip], tp_median_sorted(scratch, n),
				scratch[n - 1 - skip] };
}

/*
 * A clock that steps to and fro has not moved. It has if what is usual at the beginning is unusual
 * at the end, and the other way round.
 */
static bool has_moved(const struct clocks *begin, const struct clocks *end)
{
	bool apart = end->median < begin->low || end->median > begin->high;
	bool back = begin->median < end->low || begin->median > end->high;
	return apart && back && fabs(end->median / begin->median - 1) > DRIFT_LIMIT;
}

/* `ghz` and `scratch` hold a number a window. */
static void find_frequency(struct tp_point *point, const uint32_t *flags, double *ghz,
			   double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i] && point->samples[i].core_ghz > 0)
			ghz[n++] = point->samples[i].core_ghz;
	size_t part = TP_MIN(n, TP_MAX((size_t)CLOCK_WINDOWS, n / CLOCK_PART));
	struct clocks begin = clocks_of(ghz, part, scratch);
	struct clocks end = clocks_of(&ghz[n - part], part, scratch);
	point->core_ghz = clocks_of(ghz, n, scratch).median;
	point->core_ghz_after = end.median;
	point->flags &= ~(TP_FLAG(NO_FREQ) | TP_FLAG(FREQ_DRIFT));
	if (n == 0)
		point->flags |= TP_FLAG(NO_FREQ);
	else if (has_moved(&begin, &end))
		point->flags |= TP_FLAG(FREQ_DRIFT);
}

/* The usual work of the whole team in a cycle, each window by its own clock; 0 = unknown. */
static double work_per_cycle(const struct tp_point *point, const uint32_t *flags, double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i] && point->samples[i].core_ghz > 0)
			scratch[n++] = point->samples[i].rate / point->samples[i].core_ghz;
	tp_sort_doubles(scratch, n);
	return n ? tp_median_sorted(scratch, n) : 0;
}

/*
 * The rates of a chase become times: a load's time is one over the loads in a time, and so its
 * order statistics are those of the rates, from the other end. Mean, standard deviation and MAD are
 * taken again, over times.
 */
static void derive_latency(struct tp_point *point, const struct tp_stop_state *kept, double best,
			   double estimate, double *scratch)
{
	struct tp_summary times;
	double low = point->ci_low, high = point->ci_high;
	size_t n = kept->n;
	point->median = estimate > 0 ? 1 / estimate : 0;
	point->best = best > 0 ? 1 / best : 0;
	point->ci_low = high > 0 ? 1 / high : 0;
	point->ci_high = low > 0 ? 1 / low : 0;
	for (size_t i = 0; i < n; i++)
		kept->x[i] = kept->x[i] > 0 ? 1 / kept->x[i] : 0;
	tp_summarise(kept->x, n, 0.5, scratch, &times);
	point->mean = times.mean;
	point->stddev = times.stddev;
	point->mad = times.mad;
}

/* What the streams beside a chase moved, over the windows that were kept. */
static void derive_streams(struct tp_point *point, const uint32_t *flags, double *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i])
			scratch[n++] = point->samples[i].stream_gbps;
	tp_sort_doubles(scratch, n);
	tp_kernel_row_of(point)->median_gbps = n ? tp_median_sorted(scratch, n) : 0;
	tp_kernel_row_of(point)->best_gbps = n ? scratch[n - 1] : 0;
}

/*
 * What was seen in windows is told of the point only if the point suffers from it. Windows before
 * the steady state were not disturbed.
 */
static void flag_windows(struct tp_point *point, const uint32_t *flags)
{
	const uint32_t seen = HARD_FLAGS & ~TP_FLAG(WARMING);
	size_t n = 0, doubtful = 0; /* kept for want of better */
	uint32_t of_doubtful = 0;
	point->flags &= ~seen;
	for (size_t i = 0; i < point->n_samples; i++) {
		n += !(point->samples[i].flags & TP_FLAG(WARMING));
		if (!flags[i] && point->samples[i].flags & HARD_FLAGS) {
			of_doubtful |= point->samples[i].flags & seen;
			doubtful++;
		}
	}
	for (uint32_t bit = 1; bit && bit <= seen; bit <<= 1) {
		size_t spoilt = 0;
		for (size_t i = 0; i < point->n_samples && bit & seen; i++)
			spoilt += (point->samples[i].flags & bit) != 0;
		if ((double)spoilt > SPOILT_SHARE * (double)n || of_doubtful & bit)
			point->flags |= bit;
	}
	bool few = point->kept < TP_MIN(n / 2, (size_t)LEFT_LEAST) ||
		   (double)point->kept < LEFT_SHARE * (double)n;
	if (doubtful || few)
		point->flags |= TP_FLAG(DISTURBED);
}

/* A clock that steps makes rates differ, but not what a core does in a cycle. */
static bool is_noisy(const struct tp_point *point, const uint32_t *flags, double keep_within,
		     double *rates, double *scratch)
{
	struct tp_summary summary;
	size_t kept = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		rates[i] = point->samples[i].rate;
	if (keep_within <= KEEP_TIGHT)
		tp_keep_at_usual_clock(point->samples, point->n_samples, rates);
	for (size_t i = 0; i < point->n_samples; i++)
		if (!flags[i])
			rates[kept++] = rates[i];
	tp_summarise(rates, kept, 0.5, scratch, &summary);
	return summary.mad * MAD_TO_SIGMA > NOISY_SIGMA * summary.median ||
	       summary.max > (1 + NOISY_BEST) * summary.median;
}

enum tp_status tp_sampler_summarise(struct tp_point *point, const struct tp_sampling *sampling,
				    struct tp_diag *diag)
{
	size_t n = point->n_samples;
	struct tp_stop_state state = { 0 };
	uint32_t *flags = calloc(n + 1, sizeof(*flags));
	double *scratch = calloc(2 * (n + 1), sizeof(*scratch));
	enum tp_status status = TP_OK;
	if (!flags || !scratch)
		status = tp_fail(diag, TP_NOMEM, point->kernel, NULL, "out of memory");
	else if (n == 0)
		status = tp_fail(diag, TP_INTERNAL, point->kernel, NULL, "no window was measured");
	if (status != TP_OK)
		goto out;
	status = tp_keep_refill(&state, point, sampling->keep_within, flags);
	if (status != TP_OK) {
		tp_fail(diag, status, point->kernel, NULL, "samples could not be kept");
		goto out;
	}
	struct tp_summary summary;
	tp_summarise(state.x, state.n, sampling->rule.confidence, scratch, &summary);
	point->mean = summary.mean;
	point->stddev = summary.stddev;
	point->mad = summary.mad;

	/* Judged again over the groups, so that a trimmed estimate is the last agreed one. */
	struct tp_stop_rule rule = sampling->rule;
	rule.incumbent = 0;
	tp_stop_decide(&state, &rule, 0);
	double estimate = tp_stop_estimate(&state, &rule);
	struct tp_interval ci = tp_stop_interval(&state, &rule);
	/* One window tells nothing of how far another would be from it. */
	point->ci_low = state.n > 1 ? ci.low : 0;
	point->ci_high = state.n > 1 ? ci.high : 0;

	find_frequency(point, flags, scratch, &scratch[n + 1]);
	double best = 0;
	for (size_t i = 0; i < n; i++)
		if (!flags[i] && point->samples[i].rate > best)
			best = point->samples[i].rate;
	if (point->less_is_better) {
		derive_latency(point, &state, best, estimate, scratch);
		derive_streams(point, flags, scratch);
	} else {
		point->median = estimate;
		point->best = best;
	}
	tp_kernel_derive(point, work_per_cycle(point, flags, scratch));
	flag_windows(point, flags);
	if (is_noisy(point, flags, sampling->keep_within, scratch, &scratch[n + 1]))
		point->flags |= TP_FLAG(NOISY);
out:
	tp_stop_release(&state);
	free(flags);
	free(scratch);
	return status;
}
