/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "analysis/linear.h"

struct ranked {
	double value;
	size_t at;
};

/* 0 of a constant one, and then the deviations are all 0, too. */
static double largest_deviation(const double *x, size_t n, double *mean)
{
	double least = INFINITY, most = -INFINITY;

	*mean = 0;
	for (size_t i = 0; i < n; i++) {
		*mean += x[i] / (double)n;
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	return most > least ? fmax(most - *mean, *mean - least) : 0;
}

double tp_correlation(const double *x, const double *y, size_t n)
{
	double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
	double most_x = largest_deviation(x, n, &mean_x), most_y = largest_deviation(y, n, &mean_y);

	if (!(most_x > 0) || !(most_y > 0))
		return NAN;
	for (size_t i = 0; i < n; i++) {
		double dx = (x[i] - mean_x) / most_x, dy = (y[i] - mean_y) / most_y;

		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	return fmax(-1, fmin(1, xy / sqrt(xx * yy)));
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

static void rank(const double *x, size_t n, struct ranked *sorted, double *ranks)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct ranked){ x[i], i };
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && sorted[end].value <= sorted[first].value;)
			end++;
		for (size_t i = first; i < end; i++)
			ranks[sorted[i].at] = 0.5 * (double)(first + 1 + end);
	}
}

double tp_rank_correlation(const double *x, const double *y, size_t n)
{
	struct ranked *sorted = malloc((n + 1) * sizeof(*sorted));
	double *of_x = malloc((n + 1) * sizeof(*of_x)), *of_y = malloc((n + 1) * sizeof(*of_y));
	double rho = NAN;

	if (sorted && of_x && of_y) {
		rank(x, n, sorted, of_x);
		rank(y, n, sorted, of_y);
		rho = tp_correlation(of_x, of_y, n);
	}
	free(sorted);
	free(of_x);
	free(of_y);
	return rho;
}
