/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns on the page: a table for each, and what they say together. */
#include "experiments/pattern/predict_report.h"
#include "experiments/pattern/roofs.h"
#include "experiments/pattern/conclude.h"
#include "experiments/pattern/row.h"
#include "experiments/pattern/views.h"
#include "experiments/windows/report.h"
#include "report/facts.h"
#include "report/groups.h"
#include "report/reporter.h"
#include "base/tally.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_done(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "pattern") == 0;
}

/*
 * Points of one table are those of the same pattern in the same run of the preset. Every point is
 * an item, so items count as points do; those of no table have no text.
 */
static void group_points(const struct tp_run *run, struct tp_tally *tables)
{
	struct tp_str key = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		tp_str_clear(&key);
		if (is_done(p))
			tp_str_printf(&key, "%u\x1f%s", p->run, tp_pattern_row(p)->pattern);
		status = tp_tally_add(tables, tp_str_text(&key));
	}
	tp_str_release(&key);
}

static const struct tp_grid_column columns[] = {
	{ "parameters", TP_LEFT, 0 }, { "threads", TP_RIGHT, 2 }, { "a thread", TP_RIGHT, 3 },
	{ "level", TP_LEFT, 4 },      { "GB/s", TP_RIGHT, 0 },	  { "\u00b1%", TP_RIGHT, 2 },
	{ "GFLOP/s", TP_RIGHT, 1 },   { "ns/elem", TP_RIGHT, 1 }, { "spread%", TP_RIGHT, 3 },
	{ "of roof", TP_RIGHT, 1 },
};
enum { THREADS = 1 }; /* among them */
/* Behind the events that were counted. */
static const struct tp_grid_column last_column = { "quality", TP_LEFT, 1 };

/* How far the slowest thread is below the fastest, in percent; NaN for one thread. */
static double spread_percent(const struct tp_point *p)
{
	const struct tp_pattern_row *row = tp_pattern_row(p);
	return p->threads > 1 && row->thread_max_gbps > 0
		       ? 100 * (1 - row->thread_min_gbps / row->thread_max_gbps)
		       : NAN;
}

static void table_row(struct tp_page *page, struct tp_grid *grid, const struct tp_counted *counted,
		      const struct tp_point *p)
{
	const struct tp_pattern_row *row = tp_pattern_row(p);
	const struct tp_kernel_row *k = &row->kernel;
	struct tp_pattern_roof roof;
	char bytes[32];
	tp_grid_text(grid, TP_PAINT_STRONG, row->parameters);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     tp_text_size(bytes, sizeof(bytes), k->working_set_bytes));
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_pattern_level(page->run, p));
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(k->median_gbps), TP_DECIMALS);
	tp_page_interval(grid, p, k->median_gbps, p->ci_low, p->ci_high);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(k->median_gflops), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->element_ns), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, spread_percent(p), 0);
	if (tp_pattern_roof_of(page->run, p, &roof))
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f%%", 100 * roof.share);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_counted_cells(counted, row->counts, grid);
	tp_page_quality(page, grid, p->quality, p->flags);
}

static void table(struct tp_page *page, const struct tp_tally *tables,
		  const struct tp_tally_group *group)
{
	const struct tp_run *run = page->run;
	const struct tp_pattern_row *row = tp_pattern_row(&run->points[group->first]);
	struct tp_grid_column all[TP_COUNT_OF(columns) + TP_COUNTED_COLUMNS + 1];
	struct tp_counted counted = { 0 };
	struct tp_grid grid;
	char title[96];
	size_t n = TP_COUNT_OF(columns);
	for (size_t i = group->first; i != TP_TALLY_END; i = tables->next[i])
		tp_counted_add(&counted, tp_pattern_row(&run->points[i])->counts);
	memcpy(all, columns, sizeof(columns));
	tp_counted_columns(&counted, all + n);
	if (counted.n)
		all[THREADS].give = 0; /* events take room, and rows are to be told apart */
	n += counted.n;
	all[n++] = last_column;
	snprintf(title, sizeof(title), "Pattern %s", row->pattern);
	tp_page_title(page, title, NULL);
	tp_grid_init(&grid, all, n);
	for (size_t c = 0; c < n; c++)
		tp_grid_head(&grid, tp_page_column_head(page, all[c].head));
	for (size_t i = group->first; i != TP_TALLY_END; i = tables->next[i])
		table_row(page, &grid, &counted, &run->points[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	struct tp_str text = { 0 };
	tp_str_printf(&text,
		      "An element reads and writes %.4g bytes and takes %.4g FLOP: %.3g "
		      "FLOP/byte.",
		      row->bytes_per_element, row->flop_per_element, row->kernel.ai_flop_per_byte);
	if (counted.n)
		tp_str_add(&text, " Events are counts for an element, over all threads.");
	tp_page_explain(page, tp_str_text(&text));
	tp_str_release(&text);
}

static void page_of_patterns(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	struct tp_tally tables = { 0 };
	bool any = false;
	group_points(run, &tables);
	for (size_t g = 0; g < tables.n; g++) {
		const struct tp_point *first = &run->points[tables.groups[g].first];
		if (!is_done(first))
			continue;
		table(page, &tables, &tables.groups[g]);
		tp_pattern_report_predictions(page, first);
		any = true;
	}
	tp_tally_release(&tables);
	if (any)
		tp_page_explain(page,
				"GB/s and GFLOP/s are those of the whole team, by the accesses "
				"and operations that the statements name. spread: how far the "
				"slowest thread is below the fastest. of roof: the share of what "
				"this run's roofs allow in the level where the working set lies; "
				"beyond 100 % a nearer cache answers part of the accesses.");
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	return tp_pattern_makes_curves(run, group) && tp_window_has_curves(run, group, from);
}

static bool curves(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_group *group, size_t from)
{
	return tp_pattern_makes_curves(run, group) && tp_window_curves(picture, run, group, from);
}

const struct tp_reporter tp_reporter_pattern = {
	.experiment = "pattern",
	.place = 9,
	.page = page_of_patterns,
	.conclude = tp_pattern_conclude,
	.pictures = tp_pattern_pictures,
	.overlays = tp_window_overlays,
	.curves = curves,
	.plateaus = tp_window_plateaus,
	.has_curves = has_curves,
	.curve_title = "Pattern",
};
