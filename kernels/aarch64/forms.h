/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same few vector instructions in each of the three register kinds. SVE code has all lanes on in predicate 0, which
 * tp_aarch64_forms_begin sets. Private to this folder.
 */
#ifndef TPROF_KERNELS_AARCH64_FORMS_H
#define TPROF_KERNELS_AARCH64_FORMS_H

#include "kernels/aarch64/encode.h"

enum tp_aarch64_kind { TP_AARCH64_SCALAR, TP_AARCH64_NEON, TP_AARCH64_SVE, TP_AARCH64_KINDS };
enum tp_aarch64_arithmetic {
	TP_AARCH64_DO_ADD, /* x += a */
	TP_AARCH64_DO_MUL, /* x *= a */
	TP_AARCH64_DO_DIV, /* x /= a */
	TP_AARCH64_DO_FMA, /* x += a * b */
	TP_AARCH64_DO_SCALE, /* x = x * a + b; NEON has no such form: x += a * b */
	TP_AARCH64_DO_SCALE_BACK, /* the same; NEON: x -= a * b */
	TP_AARCH64_ARITHMETIC
};

struct tp_aarch64_forms {
	enum tp_aarch64_kind kind;
	unsigned element_bytes; /* 8 or 4 */
	unsigned operand_bytes; /* of a register in memory */
};

void tp_aarch64_forms_begin(struct tp_aarch64_asm *as, const struct tp_aarch64_forms *forms);
void tp_aarch64_arithmetic(struct tp_aarch64_asm *as, const struct tp_aarch64_forms *forms,
			   enum tp_aarch64_arithmetic what, unsigned x, unsigned a, unsigned b);

/* One access: which instruction, and the units of its offset. */
struct tp_aarch64_access {
	enum tp_aarch64_op op;
	bool pair; /* stores registers r and r + 1, half an operand each */
	bool predicated; /* takes predicate 0 */
	unsigned unit_bytes; /* what an offset of 1 means in the table's terms */
};
enum tp_aarch64_access_kind {
	TP_AARCH64_LOAD,
	TP_AARCH64_STORE,
	TP_AARCH64_STORE_NT, /* scalar: of 8 bytes only */
	TP_AARCH64_LOAD_HALF, /* into one register of such a pair; SVE: the whole */
	TP_AARCH64_ACCESSES
};
struct tp_aarch64_access tp_aarch64_access(const struct tp_aarch64_forms *forms,
					   enum tp_aarch64_access_kind what);
/* Whether an offset can be written into the instruction. */
bool tp_aarch64_reaches(const struct tp_aarch64_access *access, int64_t offset_bytes);
void tp_aarch64_do_access(struct tp_aarch64_asm *as, const struct tp_aarch64_access *access,
			  unsigned reg, unsigned base, int64_t offset_bytes);

/*
 * Vector registers 8 to 15 (their lower halves) belong to the caller, x19 and x20 likewise: kept on the stack between these two.
 */
void tp_aarch64_save(struct tp_aarch64_asm *as);
void tp_aarch64_restore(struct tp_aarch64_asm *as);

#endif
