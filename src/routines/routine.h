/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Routines whose fastest configuration is searched for: GEMM of whatever BLAS the user has (dlopen), TRIAD c = a + g * b (OpenMP). They run in
 * a process of their own (worker.h), never in the one that plans.
 */
#ifndef TPROF_ROUTINES_ROUTINE_H
#define TPROF_ROUTINES_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/status.h"

/* id, name, element bytes, summary */
#define TP_ROUTINE_LIST(X)                                                                         \
	X(DGEMM, "dgemm", 8, "matrix product in double precision, by a BLAS")                      \
	X(SGEMM, "sgemm", 4, "matrix product in single precision, by a BLAS")                      \
	X(TRIAD, "triad", 8, "c = a + g * b in double precision, by OpenMP")

enum tp_routine_id {
#define TP_ROUTINE_ENUM(id, name, bytes, summary) TP_ROUTINE_##id,
	TP_ROUTINE_LIST(TP_ROUTINE_ENUM)
#undef TP_ROUTINE_ENUM
		TP_ROUTINE_COUNT
};
const char *tp_routine_name(enum tp_routine_id id);
const char *tp_routine_summary(enum tp_routine_id id);
bool tp_routine_find(const char *name, enum tp_routine_id *id);

enum { TP_ROUTINE_DIMENSIONS = 3 };

/* One configuration. GEMM: n, m, k (C is m x n, k the inner size; column-major, alpha 1, beta 0). TRIAD: n elements in all, m and k 0. */
struct tp_routine_config {
	enum tp_routine_id id;
	uint64_t size[TP_ROUTINE_DIMENSIONS]; /* n, m, k */
	char library[TP_PATH_MAX]; /* of a GEMM: soname or path; "" = the first that is found */
	unsigned n_cpus;
	unsigned cpus[1024]; /* OS numbers: one thread each, in this order */
};

/* Per call. TRIAD: 2 FLOP and 24 bytes an element. GEMM: 2nmk FLOP; bytes = those of A, B and C once, written C twice. */
double tp_routine_flop(const struct tp_routine_config *config);
double tp_routine_bytes(const struct tp_routine_config *config);
uint64_t tp_routine_memory_bytes(const struct tp_routine_config *config);
/* "n 1024 m 512 k 128"; returns out. */
const char *tp_routine_config_name(const struct tp_routine_config *config, char *out, size_t size);

struct tp_routine;
/*
 * Loads, allocates, lets each thread touch its part, calls once. TP_NOTFOUND: no such library, or none with cblas_dgemm, with the Debian package
 * that brings one; TP_RESOURCE: does not fit into memory.
 */
enum tp_status tp_routine_new(struct tp_routine **routine, const struct tp_routine_config *config,
			      struct tp_diag *diag);
/* One iteration; seconds by CLOCK_MONOTONIC_RAW. Short ones (below ~50 us) are called `calls` times in one reading: seconds are per call. */
double tp_routine_run(struct tp_routine *routine);
void tp_routine_free(struct tp_routine *routine);

/* BLAS libraries that can be opened here: heap array of sonames or paths with a title ("OpenBLAS 0.3.21"). */
struct tp_blas {
	char path[TP_PATH_MAX];
	char title[96];
};
enum tp_status tp_blas_find(struct tp_blas **libraries, size_t *n, struct tp_diag *diag);

#endif
