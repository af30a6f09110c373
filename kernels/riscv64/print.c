/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code as text, from the table that it was encoded from: nothing but what kernels are made of is known. */
#include "kernels/riscv64/encode.h"
#include "kernels/riscv64/riscv64.h"

#include <inttypes.h>
#include <string.h>

static const char *const x_names[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
					 "s0",	 "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
					 "a6",	 "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
					 "s8",	 "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
static const char *const f_names[32] = {
	"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
	"fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
	"fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"
};

struct line {
	const struct tp_riscv_row *row;
	uint32_t word;
	size_t at;
	unsigned rd, rs1, rs2, rs3;
	bool old; /* vector instructions of version 0.7 */
};

/* Bits [low, low + n) as a signed number. */
static int32_t bits_of(uint32_t word, unsigned low, unsigned n)
{
	return (int32_t)(word << (32 - low - n)) >> (32 - n);
}

static unsigned ubits_of(uint32_t word, unsigned low, unsigned n)
{
	return word >> low & ((1u << n) - 1);
}

static int32_t store_offset(uint32_t word)
{
	return bits_of(word, 25, 7) * 32 + (int32_t)ubits_of(word, 7, 5);
}

static int32_t branch_distance(uint32_t word)
{
	return bits_of(word, 31, 1) * 4096 + (int32_t)(ubits_of(word, 7, 1) << 11) +
	       (int32_t)(ubits_of(word, 25, 6) << 5) + (int32_t)(ubits_of(word, 8, 4) << 1);
}

static int32_t jump_distance(uint32_t word)
{
	return bits_of(word, 31, 1) * (1 << 20) + (int32_t)(ubits_of(word, 12, 8) << 12) +
	       (int32_t)(ubits_of(word, 20, 1) << 11) + (int32_t)(ubits_of(word, 21, 10) << 1);
}

static void print_vset(const struct line *l, struct tp_str *out)
{
	unsigned type = ubits_of(l->word, 20, 11), low = l->old ? 2 : 3;
	unsigned group = ubits_of(type, 0, low), width = ubits_of(type, low, 3);
	tp_str_printf(out, "%s,%s,e%u,m%u%s", x_names[l->rd], x_names[l->rs1], 8u << width,
		      1u << group, l->old ? "" : ",ta,ma");
}

static void print_operands(const struct line *l, struct tp_str *out)
{
	const char *d = x_names[l->rd], *s1 = x_names[l->rs1], *s2 = x_names[l->rs2];
	switch (l->row->format) {
	case TP_RISCV_R:
		tp_str_printf(out, "%s,%s,%s", d, s1, s2);
		break;
	case TP_RISCV_I:
		tp_str_printf(out, "%s,%s,%d", d, s1, bits_of(l->word, 20, 12));
		break;
	case TP_RISCV_SHIFT:
		tp_str_printf(out, "%s,%s,0x%x", d, s1, ubits_of(l->word, 20, 6));
		break;
	case TP_RISCV_LOAD:
		tp_str_printf(out, "%s,%d(%s)", d, bits_of(l->word, 20, 12), s1);
		break;
	case TP_RISCV_STORE:
		tp_str_printf(out, "%s,%d(%s)", s2, store_offset(l->word), s1);
		break;
	case TP_RISCV_FLOAD:
		tp_str_printf(out, "%s,%d(%s)", f_names[l->rd], bits_of(l->word, 20, 12), s1);
		break;
	case TP_RISCV_FSTORE:
		tp_str_printf(out, "%s,%d(%s)", f_names[l->rs2], store_offset(l->word), s1);
		break;
	case TP_RISCV_FR:
		tp_str_printf(out, "%s,%s,%s", f_names[l->rd], f_names[l->rs1], f_names[l->rs2]);
		break;
	case TP_RISCV_FR4:
		tp_str_printf(out, "%s,%s,%s,%s", f_names[l->rd], f_names[l->rs1], f_names[l->rs2],
			      f_names[l->rs3]);
		break;
	case TP_RISCV_FX:
		tp_str_printf(out, "%s,%s", f_names[l->rd], s1);
		break;
	case TP_RISCV_B:
		tp_str_printf(out, "%s,%s,0x%" PRIx64, s1, s2,
			      (int64_t)l->at + branch_distance(l->word));
		break;
	case TP_RISCV_U:
		tp_str_printf(out, "%s,0x%x", d, ubits_of(l->word, 12, 20));
		break;
	case TP_RISCV_J:
		tp_str_printf(out, "%s,0x%" PRIx64, d, (int64_t)l->at + jump_distance(l->word));
		break;
	case TP_RISCV_VSET:
		print_vset(l, out);
		break;
	case TP_RISCV_VMEMORY:
		tp_str_printf(out, "v%u,(%s)", l->rd, s1);
		break;
	case TP_RISCV_VV:
		tp_str_printf(out, "v%u,v%u,v%u", l->rd, l->rs2, l->rs1);
		break;
	case TP_RISCV_VVV:
		tp_str_printf(out, "v%u,v%u,v%u", l->rd, l->rs1, l->rs2);
		break;
	case TP_RISCV_VI:
		tp_str_printf(out, "v%u,%d", l->rd, bits_of(l->word, 15, 5));
		break;
	case TP_RISCV_FIXED:
		break;
	}
}

static bool is_vector(enum tp_riscv_format format)
{
	return format == TP_RISCV_VSET || format == TP_RISCV_VMEMORY || format == TP_RISCV_VV ||
	       format == TP_RISCV_VVV || format == TP_RISCV_VI;
}

static void print_name(const struct line *l, struct tp_str *out)
{
	const char *name = l->row->name;
	if (l->old && l->row->format == TP_RISCV_VMEMORY)
		name = strcmp(name, tp_riscv_row(TP_RISCV_VLE64)->name) == 0 ? "vle.v" : "vse.v";
	tp_str_printf(out, "%s%s", l->old && is_vector(l->row->format) ? "th." : "", name);
}

/* Kernels of version 1.0 always ask for agnostic tails, which version 0.7 does not know: that tells the two apart. */
static bool is_old_type(uint32_t word)
{
	enum { AGNOSTIC = 3 << 6 };
	return (word >> 20 & AGNOSTIC) == 0;
}

enum tp_status tp_riscv_disassemble(const void *code, size_t bytes, struct tp_str *out)
{
	struct line l = { 0 };
	for (l.at = 0; l.at + sizeof(l.word) <= bytes; l.at += sizeof(l.word)) {
		memcpy(&l.word, (const char *)code + l.at, sizeof(l.word));
		l.row = NULL;
		for (int op = 0; op < TP_RISCV_OPS && !l.row; op++)
			if ((l.word & tp_riscv_row((enum tp_riscv_op)op)->mask) ==
			    tp_riscv_row((enum tp_riscv_op)op)->bits)
				l.row = tp_riscv_row((enum tp_riscv_op)op);
		if (!l.row)
			return TP_INTERNAL;
		l.rd = ubits_of(l.word, 7, 5);
		l.rs1 = ubits_of(l.word, 15, 5);
		l.rs2 = ubits_of(l.word, 20, 5);
		l.rs3 = ubits_of(l.word, 27, 5);
		if (l.row->format == TP_RISCV_VSET)
			l.old = is_old_type(l.word);
		tp_str_printf(out, "%6zx:  ", l.at);
		print_name(&l, out);
		if (l.row->format != TP_RISCV_FIXED)
			tp_str_add(out, " ");
		print_operands(&l, out);
		tp_str_add(out, "\n");
	}
	return out->oom ? TP_NOMEM : TP_OK;
}
