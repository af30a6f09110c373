/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Described loops become code. Registers: x0 = data, x1 = iterations to go, x2 = index into the stream, x3 = where the stream begins, x4 = its
 * byte, x5 = chain of the random condition and target of loads, x6 = an odd constant that is added, multiplied by, and stored, x7 and
 * x8 = results of integer instructions. x0 is never 0: that is the condition of branches which are always or never taken.
 */
#include "kernels/aarch64/aarch64.h"
#include "kernels/aarch64/forms.h"
#include "kernels/loop.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>

enum { DATA, PASSES, INDEX, STREAM, BYTE, CHAINED, CONSTANT, RESULT, OTHER_RESULT };

enum {
	ODD = 5,
	/* Multiplications of some three cycles each: time enough for a wrong path to get to its branch. */
	CHAIN = 10,
	OPERAND_A = TP_LOOP_FP_REGISTERS,
	OPERAND_B,
	LINE_BYTES = 64
};

struct emitter {
	struct tp_aarch64_asm as;
	const struct tp_loop *loop;
	struct tp_aarch64_forms forms;
	unsigned counter; /* which register or cell is next */
	struct {
		size_t branch, op; /* lands before that operation */
	} pending[TP_LOOP_MAX_OPS];
	size_t n_pending;
};

static void put(struct emitter *e, enum tp_aarch64_op op, int64_t a, int64_t b, int64_t c)
{
	tp_aarch64_put(&e->as, op, a, b, c, 0);
}

/* Operands and registers x, in slots as far apart as the longest vectors of the data block; the slots of a vector end where the next begins. */
static void move_fp(struct emitter *e, bool store)
{
	struct tp_aarch64_access access =
		tp_aarch64_access(&e->forms, store ? TP_AARCH64_STORE : TP_AARCH64_LOAD);
	for (unsigned i = 0; i < 2 + TP_LOOP_FP_REGISTERS; i++) {
		unsigned reg = i < 2 ? OPERAND_A + i : i - 2;
		if (i >= 2 || !store)
			tp_aarch64_do_access(&e->as, &access, reg, DATA,
					     (int64_t)i * TP_LOOP_SLOT_BYTES);
	}
}

/*
 * One round over the registers after the other, all multiplied, then all added to; fused ones forth and back. Whole turns: a register
 * that is multiplied more often than added to would go to zero, and one of NEON's, which can only be added to, would grow for ever.
 */
static void emit_fp(struct emitter *e, unsigned n)
{
	/* [fused][second of two rounds] */
	static const enum tp_aarch64_arithmetic rounds[2][2] = {
		{ TP_AARCH64_DO_MUL, TP_AARCH64_DO_ADD },
		{ TP_AARCH64_DO_SCALE, TP_AARCH64_DO_SCALE_BACK },
	};
	bool fused = e->loop->fp.fused;
	unsigned turns = n / 2, registers = TP_LOOP_FP_REGISTERS;
	while (registers > 1 && turns % registers)
		registers--;
	for (unsigned i = 0; i < n; i++) {
		bool second = i / registers % 2;
		enum tp_aarch64_arithmetic what = rounds[fused][second];
		unsigned other = fused || !second ? OPERAND_A : OPERAND_B;
		tp_aarch64_arithmetic(&e->as, &e->forms, what, i % registers, other, OPERAND_B);
	}
}

static void emit_integer(struct emitter *e, enum tp_loop_op_kind kind)
{
	unsigned reg = e->counter++ % 2 ? RESULT : OTHER_RESULT;
	switch (kind) {
	case TP_LOOP_MULTIPLY:
		put(e, TP_AARCH64_MUL, reg, reg, CONSTANT);
		break;
	case TP_LOOP_SHIFT:
		put(e, TP_AARCH64_LSL_1, reg, reg, 0);
		break;
	case TP_LOOP_ADDRESS:
		put(e, TP_AARCH64_ADD_IMM, reg, reg, ODD);
		break;
	default:
		put(e, TP_AARCH64_ADD, reg, reg, CONSTANT);
	}
}

/* Returns how many instructions: memory cannot be added to. */
static unsigned emit_access(struct emitter *e, enum tp_loop_op_kind kind)
{
	int64_t at = TP_LOOP_CELLS_AT + e->counter++ % TP_LOOP_CELLS * 8;
	if (kind == TP_LOOP_STORE) {
		put(e, TP_AARCH64_STR_X, CONSTANT, DATA, at);
		return 1;
	}
	put(e, TP_AARCH64_LDR_X, CHAINED, DATA, at);
	if (kind == TP_LOOP_LOAD)
		return 1;
	put(e, TP_AARCH64_ADD, CHAINED, CHAINED, CONSTANT);
	put(e, TP_AARCH64_STR_X, CHAINED, DATA, at);
	return 3;
}

static unsigned emit_next(struct emitter *e)
{
	put(e, TP_AARCH64_LDRB_INDEXED, BYTE, STREAM, INDEX);
	put(e, TP_AARCH64_ADD_IMM, INDEX, INDEX, 1);
	put(e, TP_AARCH64_AND_MASK, INDEX, INDEX, e->loop->pass_log2 - 1);
	return 3;
}

static unsigned emit_barrier(struct emitter *e)
{
	put(e, TP_AARCH64_DSB, 0, 0, 0);
	put(e, TP_AARCH64_ISB, 0, 0, 0);
	return 2;
}

static unsigned emit_branch(struct emitter *e, size_t op, enum tp_loop_op_kind kind)
{
	unsigned before = 0;
	size_t branch;
	switch (kind) {
	case TP_LOOP_JUMP:
		branch = tp_aarch64_branch_forward(&e->as, TP_AARCH64_B, 0, 0);
		break;
	case TP_LOOP_NEVER:
		branch = tp_aarch64_branch_forward(&e->as, TP_AARCH64_CBZ, DATA, 0);
		break;
	case TP_LOOP_ALWAYS:
		branch = tp_aarch64_branch_forward(&e->as, TP_AARCH64_CBNZ, DATA, 0);
		break;
	case TP_LOOP_ALTERNATE:
		branch = tp_aarch64_branch_forward(&e->as, TP_AARCH64_TBNZ, BYTE,
						   __builtin_ctz(TP_LOOP_ALTERNATE_BIT));
		break;
	default: /* odd times odd is odd, even times odd is even */
		for (; before < CHAIN; before++)
			put(e, TP_AARCH64_MUL, CHAINED, before ? CHAINED : BYTE, CONSTANT);
		branch = tp_aarch64_branch_forward(&e->as, TP_AARCH64_TBNZ, CHAINED,
						   __builtin_ctz(TP_LOOP_RANDOM_BIT));
	}
	e->pending[e->n_pending].op = op + 1 + e->loop->ops[op].n;
	e->pending[e->n_pending++].branch = branch;
	return before + 1;
}

/* Instructions that an operation becomes. */
static unsigned emit_op(struct emitter *e, size_t op)
{
	enum tp_loop_op_kind kind = e->loop->ops[op].kind;
	unsigned n = e->loop->ops[op].n, cost = 0;
	switch (kind) {
	case TP_LOOP_ADD:
	case TP_LOOP_MULTIPLY:
	case TP_LOOP_SHIFT:
	case TP_LOOP_ADDRESS:
		for (unsigned i = 0; i < n; i++)
			emit_integer(e, kind);
		return n;
	case TP_LOOP_LOAD:
	case TP_LOOP_STORE:
	case TP_LOOP_MODIFY:
		for (unsigned i = 0; i < n; i++)
			cost += emit_access(e, kind);
		return cost;
	case TP_LOOP_FP:
		emit_fp(e, n);
		return n;
	case TP_LOOP_NEXT:
		return emit_next(e);
	case TP_LOOP_BARRIER:
		return emit_barrier(e);
	default:
		return emit_branch(e, op, kind);
	}
}

static void land(struct emitter *e, size_t op)
{
	for (size_t i = 0; i < e->n_pending; i++)
		if (e->pending[i].op == op)
			tp_aarch64_land(&e->as, e->pending[i].branch);
}

static void emit(struct emitter *e, struct tp_code *code, struct tp_loop_cost *cost)
{
	static const unsigned cleared[] = { INDEX, BYTE, CHAINED, RESULT, OTHER_RESULT };
	struct tp_aarch64_asm *as = &e->as;
	bool fp = e->loop->fp.element_bytes != 0;
	if (fp) {
		tp_aarch64_save(as);
		tp_aarch64_forms_begin(as, &e->forms);
		move_fp(e, false);
	}
	if (e->loop->pass_log2) {
		tp_aarch64_constant(as, INDEX, e->loop->pass_log2);
		put(e, TP_AARCH64_LSL, PASSES, PASSES, INDEX);
	}
	tp_aarch64_constant(as, CONSTANT, ODD);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		tp_aarch64_constant(as, cleared[i], 0);
	tp_aarch64_advance(as, STREAM, DATA, TP_LOOP_OPERANDS_BYTES, CHAINED);
	tp_aarch64_align(as, LINE_BYTES);
	code->loop_begin = tp_aarch64_here(as);
	for (size_t i = 0; i < e->loop->n_ops; i++) {
		land(e, i);
		cost->op[i] = emit_op(e, i);
	}
	land(e, e->loop->n_ops);
	put(e, TP_AARCH64_SUBS_IMM, PASSES, PASSES, 1);
	tp_aarch64_branch_back(as, TP_AARCH64_B_NE, 0, 0, code->loop_begin);
	cost->overhead = 2;
	code->loop_end = tp_aarch64_here(as);
	if (fp) {
		move_fp(e, true);
		tp_aarch64_restore(as);
	}
	put(e, TP_AARCH64_RET, 0, 0, 0);
}

/* Vectors of more than 128 bits are SVE's, and only those of the CPU's own length. */
static enum tp_status choose_forms(const struct tp_loop_fp *fp, const struct tp_cpu *cpu,
				   struct tp_aarch64_forms *forms, struct tp_diag *diag)
{
	char needs[16] = "fp";
	*forms = (struct tp_aarch64_forms){
		.kind = TP_AARCH64_SCALAR,
		.element_bytes = fp->element_bytes,
		.operand_bytes = fp->vector_bytes ? fp->vector_bytes : fp->element_bytes,
	};
	if (fp->vector_bytes == 16) {
		forms->kind = TP_AARCH64_NEON;
		tp_copy(needs, sizeof(needs), "asimd");
	} else if (fp->vector_bytes) {
		forms->kind = TP_AARCH64_SVE;
		snprintf(needs, sizeof(needs), "sve-%u", fp->vector_bytes * 8);
	}
	if (fp->element_bytes && !tp_has_word(cpu->features, needs))
		return tp_fail(diag, TP_UNSUPPORTED, "counting kernel", NULL,
			       "needs %s, which this CPU or kernel does not offer", needs);
	return TP_OK;
}

enum tp_status tp_aarch64_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				    struct tp_code *code, struct tp_loop_cost *cost,
				    struct tp_diag *diag)
{
	enum { LONGEST = 12 };
	struct emitter e = { .loop = loop };
	enum tp_status status = choose_forms(&loop->fp, cpu, &e.forms, diag);
	if (status != TP_OK)
		return status;
	size_t capacity = tp_loop_code_bytes(loop, LONGEST);
	status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_aarch64_asm_init(&e.as, code->map, capacity);
	emit(&e, code, cost);
	if (e.as.failed)
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
	else
		status = tp_code_seal(code, tp_aarch64_here(&e.as), diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}
