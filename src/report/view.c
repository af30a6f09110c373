/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/view.h"
#include "record/point.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *items, size_t n, size_t size_bytes)
{
	void *copy = tp_alloc(n + 1, size_bytes);
	if (n)
		memcpy(copy, items, n * size_bytes);
	return copy;
}

static const void *member(const struct tp_table *table, const char *name, const void *row)
{
	return (const char *)row + tp_column_find(table, name)->offset;
}

/* The rows of a table belong to a slice if they name it. */
static bool has_slice(const struct tp_table *table)
{
	return tp_column_find(table, "run") && tp_column_find(table, "threads") &&
	       tp_column_find(table, "isa") && tp_column_find(table, "precision");
}

/* A row has the kernel itself, or names a point that has it. */
static const char *kernel_of(const struct tp_run *run, const struct tp_table *table,
			     const void *row)
{
	if (tp_column_find(table, "kernel"))
		return member(table, "kernel", row);
	unsigned point = tp_column_find(table, "point")
				 ? *(const unsigned *)member(table, "point", row)
				 : UINT_MAX;
	return point < run->n_points ? run->points[point].kernel : "";
}

/* Only these parts of a view are its own. */
void tp_run_view_release(struct tp_run *view)
{
	free(view->points);
	for (size_t i = 0; i < view->n_parts; i++)
		if (has_slice(view->parts[i].part->table))
			free(view->parts[i].rows.rows);
	*view = (struct tp_run){ 0 };
}

static void view_part(const struct tp_run *run, struct tp_run_part *part, tp_slice_wanted *wanted,
		      const void *context)
{
	const struct tp_table *table = part->part->table;
	struct tp_rows all = part->rows;
	if (!has_slice(table))
		return;
	part->rows.rows = copy_of(all.rows, all.n, table->row_bytes);
	part->rows.n = 0;
	for (size_t i = 0; i < all.n; i++) {
		const void *row = TP_ROW_AT(&all, table, i);
		const struct tp_slice slice = (struct tp_slice){
			*(const unsigned *)member(table, "run", row),
			*(const unsigned *)member(table, "threads", row), member(table, "isa", row),
			member(table, "precision", row), kernel_of(run, table, row)
		};
		if (wanted(context, &slice))
			memcpy(TP_ROW_AT(&part->rows, table, part->rows.n++), row,
			       table->row_bytes);
	}
}

void tp_run_view(struct tp_run *view, const struct tp_run *run, tp_slice_wanted *wanted,
		 const void *context)
{
	*view = *run;
	view->points = copy_of(run->points, run->n_points, sizeof(*run->points));
	for (size_t i = 0; i < view->n_parts; i++)
		view_part(run, &view->parts[i], wanted, context);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_slice slice = { p->run, p->threads, tp_kernel_row(p)->isa,
						tp_kernel_row(p)->precision, p->kernel };
		if (!wanted(context, &slice))
			view->points[i].state = TP_POINT_SKIPPED;
	}
}
