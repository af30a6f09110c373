/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random forests (Breiman 2001): trees of rows drawn with repetition, which try sqrt(features) at
 * each node. It rates features by the mean decrease in impurity, and by the accuracy lost when the
 * values of a feature are shuffled over held-out rows.
 */
#ifndef TPROF_ANALYSIS_FOREST_H
#define TPROF_ANALYSIS_FOREST_H

#include "analysis/tree.h"
#include "base/progress.h"

struct tp_forest_rules {
	unsigned n_trees; /* 0 = 200 */
	struct tp_tree_rules tree; /* tried_features 0 = sqrt(features), at least 1 */
	uint64_t seed;
	unsigned repeats; /* of each shuffle; 0 = 5 */
	const struct tp_listener *listener; /* NULL = no listener */
};

/*
 * value <= threshold, or value == threshold for a category: the next node, else the one after it. A
 * leaf leads to itself.
 */
struct tp_forest_node {
	double threshold;
	uint32_t next;
	uint32_t feature : 31, words : 1;
};
/* Of a label in a leaf. */
struct tp_forest_share {
	double share;
	uint32_t label, last; /* last: no more labels in this leaf */
};
/* A tree reduced to what its questions need: nodes[0] is the root. */
struct tp_forest_tree {
	struct tp_forest_node *nodes;
	uint32_t *leaves; /* of each node: its first share; of a question UINT32_MAX */
	struct tp_forest_share *shares;
	size_t n; /* nodes */
};

/* Zero-initialise, release after use. */
struct tp_forest {
	struct tp_forest_tree *trees;
	size_t n;
	/* Of each feature, means over all trees; impurity sums to 1. */
	double *impurity_importance, *impurity_deviation;
	/* Accuracy lost on the held-out rows, mean and standard deviation of the repeats. */
	double *permutation_importance, *permutation_deviation;
	double accuracy; /* on the held-out rows: majority of the trees' shares; NaN without any */
};

/*
 * The first n_rows - n_test of `rows` are learned from, the others are held out. Trees are shared
 * out over OpenMP threads; the result does not depend on how many there are.
 * TP_CANCELLED.
 */
enum tp_status tp_forest_learn(struct tp_forest *forest, const struct tp_dataset *data,
			       const unsigned *labels, unsigned n_labels, const uint32_t *rows,
			       size_t n_test, const struct tp_forest_rules *rules,
			       struct tp_diag *diag);
void tp_forest_release(struct tp_forest *forest);

#endif
