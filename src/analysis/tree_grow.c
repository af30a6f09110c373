/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing a tree: the open node whose turn it is asks its question, and its rows are parted. */
#include "analysis/tree_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/vec.h"

/* Of a tree with many labels, the counts of its nodes are what takes memory. */
enum { COUNTS_MAX = 1 << 27 };

/* A leaf that has a question, and its rows in the lists. */
struct open_node {
	size_t node, begin, end;
	struct tp_tree_question question;
};

struct grower {
	struct tp_tree *tree;
	struct tp_tree_sample *sample;
	struct tp_tree_rules rules; /* with no zeros that mean something else */
	struct tp_tree_search search;
	struct open_node *open; /* a heap of the best ones if leaves are limited, else a stack */
	size_t n_open, open_cap, nodes_cap, counts_cap;
	uint8_t *yes; /* of each row of the data: its answer to the question at hand */
	struct tp_tree_entry *no; /* scratch for parting */
	struct tp_diag *diag;
};

static enum tp_status add_node(struct grower *g, unsigned depth, size_t *added)
{
	struct tp_tree *tree = g->tree;

	if ((tree->n + 1) * tree->n_labels > COUNTS_MAX)
		return tp_fail(g->diag, TP_RESOURCE, NULL, "limit the depth, or use fewer labels",
			       "%zu nodes of a tree with %u labels are too many", tree->n + 1,
			       tree->n_labels);
	if (tp_vec_reserve((void **)&tree->nodes, &g->nodes_cap, tree->n + 1,
			   sizeof(*tree->nodes)) ||
	    tp_vec_reserve((void **)&tree->counts, &g->counts_cap,
			   TP_MAX((tree->n + 1) * tree->n_labels, 1), sizeof(*tree->counts)))
		return tp_tree_no_memory(g->diag);
	tree->nodes[tree->n] = (struct tp_tree_node){ .depth = depth, .leaf = true };
	memset(&tree->counts[tree->n * tree->n_labels], 0, tree->n_labels * sizeof(*tree->counts));
	*added = tree->n++;
	return TP_OK;
}

static double *counts_of(const struct grower *g, size_t node)
{
	return &g->tree->counts[node * g->tree->n_labels];
}

static void sum_up(struct grower *g, size_t at)
{
	struct tp_tree_node *node = &g->tree->nodes[at];
	const double *counts = counts_of(g, at);

	for (unsigned label = 0; label < g->tree->n_labels; label++) {
		node->rows += counts[label];
		if (counts[label] > counts[node->label])
			node->label = label;
	}
	node->impurity =
		tp_tree_impurity(g->rules.criterion, counts, g->tree->n_labels, node->rows);
}

static bool must_be_leaf(const struct grower *g, size_t at)
{
	const struct tp_tree_node *node = &g->tree->nodes[at];

	return node->depth >= g->rules.max_depth || node->rows < (double)g->rules.min_split ||
	       node->rows < 2 * (double)g->rules.min_leaf ||
	       node->rows <= counts_of(g, at)[node->label];
}

/* Larger gains first; among equal ones the older node. */
static bool comes_before(const struct open_node *a, const struct open_node *b)
{
	if (a->question.gain != b->question.gain)
		return a->question.gain > b->question.gain;
	return a->node < b->node;
}

/* An open node goes up or down the heap to its place. */
static void settle(struct grower *g, size_t at)
{
	struct open_node *open = g->open, moved = open[at];

	while (at && comes_before(&moved, &open[(at - 1) / 2])) {
		open[at] = open[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	for (size_t child = 2 * at + 1; child < g->n_open; child = 2 * at + 1) {
		if (child + 1 < g->n_open && comes_before(&open[child + 1], &open[child]))
			child++;
		if (!comes_before(&open[child], &moved))
			break;
		open[at] = open[child];
		at = child;
	}
	open[at] = moved;
}

/* Looks for the question of a new node. Without one it stays a leaf. */
static enum tp_status open_node(struct grower *g, size_t node, size_t begin, size_t end)
{
	struct open_node opened = { .node = node, .begin = begin, .end = end };

	if (must_be_leaf(g, node))
		return TP_OK;
	opened.question = tp_tree_ask(&g->search, begin, end, counts_of(g, node));
	if (tp_stop_asked)
		return tp_tree_cancelled(g->diag);
	if (!opened.question.found)
		return TP_OK;
	if (tp_vec_reserve((void **)&g->open, &g->open_cap, g->n_open + 1, sizeof(*g->open)))
		return tp_tree_no_memory(g->diag);
	g->open[g->n_open++] = opened;
	if (g->rules.max_leaves)
		settle(g, g->n_open - 1);
	return TP_OK;
}

static struct open_node take_open(struct grower *g)
{
	struct open_node taken = g->open[--g->n_open];

	if (g->rules.max_leaves && g->n_open) {
		struct open_node last = taken;

		taken = g->open[0];
		g->open[0] = last;
		settle(g, 0);
	}
	return taken;
}

/* In every list, the rows that answer yes come first, and the order stays otherwise. */
static void part_lists(struct grower *g, const struct open_node *open)
{
	const struct tp_tree_question *question = &open->question;
	size_t n = g->sample->n;
	const struct tp_tree_entry *asked = g->sample->entries + question->feature * n;

	for (size_t i = open->begin; i < open->end; i++)
		g->yes[asked[i].row] = i >= question->begin && i < question->end;
	for (size_t f = 0; f < g->sample->data->n_features && !tp_stop_asked; f++) {
		struct tp_tree_entry *list = g->sample->entries + f * n;
		size_t n_yes = open->begin, n_no = 0;

		/* What is the same for all rows is asked no more, whatever their order. */
		if (list[open->begin].code == list[open->end - 1].code)
			continue;
		for (size_t i = open->begin; i < open->end; i++) {
			struct tp_tree_entry entry = list[i];
			uint8_t yes = g->yes[entry.row];

			list[n_yes] = entry;
			g->no[n_no] = entry;
			n_yes += yes;
			n_no += !yes;
		}
		memcpy(&list[n_yes], g->no, n_no * sizeof(*list));
	}
}

static enum tp_status split(struct grower *g, const struct open_node *open)
{
	const struct tp_tree_question *question = &open->question;
	const struct tp_tree_sample *sample = g->sample;
	const struct tp_tree_entry *asked = sample->entries + question->feature * sample->n;
	unsigned depth = g->tree->nodes[open->node].depth + 1;
	size_t middle = open->begin + question->end - question->begin;
	size_t yes = 0, no = 0;
	enum tp_status status = add_node(g, depth, &yes);

	if (!status)
		status = add_node(g, depth, &no);
	if (status)
		return status;
	struct tp_tree_node *node = &g->tree->nodes[open->node];
	double *all = counts_of(g, open->node), *of_yes = counts_of(g, yes),
	       *of_no = counts_of(g, no);

	node->leaf = false;
	node->feature = question->feature;
	node->threshold = question->threshold;
	node->yes = yes;
	node->no = no;
	g->tree->n_leaves++;
	for (size_t i = question->begin; i < question->end; i++) {
		struct tp_tree_row row = sample->rows[asked[i].row];

		of_yes[row.label] += row.weight;
	}
	for (unsigned label = 0; label < g->tree->n_labels; label++)
		of_no[label] = all[label] - of_yes[label];
	sum_up(g, yes);
	sum_up(g, no);
	if (must_be_leaf(g, yes) && must_be_leaf(g, no))
		return TP_OK;
	part_lists(g, open);
	status = open_node(g, yes, open->begin, middle);
	return status ? status : open_node(g, no, middle, open->end);
}

static enum tp_status make_root(struct grower *g)
{
	const struct tp_tree_sample *sample = g->sample;
	size_t root = 0;
	enum tp_status status = add_node(g, 0, &root);

	if (status)
		return status;
	double *counts = counts_of(g, root);

	for (size_t row = 0; row < sample->data->n_rows; row++)
		if (sample->rows[row].weight)
			counts[sample->rows[row].label] += sample->rows[row].weight;
	if (sample->total)
		sum_up(g, root);
	g->tree->n_leaves = 1;
	return sample->total ? open_node(g, root, 0, sample->n) : TP_OK;
}

static void weigh_features(struct tp_tree *tree, size_t n_features)
{
	double sum = 0;

	for (size_t i = 0; i < tree->n; i++) {
		const struct tp_tree_node *node = &tree->nodes[i];

		tree->depth = TP_MAX(tree->depth, node->depth);
		if (node->leaf)
			continue;
		const struct tp_tree_node *yes = &tree->nodes[node->yes],
					  *no = &tree->nodes[node->no];
		tree->importance[node->feature] += node->rows * node->impurity -
						   yes->rows * yes->impurity -
						   no->rows * no->impurity;
	}
	for (size_t f = 0; f < n_features; f++)
		sum += tree->importance[f];
	for (size_t f = 0; f < n_features; f++)
		tree->importance[f] = sum > 0 ? tree->importance[f] / sum : 0;
}

static enum tp_status prepare(struct grower *g, const struct tp_tree_measure *measure)
{
	size_t n_features = g->sample->data->n_features;
	size_t n_labels = TP_MAX(g->sample->n_labels, 1);
	struct tp_tree_search *search = &g->search;

	search->sample = g->sample;
	search->measure = measure;
	search->min_leaf = g->rules.min_leaf;
	search->tried_features = g->rules.tried_features;
	search->draw.random = g->rules.seed;
	search->draw.order = malloc(TP_MAX(n_features, 1) * sizeof(*search->draw.order));
	search->left = malloc(n_labels * sizeof(*search->left));
	search->right = malloc(n_labels * sizeof(*search->right));
	g->yes = malloc(TP_MAX(g->sample->data->n_rows, 1));
	g->no = malloc(TP_MAX(g->sample->n, 1) * sizeof(*g->no));
	g->tree->importance = calloc(TP_MAX(n_features, 1), sizeof(*g->tree->importance));
	g->tree->n_labels = g->sample->n_labels;
	if (!search->draw.order || !search->left || !search->right || !g->yes || !g->no ||
	    !g->tree->importance)
		return tp_tree_no_memory(g->diag);
	for (unsigned f = 0; f < n_features; f++)
		search->draw.order[f] = f;
	return TP_OK;
}

static struct tp_tree_rules without_defaults(const struct tp_tree_rules *rules, size_t n_features)
{
	struct tp_tree_rules full = *rules;

	full.max_depth = rules->max_depth ? rules->max_depth : UINT32_MAX;
	full.min_split = TP_MAX(rules->min_split, 2);
	full.min_leaf = TP_MAX(rules->min_leaf, 1);
	if (!full.tried_features || full.tried_features > n_features)
		full.tried_features = (unsigned)n_features;
	return full;
}

enum tp_status tp_tree_grow(struct tp_tree *tree, struct tp_tree_sample *sample,
			    const struct tp_tree_measure *measure,
			    const struct tp_tree_rules *rules, struct tp_diag *diag)
{
	struct grower g = { .tree = tree, .sample = sample, .diag = diag };

	g.rules = without_defaults(rules, sample->data->n_features);
	enum tp_status status = prepare(&g, measure);

	if (!status)
		status = make_root(&g);
	while (!status && g.n_open && (!rules->max_leaves || tree->n_leaves < rules->max_leaves)) {
		struct open_node open = take_open(&g);

		status = split(&g, &open);
	}
	if (!status)
		status = tp_tree_prune(tree, rules->prune_alpha, diag);
	if (!status)
		weigh_features(tree, sample->data->n_features);
	free(g.search.draw.order);
	free(g.search.left);
	free(g.search.right);
	free(g.open);
	free(g.yes);
	free(g.no);
	return status;
}
