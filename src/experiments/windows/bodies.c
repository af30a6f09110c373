/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/bench.h"

#include <string.h>

#include "experiments/windows/planner.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "record/point.h"

/*
 * Bodies by level. Near the core, the distribution of accesses over banks and ports matters: pairs
 * of one line, or two walks a multiple of 4 KiB apart (lanes), or separate regions for loads and
 * stores. Far from it, the number of streams that the prefetchers follow matters.
 */
static const struct {
	enum tp_level_class level;
	struct tp_body body;
} memory_bodies[] = {
	{ TP_CLASS_L1, { .unroll = 256, .lanes = 1 } },
	{ TP_CLASS_L1, { .unroll = 256, .lanes = 2 } },
	{ TP_CLASS_L1, { .unroll = 256, .two_streams = true } },
	{ TP_CLASS_L1, { .unroll = 512, .lanes = 1 } },
	{ TP_CLASS_L1, { .unroll = 512, .lanes = 2 } },
	{ TP_CLASS_L1, { .unroll = 512, .two_streams = true } },
	{ TP_CLASS_L1, { .unroll = 64, .lanes = 1 } },
	{ TP_CLASS_L1, { .unroll = 64, .two_streams = true } },
	{ TP_CLASS_L1, { .unroll = 128, .two_streams = true } },
	{ TP_CLASS_L2, { .unroll = 64, .lanes = 1 } },
	{ TP_CLASS_L2, { .unroll = 256, .lanes = 1 } },
	{ TP_CLASS_L2, { .unroll = 64, .lanes = 2 } },
	{ TP_CLASS_L2, { .unroll = 256, .lanes = 4 } },
	{ TP_CLASS_L2, { .unroll = 64, .two_streams = true } },
	{ TP_CLASS_L2, { .unroll = 256, .two_streams = true } },
	{ TP_CLASS_L3, { .unroll = 128, .lanes = 1 } },
	{ TP_CLASS_L3, { .unroll = 64, .lanes = 1 } },
	{ TP_CLASS_L3, { .unroll = 256, .lanes = 1 } },
	{ TP_CLASS_L3, { .unroll = 64, .lanes = 2 } },
	{ TP_CLASS_L3, { .unroll = 128, .lanes = 2 } },
	{ TP_CLASS_L3, { .unroll = 64, .lanes = 4 } },
	{ TP_CLASS_L3, { .unroll = 256, .lanes = 4 } },
	{ TP_CLASS_L3, { .unroll = 128, .lanes = 8 } },
	{ TP_CLASS_L3, { .unroll = 64, .two_streams = true } },
	{ TP_CLASS_L3, { .unroll = 256, .two_streams = true } },
	{ TP_CLASS_DRAM, { .unroll = 256, .lanes = 1 } },
	{ TP_CLASS_DRAM, { .unroll = 64, .lanes = 1 } },
	{ TP_CLASS_DRAM, { .unroll = 64, .lanes = 2 } },
	{ TP_CLASS_DRAM, { .unroll = 128, .lanes = 2 } },
	{ TP_CLASS_DRAM, { .unroll = 64, .lanes = 4 } },
	{ TP_CLASS_DRAM, { .unroll = 256, .lanes = 4 } },
	{ TP_CLASS_DRAM, { .unroll = 128, .lanes = 8 } },
	{ TP_CLASS_DRAM, { .unroll = 512, .lanes = 8 } },
	{ TP_CLASS_DRAM, { .unroll = 128, .lanes = 16 } },
	{ TP_CLASS_DRAM, { .unroll = 512, .two_streams = true } },
	{ TP_CLASS_DRAM, { .unroll = 128, .two_streams = true } },
};

/* fma+add: how many of each, for cores with more adders than multipliers or shared ones. */
static const struct tp_body pair_bodies[] = {
	{ .unroll = 144, .fma_run = 1, .add_run = 1 },
	{ .unroll = 240, .fma_run = 1, .add_run = 1 },
	{ .unroll = 480, .fma_run = 1, .add_run = 1 },
	{ .unroll = 720, .fma_run = 1, .add_run = 1 },
	{ .unroll = 216, .fma_run = 2, .add_run = 1 },
	{ .unroll = 288, .fma_run = 3, .add_run = 1 },
	{ .unroll = 360, .fma_run = 1, .add_run = 1, .fma_registers = 9, .add_registers = 5 },
	{ .unroll = 240, .fma_run = 1, .add_run = 1, .fma_registers = 10, .add_registers = 4 },
	{ .unroll = 440, .fma_run = 1, .add_run = 1, .fma_registers = 11, .add_registers = 4 },
};

/* x86 except AVX-512: with the usual share the FMAs wait for their results. */
static bool has_few_registers(const struct tp_isa *isa)
{
	return strcmp(isa->arch, "x86_64") == 0 && isa->vector_bytes < 64;
}

/*
 * Offsets of the working set in its page: in L1 the address decides about bank conflicts and way
 * prediction.
 */
static const size_t l1_placements[] = { 0, 20928, 37312, 54016 };

/* ratio: best */
static const struct {
	unsigned loads, stores;
} searched_ratios[] = { { 1, 0 }, { 2, 1 }, { 1, 1 }, { 0, 1 } };

static void add(struct tp_candidate *candidates, size_t *n, const struct tp_kernel *kernel,
		size_t placement)
{
	struct tp_kernel piece = tp_sampler_piece(kernel);
	if (*n < TP_MAX_CANDIDATES && tp_kernel_check(&piece, NULL) == TP_OK)
		candidates[(*n)++] =
			(struct tp_candidate){ .kernel = *kernel, .placement_bytes = placement };
}

/*
 * True if loads and non-temporal stores would meet in one cache line: the line then leaves the
 * write-combining buffer half full, time and again, some twenty times slower than whole lines.
 */
static bool splits_lines(const struct tp_kernel *kernel)
{
	enum { LINE_BYTES = 64 };
	unsigned lanes = kernel->body.lanes ? kernel->body.lanes : 1;
	return kernel->nontemporal && kernel->loads && kernel->stores &&
	       !kernel->body.two_streams && lanes % (kernel->loads + kernel->stores) != 0 &&
	       tp_kernel_operand_bytes(kernel) < LINE_BYTES;
}

/*
 * Where one instruction can work on several registers, each body is tried with every number of
 * them: fewer instructions against fewer registers. Mixed kernels need more registers than the
 * largest groups leave.
 */
static void add_grouped(struct tp_candidate *candidates, size_t *n, const struct tp_kernel *kernel,
			size_t placement)
{
	struct tp_kernel grouped = *kernel;
	unsigned most = kernel->isa->max_lmul;
	if (kernel->kind == TP_KERNEL_MIXED)
		most /= 2;
	if (most <= 1) {
		add(candidates, n, kernel, placement);
		return;
	}
	for (grouped.body.lmul = 1; grouped.body.lmul <= most; grouped.body.lmul *= 2)
		add(candidates, n, &grouped, placement);
}

static void add_memory(const struct tp_planned *p, const struct tp_kernel *base,
		       struct tp_candidate *candidates, size_t *n)
{
	bool placed = tp_window_plan(p)->level == TP_CLASS_L1 && base->kind == TP_KERNEL_MEMORY &&
		      base->isa->max_lmul <= 1; /* enough to choose from without */
	for (size_t place = 0; place < (placed ? TP_COUNT_OF(l1_placements) : 1); place++)
		for (size_t i = 0; i < TP_COUNT_OF(memory_bodies); i++) {
			struct tp_kernel kernel = *base;
			kernel.body = memory_bodies[i].body;
			if (memory_bodies[i].level != tp_window_plan(p)->level)
				continue;
			if (kernel.body.two_streams && (kernel.loads == 0 || kernel.stores == 0))
				continue;
			/* A familiar name determines whether loads and stores share a region. */
			if (splits_lines(&kernel) ||
			    (kernel.array && kernel.body.two_streams != kernel.array->apart))
				continue;
			add_grouped(candidates, n, &kernel, l1_placements[place]);
		}
}

size_t tp_bodies(const struct tp_planned *planned, struct tp_candidate *candidates)
{
	struct tp_kernel kernel = tp_window_plan(planned)->kernel;
	size_t n = 0;
	if (kernel.kind == TP_KERNEL_FP && kernel.fp_op == TP_FP_FMA_ADD) {
		for (size_t i = 0; i < TP_COUNT_OF(pair_bodies); i++) {
			kernel.body = pair_bodies[i];
			if (kernel.body.fma_registers && !has_few_registers(kernel.isa))
				continue;
			add_grouped(candidates, &n, &kernel, 0);
		}
	} else if (kernel.kind == TP_KERNEL_FP) {
		if (kernel.isa->max_lmul > 1)
			add_grouped(candidates, &n, &kernel, 0);
	} else if (kernel.kind == TP_KERNEL_MEMORY || kernel.kind == TP_KERNEL_MIXED) {
		if (tp_kernel_row(&planned->point)->best_ratio)
			for (size_t i = 0; i < TP_COUNT_OF(searched_ratios); i++) {
				kernel.loads = searched_ratios[i].loads;
				kernel.stores = searched_ratios[i].stores;
				kernel.nontemporal = tp_window_plan(planned)->kernel.nontemporal &&
						     kernel.stores;
				add_memory(planned, &kernel, candidates, &n);
			}
		else
			add_memory(planned, &kernel, candidates, &n);
	}
	if (n == 0) /* one way only, or a size too small for any choice */
		candidates[n++] =
			(struct tp_candidate){ .kernel = tp_window_plan(planned)->kernel };
	return n;
}
