/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmocka's assert_float_equal compares in single precision; this one does not. Include after
 * <cmocka.h>.
 */
#ifndef TPROF_TESTS_NEAR_H
#define TPROF_TESTS_NEAR_H

#include <math.h>

#define assert_near(value, expected, tolerance)                                                    \
	do {                                                                                       \
		double near_value = (value), near_expected = (expected);                           \
		if (!(fabs(near_value - near_expected) <= (tolerance)))                            \
			fail_msg("%s is %.15g, not %.15g", #value, near_value, near_expected);     \
	} while (0)

#endif
