/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sparse matrices of doubles in compressed rows, and how they are made of single entries. All other
 * formats (layout.h) are made from this one.
 */
#ifndef TPROF_MATRIX_MATRIX_H
#define TPROF_MATRIX_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Limits of a matrix, so that memory is bounded for any file: rows and columns take 8 to 16 bytes
 * each, a non-zero takes 16 while it is read and 12 afterwards.
 */
enum { TP_MATRIX_SIDE_MAX = 50 * 1000 * 1000, TP_MATRIX_ENTRIES_MAX = 100 * 1000 * 1000 };

struct tp_matrix {
	uint32_t n_rows, n_columns;
	uint32_t *starts; /* n_rows + 1: where the entries of a row begin, and where the last end */
	uint32_t *columns; /* 0-based, ascending in each row, none twice */
	double *values; /* finite */
};

void tp_matrix_release(struct tp_matrix *matrix);

static inline uint32_t tp_matrix_entries(const struct tp_matrix *matrix)
{
	return matrix->starts ? matrix->starts[matrix->n_rows] : 0;
}

/*
 * Room for `entries` in n_rows rows; starts are zeros. TP_NOMEM with a diagnosis; `where` is what
 * the diagnosis calls the matrix.
 */
enum tp_status tp_matrix_make(struct tp_matrix *matrix, uint32_t n_rows, uint32_t n_columns,
			      size_t entries, const char *where, struct tp_diag *diag);

/* Entries in any order. Zero-initialise. */
struct tp_entry {
	uint32_t row, column;
	double value;
};

struct tp_entries {
	struct tp_entry *items;
	size_t n, cap;
};

/*
 * The matrix of these entries; entries of one place add up, and *summed counts them. The entries
 * are released. TP_NOMEM; TP_USAGE if a sum is not finite.
 */
enum tp_status tp_matrix_of_entries(struct tp_matrix *matrix, uint32_t n_rows, uint32_t n_columns,
				    struct tp_entries *entries, size_t *summed, const char *where,
				    struct tp_diag *diag);
void tp_entries_release(struct tp_entries *entries);

/*
 * y = A x in long double, rounded once: the reference for all other ways to multiply. `magnitude`
 * (may be NULL) gets the sum of |a x| of each row, for the limit of rounding.
 */
void tp_matrix_multiply(const struct tp_matrix *matrix, const double *x, double *y,
			double *magnitude);

/*
 * The first row of `y` that differs from `expected` by more than any order of additions explains:
 * (entries + 2) x 2^-53 x magnitude. False if none.
 */
bool tp_matrix_differs(const struct tp_matrix *matrix, const double *y, const double *expected,
		       const double *magnitude, uint32_t *row);

/*
 * The same with a message: TP_FAILED with the first wrong row (from 1), its value and the expected
 * one. `where` names the source of the result.
 */
enum tp_status tp_matrix_check(const struct tp_matrix *matrix, const double *y,
			       const double *expected, const double *magnitude, const char *where,
			       struct tp_diag *diag);

/*
 * Reverse Cuthill-McKee: an order of the rows and columns of a square matrix that brings its
 * non-zeros near the diagonal (Cuthill and McKee 1969; George 1971 for the reversal). Each part of
 * the graph begins at a node that is far from another one (George and Liu 1979). A matrix that is
 * not symmetric is ordered by the structure of A + A^T.
 */

/*
 * order[new] = old, n_rows entries, heap, the caller frees. TP_USAGE if the matrix is not square,
 * TP_CANCELLED when the process is asked to end.
 */
enum tp_status tp_matrix_rcm(const struct tp_matrix *matrix, uint32_t **order,
			     struct tp_diag *diag);

/* P A P^T: row and column order[i] become row and column i. TP_NOMEM. */
enum tp_status tp_matrix_permute(const struct tp_matrix *matrix, const uint32_t *order,
				 struct tp_matrix *permuted, struct tp_diag *diag);

#endif
