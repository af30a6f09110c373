/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wide the kernel of a density should be. */
#include "analysis/density_parts.h"

#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"

enum { STAGES = 7, BISECTIONS = 60, COARSE = 64, FINE = 16 };

/* What all rules need of the values. */
struct sample {
	const double *values;
	size_t n, n_different;
	double low, high, silverman;
};

static bool look(struct sample *s, const double *values, size_t n)
{
	struct tp_welford w = { 0 };
	*s = (struct sample){ .values = values, .n = n, .n_different = n > 0 };
	double *sorted = n > 1 ? malloc(n * sizeof(*sorted)) : NULL;
	if (!sorted || !tp_range_of(values, n, &s->low, &s->high) || s->low == s->high) {
		free(sorted);
		return false;
	}
	memcpy(sorted, values, n * sizeof(*sorted));
	tp_sort_doubles(sorted, n);
	for (size_t i = 0; i < n; i++) {
		tp_welford_add(&w, sorted[i]);
		s->n_different += i > 0 && sorted[i] > sorted[i - 1];
	}
	double spread = sqrt(tp_welford_variance(&w));
	double quartiles =
		tp_quantile_sorted(sorted, n, 0.75) - tp_quantile_sorted(sorted, n, 0.25);
	if (quartiles > 0)
		spread = fmin(spread, quartiles / 1.34);
	s->silverman = 0.9 * spread * pow((double)n, -0.2);
	free(sorted);
	return s->silverman > 0;
}

/* --- Improved Sheather-Jones --- */

/* Sum over i of i^(2 s) a_i^2 exp(-i^2 pi^2 t), as of the s-th derivative of the density. */
static double derivative(const double *a2, unsigned s, double t)
{
	double sum = 0;
	for (size_t i = 1; i < TP_BINS; i++) {
		double square = (double)i * (double)i;
		double fall = square * M_PI * M_PI * t;
		if (fall > 700)
			break; /* nothing that counts follows */
		sum += pow(square, s) * a2[i] * exp(-fall);
	}
	return 2 * pow(M_PI, 2 * s) * sum;
}

/* t minus what t would be by its own density: t - xi gamma^[l](t) of the paper, with l = 7. */
static double fixed_point(const double *a2, double n, double t)
{
	double f = derivative(a2, STAGES, t);
	for (unsigned s = STAGES - 1; s >= 2; s--) {
		double odd = 1;
		for (unsigned i = 3; i < 2 * s; i += 2)
			odd *= i;
		double factor = (1 + pow(0.5, s + 0.5)) / 3;
		double time = pow(2 * factor * odd / sqrt(2 * M_PI) / n / f, 2 / (3 + 2.0 * s));
		f = derivative(a2, s, time);
	}
	return t - pow(2 * n * sqrt(M_PI) * f, -0.4);
}

/* Squares of the coefficients of the cosine transform (Makhoul 1980), without the first. */
static bool cosine_squares(const struct tp_binned *b, double *a2)
{
	double *x = malloc(TP_BINS * sizeof(*x));
	if (!x)
		return false;
	for (size_t i = 0; i < TP_BINS / 2; i++) {
		x[i] = b->counts[2 * i] / (double)b->n;
		x[TP_BINS - 1 - i] = b->counts[2 * i + 1] / (double)b->n;
	}
	gsl_fft_real_radix2_transform(x, 1, TP_BINS);
	a2[0] = 0;
	for (size_t k = 1; k < TP_BINS; k++) {
		/* Of a real signal, the upper half is the conjugate of the lower. */
		size_t at = k <= TP_BINS / 2 ? k : TP_BINS - k;
		double im = at == TP_BINS / 2 ? 0 : x[TP_BINS - at];
		double angle = M_PI * (double)k / (2 * TP_BINS);
		double a = x[at] * cos(angle) + (k <= TP_BINS / 2 ? im : -im) * sin(angle);
		a2[k] = a * a;
	}
	free(x);
	return true;
}

/*
 * The smallest root: in a bracket that is doubled until it holds one, as the authors' program looks
 * for it. 0 if there is none up to 0.1.
 */
static double find_root(const double *a2, double n)
{
	double few = fmin(fmax(n, 50), 1050), low = 0, high = 1e-12 + 1e-5 * (few - 50);
	double value;
	while (!((value = fixed_point(a2, n, high)) > 0)) {
		if (high >= 0.1 || isnan(value))
			return 0;
		low = high;
		high = fmin(2 * high, 0.1);
	}
	for (unsigned i = 0; i < BISECTIONS && high - low > 1e-9 * high; i++) {
		double middle = (low + high) / 2;
		if (fixed_point(a2, n, middle) > 0)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static double by_sheather_jones(const struct sample *s)
{
	struct tp_binned b = { 0 };
	double range = s->high - s->low, root = 0;
	double *a2 = malloc(TP_BINS * sizeof(*a2));
	if (a2 && tp_binned_make(&b, s->values, s->n, range / 2) == TP_OK && cosine_squares(&b, a2))
		root = find_root(a2, (double)s->n_different);
	free(b.counts);
	free(a2);
	return sqrt(root) * 2 * range;
}

/* --- cross-validated likelihood --- */

/* Mean logarithm of the density at each value, as the others make it. */
static double likelihood(const struct tp_binned *b, const double *spectrum, double *density,
			 double bandwidth)
{
	double own = 1 / (bandwidth * sqrt(2 * M_PI)), sum = 0;
	tp_binned_smooth(b, spectrum, bandwidth, density);
	for (size_t i = 0; i < TP_BINS; i++) {
		if (!(b->counts[i] > 0))
			continue;
		double others = ((double)b->n * density[i] - own) / ((double)b->n - 1);
		sum += b->counts[i] * log(fmax(others, 1e-300));
	}
	return sum / (double)b->n;
}

/* The best of n + 1 bandwidths from low to high, in even ratios; *ratio is theirs. */
static double best_of(const struct tp_binned *b, const double *spectrum, double *density,
		      double low, double high, unsigned n, double *ratio)
{
	double best = low, most = -INFINITY;
	*ratio = pow(high / low, 1.0 / n);
	for (unsigned i = 0; i <= n; i++) {
		double bandwidth = low * pow(*ratio, i);
		double found = likelihood(b, spectrum, density, bandwidth);
		if (found > most) {
			most = found;
			best = bandwidth;
		}
	}
	return best;
}

static double by_likelihood(const struct sample *s)
{
	struct tp_binned b = { 0 };
	double range = s->high - s->low, best = 0, ratio;
	double *spectrum = malloc(TP_BINS * sizeof(*spectrum));
	double *density = malloc(TP_BINS * sizeof(*density));
	if (spectrum && density && tp_binned_make(&b, s->values, s->n, range / 2) == TP_OK) {
		/* Below two bins the grid would be seen, above a tenth of it the ring. */
		double low = fmax(s->silverman / 50, 2 * b.step),
		       high = fmin(2 * s->silverman, range / 5);
		tp_binned_spectrum(&b, spectrum);
		best = best_of(&b, spectrum, density, low, fmax(high, 2 * low), COARSE, &ratio);
		best = best_of(&b, spectrum, density, best / ratio, best * ratio, FINE, &ratio);
	}
	free(b.counts);
	free(spectrum);
	free(density);
	return best;
}

double tp_bandwidth_of(enum tp_bandwidth rule, const double *values, size_t n)
{
	struct sample s;
	if (!look(&s, values, n))
		return 0;
	switch (rule) {
	case TP_BANDWIDTH_ISJ:
		return by_sheather_jones(&s);
	case TP_BANDWIDTH_SILVERMAN:
		return s.silverman;
	case TP_BANDWIDTH_CROSS_VALIDATED:
		return by_likelihood(&s);
	}
	return 0;
}
