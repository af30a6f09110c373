/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the instructions of a kernel. Registers: rdi = data, rsi = passes, rax = walking pointer (loads), rdx = walking
 * pointer of the stores when they have their own region, rcx = inner iterations.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/encode.h"
#include "kernels/x86/x86.h"
#include "kernels/kernel.h"
#include "base/vec.h"

#include <stdlib.h>

enum instruction { MOVE, NT_STORE, ADD, MUL, DIV, FMA, INSTRUCTIONS };

/* [instruction][single][scalar]; the legacy forms are for CPUs without AVX. */
#define M(name) ZYDIS_MNEMONIC_##name
static const ZydisMnemonic vex_forms[INSTRUCTIONS][2][2] = {
	[MOVE] = { { M(VMOVAPD), M(VMOVSD) }, { M(VMOVAPS), M(VMOVSS) } },
	[NT_STORE] = { { M(VMOVNTPD), M(MOVNTI) }, { M(VMOVNTPS), M(MOVNTI) } },
	[ADD] = { { M(VADDPD), M(VADDSD) }, { M(VADDPS), M(VADDSS) } },
	[MUL] = { { M(VMULPD), M(VMULSD) }, { M(VMULPS), M(VMULSS) } },
	[DIV] = { { M(VDIVPD), M(VDIVSD) }, { M(VDIVPS), M(VDIVSS) } },
	[FMA] = { { M(VFMADD231PD), M(VFMADD231SD) }, { M(VFMADD231PS), M(VFMADD231SS) } },
};
static const ZydisMnemonic legacy_forms[INSTRUCTIONS][2][2] = {
	[MOVE] = { { M(MOVAPD), M(MOVSD) }, { M(MOVAPS), M(MOVSS) } },
	[NT_STORE] = { { M(MOVNTPD), M(MOVNTI) }, { M(MOVNTPS), M(MOVNTI) } },
	[ADD] = { { M(ADDPD), M(ADDSD) }, { M(ADDPS), M(ADDSS) } },
	[MUL] = { { M(MULPD), M(MULSD) }, { M(MULPS), M(MULSS) } },
	[DIV] = { { M(DIVPD), M(DIVSD) }, { M(DIVPS), M(DIVSS) } },
	[FMA] = { { M(INVALID), M(INVALID) }, { M(INVALID), M(INVALID) } },
};

#define DATA   ZYDIS_REGISTER_RDI
#define PASSES ZYDIS_REGISTER_RSI
#define LOADS  ZYDIS_REGISTER_RAX
#define STORES ZYDIS_REGISTER_RDX
#define INNER  ZYDIS_REGISTER_RCX

struct emitter {
	struct tp_x86_asm as;
	const struct tp_kernel *k;
	bool fused;
	unsigned operand_bytes, registers;
	/* Register plan: accumulators [0, accumulators), load targets after them, then the operands a and b. */
	unsigned accumulators, first_acc; /* the first `first_acc` take the FMAs of fma+add */
	unsigned targets;
	uint64_t fp_issued, first_issued,
		load_issued; /* since the body began: which register is next */
};

static ZydisRegister vector(const struct emitter *e, unsigned i)
{
	ZydisRegister zero = e->operand_bytes == 64   ? ZYDIS_REGISTER_ZMM0
			     : e->operand_bytes == 32 ? ZYDIS_REGISTER_YMM0
						      : ZYDIS_REGISTER_XMM0;
	return zero + (ZydisRegister)i;
}

static ZydisRegister operand_a(const struct emitter *e)
{
	return vector(e, e->registers - 2);
}

static ZydisRegister operand_b(const struct emitter *e)
{
	return vector(e, e->registers - 1);
}

/* Stores of memory and mixed kernels take a register, which no FP instruction of a mixed kernel reads. */
static ZydisRegister store_source(const struct emitter *e)
{
	return vector(e, e->registers - 3);
}

static ZydisRegister integer_source(const struct emitter *e)
{
	return e->operand_bytes == 8 ? ZYDIS_REGISTER_R8 : ZYDIS_REGISTER_R8D;
}

static ZydisMnemonic form(const struct emitter *e, enum instruction i)
{
	bool single = e->k->element_bytes == 4, scalar = e->k->isa->vector_bytes == 0;
	return (e->as.vex ? vex_forms : legacy_forms)[i][single][scalar];
}

/* dst = dst op a, for VEX and legacy forms alike. */
static void arithmetic(struct emitter *e, enum instruction i, unsigned accumulator)
{
	ZydisRegister dst = vector(e, accumulator), a = operand_a(e);
	if (i == FMA)
		tp_x86_op(&e->as, form(e, i), dst, a, operand_b(e));
	else if (e->as.vex)
		tp_x86_op(&e->as, form(e, i), dst, dst, a);
	else
		tp_x86_op(&e->as, form(e, i), dst, a, ZYDIS_REGISTER_NONE);
}

/* True if two kinds of FP instructions alternate on accumulators of their own. */
static bool is_pair(const struct emitter *e)
{
	return e->k->fp_op == TP_FP_FMA_ADD || (e->k->fp_op == TP_FP_FMA && !e->fused);
}

static void next_fp(struct emitter *e)
{
	uint64_t i = e->fp_issued++;
	if (!is_pair(e)) {
		static const enum instruction of[TP_FP_OP_COUNT] = {
			[TP_FP_ADD] = ADD, [TP_FP_MUL] = MUL, [TP_FP_DIV] = DIV, [TP_FP_FMA] = FMA
		};
		arithmetic(e, of[e->k->fp_op], (unsigned)(i % e->accumulators));
	} else if (tp_kernel_fp_first(e->k, i)) {
		uint64_t n = e->first_issued++;
		arithmetic(e, e->fused ? FMA : MUL, (unsigned)(n % e->first_acc));
	} else {
		uint64_t n = i - e->first_issued;
		unsigned adders = e->accumulators - e->first_acc;
		arithmetic(e, ADD, e->first_acc + (unsigned)(n % adders));
	}
}

static void move_data(struct emitter *e, unsigned reg, unsigned slot, bool store)
{
	int32_t at = (int32_t)(slot * e->operand_bytes);
	if (store)
		tp_x86_store(&e->as, form(e, MOVE), vector(e, reg), DATA, at, e->operand_bytes);
	else
		tp_x86_load(&e->as, form(e, MOVE), vector(e, reg), DATA, at, e->operand_bytes);
}

/* Loads a, b and the accumulators from the data block, or stores the accumulators back. */
static void fp_registers(struct emitter *e, bool store)
{
	if (!store) {
		move_data(e, e->registers - 2, 0, false);
		move_data(e, e->registers - 1, 1, false);
	}
	for (unsigned i = 0; i < e->accumulators; i++)
		move_data(e, i, 2 + i, store);
}

/*
 * Registers of a memory or mixed kernel: zeros, except that stores write back the buffer's first operand. Storing zeros
 * would measure something else: some memory controllers move lines of zeros up to three times as fast.
 */
static void memory_registers(struct emitter *e)
{
	for (unsigned i = 0; i < e->registers; i++) {
		ZydisRegister x = ZYDIS_REGISTER_XMM0 + (ZydisRegister)i;
		ZydisRegister z = ZYDIS_REGISTER_ZMM0 + (ZydisRegister)i;
		if (i >= 16)
			tp_x86_op(&e->as, ZYDIS_MNEMONIC_VPXORQ, z, z, z);
		else if (e->as.vex)
			tp_x86_op(&e->as, ZYDIS_MNEMONIC_VXORPS, x, x, x);
		else
			tp_x86_op(&e->as, ZYDIS_MNEMONIC_XORPS, x, x, ZYDIS_REGISTER_NONE);
	}
	/* A divider may shorten 0 / 0; this divides, multiplies or adds the buffer's first operand. */
	if (e->k->kind == TP_KERNEL_MIXED)
		tp_x86_load(&e->as, form(e, MOVE), operand_a(e), DATA, 0, e->operand_bytes);
	if (e->k->stores == 0)
		return;
	if (e->k->nontemporal && e->k->isa->vector_bytes == 0)
		tp_x86_load(&e->as, ZYDIS_MNEMONIC_MOV, integer_source(e), DATA, 0,
			    e->operand_bytes);
	else
		tp_x86_load(&e->as, form(e, MOVE), store_source(e), DATA, 0, e->operand_bytes);
}

static void one_store(struct emitter *e, ZydisRegister base, int32_t at)
{
	bool integer = e->k->nontemporal && e->k->isa->vector_bytes == 0;
	enum instruction i = e->k->nontemporal ? NT_STORE : MOVE;
	tp_x86_store(&e->as, form(e, i), integer ? integer_source(e) : store_source(e), base, at,
		     e->operand_bytes);
}

/*
 * Accesses [0, n) counted from where the pointers stand. One region: access i lies in lane i mod lanes at step i / lanes.
 * Two streams: the j-th load is j steps above the load pointer, likewise the stores.
 */
static void accesses(struct emitter *e, uint64_t n, uint64_t lane_bytes)
{
	const struct tp_kernel *k = e->k;
	unsigned group = k->loads + k->stores, lanes = k->body.lanes ? k->body.lanes : 1;
	int64_t step = (int64_t)e->operand_bytes * (k->stride ? k->stride : 1);
	int64_t load_at = 0, store_at = 0;
	e->fp_issued = e->first_issued = e->load_issued = 0;
	for (uint64_t i = 0; i < n; i++) {
		bool load = i % group < k->loads;
		int64_t at = (int64_t)(i % lanes * lane_bytes) + (int64_t)(i / lanes) * step;
		ZydisRegister base = LOADS;
		if (k->body.two_streams) {
			at = load ? load_at : store_at;
			base = load ? LOADS : STORES;
			*(load ? &load_at : &store_at) += step;
		}
		if (load) {
			unsigned target =
				e->accumulators + (unsigned)(e->load_issued++ % e->targets);
			tp_x86_load(&e->as, form(e, MOVE), vector(e, target), base, (int32_t)at,
				    e->operand_bytes);
		} else {
			one_store(e, base, (int32_t)at);
		}
		if (k->kind == TP_KERNEL_MIXED)
			for (uint64_t f = tp_kernel_fp_due(k, i); f < tp_kernel_fp_due(k, i + 1);
			     f++)
				next_fp(e);
	}
}

/* Pointer advance: short forms for the assembler's sake are Zydis's business. */
static void advance(struct emitter *e, ZydisRegister pointer, int64_t bytes)
{
	if (bytes)
		tp_x86_op_imm(&e->as, ZYDIS_MNEMONIC_ADD, pointer, bytes);
}

static void walk(struct emitter *e, struct tp_code *code)
{
	const struct tp_kernel *k = e->k;
	struct tp_x86_asm *as = &e->as;
	uint64_t total, loads;
	tp_kernel_accesses(k, &total, &loads);
	uint64_t unroll = tp_kernel_unroll(k);
	uint64_t iterations = total / unroll, rest = total % unroll;
	if (iterations <= 1) {
		iterations = 0;
		rest = total;
	}
	unsigned group = k->loads + k->stores, lanes = k->body.lanes ? k->body.lanes : 1;
	int64_t step = (int64_t)e->operand_bytes * (k->stride ? k->stride : 1);
	uint64_t lane_bytes = total / lanes * (uint64_t)step;

	tp_x86_align(as, 64);
	size_t outer = tp_x86_here(as);
	tp_x86_op(as, ZYDIS_MNEMONIC_MOV, LOADS, DATA, ZYDIS_REGISTER_NONE);
	if (k->body.two_streams) {
		tp_x86_op_imm(as, ZYDIS_MNEMONIC_MOV, STORES, (int64_t)loads * step);
		tp_x86_op(as, ZYDIS_MNEMONIC_ADD, STORES, DATA, ZYDIS_REGISTER_NONE);
	}
	if (iterations) {
		tp_x86_op_imm(as, ZYDIS_MNEMONIC_MOV, INNER, (int64_t)iterations);
		tp_x86_align(as, 64);
		code->loop_begin = tp_x86_here(as);
		accesses(e, unroll, lane_bytes);
		if (k->body.two_streams) {
			advance(e, LOADS, (int64_t)(unroll / group * k->loads) * step);
			advance(e, STORES, (int64_t)(unroll / group * k->stores) * step);
		} else {
			advance(e, LOADS, (int64_t)(unroll / lanes) * step);
		}
		tp_x86_op1(as, ZYDIS_MNEMONIC_DEC, INNER);
		tp_x86_jump_not_zero(as, code->loop_begin);
		code->loop_end = tp_x86_here(as);
	}
	accesses(e, rest, lane_bytes);
	tp_x86_op1(as, ZYDIS_MNEMONIC_DEC, PASSES);
	tp_x86_jump_not_zero(as, outer);
	if (!iterations) {
		code->loop_begin = outer;
		code->loop_end = tp_x86_here(as);
	}
}

static void repeat(struct emitter *e, struct tp_code *code, unsigned n,
		   void (*one)(struct emitter *))
{
	tp_x86_align(&e->as, 64);
	code->loop_begin = tp_x86_here(&e->as);
	e->fp_issued = e->first_issued = 0;
	for (unsigned i = 0; i < n; i++)
		one(e);
	tp_x86_op1(&e->as, ZYDIS_MNEMONIC_DEC, PASSES);
	tp_x86_jump_not_zero(&e->as, code->loop_begin);
	code->loop_end = tp_x86_here(&e->as);
}

/* Register form: some cores resolve chains of immediate additions without executing them. */
static void chain_addition(struct emitter *e)
{
	tp_x86_op(&e->as, ZYDIS_MNEMONIC_ADD, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RDX,
		  ZYDIS_REGISTER_NONE);
}

/* One register after the other, so that nothing waits for anything. */
static void independent_addition(struct emitter *e)
{
	static const ZydisRegister registers[] = { ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX,
						   ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,
						   ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11 };
	tp_x86_op(&e->as, ZYDIS_MNEMONIC_ADD, registers[e->fp_issued++ % TP_COUNT_OF(registers)],
		  ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_NONE);
}

/* Each load takes its address from the one before. */
static void chase_load(struct emitter *e)
{
	tp_x86_follow(&e->as, LOADS, 8);
}

/* Largest divisor of n in [low, high], else high: a body must not end in the middle of the register cycle. */
static unsigned cycle_of(uint64_t n, unsigned low, unsigned high)
{
	for (unsigned d = high; d >= low; d--)
		if (n % d == 0)
			return d;
	return high;
}

static void plan_registers(struct emitter *e)
{
	bool wide = e->registers == 32;
	if (e->k->kind == TP_KERNEL_CHAIN || e->k->kind == TP_KERNEL_WIDTH ||
	    e->k->kind == TP_KERNEL_CHASE)
		return;
	if (e->k->kind == TP_KERNEL_MEMORY) {
		e->targets = e->registers - 3;
		return;
	}
	if (e->k->kind == TP_KERNEL_FP) {
		uint64_t n = tp_kernel_unroll(e->k), first = 0;
		e->accumulators = cycle_of(n, 8, wide ? 24 : 12);
		if (is_pair(e)) {
			for (uint64_t i = 0; i < n; i++)
				first += tp_kernel_fp_first(e->k, i);
			e->first_acc = cycle_of(first, 8, wide ? 16 : 8);
			e->accumulators = e->first_acc + cycle_of(n - first, 4, wide ? 12 : 6);
		}
		return;
	}
	e->targets = wide ? 5 : 3;
	e->accumulators = cycle_of(tp_kernel_fp_due(e->k, tp_kernel_unroll(e->k)), wide ? 12 : 9,
				   wide ? 24 : 10);
	if (is_pair(e)) {
		e->first_acc = wide ? 14 : 6;
		e->accumulators = wide ? 24 : 10;
	}
}

static size_t capacity_of(const struct tp_kernel *k)
{
	enum { LONGEST = 12, FRAME = 4096 };
	size_t unroll = tp_kernel_unroll(k), instructions = unroll;
	if (k->kind == TP_KERNEL_MIXED)
		instructions += (size_t)tp_kernel_fp_due(k, unroll) + 1;
	return 2 * instructions * LONGEST + FRAME;
}

enum tp_status tp_x86_emit(const struct tp_kernel *k, const struct tp_cpu *cpu,
			   struct tp_code *code, struct tp_diag *diag)
{
	struct emitter *e = calloc(1, sizeof(*e));
	if (!e)
		return tp_fail(diag, TP_NOMEM, "kernel emitter", NULL, "out of memory");
	size_t capacity = capacity_of(k);
	enum tp_status status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		goto out;
	tp_x86_asm_init(&e->as, code->map, capacity, tp_has_word(cpu->features, "avx"));
	e->k = k;
	e->fused = k->isa->fused(cpu);
	e->operand_bytes = tp_isa_operand_bytes(k->isa, k->element_bytes);
	e->registers = e->operand_bytes == 64 ? 32 : 16;
	plan_registers(e);

	switch (k->kind) {
	case TP_KERNEL_WIDTH:
		tp_x86_op(&e->as, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RSI,
			  ZYDIS_REGISTER_NONE);
		repeat(e, code, tp_kernel_unroll(k), independent_addition);
		break;
	case TP_KERNEL_CHAIN:
		tp_x86_op(&e->as, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RSI,
			  ZYDIS_REGISTER_NONE);
		repeat(e, code, tp_kernel_unroll(k), chain_addition);
		break;
	case TP_KERNEL_CHASE:
		tp_x86_load(&e->as, ZYDIS_MNEMONIC_MOV, LOADS, DATA, 0, 8);
		repeat(e, code, tp_kernel_unroll(k), chase_load);
		tp_x86_store(&e->as, ZYDIS_MNEMONIC_MOV, LOADS, DATA, 0, 8);
		break;
	case TP_KERNEL_FP:
		fp_registers(e, false);
		repeat(e, code, tp_kernel_unroll(k), next_fp);
		fp_registers(e, true);
		break;
	case TP_KERNEL_MEMORY:
	case TP_KERNEL_MIXED:
		memory_registers(e);
		walk(e, code);
		if (k->nontemporal)
			tp_x86_op0(&e->as, ZYDIS_MNEMONIC_SFENCE);
		break;
	}
	if (e->as.vex)
		tp_x86_op0(&e->as, ZYDIS_MNEMONIC_VZEROUPPER);
	tp_x86_op0(&e->as, ZYDIS_MNEMONIC_RET);

	if (e->as.failed) {
		char name[64];
		status = tp_fail(diag, TP_INTERNAL, tp_kernel_name(k, name, sizeof(name)), NULL,
				 "an instruction of %s could not be encoded", k->isa->name);
		tp_code_release(code);
		goto out;
	}
	status = tp_code_seal(code, tp_x86_here(&e->as), diag);
	if (status != TP_OK)
		tp_code_release(code);
out:
	free(e);
	return status;
}

#endif
