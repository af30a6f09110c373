/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/robust.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/stats.h"
#include "base/vec.h"

/*
 * Of five, Qn is often too small by chance: without this, 1.6 % of healthy groups of five had an
 * outlier in 100,000 samples, and less than 1 % of all other sizes.
 */
#define QN_EFFICIENCY_FIVE 0.65
/* Numbers farther than that from the mean are taken for that far away, in standard deviations. */
#define CLIP 1.5

void tp_robust_room_release(struct tp_robust_room *room)
{
	free(room->x);
	free(room->sorted);
	free(room->work);
	free(room->ints);
}

bool tp_robust_room_make(struct tp_robust_room *room, size_t n)
{
	room->x = malloc((n + 1) * sizeof(double));
	room->sorted = malloc((n + 1) * sizeof(double));
	room->work = malloc(3 * (n + 1) * sizeof(double));
	room->ints = malloc(5 * (n + 1) * sizeof(int));
	return room->x && room->sorted && room->work && room->ints;
}

/*
 * Deviation of a normal sample by the range of its middle: a share is left out at each end, at
 * least one. Qn is nearly 0 where half of the values are equal, as of clocks that step: the rest
 * would be outliers then. Expected order statistics by Blom (1958).
 */
static double middle_deviation(const double *sorted, size_t n, double odd)
{
	size_t k = TP_MAX((size_t)1, (size_t)(odd * (double)n));
	double expected = gsl_cdf_ugaussian_Pinv(((double)(n - k) - 0.375) / ((double)n + 0.25));

	return (sorted[n - 1 - k] - sorted[k]) / (2 * expected);
}

void tp_robust_set_error(struct tp_robust *s, size_t n, double floor)
{
	double own = s->spread * s->spread, known = floor * floor;
	double efficiency = n == 5 ? QN_EFFICIENCY_FIVE : TP_QN_EFFICIENCY;
	double degrees = fmax(1, efficiency * (double)(n - 1));
	double sum = own + known;

	/* The centre comes from the same numbers: it is uncertain, too. */
	s->error = sqrt(sum * (1 + 1 / (double)n));
	s->degrees = sum > 0 ? sum * sum / (own * own / degrees + known * known / TP_FLOOR_DEGREES)
			     : degrees;
}

struct tp_robust tp_robust_of(struct tp_robust_room *room, size_t n, double floor, double odd)
{
	struct tp_robust s = { NAN, NAN, NAN, NAN };

	for (size_t i = 0; i < n; i++)
		room->sorted[i] = room->x[i];
	tp_sort_doubles(room->sorted, n);
	if (n > 0)
		s.centre = tp_median_sorted(room->sorted, n);
	if (n < 2)
		return s;
	s.spread = gsl_stats_Qn_from_sorted_data(room->sorted, 1, n, room->work, room->ints);
	if (n < TP_ROBUST_MIN)
		return s;
	if (odd > 0)
		s.spread = fmax(s.spread, middle_deviation(room->sorted, n, odd));
	tp_robust_set_error(&s, n, floor);
	return s;
}

double tp_huber_mean(const double *x, size_t n, double centre, double spread, double *variance)
{
	double most = CLIP * spread, mean = centre, step = INFINITY, squares = 0;
	size_t whole = 0;

	for (int i = 0; i < 50 && fabs(step) > 1e-9 * spread; i++) {
		step = 0;
		for (size_t k = 0; k < n; k++)
			step += fmax(-most, fmin(most, x[k] - mean)) / (double)n;
		mean += step;
	}
	for (size_t k = 0; k < n; k++) {
		double off = fmin(most, fabs(x[k] - mean));

		squares += off * off;
		whole += fabs(x[k] - mean) <= most;
	}
	double share = (double)TP_MAX(whole, (size_t)1) / (double)n;

	*variance = squares / (double)(n - 1) / (double)n / (share * share);
	return mean;
}

void tp_robust_test(const struct tp_robust *s, double x, double own, double own_degrees, double *z,
		    double *p)
{
	double all = s->error * s->error, sum = all + own;
	double degrees = sum * sum / (all * all / s->degrees + own * own / own_degrees);

	*z = sum > 0 ? (x - s->centre) / sqrt(sum) : NAN;
	*p = isfinite(*z) ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(*z), degrees)) : NAN;
}
