/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How near a body comes to what its machine can do. Some body of each kind of work reaches it. */
#include "measure/simulated/simulated_parts.h"
#include "base/vec.h"

#include <math.h>

/* Instructions from which on the loop around a body costs nothing, and few enough for its cache. */
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

double tp_truth_body_share(const struct tp_kernel *k, size_t placement_bytes, int level)
{
	return unroll_share(k, level) * walks_share(k, level) * grouping_share(k, level) *
	       placement_share(k, placement_bytes, level);
}

double tp_truth_flop_per_cycle(const struct tp_truth *t, const struct tp_kernel *k, bool best)
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
