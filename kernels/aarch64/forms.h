/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions on vector registers, for all forms. In SVE code all lanes are on in predicate 0.
 * Private to kernels/aarch64.
 */
#ifndef TPROF_KERNELS_AARCH64_FORMS_H
#define TPROF_KERNELS_AARCH64_FORMS_H

#include "kernels/aarch64/aarch64.h"
#include "kernels/emit/emit.h"

enum { TP_AARCH64_ALL_LANES, TP_AARCH64_TAIL_LANES }; /* predicates */

static inline bool tp_aarch64_has_lanes(const struct tp_emitter *e)
{
	return e->form == TP_AARCH64_SVE || e->form == TP_AARCH64_SME;
}

/* Outer products: the accumulators are tiles of ZA, which are zero when streaming mode begins. */
static inline bool tp_aarch64_has_matrix(const struct tp_emitter *e)
{
	return e->narrow && tp_narrow_is_outer(e->narrow);
}

void tp_aarch64_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			   unsigned b);
/* The instruction of e->narrow, x += a * b. */
void tp_aarch64_narrow_op(struct tp_emitter *e, unsigned x, unsigned a, unsigned b);
void tp_aarch64_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset);
void tp_aarch64_access(struct tp_emitter *e, const struct tp_access *access);
int64_t tp_aarch64_reach(const struct tp_emitter *e, const struct tp_access *access);
/*
 * Except with SVE, non-temporal stores write a pair of registers, half an operand each. Loads such
 * a pair and returns true if the kernel needs it.
 */
bool tp_aarch64_load_pair(struct tp_emitter *e);

#endif
