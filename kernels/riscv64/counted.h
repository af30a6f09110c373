/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emission of described code (kernels/described.h): an assembler that also keeps account of how often what it emits is executed in a pass. Between
 * the beginnings and ends of loops everything is straight, so each word there is one instruction as often as the loops around it have rounds.
 */
#ifndef TPROF_KERNELS_RISCV64_COUNTED_H
#define TPROF_KERNELS_RISCV64_COUNTED_H

#include "kernels/described.h"
#include "kernels/riscv64/encode.h"

enum { DATA = X_A0, PASSES = X_A1, SCRATCH = X_T6 };

struct tp_riscv_counted {
	struct tp_riscv_asm as;
	uint64_t times; /* a pass; 0 outside the passes */
	uint64_t executed; /* instructions of a pass */
	size_t accounted; /* offset in the code up to which they are counted */
	size_t loop_begin, loop_end; /* innermost */
};

struct tp_riscv_trips {
	unsigned counter;
	uint64_t n;
	size_t top;
};

/* Counts what was emitted since the last account; loops do so by themselves. */
void tp_riscv_account(struct tp_riscv_counted *c);

/* counter = n; then n times what follows, to the matching end. The loop over the passes takes PASSES and 1. */
struct tp_riscv_trips tp_riscv_trips_begin(struct tp_riscv_counted *c, unsigned counter,
					   uint64_t n);
void tp_riscv_trips_end(struct tp_riscv_counted *c, const struct tp_riscv_trips *trips);

void tp_riscv_count_chase(struct tp_riscv_counted *c, const struct tp_chase *chase);
void tp_riscv_count_scatter(struct tp_riscv_counted *c, const struct tp_scatter *scatter);
void tp_riscv_count_lines(struct tp_riscv_counted *c, const struct tp_lines *lines);
void tp_riscv_count_nest(struct tp_riscv_counted *c, const struct tp_nest *nest);

#endif
