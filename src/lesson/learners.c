/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/learners_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the files --- */

/* Who has no name is called by the path of the file. */
static void name_learner(struct tp_progress_file *file, const char *path)
{
	if (!*file->learner)
		tp_shown(file->learner, sizeof(file->learner), path, strlen(path));
}

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
	status = tp_vec_reserve((void **)&learners->files, &learners->cap, learners->n + 1,
				sizeof(*learners->files));
	if (status != TP_OK) {
		tp_progress_release(&file);
		return tp_fail(diag, status, path, NULL, "out of memory");
	}
	name_learner(&file, path);
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

static struct tp_learners_lesson *lesson_of(struct tp_learners_lessons *lessons,
					    const struct tp_progress_lesson *like)
{
	for (size_t i = 0; i < lessons->n; i++)
		if (strcmp(lessons->items[i].name, like->name) == 0)
			return &lessons->items[i];
	if (tp_vec_reserve((void **)&lessons->items, &lessons->cap, lessons->n + 1,
			   sizeof(*lessons->items)) != TP_OK)
		return NULL;
	struct tp_learners_lesson *lesson = &lessons->items[lessons->n++];
	*lesson = (struct tp_learners_lesson){ 0 };
	tp_copy(lesson->name, sizeof(lesson->name), like->name);
	return lesson;
}

/* Answers of another kind or unit belong to another version of the lesson. */
static struct tp_learners_question *question_of(struct tp_learners_lesson *lesson,
						const struct tp_progress_answer *like)
{
	for (size_t i = 0; i < lesson->n; i++) {
		struct tp_learners_question *q = &lesson->questions[i];
		if (strcmp(q->step, like->step) == 0 && strcmp(q->kind, like->kind) == 0 &&
		    strcmp(q->unit, like->unit) == 0)
			return q;
	}
	if (tp_vec_reserve((void **)&lesson->questions, &lesson->cap, lesson->n + 1,
			   sizeof(*lesson->questions)) != TP_OK)
		return NULL;
	struct tp_learners_question *q = &lesson->questions[lesson->n++];
	*q = (struct tp_learners_question){ 0 };
	tp_copy(q->step, sizeof(q->step), like->step);
	tp_copy(q->kind, sizeof(q->kind), like->kind);
	tp_copy(q->unit, sizeof(q->unit), like->unit);
	return q;
}

static enum tp_status add_answer(struct tp_learners_lesson *lesson, const char *learner,
				 const struct tp_progress_answer *answer)
{
	struct tp_learners_question *q = question_of(lesson, answer);
	if (!q || tp_vec_reserve((void **)&q->answers, &q->cap, q->n + 1, sizeof(*q->answers)))
		return TP_NOMEM;
	q->answers[q->n++] = (struct tp_learners_answer){ learner, answer };
	return TP_OK;
}

static enum tp_status add_lesson(struct tp_learners_lessons *lessons,
				 const struct tp_progress_file *file,
				 const struct tp_progress_lesson *kept)
{
	struct tp_learners_lesson *lesson = lesson_of(lessons, kept);
	enum tp_status status = lesson ? TP_OK : TP_NOMEM;
	if (!lesson)
		return status;
	if (!*lesson->title)
		tp_copy(lesson->title, sizeof(lesson->title), kept->title);
	lesson->began++;
	lesson->finished += kept->finished;
	lesson->noisy += kept->noisy;
	for (size_t i = 0; i < kept->n_answers && status == TP_OK; i++)
		status = add_answer(lesson, file->learner, &kept->answers[i]);
	return status;
}

/* --- numbers --- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of sorted values, between the two nearest; NaN of none. */
static double quantile(const double *values, size_t n, double part)
{
	if (!n)
		return NAN;
	double at = part * (double)(n - 1);
	size_t low = (size_t)at, high = TP_MIN(low + 1, n - 1);
	return values[low] + (at - (double)low) * (values[high] - values[low]);
}

enum which { GIVEN, TRUTH, FACTOR };

static double value_of(const struct tp_answer *a, enum which which)
{
	return which == GIVEN ? a->given : which == TRUTH ? a->truth : a->factor;
}

static size_t sorted(const struct tp_learners_question *q, enum which which, double *values)
{
	size_t n = 0;
	for (size_t i = 0; i < q->n; i++) {
		double value = value_of(&q->answers[i].answer->answer, which);
		if (isfinite(value))
			values[n++] = value;
	}
	if (n)
		qsort(values, n, sizeof(*values), by_value);
	return n;
}

static enum tp_status sum_up(struct tp_learners_question *q)
{
	double *values = malloc((q->n + 1) * sizeof(*values));
	if (!values)
		return TP_NOMEM;
	q->given = quantile(values, sorted(q, GIVEN, values), 0.5);
	q->truth = quantile(values, sorted(q, TRUTH, values), 0.5);
	q->judged = sorted(q, FACTOR, values);
	q->factor = quantile(values, q->judged, 0.5);
	q->factor_low = quantile(values, q->judged, 0.25);
	q->factor_high = quantile(values, q->judged, 0.75);
	free(values);
	for (size_t i = 0; i < q->n; i++) {
		const struct tp_answer *a = &q->answers[i].answer->answer;
		q->right += a->right;
		if (strcmp(q->kind, "choice") == 0 && a->given >= 1 &&
		    a->given < TP_LESSON_CHOICES_MAX + 1)
			q->chosen[(size_t)a->given - 1]++;
	}
	return TP_OK;
}

bool tp_learners_is_far(const struct tp_learners_answer *answer)
{
	return isfinite(answer->answer->answer.factor) &&
	       answer->answer->answer.factor > TP_LEARNERS_FAR;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tp_learners_lesson *)a)->name,
		      ((const struct tp_learners_lesson *)b)->name);
}

enum tp_status tp_learners_lessons_of(const struct tp_learners *learners,
				      struct tp_learners_lessons *lessons)
{
	enum tp_status status = TP_OK;
	*lessons = (struct tp_learners_lessons){ 0 };
	for (size_t i = 0; i < learners->n; i++)
		for (size_t k = 0; k < learners->files[i].n_lessons && status == TP_OK; k++)
			status = add_lesson(lessons, &learners->files[i],
					    &learners->files[i].lessons[k]);
	for (size_t i = 0; i < lessons->n; i++)
		for (size_t k = 0; k < lessons->items[i].n && status == TP_OK; k++)
			status = sum_up(&lessons->items[i].questions[k]);
	if (status != TP_OK)
		tp_learners_lessons_release(lessons);
	else if (lessons->n)
		qsort(lessons->items, lessons->n, sizeof(*lessons->items), by_name);
	return status;
}

void tp_learners_lessons_release(struct tp_learners_lessons *lessons)
{
	for (size_t i = 0; i < lessons->n; i++) {
		for (size_t k = 0; k < lessons->items[i].n; k++)
			free(lessons->items[i].questions[k].answers);
		free(lessons->items[i].questions);
	}
	free(lessons->items);
	*lessons = (struct tp_learners_lessons){ 0 };
}
