/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_SPMV_OPTIONS_H
#define TPROF_EXPERIMENTS_SPMV_OPTIONS_H

#include "preset/options.h"

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
