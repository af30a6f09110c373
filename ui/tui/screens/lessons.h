/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the Lessons screen: list, keys and measuring (lessons.c), the page of a step
 * (lessons_page.c), answers (lessons_answer.c). Private to them.
 */
#ifndef TPROF_TUI_LESSONS_H
#define TPROF_TUI_LESSONS_H

#include "lesson/player.h"
#include "ui/tui/screen.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/text_field.h"

struct tp_lessons {
	/* the list */
	struct tp_named_file *entries;
	size_t n_entries;
	struct tp_list list;
	struct tp_doc about; /* of the lesson under the cursor: what it is about, what one learns */
	size_t about_of; /* its number in the list + 1; 0 = none was read */
	struct tp_lesson read;
	struct tp_progress_file progress;
	bool has_progress; /* the learner's file was read, and is kept up to date */
	/* the lesson that is open */
	bool open;
	struct tp_player player;
	struct tp_diags errors; /* why none could be opened */
	/* its page */
	struct tp_doc words;
	struct tp_list scroll;
	bool stale; /* the words are not those of the step */
	size_t picture, n_pictures; /* of a plot */
	/* the terms, over the page */
	bool terms;
	struct tp_doc terms_doc;
	struct tp_list terms_list;
	/* the answer that is being given */
	struct tp_text_field field;
	double y[TP_LESSON_CURVE_MAX]; /* drawn; 0 = not yet */
	size_t place; /* of the curve, where the cursor is */
	/* the measurement; it borrows the machine from the session, so this stays until the next */
	struct tp_session session;
	bool measuring;
	size_t measured_step;
};

static inline struct tp_lessons *tp_lessons_of(struct tp_app *app)
{
	return app->state[TP_SCREEN_LESSONS];
}

/* lessons.c: the shown step has changed, or what it says. */
void tp_lessons_renew(struct tp_lessons *s);

/* lessons_page.c */
/* What the lesson under the cursor is about, for a width. */
void tp_lessons_make_about(struct tp_lessons *s, int columns);
void tp_lessons_paint_list(struct tp_lessons *s, struct tp_area area);
void tp_lessons_paint_page(struct tp_app *app, struct tp_lessons *s, struct tp_area area);

/* lessons_answer.c: a question that waits for its answer. */
bool tp_lessons_asks(const struct tp_lessons *s);
/* Begins the answer anew: an empty field, no curve. */
void tp_lessons_begin_answer(struct tp_lessons *s);
/* A key or an action; false if it is not for the answer. */
bool tp_lessons_answer_type(struct tp_app *app, struct tp_lessons *s, uint32_t code);
bool tp_lessons_answer_act(struct tp_app *app, struct tp_lessons *s, enum tp_action action);
/* Paints the field, or the curve: as it is being drawn, or as it was handed in. */
void tp_lessons_paint_answer(struct tp_app *app, struct tp_lessons *s, struct tp_area area);

#endif
