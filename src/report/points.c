/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points themselves, where there is nothing better yet: a run that ended early, or a table that was kept alone. */
#include "report/autotune.h"
#include "report/latency.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

static const struct tp_column columns[] = {
	{ "point", TP_RIGHT, 0 },    { "experiment", TP_LEFT, 3 }, { "ISA", TP_LEFT, 0 },
	{ "precision", TP_LEFT, 2 }, { "threads", TP_RIGHT, 1 },   { "level", TP_LEFT, 1 },
	{ "kernel", TP_LEFT, 0 },    { "size", TP_RIGHT, 0 },	   { "median", TP_RIGHT, 0 },
	{ "unit", TP_LEFT, 0 },	     { "", TP_RIGHT, 2 },	   { "flags", TP_LEFT, 1 },
};
enum { INTERVAL_COLUMN = 10 };

static void point_row(struct tp_page *page, struct tp_grid *grid, size_t id,
		      const struct tp_point *p)
{
	char size[32];
	double median = tp_point_median(p);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", id);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->experiment);
	tp_grid_text(grid, TP_PAINT_STRONG, p->isa);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->precision);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->level);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->kernel);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     p->working_set_bytes ? tp_text_size(size, sizeof(size), p->working_set_bytes)
					  : "");
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(median), TP_DECIMALS);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_headline_unit(tp_point_headline(p)));
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_half_width(median, p->ci_low, p->ci_high), 1);
	tp_page_flags(page, grid, p->flags);
}

/* Points with a rate or a latency of their own; what counters counted and what was searched for has its own tables. */
static bool is_row(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && !tp_point_is_loaded(p) &&
	       strcmp(p->experiment, "counters") != 0 && !tp_point_is_search(p);
}

void tp_page_points(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	struct tp_grid grid;
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += is_row(&run->points[i]);
	if (!done || run->n_roofs || run->n_plateaus || run->n_dots)
		return;
	tp_page_title(page, "Points", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		tp_grid_head(&grid, c != INTERVAL_COLUMN ? columns[c].head
				    : page->look->utf8	 ? "\u00b1%"
							 : "+-%");
	for (size_t i = 0; i < run->n_points; i++)
		if (is_row(&run->points[i]))
			point_row(page, &grid, i, &run->points[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}
