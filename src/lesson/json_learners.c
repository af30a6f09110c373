/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A class as JSON. */
#include "lesson/learners_parts.h"
#include "table/json.h"

#include <string.h>

static void put(json_t *object, const char *key, json_t *value, bool *good)
{
	*good &= json_object_set_new(object, key, value) == 0;
}

static void add(json_t *list, json_t *value, bool *good)
{
	*good &= json_array_append_new(list, value) == 0;
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *question_json(const struct tp_learners_question *q, bool *good)
{
	json_t *object = json_object(), *far = json_array();
	put(object, "step", tp_json_text(q->step), good);
	put(object, "kind", tp_json_text(q->kind), good);
	put(object, "unit", tp_json_text(q->unit), good);
	put(object, "answers", count(q->n), good);
	put(object, "right", count(q->right), good);
	if (strcmp(q->kind, "choice") == 0) {
		json_t *chosen = json_array();
		size_t most = TP_LESSON_CHOICES_MAX;
		while (most && !q->chosen[most - 1])
			most--;
		for (size_t i = 0; i < most; i++)
			add(chosen, count(q->chosen[i]), good);
		put(object, "chosen", chosen, good);
	} else {
		put(object, "median_given", tp_json_real(q->given), good);
		put(object, "median_truth", tp_json_real(q->truth), good);
		put(object, "median_factor", tp_json_real(q->factor), good);
		put(object, "factor_low", tp_json_real(q->factor_low), good);
		put(object, "factor_high", tp_json_real(q->factor_high), good);
	}
	for (size_t i = 0; i < q->n; i++)
		if (tp_learners_is_far(&q->answers[i]))
			add(far, tp_json_text(q->answers[i].learner), good);
	put(object, "far_off", far, good);
	return object;
}

static json_t *lesson_json(const struct tp_learners_lesson *lesson, bool *good)
{
	json_t *object = json_object(), *questions = json_array();
	for (size_t i = 0; i < lesson->n; i++)
		add(questions, question_json(&lesson->questions[i], good), good);
	put(object, "lesson", tp_json_text(lesson->name), good);
	put(object, "title", tp_json_text(lesson->title), good);
	put(object, "began", count(lesson->began), good);
	put(object, "finished", count(lesson->finished), good);
	put(object, "noisy", count(lesson->noisy), good);
	put(object, "questions", questions, good);
	return object;
}

static json_t *learner_json(const struct tp_progress_file *file, bool *good)
{
	json_t *object = json_object(), *lessons = json_array();
	for (size_t i = 0; i < file->n_lessons; i++) {
		const struct tp_progress_lesson *lesson = &file->lessons[i];
		json_t *entry = json_object();
		put(entry, "lesson", tp_json_text(lesson->name), good);
		put(entry, "reached", count(lesson->step + 1), good);
		put(entry, "steps", count(lesson->steps), good);
		put(entry, "finished", json_boolean(lesson->finished), good);
		put(entry, "machine", tp_json_text(lesson->machine), good);
		put(entry, "trust", tp_json_text(lesson->trust), good);
		add(lessons, entry, good);
	}
	put(object, "learner", tp_json_text(file->learner), good);
	put(object, "path", tp_json_text(file->path), good);
	put(object, "lessons", lessons, good);
	return object;
}

enum tp_status tp_learners_json(const struct tp_learners *learners, struct tp_str *out)
{
	struct tp_learners_lessons all;
	bool good = true;
	if (tp_learners_lessons_of(learners, &all) != TP_OK)
		return TP_NOMEM;
	json_t *root = json_object(), *people = json_array(), *lessons = json_array();
	for (size_t i = 0; i < learners->n; i++)
		add(people, learner_json(&learners->files[i], &good), &good);
	for (size_t i = 0; i < all.n; i++)
		add(lessons, lesson_json(&all.items[i], &good), &good);
	put(root, "learners", people, &good);
	put(root, "lessons", lessons, &good);
	tp_learners_lessons_release(&all);
	if (!good) {
		json_decref(root);
		root = NULL;
	}
	enum tp_status status = tp_json_add(out, root, JSON_INDENT(2));
	tp_str_add(out, "\n");
	return status;
}
