/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of several processes at the same time, on series made up for the purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/together.h"
#include "tests/unit/near.h"

enum { MOST = 400 };

/* Windows one after the other, `gap` seconds apart, with rates by the time in their middle. */
static size_t series(struct tp_sample *windows, size_t n, double from, double seconds, double gap,
		     double (*rate)(double at))
{
	for (size_t i = 0; i < n; i++) {
		double begin = from + (double)i * (seconds + gap);
		windows[i] = (struct tp_sample){ .seconds = seconds,
						 .ended_seconds = begin + seconds,
						 .rate = rate(begin + seconds / 2),
						 .core_ghz = 3 };
	}
	return n;
}

/* In turn, the one gets 40 of the machine's 50 and the other 10. */
static double first_of(double at)
{
	return fmod(at, 0.2) < 0.1 ? 40 : 10;
}

static double second_of(double at)
{
	return 50 - first_of(at);
}

static double third_of(double at)
{
	(void)at;
	return 7;
}

static void what_one_loses_the_other_gains(void **state)
{
	struct tp_sample a[MOST], b[MOST], both[MOST];
	(void)state;
	struct tp_window_series of[2] = { { a, series(a, 400, 0, 1e-3, 0, first_of) },
					  { b, series(b, 390, 0.005, 1e-3, 0, second_of) } };
	size_t n = tp_windows_together(of, 2, both);
	assert_int_equal(n, 390);
	for (size_t i = 0; i < n; i++)
		assert_near(both[i].rate, 50, 1e-9);
	assert_near(both[0].core_ghz, 3, 1e-12);
}

static void windows_need_not_begin_together(void **state)
{
	struct tp_sample a[MOST], b[MOST], c[MOST], all[MOST];
	double mean = 0;
	(void)state;
	struct tp_window_series of[3] = { { a, series(a, 200, 0, 2e-3, 3e-5, first_of) },
					  { b, series(b, 300, 0.0003, 1.3e-3, 5e-5, second_of) },
					  { c, series(c, 80, 0, 5.1e-3, 2e-5, third_of) } };
	size_t n = tp_windows_together(of, 3, all);
	assert_true(n > 180);
	for (size_t i = 0; i < n; i++)
		mean += all[i].rate / (double)n;
	assert_near(mean, 57, 0.2); /* a window at a step has something of both */
}

/* While another one rests, windows are those of one alone. */
static void windows_beside_a_pause_do_not_count(void **state)
{
	struct tp_sample a[MOST], b[MOST], both[MOST];
	(void)state;
	size_t n_a = series(a, 100, 0, 1e-3, 0, third_of);
	size_t n_b = series(b, 30, 0, 1e-3, 0, third_of);
	n_b += series(b + n_b, 20, 0.08, 1e-3, 0, third_of);
	b[10].flags = TP_FLAG(CTX_SWITCH);
	struct tp_window_series of[2] = { { a, n_a }, { b, n_b } };
	size_t n = tp_windows_together(of, 2, both);
	assert_int_equal(n, 50);
	assert_int_equal(both[10].flags, TP_FLAG(CTX_SWITCH));
	assert_int_equal(both[11].flags, 0);
	of[1].n = 0;
	assert_int_equal(tp_windows_together(of, 2, both), 0);
	assert_int_equal(tp_windows_together(of, 1, both), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_loses_the_other_gains),
		cmocka_unit_test(windows_need_not_begin_together),
		cmocka_unit_test(windows_beside_a_pause_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
