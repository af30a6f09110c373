/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BLAS as everyone would write it first: DOT, GEMV y = A x, GEMM C += A B of order N, double precision, one multiplication and one addition
 * a product, never fused. One pass is one call, counts are per call:
 *
 *            operations  loads         stores  conditional branches
 *     DOT    2 N         2 N           1       N + 1
 *     GEMV   2 N^2       2 N^2         N       N^2 + N + 1
 *     GEMM   2 N^3       2 N^3 + N^2   N^2     N^3 + N^2 + N + 1
 */
#include "kernels/families/families.h"
#include "kernels/families/nest.h"

#include <stdio.h>

enum { BY_ONE = 100, STEP = 50, LARGEST = 500, SIZES = BY_ONE + (LARGEST - BY_ONE) / STEP };
enum { DOT, GEMV, GEMM, KERNELS, ROWS = KERNELS * SIZES };

static const char *const kernels[KERNELS] = { "dot", "gemv", "gemm" };

static unsigned order_of(unsigned row)
{
	unsigned i = row % SIZES;
	return i < BY_ONE ? i + 1 : BY_ONE + (i - BY_ONE + 1) * STEP;
}

static unsigned first_row(unsigned kernel)
{
	return kernel * SIZES;
}

static const char *kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", kernels[kernel]);
	return out;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s %u", kernels[row / SIZES], order_of(row));
	return out;
}

static enum tp_status make(const struct tp_family *family, unsigned row, const struct tp_cpu *cpu,
			   const struct tp_counting_machine *machine, struct tp_counting *out,
			   struct tp_diag *diag)
{
	char name[32], where[64];
	snprintf(where, sizeof(where), "%s, %s", family->name, row_name(row, name, sizeof(name)));
	unsigned n = order_of(row), kernel = row / SIZES;
	struct tp_nest nest = kernel == DOT    ? tp_nest_dot(n, 1)
			      : kernel == GEMV ? tp_nest_gemv(n, n, 1)
					       : tp_nest_gemm(n, 0, 1);
	out->iterations = 1;
	return tp_nest_make(&nest, tp_nest_bytes(&nest), where, cpu, machine, out, diag);
}

const struct tp_family tp_family_blas = {
	.id = TP_FAMILY_BLAS,
	.name = "blas",
	.title = "DOT, GEMV, GEMM of growing size",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = ROWS,
	.n_kernels = KERNELS,
	.first_row = first_row,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
