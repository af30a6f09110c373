/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The chains of a loop whose body is one block: how long each register of the next round waits for
 * the same register of this one. Paths go from the instruction that writes a register to those that
 * read it, through loads from their address, and through memory that is stored and loaded by the
 * same operand. It calls no function of libc, as in x86.c.
 */
#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "mix/mix.h"

enum { GENERAL = 16, VECTORS = 32, FIRST_SLOT = GENERAL + VECTORS, NONE = -1 };

/*
 * Cycles until a result can be used, as on most x86-64 cores since 2015, which differ by one or
 * two. A load takes at least the latency of the first cache; a value just stored is 5 cycles away
 * on Skylake, but cores since Zen 2 and Ice Lake forward it without waiting.
 */
enum {
	FP_CYCLES = 4,
	DIVIDE_CYCLES = 13,
	CONVERT_CYCLES = 5,
	MULTIPLY_CYCLES = 3,
	LOAD_CYCLES = 5,
	FORWARD_CYCLES = 1
};

static int place_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	switch (ZydisRegisterGetClass(whole)) {
	case ZYDIS_REGCLASS_GPR64:
		return ZydisRegisterGetId(whole);
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		return GENERAL + ZydisRegisterGetId(whole);
	default:
		return NONE;
	}
}

void tp_mix_chain_begin(struct tp_mix_chain *chain)
{
	for (unsigned to = 0; to < TP_MIX_PLACES; to++)
		for (unsigned from = 0; from < TP_MIX_PLACES; from++)
			chain->paths[to][from] =
				(struct tp_mix_path){ .cycles = to == from ? 0 : NONE };
	chain->n_slots = 0;
	chain->written = 0;
}

static bool is_written(const struct tp_mix_chain *chain, int reg)
{
	int place = place_of((ZydisRegister)reg);

	return place != NONE && chain->written >> place & 1;
}

/* The place of a memory operand. */
static int slot_of(struct tp_mix_chain *chain, const ZydisDecodedOperand *memory)
{
	struct tp_mix_slot slot = { .base = memory->mem.base,
				    .index = memory->mem.index,
				    .scale = memory->mem.scale,
				    .offset = memory->mem.disp.value };

	/* Each instruction has an offset from its own end. */
	if (slot.base == ZYDIS_REGISTER_RIP)
		return NONE;
	slot.moves = is_written(chain, slot.base) || is_written(chain, slot.index);
	for (unsigned i = 0; i < chain->n_slots; i++) {
		const struct tp_mix_slot *known = &chain->slots[i];

		if (!known->is_gone && known->base == slot.base && known->index == slot.index &&
		    known->scale == slot.scale && known->offset == slot.offset)
			return FIRST_SLOT + (int)i;
	}
	if (chain->n_slots == TP_MIX_SLOTS)
		return NONE;
	chain->slots[chain->n_slots] = slot;
	return FIRST_SLOT + (int)chain->n_slots++;
}

static void note_written(struct tp_mix_chain *chain, int place)
{
	if (place == NONE || place >= FIRST_SLOT)
		return;
	chain->written |= UINT64_C(1) << place;
	for (unsigned i = 0; i < chain->n_slots; i++) {
		struct tp_mix_slot *slot = &chain->slots[i];

		if (place_of((ZydisRegister)slot->base) == place ||
		    place_of((ZydisRegister)slot->index) == place)
			slot->moves = slot->is_gone = 1;
	}
}

/* What a result needs: the longest paths to it from each register, before its own latency. */
static void need(struct tp_mix_path needed[TP_MIX_PLACES], const struct tp_mix_chain *chain,
		 int place, bool is_address)
{
	if (place < 0 || place >= TP_MIX_PLACES)
		return;
	for (unsigned from = 0; from < TP_MIX_PLACES; from++) {
		struct tp_mix_path path = chain->paths[place][from];

		if (path.cycles == NONE)
			continue;
		path.cycles += is_address ? LOAD_CYCLES : place >= FIRST_SLOT ? FORWARD_CYCLES : 0;
		path.loads += is_address;
		if (path.cycles > needed[from].cycles)
			needed[from] = path;
	}
}

static bool computes(const struct tp_mix_instruction *mix)
{
	for (unsigned i = TP_MIX_FP_SP_SCALAR; i <= TP_MIX_FP_HALF; i++)
		if (mix->once[i])
			return true;
	return false;
}

static int latency_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		      const struct tp_mix_instruction *mix)
{
	if (computes(mix))
		return mix->once[TP_MIX_FP_DIVIDES] ? DIVIDE_CYCLES : FP_CYCLES;
	if (in->meta.category == ZYDIS_CATEGORY_CONVERT && mix->once[TP_MIX_FP_MOVES])
		return CONVERT_CYCLES;
	if (in->mnemonic == ZYDIS_MNEMONIC_IMUL || in->mnemonic == ZYDIS_MNEMONIC_MUL)
		return MULTIPLY_CYCLES;
	/* Moves between registers are renamed, and a load has its latency already. */
	if (in->meta.category == ZYDIS_CATEGORY_DATAXFER && in->operand_count >= 2 &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return 0;
	return mix->once[TP_MIX_FP_MOVES] && mix->once[TP_MIX_LOADS] ? 0 : 1;
}

/* xor eax, eax and similar idioms depend on nothing. */
static bool clears(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	unsigned n = in->operand_count_visible;

	switch (in->meta.category) {
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_AVX512:
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_SSE:
		break;
	default:
		return false;
	}
	return n >= 2 && operands[n - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[n - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[n - 1].reg.value == operands[n - 2].reg.value &&
	       (in->mnemonic == ZYDIS_MNEMONIC_XOR || in->mnemonic == ZYDIS_MNEMONIC_PXOR ||
		in->mnemonic == ZYDIS_MNEMONIC_XORPS || in->mnemonic == ZYDIS_MNEMONIC_XORPD ||
		in->mnemonic == ZYDIS_MNEMONIC_VPXOR || in->mnemonic == ZYDIS_MNEMONIC_VXORPS ||
		in->mnemonic == ZYDIS_MNEMONIC_VXORPD || in->mnemonic == ZYDIS_MNEMONIC_VPXORD ||
		in->mnemonic == ZYDIS_MNEMONIC_VPXORQ);
}

void tp_mix_chain_add(struct tp_mix_chain *chain, const ZydisDecodedInstruction *in,
		      const ZydisDecodedOperand *operands)
{
	struct tp_mix_path needed[TP_MIX_PLACES];
	struct tp_mix_instruction mix;

	tp_mix_x86(in, operands, &mix);
	for (unsigned from = 0; from < TP_MIX_PLACES; from++)
		needed[from] = (struct tp_mix_path){ .cycles = NONE };
	for (unsigned i = 0; i < in->operand_count && !clears(in, operands); i++) {
		const ZydisDecodedOperand *o = &operands[i];
		bool reads = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && reads)
			need(needed, chain, place_of(o->reg.value), false);
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		bool loads = reads && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN;
		if (!loads && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		need(needed, chain, place_of(o->mem.base), loads);
		need(needed, chain, place_of(o->mem.index), loads);
		if (loads)
			need(needed, chain, slot_of(chain, o), false);
	}
	int cycles = latency_of(in, operands, &mix);
	for (unsigned from = 0; from < TP_MIX_PLACES; from++)
		if (needed[from].cycles != NONE) {
			needed[from].cycles += cycles;
			needed[from].fp += computes(&mix);
		}
	for (unsigned i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		int place = NONE;

		if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			place = place_of(o->reg.value);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			place = slot_of(chain, o);
		note_written(chain, place);
		for (unsigned from = 0; place >= 0 && place < TP_MIX_PLACES && from < TP_MIX_PLACES;
		     from++)
			chain->paths[place][from] = needed[from];
	}
}

void tp_mix_chain_end(const struct tp_mix_chain *chain, uint32_t add[TP_MIX_N])
{
	struct tp_mix_path longest = { .cycles = 0 };

	for (unsigned i = 0; i < FIRST_SLOT + chain->n_slots; i++)
		if (chain->paths[i][i].cycles > longest.cycles &&
		    (i < FIRST_SLOT || !chain->slots[i - FIRST_SLOT].moves))
			longest = chain->paths[i][i];
	add[TP_MIX_CHAIN_CYCLES] += (uint32_t)longest.cycles;
	add[TP_MIX_CHAINED_FP] += longest.fp;
	add[TP_MIX_CHAINED_LOADS] += longest.loads;
}
