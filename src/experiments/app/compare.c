/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of programs in several runs, by their names: before and after a change. */
#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/compare.h"
#include "experiments/app/app_row.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

/* A region on all threads, by the way of counting that came first. */
static bool is_shown(const struct tp_run *run, const struct tp_app_region_row *row)
{
	const struct tp_point *p = tp_run_point(run, row->point);
	return p && tp_app_is_whole(row) && strcmp(row->source, tp_app_row(p)->source) == 0 &&
	       strcmp(row->region, TP_APP_OUTSIDE) != 0 && row->seconds > 0;
}

/* The threads that were asked for tell points apart; the first one of a kind is taken. */
static const struct tp_app_region_row *partner(const struct tp_run *run, const struct tp_run *other,
					       const struct tp_app_region_row *row)
{
	unsigned wanted = tp_app_row(tp_run_point(other, row->point))->wanted_threads;
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++) {
		const struct tp_app_region_row *r = &tp_run_app_regions(run)[i];
		if (is_shown(run, r) && strcmp(r->region, row->region) == 0 &&
		    tp_app_row(tp_run_point(run, r->point))->wanted_threads == wanted)
			return r;
	}
	return NULL;
}

/* Intervals that do not overlap are a difference. */
static const char *verdict(const struct tp_app_region_row *a, const struct tp_app_region_row *b,
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

static const struct tp_grid_column columns[] = {
	{ "region", TP_LEFT, 0 },     { "threads", TP_RIGHT, 5 }, { "time A", TP_RIGHT, 0 },
	{ "", TP_RIGHT, 0 },	      { "speed", TP_RIGHT, 0 },	  { "verdict", TP_LEFT, 1 },
	{ "GFLOP/s A", TP_RIGHT, 2 }, { "", TP_RIGHT, 2 },	  { "AI A", TP_RIGHT, 3 },
	{ "", TP_RIGHT, 3 },
};

static void heads(struct tp_grid *grid, char letter)
{
	static const char *const names[] = { "time", "GFLOP/s", "AI" };
	size_t name = 0;
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++) {
		char text[24];
		if (!columns[c].head[0])
			snprintf(text, sizeof(text), "%s %c", names[name++], letter);
		tp_grid_head(grid, columns[c].head[0] ? columns[c].head : text);
	}
}

static void pair(struct tp_grid *grid, const struct tp_look *look,
		 const struct tp_app_region_row *a, const struct tp_app_region_row *b)
{
	char text[48];
	enum tp_paint paint;
	const char *words = verdict(a, b, &paint);
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
			  const struct tp_look *look, struct tp_str *out)
{
	struct tp_grid grid;
	bool any = false;
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	heads(&grid, letter);
	for (size_t i = 0; i < tp_run_n_app_regions(a); i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(a)[i];
		const struct tp_app_region_row *other =
			is_shown(a, row) ? partner(b, a, row) : NULL;
		if (!other)
			continue;
		pair(&grid, look, row, other);
		any = true;
	}
	if (any) {
		struct tp_str title = { 0 };
		tp_str_printf(&title, "%c against A%sregions of programs", letter,
			      tp_text_dot(look));
		tp_text_title(out, look, tp_str_text(&title));
		tp_str_release(&title);
		tp_grid_write(&grid, look, out);
	}
	tp_grid_release(&grid);
}

void tp_app_compare(const struct tp_run *const *runs, size_t n, const struct tp_look *look,
		    struct tp_str *out)
{
	for (size_t i = 1; i < n; i++)
		against_first(runs[0], runs[i], (char)('A' + i), look, out);
}
