/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The quality of points. The rule: each number that was seen can spoil a good point by itself. What
 * is seen: planted windows, one reason at a time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/quality.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/windows/quality.h"
#include "record/point.h"

/* --- the rule --- */

static const struct {
	const char *name;
	double good, fair, shared_good, shared_fair;
} limits[] = {
#define ROW(id, good, fair, shared_good, shared_fair) { #id, good, fair, shared_good, shared_fair },
	TP_DOUBT_LIST(ROW)
#undef ROW
};

static enum tp_grade grade(enum tp_reach reach, int doubt, double x, uint32_t *doubts)
{
	struct tp_seen seen = { .reach = reach };
	seen.x[doubt] = x;
	return tp_quality_grade(&seen, doubts);
}

static void each_doubt_decides(void **state)
{
	uint32_t doubts;
	(void)state;
	for (int i = 0; i < TP_DOUBT_COUNT; i++)
		for (int shared = 0; shared < 2; shared++) {
			enum tp_reach reach = shared ? TP_REACH_SHARED : TP_REACH_CORE;
			double good = shared ? limits[i].shared_good : limits[i].good;
			double fair = shared ? limits[i].shared_fair : limits[i].fair;
			assert_true(fair >= good);
			assert_int_equal(grade(reach, i, good, &doubts), TP_GRADE_GOOD);
			assert_int_equal(doubts, 0);
			if (good >= TP_DOUBT_NEVER)
				continue;
			if (fair > good) {
				assert_int_equal(grade(reach, i, fair, &doubts), TP_GRADE_FAIR);
				assert_int_equal(doubts, 1u << i);
			}
			assert_int_equal(grade(reach, i, fair + 1e-3, &doubts), TP_GRADE_POOR);
			assert_int_equal(doubts, 1u << i);
			assert_int_equal(grade(reach, i, NAN, &doubts), TP_GRADE_POOR);
		}
}

static void both_limits_hold_at_an_edge(void **state)
{
	uint32_t doubts;
	(void)state;
	for (int i = 0; i < TP_DOUBT_COUNT; i++) {
		double good = fmin(limits[i].good, limits[i].shared_good);
		if (good >= TP_DOUBT_NEVER)
			continue;
		assert_int_equal(grade(TP_REACH_EDGE, i, good, &doubts), TP_GRADE_GOOD);
		assert_int_not_equal(grade(TP_REACH_EDGE, i, good + 1e-3, &doubts), TP_GRADE_GOOD);
	}
}

static void worst_doubt_decides(void **state)
{
	struct tp_seen seen = { .reach = TP_REACH_CORE };
	uint32_t doubts;
	(void)state;
	seen.x[TP_DOUBT_COARSE] = 1; /* fair */
	seen.x[TP_DOUBT_OVER] = 1; /* poor */
	assert_int_equal(tp_quality_grade(&seen, &doubts), TP_GRADE_POOR);
	assert_int_equal(doubts, 1u << TP_DOUBT_COARSE | 1u << TP_DOUBT_OVER);
}

static void groups_are_found(void **state)
{
	double two[40], one[40];
	(void)state;
	for (int i = 0; i < 40; i++) {
		one[i] = 100 + 0.05 * i;
		two[i] = i < 16 ? 90 + 0.02 * i : 100 + 0.02 * i;
	}
	assert_true(tp_quality_modes(one, 40, 0.25) == 0);
	assert_true(fabs(tp_quality_modes(two, 40, 0.25) - 0.104) < 0.01);
	assert_true(tp_quality_modes(two, 7, 0.25) == 0); /* too few to tell */
	for (int i = 0; i < 8; i++)
		two[i] = 90;
	for (int i = 8; i < 40; i++)
		two[i] = 100;
	assert_true(tp_quality_modes(two, 40, 0.25) == 0); /* a fifth is not a quarter */
	assert_true(fabs(tp_quality_modes(two, 40, 0.1) - 0.1) < 0.001);
}

static void wandering_is_found(void **state)
{
	double x[100], scratch[100];
	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = i % 3 ? 100 : 80; /* pauses in a third of the windows */
	assert_true(tp_quality_wander(x, 100, false, scratch) == 0);
	for (int i = 40; i < 60; i++)
		x[i] -= 10; /* somebody else, for a while */
	assert_true(fabs(tp_quality_wander(x, 100, false, scratch) - 0.1) < 0.01);
	assert_true(tp_quality_wander(x, 39, false, scratch) == 0); /* too few to tell */
	/* Where values may rise by themselves, only a fall counts. */
	assert_true(fabs(tp_quality_wander(x, 100, true, scratch) - 0.1) < 0.01);
	for (int i = 0; i < 100; i++)
		x[i] = 90 + i / 10;
	assert_true(tp_quality_wander(x, 100, true, scratch) == 0);
	assert_true(tp_quality_wander(x, 100, false, scratch) > 0.08);
	/* What chance alone makes of ten medians is not wandering. */
	for (int i = 0; i < 100; i++)
		x[i] = 100 + (i * 37 % 101) * 0.1;
	assert_true(tp_quality_wander(x, 100, false, scratch) < 0.02);
}

/* --- planted points --- */

enum { WINDOWS = 200 };

struct planted {
	struct tp_point point;
	struct tp_kernel_row row;
	struct tp_sample samples[WINDOWS];
};

/* A sound point of 100 GB/s; the tests spoil one thing of it. */
static struct planted *planted(void)
{
	struct planted *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	p->point = (struct tp_point){ .state = TP_POINT_DONE,
				      .row = &p->row,
				      .samples = p->samples,
				      .n_samples = WINDOWS,
				      .kept = WINDOWS,
				      .median = 100,
				      .mad = 0.3,
				      .ci_low = 99.9,
				      .ci_high = 100.1,
				      .core_ghz = 3.5,
				      .core_ghz_after = 3.5 };
	for (int i = 0; i < WINDOWS; i++)
		p->samples[i] = (struct tp_sample){ .seconds = 0.5e-3,
						    .rate = 99.5 + (i * 7 % 11) * 0.1,
						    .core_ghz = 3.5 };
	return p;
}

static void expect(struct planted *p, enum tp_reach reach, enum tp_quality quality,
		   uint32_t reasons)
{
	tp_window_quality(&p->point, reach);
	assert_string_equal(tp_quality_name(p->point.quality), tp_quality_name(quality));
	assert_int_equal(p->point.flags & reasons, reasons);
	free(p);
}

static void sound_points_are_good(void **state)
{
	(void)state;
	for (int reach = TP_REACH_CORE; reach <= TP_REACH_SHARED; reach++) {
		struct planted *p = planted();
		tp_window_quality(&p->point, (enum tp_reach)reach);
		assert_int_equal(p->point.quality, TP_QUALITY_GOOD);
		assert_int_equal(p->point.flags, 0);
		free(p);
	}
}

static void a_point_without_windows_has_none(void **state)
{
	struct planted *p = planted();
	(void)state;
	p->point.n_samples = 0;
	p->point.quality = TP_QUALITY_GOOD;
	expect(p, TP_REACH_CORE, TP_QUALITY_NONE, 0);
}

static void one_window_is_never_good(void **state)
{
	(void)state;
	for (int reach = TP_REACH_CORE; reach <= TP_REACH_SHARED; reach++) {
		struct planted *p = planted();
		p->point.n_samples = p->point.kept = 1;
		p->point.mad = 0;
		p->samples[0].seconds = 1;
		expect(p, (enum tp_reach)reach, TP_QUALITY_POOR, TP_FLAG(FEW_WINDOWS));
	}
}

static void reasons_of_the_point(void **state)
{
	struct planted *p;
	(void)state;
	p = planted();
	p->point.n_samples = p->point.kept = 7;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(FEW_WINDOWS));
	p = planted();
	p->point.ci_high = 102;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(WIDE_INTERVAL));
	p = planted();
	p->point.ci_high = 102;
	expect(p, TP_REACH_SHARED, TP_QUALITY_GOOD, 0);
	p = planted();
	p->point.ci_low = 88;
	expect(p, TP_REACH_SHARED, TP_QUALITY_POOR, TP_FLAG(WIDE_INTERVAL));
	p = planted();
	p->point.mad = 3;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(NOISY));
	p = planted();
	p->point.core_ghz_after = 3.2;
	p->samples[7].core_ghz = 0; /* without all clocks nothing can be said per cycle */
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(FREQ_DRIFT));
	p = planted();
	p->point.core_ghz_after = 3.2;
	expect(p, TP_REACH_SHARED, TP_QUALITY_GOOD, 0);
}

/* A clock that steps by a tenth: per cycle, all windows agree. */
static void within_the_core_the_clock_is_no_doubt(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++)
		for (int reach = TP_REACH_CORE; reach <= TP_REACH_SHARED; reach += 2) {
			struct planted *p = planted();
			bool good = known && reach == TP_REACH_CORE;
			for (int i = 0; i < WINDOWS; i += 2) {
				p->samples[i].rate *= 0.9;
				p->samples[i].core_ghz *= 0.9;
			}
			p->samples[WINDOWS - 1].core_ghz *= known;
			p->point.mad = 5;
			p->point.ci_low = 90;
			p->point.core_ghz_after = 3.15;
			tp_window_quality(&p->point, (enum tp_reach)reach);
			assert_int_equal(p->point.quality == TP_QUALITY_GOOD, good);
			free(p);
		}
	/* What differs per cycle remains a doubt, whatever the clock does. */
	struct planted *p = planted();
	for (int i = 0; i < WINDOWS; i += 2) {
		p->samples[i].rate *= 0.84;
		p->samples[i].core_ghz *= 0.9;
	}
	expect(p, TP_REACH_CORE, TP_QUALITY_POOR, TP_FLAG(TWO_MODES));
}

static void reasons_of_the_windows(void **state)
{
	struct planted *p = planted();
	(void)state;
	for (int i = 10; i < WINDOWS; i++) { /* most were lost to a neighbour */
		p->samples[i].flags = TP_FLAG(DISTURBED);
		p->samples[i].rate = 70;
	}
	p->point.kept = 10;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(DISTURBED));
	p = planted();
	for (int i = 0; i < WINDOWS; i++) /* all were, and count for want of better */
		p->samples[i].flags = TP_FLAG(SIBLING);
	expect(p, TP_REACH_CORE, TP_QUALITY_POOR, TP_FLAG(DISTURBED));
	p = planted();
	for (int i = 0; i < WINDOWS; i++) /* the value lies between two groups */
		p->samples[i].rate += i % 2 ? 4 : -4;
	expect(p, TP_REACH_CORE, TP_QUALITY_POOR, TP_FLAG(TWO_MODES));
	p = planted();
	for (int i = 0; i < 40; i++) { /* a fifth ran in another rhythm, and was dropped */
		p->samples[5 * i].rate *= 0.76;
		p->samples[5 * i].flags = TP_FLAG(DISTURBED);
	}
	p->point.kept = 160;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(TWO_MODES));
	p = planted();
	for (int i = 0; i < 80; i++) { /* as many were caught as were slow: so were these */
		p->samples[i].rate *= 0.76;
		p->samples[i].flags = i % 2 ? TP_FLAG(DISTURBED) : TP_FLAG(SIBLING);
	}
	p->point.kept = 120;
	expect(p, TP_REACH_CORE, TP_QUALITY_GOOD, 0);
	p = planted();
	p->point.n_samples = 18; /* two slow windows are not a rhythm */
	p->samples[4].rate = p->samples[9].rate = 76;
	p->samples[4].flags = p->samples[9].flags = TP_FLAG(DISTURBED);
	p->point.kept = 16;
	expect(p, TP_REACH_CORE, TP_QUALITY_GOOD, 0);
	p = planted();
	for (int i = 0; i < WINDOWS; i += 2) { /* a clock that steps is none */
		p->samples[i].rate *= 0.9;
		p->samples[i].core_ghz *= 0.9;
		p->samples[i].flags = TP_FLAG(DISTURBED);
	}
	p->point.kept = 100;
	expect(p, TP_REACH_CORE, TP_QUALITY_GOOD, 0);
	p = planted();
	for (int i = 80; i < 120; i++) /* somebody else used the memory for a while */
		p->samples[i].rate -= 20;
	expect(p, TP_REACH_SHARED, TP_QUALITY_FAIR, TP_FLAG(UNEVEN));
	p = planted();
	for (int i = 0; i < WINDOWS; i++)
		p->samples[i].seconds = 10e-6;
	p->point.n_samples = p->point.kept = 8; /* all of one moment */
	expect(p, TP_REACH_SHARED, TP_QUALITY_POOR, TP_FLAG(FEW_WINDOWS));
	p = planted();
	for (int i = 0; i < WINDOWS; i++)
		p->samples[i].seconds = 10e-6;
	expect(p, TP_REACH_CORE, TP_QUALITY_GOOD, 0);
	p = planted();
	for (int i = 1; i < WINDOWS; i++) /* those that count ran at another clock than most */
		if (i % 4) {
			p->samples[i].core_ghz = 3.3;
			p->samples[i].rate = 95;
			p->samples[i].flags = TP_FLAG(DISTURBED);
		}
	p->point.kept = WINDOWS / 4;
	p->samples[0].core_ghz = 0;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, TP_FLAG(CLOCK_STEPS));
}

static void reasons_that_are_flags(void **state)
{
	static const struct {
		uint32_t flag;
		enum tp_quality core, shared;
	} rows[] = {
		{ TP_FLAG(SHARED_CORE), TP_QUALITY_POOR, TP_QUALITY_FAIR },
		{ TP_FLAG(OVER_BOUND), TP_QUALITY_POOR, TP_QUALITY_POOR },
		{ TP_FLAG(UNSTABLE), TP_QUALITY_POOR, TP_QUALITY_POOR },
		{ TP_FLAG(NO_FREQ), TP_QUALITY_FAIR, TP_QUALITY_GOOD },
		{ TP_FLAG(COARSE_CLOCK), TP_QUALITY_FAIR, TP_QUALITY_FAIR },
		{ TP_FLAG(OTHER_TPROF), TP_QUALITY_FAIR, TP_QUALITY_FAIR },
		{ TP_FLAG(SMALL_PAGES), TP_QUALITY_GOOD, TP_QUALITY_FAIR },
		{ TP_FLAG(WARMING), TP_QUALITY_POOR, TP_QUALITY_POOR },
		/* these alone say nothing about the value */
		{ TP_FLAG(CTX_SWITCH) | TP_FLAG(SIBLING) | TP_FLAG(STEAL), TP_QUALITY_GOOD,
		  TP_QUALITY_GOOD },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		for (int shared = 0; shared < 2; shared++) {
			struct planted *p = planted();
			p->point.flags = rows[i].flag;
			expect(p, shared ? TP_REACH_SHARED : TP_REACH_CORE,
			       shared ? rows[i].shared : rows[i].core, rows[i].flag);
		}
	struct planted *p = planted();
	p->point.flags = TP_FLAG(UNDER_MODEL);
	p->point.bound = 104;
	expect(p, TP_REACH_CORE, TP_QUALITY_FAIR, 0);
	p = planted();
	p->point.flags = TP_FLAG(UNDER_MODEL);
	p->point.bound = 200;
	expect(p, TP_REACH_CORE, TP_QUALITY_POOR, 0);
}

static void reach_of_working_sets(void **state)
{
	(void)state;
	assert_int_equal(tp_window_reach(32768, 1 << 20), TP_REACH_CORE);
	assert_int_equal(tp_window_reach(900e3, 1 << 20), TP_REACH_EDGE);
	assert_int_equal(tp_window_reach(2e6, 1 << 20), TP_REACH_SHARED);
	/* Where nothing is known, both limits hold. */
	assert_int_equal(tp_window_reach(32768, 0), TP_REACH_EDGE);
}

/* n points beyond the core, `good` of them good, and one within it: how many stay good. */
static size_t good_in_company(size_t n, size_t good)
{
	struct tp_run run = { 0 };
	struct tp_kernel_row rows[] = { { .level = "L3" }, { .level = "L1" } };
	size_t left = 0;
	run.points = calloc(n + 1, sizeof(*run.points));
	assert_non_null(run.points);
	run.n_points = n + 1;
	for (size_t i = 0; i <= n; i++) {
		run.points[i].row = &rows[i == n];
		run.points[i].quality = i < good || i == n ? TP_QUALITY_GOOD : TP_QUALITY_FAIR;
	}
	tp_window_doubt_company(&run, 1); /* points of another run stay */
	assert_int_equal(run.points[0].quality, good ? TP_QUALITY_GOOD : TP_QUALITY_FAIR);
	tp_window_doubt_company(&run, 0);
	for (size_t i = 0; i < n; i++) {
		left += run.points[i].quality == TP_QUALITY_GOOD;
		if (i < good && run.points[i].quality != TP_QUALITY_GOOD)
			assert_true(run.points[i].flags & TP_FLAG(UNEVEN));
	}
	assert_int_equal(run.points[n].quality, TP_QUALITY_GOOD);
	for (size_t i = 0; i <= n; i++)
		run.points[i].row = NULL;
	tp_run_release(&run);
	return left;
}

static void good_points_are_doubted_in_bad_company(void **state)
{
	(void)state;
	assert_int_equal(good_in_company(3, 0), 0);
	assert_int_equal(good_in_company(3, 1), 1); /* too few to tell */
	assert_int_equal(good_in_company(4, 1), 0);
	assert_int_equal(good_in_company(4, 2), 2);
	assert_int_equal(good_in_company(40, 10), 0);
	assert_int_equal(good_in_company(40, 11), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_doubt_decides),
		cmocka_unit_test(both_limits_hold_at_an_edge),
		cmocka_unit_test(worst_doubt_decides),
		cmocka_unit_test(groups_are_found),
		cmocka_unit_test(wandering_is_found),
		cmocka_unit_test(sound_points_are_good),
		cmocka_unit_test(a_point_without_windows_has_none),
		cmocka_unit_test(one_window_is_never_good),
		cmocka_unit_test(reasons_of_the_point),
		cmocka_unit_test(within_the_core_the_clock_is_no_doubt),
		cmocka_unit_test(reasons_of_the_windows),
		cmocka_unit_test(reasons_that_are_flags),
		cmocka_unit_test(good_points_are_doubted_in_bad_company),
		cmocka_unit_test(reach_of_working_sets),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
