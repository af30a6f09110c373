/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bands of regions while a program runs: threads together, neighbours joined where there are many,
 * and rows that take the places of earlier ones until the final rows come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/experiment.h"
#include "experiments/profile/bands.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

struct screen {
	struct tp_run *run;
	size_t told;
};

static void put(void *context, const struct tp_profile_region *row)
{
	struct screen *s = context;
	struct tp_diag diag;
	assert_true(row->live);
	assert_int_equal(tp_profile_region_event.put(s->run, row, &diag), TP_OK);
	s->told++;
}

static char (*names(void))[TP_APP_NAME]
{
	static char texts[TP_APP_REGIONS][TP_APP_NAME];
	for (unsigned i = 0; i < TP_APP_REGIONS; i++)
		snprintf(texts[i], sizeof(texts[i]), "region %u", i);
	return texts;
}

static void threads_make_one_band(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct screen s = { &run, 0 };
	struct tp_profile_bands *b = tp_profile_bands_new();
	const struct tp_profile_region *rows;
	struct tp_profile_region sum;
	assert_non_null(b);
	tp_profile_bands_mark(b, 1, 0, false, 1);
	tp_profile_bands_mark(b, 2, 0, false, 1.5);
	tp_profile_bands_mark(b, 2, 1, false, 1.6);
	tp_profile_bands_tell(b, 2, names(), put, &s);
	assert_int_equal(s.told, 2);
	tp_profile_bands_mark(b, 2, 0, true, 2.5);
	/* An end without a begin says nothing. */
	tp_profile_bands_mark(b, 3, 0, true, 2.5);
	tp_profile_bands_mark(b, 2, 1, true, 3);
	tp_profile_bands_tell(b, 4, names(), put, &s);
	tp_profile_bands_tell(b, 4, names(), put, &s);
	assert_int_equal(s.told, 4);
	assert_int_equal(tp_profile_regions(&run, 0, &rows), 2);
	assert_string_equal(rows[0].region, "region 1");
	assert_near(rows[0].start_seconds, 1, 1e-9);
	assert_near(rows[0].seconds, 3, 1e-9);
	assert_near(rows[1].start_seconds, 1.5, 1e-9);
	assert_near(rows[1].seconds, 1.5, 1e-9);
	/* What is final takes the place of all of them. */
	struct tp_profile_region last = { .region = "x", .seconds = 1, .times = 1 };
	assert_int_equal(tp_profile_region_event.put(&run, &last, NULL), TP_OK);
	assert_int_equal(tp_profile_regions(&run, 0, &rows), 1);
	assert_int_equal(tp_profile_region_sums(&run, 0, &sum, 1), 1);
	assert_string_equal(sum.region, "x");
	tp_profile_bands_free(b);
	tp_run_release(&run);
}

/* However often regions are entered, there are few rows, and no time gets lost. */
static void many_become_few(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct screen s = { &run, 0 };
	struct tp_profile_bands *b = tp_profile_bands_new();
	const struct tp_profile_region *rows;
	double at = 0, first = 0, second = 0;
	unsigned times = 0;
	assert_non_null(b);
	for (unsigned i = 0; i < 5000; i++) {
		tp_profile_bands_mark(b, 5, 0, false, at);
		tp_profile_bands_mark(b, 5, 0, true, at + 0.01);
		tp_profile_bands_mark(b, 6, i % TP_APP_THREADS, false, at + 0.02);
		tp_profile_bands_mark(b, 6, i % TP_APP_THREADS, true, at + 0.03);
		at += 0.1;
		if (i % 100 == 0)
			tp_profile_bands_tell(b, at, names(), put, &s);
	}
	tp_profile_bands_tell(b, at, names(), put, &s);
	size_t n = tp_profile_regions(&run, 0, &rows);
	assert_true(n <= TP_PROFILE_BANDS_MAX);
	for (size_t i = 0; i < n; i++) {
		bool is_first = strcmp(rows[i].region, "region 5") == 0;
		*(is_first ? &first : &second) += rows[i].seconds;
		times += rows[i].times;
		assert_true(rows[i].start_seconds + rows[i].seconds <= at);
	}
	assert_int_equal(times, 10000);
	assert_true(first >= 50 && first <= at && second >= 50 && second <= at);
	tp_profile_bands_free(b);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_make_one_band),
		cmocka_unit_test(many_become_few),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
