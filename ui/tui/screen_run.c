/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run: its queue, the point under way, the picture that grows; before it the plan, after it the summary, its report as text. */
#include "ui/tui/run_view.h"
#include "ui/tui/control.h"
#include "base/units.h"
#include "base/vec.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From this width on the queue stands beside the point and the picture. */
enum { WIDE_COLUMNS = 100, LIST_MAX = 96, RIGHT_MIN = 44, TEXT_ROWS = 6, HEAD_ROWS = 2 };

void tp_run_rule(struct tp_area area, int row, const char *title)
{
	int at = 0;
	if (row < 0 || row >= area.rows)
		return;
	for (int c = 0; c < area.columns; c++)
		tp_paint_text(area, row, c, TP_UI_BORDER, area.term->utf8 ? "\xe2\x94\x80" : "-");
	if (*title) {
		at = 2;
		tp_paint_text(area, row, at++, TP_UI_BORDER, " ");
		at += tp_paint_text(area, row, at, TP_UI_TITLE, title);
		tp_paint_text(area, row, at, TP_UI_BORDER, " ");
	}
}

static void *open_screen(struct tp_app *app)
{
	(void)app;
	struct tp_run_view *view = calloc(1, sizeof(*view));
	if (view)
		view->follow = true;
	return view;
}

static void close_screen(void *state)
{
	struct tp_run_view *view = state;
	tp_str_release(&view->text);
	free(view->lines);
	free(view);
}

/* --- the report --- */

static void make_report(struct tp_app *app, struct tp_run_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_look look = { .terminal = true,
				      .utf8 = app->term.utf8,
				      .columns = (unsigned)TP_MAX(app->term.columns - 2, 0),
				      .rows = (unsigned)app->term.rows };
	tp_str_clear(&view->text);
	tp_report_text(run, &look, &view->text);
	view->n_lines = 0;
	view->report_version = app->live.version;
	view->report_columns = app->term.columns;
	size_t n = 1;
	for (size_t i = 0; i < view->text.len; i++)
		n += view->text.s[i] == '\n';
	const char **lines = realloc(view->lines, (n + 1) * sizeof(*lines));
	if (!lines)
		return;
	view->lines = lines;
	char *at = view->text.s;
	for (char *line; at && (line = strsep(&at, "\n"));)
		view->lines[view->n_lines++] = line;
	while (view->n_lines && !*view->lines[view->n_lines - 1])
		view->n_lines--;
}

static void scroll(struct tp_app *app, struct tp_run_view *view, long by)
{
	long page = app->term.rows - 3, most = (long)view->n_lines - page;
	long to = (long)view->first_line + by;
	view->first_line = (size_t)TP_MAX(TP_MIN(to, most), 0L);
}

static void draw_report(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	if (view->report_columns != app->term.columns || view->report_version != app->live.version)
		make_report(app, view);
	scroll(app, view, 0);
	for (int r = 0; r < area.rows && view->first_line + (size_t)r < view->n_lines; r++) {
		size_t i = view->first_line + (size_t)r;
		bool title = *view->lines[i] && *view->lines[i] != ' ' &&
			     (i == 0 || !*view->lines[i - 1]);
		tp_paint_text(area, r, 1, title ? TP_UI_TITLE : TP_UI_PLAIN, view->lines[i]);
	}
	if ((long)view->n_lines > area.rows) {
		char place[48];
		snprintf(place, sizeof(place), " %zu%% ",
			 100 * (view->first_line + (size_t)area.rows) / view->n_lines);
		tp_paint_right(area, area.rows - 1, area.columns, TP_UI_TAB, place);
	}
}

/* --- the head --- */

static const char *state_words(const struct tp_app *app, enum tp_role *role)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = tp_app_run(app);
	*role = TP_UI_KEY;
	switch (live->state) {
	case TP_LIVE_RUNNING:
		return live->replay ? "replay" : "measuring";
	case TP_LIVE_PAUSED:
		*role = TP_UI_WARN;
		return live->replay || live->current < 0 ? "paused" : "pauses after this point";
	case TP_LIVE_STOPPING:
		*role = TP_UI_WARN;
		return "stopping";
	default:
		*role = strcmp(run->state, "complete") == 0 ? TP_UI_GOOD : TP_UI_WARN;
		return run->state;
	}
}

static void clock_text(char *out, size_t size, double seconds)
{
	long s = (long)(seconds + 0.5);
	if (s >= 3600)
		snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
}

static void draw_head(struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	enum tp_role role;
	char text[160], elapsed[32], left[32], plan[48];
	const char *words = state_words(app, &role);
	int at = 1 + tp_paint_text(area, 0, 1, TP_UI_STRONG, tp_app_run_label(app));
	at += 2;
	at += tp_paint_text(area, 0, at, role, words);
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
	clock_text(elapsed, sizeof(elapsed), live->elapsed_seconds);
	clock_text(left, sizeof(left), live->remaining_seconds);
	snprintf(text, sizeof(text), "%s elapsed, %s left", elapsed, left);
	if (live->estimate_seconds > 0 && area.columns >= WIDE_COLUMNS) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof(text) - n, " (plan %s)",
			 tp_format_seconds(plan, sizeof(plan), live->estimate_seconds));
	}
	tp_paint_right(area, 0, area.columns - 1, TP_UI_PLAIN, text);
	/* Points do not take equal times: their share counts by the plan's. */
	double all = 0, gone = 0;
	for (size_t i = 0; i < live->run.n_points; i++) {
		const struct tp_point *p = &live->run.points[i];
		all += p->estimate_seconds;
		gone += p->state != TP_POINT_PLANNED ? p->estimate_seconds : 0;
	}
	double share = live->replay && live->total_seconds > 0
			       ? live->elapsed_seconds / live->total_seconds
		       : all > 0	? gone / all
		       : live->n_points ? (double)live->n_done / live->n_points
					: 0;
	snprintf(text, sizeof(text), "%u of %u", live->n_done, live->n_points);
	int n = (int)strlen(text);
	tp_paint_bar(area, 1, 1, area.columns - n - 4, share, TP_UI_GOOD);
	tp_paint_text(area, 1, area.columns - n - 1, TP_UI_STRONG, text);
}

/* --- the body --- */

static bool shows_summary(const struct tp_app *app, const struct tp_run_view *view)
{
	return view->follow && !tp_live_is_under_way(&app->live);
}

static void point_title(const struct tp_app *app, const struct tp_point *p, char *out, size_t size)
{
	static const char *const states[] = { "planned", "measured", "failed", "skipped" };
	bool current = app->live.state != TP_LIVE_NONE && app->live.current == (long)p->point;
	snprintf(out, size, "Point %u of %zu: %s", p->point + 1, tp_run_view_count(app),
		 current ? "under way" : states[p->state]);
}

static void draw_list(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	tp_run_list_draw(app, view, tp_area_columns(area, 1, area.columns - 2));
}

/* What fits: words beside or above the windows. */
static void draw_point(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area)
{
	char title[96];
	point_title(app, point, title, sizeof(title));
	tp_run_rule(area, 0, title);
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

static void draw_side(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		      struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	int first = TP_MAX(1 + TEXT_ROWS + TP_PLOT_ROWS_MIN, area.rows * 2 / 5);
	bool summary = !run || shows_summary(app, view);
	bool whole = run && area.rows - first > TP_PLOT_ROWS_MIN;
	struct tp_area upper = tp_area_rows(area, 0, whole ? first : area.rows);
	if (summary) {
		struct tp_area inner = tp_area_columns(tp_area_rows(upper, 1, upper.rows - 1), 1,
						       area.columns - 2);
		tp_run_rule(upper, 0, run ? "Result" : "Ready to measure");
		if (run)
			tp_run_summary_draw(app, inner);
		else
			tp_run_plan_draw(app, inner);
	} else if (point) {
		draw_point(app, view, point, upper);
	}
	if (!whole)
		return;
	struct tp_area lower = tp_area_rows(area, first, area.rows - first);
	tp_run_rule(lower, 0, tp_live_is_under_way(&app->live) ? "So far" : "The run");
	tp_run_whole_draw(app, view, point, tp_area_rows(lower, 1, lower.rows - 1));
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_run_view *view = state;
	const struct tp_run *run = tp_app_run(app);
	if (run && view->report) {
		draw_report(app, view, area);
		return;
	}
	if (run)
		draw_head(app, tp_area_rows(area, 0, HEAD_ROWS));
	int head = run ? HEAD_ROWS : 0;
	area = tp_area_rows(area, head, area.rows - head);
	char title[64];
	snprintf(title, sizeof(title), run ? "Points" : "Plan");
	if (area.columns >= WIDE_COLUMNS) {
		int left = TP_MIN(TP_MAX(area.columns * 11 / 20, area.columns - 120),
				  TP_MIN(LIST_MAX, area.columns - RIGHT_MIN));
		struct tp_area list = tp_area_columns(area, 0, left);
		tp_run_rule(list, 0, title);
		draw_list(app, view, tp_area_rows(list, 1, list.rows - 1));
		draw_side(app, view, tp_run_view_point(app, view->selected),
			  tp_area_columns(area, left, area.columns - left));
		return;
	}
	int below = TP_MIN(area.rows * 3 / 5, TP_PLOT_ROWS_MIN + 1);
	if (!run || shows_summary(app, view))
		below = area.rows * 2 / 3;
	struct tp_area list = tp_area_rows(area, 0, area.rows - below);
	tp_run_rule(list, 0, title);
	draw_list(app, view, tp_area_rows(list, 1, list.rows - 1));
	draw_side(app, view, tp_run_view_point(app, view->selected),
		  tp_area_rows(area, area.rows - below, below));
}

/* --- input --- */

static bool act_report(struct tp_app *app, struct tp_run_view *view, enum tp_action action)
{
	long page = app->term.rows - 4;
	switch (action) {
	case TP_ACTION_UP:
		scroll(app, view, -1);
		return true;
	case TP_ACTION_DOWN:
		scroll(app, view, 1);
		return true;
	case TP_ACTION_PAGE_UP:
		scroll(app, view, -page);
		return true;
	case TP_ACTION_PAGE_DOWN:
		scroll(app, view, page);
		return true;
	case TP_ACTION_FIRST:
		view->first_line = 0;
		return true;
	case TP_ACTION_LAST:
		scroll(app, view, (long)view->n_lines);
		return true;
	case TP_ACTION_BACK:
		view->report = false;
		return true;
	default:
		return false;
	}
}

static void resume(struct tp_app *app)
{
	const struct tp_live *live = &app->live;
	char path[TP_PATH_MAX];
	const char *directory = live->state != TP_LIVE_NONE ? live->directory
				: app->n_runs		    ? app->runs[0].path
							    : "";
	tp_copy(path, sizeof(path), directory);
	if (!*path)
		tp_app_say(app, TP_UI_PLAIN, "no run is open; Runs has all of them");
	else if (tp_live_is_under_way(live))
		tp_app_say(app, TP_UI_PLAIN, "this run is under way");
	else
		tp_app_resume(app, path);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_run_view *view = state;
	long page = TP_MAX(view->list.rows - 1, 1);
	if (action == TP_ACTION_REPORT) {
		if (!tp_app_run(app))
			tp_app_say(app, TP_UI_PLAIN, "there are no numbers yet");
		else
			view->report = !view->report;
		view->first_line = 0;
		return true;
	}
	if (view->report && tp_app_run(app) && act_report(app, view, action))
		return true;
	switch (action) {
	case TP_ACTION_UP:
		tp_run_list_move(app, view, -1);
		return true;
	case TP_ACTION_DOWN:
		tp_run_list_move(app, view, 1);
		return true;
	case TP_ACTION_PAGE_UP:
		tp_run_list_move(app, view, -page);
		return true;
	case TP_ACTION_PAGE_DOWN:
		tp_run_list_move(app, view, page);
		return true;
	case TP_ACTION_FIRST:
		tp_run_list_move(app, view, -(long)tp_run_view_count(app));
		return true;
	case TP_ACTION_LAST:
		tp_run_list_move(app, view, (long)tp_run_view_count(app));
		return true;
	case TP_ACTION_BACK:
		if (view->follow)
			return false;
		view->follow = true;
		return true;
	case TP_ACTION_RESUME:
		resume(app);
		return true;
	case TP_ACTION_START:
		view->follow = true;
		view->report = false;
		return false;
	default:
		return false;
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_run_view *view = state;
	long by = input->mouse == TP_MOUSE_WHEEL_UP	? -3
		  : input->mouse == TP_MOUSE_WHEEL_DOWN ? 3
							: 0;
	(void)area;
	if (view->report) {
		scroll(app, view, by);
		return;
	}
	if (!tp_area_holds(view->list, input->row, input->column))
		return;
	if (by)
		tp_run_list_move(app, view, by);
	else
		tp_run_list_move(app, view,
				 (long)view->top + input->row - view->list.row -
					 (long)view->selected);
}

const struct tp_screen tp_screen_run = {
	.name = "Run",
	.open = open_screen,
	.close = close_screen,
	.draw = draw,
	.act = act,
	.mouse = mouse,
};
