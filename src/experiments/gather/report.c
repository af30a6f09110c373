/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of gathers: time against the number of lines, for each number of elements and width.
 */
#include "experiments/gather/report.h"
#include "base/memory.h"
#include "experiments/gather/gather_row.h"
#include "experiments/gather/summary.h"
#include "experiments/windows/latency_page.h"
#include "kernels/kernel.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>

enum { BITS, MASK, ELEMENTS, LISTS, LINES, COLUMNS = LINES + TP_GATHER_LANES };

/* Where the table is too wide: numbers of lines that go first have the higher numbers. */
static const struct tp_grid_column gather_columns[COLUMNS] = {
	[BITS] = { "bits", TP_RIGHT, 0 },
	[MASK] = { "mask", TP_LEFT, 0 },
	[ELEMENTS] = { "n", TP_RIGHT, 0 },
	[LISTS] = { "lists", TP_RIGHT, 2 },
	{ "1", TP_RIGHT, 1 },
	{ "2", TP_RIGHT, 1 },
	{ "3", TP_RIGHT, 1 },
	{ "4", TP_RIGHT, 1 },
	{ "5", TP_RIGHT, 1 },
	{ "6", TP_RIGHT, 1 },
	{ "7", TP_RIGHT, 1 },
	{ "8", TP_RIGHT, 1 },
	{ "9", TP_RIGHT, 4 },
	{ "10", TP_RIGHT, 3 },
	{ "11", TP_RIGHT, 4 },
	{ "12", TP_RIGHT, 2 },
	{ "13", TP_RIGHT, 4 },
	{ "14", TP_RIGHT, 3 },
	{ "15", TP_RIGHT, 4 },
	{ "16", TP_RIGHT, 1 },
};

const char *tp_gather_caches(const struct tp_run *run, const struct tp_group *group)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_point_is_gather(&run->points[i]) && run->points[i].run == group->run)
			return tp_gather_row(&run->points[i])->cold ? "cold caches" : "hot caches";
	return "";
}

static bool same_row(const struct tp_gather_cell *a, const struct tp_gather_cell *b)
{
	return a->vector_bits == b->vector_bits && a->masked == b->masked &&
	       a->elements == b->elements;
}

/* The row that begins with cells[0]; returns how many cells it has. */
static size_t gather_row(struct tp_grid *grid, const struct tp_gather_cell *cells, size_t n)
{
	size_t used = 0, lists = 0;
	while (used < n && same_row(cells, &cells[used]))
		lists += cells[used++].n;
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", cells->vector_bits);
	tp_grid_text(grid, TP_PAINT_PLAIN, cells->masked ? "on" : "off");
	tp_grid_printf(grid, TP_PAINT_STRONG, "%u", cells->elements);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", lists);
	size_t at = 0;
	for (unsigned lines = 1; lines <= TP_GATHER_LANES; lines++) {
		if (at < used && cells[at].lines == lines)
			tp_grid_number(grid, TP_PAINT_STRONG, cells[at++].median_ns, 1);
		else
			tp_grid_text(grid, TP_PAINT_PLAIN, "");
	}
	return used;
}

static void fit_sentence(const struct tp_gather_cells *cells, struct tp_page *page)
{
	struct tp_gather_fit fit;
	struct tp_str text = { 0 };
	if (!tp_gather_fit(cells, &fit))
		return;
	tp_str_printf(&text,
		      "Fit of %zu gathers: %.3g ns for one line, %.3g ns for each further one (R2 "
		      "%.2f). The number of lines explains %.0f %% of the variance.",
		      cells->n_sound, fit.first_ns, fit.line_ns, fit.r2, 100 * fit.explained);
	tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
	page->out->oom |= text.oom;
	tp_str_release(&text);
}

static void show_group(struct tp_page *page, const struct tp_group *group)
{
	struct tp_gather_cells cells;
	struct tp_grid grid;
	char what[64];
	if (tp_gather_cells_make(page->run, group, true, &cells) != TP_OK)
		page->out->oom = true;
	snprintf(what, sizeof(what), "%s, %s", group->precision,
		 tp_gather_caches(page->run, group));
	tp_page_latency_title(page, "Gather", what, group->threads, group->run);
	tp_page_latency_heads(page, &grid, gather_columns, COLUMNS);
	for (size_t i = 0; i < cells.n;)
		i += gather_row(&grid, &cells.items[i], cells.n - i);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	fit_sentence(&cells, page);
	tp_gather_cells_release(&cells);
}

void tp_page_gather(struct tp_page *page)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = tp_gather_groups(page->run, groups);
	for (size_t i = 0; i < n; i++)
		show_group(page, &groups[i]);
	if (n)
		tp_page_explain(
			page, "n: elements of a gather. Below each number of cache lines: ns of a "
			      "gather, the median over all lists of indexes with so many lines. "
			      "Gathers do not wait for each other, several are under way at once. "
			      "mask off: all lanes load. Poor points have no part in the fit.");
}

/*
 * "Gathers of 2 to 8 elements (single, cold caches): 14.5 ns from 1 line, 47.5 ns from 8; each
 * further line adds 4.6 ns, and lines explain 91 % of the variance."
 */
void tp_gather_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	struct tp_gather_cells cells;
	struct tp_gather_fit fit;
	/* The first group says most; the tables have the others. */
	if (!tp_gather_groups(run, groups))
		return;
	if (tp_gather_cells_make(run, &groups[0], false, &cells) == TP_OK &&
	    tp_gather_fit(&cells, &fit)) {
		double most = fit.first_ns + fit.line_ns * (cells.most_lines - 1);
		tp_conclude_add(&conclusion->limits,
				"Gathers of %u to %u elements (%s, %s): about %.3g ns from 1 line, "
				"%.3g ns from %u; each further line adds %.3g ns, and the number "
				"of lines explains %.0f %% of the variance.",
				cells.least_elements, cells.most_elements, groups[0].precision,
				tp_gather_caches(run, &groups[0]), fit.first_ns, most,
				cells.most_lines, fit.line_ns, 100 * fit.explained);
		if (fit.line_ns < 0)
			tp_conclude_add(&conclusion->odd,
					"Gather: more lines take less time than fewer.");
	}
	tp_gather_cells_release(&cells);
}
