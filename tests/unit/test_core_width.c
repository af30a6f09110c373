/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells a core that is wholly ours from one that others use too, from readings that a test makes up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "measure/gauge.h"
#include "tests/unit/near.h"

static void learn(struct tp_core_width *core, const double *readings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tp_core_width_learn(core, readings[i]);
}

/* A neighbour leaves the core to us for two readings: from then on its width is known. */
static void two_readings_in_a_row_set_the_mark(void **state)
{
	static const double shared[] = { 2.1, 2.6, 3.0, 2.2, 3.99, 2.3, 2.4 };
	static const double alone[] = { 3.98, 3.99 };
	struct tp_core_width core = { 0 };

	(void)state;
	assert_true(tp_core_width_is_whole(&core, 1));
	learn(&core, shared, TP_COUNT_OF(shared));
	/* One wide reading alone says nothing. */
	assert_near(core.widest, 2.6, 0.3);
	learn(&core, alone, TP_COUNT_OF(alone));
	assert_near(core.widest, 3.98, 1e-12);
	assert_true(tp_core_width_is_whole(&core, 3.8));
	assert_false(tp_core_width_is_whole(&core, 3.7));
	assert_false(tp_core_width_is_whole(&core, 2.6));
}

/* A chain that was read too low made two readings too wide: those just below bring the mark down, narrow ones do not. */
static void the_mark_leans_towards_what_is_met(void **state)
{
	static const double odd[] = { 4.1, 4.1 };
	struct tp_core_width core = { 0 };
	double before;

	(void)state;
	learn(&core, odd, TP_COUNT_OF(odd));
	for (unsigned i = 0; i < 200; i++)
		tp_core_width_learn(&core, 3.99);
	assert_near(core.widest, 3.99, 0.01);
	before = core.widest;
	for (unsigned i = 0; i < 200; i++)
		tp_core_width_learn(&core, 2.5);
	assert_near(core.widest, before, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_readings_in_a_row_set_the_mark),
		cmocka_unit_test(the_mark_leans_towards_what_is_met),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
