/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Lessons screen: which lesson, which page, and the measurements of a page. */
#include "ui/tui/screens/lessons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "lesson/player.h"
#include "lesson/report.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/lessons.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/plot.h"
#include "ui/tui/widgets/text_field.h"

struct lessons {
	/* the list */
	struct tp_named_file *entries;
	size_t n_entries;
	struct tp_list list;
	struct tp_doc about; /* of the lesson under the cursor: what it is about, what one learns */
	size_t about_of; /* its number in the list + 1; 0 = not read */
	struct tp_lesson read;
	struct tp_progress_file progress;
	bool has_progress; /* the learner's file was read, and is kept up to date */
	/* the lesson that is open */
	bool open;
	struct tp_player player;
	struct tp_diags errors; /* why none could be opened */
	/* its page */
	struct tp_doc words;
	bool stale; /* the text is not the step's */
	size_t picture, n_pictures; /* of a plot */
	/* the terms, over the page */
	bool terms;
	struct tp_doc terms_doc;
	/* the answer that is being given */
	struct tp_text_field field;
	double y[TP_LESSON_CURVE_MAX]; /* drawn; 0 = not yet */
	size_t place; /* of the curve, where the cursor is */
	bool measuring;
	size_t measured_step;
};

static inline struct lessons *tp_lessons_of(struct tp_app *app)
{
	return app->state[TP_SCREEN_LESSONS];
}

/* lessons.c: the shown step or its text has changed. */
static void lessons_renew(struct lessons *s)
{
	s->stale = true;
	s->words.list = (struct tp_list){ 0 };
}

/* A step up or down multiplies by this share of the axis. */
static const double curve_step = 1.0 / 32, curve_page = 1.0 / 6;
enum { FIELD_COLUMNS = 24 };

static const struct tp_question *question_of(const struct lessons *s)
{
	return s->open ? tp_player_step(&s->player)->question : NULL;
}

/* A question waits for its answer. */
static bool lessons_asks(const struct lessons *s)
{
	return s->open && question_of(s) && tp_player_waits(&s->player) == TP_WAITS_ANSWER;
}

/* Resets the answer: an empty field, no curve. */
static void lessons_begin_answer(struct lessons *s)
{
	const struct tp_question *q = question_of(s);
	s->field = (struct tp_text_field){ 0 };
	s->place = 0;
	memset(s->y, 0, sizeof(s->y));
	if (!q)
		return;
	/* The pen begins in the middle of the axis. */
	if (q->kind == TP_ASK_CURVE)
		s->y[0] = sqrt(q->from * q->to);
}

/* --- handing in --- */

static void take(struct tp_app *app, struct lessons *s, enum tp_status status,
		 const struct tp_diag *diag)
{
	if (status != TP_OK) {
		const char *hint = tp_hint_on_screen(diag->hint);
		tp_app_say(app, TP_UI_WARN, "%s%s%s", diag->what, *hint ? " - " : "", hint);
		return;
	}
	lessons_renew(s);
	/* A check that is not right yet asks again. */
	if (lessons_asks(s))
		lessons_begin_answer(s);
}

static void hand_in_text(struct tp_app *app, struct lessons *s, const char *text)
{
	struct tp_diag diag = { 0 };
	take(app, s, tp_player_answer(&s->player, text, &diag), &diag);
}

/* --- keys --- */

/* A key or an action; false if it is not for the answer. */
static bool lessons_answer_type(struct tp_app *app, struct lessons *s, uint32_t code)
{
	const struct tp_question *q = question_of(s);
	/* Any digit is an answer, also one that is not a choice: the player reports that. */
	if (q->kind == TP_ASK_CHOICE && !app->pasting && code >= '0' && code <= '9') {
		const char choice[] = { (char)code, '\0' };
		hand_in_text(app, s, choice);
		return true;
	}
	if (q->kind != TP_ASK_NUMBER)
		return false;
	/* Letters are keys until a number has begun; then they are its unit. */
	if (!s->field.len &&
	    !((code >= '0' && code <= '9') || code == '.' || code == '-' || code == '+')) {
		bool idle = tp_keys_action(TP_SCREEN_LESSONS, code) == TP_ACTION_NONE;
		if (idle && code > ' ' && code < TP_KEY_UP)
			tp_app_say(app, TP_UI_WARN, "type a number, such as 30%s%s",
				   *q->unit ? " " : "", q->unit);
		return idle;
	}
	switch (tp_text_field_key(&s->field, code)) {
	case TP_TEXT_FIELD_TAKEN:
		hand_in_text(app, s, s->field.text);
		return true;
	case TP_TEXT_FIELD_LEFT:
		s->field = (struct tp_text_field){ 0 };
		return true;
	case TP_TEXT_FIELD_EDITED:
		return true;
	default:
		return false;
	}
}

static void move_pen(struct lessons *s, const struct tp_question *q, double share)
{
	double y = s->y[s->place] * pow(q->to / q->from, share);
	s->y[s->place] = fmin(fmax(y, q->from), q->to);
}

static void go_to_place(struct lessons *s, const struct tp_question *q, size_t place)
{
	size_t from = s->place;
	s->place = TP_MIN(place, q->n_x - 1);
	/* The pen leaves a level line on its way. */
	for (size_t i = from; i <= s->place; i++)
		if (!(s->y[i] > 0))
			s->y[i] = s->y[from];
}

static bool lessons_answer_act(struct tp_app *app, struct lessons *s, enum tp_action action)
{
	const struct tp_question *q = question_of(s);
	bool more = action == TP_ACTION_UP || action == TP_ACTION_PAGE_UP;
	if (q->kind == TP_ASK_CURVE) {
		struct tp_diag diag = { 0 };
		switch (action) {
		case TP_ACTION_LESSON_GO:
			for (size_t i = 1; i < q->n_x; i++)
				if (!(s->y[i] > 0))
					s->y[i] = s->y[i - 1];
			take(app, s, tp_player_draw(&s->player, s->y, q->n_x, &diag), &diag);
			return true;
		case TP_ACTION_UP:
		case TP_ACTION_DOWN:
			move_pen(s, q, more ? curve_step : -curve_step);
			return true;
		case TP_ACTION_PAGE_UP:
		case TP_ACTION_PAGE_DOWN:
			move_pen(s, q, more ? curve_page : -curve_page);
			return true;
		case TP_ACTION_RIGHT:
		case TP_ACTION_LAST:
			go_to_place(s, q, action == TP_ACTION_LAST ? q->n_x - 1 : s->place + 1);
			return true;
		case TP_ACTION_LEFT:
		case TP_ACTION_FIRST:
			go_to_place(s, q, action == TP_ACTION_LEFT && s->place ? s->place - 1 : 0);
			return true;
		default:
			return false;
		}
	}
	if (action == TP_ACTION_LESSON_GO)
		tp_app_say(app, TP_UI_WARN,
			   q->kind == TP_ASK_NUMBER
				   ? "type a number first; the right arrow passes the question over"
				   : "press the number of a choice; the right arrow passes the "
				     "question over");
	return action == TP_ACTION_LESSON_GO;
}

/* --- painting --- */

/* A drawn line; the pen is at `place`, or nowhere at n_x. */
static bool make_curve(const struct tp_question *q, const double *drawn, size_t place,
		       struct tp_picture *picture)
{
	double *x, *y;
	size_t n = 0;
	struct tp_series *line = tp_picture_series(picture, q->n_x, &x, &y);
	if (!line)
		return false;
	for (size_t i = 0; i < q->n_x; i++)
		if (drawn[i] > 0) {
			x[n] = q->x[i];
			y[n++] = drawn[i];
		}
	line->n = n;
	line->label = "your guess";
	line->style = TP_STYLE_LINE_AND_DOTS;
	line->role = TP_ROLE_SERIES_1;
	line->glyph = 'o';
	if (place < q->n_x)
		tp_picture_mark(picture, q->x[place], drawn[place], true, NULL);
	bool bytes = strcmp(q->x_unit, "bytes") == 0;
	const struct tp_scale across = { bytes ? TP_SCALE_LOG2 : TP_SCALE_LOG10,
					 bytes ? TP_UNIT_BYTES : tp_scale_unit_of(q->x, q->n_x),
					 q->x[0], q->x[q->n_x - 1], q->x_unit };
	tp_picture_finish(
		picture, across,
		(struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, q->from, q->to, q->unit });
	return true;
}

static void paint_drawn(const struct tp_app *app, const struct tp_question *q, const double *y,
			size_t place, struct tp_area area)
{
	struct tp_picture *picture = tp_picture_new();
	if (picture && make_curve(q, y, place, picture))
		tp_paint_scene(area, &picture->scene, app->glyphs);
	tp_picture_free(picture);
}

/* The list of lessons, and the page of a step: its text, and below or next to it what it shows. */
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
	const struct lessons *s = context;
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

static const char intro[] = "Each lesson asks what you expect, measures it on this machine, and "
			    "explains the result. Enter opens one; your place is kept.";

static void lessons_paint_list(struct lessons *s, struct tp_area area)
{
	area = tp_area_columns(area, 1, area.columns - 2);
	bool beside = area.columns >= LIST_BESIDE_FROM;
	int row = tp_paint_wrapped(area, 0, 0, TP_UI_DIM, intro) + 1;
	if (s->errors.n) {
		for (size_t i = 0; i < s->errors.n && row < area.rows; i++) {
			const struct tp_diag *d = &s->errors.items[i];
			row += tp_paint_wrapped(area, row, 0, TP_UI_BAD, d->where);
			row += tp_paint_wrapped(area, row, 2, TP_UI_PLAIN, d->what);
			row += tp_paint_wrapped(area, row, 2, TP_UI_DIM,
						tp_hint_on_screen(d->hint));
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
	if (s->about.columns != about_columns) {
		const char *const *after = s->about_of ? s->read.after : NULL;
		tp_doc_clear(&s->about, about_columns);
		if (s->about_of)
			tp_doc_paragraph(&s->about, 0, TP_UI_PLAIN, s->read.summary);
		if (after && *after)
			tp_doc_line(&s->about, -1);
		for (; after && *after; after++)
			tp_doc_paragraph(&s->about, 0, TP_UI_DIM, *after);
	}
	tp_doc_paint(&s->about,
		     beside ? tp_area_columns(rest, LIST_COLUMNS + ABOUT_GAP, about_columns)
			    : tp_area_rows(rest, rest.rows - ABOUT_ROWS, ABOUT_ROWS),
		     0, (size_t)-1);
}

/* --- pictures --- */

struct hanging {
	struct tp_area area;
	const struct tp_app *app;
	const struct tp_run *run;
	size_t wanted, n;
};

static void hang(void *context, struct tp_picture *picture)
{
	struct hanging *h = context;
	char title[TP_PICTURE_TITLE_BYTES];
	if (h->n++ != h->wanted)
		return;
	const struct tp_scene scene = tp_picture_scene(picture, h->run, title);
	tp_paint_scene(h->area, &scene, h->app->glyphs);
}

/* Counts the pictures, and paints the chosen one. */
static void paint_pictures(const struct tp_app *app, struct lessons *s, struct tp_area area,
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

/* --- the page --- */

static bool draws_curve(const struct lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	return step->question && step->question->kind == TP_ASK_CURVE &&
	       (lessons_asks(s) || tp_player_answer_of(&s->player, s->player.step).there);
}

/* Rows that the page needs below or next to its text; 0 = nothing is there. */
static int rows_beside(const struct lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	return s->measuring			   ? PROGRESS_ROWS + TP_PLOT_ROWS_MIN
	       : step->kind == TP_STEP_PLOT	   ? TP_PLOT_ROWS_MIN + 2
	       : draws_curve(s)			   ? TP_PLOT_ROWS_MIN + 1
	       : lessons_asks(s) && step->question ? 1
						   : 0;
}

static void paint_below(struct tp_app *app, struct lessons *s, struct tp_area area)
{
	if (s->measuring) {
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
		paint_pictures(app, s, tp_area_rows(area, PROGRESS_ROWS, area.rows - PROGRESS_ROWS),
			       &app->live.run);
	} else if (tp_player_step(&s->player)->kind == TP_STEP_PLOT) {
		paint_pictures(app, s, area, NULL);
	} else if (tp_player_step(&s->player)->question) {
		const struct tp_question *q = question_of(s);
		char x[48], y[48];

		/* Paints the field, or the curve: as it is being drawn, or as it was handed in. */
		if (q->kind == TP_ASK_CURVE && !lessons_asks(s)) {
			const struct tp_answer answer =
				tp_player_answer_of(&s->player, s->player.step);
			paint_drawn(app, q, answer.y, q->n_x, area);
		} else if (q->kind == TP_ASK_CURVE) {
			tp_lesson_format(x, sizeof(x), q->x[s->place], q->x_unit);
			tp_lesson_format(y, sizeof(y), s->y[s->place], q->unit);
			tp_paint_format(area, 0, 0, TP_UI_STRONG, "At %s: %s", x, y);
			tp_paint_right(area, 0, area.columns, TP_UI_DIM,
				       "arrows draw, Enter hands in");
			paint_drawn(app, q, s->y, s->place, tp_area_rows(area, 1, area.rows - 1));
		} else if (q->kind == TP_ASK_NUMBER && lessons_asks(s)) {
			int at = tp_paint_text(area, 0, 0, TP_UI_STRONG, "Your answer: ");
			int cursor = tp_text_field_paint(&s->field, area, 0, at, FIELD_COLUMNS);

			tp_paint_text(area, 0, at + FIELD_COLUMNS + 1, TP_UI_DIM, q->unit);
			tp_term_cursor(&app->term, area.row, area.column + cursor);
		}
	}
}

static void lessons_paint_page(struct tp_app *app, struct lessons *s, struct tp_area area)
{
	area = tp_area_columns(area, 1, area.columns - 1);
	const struct tp_player *player = &s->player;
	char page[48];
	int n = snprintf(page, sizeof(page), "page %zu of %zu", player->step + 1,
			 player->lesson.n_steps);
	tp_paint_right(area, 0, area.columns, TP_UI_DIM, page);
	tp_paint_text(tp_area_columns(area, 0, area.columns - n - 2), 0, 0, TP_UI_TITLE,
		      player->lesson.title);
	tp_paint_bar(area, 1, 0, area.columns,
		     (double)(player->step + 1) / (double)player->lesson.n_steps, TP_UI_BORDER);
	struct tp_area body = tp_area_rows(area, HEAD_ROWS + 1, area.rows - HEAD_ROWS - 2);
	struct tp_area prompt = tp_area_rows(area, area.rows - 1, 1);
	int below = rows_beside(s);
	bool beside = below > 1 && area.columns >= BESIDE_FROM;
	int columns = TP_MIN(beside ? (int)WORDS_COLUMNS : area.columns - 1, (int)WORDS_MOST);
	if (s->stale || s->words.columns != columns) {
		struct tp_look look = tp_app_look(app, columns, app->term.rows);
		look.terminal = look.quick = true;
		TP_TEXT(text, &look);

		tp_lesson_say(&s->player, s->player.step, &text);
		tp_doc_report(&s->words, columns, &text);
		s->stale = false;
	}
	int rows = beside ? body.rows : TP_MIN((int)s->words.n, body.rows);
	if (below && !beside)
		rows = TP_MIN(rows, TP_MAX(body.rows - below - 1, 1));
	tp_doc_show(&s->words, tp_area_columns(tp_area_rows(body, 0, rows), 0, columns + 1), false);
	paint_below(app, s,
		    beside ? tp_area_columns(body, columns + 3, body.columns - columns - 3)
			   : tp_area_rows(body, rows + 1, body.rows - rows - 1));
	const char *ask = tp_lesson_ask(&s->player);
	bool enter = tp_player_waits(&s->player) != TP_WAITS_ANSWER;
	if (s->measuring)
		tp_paint_key(prompt, 0, 0, "s", "stops the measurement");
	else if (enter)
		tp_paint_key(prompt, 0, 0, "Enter", ask);
	else
		tp_paint_text(prompt, 0, 0, TP_UI_KEY, ask);
}

/* --- opening and closing --- */

static void close_lesson(struct lessons *s)
{
	if (s->open)
		tp_player_close(&s->player);
	s->open = s->terms = s->measuring = false;
}

static void show_step(struct lessons *s)
{
	lessons_renew(s);
	lessons_begin_answer(s);
	s->picture = 0;
}

static void open_lesson(struct tp_app *app, struct lessons *s, const char *path)
{
	TP_FREE const char **sets = tp_alloc(app->options->overrides.n + 1, sizeof(*sets));
	const struct tp_overrides overrides = tp_app_machine_overrides(app, sets);
	struct tp_diag diag;
	close_lesson(s);
	tp_diags_release(&s->errors);
	enum tp_status status = tp_player_open(&s->player, path, &overrides,
					       s->has_progress ? &s->progress : NULL, &s->errors);
	s->open = status == TP_OK;
	if (!s->open) {
		tp_player_close(&s->player);
		return;
	}
	if (tp_player_works(&s->player, &app->session.machine, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	show_step(s);
}

static const struct tp_progress_lesson *progress_of(const struct lessons *s, size_t i)
{
	return tp_progress_of(&s->progress, s->entries[i].name);
}

/* The first unfinished lesson; n_entries if all are finished. */
static size_t first_unfinished(const struct lessons *s)
{
	size_t i = 0;
	while (i < s->n_entries && progress_of(s, i) && progress_of(s, i)->finished)
		i++;
	return i;
}

static void enter(struct tp_app *app, void *state)
{
	struct lessons *s = state;
	struct tp_diag diag = { 0 };
	if (s->open)
		return;
	bool first = !s->entries;
	free(s->entries);
	s->entries = NULL;
	s->n_entries = 0;
	s->about_of = 0;
	if (tp_lesson_entries(&s->entries, &s->n_entries, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_list_resize(&s->list, s->n_entries);
	if (!s->has_progress && tp_progress_open(&s->progress, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	else
		s->has_progress = true;
	/* The cursor begins on the first lesson that is not finished. */
	if (first && first_unfinished(s) < s->n_entries)
		s->list.at = first_unfinished(s);
}

const char *tp_lessons_next(struct tp_app *app)
{
	struct lessons *s = tp_lessons_of(app);
	enter(app, s);
	if (s->open)
		return s->player.lesson.title;
	size_t i = first_unfinished(s);
	return i < s->n_entries ? s->entries[i].title : NULL;
}

void tp_lessons_take_next(struct tp_app *app)
{
	struct lessons *s = tp_lessons_of(app);
	char path[TP_PATH_MAX];
	tp_app_go(app, TP_SCREEN_LESSONS);
	size_t i = first_unfinished(s);
	if (s->open || i >= s->n_entries)
		return;
	s->list.at = i;
	tp_copy(path, sizeof(path), s->entries[i].path);
	open_lesson(app, s, path);
}

static void close_screen(void *state)
{
	struct lessons *s = state;
	close_lesson(s);
	free(s->entries);
	tp_lesson_release(&s->read);
	tp_progress_release(&s->progress);
	tp_doc_release(&s->about);
	tp_doc_release(&s->words);
	tp_doc_release(&s->terms_doc);
	tp_diags_release(&s->errors);
}

/* --- measuring --- */

static void measure(struct tp_app *app)
{
	struct lessons *s = tp_lessons_of(app);
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	if (!s->open || tp_player_step(&s->player)->kind != TP_STEP_MEASURE)
		return;
	if (tp_app_is_measuring(app)) {
		tp_app_say(app, TP_UI_WARN, "a run is under way already; s stops it");
		return;
	}
	if (tp_player_session(&s->player, &session, &diags) != TP_OK) {
		if (diags.n)
			tp_app_say_diag(app, &diags.items[0]);
	} else if (tp_app_measure_session(app, &session, measure)) {
		s->measuring = true;
		s->measured_step = s->player.step;
	}
}

static double work(struct tp_app *app, void *state)
{
	struct lessons *s = state;
	if (s->measuring && !tp_live_is_under_way(&app->live)) {
		struct tp_diag diag = { 0 };

		/* The run of a page has ended: it is the page's measurement, however far it came.
		 */
		s->measuring = false;
		enum tp_status status = tp_player_measured(&s->player, s->measured_step,
							   app->live.directory, &diag);
		if (status != TP_OK)
			tp_app_say_diag(app, &diag);
		else if (app->live.exit_code == TP_EXIT_INTERRUPTED)
			tp_app_say(app, TP_UI_WARN,
				   "stopped: the explanations need all measurements; r measures "
				   "again");
		lessons_renew(s);
		app->dirty = true;
	}
	if (!s->open && s->n_entries && s->about_of != s->list.at + 1) {
		TP_CLEANUP(tp_diags_release) struct tp_diags ignored = { 0 };
		tp_lesson_release(&s->read);
		if (tp_lesson_load(&s->read, s->entries[s->list.at].path, NULL, &ignored) != TP_OK)
			s->read = (struct tp_lesson){ .summary = "This lesson has errors: Enter "
								 "shows them." };
		s->about_of = s->list.at + 1;
		s->about.columns = 0;
		app->dirty = true;
	}
	return INFINITY;
}

/* --- keys --- */

static void go_forward(struct tp_app *app, struct lessons *s)
{
	if (tp_player_forward(&s->player))
		show_step(s);
	else
		tp_app_say(app, TP_UI_PLAIN, "this is the last page; Esc shows all lessons");
}

void tp_lessons_open(struct tp_app *app, const char *name)
{
	struct lessons *s = tp_lessons_of(app);
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	tp_app_go(app, TP_SCREEN_LESSONS);
	if (s->measuring)
		tp_app_say(app, TP_UI_WARN, "it is being measured; s stops it first");
	else if (tp_lesson_find(name, path, &diag) == TP_OK)
		open_lesson(app, s, path);
	else
		tp_app_say_diag(app, &diag);
	s->terms = false;
}

static void next_lesson(struct tp_app *app, struct lessons *s)
{
	char name[TP_NAME_MAX];
	const char *next = tp_player_step(&s->player)->next;
	/* The name lies in the lesson that closes. */
	tp_copy(name, sizeof(name), next ? next : "");
	tp_player_forward(&s->player);
	close_lesson(s);
	enter(app, s);
	if (*name)
		tp_lessons_open(app, name);
}

/* Enter: the next thing that makes sense on this page. */
static void go_on(struct tp_app *app, struct lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	if (s->measuring)
		tp_app_say(app, TP_UI_PLAIN, "it is being measured; s stops it");
	else if (tp_player_waits(&s->player) == TP_WAITS_MEASUREMENT)
		measure(app);
	else if (step->kind == TP_STEP_TRY && step->preset) {
		struct tp_preset preset;
		TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };

		if (tp_player_preset(&s->player, &preset, &diags) == TP_OK) {
			tp_setup_take(app, &preset);
			tp_app_say(app, TP_UI_GOOD,
				   "set up for you: change what you like, r measures, L is the "
				   "lesson");
		} else if (diags.n) {
			tp_app_say_diag(app, &diags.items[0]);
		}
	} else if (step->kind == TP_STEP_NEXT)
		next_lesson(app, s);
	else
		go_forward(app, s);
}

static void restart(struct tp_app *app)
{
	struct lessons *s = tp_lessons_of(app);
	if (s->open && !s->measuring) {
		tp_player_restart(&s->player);
		show_step(s);
	}
}

static const struct tp_yes_no ask_anew = { "Restart the lesson?", "restart", "go on", restart,
					   NULL };

static void show_terms(const struct tp_app *app, struct lessons *s)
{
	struct tp_look look = tp_app_look(app, TP_COLUMNS_MIN, app->term.rows);
	look.terminal = true;
	TP_TEXT(text, &look);
	tp_lesson_glossary(&s->player, &text);
	tp_doc_report(&s->terms_doc, TP_COLUMNS_MIN, &text);
	s->terms_doc.list = (struct tp_list){ .n = s->terms_doc.n };
	s->terms = true;
}

static bool act_on_page(struct tp_app *app, struct lessons *s, enum tp_action action)
{
	if (!s->measuring && lessons_asks(s) && lessons_answer_act(app, s, action))
		return true;
	switch (action) {
	case TP_ACTION_LESSON_GO:
		go_on(app, s);
		return true;
	case TP_ACTION_RIGHT:
		if (s->measuring)
			go_on(app, s);
		else
			go_forward(app, s);
		return true;
	case TP_ACTION_LEFT:
		if (!s->measuring && tp_player_back(&s->player))
			show_step(s);
		return true;
	case TP_ACTION_LESSON_MEASURE:
		if (!s->measuring)
			measure(app);
		return true;
	case TP_ACTION_LESSON_ANEW:
		tp_app_ask(app, &ask_anew, "Its answers are forgotten.");
		return true;
	case TP_ACTION_TERMS:
		show_terms(app, s);
		return true;
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
		if (s->n_pictures)
			s->picture = (s->picture +
				      (action == TP_ACTION_NEXT_PICTURE ? 1 : s->n_pictures - 1)) %
				     s->n_pictures;
		return true;
	case TP_ACTION_GLYPHS:
		tp_plot_change_glyphs(app);
		return true;
	case TP_ACTION_BACK:
		if (s->measuring) {
			tp_app_say(app, TP_UI_WARN, "it is being measured; s stops it first");
		} else {
			close_lesson(s);
			enter(app, s);
		}
		return true;
	default:
		return tp_list_scroll(&s->words.list, action);
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct lessons *s = state;
	if (s->terms) {
		if (action == TP_ACTION_BACK || action == TP_ACTION_TERMS)
			s->terms = false;
		else
			tp_list_scroll(&s->terms_doc.list, action);
		return action != TP_ACTION_QUIT && action != TP_ACTION_REPAINT;
	}
	if (s->open)
		return act_on_page(app, s, action);
	if (s->errors.n && action == TP_ACTION_BACK) {
		tp_diags_release(&s->errors);
		return true;
	}
	if (action == TP_ACTION_LESSON_GO && s->n_entries && !s->errors.n) {
		char path[TP_PATH_MAX];
		tp_copy(path, sizeof(path), s->entries[s->list.at].path);
		open_lesson(app, s, path);
		return true;
	}
	return tp_list_act(&s->list, action);
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct lessons *s = state;
	return s->open && !s->terms && !s->measuring && lessons_asks(s) &&
	       lessons_answer_type(app, s, code);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct lessons *s = state;
	if (s->terms)
		tp_list_wheel(&s->terms_doc.list, tp_list_wheel_rows(input));
	else if (s->open)
		tp_list_wheel(&s->words.list, tp_list_wheel_rows(input));
	else if (tp_list_mouse(&s->list, input) == TP_LIST_OPENED)
		act(app, s, TP_ACTION_LESSON_GO);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct lessons *s = state;
	(void)app;
	return s->terms ? TP_OVER_TEXT : s->open || s->errors.n ? TP_OVER_VIEW : TP_OVER_NOTHING;
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct lessons *s = state;
	if (s->terms)
		tp_doc_show(&s->terms_doc, tp_area_columns(area, 1, area.columns - 1), false);
	else if (s->open)
		lessons_paint_page(app, s, area);
	else
		lessons_paint_list(s, area);
}

const struct tp_screen tp_screen_lessons = {
	.state_bytes = sizeof(struct lessons),
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.over = over,
	.work = work,
};
