/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a plot screen: of which pages there are, made from the runs as they are now, laid out for the room that it has. */
#include "ui/tui/plotview.h"
#include "ui/tui/seen.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void drop_layout(struct tp_plotview *view)
{
	tp_canvas_release(&view->canvas);
	tp_layout_release(&view->layout);
	view->laid = false;
}

void tp_plotview_drop(struct tp_plotview *view)
{
	drop_layout(view);
	if (view->picture) {
		tp_arena_release(&view->picture->arena);
		free(view->picture);
		view->picture = NULL;
	}
	for (size_t i = 0; i < TP_APP_RUNS; i++)
		tp_run_view_release(&view->views[i]);
	tp_run_view_release(&view->wanted);
	view->n_runs = 0;
}

/* --- pages --- */

static bool same_page(const struct tp_plot_page *a, const struct tp_plot_page *b)
{
	return a->run == b->run && a->threads == b->threads && a->from == b->from &&
	       strcmp(a->isa, b->isa) == 0 && strcmp(a->precision, b->precision) == 0 &&
	       strcmp(a->experiment, b->experiment) == 0;
}

void tp_plotview_add_page(struct tp_plotview *view, const struct tp_plot_page *page)
{
	for (size_t i = 0; i < view->n_pages; i++)
		if (same_page(&view->pages[i], page))
			return;
	if (view->n_pages < TP_PAGES_MAX)
		view->pages[view->n_pages++] = *page;
}

/* The pages of the run as it is now; the one that was shown stays if it is still there. */
static void find_pages(struct tp_plotview *view)
{
	struct tp_plot_page before = { 0 };
	bool had = view->page < view->n_pages;
	if (had)
		before = view->pages[view->page];
	view->n_pages = 0;
	view->kind->pages(view, &view->wanted);
	view->page = TP_MIN(view->page, view->n_pages ? view->n_pages - 1 : 0);
	for (size_t i = 0; had && i < view->n_pages; i++)
		if (same_page(&view->pages[i], &before))
			view->page = i;
}

/* --- the picture --- */

/* What a picture shows of the runs, in one number: it is made anew only when this changes. */
static uint64_t look_at(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t hash = TP_SEEN_START;
	tp_seen_mix(&hash, (uint64_t)app->live.state);
	tp_seen_mix(&hash, app->n_runs);
	for (const char *c = tp_app_run_label(app); *c; c++)
		tp_seen_mix(&hash, (unsigned char)*c);
	for (size_t i = 0; i < app->n_runs; i++)
		for (const char *c = app->runs[i].label; *c; c++)
			tp_seen_mix(&hash, (unsigned char)*c);
	if (!run)
		return hash;
	/* Views borrow these. */
	tp_seen_mix(&hash, (uintptr_t)run->facts);
	tp_seen_mix(&hash, (uintptr_t)run->diags.items);
	uint64_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	tp_seen_mix(&hash, done);
	tp_seen_mix(&hash, run->n_roofs);
	tp_seen_mix(&hash, run->n_plateaus);
	tp_seen_mix(&hash, run->n_dots);
	return hash;
}

static bool on_page(const void *context, const struct tp_part *part)
{
	const struct tp_plot_page *page = context;
	return (page->run == TP_ANY || page->run == part->run) &&
	       (page->threads == TP_ANY || page->threads == part->threads) &&
	       (!page->isa[0] || strcmp(page->isa, part->isa) == 0) &&
	       (!page->precision[0] || strcmp(page->precision, part->precision) == 0);
}

struct both {
	const struct tp_plotview *view;
	const struct tp_plot_page *page;
};

static bool on_page_and_wanted(const void *context, const struct tp_part *part)
{
	const struct both *both = context;
	return on_page(both->page, part) && tp_parts_wanted(both->view, part);
}

/* The shown run and those over it, narrowed to the page. */
static bool narrow(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_plot_page *page = &view->pages[view->page];
	/* Other runs number their own runs of the preset. */
	struct tp_plot_page elsewhere = *page;
	elsewhere.run = TP_ANY;
	for (size_t i = 0; i < TP_MAX(app->n_runs, (size_t)1) && i < TP_APP_RUNS; i++) {
		const struct both both = { view, i ? &elsewhere : page };
		const struct tp_run *run = i ? &app->runs[i].run : tp_app_run(app);
		tp_copy(view->labels[i], sizeof(view->labels[i]),
			i ? app->runs[i].label : tp_app_run_label(app));
		if (tp_run_view(&view->views[i], run, on_page_and_wanted, &both) != TP_OK)
			return false;
		view->runs[i] = &view->views[i];
		view->names[i] = view->labels[i];
		view->n_runs = i + 1;
	}
	return true;
}

static void make_picture(struct tp_plotview *view, const struct tp_app *app, int columns, int rows)
{
	tp_plotview_drop(view);
	const struct tp_run *run = tp_app_run(app);
	if (!run || tp_run_view(&view->wanted, run, tp_parts_wanted, view) != TP_OK)
		return;
	find_pages(view);
	view->hides = false;
	if (!view->n_pages) {
		/* Only because of what was hidden? */
		view->kind->pages(view, run);
		view->hides = view->n_pages > 0;
		view->n_pages = 0;
		return;
	}
	if (!narrow(view, app))
		return;
	view->picture = calloc(1, sizeof(*view->picture));
	if (!view->picture)
		return;
	if (view->holds && same_page(&view->held_page, &view->pages[view->page])) {
		view->picture->ai_low = view->held_x.min;
		view->picture->ai_high = view->held_x.max;
	}
	if (!view->kind->build(view, app, &view->pages[view->page], columns, rows)) {
		tp_plotview_drop(view);
		return;
	}
	tp_cursor_settle(view);
}

static void turn(struct tp_scale *scale)
{
	bool linear = scale->kind == TP_SCALE_LINEAR;
	scale->kind = !linear			     ? TP_SCALE_LINEAR
		      : scale->unit == TP_UNIT_BYTES ? TP_SCALE_LOG2
						     : TP_SCALE_LOG10;
}

void tp_plotview_turn(const struct tp_plotview *view, struct tp_scene *scene)
{
	if (view->turn_x)
		turn(&scene->x);
	if (view->turn_y)
		turn(&scene->y);
}

/* Axes of a run that grows widen, but never shrink, so that points do not wander. */
static void hold(struct tp_plotview *view, const struct tp_app *app)
{
	const struct tp_plot_page *page = &view->pages[view->page];
	struct tp_scale x, y;
	if (!tp_plotview_is_live(app)) {
		view->holds = false;
		return;
	}
	tp_scale_fit(&view->scene, &x, &y);
	if (view->holds && same_page(&view->held_page, page) && view->held_x.kind == x.kind &&
	    view->held_y.kind == y.kind) {
		x.min = fmin(x.min, view->held_x.min);
		x.max = fmax(x.max, view->held_x.max);
		y.min = fmin(y.min, view->held_y.min);
		y.max = fmax(y.max, view->held_y.max);
	}
	view->held_x = x;
	view->held_y = y;
	view->held_page = *page;
	view->holds = true;
	view->scene.x = x;
	view->scene.y = y;
}

static void lay_out(struct tp_plotview *view, const struct tp_app *app, int columns, int rows)
{
	drop_layout(view);
	view->scene = view->picture->scene;
	view->scene.title = NULL; /* it stands in the head */
	tp_plotview_turn(view, &view->scene);
	hold(view, app);
	if (view->zoom[1] > view->zoom[0]) {
		view->scene.x.min = view->zoom[0];
		view->scene.x.max = view->zoom[1];
		view->scene.y.min = view->zoom[2];
		view->scene.y.max = view->zoom[3];
	}
	if (tp_layout_make(&view->scene, (size_t)columns, (size_t)rows, &view->layout) != TP_OK)
		return;
	if (tp_canvas_init(&view->canvas, (size_t)columns, (size_t)rows, view->glyphs) != TP_OK) {
		drop_layout(view);
		return;
	}
	tp_raster_draw(&view->scene, &view->layout, &view->canvas);
	view->laid = true;
}

void tp_plotview_refresh(struct tp_plotview *view, const struct tp_app *app, int columns, int rows)
{
	enum tp_plot_glyphs glyphs = app->term.utf8 ? app->glyphs : TP_GLYPHS_ASCII;
	bool resized = columns != view->columns || rows != view->rows;
	uint64_t seen = look_at(app);
	if (view->stale || resized || seen != view->seen) {
		make_picture(view, app, columns, rows);
		view->seen = seen;
		view->stale = false;
	}
	if (resized || glyphs != view->glyphs)
		view->laid = false;
	view->columns = columns;
	view->rows = rows;
	view->glyphs = glyphs;
	if (view->picture && !view->laid)
		lay_out(view, app, columns, rows);
}
