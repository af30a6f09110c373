/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/plotview.h"
#include "ui/tui/quality.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/page.h"
#include "report/facts.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From ROWS_FOR_VERDICT on there is room for a row of advice below what the cursor reads. */
enum { HEAD_ROWS = 1, READ_ROWS = 2, SIDE_GAP = 2, ROWS_FOR_VERDICT = 16 };

bool tp_plotview_open(struct tp_plotview *view, const struct tp_plot_kind *kind)
{
	view->kind = kind;
	view->stale = true;
	view->latest = view->current = -1;
	return true;
}

void tp_plotview_close(void *state)
{
	struct tp_plotview *view = state;
	tp_plotview_drop(view);
	tp_doc_release(&view->doc);
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
	view->choosing = view->export.open = false;
}

/* --- words for kinds --- */

void tp_plotview_name_run(const struct tp_plotview *view, struct tp_text_row *words)
{
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	if (view->n_runs < 2 || !origin)
		return;
	/* The date in front of a run's name takes the room that the numbers need. */
	const char *name = view->names[origin->run];
	size_t date = strspn(name, "0123456789-");
	tp_words(words, 0, tp_theme_plot_role(view->plot.picture->series[view->plot.series].role),
		 "%s  ", name[date] ? name + date : name);
}

const char *tp_plotview_interval(struct tp_area area, const struct tp_point *point, double value,
				 double low, double high, char *out, size_t size)
{
	out[0] = '\0';
	if (tp_point_has_one_window(point))
		snprintf(out, size, "(%s)", TP_ONE_WINDOW);
	else if (value > 0 && low > 0 && high >= low)
		snprintf(out, size, "%s%.1f %%", tp_paint_pm(area), 50 * (high - low) / value);
	return out;
}

/* What to do about the flags of a point that is not good, in place of the verdict of the run. */
static void paint_remedies(struct tp_area row, enum tp_quality quality, uint32_t flags)
{
	struct tp_str text = { 0 };
	flags = tp_quality_reasons(quality, flags);
	for (int f = 0; f < TP_FLAG_COUNT; f++)
		if (flags & 1u << f)
			tp_str_printf(&text, "%s%s: %s", text.len ? "; " : "",
				      tp_flag_name((enum tp_flag)f),
				      tp_flag_remedy((enum tp_flag)f));
	if (text.len) {
		tp_paint_clear(row, TP_UI_PLAIN);
		tp_paint_text(row, 0, 0, TP_UI_WARN, tp_str_text(&text));
	}
	tp_str_release(&text);
}

void tp_plotview_quality(struct tp_text_row *words, int gap, enum tp_quality quality,
			 uint32_t flags)
{
	char text[224];
	if (*tp_quality_words(quality, flags, text, sizeof(text)))
		tp_words(words, gap, tp_quality_role(quality), "%s", text);
	if (words->area.rows > READ_ROWS)
		paint_remedies(tp_area_rows(words->area, READ_ROWS, 1), quality, flags);
}

/* --- painting --- */

static void paint_head(const struct tp_plotview *view, const struct tp_app *app,
		       struct tp_area area)
{
	static const char hidden[] = "not all shown (v)";
	char where[160], simulated[TP_SIMULATED_BYTES + 16];
	const char *label = tp_app_run_label(app);
	if (view->n_pages > 1)
		snprintf(where, sizeof(where), "%s  [ %zu of %zu ] ", label, view->page + 1,
			 view->n_pages);
	else
		snprintf(where, sizeof(where), "%s ", label);
	int end = area.columns - (int)strlen(where), used = 0;
	/* That something is hidden matters more than the end of the other words. */
	int room = end - 2 - (view->n_hidden ? (int)sizeof(hidden) + 1 : 0);
	struct tp_area left = tp_area_columns(area, 0, TP_MAX(room, 0));
	const struct tp_run *run = tp_app_run(app);
	if (view->plot.picture)
		used = tp_paint_text(left, 0, 1, TP_UI_TITLE, view->plot.picture->scene.title);
	if (run && *tp_fact_simulated(run, simulated, sizeof(simulated)))
		used += 2 + tp_paint_text(left, 0, used + 3, TP_UI_WARN, simulated);
	if (view->n_hidden)
		tp_paint_text(tp_area_columns(area, 0, end), 0, used + 3, TP_UI_CHANGED, hidden);
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, where);
}

static void paint_empty(const struct tp_plotview *view, const struct tp_app *app,
			struct tp_area area)
{
	char text[192];
	snprintf(text, sizeof(text), "%s", view->kind->empty);
	if (!tp_app_run(app))
		snprintf(text, sizeof(text),
			 "No run is open: press 2 to set one up, 9 to open one.");
	else if (view->all_hidden)
		snprintf(text, sizeof(text),
			 "Everything of this kind is hidden: press v to choose what is shown.");
	else if (tp_live_is_under_way(&app->live))
		snprintf(text, sizeof(text),
			 "Measuring, %u of %u points: what this screen shows comes with its first "
			 "point. 3 shows the run.",
			 app->live.n_done, app->live.n_points);
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2 - 1,
			 0, TP_UI_PLAIN, text);
}

static void paint_tables(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	const struct tp_look look = { .colour = true,
				      .quick = true,
				      .utf8 = app->term.utf8,
				      .columns = (unsigned)TP_MAX(area.columns - 2, TP_COLUMNS_MIN),
				      .rows = (unsigned)area.rows };
	uint64_t seen = view->seen;
	bool stale = view->stale || area.columns != view->doc.columns + 2;
	tp_plotview_refresh(view, app, view->plot.area);
	if (stale || seen != view->seen)
		view->doc_list.n = 0;
	if (!view->doc_list.n && view->wanted.points) {
		struct tp_str text = { 0 };
		tp_report_text(&view->wanted, &look, &text);
		tp_doc_clear(&view->doc, area.columns - 2);
		tp_doc_report(&view->doc, tp_str_text(&text));
		tp_str_release(&text);
		tp_list_resize(&view->doc_list, view->doc.n);
	}
	tp_doc_show(&view->doc, &view->doc_list, tp_area_columns(area, 1, area.columns - 1), false);
}

/* The run's verdict, once it is over. */
static void paint_verdict(const struct tp_app *app, struct tp_area row)
{
	const struct tp_run *run = tp_app_run(app);
	struct tp_str text = { 0 };
	if (!run || tp_live_is_under_way(&app->live))
		return;
	tp_conclusion_line(run, &text);
	tp_paint_text(row, 0, 0, TP_UI_DIM, tp_str_text(&text));
	tp_str_release(&text);
}

static void paint_plot(struct tp_plotview *view, const struct tp_app *app, struct tp_area area)
{
	const struct tp_plot_kind *kind = view->kind;
	bool sided = kind->side && area.columns >= kind->side_from;
	int columns = area.columns - (sided ? kind->side_columns + SIDE_GAP : 0);
	int below = READ_ROWS + (area.rows >= ROWS_FOR_VERDICT);
	struct tp_area upper = tp_area_rows(area, 0, area.rows - below);
	if (!tp_plotview_refresh(view, app, tp_area_columns(upper, 0, columns))) {
		paint_empty(view, app, area);
		return;
	}
	tp_plot_paint(&view->plot);
	tp_plot_paint_cursor(&view->plot);
	const struct tp_origin *origin = tp_plot_origin(&view->plot);
	struct tp_area read =
		tp_area_columns(tp_area_rows(area, upper.rows, below), 1, area.columns - 2);
	if (below > READ_ROWS)
		paint_verdict(app, tp_area_rows(read, READ_ROWS, 1));
	if (origin)
		kind->read(view, origin, (struct tp_text_row){ read, 0, 0 },
			   (struct tp_text_row){ read, 1, 0 });
	if (sided)
		kind->side(view,
			   tp_area_columns(upper, columns + SIDE_GAP, kind->side_columns - 1));
}

void tp_plotview_draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_plotview *view = state;
	struct tp_area rest = tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS);
	if (view->tables)
		paint_tables(view, app, rest);
	else
		paint_plot(view, app, rest);
	paint_head(view, app, area);
	if (view->choosing)
		tp_parts_paint(view, rest);
	if (view->export.open)
		tp_path_box_paint(&view->export, rest);
	if (view->ask.open)
		tp_path_box_paint(&view->ask, rest);
}

/* --- export --- */

static void ask_path(struct tp_plotview *view, const struct tp_app *app)
{
	if (!tp_app_run(app))
		return;
	tp_text_field_set(&view->export.field, tp_app_run_label(app));
	view->export.title = "Write pictures and tables";
	view->export.ending = ".svg .csv";
	view->export.note =
		"A relative path begins in the folder that tprof was started in. Enter, Esc";
	view->export.open = true;
}

static void export(const struct tp_plotview *view, struct tp_app *app)
{
	const struct tp_run *runs[TP_APP_RUNS] = { NULL };
	const char *names[TP_APP_RUNS] = { NULL }, *path = view->export.field.text;
	size_t n = tp_app_n_shown(app);
	struct tp_diag diag = { 0 };
	struct tp_str svg = { 0 }, csv = { 0 };
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		runs[i] = tp_app_shown(app, i);
		names[i] = tp_app_shown_label(app, i);
	}
	enum tp_status made = n > 1 ? tp_report_svg_runs(runs, names, n, TP_SVG_AUTO, &svg)
				    : tp_report_svg(runs[0], TP_SVG_AUTO, &svg);
	if (tp_path_box_write(&view->export, ".svg", made, &svg, &diag) == TP_OK &&
	    tp_path_box_write(&view->export, ".csv", tp_run_csv(runs[0], &csv), &csv, &diag) ==
		    TP_OK)
		tp_app_say(app, TP_UI_GOOD, "wrote %s.svg and %s.csv", path, path);
	else
		tp_app_say_diag(app, &diag);
}

/* --- input --- */

static void next_page(struct tp_plotview *view, bool forward)
{
	if (view->n_pages)
		view->page = (view->page + (forward ? 1 : view->n_pages - 1)) % view->n_pages;
	tp_plot_zoom_all(&view->plot);
	view->plot.placed = false;
	view->stale = true;
}

bool tp_plotview_act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_plotview *view = state;
	size_t series = view->plot.series;
	if (view->tables && tp_list_scroll(&view->doc_list, action))
		return true;
	if (!view->tables && tp_plot_act(&view->plot, app, action)) {
		/* A picture may show more of the selected series than of others. */
		view->stale |= series != view->plot.series;
		return true;
	}
	switch (action) {
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
		next_page(view, action == TP_ACTION_NEXT_PICTURE);
		return true;
	case TP_ACTION_SERIES:
		tp_parts_open(view, app);
		return true;
	case TP_ACTION_REPORT:
		view->tables = !view->tables;
		view->doc_list = (struct tp_list){ 0 };
		return true;
	case TP_ACTION_EXPORT:
		ask_path(view, app);
		return true;
	case TP_ACTION_DOT:
		if (!view->kind->answer || !tp_app_run(app))
			return false;
		view->ask.title = view->kind->asks;
		view->ask.note = view->kind->example;
		view->ask.open = true;
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

/* The box stays open with what is wrong until the text is taken. */
static bool type_answer(struct tp_app *app, struct tp_plotview *view, uint32_t code)
{
	struct tp_diag diag;
	enum tp_text_field_event event = tp_path_box_key(&view->ask, code);
	if (event != TP_TEXT_FIELD_TAKEN)
		return event != TP_TEXT_FIELD_IGNORED;
	if (view->kind->answer(app, view->ask.field.text, &diag) == TP_OK) {
		tp_text_field_set(&view->ask.field, "");
		tp_plotview_drop(view);
		view->stale = true;
		return true;
	}
	tp_copy(view->refused, sizeof(view->refused), diag.what);
	view->ask.note = view->refused;
	view->ask.open = true;
	return true;
}

bool tp_plotview_type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_plotview *view = state;
	if (view->ask.open)
		return type_answer(app, view, code);
	if (!view->export.open)
		return view->choosing && tp_parts_type(view, code);
	enum tp_text_field_event event = tp_path_box_key(&view->export, code);
	if (event == TP_TEXT_FIELD_TAKEN)
		export(view, app);
	return event != TP_TEXT_FIELD_IGNORED;
}

enum tp_over tp_plotview_over(const struct tp_app *app, const void *state)
{
	const struct tp_plotview *view = state;
	(void)app;
	return view->choosing || view->export.open || view->ask.open ? TP_OVER_BOX
	       : view->tables					     ? TP_OVER_VIEW
								     : TP_OVER_NOTHING;
}

void tp_plotview_mouse(struct tp_app *app, void *state, const struct tp_input *input,
		       struct tp_area area)
{
	struct tp_plotview *view = state;
	size_t series = view->plot.series;
	(void)app;
	if (view->choosing) {
		tp_parts_mouse(view, input, tp_area_rows(area, HEAD_ROWS, area.rows - HEAD_ROWS));
	} else if (view->tables) {
		tp_list_wheel(&view->doc_list, tp_list_wheel_rows(input));
	} else {
		tp_plot_mouse(&view->plot, input);
		view->stale |= series != view->plot.series;
	}
}
