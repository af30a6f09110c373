/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families and their common helpers. */
#ifndef TPROF_KERNELS_FAMILIES_FAMILIES_H
#define TPROF_KERNELS_FAMILIES_FAMILIES_H

#include <stdint.h>

#include "base/random.h"
#include "kernels/counting.h"
#include "kernels/loop.h"

extern const struct tp_family tp_family_flops, tp_family_branch, tp_family_instructions;
extern const struct tp_family tp_family_dcache_read, tp_family_dcache_write, tp_family_icache;
extern const struct tp_family tp_family_blas, tp_family_traffic;

/*
 * Iterations of a pass, unless the loop has its own number. The first of two passes is long enough
 * for a branch predictor to learn the loop branch. Its mistakes before that are in both runs and
 * cancel in their difference.
 */
enum { TP_FAMILY_PASS_LOG2 = 4 };

/* A row to be made, and its name alone and with that of its family. */
struct tp_row {
	const struct tp_family *family;
	unsigned row;
	const struct tp_cpu *cpu;
	const struct tp_counting_machine *machine;
	char name[64], where[96];
};

/* The machine's number, or that of nearly all machines. */
static inline unsigned tp_row_line_bytes(const struct tp_row *row)
{
	return row->machine->line_bytes ? row->machine->line_bytes : 64;
}

static inline uint64_t tp_row_page_bytes(const struct tp_row *row)
{
	return row->machine->page_bytes ? row->machine->page_bytes : 4096;
}

/*
 * Emits a loop for this host and fills code, data_bytes, iterations, instructions, passes and fill
 * of `out`. TP_UNSUPPORTED without a back end, TP_RESOURCE beyond the machine's limits.
 */
enum tp_status tp_family_make_loop(const struct tp_row *row, const struct tp_loop *loop,
				   struct tp_counting *out, struct tp_diag *diag);

/* Does the same for a traversal, but the caller sets data_bytes, iterations and fill. */
enum tp_status tp_family_make_traversal(const struct tp_row *row,
					const struct tp_traversal *traversal,
					struct tp_counting *out, struct tp_diag *diag);

#endif
