/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/summary.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/gather/gather_row.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tp_point_is_gather(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && tp_gather_row(p)->elements && tp_gather_row(p)->lines &&
	       tp_gather_row(p)->lines <= TP_GATHER_LANES && tp_kernel_row(p)->median_ns > 0 &&
	       isfinite(tp_kernel_row(p)->median_ns);
}

bool tp_gather_in_group(const struct tp_point *p, const struct tp_group *group)
{
	return tp_point_is_gather(p) && p->run == group->run && p->threads == group->threads &&
	       strcmp(tp_kernel_row(p)->precision, group->precision) == 0;
}

static int compare(double a, double b)
{
	return (a > b) - (a < b);
}

/* Order of cells. */
static int by_kind(const struct tp_gather_row *a, const struct tp_gather_row *b, bool by_elements)
{
	if (a->vector_bits != b->vector_bits)
		return compare(a->vector_bits, b->vector_bits);
	if (a->masked != b->masked)
		return a->masked ? -1 : 1;
	if (by_elements && a->elements != b->elements)
		return compare(a->elements, b->elements);
	return compare(a->lines, b->lines);
}

static int by_time(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	return compare(tp_kernel_row(x)->median_ns, tp_kernel_row(y)->median_ns);
}

static int by_cell(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	int order = by_kind(tp_gather_row(x), tp_gather_row(y), false);
	return order ? order : by_time(a, b);
}

static int by_cell_and_elements(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	int order = by_kind(tp_gather_row(x), tp_gather_row(y), true);
	return order ? order : by_time(a, b);
}

/* The cell of points[n], which are sorted by time. */
static struct tp_gather_cell cell_of(const struct tp_point *const *points, size_t n,
				     bool by_elements, double *scratch)
{
	const struct tp_gather_row *row = tp_gather_row(points[0]);
	for (size_t i = 0; i < n; i++)
		scratch[i] = tp_kernel_row(points[i])->median_ns;
	return (struct tp_gather_cell){
		.vector_bits = row->vector_bits,
		.elements = by_elements ? row->elements : 0,
		.lines = row->lines,
		.masked = row->masked,
		.n = n,
		.median_ns = tp_median_sorted(scratch, n),
		.low_ns = tp_quantile_sorted(scratch, n, 0.25),
		.high_ns = tp_quantile_sorted(scratch, n, 0.75),
		.middle = points[n / 2],
	};
}

enum tp_status tp_gather_cells_make(const struct tp_run *run, const struct tp_group *group,
				    bool by_elements, struct tp_gather_cells *cells)
{
	*cells = (struct tp_gather_cells){ .least_elements = TP_GATHER_LANES };
	size_t room = run->n_points + 1, n = 0;
	const struct tp_point **points = calloc(room, sizeof(*points));
	double *scratch = calloc(room, sizeof(*scratch));
	cells->items = calloc(room, sizeof(*cells->items));
	cells->x = calloc(room, sizeof(*cells->x));
	cells->y = calloc(room, sizeof(*cells->y));
	bool good = points && scratch && cells->items && cells->x && cells->y;
	for (size_t i = 0; i < run->n_points && good; i++)
		if (tp_gather_in_group(&run->points[i], group))
			points[n++] = &run->points[i];
	if (n)
		qsort(points, n, sizeof(*points), by_elements ? by_cell_and_elements : by_cell);
	for (size_t from = 0; from < n;) {
		const struct tp_gather_row *row = tp_gather_row(points[from]);
		size_t to = from + 1;
		while (to < n && by_kind(row, tp_gather_row(points[to]), by_elements) == 0)
			to++;
		cells->items[cells->n++] = cell_of(&points[from], to - from, by_elements, scratch);
		from = to;
	}
	for (size_t i = 0; i < n; i++) {
		const struct tp_gather_row *row = tp_gather_row(points[i]);
		if (points[i]->quality != TP_QUALITY_POOR) {
			cells->x[cells->n_sound] = row->lines;
			cells->y[cells->n_sound++] = tp_kernel_row(points[i])->median_ns;
		}
		cells->least_elements = TP_MIN(cells->least_elements, row->elements);
		cells->most_elements = TP_MAX(cells->most_elements, row->elements);
		cells->most_lines = TP_MAX(cells->most_lines, row->lines);
	}
	cells->n_gathers = n;
	free(points);
	free(scratch);
	return good ? TP_OK : TP_NOMEM;
}

void tp_gather_cells_release(struct tp_gather_cells *cells)
{
	free(cells->items);
	free(cells->x);
	free(cells->y);
	*cells = (struct tp_gather_cells){ 0 };
}

const struct tp_gather_cell *tp_gather_cell_of(const struct tp_gather_cells *cells,
					       const struct tp_point *point)
{
	const struct tp_gather_row *row = tp_gather_row(point);
	for (size_t i = 0; i < cells->n; i++) {
		const struct tp_gather_cell *c = &cells->items[i];
		if (c->vector_bits == row->vector_bits && c->masked == row->masked &&
		    c->elements == row->elements && c->lines == row->lines)
			return c;
	}
	return NULL;
}

bool tp_gather_fit(const struct tp_gather_cells *cells, struct tp_gather_fit *fit)
{
	struct tp_welford x = { 0 }, y = { 0 }, of_lines[TP_GATHER_LANES + 1] = { 0 };
	double xy = 0, within = 0;
	for (size_t i = 0; i < cells->n_sound; i++) {
		tp_welford_add(&x, cells->x[i]);
		tp_welford_add(&y, cells->y[i]);
		tp_welford_add(&of_lines[(size_t)cells->x[i]], cells->y[i]);
	}
	if (!(x.c > 0) || !(y.c > 0))
		return false;
	for (size_t i = 0; i < cells->n_sound; i++)
		xy += (cells->x[i] - x.mean) * (cells->y[i] - y.mean);
	for (size_t i = 0; i <= TP_GATHER_LANES; i++)
		within += of_lines[i].c;
	fit->line_ns = xy / x.c;
	fit->first_ns = y.mean + fit->line_ns * (1 - x.mean);
	fit->r2 = xy * xy / (x.c * y.c);
	fit->explained = 1 - within / y.c;
	return true;
}

size_t tp_gather_groups(const struct tp_run *run, struct tp_group groups[TP_GATHER_GROUPS_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < run->n_points && n < TP_GATHER_GROUPS_MAX; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !tp_point_is_gather(p);
		for (size_t k = 0; k < n && !known; k++)
			known = tp_gather_in_group(p, &groups[k]);
		if (!known)
			groups[n++] =
				(struct tp_group){ p->run, p->threads, tp_kernel_row(p)->precision,
						   p->experiment };
	}
	return n;
}
