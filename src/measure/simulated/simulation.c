/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated machine, and what is asked of its truth. */
#include "measure/simulated/simulated_parts.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writing fresh memory for the first time, beside what a host may take: page faults and zeroing. */
#define TOUCH_SECONDS_PER_GIB 0.2

enum tp_status tp_simulation_new(struct tp_simulation **out, const struct tp_machine *machine,
				 const struct tp_regime *regime, uint64_t seed,
				 struct tp_diag *diag)
{
	struct tp_simulation *s = calloc(1, sizeof(*s));
	if (s)
		s->cpus = calloc(machine->n_pus + 1, sizeof(*s->cpus));
	if (!s || !s->cpus) {
		free(s);
		return tp_fail(diag, TP_NOMEM, "simulation", NULL, "out of memory");
	}
	s->regime = regime;
	s->seed = seed;
	tp_truth_init(&s->truth, machine, regime);
	tp_simulated_clock(s);
	for (size_t i = 0; i < machine->n_pus; i++)
		tp_disturb_init(seed, (unsigned)i, &s->cpus[i]);
	*out = s;
	return TP_OK;
}

void tp_simulation_free(struct tp_simulation *s)
{
	if (!s)
		return;
	free(s->cpus);
	free(s);
}

double tp_simulation_now(const struct tp_simulation *s)
{
	return s->now;
}

const struct tp_clock *tp_simulation_clock(const struct tp_simulation *s)
{
	return &s->clock;
}

const struct tp_machine *tp_simulation_machine(const struct tp_simulation *s)
{
	return s->truth.machine;
}

const struct tp_simulation_tally *tp_simulation_tally(const struct tp_simulation *s)
{
	return &s->tally;
}

/* --- the truth --- */

bool tp_simulated_huge_pages(const struct tp_machine *machine, enum tp_pages pages)
{
	return pages == TP_PAGES_THP || pages == TP_PAGES_HUGETLB ||
	       (pages == TP_PAGES_DEFAULT && strcmp(machine->thp, "always") == 0);
}

double tp_simulation_true_ghz(const struct tp_simulation *s, unsigned vector_bytes)
{
	double factor = vector_bytes >= 64   ? s->regime->licence.factor_512
			: vector_bytes >= 32 ? s->regime->licence.factor_256
					     : 1;
	return s->truth.figures->ghz * s->truth.clock_factor * (factor > 0 ? factor : 1);
}

/* Where the slowest of so many threads is. */
static bool crowded_place(const struct tp_machine *machine, unsigned threads,
			  struct tp_simulated_place *out)
{
	unsigned *cpus = calloc(threads, sizeof(*cpus));
	struct tp_simulated_place *places = calloc(threads, sizeof(*places));
	bool placed = cpus && places &&
		      tp_machine_place(machine, "compact", threads, cpus, NULL) == TP_OK;
	if (placed) {
		tp_truth_places(machine, cpus, threads, places);
		*out = places[0];
		for (unsigned i = 1; i < threads; i++)
			if (places[i].on_core > out->on_core ||
			    (places[i].on_core == out->on_core &&
			     places[i].on_package > out->on_package))
				*out = places[i];
	}
	free(cpus);
	free(places);
	return placed;
}

static double true_rate(const struct tp_simulation *s, const struct tp_kernel *kernel,
			size_t placement_bytes, bool best, unsigned threads, enum tp_pages pages)
{
	struct tp_simulated_work work = { .kernel = kernel,
					  .walk_bytes = kernel->working_set_bytes,
					  .placement_bytes = placement_bytes,
					  .best_body = best,
					  .huge_pages = tp_simulated_huge_pages(s->truth.machine,
										pages) };
	struct tp_kernel_counts counts;
	struct tp_demand demand;
	if (threads == 0 || !crowded_place(s->truth.machine, threads, &work.place))
		return 0;
	tp_truth_demand(&s->truth, &work, &demand);
	tp_kernel_count(kernel, &s->truth.machine->cpu, &counts);
	unsigned width = kernel->kind == TP_KERNEL_CHASE ? 0 : tp_isa_vector_bytes(kernel->isa);
	double seconds = tp_truth_seconds(&demand, tp_simulation_true_ghz(s, width));
	if (kernel->kind == TP_KERNEL_CHASE)
		return (double)counts.loads / seconds * 1e-9;
	return threads * tp_kernel_work(kernel, &counts) / seconds * 1e-9;
}

double tp_simulation_true_rate(const struct tp_simulation *s, const struct tp_kernel *kernel,
			       unsigned threads, enum tp_pages pages)
{
	return true_rate(s, kernel, 0, true, threads, pages);
}

double tp_simulation_body_rate(const struct tp_simulation *s, const struct tp_kernel *kernel,
			       size_t placement_bytes, unsigned threads, enum tp_pages pages)
{
	return true_rate(s, kernel, placement_bytes, false, threads, pages);
}

double tp_simulation_true_latency_ns(const struct tp_simulation *s, uint64_t bytes,
				     enum tp_pages pages)
{
	struct tp_kernel chase = { .kind = TP_KERNEL_CHASE,
				   .isa = tp_isa_table[0],
				   .element_bytes = 8,
				   .working_set_bytes = bytes };
	double rate = tp_simulation_true_rate(s, &chase, 1, pages);
	return rate > 0 ? 1 / rate : 0;
}

uint64_t tp_simulation_true_capacity_bytes(const struct tp_simulation *s, int level)
{
	return (uint64_t)s->truth.capacity_bytes[level];
}

double tp_simulated_touch_seconds(const struct tp_simulation *s, double fresh, double known)
{
	const double gib = 1 << 30;
	return (fresh + known) / gib * TOUCH_SECONDS_PER_GIB +
	       fresh / gib * s->regime->page_in.cold_seconds +
	       known / gib * s->regime->page_in.warm_seconds;
}

double tp_simulation_first_touch_seconds(const struct tp_simulation *s, uint64_t bytes)
{
	return tp_simulated_touch_seconds(s, (double)bytes, 0);
}
