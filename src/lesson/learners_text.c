/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A class as text, as a page, and as CSV. */
#include "lesson/learners_parts.h"
#include "lesson/lesson.h"
#include "base/memory.h"
#include "report/grid.h"
#include "report/html.h"
#include "table/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cleaned(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		    const struct tp_str *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, tp_str_text(text), look);
	tp_text_wrap(out, look, paint, tp_str_text(&clean), 0, 2);
	out->oom |= text->oom;
	tp_str_release(&clean);
}

/* --- who --- */

enum state { FINISHED, UNDER_WAY, NOT_BEGUN };

static enum state state_of(const struct tp_progress_file *file, const char *lesson,
			   const struct tp_progress_lesson **kept)
{
	*kept = tp_progress_of(file, lesson);
	return !*kept ? NOT_BEGUN : (*kept)->finished ? FINISHED : UNDER_WAY;
}

/* "finished (2): ada, bob" */
static void who(const struct tp_learners *learners, const struct tp_learners_lesson *lesson,
		enum state state, const char *words, const struct tp_look *look, struct tp_str *out)
{
	struct tp_str names = { 0 }, text = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < learners->n; i++) {
		const struct tp_progress_lesson *kept;
		if (state_of(&learners->files[i], lesson->name, &kept) != state)
			continue;
		tp_str_printf(&names, "%s%s", n++ ? ", " : "", learners->files[i].learner);
		if (state == UNDER_WAY)
			tp_str_printf(&names, " (step %u of %u)", kept->step + 1, kept->steps);
	}
	if (n) {
		tp_str_printf(&text, "%s (%zu): %s", words, n, tp_str_text(&names));
		cleaned(out, look, TP_PAINT_PLAIN, &text);
	}
	tp_str_release(&names);
	tp_str_release(&text);
}

/* --- questions --- */

static const struct tp_grid_column columns[] = {
	{ "question", TP_LEFT, 0 }, { "answers", TP_RIGHT, 0 }, { "guess", TP_RIGHT, 1 },
	{ "truth", TP_RIGHT, 1 },   { "off by", TP_RIGHT, 0 },	{ "middle half", TP_RIGHT, 2 },
	{ "right", TP_RIGHT, 0 },   { "far off", TP_LEFT, 0 },
};

static void value_cell(struct tp_grid *grid, double value, const char *unit)
{
	char text[64];
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     isfinite(value) ? tp_lesson_format(text, sizeof(text), value, unit) : "");
}

/* "1.2 to 3.5": the middle half of the factors. */
static void spread_cell(struct tp_grid *grid, const struct tp_learners_question *q)
{
	if (isfinite(q->factor_low))
		tp_grid_printf(grid, TP_PAINT_PLAIN, "%.2g to %.2g", q->factor_low, q->factor_high);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
}

/* Who was far off; of choices, how often each was taken. */
static void last_cell(struct tp_grid *grid, const struct tp_learners_question *q,
		      const struct tp_look *look)
{
	struct tp_str text = { 0 };
	bool choice = strcmp(q->kind, "choice") == 0;
	for (size_t i = 0; i < q->n && !choice; i++)
		if (tp_learners_is_far(&q->answers[i]))
			tp_str_printf(&text, "%s%s", text.len ? ", " : "", q->answers[i].learner);
	for (size_t i = 0; i < TP_LESSON_CHOICES_MAX && choice; i++)
		if (q->chosen[i])
			tp_str_printf(&text, "%schoice %zu: %zu", text.len ? ", " : "", i + 1,
				      q->chosen[i]);
	tp_grid_clean(grid, look, TP_PAINT_PLAIN, tp_str_text(&text));
	tp_str_release(&text);
}

static void questions(const struct tp_learners_lesson *lesson, const struct tp_look *look,
		      struct tp_str *out)
{
	struct tp_grid grid;
	if (!lesson->n)
		return;
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < lesson->n; i++) {
		const struct tp_learners_question *q = &lesson->questions[i];
		bool choice = strcmp(q->kind, "choice") == 0;
		tp_grid_clean(&grid, look, TP_PAINT_STRONG, q->step);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%zu", q->n);
		value_cell(&grid, strcmp(q->kind, "number") == 0 ? q->given : NAN, q->unit);
		value_cell(&grid, strcmp(q->kind, "number") == 0 ? q->truth : NAN, q->unit);
		if (choice || !isfinite(q->factor))
			tp_grid_text(&grid, TP_PAINT_PLAIN, "");
		else
			tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.2g", q->factor);
		spread_cell(&grid, q);
		if (choice || q->right)
			tp_grid_printf(&grid, TP_PAINT_PLAIN, "%zu", q->right);
		else
			tp_grid_text(&grid, TP_PAINT_PLAIN, "");
		last_cell(&grid, q, look);
	}
	tp_grid_write(&grid, look, out);
	tp_grid_release(&grid);
}

void tp_learners_text(const struct tp_learners *learners, const struct tp_look *look,
		      struct tp_str *out)
{
	struct tp_learners_lessons lessons;
	struct tp_str text = { 0 };
	char count[32];
	if (tp_learners_lessons_of(learners, &lessons) != TP_OK) {
		out->oom = true;
		return;
	}
	tp_str_printf(
		&text,
		"%s. Guesses, truths and the factors that they are off by are medians; far off "
		"is whoever is off by more than a factor of %g.",
		tp_text_count(count, sizeof(count), learners->n, "learner"), TP_LEARNERS_FAR);
	cleaned(out, look, TP_PAINT_PLAIN, &text);
	for (size_t i = 0; i < lessons.n; i++) {
		const struct tp_learners_lesson *lesson = &lessons.items[i];
		struct tp_str title = { 0 }, clean = { 0 };
		tp_str_printf(&title, "%s%s%s", lesson->name, *lesson->title ? ": " : "",
			      lesson->title);
		tp_text_clean(&clean, tp_str_text(&title), look);
		tp_text_title(out, look, tp_str_text(&clean));
		tp_str_release(&title);
		tp_str_release(&clean);
		who(learners, lesson, FINISHED, "finished", look, out);
		who(learners, lesson, UNDER_WAY, "under way", look, out);
		who(learners, lesson, NOT_BEGUN, "not begun", look, out);
		tp_str_clear(&text);
		tp_str_printf(&text, "machines too busy to show it: %zu of %zu", lesson->noisy,
			      lesson->began);
		if (lesson->noisy)
			cleaned(out, look, TP_PAINT_WARN, &text);
		questions(lesson, look, out);
	}
	tp_str_release(&text);
	tp_learners_lessons_release(&lessons);
}

enum tp_status tp_learners_html(const struct tp_learners *learners, struct tp_str *out)
{
	const struct tp_html_page page = {
		.title = "Lessons of a class",
		.description = "Guesses of learners against what was measured."
	};
	struct tp_str body = { 0 };
	tp_learners_text(learners, &tp_html_look, &body);
	enum tp_status status = body.oom ? TP_NOMEM : tp_html_page_make(&page, &body, out);
	tp_str_release(&body);
	return status;
}

/* --- CSV --- */

static void csv_lesson(const struct tp_progress_file *file, const struct tp_progress_lesson *lesson,
		       struct tp_str *out)
{
	tp_cell_text(out, file->learner);
	tp_str_add(out, ",");
	tp_cell_text(out, lesson->name);
	tp_str_printf(out, ",%u,%u,%s,%s,%s,", lesson->step + 1, lesson->steps,
		      lesson->finished ? "true" : "false", lesson->trust,
		      lesson->simulated ? "true" : "false");
	tp_cell_text(out, lesson->machine);
}

static void csv_answer(const struct tp_progress_answer *a, struct tp_str *out)
{
	const double values[] = { a->answer.given, a->answer.truth, a->answer.factor };
	tp_str_add(out, ",");
	tp_cell_text(out, a->step);
	tp_str_add(out, ",");
	tp_cell_text(out, a->kind);
	for (size_t i = 0; i < TP_COUNT_OF(values); i++) {
		tp_str_add(out, ",");
		tp_cell_real(out, values[i]);
	}
	tp_str_printf(out, ",%s,%u,", a->answer.right ? "true" : "false", a->answer.tries);
	tp_cell_text(out, a->unit);
	tp_str_add(out, "\n");
}

enum tp_status tp_learners_csv(const struct tp_learners *learners, struct tp_str *out)
{
	tp_str_add(out, "learner,lesson,reached,steps,finished,trust,simulated,machine,step,kind,"
			"given,truth,factor,right,tries,unit\n");
	for (size_t i = 0; i < learners->n; i++)
		for (size_t k = 0; k < learners->files[i].n_lessons; k++) {
			const struct tp_progress_lesson *lesson = &learners->files[i].lessons[k];
			csv_lesson(&learners->files[i], lesson, out);
			tp_str_add(out, ",,,,,,,,\n");
			for (size_t a = 0; a < lesson->n_answers; a++) {
				csv_lesson(&learners->files[i], lesson, out);
				csv_answer(&lesson->answers[a], out);
			}
		}
	return out->oom ? TP_NOMEM : TP_OK;
}
