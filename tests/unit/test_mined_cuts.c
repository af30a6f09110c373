/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts between categories as the user moves them: between their neighbours, and readable; what is
 * wished, as words of a command line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "experiments/experiment.h"
#include "ui/tui/screens/mined_learn.h"

/* Values from 0 to 200: a step is 1. */
static struct tp_mined_cuts some(void)
{
	return (struct tp_mined_cuts){ .at = { 50, 100, 150 }, .n = 3, .low = 0, .high = 200 };
}

static void expect_text(const struct tp_mined_cuts *cuts, const char *text)
{
	struct tp_str out = { 0 };
	tp_mined_cuts_text(cuts, &out);
	assert_string_equal(tp_str_text(&out), text);
	tp_str_release(&out);
}

static void a_cut_moves_between_its_neighbours(void **state)
{
	struct tp_mined_cuts cuts = some();
	(void)state;
	assert_true(tp_mined_cuts_move(&cuts, 3));
	expect_text(&cuts, "53,100,150");
	assert_true(tp_mined_cuts_move(&cuts, 1000));
	expect_text(&cuts, "99,100,150");
	assert_false(tp_mined_cuts_move(&cuts, 1));
	assert_true(tp_mined_cuts_put(&cuts, -7));
	expect_text(&cuts, "1,100,150");
	tp_mined_cuts_choose(&cuts, false);
	assert_int_equal(cuts.chosen, 2);
	assert_true(tp_mined_cuts_put(&cuts, INFINITY) == false);
	assert_true(tp_mined_cuts_put(&cuts, 1e9));
	expect_text(&cuts, "1,100,199");
	tp_mined_cuts_choose(&cuts, true);
	assert_int_equal(cuts.chosen, 0);
}

static void on_a_log_scale_steps_are_factors(void **state)
{
	struct tp_mined_cuts cuts = {
		.at = { 10, 1000 }, .n = 2, .low = 1, .high = 10000, .log = true
	};
	(void)state;
	assert_true(tp_mined_cuts_move(&cuts, 50));
	expect_text(&cuts, "100,1000");
	assert_true(tp_mined_cuts_halve(&cuts));
	assert_int_equal(cuts.chosen, 1);
	assert_int_equal(cuts.n, 3);
	expect_text(&cuts, "100,316,1000");
}

static void cuts_are_added_and_deleted(void **state)
{
	struct tp_mined_cuts cuts = some();
	(void)state;
	assert_true(tp_mined_cuts_halve(&cuts));
	expect_text(&cuts, "50,75,100,150");
	assert_int_equal(cuts.chosen, 1);
	assert_true(tp_mined_cuts_add(&cuts, 175.4));
	expect_text(&cuts, "50,75,100,150,175.4");
	assert_int_equal(cuts.chosen, 4);
	/* Not twice, not outside, and not without end. */
	assert_false(tp_mined_cuts_add(&cuts, 175.4));
	assert_false(tp_mined_cuts_add(&cuts, 200.1));
	assert_false(tp_mined_cuts_add(&cuts, 0));
	assert_true(tp_mined_cuts_remove(&cuts));
	assert_int_equal(cuts.chosen, 3);
	for (int i = 0; i < 3; i++)
		assert_true(tp_mined_cuts_remove(&cuts));
	expect_text(&cuts, "50");
	assert_false(tp_mined_cuts_remove(&cuts));
	for (int i = 0; i < 200; i++)
		tp_mined_cuts_add(&cuts, i + 0.5);
	assert_int_equal(cuts.n, TP_CATEGORIES_MAX - 1);
	for (size_t i = 1; i < cuts.n; i++)
		assert_true(cuts.at[i] > cuts.at[i - 1]);
}

static void what_was_learned_says_where_the_cuts_are(void **state)
{
	const double values[] = { 3, 1, 40, 2 };
	struct tp_density density = { .log = true };
	struct tp_mining mining = { .continuous = true,
				    .target_values = values,
				    .n_rows = 4,
				    .density = &density,
				    .categories = { .n = 2, .cuts = { 10 } } };
	struct tp_mined_cuts cuts = some();
	(void)state;
	cuts.chosen = 2;
	tp_mined_cuts_take(&cuts, &mining);
	assert_int_equal(cuts.n, 1);
	assert_int_equal(cuts.chosen, 0);
	assert_true(cuts.low == 1 && cuts.high == 40 && cuts.log);
	expect_text(&cuts, "10");
	/* Words have none, and nothing moves. */
	mining.continuous = false;
	tp_mined_cuts_take(&cuts, &mining);
	assert_int_equal(cuts.n, 0);
	assert_false(tp_mined_cuts_move(&cuts, 1));
	assert_false(tp_mined_cuts_halve(&cuts));
	assert_false(tp_mined_cuts_remove(&cuts));
	tp_mined_cuts_choose(&cuts, true);
	expect_text(&cuts, "");
}

static void near_cuts_stay_rising_as_text(void **state)
{
	struct tp_mined_cuts cuts = { .at = { 50, 50.001 }, .n = 2, .low = 0, .high = 200 };
	(void)state;
	expect_text(&cuts, "50,50.000999999999998");
}

static void wishes_are_options_with_values(void **state)
{
	struct tp_mined_wishes wishes = { 0 };
	struct tp_str out = { 0 };
	(void)state;
	tp_mined_wishes_text(&wishes, &out);
	assert_int_equal(out.len, 0);
	tp_mined_wish(&wishes, TP_MINED_WISH_DEPTH, "4");
	tp_mined_wish(&wishes, TP_MINED_WISH_TARGET, "it's $HOME; rm");
	tp_mined_wish(&wishes, TP_MINED_WISH_CUTS, "1,2");
	tp_mined_wish(&wishes, TP_MINED_WISH_CUTS, "");
	assert_int_equal(wishes.version, 4);
	tp_mined_wishes_text(&wishes, &out);
	assert_string_equal(tp_str_text(&out), "mine.target=it's $HOME; rm, mine.depth=4");
	tp_str_release(&out);
	tp_mined_wishes_release(&wishes);
	assert_null(wishes.text[TP_MINED_WISH_DEPTH]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_moves_between_its_neighbours),
		cmocka_unit_test(on_a_log_scale_steps_are_factors),
		cmocka_unit_test(cuts_are_added_and_deleted),
		cmocka_unit_test(what_was_learned_says_where_the_cuts_are),
		cmocka_unit_test(near_cuts_stay_rising_as_text),
		cmocka_unit_test(wishes_are_options_with_values),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
