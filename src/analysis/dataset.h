/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of numbers to learn from. */
#ifndef TPROF_ANALYSIS_DATASET_H
#define TPROF_ANALYSIS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All borrowed. All values are finite. */
struct tp_dataset {
	size_t n_rows, n_features;
	/* features[f][row]. For a categorical feature: the code of its category, from 0. */
	const double *const *features;
	const unsigned *n_categories; /* of each feature, 0 = numeric; NULL = all are numeric */
};

#endif
