/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear regression by least squares (GSL multifit, singular values), and correlation. */
#ifndef TPROF_ANALYSIS_LINEAR_H
#define TPROF_ANALYSIS_LINEAR_H

#include "analysis/dataset.h"
#include "base/status.h"

/* Zero-initialise, release after use. Coefficient 0 is the intercept, f + 1 that of feature f. */
struct tp_linear {
	size_t n; /* coefficients */
	double *coefficients, *low,
		*high; /* with intervals of the asked confidence (Student's t) */
	double r2, adjusted_r2, residual_deviation;
	size_t rank; /* below n: some features follow from others, and their coefficients are shared
		      */
};

/* A categorical feature is a mistake of the caller. TP_USAGE: fewer rows than coefficients. */
enum tp_status tp_linear_fit(struct tp_linear *linear, const struct tp_dataset *data,
			     const double *target, double confidence, struct tp_diag *diag);
void tp_linear_release(struct tp_linear *linear);

/* Pearson's r and Spearman's rho (mean ranks for ties) of n pairs; NaN if one of them is constant.
 */
double tp_correlation(const double *x, const double *y, size_t n);
double tp_rank_correlation(const double *x, const double *y, size_t n);

#endif
