/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points themselves, where there is nothing better yet: a run that ended early, or a table that
 * was kept alone.
 */
#include "report/reporter.h"
#include "base/memory.h"
#include "record/point.h"

#include <math.h>
#include <string.h>

static const struct tp_grid_column columns[] = {
	{ "point", TP_RIGHT, 0 },    { "experiment", TP_LEFT, 3 }, { "ISA", TP_LEFT, 0 },
	{ "precision", TP_LEFT, 2 }, { "threads", TP_RIGHT, 1 },   { "level", TP_LEFT, 1 },
	{ "kernel", TP_LEFT, 0 },    { "size", TP_RIGHT, 0 },	   { "median", TP_RIGHT, 0 },
	{ "unit", TP_LEFT, 0 },	     { "\u00b1%", TP_RIGHT, 2 },   { "quality", TP_LEFT, 1 },
};

static void point_row(struct tp_page *page, struct tp_grid *grid, size_t id,
		      const struct tp_point *p)
{
	char size[32];
	double median = tp_point_median(p);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", id);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->experiment);
	tp_grid_text(grid, TP_PAINT_STRONG, tp_kernel_row(p)->isa);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_kernel_row(p)->precision);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_kernel_row(p)->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->kernel);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     tp_kernel_row(p)->working_set_bytes
			     ? tp_text_size(size, sizeof(size), tp_kernel_row(p)->working_set_bytes)
			     : "");
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(median), TP_DECIMALS);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->unit);
	tp_page_interval(grid, p, median, p->ci_low, p->ci_high);
	tp_page_quality(page, grid, p->quality, p->flags);
}

static bool is_row(const struct tp_point *p)
{
	const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
	return p->state == TP_POINT_DONE && reporter && reporter->lists_points;
}

/* The tables that reductions make of the points say more than the points. */
static bool has_results(const struct tp_run *run)
{
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->derived && tp_run_rows(run, p)->n)
			return true;
	return false;
}

void tp_page_points(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	struct tp_grid grid;
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += is_row(&run->points[i]);
	if (!done || has_results(run))
		return;
	tp_page_title(page, "Points", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		tp_grid_head(&grid, tp_page_column_head(page, columns[c].head));
	for (size_t i = 0; i < run->n_points; i++)
		if (is_row(&run->points[i]))
			point_row(page, &grid, i, &run->points[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}
