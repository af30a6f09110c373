/* SPDX-License-Identifier: GPL-3.0-or-later */
/* k-means: Lloyd's algorithm from k-means++ starts (Arthur, Vassilvitskii 2007), the best of
 * several. */
#ifndef TPROF_ANALYSIS_KMEANS_H
#define TPROF_ANALYSIS_KMEANS_H

#include "analysis/dataset.h"
#include "base/status.h"

/* Zero-initialise, release after use. Clusters are numbered in the order of their first rows. */
struct tp_kmeans {
	unsigned k;
	double *centres; /* centres[cluster * n_features + feature] */
	unsigned *clusters; /* of each row */
	size_t *sizes; /* rows of each cluster */
	double inertia; /* sum of the squared distances to the centres */
};

/* Features are not scaled: those with larger numbers weigh more. starts 0 = 10. TP_USAGE: k is 0 or
 * more than there are distinct rows. TP_CANCELLED. */
enum tp_status tp_kmeans_learn(struct tp_kmeans *kmeans, const struct tp_dataset *data, unsigned k,
			       unsigned starts, uint64_t seed, struct tp_diag *diag);
void tp_kmeans_release(struct tp_kmeans *kmeans);

#endif
