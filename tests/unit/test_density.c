/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bandwidths against those of tests/mining/density_reference.py, densities against the sum of their
 * kernels, and the categories that are cut from them.
 */
#include "tests/unit/files.h"
#include "tests/unit/near.h"

#include "analysis/density.h"
#include "base/random.h"

enum { MOST = 4000 };

static size_t read_sample(const char *name, double *values)
{
	char path[TP_PATH_MAX], line[64];
	size_t n = 0;
	snprintf(path, sizeof(path), "%s/tests/mining/density_%s.csv", source_dir(), name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (n < MOST && fscanf(file, "%lf", &values[n]) == 1)
		n++;
	fclose(file);
	assert_true(n > 1000);
	return n;
}

/* Sums of uniform numbers: near enough to a normal distribution, with a known seed. */
static double normal(uint64_t *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += (double)(tp_splitmix64(state) >> 11) * 0x1p-53;
	return sum;
}

static void test_bandwidths_agree_with_the_reference(void **state)
{
	(void)state;
	static double values[MOST];
	char path[TP_PATH_MAX], line[128], name[32];
	double isj, silverman, crossed;
	unsigned rows = 0;
	snprintf(path, sizeof(path), "%s/tests/mining/density.csv", source_dir());
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fscanf(file, " %31[^,],%lf,%lf,%lf", name, &isj, &silverman, &crossed) == 4) {
		size_t n = read_sample(name, values);
		assert_near(tp_bandwidth_of(TP_BANDWIDTH_ISJ, values, n) / isj, 1, 0.01);
		assert_near(tp_bandwidth_of(TP_BANDWIDTH_SILVERMAN, values, n) / silverman, 1,
			    1e-5);
		assert_near(tp_bandwidth_of(TP_BANDWIDTH_CROSS_VALIDATED, values, n) / crossed, 1,
			    0.03);
		/* In other units they are other numbers, and nothing else. */
		for (size_t i = 0; i < n; i++)
			values[i] = 1e6 + 1000 * values[i];
		assert_near(tp_bandwidth_of(TP_BANDWIDTH_ISJ, values, n) / isj, 1000, 10);
		rows++;
	}
	fclose(file);
	assert_int_equal(rows, 3);
}

static void test_values_without_a_bandwidth(void **state)
{
	(void)state;
	static const double same[] = { 3, 3, 3, 3 }, two[] = { 1, 2 }, none[] = { 1, NAN };
	struct tp_density d;
	struct tp_diag diag;
	for (int rule = TP_BANDWIDTH_ISJ; rule <= TP_BANDWIDTH_CROSS_VALIDATED; rule++) {
		assert_true(tp_bandwidth_of((enum tp_bandwidth)rule, same, 4) == 0);
		assert_true(tp_bandwidth_of((enum tp_bandwidth)rule, same, 1) == 0);
		assert_true(tp_bandwidth_of((enum tp_bandwidth)rule, none, 2) == 0);
		assert_true(tp_bandwidth_of((enum tp_bandwidth)rule, two, 0) == 0);
		assert_int_equal(tp_density_make(&d, same, 4, (enum tp_bandwidth)rule, 0,
						 TP_DENSITY_AUTO, &diag),
				 TP_OK);
		assert_true(d.bandwidth > 0 && d.x[0] < 3 && d.x[TP_DENSITY_POINTS - 1] > 3);
		assert_int_equal(tp_density_make(&d, two, 2, (enum tp_bandwidth)rule, 0,
						 TP_DENSITY_AUTO, &diag),
				 TP_OK);
		assert_true(d.bandwidth > 0);
	}
	assert_int_equal(tp_density_make(&d, two, 0, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag),
			 TP_USAGE);
	assert_int_equal(tp_density_make(&d, none, 2, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag),
			 TP_USAGE);
	static const double huge[] = { -1.7e308, 1.7e308 }, zero[] = { 0, 1, 2 };
	assert_int_equal(tp_density_make(&d, huge, 2, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag),
			 TP_USAGE);
	assert_int_equal(tp_density_make(&d, zero, 3, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_LOG, &diag),
			 TP_USAGE);
}

static void test_density_is_the_sum_of_its_kernels(void **state)
{
	(void)state;
	static double values[MOST];
	struct tp_density d;
	struct tp_diag diag;
	size_t n = read_sample("claw", values);
	assert_int_equal(
		tp_density_make(&d, values, n, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag), TP_OK);
	assert_false(d.log);
	double area = 0, highest = 0;
	for (size_t i = 0; i < TP_DENSITY_POINTS; i++) {
		double sum = 0;
		for (size_t k = 0; k < n; k++) {
			double far = (d.x[i] - values[k]) / d.bandwidth;
			sum += exp(-0.5 * far * far);
		}
		sum /= (double)n * d.bandwidth * sqrt(2 * M_PI);
		assert_near(d.y[i], sum, 0.003);
		area += d.y[i] * (d.x[1] - d.x[0]);
		highest = fmax(highest, d.y[i]);
	}
	assert_near(area, 1, 1e-3);
	assert_true(highest > 0.3);
	/* Wider than all values together. */
	assert_int_equal(
		tp_density_make(&d, values, n, TP_BANDWIDTH_ISJ, 100, TP_DENSITY_LINEAR, &diag),
		TP_OK);
	assert_near(d.bandwidth, 100, 0);
	assert_near(d.y[TP_DENSITY_POINTS / 2], 1 / (100 * sqrt(2 * M_PI)), 1e-5);
}

static void test_decades_are_seen_by_logarithms(void **state)
{
	(void)state;
	static double values[3000];
	struct tp_density d;
	struct tp_categories c;
	struct tp_diag diag;
	uint64_t seed = 3;
	for (size_t i = 0; i < 3000; i++)
		values[i] = pow(10, (double)(1 + 2 * (i % 3)) + 0.05 * normal(&seed));
	assert_int_equal(
		tp_density_make(&d, values, 3000, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag),
		TP_OK);
	assert_true(d.log);
	tp_categories_by_density(&c, &d, 0.01);
	assert_int_equal(c.n, 3);
	assert_near(log10(c.peaks[0]), 1, 0.02);
	assert_near(log10(c.peaks[2]), 5, 0.02);
	assert_near(log10(c.cuts[0]), 2, 0.3);
	assert_int_equal(tp_category_of(&c, 0.001), 0);
	assert_int_equal(tp_category_of(&c, 1000), 1);
	assert_int_equal(tp_category_of(&c, 1e9), 2);
	assert_int_equal(tp_category_of(&c, c.cuts[0]), 1);
	assert_int_equal(
		tp_density_make(&d, values, 3000, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_LINEAR, &diag),
		TP_OK);
	assert_false(d.log);
}

static void test_low_peaks_are_none(void **state)
{
	(void)state;
	static double values[10000];
	struct tp_density d;
	struct tp_categories c;
	struct tp_diag diag;
	uint64_t seed = 5;
	/* Cycles of gathers from 1 to 4 lines, and one value far away. */
	for (size_t i = 0; i < 10000; i++)
		values[i] = 10 + 4 * (double)(i % 4) + 0.2 * normal(&seed);
	values[77] = 60;
	assert_int_equal(
		tp_density_make(&d, values, 10000, TP_BANDWIDTH_ISJ, 0, TP_DENSITY_AUTO, &diag),
		TP_OK);
	tp_categories_by_density(&c, &d, 0.01);
	assert_int_equal(c.n, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_near(c.peaks[i], 10 + 4.0 * i, 0.1);
		if (i < 3)
			assert_near(c.cuts[i], 12 + 4.0 * i, 0.7);
	}
	tp_categories_by_density(&c, &d, 1e-3);
	assert_int_equal(c.n, 5);
	tp_categories_by_density(&c, &d, 2);
	assert_int_equal(c.n, 1);
	assert_int_equal(tp_category_of(&c, 1e9), 0);
	/* More peaks than there may be categories. */
	for (size_t i = 0; i < 10000; i++)
		values[i] = (double)(i % 150);
	assert_int_equal(
		tp_density_make(&d, values, 10000, TP_BANDWIDTH_ISJ, 0.2, TP_DENSITY_LINEAR, &diag),
		TP_OK);
	tp_categories_by_density(&c, &d, 0.01);
	assert_int_equal(c.n, TP_CATEGORIES_MAX);
	for (unsigned i = 1; i + 1 < c.n; i++)
		assert_true(c.cuts[i - 1] < c.cuts[i]);
}

static void test_bins(void **state)
{
	(void)state;
	static const double values[] = { 1, 2, 3, 9, 5 };
	struct tp_categories c;
	struct tp_diag diag;
	assert_int_equal(tp_categories_by_bins(&c, values, 5, 4, 0, &diag), TP_OK);
	assert_int_equal(c.n, 4);
	assert_near(c.cuts[0], 3, 0);
	assert_near(c.cuts[2], 7, 0);
	assert_near(c.peaks[0], 2, 0);
	assert_int_equal(tp_categories_by_bins(&c, values, 5, 0, 2.5, &diag), TP_OK);
	assert_int_equal(c.n, 4);
	assert_near(c.cuts[0], 2.5, 0);
	assert_near(c.peaks[3], 8.75, 0);
	assert_int_equal(tp_categories_by_bins(&c, values, 1, 4, 0, &diag), TP_OK);
	assert_int_equal(c.n, 1);
	assert_int_equal(tp_categories_by_bins(&c, values, 5, 65, 0, &diag), TP_USAGE);
	assert_int_equal(tp_categories_by_bins(&c, values, 5, 0, 0, &diag), TP_USAGE);
	assert_int_equal(tp_categories_by_bins(&c, values, 5, 0, 0.01, &diag), TP_USAGE);
	assert_int_equal(tp_categories_by_bins(&c, values, 0, 4, 0, &diag), TP_USAGE);
}

static void test_quantiles(void **state)
{
	(void)state;
	static double values[1000];
	unsigned count[4] = { 0 };
	struct tp_categories c;
	struct tp_diag diag;
	for (size_t i = 0; i < 1000; i++)
		values[i] = pow((double)(i * 7 % 1000), 2);
	assert_int_equal(tp_categories_by_quantiles(&c, values, 1000, 4, &diag), TP_OK);
	assert_int_equal(c.n, 4);
	for (size_t i = 0; i < 1000; i++)
		count[tp_category_of(&c, values[i])]++;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(count[i], 250);
	assert_near(c.peaks[0], (124 * 124 + 125 * 125) / 2.0, 0);
	/* Equal values stay together: 700 zeros, 300 others. */
	for (size_t i = 0; i < 1000; i++)
		values[i] = i < 700 ? 0 : (double)(i - 699);
	assert_int_equal(tp_categories_by_quantiles(&c, values, 1000, 4, &diag), TP_OK);
	assert_int_equal(c.n, 3);
	assert_near(c.cuts[0], 0.5, 0);
	assert_near(c.cuts[1], 50.5, 0);
	/* More than there are values. */
	assert_int_equal(tp_categories_by_quantiles(&c, values, 3, 4, &diag), TP_OK);
	assert_int_equal(c.n, 1);
	assert_int_equal(tp_categories_by_quantiles(&c, values, 3, 0, &diag), TP_USAGE);
	assert_int_equal(tp_categories_by_quantiles(&c, values, 0, 3, &diag), TP_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bandwidths_agree_with_the_reference),
		cmocka_unit_test(test_values_without_a_bandwidth),
		cmocka_unit_test(test_density_is_the_sum_of_its_kernels),
		cmocka_unit_test(test_decades_are_seen_by_logarithms),
		cmocka_unit_test(test_low_peaks_are_none),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_quantiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
