/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of traversals (kernels/loop.h), and the number of instructions that a pass executes.
 */
#include "base/memory.h"
#include "kernels/emit/emit.h"

struct tally {
	struct tp_emitter *e;
	/* how often a pass executes the code that comes now; 0 outside the passes */
	uint64_t times;
	uint64_t executed; /* instructions of a pass */
	uint64_t told; /* instructions emitted up to the last account */
};

struct trips {
	unsigned counter;
	uint64_t n;
	size_t top;
};

/*
 * Code is straight between the beginnings and ends of loops, so each instruction is executed as
 * often as all loops around it have rounds.
 */

/* Leaves out the instructions since the last account. */
static void skip_account(struct tally *t)
{
	t->told = t->e->as->instructions;
}

/* Counts the instructions since the last account. Loops do so by themselves. */
static void account(struct tally *t)
{
	t->executed += (t->e->as->instructions - t->told) * t->times;
	skip_account(t);
}

/*
 * Repeats n times the code up to the matching end. The loop over the passes takes their register,
 * and 1.
 */
static struct trips begin_trips(struct tally *t, unsigned counter, uint64_t n)
{
	bool passes = counter == t->e->be->registers->passes;
	if (!passes)
		t->e->be->constant(t->e, counter, (int64_t)n);
	account(t);
	/* These loops are not aligned: a pass would execute the instructions that fill up. */
	struct trips trips = { counter, n, tp_emit_here(t->e) };
	t->times = passes ? 1 : t->times * n;
	t->e->code->loop_begin = trips.top;
	return trips;
}

/*
 * A long loop ends with a branch that leaves it, then a jump back. All rounds execute the branch,
 * and all but the last one the jump. In the loop over the passes the jump counts in every pass,
 * because the difference of two runs has one jump for each pass.
 */
static void end_trips(struct tally *t, const struct trips *trips)
{
	struct tp_emitter *e = t->e;
	bool has_jump = e->be->loop_end(e, trips->counter, trips->top);
	account(t);
	/* The innermost loop is the last one that began. */
	if (e->code->loop_begin == trips->top)
		e->code->loop_end = tp_emit_here(e);
	if (trips->counter == e->be->registers->passes) {
		t->times = 0;
		return;
	}
	t->times /= trips->n;
	if (has_jump)
		t->executed -= t->times;
}

/* Nests of loops around a scalar dot product of double precision numbers. */

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

static void dot_product(struct tally *t, const struct tp_nest *nest)
{
	struct tp_emitter *e = t->e;
	const struct tp_back_end *be = e->be;
	const int64_t steps[] = { nest->a.depth, nest->b.depth };
	unsigned result = be->registers->nest.pointers[2];
	if (nest->accumulate)
		be->move(e, false, SUM, result, 0);
	else
		be->clear(e, SUM);
	struct trips depth =
		begin_trips(t, be->registers->nest.rounds[0], nest->depth / nest->unroll);
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
	end_trips(t, &depth);
	be->move(e, true, SUM, result, 0);
}

static void put_nest(struct tally *t, const struct tp_nest *nest)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	const struct tp_nest_steps *const steps[POINTERS] = { &nest->a, &nest->b, &nest->c };
	const uint64_t rounds[LEVELS] = { nest->columns, nest->rows, nest->batches };
	const uint64_t at[POINTERS] = { 0, nest->b_at, nest->c_at };
	struct trips trips[LEVELS];
	int64_t moved[POINTERS];

	for (unsigned p = 0; p < 2 && e->be->fits; p++)
		e->be->constant(e, r->nest.steps[p], steps[p]->depth);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct trips pass = begin_trips(t, r->passes, 1);
	for (unsigned p = 0; p < POINTERS; p++) {
		e->be->address(e, r->nest.pointers[p], r->data, (int64_t)at[p]);
		moved[p] = steps[p]->depth * (int64_t)nest->depth;
	}
	for (unsigned level = LEVELS; level-- > 0;)
		if (rounds[level])
			trips[level] = begin_trips(t, r->nest.rounds[1 + level], rounds[level]);
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
		end_trips(t, &trips[level]);
	}
	end_trips(t, &pass);
}

static void follow(struct tp_emitter *e, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		tp_emit_follow(e, e->be->registers->chase.pointer);
}

static void emit_chase(struct tally *t, const struct tp_chase_loop *chase)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	uint64_t rounds = chase->accesses / chase->unroll, rest = chase->accesses % chase->unroll;
	if (rounds <= 1) {
		rest += rounds * chase->unroll;
		rounds = 0;
	}
	e->be->copy(e, r->chase.pointer, r->data);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct trips pass = begin_trips(t, r->passes, 1);
	if (rounds) {
		struct trips round = begin_trips(t, r->chase.rounds, rounds);
		follow(e, chase->unroll);
		end_trips(t, &round);
	}
	follow(e, rest);
	end_trips(t, &pass);
}

/* x = x op constant, where the constant may be in a register. */
static void scatter_step(struct tp_emitter *e, enum tp_integer_op op, unsigned x,
			 enum tp_scatter_constant constant, const int64_t *values)
{
	const struct tp_emit_registers *r = e->be->registers;
	for (unsigned i = 0; i < r->scatter.n_held; i++)
		if (r->scatter.held[i].constant == constant) {
			e->be->integer(e, op, x, x, r->scatter.held[i].reg);
			return;
		}
	if (op == TP_INTEGER_ADD)
		tp_emit_advance(e, x, values[constant]);
	else
		e->be->immediate(e, op, x, values[constant]);
}

static void emit_scatter(struct tally *t, const struct tp_scatter *s)
{
	struct tp_emitter *e = t->e;
	const struct tp_emit_registers *r = e->be->registers;
	uint64_t block_bytes = s->block_elements * s->stride_bytes;
	uint64_t unroll = TP_MIN(s->block_elements, (uint64_t)s->unroll);
	const int64_t values[TP_SCATTER_CONSTANTS] = {
		[TP_SCATTER_MULTIPLIER] = s->multiplier,
		[TP_SCATTER_INCREMENT] = (int64_t)s->increment * s->stride_bytes,
		[TP_SCATTER_OFFSET_MASK] = (int64_t)block_bytes - 1,
		[TP_SCATTER_BLOCK_BYTES] = (int64_t)block_bytes,
		[TP_SCATTER_BLOCK_MASK] = (int64_t)(s->blocks * block_bytes - 1),
	};
	unsigned offset = r->scatter.offset, block = r->scatter.block;
	e->be->constant(e, offset, 0);
	e->be->constant(e, block, 0);
	for (unsigned i = 0; i < r->scatter.n_held; i++)
		e->be->constant(e, r->scatter.held[i].reg, values[r->scatter.held[i].constant]);
	tp_emit_align(e, TP_EMIT_LINE_BYTES, 0);
	struct trips pass = begin_trips(t, r->passes, 1);
	struct trips blocks = begin_trips(t, r->scatter.blocks, s->blocks);
	e->be->integer(e, TP_INTEGER_ADD, r->scatter.base, r->data, block);
	struct trips round = begin_trips(t, r->scatter.rounds, s->block_elements / unroll);
	for (uint64_t i = 0; i < unroll; i++) {
		scatter_step(e, TP_INTEGER_MUL, offset, TP_SCATTER_MULTIPLIER, values);
		scatter_step(e, TP_INTEGER_ADD, offset, TP_SCATTER_INCREMENT, values);
		scatter_step(e, TP_INTEGER_AND, offset, TP_SCATTER_OFFSET_MASK, values);
		e->be->store_indexed(e, offset, r->scatter.base, offset);
	}
	end_trips(t, &round);
	scatter_step(e, TP_INTEGER_MUL, block, TP_SCATTER_MULTIPLIER, values);
	scatter_step(e, TP_INTEGER_ADD, block, TP_SCATTER_BLOCK_BYTES, values);
	scatter_step(e, TP_INTEGER_AND, block, TP_SCATTER_BLOCK_MASK, values);
	end_trips(t, &blocks);
	end_trips(t, &pass);
}

static void copy_line(struct tp_assembler *as, size_t line, size_t line_bytes)
{
	if ((size_t)(as->end - as->at) < line_bytes)
		as->failed = true;
	if (as->failed)
		return;
	memcpy(as->at, as->start + line, line_bytes);
	as->at += line_bytes;
}

/*
 * The address of the data is never 0: all branches test it. Lines do not depend on their
 * addresses, so one is emitted and then copied.
 */
static void emit_lines(struct tally *t, const struct tp_line_loop *l)
{
	struct tp_emitter *e = t->e;
	const struct tp_back_end *be = e->be;
	enum tp_loop_op_kind kind = l->full ? TP_LOOP_NEVER : TP_LOOP_ALWAYS;
	size_t branches[2], n_branches = l->full ? 2 : 1;
	if (be->begin_lines)
		be->begin_lines(e, l->line_bytes);
	tp_emit_align(e, l->line_bytes, 0);
	struct trips pass = begin_trips(t, be->registers->passes, 1);
	for (size_t i = 0; i < n_branches; i++)
		branches[i] = be->forward(e, kind);
	be->fill_line(e, tp_emit_here(e) - pass.top, l->line_bytes);
	for (size_t i = 0; i < n_branches; i++)
		tp_emit_land(e, branches[i]);
	uint64_t in_line = l->full ? e->as->instructions - t->told : 1;
	for (uint64_t i = 1; i + 1 < l->lines && !e->as->failed; i++)
		copy_line(e->as, pass.top, l->line_bytes);
	skip_account(t);
	t->executed += (l->lines - 1) * in_line;
	/* The last line has as many conditional branches as the others, including the loop's. */
	if (l->full)
		tp_emit_land(e, be->forward(e, kind));
	if (!be->end_lines) {
		end_trips(t, &pass);
		return;
	}
	be->end_lines(e);
	account(t);
	e->code->loop_end = tp_emit_here(e);
}

struct request {
	const struct tp_traversal *traversal;
	uint64_t *instructions;
};

static void body_of(struct tp_emitter *e, void *context)
{
	const struct request *request = context;
	const struct tp_traversal *traversal = request->traversal;
	struct tally t = { .e = e };
	switch (traversal->kind) {
	case TP_TRAVERSAL_CHASE:
		emit_chase(&t, &traversal->chase);
		break;
	case TP_TRAVERSAL_SCATTER:
		emit_scatter(&t, &traversal->scatter);
		break;
	case TP_TRAVERSAL_LINES:
		emit_lines(&t, &traversal->lines);
		break;
	case TP_TRAVERSAL_NEST:
		put_nest(&t, &traversal->nest);
		break;
	}
	*request->instructions = t.executed;
	e->be->leave(e, false);
}

static size_t capacity_of(const struct tp_traversal *traversal, const struct tp_back_end *be)
{
	enum { FRAME_BYTES = 4096 };
	size_t step_bytes = (size_t)be->step_instructions * be->instruction_bytes;
	switch (traversal->kind) {
	case TP_TRAVERSAL_CHASE:
		return FRAME_BYTES + (size_t)2 * traversal->chase.unroll * be->instruction_bytes;
	case TP_TRAVERSAL_SCATTER:
		return FRAME_BYTES + traversal->scatter.unroll * step_bytes;
	case TP_TRAVERSAL_LINES:
		return FRAME_BYTES + (size_t)traversal->lines.lines * traversal->lines.line_bytes;
	case TP_TRAVERSAL_NEST:
		return FRAME_BYTES + traversal->nest.unroll * step_bytes;
	}
	return FRAME_BYTES;
}

enum tp_status tp_emit_traversal(const struct tp_back_end *be, const struct tp_traversal *traversal,
				 const struct tp_cpu *cpu, struct tp_code *code,
				 uint64_t *instructions, struct tp_diag *diag)
{
	struct request request = { traversal, instructions };
	struct tp_emitter e = { .be = be,
				.cpu = cpu,
				.code = code,
				.element_bytes = sizeof(double),
				.operand_bytes = sizeof(double),
				.scratch = be->registers->traversal_scratch };
	return tp_emit_run(&e, capacity_of(traversal, be), body_of, &request, diag);
}
