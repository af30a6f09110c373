/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees whose questions are known by hand. tests/unit/test_learn.c holds larger ones to those of
 * scikit-learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/near.h"
#include "analysis/tree.h"
#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"

#define ROWS(...)   ((const double[]){ __VA_ARGS__ })
#define LABELS(...) ((const unsigned[]){ __VA_ARGS__ })

static struct tp_tree learned(const struct tp_dataset *data, const unsigned *labels,
			      unsigned n_labels, struct tp_tree_rules rules)
{
	struct tp_tree tree = { 0 };
	struct tp_diag diag = { 0 };

	assert_int_equal(tp_tree_learn(&tree, data, labels, n_labels, NULL, 0, &rules, &diag),
			 TP_OK);
	assert_true(tree.n == 2 * tree.n_leaves - 1);
	return tree;
}

static void assert_question(const struct tp_tree *tree, size_t at, unsigned feature,
			    double threshold)
{
	assert_false(tree->nodes[at].leaf);
	assert_int_equal(tree->nodes[at].feature, feature);
	assert_near(tree->nodes[at].threshold, threshold, 0);
}

static void assert_leaf(const struct tp_tree *tree, size_t at, double rows, unsigned label)
{
	assert_true(tree->nodes[at].leaf);
	assert_int_equal(tree->nodes[at].yes, 0);
	assert_int_equal(tree->nodes[at].no, 0);
	assert_near(tree->nodes[at].rows, rows, 0);
	assert_int_equal(tree->nodes[at].label, label);
}

static void a_threshold_lies_half_way(void **state)
{
	const double *features[] = { ROWS(5, 5, 5, 5), ROWS(4, 1, 3, 2) };
	struct tp_dataset data = { 4, 2, features, NULL };
	struct tp_tree tree = learned(&data, LABELS(1, 0, 1, 0), 2, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_int_equal(tree.n, 3);
	assert_int_equal(tree.depth, 1);
	assert_question(&tree, 0, 1, 2.5);
	assert_near(tree.nodes[0].impurity, 0.5, 0);
	assert_near(tree.nodes[0].rows, 4, 0);
	assert_near(tree.counts[0], 2, 0);
	assert_near(tree.counts[1], 2, 0);
	assert_leaf(&tree, tree.nodes[0].yes, 2, 0);
	assert_leaf(&tree, tree.nodes[0].no, 2, 1);
	assert_near(tree.importance[0], 0, 0);
	assert_near(tree.importance[1], 1, 0);
	assert_int_equal(tp_tree_leaf(&tree, &data, 0), tree.nodes[0].no);
	assert_int_equal(tp_tree_leaf(&tree, &data, 1), tree.nodes[0].yes);
	tp_tree_release(&tree);
	assert_null(tree.nodes);
}

/* Labels 0 0 1 1 1 2: x <= 2.5 leaves 1 - 10/16 = 3/8 in four of six rows; in bits 0.8113. */
static void impurities_are_those_of_the_book(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4, 5, 6) };
	struct tp_dataset data = { 6, 1, features, NULL };
	const unsigned *labels = LABELS(0, 0, 1, 1, 1, 2);
	struct tp_tree gini = learned(&data, labels, 3, (struct tp_tree_rules){ .max_depth = 1 });
	struct tp_tree entropy =
		learned(&data, labels, 3,
			(struct tp_tree_rules){ .criterion = TP_ENTROPY, .max_depth = 1 });

	(void)state;
	assert_question(&gini, 0, 0, 2.5);
	assert_near(gini.nodes[0].impurity, 1 - 14.0 / 36, 1e-15);
	assert_near(gini.nodes[gini.nodes[0].no].impurity, 0.375, 1e-15);
	assert_leaf(&gini, gini.nodes[0].no, 4, 1);
	assert_question(&entropy, 0, 0, 2.5);
	assert_near(entropy.nodes[0].impurity, 1.4591479170272448, 1e-14);
	assert_near(entropy.nodes[entropy.nodes[0].no].impurity, 0.8112781244591328, 1e-14);
	tp_tree_release(&gini);
	tp_tree_release(&entropy);
}

/* The middle category alone is different: one question, where thresholds need two. */
static void a_category_is_asked_by_name(void **state)
{
	const double values[] = { 0, 1, 2, 0, 1, 2, 2 };
	const unsigned *labels = LABELS(0, 1, 0, 0, 1, 0, 0);
	const double *features[] = { values };
	struct tp_dataset numbers = { 7, 1, features, NULL }, names = { 7, 1, features, LABELS(3) };
	struct tp_tree as_numbers = learned(&numbers, labels, 2, (struct tp_tree_rules){ 0 });
	struct tp_tree as_names = learned(&names, labels, 2, (struct tp_tree_rules){ 0 });
	struct tp_tree by_entropy =
		learned(&names, labels, 2, (struct tp_tree_rules){ .criterion = TP_ENTROPY });

	(void)state;
	assert_int_equal(as_numbers.n_leaves, 3);
	assert_int_equal(as_names.n_leaves, 2);
	assert_question(&as_names, 0, 0, 1);
	assert_leaf(&as_names, as_names.nodes[0].yes, 2, 1);
	assert_leaf(&as_names, as_names.nodes[0].no, 5, 0);
	for (size_t row = 0; row < 7; row++)
		assert_int_equal(as_names.nodes[tp_tree_leaf(&as_names, &names, row)].label,
				 labels[row]);
	assert_int_equal(by_entropy.n_leaves, 2);
	assert_question(&by_entropy, 0, 0, 1);
	tp_tree_release(&as_numbers);
	tp_tree_release(&as_names);
	tp_tree_release(&by_entropy);
}

/* A category that no row of the node has is not asked about, and codes need not be dense. */
static void categories_and_numbers_mix(void **state)
{
	const double *features[] = { ROWS(9, 0, 9, 0, 9, 0, 4, 4), ROWS(1, 2, 3, 4, 5, 6, 7, 8) };
	struct tp_dataset data = { 8, 2, features, LABELS(10, 0) };
	const unsigned *labels = LABELS(0, 1, 0, 1, 1, 2, 2, 2);
	struct tp_tree tree = learned(&data, labels, 3, (struct tp_tree_rules){ 0 });

	(void)state;
	for (size_t row = 0; row < 8; row++) {
		size_t leaf = tp_tree_leaf(&tree, &data, row);

		assert_int_equal(tree.nodes[leaf].label, labels[row]);
		assert_near(tree.nodes[leaf].impurity, 0, 0);
	}
	tp_tree_release(&tree);
}

/* A column of 0 and 1 for each category asks the same, with yes and no exchanged. */
static void categories_ask_what_columns_of_them_do(void **state)
{
	enum { N = 400, CATEGORIES = 6 };
	double category[N], number[N], columns[CATEGORIES][N];
	unsigned labels[N];
	const double *one[] = { category, number }, *many[CATEGORIES + 1];
	struct tp_dataset named = { N, 2, one, LABELS(CATEGORIES, 0) },
			  spread = { N, CATEGORIES + 1, many, NULL };
	const enum tp_criterion criteria[] = { TP_GINI, TP_ENTROPY };
	uint64_t random = 12;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		category[i] = (double)(tp_splitmix64(&random) % CATEGORIES);
		number[i] = (double)(tp_splitmix64(&random) % 1000);
		for (unsigned c = 0; c < CATEGORIES; c++)
			columns[c][i] = category[i] == c;
		labels[i] = (category[i] == 2 || (category[i] == 4 && number[i] > 300)) +
			    (unsigned)(tp_splitmix64(&random) % 4 == 0);
	}
	for (unsigned c = 0; c < CATEGORIES; c++)
		many[c] = columns[c];
	many[CATEGORIES] = number;
	for (size_t k = 0; k < TP_COUNT_OF(criteria); k++) {
		struct tp_tree_rules rules = { .criterion = criteria[k], .max_depth = 5 };
		struct tp_tree a = learned(&named, labels, 3, rules),
			       b = learned(&spread, labels, 3, rules);

		assert_true(a.n > 20);
		assert_int_equal(a.n, b.n);
		for (size_t i = 0; i < N; i++) {
			const struct tp_tree_node *x = &a.nodes[tp_tree_leaf(&a, &named, i)];
			const struct tp_tree_node *y = &b.nodes[tp_tree_leaf(&b, &spread, i)];

			assert_near(x->rows, y->rows, 0);
			assert_near(x->impurity, y->impurity, 0);
			assert_int_equal(x->label, y->label);
			assert_int_equal(x->depth, y->depth);
		}
		assert_near(a.importance[1], b.importance[CATEGORIES], 1e-12);
		tp_tree_release(&a);
		tp_tree_release(&b);
	}
}

static void nothing_to_ask_is_a_leaf(void **state)
{
	const double *same[] = { ROWS(7, 7, 7) }, *different[] = { ROWS(1, 2, 3) };
	struct tp_dataset duplicates = { 3, 1, same, NULL }, one_class = { 3, 1, different, NULL },
			  one_row = { 1, 1, different, NULL }, no_features = { 3, 0, NULL, NULL },
			  no_rows = { 0, 1, different, NULL };
	struct tp_tree tree = learned(&duplicates, LABELS(1, 0, 1), 2, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_int_equal(tree.n, 1);
	assert_leaf(&tree, 0, 3, 1);
	assert_near(tree.importance[0], 0, 0);
	tp_tree_release(&tree);
	tree = learned(&one_class, LABELS(1, 1, 1), 2, (struct tp_tree_rules){ 0 });
	assert_int_equal(tree.n, 1);
	assert_leaf(&tree, 0, 3, 1);
	tp_tree_release(&tree);
	tree = learned(&one_row, LABELS(4), 5,
		       (struct tp_tree_rules){ .criterion = TP_ENTROPY, .prune_alpha = 0.1 });
	assert_int_equal(tree.n, 1);
	assert_leaf(&tree, 0, 1, 4);
	tp_tree_release(&tree);
	tree = learned(&no_features, LABELS(0, 1, 1), 2, (struct tp_tree_rules){ 0 });
	assert_int_equal(tree.n, 1);
	assert_leaf(&tree, 0, 3, 1);
	tp_tree_release(&tree);
	tree = learned(&no_rows, NULL, 0, (struct tp_tree_rules){ .prune_alpha = 0.1 });
	assert_int_equal(tree.n, 1);
	assert_leaf(&tree, 0, 0, 0);
	tp_tree_release(&tree);
}

/* More labels than rows, and each row alone in its leaf. */
static void labels_may_outnumber_rows(void **state)
{
	const double *features[] = { ROWS(1, 2, 3) };
	struct tp_dataset data = { 3, 1, features, NULL };
	struct tp_tree tree = learned(&data, LABELS(90, 5, 33), 100, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_int_equal(tree.n_leaves, 3);
	assert_int_equal(tree.nodes[tp_tree_leaf(&tree, &data, 0)].label, 90);
	assert_int_equal(tree.nodes[tp_tree_leaf(&tree, &data, 1)].label, 5);
	assert_int_equal(tree.nodes[tp_tree_leaf(&tree, &data, 2)].label, 33);
	tp_tree_release(&tree);
}

/* What no first question can lower, the second ones do: x xor y. */
static void questions_without_gain_are_asked(void **state)
{
	const double *features[] = { ROWS(0, 0, 1, 1), ROWS(0, 1, 0, 1) };
	struct tp_dataset data = { 4, 2, features, NULL };
	struct tp_tree tree = learned(&data, LABELS(0, 1, 1, 0), 2, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_int_equal(tree.n_leaves, 4);
	assert_question(&tree, 0, 0, 0.5); /* of two that are equally good, the first feature */
	assert_near(tree.importance[0], 0, 1e-15);
	assert_near(tree.importance[1], 1, 1e-15);
	tp_tree_release(&tree);
}

static void equal_questions_take_the_first(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4), ROWS(4, 3, 2, 1) };
	struct tp_dataset data = { 4, 2, features, NULL };
	enum tp_criterion all[] = { TP_GINI, TP_ENTROPY };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(all); i++) {
		struct tp_tree tree =
			learned(&data, LABELS(0, 1, 1, 0), 2,
				(struct tp_tree_rules){ .criterion = all[i], .max_depth = 1 });

		assert_question(&tree, 0, 0, 1.5); /* and the lowest threshold: 3.5 is as good */
		tp_tree_release(&tree);
	}
}

static void thresholds_part_neighbouring_doubles(void **state)
{
	double low = 1, high = nextafter(1, 2);
	const double *features[] = { ROWS(low, high), ROWS(-DBL_MAX, DBL_MAX) };
	struct tp_dataset close = { 2, 1, features, NULL }, far = { 2, 1, features + 1, NULL };
	struct tp_tree tree = learned(&close, LABELS(0, 1), 2, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_question(&tree, 0, 0, low);
	assert_int_equal(tree.nodes[tp_tree_leaf(&tree, &close, 1)].label, 1);
	tp_tree_release(&tree);
	tree = learned(&far, LABELS(0, 1), 2, (struct tp_tree_rules){ 0 });
	assert_question(&tree, 0, 0, 0);
	tp_tree_release(&tree);
}

static void both_zeros_are_one_value(void **state)
{
	const double *features[] = { ROWS(-0.0, 0.0, -0.0, 0.0) };
	struct tp_dataset data = { 4, 1, features, NULL };
	struct tp_tree tree = learned(&data, LABELS(0, 1, 0, 1), 2, (struct tp_tree_rules){ 0 });

	(void)state;
	assert_int_equal(tree.n, 1);
	tp_tree_release(&tree);
}

static void limits_hold(void **state)
{
	double values[64];
	unsigned labels[64];
	uint64_t random = 3;
	const double *features[] = { values };
	struct tp_dataset data = { 64, 1, features, NULL };

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		values[i] = (double)i;
		labels[i] = (unsigned)(tp_splitmix64(&random) % 2);
	}
	struct tp_tree tree = learned(&data, labels, 2, (struct tp_tree_rules){ .max_depth = 3 });

	assert_int_equal(tree.depth, 3);
	tp_tree_release(&tree);
	tree = learned(&data, labels, 2, (struct tp_tree_rules){ .min_leaf = 5 });
	for (size_t i = 0; i < tree.n; i++)
		assert_true(tree.nodes[i].rows >= 5);
	assert_true(tree.n_leaves > 4);
	tp_tree_release(&tree);
	tree = learned(&data, labels, 2, (struct tp_tree_rules){ .min_split = 20 });
	for (size_t i = 0; i < tree.n; i++)
		assert_true(tree.nodes[i].leaf || tree.nodes[i].rows >= 20);
	assert_true(tree.n_leaves > 2);
	tp_tree_release(&tree);
	for (size_t most = 1; most < 9; most++) {
		tree = learned(&data, labels, 2, (struct tp_tree_rules){ .max_leaves = most });
		assert_int_equal(tree.n_leaves, most);
		tp_tree_release(&tree);
	}
}

/*
 * The root asks x <= 8.5. Of its children, the second (3 rows of 1, 3 of 3) gains more than the
 * first (one row of 2, 7 of 0): with three leaves, it alone is split.
 */
static void few_leaves_go_where_they_gain_most(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) };
	struct tp_dataset data = { 14, 1, features, NULL };
	const unsigned *labels = LABELS(2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 3, 3, 3);
	struct tp_tree tree = learned(&data, labels, 4, (struct tp_tree_rules){ .max_leaves = 3 });

	(void)state;
	assert_question(&tree, 0, 0, 8.5);
	assert_leaf(&tree, tree.nodes[0].yes, 8, 0);
	assert_question(&tree, tree.nodes[0].no, 0, 11.5);
	tp_tree_release(&tree);
}

/* Rows named twice weigh two; rows not named do not count. */
static void rows_repeat(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4, 100) };
	const double *repeated[] = { ROWS(1, 1, 1, 3, 4, 4) };
	struct tp_dataset data = { 5, 1, features, NULL }, plain = { 6, 1, repeated, NULL };
	const unsigned *labels = LABELS(0, 1, 1, 0, 1);
	const uint32_t rows[] = { 3, 0, 0, 2, 0, 3 };
	struct tp_tree_rules rules = { 0 };
	struct tp_tree weighed = { 0 };
	struct tp_tree tree = learned(&plain, LABELS(0, 0, 0, 1, 0, 0), 2, rules);

	(void)state;
	assert_int_equal(tp_tree_learn(&weighed, &data, labels, 2, rows, 6, &rules, NULL), TP_OK);
	assert_int_equal(weighed.n, tree.n);
	assert_memory_equal(weighed.counts, tree.counts, tree.n * 2 * sizeof(double));
	for (size_t i = 0; i < tree.n; i++) {
		assert_near(weighed.nodes[i].threshold, tree.nodes[i].threshold, 0);
		assert_near(weighed.nodes[i].impurity, tree.nodes[i].impurity, 0);
		assert_near(weighed.nodes[i].rows, tree.nodes[i].rows, 0);
	}
	tp_tree_release(&tree);
	tp_tree_release(&weighed);
}

/*
 * Four rows of label 0, then 1, then 2 and 2: x <= 4.5 saves 0.40625, x <= 5.5 the rest. A branch
 * of two leaves goes when alpha reaches what it saves.
 */
static void pruning_weighs_leaves(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4, 5, 6, 7, 8) };
	struct tp_dataset data = { 8, 1, features, NULL };
	const unsigned *labels = LABELS(0, 0, 0, 0, 1, 2, 2, 2);
	/* impurities: root 1 - 26/64, right 1 - 10/16 of half the rows */
	const double inner = 0.375 / 2, outer = 0.59375 - inner;
	const struct {
		double alpha;
		size_t n_leaves;
	} cases[] = { { 0, 3 },	    { inner * 0.999, 3 },
		      { inner, 2 }, { outer * 0.999, 2 },
		      { outer, 1 }, { 1, 1 } };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_tree tree = learned(
			&data, labels, 3, (struct tp_tree_rules){ .prune_alpha = cases[i].alpha });

		assert_int_equal(tree.n_leaves, cases[i].n_leaves);
		if (cases[i].n_leaves == 2) {
			assert_question(&tree, 0, 0, 4.5);
			assert_leaf(&tree, tree.nodes[0].yes, 4, 0);
			assert_leaf(&tree, tree.nodes[0].no, 4, 2);
			assert_near(tree.counts[tree.nodes[0].no * 3 + 1], 1, 0);
			assert_int_equal(tree.depth, 1);
		}
		tp_tree_release(&tree);
	}
}

static void a_process_that_shall_end_stops_learning(void **state)
{
	const double *features[] = { ROWS(1, 2, 3, 4) };
	struct tp_dataset data = { 4, 1, features, NULL };
	struct tp_tree tree = { 0 };
	struct tp_tree_rules rules = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	tp_stop_asked = 1;
	enum tp_status status =
		tp_tree_learn(&tree, &data, LABELS(0, 1, 0, 1), 2, NULL, 0, &rules, &diag);

	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_null(tree.nodes);
}

/* 1,000,000 labels on 200 rows would be counts of gigabytes. */
static void too_many_labels_are_refused(void **state)
{
	double values[200];
	unsigned labels[200];
	const double *features[] = { values };
	struct tp_dataset data = { 200, 1, features, NULL };
	struct tp_tree tree = { 0 };
	struct tp_tree_rules rules = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		values[i] = i;
		labels[i] = i * 5000;
	}
	assert_int_equal(tp_tree_learn(&tree, &data, labels, 1000000, NULL, 0, &rules, &diag),
			 TP_RESOURCE);
	assert_non_null(strstr(diag.what, "1000000 labels"));
	assert_null(tree.nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_threshold_lies_half_way),
		cmocka_unit_test(impurities_are_those_of_the_book),
		cmocka_unit_test(a_category_is_asked_by_name),
		cmocka_unit_test(categories_and_numbers_mix),
		cmocka_unit_test(categories_ask_what_columns_of_them_do),
		cmocka_unit_test(nothing_to_ask_is_a_leaf),
		cmocka_unit_test(labels_may_outnumber_rows),
		cmocka_unit_test(questions_without_gain_are_asked),
		cmocka_unit_test(equal_questions_take_the_first),
		cmocka_unit_test(thresholds_part_neighbouring_doubles),
		cmocka_unit_test(both_zeros_are_one_value),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(few_leaves_go_where_they_gain_most),
		cmocka_unit_test(rows_repeat),
		cmocka_unit_test(pruning_weighs_leaves),
		cmocka_unit_test(a_process_that_shall_end_stops_learning),
		cmocka_unit_test(too_many_labels_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
