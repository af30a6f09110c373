/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "analysis/stats.h"
#include "base/memory.h"

/*
 * NIST/SEMATECH handbook, "NumAcc3": mean 1000000.2, standard deviation 0.1, hard for one-pass sums
 * of squares.
 */
static void welford_keeps_its_digits(void **state)
{
	struct tp_welford w = { 0 };

	(void)state;
	tp_welford_add(&w, 1000000.2);
	assert_near(tp_welford_variance(&w), 0, 0);
	for (int i = 0; i < 500; i++) {
		tp_welford_add(&w, 1000000.1);
		tp_welford_add(&w, 1000000.3);
	}
	assert_int_equal(w.n, 1001);
	assert_near(w.mean, 1000000.2, 1e-8);
	assert_near(sqrt(tp_welford_variance(&w)), 0.1, 1e-9);
}

/*
 * Two-sided Student quantiles as printed in every table: t(0.995; 1) = 63.657, t(0.995; 9) =
 * 3.2498, t(0.975; 4) = 2.7764.
 */
static void mean_interval_follows_student(void **state)
{
	static const struct {
		size_t n;
		double confidence, t;
	} rows[] = { { 2, 0.99, 63.6567 },
		     { 10, 0.99, 3.24984 },
		     { 5, 0.95, 2.77645 },
		     { 31, 0.95, 2.04227 },
		     { 101, 0.99, 2.62589 } };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_welford w = { .n = rows[i].n, .mean = 10 };
		struct tp_interval ci;

		w.c = 4.0 * (double)(w.n - 1); /* standard deviation 2 */
		ci = tp_mean_interval(&w, rows[i].confidence);
		assert_true(ci.valid);
		assert_near((ci.high - 10) * sqrt((double)w.n) / 2, rows[i].t, 1e-4);
		assert_near(ci.high - 10, 10 - ci.low, 1e-9);
	}
}

static void mean_interval_needs_two(void **state)
{
	struct tp_welford w = { 0 };

	(void)state;
	assert_false(tp_mean_interval(&w, 0.99).valid);
	tp_welford_add(&w, 7);
	assert_false(tp_mean_interval(&w, 0.99).valid);
	assert_near(tp_mean_interval(&w, 0.99).high, 7, 0);
	tp_welford_add(&w, 8);
	assert_true(tp_mean_interval(&w, 0.99).valid);
	assert_false(tp_mean_interval(&w, 1).valid);
	assert_false(tp_mean_interval(&w, 0).valid);
}

/*
 * Ranks as tabulated for confidence intervals of the median (Conover, Practical Nonparametric
 * Statistics; binomial(n, 1/2)).
 */
static void median_ranks_match_the_tables(void **state)
{
	static const struct {
		size_t n;
		double confidence;
		size_t rank;
	} rows[] = { { 5, 0.95, 0 },   { 6, 0.95, 1 },	{ 7, 0.99, 0 },	 { 8, 0.99, 1 },
		     { 9, 0.95, 2 },   { 10, 0.95, 2 }, { 11, 0.99, 1 }, { 12, 0.99, 2 },
		     { 15, 0.99, 3 },  { 20, 0.99, 4 }, { 20, 0.95, 6 }, { 25, 0.95, 8 },
		     { 50, 0.95, 18 }, { 1, 0.5, 0 },	{ 2, 0.5, 1 },	 { 0, 0.99, 0 } };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (tp_median_rank(rows[i].n, rows[i].confidence) != rows[i].rank)
			fail_msg("n = %zu: rank %zu, not %zu", rows[i].n,
				 tp_median_rank(rows[i].n, rows[i].confidence), rows[i].rank);
}

/* P(k <= B <= n-k) summed the slow way, from the tail in long double. */
static long double coverage(size_t n, size_t k)
{
	long double term = powl(2, -(long double)n), tail = 0;

	for (size_t i = 0; i < k; i++) {
		tail += term;
		term *= (long double)(n - i) / (long double)(i + 1);
	}
	return 1 - 2 * tail;
}

static void median_ranks_are_the_tightest_that_cover(void **state)
{
	(void)state;
	for (size_t n = 8; n < 10000; n += n < 300 ? 1 : 97) {
		size_t k = tp_median_rank(n, 0.99);

		assert_true(k >= 1 && k <= n / 2);
		assert_true(coverage(n, k) >= 0.99L);
		assert_true(k == n / 2 || coverage(n, k + 1) < 0.99L);
	}
	/* Far beyond where 2^-n underflows: normal approximation n/2 - 2.5758 sqrt(n)/2. */
	assert_in_range(tp_median_rank(1000000, 0.99), 498711, 498713);
}

static void median_interval_takes_order_statistics(void **state)
{
	double x[20];
	struct tp_interval ci;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		x[i] = (double)(i + 1);
	ci = tp_median_interval_sorted(x, 20, 0.99);
	assert_true(ci.valid);
	assert_near(ci.low, 4, 0);
	assert_near(ci.high, 17, 0);
	ci = tp_median_interval_sorted(x, 7, 0.99);
	assert_false(ci.valid);
	assert_near(ci.low, 1, 0);
	assert_near(ci.high, 7, 0);
	assert_false(tp_median_interval_sorted(x, 0, 0.99).valid);
}

static void medians_and_quantiles(void **state)
{
	const double x[] = { 1, 2, 4, 8, 16 };

	(void)state;
	assert_near(tp_median_sorted(x, 5), 4, 0);
	assert_near(tp_median_sorted(x, 4), 3, 0);
	assert_near(tp_median_sorted(x, 1), 1, 0);
	assert_near(tp_median_sorted(x, 0), 0, 0);
	assert_near(tp_quantile_sorted(x, 5, 0), 1, 0);
	assert_near(tp_quantile_sorted(x, 5, 0.25), 2, 0);
	assert_near(tp_quantile_sorted(x, 5, 0.875), 12, 0);
	assert_near(tp_quantile_sorted(x, 5, 1), 16, 0);
	assert_near(tp_quantile_sorted(x, 5, NAN), 1, 0);
}

static void summary_of_a_skewed_sample(void **state)
{
	const double x[] = { 10, 2, 3, 1, 4, 5, 100, 6, 7 };
	double scratch[9];
	struct tp_summary s;

	(void)state;
	tp_summarise(x, 9, 0.95, scratch, &s);
	assert_int_equal(s.n, 9);
	assert_near(s.median, 5, 0);
	assert_near(s.mad, 2, 0); /* deviations 5 3 2 4 1 0 95 1 2 */
	assert_near(s.min, 1, 0);
	assert_near(s.max, 100, 0);
	assert_near(s.mean, 138.0 / 9, 1e-12);
	assert_near(s.stddev, sqrt(8124.0 / 8), 1e-12);
	assert_near(s.median_ci.low, 2, 0);
	assert_near(s.median_ci.high, 10, 0);
	assert_true(s.mean_ci.valid);
	tp_summarise(x, 1, 0.99, scratch, &s);
	assert_near(s.mean_ci.low, 10, 0);
	assert_false(s.mean_ci.valid || s.median_ci.valid);
	tp_summarise(x, 0, 0.99, NULL, &s);
	assert_int_equal(s.n, 0);
}

static void trimmed_mean_drops_both_ends(void **state)
{
	const double agree[] = { 100, 50, 101, 99, 300 }, differ[] = { 100, 50, 104, 99, 300 };
	double scratch[5], mean;

	(void)state;
	assert_true(tp_trimmed_mean(agree, 5, 0.02, scratch, &mean));
	assert_near(mean, 100, 1e-12);
	assert_false(tp_trimmed_mean(differ, 5, 0.02, scratch, &mean));
	assert_near(mean, 101, 1e-12);
	assert_true(tp_trimmed_mean(differ, 5, 0.03, scratch, &mean));
	assert_false(tp_trimmed_mean(agree, 2, 0.02, scratch, &mean));
	assert_near(mean, 75, 1e-12);
}

/*
 * By hand: winsorised { 99 99 100 101 101 }, s_w = 1; t(0.95; df 2) = 4.30265; half = t x 1 x
 * sqrt(5) / 3.
 */
static void trimmed_interval_is_winsorised(void **state)
{
	const double x[] = { 100, 50, 101, 99, 300 };
	double scratch[5];
	struct tp_interval ci = tp_trimmed_interval(x, 5, 0.95, scratch);

	(void)state;
	assert_true(ci.valid);
	assert_near(ci.high - 100, 4.30265 * sqrt(5) / 3, 1e-4);
	assert_near(100 - ci.low, ci.high - 100, 1e-9);
	assert_false(tp_trimmed_interval(x, 3, 0.95, scratch).valid);
	assert_false(tp_trimmed_interval(x, 0, 0.95, scratch).valid);
}

/* What at least half of the values are; two values that are half each are none. */
static void values_that_are_alike(void **state)
{
	static const struct {
		double x[6];
		size_t n, alike;
		double value;
	} rows[] = {
		{ { 7 }, 1, 1, 7 },
		{ { 7, 8 }, 2, 0, 0 },
		{ { 7, 7 }, 2, 2, 7 },
		{ { 8, 7, 7 }, 3, 2, 7 },
		{ { 8, 9, 7, 7 }, 4, 2, 7 },
		{ { 8, 8, 7, 7 }, 4, 0, 0 },
		{ { 8, 9, 6, 7, 7 }, 5, 0, 0 },
		{ { 8, 9, 6, 7, 7, 7 }, 6, 3, 7 },
		{ { NAN, NAN, 7, NAN }, 4, 0, 0 },
		{ { 0 }, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		double value = NAN;

		assert_int_equal(tp_alike(rows[i].x, rows[i].n, &value), rows[i].alike);
		if (rows[i].alike)
			assert_near(value, rows[i].value, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_are_alike),
		cmocka_unit_test(welford_keeps_its_digits),
		cmocka_unit_test(mean_interval_follows_student),
		cmocka_unit_test(mean_interval_needs_two),
		cmocka_unit_test(median_ranks_match_the_tables),
		cmocka_unit_test(median_ranks_are_the_tightest_that_cover),
		cmocka_unit_test(median_interval_takes_order_statistics),
		cmocka_unit_test(medians_and_quantiles),
		cmocka_unit_test(summary_of_a_skewed_sample),
		cmocka_unit_test(trimmed_mean_drops_both_ends),
		cmocka_unit_test(trimmed_interval_is_winsorised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
