/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/plotview.h"
#include "base/vec.h"

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

void tp_plotview_close(void *state)
{
	struct tp_plotview *view = state;
	tp_plotview_drop(view);
	tp_doc_release(&view->doc);
	free(view);
}

bool tp_plotview_is_live(const struct tp_app *app)
{
	return app->live.state == TP_LIVE_RUNNING || app->live.state == TP_LIVE_PAUSED ||
	       app->live.state == TP_LIVE_STOPPING;
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
	tp_plotview_refresh(view, app, plot.columns, plot.rows);
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
		tp_plotview_refresh(view, app, view->columns, view->rows);
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
	tp_plotview_turn(view, &all);
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
