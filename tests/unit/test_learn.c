/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our learners against what scikit-learn learned from the data in tests/mining. */
#include "tests/unit/files.h"
#include "tests/unit/learn_reference.h"

/* How much compares at least, so that no comparison passes because it saw nothing. */
struct expectation {
	const char *name;
	size_t rows, features, trees, nodes, prunes;
};

static const struct expectation expectations[] = {
	{ "iris", 150, 4, 14, 160, 8 },		  { "wine", 178, 13, 14, 160, 10 },
	{ "cancer", 569, 30, 14, 220, 16 },	  { "planted-rules", 700, 6, 14, 360, 16 },
	{ "planted-steps", 500, 5, 14, 470, 16 },
};

static void learns_what_scikit_learn_does(void **state)
{
	const struct expectation *expected = *state;
	char csv[TP_PATH_MAX], reference[TP_PATH_MAX];
	struct learn_result r;

	snprintf(csv, sizeof(csv), "%s/tests/mining/%s.csv", source_dir(), expected->name);
	snprintf(reference, sizeof(reference), "%s/tests/mining/%s.ref", source_dir(),
		 expected->name);
	if (!learn_compare(csv, reference, &r))
		fail_msg("%s: %s", expected->name, r.wrong);
	assert_int_equal(r.n_rows, expected->rows);
	assert_int_equal(r.n_features, expected->features);
	assert_string_equal(r.wrong, "");
	/* Trees: the same questions, but where others are as good. */
	assert_int_equal(r.trees, expected->trees);
	assert_int_equal(r.nodes_wrong, 0);
	assert_int_equal(r.accuracy_wrong, 0);
	assert_true(r.nodes_same + r.nodes_other >= expected->nodes);
	assert_true(r.nodes_tied + r.nodes_unseen <= expected->nodes / 7);
	assert_int_equal(r.prunes, expected->prunes);
	assert_int_equal(r.prunes_equal + r.prunes_within, r.prunes);
	/* One forest differs from another by more than 0.03 where features replace each other
	 * (deviation 0.02 among those of scikit-learn). Means of ten do not. */
	assert_true(r.mdi_mean > 0 && r.mdi_mean < 0.03);
	assert_true(r.mdi_one < 0.05);
	assert_true(r.accuracy_forest > r.accuracy_forest_reference - 0.02);
	assert_true(r.inertia <= 0.01);
	assert_true(r.rank_equal);
	assert_int_equal(r.n_coefficients, expected->features);
	assert_true(r.coefficient <= 1e-8);
	assert_true(r.r2 <= 1e-8);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(expectations) / sizeof(*expectations)];
	size_t n = sizeof(tests) / sizeof(*tests);

	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ expectations[i].name, learns_what_scikit_learn_does,
						NULL, NULL, (void *)&expectations[i] };
	return _cmocka_run_group_tests("learn", tests, n, NULL, NULL);
}
