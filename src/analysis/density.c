/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/density.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

bool tp_range_of(const double *values, size_t n, double *low, double *high)
{
	*low = *high = n ? values[0] : 0;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			return false;
		*low = fmin(*low, values[i]);
		*high = fmax(*high, values[i]);
	}
	return n > 0;
}

/* Extends the grid by `pad` beyond the smallest and the largest value. The caller frees counts. */
static void binned_make(struct tp_binned *b, const double *values, size_t n, double pad)
{
	double low, high;
	tp_range_of(values, n, &low, &high);
	*b = (struct tp_binned){ .low = low - pad,
				 .step = (high - low + 2 * pad) / (TP_BINS - 1),
				 .n = n,
				 .counts = tp_alloc(TP_BINS, sizeof(*b->counts)) };
	for (size_t i = 0; i < n; i++) {
		double at = (values[i] - b->low) / b->step;
		double left = fmin(fmax(floor(at), 0), TP_BINS - 2);
		double share = fmin(fmax(at - left, 0), 1);
		b->counts[(size_t)left] += 1 - share;
		b->counts[(size_t)left + 1] += share;
	}
}

/*
 * The counts as a density, smoothed by a Gaussian of that bandwidth: in `out` (TP_BINS). The grid
 * is a ring, so it must be `pad` wide by some bandwidths. `spectrum` is the spectrum of the counts.
 */
static void binned_spectrum(const struct tp_binned *b, double *spectrum)
{
	memcpy(spectrum, b->counts, TP_BINS * sizeof(*spectrum));
	gsl_fft_real_radix2_transform(spectrum, 1, TP_BINS);
}

static void binned_smooth(const struct tp_binned *b, const double *spectrum, double bandwidth,
			  double *out)
{
	/* The transform of a Gaussian is one; real parts come first, imaginary ones backwards. */
	double scale = 2 * M_PI / TP_BINS * bandwidth / b->step;
	out[0] = spectrum[0];
	for (size_t k = 1; k <= TP_BINS / 2; k++) {
		double factor = exp(-0.5 * (double)k * (double)k * scale * scale);
		out[k] = spectrum[k] * factor;
		if (k < TP_BINS / 2)
			out[TP_BINS - k] = spectrum[TP_BINS - k] * factor;
	}
	gsl_fft_halfcomplex_radix2_inverse(out, 1, TP_BINS);
	for (size_t i = 0; i < TP_BINS; i++)
		out[i] = fmax(out[i], 0) / ((double)b->n * b->step);
}

enum { STAGES = 7, BISECTIONS = 60, COARSE = 64, FINE = 16 };

/* What all rules need from the values. */
struct sample {
	const double *values;
	size_t n, n_different;
	double low, high, silverman;
};

static bool look(struct sample *s, const double *values, size_t n)
{
	struct tp_welford w = { 0 };
	*s = (struct sample){ .values = values, .n = n, .n_different = n > 0 };
	if (n < 2 || !tp_range_of(values, n, &s->low, &s->high) || s->low == s->high)
		return false;
	TP_FREE double *sorted = tp_alloc(n, sizeof(*sorted));
	tp_sort_copy(values, n, sorted);
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
			break; /* further terms do not matter */
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
static void cosine_squares(const struct tp_binned *b, double *a2)
{
	TP_FREE double *x = tp_alloc(TP_BINS, sizeof(*x));
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
}

/*
 * The smallest root: in a bracket that is doubled until it holds one, as in the authors' program. 0
 * if there is none up to 0.1.
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
	double range = s->high - s->low;
	TP_FREE double *a2 = tp_alloc(TP_BINS, sizeof(*a2));
	binned_make(&b, s->values, s->n, range / 2);
	cosine_squares(&b, a2);
	free(b.counts);
	return sqrt(find_root(a2, (double)s->n_different)) * 2 * range;
}

/* --- cross-validated likelihood --- */

/* Mean logarithm of the density at each value, as the others make it. */
static double likelihood(const struct tp_binned *b, const double *spectrum, double *density,
			 double bandwidth)
{
	double own = 1 / (bandwidth * sqrt(2 * M_PI)), sum = 0;
	binned_smooth(b, spectrum, bandwidth, density);
	for (size_t i = 0; i < TP_BINS; i++) {
		if (!(b->counts[i] > 0))
			continue;
		double others = ((double)b->n * density[i] - own) / ((double)b->n - 1);
		sum += b->counts[i] * log(fmax(others, 1e-300));
	}
	return sum / (double)b->n;
}

/* The best of n + 1 bandwidths from low to high, in even ratios; *ratio becomes their ratio. */
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
	TP_FREE double *spectrum = tp_alloc(TP_BINS, sizeof(*spectrum));
	TP_FREE double *density = tp_alloc(TP_BINS, sizeof(*density));
	binned_make(&b, s->values, s->n, range / 2);
	/* Below two bins the grid would show, above a tenth of it the wrap-around. */
	double low = fmax(s->silverman / 50, 2 * b.step), high = fmin(2 * s->silverman, range / 5);
	binned_spectrum(&b, spectrum);
	best = best_of(&b, spectrum, density, low, fmax(high, 2 * low), COARSE, &ratio);
	best = best_of(&b, spectrum, density, best / ratio, best * ratio, FINE, &ratio);
	free(b.counts);
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

/* How far the grid goes beyond the values, in bandwidths, and the least bandwidth of a range. */
static const double margin = 4, finest = 1e-3;

/* Values that span more than this are put on a log scale. */
static const double wide = 100;

/* The finely smoothed bins at the points of the density. */
static void sample(struct tp_density *d, const struct tp_binned *b, const double *smooth,
		   double low, double high)
{
	double from = low - margin * d->bandwidth;
	double step = (high - low + 2 * margin * d->bandwidth) / (TP_DENSITY_POINTS - 1);
	for (size_t i = 0; i < TP_DENSITY_POINTS; i++) {
		d->x[i] = from + (double)i * step;
		double at = fmin(fmax((d->x[i] - b->low) / b->step, 0), TP_BINS - 1.001);
		size_t left = (size_t)at;
		double share = at - (double)left;
		d->y[i] = smooth[left] * (1 - share) + smooth[left + 1] * share;
	}
}

static void fill_density(struct tp_density *d, const double *x, size_t n, enum tp_bandwidth rule,
			 double bandwidth)
{
	struct tp_binned b = { 0 };
	double low, high;
	TP_FREE double *spectrum = tp_alloc(TP_BINS, sizeof(*spectrum));
	TP_FREE double *smooth = tp_alloc(TP_BINS, sizeof(*smooth));
	tp_range_of(x, n, &low, &high);
	double least = finest * (high > low ? high - low : fmax(fabs(low), 1));
	double found = bandwidth > 0 ? bandwidth : tp_bandwidth_of(rule, x, n);
	if (!(found > 0))
		found = tp_bandwidth_of(TP_BANDWIDTH_SILVERMAN, x, n);
	/* The points of the density could not resolve a smaller one. */
	d->bandwidth = fmax(found, least);
	binned_make(&b, x, n, fmax((high - low) / 2, 2 * margin * d->bandwidth));
	binned_spectrum(&b, spectrum);
	binned_smooth(&b, spectrum, d->bandwidth, smooth);
	sample(d, &b, smooth, low, high);
	free(b.counts);
}

enum tp_status tp_density_make(struct tp_density *d, const double *values, size_t n,
			       enum tp_bandwidth rule, double bandwidth,
			       enum tp_density_scale scale, struct tp_diag *diag)
{
	double low, high;
	TP_FREE double *logs = NULL;
	if (n == 0)
		return tp_fail(diag, TP_USAGE, "density", NULL, "there are no values");
	if (!tp_range_of(values, n, &low, &high) || !isfinite(high - low))
		return tp_fail(diag, TP_USAGE, "density", "leave out these rows",
			       "a value is not a finite number, or too large");
	if (scale == TP_DENSITY_LOG && low <= 0)
		return tp_fail(diag, TP_USAGE, "density", "take a linear scale",
			       "%g has no logarithm", low);
	d->log = scale == TP_DENSITY_LOG ||
		 (scale == TP_DENSITY_AUTO && low > 0 && high / low > wide);
	if (d->log) {
		logs = tp_alloc(n, sizeof(*logs));
		for (size_t i = 0; i < n; i++)
			logs[i] = log10(values[i]);
	}
	fill_density(d, logs ? logs : values, n, rule, bandwidth);
	return TP_OK;
}

double tp_density_at(const struct tp_density *d, double value)
{
	double x = d->log ? log10(value) : value;
	double place = (x - d->x[0]) / (d->x[1] - d->x[0]);
	if (!(place >= 0) || place >= TP_DENSITY_POINTS - 1)
		return 0;
	size_t i = (size_t)place;
	return d->y[i] + (place - (double)i) * (d->y[i + 1] - d->y[i]);
}
