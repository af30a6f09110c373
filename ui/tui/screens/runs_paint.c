/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the Runs screen: the list of stored runs, and beside it a preview of one. */
#include "ui/tui/screens/runs_view.h"
#include "ui/tui/quality.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum {
	HEAD_ROWS = 2,
	TOLD_ROWS = 4,
	PREVIEW_AT_COLUMNS = 110,
	PREVIEW_PERCENT = 40,
	PREVIEW_COLUMNS_MAX = 84,
	SPLIT_GAP = 2
};

/* --- places --- */

/* Without room for a preview it has no rows, and the run under the cursor is told below. */
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

/* The columns of the list: one for each order, and the host. */
enum { HOST = TP_STORED_ORDER_COUNT, COLUMNS };
enum { MARK_COLUMNS = 2, DATE_SHORT = 11, QUALITY_SHORT = 11 };

/*
 * Where there is no room, columns with the highest `rank` are dropped first. What room is left goes
 * to those that are narrower than their most, in the order of `grows`.
 */
static const struct {
	int least, most, rank;
	bool right;
} column_table[COLUMNS] = {
	[TP_STORED_DATE] = { DATE_SHORT, 16, 0, false },
	[TP_STORED_NAME] = { 10, 24, 0, false },
	[TP_STORED_EXPERIMENT] = { 10, 16, 6, false },
	[TP_STORED_ISA] = { 6, 14, 2, false },
	[TP_STORED_THREADS] = { 3, 8, 3, true },
	[TP_STORED_QUALITY] = { QUALITY_SHORT, 24, 0, false },
	[TP_STORED_FIGURES] = { 14, 30, 1, false },
	[TP_STORED_STATE] = { 11, 11, 4, false },
	[TP_STORED_POINTS] = { 7, 9, 5, true },
	[TP_STORED_MACHINE] = { 14, 40, 7, false },
	[HOST] = { 16, 22, 8, false },
};
static const int grows[] = { TP_STORED_FIGURES, TP_STORED_NAME,	   TP_STORED_DATE,   TP_STORED_ISA,
			     TP_STORED_MACHINE, TP_STORED_QUALITY, TP_STORED_THREADS };

struct columns {
	struct {
		int from, end; /* end 0: not shown */
	} of[COLUMNS];
};

static struct columns lay_out(int room)
{
	struct columns c = { .of = { { 0 } } };
	int widths[COLUMNS], total;
	for (int i = 0; i < COLUMNS; i++)
		widths[i] = column_table[i].least;
	for (;;) {
		int out = -1;
		total = MARK_COLUMNS;
		for (int i = 0; i < COLUMNS; i++) {
			total += widths[i] ? widths[i] + 1 : 0;
			if (widths[i] && column_table[i].rank &&
			    (out < 0 || column_table[i].rank > column_table[out].rank))
				out = i;
		}
		if (total <= room || out < 0)
			break;
		widths[out] = 0;
	}
	for (size_t i = 0; i < TP_COUNT_OF(grows); i++) {
		int g = grows[i], more = TP_MIN(column_table[g].most - widths[g], room - total);
		if (!widths[g] || more <= 0)
			continue;
		widths[g] += more;
		total += more;
	}
	int at = MARK_COLUMNS;
	for (int i = 0; i < COLUMNS; i++) {
		if (!widths[i])
			continue;
		c.of[i].from = at;
		c.of[i].end = at + widths[i];
		at += widths[i] + 1;
	}
	return c;
}

static int width_of(const struct columns *columns, int c)
{
	return columns->of[c].end - columns->of[c].from;
}

static void cell(struct tp_area row, const struct columns *columns, int c, enum tp_role role,
		 const char *text)
{
	struct tp_area area = tp_area_columns(row, columns->of[c].from, width_of(columns, c));
	if (!area.columns)
		return;
	if (column_table[c].right)
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

/* "13 good, 6 fair, 5 poor", or "13 ~6 ?5" with the marks of tables. */
static const char *quality_words(const struct tp_run_brief *brief, int room, char *out, size_t size)
{
	const size_t *n = brief->quality;
	if ((int)tp_cell_columns(tp_brief_quality(brief, out, size)) <= room)
		return out;
	int at = snprintf(out, size, "%zu", n[TP_QUALITY_GOOD]);
	if (n[TP_QUALITY_FAIR])
		at += snprintf(out + at, size - (size_t)at, " ~%zu", n[TP_QUALITY_FAIR]);
	if (n[TP_QUALITY_POOR])
		snprintf(out + at, size - (size_t)at, " ?%zu", n[TP_QUALITY_POOR]);
	return out;
}

static enum tp_role quality_role(const struct tp_run_brief *brief)
{
	return tp_quality_role(brief->quality[TP_QUALITY_POOR]	 ? TP_QUALITY_POOR
			       : brief->quality[TP_QUALITY_FAIR] ? TP_QUALITY_FAIR
								 : TP_QUALITY_GOOD);
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
	char points[48], quality[64], path[TP_PATH_MAX];
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
	/* Without a column for the state, it stands where the quality of a complete run would. */
	const struct tp_run_brief *brief = &run->brief;
	quality_words(brief, width_of(rows->columns, TP_STORED_QUALITY), quality, sizeof(quality));
	bool stateless = !width_of(rows->columns, TP_STORED_STATE);
	bool says_state = !run->known || !*brief->experiments || !*quality ||
			  (stateless && strcmp(state_word(run), "complete") != 0);
	bool brief_date = width_of(rows->columns, TP_STORED_DATE) < (int)strlen(run->date);
	const char *state = !run->known ? utf8 ? "…" : "..." : state_word(run);
	enum tp_role of_state = run->known ? state_role(state) : TP_UI_DIM;
	const struct {
		const char *text;
		enum tp_role role;
	} cells[COLUMNS] = {
		[TP_STORED_DATE] = { brief_date ? run->date + 5 : run->date, TP_UI_DIM },
		[TP_STORED_EXPERIMENT] = { brief->experiments, TP_UI_PLAIN },
		[TP_STORED_ISA] = { brief->isas, TP_UI_PLAIN },
		[TP_STORED_THREADS] = { brief->threads, TP_UI_PLAIN },
		[TP_STORED_QUALITY] = { !says_state ? quality
					: stateless ? state
						    : "",
					says_state ? of_state : quality_role(brief) },
		[TP_STORED_FIGURES] = { brief->figures, TP_UI_STRONG },
		[TP_STORED_NAME] = { run->name, run->known ? TP_UI_PLAIN : TP_UI_DIM },
		[TP_STORED_STATE] = { state, of_state },
		[TP_STORED_POINTS] = { points, TP_UI_PLAIN },
		[TP_STORED_MACHINE] = { run->cpu, run->simulated ? TP_UI_WARN : TP_UI_DIM },
		[HOST] = { run->hostname, TP_UI_DIM },
	};
	for (int c = 0; c < COLUMNS; c++)
		if (run->known || c == TP_STORED_DATE || c == TP_STORED_NAME ||
		    c == TP_STORED_QUALITY || c == TP_STORED_STATE)
			cell(row, rows->columns, c, here ? TP_UI_SELECTED : cells[c].role,
			     cells[c].text);
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
	if (width_of(c, TP_STORED_QUALITY) < column_table[TP_STORED_QUALITY].most && !marks)
		tp_paint_right(area, 0, area.columns - 1, TP_UI_DIM, TP_QUALITY_LEGEND);
	for (int i = 0; i < COLUMNS; i++) {
		char text[32];
		bool sorted = i == (int)s->stored.order;
		snprintf(text, sizeof(text), "%s%s",
			 i == HOST ? "host" : tp_stored_order_name((enum tp_stored_order)i),
			 !sorted	  ? ""
			 : app->term.utf8 ? " ▾"
					  : " v");
		if (i == TP_STORED_QUALITY && !width_of(c, TP_STORED_STATE))
			snprintf(text, sizeof(text), "quality");
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
		tp_paint_wrapped(
			area, 1, 0, TP_UI_DIM,
			"There are no runs yet. Key 2 opens Setup, where r starts a run; E "
			"opens an example.");
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

/* The run under the cursor in words: what --list runs says of it, and where it was measured. */
static void draw_told(const struct tp_runs_view *s, struct tp_area area)
{
	char words[320];
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
	if (p.told.rows)
		draw_told(s, p.told);
	if (p.preview.rows)
		draw_preview(app, s, p.preview);
	if (s->export.open)
		tp_path_box_paint(&s->export, area);
}
