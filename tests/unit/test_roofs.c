/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "analysis/roofs.h"

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

static void regions_lie_between_the_ridges(void **state)
{
	/* Ridges at 0.25, 1 and 4 FLOP/byte. */
	const double gbps[] = { 400, 100, 25 };

	(void)state;
	assert_int_equal(tp_roof_region(100, gbps, 3, 0.2), TP_BOUND_MEMORY);
	assert_int_equal(tp_roof_region(100, gbps, 3, 0.25), TP_BOUND_MIXED);
	assert_int_equal(tp_roof_region(100, gbps, 3, 3.9), TP_BOUND_MIXED);
	assert_int_equal(tp_roof_region(100, gbps, 3, 4), TP_BOUND_COMPUTE);
	assert_int_equal(tp_roof_region(100, gbps, 3, 100), TP_BOUND_COMPUTE);
}

static void a_level_without_a_roof_is_ignored(void **state)
{
	const double gbps[] = { 400, 0, 25 };

	(void)state;
	assert_int_equal(tp_roof_region(100, gbps, 3, 0.1), TP_BOUND_MEMORY);
	assert_int_equal(tp_roof_region(100, gbps, 3, 1), TP_BOUND_MIXED);
	assert_int_equal(tp_roof_region(100, gbps, 3, 5), TP_BOUND_COMPUTE);
	assert_int_equal(tp_roof_region(100, &gbps[1], 1, 5), TP_BOUND_COMPUTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attainable_is_the_lower_of_both_roofs),
		cmocka_unit_test(ridge_is_where_they_meet),
		cmocka_unit_test(regions_lie_between_the_ridges),
		cmocka_unit_test(a_level_without_a_roof_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
