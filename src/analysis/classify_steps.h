/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to this room: the steps of classify.h, one file each. All memory is the caller's or plain
 * heap; GSL only gets views.
 */
#ifndef TPROF_ANALYSIS_CLASSIFY_STEPS_H
#define TPROF_ANALYSIS_CLASSIFY_STEPS_H

#include "analysis/classify.h"

/* An expectation matrix, factored once. */
struct tp_factored {
	size_t n_rows, n_ideals;
	double *qt; /* n_ideals x n_rows: transposed thin Q of E = Q R */
	double *r; /* n_ideals x n_ideals, upper triangle */
	size_t *start; /* n_rows + 1: the entries of E that are not zero, by rows */
	size_t *column;
	double *value;
	double *rest; /* n_rows, scratch */
	double *step; /* n_ideals, scratch */
};

/* TP_USAGE for dependent columns. Release in any case. */
enum tp_status tp_factored_init(struct tp_factored *factored, const double *expectations,
				size_t n_rows, size_t n_ideals, struct tp_diag *diag);
void tp_factored_release(struct tp_factored *factored);

/* x = argmin ||E x - m||, refined once; returns ||E x - m|| / ||m||. m is not zero. */
double tp_factored_represent(struct tp_factored *factored, const double *m, double *x);

/*
 * Chooses among `survivors` (event indexes in order; the result holds their x and noise). Fills in
 * chosen and dependence, and fate, score, norm and order of the survivors.
 */
enum tp_status tp_classify_choose(const struct tp_classify_limits *limits, const size_t *survivors,
				  size_t n_survivors, struct tp_classification_result *result,
				  struct tp_diag *diag);

/* Fills in coefficients, rounded, metrics and spectral_norm from what was chosen. */
enum tp_status tp_classify_compose(const struct tp_classify_limits *limits,
				   const double *signatures,
				   struct tp_classification_result *result, struct tp_diag *diag);

/* n x size_bytes, zeroed; never NULL for n = 0. */
void *tp_classify_array(size_t n, size_t size_bytes);

#endif
