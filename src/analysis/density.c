/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/density_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far the grid goes beyond the values, in bandwidths, and the least bandwidth of a range. */
static const double margin = 4, finest = 1e-3;
/* Values that span more than this are looked at by their logarithms. */
static const double wide = 100;

static double choose_bandwidth(const double *x, size_t n, enum tp_bandwidth rule, double wanted,
			       double low, double high)
{
	double least = finest * (high > low ? high - low : fmax(fabs(low), 1));
	double found = wanted > 0 ? wanted : tp_bandwidth_of(rule, x, n);
	if (!(found > 0))
		found = tp_bandwidth_of(TP_BANDWIDTH_SILVERMAN, x, n);
	/* The points of the density could not show a smaller one. */
	return fmax(found, least);
}

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

static enum tp_status fill(struct tp_density *d, const double *x, size_t n, enum tp_bandwidth rule,
			   double bandwidth)
{
	struct tp_binned b = { 0 };
	double low, high;
	double *spectrum = malloc(TP_BINS * sizeof(*spectrum));
	double *smooth = malloc(TP_BINS * sizeof(*smooth));
	enum tp_status status = spectrum && smooth ? TP_OK : TP_NOMEM;
	tp_range_of(x, n, &low, &high);
	d->bandwidth = choose_bandwidth(x, n, rule, bandwidth, low, high);
	if (status == TP_OK)
		status =
			tp_binned_make(&b, x, n, fmax((high - low) / 2, 2 * margin * d->bandwidth));
	if (status == TP_OK) {
		tp_binned_spectrum(&b, spectrum);
		tp_binned_smooth(&b, spectrum, d->bandwidth, smooth);
		sample(d, &b, smooth, low, high);
	}
	free(b.counts);
	free(spectrum);
	free(smooth);
	return status;
}

enum tp_status tp_density_make(struct tp_density *d, const double *values, size_t n,
			       enum tp_bandwidth rule, double bandwidth,
			       enum tp_density_scale scale, struct tp_diag *diag)
{
	double low, high, *logs = NULL;
	enum tp_status status = TP_OK;
	if (n == 0)
		return tp_fail(diag, TP_USAGE, "density", NULL, "there are no values");
	if (!tp_range_of(values, n, &low, &high) || !isfinite(high - low))
		return tp_fail(diag, TP_USAGE, "density", "leave such rows out",
			       "a value is no finite number, or too large");
	if (scale == TP_DENSITY_LOG && low <= 0)
		return tp_fail(diag, TP_USAGE, "density", "take a linear scale",
			       "%g has no logarithm", low);
	d->log = scale == TP_DENSITY_LOG ||
		 (scale == TP_DENSITY_AUTO && low > 0 && high / low > wide);
	if (d->log) {
		logs = malloc(n * sizeof(*logs));
		status = logs ? TP_OK : TP_NOMEM;
		for (size_t i = 0; logs && i < n; i++)
			logs[i] = log10(values[i]);
	}
	if (status == TP_OK)
		status = fill(d, logs ? logs : values, n, rule, bandwidth);
	free(logs);
	return status == TP_OK ? TP_OK : tp_fail(diag, status, "density", NULL, "out of memory");
}
