/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Described loops become code. Registers: rdi = data, rsi = iterations to go, rcx = index into the stream, eax = its byte, rdx = chain of the random
 * condition and target of loads, r8 = an odd constant that is added, multiplied by, and stored, r9 and r10 = results of integer
 * instructions. rdi is never 0: that is the condition of branches which are always or never taken.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/encode.h"
#include "kernels/x86/x86.h"
#include "kernels/loop.h"
#include "base/vec.h"

#include <stdlib.h>

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

enum fp { MOVE, ADD, MUL, FMA, FP_FORMS };

/* [form][single][scalar] */
static const ZydisMnemonic vex_forms[FP_FORMS][2][2] = {
	[MOVE] = { { M(VMOVAPD), M(VMOVSD) }, { M(VMOVAPS), M(VMOVSS) } },
	[ADD] = { { M(VADDPD), M(VADDSD) }, { M(VADDPS), M(VADDSS) } },
	[MUL] = { { M(VMULPD), M(VMULSD) }, { M(VMULPS), M(VMULSS) } },
	[FMA] = { { M(VFMADD213PD), M(VFMADD213SD) }, { M(VFMADD213PS), M(VFMADD213SS) } },
};
static const ZydisMnemonic legacy_forms[FP_FORMS][2][2] = {
	[MOVE] = { { M(MOVAPD), M(MOVSD) }, { M(MOVAPS), M(MOVSS) } },
	[ADD] = { { M(ADDPD), M(ADDSD) }, { M(ADDPS), M(ADDSS) } },
	[MUL] = { { M(MULPD), M(MULSD) }, { M(MULPS), M(MULSS) } },
	[FMA] = { { M(INVALID), M(INVALID) }, { M(INVALID), M(INVALID) } },
};

enum {
	ODD = 5,
	/* Multiplications of some three cycles each: time enough for a wrong path to get to its branch. */
	CHAIN = 10,
	OPERAND_A = TP_LOOP_FP_REGISTERS,
	OPERAND_B
};

struct emitter {
	struct tp_x86_asm as;
	const struct tp_loop *loop;
	unsigned counter; /* which register or cell is next */
	struct {
		size_t jump, op; /* lands before that operation; 0 = free */
	} pending[TP_LOOP_MAX_OPS];
	size_t n_pending;
};

static ZydisRegister vector(const struct emitter *e, unsigned i)
{
	unsigned bytes = e->loop->fp.vector_bytes;
	return (bytes == 64 ? R(ZMM0) : bytes == 32 ? R(YMM0) : R(XMM0)) + (ZydisRegister)i;
}

static ZydisMnemonic form(const struct emitter *e, enum fp fp)
{
	const struct tp_loop_fp *shape = &e->loop->fp;
	return (e->as.vex ? vex_forms
			  : legacy_forms)[fp][shape->element_bytes == 4][shape->vector_bytes == 0];
}

static unsigned operand_bytes(const struct emitter *e)
{
	return e->loop->fp.vector_bytes ? e->loop->fp.vector_bytes : e->loop->fp.element_bytes;
}

static int32_t slot(unsigned i)
{
	return (int32_t)(i * TP_LOOP_SLOT_BYTES);
}

static void load_fp(struct emitter *e)
{
	for (unsigned i = 0; i < TP_LOOP_FP_REGISTERS; i++)
		tp_x86_load(&e->as, form(e, MOVE), vector(e, i), R(RDI), slot(2 + i),
			    operand_bytes(e));
	tp_x86_load(&e->as, form(e, MOVE), vector(e, OPERAND_A), R(RDI), slot(0), operand_bytes(e));
	tp_x86_load(&e->as, form(e, MOVE), vector(e, OPERAND_B), R(RDI), slot(1), operand_bytes(e));
}

static void store_fp(struct emitter *e)
{
	for (unsigned i = 0; i < TP_LOOP_FP_REGISTERS; i++)
		tp_x86_store(&e->as, form(e, MOVE), vector(e, i), R(RDI), slot(2 + i),
			     operand_bytes(e));
}

static void two(struct emitter *e, enum fp fp, unsigned x, unsigned operand)
{
	if (e->as.vex)
		tp_x86_op(&e->as, form(e, fp), vector(e, x), vector(e, x), vector(e, operand));
	else
		tp_x86_op(&e->as, form(e, fp), vector(e, x), vector(e, operand), R(NONE));
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
	for (unsigned i = 0; i < n; i++) {
		unsigned x = i % registers;
		if (fused)
			tp_x86_op(&e->as, form(e, FMA), vector(e, x), vector(e, OPERAND_A),
				  vector(e, OPERAND_B));
		else if (i / registers % 2 == 0)
			two(e, MUL, x, OPERAND_A);
		else
			two(e, ADD, x, OPERAND_B);
	}
}

static void emit_integer(struct emitter *e, enum tp_loop_op_kind kind)
{
	ZydisRegister reg = e->counter++ % 2 ? R(R9) : R(R10);
	struct tp_x86_address next = { .base = reg, .displacement = ODD };
	switch (kind) {
	case TP_LOOP_MULTIPLY:
		tp_x86_op(&e->as, M(IMUL), reg, R(R8), R(NONE));
		break;
	case TP_LOOP_SHIFT:
		tp_x86_op_imm(&e->as, M(SHL), reg, 1);
		break;
	case TP_LOOP_ADDRESS:
		tp_x86_lea(&e->as, reg, &next);
		break;
	default:
		tp_x86_op(&e->as, M(ADD), reg, R(R8), R(NONE));
	}
}

static void emit_access(struct emitter *e, enum tp_loop_op_kind kind)
{
	int32_t at = (int32_t)(TP_LOOP_CELLS_AT + e->counter++ % TP_LOOP_CELLS * 8);
	if (kind == TP_LOOP_LOAD)
		tp_x86_load(&e->as, M(MOV), R(RDX), R(RDI), at, 8);
	else
		tp_x86_store(&e->as, kind == TP_LOOP_STORE ? M(MOV) : M(ADD), R(R8), R(RDI), at, 8);
}

static void emit_next(struct emitter *e)
{
	struct tp_x86_address byte = { R(RDI), R(RCX), 1, TP_LOOP_OPERANDS_BYTES };
	tp_x86_load_indexed(&e->as, M(MOVZX), R(EAX), &byte, 1);
	tp_x86_op1(&e->as, M(INC), R(ECX));
	tp_x86_op_imm(&e->as, M(AND), R(ECX), (INT64_C(1) << e->loop->pass_log2) - 1);
}

static void emit_branch(struct emitter *e, size_t op, enum tp_loop_op_kind kind)
{
	ZydisMnemonic jump = M(JNZ);
	switch (kind) {
	case TP_LOOP_JUMP:
		jump = M(JMP);
		break;
	case TP_LOOP_NEVER:
		jump = M(JZ);
		tp_x86_op(&e->as, M(TEST), R(RDI), R(RDI), R(NONE));
		break;
	case TP_LOOP_ALWAYS:
		tp_x86_op(&e->as, M(TEST), R(RDI), R(RDI), R(NONE));
		break;
	case TP_LOOP_ALTERNATE:
		tp_x86_op_imm(&e->as, M(TEST), R(AL), TP_LOOP_ALTERNATE_BIT);
		break;
	default: /* odd times odd is odd, even times odd is even */
		tp_x86_op(&e->as, M(MOV), R(EDX), R(EAX), R(NONE));
		for (unsigned i = 0; i < CHAIN; i++)
			tp_x86_op(&e->as, M(IMUL), R(EDX), R(R8D), R(NONE));
		tp_x86_op_imm(&e->as, M(TEST), R(DL), TP_LOOP_RANDOM_BIT);
	}
	e->pending[e->n_pending].op = op + 1 + e->loop->ops[op].n;
	e->pending[e->n_pending++].jump = tp_x86_jump_forward(&e->as, jump);
}

/* Instructions that `n` of a kind become. */
static unsigned emit_op(struct emitter *e, size_t op)
{
	enum { NEXT_INSTRUCTIONS = 3 };
	enum tp_loop_op_kind kind = e->loop->ops[op].kind;
	unsigned n = e->loop->ops[op].n;
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
			emit_access(e, kind);
		return n;
	case TP_LOOP_FP:
		emit_fp(e, n);
		return n;
	case TP_LOOP_NEXT:
		emit_next(e);
		return NEXT_INSTRUCTIONS;
	case TP_LOOP_BARRIER:
		tp_x86_op0(&e->as, M(LFENCE));
		return 1;
	default:
		emit_branch(e, op, kind);
		return kind == TP_LOOP_JUMP ? 1 : kind == TP_LOOP_RANDOM ? CHAIN + 3 : 2;
	}
}

static void land(struct emitter *e, size_t op)
{
	for (size_t i = 0; i < e->n_pending; i++)
		if (e->pending[i].op == op)
			tp_x86_land(&e->as, e->pending[i].jump);
}

static void emit(struct emitter *e, struct tp_code *code, struct tp_loop_cost *cost)
{
	static const ZydisRegister cleared[] = { R(EAX), R(ECX), R(EDX), R(R9D), R(R10D) };
	struct tp_x86_asm *as = &e->as;
	bool fp = e->loop->fp.element_bytes != 0;
	if (e->loop->pass_log2)
		tp_x86_op_imm(as, M(SHL), R(RSI), e->loop->pass_log2);
	tp_x86_op_imm(as, M(MOV), R(R8D), ODD);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		tp_x86_op(as, M(XOR), cleared[i], cleared[i], R(NONE));
	if (fp)
		load_fp(e);
	tp_x86_align(as, 64);
	code->loop_begin = tp_x86_here(as);
	for (size_t i = 0; i < e->loop->n_ops; i++) {
		land(e, i);
		cost->op[i] = emit_op(e, i);
	}
	land(e, e->loop->n_ops);
	tp_x86_op1(as, M(DEC), R(RSI));
	tp_x86_jump_not_zero(as, code->loop_begin);
	cost->overhead = 2;
	code->loop_end = tp_x86_here(as);
	if (fp)
		store_fp(e);
	if (fp && as->vex)
		tp_x86_op0(as, M(VZEROUPPER));
	tp_x86_op0(as, M(RET));
}

static enum tp_status check_features(const struct tp_loop_fp *fp, const struct tp_cpu *cpu,
				     struct tp_diag *diag)
{
	const char *needs[] = { fp->element_bytes ? "sse2" : NULL,
				fp->vector_bytes == 32 || fp->fused ? "avx" : NULL,
				fp->fused && fp->vector_bytes < 64 ? "fma" : NULL,
				fp->vector_bytes == 64 ? "avx512f" : NULL };
	for (size_t i = 0; i < TP_COUNT_OF(needs); i++)
		if (needs[i] && !tp_has_word(cpu->features, needs[i]))
			return tp_fail(diag, TP_UNSUPPORTED, "counting kernel", NULL,
				       "needs %s, which this CPU or kernel does not offer",
				       needs[i]);
	return TP_OK;
}

enum tp_status tp_x86_emit_loop(const struct tp_loop *loop, const struct tp_cpu *cpu,
				struct tp_code *code, struct tp_loop_cost *cost,
				struct tp_diag *diag)
{
	enum { LONGEST = 15 };
	enum tp_status status = check_features(&loop->fp, cpu, diag);
	if (status != TP_OK)
		return status;
	struct emitter *e = calloc(1, sizeof(*e));
	if (!e)
		return tp_fail(diag, TP_NOMEM, "kernel emitter", NULL, "out of memory");
	size_t capacity = tp_loop_code_bytes(loop, LONGEST);
	status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		goto out;
	tp_x86_asm_init(&e->as, code->map, capacity, tp_has_word(cpu->features, "avx"));
	e->loop = loop;
	emit(e, code, cost);
	if (e->as.failed)
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
	else
		status = tp_code_seal(code, tp_x86_here(&e->as), diag);
	if (status != TP_OK)
		tp_code_release(code);
out:
	free(e);
	return status;
}

#endif
