/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tp_welford_add(struct tp_welford *w, double x)
{
	double before = x - w->mean;

	w->n++;
	w->mean += before / (double)w->n;
	/* ((n-1)/n) (x - m)^2 written as a product of the deviations before and after. */
	w->c += before * (x - w->mean);
}

double tp_welford_variance(const struct tp_welford *w)
{
	return w->n < 2 ? 0 : w->c / (double)(w->n - 1);
}

static bool is_probability(double confidence)
{
	return confidence > 0 && confidence < 1;
}

/* Two-sided quantile: |t| < result with probability `confidence`. */
static double student_t(double confidence, double degrees)
{
	return gsl_cdf_tdist_Qinv(0.5 * (1 - confidence), degrees);
}

struct tp_interval tp_mean_interval(const struct tp_welford *w, double confidence)
{
	struct tp_interval ci = { w->mean, w->mean, false };
	double half;

	if (w->n < 2 || !is_probability(confidence))
		return ci;
	half = student_t(confidence, (double)(w->n - 1)) *
	       sqrt(tp_welford_variance(w) / (double)w->n);
	ci.low = w->mean - half;
	ci.high = w->mean + half;
	ci.valid = true;
	return ci;
}

double tp_median_sorted(const double *x, size_t n)
{
	if (n == 0)
		return 0;
	return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

size_t tp_median_rank(size_t n, double confidence)
{
	size_t k = n / 2;
	double term, coverage;
	int sign;

	if (n < 2 || !is_probability(confidence))
		return 0;
	/* Summing from the middle outwards never underflows and takes about sqrt(n) steps. */
	term = exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
		   lgamma_r((double)(n - k) + 1, &sign) - (double)n * log(2));
	coverage = n % 2 ? 2 * term : term;
	while (coverage < confidence && k > 1) {
		term *= (double)k / (double)(n - k + 1);
		coverage += 2 * term;
		k--;
	}
	return coverage < confidence ? 0 : k;
}

struct tp_interval tp_median_interval_sorted(const double *x, size_t n, double confidence)
{
	struct tp_interval ci = { 0, 0, false };
	size_t k = tp_median_rank(n, confidence);

	if (n == 0)
		return ci;
	ci.valid = k > 0;
	if (k == 0)
		k = 1;
	ci.low = x[k - 1];
	ci.high = x[n - k];
	return ci;
}

double tp_quantile_sorted(const double *x, size_t n, double q)
{
	double place, below;
	size_t i;

	if (n == 0)
		return 0;
	if (!(q > 0))
		return x[0];
	if (q >= 1)
		return x[n - 1];
	place = q * (double)(n - 1);
	below = floor(place);
	i = (size_t)below;
	return i + 1 < n ? x[i] + (place - below) * (x[i + 1] - x[i]) : x[i];
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void tp_sort_doubles(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof(*x), compare_doubles);
}

size_t tp_alike(const double *x, size_t n, double *value)
{
	size_t most = 0, found = 0;

	for (size_t i = 0; i < n && i <= n / 2; i++) {
		size_t same = 0;

		for (size_t k = i; k < n && !(found && x[i] == *value); k++)
			same += x[k] == x[i];
		if (same == 0 || 2 * same < n)
			continue;
		*value = x[i];
		most = same;
		found++;
	}
	return found == 1 ? most : 0;
}

void tp_sort_copy(const double *x, size_t n, double *sorted)
{
	if (n == 0)
		return;
	memcpy(sorted, x, n * sizeof(*x));
	tp_sort_doubles(sorted, n);
}

double tp_median(double *x, size_t n)
{
	tp_sort_doubles(x, n);
	return tp_median_sorted(x, n);
}

double tp_median_of(const double *x, size_t n, double *scratch)
{
	tp_sort_copy(x, n, scratch);
	return tp_median_sorted(scratch, n);
}

double tp_median_deviation(const double *x, size_t n, double median, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - median);
	return tp_median(scratch, n);
}

void tp_summarise(const double *x, size_t n, double confidence, double *scratch,
		  struct tp_summary *out)
{
	struct tp_welford w = { 0 };

	memset(out, 0, sizeof(*out));
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		tp_welford_add(&w, x[i]);
	out->n = n;
	out->mean = w.mean;
	out->stddev = sqrt(tp_welford_variance(&w));
	out->median = tp_median_of(x, n, scratch);
	out->min = scratch[0];
	out->max = scratch[n - 1];
	out->median_ci = tp_median_interval_sorted(scratch, n, confidence);
	out->mean_ci = tp_mean_interval(&w, confidence);
	if (!out->mean_ci.valid) {
		out->mean_ci.low = out->min;
		out->mean_ci.high = out->max;
	}
	out->mad = tp_median_deviation(x, n, out->median, scratch);
}

bool tp_trimmed_mean(const double *x, size_t n, double tolerance, double *scratch, double *mean)
{
	struct tp_welford w = { 0 };
	size_t cut = n < 3 ? 0 : 1; /* nothing to drop from one or two */

	tp_sort_copy(x, n, scratch);
	for (size_t i = cut; i + cut < n; i++)
		tp_welford_add(&w, scratch[i]);
	*mean = w.mean;
	if (n < 3)
		return false;
	return w.mean - scratch[1] <= tolerance * fabs(w.mean) &&
	       scratch[n - 2] - w.mean <= tolerance * fabs(w.mean);
}

struct tp_interval tp_trimmed_interval(const double *x, size_t n, double confidence,
				       double *scratch)
{
	struct tp_interval ci = { 0, 0, false };
	struct tp_welford winsorised = { 0 };
	double mean, half, kept;

	if (n == 0)
		return ci;
	tp_trimmed_mean(x, n, 0, scratch, &mean);
	ci.low = scratch[0];
	ci.high = scratch[n - 1];
	if (n < 4 || !is_probability(confidence))
		return ci;
	for (size_t i = 0; i < n; i++)
		tp_welford_add(&winsorised, scratch[i == 0 ? 1 : i == n - 1 ? n - 2 : i]);
	kept = (double)(n - 2);
	half = student_t(confidence, kept - 1) * sqrt(tp_welford_variance(&winsorised)) *
	       sqrt((double)n) / kept;
	ci.low = mean - half;
	ci.high = mean + half;
	ci.valid = true;
	return ci;
}

double tp_roof_attainable(double peak_gflops, double gbps, double ai)
{
	return fmin(peak_gflops, gbps * ai);
}

double tp_roof_ridge(double peak_gflops, double gbps)
{
	return gbps > 0 ? peak_gflops / gbps : 0;
}
