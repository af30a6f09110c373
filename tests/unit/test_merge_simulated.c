/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated nodes whose clocks step, or that everything disturbs: a slow one is named, no healthy
 * one is, and where noise hides it the group says so. The long form is
 * tests/bench/merge_simulated.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "kernels/isa.h"
#include "seeds.h"
#include "simulated_nodes.h"

static const char *const regimes[] = { "quiet", "turbo-steps", "everything" };
static const char *const sets[] = { "isa=avx2", "stop.max_time=100ms" };

static size_t count_named(const struct tp_judged *judged)
{
	size_t n = 0;

	for (size_t i = 0; i < judged->found.n_nodes; i++)
		n += judged->found.nodes[i].outlier != TP_OUTLIER_NONE;
	return n;
}

static void judge(const struct simulated_nodes *s, struct tp_judged *judged)
{
	*judged = (struct tp_judged){ 0 };
	tp_node_group_judge(simulated_nodes_group(s), judged);
}

static void check_group(struct simulated_nodes *s, size_t slow, bool quiet)
{
	struct tp_judged judged;

	judge(s, &judged);
	assert_int_equal(count_named(&judged), 0);
	assert_int_equal(judged.found.n_upper, 0);
	tp_judged_release(&judged);
	simulated_nodes_plant(s, slow, PLANT_ALL, 0.9);
	judge(s, &judged);
	bool named = judged.found.nodes[slow].outlier == TP_OUTLIER_SLOW;

	assert_true(named || judged.found.smallest > 0.1);
	assert_int_equal(count_named(&judged), named);
	if (quiet)
		assert_true(judged.found.smallest < 0.05);
	tp_judged_release(&judged);
	simulated_nodes_plant(s, slow, PLANT_ALL, 1 / 0.9);
}

/* Nothing disturbs: nodes that are slow at some points alone have these named. */
static void check_quiet(struct simulated_nodes *s)
{
	struct tp_judged judged;

	simulated_nodes_plant(s, 3, PLANT_CLOCK, 0.9);
	simulated_nodes_plant(s, 4, PLANT_MEMORY, 0.9);
	judge(s, &judged);
	const struct tp_outlier_value *cells = judged.found.cells;

	for (size_t j = 0; j < s->n_points; j++) {
		enum simulated_level level = s->levels[j];

		assert_int_equal(cells[3 * s->n_points + j].outlier == TP_OUTLIER_SLOW,
				 level == LEVEL_CORE);
		assert_int_equal(cells[4 * s->n_points + j].outlier == TP_OUTLIER_SLOW,
				 level == LEVEL_MEMORY);
	}
	assert_int_equal(judged.found.nodes[4].outlier, TP_OUTLIER_NONE);
	tp_judged_release(&judged);
}

static void test_regimes(void **state)
{
	static struct simulated_nodes s;
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	if (!tp_isa_find("avx2"))
		skip(); /* roofs of the simulated machine need code of its architecture */
	assert_int_equal(
		simulated_nodes_open(&s, &simulated_machines[0], sets, TP_COUNT_OF(sets), &diags),
		TP_OK);
	for (size_t r = 0; r < TP_SEEDS(TP_COUNT_OF(regimes), 2); r++) {
		assert_int_equal(simulated_nodes_measure(&s, tp_regime_find(regimes[r]),
							 SIMULATED_NODES, 1, &diag),
				 TP_OK);
		check_group(&s, 7, r == 0);
		if (r == 0)
			check_quiet(&s);
	}
	simulated_nodes_close(&s);
	tp_diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_regimes) };

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
