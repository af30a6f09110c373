/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads matrices in the Matrix Market exchange format (Boisvert, Pozo and Remington, NISTIR 5935,
 * 1996): coordinates of real, integer, unsigned-integer or pattern matrices, which are general,
 * symmetric or skew-symmetric. The values of a pattern are 1. A symmetric file holds one triangle,
 * and the matrix gets both. Entries of one place add up. An exponent may follow e, or Fortran's d.
 *
 * A file that gzip compressed is read through zlib, where tprof was built with it.
 */
#ifndef TPROF_MATRIX_MARKET_H
#define TPROF_MATRIX_MARKET_H

#include "matrix/matrix.h"

/* Facts from the first lines of a file. */
struct tp_market {
	uint32_t n_rows, n_columns;
	size_t n_entries; /* lines of entries */
	bool pattern, integer, is_unsigned, symmetric, skew;
	size_t summed; /* entries that were added to others of their place; after reading all */
};

enum { TP_MARKET_LINE_MAX = 1024 };

/* How far a file is read. */
enum tp_market_depth {
	TP_MARKET_HEAD, /* up to the line of the size */
	TP_MARKET_CHECK, /* every line is checked, nothing is kept */
	TP_MARKET_MATRIX,
};

/*
 * Reads a file that tp_file_open takes. `matrix` is made only at depth TP_MARKET_MATRIX, and may be
 * NULL at the others. All errors are TP_USAGE with `path:line`, except those of opening and reading
 * it.
 */
enum tp_status tp_market_read(const char *path, enum tp_market_depth depth,
			      struct tp_market *market, struct tp_matrix *matrix,
			      struct tp_diag *diag);

/* The same of a text in memory; `name` stands for the path in diagnoses. */
enum tp_status tp_market_parse(const char *name, const char *text, size_t len,
			       enum tp_market_depth depth, struct tp_market *market,
			       struct tp_matrix *matrix, struct tp_diag *diag);

#endif
