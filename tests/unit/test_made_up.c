/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches on simulated machines, whose best configuration is known: what each technique chooses
 * and reports, over seeds; what a study says of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/autotune/autotune.h"
#include "experiments/autotune/row.h"
#include "experiments/bench.h"
#include "measure/sampler.h"
#include "tests/unit/near.h"
#include "tests/unit/simulated_run.h"

#define EVERY                                                                                      \
	"technique=default,single,hand-time,hand-accuracy,confidence,c+i,c+i+r,c+i+o,c+i+o+r,"     \
	"racing"

enum { SEEDS = 2, RATES = 128 };

/* A study of one space, measured. */
struct study {
	struct simulated_run run;
	double truth[RATES]; /* of each configuration of the first search */
	double best;
};

static bool take_trial(void *context, const struct tp_row_event *kind, const void *row)
{
	assert_ptr_equal(kind, &tp_trial_event);
	assert_int_equal(tp_trials_put(context, row), TP_OK);
	return true;
}

/* As the engine does it: all points are prepared, then run in their order. */
static void measure(struct simulated_run *s, const struct tp_regime *regime, uint64_t seed)
{
	const struct tp_experiment *experiment = tp_experiment_find("autotune");
	struct tp_plan *plan = &s->session.plan;
	TP_FREE const struct tp_planned **all = tp_alloc(plan->n + 1, sizeof(*all));
	const struct tp_watch watch = { .context = &s->run, .row = take_trial };
	struct tp_bench bench;
	struct tp_diag diag;

	tp_simulation_free(s->simulation);
	tp_run_release(&s->run);
	s->run = (struct tp_run){ .points = calloc(plan->n + 1, sizeof(*s->run.points)) };
	s->simulation = tp_simulation_new(&s->session.machine, regime, seed);
	tp_bench_simulate(&bench, s->simulation, &watch);
	for (size_t i = 0; i < plan->n; i++)
		all[i] = &plan->items[i];
	assert_int_equal(experiment->prepare(&bench, all, plan->n, &diag), TP_OK);
	for (size_t i = 0; i < plan->n; i++) {
		struct tp_point *point = &s->run.points[s->run.n_points++];

		tp_point_take(point, &all[i]->point, &s->run.arena);
		if (experiment->run(&bench, all[i], point, &diag) != TP_OK)
			fail_msg("%s", diag.what);
		assert_int_equal(point->state, TP_POINT_DONE);
	}
	tp_bench_release(&bench);
	tp_study_make(&s->run);
}

static struct tp_routine_config config_of(const struct tp_planned *planned, size_t index)
{
	struct tp_routine_config c = tp_autotune_config(tp_autotune_of(planned), index);

	c.n_cpus = planned->point.threads;
	c.pages = planned->pages;
	tp_copy(c.library, sizeof(c.library), "simulated");
	return c;
}

/* GFLOP/s or GB/s when nothing disturbs. */
static double truth_of(const struct simulated_run *s, const struct tp_planned *planned,
		       size_t index)
{
	struct tp_routine_config c = config_of(planned, index);
	struct tp_made_up made;
	bool triad = c.id == TP_ROUTINE_TRIAD;

	tp_made_up_make(s->simulation, &c, &made);
	return (triad ? tp_routine_bytes(&c) : tp_routine_flop(&c)) / made.call_seconds * 1e-9;
}

static void study_of(struct study *study, const char *const *sets, size_t n,
		     const struct tp_regime *regime, uint64_t seed)
{
	struct tp_diags diags = { 0 };

	*study = (struct study){ 0 };
	assert_int_equal(simulated_open(&study->run, sets, n, &diags), TP_OK);
	measure(&study->run, regime, seed);
	const struct tp_planned *first = &study->run.session.plan.items[0];
	for (size_t i = 0; i < tp_autotune_of(first)->n; i++) {
		study->truth[i] = truth_of(&study->run, first, i);
		study->best = fmax(study->best, study->truth[i]);
	}
	tp_diags_release(&diags);
}

static void close_study(struct study *study)
{
	simulated_close(&study->run);
}

/* How far the true rate of its choice, and its figure, are below the best truth. */
static double lost_of(const struct study *study, const struct tp_study_row *row)
{
	return 1 - study->truth[row->index] / study->best;
}

static void every_technique_finds_the_known_best(void **state)
{
	static const char *const machines[] = { "machine=zen4", "machine=granite-rapids",
						"machine=neoverse-v1" };

	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			const char *const sets[] = {
				"experiment=autotune",	  machines[m],
				"simulate=quiet",	  "autotune.space=small",
				"autotune.iterations=20", EVERY
			};
			struct study study;

			study_of(&study, sets, TP_COUNT_OF(sets), tp_regime_find("quiet"), seed);
			assert_int_equal(tp_run_n_study(&study.run.run), 10);
			for (size_t i = 0; i < 10; i++) {
				const struct tp_study_row *row = &tp_run_study(&study.run.run)[i];

				if (lost_of(&study, row) > 0.01 ||
				    fabs(row->best / study.best - 1) > 0.02)
					fail_msg(
						"%s, seed %d, %s: loses %.3f, reports %.4g of %.4g",
						machines[m], (int)seed, row->technique,
						lost_of(&study, row), row->best, study.best);
			}
			close_study(&study);
		}
}

/* Both columns, by what the baseline measured and by what is true. */
static void losses_are_what_they_should_be(void **state)
{
	static const char *const sets[] = { "experiment=autotune",    "machine=zen4",
					    "simulate=gnr-vm",	      "autotune.space=small",
					    "autotune.iterations=20", EVERY };
	struct study study;
	const struct tp_trial *base;

	(void)state;
	study_of(&study, sets, TP_COUNT_OF(sets), tp_regime_find("gnr-vm"), 1);
	base = tp_trials_best(&study.run.run, 0);
	for (size_t i = 0; i < tp_run_n_study(&study.run.run); i++) {
		const struct tp_study_row *row = &tp_run_study(&study.run.run)[i];
		size_t n;
		const struct tp_trial *trials = tp_trials_of(&study.run.run, 0, &n);

		assert_int_equal(n, 96);
		assert_near(row->baseline_value, trials[row->index].value, 0);
		assert_near(row->loss, 1 - trials[row->index].value / base->value, 1e-12);
		assert_near(row->error, row->best / base->value - 1, 1e-12);
	}
	close_study(&study);
}

/*
 * The clock falls while the study goes on, by a third. All techniques are slower alike, so their
 * speed-up is that of a steady machine.
 */
static void a_falling_clock_is_nobodys_speedup(void **state)
{
	static const char *const sets[] = { "experiment=autotune",
					    "machine=zen4",
					    "simulate=quiet",
					    "autotune.n=480,500,520,540",
					    "autotune.m=480,500,520,540",
					    "autotune.k=500",
					    "autotune.iterations=100",
					    "autotune.max_time=100s",
					    "technique=default,hand-accuracy" };
	struct study steady, falling;
	struct tp_regime regime = { .name = "quiet" };

	(void)state;
	study_of(&steady, sets, TP_COUNT_OF(sets), &regime, 1);
	const struct tp_study_row *rows = tp_run_study(&steady.run.run);
	regime.drift.depth = 1.0 / 3;
	regime.drift.period_seconds = 2 * (rows[0].seconds + rows[1].seconds);
	study_of(&falling, sets, TP_COUNT_OF(sets), &regime, 1);
	const struct tp_study_row *slower = tp_run_study(&falling.run.run);
	assert_true(slower[0].seconds > 1.1 * rows[0].seconds);
	if (fabs(slower[1].speedup / rows[1].speedup - 1) > 0.03)
		fail_msg("a speed-up of %.4g instead of %.4g", slower[1].speedup, rows[1].speedup);
	close_study(&falling);
	close_study(&steady);
}

static void triad_reaches_the_levels(void **state)
{
	static const char *const sets[] = { "experiment=autotune", "machine=zen4", "simulate=quiet",
					    "routine=triad", "scope=core,socket" };
	struct study study;

	(void)state;
	study_of(&study, sets, TP_COUNT_OF(sets), tp_regime_find("quiet"), 1);
	assert_int_equal(study.run.run.n_points, 8);
	for (unsigned i = 0; i < 8; i++) {
		const struct tp_trial *best = tp_trials_best(&study.run.run, i);
		double truth = truth_of(&study.run, &study.run.session.plan.items[i], best->index);

		if (fabs(best->value / truth - 1) > 0.03)
			fail_msg("search %u: %.4g GB/s instead of %.4g", i, best->value, truth);
	}
	close_study(&study);
}

/* The names are those of the study, and every seed repeats a run to the last bit. */
static void a_seed_repeats_a_run(void **state)
{
	static const char *const sets[] = { "experiment=autotune", "machine=zen3",
					    "simulate=gnr-vm",	   "autotune.space=small",
					    "blas=openblas,blis",  "technique=single,racing" };
	double best[2][4];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct study study;

		study_of(&study, sets, TP_COUNT_OF(sets), tp_regime_find("gnr-vm"), 5);
		assert_string_equal(study.run.run.points[0].kernel, "dgemm/openblas");
		assert_string_equal(study.run.run.points[3].kernel, "dgemm/blis");
		for (int k = 0; k < 4; k++)
			best[i][k] = study.run.run.points[k].median;
		close_study(&study);
	}
	for (int k = 0; k < 4; k++)
		assert_near(best[0][k], best[1][k], 0);
}

/* Somebody skips the search of one point: the others of the study are searched all the same. */
static bool until_skipped(void *context)
{
	int *left = context;

	return (*left)-- != 0;
}

static void a_skipped_search_leaves_the_others(void **state)
{
	static const char *const sets[] = { "experiment=autotune",
					    "machine=zen4",
					    "simulate=quiet",
					    "autotune.n=128,256",
					    "autotune.m=128",
					    "autotune.k=128",
					    "technique=default,single,racing" };
	struct tp_diags diags = { 0 };
	struct simulated_run s;
	struct tp_bench bench;
	struct tp_diag diag;
	const struct tp_planned *all[3];
	const struct tp_experiment *experiment = tp_experiment_find("autotune");
	int left = 40;
	const struct tp_watch watch = { .context = &left, .go_on = until_skipped };

	(void)state;
	assert_int_equal(simulated_open(&s, sets, TP_COUNT_OF(sets), &diags), TP_OK);
	s.run.points = calloc(4, sizeof(*s.run.points));
	assert_non_null(s.run.points);
	s.simulation = tp_simulation_new(&s.session.machine, tp_regime_find("quiet"), 1);
	tp_bench_simulate(&bench, s.simulation, &watch);
	for (size_t i = 0; i < 3; i++)
		all[i] = &s.session.plan.items[i];
	assert_int_equal(experiment->prepare(&bench, all, 3, &diag), TP_OK);
	for (size_t i = 0; i < 3; i++) {
		struct tp_point *point = &s.run.points[s.run.n_points++];

		tp_point_take(point, &all[i]->point, &s.run.arena);
		assert_int_equal(experiment->run(&bench, all[i], point, &diag),
				 i == 0 ? TP_CANCELLED : TP_OK);
		assert_int_equal(point->state, i == 0 ? TP_POINT_SKIPPED : TP_POINT_DONE);
		assert_true(i == 0 || (point->median > 0 && point->seconds > 0));
		left = -1; /* goes on for good */
	}
	tp_bench_release(&bench);
	simulated_close(&s);
	tp_diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_technique_finds_the_known_best),
		cmocka_unit_test(losses_are_what_they_should_be),
		cmocka_unit_test(a_falling_clock_is_nobodys_speedup),
		cmocka_unit_test(triad_reaches_the_levels),
		cmocka_unit_test(a_seed_repeats_a_run),
		cmocka_unit_test(a_skipped_search_leaves_the_others),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
