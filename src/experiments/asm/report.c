/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of instructions, and where independent ones saturate the core. */
#include "base/memory.h"
#include "experiments/asm/row.h"
#include "experiments/windows/report.h"
#include "report/page.h"
#include "report/reporter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "report/pictures.h"

/*
 * Share of the highest throughput: where a curve ends, and what counts as all of it. Schedulers do
 * not find a place for every instruction in time if there are only just enough.
 */
#define SATURATED 0.9
#define NEAR	  0.05
#define WHOLE	  0.98

/* Larger runs are not studies of one instruction, and all pairs of their points are too many. */
enum { LEAST_POINTS = 3, MOST_POINTS = 4096 };

static bool same_table(const struct tp_point *a, const struct tp_point *b)
{
	return tp_point_is_asm(a) && tp_point_is_asm(b) && a->run == b->run &&
	       a->threads == b->threads;
}

/* Points of a series have the same instruction, written again and again. */
static bool same_series(const struct tp_point *a, const struct tp_point *b)
{
	return same_table(a, b) && strcmp(tp_asm_row(a)->mode, tp_asm_row(b)->mode) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0;
}

bool tp_asm_series_begins(const struct tp_run *run, size_t i)
{
	const struct tp_point *p = &run->points[i];
	return run->n_points <= MOST_POINTS && strcmp(tp_asm_row(p)->mode, "written") == 0 &&
	       tp_run_is_first(run, p, same_series);
}

/* True if the series of the point has enough points for a curve. */
static bool series_counts(const struct tp_run *run, const struct tp_point *of)
{
	size_t n = 0;
	if (run->n_points > MOST_POINTS)
		return false;
	for (size_t i = 0; i < run->n_points && n < LEAST_POINTS; i++)
		n += same_series(&run->points[i], of);
	return n == LEAST_POINTS && strcmp(tp_asm_row(of)->mode, "written") == 0;
}

/*
 * The highest throughput of the series: the median of all points near the best, so that a single
 * disturbed point does not decide. Poor points count only if there are no others.
 */
static double plateau(const struct tp_run *run, const struct tp_point *of)
{
	TP_FREE double *near = tp_alloc(run->n_points + 1, sizeof(*near));
	double best = 0;
	size_t n = 0;
	for (int poor = 0; poor < 2 && !(best > 0); poor++)
		TP_EACH_POINT (p, run) {
			if (same_series(p, of) && (poor || p->quality != TP_QUALITY_POOR))
				best = fmax(best, tp_asm_row(p)->ipc);
		}
	TP_EACH_POINT (p, run) {
		if (same_series(p, of) && fabs(tp_asm_row(p)->ipc / best - 1) < NEAR)
			near[n++] = tp_asm_row(p)->ipc;
	}
	tp_sort_doubles(near, n);
	return n ? tp_median_sorted(near, n) : 0;
}

bool tp_asm_saturation(const struct tp_run *run, size_t first, struct tp_asm_saturation *out)
{
	const struct tp_point *begin = &run->points[first];
	*out = (struct tp_asm_saturation){ .first = begin, .ipc = plateau(run, begin) };
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!same_series(&run->points[i], begin))
			continue;
		out->model_ipc = row->model_ipc;
		out->most = TP_MAX(out->most, row->count);
		if (row->count == 1)
			out->latency = row->latency;
	}
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!same_series(&run->points[i], begin))
			continue;
		if (row->ipc >= SATURATED * out->ipc && (!out->count || row->count < out->count))
			out->count = row->count;
		if (row->ipc >= WHOLE * out->ipc && (!out->whole || row->count < out->whole))
			out->whole = row->count;
	}
	/* One more instruction would be needed: the last one does not show an end. */
	return out->latency > 0 && out->count > 1 && out->count < out->most;
}

static int by_count(const void *a, const void *b)
{
	unsigned x = tp_asm_row(*(const struct tp_point *const *)a)->count;
	unsigned y = tp_asm_row(*(const struct tp_point *const *)b)->count;
	return (x > y) - (x < y);
}

static bool is_curve(const struct tp_run *run, const struct tp_group *group, size_t i)
{
	return run->points[i].threads == group->threads && tp_asm_series_begins(run, i) &&
	       series_counts(run, &run->points[i]);
}

/* The group that shows the picture: the first curve's. */
static bool has_picture(const struct tp_run *run, const struct tp_group *group)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (is_curve(run, group, i))
			return run->points[i].run == group->run;
	return false;
}

static void draw(struct tp_picture *picture, const struct tp_run *run, size_t first)
{
	const struct tp_point **points = tp_arena_alloc(
		&picture->arena, (run->n_points + 1) * sizeof(const struct tp_point *));
	struct tp_curve curve;
	size_t n = 0;
	for (size_t i = first; i < run->n_points; i++)
		if (same_series(&run->points[i], &run->points[first]))
			points[n++] = &run->points[i];
	struct tp_series *s = tp_picture_curve(picture, picture->n_series, points, n, &curve);
	if (!s)
		return;
	qsort(points, n, sizeof(*points), by_count);
	for (size_t i = 0; i < n; i++) {
		curve.x[i] = tp_asm_row(points[i])->count;
		curve.y[i] = tp_asm_row(points[i])->ipc;
	}
	s->low = s->high = NULL;
	s->label = tp_picture_text(picture, "%s", run->points[first].kernel);
}

static bool draw_curves(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from)
{
	size_t seen = 0;
	bool any = has_picture(run, group);
	for (size_t i = 0; i < run->n_points && any; i++)
		if (is_curve(run, group, i) && seen++ >= from &&
		    picture->n_series < TP_PICTURE_CURVES)
			draw(picture, run, i);
	if (!picture->n_series)
		return false;
	picture->scene.title = tp_picture_text(picture, "Instructions in a cycle, %s",
					       tp_picture_threads(picture, group->threads));
	tp_picture_finish(picture, (struct tp_scale){ .label = "independent instructions" },
			  (struct tp_scale){ .label = "IPC" });
	return true;
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	size_t seen = 0;
	for (size_t i = 0; i < run->n_points && has_picture(run, group); i++)
		if (is_curve(run, group, i) && seen++ >= from)
			return true;
	return false;
}

/* Rows of a table that is not wanted in full. */
enum { TEXT_COLUMNS = 36, ROWS = 60 };

static const void *counts_of(const void *point)
{
	return tp_asm_row(point)->counts;
}

static const void *asm_of(const void *point)
{
	return tp_asm_row(point);
}

static void instructions_cell(struct tp_grid *grid, const void *point, const void *page)
{
	const struct tp_asm_row *row = tp_asm_row(point);
	(void)page;
	if (strlen(row->instructions) > TEXT_COLUMNS)
		tp_grid_printf(grid, TP_PAINT_STRONG, "%.*s... (%u)", TEXT_COLUMNS - 14,
			       row->instructions, row->count);
	else
		tp_grid_text(grid, TP_PAINT_STRONG, row->instructions);
}

#define ASM(name, n) TP_SHOWS(struct tp_asm_row, name), .of = asm_of, .as = TP_AS_FIXED, .digits = n
static const struct tp_grid_column columns[] = {
	{ "instructions", TP_LEFT, 0, .cell = instructions_cell },
	{ "mode", TP_LEFT, 1, ASM(mode, 0) },
	{ "cycles", TP_RIGHT, 0, ASM(cycles, 3), .paint = TP_PAINT_STRONG },
	{ "\u00b1%", TP_RIGHT, 4, .cell = tp_page_interval_cell },
	{ "IPC", TP_RIGHT, 0, ASM(ipc, 2) },
	{ "1/tput", TP_RIGHT, 0, ASM(rthroughput, 3), .positive = true },
	{ "latency", TP_RIGHT, 0, ASM(latency, 2), .positive = true },
	{ "llvm-mca", TP_RIGHT, 1, ASM(mca_cycles, 3), .positive = true },
};
/* After the events that were counted. */
static const struct tp_grid_column last_column = { "quality", TP_LEFT, 1,
						   .cell = tp_page_quality_cell };

static void show_group(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_group group = { .run = first->run,
					.threads = first->threads,
					.precision = "cycles of the core" };
	struct tp_grid_column all[TP_COUNT_OF(columns) + TP_COUNTED_COLUMNS + 1];
	struct tp_counted counted = { 0 };
	struct tp_grid grid;
	size_t n = TP_COUNT_OF(columns), rows = 0;
	TP_EACH_POINT (p, page->run) {
		if (same_table(p, first))
			tp_counted_add(&counted, tp_asm_row(p)->counts);
	}
	memcpy(all, columns, sizeof(columns));
	tp_counted_columns(&counted, counts_of, all + n);
	n += counted.n;
	all[n++] = last_column;
	tp_page_title(page, "Assembly", &group);
	tp_page_table(page, &grid, all, n);
	TP_EACH_POINT (p, page->run) {
		if (!same_table(p, first) || (rows++ >= ROWS && !page->look->full))
			continue;
		tp_grid_row(&grid, p, page);
		tp_grid_about(&grid, p);
	}
	tp_grid_write(&grid, page->doc);
	tp_grid_release(&grid);
	if (rows > ROWS && !page->look->full)
		tp_text_say(page->doc, TP_PAINT_DIM, 0, 0,
			    "%zu more stand in points.csv; --report=full shows all.", rows - ROWS);
}

static void tell_saturation(const struct tp_asm_saturation *s, struct tp_str *out)
{
	tp_str_printf(out, "%s: %u independent ones saturate the core (", s->first->kernel,
		      s->count);
	tp_str_printf(out, "latency %.2f x %.2f in a cycle = %.1f", s->latency, s->ipc,
		      s->latency * s->ipc);
	if (s->model_ipc > 0)
		tp_str_printf(out, "; the model has %g in a cycle", s->model_ipc);
	tp_str_add(out, ")");
	if (s->whole > s->count)
		tp_str_printf(out, "; nothing is lost from %u on", s->whole);
	tp_str_add(out, ".");
}

/* --- series: instructions in a cycle against their number --- */

enum { COUNTS = 20 };

struct series {
	const char *kernel;
	const struct tp_point *of[COUNTS + 1]; /* by their numbers of instructions */
};

static void ipc_cell(struct tp_grid *grid, const void *point, const void *page)
{
	const struct tp_point *p = point;
	(void)page;
	tp_grid_number(grid, p->quality == TP_QUALITY_POOR ? TP_PAINT_PLAIN : TP_PAINT_STRONG,
		       tp_asm_row(p)->ipc, 2);
}

/* On a narrow page the least informative columns go first. */
#define AT(n)                                                                                      \
	.head = #n, .align = TP_RIGHT, TP_VIA(struct series, of[n]), .cell = ipc_cell, .none = ""
static const struct tp_grid_column series_columns[] = {
	{ "independent", TP_LEFT, 0, TP_SHOWS(struct series, kernel), .paint = TP_PAINT_STRONG },
	{ AT(1), .give = 1 },
	{ AT(2), .give = 1 },
	{ AT(3), .give = 3 },
	{ AT(4), .give = 1 },
	{ AT(5), .give = 4 },
	{ AT(6), .give = 1 },
	{ AT(7), .give = 3 },
	{ AT(8), .give = 1 },
	{ AT(9), .give = 2 },
	{ AT(10), .give = 1 },
	{ AT(11), .give = 3 },
	{ AT(12), .give = 1 },
	{ AT(13), .give = 5 },
	{ AT(14), .give = 4 },
	{ AT(15), .give = 5 },
	{ AT(16), .give = 1 },
	{ AT(17), .give = 5 },
	{ AT(18), .give = 4 },
	{ AT(19), .give = 5 },
	{ AT(20), .give = 1 },
};

static void series_row(const struct tp_page *page, const struct tp_point *first,
		       struct tp_grid *grid)
{
	struct series row = { .kernel = first->kernel };
	TP_EACH_POINT (p, page->run) {
		if (same_series(p, first))
			row.of[tp_asm_row(p)->count] = p;
	}
	tp_grid_row(grid, &row, page);
}

/* Whether all points of the run are of the series and fit into the table. */
static bool is_table(const struct tp_run *run, const struct tp_point *first)
{
	for (const struct tp_point *p = first; p < run->points + run->n_points; p++)
		if (same_table(p, first) &&
		    (!series_counts(run, p) || tp_asm_row(p)->count > COUNTS))
			return false;
	return tp_point_is_asm(first);
}

static void show_series(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_GRID(grid, series_columns);
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_group group = { .run = run->points[i].run,
					  .threads = run->points[i].threads,
					  .precision = "instructions in a cycle" };
		if (!tp_asm_series_begins(run, i) || !is_table(run, &run->points[i]))
			continue;
		if (!any) {
			/* The series of all runs stand in one table. */
			bool many = page->many_runs;
			page->many_runs = false;
			tp_page_title(page, "Assembly", &group);
			page->many_runs = many;
			tp_grid_heads(&grid);
		}
		any = true;
		series_row(page, &run->points[i], &grid);
	}
	if (any)
		tp_grid_write(&grid, page->doc);
}

static const char *predicted_cpu(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_asm_row(&run->points[i])->mca_cpu[0])
			return tp_asm_row(&run->points[i])->mca_cpu;
	return "";
}

static void page_of_asm(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	bool any = false;
	TP_EACH_POINT (p, run) {
		if (!tp_run_is_first(run, p, same_table) || (!page->look->full && is_table(run, p)))
			continue;
		any = true;
		show_group(page, p);
	}
	show_series(page);
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_asm_saturation s;
		TP_STR text = { 0 };
		if (!tp_asm_series_begins(run, i) || !tp_asm_saturation(run, i, &s))
			continue;
		tell_saturation(&s, &text);
		tp_page_explain(page, tp_str_text(&text));
	}
	if (any)
		tp_page_explain(page,
				"cycles: of an instruction. 1/tput: the same where none waits for "
				"another. latency: where each waits for the one before.");
	const char *cpu = any ? predicted_cpu(run) : "";
	if (*cpu)
		tp_text_say(page->doc, TP_PAINT_DIM, 0, 0, "llvm-mca: what it predicts for %s.",
			    cpu);
}

/* The extremes of several series. */
struct span {
	unsigned n, low_count, high_count;
	double low_latency, high_latency, low_ipc, high_ipc;
};

static void span_add(struct span *span, const struct tp_asm_saturation *s)
{
	bool first = span->n++ == 0;
	span->low_count = first ? s->count : TP_MIN(span->low_count, s->count);
	span->high_count = TP_MAX(span->high_count, s->count);
	span->low_latency = first ? s->latency : fmin(span->low_latency, s->latency);
	span->high_latency = fmax(span->high_latency, s->latency);
	span->low_ipc = first ? s->ipc : fmin(span->low_ipc, s->ipc);
	span->high_ipc = fmax(span->high_ipc, s->ipc);
}

static void tell_span(const struct span *span, double model_ipc, struct tp_str *out)
{
	tp_str_printf(out, "%u", span->low_count);
	if (span->low_count < span->high_count)
		tp_str_printf(out, " to %u", span->high_count);
	tp_str_printf(out, " independent ones saturate the core in all %u series", span->n);
	tp_str_printf(out, " (latency %.2f to %.2f, %.2f to %.2f in a cycle", span->low_latency,
		      span->high_latency, span->low_ipc, span->high_ipc);
	if (model_ipc > 0)
		tp_str_printf(out, "; the model has %g in a cycle", model_ipc);
	tp_str_add(out, ").");
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 6 };
	struct tp_asm_saturation s, last = { 0 };
	struct span span = { 0 };
	TP_STR text = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_asm_series_begins(run, i) && tp_asm_saturation(run, i, &s)) {
			span_add(&span, &s);
			last = s;
		}
	if (span.n == 1)
		tell_saturation(&last, &text);
	else if (span.n)
		tell_span(&span, last.model_ipc, &text);
	if (span.n)
		tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
	for (size_t i = 0; i < run->n_points && run->n_points <= MOST && !span.n; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_point_is_asm(&run->points[i]))
			continue;
		tp_conclude_add(&conclusion->limits, "%s, %s: %.3g cycles, %.3g in a cycle.",
				run->points[i].kernel, row->mode, row->cycles, row->ipc);
	}
}

const struct tp_reporter tp_reporter_asm = {
	.experiment = "asm",
	.place = 9,
	.page = page_of_asm,
	.conclude = conclude,
	.curves = draw_curves,
	.has_curves = has_curves,
};
