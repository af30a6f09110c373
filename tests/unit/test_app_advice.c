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
	expect_sentence(
		&row,
		"memory-bound: under the DRAM roof, at 80 % (79 to 81) of it; 0.125 FLOP/byte");
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
	expect_sentence(&row,
			"compute-bound: under the peak, at 60 % (59 to 61) of it; 60 FLOP/byte");
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
	/* More of them that get no more are not advice. */
	struct tp_app_roofs flat = roofs;
	flat.most_gbps = 21;
	row.busy_threads = 1;
	assert_false(advises(&row, &flat, TP_APP_MOVE_THREADS, ""));
	/* Where only its own roofs were measured, the gain of more threads is unknown. */
	struct tp_app_roofs alone = roofs;
	alone.most_threads = 1;
	row.threads = 8;
	assert_true(advises(&row, &alone, TP_APP_MOVE_THREADS,
			    "1 of 8 CPUs works; app.roofs=all measures what more threads would "
			    "get."));
	row.threads = 1;
	assert_false(advises(&row, &alone, TP_APP_MOVE_THREADS, ""));
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
		{ 1, 83, 30, 400000, false, "kernel", "83 % of its CPU time, with 400000 page",
		  "hugetlb" },
		{ 60, 83, 30, 400000, true, "kernel", "83 % of its CPU time, with 400000 page",
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
	/* Ranks that wait in MPI keep their CPUs. */
	struct tp_app_region_row job = row_of(2, 16);
	job.mpi_percent = 49;
	tp_app_place(&job, &roofs);
	assert_string_equal(job.bound, "memory");
	job.mpi_percent = 64;
	job.kernel_percent = 90;
	tp_app_place(&job, &roofs);
	assert_string_equal(job.bound, "mpi");
	expect_sentence(&job, "MPI: its ranks are in MPI for 64 % of their time");
	assert_true(advises(&job, &roofs, TP_APP_MOVE_ELSEWHERE, "one rank is slow"));
	/* Less than half of its time says nothing of what limits the rest; nor does what is
	 * unknown. Both add up: 30 % and 28 % of the other 70 %. */
	struct tp_app_region_row row = row_of(2, 16);
	row.waiting_percent = 30;
	row.kernel_percent = 28;
	row.fp_percent = 6;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "memory");
	row.kernel_percent = 29;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "waiting");
	expect_sentence(&row, "it has no CPU for 30 %, and the kernel takes 20 %");
	row.waiting_percent = row.kernel_percent = 0;
	row.fp_percent = 0;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "memory");
}

/* A thread of a core of 2 GHz, for one second. */
static struct tp_app_region_row busy_row(void)
{
	struct tp_app_region_row row = row_of(0.25, 2);
	strcpy(row.region, TP_APP_PROGRAM);
	strcpy(row.source, "agent");
	row.mean_cpus = 1;
	row.threads = 8;
	row.instructions = 500000000;
	row.fp_percent = 50;
	row.loads = 100000000;
	return row;
}

static void place_at_2_ghz(struct tp_app_region_row *row)
{
	struct tp_app_roofs own = roofs;
	own.clock_ghz = 2;
	tp_app_place(row, &own);
}

static void expect_bound(struct tp_app_region_row *row, const char *bound, const char *words)
{
	place_at_2_ghz(row);
	assert_string_equal(row->bound, bound);
	expect_sentence(row, words);
}

/* Of 2e9 cycles, half are the limit. Each rule with a row that has it and one that just lacks it.
 */
static void test_what_takes_the_cycles(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	expect_bound(&row, "neither", "far below the DRAM roof: at 10 %");
	row.chain_cycles = 999000000;
	expect_bound(&row, "neither", "does not show what it waits for, app.levels may");
	row.chain_cycles = 1001000000;
	row.chained_fp = 250000000;
	expect_bound(&row, "chain", "latency of floating-point instructions");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_LATENCY, "more accumulators"));
	row.chained_fp = 0;
	expect_bound(&row, "chain", "latency of instructions");
	/* A division takes 4 cycles at least. */
	row = busy_row();
	row.fp_divides = 249000000;
	expect_bound(&row, "neither", "far below");
	row.fp_divides = 251000000;
	expect_bound(&row, "divides", "divisions and roots: 2.5e+08 of them take 50 %");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_LATENCY, "Divide less"));
	/* Three loads, or six instructions, in a cycle are the most that cores begin. */
	row = busy_row();
	row.loads = 2990000000;
	expect_bound(&row, "neither", "far below");
	row.loads = 3010000000;
	expect_bound(&row, "loads", "loads: 1.5 of them in each cycle");
	row = busy_row();
	row.fp_percent = 10;
	row.instructions = 5990000000;
	expect_bound(&row, "neither", "far below");
	row.instructions = 6010000000;
	expect_bound(&row, "issue", "instructions: 3 of them in each cycle");
	/* Without the clock there are no cycles. */
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "neither");
}

static void test_latency_of_memory(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.fp_percent = 6;
	row.instructions = 30000000;
	row.loads = 10000000;
	row.chained_loads = 4900000; /* less than half of the loads */
	expect_bound(&row, "neither", "far below");
	row.chained_loads = 5100000;
	expect_bound(&row, "latency",
		     "each of 5.1e+06 loads takes its address from the load "
		     "before, and 196 ns pass for each");
	/* So few cannot have taken all of that time, at 1000 cycles each. */
	row.loads = row.chained_loads = 1900000;
	expect_bound(&row, "neither", "far below");
	/* Branches may have: 20 cycles each. */
	row.loads = row.chained_loads = 10000000;
	row.branches = 51000000;
	expect_bound(&row, "neither", "far below");
	row.branches = 48000000;
	expect_bound(&row, "latency", "latency of memory");
	/* By the model of the caches, they all came from the first one: it is not memory. */
	row.level_bytes[0] = 80e6;
	expect_bound(&row, "neither", "what was counted does not show what it waits for");
	row.level_bytes[3] = 64 * 10e6;
	row.chained_loads = 0;
	row.branches = 0;
	expect_bound(&row, "latency", "single lines, 1e+07 from beyond the first cache, 100 ns");
}

static void test_units_of_narrow_instructions(void **state)
{
	(void)state;
	/* Two scalar instructions in a cycle are 4e9 a second, or the 6.25e9 that the peak has. */
	struct tp_app_region_row row = row_of(3.2, 0.01);
	row.fp_percent = 100;
	row.instructions = 3200000000;
	expect_bound(&row, "compute", "at 51 % of what scalar FP allows; at 3.2 %");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_VECTORISE, "100 %"));
	row.instructions = 3000000000;
	expect_bound(&row, "neither", "far below the peak");
}

/* With levels, bytes have the roof of where they come from; the intensity decides nothing. */
static void test_levels_decide(void **state)
{
	(void)state;
	struct tp_app_region_row row = row_of(2, 16);
	row.level_bytes[0] = 16e9 - 64e6;
	row.level_bytes[1] = 64e6;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "neither");
	assert_string_equal(row.roof, "L1");
	row.level_bytes[1] = 150e9;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "memory");
	assert_string_equal(row.roof, "L2");
	expect_sentence(&row,
			"under the L2 roof, at 75 % (74 to 76) of it; 0.125 FLOP/byte; by the "
			"bytes that come from L2");
	/* A program that does not compute has no roof, unless its bytes come near one. */
	row.fp_percent = 1;
	row.instructions = 1000000000;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.bound, "other");
	expect_sentence(&row, "memory: its bytes come from L2, at 75 % of that roof");
	row.level_bytes[1] = 59e9;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.roof, "");
}

static void test_threads_come_before_roofs(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.busy_threads = 4;
	row.mean_cpus = 2;
	/* A fourth is its own: of 41 % in one thread, a third of 41 % could go. */
	row.alone_percent = 39;
	row.most_percent = 30;
	expect_bound(&row, "neither", "far below");
	row.alone_percent = 41;
	expect_bound(&row, "serial",
		     "one thread does 41 % of the work in functions "
		     "where no other thread is; 2 CPUs are busy in the mean");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_THREADS, "2.2 times as fast"));
	row.alone_percent = 0;
	row.most_percent = 35;
	expect_bound(&row, "neither", "far below");
	row.most_percent = 36;
	expect_bound(&row, "balance", "one of 4 threads does 36 % of the work");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_THREADS, "1.4 times as fast"));
	/* More threads than CPUs: two of them have half each. */
	row.threads = 2;
	expect_bound(&row, "neither", "far below");
	/* One thread alone has nothing to share out. */
	row.busy_threads = 1;
	row.alone_percent = row.most_percent = 100;
	expect_bound(&row, "neither", "far below");

	row = busy_row();
	row.busy_threads = 4;
	row.mean_cpus = 2;
	row.calls_percent = 49;
	expect_bound(&row, "neither", "far below");
	row.calls_percent = 51;
	strcpy(row.calls, "read 180 %, futex 100 %");
	expect_bound(&row, "waiting",
		     "its threads wait: 4 of them have 2 CPUs in the mean; time in "
		     "system calls: read 180 %, futex 100 %");
	strcpy(row.calls, "futex 180 %");
	expect_bound(&row, "locks",
		     "locks: its threads wait for each other; the kernel takes 0 % of its CPU "
		     "time, and they have no CPU for 50 % of their time; time in system calls: "
		     "futex 180 %");
	/* With the kernel, 30 % of the time is enough, natively and when it was counted. */
	row.mean_cpus = 3;
	row.calls_percent = 31;
	expect_bound(&row, "neither", "far below");
	row.kernel_percent = 6;
	expect_bound(&row, "locks", "they have no CPU for 25 % of their time");
	row.calls_percent = 29;
	expect_bound(&row, "neither", "far below");
}

static void test_threads_that_meet(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.contested_percent = 49;
	expect_bound(&row, "neither", "far below");
	row.contested_percent = 51;
	expect_bound(&row, "sharing", "51 % of the accesses that were followed");
	row.contested_percent = 0;
	/* 18 cycles each. */
	row.locked = 55000000;
	expect_bound(&row, "neither", "far below");
	row.locked = 56000000;
	expect_bound(&row, "locks", "its 5.6e+07 locked instructions take 50 % of its time");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_ELSEWHERE, "Lock less often"));
	/* Between cores they take longer; the time of two threads is twice as much. */
	row.busy_threads = 2;
	row.mean_cpus = 2;
	expect_bound(&row, "locks", "take 25 % of its time");
	row.locked = 55000000;
	expect_bound(&row, "neither", "far below");
}

/* Others have its CPUs for 60 % of its time. */
static void test_disturbed(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.waiting_percent = 60;
	row.mean_cpus = 0.4;
	row.preempted = true;
	row.roof_percent = 0;
	row.bytes_loaded = 2200000000;
	expect_bound(&row, "waiting",
		     "kept from working: others have its CPUs for 60 % of its time");
	assert_string_equal(row.roof, "");
	assert_true(advises(&row, &roofs, TP_APP_MOVE_ELSEWHERE, "while its CPUs are free"));
	/* While it runs it is at 30 % of the roof. */
	row.bytes_loaded = 2500000000;
	expect_bound(&row, "memory", "at 12 % (12 to 13) of it");
	expect_sentence(&row, "; others have its CPUs for 60 % of its time");
	/* Cycles are those of its CPU time. */
	row.chain_cycles = 410000000;
	expect_bound(&row, "chain", "that takes 51 % of its time");
	/* It waits by itself. */
	row.preempted = false;
	expect_bound(&row, "waiting", "it waits: it has no CPU for 60 % of its time");
}

static void test_processes(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.waiting_percent = 30;
	row.kernel_percent = 40;
	row.children = 280;
	expect_bound(&row, "waiting", "its own code has less than half of its time");
	row.children = 300;
	expect_bound(&row, "waiting", "it starts processes and waits for them: 300");
	/* Time that its own instructions cannot have taken. */
	row.waiting_percent = row.kernel_percent = 0;
	row.instructions = 5100000;
	expect_bound(&row, "neither", "far below");
	row.instructions = 4900000;
	row.children = 499;
	expect_bound(&row, "waiting",
		     "it waits for processes that it started (499): these have its CPU");
	row.children = 501;
	expect_bound(&row, "waiting", "it starts processes and waits for them: 501");
}

static void test_other_programs(void **state)
{
	(void)state;
	struct tp_app_region_row row = busy_row();
	row.fp_percent = 5;
	expect_bound(&row, "neither", "far below");
	row.fp_percent = 4.9;
	row.branches = 49000000;
	row.instructions = 1990000000;
	expect_bound(&row, "other",
		     "4.9 % of its instructions compute in floating point; 2 % are "
		     "branches, 5 % load, and 0.99 execute in a cycle: it waits, for "
		     "memory perhaps, which app.levels shows");
	row.branches = 51000000;
	expect_bound(&row, "other", "may be the limit; counters of the CPU show that");
	/* An emulator has no --levels. */
	row.branches = 0;
	strcpy(row.source, "qemu");
	expect_bound(&row, "other", "execute in a cycle");
	struct tp_str text = { 0 };
	tp_app_sentence(&row, &text);
	assert_null(strstr(tp_str_text(&text), "--levels"));
	tp_str_release(&text);
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
		/* Numbers without meaning get no advice. */
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

/* The advice of a move has this place, and this assumption; NULL: it has no place. */
static void expect_place(const struct tp_app_region_row *row, enum tp_app_move move, double ai,
			 double gflops, const char *assumes)
{
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	const size_t n = tp_app_advise(row, &roofs, advice);
	size_t i = 0;
	while (i < n && advice[i].move != move)
		i++;
	assert_true(i < n);
	if (!assumes) {
		assert_true(advice[i].gflops == 0);
		return;
	}
	assert_string_equal(advice[i].assumes, assumes);
	assert_float_equal(advice[i].ai_flop_per_byte, ai, 1e-9);
	assert_float_equal(advice[i].gflops, gflops, 1e-9);
}

static void test_where_it_would_be(void **state)
{
	(void)state;
	/* 1 GFLOP and 10 GB a second, half of what 20 GB/s of DRAM allow. */
	struct tp_app_region_row row = row_of(1, 10);
	expect_place(&row, TP_APP_MOVE_VECTORISE, 0.1, 2, "vectorised: at the DRAM roof");
	/* 60 GB/s of 8 threads instead of 20. */
	expect_place(&row, TP_APP_MOVE_THREADS, 0.1, 3, "8 threads: 3x, as DRAM");
	/* From where its bytes come was not followed. */
	expect_place(&row, TP_APP_MOVE_BLOCK, 0, 0, NULL);
	/* Then all that comes from beyond L1 would come from L2: 16 GB at 200 GB/s. */
	row.level_bytes[0] = 8e9;
	row.level_bytes[1] = 6e9;
	row.level_bytes[3] = 10e9;
	tp_app_place(&row, &roofs);
	assert_string_equal(row.roof, "DRAM");
	expect_place(&row, TP_APP_MOVE_BLOCK, 0.0625, 12.5, "blocked to L2: at its roof");
	expect_place(&row, TP_APP_MOVE_VECTORISE, 0.1, 2, "vectorised: at the DRAM roof");
	/* Compute-bound: 40 of 100 GFLOP/s. */
	row = row_of(40, 1);
	expect_place(&row, TP_APP_MOVE_VECTORISE, 40, 100, "vectorised: at the peak");
	expect_place(&row, TP_APP_MOVE_THREADS, 40, 320, "8 threads: 8x, as the peak");
	/* What 8 threads get of L3 was not measured. */
	row = row_of(10, 80);
	assert_string_equal(row.roof, "L3");
	expect_place(&row, TP_APP_MOVE_THREADS, 0, 0, NULL);
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
		cmocka_unit_test(test_what_takes_the_cycles),
		cmocka_unit_test(test_latency_of_memory),
		cmocka_unit_test(test_units_of_narrow_instructions),
		cmocka_unit_test(test_levels_decide),
		cmocka_unit_test(test_threads_come_before_roofs),
		cmocka_unit_test(test_threads_that_meet),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_other_programs),
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_where_it_would_be),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
