/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of traversals (kernels/traversal.h), and the number of instructions that a pass executes.
 */
#include "kernels/emit/parts.h"
#include "base/memory.h"

static void follow(struct tp_emitter *e, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		tp_emit_follow(e, e->be->registers->chase.pointer);
}

static void emit_chase(struct tp_emit_tally *t, const struct tp_chase_loop *chase)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	uint64_t rounds = chase->accesses / chase->unroll, rest = chase->accesses % chase->unroll;
	if (rounds <= 1) {
		rest += rounds * chase->unroll;
		rounds = 0;
	}
	e->be->copy(e, r->chase.pointer, r->data);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct tp_trips pass = tp_trips_begin(t, r->passes, 1);
	if (rounds) {
		struct tp_trips round = tp_trips_begin(t, r->chase.rounds, rounds);
		follow(e, chase->unroll);
		tp_trips_end(t, &round);
	}
	follow(e, rest);
	tp_trips_end(t, &pass);
}

/* x = x op constant, where the constant may be in a register. */
static void scatter_step(struct tp_emitter *e, enum tp_integer_op op, unsigned x,
			 enum tp_scatter_constant constant, const int64_t *values)
{
	const struct tp_emit_registers *r = e->be->registers;
	for (unsigned i = 0; i < r->scatter.n_held; i++)
		if (r->scatter.held[i].constant == constant) {
			e->be->integer(e, op, x, x, r->scatter.held[i].reg);
			return;
		}
	if (op == TP_INTEGER_ADD)
		tp_emit_advance(e, x, values[constant]);
	else
		e->be->immediate(e, op, x, values[constant]);
}

static void emit_scatter(struct tp_emit_tally *t, const struct tp_scatter *s)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	uint64_t block_bytes = s->block_elements * s->stride_bytes;
	uint64_t unroll = TP_MIN(s->block_elements, (uint64_t)s->unroll);
	const int64_t values[TP_SCATTER_CONSTANTS] = {
		[TP_SCATTER_MULTIPLIER] = s->multiplier,
		[TP_SCATTER_INCREMENT] = (int64_t)s->increment * s->stride_bytes,
		[TP_SCATTER_OFFSET_MASK] = (int64_t)block_bytes - 1,
		[TP_SCATTER_BLOCK_BYTES] = (int64_t)block_bytes,
		[TP_SCATTER_BLOCK_MASK] = (int64_t)(s->blocks * block_bytes - 1),
	};
	unsigned offset = r->scatter.offset, block = r->scatter.block;
	e->be->constant(e, offset, 0);
	e->be->constant(e, block, 0);
	for (unsigned i = 0; i < r->scatter.n_held; i++)
		e->be->constant(e, r->scatter.held[i].reg, values[r->scatter.held[i].constant]);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct tp_trips pass = tp_trips_begin(t, r->passes, 1);
	struct tp_trips blocks = tp_trips_begin(t, r->scatter.blocks, s->blocks);
	e->be->integer(e, TP_INTEGER_ADD, r->scatter.base, r->data, block);
	struct tp_trips round = tp_trips_begin(t, r->scatter.rounds, s->block_elements / unroll);
	for (uint64_t i = 0; i < unroll; i++) {
		scatter_step(e, TP_INTEGER_MUL, offset, TP_SCATTER_MULTIPLIER, values);
		scatter_step(e, TP_INTEGER_ADD, offset, TP_SCATTER_INCREMENT, values);
		scatter_step(e, TP_INTEGER_AND, offset, TP_SCATTER_OFFSET_MASK, values);
		e->be->store_indexed(e, offset, r->scatter.base, offset);
	}
	tp_trips_end(t, &round);
	scatter_step(e, TP_INTEGER_MUL, block, TP_SCATTER_MULTIPLIER, values);
	scatter_step(e, TP_INTEGER_ADD, block, TP_SCATTER_BLOCK_BYTES, values);
	scatter_step(e, TP_INTEGER_AND, block, TP_SCATTER_BLOCK_MASK, values);
	tp_trips_end(t, &blocks);
	tp_trips_end(t, &pass);
}

static void copy_line(struct tp_assembler *as, size_t line, size_t line_bytes)
{
	if ((size_t)(as->end - as->at) < line_bytes)
		as->failed = true;
	if (as->failed)
		return;
	memcpy(as->at, as->start + line, line_bytes);
	as->at += line_bytes;
}

/*
 * The address of the data is never 0: all branches test it. Lines do not depend on their
 * addresses, so one is emitted and then copied.
 */
static void emit_lines(struct tp_emit_tally *t, const struct tp_line_loop *l)
{
	struct tp_emitter *e = t->e;
	const struct tp_back_end *be = e->be;
	enum tp_loop_op_kind kind = l->full ? TP_LOOP_NEVER : TP_LOOP_ALWAYS;
	size_t branches[2], n_branches = l->full ? 2 : 1;
	if (be->begin_lines)
		be->begin_lines(e, l->line_bytes);
	tp_emit_align(e, l->line_bytes, 0);
	struct tp_trips pass = tp_trips_begin(t, be->registers->passes, 1);
	for (size_t i = 0; i < n_branches; i++)
		branches[i] = be->forward(e, kind);
	be->fill_line(e, tp_emit_here(e) - pass.top, l->line_bytes);
	for (size_t i = 0; i < n_branches; i++)
		tp_emit_land(e, branches[i]);
	uint64_t in_line = l->full ? e->as->instructions - t->told : 1;
	for (uint64_t i = 1; i + 1 < l->lines && !e->as->failed; i++)
		copy_line(e->as, pass.top, l->line_bytes);
	tp_tally_skip(t);
	t->executed += (l->lines - 1) * in_line;
	/*
	 * The last line has as many conditional branches as any other, and one is that of the
	 * loop.
	 */
	if (l->full)
		tp_emit_land(e, be->forward(e, kind));
	if (!be->end_lines) {
		tp_trips_end(t, &pass);
		return;
	}
	be->end_lines(e);
	tp_tally_account(t);
	e->code->loop_end = tp_emit_here(e);
}

struct request {
	const struct tp_traversal *traversal;
	uint64_t *instructions;
};

static void body_of(struct tp_emitter *e, void *context)
{
	const struct request *request = context;
	const struct tp_traversal *traversal = request->traversal;
	struct tp_emit_tally t = { .e = e };
	switch (traversal->kind) {
	case TP_TRAVERSAL_CHASE:
		emit_chase(&t, &traversal->chase);
		break;
	case TP_TRAVERSAL_SCATTER:
		emit_scatter(&t, &traversal->scatter);
		break;
	case TP_TRAVERSAL_LINES:
		emit_lines(&t, &traversal->lines);
		break;
	case TP_TRAVERSAL_NEST:
		tp_emit_nest(&t, &traversal->nest);
		break;
	}
	*request->instructions = t.executed;
	e->be->leave(e, false);
}

static size_t capacity_of(const struct tp_traversal *traversal, const struct tp_back_end *be)
{
	enum { FRAME_BYTES = 4096 };
	size_t step_bytes = (size_t)be->step_instructions * be->instruction_bytes;
	switch (traversal->kind) {
	case TP_TRAVERSAL_CHASE:
		return FRAME_BYTES + (size_t)2 * traversal->chase.unroll * be->instruction_bytes;
	case TP_TRAVERSAL_SCATTER:
		return FRAME_BYTES + traversal->scatter.unroll * step_bytes;
	case TP_TRAVERSAL_LINES:
		return FRAME_BYTES + (size_t)traversal->lines.lines * traversal->lines.line_bytes;
	case TP_TRAVERSAL_NEST:
		return FRAME_BYTES + traversal->nest.unroll * step_bytes;
	}
	return FRAME_BYTES;
}

enum tp_status tp_emit_traversal(const struct tp_back_end *be, const struct tp_traversal *traversal,
				 const struct tp_cpu *cpu, struct tp_code *code,
				 uint64_t *instructions, struct tp_diag *diag)
{
	struct request request = { traversal, instructions };
	struct tp_emitter e = { .be = be,
				.cpu = cpu,
				.code = code,
				.element_bytes = sizeof(double),
				.operand_bytes = sizeof(double),
				.scratch = be->registers->traversal_scratch };
	return tp_emit_run(&e, capacity_of(traversal, be), body_of, &request, diag);
}
