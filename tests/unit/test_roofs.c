/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "analysis/stats.h"

static void attainable_is_the_lower_of_both_roofs(void **state)
{
	(void)state;
	assert_near(tp_roof_attainable(88.7, 354.6, 0.125), 44.325, 1e-9);
	assert_near(tp_roof_attainable(88.7, 354.6, 1), 88.7, 1e-9);
	assert_near(tp_roof_attainable(88.7, 354.6, 0), 0, 0);
}

static void ridge_is_where_they_meet(void **state)
{
	double ridge = tp_roof_ridge(88.7, 32.7);

	(void)state;
	assert_near(ridge, 2.712538, 1e-6);
	assert_near(tp_roof_attainable(88.7, 32.7, ridge), 88.7, 1e-9);
	assert_near(tp_roof_attainable(88.7, 32.7, 0.5 * ridge), 44.35, 1e-9);
	assert_near(tp_roof_ridge(88.7, 0), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attainable_is_the_lower_of_both_roofs),
		cmocka_unit_test(ridge_is_where_they_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
