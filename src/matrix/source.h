/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a matrix comes from: a Matrix Market file, or a text that describes how to generate it.
 *
 *     laplace2d:N        5-point stencil on N x N points       N^2 rows
 *     laplace3d:N        7-point stencil on N x N x N points   N^3 rows
 *     banded:N,W         all of W diagonals on either side of the main one, and that
 *     blocks:N,B[,K]     dense blocks of B x B at multiples of B: the one on the diagonal, and
 * others at random, K in each row of blocks (4) random:N,NNZ       NNZ places in N rows and
 * columns, all equally likely powerlaw:N,NNZ     the same, but the k-th longest row is k^0.9 times
 * shorter than the longest
 *
 * Stencils have their known values, all others random ones between -1 and 1 that are not 0. A seed
 * gives the same matrix on every machine.
 */
#ifndef TPROF_MATRIX_SOURCE_H
#define TPROF_MATRIX_SOURCE_H

#include "matrix/matrix.h"

#define TP_MATRIX_SOURCE_HINT                                                                      \
	"a Matrix Market file, laplace2d:N, laplace3d:N, banded:N,W, blocks:N,B, random:N,NNZ or " \
	"powerlaw:N,NNZ"

enum tp_matrix_kind {
	TP_MATRIX_FILE,
	TP_MATRIX_LAPLACE2D,
	TP_MATRIX_LAPLACE3D,
	TP_MATRIX_BANDED,
	TP_MATRIX_BLOCKS,
	TP_MATRIX_RANDOM,
	TP_MATRIX_POWERLAW,
	TP_MATRIX_KINDS
};

/* A source in words, understood. */
struct tp_matrix_source {
	enum tp_matrix_kind kind;
	const char *text; /* as given; borrowed */
	uint64_t number[3];
	uint32_t n_rows, n_columns;
	/* non-zeros: of a generated matrix up to a percent, of a file what it announces */
	uint64_t entries;
};

/*
 * Parses a text. Without a known word before a colon it is a file, whose first lines are read.
 * TP_USAGE, or errors of opening it.
 */
enum tp_status tp_matrix_source_parse(struct tp_matrix_source *source, const char *text,
				      struct tp_diag *diag);

/*
 * Generates or reads the matrix. *summed is the number of entries of a file that came twice.
 * Generating gives up with TP_CANCELLED when the process is asked to end (base/process.h).
 */
enum tp_status tp_matrix_load(const struct tp_matrix_source *source, uint64_t seed,
			      struct tp_matrix *matrix, size_t *summed, struct tp_diag *diag);

#endif
