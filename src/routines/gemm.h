/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loading one starts its threads, so only a
 * worker does it.
 */
#ifndef TPROF_ROUTINES_GEMM_H
#define TPROF_ROUTINES_GEMM_H

#include "routines/routine.h"

/* An open library; never unloaded, because threads of its own would not survive that. */
struct tp_blas_library {
	struct tp_blas name;
	void *handle;
	void *dgemm, *sgemm; /* C interface; NULL = not there */
	bool wide; /* integers of 64 bits (ILP64) */
	void *set_threads; /* NULL = only one thread can be counted on */
	bool set_threads_wide;
	char file[TP_PATH_MAX]; /* where its code lies */
};

/* As tp_blas_find, but in this process. */
enum tp_status tp_blas_find_here(struct tp_blas **libraries, size_t *n, struct tp_diag *diag);

struct tp_gemm_call {
	uint64_t n, m, k;
	const void *a, *b;
	void *c;
	bool single; /* precision */
};

#endif
