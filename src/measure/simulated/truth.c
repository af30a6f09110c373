/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/simulated/simulated_parts.h"

/*
 * Figures that are not in machine models. They are plausible for a typical system, rounded, and do
 * not describe a real machine. Sources: our probes of two machines (zen4, granite-rapids); else
 * vendors' optimization guides and published latency and bandwidth tests. A model's own typical
 * figures take precedence.
 */

/* clang-format off */
static const struct tp_figures figures[] = {
	/* model             GHz  width  L1  L2  L3   mem   L2   L3  mem   scales   TLBs        walk  FP latencies */
	{ "",                3.0,  4,    4,  14, 25, 100,   32,  25,  14,  20, 6,   64, 1536,  7,  15,  4, 4, 4 },
	{ "zen4",            3.694, 4,   4,  14, 12.1, 125, 32, 101,  36.9, 8, 9,   72, 3072,  7,  12,  3, 3, 4 },
	{ "zen5",            4.0,  6,    4,  14, 12, 120,   64, 110,  40,   8, 10,  96, 4096,  7,  12,  3, 3, 4 },
	{ "zen3",            3.5,  4,    4,  12, 13, 105,   32,  85,  24,   8, 7,   64, 2048,  7,  12,  3, 3, 4 },
	{ "zen2",            3.3,  4,    4,  12, 12, 105,   32,  75,  22,   4, 7,   64, 2048,  7,  14,  3, 3, 5 },
	{ "granite-rapids",  3.792, 6,   5,  16, 135, 185,  43,  27.5, 16.2, 20, 12, 96, 2048,  7,  18,  3, 4, 4 },
	{ "emerald-rapids",  3.5,  6,    5,  15, 70, 125,   46,  20,  14,  24, 14,  96, 2048,  7,  15,  3, 4, 4 },
	{ "sapphire-rapids", 3.5,  6,    5,  15, 70, 120,   46,  18,  13,  24, 14,  96, 2048,  7,  15,  3, 4, 4 },
	{ "ice-lake",        3.3,  4,    5,  14, 24, 95,    44,  19,  13,  20, 12,  64, 2048,  7,  14,  4, 4, 4 },
	{ "cascade-lake",    3.1,  4,    5,  14, 22, 90,    42,  17,  12.5, 18, 9,  64, 1536,  9,  15,  4, 4, 4 },
	{ "skylake-x",       3.1,  4,    5,  14, 21, 88,    42,  17,  12.5, 18, 9,  64, 1536,  9,  15,  4, 4, 4 },
	{ "neoverse-n1",     3.0,  3,    4,  11, 32, 105,   32,  22,  16,  20, 10,  48, 1280,  5,  20,  2, 3, 4 },
	{ "neoverse-n2",     3.0,  4,    4,  13, 35, 110,   40,  26,  20,  20, 8,   48, 1280,  5,  20,  2, 3, 4 },
	{ "neoverse-v1",     2.6,  4,    4,  13, 38, 115,   40,  26,  24,  24, 9,   48, 2048,  5,  20,  2, 3, 4 },
	{ "neoverse",        2.8,  6,    4,  13, 40, 115,   48,  30,  28,  24, 10,  48, 2048,  5,  20,  2, 3, 4 },
	{ "graviton",        2.8,  6,    4,  13, 38, 115,   48,  30,  28,  24, 10,  48, 2048,  5,  20,  2, 3, 4 },
	{ "thunderx2",       2.5,  4,    4,  12, 28, 115,   20,  14,  12,  20, 9,   64, 2048,  8,  20,  6, 6, 6 },
	{ "a64fx",           2.2,  2,    5,  37, 60, 135,   48,  40,  36,  12, 6,   16, 1024,  10, 25,  9, 9, 9 },
	{ "apple",           3.2,  6,    3,  16, 20, 100,   64,  60,  50,   4, 2,   160, 3072, 7,  15,  3, 4, 4 },
	{ "c920",            2.0,  3,    3,  20, 40, 135,   16,  10,   5,  20, 8,   32, 1024,  8,  30,  3, 4, 5 },
	{ "spacemit-k1",     1.6,  2,    3,  20, 40, 160,    8,   6,   3.5, 4, 2.5, 32, 512,   8,  40,  4, 4, 5 },
};

/* clang-format on */

static const struct tp_figures *figures_find(const char *model)
{
	const struct tp_figures *best = &figures[0];
	for (size_t i = 0; i < TP_COUNT_OF(figures); i++) {
		size_t n = strlen(figures[i].model);
		if (strncmp(model, figures[i].model, n) == 0 && n > strlen(best->model))
			best = &figures[i];
	}
	return best;
}

/* The row of the model, with what the model itself calls typical. */
static void figures_take(struct tp_figures *taken, const struct tp_model *model)
{
	*taken = *figures_find(model->name);
	const struct {
		double *to, from;
	} typical[] = {
		{ &taken->ghz, model->typical.ghz },
		{ &taken->l1_cycles, model->typical.l1_cycles },
		{ &taken->l2_cycles, model->typical.l2_cycles },
		{ &taken->l3_ns, model->typical.l3_ns },
		{ &taken->memory_ns, model->typical.memory_ns },
		{ &taken->l2_bytes_per_cycle, model->typical.l2_bytes_per_cycle },
		{ &taken->l3_gbps, model->typical.l3_gbps },
		{ &taken->memory_gbps, model->typical.memory_gbps },
	};
	for (size_t i = 0; i < TP_COUNT_OF(typical); i++)
		if (typical[i].from > 0)
			*typical[i].to = typical[i].from;
}

/* From this many instructions the loop around a body is free; few enough for its cache. */
enum { LONG_BODY = 200, HUGE_BODY = 600, MEMORY_BODY = 100, LINE_BYTES = 64, BANKS = 64 };

static double unroll_share(const struct tp_kernel *k, int level)
{
	unsigned unroll = tp_kernel_unroll(k);
	if (level >= 2)
		return unroll >= MEMORY_BODY ? 1 : 0.995;
	if (unroll > HUGE_BODY)
		return 0.995;
	return unroll >= LONG_BODY || unroll == 0 ? 1 : 1 - 1.0 / unroll + 1.0 / LONG_BODY;
}

/* One walk, two, four, eight or more side by side; loads and stores in separate regions. */
static double walks_share(const struct tp_kernel *k, int level)
{
	static const double shares[5][5] = {
		{ 1, 1, 1, 1, 1 }, /* registers */
		{ 1, 0.975, 0.96, 0.95, 1 }, /* L1 */
		{ 0.975, 0.99, 1, 0.99, 0.99 }, /* L2 */
		{ 0.96, 1, 0.985, 0.97, 0.985 },
		{ 0.9, 0.95, 1, 0.975, 0.94 }, /* memory */
	};
	static const double in_place = 0.955; /* loads and stores in L1 meet in banks */
	unsigned lanes = k->body.lanes ? k->body.lanes : 1;
	bool both = k->loads && k->stores;
	if (k->body.two_streams)
		return both && k->nontemporal ? 1 : shares[level][4];
	double share = shares[level][lanes >= 8 ? 3 : lanes >= 4 ? 2 : lanes >= 2 ? 1 : 0];
	return level == 1 && both ? share * in_place : share;
}

static double grouping_share(const struct tp_kernel *k, int level)
{
	if (k->isa->max_lmul <= 1 || level > 1)
		return 1;
	return k->body.lmul >= 8 ? 0.995 : k->body.lmul >= 4 ? 1 : k->body.lmul >= 2 ? 0.99 : 0.97;
}

/* Some addresses of a buffer are unlucky: banks and predicted ways decide. */
static double placement_share(const struct tp_kernel *k, size_t placement_bytes, int level)
{
	if (level != 1 || k->kind != TP_KERNEL_MEMORY || k->isa->max_lmul > 1)
		return 1;
	size_t bank = placement_bytes / LINE_BYTES % BANKS;
	return bank == 0 ? 0.985 : bank % 2 ? 1 : 0.992;
}

/* 1 for the best body; kernels/kernel.h describes bodies. */
static double truth_body_share(const struct tp_kernel *k, size_t placement_bytes, int level)
{
	return unroll_share(k, level) * walks_share(k, level) * grouping_share(k, level) *
	       placement_share(k, placement_bytes, level);
}

/* FLOP a cycle of a body of a kernel; the best body's if `best`. */
static double truth_flop_per_cycle(const struct tp_truth *t, const struct tp_kernel *k, bool best)
{
	const struct tp_model *model = &t->machine->model;
	if (k->element_bytes < TP_LEAST_ELEMENT_BYTES || k->fp_op == TP_FP_TILE) {
		const char *precision = tp_precision_of(k->element_bytes, k->format)->name;
		double narrow = tp_model_narrow_flop_per_cycle(model, k->isa->name, precision,
							       tp_fp_op_name(k->fp_op));
		/* A core without a model: two pipes. */
		return narrow > 0 ? narrow
				  : 4.0 * tp_isa_operand_bytes(k->isa, k->element_bytes) /
					    k->element_bytes;
	}
	const struct tp_model_isa *isa = tp_model_isa(model, k->isa->name);
	double lanes = (double)tp_isa_operand_bytes(k->isa, k->element_bytes) / k->element_bytes;
	if (isa && k->isa->vector_bytes)
		lanes = (double)isa->vector_bytes / k->element_bytes;
	double rate = k->fp_op == TP_FP_FMA_ADD && !best
			      ? tp_model_mix_flop_per_cycle(model, k->isa->name, k->element_bytes,
							    TP_MAX(k->body.fma_run, 1u),
							    TP_MAX(k->body.add_run, 1u))
			      : tp_model_flop_per_cycle(model, k->isa->name, k->element_bytes,
							tp_fp_op_name(k->fp_op));
	if (rate > 0)
		return rate;
	/* A core without a model: two pipes, and a slow divider. */
	switch (k->fp_op) {
	case TP_FP_DIV:
		return lanes / 5;
	case TP_FP_FMA:
		return lanes * 4;
	case TP_FP_FMA_ADD:
		return lanes * 3;
	default:
		return lanes * 2;
	}
}

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
	figures_take(&t->own_figures, &machine->model);
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

static double truth_chase_share(double x, double exponent)
{
	return pow(1 + pow(x, exponent), -CHASE_TAIL / exponent);
}

double tp_truth_capacity(const struct tp_truth *t, int level, const struct tp_simulated_work *w)
{
	const unsigned sharers[] = { 1, w->place.on_l1, w->place.on_l2, w->place.on_l3 };
	double share = level < 3 ? w->core_caches : w->last_share, left = share > 0 ? share : 1;
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
	double rate = tp_model_l1_reached_bytes_per_cycle(&t->machine->model, k->isa->name,
							  k->element_bytes, k->loads, k->stores);
	/* A core without a model: two loads and a store a cycle. */
	return rate > 0 ? rate
			: tp_isa_operand_bytes(k->isa, k->element_bytes) * (k->loads ? 2.0 : 1.0);
}

/*
 * Adds a pass, whose bytes cost what the level gives that they come from; what the core needs for
 * them bounds each level. `body`: as fast as the kernel's own body is there.
 */
static void add_pass(const struct tp_truth *t, const struct tp_simulated_work *w,
		     const struct tp_window_pass *p, bool body, struct tp_demand *d)
{
	const struct tp_figures *f = t->figures;
	const double walk = (double)w->walk_bytes, l1_capacity = tp_truth_capacity(t, 1, w);
	double l3 =
		fmin(f->l3_gbps, f->l3_gbps * f->l3_scale / (w->place.on_l3 ? w->place.on_l3 : 1));
	double memory = fmin(f->memory_gbps,
			     t->memory_gbps / (w->place.on_package ? w->place.on_package : 1));
	if (!w->huge_pages)
		memory *= SMALL_PAGES_SHARE;
	/* The share of the walk that a level and those nearer to the core hold. */
	double held[5] = { 0, 0, 0, 0, 1 }, bytes_at[5], core_cycles[5], in = 0, out = 0;
	for (int i = 1; i < TP_CACHE_LEVELS && !w->cold; i++) {
		double capacity = tp_truth_capacity(t, i, w);
		held[i] = capacity > 0 ? fmax(held[i - 1],
					      1 / (1 + pow(walk / capacity, truth_edge(t, i))))
				       : held[i - 1];
	}
	for (int i = 4; i > 0; i--) {
		const double far_in = in, far_out = out;
		in = p->in[i] * (1 - held[i - 1]);
		out = p->out[i] * (1 - held[i - 1]);
		double here = fmax(0, in - far_in);
		double back = w->flushed ? 0 : (store_cost[i] - 1) * fmax(0, out - far_out);
		double share = body ? truth_body_share(w->kernel, w->placement_bytes, i) : 1;
		bytes_at[i] = (here + back) / share;
		core_cycles[i] = here > 0 ? p->slot_cycles * fmin(1, here / p->in[1]) / share : 0;
	}
	double crowded = l1_capacity > 0 ? fmin(1, walk / l1_capacity) : 0;
	d->slot_cycles += core_cycles[1] * (1 + CROWDED_SHARE * crowded * crowded);
	/* Half of what L2 takes are waits that a neighbour can use without loss to us. */
	double l2_cycles = fmax(core_cycles[2], bytes_at[2] / f->l2_bytes_per_cycle);
	double l2_slots = fmax(core_cycles[2], l2_cycles / 2);
	d->slot_cycles += l2_slots;
	d->chain_cycles += l2_cycles - l2_slots + p->chain_cycles;
	d->l3_seconds += fmax(core_cycles[3] / f->ghz, bytes_at[3] / l3) * 1e-9;
	d->memory_seconds += fmax(core_cycles[4] / f->ghz, bytes_at[4] / memory) * 1e-9;
}

/* Adds this many bytes of a walk, of which `stored` are stores. */
static void add_walk(const struct tp_truth *t, const struct tp_simulated_work *w, double bytes,
		     double stored, struct tp_demand *d)
{
	const struct tp_kernel *k = w->kernel;
	struct tp_window_pass pass = { .slot_cycles = bytes / l1_bytes_per_cycle(t, k) };
	/* Strides leave parts of lines unused, which have to be moved as well. */
	double operand = tp_kernel_operand_bytes(k);
	double waste = k->stride > 1 ? fmax(1, fmin(k->stride, LINE_BYTES / operand)) : 1;
	for (int i = 1; i < 5; i++) {
		pass.in[i] = bytes * waste;
		pass.out[i] = bytes * waste * stored;
	}
	add_pass(t, w, &pass, !w->best_body, d);
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

/* A load for each element, and whole lines from where they lie. */
static void gather_demand(const struct tp_truth *t, const struct tp_simulated_work *w,
			  struct tp_demand *d)
{
	const struct tp_kernel *k = w->kernel;
	const struct tp_gather *g = k->gather;
	const struct tp_model_isa *isa = tp_model_isa(&t->machine->model, "scalar");
	unsigned elements = g->masked ? g->elements : g->vector_bytes / k->element_bytes;
	double lines = (double)LINE_BYTES * tp_gather_lines(g, k->element_bytes);
	double loads = isa && isa->loads_per_cycle > 0 ? isa->loads_per_cycle : 2;
	struct tp_window_pass pass = { .slot_cycles = g->gathers * elements / loads };
	for (int i = 1; i < 5; i++)
		pass.in[i] = lines * g->gathers;
	add_pass(t, w, &pass, false, d);
}

static void kernel_demand(const struct tp_truth *t, const struct tp_simulated_work *w,
			  struct tp_demand *d)
{
	struct tp_kernel_counts counts;
	const struct tp_kernel *k = w->kernel;
	tp_kernel_count(k, &t->machine->cpu, &counts);
	double fp_cycles = 0;
	if (counts.flops)
		fp_cycles = (double)counts.flops / truth_flop_per_cycle(t, k, w->best_body) /
			    (w->best_body ? 1 : truth_body_share(k, 0, 0));
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
	case TP_KERNEL_GATHER:
		gather_demand(t, w, d);
		break;
	case TP_KERNEL_CHASE:
		break;
	}
}

void tp_truth_demand(const struct tp_truth *t, const struct tp_simulated_work *w,
		     struct tp_demand *d)
{
	*d = (struct tp_demand){ 0 };
	if (w->pass) {
		add_pass(t, w, w->pass, false, d);
		overlap(w->pass->fp_cycles, t->figures->ghz, d);
	} else if (w->kernel->kind == TP_KERNEL_CHASE) {
		tp_truth_chase(t, w, d);
	} else {
		kernel_demand(t, w, d);
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

enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20, TLB_EDGE = 8 };

/* Share of loads that miss a TLB with this many entries. */
static double tlb_misses(const struct tp_simulated_work *w, double entries, double stride)
{
	double page = w->huge_pages ? HUGE_PAGE : SMALL_PAGE;
	double all = fmax(1, (double)w->walk_bytes / page);
	double missed = 1 - truth_chase_share(all / entries, TLB_EDGE);
	if (!w->chase || !w->chase->block_bytes)
		return missed;
	/* Inside a block pages are found again if the TLB holds a block; each is new once. */
	double block = (double)w->chase->block_bytes;
	double pages = fmax(1, block / page), loads = fmax(1, block / stride);
	double inside = 1 - truth_chase_share(pages / entries, TLB_EDGE);
	return inside + (1 - inside) * missed * fmin(1, pages / loads);
}

/* Streams fill the queues of what they share with a chase. */
static double queue(double load)
{
	return 1 + 0.15 * load + 1.4 * pow(load, 6);
}

void tp_truth_chase(const struct tp_truth *t, const struct tp_simulated_work *w,
		    struct tp_demand *d)
{
	const struct tp_figures *f = t->figures;
	double stride =
		w->chase && w->chase->stride_bytes ? (double)w->chase->stride_bytes : LINE_BYTES;
	double lines = fmax(1, (double)w->walk_bytes / stride) * LINE_BYTES;
	double held[5] = { 0, 0, 0, 0, 1 };
	for (int i = 1; i < TP_CACHE_LEVELS && !w->cold; i++) {
		double capacity = tp_truth_capacity(t, i, w);
		double edge = i == 3 ? t->last_slope : TLB_EDGE;
		held[i] = capacity > 0
				  ? fmax(held[i - 1], truth_chase_share(lines / capacity, edge))
				  : held[i - 1];
	}
	double loads = TP_MAX(tp_kernel_unroll(w->kernel), 1u);
	double missed = tlb_misses(w, f->tlb1_entries, stride);
	double walked = fmin(missed, tlb_misses(w, f->tlb2_entries, stride));
	*d = (struct tp_demand){
		.dependent = true,
		.chain_cycles =
			loads * (held[1] * f->l1_cycles + (held[2] - held[1]) * f->l2_cycles +
				 (missed - walked) * f->tlb2_cycles),
		.l3_seconds =
			loads * 1e-9 *
			((held[3] - held[2]) * f->l3_ns * queue(w->l3_load) + walked * f->walk_ns),
		.memory_seconds =
			loads * 1e-9 * (1 - held[3]) * f->memory_ns * queue(w->memory_load),
	};
}
