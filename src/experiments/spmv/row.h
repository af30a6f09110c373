/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that multiply a sparse matrix, and a run's results for each of its matrices. */
#ifndef TPROF_EXPERIMENTS_SPMV_ROW_H
#define TPROF_EXPERIMENTS_SPMV_ROW_H

#include "record/point.h"
#include "record/run.h"
#include "preset/options.h"

enum { TP_SPMV_MATRIX_BYTES = 208 };

/* The structure of a matrix as it was multiplied: matrix/facts.h explains each value. */
struct tp_spmv_facts {
	unsigned n_rows, n_columns, nonzeros;
	unsigned row_min, row_max, empty_rows, bandwidth, diagonals;
	double row_mean, row_spread, ell_fill, dia_fill, block_fill, scatter;
	char block[8]; /* "4x4": the best blocks */
	bool symmetric;
	char advice[8], why[176]; /* the format that the structure suits, and the reason */
};

/* A roof that is measured with them has no format. */
struct tp_spmv_row {
	struct tp_kernel_row kernel;
	char matrix[TP_SPMV_MATRIX_BYTES], reorder[8], format[8];
	uint64_t format_bytes; /* of what a multiplication reads of the matrix, with padding */
	double padding; /* stored values for each non-zero */
	unsigned nonzeros;
};

/* One of zeros if the point is of another kind. Never NULL. */
const struct tp_spmv_row *tp_spmv_row(const struct tp_point *point);
/* True if the point is finished and multiplied a matrix. */
bool tp_spmv_is_done(const struct tp_point *point);
/* Seconds of a multiplication, by the median; 0 = unknown. */
double tp_spmv_seconds(const struct tp_point *point);

/*
 * A matrix: its structure, reported when one of its points is prepared, and the verdict on the
 * advice, which `reduce` finds.
 */
struct tp_matrix_row {
	unsigned run, point; /* the last point that reported it */
	unsigned threads;
	char matrix[TP_SPMV_MATRIX_BYTES], reorder[8];
	struct tp_spmv_facts facts;
	char fastest[8]; /* of the formats that were measured */
	double fastest_gflops, advised_gflops; /* 0 = the advised format was not measured */
	bool agrees; /* the advised one is as fast, within TP_SPMV_EQUAL */
};

/* True if the point is finished and multiplied that matrix in that order, with as many threads. */
bool tp_spmv_belongs(const struct tp_point *point, const struct tp_matrix_row *matrix);

/* Formats this near the fastest one are no worse: another run may find the other order. */
#define TP_SPMV_EQUAL 0.05

extern const struct tp_part tp_matrix_part;
extern const struct tp_row_event tp_matrix_event;
#define tp_run_matrices(run)   TP_ROWS(run, tp_matrix_part, tp_matrix_row)
#define tp_run_n_matrices(run) TP_N(run, tp_matrix_part)

#define TP_SPMV_OPTIONS(X)                                                                         \
	X(MATRIX, "matrix", TEXT, false, 0, 200, "laplace2d:1000", "",                             \
	  "The sparse matrix: a Matrix Market file, or one that is generated: laplace2d:N, "       \
	  "laplace3d:N, banded:N,W, blocks:N,B, random:N,NNZ or powerlaw:N,NNZ.",                  \
	  .offers = "laplace2d:1000 laplace3d:100 banded:100000,8 blocks:100000,4 "                \
		    "random:1000000,16000000 powerlaw:100000,1600000",                             \
	  .meanings = "laplace2d:1000\t5-point stencil on 1000 x 1000 points\n"                    \
		      "laplace3d:100\t7-point stencil on 100 x 100 x 100 points\n"                 \
		      "banded:100000,8\t8 full diagonals on either side of the main one\n"         \
		      "blocks:100000,4\tdense blocks of 4 x 4, 4 in each row of blocks\n"          \
		      "random:1000000,16000000\t16 million random places\n"                        \
		      "powerlaw:100000,1600000\trows of very different lengths\n",                 \
	  TP_FORM(WHAT, 500))                                                                      \
	X(FORMAT, "format", WORD, true, 0, 0, "coo,csr,bcsr,dia,ell", "coo csr bcsr dia ell",      \
	  "Formats that the matrix is stored and multiplied in.",                                  \
	  .meanings = "coo\trow, column and value of each non-zero\n"                              \
		      "csr\tcompressed rows\n"                                                     \
		      "bcsr\tcompressed rows of dense blocks; the best block size is chosen\n"     \
		      "dia\tdiagonals\n"                                                           \
		      "ell\trows filled up to one length\n",                                       \
	  TP_FORM(WHAT, 510))                                                                      \
	X(REORDER, "reorder", WORD, true, 0, 0, "none", "none rcm",                                \
	  "Orders of rows and columns; with both, their speeds are compared.",                     \
	  .meanings = "none\tas the matrix comes\n"                                                \
		      "rcm\treverse Cuthill-McKee: non-zeros near the diagonal\n",                 \
	  TP_FORM(WHAT, 520))                                                                      \
	X(PADDING, "padding", REAL, false, 1, 1000, "8", "",                                       \
	  "The most values that a format may store for each non-zero; a format that fills up "     \
	  "with more zeros is left out.",                                                          \
	  .offers = "2 4 8 16 64", TP_FORM_MORE(WHAT, 530))                                        \
	X(ROOFS, "roofs", BOOL, false, 0, 0, "true", "",                                           \
	  "Measure the roofs as well, so that the formats are dots below them.",                   \
	  TP_FORM_MORE(WHAT, 540))

TP_SPMV_OPTIONS(TP_OPTION_DECLARE)

#endif
