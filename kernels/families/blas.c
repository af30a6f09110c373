/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simple BLAS: DOT, GEMV y = A x, GEMM C += A B of order N, in double precision, with one
 * multiplication and one addition for each product, never fused. A pass is one call, and counts are
 * per call:
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

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	unsigned n = order_of(row->row), kernel = row->row / SIZES;
	struct tp_nest nest = kernel == DOT    ? tp_nest_dot(n, 1)
			      : kernel == GEMV ? tp_nest_gemv(n, n, 1)
					       : tp_nest_gemm(n, 0, 1);
	out->iterations = 1;
	return tp_nest_make(row, &nest, out, diag);
}

const struct tp_family tp_family_blas = {
	.id = TP_FAMILY_BLAS,
	.name = "blas",
	.title = "DOT, GEMV, GEMM of growing size",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = ROWS,
	.n_kernels = KERNELS,
	.kernel_rows = SIZES,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
