/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kind and the ISA of an x86-64 instruction. Floating-point arithmetic is recognised by its
 * name: an operation ("vfmadd213"), then the precision and whether it is packed ("pd"), as Zydis
 * writes them, in lower case. Memory accesses follow from the operands, the rest from the
 * categories of Zydis. It calls no function of libc, because the agent runs it inside users'
 * programs.
 */
#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#include "mix/mix.h"

/* Floating-point arithmetic: what one instruction computes. */
struct tp_x86_arithmetic {
	enum tp_mix_index kind; /* FP_... or FMA_... */
	enum tp_mix_index flops; /* FLOPS_... */
	uint32_t lanes; /* as masks count them: 1 if scalar */
	uint32_t flops_per_lane;
};

/* The opmask that chooses lanes: 1..7; 0 = none. */
static unsigned opmask_of(const ZydisDecodedInstruction *in)
{
	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX ||
	    in->avx.mask.reg <= ZYDIS_REGISTER_K0 || in->avx.mask.reg > ZYDIS_REGISTER_K7)
		return 0;
	return (unsigned)(in->avx.mask.reg - ZYDIS_REGISTER_K0);
}

static bool is_vector(const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	return (operand->reg.value >= ZYDIS_REGISTER_XMM0 &&
		operand->reg.value <= ZYDIS_REGISTER_ZMM31);
}

/* A full tile: 16 rows of 64 bytes. How much of it a configuration uses shows only at run time. */
enum { TILE_ROWS = 16, TILE_COLUMNS = 16 };

/* The rest of `text` after `word`; NULL if it begins differently. */
static const char *behind(const char *text, const char *word)
{
	for (; *word; text++, word++)
		if (*text != *word)
			return NULL;
	return text;
}

static bool is(const char *text, const char *word)
{
	const char *rest = behind(text, word);
	return rest && !*rest;
}

static bool contains(const char *text, const char *word)
{
	for (; *text; text++)
		if (behind(text, word))
			return true;
	return false;
}

/* The name without the v of VEX and EVEX. */
static const char *plain_name(const ZydisDecodedInstruction *in)
{
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	if (!name)
		return "";
	return *name == 'v' ? name + 1 : name;
}

/* Operations, and how many FLOPs of a lane they are. Dot products count twice, as Intel does. */
static const struct {
	char name[12];
	uint8_t flops;
	bool fused;
} operations[] = {
	{ "add", 1, false },	 { "sub", 1, false },	  { "mul", 1, false },
	{ "div", 1, false },	 { "sqrt", 1, false },	  { "min", 1, false },
	{ "max", 1, false },	 { "rcp", 1, false },	  { "rcp14", 1, false },
	{ "rcp28", 1, false },	 { "rsqrt", 1, false },	  { "rsqrt14", 1, false },
	{ "rsqrt28", 1, false }, { "addsub", 1, false },  { "hadd", 1, false },
	{ "hsub", 1, false },	 { "dp", 2, false },	  { "fmadd", 2, true },
	{ "fmsub", 2, true },	 { "fnmadd", 2, true },	  { "fnmsub", 2, true },
	{ "fmaddsub", 2, true }, { "fmsubadd", 2, true }, { "4fmadd", 8, true },
	{ "4fnmadd", 8, true },
};

static const struct {
	char suffix[3];
	uint8_t bits;
	bool scalar;
	enum tp_mix_index kind, fused, flops; /* kinds of the narrowest width */
} precisions[] = {
	{ "ps", 32, false, TP_MIX_FP_SP_128, TP_MIX_FMA_SP_128, TP_MIX_FLOPS_SP },
	{ "pd", 64, false, TP_MIX_FP_DP_128, TP_MIX_FMA_DP_128, TP_MIX_FLOPS_DP },
	{ "ss", 32, true, TP_MIX_FP_SP_SCALAR, TP_MIX_FMA_SP_SCALAR, TP_MIX_FLOPS_SP },
	{ "sd", 64, true, TP_MIX_FP_DP_SCALAR, TP_MIX_FMA_DP_SCALAR, TP_MIX_FLOPS_DP },
	{ "ph", 16, false, TP_MIX_FP_HALF, TP_MIX_FP_HALF, TP_MIX_FLOPS_HALF },
	{ "sh", 16, true, TP_MIX_FP_HALF, TP_MIX_FP_HALF, TP_MIX_FLOPS_HALF },
};

/* Complex numbers of two halves: 4 products and 2 sums, and 2 sums more if it accumulates. */
static uint32_t complex_flops(const char *name)
{
	if (is(name, "fmulcph") || is(name, "fcmulcph") || is(name, "fmulcsh") ||
	    is(name, "fcmulcsh"))
		return 6;
	if (is(name, "fmaddcph") || is(name, "fcmaddcph") || is(name, "fmaddcsh") ||
	    is(name, "fcmaddcsh"))
		return 8;
	return 0;
}

/* Halves that are not simply lanes: complex numbers, dot products of bf16, and tiles of them. */
static bool half(const char *name, const ZydisDecodedOperand *operands,
		 struct tp_x86_arithmetic *fp)
{
	uint32_t numbers = operands[0].size / 32u;

	*fp = (struct tp_x86_arithmetic){ TP_MIX_FP_HALF, TP_MIX_FLOPS_HALF, numbers, 4 };
	if (is(name, "dpbf16ps"))
		return true;
	if (is(name, "tdpbf16ps")) {
		fp->lanes = TILE_ROWS * TILE_COLUMNS;
		fp->flops_per_lane = 4 * TILE_COLUMNS;
		return true;
	}
	fp->flops_per_lane = complex_flops(name);
	if (contains(name, "csh"))
		fp->lanes = 1;
	return fp->flops_per_lane > 0;
}

static bool lanes(const char *suffix, bool fused, uint32_t flops, uint32_t bits,
		  struct tp_x86_arithmetic *fp)
{
	for (unsigned i = 0; i < sizeof precisions / sizeof *precisions; i++) {
		if (!is(suffix, precisions[i].suffix))
			continue;
		unsigned kind = fused ? precisions[i].fused : precisions[i].kind;
		if (!precisions[i].scalar && kind != TP_MIX_FP_HALF)
			kind += bits >= 512 ? 2 : bits >= 256 ? 1 : 0;
		*fp = (struct tp_x86_arithmetic){
			.kind = (enum tp_mix_index)kind,
			.flops = precisions[i].flops,
			.lanes = precisions[i].scalar ? 1 : bits / precisions[i].bits,
			.flops_per_lane = flops,
		};
		return true;
	}
	return false;
}

/* False if the instruction is not a floating-point arithmetic of vector registers. */
static bool count_fp(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		     struct tp_x86_arithmetic *fp)
{
	const char *name = plain_name(in);

	/* Neither x87 (fadd) nor string instructions (cmpsd) reach their end in what follows. */
	if (half(name, operands, fp))
		return true;
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
		const char *rest = behind(name, operations[i].name);
		if (!rest)
			continue;
		if (operations[i].fused) {
			const char *order = behind(rest, "132");
			if (!order)
				order = behind(rest, "213");
			if (!order)
				order = behind(rest, "231");
			if (order)
				rest = order;
		}
		if (lanes(rest, operations[i].fused, operations[i].flops, operands[0].size, fp))
			return true;
	}
	return false;
}

/* True if the elements that a vector instruction moves or compares are floating-point numbers. */
static bool moves_fp(const ZydisDecodedInstruction *in)
{
	static const char suffixes[][3] = { "ps", "pd", "ss", "sd", "ph", "sh" };
	const char *name = plain_name(in);

	/* Operations on packed integers and on tiles end in anything, vpdpbusd even in sd. */
	if ((*name == 'p' && !behind(name, "perm")) || behind(name, "tdp"))
		return false;
	if (behind(name, "cvt") || contains(name, "f32") || contains(name, "f64") ||
	    contains(name, "f128") || contains(name, "dup"))
		return true;
	const char *end = name;
	while (*end)
		end++;
	for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (end - name > 2 && is(end - 2, suffixes[i]))
			return true;
	return false;
}

/* FLOPs of an x87 instruction. */
static uint32_t x87_flops(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_FADD:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FIADD:
	case ZYDIS_MNEMONIC_FSUB:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FSUBR:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FISUB:
	case ZYDIS_MNEMONIC_FISUBR:
	case ZYDIS_MNEMONIC_FMUL:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FIMUL:
	case ZYDIS_MNEMONIC_FDIV:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FIDIVR:
	case ZYDIS_MNEMONIC_FSQRT:
		return 1;
	default:
		return 0;
	}
}

/*
 * What an x86-64 instruction reads from memory and writes there. Lanes that a mask leaves out move
 * no bytes; where a mask chooses results but memory is read as a whole (shuffles, and what
 * broadcasts one element), all bytes count.
 */

enum { TILE_BYTES = 1024, LINE_BYTES = 64 };

/* True if a masked load reads its whole operand anyway. */
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
		if (!is_vector(o) && o->type != ZYDIS_OPERAND_TYPE_MEMORY)
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

/* A gather or a scatter: as many elements as there are indices and as fit into the vector. */
static void add_scattered(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			  const ZydisDecodedOperand *memory, struct tp_mix_instruction *out)
{
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	uint32_t bytes = memory->element_size / 8u, index_bits = 32;

	/* vgatherqpd, vpscatterqd: the letter after "gather" or "scatter" is the index's. */
	while (*name && !(name[0] == 'e' && name[1] == 'r'))
		name++;
	if (*name && name[2] == 'q')
		index_bits = 64;
	/* Bits of a vector register; an index of a gather is one. */
	uint32_t lanes = (memory->mem.index >= ZYDIS_REGISTER_ZMM0   ? 512
			  : memory->mem.index >= ZYDIS_REGISTER_YMM0 ? 256
								     : 128) /
			 index_bits;
	if (bytes > 0 && lanes > in->avx.vector_length / (8 * bytes))
		lanes = in->avx.vector_length / (8 * bytes);
	if (opmask_of(in)) {
		take_lanes(out, TP_MIX_OPMASK, opmask_of(in), lanes, bytes);
		add_bytes(out->each, memory, bytes);
	} else if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX) {
		take_lanes(out, TP_MIX_SIGNS, (unsigned)ZydisRegisterGetId(operands[2].reg.value),
			   lanes, bytes);
		add_bytes(out->each, memory, bytes);
	} else { /* only on Knights Corner: Zydis decodes it, but no current CPU runs it */
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
	} else if (opmask_of(in) &&
		   !((memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ) && loads_all(in))) {
		uint32_t lanes = masked_lanes(in, operands);
		take_lanes(out, TP_MIX_OPMASK, opmask_of(in), lanes, lanes ? bytes / lanes : 0);
		add_bytes(out->each, memory, out->lane_bytes);
	} else if (in->attributes &
		   (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) {
		out->times = TP_MIX_REPEATS;
		add_bytes(out->each, memory, bytes);
	} else {
		add_bytes(out->once, memory, bytes);
	}
}

/* Loads, stores, gathers, scatters and their bytes. */
static void count_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			 struct tp_mix_instruction *out)
{
	if (in->mnemonic == ZYDIS_MNEMONIC_CLZERO) { /* its operand is only the register */
		out->once[TP_MIX_STORES] = 1;
		out->once[TP_MIX_BYTES_STORED] = LINE_BYTES;
	}
	/* True for hints and for what only names an address. */
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_CLDEMOTE:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
		return;
	default:
		break;
	}
	switch (in->meta.isa_set) {
	case ZYDIS_ISA_SET_AVX512PF_512: /* vgatherpf0dpd: a prefetch, too */
	case ZYDIS_ISA_SET_MPX:
	case ZYDIS_ISA_SET_MONITOR:
	case ZYDIS_ISA_SET_MONITORX:
		return;
	default:
		break;
	}
	if (in->mnemonic == ZYDIS_MNEMONIC_CLFLUSH || in->mnemonic == ZYDIS_MNEMONIC_INVLPG ||
	    in->mnemonic == ZYDIS_MNEMONIC_UD0 || in->mnemonic == ZYDIS_MNEMONIC_UD1 ||
	    in->mnemonic == ZYDIS_MNEMONIC_UMONITOR)
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
		if (is_vector(&operands[i]))
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

/* The kind of instructions that are neither x87 nor vector. */
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

/* An exchange with memory locks without a prefix. */
static bool is_locked(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	return (in->attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
	       (in->mnemonic == ZYDIS_MNEMONIC_XCHG &&
		(operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
		 operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY));
}

void tp_mix_x86(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
		struct tp_mix_instruction *out)
{
	struct tp_x86_arithmetic fp;
	enum tp_mix_index kind;

	*out = (struct tp_mix_instruction){ .times = TP_MIX_NEVER };
	out->once[TP_MIX_INSTRUCTIONS] = 1;
	out->once[isa_of(in)] = 1;
	out->once[TP_MIX_LOCKED] = is_locked(in, operands);
	count_memory(in, operands, out);
	if (is_x87(in)) {
		kind = TP_MIX_X87;
		out->once[TP_MIX_FLOPS_X87] = x87_flops(in);
		out->once[TP_MIX_FP_DIVIDES] = x87_flops(in) && (contains(plain_name(in), "div") ||
								 contains(plain_name(in), "sqrt"));
	} else if (!has_vectors(in, operands) || is_prefetch(in)) {
		kind = plain_kind(in);
	} else if (count_fp(in, operands, &fp)) {
		kind = fp.kind;
		out->once[TP_MIX_FP_DIVIDES] =
			behind(plain_name(in), "div") || behind(plain_name(in), "sqrt");
		if (opmask_of(in)) {
			out->times = TP_MIX_OPMASK;
			out->mask = opmask_of(in);
			out->lanes = fp.lanes;
			out->each[fp.flops] = fp.flops_per_lane;
			out->once[TP_MIX_MASKED] = 1;
		} else {
			out->once[fp.flops] = fp.lanes * fp.flops_per_lane;
		}
	} else {
		kind = moves_fp(in) ? TP_MIX_FP_MOVES : TP_MIX_VECTOR_INT;
	}
	out->once[kind] = 1;
}
