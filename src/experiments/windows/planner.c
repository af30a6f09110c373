/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Option lists of a run, resolved against machine and registries: which ISAs, precisions,
 * operations, teams and sizes; points made of them.
 */
#include "experiments/windows/planner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "base/command.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "measure/chase.h"
#include "record/point.h"

enum tp_status tp_experiment_supported_anywhere(const struct tp_machine *machine,
						struct tp_diag *diag)
{
	if (tp_isa_count == 0)
		return tp_fail(diag, TP_UNSUPPORTED, machine->cpu.arch, NULL,
			       "this program has no kernels for this architecture");
	return TP_OK;
}

enum { PLACEMENT_SLACK_BYTES = 128 << 10 };

/*
 * Loads of a pass: few enough for short windows when a load takes long. The loop around them is
 * free, as it overlaps with the loads.
 */
#define CHASE_UNROLL 32

const char *tp_planner_level_name(enum tp_level_class level)
{
	static const char *const names[] = { "FP", "L1", "L2", "L3", "DRAM" };
	return names[level];
}

/* --- levels --- */

static uint64_t core_share(const struct tp_machine *machine, int level)
{
	const struct tp_cache *c = &machine->cache[level];
	return c->sharing_cores ? c->size_bytes / c->sharing_cores : c->size_bytes;
}

static uint64_t round_level(double bytes)
{
	const double grain = 4096;
	return (uint64_t)(fmax(1, floor(bytes / grain)) * grain);
}

uint64_t tp_planner_level_bytes(const struct tp_machine *machine, enum tp_level_class level,
				unsigned threads)
{
	double l1 = tp_machine_likely_share(machine, 1, threads),
	       l2 = tp_machine_likely_share(machine, 2, threads),
	       l3 = tp_machine_likely_share(machine, 3, threads);
	if (level != TP_CLASS_DRAM && !tp_machine_share(machine, (int)level, threads))
		return 0;
	switch (level) {
	case TP_CLASS_L1:
		return round_level(l1 / 2);
	case TP_CLASS_L2:
		return round_level(fmin(fmax(l2 / 4, 2 * l1), l2 / 2));
	case TP_CLASS_L3:
		/*
		 * A virtual machine reports the host's cache, of which a guest gets a part: a size
		 * far below the share, and just enough to leave L2, is safe.
		 */
		return round_level(
			fmin(fmin(fmax((double)core_share(machine, 3) / 4, 3 * l2), 4 * l2),
			     fmax(0.75 * l3, l2 + l3 / 2)));
	case TP_CLASS_DRAM:
		/* Many cores' L2 may hold more than the L3 that they share. */
		return round_level(4 * fmax(l3, l2));
	case TP_CLASS_FP:
		break;
	}
	return 0;
}

enum tp_level_class tp_planner_class(const struct tp_machine *machine, uint64_t bytes,
				     unsigned threads)
{
	for (int level = 1; level <= 3; level++) {
		uint64_t share = tp_machine_share(machine, level, threads);
		if (share && bytes <= share)
			return (enum tp_level_class)level;
	}
	return TP_CLASS_DRAM;
}

double tp_planner_expected_bytes_per_cycle(const struct tp_machine *machine,
					   const struct tp_isa *isa, unsigned element_bytes,
					   struct tp_ratio ratio, enum tp_level_class level)
{
	static const double usual[] = { 0, 64, 32, 20, 8 };
	unsigned loads = ratio.loads, stores = ratio.stores;
	if (loads + stores == 0)
		loads = 1;
	double l1 = tp_model_l1_bytes_per_cycle(&machine->model, isa->name, element_bytes, loads,
						stores);
	if (!(l1 > 0))
		l1 = 2.0 * tp_isa_operand_bytes(isa, element_bytes);
	return level == TP_CLASS_L1 ? l1 : fmin(l1, usual[level]);
}

/* --- points --- */

static void fill_row(const struct tp_kernel *kernel, const struct tp_precision *precision,
		     enum tp_level_class level, struct tp_kernel_row *row)
{
	tp_copy(row->isa, sizeof(row->isa), kernel->isa->name);
	tp_copy(row->precision, sizeof(row->precision), precision->name);
	tp_copy(row->level, sizeof(row->level), tp_planner_level_name(level));
	row->working_set_bytes = kernel->working_set_bytes;
	row->loads = kernel->loads;
	row->stores = kernel->stores;
	row->nontemporal = kernel->nontemporal;
	/* The arithmetic of a kernel over arrays is part of its name: its unit is memory's. */
	if (!kernel->array)
		tp_copy(row->fp_op, sizeof(row->fp_op), tp_fp_op_name(kernel->fp_op));
}

/*
 * Flushed lines are only in memory, so a few windows' worth of them is enough: for all threads
 * together, and for each.
 */
enum { FLUSHED_BYTES = 64 << 20, FLUSHED_LEAST_BYTES = 32 << 20 };

uint64_t tp_planner_flushed_bytes(struct tp_plan_context *context, bool stores, unsigned threads)
{
	const struct tp_machine *machine = context->machine;
	const char *way = tp_config_text(context->config, TP_OPT_DRAM);
	char size[32];
	if (strcmp(way, "walked") == 0 || (stores && strcmp(way, "flushed") != 0))
		return 0;
	uint64_t cache = tp_machine_side_cache(machine);
	if (cache)
		tp_planner_note(context, TP_OPT_DRAM,
				"memory points walk: lines that are flushed stay in the "
				"cache of %s on the memory's side",
				tp_format_bytes(size, sizeof(size), cache));
	if (!tp_machine_flushes(machine))
		return 0;
	return TP_MAX(FLUSHED_BYTES / threads, FLUSHED_LEAST_BYTES);
}

void tp_planner_flush(struct tp_planned *planned)
{
	tp_window_plan(planned)->flushed = true;
	tp_kernel_row_of(&planned->point)->flushed = true;
}

struct tp_planned *tp_planner_add(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_kernel *asked, enum tp_level_class level,
				  struct tp_diags *diags)
{
	struct tp_kernel kernel = *asked;
	const unsigned threads = combination->threads;
	bool of_level = kernel.working_set_bytes == 0 &&
			(kernel.kind == TP_KERNEL_MEMORY || kernel.kind == TP_KERNEL_MIXED);
	bool in_memory = of_level && level == TP_CLASS_DRAM;
	bool flushed = false;
	if (in_memory) {
		kernel.working_set_bytes =
			tp_planner_flushed_bytes(context, kernel.stores > 0, threads);
		flushed = kernel.working_set_bytes > 0;
	}
	if (of_level && !flushed)
		kernel.working_set_bytes = tp_planner_level_bytes(context->machine, level, threads);
	struct tp_planned *p = tp_plan_add(context, threads, combination->cpus,
					   kernel.working_set_bytes + PLACEMENT_SLACK_BYTES, diags);
	if (!p)
		return NULL;
	struct tp_window_plan *w = tp_window_plan(p);
	w->kernel = kernel;
	w->level = level;
	w->scan = in_memory && !flushed;
	w->reference_bytes = w->scan ? tp_planner_flushed_bytes(context, false, threads) : 0;
	if (flushed)
		tp_planner_flush(p);
	if (kernel.kind == TP_KERNEL_CHASE)
		w->chase =
			(struct tp_chase){ .bytes = kernel.working_set_bytes,
					   .seed = tp_config_count(context->config, TP_OPT_SEED) };
	tp_kernel_name(&kernel, p->point.kernel, sizeof(p->point.kernel));
	fill_row(&kernel, combination->precision, level, p->point.row);
	if (level == TP_CLASS_DRAM)
		tp_copy(tp_kernel_row_of(&p->point)->memory, sizeof(context->plan->memory),
			context->plan->memory);
	return p;
}

void tp_planner_race_sizes(const struct tp_machine *machine, struct tp_planned *planned)
{
	struct tp_window_plan *w = tp_window_plan(planned);
	const double bytes = (double)w->kernel.working_set_bytes;
	if (w->level == TP_CLASS_L1) {
		w->least_halves = 1;
		w->most_halves = 3;
	} else if (w->level == TP_CLASS_L2) {
		/* L2 is planned above L1; no more than half of it is safe. */
		double most = (double)tp_machine_share(machine, 2, planned->point.threads) / 2;
		w->least_halves = 2;
		w->most_halves = (unsigned)fmin(4, fmax(2, 2 * most / bytes));
	}
	if (w->most_halves > 2) {
		planned->own_bytes += w->kernel.working_set_bytes / 2 * (w->most_halves - 2);
		planned->buffer_bytes = TP_MAX(planned->buffer_bytes, planned->own_bytes);
	}
}

struct tp_kernel tp_planner_chase(const struct tp_plan_context *context, uint64_t bytes)
{
	struct tp_kernel kernel = { .kind = TP_KERNEL_CHASE,
				    .element_bytes = sizeof(void *),
				    .body.unroll = CHASE_UNROLL,
				    .working_set_bytes = bytes };
	for (size_t i = 0; i < tp_isa_count && !kernel.isa; i++)
		if (context->machine->foreign ||
		    tp_isa_supported(tp_isa_table[i], context->cpu, NULL) == TP_OK)
			kernel.isa = tp_isa_table[i];
	return kernel;
}

struct tp_planned *tp_planner_memory(struct tp_plan_context *context,
				     const struct tp_combination *combination,
				     struct tp_ratio ratio, bool nontemporal, uint64_t bytes,
				     enum tp_level_class level, struct tp_diags *diags)
{
	bool best = ratio.loads + ratio.stores == 0;
	struct tp_kernel kernel = { .kind = TP_KERNEL_MEMORY,
				    .isa = combination->isa,
				    .element_bytes = TP_MAX(combination->precision->element_bytes,
							    (unsigned)TP_LEAST_ELEMENT_BYTES),
				    .loads = best ? 1 : ratio.loads,
				    .stores = best ? 1 : ratio.stores, /* the fastest may store */
				    .nontemporal = nontemporal && (best || ratio.stores > 0),
				    .working_set_bytes = bytes };
	if (ratio.array)
		tp_array_kernel_set(ratio.array, &context->machine->cpu, &kernel);
	struct tp_planned *p = tp_planner_add(context, combination, &kernel, level, diags);
	if (p && bytes == 0)
		tp_window_plan(p)->race_each = true;
	if (p && best) {
		struct tp_kernel_row *row = tp_kernel_row_of(&p->point);
		tp_window_plan(p)->kernel.loads = tp_window_plan(p)->kernel.stores = row->loads =
			row->stores = 0;
		row->best_ratio = true;
		tp_copy(p->point.kernel, sizeof(p->point.kernel), nontemporal ? "best-nt" : "best");
	}
	return p;
}

struct tp_planned *tp_planner_fp(struct tp_plan_context *context,
				 const struct tp_combination *combination, enum tp_fp_op op,
				 struct tp_diags *diags)
{
	struct tp_kernel kernel = { .kind = TP_KERNEL_FP,
				    .isa = combination->isa,
				    .element_bytes = combination->precision->element_bytes,
				    .format = combination->precision->format,
				    .fp_op = op };
	return tp_planner_add(context, combination, &kernel, TP_CLASS_FP, diags);
}

/* The ISAs to choose from, from narrow to wide. */
struct isas {
	const struct tp_isa *all[TP_MAX_LIST];
	bool offered[TP_MAX_LIST]; /* the others can be named, unless they are refused */
	size_t n;
};

/* For another architecture, this program has only what the offer contains. */
static void find_isas(struct tp_plan_context *context, struct isas *isas)
{
	const struct tp_machine *machine = context->machine;
	struct tp_isa_offer offer;
	for (size_t i = 0; i < TP_MAX_LIST && tp_machine_isa(machine, i, &offer); i++) {
		isas->n = i + 1;
		isas->offered[i] = offer.offered;
		isas->all[i] = offer.isa;
		if (offer.isa &&
		    (!machine->foreign || tp_isa_vector_bytes(offer.isa) == offer.vector_bytes))
			continue;
		struct tp_isa *isa = tp_arena_alloc(&context->plan->arena, sizeof(*isa));
		if (offer.isa)
			*isa = *offer.isa;
		isa->name = offer.name;
		isa->arch = machine->cpu.arch;
		isa->summary = isa->needs = "";
		isa->vector_bytes = offer.vector_bytes;
		isa->vector_length_bytes = NULL;
		isas->all[i] = isa;
	}
}

static void add_isa(struct tp_choices *c, const struct tp_isa *isa)
{
	for (size_t i = 0; i < c->n_isas; i++)
		if (c->isas[i] == isa)
			return;
	if (c->n_isas < TP_MAX_LIST)
		c->isas[c->n_isas++] = isa;
}

static bool wants_matrices(const struct tp_plan_context *context)
{
	const struct tp_value *ops = tp_config_value(context->config, TP_OPT_FP_OP);
	for (size_t i = 0; i < ops->n && context->experiment->narrow; i++)
		if (tp_fp_op_find(ops->items[i].text) == TP_FP_TILE)
			return true;
	return false;
}

/*
 * auto: every one on offer; widest: the last of the general ones and, if matrices are requested,
 * the special ones for them.
 */
static void choose_offered(struct tp_plan_context *context, const struct isas *isas, bool every,
			   struct tp_choices *c, struct tp_diags *diags)
{
	const struct tp_isa *last = NULL;
	for (size_t k = 0; k < isas->n; k++) {
		if (!isas->offered[k])
			continue;
		if (!tp_isa_is_apart(isas->all[k]))
			last = isas->all[k];
		if (every)
			add_isa(c, isas->all[k]);
	}
	if (last)
		add_isa(c, last);
	for (size_t k = 0; k < isas->n && wants_matrices(context); k++)
		if (tp_isa_is_apart(isas->all[k]) && isas->offered[k])
			add_isa(c, isas->all[k]);
	if (!last)
		tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA, NULL,
				  "this program has no kernels for this CPU (%s)",
				  context->machine->cpu.arch);
	else if (context->machine->foreign && !context->machine->model.n_isas &&
		 !context->machine->cpu.features[0])
		tp_planner_note(context, TP_OPT_ISA,
				"the CPU is unknown, so %s takes what every %s has; machine "
				"names a model, and isa names others",
				every ? "auto" : "widest", context->machine->cpu.arch);
}

static void no_such_isa(struct tp_plan_context *context, const struct isas *isas, const char *word,
			struct tp_diags *diags)
{
	const char *names[TP_MAX_LIST + 2];
	TP_STR hint = { 0 };
	size_t n = 0;
	for (; n < isas->n; n++)
		names[n] = isas->all[n]->name;
	names[n++] = "auto";
	names[n++] = "widest";
	tp_str_suggest(&hint, word, "allowed: ", names, n, " or ");
	tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_ISA, tp_str_text(&hint),
			  "there is no ISA \"%s\"", word);
}

static void choose_isas(struct tp_plan_context *context, struct tp_choices *c,
			struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_ISA);
	struct isas isas = { .n = 0 };
	struct tp_isa_offer offer;
	find_isas(context, &isas);
	for (size_t i = 0; i < value->n; i++) {
		const char *word = value->items[i].text;
		bool every = strcmp(word, "auto") == 0;
		size_t k = 0;
		while (k < isas.n && strcmp(isas.all[k]->name, word) != 0)
			k++;
		if (every || strcmp(word, "widest") == 0)
			choose_offered(context, &isas, every, c, diags);
		else if (k == isas.n)
			no_such_isa(context, &isas, word, diags);
		else if (tp_machine_isa(context->machine, k, &offer) && offer.why.what[0])
			tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_ISA,
					  offer.why.hint, "%s", offer.why.what);
		else
			add_isa(c, isas.all[k]);
	}
}

enum tp_status tp_planner_place(struct tp_plan_context *context, const struct tp_option *option,
				unsigned threads, unsigned **cpus, struct tp_diags *diags)
{
	struct tp_diag why = { 0 };
	*cpus = tp_arena_alloc(&context->plan->arena, (size_t)threads * sizeof(**cpus));
	enum tp_status status =
		tp_machine_place(context->machine, tp_config_text(context->config, TP_OPT_AFFINITY),
				 threads, *cpus, &why);
	if (status != TP_OK)
		tp_planner_refuse(context, diags, status,
				  strcmp(why.where, "affinity") == 0 ? TP_OPT_AFFINITY : option,
				  why.hint, "%s", why.what);
	return status;
}

static void choose_threads(struct tp_plan_context *context, struct tp_choices *c,
			   struct tp_diags *diags)
{
	const struct tp_machine *machine = context->machine;
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_THREADS);
	for (size_t i = 0; i < value->n && c->n_threads < TP_MAX_LIST; i++) {
		uint64_t wanted = value->items[i].count;
		if (wanted == UINT64_MAX ||
		    (context->experiment->all_threads && value->source == TP_FROM_DEFAULT))
			wanted = machine->n_allowed;
		bool known = false;
		for (size_t k = 0; k < c->n_threads; k++)
			known |= c->threads[k] == wanted;
		if (known)
			continue; /* 1 and all on a machine of one CPU */
		unsigned *cpus;
		if (tp_planner_place(context, TP_OPT_THREADS, (unsigned)wanted, &cpus, diags) !=
		    TP_OK)
			continue;
		c->threads[c->n_threads] = (unsigned)wanted;
		c->cpus[c->n_threads++] = cpus;
	}
}

void tp_planner_levels(struct tp_plan_context *context, struct tp_choices *c)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_LEVEL);
	for (size_t i = 0; i < value->n && c->n_levels < TP_COUNT_OF(c->levels); i++)
		for (enum tp_level_class level = TP_CLASS_L1; level <= TP_CLASS_DRAM; level++) {
			if (strcmp(value->items[i].text, tp_planner_level_name(level)) != 0)
				continue;
			if (tp_planner_level_bytes(context->machine, level, 1))
				c->levels[c->n_levels++] = level;
			else
				tp_planner_note(
					context, TP_OPT_LEVEL,
					"%s is left out: this machine reports no such cache "
					"(give its capacity with cache_size.%s)",
					value->items[i].text, value->items[i].text);
		}
}

/* Kernels with names take the place of ratios. */
static void choose_arrays(struct tp_plan_context *context, struct tp_choices *c)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_KERNEL);
	if (value->n == 0 || !tp_option_belongs(TP_OPT_KERNEL, context->experiment->name))
		return;
	tp_planner_idle(context, TP_OPT_RATIO, TP_OPT_KERNEL, "kernel names what is measured");
	c->n_ratios = 0;
	for (size_t i = 0; i < value->n && c->n_ratios < TP_MAX_LIST; i++) {
		const struct tp_array_kernel *array = tp_array_kernel_find(value->items[i].text);
		c->ratios[c->n_ratios++] = (struct tp_ratio){ .loads = array->loads,
							      .stores = array->stores,
							      .array = array };
	}
}

static void choose_pages(struct tp_plan_context *context, struct tp_choices *c,
			 struct tp_diags *diags)
{
	const struct tp_value *value = tp_config_value(context->config, TP_OPT_PAGES);
	if (value->n > 1 && !context->experiment->compares_pages)
		tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PAGES, "give one of them",
				  "%s takes one kind of pages; latency compares them",
				  context->experiment->name);
	for (size_t i = 0; i < value->n && c->n_pages < TP_COUNT_OF(c->pages); i++)
		c->pages[c->n_pages++] = value->items[i].text;
}

static void choose_precisions(struct tp_plan_context *context, struct tp_choices *c,
			      struct tp_diags *diags)
{
	const struct tp_value *v = tp_config_value(context->config, TP_OPT_PRECISION);
	for (size_t i = 0; i < v->n && c->n_precisions < TP_COUNT_OF(c->precisions); i++) {
		const struct tp_precision *precision = tp_precision_find(v->items[i].text);
		if (tp_precision_is_narrow(precision) && !context->experiment->narrow)
			tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PRECISION,
					  "double or single, or experiment: roofline",
					  "%s measures nothing in %s", context->experiment->name,
					  precision->name);
		else
			c->precisions[c->n_precisions++] = precision;
	}
}

static void choose_fp_ops(struct tp_plan_context *context, struct tp_choices *c,
			  struct tp_diags *diags)
{
	const struct tp_value *v = tp_config_value(context->config, TP_OPT_FP_OP);
	for (size_t i = 0; i < v->n && c->n_fp_ops < TP_FP_OP_COUNT; i++) {
		enum tp_fp_op op = tp_fp_op_find(v->items[i].text);
		if ((op == TP_FP_DOT || op == TP_FP_TILE) && !context->experiment->narrow)
			tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_FP_OP,
					  "another operation, or experiment: roofline",
					  "%s has no %s", context->experiment->name,
					  v->items[i].text);
		else
			c->fp_ops[c->n_fp_ops++] = op;
	}
}

enum tp_status tp_planner_choices(struct tp_plan_context *context, struct tp_choices *c,
				  struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	size_t before = diags->n;
	*c = (struct tp_choices){ 0 };
	choose_isas(context, c, diags);
	choose_threads(context, c, diags);
	tp_planner_levels(context, c);
	choose_pages(context, c, diags);
	choose_precisions(context, c, diags);
	const struct tp_value *v = tp_config_value(config, TP_OPT_RATIO);
	for (size_t i = 0; i < v->n && c->n_ratios < TP_MAX_LIST; i++)
		c->ratios[c->n_ratios++] = (struct tp_ratio){ .loads = v->items[i].loads,
							      .stores = v->items[i].stores };
	choose_arrays(context, c);
	v = tp_config_value(config, TP_OPT_STORES);
	for (size_t i = 0; i < v->n && c->n_stores < 2; i++)
		c->nontemporal[c->n_stores++] = strcmp(v->items[i].text, "nontemporal") == 0;
	choose_fp_ops(context, c, diags);
	if (tp_option_belongs(TP_OPT_DRAM, context->experiment->name) &&
	    strcmp(tp_config_text(config, TP_OPT_DRAM), "flushed") == 0 &&
	    !tp_machine_flushes(context->machine))
		tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_DRAM,
				  "auto or walked: kernels walk past the last cache instead",
				  "programs cannot flush lines quickly on this machine (x86 needs "
				  "clflushopt; riscv64 lacks such an instruction; a cache on the "
				  "memory's side would keep them)");
	/* Options made ineffective by the values of others. */
	bool nontemporal = false, stores = false;
	for (size_t i = 0; i < c->n_stores; i++)
		nontemporal |= c->nontemporal[i];
	for (size_t i = 0; i < c->n_ratios; i++)
		stores |= c->ratios[i].stores > 0 || c->ratios[i].loads == 0;
	if (nontemporal && !stores)
		tp_planner_idle(context, TP_OPT_STORES, TP_OPT_RATIO, "the kernels only load");
	const char *basis = tp_config_text(context->config, TP_OPT_STOP_BASIS);
	if (strcmp(basis, "sigma") != 0)
		tp_planner_idle(context, TP_OPT_STOP_SIGMAS, TP_OPT_STOP_BASIS,
				"it belongs to stop.basis=sigma");
	if (strcmp(basis, "trimmed") != 0) {
		static const char why[] = "it belongs to stop.basis=trimmed";
		tp_planner_idle(context, TP_OPT_STOP_TRIM_SAMPLES, TP_OPT_STOP_BASIS, why);
		tp_planner_idle(context, TP_OPT_STOP_TRIM_TOLERANCE, TP_OPT_STOP_BASIS, why);
	}
	return diags->n == before ? TP_OK : TP_USAGE;
}

bool tp_planner_has_op(const struct tp_plan_context *context, const struct tp_isa *isa,
		       const struct tp_precision *precision, enum tp_fp_op op)
{
	const struct tp_narrow *row = tp_narrow_find(isa, precision, op);
	if (!row)
		return !tp_precision_is_narrow(precision) && op != TP_FP_DOT && op != TP_FP_TILE;
	return tp_machine_has_narrow(context->machine, row);
}

/* Why the machine has no such operation with any ISA that is planned; false: it is none. */
static bool tell(const struct tp_plan_context *context, const struct tp_choices *c,
		 const struct tp_precision *precision, enum tp_fp_op op, struct tp_str *why)
{
	TP_STR needs = { 0 };
	const struct tp_narrow *row;

	/* "avx_vnni (avx2) or avx512_vnni (avx512)"; empty if no ISA of the architecture has it. */
	for (size_t i = 0; (row = tp_narrow_row(c->isas[0]->arch, i)); i++) {
		if (row->op != op || strcmp(row->precision, precision->name) != 0)
			continue;
		tp_str_add(&needs, needs.len ? " or " : "");
		if (row->needs[0])
			tp_str_printf(&needs, "%s (%s)", row->needs, row->isa);
		else
			tp_str_add(&needs, row->isa);
	}
	bool known = needs.len > 0;
	if (known && context->machine->foreign)
		tp_str_printf(why, "%s %s gives no peak of it",
			      context->machine->model.n_isas ? "the model" : "nothing known of",
			      context->machine->model.n_isas ? context->machine->model.name
							     : context->machine->cpu_name);
	else if (known)
		tp_str_printf(why,
			      "it needs %s, which this CPU, its kernel or the chosen isa does not "
			      "offer",
			      tp_str_text(&needs));
	return known;
}

enum tp_status tp_planner_check_ops(struct tp_plan_context *context, const struct tp_choices *c,
				    struct tp_diags *diags)
{
	bool any = c->n_fp_ops == 0;
	TP_STR lacks = { 0 };
	for (size_t p = 0; p < c->n_precisions; p++)
		for (size_t f = 0; f < c->n_fp_ops; f++) {
			bool has = false;
			TP_STR why = { 0 };
			for (size_t i = 0; i < c->n_isas; i++)
				has |= tp_planner_has_op(context, c->isas[i], c->precisions[p],
							 c->fp_ops[f]);
			any |= has;
			if (!has && tell(context, c, c->precisions[p], c->fp_ops[f], &why))
				tp_str_printf(&lacks, "%s%s in %s is left out: %s",
					      lacks.len ? "\n" : "", tp_fp_op_name(c->fp_ops[f]),
					      c->precisions[p]->name, tp_str_text(&why));
		}
	enum tp_status status = TP_OK;
	if (!any) {
		status = lacks.len ? TP_UNSUPPORTED : TP_USAGE;
		tp_planner_refuse(context, diags, status, TP_OPT_FP_OP,
				  "half has fma and tile; bf16 and int8 have dot and tile; double "
				  "and single have all others, and tile with SME; tprof --list "
				  "precisions shows what this machine has",
				  "no operation in that precision can be measured here%s%s",
				  lacks.len ? ": " : "", tp_str_text(&lacks));
	} else if (lacks.len) {
		char *rest = lacks.s;
		for (char *line; (line = strsep(&rest, "\n"));)
			tp_planner_note(context, TP_OPT_FP_OP, "%s", line);
	}
	return status;
}

enum tp_status tp_planner_functions(struct tp_plan_context *context, const struct tp_option *option,
				    struct tp_arena *arena, char ***functions,
				    struct tp_diags *diags)
{
	static const char prefix[] = "function=";
	const struct tp_value *regions = tp_config_value(context->config, option);
	char **names = tp_arena_alloc(arena, (regions->n + 1) * sizeof(*names));
	*functions = names;
	for (size_t i = 0; i < regions->n; i++) {
		const char *text = regions->items[i].text;
		const char *name = text + sizeof(prefix) - 1;
		char shown[80];
		if (strncmp(text, prefix, sizeof(prefix) - 1) != 0 || !*name)
			return tp_planner_refuse(
				context, diags, TP_USAGE, option,
				"--region function=NAME; regions that the source marks by "
				"tprof_roi.h need no option",
				"\"%s\" is not a region",
				tp_shown(shown, sizeof(shown), text, strlen(text)));
		if (strlen(name) >= TP_APP_NAME)
			return tp_planner_refuse(context, diags, TP_USAGE, option,
						 "names of fewer than 128 bytes",
						 "the name of a function is too long");
		names[i] = tp_arena_strdup(arena, name);
	}
	names[regions->n] = NULL;
	return TP_OK;
}
