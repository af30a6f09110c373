/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slow nodes among many: named where they are planted, and nowhere else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "base/random.h"
#include "tests/unit/seeds.h"

enum { NODES_MAX = 64, POINTS_MAX = 40, SEEDS = 20 };

struct cluster {
	size_t n_nodes, n_points;
	double values[NODES_MAX * POINTS_MAX];
	struct tp_outlier_point points[POINTS_MAX];
	struct tp_outlier_node nodes[NODES_MAX];
	struct tp_outlier_value cells[NODES_MAX * POINTS_MAX];
	struct tp_outliers found;
};

static double unit(uint64_t *random)
{
	return (double)(tp_splitmix64(random) >> 11) * 0x1p-53;
}

static double normal(uint64_t *random)
{
	double u = unit(random), v = unit(random);

	return sqrt(-2 * log(fmax(u, 1e-300))) * cos(6.283185307179586 * v);
}

/* Student's t with 3 degrees of freedom, scaled to the deviation of a normal number's middle. */
static double heavy(uint64_t *random)
{
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double x = normal(random);

		sum += x * x;
	}
	return 0.88 * normal(random) / sqrt(sum / 3);
}

enum shape { NORMAL, HEAVY, COMMON, DRIFT, STEPS, SHAPES, CLOCKS };

/* Every third point is a time. Noise of 1 % to 2 % by point; nodes differ by 0.3 % by themselves.
 */
static void fill(struct cluster *c, size_t n_nodes, size_t n_points, enum shape shape,
		 uint64_t seed)
{
	uint64_t random;

	random = seed;
	c->n_nodes = n_nodes;
	c->n_points = n_points;
	for (size_t j = 0; j < n_points; j++)
		c->points[j].less_is_better = j % 3 == 2;
	for (size_t i = 0; i < n_nodes; i++) {
		/* What all points of a node share: their noise is not independent. */
		double own = (shape == COMMON ? 0.01 : 0.003) * normal(&random);

		for (size_t j = 0; j < n_points; j++) {
			double deviation = 0.01 + 0.01 * (double)(j % 5) / 4;
			double noise = shape == HEAVY ? heavy(&random) : normal(&random);
			double base = 10 * (double)(j + 1);

			/* Noise only slows down. */
			if (shape == DRIFT)
				noise = -fabs(noise);
			double speed = exp(own + deviation * noise);

			/* A clock that steps: most nodes are equal, some are 5 % off. */
			if (shape == STEPS)
				speed = 1 +
					0.05 * ((unit(&random) < 0.15) - (unit(&random) < 0.15));

			/* A clock of two states, in which points find it now or then. */
			if (shape == CLOCKS)
				speed = unit(&random) < 0.5 ? 0.95 : 1;
			c->values[i * n_points + j] =
				c->points[j].less_is_better ? base / speed : base * speed;
		}
	}
}

static void slow_down(struct cluster *c, size_t node, double speed)
{
	for (size_t j = 0; j < c->n_points; j++)
		c->values[node * c->n_points + j] *=
			c->points[j].less_is_better ? 1 / speed : speed;
}

static void find(struct cluster *c)
{
	c->found = (struct tp_outliers){ .values = c->values,
					 .n_nodes = c->n_nodes,
					 .n_points = c->n_points,
					 .points = c->points,
					 .nodes = c->nodes,
					 .cells = c->cells };
	tp_outliers_find(&c->found);
}

static size_t count_named(const struct cluster *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_nodes; i++)
		n += c->nodes[i].outlier != TP_OUTLIER_NONE;
	return n;
}

static size_t count_values(const struct cluster *c)
{
	size_t n = 0;

	for (size_t k = 0; k < c->n_nodes * c->n_points; k++)
		n += c->cells[k].outlier != TP_OUTLIER_NONE;
	return n;
}

static struct cluster *c;

static void test_slow_node(void **state)
{
	(void)state;
	for (int shape = NORMAL; shape < SHAPES; shape++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			size_t slow = seed % 16;

			fill(c, 16, 24, (enum shape)shape, seed);
			slow_down(c, slow, 0.9);
			find(c);
			assert_int_equal(c->nodes[slow].outlier, TP_OUTLIER_SLOW);
			assert_int_equal(count_named(c), 1);
			assert_true(fabs(c->nodes[slow].speed - 0.9) < 0.03);
		}
}

static void test_healthy(void **state)
{
	static const size_t sizes[] = { 4, 5, 8, 16, 64 };

	(void)state;
	for (int shape = NORMAL; shape < SHAPES; shape++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (uint64_t seed = 100; seed < 100 + SEEDS; seed++) {
				fill(c, sizes[s], 24, (enum shape)shape, seed);
				find(c);
				assert_int_equal(count_named(c), 0);
				assert_int_equal(c->found.n_upper, 0);
			}
}

/*
 * A clock that is in one state or another when a point is measured: of the nodes, most have a
 * median at one state, and some at the other one.
 */
static void test_clocks(void **state)
{
	static const size_t sizes[] = { 5, 6, 16, 64 };
	size_t named = 0, clusters = 0;

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (uint64_t seed = 1; seed <= TP_SEEDS(100, 20); seed++) {
			fill(c, sizes[s], 24, CLOCKS, seed);
			find(c);
			named += count_named(c) > 0;
			clusters++;
		}
	assert_true(named <= clusters / 100);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 16, 24, CLOCKS, seed);
		slow_down(c, seed % 16, 0.9);
		find(c);
		assert_int_equal(c->nodes[seed % 16].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 1);
	}
}

/* What is said to be told is told, and noise makes it larger. */
static void test_smallest(void **state)
{
	static const size_t sizes[] = { 5, 6, 8, 16, 64 };
	size_t missed = 0, told = 0, all = 0;

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (uint64_t seed = 1; seed <= TP_SEEDS(50, 10); seed++) {
			fill(c, sizes[s], 24, seed % 2 ? COMMON : CLOCKS, seed);
			slow_down(c, 1, 0.9);
			find(c);
			assert_true(c->found.smallest >= TP_OUTLIER_TOLERANCE);
			all++;
			if (c->found.smallest > 0.1)
				continue;
			told++;
			missed += c->nodes[1].outlier != TP_OUTLIER_SLOW;
		}
	assert_true(missed <= 1 + told / 50);
	assert_true(told > all / 2 && told < all);
	fill(c, 16, 24, COMMON, 1);
	find(c);
	double noisy = c->found.smallest;

	fill(c, 16, 24, NORMAL, 1);
	find(c);
	assert_true(c->found.smallest < noisy);
	fill(c, 3, 24, NORMAL, 1);
	find(c);
	assert_true(isnan(c->found.smallest));
}

static void test_two_slow(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 16, 24, NORMAL, seed);
		slow_down(c, 2, 0.9);
		slow_down(c, 11, 0.9);
		find(c);
		assert_int_equal(c->nodes[2].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(c->nodes[11].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 2);
	}
}

/* A slow memory channel, on quiet machines: its points are named, the node is not. */
static void test_slow_level(void **state)
{
	uint64_t random = 5;

	(void)state;
	c->n_nodes = 16;
	c->n_points = 24;
	for (size_t k = 0; k < 16 * 24; k++)
		c->values[k] = 50 * exp(0.003 * normal(&random));
	for (size_t j = 0; j < 24; j++) {
		c->points[j].less_is_better = false;
		if (j % 6 == 3)
			c->values[5 * 24 + j] *= 0.9;
	}
	find(c);
	assert_int_equal(count_named(c), 0);
	assert_int_equal(count_values(c), 4);
	for (size_t j = 3; j < 24; j += 6)
		assert_int_equal(c->cells[5 * 24 + j].outlier, TP_OUTLIER_SLOW);
}

/* Few nodes are enough where the difference is large. */
static void test_few_nodes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 6, 24, NORMAL, seed);
		slow_down(c, 2, 0.8);
		find(c);
		assert_int_equal(c->nodes[2].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 1);
		fill(c, 4, 24, NORMAL, seed);
		slow_down(c, 2, 0.5);
		find(c);
		assert_int_equal(c->nodes[2].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 1);
	}
	/* Of three nobody can say. */
	fill(c, 3, 24, NORMAL, 1);
	slow_down(c, 2, 0.5);
	find(c);
	assert_int_equal(count_named(c), 0);
	assert_true(isnan(c->nodes[2].p));
	assert_true(fabs(c->nodes[2].speed - 0.5) < 0.05);
}

/* A node whose points go up and down is not slow; its values may be named. */
static void test_noisy_node(void **state)
{
	uint64_t random;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 16, 24, NORMAL, seed);
		random = seed + 1000;
		for (size_t j = 0; j < c->n_points; j++)
			c->values[7 * c->n_points + j] *= exp(0.05 * normal(&random));
		find(c);
		for (size_t i = 0; i < c->n_nodes; i++)
			if (i != 7)
				assert_int_equal(c->nodes[i].outlier, TP_OUTLIER_NONE);
		assert_true(c->nodes[7].spread > 0.025);
	}
}

/* Half and half: no node is an outlier, and the two groups are seen. */
static void test_two_groups(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 16, 24, NORMAL, seed);
		for (size_t i = 0; i < 8; i++)
			slow_down(c, 2 * i, 0.9);
		find(c);
		assert_int_equal(count_named(c), 0);
		assert_int_equal(count_values(c), 0);
		assert_int_equal(c->found.n_upper, 8);
		assert_true(fabs(c->found.gap - 0.11) < 0.03);
		/* A node that is slower than both is named nevertheless. */
		slow_down(c, 4, 0.8);
		find(c);
		assert_int_equal(c->nodes[4].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 1);
	}
}

/* One level of one node: its values are named, the node is not. */
static void test_one_point(void **state)
{
	size_t false_ones = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fill(c, 16, 24, NORMAL, seed);
		c->values[3 * c->n_points + 5] /= 0.7; /* a time: 5 % 3 == 2 */
		c->values[3 * c->n_points + 6] *= 0.7;
		find(c);
		assert_int_equal(c->cells[3 * c->n_points + 5].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(c->cells[3 * c->n_points + 6].outlier, TP_OUTLIER_SLOW);
		assert_int_equal(count_named(c), 0);
		false_ones += count_values(c) - 2;
	}
	/* 40 true ones are named; 1 % of false ones are allowed among all. */
	assert_true(false_ones <= 2);
}

static void test_missing(void **state)
{
	(void)state;
	fill(c, 16, 24, NORMAL, 9);
	for (size_t j = 0; j < c->n_points; j++) {
		c->values[0 * c->n_points + j] = NAN; /* a node without a point */
		if (j % 2)
			c->values[1 * c->n_points + j] = 0; /* half of them */
	}
	for (size_t i = 1; i < c->n_nodes; i++)
		c->values[i * c->n_points + 3] = NAN; /* nobody has it */
	slow_down(c, 1, 0.9);
	find(c);
	assert_int_equal(c->nodes[0].n, 0);
	assert_true(isnan(c->nodes[0].speed));
	assert_int_equal(c->nodes[0].outlier, TP_OUTLIER_NONE);
	assert_int_equal(c->nodes[1].n, 12);
	assert_int_equal(c->nodes[1].outlier, TP_OUTLIER_SLOW);
	assert_int_equal(c->points[3].n, 0);
	assert_true(isnan(c->points[3].median));
	/* Nothing at all is not a failure. */
	c->n_nodes = c->n_points = 0;
	find(c);
	assert_int_equal(count_named(c), 0);
}

/* Values that are equal to the last digit: what differs by less than it matters is not an outlier.
 */
static void test_no_spread(void **state)
{
	(void)state;
	c->n_nodes = 8;
	c->n_points = 10;
	for (size_t j = 0; j < 10; j++) {
		c->points[j].less_is_better = false;
		for (size_t i = 0; i < 8; i++)
			c->values[i * 10 + j] = 50 + (double)j;
	}
	c->values[3 * 10 + 1] *= 0.99;
	find(c);
	assert_int_equal(count_named(c), 0);
	assert_int_equal(count_values(c), 0);
	slow_down(c, 5, 0.9);
	find(c);
	assert_int_equal(count_named(c), 1);
	assert_int_equal(c->nodes[5].outlier, TP_OUTLIER_SLOW);
}

/* The interval of a point holds the nodes that are like each other. */
static void test_interval(void **state)
{
	(void)state;
	fill(c, 16, 24, NORMAL, 4);
	slow_down(c, 6, 0.7);
	find(c);
	for (size_t j = 0; j < c->n_points; j++) {
		assert_true(c->points[j].low <= c->points[j].median);
		assert_true(c->points[j].high >= c->points[j].median);
		assert_true(c->points[j].low > 0.9 * c->points[j].median);
		assert_true(c->points[j].high < 1.1 * c->points[j].median);
	}
}

static void test_false_discovery(void **state)
{
	/* Benjamini and Hochberg 1995, table 1: 15 tests, 4 are rejected at 5 %. */
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0 };
	double with_nan[] = { NAN, 0.001, NAN }, scratch[15];

	(void)state;
	assert_true(tp_false_discovery_limit(p, 15, 0.05, scratch) == 0.0095);
	assert_true(tp_false_discovery_limit(p + 9, 6, 0.05, scratch) < 0);
	assert_true(tp_false_discovery_limit(with_nan, 3, 0.01, scratch) == 0.001);
	assert_true(tp_false_discovery_limit(p, 0, 0.05, scratch) < 0);
}

static int setup(void **state)
{
	(void)state;
	c = calloc(1, sizeof(*c));
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_node),  cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_clocks),	   cmocka_unit_test(test_smallest),
		cmocka_unit_test(test_two_slow),   cmocka_unit_test(test_slow_level),
		cmocka_unit_test(test_few_nodes),  cmocka_unit_test(test_noisy_node),
		cmocka_unit_test(test_two_groups), cmocka_unit_test(test_one_point),
		cmocka_unit_test(test_missing),	   cmocka_unit_test(test_no_spread),
		cmocka_unit_test(test_interval),   cmocka_unit_test(test_false_discovery),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
