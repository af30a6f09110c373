/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops out of domains and schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pattern/poly.h"

static void test_without_isl(void **state)
{
	const struct tp_poly_input input = { .domain = "{ S[i] : 0 <= i < 4 }",
					     .parallel_depth = TP_POLY_SERIAL };
	struct tp_poly_answers answers = { 0 };
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_poly_examine(&input, TP_POLY_LOOPS, &answers, NULL, &diag),
			 TP_UNSUPPORTED);
	assert_non_null(strstr(diag.hint, "libisl-dev"));
	tp_poly_answers_release(&answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_without_isl) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
