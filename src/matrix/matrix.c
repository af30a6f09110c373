/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"

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

/* Sorts the entries of a row, by insertion if they are few. */
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

/* Takes the sorted entries, row by row; entries of one place add up. */
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
	for (size_t i = 0; status == TP_OK && i < entries->n; i++)
		m->starts[entries->items[i].row + 1]++;
	for (uint32_t r = 0; status == TP_OK && r < n_rows; r++)
		m->starts[r + 1] += m->starts[r];
	if (status == TP_OK && !is_sorted(entries)) {
		TP_FREE uint32_t *next = tp_alloc((size_t)n_rows + 1, sizeof(*next));
		sort_by_row(entries->items, m->starts, next, n_rows);
	}
	if (status == TP_OK)
		status = take_rows(m, entries->items, summed, where, diag);
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

/* Neighbours of nodes, without the node itself; one in both A and A^T is listed twice. */
struct graph {
	uint32_t n;
	size_t *starts;
	uint32_t *next;
	uint32_t *degree;
};

static void graph_release(struct graph *g)
{
	free(g->starts);
	free(g->next);
	free(g->degree);
}

/* A + A^T. */
static void make_graph(struct graph *g, const struct tp_matrix *m)
{
	uint32_t n = m->n_rows;
	*g = (struct graph){ .n = n,
			     .starts = tp_alloc((size_t)n + 2, sizeof(*g->starts)),
			     .next = tp_alloc(2 * (size_t)tp_matrix_entries(m) + 1,
					      sizeof(*g->next)),
			     .degree = tp_alloc(n, sizeof(*g->degree)) };
	/* starts[i + 2] counts first; then starts[i + 1] is where the neighbours of i go. */
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
			if (m->columns[k] != i) {
				g->starts[i + 2]++;
				g->starts[m->columns[k] + 2]++;
			}
	for (size_t i = 2; i <= (size_t)n + 1; i++)
		g->starts[i] += g->starts[i - 1];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
			if (m->columns[k] != i) {
				g->next[g->starts[i + 1]++] = m->columns[k];
				g->next[g->starts[m->columns[k] + 1]++] = i;
			}
	for (uint32_t i = 0; i < n; i++)
		g->degree[i] = (uint32_t)(g->starts[i + 1] - g->starts[i]);
}

/*
 * Visits what can be reached from `start`, level by level. `mark` becomes `seen` of every node that
 * was visited. Returns how many were; *levels, and where in `order` the last level begins.
 */
static uint32_t walk(const struct graph *g, uint32_t start, uint32_t seen, uint32_t *mark,
		     uint32_t *order, uint32_t *levels, uint32_t *last)
{
	uint32_t n = 1, from = 0;
	order[0] = start;
	mark[start] = seen;
	*levels = 0;
	while (from < n && !tp_stop_asked) {
		uint32_t to = n;
		*last = from;
		++*levels;
		for (; from < to; from++)
			for (size_t k = g->starts[order[from]]; k < g->starts[order[from] + 1]; k++)
				if (mark[g->next[k]] != seen) {
					mark[g->next[k]] = seen;
					order[n++] = g->next[k];
				}
	}
	return n;
}

/*
 * A node whose farthest nodes are as far away as can be found: again and again from the one of the
 * fewest neighbours in the last level. `seen` counts walks.
 */
static uint32_t far_node(const struct graph *g, uint32_t start, uint32_t *seen, uint32_t *mark,
			 uint32_t *order)
{
	enum { TRIES = 4 };
	uint32_t levels = 0;
	for (int i = 0; i < TRIES; i++) {
		uint32_t found, last = 0, n = walk(g, start, ++*seen, mark, order, &found, &last);
		if (found <= levels && i > 0)
			break;
		levels = found;
		uint32_t best = order[last];
		for (uint32_t k = last; k < n; k++)
			if (g->degree[order[k]] < g->degree[best])
				best = order[k];
		start = best;
	}
	return start;
}

/* Neighbours by their number of neighbours, equal ones by number: the result is one for all. */
static void sort_by_degree(const struct graph *g, uint32_t *nodes, uint32_t n)
{
	/* Shell's sort: rows are short, but one may be as long as the matrix. */
	static const uint32_t gaps[] = { 8861, 3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1 };
	for (size_t s = 0; s < TP_COUNT_OF(gaps); s++)
		for (uint32_t i = gaps[s]; i < n; i++) {
			uint32_t moved = nodes[i], at = i;
			for (; at >= gaps[s]; at -= gaps[s]) {
				uint32_t before = nodes[at - gaps[s]];
				if (g->degree[before] < g->degree[moved] ||
				    (g->degree[before] == g->degree[moved] && before < moved))
					break;
				nodes[at] = before;
			}
			nodes[at] = moved;
		}
}

/* The part of the graph with `start`, in the order of Cuthill and McKee; how many nodes it has. */
static uint32_t number_part(const struct graph *g, uint32_t start, bool *done, uint32_t *order)
{
	uint32_t n = 1;
	order[0] = start;
	done[start] = true;
	for (uint32_t from = 0; from < n && !tp_stop_asked; from++) {
		uint32_t first = n;
		for (size_t k = g->starts[order[from]]; k < g->starts[order[from] + 1]; k++)
			if (!done[g->next[k]]) {
				done[g->next[k]] = true;
				order[n++] = g->next[k];
			}
		sort_by_degree(g, order + first, n - first);
	}
	return n;
}

enum tp_status tp_matrix_rcm(const struct tp_matrix *m, uint32_t **order, struct tp_diag *diag)
{
	uint32_t n = m->n_rows, placed = 0, seen = 0;
	TP_CLEANUP(graph_release) struct graph g = { 0 };
	*order = NULL;
	if (m->n_columns != n)
		return tp_fail(diag, TP_USAGE, "reorder", "choose reorder: none",
			       "a matrix of %u rows and %u columns cannot be reordered: rcm orders "
			       "rows and columns alike",
			       n, m->n_columns);
	TP_FREE uint32_t *made = tp_alloc(n, sizeof(*made));
	TP_FREE uint32_t *mark = tp_alloc(n, sizeof(*mark));
	TP_FREE bool *done = tp_alloc(n, sizeof(*done));
	make_graph(&g, m);
	for (uint32_t i = 0; i < n; i++) {
		if (done[i])
			continue;
		/* The room after the placed parts is enough for any remaining one. */
		uint32_t start = far_node(&g, i, &seen, mark, made + placed);
		placed += number_part(&g, start, done, made + placed);
		if (tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, "reorder", NULL, "interrupted");
	}
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t kept = made[i];
		made[i] = made[n - 1 - i];
		made[n - 1 - i] = kept;
	}
	*order = made;
	made = NULL;
	return TP_OK;
}

enum tp_status tp_matrix_permute(const struct tp_matrix *m, const uint32_t *order,
				 struct tp_matrix *permuted, struct tp_diag *diag)
{
	struct tp_entries entries = { .n = tp_matrix_entries(m) };
	uint32_t n = m->n_rows;
	TP_FREE uint32_t *place = tp_alloc(n, sizeof(*place));
	size_t summed;
	entries.items = tp_alloc(entries.n, sizeof(*entries.items));
	for (uint32_t i = 0; i < n; i++)
		place[order[i]] = i;
	size_t at = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = m->starts[order[i]]; k < m->starts[order[i] + 1]; k++)
			entries.items[at++] =
				(struct tp_entry){ i, place[m->columns[k]], m->values[k] };
	return tp_matrix_of_entries(permuted, n, n, &entries, &summed, "reorder", diag);
}
