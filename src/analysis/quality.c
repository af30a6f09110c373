/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/quality.h"

#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

static const struct limits {
	double core_good, core_fair, shared_good, shared_fair;
} limits[TP_DOUBT_COUNT] = {
#define LIMITS(id, good, fair, shared_good, shared_fair) { good, fair, shared_good, shared_fair },
	TP_DOUBT_LIST(LIMITS)
#undef LIMITS
};

static enum tp_grade grade_of(double x, double good, double fair)
{
	return x <= good ? TP_GRADE_GOOD : x <= fair ? TP_GRADE_FAIR : TP_GRADE_POOR;
}

enum tp_grade tp_quality_grade(const struct tp_seen *seen, uint32_t *doubts)
{
	enum tp_grade worst = TP_GRADE_GOOD;
	*doubts = 0;
	for (int i = 0; i < TP_DOUBT_COUNT; i++) {
		const struct limits *l = &limits[i];
		enum tp_grade grade = TP_GRADE_GOOD;
		/* NaN counts as worst. */
		double x = isnan(seen->x[i]) ? INFINITY : seen->x[i];
		if (seen->reach != TP_REACH_SHARED)
			grade = grade_of(x, l->core_good, l->core_fair);
		if (seen->reach != TP_REACH_CORE)
			grade = TP_MAX(grade, grade_of(x, l->shared_good, l->shared_fair));
		if (grade != TP_GRADE_GOOD)
			*doubts |= 1u << i;
		worst = TP_MAX(worst, grade);
	}
	return worst;
}

double tp_quality_modes(const double *sorted, size_t n, double share)
{
	size_t least = (size_t)ceil(share * (double)n), at = 0;
	double widest = 0;
	if (n < 8)
		return 0;
	for (size_t i = least; i + least <= n; i++)
		if (sorted[i] - sorted[i - 1] > widest) {
			widest = sorted[i] - sorted[i - 1];
			at = i;
		}
	double median = tp_median_sorted(sorted, n);
	/* Most of each group: single values far out do not join two groups, nor part one. */
	double low = tp_quantile_sorted(sorted, at, 0.9) - tp_quantile_sorted(sorted, at, 0.1);
	double high = tp_quantile_sorted(&sorted[at], n - at, 0.9) -
		      tp_quantile_sorted(&sorted[at], n - at, 0.1);
	if (!at || !(median > 0) || widest <= fmax(low, high))
		return 0;
	return (tp_median_sorted(&sorted[at], n - at) - tp_median_sorted(sorted, at)) / median;
}

double tp_quality_wander(const double *x, size_t n, bool may_rise, double *scratch)
{
	enum { STRETCHES = 10, LEAST = 4 * STRETCHES };
	/*
	 * Of a normal distribution: its 90 % quantile, the deviation of a median of n numbers times
	 * the square root of n, and the range of ten numbers.
	 */
	const double upper_sigma = 1.2816, median_sigma = 1.2533, range_of_ten = 3.078;
	double least = INFINITY, most = 0, fall = 0, chance = 0;
	if (n < LEAST)
		return 0;
	for (size_t i = 0; i < STRETCHES; i++) {
		size_t from = i * n / STRETCHES, m = (i + 1) * n / STRETCHES - from;
		double median = tp_median_of(&x[from], m, scratch);
		fall = fmax(fall, most - median);
		least = fmin(least, median);
		most = fmax(most, median);
		/* What slows windows down widens only the lower half. */
		double sigma = (tp_quantile_sorted(scratch, m, 0.9) - median) / upper_sigma;
		chance += range_of_ten * median_sigma * sigma / sqrt((double)m) / STRETCHES;
	}
	double median = tp_median_of(x, n, scratch);
	double range = may_rise ? fall : most - least;
	return median > 0 && range > chance ? sqrt(range * range - chance * chance) / median : 0;
}
