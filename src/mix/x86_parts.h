/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to src/mix: the steps by which an x86-64 instruction is classified. None calls a function
 * of libc, because the agent runs them inside of other people's programs.
 */
#ifndef TPROF_MIX_X86_PARTS_H
#define TPROF_MIX_X86_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "mix/mix.h"

/* Floating-point arithmetic: what one instruction computes. */
struct tp_x86_arithmetic {
	enum tp_mix_index kind; /* FP_... or FMA_... */
	enum tp_mix_index flops; /* FLOPS_... */
	uint32_t lanes; /* as masks count them: 1 if scalar */
	uint32_t flops_per_lane;
};

/* False if the instruction is no floating-point arithmetic of vector registers. */
bool tp_mix_x86_fp(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		   struct tp_x86_arithmetic *fp);
/* True if the elements that a vector instruction moves or compares are floating-point numbers. */
bool tp_mix_x86_moves_fp(const ZydisDecodedInstruction *in);
/* FLOPs of an x87 instruction. */
uint32_t tp_mix_x86_x87_flops(const ZydisDecodedInstruction *in);
/* Loads, stores, gathers, scatters and their bytes. */
void tp_mix_x86_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		       struct tp_mix_instruction *out);

/* The opmask that chooses lanes: 1..7; 0 = none does. */
static inline unsigned tp_mix_x86_opmask(const ZydisDecodedInstruction *in)
{
	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX ||
	    in->avx.mask.reg <= ZYDIS_REGISTER_K0 || in->avx.mask.reg > ZYDIS_REGISTER_K7)
		return 0;
	return (unsigned)(in->avx.mask.reg - ZYDIS_REGISTER_K0);
}

static inline bool tp_mix_x86_is_vector(const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	return (operand->reg.value >= ZYDIS_REGISTER_XMM0 &&
		operand->reg.value <= ZYDIS_REGISTER_ZMM31);
}

#endif
