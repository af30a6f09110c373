/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers to questions of a lesson: a number that is typed, a choice, a curve that is drawn. */
#include "ui/tui/screens/lessons.h"
#include "base/memory.h"
#include "report/pictures.h"

#include <math.h>
#include <string.h>

/* A step up or down multiplies by this share of the axis. */
static const double curve_step = 1.0 / 32, curve_page = 1.0 / 6;
enum { FIELD_COLUMNS = 24 };

static const struct tp_question *question_of(const struct tp_lessons *s)
{
	return s->open ? tp_player_step(&s->player)->question : NULL;
}

bool tp_lessons_asks(const struct tp_lessons *s)
{
	return s->open && question_of(s) && tp_player_waits(&s->player) == TP_WAITS_ANSWER;
}

void tp_lessons_begin_answer(struct tp_lessons *s)
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

static void take(struct tp_app *app, struct tp_lessons *s, enum tp_status status,
		 const struct tp_diag *diag)
{
	if (status != TP_OK) {
		tp_app_say(app, TP_UI_WARN, "%s%s%s", diag->what, diag->hint[0] ? " - " : "",
			   diag->hint);
		return;
	}
	tp_lessons_renew(s);
	/* A check that is not right yet asks again. */
	if (tp_lessons_asks(s))
		tp_lessons_begin_answer(s);
}

static void hand_in_text(struct tp_app *app, struct tp_lessons *s, const char *text)
{
	struct tp_diag diag = { 0 };
	take(app, s, tp_player_answer(&s->player, text, &diag), &diag);
}

static void hand_in_curve(struct tp_app *app, struct tp_lessons *s, const struct tp_question *q)
{
	struct tp_diag diag = { 0 };
	for (size_t i = 1; i < q->n_x; i++)
		if (!(s->y[i] > 0))
			s->y[i] = s->y[i - 1];
	take(app, s, tp_player_draw(&s->player, s->y, q->n_x, &diag), &diag);
}

/* --- keys --- */

static bool begins_number(uint32_t code)
{
	return (code >= '0' && code <= '9') || code == '.' || code == '-' || code == '+';
}

bool tp_lessons_answer_type(struct tp_app *app, struct tp_lessons *s, uint32_t code)
{
	const struct tp_question *q = question_of(s);
	/* Any digit is an answer, also one that names no choice: the player says so. */
	if (q->kind == TP_ASK_CHOICE && code >= '0' && code <= '9') {
		const char choice[] = { (char)code, '\0' };
		hand_in_text(app, s, choice);
		return true;
	}
	if (q->kind != TP_ASK_NUMBER)
		return false;
	/* Letters are keys until a number has begun; then they are its unit. */
	if (!s->field.len && !begins_number(code)) {
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

static void move_pen(struct tp_lessons *s, const struct tp_question *q, double share)
{
	double y = s->y[s->place] * pow(q->to / q->from, share);
	s->y[s->place] = fmin(fmax(y, q->from), q->to);
}

static void go_to_place(struct tp_lessons *s, const struct tp_question *q, size_t place)
{
	size_t from = s->place;
	s->place = TP_MIN(place, q->n_x - 1);
	/* The pen leaves a level line behind it. */
	for (size_t i = from; i <= s->place; i++)
		if (!(s->y[i] > 0))
			s->y[i] = s->y[from];
}

static bool act_on_curve(struct tp_lessons *s, const struct tp_question *q, enum tp_action action)
{
	switch (action) {
	case TP_ACTION_UP:
		move_pen(s, q, curve_step);
		return true;
	case TP_ACTION_DOWN:
		move_pen(s, q, -curve_step);
		return true;
	case TP_ACTION_PAGE_UP:
		move_pen(s, q, curve_page);
		return true;
	case TP_ACTION_PAGE_DOWN:
		move_pen(s, q, -curve_page);
		return true;
	case TP_ACTION_RIGHT:
		go_to_place(s, q, s->place + 1);
		return true;
	case TP_ACTION_LEFT:
		go_to_place(s, q, s->place ? s->place - 1 : 0);
		return true;
	case TP_ACTION_FIRST:
		go_to_place(s, q, 0);
		return true;
	case TP_ACTION_LAST:
		go_to_place(s, q, q->n_x - 1);
		return true;
	default:
		return false;
	}
}

bool tp_lessons_answer_act(struct tp_app *app, struct tp_lessons *s, enum tp_action action)
{
	const struct tp_question *q = question_of(s);
	if (q->kind == TP_ASK_CURVE && action == TP_ACTION_LESSON_GO)
		return hand_in_curve(app, s, q), true;
	if (q->kind == TP_ASK_CURVE)
		return act_on_curve(s, q, action);
	if (action == TP_ACTION_LESSON_GO)
		tp_app_say(app, TP_UI_WARN,
			   q->kind == TP_ASK_NUMBER
				   ? "type a number first; the right arrow passes the question over"
				   : "press the number of a choice; the right arrow passes the "
				     "question over");
	return action == TP_ACTION_LESSON_GO;
}

/* --- painting --- */

static void paint_field(struct tp_app *app, struct tp_lessons *s, const struct tp_question *q,
			struct tp_area area)
{
	int at = tp_paint_text(area, 0, 0, TP_UI_STRONG, "Your answer: ");
	int cursor = tp_text_field_paint(&s->field, area, 0, at, FIELD_COLUMNS);
	tp_paint_text(area, 0, at + FIELD_COLUMNS + 1, TP_UI_DIM, q->unit);
	tp_term_cursor(&app->term, area.row, area.column + cursor);
}

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
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	picture->scene.marks = picture->marks;
	picture->scene.n_marks = picture->n_marks;
	picture->scene.x = (struct tp_scale){ bytes ? TP_SCALE_LOG2 : TP_SCALE_LOG10,
					      bytes ? TP_UNIT_BYTES : TP_UNIT_PLAIN, q->x[0],
					      q->x[q->n_x - 1], q->x_unit };
	picture->scene.y =
		(struct tp_scale){ TP_SCALE_LOG10, TP_UNIT_PLAIN, q->from, q->to, q->unit };
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

void tp_lessons_paint_answer(struct tp_app *app, struct tp_lessons *s, struct tp_area area)
{
	const struct tp_question *q = question_of(s);
	char x[48], y[48];
	if (q->kind == TP_ASK_CURVE && !tp_lessons_asks(s)) {
		const struct tp_answer answer = tp_player_answer_of(&s->player, s->player.step);
		paint_drawn(app, q, answer.y, q->n_x, area);
	} else if (q->kind == TP_ASK_CURVE) {
		tp_lesson_format(x, sizeof(x), q->x[s->place], q->x_unit);
		tp_lesson_format(y, sizeof(y), s->y[s->place], q->unit);
		tp_paint_format(area, 0, 0, TP_UI_STRONG, "At %s: %s", x, y);
		tp_paint_right(area, 0, area.columns, TP_UI_DIM, "arrows draw, Enter hands in");
		paint_drawn(app, q, s->y, s->place, tp_area_rows(area, 1, area.rows - 1));
	} else if (q->kind == TP_ASK_NUMBER && tp_lessons_asks(s)) {
		paint_field(app, s, q, area);
	}
}
