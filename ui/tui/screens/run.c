/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run: the queue of points, the current point, the growing picture; the plan before a run, the
 * summary and the report after it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/load.h"
#include "record/point.h"
#include "record/roof.h"
#include "report/facts.h"
#include "report/report.h"
#include "doc/text.h"
#include "ui/tui/app.h"
#include "ui/tui/paint.h"
#include "ui/tui/running.h"
#include "ui/tui/screens/run_view.h"
#include "ui/tui/shown.h"

static const struct {
	int code;
	enum tp_paint paint;
	const char *words;
} exits[] = {
	{ TP_EXIT_OK, TP_PAINT_GOOD, "every point was measured" },
	{ TP_EXIT_FAILED, TP_PAINT_BAD, "nothing could be measured" },
	{ TP_EXIT_USAGE, TP_PAINT_BAD, "the request cannot be met" },
	{ TP_EXIT_SKIPPED, TP_PAINT_WARN, "some points are missing" },
	{ TP_EXIT_RESOURCE, TP_PAINT_BAD,
	  "a resource was missing, or a file could not be written" },
	{ TP_EXIT_INTERRUPTED, TP_PAINT_WARN, "stopped; all measured points are saved" },
};

static void say_key(struct tp_text *text, enum tp_action action, const char *words)
{
	char name[16], key[24];
	snprintf(key, sizeof(key), "%6s  ", tp_keys_name(action, name, sizeof(name)));
	tp_text_run(text, TP_PAINT_STRONG, key);
	tp_text_wrap(text, TP_PAINT_PLAIN, words, strlen(key), strlen(key));
}

/* "FILE: the error", and the hint below. */
static void say_diag(struct tp_text *text, enum tp_paint paint, const struct tp_diag *d)
{
	tp_text_say(text, paint, 0, 0, "%s%s%s", d->where, *d->where ? ": " : "", d->what);
	if (*tp_hint_on_screen(d->hint))
		tp_text_say(text, paint, 0, 0, "%s", tp_hint_on_screen(d->hint));
	tp_text_gap(text);
}

static void say_exit(struct tp_text *text, int code)
{
	for (size_t i = 0; i < TP_COUNT_OF(exits); i++)
		if (exits[i].code == code)
			tp_text_say(text, exits[i].paint, 0, 0, "exit %d: %s", code,
				    exits[i].words);
}

static void say_counts(struct tp_text *text, const struct tp_run *run)
{
	static const struct {
		enum tp_point_state state;
		const char *word;
	} others[] = { { TP_POINT_FAILED, "failed" },
		       { TP_POINT_SKIPPED, "skipped" },
		       { TP_POINT_PLANNED, "not reached" },
		       { TP_POINT_UNNEEDED, "not needed" } };
	size_t count[TP_POINT_UNNEEDED + 1] = { 0 };
	TP_STR words = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		count[run->points[i].state]++;
	tp_str_printf(&words, "%zu of %zu points measured", count[TP_POINT_DONE],
		      tp_run_n_needed(run));
	for (size_t i = 0; i < TP_COUNT_OF(others); i++)
		if (count[others[i].state])
			tp_str_printf(&words, ", %zu %s", count[others[i].state], others[i].word);
	tp_text_wrap(text, count[TP_POINT_FAILED] ? TP_PAINT_WARN : TP_PAINT_GOOD,
		     tp_str_text(&words), 0, 0);
}

static bool lacks_points(const struct tp_run *run)
{
	return tp_run_n_done(run) < tp_run_n_needed(run) || strcmp(run->state, "complete") != 0;
}

/* After the run. */
static void say_summary(const struct tp_app *app, struct tp_text *text)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_live *live = &app->live;
	bool is_live = live->state != TP_LIVE_NONE;
	char seconds[48];
	const char *found;
	TP_STR views = { 0 };
	say_counts(text, run);
	if (is_live)
		say_exit(text, live->exit_code);
	if (run->wall_seconds > 0)
		tp_text_say(text, TP_PAINT_PLAIN, 0, 0, "took %s",
			    tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", is_live ? live->directory : app->runs[0].path);
	tp_text_gap(text);
	/* Such as "No space left on device". */
	if (is_live && live->exit_code > 0 && live->exit_code != TP_EXIT_INTERRUPTED &&
	    live->remark.what[0])
		say_diag(text, TP_PAINT_WARN, &live->remark);
	if (lacks_points(run) && !app->live.replay)
		say_key(text, TP_ACTION_RESUME, "measure what is missing");
	for (int i = 0; i < TP_SCREEN_COUNT; i++)
		if ((found = tp_shown_finds((enum tp_screen_id)i, run)))
			tp_str_printf(&views, "%s%s", views.len ? ", " : "", found);
	if (views.len)
		say_key(text, TP_ACTION_NEXT_SCREEN, tp_str_text(&views));
	say_key(text, TP_ACTION_REPORT, "the numbers as tables");
	say_key(text, TP_ACTION_START, "measure what is set up");
	say_key(text, TP_ACTION_GO_RUNS, "all runs, and comparing them");
	tp_report_conclusion(run, text);
}

/* --- before the run --- */

/* Before it. */
static void say_plan(const struct tp_app *app, struct tp_text *text)
{
	const struct tp_plan *plan = &app->session.plan;
	char count[32], seconds[48];
	if (app->problems.n) {
		tp_text_wrap(text, TP_PAINT_BAD, "What is set up cannot be measured:", 0, 0);
		tp_text_gap(text);
		for (size_t i = 0; i < app->problems.n; i++)
			say_diag(text, TP_PAINT_PLAIN, &app->problems.items[i]);
		say_key(text, TP_ACTION_GO_SETUP, "change it");
		return;
	}
	tp_text_gap(text);
	if (!plan->n) {
		tp_text_wrap(text, TP_PAINT_PLAIN, "Nothing is set up.", 0, 0);
		tp_text_gap(text);
		say_key(text, TP_ACTION_GO_SETUP, "choose what to measure");
		return;
	}
	tp_text_say(text, TP_PAINT_STRONG, 0, 0, "%s, about %s",
		    tp_text_count(count, sizeof(count), plan->n, "point"),
		    tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	tp_text_gap(text);
	say_key(text, TP_ACTION_START, "measure it");
	say_key(text, TP_ACTION_GO_SETUP, "change it");
	say_key(text, TP_ACTION_GO_RUNS, "open an earlier run");
	tp_text_gap(text);
	for (size_t i = 0; i < plan->notes.n; i++)
		tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", plan->notes.items[i].what);
}

/* From this width on the queue is next to the point and the picture. */
enum { WIDE_COLUMNS = 100, LIST_MAX = 96, RIGHT_MIN = 44, TEXT_ROWS = 6, HEAD_ROWS = 1 };

/* The parts that Tab goes through if there is little room. */
enum { PART_LIST, PART_WHOLE, PART_CORES };

static void open_screen(struct tp_app *app, void *state)
{
	struct tp_run_view *view = state;
	(void)app;
	view->follow = true;
	view->points.margin = 3;
}

static void close_screen(void *state)
{
	struct tp_run_view *view = state;
	tp_doc_release(&view->text);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_run_view *view = state;
	(void)app;
	view->text.columns = 0; /* remade when it is shown */
}

/* --- the head --- */

static void draw_head(struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	enum tp_role role;
	char text[160], elapsed[32], left[32], plan[48], room[64];
	const char *words = tp_running_words(app, &role, room, sizeof(room));
	int at = 1 + tp_paint_text(area, 0, 1, TP_UI_STRONG, tp_app_run_label(app));
	at += 2;
	at += tp_paint_text(area, 0, at, role, words);
	if (*tp_fact_simulated(tp_app_run(app), text, sizeof(text)))
		at += 2 + tp_paint_text(area, 0, at + 2, TP_UI_WARN, text);
	if (live->replay && tp_live_is_under_way(live)) {
		if (live->speed > 0)
			snprintf(text, sizeof(text), "x%g%s", live->speed,
				 area.columns >= WIDE_COLUMNS ? "  + - faster, slower  s end" : "");
		else
			snprintf(text, sizeof(text), "at once");
		tp_paint_text(area, 0, at + 2, TP_UI_DIM, text);
	}
	if (!tp_live_is_under_way(live))
		return;
	tp_running_clock(elapsed, sizeof(elapsed), live->elapsed_seconds);
	tp_running_clock(left, sizeof(left), ceil(live->remaining_seconds));
	snprintf(text, sizeof(text), "%s elapsed, %s left", elapsed, left);
	if (live->estimate_seconds > 0 && area.columns >= WIDE_COLUMNS) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof(text) - n, " (plan %s)",
			 tp_format_seconds(plan, sizeof(plan), live->estimate_seconds));
	}
	tp_paint_right(area, 0, area.columns - 1, TP_UI_PLAIN, text);
}

/* --- the body --- */

static bool shows_summary(const struct tp_app *app, const struct tp_run_view *view)
{
	return view->follow && !tp_live_is_under_way(&app->live);
}

static void draw_cores(const struct tp_app *app, struct tp_area area)
{
	if (area.rows < 2)
		return;
	tp_paint_rule(area, 0, "CPUs");
	tp_run_cores_draw(
		app, tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 2));
}

/* The points below a title, and the CPUs that they are measured on. */
static void draw_list(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	enum { LEAST = 8, SHARE = 4 };
	int n = (int)tp_run_cores_count(app);
	/* Rows for the CPUs below the list, with a title; 0 if there is nothing to show. */
	int cores = n && area.rows >= LEAST ? 1 + TP_MIN(n, TP_MAX(area.rows / SHARE, 1)) : 0;
	int rows = area.rows - cores;
	tp_paint_rule(area, 0, tp_app_run(app) ? "Points" : "Plan");
	tp_run_list_draw(app, view,
			 tp_area_columns(tp_area_rows(area, 1, rows - 1), 1, area.columns - 2));
	draw_cores(app, tp_area_rows(area, rows, cores));
}

/* Text next to or above the plot of the windows, as it fits. */
static void draw_point(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area)
{
	char title[96];
	static const char *const states[] = { "planned", "measured", "failed", "skipped" };
	bool current = app->live.state != TP_LIVE_NONE && app->live.current == (long)point->point;
	snprintf(title, sizeof(title), "Point %u of %zu: %s", point->point + 1,
		 tp_run_view_count(app), current ? "under way" : states[point->state]);
	tp_paint_rule(area, 0, title);
	area = tp_area_columns(tp_area_rows(area, 1, area.rows - 1), 1, area.columns - 2);
	enum { BESIDE = 78 };
	if (area.columns >= BESIDE && area.rows < TEXT_ROWS + TP_PLOT_ROWS_MIN) {
		int words = area.columns - (point->n_samples ? TP_PLOT_COLUMNS_MIN + 2 : 0);
		tp_run_point_text(app, point, tp_area_columns(area, 0, words));
		tp_run_point_plot(app, view, point,
				  tp_area_columns(area, words + 2, TP_PLOT_COLUMNS_MIN));
		return;
	}
	int room = area.rows - TP_PLOT_ROWS_MIN;
	int rows = room >= TEXT_ROWS ? TP_MIN(room, TEXT_ROWS + TEXT_ROWS / 2) : area.rows;
	tp_run_point_text(app, point, tp_area_rows(area, 0, rows));
	tp_run_point_plot(app, view, point, tp_area_rows(area, rows, area.rows - rows));
}

/* Rows above the picture of the run, next to the list. */
static int rows_of_point(int rows)
{
	return TP_MAX(1 + TEXT_ROWS + TP_PLOT_ROWS_MIN, rows * 2 / 5);
}

/* Only the picture of the run. */
static void draw_whole(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	tp_paint_rule(area, 0, tp_live_is_under_way(&app->live) ? "So far" : "The run");
	tp_run_whole_draw(app, view, tp_run_view_point(app, view->points.at),
			  tp_area_rows(area, 1, area.rows - 1));
}

static void draw_side(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		      struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	int first = rows_of_point(area.rows);
	bool summary = !run || shows_summary(app, view);
	bool whole = run && area.rows - first > TP_PLOT_ROWS_MIN;
	struct tp_area upper = tp_area_rows(area, 0, whole ? first : area.rows);
	if (summary) {
		struct tp_area inner = tp_area_columns(tp_area_rows(upper, 1, upper.rows - 1), 1,
						       area.columns - 2);
		tp_paint_rule(upper, 0, run ? "Result" : "Ready to measure");
		const struct tp_look look = tp_app_look(app, inner.columns, inner.rows);
		struct tp_doc doc = { 0 };
		TP_TEXT(text, &look);
		(run ? say_summary : say_plan)(app, &text);
		tp_doc_report(&doc, inner.columns, &text);
		tp_doc_paint(&doc, inner, 0, (size_t)-1);
		tp_doc_release(&doc);
	} else if (point) {
		draw_point(app, view, point, upper);
	}
	if (!whole)
		return;
	draw_whole(app, view, tp_area_rows(area, first, area.rows - first));
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_run_view *view = state;
	const struct tp_run *run = tp_app_run(app);
	if (run && view->report) {
		struct tp_look look = tp_app_look(app, area.columns - 2, area.rows);
		look.quick = true;
		area = tp_area_columns(area, 1, area.columns - 1);
		if (view->text.columns != area.columns - 1) {
			TP_TEXT(text, &look);
			tp_report_text(run, &text);
			tp_doc_report(&view->text, area.columns - 1, &text);
		}
		tp_doc_show(&view->text, area, false);
		return;
	}
	if (run)
		draw_head(app, tp_area_rows(area, 0, HEAD_ROWS));
	int head = run ? HEAD_ROWS : 0;
	area = tp_area_rows(area, head, area.rows - head);
	if (run && app->part == PART_WHOLE) {
		draw_whole(app, view, area);
		return;
	}
	if (app->part == PART_CORES) {
		draw_cores(app, area);
		return;
	}
	if (area.columns >= WIDE_COLUMNS) {
		int left = TP_MIN(TP_MAX(area.columns * 11 / 20, area.columns - 120),
				  TP_MIN(LIST_MAX, area.columns - RIGHT_MIN));
		draw_list(app, view, tp_area_columns(area, 0, left));
		draw_side(app, view, tp_run_view_point(app, view->points.at),
			  tp_area_columns(area, left, area.columns - left));
		return;
	}
	bool summary = !run || shows_summary(app, view);
	int below = summary ? area.rows * 2 / 3 : TP_MIN(area.rows * 3 / 5, TP_PLOT_ROWS_MIN + 1);
	draw_list(app, view, tp_area_rows(area, 0, area.rows - below));
	draw_side(app, view, tp_run_view_point(app, view->points.at),
		  tp_area_rows(area, area.rows - below, below));
}

/* --- input --- */

static void resume(struct tp_app *app)
{
	const struct tp_live *live = &app->live;
	char path[TP_PATH_MAX], name[128];
	const char *directory = live->state != TP_LIVE_NONE ? live->directory
				: app->n_runs		    ? app->runs[0].path
							    : "";
	tp_copy(path, sizeof(path), directory);
	if (!*path)
		tp_app_say(app, TP_UI_PLAIN, "no run is open; choose one on Runs");
	else if (tp_live_is_under_way(live))
		tp_app_say(app, TP_UI_PLAIN, "this run is under way");
	else if (tp_example_called(path, name, sizeof(name)))
		tp_app_say(app, TP_UI_PLAIN, "nothing is missing in %s", name);
	else
		tp_app_resume(app, path);
}

/* The screen that shows the results of the point under the cursor. */
static void open_point(struct tp_app *app, const struct tp_run_view *view)
{
	const struct tp_point *point = tp_run_view_point(app, view->points.at);
	const struct tp_shown *shown = point ? tp_shown_of(point) : NULL;
	if (shown)
		tp_app_go(app, shown->screen);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_run_view *view = state;
	if (action == TP_ACTION_REPORT) {
		if (!tp_app_run(app))
			tp_app_say(app, TP_UI_PLAIN, "there are no numbers yet");
		else
			view->report = !view->report;
		view->text.list = (struct tp_list){ 0 };
		return true;
	}
	bool report = view->report && tp_app_run(app);
	if (report && tp_list_scroll(&view->text.list, action))
		return true;
	if (!report && tp_list_act(&view->points, action)) {
		view->follow = false;
		return true;
	}
	switch (action) {
	case TP_ACTION_BACK:
		if (report)
			view->report = false;
		else if (app->part > 0 || view->follow)
			return false;
		else
			view->follow = true;
		return true;
	case TP_ACTION_RESUME:
		resume(app);
		return true;
	case TP_ACTION_RESULTS:
		open_point(app, view);
		return true;
	case TP_ACTION_START:
		view->follow = true;
		view->report = false;
		return false;
	default:
		return false;
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_run_view *view = state;
	(void)app;
	if (view->report) {
		tp_list_wheel(&view->text.list, tp_list_wheel_rows(input));
		return;
	}
	if (!tp_area_holds(view->points.area, input->row, input->column))
		return;
	view->follow = false;
	if (input->mouse != TP_MOUSE_PRESS)
		tp_list_move(&view->points, tp_list_wheel_rows(input));
	else if (tp_list_mouse(&view->points, input) == TP_LIST_OPENED)
		open_point(app, view);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_run_view *view = state;
	return view->report && tp_app_run(app) ? TP_OVER_VIEW : TP_OVER_NOTHING;
}

static int parts(const struct tp_app *app, const void *state)
{
	const struct tp_area area = tp_app_body(app);
	const struct tp_run_view *view = state;
	if (view->report || !tp_app_run(app))
		return 1;
	/* CPUs beyond those below the list have a separate part. */
	if (tp_run_cores_count(app))
		return PART_CORES + 1;
	int rows = area.rows - HEAD_ROWS;
	bool whole = area.columns >= WIDE_COLUMNS && rows - rows_of_point(rows) > TP_PLOT_ROWS_MIN;
	return whole ? 1 : PART_WHOLE + 1; /* else Tab shows the picture */
}

const struct tp_screen tp_screen_run = {
	.state_bytes = sizeof(struct tp_run_view),
	.open = open_screen,
	.close = close_screen,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = parts,
};
