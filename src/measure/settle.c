/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/settle.h"

#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

/* Eight groups are the minimum to distinguish a trend from chance at 1 %. */
enum { GROUPS_LEAST = 8, GROUPS_MOST = 32 };

#define SIGNIFICANT 2.576 /* standard deviations of a normal distribution: 1 % lie beyond */

/* Standard error of a median of n: this times sigma over the root of n (normal distribution). */
#define MEDIAN_ERROR 1.2533

/* Medians of k groups of readings of equal size, up to one. */
static void group_medians(const double *x, size_t n, size_t k, double *medians, double *scratch)
{
	for (size_t i = 0; i < k; i++) {
		size_t from = i * n / k, to = (i + 1) * n / k;
		medians[i] = tp_median_of(x + from, to - from, scratch);
	}
}

/* How many of the first groups to leave out for the least standard error of the mean of the rest.
 */
static size_t least_error(const double *m, size_t k)
{
	size_t best = 0;
	double least = INFINITY;
	for (size_t d = 0; d <= k / 2; d++) {
		struct tp_welford w = { 0 };
		for (size_t i = d; i < k; i++)
			tp_welford_add(&w, m[i]);
		double error = w.c / ((double)w.n * (double)w.n);
		if (error < least) {
			least = error;
			best = d;
		}
	}
	return best;
}

/*
 * The same, without the groups right before the cut that are like the rest, except single ones: the
 * cut may be late by chance. `scratch` holds k numbers.
 */
static size_t beginning(const double *m, size_t k, double tolerance, double *scratch)
{
	size_t cut = least_error(m, k), n = k - cut;
	double rest = tp_median_of(m + cut, n, scratch);
	double like = fmax(tolerance * fabs(rest),
			   SIGNIFICANT * TP_MAD_TO_SIGMA *
				   tp_median_deviation(m + cut, n, rest, scratch));
	while (cut > 0 &&
	       (fabs(m[cut - 1] - rest) <= like || (cut > 1 && fabs(m[cut - 2] - rest) <= like)))
		cut--;
	return cut;
}

/* Kendall's sum over all pairs: +1 if the later is larger, -1 if it is smaller. */
static bool has_trend(const double *m, size_t k)
{
	double sum = 0, n = (double)k;
	for (size_t i = 0; i < k; i++)
		for (size_t j = i + 1; j < k; j++)
			sum += (m[j] > m[i]) - (m[j] < m[i]);
	double deviation = sqrt(n * (n - 1) * (2 * n + 5) / 18);
	/* One less, as the sum only takes whole steps of two. */
	return deviation > 0 && fabs(sum) - 1 > SIGNIFICANT * deviation;
}

/* Median of the slopes of all pairs, a group. */
static double slope(const double *m, size_t k)
{
	double slopes[GROUPS_MOST * (GROUPS_MOST - 1) / 2];
	size_t n = 0;
	for (size_t i = 0; i < k; i++)
		for (size_t j = i + 1; j < k; j++)
			slopes[n++] = (m[j] - m[i]) / (double)(j - i);
	return tp_median(slopes, n);
}

void tp_steady_judge(const double *x, size_t n, double tolerance, struct tp_steadiness *out)
{
	double m[GROUPS_MOST];
	size_t k = TP_MIN(n / (TP_STEADY_LEAST / GROUPS_LEAST), (size_t)GROUPS_MOST);
	TP_FREE double *scratch = tp_alloc(n + 1, sizeof(*scratch));
	*out = (struct tp_steadiness){ 0 };
	if (k < GROUPS_LEAST)
		return;
	group_medians(x, n, k, m, scratch);
	out->from = beginning(m, k, tolerance, scratch) * n / k;
	size_t left = n - out->from;
	if (left < TP_STEADY_LEAST)
		return;
	/* Grouped again: few of the groups may be left. */
	k = TP_MIN(left / (TP_STEADY_LEAST / GROUPS_LEAST), (size_t)GROUPS_MOST);
	group_medians(x + out->from, left, k, m, scratch);
	double value = tp_median_of(x + out->from, left, scratch);
	out->change = value != 0 ? slope(m, k) * (double)(k - 1) / value : 0;
	out->steady = fabs(out->change) <= tolerance || !has_trend(m, k);
}

/* Square of the standard error of the median. */
static double error_of_median(const double *x, size_t n, double *median, double *scratch)
{
	*median = tp_median_of(x, n, scratch);
	double error = MEDIAN_ERROR * TP_MAD_TO_SIGMA * tp_median_deviation(x, n, *median, scratch);
	return error * error / (double)n;
}

bool tp_steady_alike(const double *a, size_t n_a, const double *b, size_t n_b, double tolerance)
{
	double x, y;
	if (n_a == 0 || n_b == 0)
		return false;
	TP_FREE double *scratch = tp_alloc(TP_MAX(n_a, n_b), sizeof(*scratch));
	double error = error_of_median(a, n_a, &x, scratch) + error_of_median(b, n_b, &y, scratch);
	double allowed = tolerance * fabs(y), by_chance = SIGNIFICANT * sqrt(error);
	return fabs(x - y) <= TP_MIN(TP_MAX(allowed, by_chance), 2 * allowed);
}

/*
 * Windows that show how fast the chase is now, and parts of a stretch that is compared from lap to
 * lap.
 */
enum { PROBE = 24, PARTS = 8 };

/*
 * Loads of a stretch: a whole lap up to the larger number, an eighth of a longer one. Shorter laps
 * are walked several times.
 */
enum { STRETCH_LEAST = 1 << 16, STRETCH_LAP = 1 << 17, STRETCH_SHARE = 8 };

/* Stretches that differ by less are alike, a lap before and now: it bounds the error. */
#define ALIKE_LAPS 0.03

/* The run can be cancelled between parts of a walk. */
#define PART_SECONDS 10e-3

/* Longest time for all of it, and most laps. */
#define LIMIT_SECONDS 2.0

enum { LAPS_MOST = 16 };

struct settle {
	struct tp_runner *runner;
	const struct tp_watch *watch;
	struct tp_point *point;
	struct tp_diag *diag;
	unsigned invocation;
	double window_seconds;
	double loads_per_ns; /* of the last window */
};

static double loads_per_pass(const struct settle *s)
{
	return (double)s->runner->counts.loads;
}

/* A window of this many loads, which does not count. */
static enum tp_status walk_part(struct settle *s, double loads)
{
	struct tp_sample sample;
	const struct tp_watch *watch = s->watch;
	bool go_on = tp_watch_goes_on(watch);
	double passes = loads / loads_per_pass(s);
	if (go_on) {
		s->runner->passes = passes < 1 ? 1 : (uint64_t)(passes + 0.5);
		tp_runner_window(s->runner, &sample);
		sample.invocation = s->invocation;
		sample.flags |= TP_FLAG(WARMING);
		s->loads_per_ns = sample.rate > 0 ? sample.rate : s->loads_per_ns;
		tp_point_add_sample(s->point, &sample);
		go_on = tp_watch_sample(watch, &sample);
	}
	return go_on ? TP_OK : tp_fail(s->diag, TP_CANCELLED, s->point->kernel, NULL, "cancelled");
}

static double loads_of_window(const struct settle *s)
{
	return s->loads_per_ns * s->window_seconds * 1e9;
}

/* `n` windows of this many loads; afterwards their median rate is the last window's. */
static enum tp_status walk_parts(struct settle *s, double loads, double *rates, size_t n)
{
	double sorted[TP_MAX(PROBE, PARTS)];
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		status = walk_part(s, loads);
		rates[i] = s->loads_per_ns;
	}
	if (status != TP_OK)
		return status;
	s->loads_per_ns = tp_median_of(rates, n, sorted);
	return TP_OK;
}

/* Windows like those that will count; the first one only determines their length. */
static enum tp_status probe(struct settle *s, double rates[PROBE])
{
	enum tp_status status = walk_part(s, loads_of_window(s));
	return status == TP_OK ? walk_parts(s, loads_of_window(s), rates, PROBE) : status;
}

static enum tp_status walk(struct settle *s, double loads)
{
	enum tp_status status = TP_OK;
	while (loads >= loads_per_pass(s) && status == TP_OK) {
		double part = TP_MIN(loads, s->loads_per_ns * PART_SECONDS * 1e9);
		status = walk_part(s, part);
		loads -= TP_MAX(part, loads_per_pass(s));
	}
	return status;
}

static enum tp_status walk_laps(struct settle *s, double lap, double stretch, bool *steady)
{
	double before[PARTS], now[PARTS], started = tp_team_now(s->runner->team);
	if ((lap + stretch) / s->loads_per_ns * 1e-9 > LIMIT_SECONDS)
		return TP_OK; /* nothing would be known before the time is over */
	enum tp_status status = walk_parts(s, stretch / PARTS, before, PARTS);
	for (int i = 0; i < LAPS_MOST && status == TP_OK; i++) {
		double seconds = lap / s->loads_per_ns * 1e-9;
		if (tp_team_now(s->runner->team) - started + seconds > LIMIT_SECONDS)
			break;
		if (lap > stretch)
			status = walk(s, lap - stretch);
		if (status == TP_OK)
			status = walk_parts(s, stretch / PARTS, now, PARTS);
		*steady = status == TP_OK && tp_steady_alike(before, PARTS, now, PARTS, ALIKE_LAPS);
		if (*steady)
			break;
		memcpy(before, now, sizeof(before));
		if (status != TP_OK || lap <= stretch)
			continue;
		/* A lap changed it. Another stretch of a long one shows whether more follows. */
		status = walk_parts(s, stretch / PARTS, now, PARTS);
		*steady = status == TP_OK && tp_steady_alike(before, PARTS, now, PARTS, ALIKE_LAPS);
		if (*steady)
			break;
		memcpy(before, now, sizeof(before));
	}
	return status;
}

static enum tp_status evict(struct settle *s)
{
	s->runner->evict_bytes = s->runner->candidate->chase.bytes;
	enum tp_status status = walk_part(s, loads_of_window(s));
	s->runner->evict_bytes = 0;
	return status;
}

/* After building, and from empty caches. */
static enum tp_status compare_starts(struct settle *s, bool *alike)
{
	double built[PROBE], emptied[PROBE];
	enum tp_status status = probe(s, built);
	double built_rate = s->loads_per_ns;
	if (status == TP_OK)
		status = evict(s);
	if (status == TP_OK)
		status = probe(s, emptied);
	/* A chase that is no faster after building has nothing to lose in the caches. */
	*alike = status == TP_OK &&
		 (built_rate <= s->loads_per_ns ||
		  tp_steady_alike(built, PROBE, emptied, PROBE, TP_STEADY_TOLERANCE));
	return status;
}

enum tp_status tp_settle_chase(struct tp_runner *runner, double window_seconds,
			       const struct tp_watch *watch, unsigned invocation,
			       struct tp_point *point, bool *steady, struct tp_diag *diag)
{
	const struct tp_chase *chase = &runner->candidate->chase;
	double lap = (double)(chase->bytes / tp_chase_stride(chase));
	double stretch = TP_MAX(lap > STRETCH_LAP ? lap / STRETCH_SHARE : lap,
				(double)(lap > STRETCH_LAP ? STRETCH_LAP : STRETCH_LEAST));
	struct settle s = { .runner = runner,
			    .watch = watch,
			    .point = point,
			    .diag = diag,
			    .invocation = invocation,
			    .window_seconds = window_seconds,
			    .loads_per_ns = (double)runner->passes * (double)runner->counts.loads /
					    (window_seconds * 1e9) };
	enum tp_status status = TP_OK;
	*steady = false;
	if (tp_team_evicts(runner->team))
		status = lap > STRETCH_LAP ? compare_starts(&s, steady) : evict(&s);
	if (status == TP_OK && !*steady)
		status = walk_laps(&s, lap, stretch, steady);
	double passes = loads_of_window(&s) / loads_per_pass(&s);
	runner->passes = passes < 1 ? 1 : (uint64_t)(passes + 0.5);
	return status;
}
