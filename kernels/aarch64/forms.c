/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/forms.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/aarch64/encode.h"

#define A(name) TP_AARCH64_##name

/* [what][form][single]. Scalars have x = x * a + b for the last two. */
static const enum tp_aarch64_op arithmetic[TP_ARITHMETICS][TP_AARCH64_FORMS][2] = {
	[TP_DO_ADD] = { { A(FADD_D), A(FADD_S) },
			{ A(FADD_2D), A(FADD_4S) },
			{ A(FADD_ZD), A(FADD_ZS) } },
	[TP_DO_MUL] = { { A(FMUL_D), A(FMUL_S) },
			{ A(FMUL_2D), A(FMUL_4S) },
			{ A(FMUL_ZD), A(FMUL_ZS) } },
	[TP_DO_DIV] = { { A(FDIV_D), A(FDIV_S) },
			{ A(FDIV_2D), A(FDIV_4S) },
			{ A(FDIV_ZD), A(FDIV_ZS) } },
	[TP_DO_FMA] = { { A(FMADD_D), A(FMADD_S) },
			{ A(FMLA_2D), A(FMLA_4S) },
			{ A(FMLA_ZD), A(FMLA_ZS) } },
	[TP_DO_SCALE] = { { A(FMADD_D), A(FMADD_S) },
			  { A(FMLA_2D), A(FMLA_4S) },
			  { A(FMAD_ZD), A(FMAD_ZS) } },
	[TP_DO_SCALE_BACK] = { { A(FMADD_D), A(FMADD_S) },
			       { A(FMLS_2D), A(FMLS_4S) },
			       { A(FMAD_ZD), A(FMAD_ZS) } },
};

enum access_kind {
	LOAD,
	STORE,
	STORE_NT, /* scalar: of 8 bytes only */
	LOAD_HALF, /* into one register of such a pair */
	ACCESS_KINDS
};

/* [what][form][single]. The halves of a scalar of 8 bytes have 4. */
static const enum tp_aarch64_op accesses[ACCESS_KINDS][TP_AARCH64_FORMS][2] = {
	[LOAD] = { { A(LDR_D), A(LDR_S) }, { A(LDR_Q), A(LDR_Q) }, { A(LDR_Z), A(LDR_Z) } },
	[STORE] = { { A(STR_D), A(STR_S) }, { A(STR_Q), A(STR_Q) }, { A(STR_Z), A(STR_Z) } },
	[STORE_NT] = { { A(STNP_S), A(STNP_S) },
		       { A(STNP_D), A(STNP_D) },
		       { A(STNT1D), A(STNT1W) } },
	[LOAD_HALF] = { { A(LDR_S), A(LDR_S) }, { A(LDR_D), A(LDR_D) } },
};

/* Place in the tables. */
static unsigned form_of(const struct tp_emitter *e)
{
	return e->form == TP_AARCH64_SME ? TP_AARCH64_SVE : e->form;
}

void tp_aarch64_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			   unsigned b)
{
	enum tp_aarch64_op op = arithmetic[what][form_of(e)][e->element_bytes == 4];
	bool fused = what >= TP_DO_FMA;
	if (fused && e->form == TP_AARCH64_SCALAR && what == TP_DO_FMA)
		tp_aarch64_put(e->as, op, x, a, b, x);
	else if (fused && e->form == TP_AARCH64_SCALAR)
		tp_aarch64_put(e->as, op, x, x, a, b);
	else if (fused && e->form == TP_AARCH64_NEON)
		tp_aarch64_put(e->as, op, x, a, b, 0);
	else if (fused)
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, b);
	else if (what == TP_DO_DIV && tp_aarch64_has_lanes(e))
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, 0);
	else
		tp_aarch64_put(e->as, op, x, x, a, 0);
}

void tp_aarch64_narrow_op(struct tp_emitter *e, unsigned x, unsigned a, unsigned b)
{
	enum tp_aarch64_op op = (enum tp_aarch64_op)e->narrow->instruction;
	if (op == TP_AARCH64_FMLA_ZH)
		tp_aarch64_put(e->as, op, x, TP_AARCH64_ALL_LANES, a, b);
	else
		tp_aarch64_put(e->as, op, x, a, b, 0);
}

static enum tp_aarch64_op access_op(const struct tp_emitter *e, enum access_kind kind)
{
	return accesses[kind][form_of(e)][e->element_bytes == 4];
}

static enum access_kind kind_of(const struct tp_access *a)
{
	return !a->store ? LOAD : a->nontemporal ? STORE_NT : STORE;
}

/* Bytes of an offset of 1 in the table. */
static int64_t unit_bytes(const struct tp_emitter *e)
{
	return tp_aarch64_has_lanes(e) ? e->operand_bytes : 1;
}

static bool reaches(const struct tp_emitter *e, enum access_kind kind, int64_t offset)
{
	int64_t unit = unit_bytes(e);
	return offset % unit == 0 && tp_word_fits(&tp_aarch64_words, access_op(e, kind),
						  kind == STORE_NT ? 3 : 2, offset / unit);
}

static void put_access(struct tp_emitter *e, enum access_kind kind, unsigned reg, unsigned base,
		       int64_t offset)
{
	enum tp_aarch64_op op = access_op(e, kind);
	int64_t unit = unit_bytes(e), units = offset / unit;
	e->as->failed |= offset % unit != 0;
	if (kind != STORE_NT)
		tp_aarch64_put(e->as, op, reg, base, units, 0);
	else if (tp_aarch64_has_lanes(e))
		tp_aarch64_put(e->as, op, reg, TP_AARCH64_ALL_LANES, base, units);
	else
		tp_aarch64_put(e->as, op, reg, reg + 1, base, units);
}

int64_t tp_aarch64_reach(const struct tp_emitter *e, const struct tp_access *a)
{
	return !a->tail && reaches(e, kind_of(a), a->offset) ? 0 : a->offset;
}

void tp_aarch64_access(struct tp_emitter *e, const struct tp_access *a)
{
	static const enum tp_aarch64_op tails[] = {
		[LOAD] = A(LD1B), [STORE] = A(ST1B), [STORE_NT] = A(STNT1B)
	};
	if (a->tail)
		tp_aarch64_put(e->as, tails[kind_of(a)], a->reg, TP_AARCH64_TAIL_LANES, a->base, 0);
	else
		put_access(e, kind_of(a), a->reg, a->base, a->offset);
}

void tp_aarch64_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	enum access_kind kind = store ? STORE : LOAD;
	if (tp_aarch64_has_matrix(e) && reg < e->plan.accumulators)
		return; /* a tile of the matrix */
	if (reaches(e, kind, offset) || access_op(e, kind) != TP_AARCH64_LDR_D) {
		put_access(e, kind, reg, base, offset);
		return;
	}
	tp_aarch64_constant(e->as, e->scratch, (uint64_t)offset);
	tp_aarch64_put(e->as, TP_AARCH64_LDR_D_INDEXED, reg, base, e->scratch, 0);
}

bool tp_aarch64_load_pair(struct tp_emitter *e)
{
	unsigned data = e->be->registers->data, reg = e->plan.source;
	if (!e->k->nontemporal || tp_aarch64_has_lanes(e))
		return false;
	put_access(e, LOAD_HALF, reg, data, 0);
	put_access(e, LOAD_HALF, reg + 1, data, e->operand_bytes / 2);
	return true;
}
