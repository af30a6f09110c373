/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables and pictures of gathers: time against the number of lines, for each number of
 * elements, width and mask.
 */
#include "experiments/gather/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/gather/row.h"
#include "experiments/windows/report.h"
#include "kernels/kernel.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/reporter.h"

bool tp_gather_in_group(const struct tp_point *p, const struct tp_group *group)
{
	return tp_point_is_gather(p) && p->run == group->run && p->threads == group->threads &&
	       strcmp(tp_kernel_row(p)->precision, group->precision) == 0;
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

/* Order of cells. */
static int by_kind(const struct tp_gather_row *a, const struct tp_gather_row *b, bool by_elements)
{
	if (a->vector_bits != b->vector_bits)
		return compare_numbers(a->vector_bits, b->vector_bits);
	if (a->masked != b->masked)
		return a->masked ? -1 : 1;
	if (by_elements && a->elements != b->elements)
		return compare_numbers(a->elements, b->elements);
	return compare_numbers(a->lines, b->lines);
}

static int by_time(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	return compare_numbers(tp_kernel_row(x)->median_ns, tp_kernel_row(y)->median_ns);
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

void tp_gather_cells_make(const struct tp_run *run, const struct tp_group *group, bool by_elements,
			  struct tp_gather_cells *cells)
{
	*cells = (struct tp_gather_cells){ .least_elements = TP_GATHER_LANES };
	size_t room = run->n_points + 1, n = 0;
	TP_FREE const struct tp_point **points = tp_alloc(room, sizeof(*points));
	TP_FREE double *scratch = tp_alloc(room, sizeof(*scratch));
	cells->items = tp_alloc(room, sizeof(*cells->items));
	cells->x = tp_alloc(room, sizeof(*cells->x));
	cells->y = tp_alloc(room, sizeof(*cells->y));
	for (size_t i = 0; i < run->n_points; i++)
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

/* Medians of the lists of one width, mask and number of elements, by lines; NaN: no such list. */
struct gather_line {
	unsigned bits, elements;
	const char *mask;
	unsigned long lists;
	double ns[TP_GATHER_LANES + 1];
};

#define LINE(name) TP_SHOWS(struct gather_line, name)
#define NS(lines)                                                                                  \
	LINE(ns[lines]), .as = TP_AS_FIXED, .digits = 1, .none = "", .paint = TP_PAINT_STRONG
/* Where the table is too wide: numbers of lines that go first have the higher numbers. */
static const struct tp_grid_column gather_columns[] = {
	{ "bits", TP_RIGHT, 0, LINE(bits) },
	{ "mask", TP_LEFT, 0, LINE(mask) },
	{ "n", TP_RIGHT, 0, LINE(elements), .paint = TP_PAINT_STRONG },
	{ "lists", TP_RIGHT, 2, LINE(lists) },
	{ "1", TP_RIGHT, 1, NS(1) },
	{ "2", TP_RIGHT, 1, NS(2) },
	{ "3", TP_RIGHT, 1, NS(3) },
	{ "4", TP_RIGHT, 1, NS(4) },
	{ "5", TP_RIGHT, 1, NS(5) },
	{ "6", TP_RIGHT, 1, NS(6) },
	{ "7", TP_RIGHT, 1, NS(7) },
	{ "8", TP_RIGHT, 1, NS(8) },
	{ "9", TP_RIGHT, 4, NS(9) },
	{ "10", TP_RIGHT, 3, NS(10) },
	{ "11", TP_RIGHT, 4, NS(11) },
	{ "12", TP_RIGHT, 2, NS(12) },
	{ "13", TP_RIGHT, 4, NS(13) },
	{ "14", TP_RIGHT, 3, NS(14) },
	{ "15", TP_RIGHT, 4, NS(15) },
	{ "16", TP_RIGHT, 1, NS(16) },
};

/* "cold caches" or "caches hot", of the first gather of a group. */
static const char *gather_caches(const struct tp_run *run, const struct tp_group *group)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_point_is_gather(&run->points[i]) && run->points[i].run == group->run)
			return tp_gather_row(&run->points[i])->cold ? "cold caches" : "hot caches";
	return "";
}

/* The line that begins with cells[0]; returns how many cells it has. */
static size_t gather_line(struct gather_line *line, const struct tp_gather_cell *cells, size_t n)
{
	size_t used = 0;
	*line = (struct gather_line){ .bits = cells->vector_bits,
				      .elements = cells->elements,
				      .mask = cells->masked ? "on" : "off" };
	for (size_t i = 0; i <= TP_GATHER_LANES; i++)
		line->ns[i] = NAN;
	while (used < n && cells->vector_bits == cells[used].vector_bits &&
	       cells->masked == cells[used].masked && cells->elements == cells[used].elements) {
		line->lists += cells[used].n;
		line->ns[cells[used].lines] = cells[used].median_ns;
		used++;
	}
	return used;
}

static void fit_sentence(const struct tp_gather_cells *cells, struct tp_page *page)
{
	struct tp_gather_fit fit;
	TP_STR text = { 0 };
	if (!tp_gather_fit(cells, &fit))
		return;
	tp_str_printf(&text,
		      "Fit of %zu gathers: %.3g ns for one line, %.3g ns for each further one (R2 "
		      "%.2f). The number of lines explains %.0f %% of the variance.",
		      cells->n_sound, fit.first_ns, fit.line_ns, fit.r2, 100 * fit.explained);
	tp_text_wrap(page->doc, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
}

static void show_group(struct tp_page *page, const struct tp_group *group)
{
	TP_CLEANUP(tp_gather_cells_release) struct tp_gather_cells cells = { 0 };
	TP_GRID(grid, gather_columns);
	struct gather_line line;
	char what[64];
	tp_gather_cells_make(page->run, group, true, &cells);
	snprintf(what, sizeof(what), "%s, %s", group->precision, gather_caches(page->run, group));
	tp_page_latency_title(page, "Gather", what, group->threads, group->run);
	tp_page_heads(page, &grid);
	for (size_t i = 0; i < cells.n;) {
		i += gather_line(&line, &cells.items[i], cells.n - i);
		tp_grid_row(&grid, &line, page);
	}
	tp_grid_write(&grid, page->doc);
	fit_sentence(&cells, page);
}

/* As page and conclude of its reporter. */
static void page_gather(struct tp_page *page)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = tp_gather_groups(page->run, groups);
	for (size_t i = 0; i < n; i++)
		show_group(page, &groups[i]);
	if (n)
		tp_page_explain(
			page, "n: elements of a gather. Below each number of cache lines: ns of a "
			      "gather, the median over all lists of indexes with this many lines. "
			      "Gathers do not wait for each other, several are under way at once. "
			      "mask off: all lanes load. Poor points have no part in the fit.");
}

/*
 * "Gathers of 2 to 8 elements (single, cold caches): 14.5 ns from 1 line, 47.5 ns from 8; each
 * further line adds 4.6 ns, and lines explain 91 % of the variance."
 */
static void gather_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	TP_CLEANUP(tp_gather_cells_release) struct tp_gather_cells cells = { 0 };
	struct tp_gather_fit fit;
	/* The first group is the most informative; the tables have the others. */
	if (!tp_gather_groups(run, groups))
		return;
	tp_gather_cells_make(run, &groups[0], false, &cells);
	if (tp_gather_fit(&cells, &fit)) {
		double most = fit.first_ns + fit.line_ns * (cells.most_lines - 1);
		tp_conclude_add(&conclusion->limits,
				"Gathers of %u to %u elements (%s, %s): about %.3g ns from 1 line, "
				"%.3g ns from %u; each further line adds %.3g ns, and the number "
				"of lines explains %.0f %% of the variance.",
				cells.least_elements, cells.most_elements, groups[0].precision,
				gather_caches(run, &groups[0]), fit.first_ns, most,
				cells.most_lines, fit.line_ns, 100 * fit.explained);
		if (fit.line_ns < 0)
			tp_conclude_add(&conclusion->odd,
					"Gather: more lines take less time than fewer.");
	}
}

/* The series that begins with cells[0]; returns how many cells it has. */
static size_t draw_series(struct tp_picture *picture, const struct tp_gather_cell *cells, size_t n)
{
	size_t used = 0;
	struct tp_curve curve;
	while (used < n && cells->vector_bits == cells[used].vector_bits &&
	       cells->masked == cells[used].masked)
		used++;
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, used * sizeof(const struct tp_point *));
	struct tp_series *s = tp_picture_curve(picture, picture->n_series, points, used, &curve);
	for (size_t i = 0; s && i < used; i++) {
		curve.x[i] = cells[i].lines;
		curve.y[i] = cells[i].median_ns;
		curve.low[i] = cells[i].low_ns;
		curve.high[i] = cells[i].high_ns;
		points[i] = cells[i].middle;
	}
	if (s)
		s->label = tp_picture_text(picture, "%u bits%s", cells->vector_bits,
					   cells->masked ? ", masked" : "");
	return used;
}

static bool draw_curves(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from)
{
	TP_CLEANUP(tp_gather_cells_release) struct tp_gather_cells cells = { 0 };
	if (from == 0)
		tp_gather_cells_make(run, group, false, &cells);
	for (size_t i = 0; i < cells.n;)
		i += draw_series(picture, &cells.items[i], cells.n - i);
	if (!picture->n_series)
		return false;
	picture->scene.title = tp_picture_text(picture, "Gather, %s, %s, %s", group->precision,
					       gather_caches(run, group),
					       tp_picture_threads(picture, group->threads));
	tp_picture_finish(picture, (struct tp_scale){ .label = "cache lines of a gather" },
			  (struct tp_scale){ .label = "ns" });
	return true;
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = from == 0 ? tp_gather_groups(run, groups) : 0;
	for (size_t i = 0; i < n; i++)
		if (groups[i].run == group->run && groups[i].threads == group->threads &&
		    strcmp(groups[i].precision, group->precision) == 0)
			return true;
	return false;
}

const struct tp_reporter tp_reporter_gather = {
	.experiment = "gather",
	.place = 8,
	.page = page_gather,
	.conclude = gather_conclude,
	.curves = draw_curves,
	.has_curves = has_curves,
};
