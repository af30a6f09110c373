/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a region stands under roofs, what would move it, and how far to trust it: pure functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/app/place.h"
#include "experiments/experiment.h"

/* Roofs of a machine with round numbers. */
static const struct tp_app_roofs roofs = { .threads = 1,
					   .gbps = { 400, 200, 100, 20 },
					   .peak_gflops = 100,
					   .vector_bits = 512,
					   .most_threads = 8,
					   .most_gbps = 60,
					   .most_peak_gflops = 800 };

/* One second of so many GFLOP and GB, in scalar multiplications. */
static struct tp_app_region_row row_of(double gflop, double gbyte)
{
	struct tp_app_region_row row = { .region = "loop",
					 .thread = "all",
					 .precision = "double",
					 .flops_dp = (uint64_t)(gflop * 1e9),
					 .bytes_loaded = (uint64_t)(gbyte * 1e9),
					 .entries = 10,
					 .timed_entries = 10,
					 .busy_threads = 1,
					 .scalar_percent = 100,
					 .seconds = 1,
					 .seconds_low = 0.99,
					 .seconds_high = 1.01,
					 .timed_runs = 5 };
	tp_app_place(&row, &roofs);
	tp_app_judge(&row, &roofs, 0);
	return row;
}

static bool advises(const struct tp_app_region_row *row, const struct tp_app_roofs *own,
		    enum tp_app_move move, const char *words)
{
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	size_t n = tp_app_advise(row, own, advice);
	for (size_t i = 0; i < n; i++) {
		if (advice[i].move != move)
			continue;
		if (!strstr(advice[i].text, words))
			fail_msg("\"%s\" is not in: %s", words, advice[i].text);
		return true;
	}
	return false;
}

static void expect_sentence(const struct tp_app_region_row *row, const char *words)
{
	struct tp_str text = { 0 };
	tp_app_sentence(row, &text);
	if (!strstr(tp_str_text(&text), words))
		fail_msg("\"%s\" is not in: %s", words, tp_str_text(&text));
	tp_str_release(&text);
}

static void test_memory_bound(void **state)
{
	(void)state;
	/* 2 GFLOP and 16 GB a second: below the 20 GB/s of DRAM. */
	const struct tp_app_region_row row = row_of(2, 16);
	assert_string_equal(row.bound, "memory");
	assert_string_equal(row.roof, "DRAM");
	assert_string_equal(row.above, "");
	assert_true(row.ai_flop_per_byte == 0.125);
	assert_true(row.roof_gflops == 2.5 && row.roof_gbps == 20);
	assert_true(row.roof_percent == 80);
	assert_true(row.ridge_flop_per_byte == 5);
	assert_int_equal(tp_app_level(&row, &roofs), 3);
	expect_sentence(&row, "memory-bound: under the DRAM roof, at 80 % of it; 0.125 FLOP/byte");
	/* Vectors do not make memory faster; blocking does: 100 GB/s from L3. */
	assert_false(advises(&row, &roofs, TP_APP_MOVE_VECTORISE, ""));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_FMA, ""));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_BLOCK,
			    "stay in L3: at 0.125 FLOP/byte that gives up to 12.5 GFLOP/s, DRAM "
			    "2.5"));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_INTENSITY,
			    "under the DRAM roof the peak needs 5 FLOP/byte, and it has 0.125"));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_THREADS,
			    "8 threads get 3 times as much (60 instead of 20 GB/s from DRAM)"));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_LATENCY, ""));
}

static void test_half_way_to_the_memory_roof(void **state)
{
	(void)state;
	const struct tp_app_region_row row = row_of(1, 10);
	assert_string_equal(row.bound, "memory");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_VECTORISE,
			    "100 % of its FLOPs are scalar; a vector of this CPU holds 8 double"));
}

static void test_served_by_caches(void **state)
{
	(void)state;
	/* 80 GB/s are more than DRAM gives, and less than L3. */
	const struct tp_app_region_row row = row_of(10, 80);
	assert_string_equal(row.roof, "L3");
	assert_string_equal(row.above, "DRAM");
	assert_int_equal(tp_app_level(&row, &roofs), 2);
	expect_sentence(&row, "above the roof of DRAM, so nearer caches serve it");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_BLOCK, "stay in L2"));
	/* More threads have more L3, but nothing was measured that says so. */
	assert_true(advises(&row, &roofs, TP_APP_MOVE_THREADS, "GFLOP/s"));
}

static void test_nothing_is_nearer_than_l1(void **state)
{
	(void)state;
	const struct tp_app_region_row row = row_of(10, 300);
	assert_string_equal(row.roof, "L1");
	assert_false(advises(&row, &roofs, TP_APP_MOVE_BLOCK, ""));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_INTENSITY, "under the L1 roof"));
}

static void test_compute_bound(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(60, 1);
	assert_string_equal(row.bound, "compute");
	assert_string_equal(row.roof, "FP");
	assert_true(row.roof_gbps == 0 && row.roof_gflops == 100);
	expect_sentence(&row, "compute-bound: under the peak, at 60 % of it; 60 FLOP/byte");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_VECTORISE, "100 %"));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_FMA, "0 % of its FLOPs"));
	assert_true(advises(&row, &roofs, TP_APP_MOVE_THREADS,
			    "8 threads get 8 times as much (800 instead of 100 GFLOP/s)"));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_BLOCK, ""));
	/* What has been done is not asked for again. */
	row.scalar_percent = 5;
	row.avx512_percent = 95;
	row.fma_percent = 90;
	row.busy_threads = 8;
	assert_false(advises(&row, &roofs, TP_APP_MOVE_VECTORISE, ""));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_WIDEN, ""));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_FMA, ""));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_THREADS, ""));
}

static void test_narrow_vectors(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(60, 1);
	row.scalar_percent = 10;
	row.sse_percent = 85;
	row.avx512_percent = 5;
	assert_true(advises(&row, &roofs, TP_APP_MOVE_WIDEN,
			    "95 % of its FLOPs are in vectors of 128 bits or less, and this CPU "
			    "has 512"));
	/* On a CPU without wider ones they are the widest. */
	struct tp_app_roofs narrow = roofs;
	narrow.vector_bits = 128;
	assert_false(advises(&row, &narrow, TP_APP_MOVE_WIDEN, ""));
}

static void test_no_roof_limits(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(0.25, 2);
	assert_string_equal(row.bound, "neither");
	expect_sentence(
		&row, "memory-bound by its intensity, but far below the DRAM roof: at 10 % of it");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_LATENCY,
			    "It moves 2 GB/s and computes 0.25 GFLOP/s"));
	row.level_bytes[0] = 4e9;
	row.level_bytes[2] = 3e9;
	assert_true(advises(&row, &roofs, TP_APP_MOVE_LATENCY, "It moves 2 GB/s"));
	row.level_bytes[3] = 5e9;
	assert_true(advises(&row, &roofs, TP_APP_MOVE_LATENCY,
			    "67 % of what it takes comes from L3 or beyond, at 2 GB/s"));
	memset(row.level_bytes, 0, sizeof(row.level_bytes));
	assert_false(advises(&row, &roofs, TP_APP_MOVE_BLOCK, ""));
}

static void test_threads_of_a_larger_team(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(2, 16);
	struct tp_app_roofs all = roofs;
	all.threads = 8;
	row.busy_threads = 3;
	assert_true(advises(&row, &all, TP_APP_MOVE_THREADS, "3 of 8 work."));
	row.busy_threads = 8;
	assert_false(advises(&row, &all, TP_APP_MOVE_THREADS, ""));
	/* More of them that get no more are no advice. */
	struct tp_app_roofs flat = roofs;
	flat.most_gbps = 21;
	row.busy_threads = 1;
	assert_false(advises(&row, &flat, TP_APP_MOVE_THREADS, ""));
}

static void test_single_precision_has_more_lanes(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(60, 1);
	strcpy(row.precision, "single");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_VECTORISE, "holds 16 single numbers"));
}

static void test_without_roofs_time_or_flops(void **state)
{
	(void)state;
	const struct tp_app_roofs none = { 0 };
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	struct tp_app_region_row row = row_of(2, 16);
	tp_app_place(&row, &none);
	assert_string_equal(row.bound, "");
	assert_true(row.roof_gflops == 0 && row.roof_percent == 0);
	assert_int_equal(tp_app_level(&row, &none), -1);
	expect_sentence(&row, "no roofs were measured for it; 0.125 FLOP/byte, 2 GFLOP/s");
	row.seconds = 0;
	tp_app_place(&row, &roofs);
	assert_true(row.gflops == 0);
	expect_sentence(&row, "it was not timed; 0.125 FLOP/byte");
	assert_int_equal(tp_app_advise(&row, &roofs, advice), 0);
	row.flops_dp = 0;
	expect_sentence(&row, "computes nothing in floating point");
	/* Faster than anything that was measured: one of both is wrong. */
	const struct tp_app_region_row odd = row_of(1000, 1000);
	assert_string_equal(odd.bound, "");
	expect_sentence(&odd, "above every measured roof");
}

/* No roof limits a program whose time goes elsewhere, and nothing else is advised. */
static void test_time_that_goes_elsewhere(void **state)
{
	const struct {
		double waiting, kernel, fp;
		uint64_t faults;
		bool preempted;
		const char *bound, *sentence, *advice;
	} cases[] = {
		{ 97, 60, 30, 0, false, "waiting", "it waits: it has no CPU for 97 % of its time",
		  "input" },
		{ 60, 0, 30, 0, true, "waiting",
		  "other programs have its CPUs for 60 % of its time", "while its CPUs are free" },
		{ 1, 83, 30, 400000, false, "kernel", "83 % of its CPU time, with 400000 page",
		  "hugetlb" },
		{ 1, 83, 30, 2000, false, "kernel", "goes into the kernel", "system calls" },
		{ 1, 3, 0.24, 0, false, "other", "not a floating-point program: 0.24 %",
		  "functions" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_app_advice advice[TP_APP_MOVES_MAX];
		struct tp_app_region_row row = row_of(2, 16);
		row.waiting_percent = cases[i].waiting;
		row.kernel_percent = cases[i].kernel;
		row.fp_percent = cases[i].fp;
		row.page_faults = cases[i].faults;
		row.preempted = cases[i].preempted;
		tp_app_place(&row, &roofs);
		assert_string_equal(row.bound, cases[i].bound);
		assert_string_equal(row.roof, "");
		assert_true(row.gflops == 2); /* what was measured stays */
		expect_sentence(&row, cases[i].sentence);
		assert_int_equal(tp_app_advise(&row, &roofs, advice), 1);
		assert_true(advises(&row, &roofs, TP_APP_MOVE_ELSEWHERE, cases[i].advice));
		row.flops_dp = 0; /* the sentence does not need any */
		tp_app_place(&row, &roofs);
		expect_sentence(&row, cases[i].sentence);
	}
	/* Less than half of its time says nothing of what limits the rest; nor does what is
	 * unknown. */
	struct tp_app_region_row row = row_of(2, 16);
	row.waiting_percent = 45;
	row.kernel_percent = 45;
	row.fp_percent = 6;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "memory");
	row.fp_percent = 0;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "memory");
}

static void test_trust(void **state)
{
	(void)state;
	const struct {
		const char *trust, *reason;
		double low, high, seconds;
		uint64_t timed_entries;
		unsigned runs, signal;
		bool incomplete, unended;
	} cases[] = {
		{ "good", "", 0.99, 1.01, 1, 10, 5, 0, false, false },
		{ "fair", "its times differ by 5 %", 0.95, 1.05, 1, 10, 5, 0, false, false },
		{ "poor", "its times differ by 20 %", 0.8, 1.2, 1, 10, 5, 0, false, false },
		{ "fair", "it was timed once", 0, 0, 1, 10, 1, 0, false, false },
		{ "poor", "it was not timed", 0, 0, 0, 0, 0, 0, false, false },
		{ "poor", "entered 10 times when counted, 11 when timed", 0.99, 1.01, 1, 11, 5, 0,
		  false, false },
		{ "fair", "an entry lasts 5", 50e-6, 50e-6, 50e-6, 10, 5, 0, false, false },
		{ "poor", "an entry lasts 500 ns", 5e-6, 5e-6, 5e-6, 10, 5, 0, false, false },
		{ "poor", "died of signal 11", 0.99, 1.01, 1, 10, 5, 11, false, false },
		{ "poor", "ran uncounted", 0.99, 1.01, 1, 10, 5, 0, true, false },
		{ "fair", "never left", 0.99, 1.01, 1, 10, 5, 0, false, true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_app_region_row row = row_of(2, 16);
		struct tp_app_advice advice[TP_APP_MOVES_MAX];
		row.seconds = cases[i].seconds;
		row.seconds_low = cases[i].low;
		row.seconds_high = cases[i].high;
		row.timed_entries = cases[i].timed_entries;
		row.timed_runs = cases[i].runs;
		row.incomplete = cases[i].incomplete;
		row.unended = cases[i].unended;
		tp_app_judge(&row, &roofs, cases[i].signal);
		assert_string_equal(row.trust, cases[i].trust);
		if (!strstr(row.reasons, cases[i].reason))
			fail_msg("\"%s\" is not in: %s", cases[i].reason, row.reasons);
		/* Nobody changes a program for numbers that mean nothing. */
		size_t n = tp_app_advise(&row, &roofs, advice);
		bool first = n && advice[0].move == TP_APP_MOVE_AGAIN;
		assert_int_equal(first, strcmp(row.trust, "poor") == 0 && row.seconds > 0);
	}
	/* A roof that is poor makes only those fair that it bounds. */
	struct tp_app_roofs poor = roofs;
	struct tp_app_region_row row = row_of(2, 16);
	poor.poor[1] = true;
	tp_app_judge(&row, &poor, 0);
	assert_string_equal(row.trust, "good");
	poor.poor[3] = true;
	tp_app_judge(&row, &poor, 0);
	assert_string_equal(row.trust, "fair");
	assert_string_equal(row.reasons, "the roof of DRAM is of poor quality");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_bound),
		cmocka_unit_test(test_half_way_to_the_memory_roof),
		cmocka_unit_test(test_served_by_caches),
		cmocka_unit_test(test_nothing_is_nearer_than_l1),
		cmocka_unit_test(test_compute_bound),
		cmocka_unit_test(test_narrow_vectors),
		cmocka_unit_test(test_no_roof_limits),
		cmocka_unit_test(test_time_that_goes_elsewhere),
		cmocka_unit_test(test_threads_of_a_larger_team),
		cmocka_unit_test(test_single_precision_has_more_lanes),
		cmocka_unit_test(test_without_roofs_time_or_flops),
		cmocka_unit_test(test_trust),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
