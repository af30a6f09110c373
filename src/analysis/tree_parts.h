/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: how trees grow, for one tree and for forests. */
#ifndef TPROF_ANALYSIS_TREE_PARTS_H
#define TPROF_ANALYSIS_TREE_PARTS_H

#include "analysis/tree.h"

/* A row in the list of a feature. Equal values have equal codes, and larger ones larger codes; of a
 * categorical feature, the code is the category. */
struct tp_tree_entry {
	uint32_t row, code;
};

/* What the search reads of a row, adjacent in memory. */
struct tp_tree_row {
	uint32_t label, weight; /* 0 = not in the sample */
};

/*
 * What one tree is learned from: each feature has a list of the rows, sorted by its values. A
 * node's rows are the same range of all lists; its question parts that range in two.
 */
struct tp_tree_sample {
	const struct tp_dataset *data; /* borrowed */
	unsigned n_labels;
	struct tp_tree_row *rows; /* of the data */
	size_t n; /* rows in the sample, repeated ones once */
	uint32_t total; /* sum of their weights */
	struct tp_tree_entry *entries; /* of feature f from f * n on */
};

/* Draws features: a permutation whose beginning is redrawn for each node. */
struct tp_tree_draw {
	unsigned *order;
	uint64_t random;
};

struct tp_tree_question {
	bool found;
	unsigned feature;
	double threshold; /* or the category */
	size_t begin, end; /* the rows that answer yes, in the list of the feature */
	double score, gain; /* of the measure; gain: over not asking */
};

/*
 * Sums over labels of a convex function of their rows: of squares for Gini, of n log2(n) for
 * entropy. Both are kept in whole numbers, so a sum does not depend on the order of the rows. For
 * entropy, table[n] is n log2(n) in fixed point, as fine as 63 bits allow.
 */
struct tp_tree_measure {
	enum tp_criterion criterion;
	int64_t *table; /* NULL for Gini */
};

/* What the search for a question needs. */
struct tp_tree_search {
	const struct tp_tree_sample *sample;
	const struct tp_tree_measure *measure;
	size_t min_leaf;
	unsigned tried_features; /* fewer than there are: drawn at each node */
	struct tp_tree_draw draw;
	uint32_t *left, *right; /* rows of each label, scratch */
};

/* Labels and weights of rows as tp_tree_learn takes them. TP_USAGE: more than 2^31 - 1. */
enum tp_status tp_tree_weigh(struct tp_tree_sample *sample, const unsigned *labels,
			     const uint32_t *rows, size_t n, struct tp_diag *diag);
/* Makes the lists. */
enum tp_status tp_tree_sort(struct tp_tree_sample *sample, struct tp_diag *diag);
/* The lists of the rows of `from` that have a weight in `sample`, whose other fields are set. */
enum tp_status tp_tree_pick(struct tp_tree_sample *sample, const struct tp_tree_sample *from,
			    struct tp_diag *diag);
void tp_tree_sample_release(struct tp_tree_sample *sample);

enum tp_status tp_tree_measure_make(struct tp_tree_measure *measure, enum tp_criterion criterion,
				    uint32_t total, struct tp_diag *diag);
void tp_tree_measure_release(struct tp_tree_measure *measure);

/* Learns, prunes, and weighs the features. Reorders the lists of the sample. */
enum tp_status tp_tree_grow(struct tp_tree *tree, struct tp_tree_sample *sample,
			    const struct tp_tree_measure *measure,
			    const struct tp_tree_rules *rules, struct tp_diag *diag);

enum tp_status tp_tree_cancelled(struct tp_diag *diag);

#endif
