/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structure of a matrix in numbers, from which a format can be chosen. */
#ifndef TPROF_MATRIX_FACTS_H
#define TPROF_MATRIX_FACTS_H

#include "matrix/matrix.h"
#include "matrix/sparse.h"

struct tp_matrix_facts {
	uint32_t n_rows, n_columns, n_entries;
	uint32_t row_min, row_max, empty_rows;
	double row_mean;
	double row_spread; /* standard deviation of the row lengths over their mean */
	uint32_t bandwidth; /* the most columns between an entry and the diagonal */
	uint32_t n_diagonals; /* with at least one entry */
	bool symmetric; /* in structure: each entry has one across the diagonal */
	/*
	 * Share of the entries among the stored values, with zeros that fill up: of all rows as
	 * long as the longest, of all diagonals, and of the best blocks.
	 */
	double ell_fill, dia_fill, block_fill;
	struct tp_block_shape block; /* the best blocks: the ones with the fewest bytes */
	/*
	 * Share of entries that do not continue near the one before them in their row (within a
	 * cache line of x), nor near one of the row above: each needs its own cache line of x.
	 */
	double scatter;
};

void tp_matrix_look(const struct tp_matrix *matrix, struct tp_matrix_facts *facts);

/* The number of blocks of that shape that hold an entry. */
uint64_t tp_matrix_blocks(const struct tp_matrix *matrix, struct tp_block_shape shape);

/*
 * Which format suits a matrix, from its structure alone: before anything is measured. Every format
 * gets an estimate of its cycles from its loop's work for each value, entry and row, and from the
 * bytes that it moves; the lowest one is advised.
 */

struct tp_matrix_advice {
	enum tp_sparse_format format;
	char why[240]; /* a sentence without its full stop */
	double cycles[TP_SPARSE_FORMATS]; /* estimates for a multiplication; 0 = left out */
};

/* `cache_bytes`: what the caches of the cores that work hold, together; `cores`: how many. */
void tp_matrix_advise(const struct tp_matrix_facts *facts, double padding, uint64_t cache_bytes,
		      unsigned cores, struct tp_matrix_advice *advice);

#endif
