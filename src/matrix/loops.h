/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y = A x for the rows of one thread: plain C, compiled for several instruction sets with tprof
 * itself, so that measuring does not need a compiler.
 */
#ifndef TPROF_MATRIX_LOOPS_H
#define TPROF_MATRIX_LOOPS_H

#include "matrix/sparse.h"

/* The part of one thread. x and y begin at cache lines and have TP_VECTOR_SLACK elements more. */
struct tp_spmv_share {
	const struct tp_sparse *layout;
	const double *x;
	double *y;
	uint32_t first, last; /* rows; multiples of the blocks */
};

/* Multiplies `passes` times; `share` is a struct tp_spmv_share. */
typedef void tp_spmv_fn(void *share, uint64_t passes);

struct tp_spmv_loop {
	const char *name; /* "plain", "avx512 4 sums" */
	tp_spmv_fn *run;
};

/*
 * The loops of a layout that this CPU can run, at least one: which is the fastest depends on the
 * core and on the matrix. Returns how many.
 */
enum { TP_SPMV_LOOPS_MAX = 9 };
unsigned tp_spmv_loops(const struct tp_sparse *layout,
		       struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX]);

#endif
