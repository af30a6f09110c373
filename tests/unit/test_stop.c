/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "measure/stop.h"

static const struct tp_stop_rule usual = { .max_seconds = 1,
					   .max_samples = 1000,
					   .confidence = 0.99,
					   .error = 0.01,
					   .min_count = 10,
					   .basis = TP_BASIS_MEDIAN,
					   .race_count = 2,
					   .trim_samples = 5,
					   .trim_tolerance = 0.02,
					   .trim_tries = 3 };

/* Deterministic noise in [-1, 1]. */
static double wobble(unsigned i)
{
	return (double)((i * 2654435761u) >> 8) / 8388607.5 - 1;
}

static void add(struct tp_stop_state *s, double x)
{
	assert_int_equal(tp_stop_add(s, x), TP_OK);
}

static void keeps_arrival_and_sorted_order(void **state)
{
	const double x[] = { 3, 1, 2, 2, 5, 0 }, sorted[] = { 0, 1, 2, 2, 3, 5 };
	struct tp_stop_state s = { 0 };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		add(&s, x[i]);
	assert_memory_equal(s.x, x, sizeof(x));
	assert_memory_equal(s.sorted, sorted, sizeof(sorted));
	assert_int_equal(tp_stop_add(&s, NAN), TP_INTERNAL);
	assert_int_equal(s.n, 6);
	assert_near(tp_stop_estimate(&s, &usual), 2, 0);
	tp_stop_reset(&s);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.w.n, 0);
	assert_non_null(s.x);
	tp_stop_release(&s);
}

static void quiet_samples_stop_at_the_minimum(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	for (unsigned i = 0; i < 9; i++) {
		add(&s, 100 + 0.1 * wobble(i));
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	}
	add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	tp_stop_release(&s);
}

/* 99 % needs 8 samples for a median; identical ones before are not proof. */
static void too_few_for_a_median_goes_on(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.min_count = 2;
	for (unsigned i = 0; i < 7; i++) {
		add(&s, 100);
		assert_false(tp_stop_interval(&s, &rule).valid);
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	}
	add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	rule.basis = TP_BASIS_MEAN;
	tp_stop_reset(&s);
	add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	tp_stop_release(&s);
}

/* The interval must hold on both sides: a tight upper end with a far lower end is not yet known. */
static void a_lopsided_interval_goes_on(void **state)
{
	struct tp_stop_state s = { 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		add(&s, i < 3 ? 90 : 100);
	assert_near(tp_stop_estimate(&s, &usual), 100, 0);
	for (unsigned i = 0; i < 4; i++)
		add(&s, i % 2 ? 90 : 100);
	assert_int_equal(tp_stop_decide(&s, &usual, 0), TP_GO_ON);
	tp_stop_release(&s);
}

static void noise_runs_into_samples_then_time(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.max_samples = 30;
	for (unsigned i = 0; i < 29; i++)
		add(&s, 100 + 30 * wobble(i));
	assert_int_equal(tp_stop_decide(&s, &rule, 0.999), TP_GO_ON);
	assert_int_equal(tp_stop_decide(&s, &rule, 1), TP_STOP_TIME);
	tp_stop_drop(&s); /* dropped windows cost a window too */
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_SAMPLES);
	assert_int_equal(tp_stop_decide(&s, &rule, 1), TP_STOP_SAMPLES);
	rule.max_samples = 0;
	rule.max_seconds = 0; /* 0 = no limit */
	assert_int_equal(tp_stop_decide(&s, &rule, 1e9), TP_GO_ON);
	tp_stop_release(&s);
}

static void dropped_windows_alone_end_a_point(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.max_samples = 5;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
		tp_stop_drop(&s);
	}
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_SAMPLES);
	assert_false(tp_stop_interval(&s, &rule).valid);
	tp_stop_release(&s);
}

static void a_clear_loser_stops_early(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.incumbent = 200;
	add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	add(&s, 100.5); /* 100.25 + 63.66 x 0.25 = 116 < 200 */
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_BEATEN);
	rule.incumbent = 115;
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	rule.incumbent = 200;
	rule.race_count = 100; /* late bloomers */
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	tp_stop_release(&s);
}

static void a_rival_within_the_margin_races_on(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.incumbent = 105;
	for (unsigned i = 0; i < 40; i++)
		add(&s, 100 + 20 * wobble(i));
	assert_true(tp_stop_interval(&s, &rule).high > 105);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	rule.incumbent = 121;
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_BEATEN);
	tp_stop_release(&s);
}

/* Rule order: a configuration that is both known and beaten is beaten. */
static void beaten_comes_before_all(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.max_samples = 10;
	for (unsigned i = 0; i < 10; i++)
		add(&s, 100);
	assert_int_equal(tp_stop_decide(&s, &rule, 5), TP_STOP_CONFIDENT);
	rule.incumbent = 101;
	assert_int_equal(tp_stop_decide(&s, &rule, 5), TP_STOP_BEATEN);
	tp_stop_release(&s);
}

static void trimmed_group_agrees(void **state)
{
	const double x[] = { 100, 20, 101, 99, 130 };
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.basis = TP_BASIS_TRIMMED;
	rule.min_count = 2;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
		add(&s, x[i]);
	}
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	assert_near(tp_stop_estimate(&s, &rule), 100, 1e-9);
	assert_true(tp_stop_interval(&s, &rule).valid);
	tp_stop_release(&s);
}

static void trimmed_groups_are_thrown_then_unstable(void **state)
{
	const double bad[] = { 100, 20, 110, 90, 130 };
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.basis = TP_BASIS_TRIMMED;
	for (unsigned i = 0; i < 15; i++) {
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
		add(&s, bad[i % 5]);
	}
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_UNSTABLE);
	assert_int_equal(s.groups_thrown, 3);
	assert_false(tp_stop_interval(&s, &rule).valid);
	assert_near(tp_stop_estimate(&s, &rule), 100, 0);
	tp_stop_release(&s);
}

/*
 * Five repetitions without the largest and the smallest; the others may be as far from their mean
 * as the tolerance says, and no further. What was thrown away has no part in the estimate, wherever
 * the groups stand, and nothing is taken beyond the group that agrees.
 */
static void trimmed_rule_on_known_sequences(void **state)
{
	static const struct {
		double x[15];
		size_t taken; /* until the rule ends */
		double estimate;
	} known[] = {
		{ { 3, 1, 2.01, 1.99, 2 }, 5, 2 },
		{ { 98, 100, 102, 102, 98 }, 5, 100 }, /* exactly 2 % */
		{ { 97, 97.9, 100, 102.1, 103, 50, 50, 50, 50, 50 }, 10, 50 },
		{ { 1000, 100, 100, 100, 0.001 }, 5, 100 }, /* the extremes do not matter */
		{ { 1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 7, 7, 7.1, 7.1, 9 },
		  15,
		  (7 + 7.1 + 7.1) / 3 },
		/* A group is judged as a whole: its end with the beginning of the next would agree.
		 */
		{ { 90, 90, 100, 100, 100, 100, 100, 110, 110, 120, 60, 60, 60, 60, 60 }, 15, 60 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		struct tp_stop_state s = { 0 };
		struct tp_stop_rule rule = usual;
		size_t n = 0;
		rule.basis = TP_BASIS_TRIMMED;
		rule.min_count = 0;
		while (tp_stop_decide(&s, &rule, 0) == TP_GO_ON && n < 15)
			add(&s, known[k].x[n++]);
		assert_int_equal(n, known[k].taken);
		assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
		assert_int_equal(s.groups_thrown, n / 5 - 1);
		assert_near(tp_stop_estimate(&s, &rule), known[k].estimate, 1e-9);
		tp_stop_release(&s);
	}
}

/*
 * Of n samples none is further from their mean than (n - 1) / sqrt(n) sigma: an outlier among 10
 * stays within 3, among 12 it does not.
 */
static void outliers_beyond_some_sigmas_do_not_count(void **state)
{
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.basis = TP_BASIS_SIGMA;
	add(&s, 200);
	for (unsigned i = 1; i < 10; i++)
		add(&s, 100);
	assert_near(tp_stop_estimate(&s, &rule), 110, 1e-9);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	add(&s, 100);
	add(&s, 100);
	assert_near(tp_stop_estimate(&s, &rule), 100, 1e-9);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	rule.sigmas = 4;
	assert_near(tp_stop_estimate(&s, &rule), 1300.0 / 12, 1e-9);
	tp_stop_release(&s);
}

/* Ten samples around 100, 60 and 150: their mean is 100.83 and their sigma 19.33. */
static void sigma_basis_on_known_samples(void **state)
{
	const double x[] = { 98, 150, 99, 100, 101, 102, 60, 98, 99, 100, 101, 102 };
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.basis = TP_BASIS_SIGMA;
	assert_near(tp_stop_estimate(&s, &rule), 0, 0);
	for (unsigned i = 0; i < 12; i++)
		add(&s, x[i]);
	rule.sigmas = 2;
	assert_near(tp_stop_estimate(&s, &rule), 100, 1e-9);
	/* Student's t of 9 degrees of freedom, 3.2498, times 1.4907 / sqrt(10). */
	struct tp_interval ci = tp_stop_interval(&s, &rule);
	assert_true(ci.valid);
	assert_near(ci.low, 100 - 1.532, 1e-3);
	assert_near(ci.high, 100 + 1.532, 1e-3);
	rule.error = 0.02;
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	rule.sigmas = 2.3;
	assert_near(tp_stop_estimate(&s, &rule), 1060.0 / 11, 1e-9);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_GO_ON);
	rule.sigmas = 3;
	assert_near(tp_stop_estimate(&s, &rule), 1210.0 / 12, 1e-9);
	tp_stop_release(&s);
}

static void a_good_group_after_a_bad_one_counts_alone(void **state)
{
	const double x[] = { 100, 20, 110, 90, 130, 200, 201, 199, 200, 200 };
	struct tp_stop_state s = { 0 };
	struct tp_stop_rule rule = usual;

	(void)state;
	rule.basis = TP_BASIS_TRIMMED;
	for (unsigned i = 0; i < 10; i++)
		add(&s, x[i]);
	assert_int_equal(tp_stop_decide(&s, &rule, 0), TP_STOP_CONFIDENT);
	assert_int_equal(s.groups_thrown, 1);
	assert_near(tp_stop_estimate(&s, &rule), 200, 1e-9);
	assert_true(tp_stop_interval(&s, &rule).low > 190);
	tp_stop_release(&s);
}

static void reasons_have_names(void **state)
{
	(void)state;
	assert_string_equal(tp_stop_reason_name(TP_STOP_CONFIDENT), "confident");
	assert_string_equal(tp_stop_reason_name(TP_STOP_BEATEN), "beaten");
	assert_string_equal(tp_stop_reason_name((enum tp_stop_reason)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_arrival_and_sorted_order),
		cmocka_unit_test(quiet_samples_stop_at_the_minimum),
		cmocka_unit_test(too_few_for_a_median_goes_on),
		cmocka_unit_test(a_lopsided_interval_goes_on),
		cmocka_unit_test(noise_runs_into_samples_then_time),
		cmocka_unit_test(dropped_windows_alone_end_a_point),
		cmocka_unit_test(a_clear_loser_stops_early),
		cmocka_unit_test(a_rival_within_the_margin_races_on),
		cmocka_unit_test(beaten_comes_before_all),
		cmocka_unit_test(trimmed_group_agrees),
		cmocka_unit_test(trimmed_groups_are_thrown_then_unstable),
		cmocka_unit_test(trimmed_rule_on_known_sequences),
		cmocka_unit_test(outliers_beyond_some_sigmas_do_not_count),
		cmocka_unit_test(sigma_basis_on_known_samples),
		cmocka_unit_test(a_good_group_after_a_bad_one_counts_alone),
		cmocka_unit_test(reasons_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
