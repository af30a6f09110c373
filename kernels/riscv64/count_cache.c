/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data cache and instruction cache kernels. */
#include "kernels/riscv64/counted.h"

#include <string.h>

static void follow(struct tp_riscv_counted *c, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		tp_riscv_imm(&c->as, TP_RISCV_LD, X_T0, X_T0, 0);
}

/* t0 = pointer, t1 = rounds of the unrolled loop. */
void tp_riscv_count_chase(struct tp_riscv_counted *c, const struct tp_chase *chase)
{
	uint64_t rounds = chase->accesses / chase->unroll, rest = chase->accesses % chase->unroll;
	if (rounds <= 1) {
		rest += rounds * chase->unroll;
		rounds = 0;
	}
	tp_riscv_imm(&c->as, TP_RISCV_ADDI, X_T0, DATA, 0);
	tp_riscv_align(&c->as, 64);
	struct tp_riscv_trips pass = tp_riscv_trips_begin(c, PASSES, 1);
	if (rounds) {
		struct tp_riscv_trips round = tp_riscv_trips_begin(c, X_T1, rounds);
		follow(c, chase->unroll);
		tp_riscv_trips_end(c, &round);
	}
	follow(c, rest);
	tp_riscv_trips_end(c, &pass);
}

/*
 * t0 = offset in the block, t1 = the block, t2 = its address, t3 = where to store, t4 and t5 = rounds and blocks to go, a2 = multiplier,
 * a3 = mask of the blocks, a4 = increment, a5 = mask of a block, a6 = its bytes.
 */
void tp_riscv_count_scatter(struct tp_riscv_counted *c, const struct tp_scatter *s)
{
	enum { OFFSET = X_T0, BLOCK = X_T1, BASE = X_T2, TARGET = X_T3 };
	struct tp_riscv_asm *as = &c->as;
	uint64_t block_bytes = s->block_elements * s->stride_bytes;
	uint64_t unroll = s->block_elements < s->unroll ? s->block_elements : s->unroll;
	tp_riscv_li(as, OFFSET, 0);
	tp_riscv_li(as, BLOCK, 0);
	tp_riscv_li(as, X_A2, s->multiplier);
	tp_riscv_li(as, X_A3, (int64_t)(s->blocks * block_bytes - 1));
	tp_riscv_li(as, X_A4, (int64_t)s->increment * s->stride_bytes);
	tp_riscv_li(as, X_A5, (int64_t)block_bytes - 1);
	tp_riscv_li(as, X_A6, (int64_t)block_bytes);
	tp_riscv_align(as, 64);
	struct tp_riscv_trips pass = tp_riscv_trips_begin(c, PASSES, 1);
	struct tp_riscv_trips blocks = tp_riscv_trips_begin(c, X_T5, s->blocks);
	tp_riscv_op3(as, TP_RISCV_ADD, BASE, DATA, BLOCK);
	struct tp_riscv_trips round = tp_riscv_trips_begin(c, X_T4, s->block_elements / unroll);
	for (uint64_t i = 0; i < unroll; i++) {
		tp_riscv_op3(as, TP_RISCV_MUL, OFFSET, OFFSET, X_A2);
		tp_riscv_op3(as, TP_RISCV_ADD, OFFSET, OFFSET, X_A4);
		tp_riscv_op3(as, TP_RISCV_AND, OFFSET, OFFSET, X_A5);
		tp_riscv_op3(as, TP_RISCV_ADD, TARGET, BASE, OFFSET);
		tp_riscv_imm(as, TP_RISCV_SD, OFFSET, TARGET, 0);
	}
	tp_riscv_trips_end(c, &round);
	tp_riscv_op3(as, TP_RISCV_MUL, BLOCK, BLOCK, X_A2);
	tp_riscv_op3(as, TP_RISCV_ADD, BLOCK, BLOCK, X_A6);
	tp_riscv_op3(as, TP_RISCV_AND, BLOCK, BLOCK, X_A3);
	tp_riscv_trips_end(c, &blocks);
	tp_riscv_trips_end(c, &pass);
}

/*
 * Long code. a0 is never 0: that is the condition of all branches in the lines. Lines are equal and know no address: one is emitted, the others
 * are copies. The way back from the last line is too far for a branch, maybe for a jump: its address is in t5.
 */
void tp_riscv_count_lines(struct tp_riscv_counted *c, const struct tp_lines *l)
{
	enum { WORD_BYTES = 4, START = X_T5 };
	static const uint8_t targets[] = { X_T0, X_T1, X_T2 };
	struct tp_riscv_asm *as = &c->as;
	/* auipc has its own address; what lies between it and the first line is known once it is there. */
	size_t here = tp_riscv_here(as);
	tp_riscv_imm(as, TP_RISCV_AUIPC, START, 0, 0);
	tp_riscv_imm(as, TP_RISCV_ADDI, START, START, (int64_t)(l->line_bytes - here));
	tp_riscv_align(as, l->line_bytes);

	c->accounted = tp_riscv_here(as);
	size_t first = c->accounted, n_branches = l->full ? 2 : 1, branches[2];
	unsigned words = l->line_bytes / WORD_BYTES;
	for (size_t i = 0; i < n_branches; i++)
		branches[i] =
			tp_riscv_forward(as, l->full ? TP_RISCV_BEQ : TP_RISCV_BNE, DATA, X_ZERO);
	for (size_t i = n_branches; i < words; i++)
		tp_riscv_imm(as, TP_RISCV_ADDI, targets[i % 3], DATA, 1);
	for (size_t i = 0; i < n_branches; i++)
		tp_riscv_land(as, branches[i]);
	if (as->failed)
		return;
	for (uint64_t i = 1; i + 1 < l->lines; i++, as->at += words) {
		if ((size_t)(as->end - as->at) < words) {
			as->failed = true;
			return;
		}
		memcpy(as->at, as->start + first / WORD_BYTES, l->line_bytes);
	}
	c->executed += (l->lines - 1) * (l->full ? words : 1);
	c->accounted = tp_riscv_here(as);
	c->times = 1;
	/* As many conditional branches in the last line as in any: the loop's is one. */
	if (l->full)
		tp_riscv_land(as, tp_riscv_forward(as, TP_RISCV_BEQ, DATA, X_ZERO));
	tp_riscv_imm(as, TP_RISCV_ADDI, PASSES, PASSES, -1);
	size_t out = tp_riscv_forward(as, TP_RISCV_BEQ, PASSES, X_ZERO);
	tp_riscv_imm(as, TP_RISCV_JALR, X_ZERO, START, 0);
	tp_riscv_land(as, out);
	tp_riscv_account(c);
	c->times = 0;
	c->loop_begin = first;
	c->loop_end = tp_riscv_here(as);
}
