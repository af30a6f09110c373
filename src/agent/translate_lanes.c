/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of gathers and scatters: one for each element, made of a vector of indices. */
#include "agent/cache.h"

enum { LONG_INDEX = 1 }; /* of the opcode: indices of 64 bits */

static unsigned vector_bits(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_ZMM0 ? 512 : reg >= ZYDIS_REGISTER_YMM0 ? 256 : 128;
}

static bool has_long_index(const struct tp_translated *it)
{
	return it->in.opcode & LONG_INDEX;
}

unsigned tp_lanes_of(const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];
	unsigned by_index, by_element;

	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_VSIB ||
	    !o->element_size || !it->in.avx.vector_length || !o->actions)
		return 0;
	by_index = vector_bits(o->mem.index) / (has_long_index(it) ? 64 : 32);
	by_element = it->in.avx.vector_length / o->element_size;
	return by_index < by_element ? by_index : by_element;
}

/* vmovdqu [lanes], index: with VEX if it can be, for CPUs without AVX-512 */
void tp_lanes_store(struct tp_translation *t, const ZydisDecodedOperand *o)
{
	unsigned reg = (unsigned)ZydisRegisterGetId(o->mem.index);
	unsigned bits = vector_bits(o->mem.index);
	struct tp_emit *e = &t->e;

	if (bits < 512 && reg < 16) {
		tp_emit_1(e, 0xc5);
		tp_emit_1(e, (reg < 8 ? 0x80u : 0) | 0x7a | (bits == 256 ? 4u : 0));
	} else {
		tp_emit_1(e, 0x62);
		tp_emit_1(e, (reg & 8 ? 0 : 0x80u) | 0x61 | (reg & 16 ? 0 : 0x10u));
		tp_emit_1(e, 0x7e);
		tp_emit_1(e, (bits == 512 ? 0x40u : bits == 256 ? 0x20u : 0) | 0x08);
	}
	tp_emit_1(e, 0x7f);
	tp_emit_1(e, (reg & 7) << 3 | 5);
	tp_emit_relative(e, t->context->lanes, 0);
}

void tp_lane_address(struct tp_translation *t, const struct tp_translated *it,
		     const ZydisDecodedOperand *o, unsigned lane, unsigned reg)
{
	int base = tp_gpr(o->mem.base);
	unsigned b = base < 0 ? TP_RBP : (unsigned)base;
	unsigned scale = o->mem.scale < 2 ? 0 : (unsigned)__builtin_ctz(o->mem.scale);
	struct tp_emit *e = &t->e;

	if (has_long_index(it)) {
		tp_emit_load(e, reg, t->context->lanes + 8 * lane);
	} else { /* movsxd */
		tp_emit_1(e, 0x48);
		tp_emit_1(e, 0x63);
		tp_emit_1(e, reg << 3 | 5);
		tp_emit_relative(e, t->context->lanes + 4 * lane, 0);
	}
	/* lea reg, [base + reg * scale + displacement]; without a base, mod 0 and rbp in the SIB
	 * byte */
	tp_emit_1(e, 0x48 | (base < 0 ? 0 : b >> 3));
	tp_emit_1(e, 0x8d);
	tp_emit_1(e, (base < 0 ? 0 : 0x80u) | reg << 3 | 4);
	tp_emit_1(e, scale << 6 | reg << 3 | (b & 7));
	tp_emit_4(e, (uint32_t)o->mem.disp.value);
}
