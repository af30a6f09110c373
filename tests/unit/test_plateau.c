/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/plateau.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"
#include "tests/unit/seeds.h"

enum { POINTS_MAX = 640, LEVELS_MAX = 8, SEEDS = TP_SEEDS(100, 10) };
#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

/*
 * A made curve: rate[i] up to edge[i], then on a straight way (log-log) to rate[i+1], `octaves[i]`
 * long.
 */
struct shape {
	const char *name;
	size_t n_levels;
	double rate[4], edge[3], octaves[3];
};

static const struct shape usual = {
	"usual", 4, { 230, 118, 80, 33 }, { 32 * KIB, 1 * MIB, 24 * MIB }, { 0.3, 0.5, 1.5 }
};
static const struct shape stairs = { "25 % each",
				     4,
				     { 100, 75, 56.25, 42.19 },
				     { 32 * KIB, 512 * KIB, 16 * MIB },
				     { 0.3, 0.5, 0.5 } };
static const struct shape bend = { "slow bend to DRAM",
				   4,
				   { 230, 118, 90, 33 },
				   { 32 * KIB, 1 * MIB, 12 * MIB },
				   { 0.3, 0.5, 3 } };
static const struct shape flat = { "flat", 1, { 59.1 }, { 0 }, { 0 } };
static const struct shape two = { "two", 2, { 59.1, 32.4 }, { 24 * MIB }, { 1.5 } };

/* xorshift64*, Box and Muller. */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return ((double)((*state * 0x2545f4914f6cdd1du) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

static double rate_at(const struct shape *s, double size)
{
	double y = log(s->rate[0]);

	for (size_t i = 0; i + 1 < s->n_levels; i++) {
		double way = log2(size / s->edge[i]) / s->octaves[i];

		y += fmin(fmax(way, 0), 1) * log(s->rate[i + 1] / s->rate[i]);
	}
	return exp(y);
}

/* 2 KiB to 512 MiB. Multiplicative noise of that relative deviation. */
static size_t make(const struct shape *s, double per_octave, double noise, uint64_t seed,
		   struct tp_curve_point *points)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	size_t n = 0;

	for (double x = 11; x < 29.001; x += 1 / per_octave) {
		points[n].size_bytes = exp2(x);
		points[n].rate = rate_at(s, exp2(x)) * exp(noise * normal(&state));
		points[n++].relative_error = 0;
	}
	return n;
}

static size_t find(const struct tp_curve_point *points, size_t n, struct tp_level *levels)
{
	size_t found = 99;

	tp_plateaus(points, n, NULL, levels, LEVELS_MAX, &found);
	assert_in_range(found, 0, LEVELS_MAX);
	for (size_t i = 0; i < found; i++) {
		assert_true(levels[i].first <= levels[i].last && levels[i].last < n);
		assert_true(levels[i].low <= levels[i].rate && levels[i].rate <= levels[i].high);
		if (i + 1 == found) {
			assert_near(levels[i].capacity_bytes, 0, 0);
			continue;
		}
		assert_true(levels[i].last < levels[i + 1].first);
		assert_in_range((uintmax_t)levels[i].capacity_bytes,
				(uintmax_t)points[levels[i].last].size_bytes,
				(uintmax_t)points[levels[i + 1].first].size_bytes + 1);
	}
	return found;
}

/* Rates within `rate_error`, edges within `edge_octaves` of the middle of the way down. */
static void check(const struct shape *s, double per_octave, double noise, uint64_t seed,
		  double rate_error, double edge_octaves)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = find(points, make(s, per_octave, noise, seed, points), levels);

	if (n != s->n_levels)
		fail_msg("%s, %g points an octave, noise %g, seed %d: %zu levels, not %zu", s->name,
			 per_octave, noise, (int)seed, n, s->n_levels);
	for (size_t i = 0; i < n; i++)
		assert_near(levels[i].rate / s->rate[i], 1, rate_error);
	for (size_t i = 0; i + 1 < n; i++)
		assert_near(log2(levels[i].capacity_bytes / s->edge[i]), s->octaves[i] / 2,
			    edge_octaves);
}

static void quiet_curves_are_found_exactly(void **state)
{
	const struct shape *const shapes[] = { &usual, &stairs, &bend, &flat, &two };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (double per_octave = 2; per_octave <= 12; per_octave++)
			check(shapes[i], per_octave, 0, 1, 0.02, 0.15);
}

/* 3 points an octave are the default of the memory curve, 6 its finer form. */
static void noise_neither_makes_nor_hides(double noise, double rate_error, double edge_octaves)
{
	const struct shape *const shapes[] = { &usual, &stairs, &bend, &flat, &two };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			check(shapes[i], 3, noise, seed, rate_error, edge_octaves);
			check(shapes[i], 6, noise, seed, rate_error, edge_octaves);
		}
}

static void three_percent_noise_neither_makes_nor_hides_levels(void **state)
{
	(void)state;
	noise_neither_makes_nor_hides(0.03, 0.05, 0.4);
}

static void seven_percent_noise_neither_makes_nor_hides_levels(void **state)
{
	(void)state;
	noise_neither_makes_nor_hides(0.07, 0.12, 0.7);
}

/* With hundreds of points, segments do not end at each of them. */
static void hundreds_of_points_have_the_same_levels(void **state)
{
	const struct shape *const shapes[] = { &usual, &stairs, &bend, &flat, &two };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (uint64_t seed = 0; seed < TP_SEEDS(6, 2); seed++) {
			check(shapes[i], 16, 0.03, seed, 0.03, 0.3);
			check(shapes[i], 34, 0.03, seed, 0.03, 0.3);
		}
}

/* A slope alone is not a stair of levels, however long and noisy. */
static void a_slope_is_no_level(void **state)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t random = seed + 1;
		size_t n = 0;

		for (double x = 22; x < 26.001; x += 0.2) {
			points[n] = (struct tp_curve_point){ .size_bytes = exp2(x) };
			points[n++].rate = 100 * exp(-0.4 * (x - 22)) * exp(0.03 * normal(&random));
		}
		assert_int_equal(find(points, n, levels), 0);
	}
}

/* Tiny working sets pay for the loop around them. */
static void a_rising_start_is_no_level(void **state)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];

	(void)state;
	for (double loss = 0.05; loss < 0.61; loss += 0.05) {
		size_t n = make(&usual, 4, 0.01, 7, points);

		for (size_t i = 0; i < n; i++)
			points[i].rate *= 1 - loss * 2048 / points[i].size_bytes;
		assert_int_equal(find(points, n, levels), 4);
		assert_near(levels[0].rate, 230, 0.1 * 230);
	}
}

static void one_disturbed_point_is_no_level(void **state)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = make(&usual, 4, 0, 1, points);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		double rate = points[i].rate;

		points[i].rate = rate / 10;
		/*
		 * At an end of the curve or at an edge it may take its neighbour along, but never
		 * more.
		 */
		assert_int_equal(find(points, n, levels), 4);
		points[i].rate = rate;
	}
}

/* A curve of stores or of tiny sizes can be slower at its start than behind it. */
static void levels_may_rise(void **state)
{
	static const struct shape rising = {
		"rising", 3, { 30, 60, 20 }, { 32 * KIB, 1 * MIB }, { 0.3, 0.5 }
	};

	(void)state;
	check(&rising, 4, 0.02, 3, 0.03, 0.3);
}

static void a_few_points_say_little(void **state)
{
	struct tp_curve_point points[3] = { { 4096, 100, 0 }, { 8192, 101, 0 }, { 16384, 99, 0 } };
	struct tp_level levels[LEVELS_MAX];

	(void)state;
	assert_int_equal(find(points, 0, levels), 0);
	assert_int_equal(find(points, 1, levels), 0);
	assert_int_equal(find(points, 2, levels), 1);
	assert_near(levels[0].rate, 100.5, 1e-9);
	assert_int_equal(find(points, 3, levels), 1);
	points[1].rate = 30; /* two points that differ belong to no common level */
	assert_int_equal(find(points, 2, levels), 0);
}

static void what_is_no_curve_has_no_levels(void **state)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = make(&flat, 4, 0, 1, points);

	(void)state;
	points[5].rate = 0;
	assert_int_equal(find(points, n, levels), 0);
	points[5].rate = NAN;
	assert_int_equal(find(points, n, levels), 0);
	points[5].rate = 50;
	points[6].size_bytes = points[5].size_bytes;
	assert_int_equal(find(points, n, levels), 0);
}

static void options_move_the_limits(void **state)
{
	static const struct shape near_levels = { "near", 2, { 100, 90 }, { 1 * MIB }, { 0.3 } };
	struct tp_plateau_options options = { 0 };
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = make(&near_levels, 4, 0, 1, points), found;

	(void)state;
	assert_int_equal(find(points, n, levels), 1);
	options.min_drop = 0.05;
	tp_plateaus(points, n, &options, levels, LEVELS_MAX, &found);
	assert_int_equal(found, 2);
	n = make(&usual, 4, 0, 1, points);
	options = (struct tp_plateau_options){ .max_levels = 3 };
	tp_plateaus(points, n, &options, levels, LEVELS_MAX, &found);
	assert_int_equal(found, 3);
	tp_plateaus(points, n, NULL, levels, 2, &found);
	assert_int_equal(found, 2);
	options = (struct tp_plateau_options){ .min_octaves = 4.6 };
	tp_plateaus(points, n, &options, levels, LEVELS_MAX, &found);
	assert_true(found < 4); /* L3 of `usual` is 4.1 octaves long */
}

/* The points' own uncertainty is noise too, even where neighbours agree by chance. */
static void own_intervals_count(void **state)
{
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = make(&flat, 4, 0, 1, points);

	(void)state;
	for (size_t i = 0; i < n; i++)
		points[i].relative_error = 0.2;
	assert_int_equal(find(points, n, levels), 1);
	assert_near(levels[0].low, 0.8 * 59.1, 1e-9);
	assert_near(levels[0].high, 1.2 * 59.1, 1e-9);
}

/*
 * --- curves made by hand after the measured figures of one Zen 4 core (32 KiB, 1 MiB, 32 MiB) ---
 */

static size_t load(const char *name, struct tp_curve_point *points)
{
	char path[4096], line[128];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/golden/curve-%s.csv", source_dir(), name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s cannot be opened", path);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		assert_in_range(n, 0, POINTS_MAX - 1);
		assert_int_equal(sscanf(line, "%lf,%lf", &points[n].size_bytes, &points[n].rate),
				 2);
		points[n++].relative_error = 0.01;
	}
	fclose(file);
	return n;
}

static void golden_curves_have_their_levels(void **state)
{
	static const struct {
		const char *name;
		size_t n_levels;
		double rate[4];
		double capacity[3]; /* found: up to 1.5 times, at the bend to DRAM 3 times that */
	} rows[] = {
		{ "load-avx2", 4, { 230.5, 118.2, 101, 36.9 }, { 32 * KIB, 1 * MIB, 16 * MIB } },
		{ "2ld1st-avx2", 4, { 338, 117, 82.9, 32.7 }, { 32 * KIB, 1 * MIB, 16 * MIB } },
		{ "load-avx2-2-threads",
		  4,
		  { 461, 236, 200, 71.8 },
		  { 32 * KIB, 1 * MIB, 16 * MIB } },
		{ "load-scalar", 2, { 59.1, 32.4 }, { 16 * MIB } },
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct tp_curve_point points[POINTS_MAX];
		struct tp_level levels[LEVELS_MAX];
		size_t n = find(points, load(rows[r].name, points), levels);

		if (n != rows[r].n_levels)
			fail_msg("%s: %zu levels", rows[r].name, n);
		for (size_t i = 0; i < n; i++)
			assert_near(levels[i].rate / rows[r].rate[i], 1, 0.03);
		for (size_t i = 0; i + 1 < n; i++) {
			double limit = i + 2 == n ? 3 : 1.5;

			assert_true(levels[i].capacity_bytes > rows[r].capacity[i]);
			assert_true(levels[i].capacity_bytes < limit * rows[r].capacity[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_curves_are_found_exactly),
		cmocka_unit_test(three_percent_noise_neither_makes_nor_hides_levels),
		cmocka_unit_test(seven_percent_noise_neither_makes_nor_hides_levels),
		cmocka_unit_test(hundreds_of_points_have_the_same_levels),
		cmocka_unit_test(a_slope_is_no_level),
		cmocka_unit_test(a_rising_start_is_no_level),
		cmocka_unit_test(one_disturbed_point_is_no_level),
		cmocka_unit_test(levels_may_rise),
		cmocka_unit_test(a_few_points_say_little),
		cmocka_unit_test(what_is_no_curve_has_no_levels),
		cmocka_unit_test(options_move_the_limits),
		cmocka_unit_test(own_intervals_count),
		cmocka_unit_test(golden_curves_have_their_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
