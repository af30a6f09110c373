/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/simulated/simulated_parts.h"
#include "measure/simulation.h"

/* First writes to fresh memory, besides the host's part: page faults and zeroing. */
#define TOUCH_SECONDS_PER_GIB 0.2

struct tp_simulation *tp_simulation_new(const struct tp_machine *machine,
					const struct tp_regime *regime, uint64_t seed)
{
	struct tp_simulation *s = tp_alloc(1, sizeof(*s));
	s->cpus = tp_alloc(machine->n_pus + 1, sizeof(*s->cpus));
	s->regime = regime;
	s->seed = seed;
	tp_truth_init(&s->truth, machine, regime);
	tp_simulated_clock(s);
	for (size_t i = 0; i < machine->n_pus; i++)
		tp_disturb_init(seed, (unsigned)i, &s->cpus[i]);
	return s;
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

/* --- instructions --- */

/* For models without a divider. */
#define DIVISIONS_PER_CYCLE 0.2

static const struct tp_model_isa *isa_of(const struct tp_simulation *s,
					 const struct tp_asm_effect *e)
{
	const struct tp_model *model = &s->truth.machine->model;
	for (size_t i = 0; i < model->n_isas; i++)
		if (e->vector_bytes ? model->isas[i].vector_bytes == e->vector_bytes
				    : strcmp(model->isas[i].name, "scalar") == 0)
			return &model->isas[i];
	return NULL;
}

enum { LOAD, STORE, MEMORY, MULTIPLY, ADD, DIVIDE, FP, OTHER, PORTS };

/* Adds what an instruction needs of each kind of port; returns the cycles to its result. */
static double add_instruction(const struct tp_simulation *s, const struct tp_model_isa *isa,
			      const struct tp_asm_effect *e, double ports[PORTS])
{
	const struct tp_figures *f = s->truth.figures;
	const double integers = s->truth.machine->model.additions_per_cycle;
	double memory = e->loads + e->stores, latency = e->loads ? f->l1_cycles : 1, divisions;
	ports[LOAD] += e->loads / isa->loads_per_cycle;
	ports[STORE] += e->stores / isa->stores_per_cycle;
	ports[MEMORY] += isa->mem_per_cycle > 0 ? memory / isa->mem_per_cycle : 0;
	if (e->op != TP_FP_NONE)
		ports[FP] +=
			1 / (isa->fp_per_cycle > 0 ? isa->fp_per_cycle
						   : fmax(isa->fma_per_cycle, isa->add_per_cycle));
	switch (e->op) {
	case TP_FP_ADD:
		ports[ADD] += 1 / isa->add_per_cycle;
		return f->add_cycles;
	case TP_FP_MUL:
		ports[MULTIPLY] += 1 / isa->mul_per_cycle;
		return f->mul_cycles;
	case TP_FP_FMA:
		ports[MULTIPLY] += 1 / isa->fma_per_cycle;
		return f->fma_cycles;
	case TP_FP_DIV:
		divisions = e->element_bytes == 4 ? isa->div_single_per_cycle : isa->div_per_cycle;
		divisions = divisions > 0 ? divisions : DIVISIONS_PER_CYCLE;
		ports[DIVIDE] += 1 / divisions;
		return f->mul_cycles + 1 / divisions;
	default:
		ports[OTHER] += memory > 0 ? 0 : 1 / (integers > 0 ? integers : f->issue_width);
		return latency;
	}
}

double tp_simulation_port_cycles(const struct tp_simulation *s, const struct tp_asm_effect *effects,
				 size_t n, double *cycles, struct tp_diag *diag)
{
	double ports[PORTS] = { 0 }, most = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tp_asm_effect *e = &effects[i];
		const struct tp_model_isa *isa = isa_of(s, e);
		if (!isa || (e->op == TP_FP_FMA && !(isa->fma_per_cycle > 0))) {
			tp_fail(diag, TP_UNSUPPORTED, "asm", NULL, "%s has no %s of %u bytes",
				s->truth.machine->model.name, isa ? "FMA" : "vectors",
				e->vector_bytes);
			return 0;
		}
		cycles[i] = add_instruction(s, isa, e, ports);
	}
	for (int i = 0; i < PORTS; i++)
		most = fmax(most, ports[i]);
	return most;
}

/* The position of the slowest of this many threads. */
static bool crowded_place(const struct tp_machine *machine, unsigned threads,
			  struct tp_simulated_place *out)
{
	TP_FREE unsigned *cpus = tp_alloc(threads, sizeof(*cpus));
	TP_FREE struct tp_simulated_place *places = tp_alloc(threads, sizeof(*places));
	bool placed = tp_machine_place(machine, "compact", threads, cpus, NULL) == TP_OK;
	if (placed) {
		tp_truth_places(machine, cpus, threads, places);
		*out = places[0];
		for (unsigned i = 1; i < threads; i++)
			if (places[i].on_core > out->on_core ||
			    (places[i].on_core == out->on_core &&
			     places[i].on_package > out->on_package))
				*out = places[i];
	}
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

/* A warm chase was 3 times too fast at first, and right after some ten windows of 1 ms. */
#define WARM_CHASE                                                                                 \
	{                                                                                          \
		.factor = 3, .laps = 1                                                             \
	}

#define COUNTER_JITTER                                                                             \
	{                                                                                          \
		.jitter_seconds = 0.7e-9                                                           \
	}

#define NEW_MEMORY                                                                                 \
	{                                                                                          \
		.cold_seconds = 0.25, .warm_seconds = 0.05                                         \
	}

/* The named regimes. Figures of both virtual machines: measured there; the others: made up. */

const struct tp_regime tp_regime_table[] = {
	{
		.name = "quiet",
		.summary = "nothing disturbs: an idle machine with a fixed clock",
		.clock = COUNTER_JITTER,
	},
	{
		.name = "zen4-vm",
		.summary = "a virtual machine whose neighbours come in bursts; it reports no "
			   "steal time",
		.pauses = { { 6, 1e-3, 4e-3, 12e-3 } },
		.neighbours = { { 0.4, 120e-6, 1.5e-3 } },
		.memory = { .share = 0.02, .spread = 0.02, .latency = 0.02, .seconds = 20e-3 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = NEW_MEMORY,
	},
	{
		.name = "gnr-vm",
		.summary =
			"a virtual machine that is paused 14,000 times a second, beside an SMT "
			"neighbour, with a stepping clock and a last-level cache shared with many",
		.pauses = { { 14000, 2e-6, 6e-6, 15e-6 } },
		.neighbours = { { 0.3, 200e-6, 600e-6, 0.3 } },
		.turbo = { { 0.9473, 0.9736, 1 }, 30e-3 },
		.memory = { .share = 0.02, .spread = 0.02, .latency = 0.02, .seconds = 30e-3 },
		.last_level = { .share = 0.2, .slope = 2 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = { .cold_seconds = 2.6, .warm_seconds = 0.13 },
	},
	{
		.name = "smt-neighbour-half",
		.summary = "half of every core is taken all the time: a point must never be called "
			   "good",
		.neighbours = { { 0.5, 1, 0 } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "smt-neighbour-bursts",
		.summary =
			"the other hardware thread works in bursts of 10 to 300 us and longer ones",
		.neighbours = { { 0.5, 100e-6, 250e-6 }, { 0.3, 20e-3, 100e-3 } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "turbo-steps",
		.summary = "the clock steps between four states some ten times a second",
		.turbo = { { 0.88, 0.92, 0.96, 1 }, 80e-3 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "avx-licence",
		.summary = "wide vectors lower the clock of their core",
		.licence = { .factor_256 = 0.94, .factor_512 = 0.84, .hold_seconds = 0.7e-3 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "drift",
		.summary = "the clock falls slowly by 8 % and comes back, as of a machine that "
			   "gets hot",
		.drift = { .depth = 0.08, .period_seconds = 20 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "preempted",
		.summary = "other processes of this machine take the CPU 40 times a second, 1 to 4 "
			   "ms each",
		.pauses = { { 40, 1e-3, 2.5e-3, 4e-3, .switches = true } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "shared-vcpus",
		.summary = "pairs of CPUs sit on one core: both are halved when both run",
		.shared_cores = { .on_seconds = 1 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "coarse-clock",
		.summary = "a clock that steps by 1/24 us, as the counter of some ARM machines",
		.clock = { .step_seconds = 1e-6 / 24 },
	},
	{
		.name = "microsecond-clock",
		.summary = "a clock that steps by 1 us, as of a machine without a usable cycle "
			   "counter",
		.clock = { .step_seconds = 1e-6 },
	},
	{
		.name = "noisy-memory",
		.summary = "neighbours take a third of L3 and memory, now more, now less",
		.memory = { .share = 0.3, .spread = 0.25, .latency = 0.3, .seconds = 4e-3 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
	},
	{
		.name = "huge-llc",
		.summary =
			"a guest gets an eighth of the last-level cache that the machine reports",
		.last_level = { .share = 0.125, .slope = 2.5 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
	},
	{
		.name = "moving-llc",
		.summary =
			"a guest gets 1 to 8 % of the last-level cache that the machine reports, "
			"now more, now less",
		.last_level = { .share = 0.08, .least = 0.01, .seconds = 0.15, .slope = 4 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
	},
	{
		.name = "page-in",
		.summary = "fresh memory costs seconds per GiB, and some of it only inside windows",
		.page_in = { .cold_seconds = 2.6, .warm_seconds = 0.13, .late_share = 0.02 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "everything",
		.summary =
			"pauses, preemptions, bursts, a stepping clock and noisy memory together",
		.pauses = { { 3000, 2e-6, 8e-6, 30e-6 },
			    { 10, 1e-3, 2e-3, 4e-3, .switches = true } },
		.neighbours = { { 0.4, 150e-6, 600e-6 }, { 0.3, 30e-3, 200e-3 } },
		.turbo = { { 0.95, 1 }, 50e-3 },
		.licence = { .factor_512 = 0.93, .hold_seconds = 0.7e-3 },
		.memory = { .share = 0.15, .spread = 0.1, .latency = 0.15, .seconds = 5e-3 },
		.last_level = { .share = 0.5, .slope = 4 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = NEW_MEMORY,
	},
};
const size_t tp_regime_count = TP_COUNT_OF(tp_regime_table);

const struct tp_regime *tp_regime_find(const char *name)
{
	for (size_t i = 0; i < tp_regime_count; i++)
		if (strcmp(tp_regime_table[i].name, name) == 0)
			return &tp_regime_table[i];
	return NULL;
}
