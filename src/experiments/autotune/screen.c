/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the fastest configuration: the best so far, the space as a map, what each technique
 * took.
 */
#include "experiments/autotune/screen.h"
#include "ui/tui/shown.h"
#include "ui/tui/app.h"
#include "base/vec.h"
#include "experiments/autotune/search_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct tp_autotune_view *view = state;
	tp_heat_release(&view->heat);
}

const struct tp_trial *tp_autotune_at(const struct tp_autotune_view *view)
{
	const struct tp_heat *heat = &view->heat;
	if (view->row >= heat->n_rows || view->column >= heat->n_columns)
		return NULL;
	long i = heat->cells[view->row * heat->n_columns + view->column];
	return i >= 0 ? &view->search.trials[i] : NULL;
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

/* A search learns its library only when it is over. */
static bool same_library(const struct tp_searched *a, const struct tp_searched *b)
{
	return !*a->library || !*b->library || strcmp(a->library, b->library) == 0;
}

static bool differ_in_technique(const struct tp_searched *a, const struct tp_searched *b)
{
	return a->point->run == b->point->run && a->point->threads == b->point->threads &&
	       strcmp(a->routine, b->routine) == 0 && strcmp(a->where, b->where) == 0 &&
	       same_library(a, b);
}

static void collect_techniques(struct tp_autotune_view *view, const struct tp_run *run)
{
	struct tp_list *list = &view->techniques;
	*list = (struct tp_list){ 0 };
	for (size_t i = 0; i < run->n_points && list->n < TP_AUTOTUNE_TECHNIQUES; i++) {
		struct tp_searched *other = &view->others[list->n];
		if (!tp_searched_of(run, (unsigned)i, other) ||
		    !differ_in_technique(&view->search, other) || (!other->n && i != view->point))
			continue;
		if (i == view->point)
			list->at = list->n;
		view->study[list->n] = NULL;
		for (size_t k = 0; k < tp_run_n_study(run); k++)
			if (tp_run_study(run)[k].point == i)
				view->study[list->n] = &tp_run_study(run)[k];
		list->n++;
	}
}

static void go_to_best(struct tp_autotune_view *view)
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

static void make_map(struct tp_autotune_view *view)
{
	tp_heat_release(&view->heat);
	tp_heat_make(&view->heat, &view->search, &view->axes);
	view->row = TP_MIN(view->row, TP_MAX(view->heat.n_rows, (size_t)1) - 1);
	view->column = TP_MIN(view->column, TP_MAX(view->heat.n_columns, (size_t)1) - 1);
	if (!view->moved)
		go_to_best(view);
}

static void show(const struct tp_app *app, struct tp_autotune_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	tp_heat_release(&view->heat);
	view->any = false;
	view->n_searches = view->number = view->techniques.n = 0;
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
	collect_techniques(view, run);
}

static void refresh(const struct tp_app *app, struct tp_autotune_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = tp_seen_runs(app);
	/* A search under way grows trial by trial. */
	tp_seen_mix(&seen, run == &app->live.run ? app->live.version : 0);
	tp_seen_mix(&seen, run ? (uintptr_t)tp_run_trials(run) : 0);
	if (seen == view->seen)
		return;
	view->seen = seen;
	show(app, view);
}

static void enter(struct tp_app *app, void *state)
{
	refresh(app, state);
}

static void news(struct tp_app *app, void *state)
{
	refresh(app, state);
}

static void go_to_search(const struct tp_app *app, struct tp_autotune_view *view, unsigned point)
{
	view->point = point;
	view->chosen = true;
	view->moved = false;
	show(app, view);
}

static void move_search(const struct tp_app *app, struct tp_autotune_view *view, bool forward)
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

static void draw_head(const struct tp_autotune_view *view, struct tp_area area)
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

static void draw_empty(const struct tp_app *app, struct tp_area area)
{
	const char *words = "No run is open: press 2 to set one up, 9 to open one.";
	if (tp_app_run(app))
		words = "Nothing was searched for in this run: press 2 to set it up (experiment: "
			"autotune), 9 to open a run that did.";
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2 - 1,
			 0, TP_UI_PLAIN, words);
}

/* Map left, words right. */
static void draw_beside(struct tp_autotune_view *view, struct tp_area area)
{
	struct tp_area words =
		tp_area_columns(area, area.columns - WORDS_COLUMNS, WORDS_COLUMNS - 1);
	tp_autotune_map_draw(view, tp_area_columns(area, 0, area.columns - WORDS_COLUMNS - 2));
	int row = tp_autotune_trial_draw(view, words);
	tp_autotune_techniques_draw(view, tp_area_rows(words, row + 1, words.rows - row - 1));
}

/* Map above, words below: the map gets what the words leave, but never less than a few rows. */
static void draw_below(struct tp_autotune_view *view, struct tp_area area)
{
	enum { MAP_MIN = 8 };
	int all = (int)view->techniques.n + TECHNIQUE_ROWS;
	int techniques = view->techniques.n > 1 ? all : 0;
	int map = TP_MAX(area.rows - TRIAL_ROWS - techniques, TP_MIN((int)MAP_MIN, area.rows));
	map = TP_MAX(map, TP_MIN(tp_autotune_map_rows(view), area.rows - TRIAL_ROWS));
	struct tp_area top = tp_area_rows(area, 0, map);
	tp_autotune_map_draw(view, top);
	/* Words follow the map where it is smaller than its room. */
	const struct tp_map_place *p = &view->place;
	int used = view->heat.n_rows ? TP_MIN((int)p->n_rows * p->cell_rows + 2, map) : 1;
	struct tp_area rest = tp_area_rows(area, used, area.rows - used);
	int row = tp_autotune_trial_draw(view, rest);
	if (view->techniques.n > 1)
		tp_autotune_techniques_draw(view, tp_area_rows(rest, row, rest.rows - row));
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_autotune_view *view = state;
	refresh(app, view);
	view->techniques.area.rows = view->place.area.rows = 0;
	if (!view->any) {
		draw_empty(app, area);
		return;
	}
	draw_head(view, tp_area_rows(area, 0, HEAD_ROWS));
	struct tp_area best = tp_area_columns(tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS),
					      1, area.columns - 2);
	int used = HEAD_ROWS + tp_autotune_best_draw(app, &view->search, best);
	/* A blank row where there are enough of them. */
	used += area.rows >= 24;
	struct tp_area rest = tp_area_rows(area, used, area.rows - used);
	if (area.columns >= BESIDE_COLUMNS)
		draw_beside(view, rest);
	else
		draw_below(view, rest);
}

/* --- input --- */

static void step(struct tp_autotune_view *view, long rows, long columns)
{
	const struct tp_heat *heat = &view->heat;
	if (!heat->n_rows)
		return;
	long row = (long)view->row + rows, column = (long)view->column + columns;
	view->row = (size_t)TP_MAX(TP_MIN(row, (long)heat->n_rows - 1), 0L);
	view->column = (size_t)TP_MAX(TP_MIN(column, (long)heat->n_columns - 1), 0L);
	view->moved = true;
}

static void turn(struct tp_app *app, struct tp_autotune_view *view)
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

static void cut(struct tp_app *app, struct tp_autotune_view *view, bool forward)
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
	struct tp_autotune_view *view = state;
	refresh(app, view);
	if (!view->any)
		return false;
	bool flat = view->heat.x < 0;
	switch (action) {
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		step(view, action == TP_ACTION_UP ? -1 : 1, 0);
		return true;
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
		step(view, action == TP_ACTION_PAGE_UP ? -PAGE_CELLS : PAGE_CELLS, 0);
		return true;
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		if (flat)
			move_search(app, view, action == TP_ACTION_RIGHT);
		else
			step(view, 0, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		step(view, 0, action == TP_ACTION_LAST ? TP_HEAT_AXIS_MAX : -TP_HEAT_AXIS_MAX);
		return true;
	case TP_ACTION_SEARCH_NEXT:
	case TP_ACTION_SEARCH_PREVIOUS:
		move_search(app, view, action == TP_ACTION_SEARCH_NEXT);
		return true;
	case TP_ACTION_AXES:
		turn(app, view);
		return true;
	case TP_ACTION_SLICE_NEXT:
	case TP_ACTION_SLICE_PREVIOUS:
		cut(app, view, action == TP_ACTION_SLICE_NEXT);
		return true;
	case TP_ACTION_BEST:
		go_to_best(view);
		return true;
	default:
		return false;
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_autotune_view *view = state;
	size_t row, column;
	(void)area;
	refresh(app, view);
	if (!view->any)
		return;
	if (input->mouse != TP_MOUSE_PRESS)
		step(view, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1, 0);
	else if (tp_list_mouse(&view->techniques, input) != TP_LIST_MISSED)
		go_to_search(app, view, view->others[view->techniques.at].point->point);
	else if (tp_autotune_map_hit(view, input->row, input->column, &row, &column)) {
		view->row = row;
		view->column = column;
		view->moved = true;
	}
}

const struct tp_screen tp_screen_autotune = {
	.state_bytes = sizeof(struct tp_autotune_view),
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.news = news,
};

/* --- in other screens --- */

static const char *finds(const struct tp_run *run)
{
	return tp_run_n_trials(run) ? "what the searches found" : NULL;
}

static bool draw_point(struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	if (!tp_point_is_search(p) || app->live.current != (long)p->point ||
	    p->state != TP_POINT_PLANNED)
		return false;
	tp_autotune_point_draw(app, p, area);
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
	.finds = finds,
	.draw_point = draw_point,
	.grow = grow,
};
