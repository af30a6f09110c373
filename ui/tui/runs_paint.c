/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the Runs screen looks: the list of stored runs, and beside it the one under the cursor. */
#include "ui/tui/runs_view.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_ROWS = 2, PREVIEW_AT_COLUMNS = 110, PREVIEW_COLUMNS_MAX = 84, SPLIT_GAP = 2 };

/* --- places --- */

struct tp_runs_places tp_runs_places(struct tp_area area)
{
	struct tp_runs_places p;
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

/* Where the columns stand; 0 = not shown. */
struct columns {
	int date, name, state, points_end, machine, host, end;
};

static struct columns lay_out(int columns)
{
	struct columns c = { .date = 2, .end = columns - 2 };
	bool with_machine = columns >= 78, with_host = columns >= 120;
	int name = with_machine ? TP_MIN(TP_MAX((columns - 50) / 2, 18), 40) : columns - 48;
	c.name = c.date + 18;
	c.state = c.name + name + 2;
	c.points_end = c.state + 13 + 9;
	if (with_machine)
		c.machine = c.points_end + 2;
	if (with_host)
		c.host = c.end - 22;
	return c;
}

/* --- the list --- */

static enum tp_role state_role(const char *state)
{
	static const struct {
		const char *state;
		enum tp_role role;
	} rows[] = { { "complete", TP_UI_GOOD },
		     { "interrupted", TP_UI_WARN },
		     { "failed", TP_UI_BAD },
		     { "unreadable", TP_UI_BAD },
		     { "running", TP_UI_CHANGED } };
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (strcmp(rows[i].state, state) == 0)
			return rows[i].role;
	return TP_UI_PLAIN;
}

static void cell(struct tp_area row, int from, int end, enum tp_role role, const char *text)
{
	tp_paint_text(tp_area_columns(row, from, end - from), 0, 0, role, text);
}

static void draw_run(const struct tp_app *app, const struct tp_runs_view *s, struct tp_area row,
		     const struct columns *c, size_t i)
{
	const struct tp_stored_run *run = &s->stored.all[s->stored.shown[i]];
	bool here = i == s->list.at;
	char points[48], path[TP_PATH_MAX];
	enum tp_role plain = here ? TP_UI_SELECTED : TP_UI_PLAIN;
	enum tp_role dim = here ? TP_UI_SELECTED : TP_UI_DIM;
	bool utf8 = app->term.utf8, open = false;
	tp_stored_path(&s->stored, s->stored.shown[i], path);
	for (size_t k = 0; k < app->n_runs; k++)
		open |= strcmp(app->runs[k].path, path) == 0;
	if (here)
		tp_paint_clear(row, TP_UI_SELECTED);
	if (run->marked)
		tp_paint_text(row, 0, 0, here ? TP_UI_SELECTED : TP_UI_KEY, utf8 ? "✓" : "*");
	else if (open)
		tp_paint_text(row, 0, 0, here ? TP_UI_SELECTED : TP_UI_TITLE, utf8 ? "▸" : ">");
	cell(row, c->date, c->name - 2, dim, run->date);
	cell(row, c->name, c->state - 2, run->known ? plain : dim, run->name);
	if (!run->known) {
		tp_paint_text(row, 0, c->state, dim, utf8 ? "…" : "...");
		return;
	}
	cell(row, c->state, c->state + 12, here ? TP_UI_SELECTED : state_role(run->state),
	     run->state);
	if (run->n_planned > run->n_done)
		snprintf(points, sizeof(points), "%zu/%zu", run->n_done, run->n_planned);
	else
		snprintf(points, sizeof(points), "%zu", run->n_done);
	tp_paint_right(row, 0, c->points_end, plain, points);
	if (c->machine)
		cell(row, c->machine, c->host ? c->host - 2 : c->end, dim, run->cpu);
	if (c->host)
		cell(row, c->host, c->end, dim, run->hostname);
}

/* The folder being typed, with the terminal's cursor in it. */
static void draw_folder(struct tp_app *app, struct tp_runs_view *s, struct tp_area area)
{
	int at = tp_paint_text(area, 0, 0, TP_UI_TITLE, "Export to folder") + 1;
	int cursor = tp_field_paint(&s->folder, area, 0, at, area.columns - at);
	tp_term_cursor(&app->term, area.row, area.column + cursor);
}

static void draw_head(struct tp_app *app, struct tp_runs_view *s, struct tp_area area,
		      const struct columns *c)
{
	const struct {
		int at;
		bool right;
		const char *text;
		int order;
	} heads[] = {
		{ c->date, false, tp_stored_order_name(TP_STORED_DATE), TP_STORED_DATE },
		{ c->name, false, tp_stored_order_name(TP_STORED_NAME), TP_STORED_NAME },
		{ c->state, false, tp_stored_order_name(TP_STORED_STATE), TP_STORED_STATE },
		{ c->points_end, true, tp_stored_order_name(TP_STORED_POINTS), TP_STORED_POINTS },
		{ c->machine, false, tp_stored_order_name(TP_STORED_MACHINE), TP_STORED_MACHINE },
		{ c->host, false, "host", -1 }
	};
	size_t marks = tp_stored_marks(&s->stored);
	if (s->exporting) {
		draw_folder(app, s, area);
	} else if (!tp_filter_paint(&s->filter, area, 0, s->stored.n_shown, s->stored.n)) {
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
	for (size_t i = 0; i < TP_COUNT_OF(heads); i++) {
		char text[32];
		bool sorted = heads[i].order == (int)s->stored.order;
		if (!heads[i].at)
			continue;
		snprintf(text, sizeof(text), "%s%s", heads[i].text,
			 !sorted	  ? ""
			 : app->term.utf8 ? " ▾"
					  : " v");
		if (heads[i].right)
			tp_paint_right(area, 1, heads[i].at, sorted ? TP_UI_STRONG : TP_UI_DIM,
				       text);
		else
			tp_paint_text(area, 1, heads[i].at, sorted ? TP_UI_STRONG : TP_UI_DIM,
				      text);
	}
}

static void draw_nothing(const struct tp_runs_view *s, struct tp_area area)
{
	if (*s->problem)
		tp_paint_wrapped(area, 1, 0, TP_UI_BAD, s->problem);
	else if (*s->filter.text)
		tp_paint_text(area, 1, 0, TP_UI_DIM, "No run has that. Esc shows all again.");
	else
		tp_paint_wrapped(area, 1, 0, TP_UI_DIM,
				 "Nothing was measured yet. Key 2 sets a run up, r there starts "
				 "it; it will be found here.");
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

void tp_runs_paint(struct tp_app *app, struct tp_runs_view *s, struct tp_area area)
{
	if (s->comparison.shown) {
		tp_comparison_view_draw(&s->comparison, tp_area_columns(area, 1, area.columns - 1));
		return;
	}
	struct tp_runs_places p = tp_runs_places(area);
	struct columns c = lay_out(p.rows.columns);
	s->wants_preview = p.preview.rows > 0;
	draw_head(app, s, p.head, &c);
	tp_list_fit(&s->list, p.rows.rows);
	for (int r = 0; r < p.rows.rows; r++)
		if (s->list.top + (size_t)r < s->stored.n_shown)
			draw_run(app, s,
				 tp_area_columns(tp_area_rows(p.rows, r, 1), 0, p.rows.columns - 1),
				 &c, s->list.top + (size_t)r);
	tp_list_paint_bar(&s->list, p.rows);
	if (!s->stored.n_shown && !s->stale)
		draw_nothing(s, p.rows);
	if (p.preview.rows)
		draw_preview(app, s, p.preview);
}
