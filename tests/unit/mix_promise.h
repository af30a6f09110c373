/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold for the mix of any x86-64 instruction, for the unit test and the fuzz target.
 */
#ifndef TPROF_TESTS_MIX_PROMISE_H
#define TPROF_TESTS_MIX_PROMISE_H

#include <stdbool.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "mix/mix.h"

static inline uint32_t tp_mix_add_up(const uint32_t mix[TP_MIX_N], unsigned first, unsigned last)
{
	uint32_t sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += mix[i];
	return sum;
}

/* What of `m` does not add up; NULL if all does. */
static inline const char *tp_mix_contradiction(const struct tp_mix_instruction *m)
{
	const uint32_t *once = m->once, *each = m->each;
	uint32_t flops = tp_mix_add_up(once, TP_MIX_FLOPS_SP, TP_MIX_FLOPS_X87);
	uint32_t each_flops = tp_mix_add_up(each, TP_MIX_FLOPS_SP, TP_MIX_FLOPS_X87);
	bool fp = tp_mix_add_up(once, TP_MIX_FP_SP_SCALAR, TP_MIX_X87) > 0;

	if (once[TP_MIX_INSTRUCTIONS] != 1 || each[TP_MIX_INSTRUCTIONS] != 0)
		return "it is one instruction";
	if (tp_mix_add_up(once, TP_MIX_FP_SP_SCALAR, TP_MIX_OTHER) != 1)
		return "it has one kind";
	if (tp_mix_add_up(once, TP_MIX_ISA_SSE, TP_MIX_ISA_OTHER) != 1)
		return "it has one ISA";
	if (tp_mix_add_up(each, TP_MIX_LOADS, TP_MIX_ISA_OTHER) != 0)
		return "a lane is not an instruction";
	if ((flops || each_flops) && !fp)
		return "FLOPs are floating-point arithmetic";
	if (flops && each_flops)
		return "its FLOPs are counted by lanes, or they are not";
	if (once[TP_MIX_MASKED] != (each_flops > 0))
		return "a mask tells FLOPs";
	if (once[TP_MIX_LOADS] != (once[TP_MIX_BYTES_LOADED] || each[TP_MIX_BYTES_LOADED]))
		return "a load moves bytes";
	if (once[TP_MIX_STORES] != (once[TP_MIX_BYTES_STORED] || each[TP_MIX_BYTES_STORED]))
		return "a store moves bytes";
	if (m->times == TP_MIX_NEVER && tp_mix_add_up(each, 0, TP_MIX_N - 1) != 0)
		return "nothing repeats it";
	if (m->times == TP_MIX_OPMASK &&
	    (m->mask < 1 || m->mask > 7 || m->lanes < 1 || m->lanes > 64))
		return "an opmask has a number and lanes";
	if (m->times == TP_MIX_SIGNS && (m->mask > 31 || m->lanes < 1 || m->lanes > 32))
		return "signs have a register and lanes";
	if (m->times == TP_MIX_SIGNS && m->lane_bytes != 1 && m->lane_bytes != 4 &&
	    m->lane_bytes != 8)
		return "signs are those of bytes, floats or doubles";
	return NULL;
}

/* What is broken for the instruction that `bytes` begin with, if they do; NULL if nothing is. */
static inline const char *tp_mix_broken(const uint8_t *bytes, size_t n, unsigned *decoded)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct tp_mix_instruction mix;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &in, operands)))
		return NULL;
	++*decoded;
	memset(&mix, 0xff, sizeof(mix));
	tp_mix_x86(&in, operands, &mix);
	return tp_mix_contradiction(&mix);
}

#endif
