/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variants of programs as a table, and the best of them in a sentence. */
#include "base/text.h"
#include "base/memory.h"
#include "experiments/program/pictures.h"
#include "experiments/program/variants.h"
#include "report/page.h"
#include "report/reporter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 60, QUALITY = 0, THREADS = 2, VALUE = 3, INTERVAL = 4, COLUMNS = 11 };

static const struct tp_grid_column columns[COLUMNS] = {
	[QUALITY] = { "quality", TP_LEFT, 0 },
	{ "variant", TP_LEFT, 0 },
	[THREADS] = { "threads", TP_RIGHT, 9 },
	[VALUE] = { NULL, TP_RIGHT, 0 },
	[INTERVAL] = { "\u00b1%", TP_RIGHT, 4 },
	{ "to best", TP_RIGHT, 1 },
	{ "time", TP_RIGHT, 6 },
	{ "CPU time", TP_RIGHT, 3 },
	{ "memory", TP_RIGHT, 7 },
	{ "runs", TP_RIGHT, 8 },
	{ "read", TP_LEFT, 2 },
};

static void seconds_cell(struct tp_grid *grid, double seconds)
{
	char text[48];
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     seconds > 0 ? tp_format_seconds(text, sizeof(text), seconds) : "-");
}

/* Why a variant has failed stands among the remarks of the run. */
static void failed_row(struct tp_grid *grid, const struct tp_page *page, const struct tp_point *p)
{
	tp_grid_text(grid, TP_PAINT_BAD, "failed");
	tp_grid_clean(grid, page->look, TP_PAINT_PLAIN, p->kernel);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	for (size_t c = VALUE; c < COLUMNS; c++)
		tp_grid_text(grid, TP_PAINT_PLAIN, c == VALUE ? "-" : "");
}

static void variant_row(struct tp_grid *grid, const struct tp_page *page, const struct tp_point *p,
			const struct tp_point *best)
{
	const struct tp_program_row *row = tp_program_row(p);
	char text[48];
	tp_page_quality(page, grid, p->quality, p->flags);
	tp_grid_clean(grid, page->look, p == best ? TP_PAINT_GOOD : TP_PAINT_STRONG, p->kernel);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	tp_grid_text(grid, TP_PAINT_STRONG, tp_program_text(p, p->median, text, sizeof(text)));
	tp_page_interval(grid, p, p->median, p->ci_low, p->ci_high);
	if (best && best->median > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.2fx", p->median / best->median);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	/* Where the metric is the time, the column would say it twice. */
	seconds_cell(grid, strcmp(row->metric, "time") == 0 ? 0 : row->time_seconds);
	seconds_cell(grid, row->user_seconds + row->system_seconds);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     row->max_rss_bytes ? tp_text_size(text, sizeof(text), row->max_rss_bytes)
					: "");
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->kept);
	tp_grid_clean(grid, page->look, TP_PAINT_PLAIN, row->values);
}

static void show_run(struct tp_page *page, unsigned index)
{
	const struct tp_run *run = page->run;
	const struct tp_point *best = tp_program_best(run, index), *any = NULL;
	size_t n = 0, left_out = 0;
	struct tp_grid_column shown[COLUMNS];
	struct tp_grid grid;
	memcpy(shown, columns, sizeof(shown));
	/* Where they tell variants apart, they stay. */
	if (tp_program_threads_vary(run, index))
		shown[THREADS].give = 0;
	tp_grid_init(&grid, shown, COLUMNS);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_program_is_of(p, index) ||
		    (p->state != TP_POINT_DONE && p->state != TP_POINT_FAILED))
			continue;
		if (!any) {
			any = p;
			for (size_t c = 0; c < COLUMNS; c++)
				tp_grid_head(&grid, c == VALUE ? tp_program_row(p)->metric
							       : tp_page_column_head(
									 page, columns[c].head));
		}
		if (n++ >= ROWS_MAX && !page->look->full)
			left_out++;
		else if (p->state == TP_POINT_FAILED)
			failed_row(&grid, page, p);
		else
			variant_row(&grid, page, p, best);
	}
	if (any) {
		tp_page_title(page, "Programs", NULL);
		tp_grid_write(&grid, page->look, page->out);
	}
	tp_grid_release(&grid);
	if (left_out) {
		char text[96];
		snprintf(text, sizeof(text), "%zu more variants: points.csv has them all.",
			 left_out);
		tp_page_explain(page, text);
	}
}

static bool is_first_of_its_run(const struct tp_run *run, size_t i)
{
	bool first = tp_point_is_program(&run->points[i]);
	for (size_t k = 0; k < i && first; k++)
		first = !tp_program_is_of(&run->points[k], run->points[i].run);
	return first;
}

static void page_of_programs(struct tp_page *page)
{
	bool any = false;
	unsigned last = UINT32_MAX;
	for (size_t i = 0; i < page->run->n_points; i++) {
		/* Points of a run follow each other: most need no look at all others. */
		if (page->run->points[i].run == last || !is_first_of_its_run(page->run, i))
			continue;
		last = page->run->points[i].run;
		show_run(page, last);
		any = true;
	}
	if (any)
		tp_page_explain(page,
				"to best: the metric over that of the best variant. CPU "
				"time: user and system, of all processes of a run. memory: "
				"of the largest process. A window is one run of the program.");
}

/* "sort level=3", and with how many threads where that differs. */
static void add_name(struct tp_str *out, const struct tp_run *run, const struct tp_point *p)
{
	char count[32];
	tp_str_add(out, p->kernel);
	if (tp_program_threads_vary(run, p->run))
		tp_str_printf(out, ", %s",
			      tp_text_count(count, sizeof(count), p->threads, "thread"));
}

static void conclude_run(const struct tp_run *run, unsigned index, struct tp_conclusion *conclusion)
{
	const struct tp_point *best = tp_program_best(run, index);
	const struct tp_point *worst = tp_program_worst(run, index);
	char value[48];
	size_t alike = 0;
	if (!best || best == worst)
		return;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		alike += p != best && tp_program_is_of(p, index) && p->state == TP_POINT_DONE &&
			 p->ci_low <= best->ci_high && p->ci_high >= best->ci_low;
	}
	struct tp_str text = { 0 };
	tp_str_printf(&text, "Best %s: ", tp_program_row(best)->metric);
	add_name(&text, run, best);
	tp_str_printf(&text, ": %s%s", tp_program_text(best, best->median, value, sizeof(value)),
		      best->quality == TP_QUALITY_POOR ? " (poor)" : "");
	if (alike)
		tp_str_printf(&text, "; the interval%s of %zu other%s overlap%s its own",
			      alike == 1 ? "" : "s", alike, alike == 1 ? "" : "s",
			      alike == 1 ? "s" : "");
	tp_str_add(&text, ". The worst, ");
	add_name(&text, run, worst);
	tp_str_printf(&text, ", has %.3g times as much.", worst->median / best->median);
	tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
	tp_str_release(&text);
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 3 };
	unsigned last = UINT32_MAX, n = 0;
	for (size_t i = 0; i < run->n_points && n < MOST; i++) {
		if (run->points[i].run == last || !is_first_of_its_run(run, i))
			continue;
		last = run->points[i].run;
		conclude_run(run, last, conclusion);
		n++;
	}
}

const struct tp_reporter tp_reporter_program = {
	.experiment = "program",
	.place = 34,
	.page = page_of_programs,
	.conclude = conclude,
	.again = "program.runs=20",
	.pictures = tp_program_pictures,
	.curves = tp_program_curves,
	.has_curves = tp_program_has_curves,
};
