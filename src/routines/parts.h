/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the routines share among themselves. Private to this room. */
#ifndef TPROF_ROUTINES_PARTS_H
#define TPROF_ROUTINES_PARTS_H

#include "routines/routine.h"

/* One kind of routine: gemm.c, triad.c. */
struct tp_routine_kind {
	/* Everything up to and with the first call, whose seconds it tells, and the check of its result; free() also after a failure. */
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

/* Memory of one routine: anonymous pages, not touched yet. */
struct tp_block {
	char *base; /* at a page; if not of small pages at a multiple of 2 MiB */
	size_t bytes, mapped_bytes;
	void *mapped;
};
/*
 * Huge pages that the kernel may refuse (thp) leave small ones. TP_RESOURCE if the system has not that much left, or no such pages (hugetlb).
 */
enum tp_status tp_block_map(struct tp_block *block, uint64_t bytes, enum tp_pages pages,
			    const char *where, struct tp_diag *diag);
void tp_block_release(struct tp_block *block);

/* Binds a thread of this process (0 = the caller). False with errno. */
bool tp_bind_thread(int tid, const unsigned *cpus, unsigned n);
/* The caller to all of the CPUs; what it creates from now on inherits that. TP_USAGE if one cannot be used. */
enum tp_status tp_bind_self(const struct tp_routine_config *config, struct tp_diag *diag);
/* The number of the other threads of this process. */
unsigned tp_bind_others(void);
/*
 * Every thread of the process to the CPUs. each: one to a CPU, the caller to the first; only where the others are as many as the CPUs
 * that remain.
 */
void tp_bind_all(const struct tp_routine_config *config, bool each);

/* A part of an array that thread `t` of `n` owns: whole cache lines of 8 doubles, except at the end. */
static inline uint64_t tp_part_begin(uint64_t elements, unsigned t, unsigned n)
{
	uint64_t lines = (elements + 7) / 8, at = (lines / n * t + lines % n * t / n) * 8;
	return at < elements ? at : elements;
}

#endif
