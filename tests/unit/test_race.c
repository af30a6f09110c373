/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races on simulated machines, whose truth is known: the winner is within 1 % of the best. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "measure/sampler.h"
#include "record/point.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated.h"

static const char *const regimes[] = {
	"quiet",       "zen4-vm",  "gnr-vm", "turbo-steps", "smt-neighbour-bursts",
	"avx-licence", "preempted"
};

enum { SEEDS = TP_SEEDS(20, 4), MIB = 1 << 20 };

struct outcome {
	double lost; /* of the rate of the best body */
	double seconds; /* virtual */
	bool blind; /* as tp_candidate.raced_blind */
};

/* Races the bodies of a kernel at a level. */
static void race(const char *model, const struct tp_regime *regime, uint64_t seed,
		 const struct tp_kernel *kernel, enum tp_level_class level, struct outcome *outcome)
{
	static struct tp_candidate candidates[TP_MAX_CANDIDATES];
	struct tp_window_plan plan = { .kernel = *kernel, .level = level };
	struct tp_kernel_row row = { .loads = kernel->loads };
	struct tp_planned planned = { .row = &plan, .point = { .row = &row } };
	struct simulated s;
	struct tp_team *team = NULL;
	struct tp_diag diag = { .what = "" };
	struct tp_candidate winner;
	const unsigned cpu = 0;
	size_t n_best = 1;
	double best = 0;

	assert_true(simulated_open(&s, NULL, model, "quiet", seed));
	tp_simulation_free(s.simulation);
	s.simulation = tp_simulation_new(&s.machine, regime, seed);
	if (tp_simulated_team_new(&team, s.simulation, &cpu, 1, &diag) != TP_OK ||
	    tp_team_buffers(team, kernel->working_set_bytes + MIB, 0, TP_PAGES_THP, NULL, &diag) !=
		    TP_OK)
		fail_msg("%s", diag.what);
	/* As a bench does: how wide the core is shows in a rest of a neighbour. */
	for (int i = 0; i < 20 && tp_team_width(team) < 0.85 * s.machine.model.additions_per_cycle;
	     i++) {
		tp_team_rest(team, 0.05);
		tp_team_learn(team);
	}
	tp_team_rest(team, 0.05);
	const struct tp_sampling sampling = { .race_window_seconds = 25e-6,
					      .keep_within = level <= TP_CLASS_L2 ? 0.02 : 0.1 };
	size_t n = tp_bodies(&planned, candidates);
	assert_true(n > 1);
	double since = tp_team_now(team);
	if (tp_sampler_race(team, &s.machine.cpu, candidates, n, &sampling, NULL, &winner, &n_best,
			    &diag) != TP_OK)
		fail_msg("%s", diag.what);
	outcome->seconds = tp_team_now(team) - since;
	outcome->blind = winner.raced_blind;
	assert_int_equal(n_best, 1);
	for (size_t i = 0; i < n; i++)
		best = TP_MAX(best, tp_simulation_body_rate(s.simulation, &candidates[i].kernel,
							    candidates[i].placement_bytes, 1,
							    TP_PAGES_THP));
	outcome->lost = 1 - tp_simulation_body_rate(s.simulation, &winner.kernel,
						    winner.placement_bytes, 1, TP_PAGES_THP) /
				    best;
	tp_team_free(team);
	simulated_close(&s);
}

/* Of all races, at least 19 of 20 lose less than `limit`; none takes longer than `seconds`. */
static void assert_races(const char *model, const struct tp_kernel *kernel,
			 enum tp_level_class level, double limit, double seconds)
{
	for (size_t r = 0; r < TP_COUNT_OF(regimes); r++) {
		unsigned good = 0;
		double worst = 0, longest = 0;
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct outcome outcome;
			race(model, tp_regime_find(regimes[r]), seed, kernel, level, &outcome);
			good += outcome.lost <= limit;
			worst = TP_MAX(worst, outcome.lost);
			longest = TP_MAX(longest, outcome.seconds);
		}
		printf("%s %s: %u of %d, worst %.1f %%, longest %.0f ms\n", model, regimes[r], good,
		       SEEDS, 100 * worst, 1e3 * longest);
		if (20 * good < 19 * SEEDS || longest > seconds)
			fail_msg("%s, %s: %u of %d races are within %.0f %%, the worst loses %.1f "
				 "%%; the longest takes %.0f ms",
				 model, regimes[r], good, SEEDS, 100 * limit, 100 * worst,
				 1e3 * longest);
	}
}

static void pairs_of_fma_and_add(void **state)
{
	static const char *const models[] = { "zen4", "sapphire-rapids" };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(models); i++) {
		struct tp_kernel kernel = simulated_fp("avx2", TP_FP_FMA_ADD);
		assert_races(models[i], &kernel, TP_CLASS_FP, 0.01, 0.1);
	}
}

static void bodies_in_l1(void **state)
{
	struct tp_kernel kernel = simulated_load("avx2", 16 << 10);

	(void)state;
	assert_races("zen4", &kernel, TP_CLASS_L1, 0.01, 0.15);
	kernel.loads = 2;
	kernel.stores = 1;
	assert_races("sapphire-rapids", &kernel, TP_CLASS_L1, 0.01, 0.15);
}

static void bodies_in_l2(void **state)
{
	struct tp_kernel kernel = simulated_load("avx2", 256 << 10);

	(void)state;
	assert_races("zen4", &kernel, TP_CLASS_L2, 0.01, 0.1);
}

/* Windows of memory differ by several percent, and its races are short. */
static void bodies_in_memory(void **state)
{
	struct tp_kernel kernel = simulated_load("avx2", UINT64_C(1920) << 20);

	(void)state;
	assert_races("sapphire-rapids", &kernel, TP_CLASS_DRAM, 0.04, 0.1);
}

/*
 * A neighbour that works for a while and rests for a while: a race that fell into its work says
 * that it saw nothing clearly, and a race in a rest does not. In memory a sibling is one of many.
 */
static void blind_races(void **state)
{
	static const struct tp_regime comes_and_goes = {
		.name = "comes-and-goes",
		.neighbours = { { 0.5, 50e-3, 50e-3 } },
	};
	const struct tp_kernel core = simulated_load("avx2", 16384),
			       memory = simulated_load("avx2", UINT64_C(1920) << 20);
	unsigned blind = 0;
	struct outcome outcome;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		race("zen4", &comes_and_goes, seed, &core, TP_CLASS_L1, &outcome);
		blind += outcome.blind;
		if (outcome.lost > 0.01 && !outcome.blind)
			fail_msg("a race lost %.1f %% unseen", 100 * outcome.lost);
		race("zen4", tp_regime_find("quiet"), seed, &core, TP_CLASS_L1, &outcome);
		assert_false(outcome.blind);
		race("zen4", &comes_and_goes, seed, &memory, TP_CLASS_DRAM, &outcome);
		assert_false(outcome.blind);
	}
	assert_in_range(blind, 1, SEEDS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_fma_and_add), cmocka_unit_test(bodies_in_l1),
		cmocka_unit_test(bodies_in_l2),		cmocka_unit_test(bodies_in_memory),
		cmocka_unit_test(blind_races),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
