/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Common to blas and traffic: the usual operations as nests of loops over one block of data.
 * Operands come first, results last.
 */
#ifndef TPROF_KERNELS_FAMILIES_NEST_H
#define TPROF_KERNELS_FAMILIES_NEST_H

#include "kernels/families/families.h"

/* Row-major; results begin at a page. */
struct tp_nest tp_nest_dot(uint64_t n, unsigned unroll); /* c = a . b */
struct tp_nest tp_nest_gemv(uint64_t rows, uint64_t n, unsigned unroll); /* c = A b */
/*
 * The same, but only the first `kept` rows of A exist and are used over and over. `kept` divides
 * rows.
 */
struct tp_nest tp_nest_capped_gemv(uint64_t rows, uint64_t n, uint64_t kept, unsigned unroll);
/* C += A B of order n, `batches` times, each with its own A, B, C side by side; 0 = once. */
struct tp_nest tp_nest_gemm(uint64_t n, uint64_t batches, unsigned unroll);

/* Makes the row of this nest: code, data, fill(). Also TP_RESOURCE beyond 2 GiB of data. */
enum tp_status tp_nest_make(const struct tp_row *row, const struct tp_nest *nest,
			    struct tp_counting *out, struct tp_diag *diag);

#endif
