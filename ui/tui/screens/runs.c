/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs: the stored runs. They can be opened, laid over each other, compared, resumed, exported,
 * deleted.
 */
#include "ui/tui/screens/runs_view.h"
#include "ui/tui/shown.h"
#include "ui/tui/control.h"
#include "session/document.h"
#include "base/now.h"
#include "base/memory.h"
#include "record/load.h"
#include "record/rundir.h"
#include "record/point.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The list is read in slices of this length, and only while nothing is measured. */
#define SLICE_SECONDS 0.008
/* The preview of a run is read when the cursor rests on it for this time. */
#define REST_SECONDS 0.06

static void close_screen(void *state)
{
	struct tp_runs_view *s = state;
	tp_stored_release(&s->stored);
	tp_previews_release(&s->previews);
	tp_comparison_view_release(&s->comparison);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_runs_view *s = state;
	(void)app;
	s->stale = true;
	s->export.open = false;
}

static void news(struct tp_app *app, void *state)
{
	struct tp_runs_view *s = state;
	if (app->live.state != s->live)
		s->stale = true;
	s->live = app->live.state;
}

/* The run under the cursor; NULL when the list is empty. */
static struct tp_stored_run *selected(const struct tp_runs_view *s, size_t *index)
{
	if (s->list.at >= s->stored.n_shown)
		return NULL;
	*index = s->stored.shown[s->list.at];
	return &s->stored.all[*index];
}

const char *tp_runs_selected_path(const struct tp_runs_view *s, char path[TP_PATH_MAX])
{
	size_t index;
	return selected(s, &index) ? tp_stored_path(&s->stored, index, path) : NULL;
}

/* Filters and sorts anew. The cursor stays on its run if that is still shown. */
static void choose(struct tp_runs_view *s)
{
	size_t index = 0;
	struct tp_stored_run *run = selected(s, &index);
	tp_stored_choose(&s->stored, &s->filter, s->stored.order);
	tp_list_resize(&s->list, s->stored.n_shown);
	for (size_t i = 0; run && i < s->stored.n_shown; i++)
		if (s->stored.shown[i] == index)
			s->list.at = i;
}

static void scan(struct tp_runs_view *s)
{
	char folder[TP_PATH_MAX], on[256] = "";
	struct tp_diag diag = { 0 };
	size_t index;
	const struct tp_stored_run *run = selected(s, &index);
	if (run && s->list.at > 0)
		tp_copy(on, sizeof(on), run->directory);
	s->stale = false;
	s->problem[0] = '\0';
	if (tp_path_user_data("runs", folder, &diag) != TP_OK ||
	    tp_stored_scan(&s->stored, folder, &diag) != TP_OK)
		snprintf(s->problem, sizeof(s->problem), "%s", diag.what);
	s->list.n = 0;
	tp_stored_choose(&s->stored, &s->filter, s->stored.order);
	tp_list_resize(&s->list, s->stored.n_shown);
	for (size_t i = 0; *on && i < s->stored.n_shown; i++)
		if (strcmp(s->stored.all[s->stored.shown[i]].directory, on) == 0)
			s->list.at = i;
}

/* Reads the rows in sight, then the other rows, then the preview of the run under the cursor. */
static double work(struct tp_app *app, void *state)
{
	struct tp_runs_view *s = state;
	char path[TP_PATH_MAX];
	bool changed = s->stale, measuring = tp_app_is_measuring(app);
	double now = tp_now_seconds();
	if (s->stale)
		scan(s);
	size_t rows = (size_t)TP_MAX(s->list.rows, 1);
	for (size_t i = s->list.top; i < s->stored.n_shown && i < s->list.top + rows; i++) {
		changed |= tp_stored_know(&s->stored, s->stored.shown[i]);
		if (tp_now_seconds() > now + SLICE_SECONDS)
			break;
	}
	bool more = !measuring && s->stored.next < s->stored.n;
	if (more && !changed) {
		more = tp_stored_go_on(&s->stored, SLICE_SECONDS);
		changed = !more;
	}
	/* Drops runs that are gone; the order may have changed too. */
	if (changed)
		choose(s);
	if (changed)
		app->dirty = true;
	if (s->wants_preview && tp_runs_selected_path(s, path) &&
	    !tp_previews_has(&s->previews, path)) {
		double rest = s->moved + REST_SECONDS - now;
		if (rest > 0)
			return more ? 0 : rest;
		tp_previews_read(&s->previews, path);
		app->dirty = true;
	}
	return changed || more ? 0 : INFINITY;
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	tp_runs_paint(app, state, area);
}

/* --- actions --- */

/*
 * Opens the run under the cursor, and the marked ones over it, on a screen; TP_SCREEN_COUNT: on the
 * one that shows its results.
 */
static void open_run(struct tp_app *app, struct tp_runs_view *s, enum tp_screen_id on)
{
	char path[TP_PATH_MAX];
	size_t index;
	if (!selected(s, &index) ||
	    tp_app_open_run(app, tp_stored_path(&s->stored, index, path), false) != TP_OK)
		return;
	for (size_t i = 0; i < s->stored.n; i++)
		if (s->stored.all[i].marked && i != index &&
		    tp_app_open_run(app, tp_stored_path(&s->stored, i, path), true) != TP_OK)
			break;
	if (app->live.state != TP_LIVE_NONE)
		tp_app_say(app, TP_UI_WARN,
			   "a run is under way and stays; the opened one is drawn over it");
	tp_app_go(app, on == TP_SCREEN_COUNT ? tp_shown_screen(&app->runs[0].run) : on);
}

static void compare(struct tp_app *app, struct tp_runs_view *s)
{
	char paths[TP_COMPARISON_RUNS][TP_PATH_MAX];
	size_t n = 0, index;
	if (!selected(s, &index))
		return;
	/* From the oldest on: the first run is the baseline. */
	for (size_t i = s->stored.n; i-- > 0;)
		if (s->stored.all[i].marked && !s->stored.all[i].gone && n < TP_COMPARISON_RUNS)
			tp_stored_path(&s->stored, i, paths[n++]);
	if (!n && app->n_runs)
		tp_copy(paths[n++], TP_PATH_MAX, app->runs[0].path);
	if (n < 2 && !s->stored.all[index].marked) {
		tp_stored_path(&s->stored, index, paths[n++]);
		if (n == 2 && strcmp(paths[0], paths[1]) == 0)
			n--;
	}
	if (n < 2) {
		tp_app_say(app, TP_UI_WARN,
			   "mark at least two runs with Space, or open one; then c compares them");
		return;
	}
	struct tp_diag diag = { 0 };
	if (tp_comparison_view_open(&s->comparison, paths, n, &app->term, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
}

static void delete_one(struct tp_app *app, struct tp_runs_view *s, struct tp_stored_run *run,
		       size_t *deleted)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	tp_stored_path(&s->stored, (size_t)(run - s->stored.all), path);
	enum tp_status status = tp_run_remove(s->stored.folder, run->directory, &diag);
	if (status != TP_OK && status != TP_NOTFOUND) {
		tp_app_say_diag(app, &diag);
		return;
	}
	run->gone = true;
	run->marked = false;
	tp_previews_forget(&s->previews, path);
	(*deleted)++;
}

static void answer_delete(struct tp_app *app, bool yes)
{
	struct tp_runs_view *s = app->state[TP_SCREEN_RUNS];
	size_t deleted = 0, wanted = 0;
	if (!yes)
		return;
	for (size_t i = 0; i < s->stored.n; i++) {
		struct tp_stored_run *run = &s->stored.all[i];
		if (run->gone ||
		    !(*s->to_delete ? strcmp(run->directory, s->to_delete) == 0 : run->marked))
			continue;
		wanted++;
		delete_one(app, s, run, &deleted);
	}
	if (deleted == wanted)
		tp_app_say(app, TP_UI_PLAIN, "%zu run%s deleted", deleted, deleted == 1 ? "" : "s");
	s->stale = true;
}

static void ask_delete(struct tp_app *app, struct tp_runs_view *s)
{
	size_t index, marks = tp_stored_marks(&s->stored);
	struct tp_stored_run *run = selected(s, &index);
	if (!run)
		return;
	s->to_delete[0] = '\0';
	if (marks) {
		snprintf(s->question, sizeof(s->question), "Delete the %zu marked run%s for good?",
			 marks, marks == 1 ? "" : "s");
	} else {
		tp_copy(s->to_delete, sizeof(s->to_delete), run->directory);
		snprintf(s->question, sizeof(s->question), "Delete %.160s for good?",
			 run->directory);
	}
	tp_app_ask(app, s->question, answer_delete);
}

static void resume(struct tp_app *app, struct tp_runs_view *s)
{
	char path[TP_PATH_MAX];
	size_t index;
	const struct tp_stored_run *run = selected(s, &index);
	if (!run)
		return;
	if (strcmp(run->state, "complete") == 0) {
		tp_app_say(app, TP_UI_WARN, "nothing is missing in this run");
		return;
	}
	tp_stored_path(&s->stored, index, path);
	tp_stored_forget(&s->stored, run->directory);
	tp_previews_forget(&s->previews, path);
	tp_app_resume(app, path);
}

/* Offers the folder of the last export, else the current one. */
static void ask_folder(struct tp_runs_view *s)
{
	char here[TP_PATH_MAX];
	size_t index;
	if (!selected(s, &index))
		return;
	if (!s->export.field.len)
		tp_text_field_set(&s->export.field, getcwd(here, sizeof(here)) ? here : ".");
	s->export.title = "Export to folder";
	s->export.note = "Pictures, tables and report of the run: .html .svg .csv .json .txt";
	s->export.open = true;
}

static void export_run(struct tp_app *app, struct tp_runs_view *s)
{
	char path[TP_PATH_MAX];
	struct tp_run run;
	struct tp_diag diag = { 0 };
	size_t index;
	if (!selected(s, &index))
		return;
	const char *stem = s->stored.all[index].directory;
	enum tp_status status = tp_run_load(&run, tp_stored_path(&s->stored, index, path), &diag);
	if (status == TP_OK) {
		status = tp_document_export(&run, s->export.field.text, stem, &diag);
		tp_run_release(&run);
	}
	if (status == TP_OK)
		tp_app_say(app, TP_UI_GOOD, "%.80s.svg, .csv, .json and .txt are in %.120s", stem,
			   s->export.field.text);
	else
		tp_app_say_diag(app, &diag);
}

static void mark(struct tp_runs_view *s)
{
	size_t index;
	struct tp_stored_run *run = selected(s, &index);
	if (run) {
		run->marked = !run->marked;
		tp_list_act(&s->list, TP_ACTION_DOWN);
	}
}

/* --- keys and mouse --- */

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_runs_view *s = state;
	if (s->comparison.shown && tp_comparison_view_act(&s->comparison, action))
		return true;
	if (s->comparison.shown)
		return false;
	if (app->part > 0 && tp_list_scroll(&s->preview, action))
		return true;
	if (tp_list_act(&s->list, action)) {
		s->preview = (struct tp_list){ 0 };
		s->moved = tp_now_seconds();
		return true;
	}
	switch (action) {
	case TP_ACTION_OPEN:
		open_run(app, s, TP_SCREEN_COUNT);
		return true;
	case TP_ACTION_GO_TREE:
		open_run(app, s, TP_SCREEN_TREE);
		return s->list.n > 0;
	case TP_ACTION_OVERLAY:
		mark(s);
		return true;
	case TP_ACTION_COMPARE:
		compare(app, s);
		return true;
	case TP_ACTION_RESUME:
		resume(app, s);
		return true;
	case TP_ACTION_SORT:
		s->stored.order = (s->stored.order + 1) % TP_STORED_ORDER_COUNT;
		choose(s);
		return true;
	case TP_ACTION_DELETE:
		ask_delete(app, s);
		return true;
	case TP_ACTION_EXPORT:
		ask_folder(s);
		return true;
	case TP_ACTION_EXAMPLES:
		tp_welcome_choose_example(app);
		return true;
	case TP_ACTION_FILTER:
		s->filter.typing = true;
		return true;
	default:
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_runs_view *s = state;
	bool changed;
	if (s->comparison.shown)
		return false;
	if (s->export.open) {
		enum tp_text_field_event event = tp_path_box_key(&s->export, code);
		if (event == TP_TEXT_FIELD_TAKEN)
			export_run(app, s);
		return event != TP_TEXT_FIELD_IGNORED;
	}
	bool taken = tp_filter_type(&s->filter, code, &changed);
	if (changed) {
		choose(s);
		s->moved = tp_now_seconds();
	}
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_runs_view *s = state;
	(void)area;
	if (s->comparison.shown) {
		tp_list_wheel(&s->comparison.list, tp_list_wheel_rows(input));
		return;
	}
	if (app->part > 0) {
		tp_list_wheel(&s->preview, tp_list_wheel_rows(input));
		return;
	}
	enum tp_list_event event = tp_list_mouse(&s->list, input);
	if (event == TP_LIST_MISSED)
		return;
	if (event != TP_LIST_WHEELED && input->column < s->list.area.column + 2)
		s->stored.all[s->stored.shown[s->list.at]].marked ^= true;
	else if (event == TP_LIST_OPENED)
		open_run(app, s, TP_SCREEN_COUNT);
	else
		s->moved = tp_now_seconds();
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_runs_view *s = state;
	(void)app;
	return s->export.open || s->filter.typing ? TP_OVER_BOX
	       : s->comparison.shown		  ? TP_OVER_TEXT
						  : TP_OVER_NOTHING;
}

const struct tp_screen tp_screen_runs = {
	.state_bytes = sizeof(struct tp_runs_view),
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = tp_runs_parts,
	.work = work,
};
