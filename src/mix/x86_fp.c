/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floating-point arithmetic by its name: an operation ("vfmadd213"), then the precision and whether
 * it is packed ("pd"). The names are those of Zydis, in lower case.
 */
#include "mix/x86_parts.h"

/* A full tile: 16 rows of 64 bytes. How much of it a configuration uses shows only at run time. */
enum { TILE_ROWS = 16, TILE_COLUMNS = 16 };

/* The rest of `text` behind `word`; NULL if it begins otherwise. */
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

bool tp_mix_x86_fp(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
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

bool tp_mix_x86_moves_fp(const ZydisDecodedInstruction *in)
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

uint32_t tp_mix_x86_x87_flops(const ZydisDecodedInstruction *in)
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
