/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/near.h"
#include "analysis/linear.h"
#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"

enum { LONGLEY_ROWS = 16, LONGLEY_FEATURES = 6 };

/* J. W. Longley (1967), as NIST's Statistical Reference Datasets give it: the target, then the
 * features. They are nearly collinear, so careless algorithms lose most digits. */
static const double longley[1 + LONGLEY_FEATURES][LONGLEY_ROWS] = {
	{ 60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761, 66019, 67857, 68169, 66513, 68655,
	  69564, 69331, 70551 },
	{ 83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6, 114.2,
	  115.7, 116.9 },
	{ 234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469, 419180, 442769,
	  444546, 482704, 502601, 518173, 554894 },
	{ 2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681, 3813, 3931, 4806,
	  4007 },
	{ 1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798, 2637, 2552, 2514, 2572,
	  2827 },
	{ 107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219, 117388, 118734, 120445,
	  121950, 123366, 125368, 127852, 130081 },
	{ 1947, 1948, 1949, 1950, 1951, 1952, 1953, 1954, 1955, 1956, 1957, 1958, 1959, 1960, 1961,
	  1962 },
};

/* Certified by NIST: coefficients and their standard deviations. */
static const struct {
	double coefficient, deviation;
} certified[1 + LONGLEY_FEATURES] = {
	{ -3482258.63459582, 890420.383607373 },
	{ 15.0618722713733, 84.9149257747669 },
	{ -0.358191792925910E-01, 0.0334910077722432 },
	{ -2.02022980381683, 0.488399681651699 },
	{ -1.03322686717359, 0.214274163161675 },
	{ -0.511041056535807E-01, 0.226073200069370 },
	{ 1829.15146461355, 455.478499142212 },
};

static void hard_data_give_certified_results(void **state)
{
	const double *features[LONGLEY_FEATURES];
	struct tp_dataset data = { LONGLEY_ROWS, LONGLEY_FEATURES, features, NULL };
	struct tp_linear fit = { 0 };
	const double t = 2.26215716274099; /* 97.5 % of Student's t, 9 degrees */

	(void)state;
	for (size_t f = 0; f < LONGLEY_FEATURES; f++)
		features[f] = longley[f + 1];
	assert_int_equal(tp_linear_fit(&fit, &data, longley[0], 0.95, NULL), TP_OK);
	assert_int_equal(fit.n, 7);
	assert_int_equal(fit.rank, 7);
	for (size_t i = 0; i < fit.n; i++) {
		double c = certified[i].coefficient, half = t * certified[i].deviation;

		assert_near(fit.coefficients[i], c, 1e-9 * fabs(c));
		assert_near(fit.low[i], c - half, 1e-9 * (fabs(c) + half));
		assert_near(fit.high[i], c + half, 1e-9 * (fabs(c) + half));
	}
	assert_near(fit.residual_deviation, 304.854073561965, 1e-8);
	assert_near(fit.r2, 0.995479004577296, 1e-12);
	assert_near(fit.adjusted_r2, 1 - (1 - 0.995479004577296) * 15 / 9, 1e-12);
	tp_linear_release(&fit);
	assert_null(fit.coefficients);
}

static void a_line_is_found_again(void **state)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 5, 7, 9, 11 }, *features[] = { x };
	struct tp_dataset data = { 4, 1, features, NULL };
	struct tp_linear fit = { 0 };

	(void)state;
	assert_int_equal(tp_linear_fit(&fit, &data, y, 0.99, NULL), TP_OK);
	assert_near(fit.coefficients[0], 3, 1e-13);
	assert_near(fit.coefficients[1], 2, 1e-13);
	assert_near(fit.r2, 1, 1e-15);
	assert_near(fit.residual_deviation, 0, 1e-13);
	assert_near(fit.high[1] - fit.low[1], 0, 1e-12);
	tp_linear_release(&fit);
}

/* More rows than a block, so that triangles are folded; values far from zero. */
static void many_rows_are_folded(void **state)
{
	enum { N = 5000 };
	static double x[2][N], y[N];
	const double *features[] = { x[0], x[1] };
	struct tp_dataset data = { N, 2, features, NULL };
	struct tp_linear fit = { 0 };
	uint64_t random = 4;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		x[0][i] = 1e6 + (double)(tp_splitmix64(&random) % 1000);
		x[1][i] = (double)(tp_splitmix64(&random) % 1000) * 1e-6;
		/* noise of exactly +1 and -1 */
		y[i] = 7 - 2 * x[0][i] + 3e5 * x[1][i] + (i % 2 ? 1 : -1);
	}
	assert_int_equal(tp_linear_fit(&fit, &data, y, 0.999, NULL), TP_OK);
	assert_true(fit.low[0] < 7 && 7 < fit.high[0]);
	assert_true(fit.low[1] < -2 && -2 < fit.high[1]);
	assert_true(fit.low[2] < 3e5 && 3e5 < fit.high[2]);
	/* 1 / (289 sqrt(5000)) is the deviation of the slope, 3.29 the quantile */
	assert_near(fit.high[1] - fit.low[1], 2 * 3.29 / (289 * sqrt(N)), 2e-5);
	assert_near(fit.residual_deviation, 1, 0.01);
	tp_linear_release(&fit);
}

/* z = x + y beside both: the plane is found, but not who deserves it. w is free of it. */
static void collinear_features_share(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5, 6, 7, 9 }, y[] = { 2, -1, 4, 0, 5, 5, 1, 3 },
		     w[] = { 0, 1, 1, 0, 1, 0, 0, 1 };
	double z[8], target[8];
	const double *features[] = { x, y, z, w };
	struct tp_dataset data = { 8, 4, features, NULL };
	struct tp_linear fit = { 0 };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		z[i] = x[i] + y[i];
		target[i] = 1 + 2 * x[i] + 5 * y[i] - w[i] + (i == 3 ? 0.25 : 0);
	}
	assert_int_equal(tp_linear_fit(&fit, &data, target, 0.95, NULL), TP_OK);
	assert_int_equal(fit.n, 5);
	assert_int_equal(fit.rank, 4);
	for (size_t i = 1; i < 4; i++) {
		assert_true(isnan(fit.low[i]));
		assert_true(isnan(fit.high[i]));
	}
	assert_true(fit.low[0] < 1 && 1 < fit.high[0]);
	assert_true(fit.low[4] < -1 && -1 < fit.high[4]);
	assert_near(fit.coefficients[1] + fit.coefficients[3], 2, 0.05);
	assert_near(fit.coefficients[2] + fit.coefficients[3], 5, 0.05);
	assert_true(fit.r2 > 0.999);
	tp_linear_release(&fit);
}

static void constants_have_no_coefficient(void **state)
{
	const double x[] = { 1, 2, 3, 4, 6 }, third[] = { 0.1, 0.1, 0.1, 0.1, 0.1 },
		     y[] = { 1, 3, 2, 5, 4 };
	const double *features[] = { x, third };
	struct tp_dataset data = { 5, 2, features, NULL };
	struct tp_linear with = { 0 }, without = { 0 };

	(void)state;
	assert_int_equal(tp_linear_fit(&with, &data, y, 0.9, NULL), TP_OK);
	data.n_features = 1;
	assert_int_equal(tp_linear_fit(&without, &data, y, 0.9, NULL), TP_OK);
	assert_int_equal(with.rank, 2);
	assert_near(with.coefficients[2], 0, 0);
	assert_true(isnan(with.low[2]));
	for (size_t i = 0; i < 2; i++) {
		assert_near(with.coefficients[i], without.coefficients[i], 1e-14);
		assert_near(with.low[i], without.low[i], 1e-13);
		assert_near(with.high[i], without.high[i], 1e-13);
	}
	tp_linear_release(&with);
	tp_linear_release(&without);
	/* And a constant target: nothing to explain. */
	assert_int_equal(tp_linear_fit(&with, &data, third, 0.9, NULL), TP_OK);
	assert_near(with.coefficients[0], 0.1, 1e-16);
	assert_near(with.coefficients[1], 0, 0);
	assert_near(with.r2, 0, 0);
	assert_near(with.adjusted_r2, 0, 0);
	assert_near(with.residual_deviation, 0, 0);
	tp_linear_release(&with);
	/* No features at all: the mean, with its interval: 3 +- t(0.95, 4) sqrt(2.5 / 5). */
	data.n_features = 0;
	assert_int_equal(tp_linear_fit(&with, &data, y, 0.9, NULL), TP_OK);
	assert_int_equal(with.n, 1);
	assert_near(with.coefficients[0], 3, 1e-15);
	assert_near(with.high[0], 3 + 2.131846786 * sqrt(0.5), 1e-8);
	tp_linear_release(&with);
}

static void few_rows_have_no_intervals(void **state)
{
	const double x[] = { 1, 2 }, y[] = { 4, 6 }, *features[] = { x };
	struct tp_dataset data = { 2, 1, features, NULL };
	struct tp_linear fit = { 0 };
	struct tp_diag diag = { 0 };

	(void)state;
	assert_int_equal(tp_linear_fit(&fit, &data, y, 0.95, NULL), TP_OK);
	assert_near(fit.coefficients[0], 2, 1e-14);
	assert_near(fit.coefficients[1], 2, 1e-14);
	assert_true(isnan(fit.low[1]) && isnan(fit.residual_deviation) && isnan(fit.adjusted_r2));
	tp_linear_release(&fit);
	data.n_rows = 1;
	assert_int_equal(tp_linear_fit(&fit, &data, y, 0.95, &diag), TP_USAGE);
	assert_string_equal(diag.what, "1 rows do not determine 2 coefficients");
	assert_null(fit.coefficients);
	tp_stop_asked = 1;
	data.n_rows = 2;
	assert_int_equal(tp_linear_fit(&fit, &data, y, 0.95, &diag), TP_CANCELLED);
	tp_stop_asked = 0;
	assert_null(fit.coefficients);
}

static void huge_and_tiny_units_do_not_matter(void **state)
{
	const double x[] = { 1e300, 2e300, 3e300, 5e300 }, y[] = { 1e-300, 2e-300, 4e-300, 5e-300 };
	const double x1[] = { 1, 2, 3, 5 }, y1[] = { 1, 2, 4, 5 };
	const double *extreme[] = { y }, *usual[] = { y1 };
	struct tp_dataset far = { 4, 1, extreme, NULL }, near = { 4, 1, usual, NULL };
	struct tp_linear a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(tp_linear_fit(&a, &far, y, 0.95, NULL), TP_OK);
	assert_near(a.coefficients[1], 1, 1e-12);
	tp_linear_release(&a);
	extreme[0] = x;
	assert_int_equal(tp_linear_fit(&a, &far, x, 0.95, NULL), TP_OK);
	assert_near(a.coefficients[1], 1, 1e-12);
	tp_linear_release(&a);
	assert_int_equal(tp_linear_fit(&a, &far, y1, 0.95, NULL), TP_OK);
	usual[0] = x1;
	assert_int_equal(tp_linear_fit(&b, &near, y1, 0.95, NULL), TP_OK);
	assert_near(a.coefficients[1] * 1e300, b.coefficients[1], 1e-12);
	assert_near(a.high[1] * 1e300, b.high[1], 1e-12);
	assert_near(a.r2, b.r2, 1e-12);
	tp_linear_release(&a);
	tp_linear_release(&b);
}

/* x 1..5, y 2 1 4 3 5: r = rho = 8 / 10. */
static void correlations_are_those_of_the_book(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 1, 4, 3, 5 }, same[] = { 7, 7, 7, 7, 7 };
	const double curve[] = { 1, 8, 27, 64, 1e9 }, falling[] = { 5, 4, 3, 2, 1 };
	/* Ranks 1, 2.5, 2.5, 4, 5 */
	const double ties[] = { 1, 2, 2, 3, 9 };

	(void)state;
	assert_near(tp_correlation(x, y, 5), 0.8, 1e-15);
	assert_near(tp_rank_correlation(x, y, 5), 0.8, 1e-15);
	assert_near(tp_rank_correlation(x, curve, 5), 1, 1e-15);
	assert_true(tp_correlation(x, curve, 5) < 0.75);
	assert_near(tp_correlation(x, falling, 5), -1, 1e-15);
	assert_near(tp_rank_correlation(x, ties, 5), sqrt(0.95), 1e-15);
	assert_true(isnan(tp_correlation(x, same, 5)));
	assert_true(isnan(tp_rank_correlation(same, x, 5)));
	assert_true(isnan(tp_correlation(x, y, 1)));
	assert_true(isnan(tp_correlation(x, y, 0)));
	assert_true(isnan(tp_rank_correlation(x, y, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_data_give_certified_results),
		cmocka_unit_test(a_line_is_found_again),
		cmocka_unit_test(many_rows_are_folded),
		cmocka_unit_test(collinear_features_share),
		cmocka_unit_test(constants_have_no_coefficient),
		cmocka_unit_test(few_rows_have_no_intervals),
		cmocka_unit_test(huge_and_tiny_units_do_not_matter),
		cmocka_unit_test(correlations_are_those_of_the_book),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
