/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values counted on an even grid, and sums of Gaussian kernels on it. Private to this room. */
#ifndef TPROF_ANALYSIS_DENSITY_PARTS_H
#define TPROF_ANALYSIS_DENSITY_PARTS_H

#include "analysis/density.h"

enum { TP_BINS = 1 << 14 }; /* a power of 2, for the Fourier transform */

struct tp_binned {
	double low, step; /* of the grid: bin i stands at low + i * step */
	size_t n; /* values */
	double *counts; /* TP_BINS, heap; a value is shared by the two bins around it */
};

/*
 * The grid goes `pad` beyond the smallest and the largest value. TP_NOMEM. The caller frees counts.
 */
enum tp_status tp_binned_make(struct tp_binned *binned, const double *values, size_t n, double pad);
/*
 * The counts as a density, smoothed by a Gaussian of that bandwidth: in `out` (TP_BINS). The grid
 * is a ring, so it must be `pad` wide by some bandwidths. `spectrum` is that of the counts.
 */
void tp_binned_spectrum(const struct tp_binned *binned, double *spectrum);
void tp_binned_smooth(const struct tp_binned *binned, const double *spectrum, double bandwidth,
		      double *out);

/* Smallest and largest; false if there is none or one is not finite. */
bool tp_range_of(const double *values, size_t n, double *low, double *high);

#endif
