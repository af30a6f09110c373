/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nests of loops around a scalar dot product of double precision numbers. */
#include "kernels/emit/parts.h"

enum { SUM, X, Y, POINTERS = 3, LEVELS = 3 };

/* If offsets are too short for a step, the step is added after each load. */
static bool is_far(const struct tp_emitter *e, const struct tp_nest *nest, int64_t step)
{
	return e->be->fits && !e->be->fits((int64_t)nest->unroll * step);
}

static void load_element(struct tp_emitter *e, const struct tp_nest *nest, unsigned operand,
			 int64_t step, unsigned i)
{
	const struct tp_emit_registers *r = e->be->registers;
	unsigned pointer = r->nest.pointers[operand];
	bool far = is_far(e, nest, step);
	e->be->move(e, false, X + operand, pointer, far ? 0 : i * step);
	if (far)
		e->be->integer(e, TP_INTEGER_ADD, pointer, pointer, r->nest.steps[operand]);
}

static void dot_product(struct tp_emit_tally *t, const struct tp_nest *nest)
{
	struct tp_emitter *e = t->e;
	const struct tp_back_end *be = e->be;
	const int64_t steps[] = { nest->a.depth, nest->b.depth };
	unsigned result = be->registers->nest.pointers[2];
	if (nest->accumulate)
		be->move(e, false, SUM, result, 0);
	else
		be->clear(e, SUM);
	struct tp_trips depth =
		tp_trips_begin(t, be->registers->nest.rounds[0], nest->depth / nest->unroll);
	for (unsigned i = 0; i < nest->unroll; i++) {
		load_element(e, nest, 0, steps[0], i);
		load_element(e, nest, 1, steps[1], i);
		be->arithmetic(e, TP_DO_MUL, X, Y, Y);
		be->arithmetic(e, TP_DO_ADD, SUM, X, X);
	}
	for (unsigned p = 0; p < 2; p++)
		if (!is_far(e, nest, steps[p]))
			tp_emit_advance(e, be->registers->nest.pointers[p],
					nest->unroll * steps[p]);
	tp_trips_end(t, &depth);
	be->move(e, true, SUM, result, 0);
}

void tp_emit_nest(struct tp_emit_tally *t, const struct tp_nest *nest)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	const struct tp_nest_steps *const steps[POINTERS] = { &nest->a, &nest->b, &nest->c };
	const uint64_t rounds[LEVELS] = { nest->columns, nest->rows, nest->batches };
	const uint64_t at[POINTERS] = { 0, nest->b_at, nest->c_at };
	struct tp_trips trips[LEVELS];
	int64_t moved[POINTERS];

	for (unsigned p = 0; p < 2 && e->be->fits; p++)
		e->be->constant(e, r->nest.steps[p], steps[p]->depth);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct tp_trips pass = tp_trips_begin(t, r->passes, 1);
	for (unsigned p = 0; p < POINTERS; p++) {
		e->be->address(e, r->nest.pointers[p], r->data, (int64_t)at[p]);
		moved[p] = steps[p]->depth * (int64_t)nest->depth;
	}
	for (unsigned level = LEVELS; level-- > 0;)
		if (rounds[level])
			trips[level] = tp_trips_begin(t, r->nest.rounds[1 + level], rounds[level]);
	dot_product(t, nest);
	for (unsigned level = 0; level < LEVELS; level++) {
		if (!rounds[level])
			continue;
		for (unsigned p = 0; p < POINTERS; p++) {
			int64_t step = level == 0   ? steps[p]->column
				       : level == 1 ? steps[p]->row
						    : steps[p]->batch;
			tp_emit_advance(e, r->nest.pointers[p], step - moved[p]);
			moved[p] = step * (int64_t)rounds[level];
		}
		tp_trips_end(t, &trips[level]);
	}
	tp_trips_end(t, &pass);
}
