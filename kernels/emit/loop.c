/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of loops (kernels/loop.h). The address of the data is never 0: branches that are always or
 * never taken test it.
 */
#include "kernels/emit/emit.h"

struct looper {
	struct tp_emitter *e;
	const struct tp_loop *loop;
	struct tp_loop_cost *cost;
	unsigned counter; /* which register or cell is next */
	struct {
		size_t branch, op; /* lands before that operation */
	} pending[TP_LOOP_MAX_OPS];
	size_t n_pending;
};

void tp_emit_loop_operands(struct tp_emitter *e, bool store)
{
	const struct tp_back_end *be = e->be;
	unsigned base = be->registers->data;
	for (unsigned i = 0; i < TP_LOOP_FP_REGISTERS + 2; i++) {
		bool operand = be->operands_last ? i >= TP_LOOP_FP_REGISTERS : i < 2;
		unsigned slot = !be->operands_last ? i : operand ? i - TP_LOOP_FP_REGISTERS : i + 2;
		unsigned reg = slot < 2 ? TP_EMIT_LOOP_A + slot : slot - 2;
		int64_t at = (int64_t)slot * TP_LOOP_SLOT_BYTES;
		if (operand && store)
			continue;
		if (be->slots_by_pointer) {
			base = e->scratch;
			be->address(e, base, be->registers->data, at);
			at = 0;
		}
		be->move(e, store, reg, base, at);
	}
}

/*
 * Rounds over the registers: all are multiplied, then all are added to. Rounds must be whole,
 * since a register that is multiplied more often than added to would go to zero.
 */
static void emit_fp(struct looper *l, unsigned n)
{
	const struct tp_back_end *be = l->e->be;
	bool fused = l->loop->fp.fused, back = fused && be->scales_back;
	unsigned turns = fused && !back ? n : n / 2, registers = TP_LOOP_FP_REGISTERS;
	while (registers > 1 && turns % registers)
		registers--;
	for (unsigned i = 0; i < n; i++) {
		bool second = i / registers % 2;
		unsigned x = i % registers;
		if (fused)
			be->arithmetic(l->e, second && back ? TP_DO_SCALE_BACK : TP_DO_SCALE, x,
				       TP_EMIT_LOOP_A, TP_EMIT_LOOP_B);
		else if (second)
			be->arithmetic(l->e, TP_DO_ADD, x, TP_EMIT_LOOP_B, TP_EMIT_LOOP_B);
		else
			be->arithmetic(l->e, TP_DO_MUL, x, TP_EMIT_LOOP_A, TP_EMIT_LOOP_A);
	}
}

static void emit_access(struct looper *l, enum tp_loop_op_kind kind)
{
	struct tp_emitter *e = l->e;
	const struct tp_emit_registers *r = e->be->registers;
	unsigned base = r->loop.cells;
	int64_t at = (base == r->data ? TP_LOOP_CELLS_AT : 0) + l->counter++ % TP_LOOP_CELLS * 8;
	if (kind == TP_LOOP_LOAD) {
		e->be->cell(e, false, r->loop.loaded, base, at);
	} else if (kind == TP_LOOP_STORE) {
		e->be->cell(e, true, r->loop.odd, base, at);
	} else if (e->be->modify) {
		e->be->modify(e, r->loop.odd, base, at);
	} else {
		e->be->cell(e, false, r->loop.changed, base, at);
		e->be->integer(e, TP_INTEGER_ADD, r->loop.changed, r->loop.changed, r->loop.odd);
		e->be->cell(e, true, r->loop.changed, base, at);
	}
}

static void emit_integer(struct looper *l, enum tp_loop_op_kind kind)
{
	struct tp_emitter *e = l->e;
	const struct tp_emit_registers *r = e->be->registers;
	unsigned x = r->loop.results[l->counter++ % 2];
	if (kind == TP_LOOP_SHIFT)
		e->be->shift(e, x);
	else if (kind == TP_LOOP_ADDRESS)
		e->be->address(e, x, x, TP_EMIT_ODD);
	else
		e->be->integer(e, kind == TP_LOOP_ADD ? TP_INTEGER_ADD : TP_INTEGER_MUL, x, x,
			       r->loop.odd);
}

static void emit_branch(struct looper *l, size_t op, enum tp_loop_op_kind kind)
{
	/* About three cycles each: time enough for a wrong path to reach its branch. */
	enum { CHAIN = 10 };
	struct tp_emitter *e = l->e;
	const struct tp_emit_registers *r = e->be->registers;
	/* An odd number times an odd one is odd, and an even one is even. */
	for (unsigned i = 0; i < CHAIN && kind == TP_LOOP_RANDOM; i++)
		e->be->integer(e, TP_INTEGER_MUL, r->loop.chain, i ? r->loop.chain : r->loop.byte,
			       r->loop.factor);
	if (e->be->test)
		e->be->test(e, kind);
	l->pending[l->n_pending].op = op + 1 + l->loop->ops[op].n;
	l->pending[l->n_pending++].branch = e->be->forward(e, kind);
}

static void emit_op(struct looper *l, size_t op)
{
	enum tp_loop_op_kind kind = l->loop->ops[op].kind;
	unsigned n = l->loop->ops[op].n;
	if (kind == TP_LOOP_FP)
		emit_fp(l, n);
	else if (kind == TP_LOOP_NEXT)
		l->e->be->next(l->e, l->loop->pass_log2);
	else if (kind == TP_LOOP_BARRIER)
		l->e->be->barrier(l->e);
	else if (kind > TP_LOOP_BARRIER)
		emit_branch(l, op, kind);
	else
		for (unsigned i = 0; i < n; i++)
			(kind < TP_LOOP_LOAD ? emit_integer : emit_access)(l, kind);
}

static void land(struct looper *l, size_t op)
{
	for (size_t i = 0; i < l->n_pending; i++)
		if (l->pending[i].op == op)
			tp_emit_land(l->e, l->pending[i].branch);
}

static void body_of(struct tp_emitter *e, void *context)
{
	struct looper *l = context;
	bool fp = l->loop->fp.element_bytes != 0;
	if (e->be->enter)
		e->be->enter(e, fp);
	e->be->begin_loop(e, l->loop);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	e->code->loop_begin = tp_emit_here(e);
	for (size_t i = 0; i < l->loop->n_ops; i++) {
		land(l, i);
		uint64_t before = e->as->instructions;
		emit_op(l, i);
		l->cost->op[i] = (unsigned)(e->as->instructions - before);
	}
	land(l, l->loop->n_ops);
	uint64_t before = e->as->instructions;
	e->be->loop_end(e, e->be->registers->passes, e->code->loop_begin);
	l->cost->overhead = (unsigned)(e->as->instructions - before);
	e->code->loop_end = tp_emit_here(e);
	if (fp)
		tp_emit_loop_operands(e, true);
	e->be->leave(e, fp);
}

static size_t capacity_of(const struct tp_loop *loop, const struct tp_back_end *be)
{
	enum { FRAME_BYTES = 4096, BRANCH_BYTES = 128 };
	size_t bytes = FRAME_BYTES;
	for (size_t i = 0; i < loop->n_ops; i++)
		bytes += BRANCH_BYTES +
			 (loop->ops[i].kind > TP_LOOP_FP
				  ? 0
				  : (size_t)loop->ops[i].n * be->operation_instructions *
					    be->instruction_bytes);
	return bytes;
}

enum tp_status tp_emit_loop(const struct tp_back_end *be, const struct tp_loop *loop,
			    const struct tp_cpu *cpu, struct tp_code *code,
			    struct tp_loop_cost *cost, struct tp_diag *diag)
{
	const struct tp_loop_fp *fp = &loop->fp;
	struct looper l = { .loop = loop, .cost = cost };
	struct tp_emitter e = { .be = be,
				.cpu = cpu,
				.code = code,
				.element_bytes = fp->element_bytes,
				.operand_bytes =
					fp->vector_bytes ? fp->vector_bytes : fp->element_bytes,
				.scratch = be->registers->loop.scratch };
	l.e = &e;
	enum tp_status status = be->loop_form(&e, fp, diag);
	return status == TP_OK ? tp_emit_run(&e, capacity_of(loop, be), body_of, &l, diag) : status;
}
