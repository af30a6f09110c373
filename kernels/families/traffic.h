/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations whose traffic with memory is known: what they read and write when their data are in
 * no cache before, as long as what they use again fits into one, and when it does not. With N the
 * size and L the elements of a line, in elements of 8 bytes for each repetition:
 *
 *                  used again      read, it fits    read, it does not   written (not)
 *     dot          nothing         2 N + L          2 N + L             L
 *     gemv         x: N            N^2 + 2 N        2 N^2 + N           N
 *     capped-gemv  A: N^2          N^2 + 3 N        2 N^2 + 3 N         2 N
 *     gemm         B: N^2          3 N^2            N^3 + 2 N^2         N^2
 *     resort       a line each: NL 2 (9 L) N        9 L (1 + L) N       9 L N (9 L L N)
 *
 * gemv: y = A x. capped-gemv: the same with 2 N rows, of which only the first N exist; they are
 * gone through twice. gemm: C += A B. resort: 9 L rows of N numbers become N rows of 9 L numbers.
 * Lines that are stored to are read before. Sizes are odd multiples of L, so that columns use all
 * sets of a cache.
 */
#ifndef TPROF_KERNELS_FAMILIES_TRAFFIC_H
#define TPROF_KERNELS_FAMILIES_TRAFFIC_H

#include "kernels/counting.h"

enum tp_traffic_kernel {
	TP_TRAFFIC_DOT,
	TP_TRAFFIC_GEMV,
	TP_TRAFFIC_CAPPED_GEMV,
	TP_TRAFFIC_GEMM,
	TP_TRAFFIC_RESORT,
	TP_TRAFFIC_KERNELS
};

const char *tp_traffic_name(enum tp_traffic_kernel kernel);
const char *tp_traffic_title(enum tp_traffic_kernel kernel); /* "y = A x, N rows of N" */
/* TP_TRAFFIC_KERNELS if there is no such name. */
enum tp_traffic_kernel tp_traffic_find(const char *name);

/* The size that is nearest to n, at least one line. */
uint64_t tp_traffic_size(uint64_t n, unsigned line_bytes);
/* Of the data of one repetition. */
uint64_t tp_traffic_bytes(enum tp_traffic_kernel kernel, uint64_t n, unsigned line_bytes);
/*
 * Between these sizes it is uncertain whether reused data fit: where they take half of the cache,
 * and twice its size. `dot` reuses nothing: all of its data count.
 */
void tp_traffic_band(enum tp_traffic_kernel kernel, uint64_t cache_bytes, unsigned line_bytes,
		     double *low, double *high);
/* Bytes of a repetition, as above. */
void tp_traffic_expect(enum tp_traffic_kernel kernel, uint64_t n, unsigned line_bytes, bool fits,
		       double *read, double *written);
/* How often a reading repeats it: floor(514 - 0.246 N) below 2048, else 10; for noise of counters.
 */
uint64_t tp_traffic_repetitions(double n);

/*
 * Code and data of `copies` problems of that size, each with its own data, one after the other in a
 * pass; out->iterations is their number. Errors as tp_counting_make.
 */
enum tp_status tp_traffic_make(enum tp_traffic_kernel kernel, uint64_t n, uint64_t copies,
			       const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
			       struct tp_counting *out, struct tp_diag *diag);

#endif
