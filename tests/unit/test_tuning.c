/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches over made-up spaces: what they find, what they cost by the clock of the space, and that
 * nothing is lost on the way.
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
#include "experiments/experiment.h"
#include "record/point.h"
#include "record/run.h"
#include "experiments/autotune/autotune.h"
#include "experiments/autotune/row.h"
#include "tests/unit/tuning_search.h"

/* --- techniques --- */

static void techniques_have_names(void **state)
{
	static const char *const wrong[] = { "",      "fast",	  "c+i+",	   "c+i/",
					     "c+i/1", "c+i/x",	  "c+i/-5",	   "default/100",
					     "c",     "single/5", "racing/9999999" };
	struct tp_technique t;

	(void)state;
	for (size_t i = 0; i < tp_technique_count; i++) {
		assert_true(tp_technique_find(tp_technique_table[i].name, &t));
		assert_string_equal(t.name, tp_technique_table[i].name);
		assert_int_equal(t.min_count, 0);
	}
	assert_true(tp_technique_find("c+i+o+r/100", &t));
	assert_string_equal(t.name, "c+i+o+r");
	assert_true(t.reverse && t.outer && t.inner && t.confidence && !t.race);
	assert_int_equal(t.min_count, 100);
	assert_true(tp_technique_find("racing/2", &t));
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++)
		if (tp_technique_find(wrong[i], &t))
			fail_msg("\"%s\" is a technique", wrong[i]);
}

static void every_technique_finds_a_clear_winner(void **state)
{
	static struct space space;

	(void)state;
	make_ladder(&space, 40, 0.003);
	for (size_t i = 0; i < tp_technique_count; i++) {
		const char *name = tp_technique_table[i].name;
		struct found found = search(&space, name);
		size_t winners = 0;

		assert_int_equal(found.status, TP_OK);
		if (found.best.index != space_best(&space))
			fail_msg("%s chose %u for %zu", name, found.best.index, space_best(&space));
		assert_near(found.best.value / space.configs[found.best.index].rate, 1, 0.015);
		assert_true(found.best.finished && found.best.incumbent);
		expect_accounts(&space, name);
		expect_all_finished(&space);
		/* Told last as it is returned; no other incumbent is as good. */
		assert_memory_equal(&found.best, &space.trials[found.best.index],
				    sizeof(found.best));
		for (size_t k = 0; k < space.n; k++)
			winners += space.trials[k].incumbent &&
				   space.trials[k].value >= found.best.value;
		assert_int_equal(winners, 1);
	}
}

static void fixed_techniques_take_fixed_numbers(void **state)
{
	static const struct {
		const char *name;
		unsigned invocations, iterations;
	} rows[] = { { "default", 10, 200 },
		     { "single", 1, 1 },
		     { "hand-time", 1, 10 },
		     { "hand-accuracy", 5, 50 } };
	static struct space space;

	(void)state;
	make_ladder(&space, 10, 0.003);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		search(&space, rows[i].name);
		for (size_t k = 0; k < space.n; k++) {
			assert_int_equal(space.trials[k].invocations, rows[i].invocations);
			assert_int_equal(space.trials[k].iterations,
					 rows[i].invocations * rows[i].iterations);
			assert_string_equal(space.trials[k].stopped, "samples");
		}
	}
	search_with(&space, "default",
		    &(struct tp_tuning_rules){ .invocations = 3, .iterations = 7 });
	assert_int_equal(space.iterations, 10 * 3 * 7);
}

/*
 * A slow while, long enough for all invocations of some configurations if they came one after
 * another, costs nobody the lead.
 */
static void fixed_techniques_go_in_rounds(void **state)
{
	static struct space space;
	size_t best;

	(void)state;
	make_ladder(&space, 10, 0.003);
	best = space_best(&space);
	cost(&space, "default", &(struct tp_tuning_rules){ 0 });
	space.slow = 0.3;
	space.slow_from = space.now * (double)best / 10;
	space.slow_until = space.slow_from + space.now * 0.2;
	assert_int_equal(search(&space, "default").best.index, best);
	assert_near(space.trials[best].value / space.configs[best].rate, 1, 0.01);
	space.cancel_at = space.steps / 2;
	assert_int_equal(search(&space, "default").best.index, best);
	for (size_t i = 0; i < space.n; i++)
		assert_in_range(space.trials[i].invocations, 4, 6);
}

static void each_rule_saves_what_it_should(void **state)
{
	static struct space space;
	struct tp_tuning_rules rules = { 0 };
	double fixed, confidence, inner, outer, race;

	(void)state;
	space_make(&space, 96, 2e-3, 0.01, 0.005, 3);
	fixed = cost(&space, "default", &rules);
	confidence = cost(&space, "confidence", &rules);
	inner = cost(&space, "c+i", &rules);
	outer = cost(&space, "c+i+o", &rules);
	race = cost(&space, "racing", &rules);
	assert_true(fixed > 5 * confidence);
	assert_true(confidence > 1.2 * inner);
	assert_true(inner > 2 * outer);
	assert_true(fixed > 50 * outer);
	assert_true(outer > race);
}

static void what_is_beaten_ends_at_once(void **state)
{
	static struct space space;
	struct found found;

	(void)state;
	space_make(&space, 3, 1e-3, 0.003, 0.002, 1);
	for (size_t i = 0; i < 3; i++)
		space.configs[i] = (struct space_config){ .rate = 50 - 20 * (double)i,
							  .call_seconds = 8e-3,
							  .noise = 0.003 };
	found = search(&space, "c+i+o");
	assert_int_equal(found.best.index, 0);
	assert_string_equal(space.trials[0].stopped, "confident");
	for (size_t i = 1; i < 3; i++) {
		assert_string_equal(space.trials[i].stopped, "beaten");
		assert_int_equal(space.trials[i].invocations, 1);
		assert_int_equal(space.trials[i].iterations, 2);
		assert_false(space.trials[i].incumbent);
	}
	/* Without the outer rule each invocation is cut, but there are more of them. */
	search(&space, "c+i");
	assert_true(space.trials[1].invocations >= 3);
	assert_true(space.trials[1].iterations < 5 * space.trials[1].invocations);
	/* And not before there are so many. */
	search(&space, "c+i+o/50");
	assert_int_equal(space.trials[1].invocations, 1);
	assert_int_equal(space.trials[1].iterations, 50);
}

static void the_order_is_kept_or_reversed(void **state)
{
	static struct space space;
	size_t order[] = { 3, 0, 4, 1, 2 };
	struct tp_tuning_rules rules = { .order = order };

	(void)state;
	make_ladder(&space, 5, 0.003);
	search_with(&space, "c+i+o", &rules);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(space.trials[order[i]].position, i);
	search_with(&space, "c+i+o+r", &rules);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(space.trials[order[i]].position, 4 - i);
	search(&space, "c+i+r");
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(space.trials[i].position, 4 - i);
}

static void the_time_of_a_configuration_is_limited(void **state)
{
	static const char *const names[] = { "default", "confidence", "c+i+o", "racing" };
	static struct space space;

	(void)state;
	make_ladder(&space, 5, 0.01);
	for (size_t i = 0; i < 5; i++) {
		space.configs[i].call_seconds = 3;
		space.configs[i].rate = 50;
	}
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct found found = search(&space, names[i]);

		assert_int_equal(found.status, TP_OK);
		for (size_t k = 0; k < space.n; k++)
			assert_true(space.trials[k].seconds < 10 + 2 * 3.3);
		expect_accounts(&space, names[i]);
	}
	search(&space, "default");
	assert_string_equal(space.trials[0].stopped, "time");
	assert_int_equal(space.trials[0].iterations, 4);
	/* Short calls come in batches; a batch is not begun that would last beyond the limit. */
	make_ladder(&space, 5, 0.003);
	search_with(&space, "default", &(struct tp_tuning_rules){ .max_seconds = 0.5 });
	for (size_t k = 0; k < space.n; k++)
		assert_true(space.trials[k].seconds < 0.51 && space.trials[k].seconds > 0.49);
}

static void every_basis_finds_it(void **state)
{
	static const enum tp_stop_basis bases[] = { TP_BASIS_MEDIAN, TP_BASIS_MEAN,
						    TP_BASIS_TRIMMED, TP_BASIS_SIGMA };
	static const char *const names[] = { "default", "confidence", "c+i+o", "racing" };
	static struct space space;

	(void)state;
	make_ladder(&space, 30, 0.005);
	for (size_t b = 0; b < TP_COUNT_OF(bases); b++)
		for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
			struct tp_tuning_rules rules = { .basis = bases[b] };
			struct found found = search_with(&space, names[i], &rules);

			assert_int_equal(found.status, TP_OK);
			assert_int_equal(found.best.index, space_best(&space));
			expect_accounts(&space, names[i]);
		}
}

/* --- what goes wrong --- */

static void one_that_fails_is_passed_over(void **state)
{
	static struct space space;

	(void)state;
	make_ladder(&space, 20, 0.003);
	space.configs[space_best(&space)].fails_to_begin = true;
	space.configs[2].fails_at = 1;
	space.configs[3] = (struct space_config){ 90, 1e-3, .fails_at = 2 };
	space.configs[5] = (struct space_config){ 91, 1e-3, .fails_at = 1, .fails_with = NAN };
	space.configs[6] = (struct space_config){ 92, 1e-3, .fails_at = 1, .fails_with = -1 };
	for (size_t i = 0; i < tp_technique_count; i++) {
		const char *name = tp_technique_table[i].name;
		struct found found = search(&space, name);
		const struct space_config *c = &space.configs[found.best.index];

		assert_int_equal(found.status, TP_OK);
		assert_false(c->fails_to_begin || c->fails_at == 1);
		assert_string_equal(space.trials[space_best(&space)].stopped, "failed");
		assert_string_equal(space.trials[2].stopped, "failed");
		assert_string_equal(space.trials[5].stopped, "failed");
		assert_string_equal(space.trials[6].stopped, "failed");
		assert_int_equal(space.trials[6].iterations, 0);
		if (i > 1) { /* a single call does not come so far */
			assert_string_equal(space.trials[3].stopped, "failed");
			assert_true(c->rate < 60);
		}
		expect_all_finished(&space);
		assert_false(space.is_open);
	}
}

static void if_all_fail_the_first_reason_is_told(void **state)
{
	static struct space space;

	(void)state;
	make_ladder(&space, 5, 0.003);
	for (size_t i = 0; i < space.n; i++)
		space.configs[i].fails_to_begin = true;
	for (size_t i = 0; i < tp_technique_count; i++) {
		struct found found = search(&space, tp_technique_table[i].name);

		assert_int_equal(found.status, TP_RESOURCE);
		assert_non_null(strstr(found.diag.what, "does not fit"));
		assert_false(found.best.finished);
	}
}

static void no_configuration_is_an_error(void **state)
{
	static struct space space;

	(void)state;
	for (size_t i = 0; i < tp_technique_count; i++) {
		struct found found = search(&space, tp_technique_table[i].name);

		assert_int_equal(found.status, TP_USAGE);
		assert_true(found.diag.hint[0] != '\0');
	}
}

static void a_single_configuration_wins(void **state)
{
	static struct space space;

	(void)state;
	make_ladder(&space, 1, 0.003);
	for (size_t i = 0; i < tp_technique_count; i++) {
		assert_int_equal(search(&space, tp_technique_table[i].name).status, TP_OK);
		assert_true(space.trials[0].incumbent);
		expect_accounts(&space, tp_technique_table[i].name);
	}
}

/*
 * At every step where somebody may say stop: it stops there, nothing stays open, and the best so
 * far is known.
 */
static void it_can_be_cancelled_at_every_step(void **state)
{
	static const char *const names[] = { "hand-time", "confidence", "c+i+o", "racing" };
	static struct space space;

	(void)state;
	make_ladder(&space, 6, 0.003);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		unsigned steps, known = 0;

		space.cancel_at = 0;
		search(&space, names[i]);
		steps = space.steps;
		assert_true(steps > 20);
		for (space.cancel_at = 1; space.cancel_at <= steps; space.cancel_at++) {
			struct found found = search(&space, names[i]);

			assert_int_equal(found.status, TP_CANCELLED);
			assert_int_equal(space.steps, space.cancel_at);
			assert_int_equal(space.begins, space.ends);
			assert_false(space.is_open);
			known += found.best.value > 0;
		}
		assert_true(known > steps / 4);
	}
}

/* --- searches that take turns --- */

enum { SIDE_BY_SIDE = 16 };

struct side {
	struct tp_technique technique;
	struct tp_trial best;
	double seconds;
	unsigned steps, steps_behind; /* and those of the first until it was over */
};

/* All on one space and its clock. */
static void search_side_by_side(struct space *space, const char *const *names, size_t n,
				struct side *sides)
{
	struct tp_tuned tuned = space_tuned(space);
	struct tp_tuning_rules rules = { 0 };
	struct tp_search *searches[SIDE_BY_SIDE] = { NULL };
	struct tp_diag diag;
	size_t i;

	space_reset(space);
	for (i = 0; i < n; i++) {
		sides[i] = (struct side){ 0 };
		assert_true(tp_technique_find(names[i], &sides[i].technique));
		searches[i] = tp_tuning_begin(&sides[i].technique, &tuned, &rules);
	}
	while ((i = tp_tuning_next(searches, n)) < n) {
		double begun = space->now;

		sides[i].steps++;
		sides[i].steps_behind = sides[0].steps;
		tp_tuning_step(searches[i]);
		sides[i].seconds += space->now - begun;
	}
	for (i = 0; i < n; i++)
		assert_int_equal(tp_tuning_end(searches[i], &sides[i].best, &diag), TP_OK);
}

/* They find what they find alone, in the time that they take alone. */
static void searches_that_take_turns_do_not_notice(void **state)
{
	static struct space space;
	const char *names[SIDE_BY_SIDE];
	struct side sides[SIDE_BY_SIDE];

	(void)state;
	assert_true(tp_technique_count <= SIDE_BY_SIDE);
	for (size_t i = 0; i < tp_technique_count; i++)
		names[i] = tp_technique_table[i].name;
	make_ladder(&space, 20, 0.003);
	search_side_by_side(&space, names, tp_technique_count, sides);
	for (size_t i = 0; i < tp_technique_count; i++) {
		struct tp_tuned tuned = space_tuned(&space);
		struct tp_tuning_rules rules = { 0 };
		struct tp_trial best;

		space_reset(&space);
		assert_int_equal(space_search(&sides[i].technique, &tuned, &rules, &best, NULL),
				 TP_OK);
		assert_int_equal(sides[i].best.index, best.index);
		assert_near(sides[i].best.value, best.value, 1e-12);
		assert_near(sides[i].best.seconds, best.seconds, 1e-9);
		assert_near(sides[i].seconds, space.now, 1e-9);
	}
}

/* Each is as far as the others at any time, in its own steps. */
static void searches_take_turns_by_what_is_left(void **state)
{
	static const char *const names[] = { "default", "single", "hand-accuracy", "c+i+o",
					     "racing" };
	static struct space space;
	struct side sides[SIDE_BY_SIDE];

	(void)state;
	make_ladder(&space, 20, 0.003);
	search_side_by_side(&space, names, TP_COUNT_OF(names), sides);
	assert_int_equal(sides[0].steps, 200);
	assert_int_equal(sides[1].steps, 20);
	assert_int_equal(sides[2].steps, 100);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		assert_true(sides[i].steps_behind >= 180);
}

/*
 * A machine that is half as fast in the second half of a study: the speed-up is that of a steady
 * one. One search after the other would tell another.
 */
static void drift_is_nobodys_speedup(void **state)
{
	static const char *const names[] = { "default", "hand-accuracy" };
	static struct space space;
	struct side steady[2], drifting[2], after[2];

	(void)state;
	make_ladder(&space, 48, 0.003);
	space.start_seconds = space.open_seconds = space.ask_seconds =
		0; /* calls alone slow down */
	search_side_by_side(&space, names, 2, steady);
	space.slow = 0.5;
	space.slow_from = (steady[0].seconds + steady[1].seconds) / 2;
	space.slow_until = INFINITY;
	search_side_by_side(&space, names, 2, drifting);
	assert_true(drifting[0].seconds > 1.3 * steady[0].seconds);
	double truth = steady[0].seconds / steady[1].seconds;
	double told = drifting[0].seconds / drifting[1].seconds;
	if (fabs(told / truth - 1) > 0.02)
		fail_msg("speed-up %.3g instead of %.3g", told, truth);
	/* The test can fail: the second search all in the slow half. */
	space.slow_from = steady[0].seconds / 2;
	search_side_by_side(&space, &names[0], 1, &after[0]);
	space.slow_from = 0;
	search_side_by_side(&space, &names[1], 1, &after[1]);
	assert_true(after[0].seconds / after[1].seconds < 0.9 * truth);
}

/* --- study --- */

static void add_search(struct tp_run *run, unsigned id, const char *technique, const char *level,
		       double each_seconds, const double values[3])
{
	struct tp_point point = {
		.point = id, .kernel = "dgemm/openblas", .threads = 1, .state = TP_POINT_DONE
	};
	struct tp_search_row *row;
	double best = 0;

	tp_point_begin(&point, "autotune", &run->arena);
	row = point.row;
	*row = (struct tp_search_row){ .scope = "core", .library = "OpenBLAS 0.3.21" };
	tp_copy(row->technique, sizeof(row->technique), technique);
	tp_copy(row->kernel.level, sizeof(row->kernel.level), level);
	run->points[run->n_points++] = point;
	for (unsigned i = 0; i < 3; i++) {
		struct tp_trial trial = { .point = id,
					  .index = i,
					  .size = { 512 + i, 512, 64 },
					  .invocations = 2,
					  .iterations = 10,
					  .value = values[i],
					  .seconds = each_seconds,
					  .finished = true,
					  .incumbent = values[i] > best };

		best = fmax(best, values[i]);
		assert_int_equal(tp_trials_put(run, &trial), TP_OK);
	}
}

static void a_study_compares_with_the_baseline(void **state)
{
	struct tp_run run = { .points = calloc(6, sizeof(struct tp_point)), .cap_points = 6 };
	const struct tp_study_row *rows;

	(void)state;
	assert_non_null(run.points);
	add_search(&run, 0, "default", "FP", 20, (double[]){ 40, 50, 45 });
	add_search(&run, 1, "c+i+o", "FP", 0.5, (double[]){ 41, 30, 46 });
	add_search(&run, 2, "racing/100", "L3", 1, (double[]){ 1, 2, 3 });
	add_search(&run, 3, "racing", "FP", 1, (double[]){ 0, 0, 0 });
	run.points[3].state = TP_POINT_FAILED;
	tp_study_make(&run);
	tp_study_make(&run);
	assert_int_equal(tp_run_n_study(&run), 3); /* one has no winner */
	rows = tp_run_study(&run);
	assert_string_equal(rows[0].technique, "default");
	assert_string_equal(rows[0].routine, "dgemm");
	assert_string_equal(rows[0].scope, "core");
	assert_string_equal(rows[0].library, "OpenBLAS 0.3.21");
	assert_int_equal(rows[0].index, 1);
	assert_near(rows[0].seconds, 60, 1e-12);
	assert_near(rows[0].speedup, 1, 1e-12);
	assert_near(rows[0].loss, 0, 1e-12);
	assert_near(rows[0].error, 0, 1e-12);
	assert_int_equal(rows[1].index, 2);
	assert_int_equal(rows[1].size[0], 514);
	assert_near(rows[1].best, 46, 0);
	assert_near(rows[1].baseline_value, 45, 0);
	assert_near(rows[1].speedup, 40, 1e-12);
	/* It chose what the baseline saw at 45 of 50, and reports 46. */
	assert_near(rows[1].loss, 0.1, 1e-12);
	assert_near(rows[1].error, -0.08, 1e-12);
	assert_int_equal(rows[1].configurations, 3);
	assert_int_equal(rows[1].invocations, 6);
	assert_int_equal(rows[1].iterations, 30);
	assert_string_equal(rows[2].scope, "L3 core");
	assert_string_equal(rows[2].technique, "racing/100");
	assert_true(isnan(rows[2].loss));
	assert_true(isnan(rows[2].error));
	assert_near(rows[2].speedup, 0, 0);
	/* A baseline that did not come to its end is none. */
	run.points[0].state = TP_POINT_FAILED;
	tp_study_make(&run);
	assert_true(isnan(tp_run_study(&run)[1].loss));
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(techniques_have_names),
		cmocka_unit_test(every_technique_finds_a_clear_winner),
		cmocka_unit_test(fixed_techniques_take_fixed_numbers),
		cmocka_unit_test(fixed_techniques_go_in_rounds),
		cmocka_unit_test(each_rule_saves_what_it_should),
		cmocka_unit_test(what_is_beaten_ends_at_once),
		cmocka_unit_test(the_order_is_kept_or_reversed),
		cmocka_unit_test(the_time_of_a_configuration_is_limited),
		cmocka_unit_test(every_basis_finds_it),
		cmocka_unit_test(one_that_fails_is_passed_over),
		cmocka_unit_test(if_all_fail_the_first_reason_is_told),
		cmocka_unit_test(no_configuration_is_an_error),
		cmocka_unit_test(a_single_configuration_wins),
		cmocka_unit_test(it_can_be_cancelled_at_every_step),
		cmocka_unit_test(searches_that_take_turns_do_not_notice),
		cmocka_unit_test(searches_take_turns_by_what_is_left),
		cmocka_unit_test(drift_is_nobodys_speedup),
		cmocka_unit_test(a_study_compares_with_the_baseline),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
