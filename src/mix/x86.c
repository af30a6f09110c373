/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kind and the ISA of an x86-64 instruction. Floating-point arithmetic is told by its name
 * (x86_fp.c), memory by its operands (x86_memory.c), all else by the categories of Zydis.
 */
#include "mix/x86_parts.h"

static enum tp_mix_index isa_of(const ZydisDecodedInstruction *in)
{
	if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		return TP_MIX_ISA_AVX512;
	switch (in->meta.isa_set) { /* they are listed under SSE, and have no vector registers */
	case ZYDIS_ISA_SET_POPCNT:
	case ZYDIS_ISA_SET_FXSAVE:
	case ZYDIS_ISA_SET_FXSAVE64:
		return TP_MIX_ISA_OTHER;
	default:
		break;
	}
	switch (in->meta.isa_ext) {
	case ZYDIS_ISA_EXT_SSE:
	case ZYDIS_ISA_EXT_SSE2:
	case ZYDIS_ISA_EXT_SSE3:
	case ZYDIS_ISA_EXT_SSSE3:
	case ZYDIS_ISA_EXT_SSE4:
	case ZYDIS_ISA_EXT_SSE4A:
	case ZYDIS_ISA_EXT_AES:
	case ZYDIS_ISA_EXT_SHA:
		return TP_MIX_ISA_SSE;
	case ZYDIS_ISA_EXT_PCLMULQDQ:
	case ZYDIS_ISA_EXT_GFNI:
		return in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ? TP_MIX_ISA_AVX
								      : TP_MIX_ISA_SSE;
	case ZYDIS_ISA_EXT_AVX:
	case ZYDIS_ISA_EXT_AVXAES:
	case ZYDIS_ISA_EXT_F16C:
	case ZYDIS_ISA_EXT_VAES:
	case ZYDIS_ISA_EXT_VPCLMULQDQ:
	case ZYDIS_ISA_EXT_XOP:
		return TP_MIX_ISA_AVX;
	case ZYDIS_ISA_EXT_AVX2:
	case ZYDIS_ISA_EXT_AVX2GATHER:
	case ZYDIS_ISA_EXT_AVX_VNNI:
		return TP_MIX_ISA_AVX2;
	case ZYDIS_ISA_EXT_FMA:
	case ZYDIS_ISA_EXT_FMA4:
		return TP_MIX_ISA_FMA;
	case ZYDIS_ISA_EXT_AVX512EVEX:
	case ZYDIS_ISA_EXT_AVX512VEX:
		return TP_MIX_ISA_AVX512;
	case ZYDIS_ISA_EXT_AMX_BF16:
	case ZYDIS_ISA_EXT_AMX_INT8:
	case ZYDIS_ISA_EXT_AMX_TILE:
		return TP_MIX_ISA_AMX;
	case ZYDIS_ISA_EXT_X87:
	case ZYDIS_ISA_EXT_MMX:
	case ZYDIS_ISA_EXT_AMD3DNOW:
		return TP_MIX_ISA_X87_MMX;
	default:
		return TP_MIX_ISA_OTHER;
	}
}

static bool is_x87(const ZydisDecodedInstruction *in)
{
	return in->meta.category == ZYDIS_CATEGORY_X87_ALU ||
	       in->meta.category == ZYDIS_CATEGORY_FCMOV || in->meta.isa_ext == ZYDIS_ISA_EXT_X87;
}

/* True if it works on vectors, masks of them, tiles, or the registers of MMX. */
static bool has_vectors(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	/* cvttsd2si from memory has none among its operands; cdqe is a conversion, too. */
	if (in->meta.category == ZYDIS_CATEGORY_CONVERT && isa_of(in) != TP_MIX_ISA_OTHER)
		return true;
	for (unsigned i = 0; i < in->operand_count_visible; i++) {
		if (tp_mix_x86_is_vector(&operands[i]))
			return true;
		if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		ZydisRegister reg = operands[i].reg.value;
		if ((reg >= ZYDIS_REGISTER_MM0 && reg <= ZYDIS_REGISTER_MM7) ||
		    (reg >= ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7) ||
		    (reg >= ZYDIS_REGISTER_TMM0 && reg <= ZYDIS_REGISTER_TMM7))
			return true;
	}
	return false;
}

static bool is_prefetch(const ZydisDecodedInstruction *in)
{
	return in->meta.isa_set == ZYDIS_ISA_SET_AVX512PF_512;
}

/* The kind of what is neither x87 nor vectors. */
static enum tp_mix_index plain_kind(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return TP_MIX_BRANCHES;
	case ZYDIS_CATEGORY_ADOX_ADCX:
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_BMI1:
	case ZYDIS_CATEGORY_BMI2:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_DECIMAL:
	case ZYDIS_CATEGORY_FLAGOP:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LZCNT:
	case ZYDIS_CATEGORY_MOVDIR:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SEMAPHORE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_STRINGOP:
	case ZYDIS_CATEGORY_TBM:
		return TP_MIX_INT;
	default:
		break;
	}
	switch (in->mnemonic) { /* of categories that also hold other things */
	case ZYDIS_MNEMONIC_CRC32:
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_LEAVE:
	case ZYDIS_MNEMONIC_POPCNT:
	case ZYDIS_MNEMONIC_XLAT:
		return TP_MIX_INT;
	default:
		return TP_MIX_OTHER;
	}
}

void tp_mix_x86(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		struct tp_mix_instruction *out)
{
	struct tp_x86_arithmetic fp;
	enum tp_mix_index kind;

	*out = (struct tp_mix_instruction){ .times = TP_MIX_NEVER };
	out->once[TP_MIX_INSTRUCTIONS] = 1;
	out->once[isa_of(in)] = 1;
	tp_mix_x86_memory(in, operands, out);
	if (is_x87(in)) {
		kind = TP_MIX_X87;
		out->once[TP_MIX_FLOPS_X87] = tp_mix_x86_x87_flops(in);
	} else if (!has_vectors(in, operands) || is_prefetch(in)) {
		kind = plain_kind(in);
	} else if (tp_mix_x86_fp(in, operands, &fp)) {
		kind = fp.kind;
		if (tp_mix_x86_opmask(in)) {
			out->times = TP_MIX_OPMASK;
			out->mask = tp_mix_x86_opmask(in);
			out->lanes = fp.lanes;
			out->each[fp.flops] = fp.flops_per_lane;
			out->once[TP_MIX_MASKED] = 1;
		} else {
			out->once[fp.flops] = fp.lanes * fp.flops_per_lane;
		}
	} else {
		kind = tp_mix_x86_moves_fp(in) ? TP_MIX_FP_MOVES : TP_MIX_VECTOR_INT;
	}
	out->once[kind] = 1;
}
