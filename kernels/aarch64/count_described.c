/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/aarch64/counted.h"
#include "kernels/aarch64/aarch64.h"

void tp_aarch64_did(struct tp_aarch64_counted *c, unsigned n)
{
	c->executed += n * c->times;
}

void tp_aarch64_do(struct tp_aarch64_counted *c, enum tp_aarch64_op op, int64_t a, int64_t b,
		   int64_t d, int64_t e)
{
	tp_aarch64_put(&c->as, op, a, b, d, e);
	tp_aarch64_did(c, 1);
}

void tp_aarch64_do_constant(struct tp_aarch64_counted *c, unsigned reg, uint64_t value)
{
	tp_aarch64_did(c, tp_aarch64_constant(&c->as, reg, value));
}

void tp_aarch64_do_advance(struct tp_aarch64_counted *c, unsigned dst, unsigned src, int64_t bytes)
{
	tp_aarch64_did(c, tp_aarch64_advance(&c->as, dst, src, bytes, TP_AARCH64_SPARE));
}

struct tp_aarch64_trips tp_aarch64_trips_begin(struct tp_aarch64_counted *c, unsigned counter,
					       uint64_t n)
{
	if (counter == TP_AARCH64_PASSES)
		c->times = 1;
	else
		tp_aarch64_do_constant(c, counter, n);
	struct tp_aarch64_trips trips = { counter, n, tp_aarch64_here(&c->as) };
	c->times *= n;
	c->loop_begin = trips.top;
	return trips;
}

/* The branch of a long loop (lines of code) is turned round: one that is not taken, over one that reaches everywhere. */
void tp_aarch64_trips_end(struct tp_aarch64_counted *c, const struct tp_aarch64_trips *trips)
{
	tp_aarch64_do(c, TP_AARCH64_SUBS_IMM, trips->counter, trips->counter, 1, 0);
	int64_t back = (int64_t)trips->top - (int64_t)tp_aarch64_here(&c->as);
	if (tp_aarch64_fits(TP_AARCH64_B_NE, 0, back)) {
		tp_aarch64_branch_back(&c->as, TP_AARCH64_B_NE, 0, 0, trips->top);
		tp_aarch64_did(c, 1);
	} else {
		size_t out = tp_aarch64_branch_forward(&c->as, TP_AARCH64_B_EQ, 0, 0);
		tp_aarch64_branch_back(&c->as, TP_AARCH64_B, 0, 0, trips->top);
		tp_aarch64_land(&c->as, out);
		tp_aarch64_did(c, 2);
	}
	/* The innermost one is that which began last. */
	if (c->loop_begin == trips->top)
		c->loop_end = tp_aarch64_here(&c->as);
	if (trips->counter == TP_AARCH64_PASSES)
		c->times = 0;
	else
		c->times /= trips->n;
}

enum tp_status tp_aarch64_emit_described(const struct tp_described *described,
					 const struct tp_cpu *cpu, struct tp_code *code,
					 uint64_t *instructions, struct tp_diag *diag)
{
	enum { STEP = 24 * TP_AARCH64_INSTRUCTION_BYTES };
	struct tp_aarch64_counted c = { 0 };
	size_t capacity = tp_described_code_bytes(described, TP_AARCH64_INSTRUCTION_BYTES, STEP);
	(void)cpu; /* nothing here that one of them lacks */
	enum tp_status status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_aarch64_asm_init(&c.as, code->map, capacity);
	switch (described->kind) {
	case TP_DESCRIBED_CHASE:
		tp_aarch64_count_chase(&c, &described->chase);
		break;
	case TP_DESCRIBED_SCATTER:
		tp_aarch64_count_scatter(&c, &described->scatter);
		break;
	case TP_DESCRIBED_LINES:
		tp_aarch64_count_lines(&c, &described->lines);
		break;
	case TP_DESCRIBED_NEST:
		tp_aarch64_count_nest(&c, &described->nest);
		break;
	}
	tp_aarch64_put(&c.as, TP_AARCH64_RET, 0, 0, 0, 0);
	code->loop_begin = c.loop_begin;
	code->loop_end = c.loop_end;
	*instructions = c.executed;
	if (c.as.failed)
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
	else
		status = tp_code_seal(code, tp_aarch64_here(&c.as), diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}
