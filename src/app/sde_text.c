/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/sde_text.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 128, LANES_MAX = 64, BYTES_MAX = 1 << 20 };
/* No program does so much; beyond it a sum could overflow. */
static const uint64_t COUNT_MAX = 1ull << 53;

static void add(struct tp_sde_mix *sde, unsigned index, uint64_t count, uint64_t times)
{
	uint64_t part;
	if (__builtin_mul_overflow(count, times, &part) || part > COUNT_MAX ||
	    sde->mix[index] > COUNT_MAX - part)
		sde->damaged = true;
	else
		sde->mix[index] += part;
}

/* The rest of `text` behind `word`; NULL if it begins otherwise. */
static const char *behind(const char *text, const char *word)
{
	size_t len = strlen(word);
	return strncmp(text, word, len) == 0 ? text + len : NULL;
}

/* A whole number of at most `most`, with what follows it; false if there is none. */
static bool take_number(const char **at, uint64_t most, uint64_t *out)
{
	*out = 0;
	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); (*at)++) {
		*out = *out * 10 + (uint64_t)(**at - '0');
		if (*out > most)
			return false;
	}
	return true;
}

/* --- lines --- */

static void take_elements(struct tp_sde_mix *sde, const char *lanes_text, bool is_double,
			  uint64_t count)
{
	uint64_t lanes;
	if (!take_number(&lanes_text, LANES_MAX, &lanes) || !lanes)
		return;
	bool masked = strcmp(lanes_text, "_masked") == 0;
	if (*lanes_text && !masked)
		return;
	uint64_t bytes = lanes * (is_double ? sizeof(double) : sizeof(float));
	unsigned width = lanes == 1 ? 0 : bytes <= 16 ? 1 : bytes <= 32 ? 2 : 3;
	add(sde, (is_double ? TP_MIX_FP_DP_SCALAR : TP_MIX_FP_SP_SCALAR) + width, count, 1);
	add(sde, is_double ? TP_MIX_FLOPS_DP : TP_MIX_FLOPS_SP, count, lanes);
	if (masked)
		add(sde, TP_MIX_MASKED, count, 1);
}

static void take_accesses(struct tp_sde_mix *sde, const char *bytes_text, unsigned accesses,
			  unsigned bytes_index, uint64_t count)
{
	uint64_t bytes;
	if (!take_number(&bytes_text, BYTES_MAX, &bytes) || *bytes_text)
		return;
	add(sde, accesses, count, 1);
	add(sde, bytes_index, count, bytes);
}

static void take_isa(struct tp_sde_mix *sde, const char *name, uint64_t count)
{
	static const struct {
		const char *name;
		unsigned index;
	} isas[] = {
		{ "SSE", TP_MIX_ISA_SSE },	    { "SSE2", TP_MIX_ISA_SSE },
		{ "SSE3", TP_MIX_ISA_SSE },	    { "SSSE3", TP_MIX_ISA_SSE },
		{ "SSE4", TP_MIX_ISA_SSE },	    { "AVX", TP_MIX_ISA_AVX },
		{ "AVX2", TP_MIX_ISA_AVX2 },	    { "AVX2GATHER", TP_MIX_ISA_AVX2 },
		{ "FMA", TP_MIX_ISA_FMA },	    { "AVX512EVEX", TP_MIX_ISA_AVX512 },
		{ "AVX512VEX", TP_MIX_ISA_AVX512 }, { "AMX_TILE", TP_MIX_ISA_AMX },
		{ "AMX_INT8", TP_MIX_ISA_AMX },	    { "AMX_BF16", TP_MIX_ISA_AMX },
		{ "X87", TP_MIX_ISA_X87_MMX },	    { "MMX", TP_MIX_ISA_X87_MMX },
	};
	unsigned index = TP_MIX_ISA_OTHER;
	for (size_t i = 0; i < TP_COUNT_OF(isas); i++)
		if (strcmp(name, isas[i].name) == 0)
			index = isas[i].index;
	add(sde, index, count, 1);
}

static void take_category(struct tp_sde_mix *sde, const char *name, uint64_t count)
{
	if (strcmp(name, "COND_BR") == 0 || strcmp(name, "UNCOND_BR") == 0 ||
	    strcmp(name, "CALL") == 0 || strcmp(name, "RET") == 0)
		add(sde, TP_MIX_BRANCHES, count, 1);
	else if (strcmp(name, "GATHER") == 0 || strcmp(name, "AVX2GATHER") == 0)
		add(sde, TP_MIX_GATHERS, count, 1);
	else if (strcmp(name, "SCATTER") == 0)
		add(sde, TP_MIX_SCATTERS, count, 1);
	else if (strcmp(name, "X87_ALU") == 0)
		add(sde, TP_MIX_X87, count, 1);
}

/* VFMADD213PD_YMMqq_...: the second FLOP of each lane. tp_sde_end takes it from the plain ones. */
static void take_form(struct tp_sde_mix *sde, const char *form, uint64_t count)
{
	static const char *const names[] = { "VFMADDSUB", "VFMSUBADD", "VFMADD",
					     "VFMSUB",	  "VFNMADD",   "VFNMSUB" };
	static const char *const orders[] = { "132", "213", "231" };
	const char *rest = NULL, *precision = NULL;
	for (size_t i = 0; i < TP_COUNT_OF(names) && !rest; i++)
		rest = behind(form, names[i]);
	for (size_t i = 0; rest && i < TP_COUNT_OF(orders) && !precision; i++)
		precision = behind(rest, orders[i]);
	if (!precision || (precision[0] != 'P' && precision[0] != 'S') ||
	    (precision[1] != 'S' && precision[1] != 'D') || precision[2] != '_')
		return;
	bool is_double = precision[1] == 'D', scalar = precision[0] == 'S';
	unsigned width = scalar					 ? 0
			 : strncmp(precision + 3, "ZMM", 3) == 0 ? 3
			 : strncmp(precision + 3, "YMM", 3) == 0 ? 2
								 : 1;
	uint64_t lanes =
		scalar ? 1 : (8ull << width) / (is_double ? sizeof(double) : sizeof(float));
	add(sde, (is_double ? TP_MIX_FMA_DP_SCALAR : TP_MIX_FMA_SP_SCALAR) + width, count, 1);
	add(sde, is_double ? TP_MIX_FLOPS_DP : TP_MIX_FLOPS_SP, count, lanes);
}

static void take(struct tp_sde_mix *sde, const char *name, uint64_t count)
{
	const char *rest;
	if (strcmp(name, "*total") == 0)
		add(sde, TP_MIX_INSTRUCTIONS, count, 1);
	else if ((rest = behind(name, "*elements_fp_double_")))
		take_elements(sde, rest, true, count);
	else if ((rest = behind(name, "*elements_fp_single_")))
		take_elements(sde, rest, false, count);
	else if ((rest = behind(name, "*mem-read-")))
		take_accesses(sde, rest, TP_MIX_LOADS, TP_MIX_BYTES_LOADED, count);
	else if ((rest = behind(name, "*mem-write-")))
		take_accesses(sde, rest, TP_MIX_STORES, TP_MIX_BYTES_STORED, count);
	else if ((rest = behind(name, "*isa-ext-")))
		take_isa(sde, rest, count);
	else if ((rest = behind(name, "*category-")))
		take_category(sde, rest, count);
	else if (*name == 'V')
		take_form(sde, name, count);
}

/* --- the file --- */

static void begin(struct tp_sde_mix *sde)
{
	*sde = (struct tp_sde_mix){ .found = true, .inside = true };
}

void tp_sde_line(struct tp_sde_mix *sde, const char *line, size_t len)
{
	char text[2 * NAME], name[NAME];
	uint64_t count;
	size_t n = 0;
	if (!line || len >= sizeof(text) || memchr(line, 0, len))
		return;
	memcpy(text, line, len);
	text[len] = '\0';
	if (behind(text, "# EMIT_GLOBAL_DYNAMIC_STATS")) {
		begin(sde);
	} else if (behind(text, "# END_GLOBAL_DYNAMIC_STATS")) {
		sde->ended |= sde->inside;
		sde->inside = false;
	}
	if (!sde->inside || *text == '#')
		return;
	const char *at = text;
	for (; *at && !isspace((unsigned char)*at) && n < sizeof(name) - 1; at++)
		name[n++] = *at;
	name[n] = '\0';
	at += strspn(at, " \t");
	if (!n)
		return;
	if (take_number(&at, COUNT_MAX, &count)) {
		if (!at[strspn(at, " \t\r")])
			take(sde, name, count);
	} else if (isdigit((unsigned char)*at)) {
		sde->damaged = true;
	}
}

void tp_sde_end(struct tp_sde_mix *sde)
{
	uint64_t kinds = 0;
	/* SDE counts fused ones among the elements of their width, too. */
	for (unsigned i = 0; i < 8; i++) {
		uint64_t *fp = &sde->mix[TP_MIX_FP_SP_SCALAR + i];
		uint64_t fused = sde->mix[TP_MIX_FMA_SP_SCALAR + i];
		sde->damaged |= fused > *fp;
		*fp -= fused > *fp ? *fp : fused;
		kinds += *fp + fused;
	}
	kinds += sde->mix[TP_MIX_BRANCHES] + sde->mix[TP_MIX_X87];
	/* SDE has no more of the kinds of mix/mix.h. */
	if (sde->mix[TP_MIX_INSTRUCTIONS] > kinds)
		sde->mix[TP_MIX_OTHER] = sde->mix[TP_MIX_INSTRUCTIONS] - kinds;
}
