/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nests of loops around a scalar dot product. */
#include "kernels/aarch64/counted.h"

enum { POINTERS = 3, LEVELS = 3 };
/* x2, x3, x4 = a, b, c; x5 to x8 = rounds to go, from the inside out */
enum { FIRST_POINTER = 2, DEPTH_ROUNDS = 5, FIRST_ROUNDS };
/* d0 = sum, d1 and d2 = factors */
enum { SUM, X, Y };

static void load(struct tp_aarch64_counted *c, unsigned reg, unsigned base, int64_t at)
{
	if (tp_aarch64_fits(TP_AARCH64_LDR_D, 2, at)) {
		tp_aarch64_do(c, TP_AARCH64_LDR_D, reg, base, at, 0);
		return;
	}
	tp_aarch64_do_constant(c, TP_AARCH64_SPARE, (uint64_t)at);
	tp_aarch64_do(c, TP_AARCH64_LDR_D_INDEXED, reg, base, TP_AARCH64_SPARE, 0);
}

static void dot_product(struct tp_aarch64_counted *c, const struct tp_nest *nest)
{
	const unsigned a = FIRST_POINTER, b = a + 1, result = a + 2;
	if (nest->accumulate)
		load(c, SUM, result, 0);
	else
		tp_aarch64_do(c, TP_AARCH64_MOVI_ZERO, SUM, 0, 0, 0);
	struct tp_aarch64_trips depth =
		tp_aarch64_trips_begin(c, DEPTH_ROUNDS, nest->depth / nest->unroll);
	for (unsigned i = 0; i < nest->unroll; i++) {
		load(c, X, a, i * nest->a.depth);
		load(c, Y, b, i * nest->b.depth);
		tp_aarch64_do(c, TP_AARCH64_FMUL_D, X, X, Y, 0);
		tp_aarch64_do(c, TP_AARCH64_FADD_D, SUM, SUM, X, 0);
	}
	tp_aarch64_do_advance(c, a, a, nest->unroll * nest->a.depth);
	tp_aarch64_do_advance(c, b, b, nest->unroll * nest->b.depth);
	tp_aarch64_trips_end(c, &depth);
	tp_aarch64_do(c, TP_AARCH64_STR_D, SUM, result, 0, 0);
}

void tp_aarch64_count_nest(struct tp_aarch64_counted *c, const struct tp_nest *nest)
{
	enum { LINE_BYTES = 64 };
	const struct tp_nest_steps *const steps[POINTERS] = { &nest->a, &nest->b, &nest->c };
	const uint64_t rounds[LEVELS] = { nest->columns, nest->rows, nest->batches };
	const uint64_t at[POINTERS] = { 0, nest->b_at, nest->c_at };
	struct tp_aarch64_trips trips[LEVELS];
	int64_t moved[POINTERS];

	tp_aarch64_align(&c->as, LINE_BYTES);
	struct tp_aarch64_trips pass = tp_aarch64_trips_begin(c, TP_AARCH64_PASSES, 1);
	for (unsigned p = 0; p < POINTERS; p++) {
		tp_aarch64_do_advance(c, FIRST_POINTER + p, TP_AARCH64_DATA, (int64_t)at[p]);
		moved[p] = steps[p]->depth * (int64_t)nest->depth;
	}
	for (unsigned level = LEVELS; level-- > 0;)
		if (rounds[level])
			trips[level] =
				tp_aarch64_trips_begin(c, FIRST_ROUNDS + level, rounds[level]);
	dot_product(c, nest);
	for (unsigned level = 0; level < LEVELS; level++) {
		if (!rounds[level])
			continue;
		for (unsigned p = 0; p < POINTERS; p++) {
			int64_t step = level == 0   ? steps[p]->column
				       : level == 1 ? steps[p]->row
						    : steps[p]->batch;
			tp_aarch64_do_advance(c, FIRST_POINTER + p, FIRST_POINTER + p,
					      step - moved[p]);
			moved[p] = step * (int64_t)rounds[level];
		}
		tp_aarch64_trips_end(c, &trips[level]);
	}
	tp_aarch64_trips_end(c, &pass);
}
