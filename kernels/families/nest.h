/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What blas and traffic share: the usual operations as nests of loops over one block of data, operands first, results last. */
#ifndef TPROF_KERNELS_FAMILIES_NEST_H
#define TPROF_KERNELS_FAMILIES_NEST_H

#include "kernels/counting.h"
#include "kernels/described.h"

/* Row-major; results begin at a page. */
struct tp_nest tp_nest_dot(uint64_t n, unsigned unroll); /* c = a . b */
struct tp_nest tp_nest_gemv(uint64_t rows, uint64_t n, unsigned unroll); /* c = A b */
/* The same, but only the first `kept` rows of A exist and are used again and again; `kept` divides rows. */
struct tp_nest tp_nest_capped_gemv(uint64_t rows, uint64_t n, uint64_t kept, unsigned unroll);
/* C += A B of order n, `batches` of them one after the other, each with its own A, B, C side by side; 0 = one. */
struct tp_nest tp_nest_gemm(uint64_t n, uint64_t batches, unsigned unroll);

/* Takes the nest as the code of `out`: emits, lays out the data, fills in fill(). TP_RESOURCE also beyond 2 GiB of data. */
enum tp_status tp_nest_make(const struct tp_nest *nest, uint64_t data_bytes, const char *name,
			    const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
			    struct tp_counting *out, struct tp_diag *diag);
/* Bytes of the data of a nest as made above. */
uint64_t tp_nest_bytes(const struct tp_nest *nest);

#endif
