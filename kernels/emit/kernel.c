/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels: a body in a loop over passes. Walks through memory are in walk.c. */
#include "kernels/emit/parts.h"
#include "kernels/gather.h"

static void repeat(struct tp_emitter *e, void (*one)(struct tp_emitter *))
{
	unsigned n = tp_kernel_unroll(e->k);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	e->code->loop_begin = tp_emit_here(e);
	tp_emit_begin_body(e);
	for (unsigned i = 0; i < n; i++)
		one(e);
	e->be->loop_end(e, e->be->registers->passes, e->code->loop_begin);
	e->code->loop_end = tp_emit_here(e);
}

/*
 * Takes the register form: some cores resolve chains of immediate additions without executing
 * them.
 */
static void chain_addition(struct tp_emitter *e)
{
	const struct tp_emit_registers *r = e->be->registers;
	e->be->integer(e, TP_INTEGER_ADD, r->kernel.chain, r->kernel.chain, r->kernel.addend);
}

/* Takes one register after the other, so no addition waits for another. */
static void independent_addition(struct tp_emitter *e)
{
	const struct tp_emit_registers *r = e->be->registers;
	unsigned x = r->kernel.width[e->fp_issued++ % r->kernel.n_width];
	e->be->integer(e, TP_INTEGER_ADD, x, x, r->kernel.addend);
}

/* Each load takes its address from the one before. */
static void chase_load(struct tp_emitter *e)
{
	tp_emit_follow(e, e->be->registers->kernel.chase);
}

static void body_of(struct tp_emitter *e, void *context)
{
	const struct tp_back_end *be = e->be;
	const struct tp_emit_registers *r = be->registers;
	bool vectors = *(const bool *)context;
	if (be->enter)
		be->enter(e, vectors);
	switch (e->k->kind) {
	case TP_KERNEL_WIDTH:
	case TP_KERNEL_CHAIN:
		be->copy(e, r->kernel.addend, r->passes);
		repeat(e, e->k->kind == TP_KERNEL_CHAIN ? chain_addition : independent_addition);
		break;
	case TP_KERNEL_CHASE:
		be->cell(e, false, r->kernel.chase, r->data, 0);
		repeat(e, chase_load);
		be->cell(e, true, r->kernel.chase, r->data, 0);
		break;
	case TP_KERNEL_FP:
		tp_emit_fp_operands(e, false);
		repeat(e, tp_emit_next_fp);
		tp_emit_fp_operands(e, true);
		break;
	case TP_KERNEL_GATHER:
		tp_emit_gathers(e);
		break;
	case TP_KERNEL_MEMORY:
	case TP_KERNEL_MIXED:
		tp_emit_walk(e);
		break;
	}
	be->leave(e, vectors);
}

/* There is one body in the inner loop, and up to one outside. */
static size_t capacity_of(const struct tp_kernel *k, const struct tp_back_end *be)
{
	enum { FRAME_BYTES = 4096 };
	size_t unroll = tp_kernel_unroll(k), instructions = unroll * be->access_instructions;
	if (k->kind == TP_KERNEL_MIXED)
		instructions += (size_t)tp_kernel_fp_due(k, unroll) + 1;
	return 2 * instructions * be->instruction_bytes + FRAME_BYTES;
}

enum tp_status tp_kernel_emit(const struct tp_kernel *k, const struct tp_cpu *cpu,
			      struct tp_code *code, struct tp_diag *diag)
{
	const struct tp_back_end *be = k->isa->back_end;
	bool walks = k->kind == TP_KERNEL_MEMORY || k->kind == TP_KERNEL_MIXED;
	bool vectors = walks || k->kind == TP_KERNEL_FP;
	enum tp_status status = tp_isa_supported(k->isa, cpu, diag);
	if (status == TP_OK)
		status = tp_kernel_check(k, diag);
	if (status == TP_OK && k->kind == TP_KERNEL_GATHER)
		status = tp_gather_supported(k->isa, k->gather->vector_bytes, cpu, diag);
	const struct tp_narrow *narrow = status == TP_OK ? tp_narrow_of(k) : NULL;
	if (narrow)
		status = tp_narrow_supported(narrow, cpu, diag);
	if (status != TP_OK)
		return status;
	struct tp_emitter e = {
		.be = be,
		.cpu = cpu,
		.code = code,
		.k = k,
		.narrow = narrow,
		.form = k->isa->form,
		.element_bytes = k->element_bytes,
		.operand_bytes = tp_kernel_operand_bytes(k),
		.scratch = be->registers->kernel.scratch,
		.tail_bytes = walks ? tp_kernel_tail_bytes(k) : 0,
	};
	status = be->supported ? be->supported(&e, diag) : TP_OK;
	if (status != TP_OK)
		return status;
	if (vectors)
		tp_emit_plan(&e);
	return tp_emit_run(&e, capacity_of(k, be), body_of, &vectors, diag);
}
