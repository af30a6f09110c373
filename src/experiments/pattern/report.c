/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns on the page: a table for each, and a summary of all. */
#include <inttypes.h>
#include "experiments/pattern/report.h"
#include "experiments/pattern/row.h"
#include "experiments/pattern/pictures.h"
#include "experiments/windows/report.h"
#include "report/page.h"
#include "report/reporter.h"
#include "base/tally.h"
#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "doc/text.h"

/* --- what models predict --- */

/* A point in a table of its pattern. */
struct pattern_row {
	const struct tp_point *point;
	const struct tp_pattern_row *pattern;
	const struct tp_prediction *prediction; /* in the table of predictions */
	const char *configuration, *level;
	char rates[48]; /* of the slowest, the median and the fastest thread */
	double roof_percent;
};

#define OF(name)	 TP_VIA(struct pattern_row, name)
#define ROW(name)	 TP_SHOWS(struct pattern_row, name)
#define PATTERN(name)	 OF(pattern), TP_SHOWS(struct tp_pattern_row, name)
#define PREDICTION(name) OF(prediction), TP_SHOWS(struct tp_prediction, name)
#define DIGITS(n)	 .as = TP_AS_FIXED, .digits = n
static const struct tp_grid_column prediction_columns[] = {
	{ "parameters", TP_LEFT, 0, PATTERN(parameters), .paint = TP_PAINT_STRONG },
	{ "threads", TP_RIGHT, 3, OF(point), TP_POINT(threads) },
	{ "reuse in", TP_LEFT, 1, PATTERN(reuse_level) },
	{ "B from L2", TP_RIGHT, 2, PATTERN(l2_bytes), DIGITS(1) },
	{ "from L3", TP_RIGHT, 2, PATTERN(l3_bytes), DIGITS(1) },
	{ "from DRAM", TP_RIGHT, 2, PATTERN(dram_bytes), DIGITS(1) },
	{ "roofline ns", TP_RIGHT, 1, PREDICTION(roofline_ns), DIGITS(3) },
	{ "limit", TP_LEFT, 2, PREDICTION(limit) },
	{ "ECM ns", TP_RIGHT, 0, PREDICTION(ecm_ns), DIGITS(3) },
	{ "measured ns", TP_RIGHT, 0, PREDICTION(element_ns), DIGITS(3), .paint = TP_PAINT_STRONG },
	{ "of ECM", TP_RIGHT, 0, PREDICTION(measured_to_ecm), DIGITS(2) },
};

static void explain_edges(struct tp_page *page, const struct tp_pattern_row *row)
{
	static const char *const names[] = { "L1", "L2", "L3" };
	const uint64_t edges[] = { row->l1_n, row->l2_n, row->l3_n };
	TP_STR text = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(edges); i++)
		if (edges[i])
			tp_str_printf(&text, "%s %s up to n = %" PRIu64, text.len ? "," : "",
				      names[i], edges[i]);
	if (text.len) {
		TP_STR whole = { 0 };
		tp_str_printf(&whole,
			      "By layer conditions all rows and layers that are used again fit "
			      "into%s (%s).",
			      tp_str_text(&text), row->parameters);
		tp_page_explain(page, tp_str_text(&whole));
	}
}

/* A table of the predictions for the points of a pattern, if there are some, and their edges. */
static void show_predictions(struct tp_page *page, const struct tp_point *first)
{
	const struct tp_run *run = page->run;
	TP_GRID(grid, prediction_columns);
	size_t rows = 0;
	tp_page_heads(page, &grid);
	TP_EACH_ROW (tp_prediction, p, run, predictions) {
		const struct tp_point *point = tp_run_point(run, p->point);
		if (point && point->state == TP_POINT_DONE && point->run == first->run &&
		    point->kind == first->kind &&
		    strcmp(tp_pattern_row(point)->pattern, tp_pattern_row(first)->pattern) == 0) {
			const struct pattern_row row = { point, tp_pattern_row(point), p };
			tp_grid_row(&grid, &row, page);
			rows++;
		}
	}
	if (rows) {
		char title[96];
		snprintf(title, sizeof(title), "What models predict for %s",
			 tp_pattern_row(first)->pattern);
		tp_page_title(page, title, NULL);
		tp_grid_write(&grid, page->doc);
		tp_page_explain(
			page, "ECM: the arithmetic at its peak, or loads and stores in L1 and the "
			      "transfers between levels one after the other, at the bandwidths of "
			      "this run. Code that takes much longer is limited by its core.");
	}
	explain_edges(page, tp_pattern_row(first));
}

/* --- the summary of a run's patterns, in a sentence or two for each --- */

/* Times that differ by less are not a difference. */
#define ALIKE 1.05
/* Counts per element that may explain a difference: the ratio, and the numbers. */
#define UNLIKE	    1.5
#define LEAST_COUNT 0.1

static bool is_like(const struct tp_point *p, const struct tp_point *first)
{
	return p->state == TP_POINT_DONE && p->run == first->run &&
	       strcmp(p->experiment, "pattern") == 0 &&
	       strcmp(tp_pattern_row(p)->pattern, tp_pattern_row(first)->pattern) == 0 &&
	       tp_pattern_row(p)->element_ns > 0;
}

/* Points by their work. Every point is an item, so items count as points do; others have no text.
 */
static void group_works(const struct tp_run *run, const struct tp_point *first,
			struct tp_tally *works)
{
	TP_STR key = { 0 };
	TP_EACH_POINT (p, run) {
		const struct tp_pattern_row *row = tp_pattern_row(p);
		tp_str_clear(&key);
		if (is_like(p, first))
			tp_str_printf(&key, "%u %" PRIu64 " %a %a %a", p->threads, row->n,
				      row->elements, row->bytes_per_element, row->flop_per_element);
		tp_tally_add(works, tp_str_text(&key));
	}
}

/* The point whose work most others do, too; of several the one with the largest arrays. */
static const struct tp_point *most_compared(const struct tp_run *run, const struct tp_point *first)
{
	const struct tp_point *found = NULL;
	TP_CLEANUP(tp_tally_release) struct tp_tally works = { 0 };
	size_t most = 1;
	group_works(run, first, &works);
	for (size_t g = 0; g < works.n; g++) {
		const struct tp_point *p = &run->points[works.groups[g].first];
		size_t n = works.groups[g].n;
		bool larger = found &&
			      tp_pattern_row(p)->array_bytes > tp_pattern_row(found)->array_bytes;
		if (is_like(p, first) && (n > most || (n == most && larger))) {
			most = n;
			found = p;
		}
	}
	return found;
}

/* "with tile_i=16 tile_j=32" of "n=4000 tile_i=16 tile_j=32": n is the same in all. */
static const char *way_name(const struct tp_point *p, char *out, size_t size)
{
	const char *parameters = tp_pattern_row(p)->parameters, *blank = strchr(parameters, ' ');
	bool sized = strncmp(parameters, "n=", 2) == 0;
	if (sized && !blank)
		tp_copy(out, size, "without");
	else
		snprintf(out, size, "with %s", sized ? blank + 1 : parameters);
	return out;
}

/* "For an element the fastest has 3.75 stepped_instructions, the slowest 61.9." */
static void compare_counts(const struct tp_pattern_row *fast, const struct tp_pattern_row *slow,
			   struct tp_conclusion *conclusion)
{
	const char *at = fast->counts;
	char name[256], value[32], other_value[32];
	while (tp_pairs_next(&at, name, sizeof(name), value, sizeof(value))) {
		bool found = tp_pairs_find(slow->counts, name, other_value, sizeof(other_value));
		/* Few events are many for one and none for another by chance. */
		double less = strtod(value, NULL), more = found ? strtod(other_value, NULL) : 0;
		if (more > UNLIKE * less && more > LEAST_COUNT)
			tp_conclude_add(&conclusion->limits,
					"For an element the fastest has %.3g %s, the slowest %.3g.",
					less, name, more);
	}
}

/* "jacobi-2d-tiles, n=4000: fastest with tile_i=16, 1.12 ns an element, 2.8 times as fast as ..."
 */
static void compare_ways(const struct tp_run *run, const struct tp_point *like,
			 struct tp_conclusion *conclusion)
{
	const struct tp_point *best = like, *worst = like;
	char threads[32], size[48] = "";
	TP_EACH_POINT (p, run) {
		const struct tp_pattern_row *x = tp_pattern_row(p), *y = tp_pattern_row(like);
		/* The same work in other ways: elements of one kind, as many of them, by as many
		 * threads. */

		if (!(is_like(p, like) && p->threads == like->threads && x->n == y->n &&
		      x->elements == y->elements && x->bytes_per_element == y->bytes_per_element &&
		      x->flop_per_element == y->flop_per_element))
			continue;
		if (tp_pattern_row(p)->element_ns < tp_pattern_row(best)->element_ns)
			best = p;
		if (tp_pattern_row(p)->element_ns > tp_pattern_row(worst)->element_ns)
			worst = p;
	}
	const struct tp_pattern_row *b = tp_pattern_row(best), *w = tp_pattern_row(worst);
	if (b->n)
		snprintf(size, sizeof(size), ", n=%llu", (unsigned long long)b->n);
	double ratio = w->element_ns / b->element_ns;
	char text[32], fast[192], slow[192];
	snprintf(text, sizeof(text), ratio < 10 ? "%.2f" : "%.0f", ratio);
	tp_text_count(threads, sizeof(threads), best->threads, "thread");
	if (ratio < ALIKE)
		tp_conclude_add(&conclusion->limits,
				"%s%s, %s: all ways take the same time within %.0f %%, %.3g ns an "
				"element (%.3g GB/s).",
				b->pattern, size, threads, 100 * (ratio - 1), b->element_ns,
				b->kernel.median_gbps);
	else
		tp_conclude_add(&conclusion->limits,
				"%s%s, %s: fastest %s, %.3g ns an element (%.3g GB/s), %s times as "
				"fast as %s.",
				b->pattern, size, threads, way_name(best, fast, sizeof(fast)),
				b->element_ns, b->kernel.median_gbps, text,
				way_name(worst, slow, sizeof(slow)));
	if (ratio >= ALIKE)
		compare_counts(b, w, conclusion);
	struct tp_pattern_roof roof;
	char words[160];
	if (tp_pattern_roof_of(run, best, &roof))
		tp_conclude_add(&conclusion->limits, "There it is %s.",
				tp_pattern_roof_words(&roof, words, sizeof(words)));
}

/* The fastest of a level with the threads of the first point; NULL = none. */
static const struct tp_point *fastest_of(const struct tp_run *run, const struct tp_point *first,
					 const char *level)
{
	const struct tp_point *best = NULL;
	TP_EACH_POINT (p, run) {
		if (is_like(p, first) && p->threads == first->threads &&
		    strcmp(tp_pattern_level(run, p), level) == 0 &&
		    (!best || p->median > best->median))
			best = p;
	}
	return best;
}

/* "triad, 1 thread: 306 GB/s in L1, 121 in L2, 12.8 in DRAM." */
static void list_levels(const struct tp_run *run, const struct tp_point *first,
			struct tp_conclusion *conclusion)
{
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM", "" };
	TP_STR text = { 0 };
	char threads[32];
	for (size_t i = 0; i < TP_COUNT_OF(levels); i++) {
		const struct tp_point *p = fastest_of(run, first, levels[i]);
		if (!p)
			continue;
		tp_str_printf(&text, "%s%.3g%s", text.len ? ", " : "", p->median,
			      text.len ? "" : " GB/s");
		if (*levels[i])
			tp_str_printf(&text, " in %s", levels[i]);
	}
	if (text.len)
		tp_conclude_add(&conclusion->limits, "%s, %s: %s.", tp_pattern_row(first)->pattern,
				tp_text_count(threads, sizeof(threads), first->threads, "thread"),
				tp_str_text(&text));
}

/*
 * As tp_reporter.conclude. Where configurations do the same work, the fastest and the slowest of
 * them; else the bandwidth of each level.
 */
static void conclude_patterns(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 4 };
	const struct tp_point *told[MOST];
	unsigned n_told = 0;
	for (size_t i = 0; i < run->n_points && n_told < MOST; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !is_like(p, p);
		for (size_t k = 0; k < n_told && !known; k++)
			known = is_like(p, told[k]);
		if (known)
			continue;
		const struct tp_point *like = most_compared(run, p);
		if (like)
			compare_ways(run, like, conclusion);
		else
			list_levels(run, p, conclusion);
		told[n_told++] = p;
	}
}

/* --- the tables --- */

static bool is_done(const struct tp_point *p)
{
	return p->state == TP_POINT_DONE && strcmp(p->experiment, "pattern") == 0;
}

/*
 * Points of one table belong to the same pattern in the same run of the preset. Every point is an
 * item, so items count as points do; those without a table have no text.
 */
static void group_points(const struct tp_run *run, struct tp_tally *tables)
{
	TP_STR key = { 0 };
	TP_EACH_POINT (p, run) {
		tp_str_clear(&key);
		if (is_done(p))
			tp_str_printf(&key, "%u\x1f%s", p->run, tp_pattern_row(p)->pattern);
		tp_tally_add(tables, tp_str_text(&key));
	}
}

static const void *counts_of(const void *row)
{
	return ((const struct pattern_row *)row)->pattern->counts;
}

static void gbps_cell(struct tp_grid *grid, const void *of, const void *page)
{
	const struct pattern_row *row = of;
	const double gbps = row->pattern->kernel.median_gbps;
	(void)page;
	if (row->point->state == TP_POINT_FAILED)
		tp_grid_text(grid, TP_PAINT_BAD, "failed");
	else
		tp_grid_number(grid, TP_PAINT_STRONG, gbps > 0 ? gbps : NAN, TP_DECIMALS);
}

static const struct tp_grid_column columns[] = {
	{ "parameters", TP_LEFT, 0, ROW(configuration), .paint = TP_PAINT_STRONG },
	{ "threads", TP_RIGHT, 2, OF(point), TP_POINT(threads) },
	{ "a thread", TP_RIGHT, 3, PATTERN(kernel.working_set_bytes), .as = TP_AS_SIZE },
	{ "level", TP_LEFT, 4, ROW(level) },
	{ "GB/s", TP_RIGHT, 0, .cell = gbps_cell },
	{ "\u00b1%", TP_RIGHT, 2, OF(point), .cell = tp_page_interval_cell },
	{ "GFLOP/s", TP_RIGHT, 1, PATTERN(kernel.median_gflops), .positive = true },
	{ "ns/elem", TP_RIGHT, 1, PATTERN(element_ns), .positive = true },
	{ "min/med/max", TP_RIGHT, 3, ROW(rates) },
	{ "of roof", TP_RIGHT, 1, ROW(roof_percent), .as = TP_AS_PERCENT, .none = "" },
	/* The events that were counted stand here. */
	{ "quality", TP_LEFT, 1, OF(point), .cell = tp_page_quality_cell },
};
enum { THREADS = 1, LAST = TP_COUNT_OF(columns) - 1 }; /* among them */

static void show_row(struct tp_page *page, struct tp_grid *grid, const struct tp_point *p,
		     bool named)
{
	const struct tp_pattern_row *row = tp_pattern_row(p);
	TP_STR name = { 0 };
	tp_str_printf(&name, "%s%s%s%s", named ? row->pattern : "", named ? " " : "",
		      row->parameters, row->nowait ? " nowait" : "");
	struct pattern_row shown = { p, row, .configuration = tp_str_text(&name),
				     .level = tp_pattern_level(page->run, p) };
	struct tp_pattern_roof roof;
	if (p->threads > 1 && row->thread_max_gbps > 0)
		snprintf(shown.rates, sizeof(shown.rates), "%.3g/%.3g/%.3g", row->thread_min_gbps,
			 row->thread_median_gbps, row->thread_max_gbps);
	shown.roof_percent = tp_pattern_roof_of(page->run, p, &roof) ? 100 * roof.share : NAN;
	tp_grid_row(grid, &shown, page);
	tp_grid_about(grid, p);
}

static void show_table(struct tp_page *page, const struct tp_tally *tables,
		       const struct tp_tally_group *group)
{
	const struct tp_run *run = page->run;
	const struct tp_pattern_row *row = tp_pattern_row(&run->points[group->first]);
	struct tp_grid_column all[TP_COUNT_OF(columns) + TP_COUNTED_COLUMNS];
	struct tp_counted counted = { 0 };
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	char title[96];
	size_t n = LAST;
	for (size_t i = group->first; i != TP_TALLY_END; i = tables->next[i])
		tp_counted_add(&counted, tp_pattern_row(&run->points[i])->counts);
	memcpy(all, columns, sizeof(columns));
	tp_counted_columns(&counted, counts_of, all + n);
	if (counted.n)
		all[THREADS].give = 0; /* events take room, and rows must be distinguishable */
	n += counted.n;
	all[n++] = columns[LAST];
	snprintf(title, sizeof(title), "Pattern %s", row->pattern);
	tp_page_title(page, title, NULL);
	tp_page_table(page, &grid, all, n);
	for (size_t i = group->first; i != TP_TALLY_END; i = tables->next[i])
		show_row(page, &grid, &run->points[i], false);
	tp_grid_write(&grid, page->doc);
	TP_STR text = { 0 };
	tp_str_printf(&text,
		      "An element reads and writes %.4g bytes and takes %.4g FLOP: %.3g "
		      "FLOP/byte.",
		      row->bytes_per_element, row->flop_per_element, row->kernel.ai_flop_per_byte);
	if (counted.n)
		tp_str_add(&text, " Events are counts for an element, over all threads.");
	tp_page_explain(page, tp_str_text(&text));
}

void tp_report_patterns(const struct tp_run *run, const size_t *points, size_t n,
			const struct tp_look *look, struct tp_grid *grid)
{
	TP_TEXT(doc, look);
	struct tp_page page;
	tp_page_begin(&page, run, &doc);
	tp_page_table(&page, grid, columns, TP_COUNT_OF(columns));
	for (size_t i = 0; i < n; i++)
		show_row(&page, grid, &run->points[points[i]], true);
}

static void page_of_patterns(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_CLEANUP(tp_tally_release) struct tp_tally tables = { 0 };
	bool any = false;
	group_points(run, &tables);
	for (size_t g = 0; g < tables.n; g++) {
		const struct tp_point *first = &run->points[tables.groups[g].first];
		if (!is_done(first))
			continue;
		show_table(page, &tables, &tables.groups[g]);
		show_predictions(page, first);
		any = true;
	}
	if (any)
		tp_page_explain(page,
				"GB/s and GFLOP/s are totals of the whole team, by the accesses "
				"and operations that the statements name. min/med/max: GB/s of the "
				"slowest thread, the one in the middle and the fastest. of roof: "
				"the share of what "
				"this run's roofs allow in the level where the working set lies; "
				"above 100 % a nearer cache serves part of the accesses.");
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
	.conclude = conclude_patterns,
	.pictures = tp_pattern_pictures,
	.overlays = tp_window_overlays,
	.curves = curves,
	.plateaus = tp_window_plateaus,
	.has_curves = has_curves,
	.curve_title = "Pattern",
};
