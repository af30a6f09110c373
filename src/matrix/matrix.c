/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tp_matrix_release(struct tp_matrix *matrix)
{
	free(matrix->starts);
	free(matrix->columns);
	free(matrix->values);
	*matrix = (struct tp_matrix){ 0 };
}

void tp_entries_release(struct tp_entries *entries)
{
	free(entries->items);
	*entries = (struct tp_entries){ 0 };
}

enum tp_status tp_matrix_make(struct tp_matrix *m, uint32_t n_rows, uint32_t n_columns,
			      size_t entries, const char *where, struct tp_diag *diag)
{
	*m = (struct tp_matrix){
		.n_rows = n_rows,
		.n_columns = n_columns,
		.starts = calloc((size_t)n_rows + 1, sizeof(*m->starts)),
		.columns = malloc((entries + 1) * sizeof(*m->columns)),
		.values = malloc((entries + 1) * sizeof(*m->values)),
	};
	if (m->starts && m->columns && m->values)
		return TP_OK;
	tp_matrix_release(m);
	return tp_fail(diag, TP_NOMEM, where, "choose a smaller matrix",
		       "there is no memory for %u rows with %zu non-zeros", n_rows, entries);
}

/* Entries of a row that came in any order, by insertion where they are few. */
static int by_column(const void *a, const void *b)
{
	const struct tp_entry *x = a, *y = b;
	return (x->column > y->column) - (x->column < y->column);
}

static void sort_row(struct tp_entry *items, size_t n)
{
	enum { FEW = 24 };
	if (n > FEW) {
		qsort(items, n, sizeof(*items), by_column);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct tp_entry moved = items[i];
		size_t k = i;
		for (; k && items[k - 1].column > moved.column; k--)
			items[k] = items[k - 1];
		items[k] = moved;
	}
}

/*
 * Brings the entries into the order of their rows: each one goes to its place, and what lies there
 * goes on (an American flag sort), so that no second copy is needed. `starts` holds the first entry
 * of each row, `next` is room for as many.
 */
static void sort_by_row(struct tp_entry *items, const uint32_t *starts, uint32_t *next,
			uint32_t n_rows)
{
	memcpy(next, starts, n_rows * sizeof(*next));
	for (uint32_t r = 0; r < n_rows; r++)
		while (next[r] < starts[r + 1]) {
			struct tp_entry *at = &items[next[r]];
			if (at->row == r) {
				next[r]++;
				continue;
			}
			struct tp_entry moved = *at;
			struct tp_entry *to = &items[next[moved.row]++];
			*at = *to;
			*to = moved;
		}
}

static bool is_sorted(const struct tp_entries *e)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->items[i].row < e->items[i - 1].row)
			return false;
	return true;
}

/* Takes the sorted entries over, row by row; those of one place add up. */
static enum tp_status take_rows(struct tp_matrix *m, struct tp_entry *items, size_t *summed,
				const char *where, struct tp_diag *diag)
{
	uint32_t out = 0, from = 0;
	for (uint32_t r = 0; r < m->n_rows; r++) {
		uint32_t to = m->starts[r + 1], first = out;
		if (to > from)
			sort_row(items + from, to - from);
		for (uint32_t i = from; i < to; i++) {
			if (out > first && m->columns[out - 1] == items[i].column) {
				m->values[out - 1] += items[i].value;
				(*summed)++;
				if (!isfinite(m->values[out - 1]))
					return tp_fail(diag, TP_USAGE, where,
						       "entries of one place are added up",
						       "the entries of row %u, column %u add up to "
						       "more than a double holds",
						       r + 1, items[i].column + 1);
				continue;
			}
			m->columns[out] = items[i].column;
			m->values[out++] = items[i].value;
		}
		from = to;
		m->starts[r + 1] = out;
	}
	return TP_OK;
}

enum tp_status tp_matrix_of_entries(struct tp_matrix *m, uint32_t n_rows, uint32_t n_columns,
				    struct tp_entries *entries, size_t *summed, const char *where,
				    struct tp_diag *diag)
{
	*summed = 0;
	enum tp_status status = tp_matrix_make(m, n_rows, n_columns, entries->n, where, diag);
	uint32_t *next = NULL;
	for (size_t i = 0; status == TP_OK && i < entries->n; i++)
		m->starts[entries->items[i].row + 1]++;
	for (uint32_t r = 0; status == TP_OK && r < n_rows; r++)
		m->starts[r + 1] += m->starts[r];
	if (status == TP_OK && !is_sorted(entries)) {
		next = malloc(((size_t)n_rows + 1) * sizeof(*next));
		if (next)
			sort_by_row(entries->items, m->starts, next, n_rows);
		else
			status = tp_fail(diag, TP_NOMEM, where, NULL, "out of memory");
	}
	if (status == TP_OK)
		status = take_rows(m, entries->items, summed, where, diag);
	free(next);
	tp_entries_release(entries);
	if (status != TP_OK)
		tp_matrix_release(m);
	return status;
}

void tp_matrix_multiply(const struct tp_matrix *m, const double *x, double *y, double *magnitude)
{
	for (uint32_t r = 0; r < m->n_rows; r++) {
		long double sum = 0, size = 0;
		for (uint32_t k = m->starts[r]; k < m->starts[r + 1]; k++) {
			long double product = (long double)m->values[k] * x[m->columns[k]];
			sum += product;
			size += fabsl(product);
		}
		y[r] = (double)sum;
		if (magnitude)
			magnitude[r] = (double)size;
	}
}

/*
 * Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1: a sum of n products in any
 * order errs by at most n u / (1 - n u) of the sum of their magnitudes. Padding adds zeros, which
 * are exact.
 */
bool tp_matrix_differs(const struct tp_matrix *m, const double *y, const double *expected,
		       const double *magnitude, uint32_t *row)
{
	for (uint32_t r = 0; r < m->n_rows; r++) {
		double n = (double)(m->starts[r + 1] - m->starts[r]) + 2;
		/* Not written as ">": a NaN is wrong, too. */
		if (fabs(y[r] - expected[r]) <= n * (DBL_EPSILON / 2) * magnitude[r] + DBL_MIN)
			continue;
		*row = r;
		return true;
	}
	return false;
}

enum tp_status tp_matrix_check(const struct tp_matrix *m, const double *y, const double *expected,
			       const double *magnitude, const char *where, struct tp_diag *diag)
{
	uint32_t row;
	if (!tp_matrix_differs(m, y, expected, magnitude, &row))
		return TP_OK;
	return tp_fail(diag, TP_FAILED, where, NULL,
		       "wrong result: row %u is %.17g, expected %.17g", row + 1, y[row],
		       expected[row]);
}
