/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What makes a search hard: late bloomers, disturbances, invocations that differ, an unlucky order.
 * What racing does about it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/autotune/row.h"
#include "experiments/experiment.h"
#include "tests/unit/tuning_search.h"

/*
 * Most techniques lose a configuration that becomes fast late; a minimum count keeps it, and so
 * does a race where calls are short.
 */
static void late_bloomers(void **state)
{
	static struct space space;
	struct found found;

	(void)state;
	make_ladder(&space, 30, 0.003);
	for (size_t i = 0; i < space.n; i++)
		space.configs[i].call_seconds = 0.4e-3;
	space.configs[29].rate = 40;
	space.configs[29].late = 0.5;
	space.configs[29].late_after = 90;
	assert_int_equal(search(&space, "default").best.index, 29);
	assert_true(search(&space, "c+i+o").best.index != 29);
	assert_int_equal(search(&space, "c+i+o/200").best.index, 29);
	assert_int_equal(search(&space, "racing/200").best.index, 29);
	/* Within the milliseconds of its first turn. */
	for (size_t i = 0; i < space.n; i++)
		space.configs[i].call_seconds = 0.05e-3;
	space.configs[29].late_after = 25;
	found = search(&space, "racing");
	assert_int_equal(found.best.index, 29);
	/* By a second look: it was near enough. */
	for (size_t i = 0; i < space.n; i++)
		space.configs[i].call_seconds = 0.2e-3;
	space.configs[29].rate = 30;
	space.configs[29].late = 0.25;
	space.configs[29].late_after = 80;
	assert_true(search(&space, "c+i+o").best.index != 29);
	found = search(&space, "racing");
	assert_int_equal(found.best.index, 29);
	assert_near(found.best.value, 30, 0.3);
	expect_accounts(&space, "racing");
}

/*
 * Drift, two modes, invocations that differ, cold starts: within 2 % of the best, whatever happens
 * to it. Cold starts are late bloomers to those who stop an invocation early: they get a minimum
 * count.
 */
static void disturbances(void **state)
{
	static const char *const names[] = { "confidence", "c+i", "c+i+o", "c+i+o+r", "racing" };
	static const struct space_config kinds[] = {
		{ .noise = 0.003, .cold = 0.2, .warm_after = 10 },
		{ .noise = 0.003, .drift = -1e-4 },
		{ .noise = 0.003, .second_mode = 0.3 },
		{ .noise = 0.003, .spread = 0.01 },
		{ .noise = 0.02, .spread = 0.005 },
	};
	static struct space space;

	(void)state;
	for (size_t kind = 0; kind < TP_COUNT_OF(kinds); kind++) {
		make_ladder(&space, 30, 0.003);
		for (size_t i = 0; i < space.n; i++) {
			double rate = space.configs[i].rate;

			space.configs[i] = kinds[kind];
			space.configs[i].rate = rate;
			space.configs[i].call_seconds = 2e-3;
		}
		for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
			bool is_early = strncmp(names[i], "c+i", 3) == 0;
			char name[24];

			snprintf(name, sizeof(name), "%s%s", names[i],
				 is_early && kinds[kind].cold > 0 ? "/30" : "");

			struct found found = search(&space, name);
			double loss = 1 - space.configs[found.best.index].rate /
						  space.configs[space_best(&space)].rate;

			assert_int_equal(found.status, TP_OK);
			if (loss > 0.02)
				fail_msg("kind %zu: %s loses %g", kind, name, loss);
			expect_accounts(&space, name);
		}
	}
}

/*
 * The best has an unlucky first invocation now and then: who stops at once loses it, a race that
 * knows the spread does not.
 */
static void racing_sees_the_spread_of_invocations(void **state)
{
	static struct space space;
	size_t lost = 0, lost_at_once = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		make_ladder(&space, 20, 0.002);
		space.seed = seed;
		for (size_t i = 0; i < space.n; i++)
			space.configs[i].spread = 0.025;
		lost += search(&space, "racing").best.index != space_best(&space);
		lost_at_once += search(&space, "c+i+o").best.index != space_best(&space);
	}
	assert_int_equal(lost, 0);
	assert_true(lost_at_once > 6);
}

static void racing_does_not_depend_on_the_order(void **state)
{
	static struct space space;
	size_t order[SPACE_MAX];
	struct tp_tuning_rules rules = { .order = order };

	(void)state;
	space_make(&space, 96, 2e-3, 0.01, 0.005, 11);
	for (uint64_t lot = 0; lot < 20; lot++) {
		double race, best = space.configs[space_best(&space)].rate;
		struct found found;

		space_shuffle(&space, lot, order);
		found = search_with(&space, "racing", &rules);
		race = space.now;
		assert_int_equal(found.status, TP_OK);
		assert_true(space.configs[found.best.index].rate >= 0.99 * best);
		assert_true(race <= cost(&space, "c+i+o", &rules));
	}
}

/*
 * A neighbour slows everything down for most of the time, and it is seen: whose values are those of
 * a whole core is preferred, whoever had to do with less is not beaten by that.
 */
static void what_is_seen_to_be_disturbed_does_not_count(void **state)
{
	static const char *const names[] = { "default", "confidence", "c+i", "c+i+o", "racing" };
	static struct space space;

	(void)state;
	make_ladder(&space, 30, 0.003);
	space.slow = 0.3;
	space.slow_period = 0.25;
	space.slow_until = 0.15;
	space.knows_shares = true;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		const struct space_config *best = &space.configs[space_best(&space)];
		unsigned disturbed = 0;
		struct found found;

		found = search(&space, names[i]);
		assert_int_equal(found.status, TP_OK);
		if (found.best.index != space_best(&space))
			fail_msg("%s finds %u", names[i], found.best.index);
		assert_near(found.best.value / best->rate, 1, 0.01);
		for (size_t k = 0; k < space.n; k++)
			disturbed += space.trials[k].disturbed;
		assert_int_equal(disturbed, space.disturbed);
		assert_true(disturbed > 0);
		expect_accounts(&space, names[i]);
	}
}

/*
 * Where it is never quiet, waiting for it has an end, and what is found is found among what there
 * was.
 */
static void a_neighbour_that_stays_is_lived_with(void **state)
{
	static const char *const names[] = { "confidence", "c+i", "c+i+o", "racing" };
	static struct space space;
	double quiet;

	(void)state;
	make_ladder(&space, 30, 0.003);
	space.slow = 0.3;
	space.knows_shares = true;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct found found;

		space.slow_until = 0;
		search(&space, names[i]);
		quiet = space.now;
		space.slow_until = INFINITY;
		found = search(&space, names[i]);
		assert_int_equal(found.status, TP_OK);
		assert_int_equal(found.best.index, space_best(&space));
		assert_int_equal(found.best.disturbed, found.best.iterations);
		if (space.now > 4 * quiet + 1)
			fail_msg("%s takes %g s, undisturbed %g s", names[i], space.now, quiet);
		expect_accounts(&space, names[i]);
	}
}

/* Without a process to share it still finds the same. */
static void racing_does_not_need_to_share(void **state)
{
	static struct space space;
	struct tp_tuned tuned;
	struct tp_technique technique;
	struct tp_trial best;
	struct tp_diag diag;

	(void)state;
	make_ladder(&space, 40, 0.003);
	space_reset(&space);
	tuned = space_tuned(&space);
	assert_true(tp_technique_find("racing", &technique));
	assert_int_equal(
		space_search(&technique, &tuned, &(struct tp_tuning_rules){ 0 }, &best, &diag),
		TP_OK);
	assert_int_equal(best.index, space_best(&space));
	expect_accounts(&space, "racing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_bloomers),
		cmocka_unit_test(disturbances),
		cmocka_unit_test(racing_sees_the_spread_of_invocations),
		cmocka_unit_test(racing_does_not_depend_on_the_order),
		cmocka_unit_test(racing_does_not_need_to_share),
		cmocka_unit_test(what_is_seen_to_be_disturbed_does_not_count),
		cmocka_unit_test(a_neighbour_that_stays_is_lived_with),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
