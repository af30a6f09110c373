/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/learn_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/forest.h"
#include "analysis/kmeans.h"
#include "analysis/linear.h"
#include "base/memory.h"

enum { FEATURES_MAX = 128, LINE_MAX_BYTES = 8192, FORESTS = 10 };

struct set {
	size_t n, n_features, n_learned;
	double *values[FEATURES_MAX];
	unsigned *labels, n_labels;
	uint32_t *rows; /* those that are learned from, then those held out */
	struct tp_dataset data;
};

struct reference_node {
	int feature; /* -1: leaf */
	double threshold;
	size_t yes, no;
	double rows, impurity;
};

struct comparison {
	const struct set *set;
	const struct tp_tree *tree;
	const struct reference_node *nodes;
	enum tp_criterion criterion;
	struct learn_result *result;
	bool same;
	size_t n_tied;
	size_t n_untaken; /* nodes that are a leaf in one of the trees alone */
};

static bool complain(struct learn_result *result, const char *what)
{
	if (!result->wrong[0])
		snprintf(result->wrong, sizeof(result->wrong), "%.*s",
			 (int)TP_MIN(strcspn(what, "\n"), sizeof(result->wrong) - 1), what);
	return false;
}

/* --- data --- */

static bool read_row(struct set *set, const char *line, bool *held)
{
	char *end = NULL;

	for (size_t f = 0; f < set->n_features + 2; f++, line = end + 1) {
		double value = strtod(line, &end);

		if (end == line || *end != (f == set->n_features + 1 ? '\n' : ','))
			return false;
		if (f < set->n_features)
			set->values[f][set->n] = (float)value; /* as scikit-learn's trees do */
		else if (f == set->n_features)
			set->labels[set->n] = (unsigned)value;
		else
			*held = value > 0;
	}
	set->n_labels = TP_MAX(set->n_labels, set->labels[set->n] + 1);
	return true;
}

static bool read_set(struct set *set, FILE *file)
{
	char line[LINE_MAX_BYTES];
	size_t n_lines = 0, n_held = 0;
	bool held = false, good = true;

	while (fgets(line, sizeof(line), file)) {
		for (const char *c = line; !n_lines && *c; c++)
			set->n_features += *c == ',';
		n_lines++;
	}
	rewind(file);
	if (n_lines < 3 || set->n_features < 3 || set->n_features - 1 > FEATURES_MAX ||
	    !fgets(line, sizeof(line), file))
		return false;
	set->n_features--; /* three columns have two commas; one is a feature */
	for (size_t f = 0; f < set->n_features; f++)
		set->values[f] = malloc(n_lines * sizeof(double));
	set->labels = malloc(n_lines * sizeof(*set->labels));
	set->rows = malloc(n_lines * sizeof(*set->rows));
	uint32_t *tested = malloc(n_lines * sizeof(*tested));

	while (good && fgets(line, sizeof(line), file)) {
		good = read_row(set, line, &held);
		if (held)
			tested[n_held++] = (uint32_t)set->n;
		else
			set->rows[set->n_learned++] = (uint32_t)set->n;
		set->n++;
	}
	memcpy(&set->rows[set->n_learned], tested, n_held * sizeof(*tested));
	free(tested);
	set->data = (struct tp_dataset){ set->n, set->n_features,
					 (const double *const *)set->values, NULL };
	return good;
}

static void release_set(struct set *set)
{
	for (size_t f = 0; f < FEATURES_MAX; f++)
		free(set->values[f]);
	free(set->labels);
	free(set->rows);
}

/* --- trees --- */

/* Parts the rows: those with value <= threshold first. Returns how many they are. */
static size_t part(const struct set *set, uint32_t *rows, size_t n, unsigned feature,
		   double threshold)
{
	uint32_t *no = malloc((n + 1) * sizeof(*no));
	size_t n_yes = 0, n_no = 0;

	for (size_t i = 0; i < n; i++) {
		if (set->values[feature][rows[i]] <= threshold)
			rows[n_yes++] = rows[i];
		else
			no[n_no++] = rows[i];
	}
	memcpy(&rows[n_yes], no, n_no * sizeof(*no));
	free(no);
	return n_yes;
}

static double impurity_of(const struct set *set, const uint32_t *rows, size_t n,
			  enum tp_criterion criterion)
{
	double *counts = calloc(set->n_labels, sizeof(*counts)), impurity = criterion == TP_GINI;

	for (size_t i = 0; i < n; i++)
		counts[set->labels[rows[i]]]++;
	for (unsigned label = 0; label < set->n_labels; label++) {
		double share = counts[label] / (double)n;

		if (criterion == TP_GINI)
			impurity -= share * share;
		else if (share > 0)
			impurity -= share * log2(share);
	}
	free(counts);
	return impurity;
}

/* Impurity times rows that a question leaves. `rows` are parted by it. */
static double left_by(const struct comparison *c, uint32_t *rows, size_t n, unsigned feature,
		      double threshold, size_t *n_yes)
{
	size_t yes = *n_yes = part(c->set, rows, n, feature, threshold);

	if (!yes || yes == n)
		return INFINITY;
	return (double)yes * impurity_of(c->set, rows, yes, c->criterion) +
	       (double)(n - yes) * impurity_of(c->set, rows + yes, n - yes, c->criterion);
}

static size_t nodes_below(const struct comparison *c, size_t at)
{
	const struct reference_node *node = &c->nodes[at];

	return node->feature < 0 ? 0 : 2 + nodes_below(c, node->yes) + nodes_below(c, node->no);
}

static void give_up(struct comparison *c, size_t theirs, bool tied)
{
	c->same = false;
	c->n_tied += tied;
	c->result->nodes_tied += tied;
	c->result->nodes_wrong += !tied;
	c->result->nodes_unseen += nodes_below(c, theirs);
}

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

/* Both nodes have these rows. */
static void compare_nodes(struct comparison *c, size_t ours, size_t theirs, uint32_t *rows,
			  size_t n)
{
	const struct tp_tree_node *our = &c->tree->nodes[ours];
	const struct reference_node *their = &c->nodes[theirs];
	double impurity = impurity_of(c->set, rows, n, c->criterion);
	size_t our_yes = 0, their_yes = 0;

	if (!is_near(our->impurity, impurity, 1e-12) ||
	    !is_near(their->impurity, impurity, 1e-12) || our->rows < (double)n ||
	    our->rows > (double)n) {
		give_up(c, theirs, false);
		return;
	}
	if (our->leaf != (their->feature < 0)) {
		c->same = false;
		c->n_untaken++;
		c->result->nodes_unseen += nodes_below(c, theirs);
		return;
	}
	if (our->leaf) {
		c->result->nodes_same++;
		return;
	}
	double they_leave =
		left_by(c, rows, n, (unsigned)their->feature, their->threshold, &their_yes);
	uint32_t *their_rows = malloc((n + 1) * sizeof(*rows));

	memcpy(their_rows, rows, n * sizeof(*rows));
	double we_leave = left_by(c, rows, n, our->feature, our->threshold, &our_yes);
	bool same = our->feature == (unsigned)their->feature &&
		    is_near(our->threshold, their->threshold, 1e-12);
	/* The rows of one side, however it answers, are those of one side of the other question. */
	bool alike = true, opposite = true;

	for (size_t i = 0; i < n; i++) {
		bool says = c->set->values[our->feature][their_rows[i]] <= our->threshold;

		alike &= says == (i < their_yes);
		opposite &= says != (i < their_yes);
	}
	free(their_rows);
	if (!alike && !opposite) {
		give_up(c, theirs, is_near(we_leave / (double)n, they_leave / (double)n, 1e-13));
		return;
	}
	c->result->nodes_same += same;
	c->result->nodes_other += !same;
	c->same &= same;
	compare_nodes(c, our->yes, alike ? their->yes : their->no, rows, our_yes);
	compare_nodes(c, our->no, alike ? their->no : their->yes, rows + our_yes, n - our_yes);
}

static double accuracy_of(const struct set *set, const struct tp_tree *tree)
{
	size_t n_right = 0;

	for (size_t i = set->n_learned; i < set->n; i++) {
		size_t leaf = tp_tree_leaf(tree, &set->data, set->rows[i]);

		n_right += tree->nodes[leaf].label == set->labels[set->rows[i]];
	}
	return (double)n_right / (double)(set->n - set->n_learned);
}

static enum tp_criterion criterion_of(const char *word)
{
	return strcmp(word, "gini") == 0 ? TP_GINI : TP_ENTROPY;
}

static bool learn_tree(const struct set *set, struct tp_tree *tree, struct tp_tree_rules rules,
		       struct learn_result *result)
{
	struct tp_diag diag = { 0 };

	return tp_tree_learn(tree, &set->data, set->labels, set->n_labels, set->rows,
			     set->n_learned, &rules, &diag) == TP_OK ||
	       complain(result, diag.what);
}

static bool compare_tree(const struct set *set, const char *line, FILE *file,
			 struct learn_result *result)
{
	char word[16], text[LINE_MAX_BYTES];
	struct tp_tree_rules rules = { 0 };
	struct tp_tree tree = { 0 };
	size_t n_nodes = 0, n_wrong = result->nodes_wrong;
	double accuracy = 0, least = 0, most = 0;

	if (sscanf(line, "tree %15s %u %zu %zu %lf %lf %lf", word, &rules.max_depth,
		   &rules.max_leaves, &n_nodes, &accuracy, &least, &most) != 7)
		return complain(result, line);
	struct reference_node *nodes = calloc(n_nodes, sizeof(*nodes));
	uint32_t *rows = malloc((set->n_learned + 1) * sizeof(*rows));
	bool good = nodes && rows;

	for (size_t i = 0; good && i < n_nodes; i++)
		good = fgets(text, sizeof(text), file) &&
		       sscanf(text, "%d %lf %zu %zu %lf %lf", &nodes[i].feature,
			      &nodes[i].threshold, &nodes[i].yes, &nodes[i].no, &nodes[i].rows,
			      &nodes[i].impurity) == 6;
	rules.criterion = criterion_of(word);
	good = good ? learn_tree(set, &tree, rules, result) : complain(result, line);
	if (good) {
		struct comparison c = { .set = set,
					.tree = &tree,
					.nodes = nodes,
					.criterion = rules.criterion,
					.result = result,
					.same = true };
		double our = accuracy_of(set, &tree);
		bool equal = is_near(our, accuracy, 1e-12);

		memcpy(rows, set->rows, set->n_learned * sizeof(*rows));
		compare_nodes(&c, 0, 0, rows, set->n_learned);
		/* With a limit of leaves, what follows a tie takes leaves from elsewhere. */
		if (rules.max_leaves && c.n_tied)
			result->nodes_tied += c.n_untaken;
		else
			result->nodes_wrong += c.n_untaken;
		result->trees++;
		result->trees_same += c.same;
		result->accuracy_equal += equal;
		/* Only ties excuse another accuracy. */
		bool within = !equal && !c.same && our > least - 1e-12 && our < most + 1e-12;

		result->accuracy_within += within;
		result->accuracy_wrong += !equal && !within;
		if ((!equal && !within) || result->nodes_wrong > n_wrong)
			complain(result, line);
	}
	tp_tree_release(&tree);
	free(nodes);
	free(rows);
	return good;
}

static bool compare_pruned(const struct set *set, const char *line, struct learn_result *result)
{
	char word[16];
	struct tp_tree_rules rules = { 0 };
	struct tp_tree tree = { 0 };
	size_t leaves = 0, least = 0, most = 0;

	if (sscanf(line, "prune %15s %lf %zu %zu %zu", word, &rules.prune_alpha, &leaves, &least,
		   &most) != 5)
		return complain(result, line);
	rules.criterion = criterion_of(word);
	if (!learn_tree(set, &tree, rules, result))
		return false;
	result->prunes++;
	if (tree.n_leaves == leaves)
		result->prunes_equal++;
	else if (tree.n_leaves >= least && tree.n_leaves <= most)
		result->prunes_within++;
	else
		complain(result, line);
	tp_tree_release(&tree);
	return true;
}

/* --- the others --- */

/* Reads `n` numbers. */
static bool read_numbers(const char *line, double *numbers, size_t n)
{
	char *end = NULL;

	for (size_t i = 0; i < n; i++, line = end) {
		numbers[i] = strtod(line, &end);
		if (end == line)
			return false;
	}
	return true;
}

static bool compare_forest(const struct set *set, const char *line, struct learn_result *result)
{
	unsigned n_trees = 0;
	size_t n = 0;
	int at = 0;
	double expected[2 * FEATURES_MAX], sums[FEATURES_MAX] = { 0 };

	if (sscanf(line, "forest %u %lf %zu%n", &n_trees, &result->accuracy_forest_reference, &n,
		   &at) != 3 ||
	    n != set->n_features || !read_numbers(line + at, expected, 2 * n))
		return complain(result, line);
	for (unsigned seed = 1; seed <= FORESTS; seed++) {
		struct tp_forest forest = { 0 };
		struct tp_diag diag = { 0 };
		struct tp_forest_rules rules = { .n_trees = n_trees, .seed = seed, .repeats = 1 };

		if (tp_forest_learn(&forest, &set->data, set->labels, set->n_labels, set->rows,
				    set->n - set->n_learned, &rules, &diag))
			return complain(result, diag.what);
		for (size_t f = 0; f < n; f++) {
			double mdi = forest.impurity_importance[f];

			sums[f] += mdi;
			if (seed == 1)
				result->mdi_one = fmax(result->mdi_one, fabs(mdi - expected[f]));
		}
		result->accuracy_forest += forest.accuracy / FORESTS;
		tp_forest_release(&forest);
	}
	for (size_t f = 0; f < n; f++) {
		result->mdi_mean = fmax(result->mdi_mean, fabs(sums[f] / FORESTS - expected[f]));
		result->mdi_deviation = fmax(result->mdi_deviation, expected[n + f]);
	}
	return true;
}

static bool compare_kmeans(const struct set *set, const char *line, struct learn_result *result)
{
	struct tp_kmeans kmeans = { 0 };
	struct tp_diag diag = { 0 };
	unsigned k = 0;
	double inertia = 0;

	if (sscanf(line, "kmeans %u %lf", &k, &inertia) != 2)
		return complain(result, line);
	if (tp_kmeans_learn(&kmeans, &set->data, k, 10, 1, &diag))
		return complain(result, diag.what);
	result->inertia = fmax(result->inertia, kmeans.inertia / inertia - 1);
	tp_kmeans_release(&kmeans);
	return true;
}

static bool compare_linear(const struct set *set, const char *line, struct learn_result *result)
{
	struct tp_dataset data = { set->n, set->n_features - 1, set->data.features, NULL };
	struct tp_linear fit = { 0 };
	struct tp_diag diag = { 0 };
	double expected[FEATURES_MAX], r2 = 0;
	size_t rank = 0, n = 0;
	int at = 0;

	if (sscanf(line, "linear %zu %lf %zu%n", &rank, &r2, &n, &at) != 3 ||
	    n != data.n_features || !read_numbers(line + at, expected, n + 1))
		return complain(result, line);
	if (tp_linear_fit(&fit, &data, set->values[n], 0.95, &diag))
		return complain(result, diag.what);
	for (size_t i = 0; i <= n; i++) {
		double size = fmax(1, fabs(expected[i]));

		/* Of those that the data do not determine, scikit-learn gives others. */
		if (isnan(fit.low[i]))
			continue;
		result->n_coefficients++;
		result->coefficient =
			fmax(result->coefficient, fabs(fit.coefficients[i] - expected[i]) / size);
	}
	result->r2 = fabs(fit.r2 - r2);
	result->n_undetermined = n + 1 - result->n_coefficients;
	result->rank_equal = fit.rank == rank + 1;
	tp_linear_release(&fit);
	return true;
}

static bool compare_line(const struct set *set, const char *line, FILE *file,
			 struct learn_result *result)
{
	if (*line == '#')
		return true;
	if (strncmp(line, "tree ", 5) == 0)
		return compare_tree(set, line, file, result);
	if (strncmp(line, "prune ", 6) == 0)
		return compare_pruned(set, line, result);
	if (strncmp(line, "forest ", 7) == 0)
		return compare_forest(set, line, result);
	if (strncmp(line, "kmeans ", 7) == 0)
		return compare_kmeans(set, line, result);
	if (strncmp(line, "linear ", 7) == 0)
		return compare_linear(set, line, result);
	return complain(result, line);
}

bool learn_compare(const char *csv, const char *reference, struct learn_result *result)
{
	struct set set = { 0 };
	char line[LINE_MAX_BYTES];

	*result = (struct learn_result){ 0 };
	FILE *file = fopen(csv, "r");
	bool good = file && read_set(&set, file);

	if (!good)
		complain(result, csv);
	if (file)
		fclose(file);
	file = fopen(reference, "r");
	if (!file)
		good = complain(result, reference);
	while (good && fgets(line, sizeof(line), file))
		good = compare_line(&set, line, file, result);
	if (file)
		fclose(file);
	result->n_rows = set.n;
	result->n_features = set.n_features;
	release_set(&set);
	return good;
}
