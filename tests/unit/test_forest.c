/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "tests/unit/near.h"
#include "analysis/forest.h"
#include "base/random.h"
#include "base/process.h"

enum { N = 600, N_TEST = 120, N_FEATURES = 4 };

/* Feature 2 says the label, feature 0 says it for half of the rows, 1 is noise, 3 is constant. */
struct planted {
	double values[N_FEATURES][N];
	const double *features[N_FEATURES];
	unsigned labels[N];
	uint32_t rows[N];
	struct tp_dataset data;
};

static double uniform(uint64_t *random)
{
	return (double)(tp_splitmix64(random) >> 11) * 0x1p-53;
}

static void plant(struct planted *p)
{
	uint64_t random = 11;
	size_t n_test = 0;

	for (size_t row = 0; row < N; row++) {
		p->labels[row] = (unsigned)(tp_splitmix64(&random) % 3);
		p->values[0][row] = row % 2 ? p->labels[row] : 3 * uniform(&random);
		p->values[1][row] = uniform(&random);
		p->values[2][row] = p->labels[row] + 0.9 * uniform(&random);
		p->values[3][row] = 4;
	}
	for (size_t f = 0; f < N_FEATURES; f++)
		p->features[f] = p->values[f];
	p->data = (struct tp_dataset){ N, N_FEATURES, p->features, NULL };
	tp_split_rows(p->labels, 3, N, (double)N_TEST / N, 1, p->rows, &n_test);
	assert_int_equal(n_test, N_TEST);
}

static void held_out_rows_keep_shares(void **state)
{
	unsigned labels[103];
	uint32_t rows[103], again[103];
	size_t n_test = 0, held[3] = { 0 };
	bool seen[103] = { false };

	(void)state;
	for (size_t i = 0; i < 103; i++)
		labels[i] = i < 50 ? 0 : i < 98 ? 1 : 2; /* 50, 48 and 5 */
	tp_split_rows(labels, 3, 103, 0.2, 7, rows, &n_test);
	assert_int_equal(n_test, 21);
	for (size_t i = 0; i < 103; i++) {
		assert_false(seen[rows[i]]);
		seen[rows[i]] = true;
		held[labels[rows[i]]] += i >= 103 - n_test;
	}
	assert_int_equal(held[0], 10);
	assert_int_equal(held[1], 10); /* 9.79 */
	assert_int_equal(held[2], 1);
	tp_split_rows(labels, 3, 103, 0.2, 7, again, &n_test);
	assert_memory_equal(rows, again, sizeof(rows));
	tp_split_rows(labels, 3, 103, 0.2, 8, again, &n_test);
	assert_memory_not_equal(rows, again, sizeof(rows));
	tp_split_rows(labels, 3, 103, 1, 7, rows, &n_test);
	assert_int_equal(n_test, 102);
	tp_split_rows(labels, 3, 103, 0, 7, rows, &n_test);
	assert_int_equal(n_test, 0);
	tp_split_rows(labels, 3, 1, 0.9, 7, rows, &n_test);
	assert_int_equal(n_test, 0);
	tp_split_rows(labels, 3, 0, 0.2, 7, rows, &n_test);
	assert_int_equal(n_test, 0);
}

static struct tp_forest learned(const struct planted *p, struct tp_forest_rules rules)
{
	struct tp_forest forest = { 0 };

	assert_int_equal(
		tp_forest_learn(&forest, &p->data, p->labels, 3, p->rows, N_TEST, &rules, NULL),
		TP_OK);
	return forest;
}

/* The first share of the leaf that a row comes to. */
static size_t leaf_of(const struct tp_forest_tree *tree, const struct tp_dataset *data, size_t row)
{
	uint32_t at = 0;

	while (tree->nodes[at].next != at) {
		const struct tp_forest_node *node = &tree->nodes[at];
		double value = data->features[node->feature][row];
		bool yes = node->words ? value == node->threshold : value <= node->threshold;

		assert_int_equal(tree->leaves[at], UINT32_MAX);
		at = node->next + !yes;
		assert_true(at < tree->n);
	}
	return tree->leaves[at];
}

/* The label with most of the shares that it has in the leaves. */
static unsigned voted(const struct tp_forest *forest, const struct tp_dataset *data, size_t row)
{
	double shares[3] = { 0 };
	unsigned winner = 0;

	for (size_t t = 0; t < forest->n; t++) {
		const struct tp_forest_tree *tree = &forest->trees[t];
		size_t i = leaf_of(tree, data, row);
		double sum = 0;

		do {
			shares[tree->shares[i].label] += tree->shares[i].share;
			sum += tree->shares[i].share;
		} while (!tree->shares[i++].last);
		assert_near(sum, 1, 1e-12);
	}
	for (unsigned i = 1; i < 3; i++)
		winner = shares[i] > shares[winner] ? i : winner;
	return winner;
}

static void a_planted_feature_matters(void **state)
{
	struct planted p;
	size_t n_right = 0;

	(void)state;
	plant(&p);
	struct tp_forest forest = learned(&p, (struct tp_forest_rules){ .seed = 5 });
	const double *impurity = forest.impurity_importance,
		     *permutation = forest.permutation_importance;

	assert_int_equal(forest.n, 200);
	assert_true(forest.accuracy > 0.98);
	for (size_t i = N - N_TEST; i < N; i++)
		n_right += voted(&forest, &p.data, p.rows[i]) == p.labels[p.rows[i]];
	assert_near(forest.accuracy, (double)n_right / N_TEST, 0);
	assert_near(impurity[0] + impurity[1] + impurity[2], 1, 1e-12);
	assert_true(impurity[2] > 0.6 && impurity[2] > 2 * impurity[0]);
	assert_true(impurity[0] > 2 * impurity[1]);
	assert_near(impurity[3], 0, 0);
	assert_true(forest.impurity_deviation[2] > 0);
	/* Three labels: a guess is right in a third of the rows; the other features know some. */
	assert_true(permutation[2] > 0.2 && permutation[2] < 0.667);
	assert_true(permutation[2] > 5 * fabs(permutation[1]));
	assert_near(permutation[1], 0, 0.02);
	assert_near(permutation[3], 0, 0);
	assert_near(forest.permutation_deviation[3], 0, 0);
	tp_forest_release(&forest);
	assert_null(forest.trees);
}

/*
 * By noise alone a grown tree is right on the rows that were drawn, 1 - (1 - 1/n)^n = 63.2 % of
 * them, and on a third of the others.
 */
static void rows_are_drawn_with_repetition(void **state)
{
	const struct tp_forest_rules rules = { .n_trees = 30 };
	struct tp_forest forest = { 0 };
	struct planted p;
	size_t n_right = 0, n_first = 0;
	bool differ = false;

	(void)state;
	plant(&p);
	const struct tp_dataset noise = { N, 1, &p.features[1], NULL };

	assert_int_equal(
		tp_forest_learn(&forest, &noise, p.labels, 3, p.rows, N_TEST, &rules, NULL), TP_OK);
	for (size_t t = 0; t < forest.n; t++) {
		const struct tp_forest_tree *tree = &forest.trees[t];
		size_t n = 0;

		for (size_t i = 0; i < N - N_TEST; i++)
			n += tree->shares[leaf_of(tree, &noise, p.rows[i])].label ==
			     p.labels[p.rows[i]];
		n_right += n;
		n_first = t ? n_first : n;
		differ |= n != n_first;
	}
	assert_true(differ);
	assert_near((double)n_right / (30 * (N - N_TEST)), 0.632 + 0.368 / 3, 0.02);
	tp_forest_release(&forest);
}

static void assert_same(const struct tp_forest *a, const struct tp_forest *b)
{
	size_t n_bytes = N_FEATURES * sizeof(double);

	assert_memory_equal(a->impurity_importance, b->impurity_importance, n_bytes);
	assert_memory_equal(a->impurity_deviation, b->impurity_deviation, n_bytes);
	assert_memory_equal(a->permutation_importance, b->permutation_importance, n_bytes);
	assert_memory_equal(a->permutation_deviation, b->permutation_deviation, n_bytes);
	assert_near(a->accuracy, b->accuracy, 0);
	for (size_t t = 0; t < a->n; t++) {
		const struct tp_forest_tree *x = &a->trees[t], *y = &b->trees[t];

		assert_int_equal(x->n, y->n);
		assert_memory_equal(x->nodes, y->nodes, x->n * sizeof(*x->nodes));
		assert_memory_equal(x->leaves, y->leaves, x->n * sizeof(*x->leaves));
	}
}

static void threads_do_not_matter_but_seeds_do(void **state)
{
	struct tp_forest_rules rules = { .n_trees = 20, .seed = 9 };
	struct planted p;

	(void)state;
	plant(&p);
#ifdef _OPENMP
	omp_set_num_threads(1);
#endif
	struct tp_forest alone = learned(&p, rules);

#ifdef _OPENMP
	omp_set_num_threads(3);
#endif
	struct tp_forest shared = learned(&p, rules);

	rules.seed = 10;
	struct tp_forest other = learned(&p, rules);

	assert_same(&alone, &shared);
	assert_memory_not_equal(alone.impurity_importance, other.impurity_importance,
				N_FEATURES * sizeof(double));
	tp_forest_release(&alone);
	tp_forest_release(&shared);
	tp_forest_release(&other);
}

struct heard {
	size_t n, last, all;
	const char *step;
};

static void hear(void *context, const char *step, size_t done, size_t all)
{
	struct heard *heard = context;

	if (!heard->step || strcmp(heard->step, step) != 0) {
		assert_int_equal(heard->last, heard->all); /* the step before was told to its end */
		heard->last = 0;
	}
	assert_int_equal(done, heard->last + 1);
	*heard = (struct heard){ heard->n + 1, done, all, step };
}

/* Each tree, then each shuffle of 4 features and what is right without one. */
static void progress_is_told(void **state)
{
	struct heard heard = { 0 };
	const struct tp_listener listener = { hear, &heard };
	struct planted p;

	(void)state;
	plant(&p);
	struct tp_forest forest = learned(
		&p, (struct tp_forest_rules){ .n_trees = 20, .repeats = 3, .listener = &listener });

	assert_int_equal(heard.n, 20 + 4 * 3 + 1);
	assert_int_equal(heard.last, heard.all);
	assert_string_equal(heard.step, "shuffling columns");
	tp_forest_release(&forest);
}

static void little_data_are_no_mistake(void **state)
{
	const double values[] = { 1, 2, 3 }, *features[] = { values };
	const double twice[] = { 1, 2, 3, 1, 2, 3 }, *again[] = { twice };
	const unsigned labels[] = { 1, 1, 1 }, many[] = { 0, 80, 150, 0, 80, 150 };
	const uint32_t rows[] = { 0, 1, 2, 3, 4, 5 };
	struct tp_dataset two_of_each = { 6, 1, again, NULL };
	struct tp_dataset data = { 3, 1, features, NULL }, empty = { 0, 1, features, NULL },
			  blind = { 3, 0, NULL, NULL };
	struct tp_forest_rules rules = { .n_trees = 40 };
	struct tp_forest forest = { 0 };

	(void)state;
	assert_int_equal(tp_forest_learn(&forest, &data, labels, 2, rows, 0, &rules, NULL), TP_OK);
	assert_near(forest.impurity_importance[0], 0, 0);
	assert_true(isnan(forest.accuracy));
	tp_forest_release(&forest);
	/* Labels beyond those that are counted at a time. */
	assert_int_equal(tp_forest_learn(&forest, &two_of_each, many, 151, rows, 3, &rules, NULL),
			 TP_OK);
	assert_near(forest.accuracy, 1, 0);
	tp_forest_release(&forest);
	assert_int_equal(tp_forest_learn(&forest, &empty, NULL, 0, rows, 0, &rules, NULL), TP_OK);
	tp_forest_release(&forest);
	assert_int_equal(tp_forest_learn(&forest, &blind, labels, 2, rows, 1, &rules, NULL), TP_OK);
	assert_near(forest.accuracy, 1, 0);
	tp_forest_release(&forest);
}

static void a_process_that_shall_end_stops_learning(void **state)
{
	struct planted p;
	struct tp_forest forest = { 0 };
	struct tp_forest_rules rules = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	plant(&p);
	tp_stop_asked = 1;
	enum tp_status status =
		tp_forest_learn(&forest, &p.data, p.labels, 3, p.rows, N_TEST, &rules, &diag);

	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_string_equal(diag.what, "cancelled");
	assert_null(forest.trees);
}

static void on_alarm(int number)
{
	(void)number;
	tp_stop_asked = 1;
}

/* In the middle of it: a million trees take minutes, whatever the machine. */
static void it_stops_in_the_middle(void **state)
{
	struct planted p;
	struct tp_forest forest = { 0 };
	struct tp_forest_rules rules = { .n_trees = 1000000 };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };

	(void)state;
	plant(&p);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	enum tp_status status =
		tp_forest_learn(&forest, &p.data, p.labels, 3, p.rows, N_TEST, &rules, NULL);

	signal(SIGALRM, SIG_DFL);
	tp_stop_asked = 0;
	assert_int_equal(status, TP_CANCELLED);
	assert_null(forest.trees);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_out_rows_keep_shares),
		cmocka_unit_test(a_planted_feature_matters),
		cmocka_unit_test(rows_are_drawn_with_repetition),
		cmocka_unit_test(threads_do_not_matter_but_seeds_do),
		cmocka_unit_test(progress_is_told),
		cmocka_unit_test(little_data_are_no_mistake),
		cmocka_unit_test(a_process_that_shall_end_stops_learning),
		cmocka_unit_test(it_stops_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
