/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reach of the TLB, on curves made up for the purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/plateau.h"
#include "base/memory.h"

enum { MOST = 12, NONE = -1 };

/* Intervals of 1 % on either side. */
static int reach(const double *ratios, size_t n)
{
	struct tp_tlb_point points[MOST];
	size_t first = MOST;
	for (size_t i = 0; i < n; i++) {
		double huge = 4 + (double)(i * i), small = huge * ratios[i];
		points[i] = (struct tp_tlb_point){ small, huge, 0.99 * small, 1.01 * huge };
	}
	return tp_tlb_reach(points, n, &first) ? (int)first : NONE;
}

static void the_reach_ends_where_small_pages_stay_slower(void **state)
{
	(void)state;
	static const struct {
		double ratios[8];
		int first;
	} rows[] = {
		{ { 1, 1, 1, 1.25, 1.3, 1.4, 1.5, 1.6 }, 3 },
		{ { 1, 1.02, 0.98, 1.09, 1.3, 1.4, 1.5, 1.6 }, 4 },
		{ { 1, 1, 1, 1, 1, 1, 1, 1 }, NONE },
		{ { 1, 1.4, 1, 1, 1.02, 1, 1.01, 1 }, NONE }, /* one disturbed point */
		{ { 1, 1.4, 1, 1, 1.2, 1.2, 1.01, 1.3 }, 4 },
		{ { 1, 1, 1, 1.3, 1.02, 1.3, 1.3, 1.3 }, 3 }, /* one that was lucky */
		{ { 1.2, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3 }, 0 },
		{ { 1, 1, 1, 1, 1, 1, 1, 1.3 }, 7 },
		{ { 0.8, 0.8, 0.7, 0.8, 0.9, 0.9, 0.8, 0.8 }, NONE },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		int got = reach(rows[i].ratios, TP_COUNT_OF(rows[i].ratios));
		if (got != rows[i].first)
			fail_msg("row %zu: %d, not %d", i, got, rows[i].first);
	}
}

static void wide_intervals_prove_nothing(void **state)
{
	(void)state;
	struct tp_tlb_point points[3];
	size_t first;
	for (size_t i = 0; i < 3; i++)
		points[i] = (struct tp_tlb_point){ 12, 10, 10.5, 11 };
	assert_false(tp_tlb_reach(points, 3, &first));
	for (size_t i = 0; i < 3; i++)
		points[i].huge_high_ns = 10.4;
	assert_true(tp_tlb_reach(points, 3, &first));
	assert_int_equal(first, 0);
	assert_false(tp_tlb_reach(points, 0, &first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reach_ends_where_small_pages_stay_slower),
		cmocka_unit_test(wide_intervals_prove_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
