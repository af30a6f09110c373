/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/forms.h"

#define A(name) TP_AARCH64_##name

/* [what][kind][single] */
static const enum tp_aarch64_op arithmetic[TP_AARCH64_ARITHMETIC][TP_AARCH64_KINDS][2] = {
	[A(DO_ADD)] = { { A(FADD_D), A(FADD_S) },
			{ A(FADD_2D), A(FADD_4S) },
			{ A(FADD_ZD), A(FADD_ZS) } },
	[A(DO_MUL)] = { { A(FMUL_D), A(FMUL_S) },
			{ A(FMUL_2D), A(FMUL_4S) },
			{ A(FMUL_ZD), A(FMUL_ZS) } },
	[A(DO_DIV)] = { { A(FDIV_D), A(FDIV_S) },
			{ A(FDIV_2D), A(FDIV_4S) },
			{ A(FDIV_ZD), A(FDIV_ZS) } },
	[A(DO_FMA)] = { { A(FMADD_D), A(FMADD_S) },
			{ A(FMLA_2D), A(FMLA_4S) },
			{ A(FMLA_ZD), A(FMLA_ZS) } },
	[A(DO_SCALE)] = { { A(FMADD_D), A(FMADD_S) },
			  { A(FMLA_2D), A(FMLA_4S) },
			  { A(FMAD_ZD), A(FMAD_ZS) } },
	[A(DO_SCALE_BACK)] = { { A(FMADD_D), A(FMADD_S) },
			       { A(FMLS_2D), A(FMLS_4S) },
			       { A(FMAD_ZD), A(FMAD_ZS) } },
};

/* [what][kind][single]; the halves of a scalar of 8 bytes are of 4. */
static const enum tp_aarch64_op accesses[TP_AARCH64_ACCESSES][TP_AARCH64_KINDS][2] = {
	[A(LOAD)] = { { A(LDR_D), A(LDR_S) }, { A(LDR_Q), A(LDR_Q) }, { A(LDR_Z), A(LDR_Z) } },
	[A(STORE)] = { { A(STR_D), A(STR_S) }, { A(STR_Q), A(STR_Q) }, { A(STR_Z), A(STR_Z) } },
	[A(STORE_NT)] = { { A(STNP_S), A(STNP_S) },
			  { A(STNP_D), A(STNP_D) },
			  { A(STNT1D), A(STNT1W) } },
	[A(LOAD_HALF)] = { { A(LDR_S), A(LDR_S) }, { A(LDR_D), A(LDR_D) }, { A(LDR_Z), A(LDR_Z) } },
};

void tp_aarch64_forms_begin(struct tp_aarch64_asm *as, const struct tp_aarch64_forms *forms)
{
	if (forms->kind == TP_AARCH64_SVE)
		tp_aarch64_put(as, TP_AARCH64_PTRUE, 0, 0, 0, 0);
}

void tp_aarch64_arithmetic(struct tp_aarch64_asm *as, const struct tp_aarch64_forms *forms,
			   enum tp_aarch64_arithmetic what, unsigned x, unsigned a, unsigned b)
{
	enum tp_aarch64_op op = arithmetic[what][forms->kind][forms->element_bytes == 4];
	enum { ALL_LANES };
	switch (op) {
	case TP_AARCH64_FMADD_D:
	case TP_AARCH64_FMADD_S:
		if (what == TP_AARCH64_DO_SCALE || what == TP_AARCH64_DO_SCALE_BACK)
			tp_aarch64_put(as, op, x, x, a, b);
		else
			tp_aarch64_put(as, op, x, a, b, x);
		break;
	case TP_AARCH64_FMLA_2D:
	case TP_AARCH64_FMLA_4S:
	case TP_AARCH64_FMLS_2D:
	case TP_AARCH64_FMLS_4S:
		tp_aarch64_put(as, op, x, a, b, 0);
		break;
	case TP_AARCH64_FMLA_ZD:
	case TP_AARCH64_FMLA_ZS:
	case TP_AARCH64_FMAD_ZD:
	case TP_AARCH64_FMAD_ZS:
		tp_aarch64_put(as, op, x, ALL_LANES, a, b);
		break;
	case TP_AARCH64_FDIV_ZD:
	case TP_AARCH64_FDIV_ZS:
		tp_aarch64_put(as, op, x, ALL_LANES, a, 0);
		break;
	default:
		tp_aarch64_put(as, op, x, x, a, 0);
	}
}

struct tp_aarch64_access tp_aarch64_access(const struct tp_aarch64_forms *forms,
					   enum tp_aarch64_access_kind what)
{
	bool sve = forms->kind == TP_AARCH64_SVE, nt = what == TP_AARCH64_STORE_NT;
	return (struct tp_aarch64_access){
		.op = accesses[what][forms->kind][forms->element_bytes == 4],
		.pair = nt && !sve,
		.predicated = nt && sve,
		.unit_bytes = sve ? forms->operand_bytes : 1,
	};
}

bool tp_aarch64_reaches(const struct tp_aarch64_access *access, int64_t offset_bytes)
{
	int64_t unit = access->unit_bytes;
	unsigned index = access->pair || access->predicated ? 3 : 2;
	return offset_bytes % unit == 0 && tp_aarch64_fits(access->op, index, offset_bytes / unit);
}

void tp_aarch64_do_access(struct tp_aarch64_asm *as, const struct tp_aarch64_access *access,
			  unsigned reg, unsigned base, int64_t offset_bytes)
{
	enum { ALL_LANES };
	int64_t offset = offset_bytes / access->unit_bytes;
	if (offset_bytes % access->unit_bytes)
		as->failed = true;
	if (access->pair)
		tp_aarch64_put(as, access->op, reg, reg + 1, base, offset);
	else if (access->predicated)
		tp_aarch64_put(as, access->op, reg, ALL_LANES, base, offset);
	else
		tp_aarch64_put(as, access->op, reg, base, offset, 0);
}

enum { FIRST_KEPT = 8, LAST_KEPT = 15, KEPT_X = 19, PAIR_BYTES = 16, FRAME_BYTES = 80 };

void tp_aarch64_save(struct tp_aarch64_asm *as)
{
	int64_t at = 0;
	tp_aarch64_put(as, TP_AARCH64_SUB_IMM, TP_AARCH64_SP, TP_AARCH64_SP, FRAME_BYTES, 0);
	for (int64_t reg = FIRST_KEPT; reg < LAST_KEPT; reg += 2, at += PAIR_BYTES)
		tp_aarch64_put(as, TP_AARCH64_STP_D, reg, reg + 1, TP_AARCH64_SP, at);
	tp_aarch64_put(as, TP_AARCH64_STP_X, KEPT_X, KEPT_X + 1, TP_AARCH64_SP, at);
}

void tp_aarch64_restore(struct tp_aarch64_asm *as)
{
	int64_t at = 0;
	for (int64_t reg = FIRST_KEPT; reg < LAST_KEPT; reg += 2, at += PAIR_BYTES)
		tp_aarch64_put(as, TP_AARCH64_LDP_D, reg, reg + 1, TP_AARCH64_SP, at);
	tp_aarch64_put(as, TP_AARCH64_LDP_X, KEPT_X, KEPT_X + 1, TP_AARCH64_SP, at);
	tp_aarch64_put(as, TP_AARCH64_ADD_IMM, TP_AARCH64_SP, TP_AARCH64_SP, FRAME_BYTES, 0);
}
