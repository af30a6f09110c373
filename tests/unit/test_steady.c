/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a sequence of readings becomes steady, on sequences made up for the purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "measure/settle.h"

enum { MOST = 400, SEEDS = 200 };

struct made {
	double x[MOST];
	size_t n;
	uint64_t seed;
};

/* Normal enough: the sum of twelve numbers in [0, 1) less six has variance 1. */
static double noise(struct made *m)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += (double)(tp_splitmix64(&m->seed) >> 11) * 0x1p-53;
	return sum;
}

/* `count` readings that go from `first` to `last`, each with noise of `sigma` (relative). */
static void add(struct made *m, size_t count, double first, double last, double sigma)
{
	for (size_t i = 0; i < count; i++) {
		double share = count > 1 ? (double)i / (double)(count - 1) : 0;
		double value = first + (last - first) * share;
		m->x[m->n++] = value * (1 + sigma * noise(m));
	}
}

static struct tp_steadiness judge(const struct made *m)
{
	struct tp_steadiness s;
	tp_steady_judge(m->x, m->n, TP_STEADY_TOLERANCE, &s);
	return s;
}

static void a_plateau_is_steady_from_its_first_reading(void **state)
{
	(void)state;
	for (double sigma = 0; sigma < 0.06; sigma += 0.01) {
		unsigned steady = 0, whole = 0;
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct made m = { .seed = seed };
			add(&m, 60, 100, 100, sigma);
			struct tp_steadiness s = judge(&m);
			steady += s.steady;
			whole += s.from == 0;
		}
		assert_true(steady >= SEEDS * 95 / 100);
		assert_true(whole >= SEEDS * 90 / 100);
	}
}

/* The findings of a large virtual machine: nine windows of 52 ns, then 160. */
static void a_warm_start_is_cut_off(void **state)
{
	unsigned steady = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct made m = { .seed = seed };
		add(&m, 9, 52, 52, 0.02);
		add(&m, 60, 160, 160, 0.04);
		struct tp_steadiness s = judge(&m);
		assert_true(s.from >= 9);
		steady += s.steady && s.from <= 15;
	}
	assert_true(steady >= SEEDS * 95 / 100);
}

static void a_warm_start_that_fades_is_cut_off(void **state)
{
	unsigned right = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct made m = { .seed = seed };
		add(&m, 40, 57, 122, 0.03);
		add(&m, 120, 122, 122, 0.03);
		struct tp_steadiness s = judge(&m);
		assert_true(s.from >= 20);
		right += s.steady && s.from >= 30;
	}
	assert_true(right >= SEEDS * 95 / 100);
}

static void a_slow_start_is_cut_off_as_well(void **state)
{
	unsigned steady = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct made m = { .seed = seed };
		add(&m, 12, 120, 60, 0.02);
		add(&m, 60, 33, 33, 0.02);
		struct tp_steadiness s = judge(&m);
		assert_true(s.from >= 12);
		steady += s.steady && s.from <= 18;
	}
	assert_true(steady >= SEEDS * 95 / 100);
}

static void drift_is_not_steady(void **state)
{
	unsigned seen = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct made m = { .seed = seed };
		add(&m, 160, 100, 120, 0.03);
		struct tp_steadiness s = judge(&m);
		seen += !s.steady && s.change > 0.04;
	}
	assert_true(seen >= SEEDS * 95 / 100);
}

/* Without noise every change is significant; one of a percent is not worth more time. */
static void a_small_drift_does_not_matter(void **state)
{
	struct made m = { .seed = 1 };
	(void)state;
	add(&m, 100, 100, 101, 0);
	struct tp_steadiness s = judge(&m);
	assert_true(s.steady);
	assert_int_equal(s.from, 0);
	assert_true(s.change > 0.005 && s.change < 0.011);
}

/* Pauses make single windows slower, many of them: that is not a trend. */
static void pauses_are_no_trend(void **state)
{
	unsigned steady = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct made m = { .seed = seed };
		for (int i = 0; i < 120; i++) {
			bool paused = tp_splitmix64(&m.seed) % 4 == 0;
			add(&m, 1, paused ? 130 : 100, 0, 0.02);
		}
		steady += judge(&m).steady;
	}
	assert_true(steady >= SEEDS * 95 / 100);
}

/* A neighbour that comes for a fifth of the time at the end does not move the beginning. */
static void a_late_step_is_no_beginning(void **state)
{
	struct made m = { .seed = 3 };
	(void)state;
	add(&m, 80, 100, 100, 0.02);
	add(&m, 10, 130, 130, 0.02);
	assert_int_equal(judge(&m).from, 0);
}

static void few_readings_are_never_steady(void **state)
{
	(void)state;
	for (size_t n = 0; n < TP_STEADY_LEAST; n++) {
		struct made m = { .seed = n };
		add(&m, n, 100, 100, 0);
		assert_false(judge(&m).steady);
	}
	struct made m = { .seed = 1 };
	add(&m, TP_STEADY_LEAST, 100, 100, 0);
	assert_true(judge(&m).steady);
}

/* A step in the middle of few readings: what is left behind it is too little to tell. */
static void what_is_left_must_be_enough(void **state)
{
	struct made m = { .seed = 1 };
	(void)state;
	add(&m, 12, 50, 50, 0);
	add(&m, 20, 100, 100, 0);
	struct tp_steadiness s = judge(&m);
	assert_true(s.from >= 12);
	assert_false(s.steady);
}

static bool alike(double a, double b, double sigma, uint64_t seed)
{
	struct made x = { .seed = seed }, y = { .seed = ~seed };
	add(&x, 24, a, a, sigma);
	add(&y, 24, b, b, sigma);
	return tp_steady_alike(x.x, x.n, y.x, y.n, TP_STEADY_TOLERANCE);
}

static void alike_is_within_tolerance_or_chance(void **state)
{
	unsigned same = 0, different = 0;
	(void)state;
	assert_true(alike(100, 101.9, 0, 1));
	assert_false(alike(100, 102.5, 0, 1));
	assert_false(alike(52, 160, 0.05, 1));
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		same += alike(100, 100, 0.04, seed);
		different += !alike(100, 110, 0.04, seed);
	}
	assert_true(same >= SEEDS * 90 / 100);
	assert_true(different >= SEEDS * 95 / 100);
	/* However wide the scatter, twice the tolerance is too much. */
	const double wide[] = { 50, 100, 150 }, high[] = { 60, 105, 160 };
	assert_false(tp_steady_alike(wide, 3, high, 3, TP_STEADY_TOLERANCE));
	assert_false(tp_steady_alike(wide, 0, high, 3, TP_STEADY_TOLERANCE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plateau_is_steady_from_its_first_reading),
		cmocka_unit_test(a_warm_start_is_cut_off),
		cmocka_unit_test(a_warm_start_that_fades_is_cut_off),
		cmocka_unit_test(a_slow_start_is_cut_off_as_well),
		cmocka_unit_test(drift_is_not_steady),
		cmocka_unit_test(a_small_drift_does_not_matter),
		cmocka_unit_test(pauses_are_no_trend),
		cmocka_unit_test(a_late_step_is_no_beginning),
		cmocka_unit_test(few_readings_are_never_steady),
		cmocka_unit_test(what_is_left_must_be_enough),
		cmocka_unit_test(alike_is_within_tolerance_or_chance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
