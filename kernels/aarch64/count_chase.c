/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data cache kernels, and lines of code. */
#include "kernels/aarch64/counted.h"

#include <string.h>

enum { LINE_BYTES = 64 };

/* x2 = pointer, x3 = rounds of the unrolled loop. */
void tp_aarch64_count_chase(struct tp_aarch64_counted *c, const struct tp_chase *chase)
{
	enum { POINTER = 2, ROUNDS };
	uint64_t rounds = chase->accesses / chase->unroll, rest = chase->accesses % chase->unroll;
	if (rounds <= 1) {
		rest += rounds * chase->unroll;
		rounds = 0;
	}
	tp_aarch64_do(c, TP_AARCH64_MOV, POINTER, TP_AARCH64_DATA, 0, 0);
	tp_aarch64_align(&c->as, LINE_BYTES);
	struct tp_aarch64_trips pass = tp_aarch64_trips_begin(c, TP_AARCH64_PASSES, 1);
	if (rounds) {
		struct tp_aarch64_trips round = tp_aarch64_trips_begin(c, ROUNDS, rounds);
		for (unsigned i = 0; i < chase->unroll; i++)
			tp_aarch64_do(c, TP_AARCH64_LDR_X, POINTER, POINTER, 0, 0);
		tp_aarch64_trips_end(c, &round);
	}
	for (uint64_t i = 0; i < rest; i++)
		tp_aarch64_do(c, TP_AARCH64_LDR_X, POINTER, POINTER, 0, 0);
	tp_aarch64_trips_end(c, &pass);
}

void tp_aarch64_count_scatter(struct tp_aarch64_counted *c, const struct tp_scatter *s)
{
	enum { OFFSET = 2, BLOCK, BASE, ROUNDS, BLOCKS, MULTIPLIER, OFFSET_MASK, BLOCK_MASK };
	uint64_t block_bytes = s->block_elements * s->stride_bytes;
	uint64_t unroll = s->block_elements < s->unroll ? s->block_elements : s->unroll;
	tp_aarch64_do_constant(c, OFFSET, 0);
	tp_aarch64_do_constant(c, BLOCK, 0);
	tp_aarch64_do_constant(c, MULTIPLIER, s->multiplier);
	tp_aarch64_do_constant(c, OFFSET_MASK, block_bytes - 1);
	tp_aarch64_do_constant(c, BLOCK_MASK, s->blocks * block_bytes - 1);
	tp_aarch64_align(&c->as, LINE_BYTES);
	struct tp_aarch64_trips pass = tp_aarch64_trips_begin(c, TP_AARCH64_PASSES, 1);
	struct tp_aarch64_trips blocks = tp_aarch64_trips_begin(c, BLOCKS, s->blocks);
	tp_aarch64_do(c, TP_AARCH64_ADD, BASE, TP_AARCH64_DATA, BLOCK, 0);
	struct tp_aarch64_trips round =
		tp_aarch64_trips_begin(c, ROUNDS, s->block_elements / unroll);
	for (uint64_t i = 0; i < unroll; i++) {
		tp_aarch64_do(c, TP_AARCH64_MUL, OFFSET, OFFSET, MULTIPLIER, 0);
		tp_aarch64_do_advance(c, OFFSET, OFFSET, (int64_t)s->increment * s->stride_bytes);
		tp_aarch64_do(c, TP_AARCH64_AND, OFFSET, OFFSET, OFFSET_MASK, 0);
		tp_aarch64_do(c, TP_AARCH64_STR_X_INDEXED, OFFSET, BASE, OFFSET, 0);
	}
	tp_aarch64_trips_end(c, &round);
	tp_aarch64_do(c, TP_AARCH64_MUL, BLOCK, BLOCK, MULTIPLIER, 0);
	tp_aarch64_do_advance(c, BLOCK, BLOCK, (int64_t)block_bytes);
	tp_aarch64_do(c, TP_AARCH64_AND, BLOCK, BLOCK, BLOCK_MASK, 0);
	tp_aarch64_trips_end(c, &blocks);
	tp_aarch64_trips_end(c, &pass);
}

/*
 * The data's address is never 0: that is the condition of all branches. Lines are equal and know no address: one is emitted, the others
 * are copies.
 */
void tp_aarch64_count_lines(struct tp_aarch64_counted *c, const struct tp_lines *l)
{
	enum { TARGET = 2, TARGETS = 3 };
	struct tp_aarch64_asm *as = &c->as;
	enum tp_aarch64_op op = l->full ? TP_AARCH64_CBZ : TP_AARCH64_CBNZ;
	unsigned branches = l->full ? 2 : 1;
	unsigned in_line = l->line_bytes / TP_AARCH64_INSTRUCTION_BYTES;
	tp_aarch64_align(as, l->line_bytes);

	struct tp_aarch64_trips pass = tp_aarch64_trips_begin(c, TP_AARCH64_PASSES, 1);
	for (unsigned i = 0; i < in_line; i++) {
		if (i < branches)
			tp_aarch64_put(as, op, TP_AARCH64_DATA,
				       (in_line - i) * TP_AARCH64_INSTRUCTION_BYTES, 0, 0);
		else
			tp_aarch64_put(as, TP_AARCH64_ADD_IMM, TARGET + i % TARGETS,
				       TP_AARCH64_DATA, 1, 0);
	}
	if (as->failed)
		return;
	const uint32_t *first = as->start + pass.top / TP_AARCH64_INSTRUCTION_BYTES;
	for (uint64_t i = 1; i + 1 < l->lines; i++, as->at += in_line) {
		if ((size_t)(as->end - as->at) < in_line) {
			as->failed = true;
			return;
		}
		memcpy(as->at, first, l->line_bytes);
	}
	c->executed += (l->lines - 1) * (l->full ? in_line : 1);
	/* As many conditional branches in the last line as in any: the loop's is one. */
	if (l->full)
		tp_aarch64_do(c, TP_AARCH64_CBZ, TP_AARCH64_DATA, TP_AARCH64_INSTRUCTION_BYTES, 0,
			      0);
	tp_aarch64_trips_end(c, &pass);
}
