/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nests of loops around a scalar dot product. Registers: t0, t1, t2 = a, b, c; t3, a2, a3, a4 = rounds to go, from the inside out; a5 and a6 =
 * steps of a and b that are too long for an offset; ft0 = sum.
 */
#include "kernels/riscv64/counted.h"

enum { SUM = 0, FIRST = 1, SECOND = 2, POINTERS = 3, LEVELS = 3 };

static const uint8_t pointers[POINTERS] = { X_T0, X_T1, X_T2 };
static const uint8_t counters[LEVELS] = { X_A2, X_A3, X_A4 };

/* Offsets of all elements of a round fit into loads. */
static bool has_offsets(const struct tp_nest *nest, int64_t step)
{
	return tp_riscv_fits((int64_t)nest->unroll * step);
}

static void load_element(struct tp_riscv_counted *c, const struct tp_nest *nest, unsigned reg,
			 unsigned pointer, unsigned step_register, int64_t step, unsigned i)
{
	if (has_offsets(nest, step)) {
		tp_riscv_imm(&c->as, TP_RISCV_FLD, reg, pointer, i * step);
		return;
	}
	tp_riscv_imm(&c->as, TP_RISCV_FLD, reg, pointer, 0);
	tp_riscv_op3(&c->as, TP_RISCV_ADD, pointer, pointer, step_register);
}

static void advance(struct tp_riscv_counted *c, unsigned pointer, int64_t bytes)
{
	tp_riscv_add(&c->as, pointer, pointer, bytes, SCRATCH);
}

static void dot_product(struct tp_riscv_counted *c, const struct tp_nest *nest)
{
	struct tp_riscv_asm *as = &c->as;
	if (nest->accumulate)
		tp_riscv_imm(as, TP_RISCV_FLD, SUM, X_T2, 0);
	else
		tp_riscv_imm(as, TP_RISCV_FMV_D_X, SUM, X_ZERO, 0);
	struct tp_riscv_trips depth = tp_riscv_trips_begin(c, X_T3, nest->depth / nest->unroll);
	for (unsigned i = 0; i < nest->unroll; i++) {
		load_element(c, nest, FIRST, X_T0, X_A5, nest->a.depth, i);
		load_element(c, nest, SECOND, X_T1, X_A6, nest->b.depth, i);
		tp_riscv_op3(as, TP_RISCV_FMUL_D, FIRST, FIRST, SECOND);
		tp_riscv_op3(as, TP_RISCV_FADD_D, SUM, SUM, FIRST);
	}
	if (has_offsets(nest, nest->a.depth))
		advance(c, X_T0, nest->unroll * nest->a.depth);
	if (has_offsets(nest, nest->b.depth))
		advance(c, X_T1, nest->unroll * nest->b.depth);
	tp_riscv_trips_end(c, &depth);
	tp_riscv_imm(as, TP_RISCV_FSD, SUM, X_T2, 0);
}

void tp_riscv_count_nest(struct tp_riscv_counted *c, const struct tp_nest *nest)
{
	const struct tp_nest_steps *const steps[POINTERS] = { &nest->a, &nest->b, &nest->c };
	const uint64_t rounds[LEVELS] = { nest->columns, nest->rows, nest->batches };
	const uint64_t at[POINTERS] = { 0, nest->b_at, nest->c_at };
	struct tp_riscv_trips trips[LEVELS];
	int64_t moved[POINTERS];

	tp_riscv_li(&c->as, X_A5, nest->a.depth);
	tp_riscv_li(&c->as, X_A6, nest->b.depth);
	tp_riscv_align(&c->as, 64);
	struct tp_riscv_trips pass = tp_riscv_trips_begin(c, PASSES, 1);
	for (unsigned p = 0; p < POINTERS; p++) {
		tp_riscv_add(&c->as, pointers[p], DATA, (int64_t)at[p], SCRATCH);
		moved[p] = steps[p]->depth * (int64_t)nest->depth;
	}
	for (unsigned level = LEVELS; level-- > 0;)
		if (rounds[level])
			trips[level] = tp_riscv_trips_begin(c, counters[level], rounds[level]);
	dot_product(c, nest);
	for (unsigned level = 0; level < LEVELS; level++) {
		if (!rounds[level])
			continue;
		for (unsigned p = 0; p < POINTERS; p++) {
			int64_t step = level == 0   ? steps[p]->column
				       : level == 1 ? steps[p]->row
						    : steps[p]->batch;
			advance(c, pointers[p], step - moved[p]);
			moved[p] = step * (int64_t)rounds[level];
		}
		tp_riscv_trips_end(c, &trips[level]);
	}
	tp_riscv_trips_end(c, &pass);
}
