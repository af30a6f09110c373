/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/steady.h"
#include "analysis/stats.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eight groups are the fewest for which a trend can be told from chance at 1 %. */
enum { GROUPS_LEAST = 8, GROUPS_MOST = 32 };
#define SIGNIFICANT  2.576 /* standard deviations of a normal distribution: 1 % lie beyond */
#define MAD_TO_SIGMA 1.4826 /* of a normal distribution */
/* Standard error of a median of n: this times sigma over the root of n (normal distribution). */
#define MEDIAN_ERROR 1.2533

static double median_of(const double *x, size_t n, double *scratch)
{
	memcpy(scratch, x, n * sizeof(*x));
	tp_sort_doubles(scratch, n);
	return tp_median_sorted(scratch, n);
}

/* Medians of k groups of readings of equal size, up to one. */
static void group_medians(const double *x, size_t n, size_t k, double *medians, double *scratch)
{
	for (size_t i = 0; i < k; i++) {
		size_t from = i * n / k, to = (i + 1) * n / k;
		medians[i] = median_of(x + from, to - from, scratch);
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
 * The same, without the groups right before the cut that are like the rest, but for single ones:
 * the cut may lie late by chance. `scratch` holds k numbers.
 */
static size_t beginning(const double *m, size_t k, double tolerance, double *scratch)
{
	size_t cut = least_error(m, k), n = k - cut;
	double rest = median_of(m + cut, n, scratch);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(m[cut + i] - rest);
	tp_sort_doubles(scratch, n);
	double like = TP_MAX(tolerance * fabs(rest),
			     SIGNIFICANT * MAD_TO_SIGMA * tp_median_sorted(scratch, n));
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
	tp_sort_doubles(slopes, n);
	return n ? tp_median_sorted(slopes, n) : 0;
}

void tp_steady_judge(const double *x, size_t n, double tolerance, struct tp_steadiness *out)
{
	double m[GROUPS_MOST];
	size_t k = TP_MIN(n / (TP_STEADY_LEAST / GROUPS_LEAST), (size_t)GROUPS_MOST);
	double *scratch = malloc((n + 1) * sizeof(*scratch));
	*out = (struct tp_steadiness){ 0 };
	if (!scratch || k < GROUPS_LEAST)
		goto out;
	group_medians(x, n, k, m, scratch);
	out->from = beginning(m, k, tolerance, scratch) * n / k;
	size_t left = n - out->from;
	if (left < TP_STEADY_LEAST)
		goto out;
	/* Grouped anew: what is left may be few of the groups. */
	k = TP_MIN(left / (TP_STEADY_LEAST / GROUPS_LEAST), (size_t)GROUPS_MOST);
	group_medians(x + out->from, left, k, m, scratch);
	double value = median_of(x + out->from, left, scratch);
	out->change = value != 0 ? slope(m, k) * (double)(k - 1) / value : 0;
	out->steady = fabs(out->change) <= tolerance || !has_trend(m, k);
out:
	free(scratch);
}

/* Square of the standard error of the median. */
static double error_of_median(const double *x, size_t n, double *median, double *scratch)
{
	*median = median_of(x, n, scratch);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - *median);
	tp_sort_doubles(scratch, n);
	double error = MEDIAN_ERROR * MAD_TO_SIGMA * tp_median_sorted(scratch, n);
	return error * error / (double)n;
}

bool tp_steady_alike(const double *a, size_t n_a, const double *b, size_t n_b, double tolerance)
{
	double *scratch = malloc(TP_MAX(n_a, n_b) * sizeof(*scratch) + 1), x, y;
	if (!scratch || n_a == 0 || n_b == 0) {
		free(scratch);
		return false;
	}
	double error = error_of_median(a, n_a, &x, scratch) + error_of_median(b, n_b, &y, scratch);
	free(scratch);
	double allowed = tolerance * fabs(y), by_chance = SIGNIFICANT * sqrt(error);
	return fabs(x - y) <= TP_MIN(TP_MAX(allowed, by_chance), 2 * allowed);
}
