/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/plotview.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_ROWS = 1, READ_ROWS = 2, SIDE_GAP = 2, PAGE_STEPS = 10, WHEEL_ROWS = 3 };

struct tp_plotview *tp_plotview_new(const struct tp_plot_kind *kind)
{
	struct tp_plotview *view = calloc(1, sizeof(*view));
	if (view) {
		view->kind = kind;
		view->stale = true;
		view->latest = view->current = -1;
	}
	return view;
}

static void drop_layout(struct tp_plotview *view)
{
	tp_canvas_release(&view->canvas);
	tp_layout_release(&view->layout);
	view->laid = false;
}

static void drop_picture(struct tp_plotview *view)
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

void tp_plotview_close(void *state)
{
	struct tp_plotview *view = state;
	drop_picture(view);
	tp_doc_release(&view->doc);
	free(view);
}

bool tp_plotview_is_live(const struct tp_app *app)
{
	return app->live.state == TP_LIVE_RUNNING || app->live.state == TP_LIVE_PAUSED ||
	       app->live.state == TP_LIVE_STOPPING;
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

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(1099511628211);
}

/* What a picture shows of the runs, in one number: it is made anew only when this changes. */
static uint64_t look_at(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t hash = UINT64_C(14695981039346656037);
	mix(&hash, (uint64_t)app->live.state);
	mix(&hash, app->n_runs);
	for (const char *c = tp_app_run_label(app); *c; c++)
		mix(&hash, (unsigned char)*c);
	for (size_t i = 0; i < app->n_runs; i++)
		for (const char *c = app->runs[i].label; *c; c++)
			mix(&hash, (unsigned char)*c);
	if (!run)
		return hash;
	/* Views borrow these. */
	mix(&hash, (uintptr_t)run->facts);
	mix(&hash, (uintptr_t)run->diags.items);
	uint64_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	mix(&hash, done);
	mix(&hash, run->n_roofs);
	mix(&hash, run->n_plateaus);
	mix(&hash, run->n_dots);
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
	drop_picture(view);
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
		drop_picture(view);
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
	if (view->turn_x)
		turn(&view->scene.x);
	if (view->turn_y)
		turn(&view->scene.y);
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

static void refresh(struct tp_plotview *view, const struct tp_app *app, int columns, int rows)
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

void tp_plotview_news(struct tp_app *app, void *state)
{
	struct tp_plotview *view = state;
	const struct tp_live *live = &app->live;
	/* The point that was under way and is not any more is the one that came last. */
	if (live->current != view->current && view->current >= 0)
		view->latest = view->current;
	view->current = live->current;
	if (live->state == TP_LIVE_DONE || live->state == TP_LIVE_NONE)
		view->latest = view->current = -1;
}

void tp_plotview_enter(struct tp_app *app, void *state)
{
	struct tp_plotview *view = state;
	(void)app;
	view->stale = true;
	view->choosing = view->exporting = false;
}

/* --- words for kinds --- */

const struct tp_origin *tp_plotview_origin(const struct tp_plotview *view)
{
	if (!view->picture || view->series >= view->picture->n_series)
		return NULL;
	return &view->picture->origins[view->series];
}

int tp_plotview_paint_run(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_origin *origin = tp_plotview_origin(view);
	if (view->n_runs < 2 || !origin)
		return 0;
	/* The date in front of a run's name takes the room that the numbers need. */
	const char *name = view->names[origin->run];
	size_t date = strspn(name, "0123456789-");
	return tp_paint_format(area, 0, 0,
			       tp_theme_plot_role(view->picture->series[view->series].role), "%s  ",
			       name[date] ? name + date : name);
}

const char *tp_plotview_pm(struct tp_area area)
{
	return area.term->utf8 ? "\u00b1" : "+-";
}

const char *tp_plotview_interval(struct tp_area area, double value, double low, double high,
				 char *out, size_t size)
{
	out[0] = '\0';
	if (value > 0 && low > 0 && high >= low)
		snprintf(out, size, "%s%.1f %%", tp_plotview_pm(area), 50 * (high - low) / value);
	return out;
}

const char *tp_plotview_flags(uint32_t flags, char *out, size_t size)
{
	char text[192];
	out[0] = '\0';
	if (flags)
		snprintf(out, size, "flags: %s", tp_flags_text(flags, text, sizeof(text)));
	return out;
}

/* --- painting --- */

static void paint_head(const struct tp_plotview *view, const struct tp_app *app,
		       struct tp_area area)
{
	char where[160];
	const char *label = tp_app_run_label(app);
	const char *title = view->picture ? view->picture->scene.title : NULL;
	if (view->n_pages > 1)
		snprintf(where, sizeof(where), "%s  [ %zu of %zu ] ", label, view->page + 1,
			 view->n_pages);
	else
		snprintf(where, sizeof(where), "%s ", label);
	int end = area.columns - (int)strlen(where);
	int used = title ? tp_paint_text(tp_area_columns(area, 0, TP_MAX(end - 2, 0)), 0, 1,
					 TP_UI_TITLE, title)
			 : 0;
	if (view->n_hidden)
		tp_paint_text(tp_area_columns(area, 0, end), 0, used + 3, TP_UI_CHANGED,
			      "not all shown (v)");
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, where);
}

static void paint_empty(const struct tp_plotview *view, const struct tp_app *app,
			struct tp_area area)
{
	const char *words = view->kind->empty;
	char text[192];
	if (!tp_app_run(app))
		words = "No run is open: press 2 to set one up, 9 to open one.";
	else if (view->hides)
		words = "Everything of this kind is hidden: press v to choose what is shown.";
	else if (tp_plotview_is_live(app)) {
		snprintf(text, sizeof(text),
			 "Measuring, %u of %u points: what this screen shows comes with its first "
			 "point. 3 shows the run.",
			 app->live.n_done, app->live.n_points);
		words = text;
	}
	int width = TP_MIN(area.columns - 4, 76);
	tp_paint_wrapped(tp_area_columns(area, 2, width), area.rows / 2 - 1, 0, TP_UI_PLAIN, words);
}

static void paint_tables(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	const struct tp_look look = { .colour = true,
				      .utf8 = app->term.utf8,
				      .columns = (unsigned)TP_MAX(area.columns - 2, TP_COLUMNS_MIN),
				      .rows = (unsigned)area.rows };
	if (!view->doc_list.n && view->wanted.points) {
		struct tp_str text = { 0 };
		tp_report_text(&view->wanted, &look, &text);
		tp_doc_clear(&view->doc, area.columns - 2);
		tp_doc_report(&view->doc, tp_str_text(&text));
		tp_str_release(&text);
		tp_list_resize(&view->doc_list, view->doc.n);
	}
	tp_list_fit(&view->doc_list, area.rows);
	tp_doc_paint(&view->doc, tp_area_columns(area, 1, area.columns - 2), view->doc_list.top,
		     (size_t)-1);
	tp_list_paint_bar(&view->doc_list, area);
}

/* A label or legend entry of the selected series stands out. */
static void paint_selected(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_layout *layout = &view->layout;
	const struct tp_series *s = &view->picture->series[view->series];
	for (size_t i = 0; i < layout->n_keys; i++)
		if (layout->keys[i].series == view->series)
			tp_paint_role(area, (int)layout->keys[i].row,
				      (int)layout->keys[i].column + TP_LAYOUT_SAMPLE_COLUMNS + 1,
				      (int)layout->keys[i].columns - TP_LAYOUT_SAMPLE_COLUMNS - 1,
				      TP_UI_SELECTED);
	for (size_t i = 0; s->label && i < layout->n_labels; i++)
		if (layout->labels[i].text == s->label)
			tp_paint_role(area, (int)layout->labels[i].row,
				      (int)layout->labels[i].column, (int)layout->labels[i].columns,
				      TP_UI_SELECTED);
}

static void paint_plot(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	bool sided = view->kind->side && area.columns >= view->kind->side_from;
	int side = sided ? view->kind->side_columns + SIDE_GAP : 0;
	struct tp_area plot = tp_area_columns(tp_area_rows(area, 0, area.rows - READ_ROWS), 0,
					      area.columns - side);
	refresh(view, app, plot.columns, plot.rows);
	if (!view->picture || !view->laid) {
		paint_empty(view, app, area);
		return;
	}
	tp_paint_canvas(plot, &view->canvas);
	paint_selected(view, plot);
	tp_cursor_paint(view, plot);
	struct tp_area read = tp_area_rows(area, area.rows - READ_ROWS, READ_ROWS);
	view->kind->read(view, tp_area_columns(read, 1, read.columns - 2));
	if (sided)
		view->kind->side(view, tp_area_columns(tp_area_rows(area, 0, plot.rows),
						       plot.columns + SIDE_GAP,
						       view->kind->side_columns - 1));
}

void tp_plotview_draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_plotview *view = state;
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	if (view->tables) {
		uint64_t seen = view->seen;
		bool stale = view->stale || rest.columns != view->doc.columns + 2;
		refresh(view, app, view->columns, view->rows);
		if (stale || seen != view->seen)
			view->doc_list.n = 0;
		paint_tables(view, app, rest);
	} else {
		paint_plot(view, app, rest);
	}
	paint_head(view, app, area);
	if (view->choosing)
		tp_parts_paint(view, rest);
	if (view->exporting)
		tp_export_paint(view, rest);
}

/* --- input --- */

static void zoom(struct tp_plotview *view, double factor)
{
	if (!view->laid)
		return;
	const struct tp_scale *scales[2] = { &view->layout.x, &view->layout.y };
	const double at[2] = { view->x, view->y };
	double ends[4];
	for (int i = 0; i < 2; i++) {
		double p = tp_scale_place(scales[i], at[i]);
		p = isfinite(p) ? fmin(fmax(p, 0), 1) : 0.5;
		ends[2 * i] = tp_scale_value(scales[i], p - p * factor);
		ends[2 * i + 1] = tp_scale_value(scales[i], p + (1 - p) * factor);
		if (!isfinite(ends[2 * i]) || !isfinite(ends[2 * i + 1]))
			return;
	}
	/* Out beyond everything is everything; in beyond what numbers can tell apart is nowhere. */
	struct tp_scale x = view->scene.x, y = view->scene.y;
	struct tp_scene all = view->picture->scene;
	if (view->turn_x)
		turn(&all.x);
	if (view->turn_y)
		turn(&all.y);
	tp_scale_fit(&all, &x, &y);
	if (factor > 1 && ends[0] <= x.min && ends[1] >= x.max && ends[2] <= y.min &&
	    ends[3] >= y.max)
		memset(view->zoom, 0, sizeof(view->zoom));
	else if (ends[1] - ends[0] > 1e-9 * fabs(ends[1]) &&
		 ends[3] - ends[2] > 1e-9 * fabs(ends[3]))
		memcpy(view->zoom, ends, sizeof(ends));
	view->laid = false;
}

static void next_page(struct tp_plotview *view, bool forward)
{
	if (view->n_pages)
		view->page = (view->page + (forward ? 1 : view->n_pages - 1)) % view->n_pages;
	memset(view->zoom, 0, sizeof(view->zoom));
	view->placed = false;
	view->stale = true;
}

static void next_glyphs(struct tp_app *app)
{
	static const char *const names[] = { "Braille dots", "blocks", "ASCII" };
	if (!app->term.utf8) {
		tp_app_say(app, TP_UI_PLAIN, "this terminal shows ASCII only");
		return;
	}
	app->glyphs = (enum tp_plot_glyphs)((app->glyphs + 1) % TP_GLYPHS_COUNT);
	tp_app_say(app, TP_UI_PLAIN, "drawn with %s", names[app->glyphs]);
}

static bool act_on_cursor(struct tp_plotview *view, enum tp_action action)
{
	switch (action) {
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		tp_cursor_step(view, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_PAGE_UP:
	case TP_ACTION_PAGE_DOWN:
		tp_cursor_step(view, action == TP_ACTION_PAGE_DOWN ? PAGE_STEPS : -PAGE_STEPS);
		return true;
	case TP_ACTION_FIRST:
	case TP_ACTION_LAST:
		tp_cursor_end(view, action == TP_ACTION_LAST);
		return true;
	case TP_ACTION_UP:
	case TP_ACTION_DOWN:
		tp_cursor_series(view, action == TP_ACTION_UP);
		return true;
	default:
		return false;
	}
}

bool tp_plotview_act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_plotview *view = state;
	if (view->tables && tp_list_scroll(&view->doc_list, action))
		return true;
	if (!view->tables && act_on_cursor(view, action))
		return true;
	switch (action) {
	case TP_ACTION_ZOOM_IN:
	case TP_ACTION_ZOOM_OUT:
		zoom(view, action == TP_ACTION_ZOOM_IN ? 0.5 : 2);
		return true;
	case TP_ACTION_ZOOM_ALL:
		memset(view->zoom, 0, sizeof(view->zoom));
		view->laid = false;
		return true;
	case TP_ACTION_SCALE_X:
	case TP_ACTION_SCALE_Y:
		if (action == TP_ACTION_SCALE_X)
			view->turn_x = !view->turn_x;
		else
			view->turn_y = !view->turn_y;
		memset(view->zoom, 0, sizeof(view->zoom));
		view->laid = false;
		return true;
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
		next_page(view, action == TP_ACTION_NEXT_PICTURE);
		return true;
	case TP_ACTION_GLYPHS:
		next_glyphs(app);
		return true;
	case TP_ACTION_SERIES:
		tp_parts_open(view, app);
		return true;
	case TP_ACTION_REPORT:
		view->tables = !view->tables;
		view->doc_list = (struct tp_list){ 0 };
		return true;
	case TP_ACTION_EXPORT:
		tp_export_open(view, app);
		return true;
	case TP_ACTION_PAUSE:
		tp_live_pause(&app->live, app->live.state != TP_LIVE_PAUSED);
		return true;
	case TP_ACTION_STOP:
		tp_live_stop(&app->live);
		return true;
	case TP_ACTION_BACK:
		if (!view->tables)
			return false;
		view->tables = false;
		return true;
	default:
		return false;
	}
}

bool tp_plotview_type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_plotview *view = state;
	if (view->exporting)
		return tp_export_type(view, app, code);
	return view->choosing && tp_parts_type(view, code);
}

void tp_plotview_mouse(struct tp_app *app, void *state, const struct tp_input *input,
		       struct tp_area area)
{
	struct tp_plotview *view = state;
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	(void)app;
	bool press = input->mouse == TP_MOUSE_PRESS, up = input->mouse == TP_MOUSE_WHEEL_UP;
	if (view->choosing) {
		if (press)
			tp_parts_click(view, input->row, input->column, rest);
		return;
	}
	if (view->tables) {
		if (!press)
			tp_list_wheel(&view->doc_list, up ? -WHEEL_ROWS : WHEEL_ROWS);
		return;
	}
	if (!view->laid)
		return;
	if (press)
		tp_cursor_jump(view, input->row - rest.row, input->column - rest.column);
	else
		zoom(view, up ? 0.5 : 2);
}
