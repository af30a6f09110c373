/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/aarch64.h"
#include "kernels/emit/assembler.h"
#include "base/memory.h"

#include <inttypes.h>

void tp_aarch64_constant(struct tp_assembler *as, unsigned reg, uint64_t value)
{
	static const enum tp_aarch64_op keep[] = { TP_AARCH64_MOVZ, TP_AARCH64_MOVK_16,
						   TP_AARCH64_MOVK_32, TP_AARCH64_MOVK_48 };
	for (size_t i = 0; i < TP_COUNT_OF(keep); i++) {
		uint64_t part = value >> 16 * i & 0xffff;
		if (i == 0 || part)
			tp_aarch64_put(as, keep[i], reg, (int64_t)part, 0, 0);
	}
}

void tp_aarch64_advance(struct tp_assembler *as, unsigned dst, unsigned src, int64_t bytes,
			unsigned spare)
{
	enum { LOW_BITS = 12 };
	bool down = bytes < 0;
	uint64_t distance = down ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	int64_t low = (int64_t)(distance & ((1u << LOW_BITS) - 1));
	if (distance >> 2 * LOW_BITS) {
		tp_aarch64_constant(as, spare, (uint64_t)bytes);
		tp_aarch64_put(as, TP_AARCH64_ADD, dst, src, spare, 0);
		return;
	}
	if (!distance && dst != src)
		tp_aarch64_put(as, TP_AARCH64_MOV, dst, src, 0, 0);
	if (distance >> LOW_BITS) {
		tp_aarch64_put(as, down ? TP_AARCH64_SUB_IMM_HIGH : TP_AARCH64_ADD_IMM_HIGH, dst,
			       src, (int64_t)(distance >> LOW_BITS), 0);
		src = dst;
	}
	if (low)
		tp_aarch64_put(as, down ? TP_AARCH64_SUB_IMM : TP_AARCH64_ADD_IMM, dst, src, low,
			       0);
}

/* --- text --- */

#define THREE(kind, dot)       "%" dot ", %" dot ", %" dot, REG(kind, 0), REG(kind, 5), REG(kind, 16)
#define SUMS(kind, to, of)     "%" to ", %" of ", %" of, REG(kind, 0), REG(kind, 5), REG(kind, 16)
#define FOUR(kind)	       "%, %, %, %", REG(kind, 0), REG(kind, 5), REG(kind, 16), REG(kind, 10)
#define IMMEDIATE(kind, shift) "%, %, #%" shift, REG(kind, 0), REG('n', 5), BITS('u', 10, 12)
#define HALF_WORD(shift)       "%, #%" shift, REG('x', 0), BITS('u', 5, 16)
#define OFFSET(kind, unit)     "%, [%%]", REG(kind, 0), REG('n', 5), UNITS('o', 10, 12, unit)
#define INDEXED(kind)	       "%, [%, %]", REG(kind, 0), REG('n', 5), REG('x', 16)
#define PAIR(kind, unit)                                                                           \
	"%, %, [%%]", REG(kind, 0), REG(kind, 10), REG('n', 5), SIGNED('O', 15, 7, unit)
#define VECTOR "%, [%%]", REG('z', 0), REG('n', 5), PARTS('m', 1, { 10, 3 }, { 16, 6 })
#define LANES(dot, zero)                                                                           \
	"{%." dot "}, %" zero ", [%%]", REG('z', 0), BITS('p', 10, 3), REG('n', 5),                \
		SIGNED('M', 16, 4, 1)
#define MASKED(dot)                                                                                \
	"%" dot ", %/m, %" dot ", %" dot, REG('z', 0), BITS('p', 10, 3), REG('z', 5), REG('z', 16)
#define MASKED_TWO(dot) "%" dot ", %/m, &" dot ", %" dot, REG('z', 0), BITS('p', 10, 3), REG('z', 5)
#define OUTER(tile_bits, to, of)                                                                   \
	"%" to ", p0/m, p0/m, %" of ", %" of, BITS('a', 0, tile_bits), REG('z', 5), REG('z', 16)

static const struct tp_word_row rows[] = { TP_AARCH64_LIST(ROW) };

static void print_name(struct tp_str *out, const struct tp_word_row *row, uint32_t word,
		       unsigned *mode __attribute__((unused)))
{
	tp_str_printf(out, "%08" PRIx32 "  %s", word, row->mnemonic);
}

static void integer_register(struct tp_str *out, char kind, int64_t n)
{
	static const char *const last[] = { "xzr", "wzr", "sp" };
	const char *name = kind == 'x' ? last[0] : kind == 'w' ? last[1] : last[2];
	if (n == TP_AARCH64_SP)
		tp_str_add(out, name);
	else
		tp_str_printf(out, "%c%" PRId64, kind == 'w' ? 'w' : 'x', n);
}

static void print_operand(struct tp_str *out, char kind, int64_t value,
			  unsigned mode __attribute__((unused)))
{
	switch (kind) {
	case 'x':
	case 'w':
	case 'n':
		integer_register(out, kind, value);
		break;
	case 'u':
		tp_str_printf(out, "0x%" PRIx64, (uint64_t)value);
		break;
	case 't':
		tp_str_printf(out, "%" PRId64, value);
		break;
	case 'a':
		tp_str_printf(out, "za%" PRId64, value);
		break;
	case 'o':
	case 'O':
		if (value)
			tp_str_printf(out, ", #%" PRId64, value);
		break;
	case 'm':
	case 'M':
		if (value)
			tp_str_printf(out, ", #%" PRId64 ", mul vl", value);
		break;
	case 'k':
		tp_str_printf(out, "0x%" PRIx64, UINT64_MAX >> (63 - value));
		break;
	default:
		tp_str_printf(out, "%c%" PRId64, kind, value);
	}
}

const struct tp_word_table tp_aarch64_words = {
	.rows = rows,
	.n = TP_AARCH64_OPS,
	.print_name = print_name,
	.print_operand = print_operand,
};

enum tp_status tp_aarch64_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	return tp_word_disassemble(&tp_aarch64_words, code, bytes, out);
}
