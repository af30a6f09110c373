/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which windows count. What interrupts a window, or takes a share of its core, only ever makes it
 * slower; so the windows that nothing disturbed are the fast ones, and they lie close together. A
 * clock that steps is no disturbance.
 */
#include "measure/keep.h"
#include "analysis/stats.h"
#include "base/vec.h"
#include "measure/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far below their fast mode the streams beside a chase may be. */
#define KEEP_STREAMS 0.10
/* How far below the upper end the fast windows are looked for, at least. */
#define REGION 0.10
/* A stretch of values is as dense as another up to this; and values this close are equal. */
#define LESS_DENSE  1.5
#define EQUAL_SHARE 0.002

/*
 * The value that only a few (two, or one in a hundred) exceed: the fast mode, safe against one odd
 * reading.
 */
static double upper_end(const double *sorted, size_t n)
{
	size_t skip = TP_MAX(TP_MIN((size_t)2, n / 5), n / 100);
	return sorted[n - 1 - skip];
}

double tp_keep_mode(const double *sorted, size_t n, double region, double *top)
{
	enum { STRETCH_LEAST = 3, STRETCH_PART = 4 };
	*top = upper_end(sorted, n);
	size_t first = n;
	while (first > 0 && sorted[first - 1] >= *top * (1 - region))
		first--;
	size_t near = n - first, stretch = TP_MAX((size_t)STRETCH_LEAST, near / STRETCH_PART);
	if (near <= stretch)
		return tp_median_sorted(&sorted[first], near);
	/* From the upper end downward, until it gets less dense again. */
	double least = INFINITY, equal = EQUAL_SHARE * *top;
	size_t densest = n - stretch;
	for (size_t i = n - stretch + 1; i-- > first;) {
		double span = sorted[i + stretch - 1] - sorted[i];
		if (span < least) {
			least = span;
			densest = i;
		} else if (span > LESS_DENSE * fmax(least, equal)) {
			break;
		}
	}
	return tp_median_sorted(&sorted[densest], stretch);
}

double tp_keep_at_usual_clock(const struct tp_sample *samples, size_t n, double *rates)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (samples[i].core_ghz > 0)
			rates[known++] = samples[i].core_ghz;
	tp_sort_doubles(rates, known);
	double usual = known ? tp_median_sorted(rates, known) : 0;
	for (size_t i = 0; i < n; i++)
		rates[i] = samples[i].core_ghz > 0 ? samples[i].rate * usual / samples[i].core_ghz
						   : samples[i].rate;
	return usual;
}

/*
 * Beside a chase, whatever hinders the streams makes the chase faster: how fast they run when
 * nothing does, less the same share as for rates beyond the core. 0 = there are no streams.
 * `scratch` holds n numbers.
 */
static double least_stream_gbps(const struct tp_sample *samples, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = samples[i].stream_gbps;
	tp_sort_doubles(scratch, n);
	return n ? upper_end(scratch, n) * (1 - KEEP_STREAMS) : 0;
}

/*
 * What a window must reach: the mode less what may be, or less what the windows differ upward, if
 * that is more. So windows that differ by nature are cut off on neither side.
 */
static double least_rate(const double *sorted, size_t n, double keep_within)
{
	double top, mode = tp_keep_mode(sorted, n, fmax(REGION, 2 * keep_within), &top);
	double upward = mode > 0 ? top / mode - 1 : 0;
	return mode * (1 - fmax(keep_within, fmin(upward, 2 * keep_within)));
}

size_t tp_sampler_keep(const struct tp_sample *samples, size_t n, double keep_within,
		       uint32_t *flags)
{
	double *rates = malloc(2 * (n + 1) * sizeof(*rates));
	if (!rates) {
		memset(flags, 0, n * sizeof(*flags));
		return n;
	}
	double *sorted = rates + n + 1;
	size_t clean = 0, kept = 0;
	double least_gbps = least_stream_gbps(samples, n, sorted);
	if (keep_within <= KEEP_TIGHT)
		tp_keep_at_usual_clock(samples, n, rates);
	else
		for (size_t i = 0; i < n; i++)
			rates[i] = samples[i].rate;
	for (size_t i = 0; i < n; i++) {
		flags[i] = samples[i].flags & HARD_FLAGS;
		if (samples[i].stream_gbps < least_gbps)
			flags[i] |= TP_FLAG(DISTURBED);
		if (!flags[i])
			sorted[clean++] = rates[i];
	}
	tp_sort_doubles(sorted, clean);
	double least = clean ? least_rate(sorted, clean, keep_within) : 0;
	for (size_t i = 0; i < n; i++) {
		if (rates[i] < least)
			flags[i] |= TP_FLAG(DISTURBED);
		kept += flags[i] == 0;
	}
	if (kept == 0 && n > 0) {
		/*
		 * Everything was disturbed: the fast mode of all windows is the best that can be
		 * said; the flags say so.
		 */
		size_t steady = 0;
		for (size_t i = 0; i < n; i++)
			if (!(samples[i].flags & TP_FLAG(WARMING)))
				sorted[steady++] = rates[i];
		tp_sort_doubles(sorted, steady);
		least = steady ? least_rate(sorted, steady, keep_within) : 0;
		for (size_t i = 0; i < n; i++)
			if (rates[i] >= least && !(steady && samples[i].flags & TP_FLAG(WARMING))) {
				flags[i] = 0;
				kept++;
			}
	}
	free(rates);
	return kept;
}

enum tp_status tp_keep_refill(struct tp_stop_state *state, struct tp_point *point,
			      double keep_within, uint32_t *flags)
{
	tp_stop_reset(state);
	point->kept =
		(unsigned)tp_sampler_keep(point->samples, point->n_samples, keep_within, flags);
	for (size_t i = 0; i < point->n_samples; i++) {
		struct tp_sample *s = &point->samples[i];
		s->flags = (s->flags & HARD_FLAGS) | (flags[i] & TP_FLAG(DISTURBED));
		if (flags[i]) {
			tp_stop_drop(state);
			continue;
		}
		enum tp_status status = tp_stop_add(state, s->rate);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

size_t tp_sampler_shared_windows(const struct tp_point *point)
{
	size_t shared = 0;
	for (size_t i = 0; i < point->n_samples; i++)
		shared += (point->samples[i].flags & TP_FLAG(SIBLING)) != 0;
	return shared;
}
