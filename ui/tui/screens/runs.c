/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs: the stored runs. They can be opened, laid over each other, compared, resumed, exported,
 * deleted.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "record/point.h"
#include "record/load.h"
#include "record/roof.h"
#include "record/rundir.h"
#include "session/document.h"
#include "ui/tui/app.h"
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/compared.h"
#include "ui/tui/screens/stored.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"
#include "ui/tui/widgets/text_field.h"

struct runs_view {
	struct tp_stored stored;
	struct tp_list list;
	struct tp_filter filter;
	struct tp_previews previews;
	struct tp_compared_view compared;
	enum tp_live_state live; /* at the last change */
	bool stale; /* the folder must be read again */
	bool wants_preview; /* there is room for one */
	double moved; /* when the cursor moved last */
	char to_delete[256]; /* directory that the question is about; "" = the marked runs */
	char problem[512]; /* why there is no list */
};

/* Painting of the Runs screen: the list of stored runs, and next to it a preview of one. */

/* The run under the cursor; NULL when the list is empty. */
static struct tp_stored_run *selected(const struct runs_view *s, size_t *index)
{
	if (s->list.at >= s->stored.n_shown)
		return NULL;
	*index = s->stored.shown[s->list.at];
	return &s->stored.all[*index];
}

/* Path of the run under the cursor; NULL when the list is empty. */
static const char *runs_selected_path(const struct runs_view *s, char path[TP_PATH_MAX])
{
	size_t index;
	return selected(s, &index) ? tp_stored_path(&s->stored, index, path) : NULL;
}

enum {
	HEAD_ROWS = 2,
	TOLD_ROWS = 4,
	PREVIEW_AT_COLUMNS = 110,
	PREVIEW_PERCENT = 40,
	PREVIEW_COLUMNS_MAX = 84,
	SPLIT_GAP = 2
};

/* --- places --- */

/* Without room for a preview it has no rows, and the run under the cursor is described below. */
struct places {
	struct tp_area head, rows, preview, told;
};

static struct places lay_out_screen(struct tp_area area)
{
	struct places p;
	area = tp_area_columns(area, 1, area.columns - 1);
	struct tp_area list = area;
	p.preview = tp_area_rows(area, 0, 0);
	if (area.columns >= PREVIEW_AT_COLUMNS) {
		int columns = TP_MIN(area.columns * PREVIEW_PERCENT / 100, PREVIEW_COLUMNS_MAX);
		list = tp_area_columns(area, 0, area.columns - columns - SPLIT_GAP);
		p.preview = tp_area_columns(area, area.columns - columns, columns);
	}
	int told = p.preview.rows ? 0 : TOLD_ROWS;
	p.head = tp_area_rows(list, 0, HEAD_ROWS);
	p.rows = tp_area_rows(list, HEAD_ROWS, list.rows - HEAD_ROWS - told);
	p.told = tp_area_rows(list, list.rows - told, told);
	return p;
}

/* The columns of the list: one for each order, the trend of the preset, and the host. */
enum { TREND = TP_STORED_ORDER_COUNT, HOST, COLUMNS };
enum { MARK_COLUMNS = 2, DATE_SHORT = 11, QUALITY_SHORT = 11 };

/*
 * The remaining room goes to those that are narrower than their maximum, in the order of `grows`.
 */
static const struct tp_list_column column_table[COLUMNS] = {
	[TP_STORED_DATE] = { "", false, 0, DATE_SHORT, 16 },
	[TP_STORED_NAME] = { "", false, 0, 10, 24 },
	[TP_STORED_EXPERIMENT] = { "", false, 7, 10, 16 },
	[TP_STORED_ISA] = { "", false, 2, 6, 14 },
	[TP_STORED_THREADS] = { "", true, 3, 3, 8 },
	[TP_STORED_QUALITY] = { "", false, 0, QUALITY_SHORT, 24 },
	[TP_STORED_FIGURES] = { "", false, 1, 14, 30 },
	[TP_STORED_STATE] = { "", false, 4, 11, 11 },
	[TP_STORED_POINTS] = { "", true, 6, 7, 9 },
	[TP_STORED_MACHINE] = { "", false, 8, 14, 40 },
	[TREND] = { "", false, 5, TP_TREND_RUNS, TP_TREND_RUNS },
	[HOST] = { "", false, 9, 16, 22 },
};
static const int grows[] = { TP_STORED_FIGURES, TP_STORED_NAME,	   TP_STORED_DATE,   TP_STORED_ISA,
			     TP_STORED_MACHINE, TP_STORED_QUALITY, TP_STORED_THREADS };

/* --- the list --- */

struct rows {
	const struct tp_app *app;
	const struct runs_view *view;
	const struct tp_columns *columns;
};

static void draw_run(void *context, struct tp_area row, size_t i, bool here)
{
	const struct rows *rows = context;
	const struct tp_app *app = rows->app;
	const struct runs_view *s = rows->view;
	const struct tp_stored_run *run = &s->stored.all[s->stored.shown[i]];
	char points[48], quality[64], trend[TP_TREND_BYTES] = "", path[TP_PATH_MAX];
	bool utf8 = app->term.utf8, open = false;
	tp_stored_path(&s->stored, s->stored.shown[i], path);
	for (size_t k = 0; k < app->n_runs; k++)
		open |= strcmp(app->runs[k].path, path) == 0;
	if (run->marked)
		tp_paint_text(row, 0, 0, here ? TP_UI_SELECTED : TP_UI_KEY, utf8 ? "✓" : "*");
	else if (open)
		tp_paint_text(row, 0, 0, here ? TP_UI_SELECTED : TP_UI_TITLE, utf8 ? "▸" : ">");
	snprintf(points, sizeof(points), run->n_planned > run->n_done ? "%zu/%zu" : "%zu",
		 run->n_done, run->n_planned);
	const struct tp_run_brief *brief = &run->brief;
	const bool stateless = !rows->columns->widths[TP_STORED_STATE];
	bool brief_date = rows->columns->widths[TP_STORED_DATE] < (int)strlen(run->date);
	enum tp_role of_state, of_quality;
	const char *state = tp_stored_state(run, utf8, &of_state);
	tp_stored_quality(run, stateless, rows->columns->widths[TP_STORED_QUALITY], utf8,
			  &of_quality, quality, sizeof(quality));
	if (rows->columns->widths[TREND])
		tp_stored_trend(&s->stored, s->stored.shown[i], utf8, trend);
	/* Sorted by name, the runs of a preset are a group, whose first row names it. */
	bool named = s->stored.order == TP_STORED_NAME && i > s->list.top &&
		     strcmp(s->stored.all[s->stored.shown[i - 1]].name, run->name) == 0;
	const struct {
		const char *text;
		enum tp_role role;
	} cells[COLUMNS] = {
		[TP_STORED_DATE] = { brief_date ? run->date + 5 : run->date, TP_UI_DIM },
		[TP_STORED_EXPERIMENT] = { brief->experiments, TP_UI_PLAIN },
		[TP_STORED_ISA] = { brief->isas, TP_UI_PLAIN },
		[TP_STORED_THREADS] = { brief->threads, TP_UI_PLAIN },
		[TP_STORED_QUALITY] = { quality, of_quality },
		[TP_STORED_FIGURES] = { brief->figures, TP_UI_STRONG },
		[TP_STORED_NAME] = { named ? "" : run->name, run->known ? TP_UI_PLAIN : TP_UI_DIM },
		[TREND] = { trend, TP_UI_PLAIN },
		[TP_STORED_STATE] = { state, of_state },
		[TP_STORED_POINTS] = { points, TP_UI_PLAIN },
		[TP_STORED_MACHINE] = { run->cpu, run->simulated ? TP_UI_WARN : TP_UI_DIM },
		[HOST] = { run->hostname, TP_UI_DIM },
	};
	for (int c = 0; c < COLUMNS; c++)
		if (run->known || c == TP_STORED_DATE || c == TP_STORED_NAME ||
		    c == TP_STORED_QUALITY || c == TP_STORED_STATE)
			tp_columns_cell(rows->columns, row, c,
					here ? TP_UI_SELECTED : cells[c].role, cells[c].text);
}

static void draw_head(const struct tp_app *app, const struct runs_view *s, struct tp_area area,
		      const struct tp_columns *c)
{
	size_t marks = tp_stored_marks(&s->stored);
	if (!tp_filter_paint(&s->filter, area, 0, s->stored.n_shown, s->stored.n)) {
		int at = tp_paint_format(area, 0, 0, TP_UI_TITLE, "%zu run%s", s->stored.n,
					 s->stored.n == 1 ? "" : "s");
		at += tp_paint_text(area, 0, at, TP_UI_DIM, " in ");
		if (marks) {
			at += tp_paint_text(tp_area_columns(area, 0, area.columns - 16), 0, at,
					    TP_UI_DIM, s->stored.folder);
			tp_paint_format(area, 0, at + 2, TP_UI_KEY, "%zu marked", marks);
		} else {
			tp_paint_text(area, 0, at, TP_UI_DIM, s->stored.folder);
		}
	}
	if (c->widths[TP_STORED_QUALITY] < column_table[TP_STORED_QUALITY].most && !marks)
		tp_paint_right(area, 0, area.columns - 1, TP_UI_DIM, TP_QUALITY_LEGEND);
	for (int i = 0; i < COLUMNS; i++) {
		char text[32];
		bool sorted = i == (int)s->stored.order;
		snprintf(text, sizeof(text), "%s%s",
			 i == HOST    ? "host"
			 : i == TREND ? "trend"
				      : tp_stored_order_name((enum tp_stored_order)i),
			 !sorted	  ? ""
			 : app->term.utf8 ? " ▾"
					  : " v");
		if (i == TP_STORED_QUALITY && !c->widths[TP_STORED_STATE])
			snprintf(text, sizeof(text), "quality");
		tp_columns_cell(c, tp_area_rows(area, 1, 1), i, sorted ? TP_UI_STRONG : TP_UI_DIM,
				text);
	}
}

static void draw_nothing(const struct runs_view *s, struct tp_area area)
{
	if (*s->problem)
		tp_paint_wrapped(area, 1, 0, TP_UI_BAD, s->problem);
	else if (*s->filter.text)
		tp_paint_text(area, 1, 0, TP_UI_DIM, "No run matches. Esc shows all again.");
	else
		tp_paint_wrapped(area, 1, 0, TP_UI_DIM,
				 "There are no runs yet. Home measures this machine or your "
				 "program, and opens examples.");
}

/* --- the run under the cursor --- */

static struct tp_doc *preview_doc(const struct tp_app *app, struct runs_view *s, const char *path,
				  struct tp_area area)
{
	struct tp_look look = tp_app_look(app, area.columns, area.rows);
	look.quick = true;
	return tp_previews_doc(&s->previews, path, &look);
}

static void draw_preview(struct tp_app *app, struct runs_view *s, struct tp_area area)
{
	char path[TP_PATH_MAX];
	for (int r = 0; r < area.rows; r++)
		tp_paint_text(area, r, 0, TP_UI_BORDER, app->term.utf8 ? "│" : "|");
	struct tp_area inside = tp_area_columns(area, 2, area.columns - 2);
	if (!runs_selected_path(s, path))
		return;
	const struct tp_doc *doc = preview_doc(app, s, path, inside);
	if (!doc) {
		tp_paint_text(inside, 0, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
		return;
	}
	tp_doc_paint(doc, inside, 0, (size_t)-1);
	if (doc->n > (size_t)inside.rows && inside.rows > 1) {
		struct tp_area last = tp_area_rows(inside, inside.rows - 1, 1);
		tp_paint_clear(last, TP_UI_PLAIN);
		tp_paint_format(last, 0, 0, TP_UI_DIM, "%zu more lines; Enter opens the run",
				doc->n - (size_t)inside.rows + 1);
	}
}

/* The run under the cursor in words: as in --list runs, with the place where it was measured. */
static void draw_told(const struct runs_view *s, struct tp_area area, bool utf8)
{
	char words[320], trend[TP_TREND_BYTES];
	if (s->list.at >= s->stored.n_shown)
		return;
	const struct tp_stored_run *run = &s->stored.all[s->stored.shown[s->list.at]];
	tp_paint_rule(area, 0, run->directory);
	if (!run->known)
		return;
	tp_brief_words(&run->brief, "", words, sizeof(words));
	int row = 1 +
		  tp_paint_wrapped(tp_area_rows(area, 0, area.rows - 1), 1, 0, TP_UI_PLAIN, words);
	tp_paint_format(area, TP_MIN(row, area.rows - 1), 0, TP_UI_DIM,
			"%s, %zu of %zu points, %s%s%s", run->state, run->n_done,
			TP_MAX(run->n_planned, run->n_done), run->cpu, *run->hostname ? ", " : "",
			run->hostname);
	tp_stored_trend(&s->stored, s->stored.shown[s->list.at], utf8, trend);
	snprintf(words, sizeof(words), "%s%s", *trend ? "trend " : "", trend);
	tp_paint_right(area, area.rows - 1, area.columns - 1, TP_UI_PLAIN, words);
}

/* All that is known of the run under the cursor, with the whole screen. */
static void draw_known(struct tp_app *app, struct runs_view *s, struct tp_area area)
{
	char path[TP_PATH_MAX];
	area = tp_area_columns(area, 1, area.columns - 1);
	struct tp_doc *doc =
		runs_selected_path(s, path)
			? preview_doc(app, s, path, tp_area_columns(area, 0, area.columns - 1))
			: NULL;
	s->wants_preview = true;
	if (!doc) {
		tp_paint_text(area, 0, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
		return;
	}
	tp_doc_show(doc, area, false);
}

/* The list and, if the preview does not fit next to it, the preview: 1 or 2. */
static int runs_parts(const struct tp_app *app, const void *state)
{
	const struct tp_area area = tp_app_body(app);
	const struct runs_view *s = state;
	return tp_compared_is_shown(&s->compared) || !s->stored.n_shown ||
			       lay_out_screen(area).preview.rows
		       ? 1
		       : 2;
}

static void runs_paint(struct tp_app *app, void *state, struct tp_area area)
{
	struct runs_view *s = state;
	if (tp_compared_is_shown(&s->compared)) {
		tp_compared_draw(app, &s->compared, area);
		return;
	}
	if (app->part > 0) {
		draw_known(app, s, area);
		return;
	}
	struct places p = lay_out_screen(area);
	struct tp_columns c = tp_columns_lay_out(column_table, COLUMNS, grows, TP_COUNT_OF(grows),
						 MARK_COLUMNS, p.rows.columns);
	s->wants_preview = p.preview.rows > 0;
	draw_head(app, s, p.head, &c);
	struct rows rows = { app, s, &c };
	tp_list_paint(&s->list, tp_area_columns(p.rows, 0, p.rows.columns - 1), draw_run, &rows);
	tp_list_paint_bar(&s->list, p.rows);
	if (!s->stored.n_shown && !s->stale)
		draw_nothing(s, p.rows);
	if (p.told.rows)
		draw_told(s, p.told, app->term.utf8);
	if (p.preview.rows)
		draw_preview(app, s, p.preview);
}

/* The list is read in slices of this length, and only while nothing is measured. */
#define SLICE_SECONDS 0.008
/* The preview of a run is read when the cursor rests on it for this time. */
#define REST_SECONDS 0.06

static void close_screen(void *state)
{
	struct runs_view *s = state;
	tp_stored_release(&s->stored);
	tp_previews_release(&s->previews);
	tp_compared_release(&s->compared);
}

static void enter(struct tp_app *app, void *state)
{
	struct runs_view *s = state;
	(void)app;
	s->stale = true;
}

static void news(struct tp_app *app, void *state)
{
	struct runs_view *s = state;
	if (app->live.state != s->live)
		s->stale = true;
	s->live = app->live.state;
}

/* Filters and sorts again. The cursor stays on its run if that is still shown. */
static void choose(struct runs_view *s)
{
	size_t index = 0;
	struct tp_stored_run *run = selected(s, &index);
	tp_stored_choose(&s->stored, &s->filter, s->stored.order);
	tp_list_resize(&s->list, s->stored.n_shown);
	for (size_t i = 0; run && i < s->stored.n_shown; i++)
		if (s->stored.shown[i] == index)
			s->list.at = i;
}

static void scan(struct runs_view *s)
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
	struct runs_view *s = state;
	char path[TP_PATH_MAX];
	bool changed = s->stale, measuring = tp_app_is_measuring(app);
	double now = tp_now_seconds();
	if (s->stale)
		scan(s);
	size_t rows = (size_t)TP_MAX(s->list.rows, 1);
	for (size_t i = s->list.top; i < s->stored.n_shown && i < s->list.top + rows; i++) {
		tp_stored_path(&s->stored, s->stored.shown[i], path);
		if (!tp_app_measures(app, path))
			changed |= tp_stored_know(&s->stored, s->stored.shown[i]);
		if (tp_now_seconds() > now + SLICE_SECONDS)
			break;
	}
	bool more = !measuring && s->stored.next < s->stored.n;
	if (more && !changed) {
		more = tp_stored_go_on(&s->stored, SLICE_SECONDS);
		changed = !more;
	}
	/* Drops deleted runs; the order may have changed, too. */
	if (changed)
		choose(s);
	if (changed)
		app->dirty = true;
	if (s->wants_preview && runs_selected_path(s, path) && !tp_app_measures(app, path) &&
	    !tp_previews_has(&s->previews, path)) {
		double rest = s->moved + REST_SECONDS - now;
		if (rest > 0)
			return more ? 0 : rest;
		tp_previews_read(&s->previews, path);
		app->dirty = true;
	}
	return changed || more ? 0 : INFINITY;
}

/* --- actions --- */

/* Opens the run under the cursor, and the marked ones over it. */
static void open_run(struct tp_app *app, struct runs_view *s)
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
	tp_app_go_result(app);
}

static void compare(struct tp_app *app, struct runs_view *s)
{
	char paths[TP_COMPARED_MAX][TP_PATH_MAX];
	size_t n = 0, index;
	if (s->stale) { /* from the result of a run: it is that one */
		scan(s);
		for (size_t i = 0; i < s->stored.n_shown; i++)
			if (strcmp(s->stored.all[s->stored.shown[i]].directory,
				   tp_app_run_label(app)) == 0)
				s->list.at = i;
	}
	const struct tp_stored_run *run = selected(s, &index);
	if (!run)
		return;
	/* From the oldest on: the first run is the baseline. */
	for (size_t i = s->stored.n; i-- > 0;)
		if (s->stored.all[i].marked && !s->stored.all[i].gone && n < TP_COMPARED_MAX)
			tp_stored_path(&s->stored, i, paths[n++]);
	if (!n && app->n_runs)
		tp_copy(paths[n++], TP_PATH_MAX, app->runs[0].path);
	if (n < 2 && !s->stored.all[index].marked) {
		tp_stored_path(&s->stored, index, paths[n++]);
		if (n == 2 && strcmp(paths[0], paths[1]) == 0)
			n--;
		/* A single run is compared with the previous run of its name. */
		for (size_t i = index + 1; i < s->stored.n && n == 1; i++)
			if (!s->stored.all[i].gone &&
			    strcmp(s->stored.all[i].name, run->name) == 0) {
				tp_stored_path(&s->stored, index, paths[n++]);
				tp_stored_path(&s->stored, i, paths[0]);
			}
	}
	struct tp_diag diag = { 0 };
	if (tp_compared_open(&s->compared, paths, n, &diag) == TP_OK)
		return;
	if (n < 2)
		tp_app_say(app, TP_UI_WARN,
			   "mark at least two runs with Space, or open one; then c compares them");
	else
		tp_app_say_diag(app, &diag);
}

static void delete_one(struct tp_app *app, struct runs_view *s, struct tp_stored_run *run,
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

static void delete_runs(struct tp_app *app)
{
	struct runs_view *s = app->state[TP_SCREEN_RUNS];
	size_t deleted = 0, wanted = 0;
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

static void ask_delete(struct tp_app *app, struct runs_view *s)
{
	static const struct tp_yes_no ask = { "Delete for good?", "delete", "keep", delete_runs,
					      NULL };
	TP_STR names = { 0 };
	size_t index, marks = tp_stored_marks(&s->stored);
	struct tp_stored_run *run = selected(s, &index);
	if (!run)
		return;
	tp_copy(s->to_delete, sizeof(s->to_delete), marks ? "" : run->directory);
	for (size_t i = 0; i < s->stored.n; i++)
		if (marks ? s->stored.all[i].marked && !s->stored.all[i].gone
			  : &s->stored.all[i] == run)
			tp_str_printf(&names, "\n  %s", s->stored.all[i].directory);
	tp_app_ask(app, &ask, "%zu run%s:%s", marks ? marks : 1, marks > 1 ? "s" : "",
		   tp_str_text(&names));
}

static void resume(struct tp_app *app, struct runs_view *s)
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

static enum tp_status export_run(struct tp_app *app, const char *folder, struct tp_diag *diag)
{
	const struct runs_view *s = app->state[TP_SCREEN_RUNS];
	char path[TP_PATH_MAX];
	struct tp_run run;
	size_t index;
	if (!selected(s, &index))
		return tp_fail(diag, TP_NOTFOUND, "", NULL, "no run is chosen");
	const char *stem = s->stored.all[index].directory;
	enum tp_status status = tp_run_load(&run, tp_stored_path(&s->stored, index, path), diag);
	if (status == TP_OK) {
		status = tp_document_export(&run, folder, stem, diag);
		tp_run_release(&run);
	}
	if (status == TP_OK)
		tp_app_say(app, TP_UI_GOOD, "%.80s.svg, .csv, .json and .txt are in %.120s", stem,
			   folder);
	return status;
}

static const struct tp_asked_line export_line = {
	"Export to folder", "Pictures, tables and report of the run: .html .svg .csv .json .txt",
	NULL, export_run, true
};

/* --- keys and mouse --- */

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct runs_view *s = state;
	size_t index;
	struct tp_stored_run *run = selected(s, &index);
	if (tp_compared_is_shown(&s->compared))
		return tp_compared_act(app, &s->compared, action);
	if (app->part > 0 && tp_list_scroll(&s->previews.doc.list, action))
		return true;
	if (tp_list_act(&s->list, action)) {
		s->previews.doc.list = (struct tp_list){ 0 };
		s->moved = tp_now_seconds();
		return true;
	}
	switch (action) {
	case TP_ACTION_OPEN:
		open_run(app, s);
		return true;
	case TP_ACTION_OVERLAY:
		if (run) {
			run->marked = !run->marked;
			tp_list_act(&s->list, TP_ACTION_DOWN);
		}
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
		if (run)
			tp_app_ask_line(app, &export_line, NULL);
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
	struct runs_view *s = state;
	bool changed;
	(void)app;
	if (tp_compared_is_shown(&s->compared))
		return false;
	bool taken = tp_filter_type(&s->filter, code, &changed);
	if (changed) {
		choose(s);
		s->moved = tp_now_seconds();
	}
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct runs_view *s = state;
	if (tp_compared_is_shown(&s->compared)) {
		tp_compared_mouse(&s->compared, input);
		return;
	}
	if (app->part > 0 && input->twice) {
		open_run(app, s);
		return;
	}
	if (app->part > 0) {
		tp_list_wheel(&s->previews.doc.list, tp_list_wheel_rows(input));
		return;
	}
	enum tp_list_event event = tp_list_mouse(&s->list, input);
	if (event == TP_LIST_MISSED)
		return;
	if (event != TP_LIST_WHEELED && input->column < s->list.area.column + 2)
		s->stored.all[s->stored.shown[s->list.at]].marked ^= true;
	else if (event == TP_LIST_OPENED)
		open_run(app, s);
	else
		s->moved = tp_now_seconds();
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct runs_view *s = state;
	(void)app;
	return s->filter.typing			    ? TP_OVER_FIELD
	       : tp_compared_is_shown(&s->compared) ? TP_OVER_PICTURES
						    : TP_OVER_NOTHING;
}

const struct tp_screen tp_screen_runs = {
	.state_bytes = sizeof(struct runs_view),
	.close = close_screen,
	.enter = enter,
	.draw = runs_paint,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = runs_parts,
	.work = work,
};
