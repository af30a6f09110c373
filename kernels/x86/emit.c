/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The x86-64 back end of the shared emitter. Kernels walk with rax, and with rdx if stores have
 * their own region.
 *
 * Registers of loops: rcx = index into the stream, eax = its byte, edx = random condition, rdx =
 * target of loads, r8 = the odd number, r9 and r10 = results.
 */
#ifdef TP_ARCH_X86_64

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/emit/emit.h"
#include "kernels/kernel.h"
#include "kernels/x86/encode.h"
#include "kernels/x86/x86.h"

static inline bool has_tiles(const struct tp_emitter *e)
{
	return e->narrow && e->narrow->tile_bytes;
}

/*
 * Gathers of AVX2, whose mask is a vector register, and of AVX-512, whose mask is one of k1 to k7.
 * Both clear their mask, so it is set again before each.
 */

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

/* Vector registers after the results: one mask for each result, the indexes, the mask to copy. */
enum { MASKS = TP_GATHER_GROUP, INDEX = 2 * TP_GATHER_GROUP, ALL };
enum { INDEX_BYTES = 4, KMASK_BYTES = 2 };

static struct tp_x86_asm *x86(struct tp_emitter *e)
{
	return (struct tp_x86_asm *)e->as;
}

/* AVX-512 has k masks for vectors of every length, AVX2 has vectors for masks. */
static bool has_kmasks(const struct tp_emitter *e)
{
	return e->k->isa->gather_most_bytes == 64;
}

static ZydisRegister sized(unsigned bytes, unsigned i)
{
	ZydisRegister zero = bytes == 64 ? R(ZMM0) : bytes == 32 ? R(YMM0) : R(XMM0);
	return zero + (ZydisRegister)i;
}

/* Indexes of doubles take half the vector, at least an xmm register. */
static unsigned index_bytes(const struct tp_emitter *e)
{
	unsigned bytes = e->operand_bytes / e->element_bytes * INDEX_BYTES;
	return bytes < 16 ? 16 : bytes;
}

/* As begin_gathers and gather of a back end. */
static void x86_begin_gathers(struct tp_emitter *e)
{
	unsigned bytes = index_bytes(e), data = e->be->registers->data;
	tp_x86_load(x86(e), M(VMOVAPS), sized(bytes, INDEX), data,
		    offsetof(struct tp_gather_data, index), bytes);
	if (has_kmasks(e))
		tp_x86_load(x86(e), M(KMOVW), R(K2), data,
			    offsetof(struct tp_gather_data, lanes_on), KMASK_BYTES);
	else
		tp_x86_load(x86(e), M(VMOVAPS), sized(e->operand_bytes, ALL), data,
			    offsetof(struct tp_gather_data, mask), e->operand_bytes);
}

static void gather_from(struct tp_emitter *e, unsigned reg, unsigned base)
{
	unsigned bytes = e->operand_bytes;
	bool single = e->element_bytes == 4;
	const struct tp_x86_address at = { base, sized(index_bytes(e), INDEX), e->element_bytes,
					   0 };
	ZydisRegister mask = has_kmasks(e) ? R(K1) : sized(bytes, MASKS + reg);
	/* Lanes that are off keep what is there, so a gather would wait for the one before. */
	e->be->clear(e, reg);
	if (has_kmasks(e))
		tp_x86_op(x86(e), M(KMOVW), mask, R(K2), R(NONE));
	else
		tp_x86_op(x86(e), M(VMOVAPS), mask, sized(bytes, ALL), R(NONE));
	tp_x86_gather(x86(e), single ? M(VGATHERDPS) : M(VGATHERDPD), sized(bytes, reg), mask, &at,
		      e->element_bytes);
}

/*
 * The 64 bytes that LDTILECFG reads (Intel SDM volume 1, chapter on Intel AMX): palette 1 in byte
 * 0, bytes of a row of tiles 0 to 7 in the words from byte 16 on, rows in the bytes from 48 on.
 */
enum { CONFIG_BYTES = 64, QUAD_BYTES = 8 };

/* Configures all tiles, and keeps the distance of their rows in rcx. */
static void tiles_begin(struct tp_emitter *e)
{
	static const uint64_t row_bytes = UINT64_C(0x0001000100010001) * TP_X86_TILE_ROW_BYTES,
			      rows = UINT64_C(0x0101010101010101) * TP_X86_TILE_ROWS;
	const uint64_t config[CONFIG_BYTES / QUAD_BYTES] = { 1, 0, row_bytes, row_bytes,
							     0, 0, rows,      0 };
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	/* It lies below the stack, in the 128 bytes that no signal handler writes to. */
	struct tp_x86_address at = { .base = R(RSP), .displacement = -CONFIG_BYTES };
	for (size_t i = 0; i < sizeof(config) / sizeof(config[0]); i++) {
		tp_x86_op_imm(as, M(MOV), R(RAX), (int64_t)config[i]);
		tp_x86_store(as, M(MOV), R(RAX), R(RSP), (int32_t)(i * QUAD_BYTES) - CONFIG_BYTES,
			     QUAD_BYTES);
	}
	tp_x86_memory(as, M(LDTILECFG), &at, CONFIG_BYTES);
	tp_x86_op_imm(as, M(MOV), R(RCX), TP_X86_TILE_ROW_BYTES);
}

/*
 * Six accumulators in addition to A and B: a product is ready after 52 cycles, and one starts every
 * 16.
 */
static struct tp_register_budget tiles_budget(void)
{
	return (struct tp_register_budget){ .registers = TP_X86_TILES,
					    .a = TP_X86_TILES - 2,
					    .b = TP_X86_TILES - 1,
					    .fp = { 4, TP_X86_TILES - 2 } };
}

/* x += a * b */
static void tiles_product(struct tp_emitter *e, unsigned x, unsigned a, unsigned b)
{
	static const ZydisMnemonic instructions[TP_X86_NARROW] = {
		[TP_X86_TDPFP16PS] = M(TDPBF16PS), /* and the other bit below */
		[TP_X86_TDPBF16PS] = M(TDPBF16PS),
		[TP_X86_TDPBSSD] = M(TDPBSSD),
	};
	struct tp_x86_asm *as = (struct tp_x86_asm *)e->as;
	const ZydisRegister zero = R(TMM0);
	tp_x86_op(as, instructions[e->narrow->instruction], zero + (ZydisRegister)x,
		  zero + (ZydisRegister)a, zero + (ZydisRegister)b);
	if (e->narrow->instruction == TP_X86_TDPFP16PS && !as->base.failed)
		as->base.at[TP_X86_TDP_PP_AT - TP_X86_TDP_BYTES] |= TP_X86_TDP_HALF;
}

static void tiles_move(struct tp_emitter *e, bool store, unsigned tile, unsigned base,
		       int64_t offset)
{
	const struct tp_x86_address at = { base, R(RCX), 1, (int32_t)offset };
	(store ? tp_x86_store_indexed : tp_x86_load_indexed)((struct tp_x86_asm *)e->as,
							     store ? M(TILESTORED) : M(TILELOADD),
							     R(TMM0) + (ZydisRegister)tile, &at, 0);
}

enum { NT_STORE = TP_ARITHMETICS, MOVE, FORMS };

/* [what][single][scalar]; the legacy forms are for CPUs without AVX. */
static const ZydisMnemonic vex_forms[FORMS][2][2] = {
	[TP_DO_ADD] = { { M(VADDPD), M(VADDSD) }, { M(VADDPS), M(VADDSS) } },
	[TP_DO_MUL] = { { M(VMULPD), M(VMULSD) }, { M(VMULPS), M(VMULSS) } },
	[TP_DO_DIV] = { { M(VDIVPD), M(VDIVSD) }, { M(VDIVPS), M(VDIVSS) } },
	[TP_DO_FMA] = { { M(VFMADD231PD), M(VFMADD231SD) }, { M(VFMADD231PS), M(VFMADD231SS) } },
	[TP_DO_SCALE] = { { M(VFMADD213PD), M(VFMADD213SD) }, { M(VFMADD213PS), M(VFMADD213SS) } },
	[NT_STORE] = { { M(VMOVNTPD), M(MOVNTI) }, { M(VMOVNTPS), M(MOVNTI) } },
	[MOVE] = { { M(VMOVAPD), M(VMOVSD) }, { M(VMOVAPS), M(VMOVSS) } },
};
static const ZydisMnemonic legacy_forms[FORMS][2][2] = {
	[TP_DO_ADD] = { { M(ADDPD), M(ADDSD) }, { M(ADDPS), M(ADDSS) } },
	[TP_DO_MUL] = { { M(MULPD), M(MULSD) }, { M(MULPS), M(MULSS) } },
	[TP_DO_DIV] = { { M(DIVPD), M(DIVSD) }, { M(DIVPS), M(DIVSS) } },
	[NT_STORE] = { { M(MOVNTPD), M(MOVNTI) }, { M(MOVNTPS), M(MOVNTI) } },
	[MOVE] = { { M(MOVAPD), M(MOVSD) }, { M(MOVAPS), M(MOVSS) } },
};

static ZydisMnemonic form(struct tp_emitter *e, unsigned what)
{
	bool single = e->element_bytes == 4, scalar = e->form == TP_X86_SCALAR;
	return (x86(e)->vex ? vex_forms : legacy_forms)[what][single][scalar];
}

static ZydisRegister vector(const struct tp_emitter *e, unsigned i)
{
	ZydisRegister zero = e->operand_bytes == 64   ? R(ZMM0)
			     : e->operand_bytes == 32 ? R(YMM0)
						      : R(XMM0);
	return zero + (ZydisRegister)i;
}

/* --- frame --- */

static void open_assembler(struct tp_emitter *e)
{
	x86(e)->vex = tp_has_word(e->cpu->features, "avx");
}

static void fill(struct tp_emitter *e, size_t bytes)
{
	tp_x86_fill(e->as, bytes);
}

static enum tp_status loop_form(struct tp_emitter *e, const struct tp_loop_fp *fp,
				struct tp_diag *diag)
{
	const char *needs[] = { fp->element_bytes ? "sse2" : NULL,
				fp->vector_bytes == 32 || fp->fused ? "avx" : NULL,
				fp->fused && fp->vector_bytes < 64 ? "fma" : NULL,
				fp->vector_bytes == 64 ? "avx512f" : NULL };
	for (size_t i = 0; i < TP_COUNT_OF(needs); i++)
		if (needs[i] && !tp_has_word(e->cpu->features, needs[i]))
			return tp_emit_lacks(needs[i], diag);
	e->form = fp->vector_bytes ? TP_X86_VECTOR : TP_X86_SCALAR;
	return TP_OK;
}

static void enter(struct tp_emitter *e, bool vectors)
{
	(void)vectors;
	if (has_tiles(e))
		tiles_begin(e);
}

static void leave(struct tp_emitter *e, bool vectors)
{
	if (has_tiles(e))
		tp_x86_op0(x86(e), M(TILERELEASE));
	if (x86(e)->vex && (vectors || e->k))
		tp_x86_op0(x86(e), M(VZEROUPPER));
	tp_x86_op0(x86(e), M(RET));
}

/* --- integers and branches --- */

static void constant(struct tp_emitter *e, unsigned reg, int64_t value)
{
	tp_x86_op_imm(x86(e), M(MOV), reg, value);
}

static void copy(struct tp_emitter *e, unsigned to, unsigned from)
{
	tp_x86_op(x86(e), M(MOV), to, from, R(NONE));
}

static const ZydisMnemonic integer_ops[TP_INTEGER_OPS] = {
	[TP_INTEGER_ADD] = M(ADD), [TP_INTEGER_MUL] = M(IMUL), [TP_INTEGER_AND] = M(AND)
};

static void integer(struct tp_emitter *e, enum tp_integer_op op, unsigned x, unsigned a, unsigned b)
{
	const struct tp_x86_address sum = { a, b, 1, 0 };
	if (x != a && op == TP_INTEGER_ADD) {
		tp_x86_lea(x86(e), x, &sum);
		return;
	}
	if (x != a)
		copy(e, x, a);
	tp_x86_op(x86(e), integer_ops[op], x, b, R(NONE));
}

static void immediate(struct tp_emitter *e, enum tp_integer_op op, unsigned reg, int64_t value)
{
	tp_x86_op_imm(x86(e), integer_ops[op], reg, value);
}

static void address(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes)
{
	const struct tp_x86_address a = { .base = from, .displacement = (int32_t)bytes };
	tp_x86_lea(x86(e), to, &a);
}

static void shift(struct tp_emitter *e, unsigned reg)
{
	tp_x86_op_imm(x86(e), M(SHL), reg, 1);
}

static void cell(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	(store ? tp_x86_store : tp_x86_load)(x86(e), M(MOV), reg, base, (int32_t)offset, 8);
}

static void follow(struct tp_emitter *e, unsigned reg)
{
	tp_x86_follow(x86(e), reg, 8);
}

static void store_indexed(struct tp_emitter *e, unsigned reg, unsigned base, unsigned index)
{
	const struct tp_x86_address a = { base, index, 1, 0 };
	tp_x86_store_indexed(x86(e), M(MOV), reg, &a, 8);
}

static bool loop_end(struct tp_emitter *e, unsigned reg, size_t top)
{
	tp_x86_op1(x86(e), M(DEC), reg);
	tp_x86_jump_back(x86(e), M(JNZ), top);
	return false;
}

static size_t forward(struct tp_emitter *e, enum tp_loop_op_kind kind)
{
	return tp_x86_jump_forward(x86(e), kind == TP_LOOP_JUMP	   ? M(JMP)
					   : kind == TP_LOOP_NEVER ? M(JZ)
								   : M(JNZ));
}

static void land(struct tp_emitter *e, size_t branch)
{
	tp_x86_land(x86(e), branch);
}

/* --- vectors --- */

static struct tp_register_budget budget(const struct tp_emitter *e)
{
	if (has_tiles(e))
		return tiles_budget();
	bool wide = e->operand_bytes == 64;
	unsigned registers = wide ? 32 : 16;
	return (struct tp_register_budget){
		.registers = registers,
		.a = registers - 2,
		.b = registers - 1,
		.source = registers - 3,
		.memory_targets = registers - 3,
		.mixed_targets = wide ? 5 : 3,
		.fp = { 8, wide ? 24 : 12 },
		.fp_first = { 8, wide ? 16 : 8 },
		.fp_second = { 4, wide ? 12 : 6 },
		.mixed = { wide ? 12 : 9, wide ? 24 : 10 },
		.mixed_first = wide ? 14 : 6,
	};
}

static void move(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	if (has_tiles(e)) {
		tiles_move(e, store, reg, base, offset);
		return;
	}
	(store ? tp_x86_store : tp_x86_load)(x86(e), form(e, MOVE), vector(e, reg), base,
					     (int32_t)offset, e->operand_bytes);
}

static void clear(struct tp_emitter *e, unsigned reg)
{
	ZydisRegister x = R(XMM0) + (ZydisRegister)reg, z = R(ZMM0) + (ZydisRegister)reg;
	if (reg >= 16)
		tp_x86_op(x86(e), M(VPXORQ), z, z, z);
	else if (x86(e)->vex)
		tp_x86_op(x86(e), M(VXORPS), x, x, x);
	else
		tp_x86_op(x86(e), M(XORPS), x, x, R(NONE));
}

static void arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
		       unsigned b)
{
	ZydisRegister dst = vector(e, x), first = vector(e, a);
	if (what == TP_DO_FMA || what == TP_DO_SCALE)
		tp_x86_op(x86(e), form(e, what), dst, first, vector(e, b));
	else if (x86(e)->vex)
		tp_x86_op(x86(e), form(e, what), dst, dst, first);
	else
		tp_x86_op(x86(e), form(e, what), dst, first, R(NONE));
}

static void narrow(struct tp_emitter *e, unsigned x, unsigned a, unsigned b)
{
	static const ZydisMnemonic instructions[TP_X86_NARROW] = {
		[TP_X86_VFMADD231PH] = M(VFMADD231PH),
		[TP_X86_VDPBF16PS] = M(VDPBF16PS),
		[TP_X86_VPDPBUSD] = M(VPDPBUSD),
	};
	if (has_tiles(e))
		tiles_product(e, x, a, b);
	else
		tp_x86_op(x86(e), instructions[e->narrow->instruction], vector(e, x), vector(e, a),
			  vector(e, b));
}

/* --- walks through memory --- */

/* Non-temporal stores of scalars take an integer register. */
static bool stores_integers(const struct tp_emitter *e)
{
	return e->k->nontemporal && e->form == TP_X86_SCALAR;
}

static ZydisRegister integer_source(const struct tp_emitter *e)
{
	return e->operand_bytes == 8 ? R(R8) : R(R8D);
}

static bool load_source(struct tp_emitter *e)
{
	if (stores_integers(e))
		tp_x86_load(x86(e), M(MOV), integer_source(e), R(RDI), 0, e->operand_bytes);
	return stores_integers(e);
}

static void access_memory(struct tp_emitter *e, const struct tp_access *a)
{
	if (a->nontemporal)
		tp_x86_store(x86(e), form(e, NT_STORE),
			     stores_integers(e) ? integer_source(e) : vector(e, a->reg), a->base,
			     (int32_t)a->offset, e->operand_bytes);
	else
		move(e, a->store, a->reg, a->base, a->offset);
}

static void point(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes)
{
	if (from == R(RDI)) {
		copy(e, to, from);
		return;
	}
	constant(e, to, bytes);
	integer(e, TP_INTEGER_ADD, to, to, R(RDI));
}

static void fence(struct tp_emitter *e)
{
	tp_x86_op0(x86(e), M(SFENCE));
}

/* --- counting code --- */

static void test_data(struct tp_emitter *e)
{
	tp_x86_op(x86(e), M(TEST), R(RDI), R(RDI), R(NONE));
}

/*
 * The zero flag is clear at the beginning of the first line: rdi is never 0, nor is rsi when the
 * loop goes on. Instructions that fill a line leave the flags alone. So one comparison serves all
 * branches.
 */
static void begin_lines(struct tp_emitter *e, unsigned line_bytes)
{
	(void)line_bytes;
	test_data(e);
}

/* Takes the longest form first; one byte is left for a nop at worst. */
static void fill_line(struct tp_emitter *e, size_t at, size_t line_bytes)
{
	enum { LEA_BYTES = 7, MOVE_BYTES = 3, FAR_AWAY = 0x01000000 };
	static const ZydisRegister targets[] = { R(RAX), R(RCX), R(RDX) };
	size_t top = tp_asm_here(e->as) - at;
	for (unsigned n = 0; at < line_bytes && !e->as->failed; n++) {
		if (line_bytes - at >= LEA_BYTES)
			address(e, targets[n % 3], R(RDI), FAR_AWAY);
		else if (line_bytes - at >= MOVE_BYTES)
			copy(e, targets[n % 3], R(RDI));
		else
			tp_x86_op0(x86(e), M(NOP));
		at = tp_asm_here(e->as) - top;
	}
	e->as->failed |= at > line_bytes;
}

static void begin_loop(struct tp_emitter *e, const struct tp_loop *loop)
{
	static const ZydisRegister cleared[] = { R(EAX), R(ECX), R(EDX), R(R9D), R(R10D) };
	if (loop->pass_log2)
		tp_x86_op_imm(x86(e), M(SHL), R(RSI), loop->pass_log2);
	constant(e, R(R8D), TP_EMIT_ODD);
	for (size_t i = 0; i < TP_COUNT_OF(cleared); i++)
		tp_x86_op(x86(e), M(XOR), cleared[i], cleared[i], R(NONE));
	if (loop->fp.element_bytes)
		tp_emit_loop_operands(e, false);
}

static void modify(struct tp_emitter *e, unsigned reg, unsigned base, int64_t offset)
{
	tp_x86_store(x86(e), M(ADD), reg, base, (int32_t)offset, 8);
}

static void next(struct tp_emitter *e, unsigned pass_log2)
{
	const struct tp_x86_address byte = { R(RDI), R(RCX), 1, TP_LOOP_OPERANDS_BYTES };
	tp_x86_load_indexed(x86(e), M(MOVZX), R(EAX), &byte, 1);
	tp_x86_op1(x86(e), M(INC), R(ECX));
	tp_x86_op_imm(x86(e), M(AND), R(ECX), (INT64_C(1) << pass_log2) - 1);
}

static void barrier(struct tp_emitter *e)
{
	tp_x86_op0(x86(e), M(LFENCE));
}

static void test(struct tp_emitter *e, enum tp_loop_op_kind kind)
{
	if (kind == TP_LOOP_NEVER || kind == TP_LOOP_ALWAYS)
		test_data(e);
	else if (kind == TP_LOOP_ALTERNATE)
		tp_x86_op_imm(x86(e), M(TEST), R(AL), TP_LOOP_ALTERNATE_BIT);
	else if (kind == TP_LOOP_RANDOM)
		tp_x86_op_imm(x86(e), M(TEST), R(DL), TP_LOOP_RANDOM_BIT);
}

static const struct tp_emit_registers registers = {
	.data = R(RDI),
	.passes = R(RSI),
	.kernel = { .rounds = R(RCX),
		    .addend = R(RDX),
		    .chain = R(RAX),
		    .chase = R(RAX),
		    .width = { R(RAX), R(RCX), R(R8), R(R9), R(R10), R(R11) },
		    .n_width = 6,
		    .pointers = { R(RAX), R(RDX) } },
	.loop = { .cells = R(RDI),
		  .byte = R(EAX),
		  .chain = R(EDX),
		  .loaded = R(RDX),
		  .odd = R(R8),
		  .factor = R(R8D),
		  .results = { R(R10), R(R9) } },
	.chase = { .pointer = R(RAX), .rounds = R(RCX) },
	.scatter = { .offset = R(RAX),
		     .block = R(RDX),
		     .base = R(R8),
		     .rounds = R(RCX),
		     .blocks = R(R9),
		     .held = { { TP_SCATTER_MULTIPLIER, R(R10) },
			       { TP_SCATTER_BLOCK_MASK, R(R11) } },
		     .n_held = 2 },
	.nest = { .pointers = { R(RAX), R(RDX), R(R9) },
		  .rounds = { R(RCX), R(R8), R(R10), R(R11) } },
};

const struct tp_back_end tp_x86_back_end = {
	.assembler_bytes = sizeof(struct tp_x86_asm),
	.instruction_bytes = ZYDIS_MAX_INSTRUCTION_LENGTH,
	.access_instructions = 1,
	.operation_instructions = 1,
	.step_instructions = 4,
	.registers = &registers,
	.operands_last = true,
	.open = open_assembler,
	.loop_form = loop_form,
	.fill = fill,
	.enter = enter,
	.leave = leave,
	.constant = constant,
	.copy = copy,
	.integer = integer,
	.immediate = immediate,
	.address = address,
	.shift = shift,
	.follow = follow,
	.cell = cell,
	.store_indexed = store_indexed,
	.loop_end = loop_end,
	.forward = forward,
	.land = land,
	.budget = budget,
	.move = move,
	.clear = clear,
	.arithmetic = arithmetic,
	.narrow = narrow,
	.access = access_memory,
	.point = point,
	.load_source = load_source,
	.fence = fence,
	.begin_gathers = x86_begin_gathers,
	.gather = gather_from,
	.begin_lines = begin_lines,
	.fill_line = fill_line,
	.begin_loop = begin_loop,
	.modify = modify,
	.next = next,
	.barrier = barrier,
	.test = test,
};

#endif
