/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floating point: one kernel for each precision, width and fusion, in the order of the basis. Each
 * has three loops with FP instructions of its class only: 24, 48, 96 (half multiplications, half
 * additions), or 12, 24, 48 fused ones.
 */
#include "kernels/families/families.h"

#include <stdio.h>

enum { LOOPS = 3, WIDTHS = 4, KERNELS = 16, SHORTEST = 24, SHORTEST_FUSED = 12 };

static struct tp_loop_fp shape_of(unsigned kernel)
{
	static const unsigned vector_bytes[WIDTHS] = { 0, 16, 32, 64 };
	return (struct tp_loop_fp){ .element_bytes = kernel / WIDTHS % 2 ? 8 : 4,
				    .vector_bytes = vector_bytes[kernel % WIDTHS],
				    .fused = kernel >= KERNELS / 2 };
}

static unsigned instructions_of(unsigned row)
{
	bool fused = shape_of(row / LOOPS).fused;
	return (unsigned)(fused ? SHORTEST_FUSED : SHORTEST) << row % LOOPS;
}

static const char *kernel_name(unsigned kernel, char *out, size_t size)
{
	struct tp_loop_fp fp = shape_of(kernel);
	char width[16] = "scalar";
	if (fp.vector_bytes)
		snprintf(width, sizeof(width), "%u", fp.vector_bytes * 8);
	snprintf(out, size, "%s-%s%s", fp.element_bytes == 4 ? "sp" : "dp", width,
		 fp.fused ? "-fma" : "");
	return out;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	char kernel[32];
	snprintf(out, size, "%s %u", kernel_name(row / LOOPS, kernel, sizeof(kernel)),
		 instructions_of(row));
	return out;
}

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	struct tp_loop loop = { .ops = { { TP_LOOP_FP, instructions_of(row->row) } },
				.n_ops = 1,
				.fp = shape_of(row->row / LOOPS),
				.pass_log2 = TP_FAMILY_PASS_LOG2 };
	return tp_family_make_loop(row, &loop, out, diag);
}

const struct tp_family tp_family_flops = {
	.id = TP_FAMILY_FLOPS,
	.name = "flops",
	.title = "floating point instructions by width, precision and fusion",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = KERNELS * LOOPS,
	.n_kernels = KERNELS,
	.kernel_rows = LOOPS,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
