/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models predict, on the page. */
#include "experiments/pattern/predict_report.h"
#include "experiments/pattern/prediction.h"
#include "experiments/pattern/row.h"
#include "report/facts.h"
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

static const struct tp_grid_column columns[] = {
	{ "parameters", TP_LEFT, 0 },	{ "threads", TP_RIGHT, 3 }, { "reuse in", TP_LEFT, 1 },
	{ "B from L2", TP_RIGHT, 2 },	{ "from L3", TP_RIGHT, 2 }, { "from DRAM", TP_RIGHT, 2 },
	{ "roofline ns", TP_RIGHT, 1 }, { "limit", TP_LEFT, 2 },    { "ECM ns", TP_RIGHT, 0 },
	{ "measured ns", TP_RIGHT, 0 }, { "of ECM", TP_RIGHT, 0 },
};

static bool is_of(const struct tp_point *p, const struct tp_point *first)
{
	return p->state == TP_POINT_DONE && p->run == first->run && p->kind == first->kind &&
	       strcmp(tp_pattern_row(p)->pattern, tp_pattern_row(first)->pattern) == 0;
}

static void table_row(struct tp_grid *grid, const struct tp_point *point,
		      const struct tp_prediction *p)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	tp_grid_text(grid, TP_PAINT_STRONG, row->parameters);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", point->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->reuse_level);
	tp_grid_number(grid, TP_PAINT_PLAIN, row->l2_bytes, 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, row->l3_bytes, 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, row->dram_bytes, 1);
	tp_grid_number(grid, TP_PAINT_PLAIN, p->roofline_ns, 3);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->limit);
	tp_grid_number(grid, TP_PAINT_PLAIN, p->ecm_ns, 3);
	tp_grid_number(grid, TP_PAINT_STRONG, p->element_ns, 3);
	tp_grid_number(grid, TP_PAINT_PLAIN, p->measured_to_ecm, 2);
}

static void explain_edges(struct tp_page *page, const struct tp_pattern_row *row)
{
	static const char *const names[] = { "L1", "L2", "L3" };
	const uint64_t edges[] = { row->l1_n, row->l2_n, row->l3_n };
	struct tp_str text = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(edges); i++)
		if (edges[i])
			tp_str_printf(&text, "%s %s up to n = %" PRIu64, text.len ? "," : "",
				      names[i], edges[i]);
	if (text.len) {
		struct tp_str whole = { 0 };
		tp_str_printf(&whole,
			      "By layer conditions all rows and layers that are used again fit "
			      "into%s (%s).",
			      tp_str_text(&text), row->parameters);
		tp_page_explain(page, tp_str_text(&whole));
		tp_str_release(&whole);
	}
	tp_str_release(&text);
}

void tp_pattern_report_predictions(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_run *run = page->run;
	struct tp_grid grid;
	size_t rows = 0;
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		tp_grid_head(&grid, tp_page_column_head(page, columns[c].head));
	for (size_t i = 0; i < tp_run_n_predictions(run); i++) {
		const struct tp_prediction *p = &tp_run_predictions(run)[i];
		const struct tp_point *point = tp_run_point(run, p->point);
		if (point && is_of(point, first)) {
			table_row(&grid, point, p);
			rows++;
		}
	}
	if (rows) {
		char title[96];
		snprintf(title, sizeof(title), "What models predict for %s",
			 tp_pattern_row(first)->pattern);
		tp_page_title(page, title, NULL);
		tp_grid_write(&grid, page->look, page->out);
		tp_page_explain(
			page, "ECM: the arithmetic at its peak, or loads and stores in L1 and the "
			      "transfers between levels one after the other, at the bandwidths of "
			      "this run. Much more than that is code that its core limits.");
	}
	tp_grid_release(&grid);
	explain_edges(page, tp_pattern_row(first));
}
