/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/advice.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

/*
 * Cycles of a wide core of today, for data that its caches hold. They are round on purpose: formats
 * differ by factors where the choice matters.
 */
#define CSR_ENTRY    0.9 /* load of x by an index, and one fused multiply-add */
#define CSR_ROW	     5.0 /* loop over a row, and adding up its sums */
#define MISTAKEN_ROW 12.0 /* the end of a row that comes at another place than before */
#define COO_ENTRY    3.2 /* y of the same row is read after it was written */
#define ELL_VALUE    0.85 /* as an entry, without rows */
#define DIA_VALUE    0.35 /* vectors without any index */
#define BLOCK	     1.2 /* its index, and the loads of x */
#define BLOCK_VALUE  0.25
#define BLOCK_ROW    8.0
/* A diagonal, or a place of all rows, begins anew in each strip of 256 rows. */
#define STRIP	   15.0
#define STRIP_ROWS 256
/* What a multiplication takes in any case: the loops of some formats begin more than once. */
#define BEGIN_ROWS   5.0
#define BEGIN_COO    30.0
#define BEGIN_STRIPS 60.0
/* With so many rows a core no longer knows by heart where each of them ends. */
#define KNOWN_ROWS 2000.0
/*
 * Bytes that a core gets in a cycle from beyond its caches, how much longer many short runs of many
 * arrays take than long ones, and what a lost cache line of x costs.
 */
#define FAR_BYTES 4.0
#define FAR_RUNS  1.25
#define FAR_LINE  12.0

static double cycles_of(const struct tp_matrix_facts *f, enum tp_sparse_format format)
{
	const double rows = f->n_rows, entries = f->n_entries;
	const double stored = (double)tp_sparse_size(f, format).stored;
	const double row_end =
		MISTAKEN_ROW * fmin(1, 2 * f->row_spread) * fmin(1, rows / KNOWN_ROWS);
	const double strips = ceil(rows / STRIP_ROWS);
	switch (format) {
	case TP_SPARSE_COO:
		return BEGIN_COO + COO_ENTRY * entries + rows;
	case TP_SPARSE_BCSR:
		return BEGIN_ROWS +
		       (BLOCK + BLOCK_VALUE * f->block.rows * f->block.columns) * stored /
			       (f->block.rows * f->block.columns) +
		       (BLOCK_ROW + row_end) * ceil(rows / f->block.rows);
	case TP_SPARSE_DIA:
		return BEGIN_STRIPS + DIA_VALUE * stored + STRIP * strips * f->n_diagonals;
	case TP_SPARSE_ELL:
		return BEGIN_STRIPS + ELL_VALUE * stored + STRIP * strips * f->row_max;
	default:
		return BEGIN_ROWS + CSR_ENTRY * entries + (CSR_ROW + row_end) * rows;
	}
}

static void explain(const struct tp_matrix_facts *f, struct tp_matrix_advice *a)
{
	char *out = a->why;
	const size_t size = sizeof(a->why);
	switch (a->format) {
	case TP_SPARSE_DIA:
		snprintf(out, size,
			 "the non-zeros lie on %u diagonals, which are %.0f%% full: no index is "
			 "needed, and values and x are read in vectors",
			 f->n_diagonals, 100 * f->dia_fill);
		break;
	case TP_SPARSE_BCSR:
		snprintf(
			out, size,
			"the non-zeros come in blocks of %u x %u, which are %.0f%% full: one index "
			"serves a whole block, and x is read in runs",
			f->block.rows, f->block.columns, 100 * f->block_fill);
		break;
	case TP_SPARSE_ELL:
		snprintf(
			out, size,
			"rows are of nearly one length (%.1f on average, %u at most): padding adds "
			"%.0f%%, and no loop ends with each short row",
			f->row_mean, f->row_max, 100 * (1 / f->ell_fill - 1));
		break;
	case TP_SPARSE_COO:
		snprintf(
			out, size,
			"%.0f%% of the rows are empty and the others are short: a loop over single "
			"entries loses no time with rows",
			100.0 * f->empty_rows / f->n_rows);
		break;
	default:
		snprintf(out, size,
			 "rows differ in length (%u to %u) and the non-zeros form neither full "
			 "blocks (%.0f%%) nor full diagonals (%.0f%%): compressed rows store "
			 "nothing else",
			 f->row_min, f->row_max, 100 * f->block_fill, 100 * f->dia_fill);
		if (f->row_spread < 0.05)
			snprintf(out, size,
				 "rows are long enough (%.1f on average) for their loops, and the "
				 "non-zeros form neither full blocks (%.0f%%) nor full diagonals "
				 "(%.0f%%)",
				 f->row_mean, 100 * f->block_fill, 100 * f->dia_fill);
	}
}

void tp_matrix_advise(const struct tp_matrix_facts *f, double padding, uint64_t cache_bytes,
		      unsigned cores, struct tp_matrix_advice *a)
{
	/* x and y, which all formats read and write. */
	const double vectors = 8.0 * f->n_rows + 8.0 * f->n_columns;
	double least = INFINITY;
	*a = (struct tp_matrix_advice){ .format = TP_SPARSE_CSR };
	for (unsigned i = 0; i < TP_SPARSE_FORMATS; i++) {
		struct tp_sparse_size size = tp_sparse_size(f, (enum tp_sparse_format)i);
		if (tp_sparse_refused(f, size, padding))
			continue;
		double cycles = cycles_of(f, (enum tp_sparse_format)i) / cores;
		double bytes = (double)size.bytes + vectors;
		/* x is lost to the stream of the matrix only where it does not fit itself. */
		double lost = 8.0 * f->n_columns > (double)cache_bytes / 2 && i != TP_SPARSE_DIA
				      ? FAR_LINE * f->scatter * f->n_entries / cores
				      : 0;
		if (bytes > (double)cache_bytes)
			cycles = fmax(cycles, (i == TP_SPARSE_ELL ? FAR_RUNS : 1) * bytes /
						      (FAR_BYTES * cores));
		a->cycles[i] = cycles + lost;
		if (a->cycles[i] < least) {
			least = a->cycles[i];
			a->format = (enum tp_sparse_format)i;
		}
	}
	explain(f, a);
}
