/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emission of described code (kernels/described.h): an assembler that also keeps account of how often what it emits is executed in a pass.
 */
#ifndef TPROF_KERNELS_X86_COUNTED_H
#define TPROF_KERNELS_X86_COUNTED_H

#include "kernels/described.h"
#include "kernels/x86/encode.h"

#define DATA   ZYDIS_REGISTER_RDI
#define PASSES ZYDIS_REGISTER_RSI

struct tp_x86_counted {
	struct tp_x86_asm as;
	uint64_t times; /* a pass; 0 outside the passes */
	uint64_t executed; /* instructions of a pass */
	size_t loop_begin, loop_end; /* innermost */
};

struct tp_x86_trips {
	ZydisRegister counter;
	uint64_t n;
	size_t top;
};

/* tp_x86_op, tp_x86_op_imm and an account of it. */
void tp_x86_do(struct tp_x86_counted *c, ZydisMnemonic mnemonic, ZydisRegister dst, ZydisRegister a,
	       ZydisRegister b);
void tp_x86_do_imm(struct tp_x86_counted *c, ZydisMnemonic mnemonic, ZydisRegister dst,
		   int64_t imm);
/* For n instructions that were emitted otherwise. */
void tp_x86_did(struct tp_x86_counted *c, unsigned n);

/* counter = n; then n times what follows, to the matching end. The loop over the passes takes PASSES and 1. */
struct tp_x86_trips tp_x86_trips_begin(struct tp_x86_counted *c, ZydisRegister counter, uint64_t n);
void tp_x86_trips_end(struct tp_x86_counted *c, const struct tp_x86_trips *trips);

void tp_x86_count_chase(struct tp_x86_counted *c, const struct tp_chase *chase);
void tp_x86_count_scatter(struct tp_x86_counted *c, const struct tp_scatter *scatter);
void tp_x86_count_lines(struct tp_x86_counted *c, const struct tp_lines *lines);
void tp_x86_count_nest(struct tp_x86_counted *c, const struct tp_nest *nest);

#endif
