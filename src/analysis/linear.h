/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear regression by least squares (GSL: QR, then singular values), and correlation. */
#ifndef TPROF_ANALYSIS_LINEAR_H
#define TPROF_ANALYSIS_LINEAR_H

#include "analysis/dataset.h"
#include "base/status.h"

/* Zero-initialise, release after use. Coefficient 0 is the intercept, f + 1 that of feature f. */
struct tp_linear {
	size_t n; /* coefficients */
	/*
	 * With intervals of the asked confidence (Student's t). They are NaN if the data do not
	 * determine the coefficient (its feature follows from others or is constant), or there are
	 * no rows beyond the rank.
	 */
	double *coefficients, *low, *high;
	double r2, adjusted_r2; /* of a constant target 0 */
	double residual_deviation; /* NaN, like adjusted_r2, without rows beyond the rank */
	/* Below n: some features follow from others. They share the coefficient: of all solutions,
	 * the one with the smallest coefficients in units of each feature's deviation. A constant
	 * feature has the coefficient 0. */
	size_t rank;
};

/* A categorical feature is a mistake of the caller. TP_USAGE: fewer rows than coefficients;
 * TP_FAILED: no singular values were found; TP_CANCELLED. */
enum tp_status tp_linear_fit(struct tp_linear *linear, const struct tp_dataset *data,
			     const double *target, double confidence, struct tp_diag *diag);
void tp_linear_release(struct tp_linear *linear);

/* Pearson's r and Spearman's rho (mean ranks for ties) of n pairs; NaN if one of them is constant
 * or n is below 2. */
double tp_correlation(const double *x, const double *y, size_t n);
double tp_rank_correlation(const double *x, const double *y, size_t n);

#endif
