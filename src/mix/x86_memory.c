/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an x86-64 instruction reads from memory and writes there. Lanes that a mask leaves out move
 * no bytes; where a mask chooses results but memory is read as a whole (shuffles, and what
 * broadcasts one element), all bytes count.
 */
#include "mix/x86_parts.h"

enum { TILE_BYTES = 1024, LINE_BYTES = 64 };

/* True for hints and for what only names an address. */
static bool accesses_nothing(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_CLDEMOTE:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
		return true;
	default:
		break;
	}
	switch (in->meta.isa_set) {
	case ZYDIS_ISA_SET_AVX512PF_512: /* vgatherpf0dpd: a prefetch, too */
	case ZYDIS_ISA_SET_MPX:
	case ZYDIS_ISA_SET_MONITOR:
	case ZYDIS_ISA_SET_MONITORX:
		return true;
	default:
		break;
	}
	return in->mnemonic == ZYDIS_MNEMONIC_CLFLUSH || in->mnemonic == ZYDIS_MNEMONIC_INVLPG ||
	       in->mnemonic == ZYDIS_MNEMONIC_UD0 || in->mnemonic == ZYDIS_MNEMONIC_UD1 ||
	       in->mnemonic == ZYDIS_MNEMONIC_UMONITOR;
}

/* True if a masked load reads its whole operand all the same. */
static bool loads_all(const ZydisDecodedInstruction *in)
{
	if (in->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID ||
	    in->meta.category == ZYDIS_CATEGORY_AVX512_4FMAPS ||
	    in->meta.category == ZYDIS_CATEGORY_AVX512_4VNNIW)
		return true;
	switch (in->meta.exception_class) { /* NF: no faults are suppressed by the mask */
	case ZYDIS_EXCEPTION_CLASS_E1NF:
	case ZYDIS_EXCEPTION_CLASS_E2NF:
	case ZYDIS_EXCEPTION_CLASS_E3NF:
	case ZYDIS_EXCEPTION_CLASS_E4NF:
	case ZYDIS_EXCEPTION_CLASS_E5NF:
	case ZYDIS_EXCEPTION_CLASS_E6NF:
	case ZYDIS_EXCEPTION_CLASS_E9NF:
	case ZYDIS_EXCEPTION_CLASS_E10NF:
	case ZYDIS_EXCEPTION_CLASS_E11NF:
		return true;
	default:
		return false;
	}
}

/* Lanes that the opmask chooses from: as many as the operand with the fewest elements has. */
static uint32_t masked_lanes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	uint32_t lanes = 0;

	for (unsigned i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		if (!tp_mix_x86_is_vector(o) && o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (o->element_count > 0 && (lanes == 0 || o->element_count < lanes))
			lanes = o->element_count;
	}
	return lanes;
}

static uint32_t operand_bytes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operand)
{
	if (operand->size == 0 && in->meta.isa_ext == ZYDIS_ISA_EXT_AMX_TILE)
		return TILE_BYTES;
	return operand->size / 8u;
}

static void add_bytes(uint32_t to[TP_MIX_N], const ZydisDecodedOperand *operand, uint32_t bytes)
{
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		to[TP_MIX_BYTES_LOADED] += bytes;
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		to[TP_MIX_BYTES_STORED] += bytes;
}

static void take_lanes(struct tp_mix_instruction *out, enum tp_mix_times times, unsigned mask,
		       uint32_t lanes, uint32_t lane_bytes)
{
	out->times = times;
	out->mask = mask;
	out->lanes = lanes;
	out->lane_bytes = lane_bytes;
}

/* Bits of a vector register; an index of a gather is one. */
static uint32_t register_bits(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_ZMM0 ? 512 : reg >= ZYDIS_REGISTER_YMM0 ? 256 : 128;
}

/* A gather or a scatter: as many elements as there are indices and as fit into the vector. */
static void add_scattered(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			  const ZydisDecodedOperand *memory, struct tp_mix_instruction *out)
{
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	uint32_t bytes = memory->element_size / 8u, index_bits = 32;

	/* vgatherqpd, vpscatterqd: the letter behind "gather" or "scatter" is that of the index. */
	while (*name && !(name[0] == 'e' && name[1] == 'r'))
		name++;
	if (*name && name[2] == 'q')
		index_bits = 64;
	uint32_t lanes = register_bits(memory->mem.index) / index_bits;
	if (bytes > 0 && lanes > in->avx.vector_length / (8 * bytes))
		lanes = in->avx.vector_length / (8 * bytes);
	if (tp_mix_x86_opmask(in)) {
		take_lanes(out, TP_MIX_OPMASK, tp_mix_x86_opmask(in), lanes, bytes);
		add_bytes(out->each, memory, bytes);
	} else if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) {
		take_lanes(out, TP_MIX_SIGNS, (unsigned)ZydisRegisterGetId(operands[2].reg.value),
			   lanes, bytes);
		add_bytes(out->each, memory, bytes);
	} else { /* of Knights Corner alone: Zydis decodes it, and no CPU of today runs it */
		add_bytes(out->once, memory, lanes * bytes);
	}
	out->once[memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? TP_MIX_SCATTERS
								    : TP_MIX_GATHERS] = 1;
}

/* The register whose signs choose lanes of the memory operand; NULL = another instruction. */
static const ZydisDecodedOperand *sign_mask(const ZydisDecodedInstruction *in,
					    const ZydisDecodedOperand *operands)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return &operands[1];
	default:
		return NULL; /* maskmovq, too: no vector register holds its mask */
	}
}

static void add_operand(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			const ZydisDecodedOperand *memory, struct tp_mix_instruction *out)
{
	const ZydisDecodedOperand *signs = sign_mask(in, operands);
	uint32_t bytes = operand_bytes(in, memory);

	if (memory->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		add_scattered(in, operands, memory, out);
	} else if (signs) {
		bool of_bytes = in->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
				in->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
		uint32_t lane_bytes = of_bytes ? 1 : memory->element_size / 8u;
		take_lanes(out, TP_MIX_SIGNS, (unsigned)ZydisRegisterGetId(signs->reg.value),
			   bytes / lane_bytes, lane_bytes);
		add_bytes(out->each, memory, lane_bytes);
	} else if (tp_mix_x86_opmask(in) &&
		   !((memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ) && loads_all(in))) {
		uint32_t lanes = masked_lanes(in, operands);
		take_lanes(out, TP_MIX_OPMASK, tp_mix_x86_opmask(in), lanes,
			   lanes ? bytes / lanes : 0);
		add_bytes(out->each, memory, out->lane_bytes);
	} else if (in->attributes &
		   (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) {
		out->times = TP_MIX_REPEATS;
		add_bytes(out->each, memory, bytes);
	} else {
		add_bytes(out->once, memory, bytes);
	}
}

void tp_mix_x86_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		       struct tp_mix_instruction *out)
{
	if (in->mnemonic == ZYDIS_MNEMONIC_CLZERO) { /* its operand is the register alone */
		out->once[TP_MIX_STORES] = 1;
		out->once[TP_MIX_BYTES_STORED] = LINE_BYTES;
	}
	if (accesses_nothing(in))
		return;
	for (unsigned i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			out->once[TP_MIX_LOADS] = 1;
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			out->once[TP_MIX_STORES] = 1;
		add_operand(in, operands, o, out);
	}
}
