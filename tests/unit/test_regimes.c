/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of gauges and of windows that count, on simulated machines under known disturbances:
 * values and clocks against the truth, and flags only where something is wrong.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "tests/unit/simulated_run.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "record/point.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated_isa.h"

enum { SEEDS = TP_SEEDS(8, 4), MOST = 256 };

static const struct tp_regime short_pauses = {
	.name = "short-pauses",
	.pauses = { { 14000, 2e-6, 6e-6, 15e-6 } },
	.clock.jitter_seconds = 2e-9,
};

/* What the points of the core of some seeds came to. */
struct outcome {
	double error[MOST], clock_error[MOST];
	size_t points, flagged, windows, narrow;
	uint32_t flags; /* all of them */
};

static void see_points(const struct simulated_run *s, struct outcome *o)
{
	for (size_t i = 0; i < s->run.n_points; i++) {
		const struct tp_point *p = &s->run.points[i];
		double truth = simulated_truth(s, p);
		/* At the clock that the windows had: the truth is that of its mean. */
		double clock = p->core_ghz / tp_simulation_true_ghz(s->simulation, 32);
		assert_true(o->points < MOST && truth > 0);
		o->error[o->points] = fabs(p->median / (truth * clock) - 1);
		o->clock_error[o->points++] = fabs(p->core_ghz / s->ghz[i] - 1);
		o->flagged += p->flags != 0;
		o->flags |= p->flags;
		o->windows += p->n_samples;
		for (size_t k = 0; k < p->n_samples; k++)
			o->narrow += (p->samples[k].flags & TP_FLAG(SIBLING)) != 0;
	}
}

static const char *const core_sets[] = {
	"topology=synthetic:pack:1 l3:1(size=33554432) l2:2(size=1048576) "
	"l1d:1(size=32768) core:1 pu:1",
	"machine=zen4",
	"experiment=roofline",
	"isa=avx2",
	"level=[L1, L2]",
	"fp_op=add",
	"threads=1",
	"stop.max_time=300ms"
};

static void measure(const struct tp_regime *regime, struct outcome *o)
{
	struct simulated_run s;
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { .what = "" };
	*o = (struct outcome){ .points = 0 };
	assert_non_null(regime);
	assert_int_equal(simulated_open(&s, core_sets, TP_COUNT_OF(core_sets), &diags), TP_OK);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		if (simulated_measure(&s, regime, seed, &diag) != TP_OK)
			fail_msg("%s: %s", regime->name, diag.what);
		see_points(&s, o);
	}
	simulated_close(&s);
	tp_diags_release(&diags);
	tp_sort_doubles(o->error, o->points);
	tp_sort_doubles(o->clock_error, o->points);
	assert_true(o->points >= 3 * SEEDS);
}

/* Of 95 in 100. */
static double most(const double *sorted, size_t n)
{
	return sorted[(size_t)(0.95 * (double)(n - 1))];
}

static void values_of_the_core_are_true_in_every_regime(void **state)
{
	(void)state;
	for (size_t r = 0; r < tp_regime_count; r++) {
		const struct tp_regime *regime = &tp_regime_table[r];
		struct outcome o;
		if (strcmp(regime->name, "smt-neighbour-half") == 0)
			continue; /* nothing can be known there: see below */
		measure(regime, &o);
		if (most(o.error, o.points) > 0.01)
			fail_msg("%s: values are off by %.2f %%", regime->name,
				 100 * most(o.error, o.points));
	}
}

static void clocks_are_true_where_they_stand_still(void **state)
{
	static const char *const names[] = { "quiet",	    "zen4-vm",	    "smt-neighbour-bursts",
					     "preempted",   "coarse-clock", "microsecond-clock",
					     "noisy-memory" };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct outcome o;
		measure(tp_regime_find(names[i]), &o);
		if (most(o.clock_error, o.points) > 0.01)
			fail_msg("%s: clocks are off by %.2f %%", names[i],
				 100 * most(o.clock_error, o.points));
	}
}

static void nothing_is_flagged_where_nothing_is_wrong(void **state)
{
	static const char *const names[] = { "quiet", "coarse-clock", "preempted", "noisy-memory" };
	struct outcome o;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		measure(tp_regime_find(names[i]), &o);
		assert_true(10 * o.flagged <= o.points);
		assert_true(50 * o.narrow <= o.windows);
	}
	/* Short pauses alone: most windows are hit, and enough are not. */
	measure(&short_pauses, &o);
	assert_true(most(o.error, o.points) <= 0.01);
	assert_true(most(o.clock_error, o.points) <= 0.01);
	assert_true(10 * o.flagged <= o.points);
	assert_true(50 * o.narrow <= o.windows);
	/* A clock that steps is not a neighbour, and no disturbance. */
	measure(tp_regime_find("turbo-steps"), &o);
	assert_true(50 * o.narrow <= o.windows);
	assert_false(o.flags & (TP_FLAG(SIBLING) | TP_FLAG(DISTURBED) | TP_FLAG(NOISY)));
}

/* A core that is never whole looks like a narrower one; only the model tells. */
static void half_a_core_is_recognised(void **state)
{
	struct outcome o;
	(void)state;
	measure(tp_regime_find("smt-neighbour-half"), &o);
	assert_true(o.flags & TP_FLAG(SIBLING));
	assert_int_equal(o.flagged, o.points);
}

/* Shortest and longest point of the core, beside nobody; and the most windows of one. */
struct extent {
	double shortest, longest;
	size_t windows;
};

static struct extent extent_of(const char *max_time)
{
	const char *sets[TP_COUNT_OF(core_sets)];
	struct simulated_run s;
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { .what = "" };
	struct extent e = { .shortest = INFINITY };
	memcpy(sets, core_sets, sizeof(sets));
	sets[TP_COUNT_OF(sets) - 1] = max_time;
	assert_int_equal(simulated_open(&s, sets, TP_COUNT_OF(sets), &diags), TP_OK);
	assert_int_equal(simulated_measure(&s, tp_regime_find("quiet"), 1, &diag), TP_OK);
	for (size_t i = 0; i < s.run.n_points; i++) {
		e.shortest = fmin(e.shortest, s.run.points[i].seconds);
		e.longest = fmax(e.longest, s.run.points[i].seconds);
		e.windows = TP_MAX(e.windows, s.run.points[i].n_samples);
	}
	simulated_close(&s);
	tp_diags_release(&diags);
	return e;
}

/* A dozen windows are enough, but those of one moment would meet either all of a burst or nothing.
 */
static void windows_of_the_core_are_spread(void **state)
{
	(void)state;
	struct extent e = extent_of("stop.max_time=300ms");
	assert_true(e.shortest > 25e-3 && e.windows < 80);
	/* A point of which the user wants less time takes less. */
	e = extent_of("stop.max_time=20ms");
	assert_true(e.shortest > 5e-3 && e.shortest < 20e-3 && e.windows < 40);
}

/* --- windows --- */

struct count {
	size_t beside, seen_beside, alone, seen_alone;
};

static void count_windows(const struct tp_regime *regime, uint64_t seed, struct count *count)
{
	enum { WINDOWS = 1000 };
	struct tp_diag diag = { .what = "" };
	struct tp_simulation *simulation;
	struct tp_machine machine;
	struct tp_cpu cpu = { 0 };
	struct tp_team *team;
	const unsigned first = 0;
	assert_int_equal(tp_machine_init(&machine, &cpu, "synthetic:pack:1 core:2 pu:1", "zen4",
					 NULL, &diag),
			 TP_OK);
	simulation = tp_simulation_new(&machine, regime, seed);
	assert_int_equal(tp_simulated_team_new(&team, simulation, &first, 1, &diag), TP_OK);
	const struct tp_kernel kernel = { .kind = TP_KERNEL_FP,
					  .isa = simulated_isa("avx2"),
					  .element_bytes = 8,
					  .fp_op = TP_FP_ADD };
	const struct tp_window_work work = { .described = &kernel, .passes = 2000 };
	double share[WINDOWS], width[WINDOWS];
	struct tp_simulation_tally before = *tp_simulation_tally(simulation);
	for (int i = 0; i < WINDOWS; i++) {
		struct tp_window window;
		tp_team_window(team, &work, &window);
		struct tp_simulation_tally after = *tp_simulation_tally(simulation);
		double seconds = after.window_seconds - before.window_seconds;
		share[i] = (after.neighbour_seconds - before.neighbour_seconds) / seconds;
		width[i] = window.width;
		before = after;
		tp_team_rest(team, 50e-6);
	}
	/* By all that is known in the end, as of the windows of a point. */
	double least = tp_team_least_width(team);
	for (int i = 0; i < WINDOWS; i++) {
		bool seen = width[i] < least;
		if (share[i] > 0.99) {
			count->beside++;
			count->seen_beside += seen;
		} else if (!(share[i] > 0)) {
			count->alone++;
			count->seen_alone += seen;
		}
	}
	tp_team_free(team);
	tp_simulation_free(simulation);
	tp_machine_release(&machine);
}

static void windows_beside_a_neighbour_are_told_from_others(void **state)
{
	static const char *const names[] = { "zen4-vm", "gnr-vm", "smt-neighbour-bursts",
					     "everything" };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		struct count c = { 0 };
		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			count_windows(tp_regime_find(names[i]), seed, &c);
		if (c.beside < 100 || c.alone < 100 ||
		    (double)c.seen_beside < 0.95 * (double)c.beside ||
		    (double)c.seen_alone > 0.10 * (double)c.alone)
			fail_msg("%s: %zu of %zu windows beside a neighbour are seen, and %zu of "
				 "%zu others",
				 names[i], c.seen_beside, c.beside, c.seen_alone, c.alone);
	}
}

/* An even share that a neighbour takes shows in no window, but in the other points. */
static void where_most_points_are_disturbed_no_later_one_is_good(void **state)
{
	static const char *const sets[] = {
		"topology=synthetic:pack:1 l3:1(size=33554432) l2:2(size=1048576) "
		"l1d:1(size=32768) core:1 pu:1",
		"machine=zen4", "experiment=latency", "simulate=everything"
	};
	enum { FIRST = 8 };
	struct simulated_run s;
	struct tp_diags diags = { 0 };
	size_t later = 0;
	(void)state;
	assert_int_equal(simulated_open(&s, sets, TP_COUNT_OF(sets), &diags), TP_OK);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		size_t shared = 0;
		assert_int_equal(simulated_measure(&s, tp_regime_find("everything"), seed, NULL),
				 TP_OK);
		for (size_t i = 0; i < s.run.n_points; i++) {
			const struct tp_point *p = &s.run.points[i];
			if (tp_kernel_row(p)->working_set_bytes <= 1 << 20 || shared++ < FIRST)
				continue;
			later++;
			assert_int_not_equal(p->quality, TP_QUALITY_GOOD);
		}
	}
	assert_true(later > 0);
	simulated_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_the_core_are_true_in_every_regime),
		cmocka_unit_test(clocks_are_true_where_they_stand_still),
		cmocka_unit_test(nothing_is_flagged_where_nothing_is_wrong),
		cmocka_unit_test(half_a_core_is_recognised),
		cmocka_unit_test(windows_of_the_core_are_spread),
		cmocka_unit_test(where_most_points_are_disturbed_no_later_one_is_good),
		cmocka_unit_test(windows_beside_a_neighbour_are_told_from_others),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
