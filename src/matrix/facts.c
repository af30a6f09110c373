/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Elements of x in a cache line. */
enum { LINE = 8 };

/* Entries that reuse is looked for in: what the first cache holds of x for sure. */
enum { REUSE = 4096 };

/* A bit for each diagonal. */
static void look_at_diagonals(const struct tp_matrix *m, struct tp_matrix_facts *f)
{
	TP_FREE bool *has = tp_alloc((size_t)m->n_rows + m->n_columns, sizeof(*has));
	for (uint32_t i = 0; i < m->n_rows; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
			has[(size_t)m->columns[k] + m->n_rows - 1 - i] = true;
	for (size_t d = 0; d < (size_t)m->n_rows + m->n_columns; d++)
		f->n_diagonals += has[d];
}

/* seen[l]: 1 + the number of the last entry in cache line l of x; 0 = none yet. */
static void look_at_reuse(const struct tp_matrix *m, struct tp_matrix_facts *f)
{
	TP_FREE uint32_t *seen = tp_alloc((size_t)m->n_columns / LINE + 1, sizeof(*seen));
	uint32_t far = 0;
	for (uint32_t k = 0; k < f->n_entries; k++) {
		uint32_t line = m->columns[k] / LINE, at = seen[line];
		/* The line before counts, too: the next one is fetched with it. */
		uint32_t before = line ? seen[line - 1] : 1;
		far += !(at && k + 1 - at < REUSE) && !(before && k + 1 - before < REUSE);
		seen[line] = k + 1;
	}
	f->scatter = f->n_entries ? (double)far / f->n_entries : 0;
}

/*
 * One walk through rows and columns together: next[j] is the first entry of row j that is not yet
 * paired. Entry (i, j) below the diagonal pairs with (j, i), and rows come in ascending order.
 */
static void look_at_symmetry(const struct tp_matrix *m, struct tp_matrix_facts *f)
{
	if (m->n_rows != m->n_columns)
		return;
	TP_FREE uint32_t *next = tp_alloc(m->n_rows, sizeof(*next));
	memcpy(next, m->starts, (size_t)m->n_rows * sizeof(*next));
	f->symmetric = true;
	for (uint32_t i = 0; i < m->n_rows && f->symmetric; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1] && f->symmetric; k++) {
			uint32_t j = m->columns[k];
			f->symmetric = next[j] < m->starts[j + 1] && m->columns[next[j]] == i;
			next[j]++;
		}
}

/* Of every step-th group of 24 rows, which no shape cuts: how many blocks hold *entries. */
static uint64_t count_blocks(const struct tp_matrix *m, struct tp_block_shape shape, uint32_t step,
			     uint64_t *entries)
{
	enum { GROUP = 24 };
	TP_FREE uint32_t *seen = tp_alloc((size_t)m->n_columns + 1, sizeof(*seen));
	uint64_t blocks = 0;
	*entries = 0;
	for (uint64_t group = 0; group < m->n_rows; group += (uint64_t)GROUP * step)
		for (uint32_t i = (uint32_t)group; i < m->n_rows && i < group + GROUP; i++)
			for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
				uint32_t *block = &seen[m->columns[k] / shape.columns];
				blocks += *block != i / shape.rows + 1;
				*block = i / shape.rows + 1;
				++*entries;
			}
	return blocks;
}

uint64_t tp_matrix_blocks(const struct tp_matrix *m, struct tp_block_shape shape)
{
	uint64_t entries;
	return count_blocks(m, shape, 1, &entries);
}

/*
 * Every shape is tried on a sample of the rows, evenly spread (the sampling of OSKI: Vuduc, Demmel
 * and Yelick 2005). The winner is counted as a whole.
 */
static void look_at_blocks(const struct tp_matrix *m, struct tp_matrix_facts *f)
{
	enum { SAMPLE = 1 << 20 };
	uint32_t step = 1 + f->n_entries / SAMPLE;
	double least = INFINITY;
	for (size_t s = 0; s < tp_block_shape_count; s++) {
		struct tp_block_shape shape = tp_block_shapes[s];
		uint64_t entries, blocks = count_blocks(m, shape, step, &entries);
		unsigned size = shape.rows * shape.columns;
		double bytes = entries ? (double)blocks * (8 * size + 4) / (double)entries : size;
		if (bytes < least) {
			least = bytes;
			f->block = shape;
		}
	}
	uint64_t n = tp_matrix_blocks(m, f->block);
	f->block_fill =
		n ? (double)f->n_entries / ((double)n * f->block.rows * f->block.columns) : 1;
}

void tp_matrix_look(const struct tp_matrix *m, struct tp_matrix_facts *f)
{
	*f = (struct tp_matrix_facts){ .n_rows = m->n_rows,
				       .n_columns = m->n_columns,
				       .n_entries = tp_matrix_entries(m) };
	f->row_mean = (double)f->n_entries / m->n_rows;
	double squares = 0;
	f->row_min = UINT32_MAX;
	for (uint32_t i = 0; i < m->n_rows; i++) {
		uint32_t from = m->starts[i], to = m->starts[i + 1], n = to - from;
		f->row_min = n < f->row_min ? n : f->row_min;
		f->row_max = n > f->row_max ? n : f->row_max;
		f->empty_rows += !n;
		squares += ((double)n - f->row_mean) * ((double)n - f->row_mean);
		if (!n)
			continue;
		uint32_t left = m->columns[from] < i ? i - m->columns[from] : 0;
		uint32_t right = m->columns[to - 1] > i ? m->columns[to - 1] - i : 0;
		f->bandwidth = left > f->bandwidth ? left : f->bandwidth;
		f->bandwidth = right > f->bandwidth ? right : f->bandwidth;
	}
	if (f->row_mean > 0)
		f->row_spread = sqrt(squares / m->n_rows) / f->row_mean;
	look_at_diagonals(m, f);
	look_at_reuse(m, f);
	look_at_symmetry(m, f);
	look_at_blocks(m, f);
	double ell = (double)m->n_rows * f->row_max, dia = (double)m->n_rows * f->n_diagonals;
	f->ell_fill = ell > 0 ? f->n_entries / ell : 1;
	f->dia_fill = dia > 0 ? f->n_entries / dia : 1;
}

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

/* A diagonal, or a place of all rows, starts again in each strip of 256 rows. */
#define STRIP	   15.0
#define STRIP_ROWS 256

/* What a multiplication takes in any case: the loops of some formats begin more than once. */
#define BEGIN_ROWS   5.0
#define BEGIN_COO    30.0
#define BEGIN_STRIPS 60.0

/* With this many rows a core no longer predicts where each of them ends. */
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
			 "blocks (%.0f%%) nor full diagonals (%.0f%%): compressed rows store only "
			 "the non-zeros",
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
