/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "measure/chase.h"
#include "record/point.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PLACEMENT_SLACK_BYTES = 128 << 10 };

/*
 * Loads of a pass: so few that windows can be short where a load takes long. The loop around them
 * costs nothing, as it runs beside the loads.
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
	double l1 = (double)tp_machine_share(machine, 1, threads),
	       l2 = (double)tp_machine_share(machine, 2, threads);
	double l3 = (double)tp_machine_share(machine, 3, threads);
	switch (level) {
	case TP_CLASS_L1:
		return l1 > 0 ? round_level(l1 / 2) : 0;
	case TP_CLASS_L2:
		return l2 > 0 ? round_level(fmin(fmax(l2 / 4, 2 * l1), l2 / 2)) : 0;
	case TP_CLASS_L3:
		if (!(l3 > 0))
			return 0;
		/*
		 * What a virtual machine reports is the host's cache, of which a guest gets a part:
		 * far below the share, and no more than it takes to leave L2 behind, is safe.
		 */
		return round_level(
			fmin(fmin(fmax((double)core_share(machine, 3) / 4, 3 * l2), 4 * l2),
			     fmax(0.75 * l3, l2 + l3 / 2)));
	case TP_CLASS_DRAM: {
		/* Many cores' L2 may hold more than the L3 that they share. */
		int last = tp_machine_last_level(machine);
		double share = last ? (double)tp_machine_share(machine, last, threads) : 32 << 20;
		return round_level(4 * fmax(share, l2));
	}
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
	/* The arithmetic of a kernel over arrays is part of its name: its unit is that of memory.
	 */
	if (!kernel->array)
		tp_copy(row->fp_op, sizeof(row->fp_op), tp_fp_op_name(kernel->fp_op));
}

struct tp_planned *tp_planner_add(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_kernel *kernel, enum tp_level_class level,
				  struct tp_diags *diags)
{
	struct tp_planned *p =
		tp_plan_add(context, combination->threads, combination->cpus,
			    kernel->working_set_bytes + PLACEMENT_SLACK_BYTES, diags);
	if (!p)
		return NULL;
	struct tp_window_plan *w = tp_window_plan(p);
	w->kernel = *kernel;
	w->level = level;
	if (kernel->kind == TP_KERNEL_CHASE)
		w->chase =
			(struct tp_chase){ .bytes = kernel->working_set_bytes,
					   .seed = tp_config_count(context->config, TP_OPT_SEED) };
	tp_kernel_name(kernel, p->point.kernel, sizeof(p->point.kernel));
	fill_row(kernel, combination->precision, level, p->point.row);
	return p;
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
				    .stores = ratio.stores,
				    .nontemporal = nontemporal && (best || ratio.stores > 0),
				    .working_set_bytes = bytes };
	if (ratio.array)
		tp_array_kernel_set(ratio.array, context->cpu, &kernel);
	struct tp_planned *p = tp_planner_add(context, combination, &kernel, level, diags);
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
