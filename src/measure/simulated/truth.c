/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the simulated machine does when nothing disturbs it: see measure/simulation.h. */
#include "measure/simulated/simulated_parts.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* Exponents of the edges. */
#define PRIVATE_EDGE 12
#define SHARED_EDGE  8
#define CHASE_TAIL   1.5
/* A stored byte in loaded ones: lines are read before they are written, and written back. */
static const double store_cost[] = { 1, 1, 1.25, 1.15, 1.5 };
#define NONTEMPORAL_COST 1.1
/* Small pages cost the prefetchers of memory a little. */
#define SMALL_PAGES_SHARE 0.88
/* A pass begins with a mispredicted branch or so, and its last lines conflict with others. */
#define PASS_CYCLES   12
#define CROWDED_SHARE 0.015
/* How sharply a mixed kernel goes from one bound to the other. */
#define RIDGE_EXPONENT 16
/* Of the theoretical rate of all channels. */
#define CHANNELS_SHARE 0.8

void tp_truth_init(struct tp_truth *t, const struct tp_machine *machine,
		   const struct tp_regime *regime)
{
	*t = (struct tp_truth){ .machine = machine,
				.figures = &t->own_figures,
				.last_slope = regime->last_level.slope > 0
						      ? regime->last_level.slope
						      : SHARED_EDGE };
	tp_figures_take(&t->own_figures, &machine->model);
	int last = 0;
	for (int i = 1; i < TP_CACHE_LEVELS; i++) {
		const struct tp_cache *c = &machine->cache[i];
		t->capacity_bytes[i] = (double)(c->reported_bytes ? c->reported_bytes
						: c->model_bytes  ? c->model_bytes
								  : c->size_bytes);
		t->sharing_cores[i] = c->sharing_cores ? c->sharing_cores : 1;
		last = t->capacity_bytes[i] > 0 ? i : last;
	}
	if (last == 3 && regime->last_level.share > 0)
		t->capacity_bytes[last] *= regime->last_level.share;
	double channels = CHANNELS_SHARE * tp_model_dram_gbps(&machine->model);
	double cores = t->figures->memory_scale * t->figures->memory_gbps;
	t->memory_gbps = channels > 0 ? fmax(channels, t->figures->memory_gbps) : cores;
	unsigned n = 0;
	for (; n < TP_REGIME_STATES && regime->turbo.factors[n] > 0; n++)
		t->clock_factor += regime->turbo.factors[n];
	t->clock_factor = n ? t->clock_factor / n : 1;
}

double tp_truth_walk_share(double x, double exponent)
{
	return 1 / (1 + pow(x, exponent));
}

double tp_truth_chase_share(double x, double exponent)
{
	return pow(1 + pow(x, exponent), -CHASE_TAIL / exponent);
}

double tp_truth_capacity(const struct tp_truth *t, int level, const struct tp_simulated_work *w)
{
	const unsigned sharers[] = { 1, w->place.on_l1, w->place.on_l2, w->place.on_l3 };
	double left = level < 3 && w->core_caches > 0 ? w->core_caches : 1;
	return t->capacity_bytes[level] * left / (sharers[level] ? sharers[level] : 1);
}

/* How sharp the edge of a level is. */
static double truth_edge(const struct tp_truth *t, int level)
{
	if (level < 3)
		return t->sharing_cores[level] > 1 ? SHARED_EDGE : PRIVATE_EDGE;
	return t->last_slope;
}

static double l1_bytes_per_cycle(const struct tp_truth *t, const struct tp_kernel *k)
{
	double rate = tp_model_l1_bytes_per_cycle(&t->machine->model, k->isa->name,
						  k->element_bytes, k->loads, k->stores);
	/* A core without a model: two loads and a store a cycle. */
	return rate > 0 ? rate
			: tp_isa_operand_bytes(k->isa, k->element_bytes) * (k->loads ? 2.0 : 1.0);
}

/* Adds so many bytes of a walk, of which `stored` are stores, at the levels that hold it. */
static void add_walk(const struct tp_truth *t, const struct tp_simulated_work *w, double bytes,
		     double stored, struct tp_demand *d)
{
	const struct tp_figures *f = t->figures;
	const struct tp_kernel *k = w->kernel;
	double walk = (double)w->walk_bytes, l1 = l1_bytes_per_cycle(t, k);
	double held[5] = { 0, 0, 0, 0, 1 };
	for (int i = 1; i < TP_CACHE_LEVELS && !w->cold; i++) {
		double capacity = tp_truth_capacity(t, i, w);
		held[i] = capacity > 0 ? fmax(held[i - 1], tp_truth_walk_share(walk / capacity,
									       truth_edge(t, i)))
				       : held[i - 1];
	}
	/* Strides leave parts of lines unused, which have to be moved all the same. */
	double operand = tp_kernel_operand_bytes(k);
	double waste = k->stride > 1 ? fmax(1, fmin(k->stride, LINE_BYTES / operand)) : 1;
	double l3 =
		fmin(f->l3_gbps, f->l3_gbps * f->l3_scale / (w->place.on_l3 ? w->place.on_l3 : 1));
	double memory = fmin(f->memory_gbps,
			     t->memory_gbps / (w->place.on_package ? w->place.on_package : 1));
	if (!w->huge_pages)
		memory *= SMALL_PAGES_SHARE;
	/* What the core itself needs for the bytes of a level bounds each level. */
	double bytes_at[5], share[5], core_cycles[5];
	for (int i = 1; i < 5; i++) {
		double cost = 1 + stored * (store_cost[i] - 1), here = held[i] - held[i - 1];
		share[i] = w->best_body ? 1 : tp_truth_body_share(k, w->placement_bytes, i);
		bytes_at[i] = bytes * here * cost * waste / share[i];
		core_cycles[i] = bytes * here / (l1 * share[i]);
	}
	double l1_capacity = tp_truth_capacity(t, 1, w);
	double crowded = l1_capacity > 0 ? fmin(1, walk / l1_capacity) : 0;
	d->slot_cycles += core_cycles[1] * (1 + CROWDED_SHARE * crowded * crowded);
	/* Half of what L2 takes are waits that a neighbour can use without loss to us. */
	double l2_cycles = fmax(core_cycles[2], bytes_at[2] / f->l2_bytes_per_cycle);
	double l2_slots = fmax(core_cycles[2], l2_cycles / 2);
	d->slot_cycles += l2_slots;
	d->chain_cycles += l2_cycles - l2_slots;
	d->l3_seconds += fmax(core_cycles[3] / f->ghz, bytes_at[3] / l3) * 1e-9;
	d->memory_seconds += fmax(core_cycles[4] / f->ghz, bytes_at[4] / memory) * 1e-9;
}

static void memory_demand(const struct tp_truth *t, const struct tp_simulated_work *w,
			  const struct tp_kernel_counts *counts, struct tp_demand *d)
{
	double loaded = (double)counts->loaded_bytes, stored = (double)counts->stored_bytes;
	if (loaded + stored <= 0)
		return;
	d->slot_cycles += PASS_CYCLES;
	if (!w->kernel->nontemporal) {
		add_walk(t, w, loaded + stored, stored / (loaded + stored), d);
		return;
	}
	/* Such stores always go to memory. */
	struct tp_simulated_work past = *w;
	past.cold = true;
	if (loaded > 0)
		add_walk(t, w, loaded, 0, d);
	add_walk(t, &past, stored * NONTEMPORAL_COST, 0, d);
}

double tp_truth_seconds(const struct tp_demand *d, double ghz)
{
	return (d->slot_cycles + d->chain_cycles) / ghz * 1e-9 + d->l3_seconds + d->memory_seconds;
}

/* The longer of both times, rounded off where they meet. */
static void overlap(double fp_cycles, double ghz, struct tp_demand *d)
{
	double memory = tp_truth_seconds(d, ghz), fp = fp_cycles / ghz * 1e-9;
	double longer = fmax(memory, fp);
	if (!(longer > 0))
		return;
	double total = longer *
		       pow(pow(memory / longer, RIDGE_EXPONENT) + pow(fp / longer, RIDGE_EXPONENT),
			   1.0 / RIDGE_EXPONENT);
	if (fp > memory) {
		*d = (struct tp_demand){ .slot_cycles = total * ghz * 1e9 };
		return;
	}
	double more = total / memory;
	d->slot_cycles *= more;
	d->chain_cycles *= more;
	d->l3_seconds *= more;
	d->memory_seconds *= more;
}

void tp_truth_demand(const struct tp_truth *t, const struct tp_simulated_work *w,
		     struct tp_demand *d)
{
	struct tp_kernel_counts counts;
	const struct tp_kernel *k = w->kernel;
	*d = (struct tp_demand){ 0 };
	if (k->kind == TP_KERNEL_CHASE) {
		tp_truth_chase(t, w, d);
		return;
	}
	tp_kernel_count(k, &t->machine->cpu, &counts);
	double fp_cycles = 0;
	if (counts.flops)
		fp_cycles = (double)counts.flops / tp_truth_flop_per_cycle(t, k, w->best_body) /
			    (w->best_body ? 1 : tp_truth_body_share(k, 0, 0));
	switch (k->kind) {
	case TP_KERNEL_MEMORY:
		memory_demand(t, w, &counts, d);
		break;
	case TP_KERNEL_FP:
		d->slot_cycles = fp_cycles;
		break;
	case TP_KERNEL_MIXED:
		memory_demand(t, w, &counts, d);
		overlap(fp_cycles, t->figures->ghz, d);
		break;
	case TP_KERNEL_CHAIN:
		d->chain_cycles = (double)counts.other;
		break;
	case TP_KERNEL_WIDTH:
		d->slot_cycles = (double)counts.other / t->figures->issue_width;
		break;
	case TP_KERNEL_GATHER: /* no experiment simulates it */
	case TP_KERNEL_CHASE:
		break;
	}
	/* Threads on one core share its slots. */
	d->slot_cycles *= w->place.on_core ? w->place.on_core : 1;
}

static const struct tp_pu *pu_of(const struct tp_machine *machine, unsigned cpu)
{
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].os_index == cpu)
			return &machine->pus[i];
	return NULL;
}

void tp_truth_places(const struct tp_machine *machine, const unsigned *cpus, unsigned n,
		     struct tp_simulated_place *places)
{
	memset(places, 0, n * sizeof(*places));
	for (unsigned i = 0; i < n; i++) {
		const struct tp_pu *a = pu_of(machine, cpus[i]);
		for (unsigned j = 0; j < n; j++) {
			const struct tp_pu *b = pu_of(machine, cpus[j]);
			struct tp_simulated_place *p = &places[i];
			if (!a || !b)
				continue;
			p->on_core += a->core == b->core;
			p->on_l1 += a->cache[1] == b->cache[1];
			p->on_l2 += a->cache[2] == b->cache[2];
			p->on_l3 += a->cache[3] == b->cache[3];
			p->on_package += a->package == b->package;
		}
	}
}
