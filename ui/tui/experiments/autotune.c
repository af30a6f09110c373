/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the fastest configuration: the best so far, the space as a map, what each technique
 * took.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "experiments/autotune/report.h"
#include "experiments/autotune/searches.h"
#include "experiments/autotune/row.h"
#include "record/point.h"
#include "ui/tui/screen.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/gridview.h"

/*
 * Where the cells of the map were painted last; for the mouse and for keeping the cursor in sight.
 */
struct map_place {
	struct tp_area area; /* of the cells alone */
	int cell_columns, cell_rows;
	size_t first_row, first_column; /* in sight */
	size_t n_rows, n_columns;
};

struct autotune_view {
	uint64_t seen; /* what of the run everything below was made from */
	unsigned point; /* the search that is shown */
	bool chosen; /* by hand: it does not follow the run any more */
	size_t n_searches, number; /* of the run; 0-based place of the one that is shown */
	bool any;
	struct tp_searched search; /* borrows from the run as long as `seen` holds */
	struct tp_heat_view axes;
	struct tp_heat heat;
	size_t row, column; /* the cursor, in the map */
	bool moved; /* by hand: else the cursor goes along with the best */
	/* The searches that differ in their technique alone; the cursor is on that which is shown.
	 */
	struct tp_gridview techniques;
	unsigned *points; /* of its rows */
	struct map_place place;
};

enum {
	LABEL_COLUMNS = 6,
	MAP_HEAD_ROWS = 1,
	LEGEND_ROWS = 1,
	CELL_COLUMNS_MAX = 9,
	CELL_ROWS_MAX = 3,
	BAR_COLUMNS_MAX = 60,
	VALUE_COLUMNS = 10
};

/* The configuration under the cursor; NULL if there is none. */
static const struct tp_trial *trial_at_cursor(const struct autotune_view *view)
{
	const struct tp_heat *heat = &view->heat;
	if (view->row >= heat->n_rows || view->column >= heat->n_columns)
		return NULL;
	long i = heat->cells[view->row * heat->n_columns + view->column];
	return i >= 0 ? &view->search.trials[i] : NULL;
}

static enum tp_role cell_role(const struct autotune_view *view, size_t row, size_t column)
{
	enum tp_heat_state state = tp_heat_state_of(&view->search, &view->heat, row, column);
	double share = tp_heat_share(&view->search, &view->heat, row, column);
	if (state == TP_HEAT_BEST)
		return TP_UI_HEAT_BEST;
	if (state == TP_HEAT_FAILED)
		return TP_UI_BAD;
	return isnan(share) ? TP_UI_DIM : TP_UI_HEAT_0 + (enum tp_role)tp_tile_shade(share);
}

/* Cells as large as there is room for, and the part of the map that holds the cursor. */
static void lay_out(struct autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	struct map_place *p = &view->place;
	bool flat = heat->x < 0;
	int room = area.columns - LABEL_COLUMNS - 1, rows = area.rows - MAP_HEAD_ROWS - LEGEND_ROWS;
	int widest = room / (int)TP_MAX(heat->n_columns, (size_t)1);
	p->cell_columns = flat		? 5
			  : widest >= 5 ? TP_MIN(widest, (int)CELL_COLUMNS_MAX)
					: tp_heat_cell_columns(heat, room);
	p->cell_rows = flat ? 1 : TP_MAX(TP_MIN(rows / (int)heat->n_rows, (int)CELL_ROWS_MAX), 1);
	/* Cells that are much taller than wide look odd. */
	p->cell_rows = TP_MIN(p->cell_rows, TP_MAX(p->cell_columns / 3, 1));
	p->n_columns = TP_MIN(heat->n_columns, (size_t)TP_MAX(room / p->cell_columns, 1));
	p->n_rows = TP_MIN(heat->n_rows, (size_t)TP_MAX(rows / p->cell_rows, 1));
	p->first_row = TP_MIN(p->first_row, heat->n_rows - p->n_rows);
	p->first_column = TP_MIN(p->first_column, heat->n_columns - p->n_columns);
	p->first_row = TP_MIN(p->first_row, view->row);
	p->first_column = TP_MIN(p->first_column, view->column);
	p->first_row = TP_MAX(p->first_row, view->row + 1 - TP_MIN(p->n_rows, view->row + 1));
	p->first_column =
		TP_MAX(p->first_column, view->column + 1 - TP_MIN(p->n_columns, view->column + 1));
	p->area = tp_area_columns(tp_area_rows(area, MAP_HEAD_ROWS, (int)p->n_rows * p->cell_rows),
				  LABEL_COLUMNS, (int)p->n_columns * p->cell_columns + 1);
}

/* Which dimension lies where, and the sizes of the columns. */
static void draw_map_head(const struct autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	const struct map_place *p = &view->place;
	char size[16];
	int end = 0;
	snprintf(size, sizeof(size), "%c", tp_heat_letter(heat->y));
	tp_paint_right(area, 0, LABEL_COLUMNS - 1, TP_UI_TITLE, size);
	for (size_t c = 0; heat->x >= 0 && c < p->n_columns; c++) {
		int behind = p->cell_columns >= 4 ? 1 : 0;
		int right = LABEL_COLUMNS + ((int)c + 1) * p->cell_columns - behind;
		tp_heat_size(heat->columns[p->first_column + c], size, sizeof(size));
		if (right - (int)strlen(size) < LABEL_COLUMNS + end)
			continue;
		tp_paint_right(area, 0, right, TP_UI_STRONG, size);
		end = right + 1 - LABEL_COLUMNS;
	}
	if (heat->x >= 0) {
		snprintf(size, sizeof(size), "%c", tp_heat_letter(heat->x));
		tp_paint_text(area, 0, LABEL_COLUMNS + (int)p->n_columns * p->cell_columns + 1,
			      TP_UI_TITLE, size);
	}
}

static void draw_cell(const struct autotune_view *view, size_t row, size_t column)
{
	const struct map_place *p = &view->place;
	enum tp_role role = cell_role(view, row, column);
	int at = (int)(column - p->first_column) * p->cell_columns;
	int top = (int)(row - p->first_row) * p->cell_rows, middle = top + (p->cell_rows - 1) / 2;
	char text[TP_TILE_BYTES];
	tp_heat_cell(&view->search, &view->heat, row, column, TP_MIN(p->cell_columns, 5), text);
	if (role != TP_UI_DIM && role != TP_UI_BAD)
		tp_paint_clear(tp_area_columns(tp_area_rows(p->area, top, p->cell_rows), at,
					       p->cell_columns),
			       role);
	tp_paint_right(p->area, middle, at + p->cell_columns, role, text);
}

/*
 * Brackets beside the cell, so that it is seen without colour as well; where there is no blank for
 * them, the look alone.
 */
static void draw_cursor(const struct autotune_view *view)
{
	const struct map_place *p = &view->place;
	int at = (int)(view->column - p->first_column) * p->cell_columns;
	int row = (int)(view->row - p->first_row) * p->cell_rows + (p->cell_rows - 1) / 2;
	tp_paint_role(p->area, row, at, p->cell_columns, TP_UI_SELECTED);
	if (p->cell_columns < 2)
		return;
	tp_paint_text(p->area, row, at, TP_UI_SELECTED, "[");
	tp_paint_text(p->area, row, at + p->cell_columns, TP_UI_SELECTED, "]");
}

/* Where only one size varies, beside each cell the value as a bar. */
static void draw_bar(const struct autotune_view *view, struct tp_area area, size_t row)
{
	const struct map_place *p = &view->place;
	double share = tp_heat_share(&view->search, &view->heat, row, 0);
	int at = LABEL_COLUMNS + p->cell_columns + 2;
	int bar = TP_MIN(area.columns - at - VALUE_COLUMNS - 9, (int)BAR_COLUMNS_MAX);
	int line = MAP_HEAD_ROWS + (int)(row - p->first_row) * p->cell_rows;
	long cell = view->heat.cells[row];
	char value[32];
	if (isnan(share) || bar < 8)
		return;
	snprintf(value, sizeof(value), "%.4g", view->search.trials[cell].value);
	tp_paint_right(area, line, at + VALUE_COLUMNS - 2, TP_UI_STRONG, value);
	tp_paint_bar(area, line, at + VALUE_COLUMNS, bar, share, TP_UI_PLOT_SERIES_0);
}

static void draw_map(struct autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	struct map_place *p = &view->place;
	char size[16];
	if (!heat->n_rows || area.rows < MAP_HEAD_ROWS + LEGEND_ROWS + 1)
		return;
	lay_out(view, area);
	draw_map_head(view, area);
	for (size_t r = p->first_row; r < p->first_row + p->n_rows; r++) {
		int line = MAP_HEAD_ROWS + (int)(r - p->first_row) * p->cell_rows +
			   (p->cell_rows - 1) / 2;
		tp_heat_size(heat->rows[r], size, sizeof(size));
		tp_paint_right(area, line, LABEL_COLUMNS - 1, TP_UI_STRONG, size);
		for (size_t c = p->first_column; c < p->first_column + p->n_columns; c++)
			draw_cell(view, r, c);
		if (heat->x < 0)
			draw_bar(view, area, r);
	}
	draw_cursor(view);
	int below = MAP_HEAD_ROWS + (int)p->n_rows * p->cell_rows;
	tp_paint_text(area, below, 1, TP_UI_DIM, tp_tile_legend(TP_MIN(p->cell_columns, 5)));
}

/* False if no cell is there. */
static bool hit_map(const struct autotune_view *view, int row, int column, size_t *cell_row,
		    size_t *cell_column)
{
	const struct map_place *p = &view->place;
	if (!p->cell_columns || !tp_area_holds(p->area, row, column))
		return false;
	*cell_row = p->first_row + (size_t)((row - p->area.row) / p->cell_rows);
	*cell_column = p->first_column + (size_t)((column - p->area.column) / p->cell_columns);
	return *cell_row < view->heat.n_rows && *cell_column < view->heat.n_columns;
}

enum { PROGRESS_COLUMNS_MAX = 24 };

static void draw_value(const struct tp_searched *s, struct tp_text_row line)
{
	char name[TP_TRIAL_NAME_MAX];
	double half = tp_page_half_width(s->value, s->ci_low, s->ci_high);
	tp_words(&line, 0, TP_UI_TITLE, "%.4g %s", s->value, s->unit);
	if (isfinite(half))
		tp_words(&line, 1, TP_UI_DIM, "%s%.2g %%", tp_paint_pm(line.area), half);
	if (s->best)
		tp_words(&line, 2, TP_UI_STRONG, "%s", tp_trial_name(s->best->size, name));
	if (s->theory > 0)
		tp_words(&line, 2, s->value > TP_OVER_THEORY * s->theory ? TP_UI_WARN : TP_UI_PLAIN,
			 "%.1f %% of %.4g", 100 * s->value / s->theory, s->theory);
}

/*
 * A bar of how many configurations were tried; once all were tried for the first time, of how many
 * are over.
 */
static void draw_progress(const struct tp_searched *s, struct tp_text_row *line)
{
	bool all = s->n >= s->n_all;
	size_t n = all ? s->n_finished : s->n;
	int bar = TP_MIN(line->area.columns / 4, (int)PROGRESS_COLUMNS_MAX);
	tp_paint_bar(line->area, line->row, line->at, bar, (double)n / (double)s->n_all,
		     s->n_finished == s->n_all ? TP_UI_GOOD : TP_UI_KEY);
	line->at += bar;
	tp_words(line, 1, TP_UI_PLAIN, "%zu/%zu %s", n, s->n_all, all ? "over" : "tried");
}

/* Those with a result return the rows they took. */
static int draw_best(const struct tp_app *app, const struct tp_searched *s, struct tp_area area)
{
	char seconds[48], place[16];
	int row = 1;
	/* Seconds that the search still takes by its plan. */
	double left = s->point->estimate_seconds - s->seconds;
	bool under_way =
		tp_live_is_under_way(&app->live) && app->live.current == (long)s->point->point;
	if (s->value > 0)
		draw_value(s, (struct tp_text_row){ area, 0, 0 });
	else if (s->point->diag.what[0])
		row = tp_paint_wrapped(area, 0, 0,
				       s->point->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN,
				       s->point->diag.what);
	else
		tp_paint_text(area, 0, 0, TP_UI_DIM, "nothing found yet");
	struct tp_text_row line = { area, row, 0 };
	if (s->best)
		tp_words(&line, 0, TP_UI_PLAIN, "found as %s",
			 tp_text_ordinal(place, sizeof(place), s->best->position + 1));
	if (s->best && isfinite(s->found_seconds))
		tp_words(&line, 0, TP_UI_PLAIN, ", after %s",
			 tp_format_seconds(seconds, sizeof(seconds), s->found_seconds));
	if (s->n) {
		line.at += line.at ? 2 : 0;
		draw_progress(s, &line);
		tp_words(&line, 0, TP_UI_DIM, " in %s",
			 tp_format_seconds(seconds, sizeof(seconds), s->seconds));
		if (under_way && left > 0)
			tp_words(&line, 0, TP_UI_DIM, ", about %s left",
				 tp_format_seconds(seconds, sizeof(seconds), left));
	}
	return row + 1;
}

/* A search as a point of a run: what it is, its best, how far it is. */
static int draw_search(const struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	struct tp_searched s;
	char threads[32];
	TP_STR stops = { 0 };
	int row = 0;
	tp_paint_format(
		area, row++, 0, TP_UI_STRONG, "%s, %s%s%s, %s, %s on CPU %s", p->kernel,
		tp_search_row(p)->scope,
		*tp_kernel_row(p)->level && strcmp(tp_kernel_row(p)->level, "FP") != 0 ? ", " : "",
		strcmp(tp_kernel_row(p)->level, "FP") != 0 ? tp_kernel_row(p)->level : "",
		tp_search_row(p)->technique,
		tp_text_count(threads, sizeof(threads), p->threads, "thread"), p->cpus);
	if (!tp_searched_of(tp_app_run(app), p->point, &s))
		return row;
	row += draw_best(app, &s, tp_area_rows(area, row, area.rows - row));
	tp_searched_stops(&s, &stops);
	if (stops.len && row < area.rows)
		row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, tp_str_text(&stops));
	return row;
}

static int draw_trial(const struct autotune_view *view, struct tp_area area)
{
	const struct tp_trial *t = trial_at_cursor(view);
	const struct tp_searched *s = &view->search;
	char name[TP_TRIAL_NAME_MAX], seconds[48], count[32], calls[32];
	int row = 0;
	if (area.rows < 2)
		return 0;
	tp_paint_rule(area, row++, t ? tp_trial_name(t->size, name) : "no configuration here");
	if (!t)
		return row;
	area = tp_area_columns(area, 1, area.columns - 2);
	if (t->value > 0) {
		struct tp_text_row line = { area, row++, 0 };
		tp_words(&line, 0, TP_UI_STRONG, "%.4g %s", t->value, s->unit);
		if (t->ci_low > 0 && t->ci_high > 0)
			tp_words(&line, 1, TP_UI_PLAIN, "(%.4g to %.4g)", t->ci_low, t->ci_high);
		if (s->best == t)
			tp_words(&line, 2, TP_UI_GOOD, "the best");
		else if (s->best && s->best->value > 0)
			tp_words(&line, 2, TP_UI_PLAIN, "%.1f %% of the best",
				 100 * t->value / s->best->value);
	}
	struct tp_text_row work = { area, row++, 0 }, end = { area, row++, 0 };
	enum tp_stop_word word = tp_stop_word_of(t);
	tp_words(&work, 0, TP_UI_PLAIN, "%s, %s in %s",
		 tp_text_count(count, sizeof(count), t->invocations, "invocation"),
		 tp_text_count(calls, sizeof(calls), t->iterations, "iteration"),
		 tp_format_seconds(seconds, sizeof(seconds), t->seconds));
	if (t->best > 0)
		tp_words(&work, 0, TP_UI_DIM, ", fastest %.4g", t->best);
	tp_words(&end, 0, TP_UI_DIM,
		 "tried as %s: ", tp_text_ordinal(count, sizeof(count), t->position + 1));
	tp_words(&end, 0,
		 word == TP_STOP_WORD_FAILED ? TP_UI_BAD
		 : tp_stop_word_is_cut(word) ? TP_UI_WARN
					     : TP_UI_PLAIN,
		 "%s%s", t->finished && *t->stopped ? "stopped, " : "",
		 tp_stop_word_help(t->finished ? word : TP_STOP_WORD_COUNT));
	return row;
}

static void draw_techniques(struct autotune_view *view, struct tp_area area)
{
	if (view->techniques.list.n < 2 || area.rows < 3)
		return;
	tp_paint_rule(area, 0, "Techniques");
	tp_gridview_paint(&view->techniques,
			  tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns),
			  true);
}

enum {
	HEAD_ROWS = 1,
	BEST_ROWS = 2,
	TRIAL_ROWS = 4,
	TECHNIQUE_ROWS = 2, /* beside one a technique */
	BESIDE_COLUMNS = 140, /* from this width on words stand beside the map */
	WORDS_COLUMNS = 82,
	PAGE_CELLS = 5
};

static void close_screen(void *state)
{
	struct autotune_view *view = state;
	tp_heat_release(&view->heat);
	tp_gridview_release(&view->techniques);
	free(view->points);
}

/* --- what is shown of which run --- */

static bool is_search(const struct tp_run *run, size_t point)
{
	return point < run->n_points && tp_point_is_search(&run->points[point]);
}

/* The one under way, else the last that found something, else the first. */
static unsigned newest_search(const struct tp_app *app, const struct tp_run *run)
{
	const struct tp_live *live = &app->live;
	size_t first = run->n_points, last = run->n_points, n;
	if (run == &live->run && live->current >= 0 && is_search(run, (size_t)live->current))
		return (unsigned)live->current;
	for (size_t i = 0; i < run->n_points; i++) {
		if (!is_search(run, i))
			continue;
		first = TP_MIN(first, i);
		if (tp_trials_of(run, (unsigned)i, &n))
			last = i;
	}
	return (unsigned)(last < run->n_points ? last : first);
}

static void go_to_best(struct autotune_view *view)
{
	const struct tp_heat *heat = &view->heat;
	view->moved = false;
	for (size_t i = 0; i < heat->n_rows * heat->n_columns; i++)
		if (heat->cells[i] >= 0 &&
		    &view->search.trials[heat->cells[i]] == view->search.best) {
			view->row = i / heat->n_columns;
			view->column = i % heat->n_columns;
		}
}

static void make_map(struct autotune_view *view)
{
	tp_heat_release(&view->heat);
	tp_heat_make(&view->heat, &view->search, &view->axes);
	view->row = TP_MIN(view->row, TP_MAX(view->heat.n_rows, (size_t)1) - 1);
	view->column = TP_MIN(view->column, TP_MAX(view->heat.n_columns, (size_t)1) - 1);
	if (!view->moved)
		go_to_best(view);
}

static void show_search(const struct tp_app *app, struct autotune_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	tp_heat_release(&view->heat);
	view->any = false;
	view->n_searches = view->number = 0;
	tp_gridview_release(&view->techniques);
	if (!run)
		return;
	if (!view->chosen || !is_search(run, view->point))
		view->point = newest_search(app, run);
	for (size_t i = 0; i < run->n_points; i++) {
		if (i == view->point)
			view->number = view->n_searches;
		view->n_searches += is_search(run, i);
	}
	view->any = tp_searched_of(run, view->point, &view->search);
	if (!view->any)
		return;
	make_map(view);
	struct tp_grid grid;
	view->points = tp_realloc(view->points, run->n_points + 1, sizeof(*view->points));
	size_t n = tp_report_techniques(run, view->point, &grid, view->points);
	tp_gridview_take(&view->techniques, &grid, app->term.utf8);
	for (size_t i = 0; i < n; i++)
		if (view->points[i] == view->point)
			view->techniques.list.at = i;
}

static void refresh(const struct tp_app *app, struct autotune_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = tp_seen_runs(app);
	/* A search under way grows trial by trial. */
	tp_seen_mix(&seen, run == &app->live.run ? app->live.version : 0);
	tp_seen_mix(&seen, run ? (uintptr_t)tp_run_trials(run) : 0);
	if (seen == view->seen)
		return;
	view->seen = seen;
	show_search(app, view);
}

static void news(struct tp_app *app, void *state)
{
	refresh(app, state);
}

static void go_to_search(const struct tp_app *app, struct autotune_view *view, unsigned point)
{
	view->point = point;
	view->chosen = true;
	view->moved = false;
	show_search(app, view);
}

static void move_search(const struct tp_app *app, struct autotune_view *view, bool forward)
{
	const struct tp_run *run = tp_app_run(app);
	size_t n = run->n_points, at = view->point;
	if (view->n_searches < 2)
		return;
	do
		at = (at + (forward ? 1 : n - 1)) % n;
	while (!is_search(run, at));
	go_to_search(app, view, (unsigned)at);
}

/* --- painting --- */

static void draw_head(const struct autotune_view *view, struct tp_area area)
{
	const struct tp_searched *s = &view->search;
	const struct tp_heat *heat = &view->heat;
	struct tp_text_row line = { area, 0, 1 };
	char words[96], threads[32];
	tp_words(&line, 0, TP_UI_TAB_ON, " %s %s ", s->routine, s->where);
	tp_words(&line, 1, TP_UI_STRONG, "%s", tp_search_row(s->point)->technique);
	tp_words(&line, 2, TP_UI_DIM, "%zu of %zu", view->number + 1, view->n_searches);
	line.at += 2;
	if (heat->x >= 0)
		tp_words(&line, 0, TP_UI_CHANGED, "%c over %c", tp_heat_letter(heat->y),
			 tp_heat_letter(heat->x));
	if (heat->z >= 0 && heat->slice)
		tp_words(&line, 0, TP_UI_CHANGED, ", %c = %llu", tp_heat_letter(heat->z),
			 (unsigned long long)heat->slices[heat->slice - 1]);
	else if (heat->z >= 0)
		tp_words(&line, 0, TP_UI_CHANGED, ", best of all %c", tp_heat_letter(heat->z));
	struct tp_area rest = tp_area_columns(area, line.at + 2, area.columns - line.at - 3);
	snprintf(words, sizeof(words), "%.40s%s%s", s->library, *s->library ? ", " : "",
		 tp_text_count(threads, sizeof(threads), s->point->threads, "thread"));
	if ((int)strlen(words) <= rest.columns)
		tp_paint_right(rest, 0, rest.columns, TP_UI_DIM, words);
}

/* Map above, words below: the map gets what the words leave, but never less than a few rows. */
static void draw_below(struct autotune_view *view, struct tp_area area)
{
	enum { MAP_MIN = 8 };
	int all = (int)view->techniques.list.n + TECHNIQUE_ROWS;
	int techniques = view->techniques.list.n > 1 ? all : 0;
	int map = TP_MAX(area.rows - TRIAL_ROWS - techniques, TP_MIN((int)MAP_MIN, area.rows));
	map = TP_MAX(map, TP_MIN((int)view->heat.n_rows + MAP_HEAD_ROWS + LEGEND_ROWS,
				 area.rows - TRIAL_ROWS));
	struct tp_area top = tp_area_rows(area, 0, map);
	draw_map(view, top);
	/* Words follow the map where it is smaller than its room. */
	const struct map_place *p = &view->place;
	int used = view->heat.n_rows ? TP_MIN((int)p->n_rows * p->cell_rows + 2, map) : 1;
	struct tp_area rest = tp_area_rows(area, used, area.rows - used);
	int row = draw_trial(view, rest);
	draw_techniques(view, tp_area_rows(rest, row, rest.rows - row));
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct autotune_view *view = state;
	refresh(app, view);
	view->techniques.list.area.rows = view->place.area.rows = 0;
	if (!view->any) {
		tp_app_paint_empty(app, area,
				   "Nothing was searched for in this run: press 2 to set it up "
				   "(experiment: autotune), 4 to open a run that did.");
		return;
	}
	draw_head(view, tp_area_rows(area, 0, HEAD_ROWS));
	struct tp_area best = tp_area_columns(tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS),
					      1, area.columns - 2);
	int used = HEAD_ROWS + draw_best(app, &view->search, best);
	/* A blank row where there are enough of them. */
	used += area.rows >= 24;
	struct tp_area rest = tp_area_rows(area, used, area.rows - used);
	if (area.columns >= BESIDE_COLUMNS) {
		struct tp_area words =
			tp_area_columns(rest, rest.columns - WORDS_COLUMNS, WORDS_COLUMNS - 1);

		/* Map left, words right. */
		draw_map(view, tp_area_columns(rest, 0, rest.columns - WORDS_COLUMNS - 2));
		int row = draw_trial(view, words);
		draw_techniques(view, tp_area_rows(words, row + 1, words.rows - row - 1));
	} else
		draw_below(view, rest);
}

/* --- input --- */

static void step_cursor(struct autotune_view *view, long rows, long columns)
{
	const struct tp_heat *heat = &view->heat;
	if (!heat->n_rows)
		return;
	long row = (long)view->row + rows, column = (long)view->column + columns;
	view->row = (size_t)TP_MAX(TP_MIN(row, (long)heat->n_rows - 1), 0L);
	view->column = (size_t)TP_MAX(TP_MIN(column, (long)heat->n_columns - 1), 0L);
	view->moved = true;
}

static void turn_map(struct tp_app *app, struct autotune_view *view)
{
	if (view->heat.pairs < 2) {
		tp_app_say(app, TP_UI_PLAIN, "only one size varies in this search");
		return;
	}
	view->axes.pair = (view->axes.pair + 1) % view->heat.pairs;
	view->axes.slice = 0;
	view->moved = false;
	make_map(view);
}

static void cut_map(struct tp_app *app, struct autotune_view *view, bool forward)
{
	unsigned n = (unsigned)view->heat.n_slices + 1;
	if (view->heat.z < 0) {
		tp_app_say(app, TP_UI_PLAIN, "there is no third size to cut through");
		return;
	}
	view->axes.slice = (view->heat.slice + (forward ? 1 : n - 1)) % n;
	make_map(view);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct autotune_view *view = state;
	refresh(app, view);
	if (!view->any)
		return false;
	bool flat = view->heat.x < 0;
	switch (action) {
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		step_cursor(view, action == TP_ACTION_UP ? -1 : 1, 0);
		return true;
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
		step_cursor(view, action == TP_ACTION_PAGE_UP ? -PAGE_CELLS : PAGE_CELLS, 0);
		return true;
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		if (flat)
			move_search(app, view, action == TP_ACTION_RIGHT);
		else
			step_cursor(view, 0, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		step_cursor(view, 0,
			    action == TP_ACTION_LAST ? TP_HEAT_AXIS_MAX : -TP_HEAT_AXIS_MAX);
		return true;
	case TP_ACTION_SEARCH_NEXT:
	case TP_ACTION_SEARCH_PREVIOUS:
		move_search(app, view, action == TP_ACTION_SEARCH_NEXT);
		return true;
	case TP_ACTION_AXES:
		turn_map(app, view);
		return true;
	case TP_ACTION_SLICE_NEXT:
	case TP_ACTION_SLICE_PREVIOUS:
		cut_map(app, view, action == TP_ACTION_SLICE_NEXT);
		return true;
	case TP_ACTION_BEST:
		go_to_best(view);
		return true;
	default:
		return false;
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct autotune_view *view = state;
	size_t row, column;
	refresh(app, view);
	if (!view->any)
		return;
	if (input->mouse != TP_MOUSE_PRESS)
		step_cursor(view, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1, 0);
	else if (tp_list_mouse(&view->techniques.list, input) != TP_LIST_MISSED)
		go_to_search(app, view, view->points[view->techniques.list.at]);
	else if (hit_map(view, input->row, input->column, &row, &column)) {
		view->row = row;
		view->column = column;
		view->moved = true;
	}
}

const struct tp_screen tp_screen_autotune = {
	.state_bytes = sizeof(struct autotune_view),
	.close = close_screen,
	.enter = news,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.news = news,
};

/* --- in other screens --- */

static bool draw_point(struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	if (!tp_point_is_search(p) || app->live.current != (long)p->point ||
	    p->state != TP_POINT_PLANNED)
		return false;
	draw_search(app, p, area);
	return true;
}

static bool grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		 struct tp_picture *picture)
{
	(void)area;
	return tp_picture_classic(picture, tp_app_run(app), tp_kernel_row(point)->precision);
}

const struct tp_shown tp_shown_autotune = {
	.screen = TP_SCREEN_AUTOTUNE,
	.words = "what the searches found",
	.part = &tp_trial_part,
	.draw_point = draw_point,
	.grow = grow,
};
