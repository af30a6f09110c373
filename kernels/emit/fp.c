/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FP instructions of kernels, and the registers that take turns in them. */
#include "kernels/emit/parts.h"

/*
 * Largest divisor of n in the range, so that a body ends with a whole turn. Else the end of the
 * range.
 */
static unsigned cycle_of(uint64_t n, struct tp_register_range range)
{
	for (unsigned d = range.most; d >= range.least && d > 0; d--)
		if (n % d == 0)
			return d;
	return range.most;
}

void tp_emit_plan(struct tp_emitter *e)
{
	const struct tp_kernel *k = e->k;
	struct tp_register_plan *p = &e->plan;
	struct tp_register_budget budget = e->be->budget(e);
	unsigned unroll = tp_kernel_unroll(k);
	uint64_t first = 0;
	p->registers = budget.registers;
	p->a = budget.a;
	p->b = budget.b;
	p->source = budget.source;
	p->first = tp_isa_fused(k->isa, e->cpu) ? TP_DO_FMA : TP_DO_MUL;
	p->pair = k->fp_op == TP_FP_FMA_ADD ||
		  (k->fp_op == TP_FP_FMA && !e->narrow && p->first != TP_DO_FMA);
	switch (k->kind) {
	case TP_KERNEL_MEMORY:
		p->targets = budget.memory_targets;
		break;
	case TP_KERNEL_FP:
		p->accumulators = cycle_of(unroll, budget.fp);
		if (!p->pair)
			break;
		for (uint64_t i = 0; i < unroll; i++)
			first += tp_kernel_fp_first(k, i);
		p->first_accumulators = cycle_of(first, budget.fp_first);
		p->accumulators =
			p->first_accumulators + cycle_of(unroll - first, budget.fp_second);
		break;
	case TP_KERNEL_MIXED:
		p->targets = budget.mixed_targets;
		p->first_accumulators = budget.mixed_first;
		p->accumulators = p->pair ? budget.mixed.most
					  : cycle_of(tp_kernel_fp_due(k, unroll), budget.mixed);
		break;
	default:
		break;
	}
}

void tp_emit_begin_body(struct tp_emitter *e)
{
	e->fp_issued = e->first_issued = e->load_issued = 0;
}

void tp_emit_next_fp(struct tp_emitter *e)
{
	static const enum tp_arithmetic of[TP_FP_OP_COUNT] = {
		[TP_FP_ADD] = TP_DO_ADD,
		[TP_FP_MUL] = TP_DO_MUL,
		[TP_FP_DIV] = TP_DO_DIV,
		[TP_FP_FMA] = TP_DO_FMA,
	};
	const struct tp_register_plan *p = &e->plan;
	enum tp_arithmetic what = of[e->k->fp_op];
	unsigned i = e->fp_issued++, x = i % p->accumulators;
	if (e->narrow) {
		e->be->narrow(e, x, p->a, p->b);
		return;
	}
	if (p->pair && tp_kernel_fp_first(e->k, i)) {
		what = p->first;
		x = e->first_issued++ % p->first_accumulators;
	} else if (p->pair) {
		unsigned others = p->accumulators - p->first_accumulators;
		what = TP_DO_ADD;
		x = p->first_accumulators + (i - e->first_issued) % others;
	}
	e->be->arithmetic(e, what, x, p->a, p->b);
}

void tp_emit_fp_operands(struct tp_emitter *e, bool store)
{
	const struct tp_back_end *be = e->be;
	const struct tp_register_plan *p = &e->plan;
	unsigned base = be->registers->data;
	int64_t base_at = 0;
	if (be->slots_by_pointer) {
		base = be->registers->kernel.slots;
		be->copy(e, base, be->registers->data);
	}
	for (unsigned slot = store ? 2 : 0; slot < 2 + p->accumulators; slot++) {
		unsigned reg = slot == 0 ? p->a : slot == 1 ? p->b : slot - 2;
		int64_t at = (int64_t)slot * e->operand_bytes;
		if (be->slots_by_pointer) {
			tp_emit_advance(e, base, at - base_at);
			base_at = at;
		}
		be->move(e, store, reg, base, at - base_at);
	}
}
