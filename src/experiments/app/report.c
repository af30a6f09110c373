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
#include "base/process.h"
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

/* Requested threads distinguish points; the first one of a kind is taken. */
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

/* A region in two runs. */
struct pair {
	const struct tp_app_region_row *a, *b;
	const char *verdict;
	enum tp_paint paint;
};

static const void *of_a(const void *row)
{
	return ((const struct pair *)row)->a;
}

static const void *of_b(const void *row)
{
	return ((const struct pair *)row)->b;
}

static double speed_of(const void *row)
{
	return ((const struct pair *)row)->a->seconds / ((const struct pair *)row)->b->seconds;
}

static enum tp_paint paint_of_pair(const void *row)
{
	return ((const struct pair *)row)->paint;
}

#define REGION(name) TP_SHOWS(struct tp_app_region_row, name)
#define A(name)	     REGION(name), .of = of_a
#define B(name)	     REGION(name), .of = of_b
enum { COMPARED_FROM = 2 }; /* columns from here on belong to one of both */
static const struct tp_grid_column version_columns[] = {
	{ "region", TP_LEFT, 0, A(region), .paint = TP_PAINT_STRONG },
	{ "threads", TP_RIGHT, 5, A(threads) },
	{ "time", TP_RIGHT, 0, A(seconds), .as = TP_AS_SECONDS },
	{ "time", TP_RIGHT, 0, B(seconds), .as = TP_AS_SECONDS },
	{ "speed", TP_RIGHT, 0, .value = speed_of, .as = TP_AS_TIMES, .digits = 3,
	  .paint_of = paint_of_pair },
	{ "verdict", TP_LEFT, 1, TP_SHOWS(struct pair, verdict), .paint_of = paint_of_pair },
	{ "GFLOP/s", TP_RIGHT, 2, A(gflops) },
	{ "GFLOP/s", TP_RIGHT, 2, B(gflops) },
	{ "AI", TP_RIGHT, 3, A(ai_flop_per_byte) },
	{ "AI", TP_RIGHT, 3, B(ai_flop_per_byte) },
};

void tp_app_compare_pair(const struct tp_app_version *a, const struct tp_app_version *b,
			 const char *title, struct tp_text *doc)
{
	TP_GRID(grid, version_columns);
	for (size_t c = 0; c < TP_COUNT_OF(version_columns); c++) {
		const struct tp_grid_column *column = &version_columns[c];
		char text[24];
		const bool compared = c >= COMPARED_FROM && column->of;
		if (compared)
			snprintf(text, sizeof(text), "%s %s", column->head,
				 column->of == of_a ? a->name : b->name);
		tp_grid_head(&grid, compared ? text : column->head);
	}
	TP_EACH_ROW (tp_app_region_row, row, a->run, app_regions) {
		const struct tp_app_region_row *other =
			is_shown(a->run, row) ? find_partner(b->run, a->run, row) : NULL;
		if (!other)
			continue;
		struct pair pair = { row, other };
		pair.verdict = verdict_of(row, other, &pair.paint);
		tp_grid_row(&grid, &pair, NULL);
	}
	if (tp_grid_n_rows(&grid) > 1) {
		tp_text_title(doc, title);
		tp_grid_write(&grid, doc);
	}
}

static void compare_programs(const struct tp_run *const *runs, size_t n, struct tp_text *doc)
{
	for (size_t i = 1; i < n; i++) {
		const char letter[2] = { (char)('A' + i), '\0' };
		TP_STR title = { 0 };
		tp_str_printf(&title, "%s against A%sregions of programs", letter,
			      tp_text_dot(doc->look));
		tp_app_compare_pair(&(struct tp_app_version){ runs[0], "A" },
				    &(struct tp_app_version){ runs[i], letter },
				    tp_str_text(&title), doc);
	}
}

/* Classes with less of the instructions are not a bar. */
#define LEAST_PERCENT 0.05

/* A region of that point on all threads, as the first way of counting saw it; not `(outside)`. */
static bool is_told(const struct tp_point *point, const struct tp_app_region_row *row)
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

enum { CLASSES_SHOWN = 12 };

/*
 * The classes of instructions of the whole program that are shares of all its instructions, most
 * frequent first; returns how many. Extensions (isa_) are another view of them.
 */
static size_t top_classes(const struct tp_run *run, const struct tp_point *p,
			  const struct tp_app_class_row *top[CLASSES_SHOWN])
{
	size_t n = 0;
	TP_EACH_ROW (tp_app_class_row, c, run, app_classes) {
		if (c->point != p->point || c->run != p->run || !is_kind(c) ||
		    strcmp(c->region, TP_APP_PROGRAM) != 0 || !tp_app_goes_by(p, c->source))
			continue;
		size_t at = n < CLASSES_SHOWN ? n++ : CLASSES_SHOWN - 1;
		if (at == CLASSES_SHOWN - 1 && n == CLASSES_SHOWN && top[at] &&
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

/* --- dots --- */

/* A rate as written in files, and as computed. */
#define SAME_RATE 1e-6

/* A dot has the name of its region, or of the program where that has no regions. */
static bool is_named(const struct tp_app_region_row *row, const struct tp_dot *dot)
{
	return strncmp(row->region, dot->fp_op, sizeof(dot->fp_op) - 1) == 0;
}

/* Its rate is that of its region; regions that share a rate differ in name. */
const struct tp_app_region_row *tp_app_dot_region(const struct tp_run *run,
						  const struct tp_dot *dot)
{
	const struct tp_point *p = tp_run_point(run, dot->point);
	const struct tp_app_region_row *found = NULL;
	TP_EACH_ROW (tp_app_region_row, row, run, app_regions) {
		if (p && tp_point_is_app(p) && is_told(p, row) &&
		    fabs(row->gflops - dot->gflops) <= SAME_RATE * dot->gflops &&
		    (!found || is_named(row, dot)))
			found = row;
	}
	return found;
}

/* The dot of a region, below its roof if each level has a dot; NULL = none. */
static const struct tp_dot *dot_of(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_dot *found = NULL;
	TP_EACH_ROW (tp_dot, dot, run, dots) {
		if (dot->point == row->point && tp_app_dot_region(run, dot) == row &&
		    (!found || strcmp(dot->level, row->roof) == 0))
			found = dot;
	}
	return found;
}

size_t tp_app_what_ifs(const struct tp_run *run, const struct tp_dot *dot,
		       struct tp_app_advice advice[TP_APP_MOVES_MAX])
{
	const struct tp_app_region_row *row = tp_app_dot_region(run, dot);
	struct tp_app_roofs roofs;
	size_t n = 0;
	if (!row)
		return 0;
	tp_app_find_roofs(run, row, &roofs);
	const size_t all = tp_app_advise(row, &roofs, advice);
	for (size_t i = 0; i < all; i++)
		if (advice[i].gflops > 0)
			advice[n++] = advice[i];
	return n;
}

/* --- processes --- */

static bool is_process_of(const struct tp_app_process_row *row, const struct tp_point *point)
{
	return row->point == point->point && row->run == point->run &&
	       tp_app_goes_by(point, row->source);
}

/* "on 4 threads", or "in 12 processes". */
static void add_where(const struct tp_run *run, const struct tp_point *point, struct tp_str *out)
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

/* Sentences on an MPI job: its time in MPI, and the rank that the others wait for; false = none. */
static bool add_job(const struct tp_run *run, const struct tp_point *point, struct tp_str *out)
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
	add_where(page->run, p, &text);
	if (app->time_seconds > 0 && app->counted_seconds > 0)
		tp_str_printf(&text, ", in %.3g times the time",
			      app->counted_seconds / app->time_seconds);
	if (p->state == TP_POINT_PLANNED)
		tp_str_add(&text, "; timed once so far");
	else if (app->time_seconds > 0)
		tp_str_printf(&text, "; timed without that %u times: %s", p->kept,
			      tp_format_seconds(seconds, sizeof(seconds), app->time_seconds));
	if (app->time_seconds > 0 && p->ci_high > 0)
		tp_str_printf(&text, " %s%.1f %%", tp_text_plus_minus(page->look),
			      tp_page_half_width(app->time_seconds, p->ci_low, p->ci_high));
	if (app->signal) {
		tp_str_add(&text, ". The program ");
		tp_process_end_text((struct tp_process_end){ .signal = (int)app->signal }, &text);
		tp_str_add(&text, "; what it did before is counted");
	} else if (app->exit_status) {
		tp_str_printf(&text, ". The program ended with status %u", app->exit_status);
	}
	if (row && row->uncounted_percent > 0)
		tp_str_printf(
			&text,
			". %.2g %% of its CPU time was spent in programs that were not counted",
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

static bool is_whole_program(const void *row)
{
	return strcmp(((const struct tp_app_process_row *)row)->process, "all") == 0;
}

static void processes_cell(struct tp_grid *grid, const void *of, const void *context)
{
	const struct tp_app_process_row *row = of;
	(void)context;
	if (is_whole_program(row))
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", row->processes);
	else
		tp_grid_printf(grid, TP_PAINT_PLAIN, "no. %s", row->process);
}

static bool has_cpu(const void *row)
{
	return is_whole_program(row) && ((const struct tp_app_process_row *)row)->cpu_seconds > 0;
}

static bool has_mpi(const void *row)
{
	return ((const struct tp_app_process_row *)row)->start_seconds > 0;
}

static bool is_counted(const void *row)
{
	return !((const struct tp_app_process_row *)row)->uncounted[0];
}

static bool is_slow(const void *row)
{
	return ((const struct tp_app_process_row *)row)->slow;
}

static void slow_cell(struct tp_grid *grid, const void *row, const void *context)
{
	(void)row;
	(void)context;
	tp_grid_text(grid, TP_PAINT_WARN, "slow");
}

#define PROCESS(name) TP_SHOWS(struct tp_app_process_row, name)
#define COUNT(name)                                                                                \
	PROCESS(name), .as = TP_AS_DIGITS, .digits = 4, .when = is_counted, .none = "not counted"
static const struct tp_grid_column process_columns[] = {
	{ "program", TP_LEFT, 0, PROCESS(program), .paint = TP_PAINT_STRONG },
	{ "rank", TP_RIGHT, 1, PROCESS(rank) },
	{ "processes", TP_RIGHT, 2, .cell = processes_cell },
	{ "threads", TP_RIGHT, 5, PROCESS(threads) },
	{ "time", TP_RIGHT, 1, PROCESS(seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "CPU", TP_RIGHT, 1, PROCESS(cpu_percent), .as = TP_AS_PERCENT, .when = has_cpu },
	{ "MPI", TP_RIGHT, 1, PROCESS(mpi_percent), .as = TP_AS_PERCENT, .when = has_mpi,
	  .none = "" },
	{ "FLOPs", TP_RIGHT, 0, COUNT(flops) },
	{ "bytes", TP_RIGHT, 4, COUNT(bytes) },
	{ "instructions", TP_RIGHT, 3, COUNT(instructions) },
	{ "", TP_LEFT, 0, .cell = slow_cell, .when = is_slow, .none = "" },
};

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
		tp_grid_row(&grid, row, page);
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

static double half_of(const void *of)
{
	const struct tp_app_region_row *row = of;
	return row->seconds_high > 0
		       ? tp_page_half_width(row->seconds, row->seconds_low, row->seconds_high)
		       : NAN;
}

static double flops_of(const void *row)
{
	return (double)tp_app_flops(row);
}

static double bytes_of(const void *row)
{
	return (double)tp_app_bytes(row);
}

static enum tp_paint paint_of_trust(const void *row)
{
	const char trust = ((const struct tp_app_region_row *)row)->trust[0];
	return trust == 'g' ? TP_PAINT_GOOD : trust == 'f' ? TP_PAINT_WARN : TP_PAINT_BAD;
}

static const struct tp_grid_column region_columns[] = {
	{ "region", TP_LEFT, 0, REGION(region), .paint = TP_PAINT_STRONG },
	{ "threads", TP_RIGHT, 6, REGION(threads) },
	{ "thread", TP_RIGHT, 5, REGION(thread) },
	{ "counted", TP_LEFT, 7, REGION(source) },
	{ "time", TP_RIGHT, 1, REGION(seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "\u00b1%", TP_RIGHT, 4, .value = half_of, .as = TP_AS_FIXED, .digits = 1, .none = "" },
	{ "GFLOP/s", TP_RIGHT, 0, REGION(gflops), .positive = true, .paint = TP_PAINT_STRONG },
	{ "GB/s", TP_RIGHT, 1, REGION(gbps), .positive = true },
	{ "FLOP/byte", TP_RIGHT, 0, REGION(ai_flop_per_byte), .positive = true },
	{ "FLOPs", TP_RIGHT, 3, .value = flops_of, .as = TP_AS_DIGITS, .digits = 3 },
	{ "bytes", TP_RIGHT, 3, .value = bytes_of, .as = TP_AS_DIGITS, .digits = 3 },
	{ "scalar%", TP_RIGHT, 2, REGION(scalar_percent), .as = TP_AS_FIXED },
	{ "FMA%", TP_RIGHT, 2, REGION(fma_percent), .as = TP_AS_FIXED },
	{ "entries", TP_RIGHT, 8, REGION(entries) },
	{ "roof", TP_LEFT, 1, REGION(roof) },
	{ "of roof", TP_RIGHT, 1, REGION(roof_percent), .as = TP_AS_SHARE, .digits = 3,
	  .positive = true, .none = "" },
	{ "trust", TP_LEFT, 2, REGION(trust), .paint_of = paint_of_trust },
};

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
		tp_grid_row(&grid, row, page);
		tp_grid_about(&grid, dot_of(page->run, row));
		n++;
	}
	tp_page_grid(page, &grid);
}

/* The bytes of a region that came from a level. */
struct level_row {
	const char *region, *level;
	double bytes, share, ai_flop_per_byte, gbps, roof_gbps, roof_percent;
};

#define LEVEL(name) TP_SHOWS(struct level_row, name)
static const struct tp_grid_column level_columns[] = {
	{ "region", TP_LEFT, 0, LEVEL(region), .paint = TP_PAINT_STRONG },
	{ "level", TP_LEFT, 0, LEVEL(level) },
	{ "bytes", TP_RIGHT, 0, LEVEL(bytes), .as = TP_AS_DIGITS, .digits = 3 },
	{ "share", TP_RIGHT, 1, LEVEL(share), .as = TP_AS_PERCENT, .digits = 1 },
	{ "FLOP/byte", TP_RIGHT, 0, LEVEL(ai_flop_per_byte) },
	{ "GB/s", TP_RIGHT, 0, LEVEL(gbps), .positive = true },
	{ "roof", TP_RIGHT, 1, LEVEL(roof_gbps), .positive = true },
	{ "of roof", TP_RIGHT, 0, LEVEL(roof_percent), .as = TP_AS_PERCENT, .positive = true },
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
		tp_grid_row(grid,
			    &(struct level_row){
				    row->region, tp_app_level_names[l], bytes, 100 * bytes / all,
				    (double)tp_app_flops(row) / bytes, gbps, roofs.gbps[l],
				    roofs.gbps[l] > 0 ? 100 * gbps / roofs.gbps[l] : 0 },
			    page);
	}
}

static void table_of_levels(struct tp_page *page, const struct tp_point *p)
{
	TP_GRID(grid, level_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < tp_run_n_app_regions(page->run); i++)
		if (is_told(p, &tp_run_app_regions(page->run)[i]))
			level_lines(page, &grid, &tp_run_app_regions(page->run)[i]);
	if (tp_page_grid(page, &grid))
		tp_page_explain(page, "Bytes that came from each level, by a model of the caches "
				      "that follows a sample of the addresses.");
}

static double share_of(const void *row)
{
	return ((const struct tp_app_class_row *)row)->percent / 100;
}

#define CLASS(name) TP_SHOWS(struct tp_app_class_row, name)
static const struct tp_grid_column class_columns[] = {
	{ "instructions", TP_LEFT, 0, CLASS(name) },
	{ "share", TP_RIGHT, 0, CLASS(percent), .as = TP_AS_PERCENT, .digits = 1 },
	{ "", TP_LEFT, 1, .value = share_of, .as = TP_AS_BAR, .digits = BAR_CELLS },
	{ "count", TP_RIGHT, 0, CLASS(count), .as = TP_AS_DIGITS, .digits = 4 },
};

static void bars_of_classes(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_app_class_row *top[CLASSES_SHOWN] = { NULL };
	size_t n = top_classes(page->run, p, top);
	TP_GRID(grid, class_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n; i++)
		tp_grid_row(&grid, top[i], page);
	tp_page_grid(page, &grid);
}

#define FUNCTION(name) TP_SHOWS(struct tp_app_function_row, name)
#define PART(name)     FUNCTION(name), .as = TP_AS_PERCENT, .digits = 1
static const struct tp_grid_column function_columns[] = {
	{ "function", TP_LEFT, 0, FUNCTION(function), .none = "(no name)" },
	{ "file", TP_LEFT, 2, FUNCTION(module) },
	{ "instructions", TP_RIGHT, 0, PART(instructions_percent) },
	{ "FLOPs", TP_RIGHT, 0, PART(flops_percent) },
	{ "bytes", TP_RIGHT, 1, PART(bytes_percent) },
};

static void table_of_functions(struct tp_page *page, const struct tp_point *p)
{
	size_t n = 0;
	TP_GRID(grid, function_columns);
	tp_grid_heads(&grid);
	TP_EACH_ROW (tp_app_function_row, f, page->run, app_functions) {
		if (f->point != p->point || f->run != p->run ||
		    (n >= FUNCTIONS_MAX && !page->look->full))
			continue;
		tp_grid_row(&grid, f, page);
		n++;
	}
	tp_page_grid(page, &grid);
}

static void title_of_point(struct tp_page *page, const struct tp_point *p, const char *what)
{
	const struct tp_app_row *app = tp_app_row(p);
	TP_STR title = { 0 };
	char threads[48];
	tp_str_printf(&title, "%s%s", what, app->command);
	if (app->wanted_threads)
		tp_str_printf(
			&title, "%s%s", tp_text_dot(page->look),
			tp_text_count(threads, sizeof(threads), app->wanted_threads, "thread"));
	tp_page_title(page, tp_str_text(&title), NULL);
}

/* Finished, or timed once so far. */
static bool has_results(const struct tp_run *run, const struct tp_point *p)
{
	if (!tp_point_is_app(p) || p->state == TP_POINT_DONE)
		return tp_point_is_app(p);
	TP_EACH_ROW (tp_app_region_row, row, run, app_regions) {
		if (is_told(p, row))
			return p->state == TP_POINT_PLANNED;
	}
	return false;
}

/* Sentences stand before the digits that they rest on, and before the facts of the machine. */
static void lead_of_programs(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR roofs = { 0 };
	bool any = false;
	TP_EACH_POINT (p, run) {
		if (!has_results(run, p))
			continue;
		title_of_point(page, p, "Program ");
		say_trust(page, p);
		TP_STR job = { 0 };
		if (add_job(run, p, &job))
			tp_text_wrap(page->doc, TP_PAINT_STRONG, tp_str_text(&job), 0, 0);
		for (size_t k = 0; k < tp_run_n_app_regions(run); k++)
			if (is_told(p, &tp_run_app_regions(run)[k]))
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
		if (!has_results(page->run, p))
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
			"FLOP/byte: FLOPs over the bytes that the cores load and store, from any "
			"cache. GFLOP/s: FLOPs over the time of runs without "
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
		if (!p || !tp_point_is_app(p) || !is_told(p, row) ||
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
		const struct tp_app_class_row *top[CLASSES_SHOWN] = { NULL };
		struct tp_chart_bar bars[CLASSES_SHOWN];
		if (gallery->tables_too || !tp_point_is_app(p) || p->state != TP_POINT_DONE)
			continue;
		size_t n = top_classes(run, p, top);
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
	.compare = compare_programs,
	.again = "app.runs=20",
	.pictures = pictures,
	.pictures_last = true,
};
