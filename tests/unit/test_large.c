/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooflines of machines whose last level is large, in simulated time: no point waits for the memory
 * of another, and memory has many windows.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "record/point.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated.h"

/* 480 MiB of L3, as the host of the machine has it. */
static const char large[] =
	"pack:1 l3:1(size=503316480) l2:2(size=2097152) l1d:1(size=49152) core:1 pu:1";

enum { SEEDS = TP_SEEDS(3, 1), LEAST_WINDOWS = 8 };

static void measure(struct simulated *s, const char *regime, uint64_t seed, const char *preset)
{
	if (!simulated_open(s, large, "sapphire-rapids", regime, seed) ||
	    !simulated_measure(s, preset))
		fail_msg("%s cannot be simulated", regime);
}

/* Seconds of all points together, without the first touch. */
static double seconds_of(const struct simulated *s)
{
	double seconds = 0;
	for (size_t i = 0; i < s->plan.n; i++)
		seconds += s->points[i].seconds;
	return seconds;
}

static void assert_roofline(const char *preset, double seconds)
{
	static const char *const regimes[] = { "quiet", "huge-llc", "gnr-vm", "zen4-vm" };
	for (size_t r = 0; r < TP_COUNT_OF(regimes); r++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct simulated s;
			unsigned memory = 0;
			measure(&s, regimes[r], seed, preset);
			if (seconds_of(&s) > seconds)
				fail_msg("%s, seed %llu: %.2f s", regimes[r],
					 (unsigned long long)seed, seconds_of(&s));
			for (size_t i = 0; i < s.plan.n; i++) {
				const struct tp_point *p = &s.points[i];
				if (strcmp(tp_kernel_row(p)->level, "DRAM") != 0)
					continue;
				memory++;
				if (p->kept < LEAST_WINDOWS)
					fail_msg("%s, seed %llu: %s rests on %u windows",
						 regimes[r], (unsigned long long)seed, p->kernel,
						 p->kept);
			}
			assert_true(memory > 0);
			simulated_close(&s);
		}
}

static void a_roofline_of_one_isa_is_short(void **state)
{
	(void)state;
	assert_roofline("experiment: roofline\nisa: widest\nthreads: 1\nratio: [1:0, 2:1]\n", 2);
}

static void a_roofline_of_four_isas_is_short(void **state)
{
	(void)state;
	assert_roofline("experiment: roofline\nisa: [scalar, sse, avx2, avx512]\nthreads: 1\n", 6);
}

/* The first touch belongs to the points that need more than those before, and to no window. */
static void small_points_do_not_wait_for_large_memory(void **state)
{
	struct simulated s;
	double touched[2] = { 0 };

	(void)state;
	measure(&s, "gnr-vm", 1,
		"experiment: roofline\nisa: widest\nthreads: 1\nratio: [1:0, 2:1]\n");
	for (size_t i = 0; i < s.plan.n; i++) {
		const struct tp_point *p = &s.points[i];
		bool memory = strcmp(tp_kernel_row(p)->level, "DRAM") == 0;
		touched[memory] += p->touch_seconds;
		assert_true(p->seconds < 1);
		for (size_t k = 0; k < p->n_samples; k++)
			assert_false(p->samples[k].flags & TP_FLAG(PAGE_FAULT));
	}
	/* Fresh memory is dear there, so no more of it is touched than is needed. */
	assert_true(touched[true] > touched[false] && touched[true] < 3);
	assert_true(touched[false] < 0.3);
	simulated_close(&s);
}

/* The working set that won stands beside the planned one, which says what was asked for. */
static void the_roofs_of_a_core_say_their_sizes(void **state)
{
	struct simulated s;

	(void)state;
	measure(&s, "quiet", 1, "experiment: roofline\nisa: widest\nthreads: 1\n");
	for (size_t i = 0; i < s.plan.n; i++) {
		const struct tp_kernel_row *row = tp_kernel_row(&s.points[i]);
		char size[32];
		bool l1 = strcmp(row->level, "L1") == 0, l2 = strcmp(row->level, "L2") == 0;
		if (!l1 && !l2) {
			assert_true(row->raced_bytes == 0 || strcmp(row->level, "DRAM") == 0);
			continue;
		}
		/* Halves of the planned set: 1 to 3 in L1; in L2 2 to 4, up to half of the cache.
		 */
		assert_int_equal(row->working_set_bytes, l1 ? 24 << 10 : 512 << 10);
		uint64_t halves = row->raced_bytes / (row->working_set_bytes / 2);
		assert_int_equal(row->raced_bytes, halves * (row->working_set_bytes / 2));
		assert_true(l1 ? halves >= 1 && halves <= 3 : halves >= 2 && halves <= 4);
		tp_format_bytes(size, sizeof(size), row->raced_bytes);
		assert_non_null(strstr(row->body, size));
	}
	simulated_close(&s);
}

/*
 * Loads are flushed before their windows: they need little memory and no knowledge of the last
 * level, and say the same as a walk through four times of it.
 */
static void loads_from_memory_need_little_of_it(void **state)
{
	static const char *const regimes[] = { "quiet", "huge-llc", "gnr-vm" };

	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(regimes); r++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct simulated s;
			unsigned flushed = 0;
			measure(&s, regimes[r], seed,
				"experiment: roofline\nisa: [sse, avx512]\nthreads: [1, 2]\n"
				"ratio: [1:0, 2:1]\nlevel: DRAM\n");
			for (size_t i = 0; i < s.plan.n; i++) {
				const struct tp_point *p = &s.points[i];
				const struct tp_kernel_row *row = tp_kernel_row(p);
				if (strcmp(row->level, "DRAM") != 0)
					continue;
				assert_int_equal(row->flushed, row->stores == 0);
				if (row->stores)
					continue;
				struct tp_kernel kernel = simulated_load(row->isa, 2ull << 30);
				double walked = tp_simulation_true_rate(s.simulation, &kernel,
									p->threads, TP_PAGES_THP);
				uint64_t bytes = p->threads * row->working_set_bytes;
				flushed++;
				assert_int_equal(bytes, 64 << 20);
				/* Neighbours take their share of memory in the last regime. */
				if (strcmp(regimes[r], "gnr-vm") != 0 &&
				    fabs(p->median / walked - 1) > 0.03)
					fail_msg("%s: %s with %u threads: %.1f GB/s for %.1f",
						 regimes[r], row->isa, p->threads, p->median,
						 walked);
			}
			assert_int_equal(flushed, 4);
			simulated_close(&s);
		}
}

/* A loop that asks for it walks, and where no program may flush a line, all do. */
static void some_loads_walk(void **state)
{
	struct simulated s;

	(void)state;
	measure(&s, "quiet", 1,
		"experiment: roofline\nisa: avx512\nthreads: 1\nratio: 1:0\nlevel: DRAM\n"
		"dram: walked\n");
	assert_false(tp_kernel_row(&s.points[0])->flushed);
	assert_true(tp_kernel_row(&s.points[0])->working_set_bytes > 1ull << 30);
	simulated_close(&s);
	if (!simulated_open(&s, large, "c920", "quiet", 1) ||
	    !simulated_measure(&s, "experiment: roofline\nthreads: 1\nratio: 1:0\nlevel: DRAM\n"))
		fail_msg("the C920 cannot be simulated");
	assert_false(tp_kernel_row(&s.points[0])->flushed);
	simulated_close(&s);
}

/*
 * Memory is measured with what a scan says is enough where a guest gets a part of the cache, and
 * with the plan's size where the cache is as large as reported. Either way it is memory.
 */
static void the_size_of_memory_is_measured(void **state)
{
	enum { NO = 1, YES = 2 };
	/* Whether working sets may be smaller than planned: where memory is noisy, both happens. */
	static const struct {
		const char *regime;
		unsigned smaller;
	} rows[] = { { "quiet", NO | YES }, { "huge-llc", YES }, { "gnr-vm", NO | YES } };

	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct simulated s;
			measure(&s, rows[r].regime, seed,
				"experiment: roofline\nisa: widest\nthreads: [1, 2]\n"
				"ratio: [1:0, 2:1]\nlevel: [L1, DRAM]\n");
			for (size_t i = 0; i < s.plan.n; i++) {
				const struct tp_kernel_row *row = tp_kernel_row(&s.points[i]);
				struct tp_kernel kernel =
					simulated_load(row->isa, row->working_set_bytes);
				unsigned threads = s.points[i].threads;
				if (strcmp(row->level, "DRAM") != 0 || row->flushed)
					continue;
				double memory = tp_simulation_true_rate(s.simulation, &kernel,
									threads, TP_PAGES_THP);
				kernel.working_set_bytes = row->raced_bytes
								   ? row->raced_bytes
								   : row->working_set_bytes;
				double here = tp_simulation_true_rate(s.simulation, &kernel,
								      threads, TP_PAGES_THP);
				if (!(rows[r].smaller & (row->raced_bytes ? YES : NO)) ||
				    here > 1.04 * memory)
					fail_msg("%s, seed %llu, %u threads: %llu MiB, %.1f GB/s "
						 "for %.1f",
						 rows[r].regime, (unsigned long long)seed, threads,
						 (unsigned long long)kernel.working_set_bytes >> 20,
						 here, memory);
			}
			simulated_close(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_roofline_of_one_isa_is_short),
		cmocka_unit_test(a_roofline_of_four_isas_is_short),
		cmocka_unit_test(small_points_do_not_wait_for_large_memory),
		cmocka_unit_test(the_roofs_of_a_core_say_their_sizes),
		cmocka_unit_test(loads_from_memory_need_little_of_it),
		cmocka_unit_test(some_loads_walk),
		cmocka_unit_test(the_size_of_memory_is_measured),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
