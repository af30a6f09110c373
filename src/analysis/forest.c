/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "analysis/tree_parts.h"
#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"

#ifdef _OPENMP
#define SHARED_OUT    _Pragma("omp parallel for schedule(dynamic)")
#define ONE_AT_A_TIME _Pragma("omp critical(tp_forest)")
#else
#define SHARED_OUT
#define ONE_AT_A_TIME
#endif

enum { TREES_USUAL = 200, REPEATS_USUAL = 5 };

/* What all threads share read-only. */
struct forester {
	const struct tp_forest *forest;
	const struct tp_tree_sample *sorted; /* the rows that are learned from */
	const struct tp_tree_measure *measure;
	const struct tp_tree_rules *rules;
	const uint32_t *rows; /* training rows, then held-out rows */
	size_t n_learned, n_held;
	uint64_t seed;
	const struct tp_listener *listener;
};

/* A seed for the i-th use of a seed. */
static uint64_t seed_of(uint64_t seed, uint64_t i)
{
	uint64_t state = seed + i * UINT64_C(0xd1342543de82ef95);

	return tp_splitmix64(&state);
}

/* --- trees in the form that answers questions --- */

/* Nodes are renumbered: two children lie side by side, after their parent. */
static void keep_tree(struct tp_forest_tree *kept, const struct tp_tree *tree,
		      const struct tp_dataset *data)
{
	TP_FREE size_t *from = tp_alloc(tree->n, sizeof(*from));
	size_t n_nodes = 1, n_shares = 0;

	for (size_t i = 0; i < tree->n; i++)
		for (unsigned label = 0; tree->nodes[i].leaf && label < tree->n_labels; label++)
			n_shares += tree->counts[i * tree->n_labels + label] > 0;
	kept->n = tree->n;
	kept->nodes = tp_alloc(tree->n, sizeof(*kept->nodes));
	kept->leaves = tp_alloc(tree->n, sizeof(*kept->leaves));
	kept->shares = tp_alloc(n_shares + 1, sizeof(*kept->shares));
	n_shares = 0;
	for (size_t i = 0; i < tree->n; i++) {
		const struct tp_tree_node *node = &tree->nodes[from[i]];
		const double *counts = &tree->counts[from[i] * tree->n_labels];
		struct tp_forest_node *to = &kept->nodes[i];

		if (!node->leaf) {
			*to = (struct tp_forest_node){
				.threshold = node->threshold,
				.next = (uint32_t)n_nodes,
				.feature = node->feature & INT32_MAX,
				.words = data->n_categories && data->n_categories[node->feature],
			};
			kept->leaves[i] = UINT32_MAX;
			from[n_nodes++] = node->yes;
			from[n_nodes++] = node->no;
			continue;
		}
		*to = (struct tp_forest_node){ .threshold = INFINITY, .next = (uint32_t)i };
		kept->leaves[i] = (uint32_t)n_shares;
		for (unsigned label = 0; label < tree->n_labels; label++)
			if (counts[label] > 0)
				kept->shares[n_shares++] =
					(struct tp_forest_share){ counts[label] / node->rows, label,
								  false };
		kept->shares[n_shares - (n_shares > 0)].last = true;
	}
}

static enum tp_status grow_one(const struct forester *f, struct tp_forest_tree *kept,
			       double *importance, uint64_t seed, struct tp_diag *diag)
{
	struct tp_tree_rules rules = *f->rules;
	uint64_t random = seed;
	size_t n_rows = f->sorted->data->n_rows;
	struct tp_tree_sample sample = *f->sorted;
	TP_CLEANUP(tp_tree_release) struct tp_tree tree = { 0 };

	sample.entries = NULL;
	sample.n = 0;
	sample.rows = tp_alloc(n_rows, sizeof(*sample.rows));
	for (size_t row = 0; row < n_rows; row++)
		sample.rows[row].label = f->sorted->rows[row].label;
	for (size_t i = 0; i < f->n_learned; i++) {
		uint32_t row = f->rows[tp_splitmix64(&random) % f->n_learned];

		sample.n += !sample.rows[row].weight++;
	}
	rules.seed = tp_splitmix64(&random);
	enum tp_status status = tp_tree_pick(&sample, f->sorted, diag);

	if (!status)
		status = tp_tree_grow(&tree, &sample, f->measure, &rules, diag);
	tp_tree_sample_release(&sample);
	if (status)
		return status;
	keep_tree(kept, &tree, f->sorted->data);
	memcpy(importance, tree.importance, f->sorted->data->n_features * sizeof(*importance));
	return TP_OK;
}

/*
 * Each tree is a task with its own seed, so the result does not depend on the thread that grows it.
 */
static enum tp_status grow_all(const struct forester *f, struct tp_forest *forest,
			       double *importances, struct tp_diag *diag)
{
	size_t n_features = f->sorted->data->n_features, n_done = 0;
	enum tp_status worst = TP_OK;

	SHARED_OUT
	for (size_t i = 0; i < forest->n; i++) {
		struct tp_diag own = { 0 };
		enum tp_status status =
			tp_stop_asked ? tp_tree_cancelled(&own)
				      : grow_one(f, &forest->trees[i], &importances[i * n_features],
						 seed_of(f->seed, i), &own);
		ONE_AT_A_TIME
		{
			tp_progress(f->listener, "learning a forest", ++n_done, forest->n);
			if (status && !worst) {
				worst = status;
				if (diag)
					*diag = own;
			}
		}
	}
	return worst;
}

/* --- votes --- */

/*
 * Rows pass one tree before the next in blocks of this size, so that trees and sums stay in cache;
 * and ROWS_ABREAST go down the tree side by side, so that a row does not wait for the memory of
 * another.
 */
enum { ROWS_AT_ONCE = 256, ROWS_ABREAST = 8 };

static inline uint32_t step(const struct tp_forest_node *node, const double *const *features,
			    uint32_t row)
{
	double value = features[node->feature][row];
	unsigned yes = (value == node->threshold) | ((value < node->threshold) & !node->words);

	return node->next + !yes;
}

/* Adds the shares in the leaves of up to ROWS_ABREAST rows to sums[row * n_labels + label]. */
static void add_shares(const struct tp_forest_tree *tree, const double *const *features,
		       const uint32_t *rows, size_t n, double *sums, unsigned n_labels)
{
	uint32_t at[ROWS_ABREAST] = { 0 }, all[ROWS_ABREAST], going;

	/* Missing rows repeat the first one. */
	for (size_t i = 0; i < ROWS_ABREAST; i++)
		all[i] = rows[i < n ? i : 0];
	/* A root that is a leaf needs no feature, and there may be none. */
	for (going = tree->n > 1; going;) {
		going = 0;
		for (size_t i = 0; i < ROWS_ABREAST; i++) {
			uint32_t next = step(&tree->nodes[at[i]], features, all[i]);

			going |= next ^ at[i];
			at[i] = next;
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct tp_forest_share *share = &tree->shares[tree->leaves[at[i]]];

		do
			sums[i * n_labels + share->label] += share->share;
		while (!share++->last);
	}
}

/* How many of the rows get the label with the largest sum of shares in the leaves. */
static size_t count_right(const struct forester *f, const double *const *features,
			  const uint32_t *rows, size_t n, double *sums)
{
	unsigned n_labels = f->sorted->n_labels;
	size_t n_right = 0;

	memset(sums, 0, n * n_labels * sizeof(*sums));
	for (size_t t = 0; t < f->forest->n && !tp_stop_asked; t++)
		for (size_t i = 0; i < n; i += ROWS_ABREAST)
			add_shares(&f->forest->trees[t], features, &rows[i],
				   TP_MIN(n - i, (size_t)ROWS_ABREAST), &sums[i * n_labels],
				   n_labels);
	for (size_t i = 0; i < n; i++) {
		const double *sum = &sums[i * n_labels];
		unsigned winner = 0;

		for (unsigned label = 1; label < n_labels; label++)
			winner = sum[label] > sum[winner] ? label : winner;
		n_right += winner == f->sorted->rows[rows[i]].label;
	}
	return n_right;
}

/* Share of the held-out rows whose label is found. */
static double accuracy_of(const struct forester *f, const double *const *features)
{
	const uint32_t *held = f->rows + f->n_learned;
	TP_FREE double *sums = tp_alloc((size_t)ROWS_AT_ONCE * f->sorted->n_labels, sizeof(*sums));
	size_t n_right = 0;

	for (size_t i = 0; i < f->n_held && !tp_stop_asked; i += ROWS_AT_ONCE)
		n_right += count_right(f, features, held + i,
				       TP_MIN(f->n_held - i, (size_t)ROWS_AT_ONCE), sums);
	return (double)n_right / (double)f->n_held;
}

/* The same when the values of a feature are shuffled over these rows. */
static double shuffled_accuracy(const struct forester *f, size_t feature, uint64_t seed)
{
	const struct tp_dataset *data = f->sorted->data;
	const uint32_t *held = f->rows + f->n_learned;
	TP_FREE uint32_t *others = tp_alloc(f->n_held, sizeof(*others));
	TP_FREE double *values = tp_alloc(data->n_rows, sizeof(*values));
	TP_FREE const double **features = tp_alloc(data->n_features, sizeof(*features));

	memcpy(others, held, f->n_held * sizeof(*others));
	tp_shuffle(others, f->n_held, sizeof(*others), seed);
	for (size_t i = 0; i < f->n_held; i++)
		values[held[i]] = data->features[feature][others[i]];
	memcpy(features, data->features, data->n_features * sizeof(*features));
	features[feature] = values;
	return accuracy_of(f, features);
}

/* Accuracy lost when the values of a feature are shuffled; the last of `found` is the accuracy
 * without shuffling, the others are one for each repeat and feature. */
static enum tp_status shuffle_features(const struct forester *f, struct tp_forest *forest,
				       unsigned repeats, double *found, struct tp_diag *diag)
{
	const struct tp_dataset *data = f->sorted->data;
	size_t n = data->n_features * repeats, n_done = 0;

	SHARED_OUT
	for (size_t i = 0; i <= n; i++) {
		found[i] = i < n ? shuffled_accuracy(f, i / repeats, seed_of(~f->seed, i))
				 : accuracy_of(f, data->features);
		ONE_AT_A_TIME
		tp_progress(f->listener, "shuffling columns", ++n_done, n + 1);
	}
	if (tp_stop_asked)
		return tp_tree_cancelled(diag);
	forest->accuracy = found[n];
	for (size_t i = 0; i < data->n_features; i++) {
		struct tp_welford w = { 0 };

		for (unsigned r = 0; r < repeats; r++)
			tp_welford_add(&w, forest->accuracy - found[i * repeats + r]);
		forest->permutation_importance[i] = w.mean;
		forest->permutation_deviation[i] = sqrt(tp_welford_variance(&w));
	}
	return TP_OK;
}

static void mean_impurity(struct tp_forest *forest, const double *importances, size_t n_features)
{
	double sum = 0;

	for (size_t f = 0; f < n_features; f++) {
		struct tp_welford w = { 0 };

		for (size_t t = 0; t < forest->n; t++)
			tp_welford_add(&w, importances[t * n_features + f]);
		forest->impurity_importance[f] = w.mean;
		forest->impurity_deviation[f] = sqrt(tp_welford_variance(&w));
		sum += w.mean;
	}
	for (size_t f = 0; f < n_features; f++) /* a tree of one leaf has no importance */
		if (sum > 0)
			forest->impurity_importance[f] /= sum;
}

static void make_room(struct tp_forest *forest, size_t n_features, size_t n_trees)
{
	*forest = (struct tp_forest){
		.accuracy = NAN,
		.n = n_trees,
		.trees = tp_alloc(n_trees, sizeof(*forest->trees)),
		.impurity_importance = tp_alloc(n_features, sizeof(double)),
		.impurity_deviation = tp_alloc(n_features, sizeof(double)),
		.permutation_importance = tp_alloc(n_features, sizeof(double)),
		.permutation_deviation = tp_alloc(n_features, sizeof(double)),
	};
}

enum tp_status tp_forest_learn(struct tp_forest *forest, const struct tp_dataset *data,
			       const unsigned *labels, unsigned n_labels, const uint32_t *rows,
			       size_t n_test, const struct tp_forest_rules *rules,
			       struct tp_diag *diag)
{
	struct tp_tree_sample sorted = { .data = data, .n_labels = n_labels };
	struct tp_tree_measure measure = { 0 };
	struct tp_tree_rules tree = rules->tree;
	unsigned repeats = rules->repeats ? rules->repeats : REPEATS_USUAL;
	TP_FREE double *found = tp_alloc(data->n_features * repeats + 1, sizeof(*found));
	struct forester f = { .forest = forest,
			      .sorted = &sorted,
			      .measure = &measure,
			      .rules = &tree,
			      .rows = rows,
			      .n_learned = data->n_rows - n_test,
			      .n_held = n_test,
			      .seed = rules->seed,
			      .listener = rules->listener };

	if (!tree.tried_features)
		tree.tried_features = TP_MAX((unsigned)sqrt((double)data->n_features), 1);
	make_room(forest, data->n_features, rules->n_trees ? rules->n_trees : TREES_USUAL);
	TP_FREE double *importances = tp_alloc(forest->n * data->n_features, sizeof(*importances));
	enum tp_status status = tp_tree_weigh(&sorted, labels, rows, f.n_learned, diag);

	if (!status)
		status = tp_tree_sort(&sorted, diag);
	if (!status)
		status = tp_tree_measure_make(&measure, tree.criterion, sorted.total, diag);
	if (!status)
		status = grow_all(&f, forest, importances, diag);
	if (!status)
		mean_impurity(forest, importances, data->n_features);
	if (!status && n_test)
		status = shuffle_features(&f, forest, repeats, found, diag);
	if (status)
		tp_forest_release(forest);
	tp_tree_measure_release(&measure);
	tp_tree_sample_release(&sorted);
	return status;
}

void tp_forest_release(struct tp_forest *forest)
{
	for (size_t t = 0; t < forest->n; t++) {
		free(forest->trees[t].nodes);
		free(forest->trees[t].leaves);
		free(forest->trees[t].shares);
	}
	free(forest->trees);
	free(forest->impurity_importance);
	free(forest->impurity_deviation);
	free(forest->permutation_importance);
	free(forest->permutation_deviation);
	*forest = (struct tp_forest){ 0 };
}
