/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/simulated_run.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/bench.h"
#include "experiments/windows/planner.h"
#include "measure/sampler.h"
#include "record/point.h"
#include "session/facts.h"

const struct simulated_machine simulated_machines[SIMULATED_MACHINES] = {
	{ "zen4", "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=32768) core:1 pu:1" },
	{ "granite-rapids",
	  "pack:1 l3:1(size=503316480) l2:2(size=2097152) l1d:1(size=49152) core:1 pu:1" },
	{ "skylake-x",
	  "pack:1 l3:1(size=25952256) l2:4(size=1048576) l1d:1(size=32768) core:1 pu:2" },
	{ "zen3", "pack:1 l3:1(size=33554432) l2:4(size=524288) l1d:1(size=32768) core:1 pu:2" },
};

enum tp_status simulated_open(struct simulated_run *s, const char *const *sets, size_t n,
			      struct tp_diags *diags)
{
	const struct tp_overrides overrides = { sets, n };
	*s = (struct simulated_run){ 0 };
	return tp_session_open(&s->session, &overrides, NULL, true, diags);
}

static void forget(struct simulated_run *s)
{
	tp_run_release(&s->run);
	s->run = (struct tp_run){ 0 };
	free(s->ghz);
	s->ghz = NULL;
	tp_simulation_free(s->simulation);
	s->simulation = NULL;
}

void simulated_close(struct simulated_run *s)
{
	forget(s);
	tp_session_close(&s->session);
}

/* The true clock of each window of a point. */
struct clocks {
	const struct tp_simulation *simulation;
	struct tp_simulation_tally before;
	double *ghz;
	size_t n, cap;
};

static bool before_window(void *context)
{
	struct clocks *c = context;
	c->before = *tp_simulation_tally(c->simulation);
	return true;
}

static bool after_window(void *context, const struct tp_sample *sample)
{
	struct clocks *c = context;
	const struct tp_simulation_tally *now = tp_simulation_tally(c->simulation);
	double running = now->window_seconds - c->before.window_seconds -
			 (now->paused_seconds - c->before.paused_seconds);
	(void)sample;
	TP_RESERVE(c->ghz, c->cap, c->n + 1);
	c->ghz[c->n++] = running > 0 ? (now->ghz_seconds - c->before.ghz_seconds) / running : 0;
	return true;
}

/* The median clock of the windows that count; 0 = unknown. */
static double clock_of_kept(struct clocks *c, const struct tp_point *point)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n && i < point->n_samples; i++)
		if (!point->samples[i].flags && c->ghz[i] > 0)
			c->ghz[kept++] = c->ghz[i];
	tp_sort_doubles(c->ghz, kept);
	return kept ? tp_median_sorted(c->ghz, kept) : 0;
}

static enum tp_status measure_points(struct simulated_run *s, struct tp_bench *bench,
				     struct tp_diag *diag)
{
	const struct tp_plan *plan = &s->session.plan;
	s->run.points = calloc(plan->n + 1, sizeof(*s->run.points));
	s->ghz = calloc(plan->n + 1, sizeof(*s->ghz));
	if (!s->run.points || !s->ghz)
		return tp_fail(diag, TP_NOMEM, "simulated run", NULL, "out of memory");
	TP_FREE unsigned *ids = tp_alloc(plan->n + 1, sizeof(*ids));
	for (size_t i = 0; i < plan->n; i++) {
		ids[i] = (unsigned)i;
		tp_point_take(&s->run.points[i], &plan->items[i].point, &s->run.arena);
	}
	tp_plan_order(plan, ids, plan->n);
	s->run.n_points = plan->n;
	for (size_t n = 0; n < plan->n; n++) {
		const size_t i = ids[n];
		const struct tp_planned *planned = &plan->items[i];
		struct tp_point *point = &s->run.points[i];
		struct clocks clocks = { .simulation = s->simulation };
		const struct tp_watch watch = { .context = &clocks,
						.sample = after_window,
						.go_on = before_window };
		bench->watch = &watch;
		enum tp_status status =
			planned->experiment->prepare
				? planned->experiment->prepare(bench, &planned, 1, diag)
				: TP_OK;
		if (status == TP_OK)
			status = planned->experiment->run(bench, planned, point, diag);
		s->ghz[i] = clock_of_kept(&clocks, point);
		free(clocks.ghz);
		bench->watch = NULL;
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

enum tp_status simulated_measure(struct simulated_run *s, const struct tp_regime *regime,
				 uint64_t seed, struct tp_diag *diag)
{
	struct tp_bench bench = { .machine = &s->session.machine, .cpu = &s->session.cpu };
	forget(s);
	s->simulation = tp_simulation_new(&s->session.machine, regime, seed);
	bench.simulation = s->simulation;
	bench.clock = *tp_simulation_clock(s->simulation);
	enum tp_status status = measure_points(s, &bench, diag);
	tp_bench_release(&bench);
	s->seconds = tp_simulation_now(s->simulation);
	tp_facts_collect(&s->run, &s->session);
	if (status == TP_OK)
		tp_run_reduce(&s->session.machine, &s->run, true);
	return status;
}

double simulated_truth(const struct simulated_run *s, const struct tp_point *point)
{
	const struct tp_kernel_row *row = tp_kernel_row(point);
	enum tp_pages pages = strcmp(row->pages, "thp") == 0 ? TP_PAGES_THP : TP_PAGES_DEFAULT;
	if (point->less_is_better)
		return tp_simulation_true_latency_ns(s->simulation, row->working_set_bytes, pages);
	/* The ISA may be that of another architecture: the plan has it. */
	struct tp_kernel kernel = tp_window_plan(&s->session.plan.items[point->point])->kernel;
	kernel.loads = row->loads;
	kernel.stores = row->stores;
	kernel.nontemporal = row->nontemporal;
	/* Flushed lines are in memory, even where a cache could hold them. */
	kernel.working_set_bytes = row->flushed ? 1ull << 40 : row->working_set_bytes;
	return tp_simulation_true_rate(s->simulation, &kernel, point->threads, pages);
}
