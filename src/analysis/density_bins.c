/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/density_parts.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

enum tp_status tp_binned_make(struct tp_binned *b, const double *values, size_t n, double pad)
{
	double low, high;
	tp_range_of(values, n, &low, &high);
	*b = (struct tp_binned){ .low = low - pad,
				 .step = (high - low + 2 * pad) / (TP_BINS - 1),
				 .n = n,
				 .counts = calloc(TP_BINS, sizeof(*b->counts)) };
	if (!b->counts)
		return TP_NOMEM;
	for (size_t i = 0; i < n; i++) {
		double at = (values[i] - b->low) / b->step;
		double left = fmin(fmax(floor(at), 0), TP_BINS - 2);
		double share = fmin(fmax(at - left, 0), 1);
		b->counts[(size_t)left] += 1 - share;
		b->counts[(size_t)left + 1] += share;
	}
	return TP_OK;
}

void tp_binned_spectrum(const struct tp_binned *b, double *spectrum)
{
	memcpy(spectrum, b->counts, TP_BINS * sizeof(*spectrum));
	gsl_fft_real_radix2_transform(spectrum, 1, TP_BINS);
}

void tp_binned_smooth(const struct tp_binned *b, const double *spectrum, double bandwidth,
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
