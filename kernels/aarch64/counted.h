/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emission of described code (kernels/described.h): an assembler that also keeps account of how often what it emits is executed in a pass.
 * x0 = data, x1 = passes; the rest is the kernels' own, x17 spare. Private to this folder.
 */
#ifndef TPROF_KERNELS_AARCH64_COUNTED_H
#define TPROF_KERNELS_AARCH64_COUNTED_H

#include "kernels/described.h"
#include "kernels/aarch64/encode.h"

enum { TP_AARCH64_DATA = 0, TP_AARCH64_PASSES = 1, TP_AARCH64_SPARE = 17 };

struct tp_aarch64_counted {
	struct tp_aarch64_asm as;
	uint64_t times; /* a pass; 0 outside the passes */
	uint64_t executed; /* instructions of a pass */
	size_t loop_begin, loop_end; /* innermost */
};

struct tp_aarch64_trips {
	unsigned counter;
	uint64_t n;
	size_t top;
};

/* tp_aarch64_put, _constant, _advance by way of the spare register, and an account of them. */
void tp_aarch64_do(struct tp_aarch64_counted *c, enum tp_aarch64_op op, int64_t a, int64_t b,
		   int64_t d, int64_t e);
void tp_aarch64_do_constant(struct tp_aarch64_counted *c, unsigned reg, uint64_t value);
void tp_aarch64_do_advance(struct tp_aarch64_counted *c, unsigned dst, unsigned src, int64_t bytes);
/* For n instructions that were emitted otherwise. */
void tp_aarch64_did(struct tp_aarch64_counted *c, unsigned n);

/* counter = n; then n times what follows, to the matching end. The loop over the passes takes PASSES and 1. */
struct tp_aarch64_trips tp_aarch64_trips_begin(struct tp_aarch64_counted *c, unsigned counter,
					       uint64_t n);
void tp_aarch64_trips_end(struct tp_aarch64_counted *c, const struct tp_aarch64_trips *trips);

void tp_aarch64_count_chase(struct tp_aarch64_counted *c, const struct tp_chase *chase);
void tp_aarch64_count_scatter(struct tp_aarch64_counted *c, const struct tp_scatter *scatter);
void tp_aarch64_count_lines(struct tp_aarch64_counted *c, const struct tp_lines *lines);
void tp_aarch64_count_nest(struct tp_aarch64_counted *c, const struct tp_nest *nest);

#endif
