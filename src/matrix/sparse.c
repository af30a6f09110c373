/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/sparse.h"
#include "base/memory.h"
#include "base/text.h"
#include "matrix/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many values a format may have whatever the matrix, so that tiny ones are measured in all. */
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

static void *array(size_t n, size_t item_bytes)
{
	/* At a cache line, and a line longer. */
	size_t bytes = (n * item_bytes + 127) & ~(size_t)63;
	return aligned_alloc(64, bytes);
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

static bool fill_dia(const struct tp_matrix *m, struct tp_sparse *l)
{
	size_t n = (size_t)m->n_rows + m->n_columns, width = 0;
	/* 1 + the place of each diagonal among those that are there; columns - rows + n_rows - 1 */
	TP_FREE uint32_t *place = calloc(n, sizeof(*place));
	if (!place)
		return false;
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
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/*
 * Row of blocks by row of blocks: first which columns have one, then the values. at[c] says which
 * block of the row has column c of blocks.
 */
static bool fill_bcsr(const struct tp_matrix *m, struct tp_sparse *l)
{
	const uint32_t r = l->block.rows, c = l->block.columns, size = r * c;
	uint32_t n_columns = m->n_columns / c + 1, n = 0;
	TP_FREE uint32_t *seen = calloc(n_columns, sizeof(*seen));
	TP_FREE uint32_t *at = malloc(n_columns * sizeof(*at));
	if (!seen || !at)
		return false;
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
	return true;
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
		       "raise the option padding to measure it all the same",
		       "%s is left out: %s, so %.3g values would be stored for each non-zero (%s); "
		       "the limit is %g",
		       names[l->format], why, (double)l->stored / (f->n_entries ? f->n_entries : 1),
		       tp_format_bytes(bytes, sizeof(bytes), l->bytes), padding);
}

struct array_sizes {
	size_t rows, starts, columns, offsets, values; /* items */
};

static struct array_sizes sizes_of(const struct tp_sparse *l)
{
	const uint32_t block = l->format == TP_SPARSE_BCSR ? l->block.rows : 1;
	const size_t size = l->format == TP_SPARSE_BCSR ? block * l->block.columns : 1;
	struct array_sizes a = { .values = l->stored };
	if (l->format == TP_SPARSE_DIA || l->format == TP_SPARSE_ELL) {
		a.values = l->width * l->stride;
		a.columns = l->format == TP_SPARSE_ELL ? a.values : 0;
		a.offsets = l->format == TP_SPARSE_DIA ? l->width : 0;
		return a;
	}
	a.starts = ((size_t)l->n_rows + block - 1) / block + 1;
	a.columns = a.values / size;
	a.rows = l->format == TP_SPARSE_COO ? a.columns : 0;
	return a;
}

/* Those that the format has; false where there is no memory. */
static bool make_arrays(struct tp_sparse *l)
{
	const struct array_sizes a = sizes_of(l);
	const bool coo = l->format == TP_SPARSE_COO, dia = l->format == TP_SPARSE_DIA;
	l->rows = coo ? array(a.rows, sizeof(*l->rows)) : NULL;
	l->starts = a.starts ? array(a.starts, sizeof(*l->starts)) : NULL;
	l->columns = array(a.columns, sizeof(*l->columns));
	l->offsets = dia ? array(a.offsets, sizeof(*l->offsets)) : NULL;
	l->values = array(a.values, sizeof(*l->values));
	return (l->rows || !coo) && (l->starts || !a.starts) && l->columns &&
	       (l->offsets || !dia) && l->values;
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
	bool made = make_arrays(l);
	if (made && format == TP_SPARSE_BCSR)
		made = fill_bcsr(m, l);
	else if (made && format == TP_SPARSE_DIA)
		made = fill_dia(m, l);
	else if (made && format == TP_SPARSE_ELL)
		fill_ell(m, l);
	else if (made)
		fill_csr(m, l);
	if (made)
		return TP_OK;
	tp_sparse_release(l);
	return tp_fail(diag, TP_NOMEM, "format", "choose a smaller matrix or leave the format out",
		       "there is no memory for the matrix as %s", names[format]);
}

void tp_sparse_release(struct tp_sparse *l)
{
	free(l->rows);
	free(l->starts);
	free(l->columns);
	free(l->offsets);
	free(l->values);
	*l = (struct tp_sparse){ 0 };
}

/* --- copies --- */

/* Up to the next cache line. */
static size_t whole_lines(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

size_t tp_sparse_memory(const struct tp_sparse *l)
{
	struct array_sizes a = sizes_of(l);
	return whole_lines(a.rows * sizeof(*l->rows)) + whole_lines(a.starts * sizeof(*l->starts)) +
	       whole_lines(a.columns * sizeof(*l->columns)) +
	       whole_lines(a.offsets * sizeof(*l->offsets)) +
	       whole_lines(a.values * sizeof(*l->values));
}

static void *take(char **place, size_t bytes)
{
	void *taken = *place;
	*place += whole_lines(bytes);
	return taken;
}

void tp_sparse_place(const struct tp_sparse *from, void *place, struct tp_sparse *copy)
{
	struct array_sizes a = sizes_of(from);
	char *at = place;
	*copy = *from;
	copy->rows = take(&at, a.rows * sizeof(*copy->rows));
	copy->starts = take(&at, a.starts * sizeof(*copy->starts));
	copy->columns = take(&at, a.columns * sizeof(*copy->columns));
	copy->offsets = take(&at, a.offsets * sizeof(*copy->offsets));
	copy->values = take(&at, a.values * sizeof(*copy->values));
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
	const uint32_t block = from->format == TP_SPARSE_BCSR ? from->block.rows : 1;
	const size_t size = from->format == TP_SPARSE_BCSR ? block * from->block.columns : 1;
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
	const uint32_t block = l->format == TP_SPARSE_BCSR ? l->block.rows : 1;
	/* Shapes have 1, 2, 3, 4, 6 or 8 rows: 24 is a multiple of all, and 3 cache lines. */
	const uint32_t grain = l->n_rows / n_shares >= 256 ? 3 * LINE : block;
	const uint32_t n = (l->n_rows + block - 1) / block;
	border[0] = 0;
	for (unsigned s = 1; s < n_shares; s++) {
		uint64_t row;
		if (l->starts) {
			/* The first (block) row that begins behind its share of the entries. */
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
