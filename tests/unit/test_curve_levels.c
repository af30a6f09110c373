/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory curves of simulated machines: the same levels again and again, edges where they are, and
 * slopes told where a guest gets a part of the last cache. CURVE_SEEDS=20 in the environment takes
 * more seeds than the few of every day.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/windows/curve.h"
#include "record/roof.h"
#include "tests/unit/seeds.h"
#include "tests/unit/simulated_isa.h"
#include "tests/unit/simulated_run.h"

enum { SEEDS = TP_SEEDS(3, 1), LEVELS = 4 };

/* Of 100 curves, so many must be right. */
#define ENOUGH 0.95

/* With AVX2 the L2 of Skylake-X is as fast as its L1, so there is no edge to find. */
static const char *const machines[][3] = {
	{ "machine=granite-rapids",
	  "topology=synthetic:pack:1 l3:1(size=503316480) "
	  "l2:2(size=2097152) l1d:1(size=49152) core:1 pu:1",
	  "isa=avx2" },
	{ "machine=zen4",
	  "topology=synthetic:pack:1 l3:1(size=33554432) l2:2(size=1048576) "
	  "l1d:1(size=32768) core:1 pu:1",
	  "isa=avx2" },
	{ "machine=skylake-x",
	  "topology=synthetic:pack:1 l3:1(size=25952256) l2:2(size=1048576) "
	  "l1d:1(size=32768) core:1 pu:1",
	  "isa=avx512" },
};

static unsigned seeds(void)
{
	const char *wanted = getenv("CURVE_SEEDS");

	return wanted ? (unsigned)atoi(wanted) : SEEDS;
}

static double rate_at(const struct simulated_run *s, const struct tp_plateau *like, double bytes)
{
	struct tp_kernel kernel = { .kind = TP_KERNEL_MEMORY,
				    .isa = simulated_isa(like->isa),
				    .element_bytes = 8,
				    .loads = 1,
				    .working_set_bytes = (uint64_t)bytes };

	return tp_simulation_true_rate(s->simulation, &kernel, like->threads, TP_PAGES_THP);
}

/* Where the truth passes the middle between the levels. */
static double true_edge(const struct simulated_run *s, const struct tp_plateau *a,
			const struct tp_plateau *b)
{
	double low = sqrt((double)a->from_bytes * (double)a->to_bytes);
	double high = sqrt((double)b->from_bytes * (double)b->to_bytes);
	double middle = sqrt(rate_at(s, a, low) * rate_at(s, b, high));

	for (int i = 0; i < 40; i++) {
		double size = sqrt(low * high);

		*(rate_at(s, a, size) > middle ? &low : &high) = size;
	}
	return low;
}

static bool is_right(const struct simulated_run *s)
{
	const struct tp_plateau *p = tp_run_plateaus(&s->run);

	if (tp_run_n_plateaus(&s->run) != LEVELS)
		return false;
	for (size_t i = 0; i + 1 < LEVELS; i++) {
		double edge = true_edge(s, &p[i], &p[i + 1]);

		if (fabs(log((double)p[i].capacity_bytes / edge)) > log(1.25))
			return false;
	}
	return true;
}

static void open_curve(struct simulated_run *s, size_t machine)
{
	const char *const sets[] = { machines[machine][0],  machines[machine][1],
				     "experiment=memcurve", machines[machine][2],
				     "threads=1",	    "ratio=1:0" };
	struct tp_diags diags = { 0 };

	if (simulated_open(s, sets, TP_COUNT_OF(sets), &diags) != TP_OK)
		fail_msg("%s: %s", machines[machine][0], diags.n ? diags.items[0].what : "");
	tp_diags_release(&diags);
}

static void curves_find_the_same_levels(void **state)
{
	static const char *const regimes[] = { "quiet", "zen4-vm", "gnr-vm", "huge-llc",
					       "turbo-steps" };
	const unsigned n = seeds();
	unsigned right = 0, all = 0;

	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
		struct simulated_run s;

		open_curve(&s, m);
		for (size_t r = 0; r < TP_COUNT_OF(regimes); r++) {
			unsigned here = 0;

			/* An eighth of these caches is little more than their L2. */
			if (m > 0 && (strcmp(regimes[r], "huge-llc") == 0 ||
				      strcmp(regimes[r], "gnr-vm") == 0))
				continue;
			for (unsigned seed = 1; seed <= n; seed++) {
				struct tp_diag diag;

				assert_int_equal(simulated_measure(&s, tp_regime_find(regimes[r]),
								   seed, &diag),
						 TP_OK);
				here += is_right(&s);
			}
			if (here < n)
				print_message("%s, %s: right in %u of %u\n", machines[m][0],
					      regimes[r], here, n);
			right += here;
			all += n;
		}
		simulated_close(&s);
	}
	assert_true(right >= ENOUGH * all);
}

static void a_slow_fall_is_told(void **state)
{
	struct simulated_run s;
	struct tp_diag diag;

	(void)state;
	open_curve(&s, 0);
	assert_int_equal(simulated_measure(&s, tp_regime_find("huge-llc"), 1, &diag), TP_OK);
	assert_int_equal(tp_run_n_slopes(&s.run), 1);
	const struct tp_slope *slope = tp_run_slopes(&s.run);
	assert_string_equal(slope->level, "L3");
	assert_false(slope->open);
	assert_true(slope->from_bytes < 60 << 20 && slope->to_bytes > 60 << 20);
	assert_true(slope->from_gbps > 1.3 * slope->to_gbps);
	/* Where the cache is ours there is an edge, and no slope. */
	assert_int_equal(simulated_measure(&s, tp_regime_find("quiet"), 1, &diag), TP_OK);
	assert_int_equal(tp_run_n_slopes(&s.run), 0);
	simulated_close(&s);
}

/* Each level once, whatever the others leave of L3; where its end was seen to move, a range. */
static void a_moving_end_is_a_range(void **state)
{
	static const char *const names[LEVELS] = { "L1", "L2", "L3", "DRAM" };
	const unsigned n = 2 * seeds();
	const double mib = 1 << 20, least = 0.01 * 480 * mib, most = 0.08 * 480 * mib;
	unsigned ranges = 0;
	struct simulated_run s;

	(void)state;
	open_curve(&s, 0);
	for (unsigned seed = 1; seed <= n; seed++) {
		struct tp_diag diag;

		assert_int_equal(simulated_measure(&s, tp_regime_find("moving-llc"), seed, &diag),
				 TP_OK);
		const struct tp_plateau *p = tp_run_plateaus(&s.run);
		assert_int_equal(tp_run_n_plateaus(&s.run), LEVELS);
		for (size_t i = 0; i < LEVELS; i++)
			assert_string_equal(p[i].level, names[i]);
		assert_true(p[2].capacity_bytes > least / 1.5 && p[2].capacity_bytes < most * 1.5);
		if (!p[2].capacity_low_bytes)
			continue;
		ranges++;
		assert_true(p[2].capacity_low_bytes < p[2].capacity_high_bytes);
		assert_true(p[2].capacity_low_bytes > least / 2 &&
			    p[2].capacity_high_bytes < most * 2);
		assert_true(p[2].ci_low < p[2].gbps && p[2].gbps < p[2].ci_high);
	}
	assert_true(2 * ranges >= n);
	/* Where it stays, there is none. */
	struct tp_diag diag;
	assert_int_equal(simulated_measure(&s, tp_regime_find("gnr-vm"), 1, &diag), TP_OK);
	for (size_t i = 0; i < tp_run_n_plateaus(&s.run); i++)
		assert_int_equal(tp_run_plateaus(&s.run)[i].capacity_low_bytes, 0);
	simulated_close(&s);
}

/* As measured on a Cascade Lake guest: L2 reads 155 GB/s from a quarter of it, 121 from all. */
static void a_level_that_sags_is_one(void **state)
{
	static const struct {
		double up_to_bytes, gbps;
	} steps[] = {
		{ 33e3, 345 }, { 270e3, 155 }, { 950e3, 121 },	   { 1.1e6, 60 },
		{ 17e6, 25 },  { 24e6, 16 },   { INFINITY, 12.5 },
	};
	static const char *const names[] = { "L1", "L2", "L3", "DRAM" };
	struct simulated_run s;
	struct tp_diag diag;

	(void)state;
	open_curve(&s, 2);
	assert_int_equal(simulated_measure(&s, tp_regime_find("quiet"), 1, &diag), TP_OK);
	tp_run_rows_of(&s.run, &tp_plateau_part)->n = 0;
	for (size_t i = 0, step; i < s.run.n_points; i++) {
		struct tp_point *p = &s.run.points[i];
		for (step = 0;
		     (double)tp_kernel_row(p)->working_set_bytes > steps[step].up_to_bytes; step++)
			;
		p->median = steps[step].gbps * (1 + 0.01 * (double)(i % 3));
		p->ci_low = p->median * 0.99;
		p->ci_high = p->median * 1.01;
		p->core_ghz = 3;
	}
	tp_curve_reduce(&s.session.machine, &s.run, 0);
	assert_int_equal(tp_run_n_plateaus(&s.run), LEVELS);
	for (size_t i = 0; i < LEVELS; i++)
		assert_string_equal(tp_run_plateaus(&s.run)[i].level, names[i]);
	const struct tp_plateau *l2 = &tp_run_plateaus(&s.run)[1];
	assert_in_range(l2->capacity_bytes, 950000, 1250000);
	assert_true(l2->ci_low < 125 && l2->ci_high > 150);
	simulated_close(&s);
}

/* A run that is watched is reduced after each point: its points stay as they were measured. */
static void reducing_changes_no_point(void **state)
{
	struct simulated_run s;
	struct tp_diag diag;

	(void)state;
	open_curve(&s, 2);
	assert_int_equal(simulated_measure(&s, tp_regime_find("quiet"), 1, &diag), TP_OK);
	/* Neighbours disturbed most points beyond the core. */
	for (size_t i = 0, n = 0; i < s.run.n_points; i++)
		if (tp_kernel_row(&s.run.points[i])->working_set_bytes > 1 << 20)
			s.run.points[i].quality = n++ % 8 ? TP_QUALITY_FAIR : TP_QUALITY_GOOD;
	const size_t bytes = s.run.n_points * sizeof(*s.run.points);
	TP_FREE struct tp_point *before = memcpy(tp_alloc(bytes, 1), s.run.points, bytes);
	for (int times = 0; times < 2; times++) {
		tp_run_reduce(&s.session.machine, &s.run, false);
		assert_int_equal(tp_run_n_plateaus(&s.run), LEVELS);
		assert_memory_equal(s.run.points, before, bytes);
	}
	/* At its end none of them is good. */
	tp_run_reduce(&s.session.machine, &s.run, true);
	assert_int_equal(tp_run_n_plateaus(&s.run), LEVELS);
	TP_EACH_POINT (p, &s.run) {
		assert_true(tp_kernel_row(p)->working_set_bytes <= 1 << 20 ||
			    p->quality == TP_QUALITY_FAIR);
	}
	simulated_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_find_the_same_levels),
		cmocka_unit_test(a_slow_fall_is_told),
		cmocka_unit_test(a_moving_end_is_a_range),
		cmocka_unit_test(a_level_that_sags_is_one),
		cmocka_unit_test(reducing_changes_no_point),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
