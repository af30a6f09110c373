/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated machine: its truth is that of its model, and what is measured on it undisturbed is
 * its truth.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"
#include "tests/unit/simulated.h"
#include "base/now.h"
#include "base/memory.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "record/point.h"

#define GHZ_ZEN4 3.694

static const char *const zen4_8 = "pack:1 core:8 pu:1";

static void same_seed_same_readings(void **state)
{
	(void)state;
	double found[3][2];
	for (unsigned i = 0; i < 3; i++) {
		struct simulated s;
		assert_true(
			simulated_open(&s, NULL, "sapphire-rapids", "everything", i == 2 ? 8 : 7));
		assert_true(simulated_measure(&s, "{experiment: roofline, isa: avx2}"));
		found[i][0] = tp_simulation_now(s.simulation);
		found[i][1] = tp_point_median(&s.points[s.plan.n - 1]);
		simulated_close(&s);
	}
	assert_true(found[0][0] == found[1][0] && found[0][1] == found[1][1]);
	assert_true(found[0][0] != found[2][0]);
}

static void truth_is_that_of_the_model(void **state)
{
	(void)state;
	struct simulated s;
	assert_true(simulated_open(&s, zen4_8, "zen4", "quiet", 1));
	const struct tp_simulation *sim = s.simulation;
	struct tp_kernel k = simulated_load("avx2", 16 << 10);
	assert_near(tp_simulation_true_ghz(sim, 0), GHZ_ZEN4, 1e-9);
	/* The ports give 64 bytes a cycle; beginning a pass and crowded lines take 5 % at most. */
	double l1 = tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP) / GHZ_ZEN4;
	assert_true(l1 < 64 && l1 > 60);
	k.working_set_bytes = 256 << 10;
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP) / GHZ_ZEN4, 32, 0.1);
	k.working_set_bytes = 4 << 20;
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP), 101, 0.5);
	k.working_set_bytes = 1 << 30;
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP), 36.9, 0.1);
	/* Small pages are slower, and all threads together meet the limit of memory. */
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_SMALL), 32.5, 0.1);
	assert_near(tp_simulation_true_rate(sim, &k, 8, TP_PAGES_THP), 8 * 36.9, 0.5);
	assert_near(tp_simulation_true_latency_ns(sim, 16 << 10, TP_PAGES_THP), 4 / GHZ_ZEN4, 0.01);
	assert_near(tp_simulation_true_latency_ns(sim, 256 << 10, TP_PAGES_THP), 3.7, 0.15);
	double far = tp_simulation_true_latency_ns(sim, (uint64_t)4 << 30, TP_PAGES_THP);
	assert_true(far > 120 && far < 160);
	assert_true(tp_simulation_true_latency_ns(sim, (uint64_t)4 << 30, TP_PAGES_SMALL) > far);
	const struct tp_kernel fma = simulated_fp("avx512", TP_FP_FMA),
			       pair = simulated_fp("avx512", TP_FP_FMA_ADD);
	assert_near(tp_simulation_true_rate(sim, &fma, 1, TP_PAGES_THP) / GHZ_ZEN4, 16, 1e-6);
	assert_near(tp_simulation_true_rate(sim, &pair, 1, TP_PAGES_THP) / GHZ_ZEN4, 24, 1e-6);
	simulated_close(&s);
}

/* What a model calls typical goes before the figures that the simulation has of its own. */
static void typical_figures_of_a_model(void **state)
{
	static const char text[] =
		"title: T\narch: x86_64\ncaches: {L1: 32KiB, L2: 1MiB, L3: 32MiB}\n"
		"typical: {ghz: 2, L1_cycles: 6, L2_cycles: 20, L2_bytes_per_cycle: 10, L3_gbps: "
		"11,\n"
		"  memory_gbps: 5, memory_ns: 200}\n"
		"isas:\n  avx2: {vector_bytes: 32, loads_per_cycle: 2, stores_per_cycle: 1,\n"
		"    fma_per_cycle: 2, add_per_cycle: 2, mul_per_cycle: 2}\n";
	char folder[] = "/tmp/tprof-typical-XXXXXX", path[TP_PATH_MAX];
	struct simulated s;
	struct tp_kernel k = simulated_load("avx2", 256 << 10);
	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "mine.yaml", text);
	snprintf(path, sizeof(path), "%s/mine.yaml", folder);
	assert_true(simulated_open(&s, zen4_8, path, "quiet", 1));
	const struct tp_simulation *sim = s.simulation;
	assert_near(tp_simulation_true_ghz(sim, 0), 2, 1e-9);
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP) / 2, 10, 0.1);
	k.working_set_bytes = 4 << 20;
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP), 11, 0.1);
	k.working_set_bytes = 1 << 30;
	assert_near(tp_simulation_true_rate(sim, &k, 1, TP_PAGES_THP), 5, 0.05);
	assert_near(tp_simulation_true_latency_ns(sim, 16 << 10, TP_PAGES_THP), 3, 0.02);
	double far = tp_simulation_true_latency_ns(sim, (uint64_t)4 << 30, TP_PAGES_THP);
	assert_true(far > 190 && far < 260);
	simulated_close(&s);
	remove_tree(folder);
}

static void edges_lie_at_the_capacity(void **state)
{
	(void)state;
	struct simulated s;
	assert_true(simulated_open(&s, zen4_8, "zen4", "quiet", 1));
	for (int level = 1; level <= 3; level++) {
		double c = (double)tp_simulation_true_capacity_bytes(s.simulation, level);
		assert_near(c,
			    (double)s.machine.cache[level].reported_bytes +
				    (s.machine.cache[level].reported_bytes
					     ? 0
					     : (double)s.machine.cache[level].model_bytes),
			    1);
		double rate[5];
		for (int i = 0; i < 5; i++) {
			struct tp_kernel k = simulated_load(
				"avx2", (uint64_t)(c * exp2((i - 2) * 0.5)) / 4096 * 4096);
			rate[i] = tp_simulation_true_rate(s.simulation, &k, 1, TP_PAGES_THP);
		}
		/* Half the capacity is inside, twice is outside, and between it falls steadily. */
		for (int i = 1; i < 5; i++)
			assert_true(rate[i] < rate[i - 1] * 1.01);
		assert_true(rate[1] > 0.9 * rate[0] && rate[3] < 1.1 * rate[4]);
		assert_true(rate[2] < 0.75 * rate[0] + 0.25 * rate[4]);
		assert_true(rate[2] > 0.25 * rate[0] + 0.75 * rate[4]);
	}
	simulated_close(&s);
	/* One gets an eighth of what is reported, whatever was given. */
	assert_true(simulated_open(&s, zen4_8, "zen4", "huge-llc", 1));
	assert_int_equal(tp_simulation_true_capacity_bytes(s.simulation, 3), 4 << 20);
	s.machine.cache[3].given_bytes = s.machine.cache[3].size_bytes = 1 << 20;
	assert_int_equal(tp_simulation_true_capacity_bytes(s.simulation, 3), 4 << 20);
	simulated_close(&s);
}

/* Whatever bodies the experiments try, one of them reaches the truth, and not all do. */
static void some_body_is_the_best(void **state)
{
	(void)state;
	static const char *const models[] = { "zen4", "sapphire-rapids", "neoverse-v1", "c920" };
	for (size_t m = 0; m < TP_COUNT_OF(models); m++) {
		struct simulated s;
		assert_true(simulated_open(&s, zen4_8, models[m], "quiet", 1));
		assert_true(simulated_measure(
			&s, "{experiment: roofline, ratio: [\"1:0\", \"2:1\", \"0:1\"], "
			    "fp_op: [fma, add, fma+add], threads: 1}"));
		for (size_t i = 0; i < s.plan.n; i++) {
			struct tp_candidate candidates[TP_MAX_CANDIDATES];
			size_t n = tp_bodies(&s.plan.items[i], candidates);
			double most = 0, least = INFINITY;
			for (size_t c = 0; c < n; c++) {
				double rate = tp_simulation_body_rate(
					s.simulation, &candidates[c].kernel,
					candidates[c].placement_bytes, 1, TP_PAGES_THP);
				most = fmax(most, rate);
				least = fmin(least, rate);
			}
			double truth = tp_simulation_true_rate(
				s.simulation, &tp_window_plan(&s.plan.items[i])->kernel, 1,
				TP_PAGES_THP);
			if (most < 0.995 * truth || most > truth * (1 + 1e-9))
				fail_msg("%s point %zu: best body %g, truth %g", models[m], i, most,
					 truth);
			assert_true(n == 1 || least < 0.999 * most);
		}
		simulated_close(&s);
	}
}

/* Whole experiments find the truth when nothing disturbs. */
static void expect_truth(struct simulated *s, double within)
{
	for (size_t i = 0; i < s->plan.n; i++) {
		const struct tp_point *p = &s->points[i];
		const struct tp_kernel *k = &tp_window_plan(&s->plan.items[i])->kernel;
		double truth = tp_simulation_true_rate(s->simulation, k, p->threads,
						       s->plan.items[i].pages);
		bool edge = false; /* no single body is the best one of two levels */
		for (int level = 1; level <= 3; level++) {
			double x = (double)k->working_set_bytes /
				   (double)tp_simulation_true_capacity_bytes(s->simulation, level);
			edge = edge || (x > 0.6 && x < 1.7 && k->kind != TP_KERNEL_CHASE);
		}
		if (k->kind == TP_KERNEL_CHASE)
			truth = 1 / truth;
		if (!edge && fabs(tp_point_median(p) / truth - 1) > within)
			fail_msg("%s of %llu bytes, %u threads: %g, truth %g", p->kernel,
				 (unsigned long long)k->working_set_bytes, p->threads,
				 tp_point_median(p), truth);
	}
}

static void curve_finds_the_truth(void **state)
{
	(void)state;
	struct simulated s;
	assert_true(simulated_open(&s, NULL, "zen4", "quiet", 1));
	assert_true(simulated_measure(&s, "{experiment: memcurve, isa: avx512, ratio: \"1:0\", "
					  "size_max: 256MiB, threads: 1, pages: thp}"));
	assert_true(s.plan.n > 30);
	expect_truth(&s, 0.01);
	simulated_close(&s);
	assert_true(simulated_open(&s, NULL, "zen4", "quiet", 2));
	assert_true(simulated_measure(&s, "{experiment: latency, size_max: 256MiB, threads: 1, "
					  "pages: [small, thp]}"));
	expect_truth(&s, 0.01);
	simulated_close(&s);
}

static void foreign_machines_run_too(void **state)
{
	(void)state;
	static const char *const models[] = { "neoverse-v1", "a64fx", "c920", "skylake-x" };
	for (size_t i = 0; i < TP_COUNT_OF(models); i++) {
		struct simulated s;
		assert_true(simulated_open(&s, zen4_8, models[i], "quiet", i));
		assert_true(simulated_measure(&s, "{experiment: roofline, threads: [1, 4]}"));
		assert_true(s.plan.n > 4);
		expect_truth(&s, 0.02);
		simulated_close(&s);
	}
}

static void every_regime_runs(void **state)
{
	(void)state;
	assert_true(tp_regime_count >= 12);
	assert_null(tp_regime_find("no such regime"));
	for (size_t i = 0; i < tp_regime_count; i++) {
		struct simulated s;
		assert_ptr_equal(tp_regime_find(tp_regime_table[i].name), &tp_regime_table[i]);
		assert_true(
			simulated_open(&s, NULL, "sapphire-rapids", tp_regime_table[i].name, 1));
		assert_true(simulated_measure(&s, "{experiment: loaded-latency, threads: 2}"));
		for (size_t k = 0; k < s.plan.n; k++)
			assert_true(tp_point_median(&s.points[k]) > 0);
		simulated_close(&s);
	}
}

/* How long it takes is printed, for people. */
static void roofline_takes_milliseconds(void **state)
{
	(void)state;
	struct simulated s;
	double began = tp_now_seconds();
	assert_true(simulated_open(&s, NULL, "zen4", "quiet", 1));
	assert_true(simulated_measure(&s, "{experiment: roofline, threads: [1, all]}"));
	print_message("a roofline of %zu points, %.2f s of its own time: %.0f ms\n", s.plan.n,
		      tp_simulation_now(s.simulation), (tp_now_seconds() - began) * 1e3);
	simulated_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_same_readings),
		cmocka_unit_test(truth_is_that_of_the_model),
		cmocka_unit_test(typical_figures_of_a_model),
		cmocka_unit_test(edges_lie_at_the_capacity),
		cmocka_unit_test(some_body_is_the_best),
		cmocka_unit_test(curve_finds_the_truth),
		cmocka_unit_test(foreign_machines_run_too),
		cmocka_unit_test(every_regime_runs),
		cmocka_unit_test(roofline_takes_milliseconds),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
