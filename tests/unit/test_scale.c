/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales of plots: places of values, ends, ticks and their labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "plot/plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX = 512 };

static struct tp_scale scale(enum tp_scale_kind kind, enum tp_scale_unit unit, double min,
			     double max)
{
	return (struct tp_scale){ .kind = kind, .unit = unit, .min = min, .max = max };
}

/* All labels in order, with blanks between them. */
static void check_labels(struct tp_scale s, size_t cells, size_t gap, const char *expected)
{
	struct tp_tick ticks[MAX];
	size_t n = tp_scale_ticks(&s, cells, gap, ticks, MAX);
	struct tp_str text = { 0 };
	for (size_t i = 0; i < n; i++)
		if (ticks[i].label[0])
			tp_str_printf(&text, "%s%s", text.len ? " " : "", ticks[i].label);
	assert_string_equal(tp_str_text(&text), expected);
	tp_str_release(&text);
}

static void test_place(void **state)
{
	(void)state;
	struct tp_scale linear = scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 10, 20);
	assert_true(tp_scale_place(&linear, 10) == 0);
	assert_true(fabs(tp_scale_place(&linear, 15) - 0.5) < 1e-12);
	assert_true(tp_scale_place(&linear, 20) == 1);
	assert_true(fabs(tp_scale_place(&linear, 5) + 0.5) < 1e-12);
	struct tp_scale decades = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 0.01, 100);
	assert_true(fabs(tp_scale_place(&decades, 1) - 0.5) < 1e-12);
	assert_true(fabs(tp_scale_place(&decades, 1000) - 1.25) < 1e-12);
	struct tp_scale octaves = scale(TP_SCALE_LOG2, TP_UNIT_BYTES, 1024, 16384);
	assert_true(fabs(tp_scale_place(&octaves, 2048) - 0.25) < 1e-12);
	struct tp_scale widest = scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, -DBL_MAX, DBL_MAX);
	assert_true(fabs(tp_scale_place(&widest, 0) - 0.5) < 1e-12);
}

static void test_no_place(void **state)
{
	(void)state;
	struct tp_scale decades = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 1, 100);
	const double none[] = { 0, -1, NAN, INFINITY, -INFINITY };
	for (size_t i = 0; i < TP_COUNT_OF(none); i++)
		assert_true(isnan(tp_scale_place(&decades, none[i])));
	struct tp_scale empty = scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 3, 3);
	assert_true(isnan(tp_scale_place(&empty, 3)));
	struct tp_scale wrong = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, -1, 10);
	assert_true(isnan(tp_scale_place(&wrong, 3)));
}

static void test_decades(void **state)
{
	(void)state;
	struct tp_scale s = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 0.01, 1e4);
	check_labels(s, 60, 6, "0.01 0.1 1 10 100 1k 10k");
	check_labels(s, 20, 6, "0.01 1 100 10k");
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 1e-6, 1e9), 60, 6,
		     "1e-6 1e-4 0.01 1 100 10k 1M 100M");
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 1e-300, 1e300), 60, 8,
		     "1e-300 1e-200 1e-100 1 1e100 1e200 1e300");
	/* Few decades: 2 and 5 too, as far as they have room. */
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 10, 500), 20, 2, "10 20 50 100 200 500");
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 5, 200), 10, 3, "10 100");
	/* None at all: steps. */
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 21, 49), 40, 6, "30 40");
}

static void test_minor_ticks(void **state)
{
	(void)state;
	struct tp_scale s = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 1, 1000);
	struct tp_tick ticks[MAX];
	assert_int_equal(tp_scale_ticks(&s, 60, 6, ticks, MAX), 28);
	for (size_t i = 0; i < 28; i++) {
		double expected = (double)(i % 9 + 1) * pow(10, (double)(i / 9));
		assert_true(fabs(ticks[i].value / expected - 1) < 1e-12);
		assert_int_equal(ticks[i].label[0] != '\0', i % 9 == 0);
	}
	/* Too dense to tell apart. */
	assert_int_equal(tp_scale_ticks(&s, 18, 6, ticks, MAX), 10);
	assert_int_equal(tp_scale_ticks(&s, 9, 3, ticks, MAX), 4);
	/* No room for them in the array: those with labels stay. */
	assert_int_equal(tp_scale_ticks(&s, 60, 6, ticks, 4), 4);
	assert_string_equal(ticks[3].label, "1k");
	assert_int_equal(tp_scale_ticks(&s, 60, 6, ticks, 0), 0);
}

static void test_bytes(void **state)
{
	(void)state;
	struct tp_scale s = scale(TP_SCALE_LOG2, TP_UNIT_BYTES, 2048, 512.0 * 1048576);
	check_labels(s, 120, 6,
		     "2K 4K 8K 16K 32K 64K 128K 256K 512K 1M 2M 4M 8M 16M 32M 64M 128M 256M 512M");
	check_labels(s, 60, 6, "4K 16K 64K 256K 1M 4M 16M 64M 256M");
	check_labels(s, 36, 8, "32K 1M 32M");
	s.kind = TP_SCALE_LOG10;
	check_labels(s, 36, 8, "32K 1M 32M");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_BYTES, 0, 4194304), 60, 8, "0 1M 2M 3M 4M");
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_BYTES, 256, 0x1p42), 200, 5,
		     "256 512 1K 2K 4K 8K 16K 32K 64K 128K 256K 512K 1M 2M 4M 8M 16M 32M 64M 128M "
		     "256M 512M 1G 2G 4G 8G 16G 32G 64G 128G 256G 512G 1T 2T 4T");
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_BYTES, 512, 1024), 60, 20, "512 1K");
}

static void test_plain_octaves(void **state)
{
	(void)state;
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_PLAIN, 1.0 / 16, 16), 80, 6,
		     "1/16 1/8 1/4 1/2 1 2 4 8 16");
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_PLAIN, 0x1p-20, 0x1p20), 60, 12,
		     "2^-20 1/1024 1 1024 2^20");
}

static void test_linear(void **state)
{
	(void)state;
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 100), 60, 6,
		     "0 10 20 30 40 50 60 70 80 90 100");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 100), 20, 6, "0 50 100");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, -0.3, 0.3), 30, 8, "-0.2 0 0.2");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 2000), 40, 8, "0 500 1k 1.5k 2k");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, 10000, 10010), 50, 9,
		     "10k 10.002k 10.004k 10.006k 10.008k 10.01k");
}

/* Threads, orders, sizes of tiles: no tick lies between two of them. */
static void test_whole(void **state)
{
	(void)state;
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_WHOLE, 1, 3), 60, 6, "1 2 3");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_WHOLE, 0.5, 2.5), 60, 6, "1 2");
	check_labels(scale(TP_SCALE_LINEAR, TP_UNIT_WHOLE, 0, 20), 60, 8, "0 5 10 15 20");
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_WHOLE, 0.5, 8), 60, 6, "1 2 4 8");
	check_labels(scale(TP_SCALE_LOG2, TP_UNIT_WHOLE, 3, 7), 60, 6, "3 4 5 6 7");
	check_labels(scale(TP_SCALE_LOG10, TP_UNIT_WHOLE, 0.1, 10), 60, 6, "1 10");
	static const struct tp_scale all[] = { { TP_SCALE_LINEAR, TP_UNIT_WHOLE, 1, 3, NULL },
					       { TP_SCALE_LINEAR, TP_UNIT_WHOLE, 0, 7, NULL },
					       { TP_SCALE_LOG2, TP_UNIT_WHOLE, 1, 3, NULL },
					       { TP_SCALE_LOG10, TP_UNIT_WHOLE, 0.5, 50, NULL } };
	for (size_t i = 0; i < TP_COUNT_OF(all); i++)
		for (size_t cells = 10; cells < 200; cells++) {
			struct tp_tick ticks[MAX];
			size_t n = tp_scale_ticks(&all[i], cells, 4, ticks, MAX);
			assert_true(n > 0);
			for (size_t k = 0; k < n; k++)
				assert_true(ticks[k].value == floor(ticks[k].value));
		}
	/* The ends of an axis of one value, as well. */
	double x = 1, y = 5;
	struct tp_series s = { .n = 1, .x = &x, .y = &y };
	struct tp_scene scene = { .x.unit = TP_UNIT_WHOLE, .series = &s, .n_series = 1 };
	struct tp_scale fit_x, fit_y;
	tp_scale_fit(&scene, &fit_x, &fit_y);
	check_labels(fit_x, 60, 6, "0 1 2");
	assert_int_equal(tp_scale_unit_of((double[]){ 1, NAN, 48 }, 3), TP_UNIT_WHOLE);
	assert_int_equal(tp_scale_unit_of((double[]){ 1, 1.5 }, 2), TP_UNIT_PLAIN);
}

/* Usual sizes, all ranges: labels are at least `gap` apart, in order, inside, all different. */
static void check_apart(struct tp_scale s, size_t cells, size_t gap)
{
	struct tp_tick ticks[MAX];
	size_t n = tp_scale_ticks(&s, cells, gap, ticks, MAX);
	assert_true(n <= MAX);
	double before = -1e9, value = -INFINITY;
	const char *label = "";
	for (size_t i = 0; i < n; i++) {
		double place = tp_scale_place(&s, ticks[i].value);
		assert_true(place >= -1e-6 && place <= 1 + 1e-6);
		assert_true(ticks[i].value > value);
		value = ticks[i].value;
		if (!ticks[i].label[0])
			continue;
		assert_true((place - before) * (double)cells >= (double)gap * (1 - 1e-6));
		assert_string_not_equal(ticks[i].label, label);
		before = place;
		label = ticks[i].label;
	}
}

static void test_labels_never_closer(void **state)
{
	(void)state;
	static const double starts[] = { 1e-9, 0.015625, 0.3, 1, 7, 20, 1024, 3e6 };
	static const double spans[] = { 1.3, 2, 4.7, 10, 60, 1000, 1e5, 1e9, 1e14 };
	static const enum tp_scale_kind kinds[] = { TP_SCALE_LINEAR, TP_SCALE_LOG10,
						    TP_SCALE_LOG2 };
	for (size_t cells = 40; cells <= 300; cells += 13)
		for (size_t gap = 2; gap <= 10; gap += 4)
			for (size_t i = 0; i < TP_COUNT_OF(starts) * TP_COUNT_OF(spans); i++)
				for (size_t k = 0; k < 6; k++) {
					double low = starts[i % TP_COUNT_OF(starts)];
					double high = low * spans[i / TP_COUNT_OF(starts)];
					check_apart(scale(kinds[k % 3],
							  k < 3 ? TP_UNIT_PLAIN : TP_UNIT_BYTES,
							  low, high),
						    cells, gap);
				}
}

static void fit(const double *x, const double *y, size_t n, enum tp_scale_kind kind,
		struct tp_scale *fx, struct tp_scale *fy)
{
	struct tp_series series = { .n = n, .x = x, .y = y };
	struct tp_scene scene = { .series = &series, .n_series = 1 };
	scene.x.kind = scene.y.kind = kind;
	tp_scale_fit(&scene, fx, fy);
}

static void assert_ends(const struct tp_scale *s, double min, double max)
{
	if (fabs(s->min - min) > 1e-9 * fabs(min) || fabs(s->max - max) > 1e-9 * fabs(max))
		fail_msg("%g..%g, expected %g..%g", s->min, s->max, min, max);
}

static void test_fit(void **state)
{
	(void)state;
	struct tp_scale x, y;
	const double ai[] = { 0.018, 11, NAN, 0, 1e9 }, gflops[] = { 0.52, 88, 1, 1e6, INFINITY };
	fit(ai, gflops, 5, TP_SCALE_LOG10, &x, &y);
	assert_ends(&x, 0.015, 15);
	assert_ends(&y, 0.5, 150);
	const double bytes[] = { 2048, 5e6 }, gbps[] = { 3, 100 };
	fit(bytes, gbps, 2, TP_SCALE_LOG2, &x, &y);
	assert_ends(&x, 2048, 8388608);
	assert_ends(&y, 2, 128);
	fit(bytes, gbps, 2, TP_SCALE_LINEAR, &x, &y);
	assert_ends(&x, 0, 5e6);
	assert_ends(&y, 0, 100);
	fit(bytes, gbps, 1, TP_SCALE_LOG10, &x, &y);
	assert_true(x.min < 2048 && x.max > 2048);
	fit(bytes, gbps, 0, TP_SCALE_LOG10, &x, &y);
	assert_ends(&x, 1, 100);
	const double tiny[] = { 5e-324, DBL_MAX };
	fit(tiny, tiny, 2, TP_SCALE_LOG10, &x, &y);
	assert_true(x.min > 0 && isfinite(x.max) && y.min > 0 && isfinite(y.max));
}

static void test_fit_to_bars_and_marks(void **state)
{
	(void)state;
	const double x[] = { 10 }, y[] = { 10 }, low[] = { 2 }, high[] = { 40 };
	struct tp_series series = { .n = 1, .x = x, .y = y, .low = low, .high = high };
	struct tp_plot_mark marks[] = { { .x = 1 }, { .x = 1000, .y = 1, .at_point = true } };
	struct tp_scene scene = { .series = &series, .n_series = 1, .marks = marks, .n_marks = 2 };
	scene.x.kind = scene.y.kind = TP_SCALE_LOG10;
	struct tp_scale fx, fy;
	tp_scale_fit(&scene, &fx, &fy);
	assert_ends(&fx, 1, 1000);
	assert_ends(&fy, 1, 50);
}

static void test_given_ends_stay(void **state)
{
	(void)state;
	struct tp_scene scene = { .x = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 0.3, 7),
				  .y = scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, -5, 7) };
	struct tp_scale x, y;
	tp_scale_fit(&scene, &x, &y);
	assert_ends(&x, 0.3, 7);
	assert_ends(&y, 1, 100); /* cannot be used */
}

/* Value and place are inverse on every kind of axis, beyond its ends too. */
static void test_value_at_place(void **state)
{
	(void)state;
	const struct tp_scale scales[] = { scale(TP_SCALE_LINEAR, TP_UNIT_PLAIN, -10, 30),
					   scale(TP_SCALE_LOG10, TP_UNIT_PLAIN, 0.01, 100),
					   scale(TP_SCALE_LOG2, TP_UNIT_BYTES, 2048, 1 << 20) };
	static const double known[] = { 10, 1, 46340.95 };
	for (size_t i = 0; i < 3; i++) {
		double middle = tp_scale_value(&scales[i], 0.5);
		assert_true(fabs(middle - known[i]) < 1e-6 * known[i]);
		for (double place = -0.5; place <= 1.5; place += 0.25) {
			double value = tp_scale_value(&scales[i], place);
			assert_true(fabs(tp_scale_place(&scales[i], value) - place) < 1e-9);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_no_place),
		cmocka_unit_test(test_decades),
		cmocka_unit_test(test_minor_ticks),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_plain_octaves),
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_labels_never_closer),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_fit_to_bars_and_marks),
		cmocka_unit_test(test_given_ends_stay),
		cmocka_unit_test(test_value_at_place),
	};
	return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
