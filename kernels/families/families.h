/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families, one file each, and what several of them need. */
#ifndef TPROF_KERNELS_FAMILIES_H
#define TPROF_KERNELS_FAMILIES_H

#include "kernels/counting.h"
#include "kernels/described.h"
#include "kernels/loop.h"

extern const struct tp_family tp_family_flops, tp_family_branch, tp_family_instructions;
extern const struct tp_family tp_family_dcache_read, tp_family_dcache_write, tp_family_icache;
extern const struct tp_family tp_family_blas, tp_family_traffic;

/*
 * Iterations of a pass where the loop itself does not say: so many that the first of two passes is enough for a branch predictor to learn the loop
 * branch. What it had wrong before is then in both and leaves their difference.
 */
enum { TP_FAMILY_PASS_LOG2 = 4 };

/*
 * Emits a loop for this host and fills code, data_bytes, iterations, instructions, passes and fill of `out`.
 * TP_UNSUPPORTED without a back end, TP_RESOURCE beyond the machine's limits.
 */
enum tp_status tp_family_make_loop(const struct tp_loop *loop, const char *name,
				   const struct tp_cpu *cpu,
				   const struct tp_counting_machine *machine,
				   struct tp_counting *out, struct tp_diag *diag);

/* Likewise for what else is described; data_bytes, iterations and fill are the caller's. */
enum tp_status tp_family_make_described(const struct tp_described *described, const char *name,
					const struct tp_cpu *cpu,
					const struct tp_counting_machine *machine,
					struct tp_counting *out, struct tp_diag *diag);

/*
 * Sets passes from instructions: long against reading counters, short against an interrupt. Then the limits: TP_RESOURCE if two
 * passes have more instructions, or the data more bytes, than `machine` lets them.
 */
enum tp_status tp_family_settle(struct tp_counting *out, const char *name,
				const struct tp_counting_machine *machine, struct tp_diag *diag);

#endif
