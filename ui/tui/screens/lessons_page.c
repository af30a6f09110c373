/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of lessons, and the page of a step: its words, and below or beside them what it shows.
 */
#include "ui/tui/screens/lessons.h"
#include "base/text.h"
#include "base/memory.h"
#include "lesson/report.h"
#include "report/reporter.h"

#include <string.h>

enum {
	HEAD_ROWS = 2,
	BESIDE_FROM = 160,
	WORDS_COLUMNS = TP_COLUMNS_MIN,
	WORDS_MOST = 100,
	PROGRESS_ROWS = 3,
	LIST_COLUMNS = 68,
	LIST_BESIDE_FROM = 118,
	ABOUT_GAP = 3,
	ABOUT_ROWS = 5
};

/* --- the list --- */

static void paint_entry(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct tp_lessons *s = context;
	const struct tp_named_file *entry = &s->entries[i];
	const struct tp_progress_lesson *done = tp_progress_of(&s->progress, entry->name);
	enum tp_role role = selected ? TP_UI_SELECTED : TP_UI_PLAIN;
	char state[32] = "";
	if (done && done->finished)
		tp_copy(state, sizeof(state), "done");
	else if (done && done->steps)
		snprintf(state, sizeof(state), "page %u of %u", done->step + 1, done->steps);
	size_t digits = strspn(entry->name, "0123456789");
	tp_paint_format(line, 0, 0, selected ? TP_UI_SELECTED : TP_UI_DIM, "%.*s",
			digits ? (int)digits : 2, digits ? entry->name : "--");
	tp_paint_text(tp_area_columns(line, 4, line.columns - 19), 0, 0, role, entry->title);
	tp_paint_right(line, 0, line.columns,
		       selected			? TP_UI_SELECTED
		       : done && done->finished ? TP_UI_GOOD
						: TP_UI_DIM,
		       state);
}

void tp_lessons_make_about(struct tp_lessons *s, int columns)
{
	tp_doc_clear(&s->about, columns);
	if (!s->about_of)
		return;
	tp_doc_paragraph(&s->about, 0, TP_UI_PLAIN, s->read.summary);
	if (s->read.after && *s->read.after)
		tp_doc_line(&s->about, -1);
	for (size_t i = 0; s->read.after && s->read.after[i]; i++)
		tp_doc_paragraph(&s->about, 0, TP_UI_DIM, s->read.after[i]);
}

static const char intro[] =
	"Each lesson asks what you expect, measures it on this machine, and explains what came "
	"out. Enter opens one; where you stopped is kept.";

void tp_lessons_paint_list(struct tp_lessons *s, struct tp_area area)
{
	area = tp_area_columns(area, 1, area.columns - 2);
	bool beside = area.columns >= LIST_BESIDE_FROM;
	int row = tp_paint_wrapped(area, 0, 0, TP_UI_DIM, intro) + 1;
	if (s->errors.n) {
		for (size_t i = 0; i < s->errors.n && row < area.rows; i++) {
			const struct tp_diag *d = &s->errors.items[i];
			row += tp_paint_wrapped(area, row, 0, TP_UI_BAD, d->where);
			row += tp_paint_wrapped(area, row, 2, TP_UI_PLAIN, d->what);
			if (d->hint[0])
				row += tp_paint_wrapped(area, row, 2, TP_UI_DIM, d->hint);
		}
		return;
	}
	if (!s->n_entries) {
		tp_paint_wrapped(area, row, 0, TP_UI_WARN,
				 "No lessons were found. They are installed with tprof, in "
				 "presets/lessons.");
		return;
	}
	struct tp_area rest = tp_area_rows(area, row, area.rows - row);
	struct tp_area rows = beside ? tp_area_columns(rest, 0, LIST_COLUMNS) : rest;
	int about_columns = beside ? rest.columns - LIST_COLUMNS - ABOUT_GAP : rest.columns;
	if (!beside)
		rows = tp_area_rows(rest, 0, rest.rows - ABOUT_ROWS - 1);
	tp_list_fit(&s->list, rows.rows);
	tp_list_paint(&s->list, rows, paint_entry, s);
	if (s->about.columns != about_columns)
		tp_lessons_make_about(s, about_columns);
	tp_doc_paint(&s->about,
		     beside ? tp_area_columns(rest, LIST_COLUMNS + ABOUT_GAP, about_columns)
			    : tp_area_rows(rest, rest.rows - ABOUT_ROWS, ABOUT_ROWS),
		     0, (size_t)-1);
}

/* --- the head of a page --- */

static void paint_head(const struct tp_lessons *s, struct tp_area area)
{
	const struct tp_player *player = &s->player;
	char page[48];
	int n = snprintf(page, sizeof(page), "page %zu of %zu", player->step + 1,
			 player->lesson.n_steps);
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, page);
	tp_paint_text(tp_area_columns(area, 0, area.columns - n - 2), 0, 0, TP_UI_TITLE,
		      player->lesson.title);
	tp_paint_bar(area, 1, 0, area.columns,
		     (double)(player->step + 1) / (double)player->lesson.n_steps, TP_UI_BORDER);
}

/* --- words --- */

static void make_words(const struct tp_app *app, struct tp_lessons *s, int columns)
{
	const struct tp_look look = { .terminal = true,
				      .colour = true,
				      .utf8 = app->term.utf8,
				      .quick = true,
				      .columns = (unsigned)columns,
				      .rows = (unsigned)app->term.rows };
	struct tp_str text = { 0 };
	tp_lesson_say(&s->player, s->player.step, &look, &text);
	tp_doc_clear(&s->words, columns);
	tp_doc_report(&s->words, tp_str_text(&text));
	tp_str_release(&text);
	tp_list_resize(&s->scroll, s->words.n);
	s->stale = false;
}

/* --- pictures --- */

struct hanging {
	struct tp_area area;
	const struct tp_app *app;
	const struct tp_run *run;
	size_t wanted, n;
};

static void hang(void *context, const struct tp_picture *picture)
{
	struct hanging *h = context;
	char title[TP_PICTURE_TITLE_BYTES];
	if (h->n++ != h->wanted)
		return;
	const struct tp_scene scene = tp_picture_scene(picture, h->run, title);
	tp_paint_scene(h->area, &scene, h->app->glyphs);
}

/* Counts the pictures, and paints the chosen one. */
static void paint_pictures(const struct tp_app *app, struct tp_lessons *s, struct tp_area area,
			   const struct tp_run *live)
{
	struct hanging h = { area, app, live, s->picture, 0 };
	const struct tp_gallery gallery = { .context = &h,
					    .hang = hang,
					    .columns = (size_t)TP_MAX(area.columns, 1),
					    .rows = (size_t)TP_MAX(area.rows, 1),
					    .brief = true };
	if (live)
		tp_picture_each(live, &gallery);
	else
		tp_lesson_pictures(&s->player, s->player.step, &gallery);
	s->n_pictures = h.n;
	if (h.n > 1 && s->picture >= h.n)
		s->picture = 0;
}

/* --- a measurement under way --- */

static void paint_progress(const struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	char left[32] = "";
	double share = live->n_points ? (double)live->n_done / live->n_points : 0;
	if (live->remaining_seconds > 0)
		tp_format_seconds(left, sizeof(left), live->remaining_seconds);
	tp_paint_format(area, 0, 0, TP_UI_STRONG, "%s %u of %u points%s%s%s",
			live->state == TP_LIVE_PAUSED	  ? "paused at"
			: live->state == TP_LIVE_STOPPING ? "stopping at"
							  : "measured",
			live->n_done, live->n_points, *left ? ", " : "", left,
			*left ? " left" : "");
	tp_paint_bar(area, 1, 0, area.columns, share, TP_UI_GOOD);
}

/* --- the page --- */

static bool draws_curve(const struct tp_lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	return step->question && step->question->kind == TP_ASK_CURVE &&
	       (tp_lessons_asks(s) || tp_player_answer_of(&s->player, s->player.step).there);
}

/* Rows that the page needs below its words, or beside them; 0 = nothing stands there. */
static int rows_beside(const struct tp_lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	return s->measuring			      ? PROGRESS_ROWS + TP_PLOT_ROWS_MIN
	       : step->kind == TP_STEP_PLOT	      ? TP_PLOT_ROWS_MIN + 2
	       : draws_curve(s)			      ? TP_PLOT_ROWS_MIN + 1
	       : tp_lessons_asks(s) && step->question ? 1
						      : 0;
}

static void paint_below(struct tp_app *app, struct tp_lessons *s, struct tp_area area)
{
	if (s->measuring) {
		paint_progress(app, area);
		paint_pictures(app, s, tp_area_rows(area, PROGRESS_ROWS, area.rows - PROGRESS_ROWS),
			       &app->live.run);
	} else if (tp_player_step(&s->player)->kind == TP_STEP_PLOT) {
		paint_pictures(app, s, area, NULL);
	} else if (tp_player_step(&s->player)->question) {
		tp_lessons_paint_answer(app, s, area);
	}
}

static void paint_prompt(const struct tp_lessons *s, struct tp_area line)
{
	const char *ask = tp_lesson_ask(&s->player);
	bool enter = tp_player_waits(&s->player) != TP_WAITS_ANSWER;
	if (s->measuring)
		tp_paint_key(line, 0, 0, "s", "stops the measurement");
	else if (enter)
		tp_paint_key(line, 0, 0, "Enter", ask);
	else
		tp_paint_text(line, 0, 0, TP_UI_KEY, ask);
}

void tp_lessons_paint_page(struct tp_app *app, struct tp_lessons *s, struct tp_area area)
{
	area = tp_area_columns(area, 1, area.columns - 1);
	paint_head(s, area);
	struct tp_area body = tp_area_rows(area, HEAD_ROWS + 1, area.rows - HEAD_ROWS - 2);
	struct tp_area prompt = tp_area_rows(area, area.rows - 1, 1);
	int below = rows_beside(s);
	bool beside = below > 1 && area.columns >= BESIDE_FROM;
	int columns = TP_MIN(beside ? (int)WORDS_COLUMNS : area.columns - 1, (int)WORDS_MOST);
	if (s->stale || s->words.columns != columns)
		make_words(app, s, columns);
	int rows = beside ? body.rows : TP_MIN((int)s->words.n, body.rows);
	if (below && !beside)
		rows = TP_MIN(rows, TP_MAX(body.rows - below - 1, 1));
	tp_doc_show(&s->words, &s->scroll,
		    tp_area_columns(tp_area_rows(body, 0, rows), 0, columns + 1), false);
	paint_below(app, s,
		    beside ? tp_area_columns(body, columns + 3, body.columns - columns - 3)
			   : tp_area_rows(body, rows + 1, body.rows - rows - 1));
	paint_prompt(s, prompt);
}
