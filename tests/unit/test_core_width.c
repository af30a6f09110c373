/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tells a core that is wholly ours from one that others use too, from readings that a test
 * makes up.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/gauge.h"
#include "tests/unit/near.h"

static bool is_whole(const struct tp_core_width *core, double width)
{
	return width >= tp_core_width_least(core);
}

/* Evenly between `low` and `high`, the same each time. */
static void learn_spread(struct tp_core_width *core, double low, double high, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tp_core_width_learn(core, low + (high - low) * ((i * 37 + 11) % 101) / 101);
}

static void learn(struct tp_core_width *core, double width, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tp_core_width_learn(core, width * (1 + 0.002 * (i % 3)));
}

/* A neighbour leaves the core to us for a few readings: from then on its width is known. */
static void a_few_equal_readings_tell_the_width(void **state)
{
	struct tp_core_width core = { 0 };

	(void)state;
	assert_true(is_whole(&core, 1));
	tp_core_width_learn(&core, 3.99);
	tp_core_width_learn(&core, 2.3);
	tp_core_width_learn(&core, 3.1);
	assert_near(core.widest, 0, 0); /* one wide reading alone says nothing */
	learn(&core, 3.98, 3);
	assert_near(core.widest, 3.98, 0.02);
	learn_spread(&core, 2, 3.2, 300);
	assert_near(core.widest, 3.98, 0.02);
	assert_true(is_whole(&core, 3.85));
	assert_false(is_whole(&core, 3.7));
	assert_false(is_whole(&core, 2.6));
}

/*
 * Chains that are read too low make a core look too wide, here and there: that is not a width that
 * it ever gives again.
 */
static void odd_readings_set_no_mark(void **state)
{
	struct tp_core_width core = { 0 };

	(void)state;
	learn(&core, 3.99, 40);
	for (unsigned i = 0; i < 50; i++) {
		learn_spread(&core, 4.3, 12, 1 + i % 3);
		learn(&core, 3.99, 100);
		learn_spread(&core, 2, 3.2, 300);
	}
	assert_near(core.widest, 3.99, 0.02);
	/* Even if some of them agree: not beside so many others. */
	learn(&core, 4.8, 5);
	assert_near(core.widest, 3.99, 0.02);
}

/*
 * Widths of a whole core may scatter to one side, as where additions find their ports by chance.
 * The width is where most of them are, not their upper end: the many are no less whole than the
 * few.
 */
static void the_width_is_where_most_readings_are(void **state)
{
	struct tp_core_width core = { 0 };

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		tp_core_width_learn(&core, i % 3 < 2 ? 3.90 : 3.95);
		if (i % 16 == 0)
			tp_core_width_learn(&core, 4.05);
		if (i % 50 == 0)
			tp_core_width_learn(&core, 4.12);
	}
	assert_near(core.widest, 3.92, 0.04);
	assert_true(is_whole(&core, 3.80));
	/* A neighbour that is there most of the time does not draw it down. */
	learn_spread(&core, 1.9, 2.9, 20000);
	assert_near(core.widest, 3.92, 0.04);
}

/* What cannot be is not a reading. */
static void nothing_is_learnt_from_nonsense(void **state)
{
	static const double nonsense[] = { 0, -1, NAN, INFINITY };
	struct tp_core_width core = { 0 };

	(void)state;
	for (unsigned k = 0; k < 10; k++)
		for (size_t i = 0; i < TP_COUNT_OF(nonsense); i++)
			tp_core_width_learn(&core, nonsense[i]);
	assert_int_equal(core.n, 0);
	learn(&core, 1e-3, 5);
	learn(&core, 1e6, 5);
	assert_near(core.widest, 1e6, 3e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_equal_readings_tell_the_width),
		cmocka_unit_test(odd_readings_set_no_mark),
		cmocka_unit_test(the_width_is_where_most_readings_are),
		cmocka_unit_test(nothing_is_learnt_from_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
