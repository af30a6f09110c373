/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plateaus of curves as machines draw them: a load hits or misses, the times of the levels add up,
 * and points of shared levels scatter more than those of a core.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/plateau.h"
#include "base/random.h"
#include "base/memory.h"
#include "tests/unit/near.h"
#include "tests/unit/seeds.h"

enum { POINTS_MAX = 256, LEVELS_MAX = 8, SEEDS = TP_SEEDS(100, 10), ENOUGH = TP_SEEDS(95, 1) };
#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

/* Box and Muller. */
static double normal(uint64_t *state)
{
	double u = ((double)(tp_splitmix64(state) >> 11) + 0.5) / 0x1p53;
	double v = (double)(tp_splitmix64(state) >> 11) / 0x1p53;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

struct soft {
	const char *name;
	size_t n_caches, n_levels; /* n_levels: to be found up to `end` */
	double rate[4], capacity[3], octaves[3], end;
};

/* A cache's share of hits falls from 1 to 0 over about `octaves` around its capacity. */
static double soft_rate(const struct soft *s, double size)
{
	double time = 1 / s->rate[0];

	for (size_t i = 0; i < s->n_caches; i++) {
		double misses = 1 / (1 + exp(-4 * log2(size / s->capacity[i]) / s->octaves[i]));

		time += misses * (1 / s->rate[i + 1] - 1 / s->rate[i]);
	}
	return 1 / time;
}

static double soft_edge(const struct soft *s, size_t level)
{
	double low = s->capacity[level] / 16, high = s->capacity[level] * 16;
	double middle = sqrt(s->rate[level] * s->rate[level + 1]);

	for (int i = 0; i < 60; i++) {
		double size = sqrt(low * high);

		*(soft_rate(s, size) > middle ? &low : &high) = size;
	}
	return low;
}

static size_t make_soft(const struct soft *s, double core_noise, double noise, uint64_t seed,
			struct tp_curve_point *points)
{
	uint64_t state = seed;
	size_t n = 0;

	for (double x = 11; exp2(x) < 1.001 * s->end; x += 1.0 / 3) {
		double size = exp2(x);
		double scatter = size < 0.8 * s->capacity[1] ? core_noise : noise;

		points[n].size_bytes = size;
		points[n].rate = soft_rate(s, size) * exp(scatter * normal(&state));
		points[n++].relative_error = scatter;
	}
	return n;
}

/*
 * In 95 of 100 curves: as many levels as there are, and edges within a factor of 1.25. The last
 * three are one machine: a cache that others use falls off slowly. Where the curve ends on that way
 * there is no level of memory, and further on there is.
 */
static void machines_have_their_levels(void **state)
{
	static const struct soft machines[] = {
		{ "zen4",
		  3,
		  4,
		  { 230, 118, 95, 33 },
		  { 40 * KIB, 1.2 * MIB, 28 * MIB },
		  { 0.4, 0.5, 1 },
		  512 * MIB },
		{ "skylake-x",
		  3,
		  4,
		  { 300, 110, 30, 14 },
		  { 36 * KIB, 1.1 * MIB, 24 * MIB },
		  { 0.4, 0.5, 1 },
		  512 * MIB },
		{ "neoverse",
		  3,
		  4,
		  { 90, 60, 40, 25 },
		  { 64 * KIB, 1.1 * MIB, 30 * MIB },
		  { 0.4, 0.5, 1 },
		  512 * MIB },
		{ "no L3", 2, 3, { 50, 25, 8 }, { 64 * KIB, 1 * MIB }, { 0.4, 0.5 }, 512 * MIB },
		{ "huge L3",
		  3,
		  4,
		  { 450, 170, 27, 14.8 },
		  { 52 * KIB, 2.2 * MIB, 480 * MIB },
		  { 0.4, 0.5, 0.7 },
		  4096 * MIB },
		{ "inside a huge L3",
		  3,
		  3,
		  { 450, 170, 27, 14.8 },
		  { 52 * KIB, 2.2 * MIB, 480 * MIB },
		  { 0.4, 0.5, 0.7 },
		  200 * MIB },
		{ "on the way to memory",
		  3,
		  3,
		  { 450, 170, 27, 12 },
		  { 52 * KIB, 2.2 * MIB, 300 * MIB },
		  { 0.4, 0.5, 4 },
		  512 * MIB },
		{ "the whole way",
		  3,
		  4,
		  { 450, 170, 27, 12 },
		  { 52 * KIB, 2.2 * MIB, 300 * MIB },
		  { 0.4, 0.5, 4 },
		  8192 * MIB },
	};
	static const double noises[][2] = { { 0.005, 0.005 }, { 0.005, 0.02 }, { 0.01, 0.04 } };

	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++)
		for (size_t z = 0; z < TP_COUNT_OF(noises); z++) {
			const struct soft *s = &machines[m];
			int right = 0;

			for (uint64_t seed = 0; seed < SEEDS; seed++) {
				struct tp_curve_point points[POINTS_MAX];
				struct tp_level levels[LEVELS_MAX];
				size_t n, made = make_soft(s, noises[z][0], noises[z][1], seed,
							   points);
				tp_plateaus(points, made, NULL, levels, LEVELS_MAX, &n);
				bool good = n == s->n_levels;

				for (size_t i = 0; good && i + 1 < n; i++)
					good = fabs(log(levels[i].capacity_bytes /
							soft_edge(s, i))) < log(1.25);
				right += good;
			}
			if (right < ENOUGH)
				fail_msg("%s, noise %g: right in %d of %d", s->name, noises[z][1],
					 right, SEEDS);
		}
}

/* The way down is told: where it begins and ends, and with which rate. */
static void ways_are_told(void **state)
{
	static const struct soft slope = {
		"slope", 2, 3, { 170, 27, 15 }, { 2 * MIB, 40 * MIB }, { 0.5, 2 }, 1024 * MIB
	};
	struct tp_curve_point points[POINTS_MAX];
	struct tp_level levels[LEVELS_MAX];
	size_t n = make_soft(&slope, 0.005, 0.005, 1, points), found;

	(void)state;
	tp_plateaus(points, n, NULL, levels, LEVELS_MAX, &found);
	assert_int_equal(found, 3);
	assert_true(levels[1].fall_from_bytes > 10 * MIB && levels[1].fall_from_bytes < 30 * MIB);
	assert_true(levels[1].fall_to_bytes > 50 * MIB && levels[1].fall_to_bytes < 160 * MIB);
	assert_near(levels[1].fall_rate / 15, 1, 0.03);
	assert_near(levels[2].fall_from_bytes, 0, 0);
	/* The same curve, cut off on the way. */
	while (points[n - 1].size_bytes > 50 * MIB)
		n--;
	tp_plateaus(points, n, NULL, levels, LEVELS_MAX, &found);
	assert_int_equal(found, 2);
	assert_true(levels[1].fall_from_bytes > 8 * MIB && levels[1].fall_from_bytes < 30 * MIB);
	assert_near(levels[1].fall_to_bytes, points[n - 1].size_bytes, 1);
	assert_near(levels[1].fall_rate, points[n - 1].rate, 2.5);
	assert_near(levels[1].capacity_bytes, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_have_their_levels),
		cmocka_unit_test(ways_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
