/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of made-up series, whose edges are known; and of noise, which has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/changes.h"

enum { MAX = 256 };

/* SplitMix64, and a normal number of two uniform ones. */
static double uniform(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double u = uniform(seed), v = uniform(seed);
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static size_t find(double *const *x, size_t n_series, size_t n, size_t *edges)
{
	size_t found;
	tp_changes((const double *const *)x, n_series, n, edges, MAX, &found, NULL);
	return found;
}

static void one_step_is_found_where_it_is(void **state)
{
	(void)state;
	size_t edges[MAX], right = 0;
	double x[400], *list[] = { x };
	for (uint64_t run = 0; run < 200; run++) {
		uint64_t seed = run;
		for (size_t i = 0; i < 400; i++)
			x[i] = (i < 130 ? 10 : 13) + normal(&seed);
		right += find(list, 1, 400, edges) == 1 && edges[0] >= 128 && edges[0] <= 132;
	}
	assert_in_range(right, 180, 200);
}

static void several_steps_in_several_series(void **state)
{
	(void)state;
	static const size_t true_edges[] = { 100, 160, 300, 420 };
	size_t edges[MAX];
	double a[500], b[500], *list[] = { a, b };
	uint64_t seed = 3;
	for (size_t i = 0; i < 500; i++) {
		a[i] = (i < 100 ? 0 : i < 300 ? 1 : 0.2) + 0.1 * normal(&seed);
		b[i] = 1e9 * ((i < 160 ? 5 : i < 420 ? 6 : 4) + 0.1 * normal(&seed));
	}
	assert_int_equal(find(list, 2, 500, edges), 4);
	for (size_t k = 0; k < 4; k++)
		assert_in_range(edges[k], true_edges[k] - 1, true_edges[k] + 1);
}

static void noise_alone_makes_no_phase(void **state)
{
	(void)state;
	size_t edges[MAX], alarms = 0;
	double x[3][500], *list[] = { x[0], x[1], x[2] };
	for (uint64_t run = 0; run < 1000; run++) {
		uint64_t seed = run + 77;
		for (size_t i = 0; i < 500; i++)
			for (size_t j = 0; j < 3; j++)
				x[j][i] = 5 + normal(&seed);
		alarms += find(list, 3, 500, edges) > 0;
	}
	print_message("# %zu of 1000 seeds have an edge\n", alarms);
	assert_in_range(alarms, 0, 15);
}

static void outliers_make_no_phase(void **state)
{
	(void)state;
	size_t edges[MAX], alarms = 0;
	double x[600], *list[] = { x };
	for (uint64_t run = 0; run < 300; run++) {
		uint64_t seed = run + 5;
		for (size_t i = 0; i < 600; i++)
			x[i] = 5 + normal(&seed) + (uniform(&seed) < 0.01 ? 60 : 0);
		alarms += find(list, 1, 600, edges) > 0;
	}
	assert_in_range(alarms, 0, 6);
}

static void a_slope_is_no_row_of_steps(void **state)
{
	(void)state;
	size_t edges[MAX], most = 0;
	double x[1000], *list[] = { x };
	for (uint64_t run = 0; run < 100; run++) {
		uint64_t seed = run;
		for (size_t i = 0; i < 1000; i++)
			x[i] = (double)i * 0.02 + normal(&seed);
		size_t n = find(list, 1, 1000, edges);
		most = n > most ? n : most;
	}
	assert_in_range(most, 0, 1);
}

/* Half a second each at 10 ms, as the bar of the profile has it. */
static void alternation_is_found_within_two_samples(void **state)
{
	(void)state;
	enum { N = 1000, HALF = 50, SEEDS = 200 };
	size_t edges[MAX], right = 0;
	double x[N], y[N], *list[] = { x, y };
	for (uint64_t run = 0; run < SEEDS; run++) {
		uint64_t seed = run + 11;
		size_t near = 0;
		for (size_t i = 0; i < N; i++) {
			bool copies = i / HALF % 2;
			x[i] = (copies ? 0.4 : 0.9) + 0.1 * normal(&seed);
			y[i] = (copies ? 6e9 + 3e9 * uniform(&seed) : 0);
		}
		size_t n = find(list, 2, N, edges);
		for (size_t k = 0; k < n; k++)
			near += k < N / HALF - 1 && edges[k] + 2 >= (k + 1) * HALF &&
				edges[k] <= (k + 1) * HALF + 2;
		right += n == N / HALF - 1 && near == n;
	}
	print_message("# all edges within two samples in %zu of %d seeds\n", right, SEEDS);
	assert_in_range(right, SEEDS * 95 / 100, SEEDS);
}

/* Ticks of the kernel: most samples are 0, a few are 1. */
static void rare_ticks_are_noise(void **state)
{
	(void)state;
	size_t edges[MAX], alarms = 0;
	double x[500], *list[] = { x };
	for (uint64_t run = 0; run < 300; run++) {
		uint64_t seed = run + 1;
		for (size_t i = 0; i < 500; i++)
			x[i] = uniform(&seed) < 0.3;
		alarms += find(list, 1, 500, edges) > 0;
	}
	assert_in_range(alarms, 0, 9);
}

static void gaps_and_constants_are_taken(void **state)
{
	(void)state;
	size_t edges[MAX];
	double x[200], y[200], z[200], *list[] = { x, y, z };
	for (size_t i = 0; i < 200; i++) {
		x[i] = i < 20 || i % 7 == 0 ? NAN : i < 100 ? 1 : 2;
		y[i] = NAN;
		z[i] = 4;
	}
	assert_int_equal(find(list, 3, 200, edges), 1);
	assert_int_equal(edges[0], 100);
	assert_int_equal(find(list + 1, 2, 200, edges), 0);
	assert_int_equal(find(list, 1, 4, edges), 0);
	assert_int_equal(find(list, 0, 200, edges), 0);
}

static void phases_that_are_alike_share_a_letter(void **state)
{
	(void)state;
	const double means[] = { 1.0, 10, 0.1, 90, 0.98, 14, 0.12, 88, 0.5, 50 };
	const double ranges[] = { 1, 100 };
	unsigned group[5];
	assert_int_equal(tp_changes_alike(means, 5, 2, ranges, group), 3);
	assert_int_equal(group[0], 0);
	assert_int_equal(group[1], 1);
	assert_int_equal(group[2], 0);
	assert_int_equal(group[3], 1);
	assert_int_equal(group[4], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_step_is_found_where_it_is),
		cmocka_unit_test(several_steps_in_several_series),
		cmocka_unit_test(noise_alone_makes_no_phase),
		cmocka_unit_test(outliers_make_no_phase),
		cmocka_unit_test(a_slope_is_no_row_of_steps),
		cmocka_unit_test(alternation_is_found_within_two_samples),
		cmocka_unit_test(rare_ticks_are_noise),
		cmocka_unit_test(gaps_and_constants_are_taken),
		cmocka_unit_test(phases_that_are_alike_share_a_letter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
