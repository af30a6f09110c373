/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency on simulated machines whose chases are warm when they are built, and whose CPUs are
 * paused thousands of times a second: only the steady state counts, and it is near the truth.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "measure/settle.h"
#include "record/point.h"

enum { SEEDS = TP_SEEDS(20, 5) };
#define NEAR_TRUTH 0.05
#define SHARE	   0.95

static const struct tp_sampling warm; /* caches as they are */

static const char *const latency = "{experiment: latency, threads: 1, pages: thp, "
				   "sizes: [16KiB, 256KiB, 4MiB, 8MiB, 16MiB, 32MiB, 64MiB, "
				   "128MiB, 256MiB, 512MiB], stop: {max_time: 120ms}}";

static double error_of(const struct simulated *s, size_t i)
{
	const struct tp_point *p = &s->points[i];
	/* Flushed, it is all in memory. */
	uint64_t bytes = tp_kernel_row(p)->flushed ? 1 << 30 : tp_kernel_row(p)->working_set_bytes;
	double truth = tp_simulation_true_latency_ns(s->simulation, bytes, s->plan.items[i].pages);
	return fabs(p->median / truth - 1);
}

/* Windows that count are enough, and none of them is of the beginning. */
static void assert_counted(const struct tp_point *p)
{
	size_t late = 0;
	for (size_t i = 0; i < p->n_samples; i++)
		late += !(p->samples[i].flags & TP_FLAG(WARMING));
	assert_true(p->kept >= 12);
	assert_true(p->kept <= late);
	assert_true(late < p->n_samples);
}

static void expect_truth(const char *model, const char *regime)
{
	unsigned near = 0, all = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct simulated s;
		assert_true(simulated_open(&s, NULL, model, regime, seed));
		assert_true(simulated_measure(&s, latency));
		for (size_t i = 0; i < s.plan.n; i++, all++) {
			near += error_of(&s, i) <= NEAR_TRUTH;
			assert_counted(&s.points[i]);
		}
		simulated_close(&s);
	}
	if (near < SHARE * all)
		fail_msg("%s, %s: %u of %u latencies are near the truth", model, regime, near, all);
}

static void latencies_are_near_the_truth(void **state)
{
	static const char *const models[] = { "zen4", "granite-rapids" };
	static const char *const regimes[] = { "quiet", "zen4-vm", "gnr-vm" };
	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(models); m++)
		for (size_t r = 0; r < TP_COUNT_OF(regimes); r++)
			expect_truth(models[m], regimes[r]);
}

/* The idle point of loaded latency is the same chase; its lines are flushed before each window. */
static void idle_latency_is_near_the_truth(void **state)
{
	unsigned near = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct simulated s;
		assert_true(simulated_open(&s, NULL, "zen4", "gnr-vm", seed));
		assert_true(simulated_measure(&s, "{experiment: loaded-latency, level: DRAM, "
						  "pages: thp, ratio: \"1:0\", throttle: 0}"));
		assert_true(tp_kernel_row(&s.points[0])->flushed);
		near += error_of(&s, 0) <= NEAR_TRUTH;
		/* Streams never make it faster. */
		assert_true(s.points[1].median > 0.97 * s.points[0].median);
		assert_true(tp_kernel_row(&s.points[1])->median_gbps > 1);
		simulated_close(&s);
	}
	assert_true(near >= SHARE * SEEDS);
}

/* --- settling alone --- */

struct alone {
	struct simulated s;
	struct tp_team *team;
	struct tp_runner runner;
	struct tp_candidate candidate;
	struct tp_point point;
	unsigned calls_left;
};

static bool go_on(void *context)
{
	struct alone *a = context;
	return a->calls_left-- > 0;
}

static enum tp_status settle(struct alone *a, const char *regime, size_t bytes, unsigned calls,
			     bool *steady)
{
	static const unsigned cpus[] = { 0 };
	const struct tp_watch watch = { .context = a, .go_on = go_on };
	struct tp_diag diag;
	*a = (struct alone){ .calls_left = calls };
	a->candidate.kernel = (struct tp_kernel){ .kind = TP_KERNEL_CHASE,
						  .isa = tp_isa_table[0],
						  .element_bytes = 8,
						  .body.unroll = 32,
						  .working_set_bytes = bytes };
	a->candidate.chase = (struct tp_chase){ .bytes = bytes, .seed = 1 };
	assert_true(simulated_open(&a->s, NULL, "zen4", regime, 1));
	assert_int_equal(tp_simulated_team_new(&a->team, a->s.simulation, cpus, 1, &diag), TP_OK);
	assert_int_equal(tp_team_buffers(a->team, bytes, bytes, TP_PAGES_THP, NULL, &diag), TP_OK);
	assert_int_equal(
		tp_runner_init(&a->runner, a->team, &a->s.machine.cpu, &a->candidate, &warm, &diag),
		TP_OK);
	tp_runner_calibrate(&a->runner, 50e-6);
	return tp_settle_chase(&a->runner, 50e-6, &watch, 0, &a->point, steady, &diag);
}

static void release(struct alone *a)
{
	tp_point_release(&a->point);
	tp_runner_release(&a->runner);
	tp_team_free(a->team);
	simulated_close(&a->s);
}

/* Three times too fast when it was built; a window afterwards has its length and its latency. */
static void a_warm_chase_is_walked_until_it_is_steady(void **state)
{
	static const size_t sizes[] = { 16 << 10, 1 << 20, 16 << 20, 256 << 20 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(sizes); i++) {
		struct alone a;
		struct tp_sample sample;
		bool steady;
		assert_int_equal(settle(&a, "huge-llc", sizes[i], 1000000, &steady), TP_OK);
		assert_true(steady);
		for (size_t k = 0; k < a.point.n_samples; k++)
			assert_true(a.point.samples[k].flags & TP_FLAG(WARMING));
		tp_runner_window(&a.runner, &sample);
		assert_true(sample.seconds > 30e-6 && sample.seconds < 80e-6);
		double truth =
			tp_simulation_true_latency_ns(a.s.simulation, sizes[i], TP_PAGES_THP);
		assert_true(fabs(sample.rate * truth - 1) < NEAR_TRUTH);
		release(&a);
	}
}

static void settling_can_be_cancelled(void **state)
{
	struct alone a;
	bool steady;
	(void)state;
	assert_int_equal(settle(&a, "quiet", 64 << 20, 10, &steady), TP_CANCELLED);
	assert_int_equal(a.point.n_samples, 10);
	release(&a);
}

/* --- units for matrices --- */

/* Time around a window that is not the window's, on a simulated machine where nothing disturbs. */
static double beside_window(enum tp_fp_op op)
{
	static const unsigned cpus[] = { 0 };
	static const struct tp_isa avx512 = {
		.name = "avx512", .arch = "x86_64", .needs = "", .vector_bytes = 64
	};
	struct alone a = { 0 };
	struct tp_sample sample;
	struct tp_diag diag;
	a.candidate.kernel = (struct tp_kernel){ .kind = TP_KERNEL_FP,
						 .isa = &avx512,
						 .element_bytes = 1,
						 .format = TP_FORMAT_INTEGER,
						 .fp_op = op };
	assert_true(simulated_open(&a.s, NULL, "granite-rapids", "quiet", 1));
	assert_int_equal(tp_simulated_team_new(&a.team, a.s.simulation, cpus, 1, &diag), TP_OK);
	assert_int_equal(
		tp_runner_init(&a.runner, a.team, &a.s.machine.cpu, &a.candidate, &warm, &diag),
		TP_OK);
	tp_runner_calibrate(&a.runner, 20e-6);
	double before = tp_team_now(a.team);
	tp_runner_window(&a.runner, &sample);
	double beside = tp_team_now(a.team) - before - sample.seconds;
	assert_true(sample.rate > 0);
	release(&a);
	return beside;
}

/* They are slow after a rest, so they work right before a window, which does not count that. */
static void units_for_matrices_are_awake_when_a_window_begins(void **state)
{
	(void)state;
	double vectors = beside_window(TP_FP_DOT), tiles = beside_window(TP_FP_TILE);
	if (!(tiles >= vectors + 15e-6 && tiles < vectors + 30e-6))
		fail_msg("%g us beside a window of vectors, %g of tiles", vectors * 1e6,
			 tiles * 1e6);
}

/* --- how long a window is --- */

/* The passes of a window of one millisecond on all threads of the machine. */
static double passes_of_all(const char *regime, uint64_t seed)
{
	enum { THREADS = 384 };
	unsigned cpus[THREADS];
	struct alone a = { .candidate.kernel = simulated_fp("avx512", TP_FP_FMA) };
	struct tp_diag diag;
	for (unsigned i = 0; i < THREADS; i++)
		cpus[i] = i;
	assert_true(simulated_open(&a.s, "pack:2 l3:12 core:8 pu:2", "zen4", regime, seed));
	assert_int_equal(tp_simulated_team_new(&a.team, a.s.simulation, cpus, THREADS, &diag),
			 TP_OK);
	assert_int_equal(
		tp_runner_init(&a.runner, a.team, &a.s.machine.cpu, &a.candidate, &warm, &diag),
		TP_OK);
	tp_runner_calibrate(&a.runner, 1e-3);
	double passes = (double)a.runner.passes;
	release(&a);
	return passes;
}

/*
 * Of hundreds of threads one is always off its CPU, for many times a pass: that time is not taken
 * for the passes' own, or windows would hold next to nothing else.
 */
static void pauses_are_not_taken_for_work(void **state)
{
	double quiet = passes_of_all("quiet", 1);
	(void)state;
	for (uint64_t seed = 1; seed <= TP_SEEDS(4, 1); seed++) {
		double paused = passes_of_all("zen4-vm", seed);
		if (paused < quiet / 20)
			fail_msg("seed %d: %g passes, not %g", (int)seed, paused, quiet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_are_near_the_truth),
		cmocka_unit_test(idle_latency_is_near_the_truth),
		cmocka_unit_test(a_warm_chase_is_walked_until_it_is_steady),
		cmocka_unit_test(settling_can_be_cancelled),
		cmocka_unit_test(units_for_matrices_are_awake_when_a_window_begins),
		cmocka_unit_test(pauses_are_not_taken_for_work),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
