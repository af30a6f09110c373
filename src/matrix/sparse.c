/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/sparse.h"
#include "base/memory.h"
#include "base/text.h"
#include "matrix/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This many values are always allowed, so that tiny matrices are measured in all formats. */
enum { SMALL = 4096 };
/* Elements of a cache line, and what arrays one after the other shall not be a multiple of. */
enum { LINE = 8, PAGE = 512 };

static const char *const names[] = {
#define NAME(id, name) name,
	TP_FORMAT_LIST(NAME)
};
const struct tp_block_shape tp_block_shapes[] = {
	{ 2, 1 }, { 4, 1 }, { 8, 1 }, { 2, 2 }, { 3, 3 },
	{ 4, 2 }, { 4, 4 }, { 6, 6 }, { 8, 4 }, { 8, 8 },
};
const size_t tp_block_shape_count = TP_COUNT_OF(tp_block_shapes);

const char *tp_format_name(enum tp_sparse_format format)
{
	return names[format];
}

enum tp_sparse_format tp_format_find(const char *name)
{
	unsigned i = 0;
	while (i < TP_SPARSE_FORMATS && strcmp(names[i], name) != 0)
		i++;
	return (enum tp_sparse_format)i;
}

struct tp_sparse_size tp_sparse_size(const struct tp_matrix_facts *f, enum tp_sparse_format format)
{
	const uint64_t entries = f->n_entries, rows = f->n_rows;
	uint64_t size = (uint64_t)f->block.rows * f->block.columns, blocks, stored;
	switch (format) {
	case TP_SPARSE_COO:
		return (struct tp_sparse_size){ entries, 16 * entries };
	case TP_SPARSE_BCSR:
		blocks = (uint64_t)((double)entries / (f->block_fill * (double)size) + 0.5);
		return (struct tp_sparse_size){
			blocks * size, blocks * (8 * size + 4) +
					       4 * ((rows + f->block.rows - 1) / f->block.rows + 1)
		};
	case TP_SPARSE_DIA:
		stored = f->n_diagonals * rows;
		return (struct tp_sparse_size){ stored, 8 * (stored + f->n_diagonals) };
	case TP_SPARSE_ELL:
		stored = f->row_max * rows;
		return (struct tp_sparse_size){ stored, 12 * stored };
	default:
		return (struct tp_sparse_size){ entries, 12 * entries + 4 * (rows + 1) };
	}
}

bool tp_sparse_refused(const struct tp_matrix_facts *f, struct tp_sparse_size size, double padding)
{
	return (double)size.stored > padding * f->n_entries && size.stored > SMALL;
}

static void fill_csr(const struct tp_matrix *m, struct tp_sparse *l)
{
	memcpy(l->starts, m->starts, ((size_t)m->n_rows + 1) * sizeof(*l->starts));
	memcpy(l->columns, m->columns, (size_t)l->n_entries * sizeof(*l->columns));
	memcpy(l->values, m->values, (size_t)l->n_entries * sizeof(*l->values));
	for (uint32_t i = 0; l->rows && i < m->n_rows; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
			l->rows[k] = i;
}

/* What is filled up repeats the column before it, so that no cache line of x is read for it. */
static void fill_ell(const struct tp_matrix *m, struct tp_sparse *l)
{
	for (uint32_t i = 0; i < m->n_rows; i++) {
		uint32_t from = m->starts[i], n = m->starts[i + 1] - from, column = 0;
		for (uint32_t k = 0; k < l->width; k++) {
			size_t at = k * l->stride + i;
			if (k < n)
				column = m->columns[from + k];
			l->columns[at] = column;
			l->values[at] = k < n ? m->values[from + k] : 0;
		}
	}
}

static void fill_dia(const struct tp_matrix *m, struct tp_sparse *l)
{
	size_t n = (size_t)m->n_rows + m->n_columns, width = 0;
	/* 1 + the place of each diagonal among the existing ones; columns - rows + n_rows - 1 */
	TP_FREE uint32_t *place = tp_alloc(n, sizeof(*place));
	for (uint32_t i = 0; i < m->n_rows; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
			place[(size_t)m->columns[k] + m->n_rows - 1 - i] = 1;
	for (size_t d = 0; d < n; d++)
		if (place[d]) {
			l->offsets[width++] = (int64_t)d - m->n_rows + 1;
			place[d] = (uint32_t)width;
		}
	memset(l->values, 0, l->width * l->stride * sizeof(*l->values));
	for (uint32_t i = 0; i < m->n_rows; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
			size_t d = place[(size_t)m->columns[k] + m->n_rows - 1 - i] - 1;
			l->values[d * l->stride + i] = m->values[k];
		}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/*
 * Row of blocks by row of blocks: first which columns have one, then the values. at[c] is the block
 * of the row for column c of blocks.
 */
static void fill_bcsr(const struct tp_matrix *m, struct tp_sparse *l)
{
	const uint32_t r = l->block.rows, c = l->block.columns, size = r * c;
	uint32_t n_columns = m->n_columns / c + 1, n = 0;
	TP_FREE uint32_t *seen = tp_alloc(n_columns, sizeof(*seen));
	TP_FREE uint32_t *at = tp_alloc(n_columns, sizeof(*at));
	memset(l->values, 0, l->stored * sizeof(*l->values));
	for (uint32_t b = 0; b * r < m->n_rows; b++) {
		uint32_t from = b * r, to = TP_MIN(from + r, m->n_rows), first = n;
		for (uint32_t k = m->starts[from]; k < m->starts[to]; k++) {
			uint32_t column = m->columns[k] / c;
			if (seen[column] != b + 1)
				l->columns[n++] = column;
			seen[column] = b + 1;
		}
		qsort(l->columns + first, n - first, sizeof(*l->columns), by_number);
		for (uint32_t q = first; q < n; q++)
			at[l->columns[q]] = q;
		for (uint32_t i = from; i < to; i++)
			for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
				uint32_t q = at[m->columns[k] / c];
				l->values[(size_t)q * size + m->columns[k] % c * r + (i - from)] =
					m->values[k];
			}
		l->starts[b + 1] = n;
	}
	l->starts[0] = 0;
}

static enum tp_status refuse(const struct tp_sparse *l, const struct tp_matrix_facts *f,
			     double padding, struct tp_diag *diag)
{
	char why[160] = "", bytes[24];
	if (!f->n_entries)
		snprintf(why, sizeof(why), "the matrix has no non-zeros");
	else if (l->format == TP_SPARSE_DIA)
		snprintf(why, sizeof(why), "the non-zeros lie on %u diagonals", f->n_diagonals);
	else if (l->format == TP_SPARSE_ELL)
		snprintf(why, sizeof(why),
			 "the longest row has %u non-zeros, a row has %.1f on average", f->row_max,
			 f->row_mean);
	else
		snprintf(why, sizeof(why), "only %.0f%% of the best blocks (%u x %u) are non-zeros",
			 100 * f->block_fill, l->block.rows, l->block.columns);
	return tp_fail(diag, TP_UNSUPPORTED, "format",
		       "raise the option padding to measure it anyway",
		       "%s is left out: %s, so %.3g values would be stored for each non-zero (%s); "
		       "the limit is %g",
		       names[l->format], why, (double)l->stored / (f->n_entries ? f->n_entries : 1),
		       tp_format_bytes(bytes, sizeof(bytes), l->bytes), padding);
}

/* For any other format: one row and one column. */
static struct tp_block_shape block_of(const struct tp_sparse *l)
{
	return l->format == TP_SPARSE_BCSR ? l->block : (struct tp_block_shape){ 1, 1 };
}

/*
 * Puts the arrays that the format has at `place`, each at a cache line; NULL only counts. Returns
 * the bytes that they take.
 */
static size_t put_arrays(struct tp_sparse *l, char *place)
{
	const bool dia = l->format == TP_SPARSE_DIA, ell = l->format == TP_SPARSE_ELL;
	const struct tp_block_shape block = block_of(l);
	/* One more, so that no array is empty. */
	const size_t values = (dia || ell ? l->width * l->stride : l->stored) + 1;
	const size_t columns = dia ? 0 : values / (block.rows * block.columns) + 1;
	const size_t starts =
		dia || ell ? 0 : ((size_t)l->n_rows + block.rows - 1) / block.rows + 1;
	const struct {
		void *array; /* the address of a pointer */
		size_t bytes;
	} parts[] = {
		{ &l->rows, l->format == TP_SPARSE_COO ? columns * sizeof(*l->rows) : 0 },
		{ &l->starts, starts * sizeof(*l->starts) },
		{ &l->columns, columns * sizeof(*l->columns) },
		{ &l->offsets, dia ? l->width * sizeof(*l->offsets) : 0 },
		{ &l->values, values * sizeof(*l->values) },
	};
	size_t at = 0;
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++) {
		*(void **)parts[i].array = place && parts[i].bytes ? place + at : NULL;
		at += (parts[i].bytes + 63) & ~(size_t)63;
	}
	return at;
}

enum tp_status tp_sparse_make(const struct tp_matrix *m, const struct tp_matrix_facts *f,
			      enum tp_sparse_format format, double padding, struct tp_sparse *l,
			      struct tp_diag *diag)
{
	struct tp_sparse_size size = tp_sparse_size(f, format);
	/* Places of neighbouring rows share no set of a cache. */
	size_t stride = ((size_t)m->n_rows + LINE - 1) / LINE * LINE;
	*l = (struct tp_sparse){ .format = format,
				 .n_rows = m->n_rows,
				 .n_columns = m->n_columns,
				 .n_entries = f->n_entries,
				 .block = f->block,
				 .width = format == TP_SPARSE_DIA ? f->n_diagonals : f->row_max,
				 .stride = stride % PAGE ? stride : stride + LINE,
				 .stored = size.stored,
				 .bytes = size.bytes };
	if (tp_sparse_refused(f, size, padding))
		return refuse(l, f, padding, diag);
	l->memory = aligned_alloc(64, tp_sparse_memory(l));
	if (!l->memory)
		return tp_fail(diag, TP_NOMEM, "format",
			       "choose a smaller matrix or leave the format out",
			       "there is no memory for the matrix as %s", names[format]);
	put_arrays(l, l->memory);
	if (format == TP_SPARSE_BCSR)
		fill_bcsr(m, l);
	else if (format == TP_SPARSE_DIA)
		fill_dia(m, l);
	else if (format == TP_SPARSE_ELL)
		fill_ell(m, l);
	else
		fill_csr(m, l);
	return TP_OK;
}

void tp_sparse_release(struct tp_sparse *l)
{
	free(l->memory);
	*l = (struct tp_sparse){ 0 };
}

/* --- copies --- */

size_t tp_sparse_memory(const struct tp_sparse *l)
{
	struct tp_sparse counted = *l;
	return put_arrays(&counted, NULL);
}

void tp_sparse_place(const struct tp_sparse *from, void *place, struct tp_sparse *copy)
{
	*copy = *from;
	copy->memory = NULL;
	put_arrays(copy, place);
}

void tp_sparse_copy_rows(const struct tp_sparse *from, struct tp_sparse *copy, uint32_t first,
			 uint32_t last)
{
	if (!from->starts) {
		const size_t n = last - first;
		for (size_t k = 0; k < from->width; k++) {
			const size_t at = k * from->stride + first;
			memcpy(copy->values + at, from->values + at, n * sizeof(*copy->values));
			if (from->format == TP_SPARSE_ELL)
				memcpy(copy->columns + at, from->columns + at,
				       n * sizeof(*copy->columns));
		}
		if (from->offsets && first == 0)
			memcpy(copy->offsets, from->offsets, from->width * sizeof(*copy->offsets));
		return;
	}
	const uint32_t block = block_of(from).rows;
	const size_t size = (size_t)block * block_of(from).columns;
	const uint32_t low = (first + block - 1) / block, high = (last + block - 1) / block;
	const size_t at = from->starts[low], n = from->starts[high] - at;
	memcpy(copy->starts + low, from->starts + low,
	       ((size_t)high - low + 1) * sizeof(*copy->starts));
	memcpy(copy->columns + at, from->columns + at, n * sizeof(*copy->columns));
	memcpy(copy->values + at * size, from->values + at * size,
	       n * size * sizeof(*copy->values));
	if (from->rows)
		memcpy(copy->rows + at, from->rows + at, n * sizeof(*copy->rows));
}

/* --- shares --- */

void tp_sparse_split(const struct tp_sparse *l, unsigned n_shares, uint32_t *border)
{
	const uint32_t block = block_of(l).rows;
	/* Shapes have 1, 2, 3, 4, 6 or 8 rows: 24 is a multiple of all, and 3 cache lines. */
	const uint32_t grain = l->n_rows / n_shares >= 256 ? 3 * LINE : block;
	const uint32_t n = (l->n_rows + block - 1) / block;
	border[0] = 0;
	for (unsigned s = 1; s < n_shares; s++) {
		uint64_t row;
		if (l->starts) {
			/* The first (block) row that begins after its share of the entries. */
			uint64_t due = (uint64_t)l->starts[n] * s / n_shares;
			uint32_t low = 0, high = n;
			while (low < high) {
				uint32_t middle = low + (high - low) / 2;
				if (l->starts[middle] < due)
					low = middle + 1;
				else
					high = middle;
			}
			row = (uint64_t)low * block;
		} else {
			row = (uint64_t)l->n_rows * s / n_shares;
		}
		row = (row + grain / 2) / grain * grain;
		border[s] = (uint32_t)TP_MIN(row, (uint64_t)l->n_rows);
		if (border[s] < border[s - 1])
			border[s] = border[s - 1];
	}
	border[n_shares] = l->n_rows;
}
