/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reverse Cuthill-McKee: an order of the rows and columns of a square matrix that brings its
 * non-zeros near the diagonal (Cuthill and McKee 1969; George 1971 for the reversal). Each part of
 * the graph begins at a node that is far from another one (George and Liu 1979). A matrix that is
 * not symmetric is ordered by the structure of A + A^T.
 */
#ifndef TPROF_MATRIX_ORDER_H
#define TPROF_MATRIX_ORDER_H

#include "matrix/matrix.h"

/*
 * order[new] = old, n_rows entries, heap, the caller frees. TP_USAGE if the matrix is not square,
 * TP_NOMEM, TP_CANCELLED when the process is asked to end.
 */
enum tp_status tp_matrix_rcm(const struct tp_matrix *matrix, uint32_t **order,
			     struct tp_diag *diag);

/* P A P^T: row and column order[i] become row and column i. TP_NOMEM. */
enum tp_status tp_matrix_permute(const struct tp_matrix *matrix, const uint32_t *order,
				 struct tp_matrix *permuted, struct tp_diag *diag);

#endif
