/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/riscv64/counted.h"
#include "kernels/riscv64/riscv64.h"

enum { WORD_BYTES = 4 };

void tp_riscv_account(struct tp_riscv_counted *c)
{
	size_t here = tp_riscv_here(&c->as);
	c->executed += (here - c->accounted) / WORD_BYTES * c->times;
	c->accounted = here;
}

struct tp_riscv_trips tp_riscv_trips_begin(struct tp_riscv_counted *c, unsigned counter, uint64_t n)
{
	if (counter != PASSES)
		tp_riscv_li(&c->as, counter, (int64_t)n);
	tp_riscv_account(c);
	if (counter == PASSES)
		c->times = 1;
	/* Loops do not begin at lines: filling up would put uncounted instructions into the pass. */
	struct tp_riscv_trips trips = { counter, n, tp_riscv_here(&c->as) };
	c->times *= n;
	c->loop_begin = trips.top;
	return trips;
}

/*
 * A loop of 4 KiB and more goes back by a jump behind a branch that leaves: the branch is executed in every round, the jump in all but the last. Of
 * the loop over the passes it is the same in each, so that the difference of two runs has it as often as it has passes.
 */
void tp_riscv_trips_end(struct tp_riscv_counted *c, const struct tp_riscv_trips *trips)
{
	enum { SHORT = 2 };
	size_t before = tp_riscv_here(&c->as);
	tp_riscv_loop(&c->as, trips->counter, trips->top);
	bool has_jump = tp_riscv_here(&c->as) - before > SHORT * WORD_BYTES;
	tp_riscv_account(c);
	if (c->loop_begin == trips->top)
		c->loop_end = tp_riscv_here(&c->as);
	if (trips->counter == PASSES) {
		c->times = 0;
		return;
	}
	c->times /= trips->n;
	if (has_jump)
		c->executed -= c->times;
}

enum tp_status tp_riscv_emit_described(const struct tp_described *described,
				       const struct tp_cpu *cpu, struct tp_code *code,
				       uint64_t *instructions, struct tp_diag *diag)
{
	enum { STEP = 10 * WORD_BYTES };
	struct tp_riscv_counted c = { 0 };
	size_t capacity = tp_described_code_bytes(described, WORD_BYTES, STEP);
	(void)cpu; /* what every CPU of this architecture has that runs Linux */
	enum tp_status status = tp_code_init(code, capacity, diag);
	if (status != TP_OK)
		return status;
	tp_riscv_init(&c.as, code->map, capacity);
	switch (described->kind) {
	case TP_DESCRIBED_CHASE:
		tp_riscv_count_chase(&c, &described->chase);
		break;
	case TP_DESCRIBED_SCATTER:
		tp_riscv_count_scatter(&c, &described->scatter);
		break;
	case TP_DESCRIBED_LINES:
		tp_riscv_count_lines(&c, &described->lines);
		break;
	case TP_DESCRIBED_NEST:
		tp_riscv_count_nest(&c, &described->nest);
		break;
	}
	tp_riscv_imm(&c.as, TP_RISCV_JALR, X_ZERO, X_RA, 0);
	if (c.as.failed) {
		status = tp_fail(diag, TP_INTERNAL, "kernel emitter", NULL,
				 "an instruction of a counting kernel could not be encoded");
	} else {
		code->loop_begin = c.loop_begin;
		code->loop_end = c.loop_end;
		*instructions = c.executed;
		status = tp_code_seal(code, tp_riscv_here(&c.as), diag);
	}
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}
