/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the files of the shared emitter use of each other. Private to kernels/emit. */
#ifndef TPROF_KERNELS_EMIT_PARTS_H
#define TPROF_KERNELS_EMIT_PARTS_H

#include "kernels/emit/emit.h"

/* --- frame.c --- */

/* Gives a buffer and an assembler to the emitter, calls `body` to fill it, and seals it. */
enum tp_status tp_emit_run(struct tp_emitter *e, size_t capacity_bytes,
			   void (*body)(struct tp_emitter *e, void *context), void *context,
			   struct tp_diag *diag);
/* Fills up so that the place `ahead` bytes from here becomes a multiple of `bytes`. */
void tp_emit_align(struct tp_emitter *e, size_t bytes, size_t ahead);

void tp_emit_land(struct tp_emitter *e, size_t branch); /* a branch forward comes here */
void tp_emit_follow(struct tp_emitter *e, unsigned reg); /* a pointer */
void tp_emit_advance(struct tp_emitter *e, unsigned reg, int64_t bytes); /* nothing for 0 */

static inline size_t tp_emit_here(const struct tp_emitter *e)
{
	return tp_asm_here(e->as);
}

/* --- fp.c --- */

void tp_emit_plan(struct tp_emitter *e);
void tp_emit_begin_body(struct tp_emitter *e); /* the first registers are next again */
void tp_emit_next_fp(struct tp_emitter *e);
/* Loads the operands and accumulators from the data block, or stores the accumulators back. */
void tp_emit_fp_operands(struct tp_emitter *e, bool store);

/* --- walk.c --- */

void tp_emit_walk(struct tp_emitter *e);

/* --- gather.c --- */

void tp_emit_gathers(struct tp_emitter *e);

/* --- trips.c: loops whose rounds are counted --- */

struct tp_emit_tally {
	struct tp_emitter *e;
	/* how often a pass executes the code that comes now; 0 outside the passes */
	uint64_t times;
	uint64_t executed; /* instructions of a pass */
	uint64_t told; /* instructions emitted up to the last account */
};

struct tp_trips {
	unsigned counter;
	uint64_t n;
	size_t top;
};

/* Counts the instructions since the last account. Loops do so by themselves. */
void tp_tally_account(struct tp_emit_tally *t);
/* Leaves out the instructions since the last account. */
void tp_tally_skip(struct tp_emit_tally *t);
/*
 * Repeats n times the code up to the matching end. The loop over the passes takes their register,
 * and 1.
 */
struct tp_trips tp_trips_begin(struct tp_emit_tally *t, unsigned counter, uint64_t n);
void tp_trips_end(struct tp_emit_tally *t, const struct tp_trips *trips);

/* --- nest.c --- */

void tp_emit_nest(struct tp_emit_tally *t, const struct tp_nest *nest);

#endif
