/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program on the page: how far to trust what was found, where each region stands and what would
 * move it, then tables of regions, levels, classes and functions; the regions of several runs.
 */
#include "experiments/app/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/app/place.h"
#include "report/pictures.h"
#include "doc/text.h"
#include "report/page.h"
#include "report/reporter.h"

/* A region on all threads, by the way of counting that came first. */
static bool is_shown(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_point *p = tp_run_point(run, row->point);
	return p && tp_app_is_whole(row) && tp_app_goes_by(p, row->source) &&
	       strcmp(row->region, TP_APP_OUTSIDE) != 0 && row->seconds > 0;
}

/* The threads that were asked for tell points apart; the first one of a kind is taken. */
static const struct tp_app_region_row *find_partner(const struct tp_run *run,
						    const struct tp_run *other,
						    const struct tp_app_region_row *row)
{
	unsigned wanted = tp_app_row(tp_run_point(other, row->point))->wanted_threads;
	TP_EACH_ROW (tp_app_region_row, r, run, app_regions) {
		if (is_shown(run, r) && strcmp(r->region, row->region) == 0 &&
		    tp_app_row(tp_run_point(run, r->point))->wanted_threads == wanted)
			return r;
	}
	return NULL;
}

/* Intervals that do not overlap are a difference. */
static const char *verdict_of(const struct tp_app_region_row *a, const struct tp_app_region_row *b,
			      enum tp_paint *paint)
{
	*paint = TP_PAINT_DIM;
	if (!(a->seconds_high > 0) || !(b->seconds_high > 0))
		return "one run";
	if (b->seconds_high < a->seconds_low) {
		*paint = TP_PAINT_GOOD;
		return "faster";
	}
	if (b->seconds_low > a->seconds_high) {
		*paint = TP_PAINT_BAD;
		return "slower";
	}
	return "same";
}

static const struct tp_grid_column version_columns[] = {
	{ "region", TP_LEFT, 0 },     { "threads", TP_RIGHT, 5 }, { "time A", TP_RIGHT, 0 },
	{ "", TP_RIGHT, 0 },	      { "speed", TP_RIGHT, 0 },	  { "verdict", TP_LEFT, 1 },
	{ "GFLOP/s A", TP_RIGHT, 2 }, { "", TP_RIGHT, 2 },	  { "AI A", TP_RIGHT, 3 },
	{ "", TP_RIGHT, 3 },
};

static void write_pair(struct tp_grid *grid, const struct tp_look *look,
		       const struct tp_app_region_row *a, const struct tp_app_region_row *b)
{
	char text[48];
	enum tp_paint paint;
	const char *words = verdict_of(a, b, &paint);
	tp_grid_clean(grid, look, TP_PAINT_STRONG, a->region);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", a->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_format_seconds(text, sizeof(text), a->seconds));
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_format_seconds(text, sizeof(text), b->seconds));
	tp_grid_printf(grid, paint, "%.3gx", a->seconds / b->seconds);
	tp_grid_text(grid, paint, words);
	tp_grid_number(grid, TP_PAINT_PLAIN, a->gflops, TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, b->gflops, TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, a->ai_flop_per_byte, TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, b->ai_flop_per_byte, TP_DECIMALS);
}

static void against_first(const struct tp_run *a, const struct tp_run *b, char letter,
			  struct tp_text *doc)
{
	bool any = false;
	TP_GRID(grid, version_columns);
	static const char *const names[] = { "time", "GFLOP/s", "AI" };
	size_t name = 0;
	for (size_t c = 0; c < TP_COUNT_OF(version_columns); c++) {
		char text[24];
		if (!version_columns[c].head[0])
			snprintf(text, sizeof(text), "%s %c", names[name++], letter);
		tp_grid_head(&grid, version_columns[c].head[0] ? version_columns[c].head : text);
	}
	TP_EACH_ROW (tp_app_region_row, row, a, app_regions) {
		const struct tp_app_region_row *other =
			is_shown(a, row) ? find_partner(b, a, row) : NULL;
		if (!other)
			continue;
		write_pair(&grid, doc->look, row, other);
		any = true;
	}
	if (any) {
		TP_STR title = { 0 };
		tp_str_printf(&title, "%c against A%sregions of programs", letter,
			      tp_text_dot(doc->look));
		tp_text_title(doc, tp_str_text(&title));
		tp_grid_write(&grid, doc);
	}
}

void tp_app_compare(const struct tp_run *const *runs, size_t n, struct tp_text *doc)
{
	for (size_t i = 1; i < n; i++)
		against_first(runs[0], runs[i], (char)('A' + i), doc);
}

/* Classes with less of the instructions are no bar. */
#define LEAST_PERCENT 0.05

bool tp_app_is_told(const struct tp_point *point, const struct tp_app_region_row *row)
{
	return row->point == point->point && row->run == point->run && tp_app_is_whole(row) &&
	       tp_app_goes_by(point, row->source) && strcmp(row->region, TP_APP_OUTSIDE) != 0;
}

/* Classes of instructions, the most frequent first; extensions (isa_) are another view of them. */
static bool is_kind(const struct tp_app_class_row *c)
{
	static const char *const besides[] = { "instructions", "loads",	       "stores",
					       "gathers",      "scatters",     "masked",
					       "fp_divides",   "locked",       "chain_cycles",
					       "chained_fp",   "chained_loads" };
	if (c->percent < LEAST_PERCENT || strncmp(c->name, "isa_", 4) == 0)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(besides); i++)
		if (strcmp(c->name, besides[i]) == 0)
			return false;
	return true;
}

size_t tp_app_top_classes(const struct tp_run *run, const struct tp_point *p,
			  const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN])
{
	size_t n = 0;
	TP_EACH_ROW (tp_app_class_row, c, run, app_classes) {
		if (c->point != p->point || c->run != p->run || !is_kind(c) ||
		    strcmp(c->region, TP_APP_PROGRAM) != 0 || !tp_app_goes_by(p, c->source))
			continue;
		size_t at = n < TP_APP_CLASSES_SHOWN ? n++ : TP_APP_CLASSES_SHOWN - 1;
		if (at == TP_APP_CLASSES_SHOWN - 1 && n == TP_APP_CLASSES_SHOWN && top[at] &&
		    top[at]->count > c->count)
			continue;
		for (; at > 0 && top[at - 1]->count < c->count; at--)
			top[at] = top[at - 1];
		top[at] = c;
	}
	return n;
}

enum { FUNCTIONS_MAX = 10, BAR_CELLS = 30, ROWS_MAX = 60 };

static bool is_of(const struct tp_app_region_row *row, const struct tp_point *p)
{
	return row->point == p->point && row->run == p->run;
}

static const struct tp_app_region_row *program_row(const struct tp_run *run,
						   const struct tp_point *p)
{
	TP_EACH_ROW (tp_app_region_row, row, run, app_regions) {
		/* The way of counting that came first: others are there to be compared with it. */
		if (is_of(row, p) && tp_app_goes_by(p, row->source) &&
		    strcmp(row->region, TP_APP_PROGRAM) == 0)
			return row;
	}
	return NULL;
}

/* --- processes --- */

static bool is_process_of(const struct tp_app_process_row *row, const struct tp_point *point)
{
	return row->point == point->point && row->run == point->run &&
	       tp_app_goes_by(point, row->source);
}

void tp_app_where_text(const struct tp_run *run, const struct tp_point *point, struct tp_str *out)
{
	const unsigned threads = tp_app_row(point)->ran_threads;
	unsigned n = 0;
	TP_EACH_ROW (tp_app_process_row, row, run, app_processes) {
		if (is_process_of(row, point) && !row->uncounted[0] &&
		    strcmp(row->process, "all") == 0)
			n += row->processes;
	}
	if (n > 1)
		tp_str_printf(out, "in %u processes", n);
	else
		tp_str_printf(out, "on %u thread%s", threads, threads == 1 ? "" : "s");
}

bool tp_app_job_text(const struct tp_run *run, const struct tp_point *point, struct tp_str *out)
{
	const struct tp_app_process_row *slow = NULL;
	TP_FREE double *x = tp_alloc(TP_APP_PROCESS_ROWS_MAX, sizeof(*x));
	const struct tp_app_region_row *program = program_row(run, point);
	double start = 0;
	char a[48], b[48];
	size_t n = 0;
	TP_EACH_ROW (tp_app_process_row, row, run, app_processes) {
		if (!is_process_of(row, point) || !tp_app_is_rank(row) ||
		    n == TP_APP_PROCESS_ROWS_MAX)
			continue;
		x[n++] = tp_app_computing(row);
		start = fmax(start, row->start_seconds);
		if (row->slow && (!slow || tp_app_computing(row) > tp_app_computing(slow)))
			slow = row;
	}
	if (!n || !program)
		return false;
	tp_sort_doubles(x, n);
	tp_str_printf(out, "MPI job of %zu rank%s: %.0f %% of their time after MPI_Init is in MPI",
		      n, n == 1 ? "" : "s", program->mpi_percent);
	if (slow)
		tp_str_printf(out, "; rank %s is slow: it computes for %s, the median rank for %s",
			      slow->rank, tp_format_seconds(a, sizeof(a), tp_app_computing(slow)),
			      tp_format_seconds(b, sizeof(b), tp_median_sorted(x, n)));
	tp_str_printf(out, ". MPI_Init returns after %s; times of the job begin there.",
		      tp_format_seconds(a, sizeof(a), start));
	return true;
}

/* --- words --- */

static void say_trust(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_app_row *app = tp_app_row(p);
	const struct tp_app_region_row *row = program_row(page->run, p);
	TP_STR text = { 0 };
	char seconds[48];
	tp_str_printf(&text, "Counted by %s ", app->source);
	tp_app_where_text(page->run, p, &text);
	if (app->time_seconds > 0 && app->counted_seconds > 0)
		tp_str_printf(&text, ", in %.3g times the time",
			      app->counted_seconds / app->time_seconds);
	if (app->time_seconds > 0)
		tp_str_printf(&text, "; timed without that %u times: %s", p->kept,
			      tp_format_seconds(seconds, sizeof(seconds), app->time_seconds));
	if (app->time_seconds > 0 && p->ci_high > 0)
		tp_str_printf(&text, " %s%.1f %%", tp_text_plus_minus(page->look),
			      tp_page_half_width(app->time_seconds, p->ci_low, p->ci_high));
	if (app->signal)
		tp_str_printf(&text,
			      ". The program died of signal %u; what it did before is counted",
			      app->signal);
	else if (app->exit_status)
		tp_str_printf(&text, ". The program ended with status %u", app->exit_status);
	if (row && row->uncounted_percent > 0)
		tp_str_printf(&text,
			      ". %.2g %% of its CPU time is that of programs that were not "
			      "counted",
			      row->uncounted_percent);
	if (row && row->trust[0])
		tp_str_printf(&text, ". Trust: %s%s%s", row->trust, row->reasons[0] ? ": " : "",
			      row->reasons);
	tp_str_add(&text, ".");
	tp_page_explain(page, tp_str_text(&text));
}

static void tell_region(struct tp_page *page, const struct tp_app_region_row *row)
{
	struct tp_app_advice advice[TP_APP_MOVES_MAX];
	struct tp_app_roofs roofs;
	struct tp_str text = { 0 };
	tp_app_find_roofs(page->run, row, &roofs);
	size_t n = tp_app_advise(row, &roofs, advice);
	bool whole = strcmp(row->region, TP_APP_PROGRAM) == 0;
	tp_text_clean(&text, whole ? "The program" : row->region, page->look);
	tp_str_add(&text, ": ");
	tp_app_sentence(row, &text);
	tp_str_add(&text, ".");
	if (!whole && strcmp(row->trust, "good") != 0)
		tp_str_printf(&text, " (%s: %s)", row->trust, row->reasons);
	tp_text_wrap(page->doc, TP_PAINT_STRONG, tp_str_text(&text), 0, 0);
	tp_str_release(&text);
	for (size_t i = 0; i < n; i++)
		tp_text_item(page->doc, TP_PAINT_PLAIN, advice[i].text);
}

/* --- processes --- */

static const struct tp_grid_column process_columns[] = {
	{ "program", TP_LEFT, 0 },	 { "rank", TP_RIGHT, 1 },  { "processes", TP_RIGHT, 2 },
	{ "threads", TP_RIGHT, 5 },	 { "time", TP_RIGHT, 1 },  { "CPU", TP_RIGHT, 1 },
	{ "MPI", TP_RIGHT, 1 },		 { "FLOPs", TP_RIGHT, 0 }, { "bytes", TP_RIGHT, 4 },
	{ "instructions", TP_RIGHT, 3 }, { "", TP_LEFT, 0 },
};

static void process_line(const struct tp_page *page, struct tp_grid *grid,
			 const struct tp_app_process_row *row)
{
	char text[48];
	bool whole = strcmp(row->process, "all") == 0;
	tp_grid_clean(grid, page->look, TP_PAINT_STRONG, row->program);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->rank);
	if (whole)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", row->processes);
	else
		tp_grid_printf(grid, TP_PAINT_PLAIN, "no. %s", row->process);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", row->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     row->seconds > 0 ? tp_format_seconds(text, sizeof(text), row->seconds) : "-");
	if (whole && row->cpu_seconds > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f%%", row->cpu_percent);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	if (row->start_seconds > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f%%", row->mpi_percent);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	if (row->uncounted[0]) {
		for (int i = 0; i < 3; i++)
			tp_grid_text(grid, TP_PAINT_DIM, "not counted");
	} else {
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.4g", (double)row->flops);
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.4g", (double)row->bytes);
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.4g", (double)row->instructions);
	}
	tp_grid_text(grid, TP_PAINT_WARN, row->slow ? "slow" : "");
}

/* The least, the middle and the most of what ranks have. */
static void lines_of_ranks(const struct tp_page *page, const struct tp_point *p,
			   struct tp_grid *grid)
{
	static const char *const names[] = { "least", "median", "most" };
	enum { TIME, MPI, FLOPS, BYTES, INSTRUCTIONS, KINDS };
	static double x[KINDS][TP_APP_PROCESS_ROWS_MAX];
	char text[48];
	size_t n = 0;
	TP_EACH_ROW (tp_app_process_row, row, page->run, app_processes) {
		if (!is_process_of(row, p) || !tp_app_is_rank(row) || n == TP_APP_PROCESS_ROWS_MAX)
			continue;
		x[TIME][n] = row->seconds;
		x[MPI][n] = row->mpi_percent;
		x[FLOPS][n] = (double)row->flops;
		x[BYTES][n] = (double)row->bytes;
		x[INSTRUCTIONS][n++] = (double)row->instructions;
	}
	for (int k = 0; k < KINDS; k++)
		tp_sort_doubles(x[k], n);
	for (size_t i = 0; i < TP_COUNT_OF(names) && n > 2; i++) {
		double of[KINDS];
		for (int k = 0; k < KINDS; k++)
			of[k] = i == 0 ? x[k][0] : i == 1 ? tp_median_sorted(x[k], n) : x[k][n - 1];
		tp_grid_printf(grid, TP_PAINT_DIM, "%s of %zu ranks", names[i], n);
		for (int k = 0; k < 3; k++)
			tp_grid_text(grid, TP_PAINT_DIM, "");
		tp_grid_text(grid, TP_PAINT_DIM, tp_format_seconds(text, sizeof(text), of[TIME]));
		tp_grid_text(grid, TP_PAINT_DIM, "");
		tp_grid_printf(grid, TP_PAINT_DIM, "%.0f%%", of[MPI]);
		for (int k = FLOPS; k < KINDS; k++)
			tp_grid_printf(grid, TP_PAINT_DIM, "%.4g", of[k]);
		tp_grid_text(grid, TP_PAINT_DIM, "");
	}
}

/* Programs and ranks; single processes are in the full report, and in app_processes.csv. */
static void table_of_processes(struct tp_page *page, const struct tp_point *p)
{
	enum { LINES_MAX = 24 };
	size_t n = 0, more = 0;
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	tp_page_table(page, &grid, process_columns, TP_COUNT_OF(process_columns));
	TP_EACH_ROW (tp_app_process_row, row, page->run, app_processes) {
		if (!is_process_of(row, p) ||
		    (strcmp(row->process, "all") != 0 && !page->look->full))
			continue;
		if (n >= LINES_MAX && !page->look->full && !row->slow && !row->uncounted[0]) {
			more++;
			continue;
		}
		process_line(page, &grid, row);
		n++;
	}
	lines_of_ranks(page, p, &grid);
	tp_page_grid(page, &grid);
	if (more) {
		TP_STR text = { 0 };
		tp_str_printf(&text,
			      "%zu more are in the full report (--report=full) and in "
			      "app_processes.csv.",
			      more);
		tp_page_explain(page, tp_str_text(&text));
	}
}

/* --- tables --- */

static const struct tp_grid_column region_columns[] = {
	{ "region", TP_LEFT, 0 },   { "threads", TP_RIGHT, 6 }, { "thread", TP_RIGHT, 5 },
	{ "counted", TP_LEFT, 7 },  { "time", TP_RIGHT, 1 },	{ "\u00b1%", TP_RIGHT, 4 },
	{ "GFLOP/s", TP_RIGHT, 0 }, { "GB/s", TP_RIGHT, 1 },	{ "FLOP/byte", TP_RIGHT, 0 },
	{ "FLOPs", TP_RIGHT, 3 },   { "bytes", TP_RIGHT, 3 },	{ "scalar%", TP_RIGHT, 2 },
	{ "FMA%", TP_RIGHT, 2 },    { "entries", TP_RIGHT, 8 }, { "roof", TP_LEFT, 1 },
	{ "of roof", TP_RIGHT, 1 }, { "trust", TP_LEFT, 2 },
};

static void region_line(const struct tp_page *page, struct tp_grid *grid,
			const struct tp_app_region_row *row)
{
	char text[48];
	tp_grid_clean(grid, page->look, TP_PAINT_STRONG, row->region);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", row->threads);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->thread);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->source);
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     row->seconds > 0 ? tp_format_seconds(text, sizeof(text), row->seconds) : "-");
	double half = tp_page_half_width(row->seconds, row->seconds_low, row->seconds_high);
	if (row->seconds_high > 0 && isfinite(half))
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f", half);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_number(grid, TP_PAINT_STRONG, tp_page_rate(row->gflops), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->gbps), TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(row->ai_flop_per_byte), TP_DECIMALS);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.3g", (double)tp_app_flops(row));
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.3g", (double)tp_app_bytes(row));
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f", row->scalar_percent);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f", row->fma_percent);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%llu", (unsigned long long)row->entries);
	tp_grid_text(grid, TP_PAINT_PLAIN, row->roof);
	if (row->roof_percent > 0)
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.3g%%", row->roof_percent);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_text(grid,
		     row->trust[0] == 'g'   ? TP_PAINT_GOOD
		     : row->trust[0] == 'f' ? TP_PAINT_WARN
					    : TP_PAINT_BAD,
		     row->trust);
}

static void table_of_regions(struct tp_page *page, const struct tp_point *p)
{
	size_t n = 0;
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	tp_page_table(page, &grid, region_columns, TP_COUNT_OF(region_columns));
	TP_EACH_ROW (tp_app_region_row, row, page->run, app_regions) {
		/* Single threads are many: the full report has them, and app_regions.csv. */
		if (!is_of(row, p) || (!tp_app_is_whole(row) && !page->look->full) ||
		    (n >= ROWS_MAX && !page->look->full))
			continue;
		region_line(page, &grid, row);
		n++;
	}
	tp_page_grid(page, &grid);
}

static const struct tp_grid_column level_columns[] = {
	{ "region", TP_LEFT, 0 }, { "level", TP_LEFT, 0 },	{ "bytes", TP_RIGHT, 0 },
	{ "share", TP_RIGHT, 1 }, { "FLOP/byte", TP_RIGHT, 0 }, { "GB/s", TP_RIGHT, 0 },
	{ "roof", TP_RIGHT, 1 },  { "of roof", TP_RIGHT, 0 },
};

static void level_lines(struct tp_page *page, struct tp_grid *grid,
			const struct tp_app_region_row *row)
{
	struct tp_app_roofs roofs;
	double all = 0;
	tp_app_find_roofs(page->run, row, &roofs);
	for (int l = 0; l < TP_APP_ROOF_LEVELS; l++)
		all += row->level_bytes[l];
	for (int l = 0; l < TP_APP_ROOF_LEVELS && all > 0; l++) {
		double bytes = row->level_bytes[l];
		double gbps = row->seconds > 0 ? 1e-9 * bytes / row->seconds : 0;
		if (!(bytes > 0))
			continue;
		tp_grid_clean(grid, page->look, TP_PAINT_STRONG, row->region);
		tp_grid_text(grid, TP_PAINT_PLAIN, tp_app_level_names[l]);
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.3g", bytes);
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.1f%%", 100 * bytes / all);
		tp_grid_number(grid, TP_PAINT_PLAIN, (double)tp_app_flops(row) / bytes,
			       TP_DECIMALS);
		tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(gbps), TP_DECIMALS);
		tp_grid_number(grid, TP_PAINT_PLAIN, tp_page_rate(roofs.gbps[l]), TP_DECIMALS);
		if (roofs.gbps[l] > 0 && gbps > 0)
			tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f%%", 100 * gbps / roofs.gbps[l]);
		else
			tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	}
}

static void table_of_levels(struct tp_page *page, const struct tp_point *p)
{
	TP_GRID(grid, level_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < tp_run_n_app_regions(page->run); i++)
		if (tp_app_is_told(p, &tp_run_app_regions(page->run)[i]))
			level_lines(page, &grid, &tp_run_app_regions(page->run)[i]);
	if (tp_page_grid(page, &grid))
		tp_page_explain(page, "Bytes that came from each level, by a model of the caches "
				      "that follows a sample of the addresses.");
}

static void bars_of_classes(struct tp_page *page, const struct tp_point *p)
{
	static const struct tp_grid_column columns[] = { { "instructions", TP_LEFT, 0 },
							 { "share", TP_RIGHT, 0 },
							 { "", TP_LEFT, 1 },
							 { "count", TP_RIGHT, 0 } };
	const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN] = { NULL };
	size_t n = tp_app_top_classes(page->run, p, top);
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n; i++) {
		TP_STR bar = { 0 };
		int cells = (int)lround(top[i]->percent * BAR_CELLS / 100);
		for (int k = 0; k < TP_MIN(cells, (int)BAR_CELLS); k++)
			tp_str_add(&bar, page->look->utf8 ? "\u2588" : "#");
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN, top[i]->name);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.1f%%", top[i]->percent);
		tp_grid_text(&grid, TP_PAINT_PLAIN, tp_str_text(&bar));
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.4g", (double)top[i]->count);
	}
	tp_page_grid(page, &grid);
}

static void table_of_functions(struct tp_page *page, const struct tp_point *p)
{
	static const struct tp_grid_column columns[] = { { "function", TP_LEFT, 0 },
							 { "file", TP_LEFT, 2 },
							 { "instructions", TP_RIGHT, 0 },
							 { "FLOPs", TP_RIGHT, 0 },
							 { "bytes", TP_RIGHT, 1 } };
	size_t n = 0;
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	TP_EACH_ROW (tp_app_function_row, f, page->run, app_functions) {
		if (f->point != p->point || f->run != p->run ||
		    (n >= FUNCTIONS_MAX && !page->look->full))
			continue;
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN,
			      f->function[0] ? f->function : "(no name)");
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN, f->module);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.1f%%", f->instructions_percent);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.1f%%", f->flops_percent);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.1f%%", f->bytes_percent);
		n++;
	}
	tp_page_grid(page, &grid);
}

static void title_of_point(struct tp_page *page, const struct tp_point *p, const char *what)
{
	const struct tp_app_row *app = tp_app_row(p);
	TP_STR title = { 0 };
	char threads[48];
	tp_str_add(&title, what);
	tp_text_clean(&title, app->command, page->look);
	if (app->wanted_threads)
		tp_str_printf(
			&title, "%s%s", tp_text_dot(page->look),
			tp_text_count(threads, sizeof(threads), app->wanted_threads, "thread"));
	tp_page_title(page, tp_str_text(&title), NULL);
}

/* Sentences stand before the digits that they rest on, and before the facts of the machine. */
static void lead_of_programs(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR roofs = { 0 };
	bool any = false;
	TP_EACH_POINT (p, run) {
		if (!tp_point_is_app(p) || p->state != TP_POINT_DONE)
			continue;
		title_of_point(page, p, "Program ");
		say_trust(page, p);
		TP_STR job = { 0 };
		if (tp_app_job_text(run, p, &job))
			tp_text_wrap(page->doc, TP_PAINT_STRONG, tp_str_text(&job), 0, 0);
		for (size_t k = 0; k < tp_run_n_app_regions(run); k++)
			if (tp_app_is_told(p, &tp_run_app_regions(run)[k]))
				tell_region(page, &tp_run_app_regions(run)[k]);
		any = true;
	}
	if (any && tp_app_roofs_text(page->run, &roofs))
		tp_page_explain(page, tp_str_text(&roofs));
	if (any)
		tp_text_gap(page->doc);
}

static void page_of_programs(struct tp_page *page)
{
	bool any = false;
	TP_EACH_POINT (p, page->run) {
		if (!tp_point_is_app(p) || p->state != TP_POINT_DONE)
			continue;
		title_of_point(page, p, "Counts of ");
		table_of_regions(page, p);
		table_of_processes(page, p);
		table_of_levels(page, p);
		bars_of_classes(page, p);
		table_of_functions(page, p);
		any = true;
	}
	if (any)
		tp_page_explain(
			page,
			"FLOP/byte: FLOPs over the bytes that the cores load and store, from "
			"whatever cache. GFLOP/s: FLOPs over the time of runs without "
			"instrumentation. of roof: in percent of what the roof allows at that "
			"intensity. scalar%, FMA%: shares of the FLOPs.");
}

/* --- conclusion and pictures --- */

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 6 };
	char threads[48];
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_app_regions(run) && n < MOST; i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		const struct tp_point *p = tp_run_point(run, row->point);
		TP_STR text = { 0 };
		if (!p || !tp_point_is_app(p) || !tp_app_is_told(p, row) ||
		    (!tp_app_flops(row) && !row->bound[0]))
			continue;
		tp_app_sentence(row, &text);
		tp_conclude_add(
			&conclusion->limits, "%s, %s, %s: %s.", p->kernel, row->region,
			tp_text_count(threads, sizeof(threads), row->busy_threads, "thread"),
			tp_str_text(&text));
		n++;
	}
}

/* Classes of instructions of each program. */
static void pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	TP_EACH_POINT (p, run) {
		const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN] = { NULL };
		struct tp_chart_bar bars[TP_APP_CLASSES_SHOWN];
		if (gallery->tables_too || !tp_point_is_app(p) || p->state != TP_POINT_DONE)
			continue;
		size_t n = tp_app_top_classes(run, p, top);
		struct tp_picture *picture = tp_picture_new();
		for (size_t k = 0; k < n; k++)
			bars[k] = (struct tp_chart_bar){
				.name = tp_picture_text(picture, "%s", top[k]->name),
				.text = tp_picture_text(picture, "%.1f %%", top[k]->percent),
				.value = top[k]->percent,
				.point = p,
			};
		bool drawn = n && tp_picture_bars(picture, bars, n, "% of instructions");
		picture->scene.title =
			tp_picture_text(picture, "Instructions of %s by class", p->kernel);
		tp_gallery_hang(gallery, picture, drawn);
	}
}

const struct tp_reporter tp_reporter_app = {
	.experiment = "app",
	.place = 0,
	.lead = lead_of_programs,
	.page = page_of_programs,
	.conclude = conclude,
	.compare = tp_app_compare,
	.again = "app.runs=20",
	.pictures = pictures,
	.pictures_last = true,
};
