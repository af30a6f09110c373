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

/* The number of the machine, or that of nearly all machines. */
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

/* Numbers that fill data. The same seed gives the same numbers on every machine. */

struct tp_random {
	uint64_t state;
};

static inline void tp_random_init(struct tp_random *random, uint64_t seed)
{
	random->state = seed;
}

static inline uint64_t tp_random_next(struct tp_random *random)
{
	return tp_splitmix64(&random->state);
}

/* In [0, n), n below 2^32. */
static inline uint64_t tp_random_below(struct tp_random *random, uint64_t n)
{
	return (tp_random_next(random) >> 32) * n >> 32;
}

/* In [0, 1). */
static inline double tp_random_unit(struct tp_random *random)
{
	return (double)(tp_random_next(random) >> 11) * 0x1p-53;
}

#endif
