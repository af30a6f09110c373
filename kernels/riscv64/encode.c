/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/riscv64/riscv64.h"
#include "kernels/emit/assembler.h"

#include <inttypes.h>
#include <string.h>

bool tp_riscv_fits(int64_t offset)
{
	return offset >= -2048 && offset <= 2047;
}

void tp_riscv_li(struct tp_assembler *as, unsigned reg, int64_t value)
{
	enum { UPPER_BITS = 0xfffff };
	if (tp_riscv_fits(value)) {
		tp_riscv_put(as, TP_RISCV_ADDI, reg, X_ZERO, value, 0);
		return;
	}
	/* addi adds a signed number, so the upper part makes up for a negative one. */
	int64_t low = (int64_t)((uint64_t)value << 52) >> 52;
	if (value >= INT32_MIN && value <= INT32_MAX) {
		tp_riscv_put(as, TP_RISCV_LUI, reg, (value - low) >> 12 & UPPER_BITS, 0, 0);
		if (low)
			tp_riscv_put(as, TP_RISCV_ADDIW, reg, reg, low, 0);
		return;
	}
	int64_t high = (int64_t)((uint64_t)value - (uint64_t)low) >> 12;
	unsigned shift = 12;
	for (; (high & 1) == 0; shift++)
		high >>= 1;
	tp_riscv_li(as, reg, high);
	tp_riscv_put(as, TP_RISCV_SLLI, reg, reg, shift, 0);
	if (low)
		tp_riscv_put(as, TP_RISCV_ADDI, reg, reg, low, 0);
}

void tp_riscv_add(struct tp_assembler *as, unsigned reg, unsigned from, int64_t bytes,
		  unsigned scratch)
{
	if (bytes == 0 && reg == from)
		return;
	if (tp_riscv_fits(bytes)) {
		tp_riscv_put(as, TP_RISCV_ADDI, reg, from, bytes, 0);
		return;
	}
	tp_riscv_li(as, scratch, bytes);
	tp_riscv_put(as, TP_RISCV_ADD, reg, from, scratch, 0);
}

unsigned tp_riscv_vtype(bool old, unsigned element_bytes, unsigned lmul)
{
	enum { TAIL_AGNOSTIC = 1 << 6, MASK_AGNOSTIC = 1 << 7 };
	unsigned width = element_bytes == 8 ? 3 : 2, group = (unsigned)__builtin_ctz(lmul);
	return old ? width << 2 | group : MASK_AGNOSTIC | TAIL_AGNOSTIC | width << 3 | group;
}

/* --- text --- */

static const char *const x_names[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
					 "s0",	 "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
					 "a6",	 "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
					 "s8",	 "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
static const char *const f_names[32] = {
	"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
	"fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
	"fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"
};

static const struct tp_word_row rows[] = { TP_RISCV_LIST(ROW) };

enum { VERSION_1_0, VERSION_0_7 }; /* of vector instructions: the printer's mode */

/*
 * Kernels of version 1.0 always ask for agnostic tails. Version 0.7 lacks them, which distinguishes
 * the two.
 */
static void print_name(struct tp_str *out, const struct tp_word_row *row, uint32_t word,
		       unsigned *mode)
{
	enum { AGNOSTIC = 3 << 6 };
	const char *name = row->mnemonic;
	bool sets = row == &rows[TP_RISCV_VSETVLI];
	if (sets)
		*mode = word >> 20 & AGNOSTIC ? VERSION_1_0 : VERSION_0_7;
	if (*mode == VERSION_0_7) {
		if (sets || row->field[0].kind == 'v')
			tp_str_add(out, "th.");
		if (row == &rows[TP_RISCV_VLE64])
			name = "vle.v";
		if (row == &rows[TP_RISCV_VSE64])
			name = "vse.v";
	}
	tp_str_add(out, name);
}

static void print_type(struct tp_str *out, unsigned type, bool old)
{
	unsigned width_at = old ? 2 : 3, group = type & ((1u << width_at) - 1);
	tp_str_printf(out, "e%u,m%u%s", 8u << (type >> width_at & 7), 1u << group,
		      old ? "" : ",ta,ma");
}

static void print_operand(struct tp_str *out, char kind, int64_t value, unsigned mode)
{
	switch (kind) {
	case 'x':
		tp_str_add(out, x_names[value]);
		break;
	case 'f':
		tp_str_add(out, f_names[value]);
		break;
	case 'v':
		tp_str_printf(out, "v%" PRId64, value);
		break;
	case 't':
		print_type(out, (unsigned)value, mode == VERSION_0_7);
		break;
	case 'h':
		tp_str_printf(out, "0x%" PRIx64, (uint64_t)value);
		break;
	default:
		tp_str_printf(out, "%" PRId64, value);
	}
}

const struct tp_word_table tp_riscv_words = {
	.rows = rows,
	.n = TP_RISCV_OPS,
	.print_name = print_name,
	.print_operand = print_operand,
};

enum tp_status tp_riscv_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	return tp_word_disassemble(&tp_riscv_words, code, bytes, out);
}
