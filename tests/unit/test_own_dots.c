/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own dots: what is taken, and how a run keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "experiments/experiment.h"
#include "preset/options.h"
#include "record/roof.h"

static void good_text_is_taken_and_comes_back(void **state)
{
	struct tp_own_dot dot, again;
	char text[TP_OWN_DOT_BYTES];
	(void)state;
	assert_null(tp_own_dot_parse("spmv:0.17,3.2", &dot));
	assert_string_equal(dot.name, "spmv");
	assert_true(dot.ai_flop_per_byte == 0.17 && dot.gflops == 3.2);
	assert_null(tp_own_dot_parse(" my  kernel : 1e-3 , 1.5e4 ", &dot));
	assert_string_equal(dot.name, "my  kernel");
	assert_null(tp_own_dot_parse(tp_own_dot_text(&dot, text), &again));
	assert_memory_equal(&dot, &again, sizeof(dot));
	/* The longest name and the longest numbers have room. */
	assert_null(
		tp_own_dot_parse("abcdefghijklmnopqrstuvwxyz01234:0.0012345678,123456789", &dot));
	assert_null(tp_own_dot_parse(tp_own_dot_text(&dot, text), &again));
	assert_string_equal(again.name, "abcdefghijklmnopqrstuvwxyz01234");
}

static void bad_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"spmv",
		":1,2",
		"a:1",
		"a:1;2",
		"a:,2",
		"a:1,",
		"a:0,2",
		"a:-1,2",
		"a:nan,2",
		"a:1,inf",
		"a:0x10,2",
		"a:1,2,3",
		"a:1e-9,2",
		"a:1,2e9",
		"a:1 2,3",
		"\033[2J:1,2",
		"a\nb:1,2",
		"\xff:1,2",
		"a,b:1,2",
		"a:1,2\033",
		"abcdefghijklmnopqrstuvwxyz012345:1,2",
		"a:1.000000000000000000000000000000000000000000000000000000000001,2",
	};
	struct tp_own_dot dot;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!tp_own_dot_parse(bad[i], &dot))
			fail_msg("\"%s\" was taken", bad[i]);
}

static void a_list_ends_its_items_at_the_second_comma(void **state)
{
	struct tp_arena arena = { 0 };
	struct tp_value value;
	struct tp_diag diag;
	struct tp_str text = { 0 };
	(void)state;
	assert_int_equal(
		tp_option_parse(TP_OPT_DOTS, "a:1,2, b : 3 , 4 ,c:5,6", &arena, &value, &diag),
		TP_OK);
	assert_int_equal(value.n, 3);
	assert_string_equal(value.items[1].text, "b:3,4");
	tp_value_text(TP_OPT_DOTS, &value, &text);
	assert_string_equal(tp_str_text(&text), "a:1,2,b:3,4,c:5,6");
	assert_int_equal(tp_option_parse(TP_OPT_DOTS, "", &arena, &value, &diag), TP_OK);
	assert_int_equal(value.n, 0);
	assert_int_equal(tp_option_parse(TP_OPT_DOTS, "a:1,2,", &arena, &value, &diag), TP_USAGE);
	assert_int_equal(tp_option_parse(TP_OPT_DOTS, "a:1,2,b:3", &arena, &value, &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.hint, "spmv:0.17,3.2"));
	/* Other lists end theirs at each comma, as before. */
	assert_int_equal(tp_option_parse(TP_OPT_THREADS, "1,2,4", &arena, &value, &diag), TP_OK);
	assert_int_equal(value.n, 3);
	assert_int_equal(tp_option_parse(TP_OPT_THREADS, "1,", &arena, &value, &diag), TP_USAGE);
	tp_str_release(&text);
	tp_arena_release(&arena);
}

static void a_run_keeps_them_as_facts(void **state)
{
	struct tp_run run = { 0 };
	struct tp_own_dot dots[TP_OWN_DOTS_MAX];
	struct tp_diag diag;
	char text[32];
	(void)state;
	assert_int_equal(tp_run_own_dots(&run, dots), 0);
	assert_int_equal(tp_run_add_own_dot(&run, "a:1,2", &diag), TP_OK);
	assert_int_equal(tp_run_add_own_dot(&run, "b:3,4", &diag), TP_OK);
	assert_int_equal(tp_run_add_own_dot(&run, "a:5,6", &diag), TP_OK);
	assert_int_equal(tp_run_own_dots(&run, dots), 2);
	assert_string_equal(dots[0].name, "a");
	assert_true(dots[0].gflops == 6);
	assert_int_equal(tp_run_add_own_dot(&run, "a", &diag), TP_USAGE);
	for (size_t i = 2; i < TP_OWN_DOTS_MAX; i++) {
		snprintf(text, sizeof(text), "n%zu:1,2", i);
		assert_int_equal(tp_run_add_own_dot(&run, text, &diag), TP_OK);
	}
	assert_int_equal(tp_run_add_own_dot(&run, "one too many:1,2", &diag), TP_RESOURCE);
	assert_int_equal(tp_run_own_dots(&run, dots), TP_OWN_DOTS_MAX);
	/* A stranger's run.json: names are cleaned, what is not a dot is left out. */
	assert_int_equal(tp_run_fact_text(&run, "own_dots.1", "%s", "\033]52;c;eA==\a:1,2"), TP_OK);
	assert_int_equal(tp_run_fact_number(&run, "own_dots.2", 7), TP_OK);
	assert_int_equal(tp_run_own_dots(&run, dots), TP_OWN_DOTS_MAX - 1);
	for (size_t i = 0; i < TP_OWN_DOTS_MAX - 1; i++)
		assert_null(strchr(dots[i].name, '\033'));
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_text_is_taken_and_comes_back),
		cmocka_unit_test(bad_text_is_refused),
		cmocka_unit_test(a_list_ends_its_items_at_the_second_comma),
		cmocka_unit_test(a_run_keeps_them_as_facts),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
