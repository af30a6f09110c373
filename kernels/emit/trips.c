/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code is straight between the beginnings and ends of loops, so each instruction is executed as
 * often as all loops around it have rounds.
 */
#include "kernels/emit/parts.h"

void tp_tally_account(struct tp_emit_tally *t)
{
	t->executed += (t->e->as->instructions - t->told) * t->times;
	tp_tally_skip(t);
}

void tp_tally_skip(struct tp_emit_tally *t)
{
	t->told = t->e->as->instructions;
}

struct tp_trips tp_trips_begin(struct tp_emit_tally *t, unsigned counter, uint64_t n)
{
	bool passes = counter == t->e->be->registers->passes;
	if (!passes)
		t->e->be->constant(t->e, counter, (int64_t)n);
	tp_tally_account(t);
	/* These loops are not aligned: a pass would execute the instructions that fill up. */
	struct tp_trips trips = { counter, n, tp_emit_here(t->e) };
	t->times = passes ? 1 : t->times * n;
	t->e->code->loop_begin = trips.top;
	return trips;
}

/*
 * A long loop goes back by a jump behind a branch that leaves. All rounds execute the branch, and
 * all but the last one the jump. In the loop over the passes the jump counts in every pass,
 * because the difference of two runs has one jump for each pass.
 */
void tp_trips_end(struct tp_emit_tally *t, const struct tp_trips *trips)
{
	struct tp_emitter *e = t->e;
	bool has_jump = e->be->loop_end(e, trips->counter, trips->top);
	tp_tally_account(t);
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
