/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/learners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/text.h"
#include "base/memory.h"
#include "lesson/lesson.h"
#include "doc/text.h"
#include "doc/html.h"
#include "table/csv.h"
#include "table/json.h"

/* A guess is far off beyond this factor. */
#define FAR_OFF 10.0

struct learners_answer {
	const char *learner;
	const struct tp_progress_answer *answer;
};

struct learners_question {
	char step[TP_NAME_MAX], kind[12], unit[24];
	struct learners_answer *answers;
	size_t n, cap;
	/* Of numbers and curves: medians of those that were judged; NaN if none. */
	double given, truth, factor, factor_low, factor_high; /* the middle half of the factors */
	size_t judged, right;
	size_t chosen[TP_LESSON_CHOICES_MAX]; /* how many chose each */
};

struct learners_lesson {
	char name[TP_NAME_MAX], title[160];
	size_t began, finished, noisy;
	struct learners_question *questions;
	size_t n, cap;
};

struct learners_lessons {
	struct learners_lesson *items; /* by name */
	size_t n, cap;
};

/* --- the files --- */

enum tp_status tp_learners_add(struct tp_learners *learners, const char *path, struct tp_diag *diag)
{
	struct tp_progress_file file;
	if (learners->n == TP_LEARNERS_MAX)
		return tp_fail(diag, TP_USAGE, path, NULL, "only %d files go on one page",
			       TP_LEARNERS_MAX);
	enum tp_status status = tp_progress_load(&file, path, diag);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < learners->n; i++)
		if (strcmp(learners->files[i].path, file.path) == 0) {
			tp_progress_release(&file);
			return tp_fail(diag, TP_USAGE, path, NULL, "is given twice");
		}
	TP_RESERVE(learners->files, learners->cap, learners->n + 1);
	/* A learner without a name is shown by the path of the file. */
	if (!*file.learner)
		tp_shown(file.learner, sizeof(file.learner), path, strlen(path));
	learners->files[learners->n++] = file;
	return TP_OK;
}

void tp_learners_release(struct tp_learners *learners)
{
	for (size_t i = 0; i < learners->n; i++)
		tp_progress_release(&learners->files[i]);
	free(learners->files);
	*learners = (struct tp_learners){ 0 };
}

/* --- lessons and questions --- */

static struct learners_lesson *lesson_of(struct learners_lessons *lessons,
					 const struct tp_progress_lesson *like)
{
	for (size_t i = 0; i < lessons->n; i++)
		if (strcmp(lessons->items[i].name, like->name) == 0)
			return &lessons->items[i];
	TP_RESERVE(lessons->items, lessons->cap, lessons->n + 1);
	struct learners_lesson *lesson = &lessons->items[lessons->n++];
	*lesson = (struct learners_lesson){ 0 };
	tp_copy(lesson->name, sizeof(lesson->name), like->name);
	return lesson;
}

/* Answers of another kind or unit belong to another version of the lesson. */
static struct learners_question *question_of(struct learners_lesson *lesson,
					     const struct tp_progress_answer *like)
{
	for (size_t i = 0; i < lesson->n; i++) {
		struct learners_question *q = &lesson->questions[i];
		if (strcmp(q->step, like->step) == 0 && strcmp(q->kind, like->kind) == 0 &&
		    strcmp(q->unit, like->unit) == 0)
			return q;
	}
	TP_RESERVE(lesson->questions, lesson->cap, lesson->n + 1);
	struct learners_question *q = &lesson->questions[lesson->n++];
	*q = (struct learners_question){ 0 };
	tp_copy(q->step, sizeof(q->step), like->step);
	tp_copy(q->kind, sizeof(q->kind), like->kind);
	tp_copy(q->unit, sizeof(q->unit), like->unit);
	return q;
}

static void add_lesson(struct learners_lessons *lessons, const struct tp_progress_file *file,
		       const struct tp_progress_lesson *kept)
{
	struct learners_lesson *lesson = lesson_of(lessons, kept);
	if (!*lesson->title)
		tp_copy(lesson->title, sizeof(lesson->title), kept->title);
	lesson->began++;
	lesson->finished += kept->finished;
	lesson->noisy += kept->noisy;
	for (size_t i = 0; i < kept->n_answers; i++) {
		struct learners_question *q = question_of(lesson, &kept->answers[i]);
		TP_RESERVE(q->answers, q->cap, q->n + 1);
		q->answers[q->n++] = (struct learners_answer){ file->learner, &kept->answers[i] };
	}
}

/* --- numbers --- */

/* Of sorted values, between the two nearest; NaN of none. */
static double quantile(const double *values, size_t n, double part)
{
	if (!n)
		return NAN;
	double at = part * (double)(n - 1);
	size_t low = (size_t)at, high = TP_MIN(low + 1, n - 1);
	return values[low] + (at - (double)low) * (values[high] - values[low]);
}

/* The known values of a member of the answers. */
static size_t sorted(const struct learners_question *q, size_t member, double *values)
{
	size_t n = 0;
	for (size_t i = 0; i < q->n; i++) {
		double value =
			*(const double *)((const char *)&q->answers[i].answer->answer + member);
		if (isfinite(value))
			values[n++] = value;
	}
	tp_sort_doubles(values, n);
	return n;
}

static bool is_choice(const struct learners_question *q)
{
	return strcmp(q->kind, "choice") == 0;
}

static void sum_up(struct learners_question *q)
{
	TP_FREE double *values = tp_alloc(q->n + 1, sizeof(*values));
	q->given = quantile(values, sorted(q, offsetof(struct tp_answer, given), values), 0.5);
	q->truth = quantile(values, sorted(q, offsetof(struct tp_answer, truth), values), 0.5);
	q->judged = sorted(q, offsetof(struct tp_answer, factor), values);
	q->factor = quantile(values, q->judged, 0.5);
	q->factor_low = quantile(values, q->judged, 0.25);
	q->factor_high = quantile(values, q->judged, 0.75);
	for (size_t i = 0; i < q->n; i++) {
		const struct tp_answer *a = &q->answers[i].answer->answer;
		q->right += a->right;
		if (is_choice(q) && a->given >= 1 && a->given < TP_LESSON_CHOICES_MAX + 1)
			q->chosen[(size_t)a->given - 1]++;
	}
}

/* Whether an answer is beyond FAR_OFF. */
static bool is_far(const struct learners_answer *answer)
{
	return isfinite(answer->answer->answer.factor) && answer->answer->answer.factor > FAR_OFF;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct learners_lesson *)a)->name,
		      ((const struct learners_lesson *)b)->name);
}

/* All lessons that any learner has begun. Borrows the class. */
static struct learners_lessons lessons_of(const struct tp_learners *learners)
{
	struct learners_lessons all = { 0 };
	for (size_t i = 0; i < learners->n; i++)
		for (size_t k = 0; k < learners->files[i].n_lessons; k++)
			add_lesson(&all, &learners->files[i], &learners->files[i].lessons[k]);
	for (size_t i = 0; i < all.n; i++)
		for (size_t k = 0; k < all.items[i].n; k++)
			sum_up(&all.items[i].questions[k]);
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), by_name);
	return all;
}

static void lessons_release(struct learners_lessons *lessons)
{
	for (size_t i = 0; i < lessons->n; i++) {
		for (size_t k = 0; k < lessons->items[i].n; k++)
			free(lessons->items[i].questions[k].answers);
		free(lessons->items[i].questions);
	}
	free(lessons->items);
	*lessons = (struct learners_lessons){ 0 };
}

/* --- who --- */

enum state { FINISHED, UNDER_WAY, NOT_BEGUN };

/* "finished (2): ada, bob" */
static void add_who(const struct tp_learners *learners, const struct learners_lesson *lesson,
		    enum state state, const char *words, struct tp_text *doc)
{
	TP_STR names = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < learners->n; i++) {
		const struct tp_progress_lesson *kept =
			tp_progress_of(&learners->files[i], lesson->name);
		if (state != (!kept ? NOT_BEGUN : kept->finished ? FINISHED : UNDER_WAY))
			continue;
		tp_str_printf(&names, "%s%s", n++ ? ", " : "", learners->files[i].learner);
		if (state == UNDER_WAY)
			tp_str_printf(&names, " (step %u of %u)", kept->step + 1, kept->steps);
	}
	if (n)
		tp_text_say(doc, TP_PAINT_PLAIN, 0, 2, "%s (%zu): %s", words, n,
			    tp_str_text(&names));
}

/* --- questions --- */

static bool has_factor(const void *question)
{
	return !is_choice(question);
}

static bool has_right(const void *of)
{
	const struct learners_question *q = of;
	return is_choice(q) || q->right;
}

static bool is_number(const void *question)
{
	return strcmp(((const struct learners_question *)question)->kind, "number") == 0;
}

/* A guess or a truth, in the unit of the question. */
static void value_cell(struct tp_grid *grid, const void *question, const void *context)
{
	const struct learners_question *q = question;
	const double *value = (const void *)((const char *)question + tp_grid_next(grid)->offset);
	char text[64];
	(void)context;
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     isfinite(*value) ? tp_lesson_format(text, sizeof(text), *value, q->unit) : "");
}

/* The middle half of the factors. */
static void half_cell(struct tp_grid *grid, const void *of, const void *context)
{
	const struct learners_question *q = of;
	(void)context;
	tp_grid_printf(grid, TP_PAINT_PLAIN, isfinite(q->factor_low) ? "%.2g to %.2g" : "",
		       q->factor_low, q->factor_high);
}

/* Who was far off; for choices, how often each was taken. */
static void far_cell(struct tp_grid *grid, const void *of, const void *context)
{
	const struct learners_question *q = of;
	TP_STR text = { 0 };
	(void)context;
	for (size_t i = 0; i < q->n && !is_choice(q); i++)
		if (is_far(&q->answers[i]))
			tp_str_printf(&text, "%s%s", text.len ? ", " : "", q->answers[i].learner);
	for (size_t i = 0; i < TP_LESSON_CHOICES_MAX && is_choice(q); i++)
		if (q->chosen[i])
			tp_str_printf(&text, "%schoice %zu: %zu", text.len ? ", " : "", i + 1,
				      q->chosen[i]);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_str_text(&text));
}

#define QUESTION(name) TP_SHOWS(struct learners_question, name)
static const struct tp_grid_column columns[] = {
	{ "question", TP_LEFT, 0, QUESTION(step), .paint = TP_PAINT_STRONG },
	{ "answers", TP_RIGHT, 0, QUESTION(n) },
	{ "guess", TP_RIGHT, 1, QUESTION(given), .cell = value_cell, .when = is_number,
	  .none = "" },
	{ "truth", TP_RIGHT, 1, QUESTION(truth), .cell = value_cell, .when = is_number,
	  .none = "" },
	{ "off by", TP_RIGHT, 0, QUESTION(factor), .as = TP_AS_DIGITS, .digits = 2,
	  .when = has_factor, .none = "" },
	{ "middle half", TP_RIGHT, 2, .cell = half_cell },
	{ "right", TP_RIGHT, 0, QUESTION(right), .when = has_right, .none = "" },
	{ "far off", TP_LEFT, 0, .cell = far_cell },
};

static void add_questions(const struct learners_lesson *lesson, struct tp_text *doc)
{
	TP_GRID(grid, columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < lesson->n; i++)
		tp_grid_row(&grid, &lesson->questions[i], NULL);
	if (lesson->n)
		tp_grid_write(&grid, doc);
}

void tp_learners_text(const struct tp_learners *learners, struct tp_text *doc)
{
	TP_CLEANUP(lessons_release) struct learners_lessons lessons = lessons_of(learners);
	char count[32];
	tp_text_say(doc, TP_PAINT_PLAIN, 0, 2,
		    "%s. Guesses, truths and the factors that they are off by are medians; far "
		    "off: by more than a factor of %g.",
		    tp_text_count(count, sizeof(count), learners->n, "learner"), FAR_OFF);
	for (size_t i = 0; i < lessons.n; i++) {
		const struct learners_lesson *lesson = &lessons.items[i];
		TP_STR title = { 0 };
		tp_str_printf(&title, "%s%s%s", lesson->name, *lesson->title ? ": " : "",
			      lesson->title);
		tp_text_title(doc, tp_str_text(&title));
		add_who(learners, lesson, FINISHED, "finished", doc);
		add_who(learners, lesson, UNDER_WAY, "under way", doc);
		add_who(learners, lesson, NOT_BEGUN, "not begun", doc);
		if (lesson->noisy)
			tp_text_say(doc, TP_PAINT_WARN, 0, 2,
				    "machines too busy to show it: %zu of %zu", lesson->noisy,
				    lesson->began);
		add_questions(lesson, doc);
	}
}

void tp_learners_html(const struct tp_learners *learners, struct tp_str *out)
{
	const struct tp_html_page page = {
		.title = "Lessons of a class",
		.description = "Guesses of learners against what was measured."
	};
	TP_TEXT(body, &tp_html_look);
	tp_learners_text(learners, &body);
	tp_html_page_make(&page, &body, out);
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

void tp_learners_csv(const struct tp_learners *learners, struct tp_str *out)
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
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *question_json(const struct learners_question *q)
{
	json_t *object = json_object(), *far = json_array();
	tp_json_set(object, "step", tp_json_text(q->step));
	tp_json_set(object, "kind", tp_json_text(q->kind));
	tp_json_set(object, "unit", tp_json_text(q->unit));
	tp_json_set(object, "answers", count(q->n));
	tp_json_set(object, "right", count(q->right));
	if (is_choice(q)) {
		json_t *chosen = json_array();
		size_t most = TP_LESSON_CHOICES_MAX;
		while (most && !q->chosen[most - 1])
			most--;
		for (size_t i = 0; i < most; i++)
			tp_json_append(chosen, count(q->chosen[i]));
		tp_json_set(object, "chosen", chosen);
	} else {
		tp_json_set(object, "median_given", tp_json_real(q->given));
		tp_json_set(object, "median_truth", tp_json_real(q->truth));
		tp_json_set(object, "median_factor", tp_json_real(q->factor));
		tp_json_set(object, "factor_low", tp_json_real(q->factor_low));
		tp_json_set(object, "factor_high", tp_json_real(q->factor_high));
	}
	for (size_t i = 0; i < q->n; i++)
		if (is_far(&q->answers[i]))
			tp_json_append(far, tp_json_text(q->answers[i].learner));
	tp_json_set(object, "far_off", far);
	return object;
}

static json_t *lesson_json(const struct learners_lesson *lesson)
{
	json_t *object = json_object(), *questions = json_array();
	for (size_t i = 0; i < lesson->n; i++)
		tp_json_append(questions, question_json(&lesson->questions[i]));
	tp_json_set(object, "lesson", tp_json_text(lesson->name));
	tp_json_set(object, "title", tp_json_text(lesson->title));
	tp_json_set(object, "began", count(lesson->began));
	tp_json_set(object, "finished", count(lesson->finished));
	tp_json_set(object, "noisy", count(lesson->noisy));
	tp_json_set(object, "questions", questions);
	return object;
}

static json_t *learner_json(const struct tp_progress_file *file)
{
	json_t *object = json_object(), *lessons = json_array();
	for (size_t i = 0; i < file->n_lessons; i++) {
		const struct tp_progress_lesson *lesson = &file->lessons[i];
		json_t *entry = json_object();
		tp_json_set(entry, "lesson", tp_json_text(lesson->name));
		tp_json_set(entry, "reached", count(lesson->step + 1));
		tp_json_set(entry, "steps", count(lesson->steps));
		tp_json_set(entry, "finished", json_boolean(lesson->finished));
		tp_json_set(entry, "machine", tp_json_text(lesson->machine));
		tp_json_set(entry, "trust", tp_json_text(lesson->trust));
		tp_json_append(lessons, entry);
	}
	tp_json_set(object, "learner", tp_json_text(file->learner));
	tp_json_set(object, "path", tp_json_text(file->path));
	tp_json_set(object, "lessons", lessons);
	return object;
}

void tp_learners_json(const struct tp_learners *learners, struct tp_str *out)
{
	TP_CLEANUP(lessons_release) struct learners_lessons all = lessons_of(learners);
	json_t *root = json_object(), *people = json_array(), *lessons = json_array();
	for (size_t i = 0; i < learners->n; i++)
		tp_json_append(people, learner_json(&learners->files[i]));
	for (size_t i = 0; i < all.n; i++)
		tp_json_append(lessons, lesson_json(&all.items[i]));
	tp_json_set(root, "learners", people);
	tp_json_set(root, "lessons", lessons);
	tp_json_add(out, root, JSON_INDENT(2));
	tp_str_add(out, "\n");
}
