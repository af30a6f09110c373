/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/forest.h"

#include <math.h>
#include <stdlib.h>

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

enum { TREES_USUAL = 200, REPEATS_USUAL = 5, LABELS_AT_ONCE = 64 };

/* What all threads share; none of them changes it. */
struct forester {
	const struct tp_forest *forest;
	const struct tp_tree_sample *sorted; /* the rows that are learned from */
	const struct tp_tree_measure *measure;
	const struct tp_tree_rules *rules;
	const uint32_t *rows; /* those that are learned from, then those held out */
	size_t n_learned, n_held;
	uint64_t seed;
};

/* A seed for the i-th use of a seed. */
static uint64_t seed_of(uint64_t seed, uint64_t i)
{
	uint64_t state = seed + i * UINT64_C(0xd1342543de82ef95);

	return tp_splitmix64(&state);
}

static enum tp_status grow_one(const struct forester *f, struct tp_tree *tree, uint64_t seed,
			       struct tp_diag *diag)
{
	struct tp_tree_rules rules = *f->rules;
	uint64_t random = seed;
	size_t n_rows = f->sorted->data->n_rows;
	struct tp_tree_sample sample = *f->sorted;

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
		status = tp_tree_grow(tree, &sample, f->measure, &rules, diag);
	tp_tree_sample_release(&sample);
	return status;
}

/* Trees are as many tasks; each has a seed of its own, so it does not matter who grows it. */
static enum tp_status grow_all(const struct forester *f, struct tp_tree *trees, size_t n,
			       struct tp_diag *diag)
{
	enum tp_status worst = TP_OK;

	SHARED_OUT
	for (size_t i = 0; i < n; i++) {
		struct tp_diag own = { 0 };
		enum tp_status status = tp_stop_asked
						? tp_tree_cancelled(&own)
						: grow_one(f, &trees[i], seed_of(f->seed, i), &own);
		ONE_AT_A_TIME
		if (status && !worst) {
			worst = status;
			if (diag)
				*diag = own;
		}
	}
	return worst;
}

/* The label with the largest sum of shares in the leaves; one value may be that of another row. */
static unsigned vote(const struct tp_forest *forest, const struct tp_dataset *data, size_t row,
		     unsigned feature, size_t other)
{
	unsigned n_labels = forest->trees[0].n_labels, winner = 0;
	double most = 0;

	/* So many labels at a time; there are seldom more. */
	for (unsigned first = 0; first < n_labels; first += LABELS_AT_ONCE) {
		unsigned n = TP_MIN(n_labels - first, LABELS_AT_ONCE);
		double shares[LABELS_AT_ONCE] = { 0 };

		for (size_t t = 0; t < forest->n; t++) {
			const struct tp_tree *tree = &forest->trees[t];
			size_t leaf = tp_tree_leaf_swapped(tree, data, row, feature, other);
			const double *counts = &tree->counts[leaf * n_labels + first];

			for (unsigned i = 0; i < n; i++)
				shares[i] += counts[i] / tree->nodes[leaf].rows;
		}
		for (unsigned i = 0; i < n; i++) {
			if (shares[i] > most) {
				most = shares[i];
				winner = first + i;
			}
		}
	}
	return winner;
}

/* Share of the held-out rows whose label is found; others[i] lends the i-th one its value of the
 * feature. NaN when it was cancelled. */
static double accuracy_of(const struct forester *f, unsigned feature, const uint32_t *others)
{
	const uint32_t *held = f->rows + f->n_learned;
	size_t n_right = 0;

	for (size_t i = 0; i < f->n_held && !tp_stop_asked; i++)
		n_right += vote(f->forest, f->sorted->data, held[i], feature, others[i]) ==
			   f->sorted->rows[held[i]].label;
	return tp_stop_asked ? NAN : (double)n_right / (double)f->n_held;
}

static double shuffled_accuracy(const struct forester *f, unsigned feature, uint64_t seed)
{
	TP_FREE uint32_t *others = tp_alloc(f->n_held, sizeof(*others));

	for (size_t i = 0; i < f->n_held; i++)
		others[i] = f->rows[f->n_learned + i];
	tp_shuffle(others, f->n_held, sizeof(*others), seed);
	return accuracy_of(f, feature, others);
}

/* What is lost when the values of a feature are shuffled; `lost` holds one number a repeat and
 * feature. */
static enum tp_status shuffle_features(const struct forester *f, struct tp_forest *forest,
				       unsigned repeats, double *lost, struct tp_diag *diag)
{
	size_t n = f->sorted->data->n_features * repeats;

	forest->accuracy = accuracy_of(f, 0, f->rows + f->n_learned);
	SHARED_OUT
	for (size_t i = 0; i < n; i++)
		lost[i] = forest->accuracy -
			  shuffled_accuracy(f, (unsigned)(i / repeats), seed_of(~f->seed, i));
	if (tp_stop_asked)
		return tp_tree_cancelled(diag);
	for (size_t i = 0; i < f->sorted->data->n_features; i++) {
		struct tp_welford w = { 0 };

		for (unsigned r = 0; r < repeats; r++)
			tp_welford_add(&w, lost[i * repeats + r]);
		forest->permutation_importance[i] = w.mean;
		forest->permutation_deviation[i] = sqrt(tp_welford_variance(&w));
	}
	return TP_OK;
}

static void mean_impurity(struct tp_forest *forest, size_t n_features)
{
	double sum = 0;

	for (size_t f = 0; f < n_features; f++) {
		struct tp_welford w = { 0 };

		for (size_t t = 0; t < forest->n; t++)
			tp_welford_add(&w, forest->trees[t].importance[f]);
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
	TP_FREE double *lost = tp_alloc(data->n_features * repeats, sizeof(*lost));
	struct forester f = { .forest = forest,
			      .sorted = &sorted,
			      .measure = &measure,
			      .rules = &tree,
			      .rows = rows,
			      .n_learned = data->n_rows - n_test,
			      .n_held = n_test,
			      .seed = rules->seed };

	if (!tree.tried_features)
		tree.tried_features = TP_MAX((unsigned)sqrt((double)data->n_features), 1);
	make_room(forest, data->n_features, rules->n_trees ? rules->n_trees : TREES_USUAL);
	enum tp_status status = tp_tree_weigh(&sorted, labels, rows, f.n_learned, diag);

	if (!status)
		status = tp_tree_sort(&sorted, diag);
	if (!status)
		status = tp_tree_measure_make(&measure, tree.criterion, sorted.total, diag);
	if (!status)
		status = grow_all(&f, forest->trees, forest->n, diag);
	if (!status)
		mean_impurity(forest, data->n_features);
	if (!status && n_test)
		status = shuffle_features(&f, forest, repeats, lost, diag);
	if (status)
		tp_forest_release(forest);
	tp_tree_measure_release(&measure);
	tp_tree_sample_release(&sorted);
	return status;
}

void tp_forest_release(struct tp_forest *forest)
{
	for (size_t t = 0; t < forest->n; t++)
		tp_tree_release(&forest->trees[t]);
	free(forest->trees);
	free(forest->impurity_importance);
	free(forest->impurity_deviation);
	free(forest->permutation_importance);
	free(forest->permutation_deviation);
	*forest = (struct tp_forest){ 0 };
}
