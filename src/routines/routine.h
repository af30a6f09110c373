/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Routines to be tuned: GEMM of any BLAS that the user has (dlopen), TRIAD c = a + g * b (OpenMP).
 * They run in a separate process (worker.h), never in the one that plans.
 */
#ifndef TPROF_ROUTINES_ROUTINE_H
#define TPROF_ROUTINES_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/pages.h"
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
/*
 * TP_UNSUPPORTED for TRIAD in a program built without OpenMP. Whether a GEMM works is known only
 * after it is opened.
 */
enum tp_status tp_routine_supported(enum tp_routine_id id, struct tp_diag *diag);

enum { TP_ROUTINE_DIMENSIONS = 3, TP_ROUTINE_CPUS_MAX = 1024 };

/*
 * One configuration. GEMM: n, m, k (C is m x n, k the inner size; column-major, alpha 1, beta 0).
 * TRIAD: n elements in all, m and k 0.
 */
struct tp_routine_config {
	enum tp_routine_id id;
	uint64_t size[TP_ROUTINE_DIMENSIONS]; /* n, m, k */
	/*
	 * of a GEMM: soname, path, or a part of a soname without ".so" (openblas, blis); "" = the
	 * first that is found
	 */
	char library[TP_PATH_MAX];
	/* of operands that are large enough for huge pages; 0 = what the kernel gives */
	enum tp_pages pages;
	unsigned n_cpus;
	unsigned cpus[TP_ROUTINE_CPUS_MAX]; /* OS numbers: one thread each, in this order */
};

/*
 * Per call. TRIAD: 2 FLOP and 24 bytes an element. GEMM: 2nmk FLOP; bytes = A, B and C once,
 * written C twice.
 */
double tp_routine_flop(const struct tp_routine_config *config);
double tp_routine_bytes(const struct tp_routine_config *config);
/* Of the operands; UINT64_MAX if it does not fit into 64 bits. */
uint64_t tp_routine_memory_bytes(const struct tp_routine_config *config);
/* "n 1024 m 512 k 128"; returns out. */
const char *tp_routine_config_name(const struct tp_routine_config *config, char *out, size_t size);

struct tp_routine;
/*
 * Loads, allocates, lets each thread touch its part, makes one call and checks the result. Binds
 * the threads of this process to the CPUs. TP_USAGE: a size of 0, or a CPU that cannot be used.
 * TP_NOTFOUND: no such library, or none with cblas_dgemm; the hint names the Debian package.
 * TP_RESOURCE: it does not fit into memory. TP_UNSUPPORTED: more threads than the library accepts.
 * TP_FAILED: a wrong result.
 */
enum tp_status tp_routine_new(struct tp_routine **routine, const struct tp_routine_config *config,
			      struct tp_diag *diag);
/*
 * Sets the number of threads and their CPUs again after another routine ran in the same process.
 * Not timed.
 */
void tp_routine_settle(struct tp_routine *routine);
/*
 * One iteration; returns seconds per call by CLOCK_MONOTONIC_RAW. Short calls are repeated until a
 * reading takes about 200 us. TRIAD is timed from the first start to the last end of its threads,
 * inside the parallel region.
 */
double tp_routine_run(struct tp_routine *routine);
/* Seconds of the last call, even before the first reading. */
double tp_routine_call_seconds(const struct tp_routine *routine);
void tp_routine_free(struct tp_routine *routine);

/*
 * BLAS libraries that can be opened here: heap array of sonames or paths with a title ("OpenBLAS
 * 0.3.21"). Asks a worker, see worker.h.
 */
struct tp_blas {
	char path[TP_PATH_MAX];
	char title[96];
};
/*
 * True for a known library: a word in its name, or one of the known sonames. Anything else is the
 * path of a possibly foreign file.
 */
bool tp_blas_is_known(const char *wish);
enum tp_status tp_blas_find(struct tp_blas **libraries, size_t *n, struct tp_diag *diag);

#endif
