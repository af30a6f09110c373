/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads matrices in the Matrix Market exchange format (Boisvert, Pozo and Remington, NISTIR 5935,
 * 1996): coordinates of real, integer or pattern matrices, which are general, symmetric or
 * skew-symmetric. The values of a pattern are 1. A symmetric file holds one triangle, and the
 * matrix gets both. Entries of one place add up.
 */
#ifndef TPROF_MATRIX_MARKET_H
#define TPROF_MATRIX_MARKET_H

#include "matrix/matrix.h"

/* What the first lines of a file say. */
struct tp_market {
	uint32_t n_rows, n_columns;
	size_t n_entries; /* lines of entries */
	bool pattern, integer, symmetric, skew;
	size_t summed; /* entries that were added to others of their place; after reading all */
};

enum { TP_MARKET_LINE_MAX = 1024 };

/*
 * Reads a file that tp_file_open takes. All errors are TP_USAGE with `path:line`, but those of
 * opening and reading it.
 */
enum tp_status tp_market_read(const char *path, struct tp_market *market, struct tp_matrix *matrix,
			      struct tp_diag *diag);
/* Only the first lines, up to the one of the size. */
enum tp_status tp_market_head(const char *path, struct tp_market *market, struct tp_diag *diag);
/*
 * The same as tp_market_read of a text in memory; `name` stands for the path in diagnoses. Without
 * a matrix (NULL) as tp_market_head.
 */
enum tp_status tp_market_parse(const char *name, const char *text, size_t len,
			       struct tp_market *market, struct tp_matrix *matrix,
			       struct tp_diag *diag);

#endif
