/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nests of loops around a scalar dot product. Registers: rax, rdx, r9 = a, b, c; rcx, r8, r10, r11 = rounds to go, from the inside out;
 * xmm0 = sum.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/counted.h"

enum { LOAD, MULTIPLY, ADD, CLEAR, FORMS };

/* [vex] */
static const ZydisMnemonic forms[FORMS][2] = {
	[LOAD] = { ZYDIS_MNEMONIC_MOVSD, ZYDIS_MNEMONIC_VMOVSD },
	[MULTIPLY] = { ZYDIS_MNEMONIC_MULSD, ZYDIS_MNEMONIC_VMULSD },
	[ADD] = { ZYDIS_MNEMONIC_ADDSD, ZYDIS_MNEMONIC_VADDSD },
	[CLEAR] = { ZYDIS_MNEMONIC_XORPS, ZYDIS_MNEMONIC_VXORPS },
};

static const ZydisRegister sum = ZYDIS_REGISTER_XMM0;

enum { POINTERS = 3, LEVELS = 3 };
static const ZydisRegister pointers[POINTERS] = { ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RDX,
						  ZYDIS_REGISTER_R9 };

static ZydisMnemonic form(const struct tp_x86_counted *c, unsigned what)
{
	return forms[what][c->as.vex];
}

/* dst = dst op source */
static void vector_op(struct tp_x86_counted *c, unsigned what, ZydisRegister dst,
		      ZydisRegister source)
{
	if (c->as.vex)
		tp_x86_do(c, form(c, what), dst, dst, source);
	else
		tp_x86_do(c, form(c, what), dst, source, ZYDIS_REGISTER_NONE);
}

static void load(struct tp_x86_counted *c, ZydisRegister reg, ZydisRegister base, int64_t at)
{
	tp_x86_load(&c->as, form(c, LOAD), reg, base, (int32_t)at, 8);
	tp_x86_did(c, 1);
}

static void advance(struct tp_x86_counted *c, ZydisRegister pointer, int64_t bytes)
{
	if (bytes)
		tp_x86_do_imm(c, ZYDIS_MNEMONIC_ADD, pointer, bytes);
}

static void dot_product(struct tp_x86_counted *c, const struct tp_nest *nest)
{
	const ZydisRegister x = ZYDIS_REGISTER_XMM1, y = ZYDIS_REGISTER_XMM2;
	if (nest->accumulate)
		load(c, sum, pointers[2], 0);
	else
		vector_op(c, CLEAR, sum, sum);
	struct tp_x86_trips depth =
		tp_x86_trips_begin(c, ZYDIS_REGISTER_RCX, nest->depth / nest->unroll);
	for (unsigned i = 0; i < nest->unroll; i++) {
		load(c, x, pointers[0], i * nest->a.depth);
		load(c, y, pointers[1], i * nest->b.depth);
		vector_op(c, MULTIPLY, x, y);
		vector_op(c, ADD, sum, x);
	}
	advance(c, pointers[0], nest->unroll * nest->a.depth);
	advance(c, pointers[1], nest->unroll * nest->b.depth);
	tp_x86_trips_end(c, &depth);
	tp_x86_store(&c->as, form(c, LOAD), sum, pointers[2], 0, 8);
	tp_x86_did(c, 1);
}

void tp_x86_count_nest(struct tp_x86_counted *c, const struct tp_nest *nest)
{
	static const ZydisRegister counters[LEVELS] = { ZYDIS_REGISTER_R8, ZYDIS_REGISTER_R10,
							ZYDIS_REGISTER_R11 };
	const struct tp_nest_steps *const steps[POINTERS] = { &nest->a, &nest->b, &nest->c };
	const uint64_t rounds[LEVELS] = { nest->columns, nest->rows, nest->batches };
	const uint64_t at[POINTERS] = { 0, nest->b_at, nest->c_at };
	struct tp_x86_trips trips[LEVELS];
	int64_t moved[POINTERS];

	tp_x86_align(&c->as, 64);
	struct tp_x86_trips pass = tp_x86_trips_begin(c, PASSES, 1);
	for (unsigned p = 0; p < POINTERS; p++) {
		const struct tp_x86_address address = { DATA, ZYDIS_REGISTER_NONE, 0,
							(int32_t)at[p] };
		tp_x86_lea(&c->as, pointers[p], &address);
		tp_x86_did(c, 1);
		moved[p] = steps[p]->depth * (int64_t)nest->depth;
	}
	for (unsigned level = LEVELS; level-- > 0;)
		if (rounds[level])
			trips[level] = tp_x86_trips_begin(c, counters[level], rounds[level]);
	dot_product(c, nest);
	for (unsigned level = 0; level < LEVELS; level++) {
		if (!rounds[level])
			continue;
		for (unsigned p = 0; p < POINTERS; p++) {
			int64_t step = level == 0   ? steps[p]->column
				       : level == 1 ? steps[p]->row
						    : steps[p]->batch;
			advance(c, pointers[p], step - moved[p]);
			moved[p] = step * (int64_t)rounds[level];
		}
		tp_x86_trips_end(c, &trips[level]);
	}
	tp_x86_trips_end(c, &pass);
}

#endif
