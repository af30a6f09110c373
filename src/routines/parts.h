/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_ROUTINES_PARTS_H
#define TPROF_ROUTINES_PARTS_H

#include "measure/buffer.h"
#include "routines/routine.h"

/* One kind of routine: gemm.c, triad.c. */
struct tp_routine_kind {
	/*
	 * Does everything up to the first call, reports its seconds, and checks the result. free()
	 * must be called after a failure too.
	 */
	enum tp_status (*open)(void **state, const struct tp_routine_config *config,
			       double *first_seconds, struct tp_diag *diag);
	void (*settle)(void *state);
	/* `calls` calls; seconds of all of them. */
	double (*run)(void *state, uint64_t calls);
	void (*free)(void *state);
};

extern const struct tp_routine_kind tp_routine_gemm;

#ifdef TP_HAVE_OPENMP
extern const struct tp_routine_kind tp_routine_triad;
#endif

double tp_routine_now_seconds(void); /* CLOCK_MONOTONIC_RAW */

/* TP_RESOURCE if the system lacks the memory. */
enum tp_status tp_routine_fits(uint64_t bytes, const char *where, struct tp_diag *diag);
/* Untouched memory. TP_RESOURCE if the system lacks it, or the pages (hugetlb). */
enum tp_status tp_routine_map(struct tp_buffer *block, uint64_t bytes, enum tp_pages pages,
			      struct tp_diag *diag);

/*
 * Binds the caller to all of the CPUs; threads that it creates later inherit that. TP_USAGE if one
 * cannot be used.
 */
enum tp_status tp_bind_self(const struct tp_routine_config *config, struct tp_diag *diag);

/* The number of the other threads of this process. */
unsigned tp_bind_others(void);

/*
 * Binds every thread of the process to the CPUs. each: one thread to a CPU, the caller to the
 * first, but only if there are as many other threads as remaining CPUs.
 */
void tp_bind_all(const struct tp_routine_config *config, bool each);

/*
 * Where thread `t` of `n` begins in an array: parts are whole cache lines of 8 doubles, except at
 * the end.
 */
static inline uint64_t tp_part_begin(uint64_t elements, unsigned t, unsigned n)
{
	uint64_t lines = (elements + 7) / 8, at = (lines / n * t + lines % n * t / n) * 8;
	return at < elements ? at : elements;
}

/* --- triad.c --- */

/* c = a + g * b, `passes` times. The arrays begin at cache lines and do not overlap. */
typedef void tp_triad_fn(double *restrict c, const double *restrict a, const double *restrict b,
			 double g, size_t n, size_t passes);

struct tp_triad_loop {
	const char *name;
	tp_triad_fn *run;
};

/*
 * The loops that this CPU can run, at least one; returns how many. The last has the widest vectors.
 */
enum { TP_TRIAD_LOOPS_MAX = 4 };

unsigned tp_triad_loops(struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX]);

/* --- gemm.c: loading a library starts its threads, so only a worker does it --- */

/* An open library; never unloaded, because its threads would not survive that. */
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
