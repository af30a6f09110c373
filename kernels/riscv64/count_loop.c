/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Described loops become code. Registers: a0 = data, a1 = iterations to go, a2 = index into the stream, a3 = its byte, a4 = chain of the random
 * condition and target of loads, a5 = an odd constant that is added, multiplied by, and stored, a6 and a7 = results of integer instructions,
 * t0 = conditions and modified cells, t1 = mask of the stream, t2 = stream, t3 = cells. a0 is never 0: that is the condition of branches
 * which are always or never taken. Branches compare by themselves, so these are one instruction.
 *
 * Vectors of 16, 32, 64 bytes are as many elements of the registers, where those are long enough.
 */
#include "kernels/loop.h"
#include "kernels/riscv64/encode.h"
#include "kernels/riscv64/riscv64.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>

enum {
	DATA = X_A0,
	ROUNDS = X_A1,
	INDEX = X_A2,
	BYTE = X_A3,
	CHAIN = X_A4,
	ODD = X_A5,
	CONDITION = X_T0,
	MASK = X_T1,
	STREAM = X_T2,
	CELLS = X_T3,
	SCRATCH = X_T4
};

enum {
	ODD_VALUE = 5,
	/* Multiplications of some three cycles each: time enough for a wrong path to get to its branch. */
	CHAIN_LENGTH = 10,
	OPERAND_A = TP_LOOP_FP_REGISTERS,
	OPERAND_B
};

enum arithmetic { MULTIPLY, ADD, FUSED, ARITHMETICS };

struct emitter {
	struct tp_riscv_asm as;
	const struct tp_loop *loop;
	bool old; /* vectors of version 0.7 */
	unsigned counter; /* which register or cell is next */
	struct {
		size_t branch, op; /* lands before that operation */
	} pending[TP_LOOP_MAX_OPS];
	size_t n_pending;
};

static bool is_vector(const struct emitter *e)
{
	return e->loop->fp.vector_bytes != 0;
}

static bool is_single(const struct emitter *e)
{
	return e->loop->fp.element_bytes == 4;
}

/* ft0 to ft7, fa0 to fa7 of the scalar ones; any vector register. */
static unsigned fp_register(const struct emitter *e, unsigned i)
{
	enum { FT_REGISTERS = 8, FA0 = 10 };
	return is_vector(e) || i < FT_REGISTERS ? i : FA0 + i - FT_REGISTERS;
}

static enum tp_riscv_op move_op(const struct emitter *e, bool store)
{
	/* [vector][single][store] */
	static const enum tp_riscv_op ops[2][2][2] = {
		{ { TP_RISCV_FLD, TP_RISCV_FSD }, { TP_RISCV_FLW, TP_RISCV_FSW } },
		{ { TP_RISCV_VLE64, TP_RISCV_VSE64 }, { TP_RISCV_VLE32, TP_RISCV_VSE32 } },
	};
	bool wide =
		is_vector(e) && e->old; /* version 0.7 moves elements of the width it is set to */
	return ops[is_vector(e)][is_single(e) && !wide][store];
}

/* Slots are too far from each other for offsets of vectors, which have none. */
static void move_slots(struct emitter *e, bool store)
{
	for (unsigned slot = store ? 2 : 0; slot < 2 + TP_LOOP_FP_REGISTERS; slot++) {
		unsigned i = slot == 0 ? OPERAND_A : slot == 1 ? OPERAND_B : slot - 2;
		tp_riscv_imm(&e->as, TP_RISCV_ADDI, SCRATCH, DATA, slot * TP_LOOP_SLOT_BYTES);
		tp_riscv_imm(&e->as, move_op(e, store), fp_register(e, i), SCRATCH, 0);
	}
}

static void arithmetic(struct emitter *e, enum arithmetic what, unsigned i)
{
	static const enum tp_riscv_op vectors[ARITHMETICS] = { TP_RISCV_VFMUL, TP_RISCV_VFADD,
							       TP_RISCV_VFMADD };
	static const enum tp_riscv_op scalars[2][ARITHMETICS] = {
		{ TP_RISCV_FMUL_D, TP_RISCV_FADD_D, TP_RISCV_FMADD_D },
		{ TP_RISCV_FMUL_S, TP_RISCV_FADD_S, TP_RISCV_FMADD_S },
	};
	unsigned x = fp_register(e, i), a = fp_register(e, OPERAND_A),
		 b = fp_register(e, OPERAND_B);
	if (what == FUSED && is_vector(e))
		tp_riscv_op3(&e->as, vectors[what], x, a, b);
	else if (what == FUSED)
		tp_riscv_op4(&e->as, scalars[is_single(e)][what], x, x, a, b);
	else
		tp_riscv_op3(&e->as, is_vector(e) ? vectors[what] : scalars[is_single(e)][what], x,
			     x, what == MULTIPLY ? a : b);
}

/*
 * One round over the registers after the other, all multiplied, then all added to. Whole turns: a register that is multiplied more
 * often than added to would go to zero.
 */
static void emit_fp(struct emitter *e, unsigned n)
{
	bool fused = e->loop->fp.fused;
	unsigned turns = fused ? n : n / 2, registers = TP_LOOP_FP_REGISTERS;
	while (registers > 1 && turns % registers)
		registers--;
	for (unsigned i = 0; i < n; i++)
		arithmetic(e,
			   fused		    ? FUSED
			   : i / registers % 2 == 0 ? MULTIPLY
						    : ADD,
			   i % registers);
}

static void emit_integer(struct emitter *e, enum tp_loop_op_kind kind)
{
	unsigned reg = e->counter++ % 2 ? X_A6 : X_A7;
	switch (kind) {
	case TP_LOOP_MULTIPLY:
		tp_riscv_op3(&e->as, TP_RISCV_MUL, reg, reg, ODD);
		break;
	case TP_LOOP_SHIFT:
		tp_riscv_imm(&e->as, TP_RISCV_SLLI, reg, reg, 1);
		break;
	case TP_LOOP_ADDRESS:
		tp_riscv_imm(&e->as, TP_RISCV_ADDI, reg, reg, ODD_VALUE);
		break;
	default:
		tp_riscv_op3(&e->as, TP_RISCV_ADD, reg, reg, ODD);
	}
}

static void emit_access(struct emitter *e, enum tp_loop_op_kind kind)
{
	int64_t at = (int64_t)(e->counter++ % TP_LOOP_CELLS) * 8;
	switch (kind) {
	case TP_LOOP_LOAD:
		tp_riscv_imm(&e->as, TP_RISCV_LD, CHAIN, CELLS, at);
		break;
	case TP_LOOP_STORE:
		tp_riscv_imm(&e->as, TP_RISCV_SD, ODD, CELLS, at);
		break;
	default:
		tp_riscv_imm(&e->as, TP_RISCV_LD, CONDITION, CELLS, at);
		tp_riscv_op3(&e->as, TP_RISCV_ADD, CONDITION, CONDITION, ODD);
		tp_riscv_imm(&e->as, TP_RISCV_SD, CONDITION, CELLS, at);
	}
}

static void emit_next(struct emitter *e)
{
	tp_riscv_op3(&e->as, TP_RISCV_ADD, CONDITION, STREAM, INDEX);
	tp_riscv_imm(&e->as, TP_RISCV_LBU, BYTE, CONDITION, 0);
	tp_riscv_imm(&e->as, TP_RISCV_ADDI, INDEX, INDEX, 1);
	tp_riscv_op3(&e->as, TP_RISCV_AND, INDEX, INDEX, MASK);
}

static void emit_branch(struct emitter *e, size_t op, enum tp_loop_op_kind kind)
{
	enum tp_riscv_op branch = TP_RISCV_BNE;
	unsigned tested = CONDITION;
	switch (kind) {
	case TP_LOOP_JUMP:
		branch = TP_RISCV_JAL;
		break;
	case TP_LOOP_NEVER:
		branch = TP_RISCV_BEQ;
		tested = DATA;
		break;
	case TP_LOOP_ALWAYS:
		tested = DATA;
		break;
	case TP_LOOP_ALTERNATE:
		tp_riscv_imm(&e->as, TP_RISCV_ANDI, CONDITION, BYTE, TP_LOOP_ALTERNATE_BIT);
		break;
	default: /* odd times odd is odd, even times odd is even */
		tp_riscv_op3(&e->as, TP_RISCV_MUL, CHAIN, BYTE, ODD);
		for (unsigned i = 1; i < CHAIN_LENGTH; i++)
			tp_riscv_op3(&e->as, TP_RISCV_MUL, CHAIN, CHAIN, ODD);
		tp_riscv_imm(&e->as, TP_RISCV_ANDI, CONDITION, CHAIN, TP_LOOP_RANDOM_BIT);
	}
	e->pending[e->n_pending].op = op + 1 + e->loop->ops[op].n;
	e->pending[e->n_pending++].branch = tp_riscv_forward(&e->as, branch, tested, X_ZERO);
}

static void emit_op(struct emitter *e, size_t op)
{
	enum tp_loop_op_kind kind = e->loop->ops[op].kind;
	unsigned n = e->loop->ops[op].n;
	switch (kind) {
	case TP_LOOP_ADD:
	case TP_LOOP_MULTIPLY:
	case TP_LOOP_SHIFT:
	case TP_LOOP_ADDRESS:
		for (unsigned i = 0; i < n; i++)
			emit_integer(e, kind);
		break;
	case TP_LOOP_LOAD:
	case TP_LOOP_STORE:
	case TP_LOOP_MODIFY:
		for (unsigned i = 0; i < n; i++)
			emit_access(e, kind);
		break;
	case TP_LOOP_FP:
		emit_fp(e, n);
		break;
	case TP_LOOP_NEXT:
		emit_next(e);
		break;
	case TP_LOOP_BARRIER:
		/*
		 * No instruction is there to stop wrong paths. This one comes nearest: what is fetched after it must see all stores
		 * before it, so cores wait for them and fetch anew.
		 */
		tp_riscv_imm(&e->as, TP_RISCV_FENCE_I, 0, 0, 0);
		break;
	default:
		emit_branch(e, op, kind);
	}
}

static void land(struct emitter *e, size_t op)
{
	for (size_t i = 0; i < e->n_pending; i++)
		if (e->pending[i].op == op)
			tp_riscv_land(&e->as, e->pending[i].branch);
}

static void enter(struct emitter *e)
{
	static const uint8_t cleared[] = { BYTE, INDEX, CHAIN, X_A6, X_A7 };
	struct tp_riscv_asm *as = &e->as;
	const struct tp_loop_fp *fp = &e->loop->fp;
	if (e->loop->pass_log2)
		tp_riscv_imm(as, TP_RISCV_SLLI, ROUNDS, ROUNDS, e->loop->pass_log2);
	tp_riscv_li(as, ODD, ODD_VALUE);
	tp_riscv_add(as, CELLS, DATA, TP_LOOP_CELLS_AT, SCRATCH);
	tp_riscv_add(as, STREAM, DATA, TP_LOOP_OPERANDS_BYTES, SCRATCH);
	tp_riscv_li(as, MASK, (INT64_C(1) << e->loop->pass_log2) - 1);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		tp_riscv_li(as, cleared[i], 0);
	if (is_vector(e)) {
		tp_riscv_li(as, SCRATCH, fp->vector_bytes / fp->element_bytes);
		tp_riscv_imm(as, TP_RISCV_VSETVLI, X_ZERO, SCRATCH,
			     tp_riscv_vtype(e->old, fp->element_bytes, 1));
	}
	if (fp->element_bytes)
		move_slots(e, false);
}

static void emit(struct emitter *e, struct tp_code *code, struct tp_loop_cost *cost)
{
	enum { WORD_BYTES = 4 };
	struct tp_riscv_asm *as = &e->as;
	enter(e);
	tp_riscv_align(as, 64);
	code->loop_begin = tp_riscv_here(as);
	for (size_t i = 0; i < e->loop->n_ops; i++) {
		land(e, i);
		size_t before = tp_riscv_here(as);
		emit_op(e, i);
		cost->op[i] = (unsigned)((tp_riscv_here(as) - before) / WORD_BYTES);
	}
	land(e, e->loop->n_ops);
	size_t before = tp_riscv_here(as);
	tp_riscv_loop(as, ROUNDS, code->loop_begin);
	cost->overhead = (unsigned)((tp_riscv_here(as) - before) / WORD_BYTES);
	code->loop_end = tp_riscv_here(as);
	if (e->loop->fp.element_bytes)
		move_slots(e, true);
	tp_riscv_imm(as, TP_RISCV_JALR, X_ZERO, X_RA, 0);
}

static enum tp_status check_features(const struct tp_loop_fp *fp, const struct tp_cpu *cpu,
				     struct tp_diag *diag)
{
	bool vectors =
		tp_has_word(cpu->features, "v") || tp_has_word(cpu->features, "xtheadvector");
	char length[16];
	if (!fp->vector_bytes)
		return TP_OK;
	snprintf(length, sizeof(length), "zvl%ub", fp->vector_bytes * 8);
	if (!vectors || !tp_has_word(cpu->features, length))
		return tp_fail(diag, TP_UNSUPPORTED, "counting kernel", NULL,
			       "needs %s, which this CPU or kernel does not offer",
			       vectors ? length : "v");
	return TP_OK;
}

enum tp_status tp_riscv_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				  struct tp_code *code, struct tp_loop_cost *cost,
				  struct tp_diag *diag)
{
	enum { LONGEST = 12 };
	struct emitter e = { .loop = loop, .old = !tp_has_word(cpu->features, "v") };
	size_t capacity = tp_loop_code_bytes(loop, LONGEST);
	enum tp_status status = check_features(&loop->fp, cpu, diag);
	if (status == TP_OK)
		status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_riscv_init(&e.as, code->map, capacity);
	emit(&e, code, cost);
	if (e.as.failed)
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
	else
		status = tp_code_seal(code, tp_riscv_here(&e.as), diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}
