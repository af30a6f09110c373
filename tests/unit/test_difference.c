/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differences between runs: known answers, false alarms and planted changes by simulation with
 * fixed seeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "analysis/difference.h"
#include "base/memory.h"
#include "tests/unit/near.h"

enum { POINTS_MAX = 500 };

static const struct tp_judging usual = { .false_discovery = 0.05 };

/* An undisturbed value with an interval of +-half. */
static struct tp_estimate quiet(double value, double half, enum tp_repeat repeat)
{
	return (struct tp_estimate){ .value = value,
				     .low = value * exp(-half),
				     .high = value * exp(half),
				     .windows = 20,
				     .processes = 1,
				     .repeat = tp_repeat_deviation(repeat) };
}

static struct tp_difference difference(struct tp_estimate a, struct tp_estimate b,
				       enum tp_repeat repeat)
{
	struct tp_difference d;
	tp_difference_find(&a, &b, 0.99, &d);
	d.same_within = tp_repeat_same_within(repeat);
	return d;
}

static enum tp_verdict judged(struct tp_estimate a, struct tp_estimate b, enum tp_repeat repeat,
			      double tolerance)
{
	struct tp_difference d = difference(a, b, repeat);
	struct tp_judging judging = { tolerance, 0.05 };
	double scratch;
	tp_differences_judge(&d, 1, &judging, &scratch);
	return d.verdict;
}

static void formula(void **state)
{
	(void)state;
	/*
	 * Half width 2.5758 % is a standard error of 1 %; beside it 1 % (L2) from run to run, in
	 * both: 2 %.
	 */
	struct tp_difference d = difference(quiet(100, 0.025758293, TP_REPEAT_L2),
					    quiet(110, 0.025758293, TP_REPEAT_L2), TP_REPEAT_L2);
	assert_true(d.known);
	assert_near(d.gain, log(1.1), 1e-12);
	assert_near(d.error, 0.02, 1e-9);
	/* Welch, Satterthwaite: (4 e-4)^2 / (2 x (1e-4)^2 / 30) = 240. */
	assert_near(d.degrees, 240, 1e-6);
	/* t(0.995, 240) = 2.5965 */
	assert_near(d.low, log(1.1) - 2.59647 * 0.02, 1e-6);
	assert_near(d.high, log(1.1) + 2.59647 * 0.02, 1e-6);
	/* Two-sided: t = 4.7655 with 240 degrees. */
	assert_in_range((int)(d.p * 1e8), 250, 400);
}

static void processes_replace_most_of_the_scatter(void **state)
{
	struct tp_estimate a = quiet(100, 0.04, TP_REPEAT_DRAM), b = a;
	(void)state;
	a.processes = b.processes = 5;
	struct tp_difference d = difference(a, b, TP_REPEAT_DRAM);
	/* t(0.995, 4) = 4.60409; a third of what runs scatter remains. */
	double own = 0.04 / 4.604095, sitting = tp_repeat_deviation(TP_REPEAT_DRAM) / 3;
	assert_near(d.error, sqrt(2 * (own * own + sitting * sitting)), 1e-8);
	assert_true(d.error < difference(quiet(100, 0.04, TP_REPEAT_DRAM),
					 quiet(100, 0.04, TP_REPEAT_DRAM), TP_REPEAT_DRAM)
				      .error);
}

static void few_windows_are_a_range(void **state)
{
	struct tp_estimate a = quiet(100, 0.02, TP_REPEAT_FP);
	(void)state;
	a.repeat = 0;
	a.windows = 4;
	struct tp_difference d = difference(a, a, TP_REPEAT_FP);
	/* Range 4 %, d2(4) = 2.059, median of 4: x 1.2533 / 2. */
	double one = 0.04 / 2.059 * 1.2533 / 2;
	assert_near(d.error, one * sqrt(2), 1e-9);
	assert_near(d.degrees, 6, 1e-9);
}

static void without_an_interval_nothing_is_said(void **state)
{
	struct tp_estimate good = quiet(100, 0.01, TP_REPEAT_L1), bad[6];
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++)
		bad[i] = quiet(50, 0.01, TP_REPEAT_L1);
	bad[0].value = 0;
	bad[1].low = bad[1].high = 0;
	bad[2].windows = 1;
	bad[3].value = NAN;
	bad[4].high = INFINITY;
	bad[5].low = 60;
	bad[5].high = 40;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		assert_false(difference(good, bad[i], TP_REPEAT_L1).known);
		assert_int_equal(judged(good, bad[i], TP_REPEAT_L1, 0), TP_VERDICT_UNCLEAR);
		assert_int_equal(judged(bad[i], good, TP_REPEAT_L1, 0), TP_VERDICT_UNCLEAR);
	}
}

static void verdicts(void **state)
{
	struct tp_estimate a = quiet(100, 0.003, TP_REPEAT_FP);
	(void)state;
	assert_int_equal(judged(a, quiet(100.2, 0.003, TP_REPEAT_FP), TP_REPEAT_FP, 0),
			 TP_VERDICT_SAME);
	assert_int_equal(judged(a, quiet(97, 0.003, TP_REPEAT_FP), TP_REPEAT_FP, 0),
			 TP_VERDICT_SLOWER);
	assert_int_equal(judged(a, quiet(103, 0.003, TP_REPEAT_FP), TP_REPEAT_FP, 0),
			 TP_VERDICT_FASTER);
	/* Neither clearly there nor clearly not. */
	assert_int_equal(judged(a, quiet(98.9, 0.02, TP_REPEAT_FP), TP_REPEAT_FP, 0),
			 TP_VERDICT_UNCLEAR);
	/*
	 * Real, but smaller than what matters to the user; and too small to tell for a narrow
	 * tolerance.
	 */
	assert_int_equal(judged(a, quiet(97, 0.003, TP_REPEAT_FP), TP_REPEAT_FP, 0.05),
			 TP_VERDICT_SAME);
	assert_int_equal(judged(a, a, TP_REPEAT_FP, 0.005), TP_VERDICT_UNCLEAR);
	/* Scalar against AVX2 in L2, even if both were badly disturbed. */
	struct tp_estimate scalar = quiet(59, 0.02, TP_REPEAT_L2),
			   avx2 = quiet(117, 0.02, TP_REPEAT_L2);
	scalar.shortfall = avx2.shortfall = 0.15;
	assert_int_equal(judged(scalar, avx2, TP_REPEAT_L2, 0), TP_VERDICT_FASTER);
}

static void noise_only_slows_down(void **state)
{
	struct tp_estimate a = quiet(100, 0.003, TP_REPEAT_L1), b = quiet(92, 0.003, TP_REPEAT_L1);
	(void)state;
	assert_int_equal(judged(a, b, TP_REPEAT_L1, 0), TP_VERDICT_SLOWER);
	/* The slower one was disturbed: that may be all. */
	b.shortfall = 0.15;
	assert_int_equal(judged(a, b, TP_REPEAT_L1, 0), TP_VERDICT_UNCLEAR);
	struct tp_difference d = difference(a, b, TP_REPEAT_L1);
	assert_near(d.p, 1, 0);
	assert_true(d.high > 0);
	/* The faster one was disturbed: undisturbed it would be faster still. */
	b.shortfall = 0;
	a.shortfall = 0.15;
	assert_int_equal(judged(a, b, TP_REPEAT_L1, 0), TP_VERDICT_SLOWER);
}

static void noisy_windows_count_as_they_scatter(void **state)
{
	struct tp_estimate a = quiet(100, 0.003, TP_REPEAT_L1), b = quiet(95, 0.003, TP_REPEAT_L1);
	(void)state;
	b.scatter = 0.04;
	assert_int_equal(judged(a, b, TP_REPEAT_L1, 0), TP_VERDICT_UNCLEAR);
	assert_near(difference(a, b, TP_REPEAT_L1).error,
		    sqrt(0.04 * 0.04 + 2 * 0.004 * 0.004 + pow(0.003 / 2.575829, 2)), 1e-8);
}

static void many_comparisons_need_more(void **state)
{
	static struct tp_difference d[POINTS_MAX];
	static double scratch[POINTS_MAX];
	(void)state;
	/*
	 * Benjamini and Hochberg's own example: 15 p-values, at 5 % the four smallest are rejected.
	 */
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	for (size_t i = 0; i < TP_COUNT_OF(p); i++)
		d[TP_COUNT_OF(p) - 1 - i] = (struct tp_difference){ .known = true,
								    .gain = -0.1,
								    .low = -0.2,
								    .p = p[i],
								    .degrees = 30,
								    .error = 0.01 };
	tp_differences_judge(d, TP_COUNT_OF(p), &usual, scratch);
	for (size_t i = 0; i < TP_COUNT_OF(p); i++)
		assert_int_equal(d[TP_COUNT_OF(p) - 1 - i].verdict,
				 i < 4 ? TP_VERDICT_SLOWER : TP_VERDICT_UNCLEAR);
	tp_differences_judge(NULL, 0, &usual, NULL);
}

static void what_would_have_been_seen(void **state)
{
	static struct tp_difference d[44];
	static double scratch[44];
	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		/* Found a little above what is called visible, not found a little below. */
		double at = pass ? d[0].visible + 0.001 : d[0].visible - 0.001;
		for (size_t i = 0; i < TP_COUNT_OF(d); i++)
			d[i] = difference(quiet(100, 0.003, TP_REPEAT_L1),
					  quiet(i ? 100 : 100 * (1 - at), 0.003, TP_REPEAT_L1),
					  TP_REPEAT_L1);
		tp_differences_judge(d, TP_COUNT_OF(d), &usual, scratch);
		if (pass)
			assert_int_equal(d[0].verdict, TP_VERDICT_SLOWER);
		else
			assert_int_not_equal(d[0].verdict, TP_VERDICT_SLOWER);
	}
	/* A change of 3 % in one of 44 roofs is. */
	assert_true(d[0].visible < 0.03);
}

/* --- simulation --- */

/* xorshift64* and Box-Muller: the same numbers everywhere. */
static double uniform(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return ((double)((*seed * UINT64_C(2685821657736338717)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));
	return r * cos(2 * acos(-1) * uniform(seed));
}

/*
 * What is simulated: how many runs are compared, points a run, what is planted in point 0, offset
 * shared by all points of a run.
 */
struct world {
	uint64_t seed;
	size_t comparisons, points;
	enum tp_repeat repeat;
	double planted, offset;
	bool disturbances; /* one point in five comes out slow by up to 13 % and carries its flag */
};

static struct tp_estimate simulated(struct world *w, double truth, double offset)
{
	/*
	 * 24 windows with a deviation of 0.5 %; what the process is stuck with comes on top of all
	 * of them.
	 */
	double s = tp_repeat_deviation(w->repeat), error = 0.005 * 1.2533 / sqrt(24);
	double value = truth * exp(offset + s * normal(&w->seed) + error * normal(&w->seed));
	struct tp_estimate e = quiet(value, 2.5758 * error, w->repeat);
	if (w->disturbances && uniform(&w->seed) < 0.2) {
		double slow = exp(-0.13 * uniform(&w->seed));
		e.value *= slow;
		e.low *= slow;
		e.high *= slow;
		e.shortfall = 0.15;
	}
	return e;
}

struct outcome {
	double different, same,
		planted; /* shares: of the points without a change; of the planted ones, found */
};

static struct outcome simulate(struct world w)
{
	static struct tp_difference d[POINTS_MAX];
	static double scratch[POINTS_MAX];
	size_t different = 0, same = 0, found = 0;
	for (size_t c = 0; c < w.comparisons; c++) {
		double first = w.offset * normal(&w.seed), second = w.offset * normal(&w.seed);
		for (size_t i = 0; i < w.points; i++) {
			double truth = 10 + 300 * uniform(&w.seed);
			d[i] = difference(simulated(&w, truth, first),
					  simulated(&w, truth * (i ? 1 : 1 + w.planted), second),
					  w.repeat);
		}
		tp_differences_judge(d, w.points, &usual, scratch);
		found += d[0].verdict == (w.planted < 0 ? TP_VERDICT_SLOWER : TP_VERDICT_FASTER);
		for (size_t i = 1; i < w.points; i++) {
			different += d[i].verdict == TP_VERDICT_SLOWER ||
				     d[i].verdict == TP_VERDICT_FASTER;
			same += d[i].verdict == TP_VERDICT_SAME;
		}
	}
	double unchanged = (double)(w.comparisons * (w.points - 1));
	return (struct outcome){ (double)different / unchanged, (double)same / unchanged,
				 (double)found / (double)w.comparisons };
}

static void quiet_runs_raise_no_alarm(void **state)
{
	(void)state;
	for (int repeat = 0; repeat < TP_REPEAT_COUNT; repeat++) {
		struct outcome o = simulate((struct world){ .seed = 1 + (uint64_t)repeat,
							    .comparisons = 60,
							    .points = POINTS_MAX,
							    .repeat = (enum tp_repeat)repeat });
		assert_true(o.different < 0.001);
		/* Nearly all where values repeat well, most where they do not. */
		assert_true(o.same > (repeat < TP_REPEAT_L3 ? 0.85 : 0.55));
	}
}

static void a_shared_offset_raises_few(void **state)
{
	(void)state;
	/*
	 * A whole run half as much beside the other as its points are anyway: clock, page layout of
	 * one sitting.
	 */
	for (int repeat = 0; repeat < TP_REPEAT_COUNT; repeat++) {
		double s = tp_repeat_deviation((enum tp_repeat)repeat);
		struct outcome o = simulate((struct world){ .seed = 100 + (uint64_t)repeat,
							    .comparisons = 100,
							    .points = 100,
							    .repeat = (enum tp_repeat)repeat,
							    .offset = s / 2 });
		assert_true(o.different < 0.02);
	}
}

static void disturbed_points_raise_none(void **state)
{
	(void)state;
	struct outcome o = simulate((struct world){ .seed = 7,
						    .comparisons = 60,
						    .points = POINTS_MAX,
						    .repeat = TP_REPEAT_L1,
						    .disturbances = true });
	assert_true(o.different < 0.001);
}

static void planted_changes_are_found(void **state)
{
	(void)state;
	static const struct {
		enum tp_repeat repeat;
		double planted, at_least;
	} cases[] = { { TP_REPEAT_FP, -0.03, 0.97 },
		      { TP_REPEAT_L1, -0.03, 0.80 },
		      { TP_REPEAT_L1, 0.04, 0.97 },
		      { TP_REPEAT_DRAM, -0.35, 0.90 } };
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct outcome o = simulate((struct world){ .seed = 40 + i,
							    .comparisons = 400,
							    .points = 44,
							    .repeat = cases[i].repeat,
							    .planted = cases[i].planted });
		if (o.planted < cases[i].at_least)
			fail_msg("case %zu: %.3f found", i, o.planted);
		assert_true(o.different < 0.005);
	}
}

/*
 * The floor is what keeps windows of one process from speaking for the next run: without it this
 * test would have to fail.
 */
static void intervals_of_one_process_are_too_narrow(void **state)
{
	static struct tp_difference d[POINTS_MAX];
	static double scratch[POINTS_MAX];
	struct world w = { .seed = 3, .repeat = TP_REPEAT_L3 };
	size_t different = 0;
	(void)state;
	for (size_t i = 0; i < POINTS_MAX; i++) {
		struct tp_estimate a = simulated(&w, 100, 0), b = simulated(&w, 100, 0);
		a.repeat = b.repeat = 0;
		d[i] = difference(a, b, TP_REPEAT_L3);
	}
	tp_differences_judge(d, POINTS_MAX, &usual, scratch);
	for (size_t i = 0; i < POINTS_MAX; i++)
		different += d[i].verdict == TP_VERDICT_SLOWER || d[i].verdict == TP_VERDICT_FASTER;
	assert_true(different > POINTS_MAX / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formula),
		cmocka_unit_test(processes_replace_most_of_the_scatter),
		cmocka_unit_test(few_windows_are_a_range),
		cmocka_unit_test(without_an_interval_nothing_is_said),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(noise_only_slows_down),
		cmocka_unit_test(noisy_windows_count_as_they_scatter),
		cmocka_unit_test(many_comparisons_need_more),
		cmocka_unit_test(what_would_have_been_seen),
		cmocka_unit_test(quiet_runs_raise_no_alarm),
		cmocka_unit_test(a_shared_offset_raises_few),
		cmocka_unit_test(disturbed_points_raise_none),
		cmocka_unit_test(planted_changes_are_found),
		cmocka_unit_test(intervals_of_one_process_are_too_narrow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
