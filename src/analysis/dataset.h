/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of numbers that something is learned from. */
#ifndef TPROF_ANALYSIS_DATASET_H
#define TPROF_ANALYSIS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All borrowed. No value is NaN or infinite. */
struct tp_dataset {
	size_t n_rows, n_features;
	/* features[f][row]. Of a categorical one: the code of its category, counted from 0. */
	const double *const *features;
	const unsigned *n_categories; /* of each feature, 0 = numeric; NULL = all are numeric */
};

#endif
