/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decision trees (CART: Breiman, Friedman, Olshen, Stone 1984). A node splits at the feature and
 * threshold that lower the impurity of its rows most; a numeric question is value <= threshold,
 * half way between two values that occur, a categorical one is value == category. With max_leaves,
 * the node whose question gains most comes first. Equal to scikit-learn's trees where no two
 * questions are equally good; among equally good ones, the first feature and the lowest threshold
 * are taken.
 */
#ifndef TPROF_ANALYSIS_TREE_H
#define TPROF_ANALYSIS_TREE_H

#include "analysis/dataset.h"
#include "base/status.h"

enum tp_criterion { TP_GINI, TP_ENTROPY }; /* entropy in bits */

/* Zeros are good defaults: Gini, no limits, nothing pruned. */
struct tp_tree_rules {
	enum tp_criterion criterion;
	unsigned max_depth; /* 0 = no limit */
	size_t max_leaves; /* 0 = no limit */
	size_t min_split, min_leaf; /* rows of a node that is split, and of a leaf; 0 = 2 and 1 */
	/* Minimal cost-complexity pruning: what a leaf has to save. 0 = none. */
	double prune_alpha;
	unsigned tried_features; /* at each node, drawn at random; 0 = all */
	uint64_t seed; /* of that draw */
};

struct tp_tree_node {
	unsigned depth;
	bool leaf;
	unsigned feature; /* of a question */
	double threshold; /* or the category */
	size_t yes, no; /* child nodes; of a leaf 0 */
	double rows; /* how many rows reached it when it was learned; whole, with weights of rows 0,
			1, 2... */
	double impurity;
	unsigned label; /* the most frequent one */
};

/* Zero-initialise, release after use. Node 0 is the root; children lie after their parents. */
struct tp_tree {
	struct tp_tree_node *nodes;
	size_t n, n_leaves;
	unsigned n_labels, depth;
	double *counts; /* counts[node * n_labels + label]: rows of each label */
	double *importance; /* of each feature: mean decrease in impurity, sums to 1, or all 0 */
};

/*
 * Learns from `n` rows (NULL = all): indexes, which may repeat. labels[row] < n_labels. As in
 * scikit-learn, a split without gain is kept, too: later ones may gain. Time grows with rows *
 * features * depth; memory is 8 bytes a value. TP_RESOURCE (nodes * labels over 2^27); TP_USAGE
 * (over 2^31 - 1 rows); TP_CANCELLED (tp_stop_asked).
 */
enum tp_status tp_tree_learn(struct tp_tree *tree, const struct tp_dataset *data,
			     const unsigned *labels, unsigned n_labels, const uint32_t *rows,
			     size_t n, const struct tp_tree_rules *rules, struct tp_diag *diag);

/* The answer of a row of the data to a question; the leaf that it comes to, also from a node on. */
bool tp_tree_answer(const struct tp_dataset *data, const struct tp_tree_node *node, size_t row);
size_t tp_tree_leaf(const struct tp_tree *tree, const struct tp_dataset *data, size_t row);
size_t tp_tree_leaf_below(const struct tp_tree *tree, const struct tp_dataset *data, size_t node,
			  size_t row);
void tp_tree_release(struct tp_tree *tree);

/*
 * `n_test` of the rows are held out: `rows` gets all indexes, shuffled by the seed, those of the
 * test last. Each label keeps its share in both parts as nearly as whole rows allow. At least one
 * row is not held out.
 */
void tp_split_rows(const unsigned *labels, unsigned n_labels, size_t n_rows, double test_share,
		   uint64_t seed, uint32_t *rows, size_t *n_test);

#endif
