/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated machine: each disturbance does what its parameters say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "tests/unit/near.h"
#include "tests/unit/simulated.h"
#include "base/memory.h"
#include "analysis/stats.h"
#include "measure/simulated/simulated_parts.h"

#define GHZ_ZEN4 3.694

static const char *const zen4_8 = "pack:1 core:8 pu:1";

/* A machine under a regime that has no name of its own. */
static void open_under(struct simulated *s, const struct tp_regime *regime)
{
	assert_true(simulated_open(s, NULL, "zen4", "quiet", 1));
	tp_simulation_free(s->simulation);
	s->simulation = tp_simulation_new(&s->machine, regime, 1);
}

/* A team of so many threads on the first CPUs. */
static struct tp_team *team_of(struct simulated *s, unsigned n)
{
	unsigned cpus[8];
	struct tp_team *team = NULL;
	for (unsigned i = 0; i < n; i++)
		cpus[i] = s->machine.pus[i].os_index;
	assert_int_equal(tp_simulated_team_new(&team, s->simulation, cpus, n, NULL), TP_OK);
	return team;
}

/* Runs windows of a kernel; returns the median of their seconds, and the last window. */
static double windows(struct tp_team *team, const struct tp_kernel *kernel, uint64_t passes,
		      bool alone, unsigned n, struct tp_window *last)
{
	double seconds[20000], scratch[20000];
	const struct tp_window_work work = { .described = kernel,
					     .passes = passes,
					     .alone = alone };
	assert_in_range(n, 1, TP_COUNT_OF(seconds));
	for (unsigned i = 0; i < n; i++) {
		tp_team_window(team, &work, last);
		seconds[i] = last->seconds;
	}
	struct tp_summary summary;
	tp_summarise(seconds, n, 0.99, scratch, &summary);
	return summary.median;
}

static void expect_pauses(const char *regime, bool switches)
{
	struct simulated s;
	const struct tp_regime_pauses *p = &tp_regime_find(regime)->pauses[0];
	assert_true(simulated_open(&s, NULL, "zen4", regime, 3));
	struct tp_team *team = team_of(&s, 1);
	const struct tp_kernel k = simulated_fp("scalar", TP_FP_ADD);
	struct tp_kernel_counts counts;
	struct tp_window window;
	tp_kernel_count(&k, &s.machine.cpu, &counts);
	double long_enough = 500 / p->per_second; /* s: many pauses in all windows together */
	uint64_t passes = (uint64_t)(long_enough / 20 * 2 * GHZ_ZEN4 * 1e9 / (double)counts.flops);
	windows(team, &k, passes, false, 200, &window);
	const struct tp_simulation_tally *t = tp_simulation_tally(s.simulation);
	double share = p->per_second * p->mean_seconds;
	assert_near(t->paused_seconds / t->window_seconds, share, 0.05 * share);
	assert_near((double)t->pauses / t->window_seconds, p->per_second, 0.05 * p->per_second);
	assert_true(switches ? t->switches > 0.9 * (double)t->pauses : t->switches == 0);
	tp_team_free(team);
	simulated_close(&s);
}

static void pauses_take_their_share(void **state)
{
	(void)state;
	expect_pauses("gnr-vm", false);
	expect_pauses("preempted", true);
}

/* Between pauses 71 us apart there is room for windows of 10 us, and none for windows of 1 ms. */
static void short_windows_fit_between_pauses(void **state)
{
	(void)state;
	static const struct tp_regime pauses = { .name = "pauses",
						 .pauses = { { 14000, 2e-6, 6e-6, 15e-6 } } };
	struct simulated s;
	struct tp_window window;
	open_under(&s, &pauses);
	struct tp_team *team = team_of(&s, 1);
	const struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
					 .isa = tp_isa_find("scalar"),
					 .element_bytes = 8,
					 .body.unroll = 1024 };
	double piece = 1024 / GHZ_ZEN4 * 1e-9;
	double fitting = windows(team, &chain, 36, false, 1000, &window);
	assert_near(fitting, 36 * piece, 0.01 * 36 * piece);
	double large = windows(team, &chain, 3600, false, 200, &window);
	/* One in (1 - 0.084). */
	assert_near(large, 3600 * piece / (1 - 14000 * 6e-6), 0.02 * 3600 * piece);
	tp_team_free(team);
	simulated_close(&s);
}

static double width_of(const struct tp_team *team)
{
	struct tp_core_seen seen;
	const struct tp_gauge_unit unit = { team->chain_additions, team->width_additions,
					    tp_gauge_step_seconds(team->clock) };
	tp_core_see(&team->readings[0].before, &team->readings[0].after, &unit, &seen);
	return seen.width;
}

static void neighbour_takes_width_and_hardly_the_chain(void **state)
{
	(void)state;
	struct tp_window window;
	double fma[2], chase[2], width[2], ghz[2], near[2];
	static const struct tp_regime beside = { .name = "beside",
						 .neighbours = { { 0.5, 1, 0, 0.5 } } };
	const struct tp_regime *regimes[] = { tp_regime_find("quiet"), &beside };
	for (int i = 0; i < 2; i++) {
		struct simulated s;
		open_under(&s, regimes[i]);
		struct tp_team *team = team_of(&s, 1);
		const struct tp_kernel kernel = simulated_fp("avx2", TP_FP_FMA);
		const struct tp_kernel loads = { .kind = TP_KERNEL_CHASE,
						 .isa = tp_isa_find("scalar"),
						 .element_bytes = 8,
						 .working_set_bytes = 8 << 10 };
		struct tp_kernel l1 = simulated_load("avx2", 20 << 10);
		fma[i] = windows(team, &kernel, 1000, false, 50, &window);
		width[i] = width_of(team);
		ghz[i] = window.ghz;
		chase[i] = windows(team, &loads, 1000, false, 50, &window);
		near[i] = windows(team, &l1, 1000, false, 50, &window);
		tp_team_free(team);
		simulated_close(&s);
	}
	assert_near(fma[1] / fma[0], 2, 0.01);
	assert_near(width[1] / width[0], 0.5, 0.01);
	assert_near(ghz[1] / ghz[0], 1, 0.015);
	assert_near(chase[1] / chase[0], 1, 0.015);
	assert_true(near[1] / near[0] > 2.2); /* half of L1 is gone as well */
}

static void bursts_take_their_share(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const struct tp_regime *r = tp_regime_find("smt-neighbour-bursts");
	assert_true(simulated_open(&s, NULL, "zen4", r->name, 5));
	struct tp_team *team = team_of(&s, 1);
	const struct tp_kernel kernel = simulated_fp("avx2", TP_FP_FMA);
	windows(team, &kernel, 1000000, false, 400, &window);
	const struct tp_simulation_tally *t = tp_simulation_tally(s.simulation);
	double off = 1;
	for (int i = 0; i < TP_REGIME_KINDS; i++) {
		const struct tp_regime_neighbour *n = &r->neighbours[i];
		off *= n->off_seconds / (n->on_seconds + n->off_seconds);
	}
	assert_near(t->neighbour_seconds / t->window_seconds, 1 - off, 0.05 * (1 - off));
	tp_team_free(team);
	simulated_close(&s);
}

static void clock_steps_and_licences(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	/* Only the states are seen, and each of them is. */
	const struct tp_regime *r = tp_regime_find("turbo-steps");
	assert_true(simulated_open(&s, NULL, "zen4", r->name, 1));
	struct tp_team *team = team_of(&s, 1);
	const struct tp_kernel scalar = simulated_fp("scalar", TP_FP_ADD);
	unsigned seen[TP_REGIME_STATES] = { 0 }, odd = 0;
	for (int i = 0; i < 400; i++) {
		tp_team_rest(team, 10e-3);
		windows(team, &scalar, 10, false, 1, &window);
		unsigned k = 0;
		while (k < TP_REGIME_STATES &&
		       fabs(window.ghz / (GHZ_ZEN4 * r->turbo.factors[k]) - 1) > 0.01)
			k++;
		if (k < TP_REGIME_STATES)
			seen[k]++;
		else
			odd++;
	}
	for (int i = 0; i < TP_REGIME_STATES; i++)
		assert_in_range(seen[i], 50, 170);
	assert_in_range(odd, 0, 4);
	tp_team_free(team);
	simulated_close(&s);
	/* Wide vectors lower the clock until some time after them. */
	r = tp_regime_find("avx-licence");
	assert_true(simulated_open(&s, NULL, "zen4", r->name, 1));
	team = team_of(&s, 1);
	const struct tp_kernel wide = simulated_fp("avx512", TP_FP_FMA);
	windows(team, &scalar, 10, false, 1, &window);
	assert_near(window.ghz, GHZ_ZEN4, 0.02);
	windows(team, &wide, 100, false, 2, &window);
	assert_near(window.ghz, GHZ_ZEN4 * r->licence.factor_512, 0.02);
	assert_near(tp_simulation_true_ghz(s.simulation, 64), GHZ_ZEN4 * r->licence.factor_512,
		    1e-6);
	tp_team_rest(team, r->licence.hold_seconds);
	windows(team, &scalar, 10, false, 1, &window);
	assert_near(window.ghz, GHZ_ZEN4, 0.02);
	tp_team_free(team);
	simulated_close(&s);
}

static void clock_drifts(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const struct tp_regime *r = tp_regime_find("drift");
	const struct tp_kernel scalar = simulated_fp("scalar", TP_FP_ADD);
	assert_true(simulated_open(&s, NULL, "zen4", r->name, 1));
	struct tp_team *team = team_of(&s, 1);
	for (int quarter = 0; quarter <= 4; quarter++) {
		static const double depth[] = { 0, 0.5, 1, 0.5, 0 };
		tp_team_rest(team, quarter * r->drift.period_seconds / 4 -
					   tp_simulation_now(s.simulation));
		windows(team, &scalar, 10, false, 1, &window);
		assert_near(window.ghz / GHZ_ZEN4, 1 - depth[quarter] * r->drift.depth, 0.005);
	}
	tp_team_free(team);
	simulated_close(&s);
}

static void first_touch_takes_time_and_late_pages_fault(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const struct tp_regime *r = tp_regime_find("page-in");
	const uint64_t bytes = 256 << 20;
	assert_true(simulated_open(&s, NULL, "zen4", r->name, 1));
	struct tp_team *team = team_of(&s, 1);
	double before = tp_simulation_now(s.simulation);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_SMALL, NULL, NULL), TP_OK);
	double cold = tp_simulation_now(s.simulation) - before;
	assert_near(cold, tp_simulated_touch_seconds(s.simulation, (double)bytes, 0), 1e-6);
	assert_true(cold > r->page_in.cold_seconds / 4);
	/* What is there costs nothing; the host gives what it gave before more quickly. */
	before = tp_simulation_now(s.simulation);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_SMALL, NULL, NULL), TP_OK);
	assert_true(tp_simulation_now(s.simulation) == before);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_THP, NULL, NULL), TP_OK);
	assert_true(tp_simulation_now(s.simulation) - before < cold / 4);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_SMALL, NULL, NULL), TP_OK);
	/* Some pages only come when a walk reaches them: once. */
	const struct tp_kernel far = simulated_load("avx2", bytes / 2);
	windows(team, &far, 1, false, 1, &window);
	assert_true(window.flags & TP_FLAG(PAGE_FAULT));
	const struct tp_simulation_tally *t = tp_simulation_tally(s.simulation);
	double pages = (double)bytes / 2 / 4096 * r->page_in.late_share;
	assert_near((double)t->faults, pages, 1);
	windows(team, &far, 1, false, 1, &window);
	assert_false(window.flags & TP_FLAG(PAGE_FAULT));
	assert_near((double)t->faults, pages, 1);
	tp_team_free(team);
	simulated_close(&s);
}

static void pairs_share_their_core(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const struct tp_kernel fma = simulated_fp("avx2", TP_FP_FMA);
	assert_true(simulated_open(&s, zen4_8, "zen4", "shared-vcpus", 1));
	struct tp_team *team = team_of(&s, 2);
	double together = windows(team, &fma, 10000, false, 50, &window);
	double alone = windows(team, &fma, 10000, true, 50, &window);
	assert_near(together / alone, 2, 0.01);
	tp_team_free(team);
	/* CPUs of different pairs do not. */
	const unsigned apart[] = { 0, 2 };
	assert_int_equal(tp_simulated_team_new(&team, s.simulation, apart, 2, NULL), TP_OK);
	together = windows(team, &fma, 10000, false, 50, &window);
	assert_near(together / alone, 1, 0.01);
	tp_team_free(team);
	simulated_close(&s);
}

static void coarse_clock_steps(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
					 .isa = tp_isa_find("scalar"),
					 .element_bytes = 8,
					 .body.unroll = 1024 };
	assert_true(simulated_open(&s, NULL, "zen4", "microsecond-clock", 1));
	struct tp_team *team = team_of(&s, 1);
	assert_near(tp_team_clock(team)->resolution_seconds, 1e-6, 1e-12);
	for (int i = 0; i < 100; i++) {
		windows(team, &chain, 100, false, 1, &window);
		double steps = window.seconds * 1e6;
		assert_near(steps, round(steps), 1e-6);
		assert_near(window.seconds, 102400 / GHZ_ZEN4 * 1e-9, 1.1e-6);
	}
	tp_team_free(team);
	simulated_close(&s);
}

static void fresh_chase_is_warm(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const uint64_t bytes = 16 << 20;
	const struct tp_kernel chase = { .kind = TP_KERNEL_CHASE,
					 .isa = tp_isa_find("scalar"),
					 .element_bytes = 8,
					 .working_set_bytes = bytes };
	const struct tp_chase way = { .bytes = bytes, .seed = 1 };
	const unsigned loads = tp_kernel_unroll(&chase);
	const uint64_t lap = bytes / TP_CHASE_LINE_BYTES / loads;
	assert_true(simulated_open(&s, NULL, "zen4", "zen4-vm", 1));
	double truth = tp_simulation_true_latency_ns(s.simulation, bytes, TP_PAGES_THP);
	struct tp_team *team = team_of(&s, 1);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_THP, NULL, NULL), TP_OK);
	assert_int_equal(tp_team_contents(team, 1, &way, NULL), TP_OK);
	double ns[6];
	for (int i = 0; i < 6; i++)
		ns[i] = windows(team, &chase, lap / 20, false, 20, &window) /
			(double)(lap / 20 * loads) * 1e9;
	assert_true(ns[0] < 0.6 * truth);
	assert_near(ns[5], truth, 0.1 * truth);
	/* Built anew it is warm again; left as it is, it is not. */
	assert_int_equal(tp_team_contents(team, 1, &way, NULL), TP_OK);
	assert_true(windows(team, &chase, lap / 20, false, 3, &window) >
		    2.0 / 3 * ns[5] * 1e-9 * (double)(lap / 20 * loads));
	const struct tp_chase other = { .bytes = bytes, .seed = 2 };
	assert_int_equal(tp_team_contents(team, 1, &other, NULL), TP_OK);
	assert_true(windows(team, &chase, lap / 20, false, 3, &window) <
		    0.6 * ns[5] * 1e-9 * (double)(lap / 20 * loads));
	tp_team_free(team);
	simulated_close(&s);
}

/* Out of empty caches the first lap misses everywhere; the second finds what the caches keep. */
static void evicted_chase_is_cold_for_a_lap(void **state)
{
	(void)state;
	struct simulated s;
	struct tp_window window;
	const uint64_t bytes = 256 << 10;
	const struct tp_kernel chase = { .kind = TP_KERNEL_CHASE,
					 .isa = tp_isa_find("scalar"),
					 .element_bytes = 8,
					 .working_set_bytes = bytes };
	const struct tp_chase way = { .bytes = bytes, .seed = 1 };
	const unsigned loads = tp_kernel_unroll(&chase);
	const uint64_t lap = bytes / TP_CHASE_LINE_BYTES / loads;
	assert_true(simulated_open(&s, NULL, "zen4", "quiet", 1));
	struct tp_team *team = team_of(&s, 1);
	assert_true(tp_team_evicts(team));
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_THP, NULL, NULL), TP_OK);
	assert_int_equal(tp_team_contents(team, 1, &way, NULL), TP_OK);
	double warm = windows(team, &chase, lap, false, 1, &window);
	const struct tp_window_work out = { .described = &chase,
					    .passes = lap,
					    .evict_bytes = bytes };
	tp_team_window(team, &out, &window);
	double ns = window.seconds / (double)(lap * loads) * 1e9;
	assert_true(ns > 100 && ns < 140);
	assert_near(windows(team, &chase, lap, false, 1, &window), warm, 0.02 * warm);
	tp_team_free(team);
	simulated_close(&s);
}

static void neighbours_take_memory(void **state)
{
	(void)state;
	/* Stays that are long against a window, and many of them. */
	static const struct tp_regime busy = {
		.name = "busy", .memory = { .share = 0.3, .spread = 0.25, .seconds = 40e-3 }
	};
	const struct tp_regime *r = &busy;
	struct simulated s;
	struct tp_window window;
	const uint64_t bytes = 64 << 20;
	const struct tp_kernel far = simulated_load("avx2", bytes);
	open_under(&s, r);
	struct tp_team *team = team_of(&s, 1);
	assert_int_equal(tp_team_buffers(team, bytes, bytes, TP_PAGES_THP, NULL, NULL), TP_OK);
	double seconds = windows(team, &far, 1, false, 15000, &window);
	double share = (double)bytes / seconds * 1e-9 /
		       tp_simulation_body_rate(s.simulation, &far, 0, 1, TP_PAGES_THP);
	/* Shares are uniform, and windows are the more the faster they are. */
	double low = 1 - r->memory.share - r->memory.spread,
	       high = 1 - r->memory.share + r->memory.spread;
	assert_near(share, sqrt((low * low + high * high) / 2), 0.03);
	/* Not L1. */
	const struct tp_kernel near = simulated_load("avx2", 8 << 10);
	seconds = windows(team, &near, 1000, false, 100, &window);
	assert_near(8192e3 / seconds * 1e-9 /
			    tp_simulation_body_rate(s.simulation, &near, 0, 1, TP_PAGES_THP),
		    1, 0.005);
	tp_team_free(team);
	simulated_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_take_their_share),
		cmocka_unit_test(short_windows_fit_between_pauses),
		cmocka_unit_test(neighbour_takes_width_and_hardly_the_chain),
		cmocka_unit_test(bursts_take_their_share),
		cmocka_unit_test(clock_steps_and_licences),
		cmocka_unit_test(clock_drifts),
		cmocka_unit_test(first_touch_takes_time_and_late_pages_fault),
		cmocka_unit_test(pairs_share_their_core),
		cmocka_unit_test(coarse_clock_steps),
		cmocka_unit_test(fresh_chase_is_warm),
		cmocka_unit_test(evicted_chase_is_cold_for_a_lap),
		cmocka_unit_test(neighbours_take_memory),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
