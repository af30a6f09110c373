/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions on narrow numbers (half, bf16, int8) and on matrices, one row for each that an ISA
 * may have. They are no features of the ISA itself: a CPU with AVX-512 may lack all of them.
 *
 *     fma    each element: acc += a * b
 *     dot    each 4 bytes of acc += sum of the 2 or 4 products of the elements beside them
 *     tile   a matrix product: acc += A * B
 *
 * Accumulators of dot and tile have 4 bytes: floats, or integers for int8. A multiply-add counts as
 * two operations, of floats and of integers alike.
 *
 * Outer products (SME) are tiles, too: a is a column, b a row, and the accumulators are squares
 * with as many rows and columns as a vector has sums. They have rows here in double and single as
 * well; sums of double have 8 bytes. They begin at zero in each call. What the call leaves behind a
 * and b is the matrix that holds them, row by row: tp_kernel_data_bytes.
 */
#ifndef TPROF_KERNELS_NARROW_H
#define TPROF_KERNELS_NARROW_H

#include "kernels/kernel.h"

enum { TP_NARROW_OUTER = 0 };

struct tp_narrow {
	const char *isa, *precision;
	enum tp_fp_op op;
	const char *needs; /* features besides those of the ISA */
	/*
	 * How often each element of an operand is used: columns of the product; 1 for fma and dot,
	 * TP_NARROW_OUTER for as many as a vector has sums.
	 */
	unsigned columns;
	unsigned tile_bytes; /* of an operand that is a tile; 0: it is a vector */
	unsigned instruction; /* the back end's number of it */
};

static inline bool tp_narrow_is_outer(const struct tp_narrow *row)
{
	return row->columns == TP_NARROW_OUTER;
}

/* The rows of an architecture. */
struct tp_narrow_rows {
	const char *arch;
	const struct tp_narrow *rows;
	size_t n;
};

/* The row of an ISA, by its name and architecture; NULL if it has no such instruction. */
const struct tp_narrow *tp_narrow_find(const struct tp_isa *isa,
				       const struct tp_precision *precision, enum tp_fp_op op);
/* The row of a kernel; NULL: it has none of these instructions. */
const struct tp_narrow *tp_narrow_of(const struct tp_kernel *kernel);
/* All rows of an architecture, in the order of its ISAs; NULL behind the last. */
const struct tp_narrow *tp_narrow_row(const char *arch, size_t i);

/* TP_OK, or TP_UNSUPPORTED with the missing feature in words. */
enum tp_status tp_narrow_supported(const struct tp_narrow *row, const struct tp_cpu *cpu,
				   struct tp_diag *diag);

#endif
