/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches over made-up spaces, for the tests of techniques and of racing. */
#ifndef TPROF_TESTS_UNIT_TUNING_SEARCH_H
#define TPROF_TESTS_UNIT_TUNING_SEARCH_H

#include "experiments/autotune/row.h"
#include "tests/unit/near.h"
#include "tests/unit/tuning_space.h"

struct found {
	struct tp_trial best;
	enum tp_status status;
	struct tp_diag diag;
};

static inline struct found search_with(struct space *space, const char *name,
				       const struct tp_tuning_rules *rules)
{
	struct tp_tuned tuned = space_tuned(space);
	struct tp_technique technique;
	struct found found = { 0 };

	if (!tp_technique_find(name, &technique))
		fail_msg("there is no technique %s", name);
	space_reset(space);
	space->shares = technique.race;
	found.status = space_search(&technique, &tuned, rules, &found.best, &found.diag);
	return found;
}

static inline struct found search(struct space *space, const char *name)
{
	return search_with(space, name, &(struct tp_tuning_rules){ 0 });
}

/* Well apart: 3 % and more between neighbours. Calls last as long for all. */
static inline void make_ladder(struct space *space, size_t n, double noise)
{
	space_make(space, n, 1e-3, noise, 0.002, 1);
	for (size_t i = 0; i < n; i++) {
		size_t rung = (i * 7 + 3) % n; /* n must not be a multiple of 7 */

		space->configs[i].rate = 10 * pow(1.03, (double)rung);
		space->configs[i].call_seconds = 1e-3;
	}
}

/* Whatever began was ended and counted; every second belongs to a configuration. */
static inline void expect_accounts(const struct space *space, const char *name)
{
	unsigned invocations = 0, iterations = 0;
	double seconds = 0;

	for (size_t i = 0; i < space->n; i++) {
		invocations += space->trials[i].invocations;
		iterations += space->trials[i].iterations;
		seconds += space->trials[i].seconds;
		const struct tp_trial *t = &space->trials[i];
		/* No interval is 0 to 0. */
		if (t->ci_high > 0 && (t->ci_low > t->value || t->value > t->ci_high))
			fail_msg("%s: %g is not within %g to %g", name, t->value, t->ci_low,
				 t->ci_high);
	}
	if (invocations != space->begins || iterations != space->iterations || space->is_open)
		fail_msg("%s: %u of %u invocations, %u of %u iterations are told%s", name,
			 invocations, space->begins, iterations, space->iterations,
			 space->is_open ? ", one is open" : "");
	assert_near(seconds, space->now, 1e-9);
}

static inline void expect_all_finished(const struct space *space)
{
	for (size_t i = 0; i < space->n; i++) {
		assert_true(space->trials[i].finished);
		assert_true(space->trials[i].stopped[0] != '\0');
	}
}

static inline double cost(struct space *space, const char *name,
			  const struct tp_tuning_rules *rules)
{
	assert_int_equal(search_with(space, name, rules).status, TP_OK);
	return space->now;
}

#endif
