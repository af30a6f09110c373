/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/tree.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/tree_parts.h"
#include "base/random.h"
#include "base/vec.h"

double tp_tree_impurity(enum tp_criterion criterion, const double *counts, unsigned n_labels,
			double rows)
{
	double squares = 0, entropy = 0;

	if (!(rows > 0))
		return 0;
	for (unsigned label = 0; label < n_labels; label++) {
		double share = counts[label] / rows;

		squares += counts[label] * counts[label];
		if (share > 0)
			entropy -= share * log2(share);
	}
	return criterion == TP_GINI ? 1 - squares / (rows * rows) : entropy;
}

enum tp_status tp_tree_learn(struct tp_tree *tree, const struct tp_dataset *data,
			     const unsigned *labels, unsigned n_labels, const uint32_t *rows,
			     size_t n, const struct tp_tree_rules *rules, struct tp_diag *diag)
{
	struct tp_tree_sample sample = { .data = data, .n_labels = n_labels };
	struct tp_tree_measure measure = { 0 };
	enum tp_status status = tp_tree_weigh(&sample, labels, rows, rows ? n : data->n_rows, diag);

	if (!status)
		status = tp_tree_sort(&sample, diag);
	if (!status)
		status = tp_tree_measure_make(&measure, rules->criterion, sample.total, diag);
	if (!status)
		status = tp_tree_grow(tree, &sample, &measure, rules, diag);
	if (status)
		tp_tree_release(tree);
	tp_tree_measure_release(&measure);
	tp_tree_sample_release(&sample);
	return status;
}

static bool answers_yes(const struct tp_dataset *data, const struct tp_tree_node *node, size_t row)
{
	double value = data->features[node->feature][row];
	bool categorical = data->n_categories && data->n_categories[node->feature];

	return categorical ? value == node->threshold : value <= node->threshold;
}

size_t tp_tree_leaf(const struct tp_tree *tree, const struct tp_dataset *data, size_t row)
{
	size_t at = 0;

	while (!tree->nodes[at].leaf) {
		const struct tp_tree_node *node = &tree->nodes[at];

		at = answers_yes(data, node, row) ? node->yes : node->no;
	}
	return at;
}

size_t tp_tree_leaf_swapped(const struct tp_tree *tree, const struct tp_dataset *data, size_t row,
			    unsigned feature, size_t other)
{
	size_t at = 0;

	while (!tree->nodes[at].leaf) {
		const struct tp_tree_node *node = &tree->nodes[at];
		bool yes = answers_yes(data, node, node->feature == feature ? other : row);

		at = yes ? node->yes : node->no;
	}
	return at;
}

/* Nodes that no question leads to any more leave; the others keep their order. */
static void close_ranks(struct tp_tree *tree, size_t *places)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n; i++)
		places[i] = SIZE_MAX;
	places[0] = 0;
	tree->n_leaves = 0;
	for (size_t i = 0; i < tree->n; i++) {
		struct tp_tree_node *node = &tree->nodes[i];

		if (places[i] == SIZE_MAX)
			continue;
		tree->n_leaves += node->leaf;
		if (!node->leaf)
			places[node->yes] = places[node->no] = 0; /* reached; set in their turn */
		for (unsigned label = 0; label < tree->n_labels; label++)
			tree->counts[n * tree->n_labels + label] =
				tree->counts[i * tree->n_labels + label];
		places[i] = n;
		tree->nodes[n++] = *node;
	}
	tree->n = n;
	for (size_t i = 0; i < n; i++) {
		if (tree->nodes[i].leaf)
			continue;
		tree->nodes[i].yes = places[tree->nodes[i].yes];
		tree->nodes[i].no = places[tree->nodes[i].no];
	}
}

/*
 * The smallest tree with the lowest impurity + alpha * leaves (Breiman et al., theorem 3.10): from
 * the leaves on, a branch becomes a leaf if what it saves is not more than alpha for each leaf.
 */
enum tp_status tp_tree_prune(struct tp_tree *tree, double alpha, struct tp_diag *diag)
{
	if (!(alpha > 0))
		return TP_OK;
	double total = tree->nodes[0].rows;
	double *risks = malloc(tree->n * sizeof(*risks)); /* of branches */
	size_t *leaves = malloc(tree->n * sizeof(*leaves));
	enum tp_status status = risks && leaves ? TP_OK : tp_tree_no_memory(diag);

	for (size_t i = tree->n; !status && i-- > 0;) {
		struct tp_tree_node *node = &tree->nodes[i];
		double risk = total > 0 ? node->rows / total * node->impurity : 0;

		risks[i] = risk;
		leaves[i] = 1;
		if (node->leaf)
			continue;
		risks[i] = risks[node->yes] + risks[node->no];
		leaves[i] = leaves[node->yes] + leaves[node->no];
		if ((risk - risks[i]) / (double)(leaves[i] - 1) > alpha)
			continue;
		node->leaf = true;
		node->feature = 0;
		node->threshold = 0;
		node->yes = node->no = 0;
		risks[i] = risk;
		leaves[i] = 1;
	}
	if (!status)
		close_ranks(tree, leaves);
	free(risks);
	free(leaves);
	return status;
}

void tp_tree_release(struct tp_tree *tree)
{
	free(tree->nodes);
	free(tree->counts);
	free(tree->importance);
	*tree = (struct tp_tree){ 0 };
}

/* Of one label: how many rows are held out, and the fraction of a row that it would get besides. */
struct share {
	unsigned label;
	size_t held;
	double fraction;
};

static int by_fraction(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->fraction != y->fraction)
		return x->fraction > y->fraction ? -1 : 1;
	return x->label < y->label ? -1 : 1;
}

/* In proportion; what is left over goes to the largest fractions. */
static void share_out(struct share *shares, const size_t *counts, unsigned n_labels, size_t n_rows,
		      size_t n_test)
{
	size_t left = n_test;

	for (unsigned label = 0; label < n_labels; label++) {
		size_t wanted = counts[label] * n_test; /* in parts of n_rows */

		shares[label] = (struct share){ label, wanted / n_rows, (double)(wanted % n_rows) };
		left -= shares[label].held;
	}
	qsort(shares, n_labels, sizeof(*shares), by_fraction);
	for (size_t i = 0; i < left; i++)
		shares[i].held++;
}

enum tp_status tp_split_rows(const unsigned *labels, unsigned n_labels, size_t n_rows,
			     double test_share, uint64_t seed, uint32_t *rows, size_t *n_test,
			     struct tp_diag *diag)
{
	size_t *counts = calloc(TP_MAX(n_labels, 1), sizeof(*counts));
	struct share *shares = calloc(TP_MAX(n_labels, 1), sizeof(*shares));
	uint32_t *shuffled = malloc(TP_MAX(n_rows, 1) * sizeof(*shuffled));
	enum tp_status status = counts && shares && shuffled ? TP_OK : tp_tree_no_memory(diag);

	*n_test = 0;
	if (status || !n_rows)
		goto done;
	double wanted = round(TP_MIN(TP_MAX(test_share, 0), 1) * (double)n_rows);
	*n_test = TP_MIN((size_t)wanted, n_rows - 1);
	for (size_t i = 0; i < n_rows; i++) {
		shuffled[i] = (uint32_t)i;
		counts[labels[i]]++;
	}
	tp_shuffle(shuffled, n_rows, sizeof(*shuffled), seed);
	share_out(shares, counts, n_labels, n_rows, *n_test);
	for (unsigned i = 0; i < n_labels; i++)
		counts[shares[i].label] -= shares[i].held; /* what is learned from */
	size_t learned = 0, tested = n_rows - *n_test;

	for (size_t i = 0; i < n_rows; i++) {
		size_t *still = &counts[labels[shuffled[i]]];

		if (*still) {
			rows[learned++] = shuffled[i];
			--*still;
		} else {
			rows[tested++] = shuffled[i];
		}
	}
done:
	free(counts);
	free(shares);
	free(shuffled);
	return status;
}
