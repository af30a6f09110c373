/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learns what the job asks for, and scores it. */
#include "mining/mining_parts.h"

#include <stdlib.h>

/* More rows make the importances of a forest hardly surer, and take minutes. */
enum { FOREST_ROWS_MAX = 20000, FOREST_TESTS_MAX = 5000 };

static enum tp_status score_rows(struct tp_mining *mining, const uint32_t *rows, size_t n,
				 struct tp_mine_score *score, struct tp_diag *diag)
{
	unsigned k = mining->n_labels, most = 0;
	size_t *learned = tp_mining_alloc(mining, k, sizeof(*learned)), as_most = 0;
	score->confusion = tp_mining_alloc(mining, (size_t)k * k, sizeof(*score->confusion));
	if (!learned || !score->confusion)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < mining->n_rows - mining->n_test; i++)
		learned[mining->labels[mining->split[i]]]++;
	for (unsigned i = 0; i < k; i++)
		most = learned[i] > learned[most] ? i : most;
	for (size_t i = 0; i < n; i++) {
		unsigned label = mining->labels[rows[i]];
		size_t leaf = tp_tree_leaf(&mining->tree, &mining->data, rows[i]);
		unsigned said = mining->tree.nodes[leaf].label;
		score->confusion[(size_t)label * k + said]++;
		score->right += label == said;
		as_most += label == most;
	}
	score->n = n;
	score->accuracy = n ? (double)score->right / (double)n : NAN;
	score->baseline = n ? (double)as_most / (double)n : NAN;
	return TP_OK;
}

static enum tp_status learn_tree(struct tp_mining *mining, struct tp_diag *diag)
{
	size_t n = mining->n_rows - mining->n_test;
	enum tp_status status =
		tp_tree_learn(&mining->tree, &mining->data, mining->labels, mining->n_labels,
			      mining->split, n, &mining->job.rules, diag);
	if (status != TP_OK)
		return status;
	mining->has_tree = true;
	status = score_rows(mining, mining->split + n, mining->n_test, &mining->test, diag);
	if (status == TP_OK)
		status = score_rows(mining, mining->split, mining->n_rows, &mining->all, diag);
	return status == TP_OK ? tp_mining_explain(mining, diag) : status;
}

/* --- forest --- */

/* A data set of some of the rows: its row i is row rows[i] of the whole. */
static bool gather(struct tp_mining *mining, const uint32_t *rows, size_t n,
		   struct tp_dataset *data, unsigned **labels)
{
	const double **features = tp_mining_alloc(mining, mining->n_features, sizeof(*features));
	*labels = tp_mining_alloc(mining, n, sizeof(**labels));
	for (size_t f = 0; features && *labels && f < mining->n_features; f++) {
		double *values = tp_mining_alloc(mining, n, sizeof(*values));
		for (size_t i = 0; values && i < n; i++)
			values[i] = mining->features[f].values[rows[i]];
		features[f] = values;
		if (!values)
			return false;
	}
	for (size_t i = 0; *labels && i < n; i++)
		(*labels)[i] = mining->labels[rows[i]];
	*data = (struct tp_dataset){ n, mining->n_features, features, mining->data.n_categories };
	return features && *labels;
}

/* The split is shuffled, so its first rows are drawn by the seed. */
static enum tp_status learn_from_some(struct tp_mining *mining, const struct tp_forest_rules *rules,
				      struct tp_diag *diag)
{
	size_t learned = mining->n_rows - mining->n_test, n_test = mining->n_test;
	size_t few = learned < FOREST_ROWS_MAX ? learned : FOREST_ROWS_MAX;
	size_t few_tests = n_test < FOREST_TESTS_MAX ? n_test : FOREST_TESTS_MAX;
	uint32_t *rows = tp_mining_alloc(mining, few + few_tests, sizeof(*rows));
	struct tp_dataset data;
	unsigned *labels;
	if (!rows)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < few; i++)
		rows[i] = mining->split[i];
	for (size_t i = 0; i < few_tests; i++)
		rows[few + i] = mining->split[learned + i];
	if (!gather(mining, rows, few + few_tests, &data, &labels))
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < few + few_tests; i++)
		rows[i] = (uint32_t)i;
	tp_mining_note(
		mining, "forest",
		"learns from %zu of %zu rows and is tested on %zu of the others, drawn at random",
		few, learned, few_tests);
	return tp_forest_learn(&mining->forest, &data, labels, mining->n_labels, rows, few_tests,
			       rules, diag);
}

static enum tp_status learn_forest(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const struct tp_forest_rules rules = {
		.n_trees = job->n_trees,
		.tree = { .criterion = job->rules.criterion, .min_leaf = job->rules.min_leaf },
		.seed = job->seed,
	};
	bool many = mining->n_rows - mining->n_test > FOREST_ROWS_MAX ||
		    mining->n_test > FOREST_TESTS_MAX;
	enum tp_status status = many ? learn_from_some(mining, &rules, diag)
				     : tp_forest_learn(&mining->forest, &mining->data,
						       mining->labels, mining->n_labels,
						       mining->split, mining->n_test, &rules, diag);
	mining->has_forest = status == TP_OK;
	return status;
}

static enum tp_status correlate(struct tp_mining *mining, struct tp_diag *diag)
{
	size_t n = mining->n_features;
	if (!mining->target_values) {
		tp_mining_note(mining, mining->target,
			       "is words: nothing can be correlated with it");
		return TP_OK;
	}
	mining->correlation = tp_mining_alloc(mining, n, sizeof(*mining->correlation));
	mining->rank_correlation = tp_mining_alloc(mining, n, sizeof(*mining->rank_correlation));
	if (!mining->correlation || !mining->rank_correlation)
		return tp_mining_no_memory(diag);
	for (size_t f = 0; f < n; f++) {
		const struct tp_mine_feature *feature = &mining->features[f];
		mining->correlation[f] = mining->rank_correlation[f] = NAN;
		if (feature->words)
			continue;
		mining->correlation[f] =
			tp_correlation(feature->values, mining->target_values, mining->n_rows);
		mining->rank_correlation[f] =
			tp_rank_correlation(feature->values, mining->target_values, mining->n_rows);
	}
	mining->has_correlation = true;
	return TP_OK;
}

/* learn.c */
static enum tp_status mining_learn(struct tp_mining *mining, struct tp_diag *diag)
{
	static const struct {
		unsigned what;
		const char *step;
		enum tp_status (*learn)(struct tp_mining *mining, struct tp_diag *diag);
	} steps[] = {
		{ TP_MINE_TREE, "learning a tree", learn_tree },
		{ TP_MINE_FOREST, "learning a forest", learn_forest },
		{ TP_MINE_KMEANS, "looking for groups", tp_mining_cluster },
		{ TP_MINE_REGRESSION, "fitting a line", tp_mining_regress },
		{ TP_MINE_CORRELATION, "correlating columns", correlate },
	};
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && status == TP_OK; i++) {
		if (!(mining->job.learn & steps[i].what))
			continue;
		if (mining->job.tell)
			mining->job.tell(mining->job.context, steps[i].step);
		status = steps[i].learn(mining, diag);
	}
	return status;
}

enum tp_status tp_mine(struct tp_mining *mining, struct tp_frame *frame,
		       const struct tp_mine_job *job, struct tp_diag *diag)
{
	*mining = (struct tp_mining){ .job = *job, .source = frame->name };
	enum tp_status status = tp_mining_prepare(mining, frame, diag);
	if (status == TP_OK)
		status = mining_learn(mining, diag);
	if (status == TP_OK)
		tp_mining_judge(mining);
	else
		tp_mining_release(mining);
	return status;
}

void tp_mining_release(struct tp_mining *mining)
{
	tp_tree_release(&mining->tree);
	tp_forest_release(&mining->forest);
	tp_kmeans_release(&mining->kmeans);
	tp_linear_release(&mining->linear);
	tp_str_release(&mining->trust.verdict);
	tp_str_release(&mining->trust.limits);
	tp_str_release(&mining->trust.next);
	tp_diags_release(&mining->notes);
	tp_arena_release(&mining->arena);
	*mining = (struct tp_mining){ 0 };
}
