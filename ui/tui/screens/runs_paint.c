/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the Runs screen: the list of stored runs, and beside it a preview of one. */
#include "ui/tui/screens/runs_view.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_ROWS = 2, PREVIEW_AT_COLUMNS = 110, PREVIEW_COLUMNS_MAX = 84, SPLIT_GAP = 2 };

/* --- places --- */

/* Without room for a preview, it has no rows. */
struct places {
	struct tp_area head, rows, preview;
};

static struct places lay_out_screen(struct tp_area area)
{
	struct places p;
	area = tp_area_columns(area, 1, area.columns - 1);
	struct tp_area list = area;
	p.preview = tp_area_rows(area, 0, 0);
	if (area.columns >= PREVIEW_AT_COLUMNS) {
		int columns = TP_MIN(area.columns * 45 / 100, PREVIEW_COLUMNS_MAX);
		list = tp_area_columns(area, 0, area.columns - columns - SPLIT_GAP);
		p.preview = tp_area_columns(area, area.columns - columns, columns);
	}
	p.head = tp_area_rows(list, 0, HEAD_ROWS);
	p.rows = tp_area_rows(list, HEAD_ROWS, list.rows - HEAD_ROWS);
	return p;
}

/* The columns of the list: one for each order, and the host. */
enum { HOST = TP_STORED_ORDER_COUNT, COLUMNS };

struct columns {
	struct {
		int from, end; /* end 0: not shown */
	} of[COLUMNS];
};

static struct columns lay_out(int columns)
{
	bool with_machine = columns >= 78, with_host = columns >= 120;
	int end = columns - 2, name = 20, state, points;
	state = name + 2 +
		(with_machine ? TP_MIN(TP_MAX((columns - 50) / 2, 18), 40) : columns - 48);
	points = state + 22;
	struct columns c = { .of = { [TP_STORED_DATE] = { 2, name - 2 },
				     [TP_STORED_NAME] = { name, state - 2 },
				     [TP_STORED_STATE] = { state, state + 12 },
				     [TP_STORED_POINTS] = { state + 12, points } } };
	if (with_machine) {
		c.of[TP_STORED_MACHINE].from = points + 2;
		c.of[TP_STORED_MACHINE].end = with_host ? end - 24 : end;
	}
	if (with_host) {
		c.of[HOST].from = end - 22;
		c.of[HOST].end = end;
	}
	return c;
}

static void cell(struct tp_area row, const struct columns *columns, int c, enum tp_role role,
		 const char *text)
{
	int from = columns->of[c].from;
	struct tp_area area = tp_area_columns(row, from, columns->of[c].end - from);
	if (c == TP_STORED_POINTS)
		tp_paint_right(area, 0, area.columns, role, text);
	else
		tp_paint_text(area, 0, 0, role, text);
}

/* --- the list --- */

static enum tp_role state_role(const char *state)
{
	static const struct {
		const char *state;
		enum tp_role role;
	} rows[] = { { "complete", TP_UI_GOOD },    { "simulated", TP_UI_WARN },
		     { "interrupted", TP_UI_WARN }, { "failed", TP_UI_BAD },
		     { "unreadable", TP_UI_BAD },   { "running", TP_UI_CHANGED } };
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (strcmp(rows[i].state, state) == 0)
			return rows[i].role;
	return TP_UI_PLAIN;
}

/* Where there is no room for the machine, this is the word that tells a simulated run. */
static const char *state_word(const struct tp_stored_run *run)
{
	return run->simulated && strcmp(run->state, "complete") == 0 ? "simulated" : run->state;
}

struct rows {
	const struct tp_app *app;
	const struct tp_runs_view *view;
	const struct columns *columns;
};

static void draw_run(void *context, struct tp_area row, size_t i, bool here)
{
	const struct rows *rows = context;
	const struct tp_app *app = rows->app;
	const struct tp_runs_view *s = rows->view;
	const struct tp_stored_run *run = &s->stored.all[s->stored.shown[i]];
	char points[48], path[TP_PATH_MAX];
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
	const struct {
		const char *text;
		enum tp_role role;
	} cells[COLUMNS] = {
		[TP_STORED_DATE] = { run->date, TP_UI_DIM },
		[TP_STORED_NAME] = { run->name, run->known ? TP_UI_PLAIN : TP_UI_DIM },
		[TP_STORED_STATE] = { !run->known ? utf8 ? "…" : "..." : state_word(run),
				      run->known ? state_role(state_word(run)) : TP_UI_DIM },
		[TP_STORED_POINTS] = { points, TP_UI_PLAIN },
		[TP_STORED_MACHINE] = { run->cpu, run->simulated ? TP_UI_WARN : TP_UI_DIM },
		[HOST] = { run->hostname, TP_UI_DIM },
	};
	for (int c = 0; c < (run->known ? (int)COLUMNS : TP_STORED_STATE + 1); c++)
		cell(row, rows->columns, c, here ? TP_UI_SELECTED : cells[c].role, cells[c].text);
}

static void draw_head(const struct tp_app *app, const struct tp_runs_view *s, struct tp_area area,
		      const struct columns *c)
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
	for (int i = 0; i < COLUMNS; i++) {
		char text[32];
		bool sorted = i == (int)s->stored.order;
		snprintf(text, sizeof(text), "%s%s",
			 i == HOST ? "host" : tp_stored_order_name((enum tp_stored_order)i),
			 !sorted	  ? ""
			 : app->term.utf8 ? " ▾"
					  : " v");
		cell(tp_area_rows(area, 1, 1), c, i, sorted ? TP_UI_STRONG : TP_UI_DIM, text);
	}
}

static void draw_nothing(const struct tp_runs_view *s, struct tp_area area)
{
	if (*s->problem)
		tp_paint_wrapped(area, 1, 0, TP_UI_BAD, s->problem);
	else if (*s->filter.text)
		tp_paint_text(area, 1, 0, TP_UI_DIM, "No run matches. Esc shows all again.");
	else
		tp_paint_wrapped(area, 1, 0, TP_UI_DIM,
				 "There are no runs yet. Key 2 opens Setup, where r starts a run.");
}

/* --- the run under the cursor --- */

static void draw_preview(struct tp_app *app, struct tp_runs_view *s, struct tp_area area)
{
	char path[TP_PATH_MAX];
	for (int r = 0; r < area.rows; r++)
		tp_paint_text(area, r, 0, TP_UI_BORDER, app->term.utf8 ? "│" : "|");
	struct tp_area inside = tp_area_columns(area, 2, area.columns - 2);
	if (!tp_runs_selected_path(s, path))
		return;
	const struct tp_doc *doc = tp_previews_doc(&s->previews, path, inside.columns);
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

/* All that is known of the run under the cursor, with the whole screen. */
static void draw_known(struct tp_app *app, struct tp_runs_view *s, struct tp_area area)
{
	char path[TP_PATH_MAX];
	area = tp_area_columns(area, 1, area.columns - 1);
	const struct tp_doc *doc = tp_runs_selected_path(s, path)
					   ? tp_previews_doc(&s->previews, path, area.columns - 1)
					   : NULL;
	s->wants_preview = true;
	if (!doc) {
		tp_paint_text(area, 0, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
		return;
	}
	tp_list_resize(&s->preview, doc->n);
	tp_doc_show(doc, &s->preview, area, false);
}

int tp_runs_parts(const struct tp_app *app, const void *state, struct tp_area area)
{
	const struct tp_runs_view *s = state;
	(void)app;
	return s->comparison.shown || !s->stored.n_shown || lay_out_screen(area).preview.rows ? 1
											      : 2;
}

void tp_runs_paint(struct tp_app *app, struct tp_runs_view *s, struct tp_area area)
{
	if (s->comparison.shown) {
		tp_comparison_view_draw(&s->comparison, tp_area_columns(area, 1, area.columns - 1));
		return;
	}
	if (app->part > 0) {
		draw_known(app, s, area);
		return;
	}
	struct places p = lay_out_screen(area);
	struct columns c = lay_out(p.rows.columns);
	s->wants_preview = p.preview.rows > 0;
	draw_head(app, s, p.head, &c);
	struct rows rows = { app, s, &c };
	tp_list_paint(&s->list, tp_area_columns(p.rows, 0, p.rows.columns - 1), draw_run, &rows);
	tp_list_paint_bar(&s->list, p.rows);
	if (!s->stored.n_shown && !s->stale)
		draw_nothing(s, p.rows);
	if (p.preview.rows)
		draw_preview(app, s, p.preview);
	if (s->export.open)
		tp_path_box_paint(&s->export, area);
}
