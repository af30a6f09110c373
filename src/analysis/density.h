/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Densities of samples by Gaussian kernels, and categories cut from them. Bandwidths: Silverman's
 * rule (1986, 0.9 min(s, IQR / 1.34) n^-1/5), Improved Sheather-Jones (Botev, Grotowski, Kroese
 * 2010), and the largest cross-validated likelihood on a grid.
 */
#ifndef TPROF_ANALYSIS_DENSITY_H
#define TPROF_ANALYSIS_DENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum tp_bandwidth { TP_BANDWIDTH_ISJ, TP_BANDWIDTH_SILVERMAN, TP_BANDWIDTH_CROSS_VALIDATED };

/* 0 if there is none: fewer than two different values, or ISJ finds no root (few, coarse values).
 */
double tp_bandwidth_of(enum tp_bandwidth rule, const double *values, size_t n);

enum { TP_DENSITY_POINTS = 1024 };

/*
 * On an even grid, from some bandwidths below the smallest value to the same distance above the
 * largest.
 */
struct tp_density {
	bool log; /* x is log10 of the values: they span more than two decades, or it was asked for
		   */
	double bandwidth; /* in units of x */
	double x[TP_DENSITY_POINTS], y[TP_DENSITY_POINTS];
};

/* Log scale: as the values suggest, never, always (all must be positive). */
enum tp_density_scale { TP_DENSITY_AUTO, TP_DENSITY_LINEAR, TP_DENSITY_LOG };

/*
 * bandwidth 0: by the rule; a rule that fails falls back to Silverman's, which falls back to a
 * thousandth of the range. TP_USAGE: no values, not finite, or log of what is not positive.
 */
enum tp_status tp_density_make(struct tp_density *density, const double *values, size_t n,
			       enum tp_bandwidth rule, double bandwidth,
			       enum tp_density_scale scale, struct tp_diag *diag);

/* At a value, between the points; 0 beyond them. */
double tp_density_at(const struct tp_density *density, double value);

enum { TP_CATEGORIES_MAX = 64 };

/* Categories of a continuous column: category i holds cuts[i-1] <= value < cuts[i]. */
struct tp_categories {
	unsigned n; /* at least 1 */
	double cuts[TP_CATEGORIES_MAX]; /* n - 1, rising, in units of the values */
	double peaks[TP_CATEGORIES_MAX]; /* n: the representative of each: highest density, or its
					    middle */
};

/*
 * Cuts at the minima between peaks. Peaks lower than `prominence` (0.01 is usual) of the highest
 * above the higher of their two minima are not peaks.
 */
void tp_categories_by_density(struct tp_categories *categories, const struct tp_density *density,
			      double prominence);

/* `count` bins of equal width; or of width `step`, starting at a multiple of it (count 0). */
enum tp_status tp_categories_by_bins(struct tp_categories *categories, const double *values,
				     size_t n, unsigned count, double step, struct tp_diag *diag);

/* Equal numbers of rows, as far as equal values allow. */
enum tp_status tp_categories_by_quantiles(struct tp_categories *categories, const double *values,
					  size_t n, unsigned count, struct tp_diag *diag);
unsigned tp_category_of(const struct tp_categories *categories, double value);

/* Values counted on an even grid, and sums of Gaussian kernels on it. */

enum { TP_BINS = 1 << 14 }; /* a power of 2, for the Fourier transform */

struct tp_binned {
	double low, step; /* of the grid: bin i stands at low + i * step */
	size_t n; /* values */
	double *counts; /* TP_BINS, heap; a value is shared by the two bins around it */
};

/* Smallest and largest; false if there is none or one is not finite. */
bool tp_range_of(const double *values, size_t n, double *low, double *high);

#endif
