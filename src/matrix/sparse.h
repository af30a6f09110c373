/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sparse matrices as they are multiplied: in one of five formats, with their bytes and padding. An
 * index takes 4 bytes, a value 8.
 *
 *     coo    row, column and value of each non-zero, by rows
 *     csr    compressed rows: column and value of each non-zero, and where each row begins
 *     bcsr   the same of dense blocks of r x c, by columns inside a block; zeros fill blocks up
 *     dia    diagonals: one array of values as long as the matrix for each, and its offset
 *     ell    rows of one length: column and value, the first of all rows, the second of all, ...;
 *            zeros fill rows up
 */
#ifndef TPROF_MATRIX_SPARSE_H
#define TPROF_MATRIX_SPARSE_H

#include "matrix/matrix.h"

#define TP_FORMAT_LIST(X)                                                                          \
	X(COO, "coo") /* row, column and value of each non-zero */                                 \
	X(CSR, "csr") /* compressed rows */                                                        \
	X(BCSR, "bcsr") /* compressed rows of dense blocks */                                      \
	X(DIA, "dia") /* diagonals */                                                              \
	X(ELL, "ell") /* rows filled up to one length */

enum tp_sparse_format {
#define TP_FORMAT_ENUM(id, name) TP_SPARSE_##id,
	TP_FORMAT_LIST(TP_FORMAT_ENUM)
#undef TP_FORMAT_ENUM
		TP_SPARSE_FORMATS
};

const char *tp_format_name(enum tp_sparse_format format);
/* TP_SPARSE_FORMATS if there is no such name. */
enum tp_sparse_format tp_format_find(const char *name);

struct tp_block_shape {
	unsigned rows, columns;
};
/* The shapes that there are loops for. */
extern const struct tp_block_shape tp_block_shapes[];
extern const size_t tp_block_shape_count;

struct tp_sparse {
	enum tp_sparse_format format;
	void *memory; /* of all arrays; NULL: borrowed */
	uint32_t n_rows, n_columns, n_entries;
	struct tp_block_shape block; /* BCSR */
	uint32_t *rows; /* COO: of each entry */
	uint32_t *starts; /* CSR, COO: of rows; BCSR: of rows of blocks, in blocks */
	/* CSR, COO: of each entry; ELL: of each place, k * stride + row; BCSR: of blocks */
	uint32_t *columns;
	int64_t *offsets; /* DIA: column - row of each diagonal, ascending */
	double *values; /* ELL, DIA: k * stride + row */
	uint32_t width; /* ELL: places in a row; DIA: diagonals */
	size_t stride; /* ELL, DIA: values from one place to the next */
	uint64_t stored; /* values, with padding */
	uint64_t bytes; /* of all arrays that a multiplication reads */
};

/* What a format would take. */
struct tp_sparse_size {
	uint64_t stored, bytes;
};
struct tp_matrix_facts;
struct tp_sparse_size tp_sparse_size(const struct tp_matrix_facts *facts,
				     enum tp_sparse_format format);
/*
 * True if zeros would make its values more than `padding` times the non-zeros. Small matrices may
 * have 4096 values in any case.
 */
bool tp_sparse_refused(const struct tp_matrix_facts *facts, struct tp_sparse_size size,
		       double padding);

/*
 * The matrix in that format. TP_UNSUPPORTED with the reason in words if it would be refused;
 * TP_NOMEM.
 */
enum tp_status tp_sparse_make(const struct tp_matrix *matrix, const struct tp_matrix_facts *facts,
			      enum tp_sparse_format format, double padding,
			      struct tp_sparse *layout, struct tp_diag *diag);
void tp_sparse_release(struct tp_sparse *layout);

/*
 * A copy at another place, made row by row: so that each thread touches what it will read first, in
 * memory of the caller's choice. `place` takes tp_sparse_memory(from) bytes from a cache line on;
 * `copy` borrows it, and is never released. Every row must be copied once.
 */
size_t tp_sparse_memory(const struct tp_sparse *from);
void tp_sparse_place(const struct tp_sparse *from, void *place, struct tp_sparse *copy);
/* Rows of one share, as split by tp_sparse_split. */
void tp_sparse_copy_rows(const struct tp_sparse *from, struct tp_sparse *copy, uint32_t first,
			 uint32_t last);

/* Vectors that fit: blocks at the edges read and write up to 8 elements beyond the matrix. */
enum { TP_VECTOR_SLACK = 16 };

/*
 * Rows of a thread: [first, last). The borders of n_shares shares, border[0] = 0 to border[n] =
 * n_rows, such that each has as many stored values, and none cuts a block or, where rows are many,
 * a cache line of y.
 */
void tp_sparse_split(const struct tp_sparse *layout, unsigned n_shares, uint32_t *border);

#endif
