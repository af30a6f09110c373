/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A learner's file as JSON. It is kept as a tree while it is changed, so that keys of a later
 * version stay where they are.
 */
#include "lesson/progress_parts.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "table/json.h"
#include "table/lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char format_word[] = "tprof-progress";
enum { FORMAT_VERSION = 1 };

#define COLUMN(type, member, name, kind, ...)                                                      \
	TP_COLUMN(struct type, member, name, kind, ALWAYS, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column lesson_columns[] = {
	COLUMN(tp_progress_lesson, name, "lesson", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, title, "title", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, step, "step", UNSIGNED, .most = TP_LESSON_STEPS_MAX),
	COLUMN(tp_progress_lesson, steps, "steps", UNSIGNED, .most = TP_LESSON_STEPS_MAX),
	COLUMN(tp_progress_lesson, finished, "finished", BOOL, .help = NULL),
	COLUMN(tp_progress_lesson, started, "started", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, changed, "changed", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, machine, "machine", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, trust, "trust", TEXT, .help = NULL),
	COLUMN(tp_progress_lesson, noisy, "noisy", BOOL, .help = NULL),
	COLUMN(tp_progress_lesson, simulated, "simulated", BOOL, .help = NULL),
};
static const struct tp_table lesson_table = { .name = "lessons",
					      .columns = lesson_columns,
					      .n = TP_COUNT_OF(lesson_columns),
					      .row_bytes = sizeof(struct tp_progress_lesson) };

static void blank_answer(void *row)
{
	struct tp_progress_answer *a = row;
	a->answer.given = a->answer.truth = a->answer.factor = NAN;
}

static const struct tp_column answer_columns[] = {
	COLUMN(tp_progress_answer, step, "step", TEXT, .help = NULL),
	COLUMN(tp_progress_answer, kind, "kind", TEXT, .help = NULL),
	COLUMN(tp_progress_answer, answer.given, "given", REAL, .help = NULL),
	COLUMN(tp_progress_answer, answer.truth, "truth", REAL, .help = NULL),
	COLUMN(tp_progress_answer, answer.factor, "factor", REAL, .help = NULL),
	COLUMN(tp_progress_answer, answer.right, "right", BOOL, .help = NULL),
	COLUMN(tp_progress_answer, answer.tries, "tries", UNSIGNED, .most = 1000000),
	COLUMN(tp_progress_answer, unit, "unit", TEXT, .help = NULL),
};
static const struct tp_table answer_table = { .name = "answers",
					      .columns = answer_columns,
					      .n = TP_COUNT_OF(answer_columns),
					      .row_bytes = sizeof(struct tp_progress_answer),
					      .blank = blank_answer };

static const struct tp_column run_columns[] = {
	COLUMN(tp_progress_run, step, "step", TEXT, .help = NULL),
	COLUMN(tp_progress_run, run, "run", TEXT, .help = NULL),
};
static const struct tp_table run_table = { .name = "runs",
					   .columns = run_columns,
					   .n = TP_COUNT_OF(run_columns),
					   .row_bytes = sizeof(struct tp_progress_run) };

/* --- reading --- */

static enum tp_status damaged(const char *name, const char *what, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, name, NULL, "%s", what);
}

/* The entries of a list, which may be missing; at most `most`. */
static enum tp_status list_of(const json_t *object, const char *key, size_t most,
			      const json_t **list, const char *name, struct tp_diag *diag)
{
	char what[96];
	*list = json_object_get(object, key);
	if (!*list || json_is_null(*list)) {
		*list = NULL;
		return TP_OK;
	}
	if (json_is_array(*list) && json_array_size(*list) <= most)
		return TP_OK;
	snprintf(what, sizeof(what), "\"%s\" is no list of at most %zu entries", key, most);
	return damaged(name, what, diag);
}

static enum tp_status read_y(const json_t *object, struct tp_progress_answer *a, const char *name,
			     struct tp_diag *diag)
{
	const json_t *y;
	enum tp_status status = list_of(object, "y", TP_LESSON_CURVE_MAX, &y, name, diag);
	for (size_t i = 0; status == TP_OK && i < json_array_size(y); i++) {
		const json_t *value = json_array_get(y, i);
		if (!json_is_number(value))
			return damaged(name, "a drawn curve holds something that is no number",
				       diag);
		a->answer.y[a->n_y++] = json_number_value(value);
	}
	return status;
}

static enum tp_status read_answers(const json_t *object, struct tp_progress_lesson *lesson,
				   const char *name, struct tp_diag *diag)
{
	const json_t *list;
	enum tp_status status =
		list_of(object, "answers", TP_PROGRESS_ANSWERS_MAX, &list, name, diag);
	for (size_t i = 0; status == TP_OK && i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		struct tp_progress_answer a = { 0 };
		status = tp_row_unpack(&answer_table, entry, &a, name, diag);
		if (status == TP_OK)
			status = read_y(entry, &a, name, diag);
		if (status == TP_OK && !*a.step)
			return damaged(name, "an answer has no step", diag);
		a.answer.there = true;
		if (status == TP_OK && tp_progress_answer(lesson, &a) != TP_OK)
			return tp_fail(diag, TP_NOMEM, name, NULL, "out of memory");
	}
	return status;
}

static enum tp_status read_runs(const json_t *object, struct tp_progress_lesson *lesson,
				const char *name, struct tp_diag *diag)
{
	const json_t *list;
	enum tp_status status = list_of(object, "runs", TP_LESSON_STEPS_MAX, &list, name, diag);
	for (size_t i = 0; status == TP_OK && i < json_array_size(list); i++) {
		struct tp_progress_run run = { 0 };
		status = tp_row_unpack(&run_table, json_array_get(list, i), &run, name, diag);
		if (status == TP_OK && tp_progress_run(lesson, run.step, run.run) != TP_OK)
			return tp_fail(diag, TP_NOMEM, name, NULL, "out of memory");
	}
	return status;
}

static enum tp_status read_lesson(struct tp_progress_file *file, const json_t *entry,
				  const char *name, struct tp_diag *diag)
{
	struct tp_progress_lesson row = { 0 };
	unsigned quality;
	enum tp_status status = tp_row_unpack(&lesson_table, entry, &row, name, diag);
	if (status != TP_OK)
		return status;
	/* Names are what entries are found by when the file is written. */
	const char *whole = json_string_value(json_object_get(entry, "lesson"));
	if (!*row.name || !whole || strcmp(whole, row.name) != 0)
		return damaged(name, "a lesson has no name, or one that no lesson has", diag);
	if (tp_progress_of(file, row.name))
		return damaged(name, "a lesson is there twice", diag);
	if (!tp_word_find(&tp_quality_set, row.trust, &quality))
		row.trust[0] = '\0';
	struct tp_progress_lesson *lesson = tp_progress_begin(file, row.name);
	if (!lesson)
		return tp_fail(diag, TP_NOMEM, name, NULL, "out of memory");
	*lesson = row;
	status = read_answers(entry, lesson, name, diag);
	return status == TP_OK ? read_runs(entry, lesson, name, diag) : status;
}

/* The tree of a file, checked as far as its form goes. NULL after a complaint. */
static bool open_tree(struct tp_json_lists *tree, const char *name, const char *text, size_t len,
		      struct tp_diag *diag)
{
	json_error_t error;
	char what[sizeof(error.text) + 64];
	if (!tp_json_lists_open(tree, text, len, NULL, 0, &error)) {
		snprintf(what, sizeof(what), "is damaged, line %d, column %d: %s", error.line,
			 error.column, error.text);
		tp_clean(what, "");
		damaged(name, what, diag);
		return false;
	}
	const char *format = json_string_value(json_object_get(tree->root, "format"));
	if (format && strcmp(format, format_word) == 0)
		return true;
	damaged(name, "is no file of a learner's progress", diag);
	tp_json_lists_close(tree);
	return false;
}

enum tp_status tp_progress_parse(struct tp_progress_file *file, const char *name, const char *text,
				 size_t len, struct tp_diag *diag)
{
	struct tp_json_lists tree;
	const json_t *list;
	*file = (struct tp_progress_file){ 0 };
	if (!open_tree(&tree, name, text, len, diag))
		return TP_USAGE;
	const char *learner = json_string_value(json_object_get(tree.root, "learner"));
	tp_copy(file->learner, sizeof(file->learner), learner ? learner : "");
	tp_clean(file->learner, "");
	enum tp_status status =
		list_of(tree.root, "lessons", TP_PROGRESS_LESSONS_MAX, &list, name, diag);
	for (size_t i = 0; status == TP_OK && i < json_array_size(list); i++)
		status = read_lesson(file, json_array_get(list, i), name, diag);
	tp_json_lists_close(&tree);
	if (status != TP_OK) {
		tp_progress_release(file);
		return status;
	}
	tp_copy(file->path, sizeof(file->path), name);
	return TP_OK;
}

/* --- writing --- */

/* The entry of a list whose `key` is `name`; NULL if there is none. Borrowed. */
static json_t *entry_of(const json_t *list, const char *key, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *entry = json_array_get(list, i);
		const char *found = json_string_value(json_object_get(entry, key));
		if (found && strcmp(found, name) == 0)
			return entry;
	}
	return NULL;
}

/* A row as an entry: the old one with new values, or a new one. A new reference. */
static json_t *entry_with(const json_t *old_list, const char *key, const char *name,
			  const struct tp_table *table, const void *row)
{
	json_t *entry = entry_of(old_list, key, name);
	entry = entry ? json_incref(entry) : json_object();
	if (entry && tp_row_pack(table, TP_IN_JSON, row, entry) == TP_OK)
		return entry;
	json_decref(entry);
	return NULL;
}

static json_t *answers_json(const struct tp_progress_lesson *lesson, const json_t *old)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lesson->n_answers; i++) {
		const struct tp_progress_answer *a = &lesson->answers[i];
		json_t *entry = entry_with(old, "step", a->step, &answer_table, a);
		if (entry && a->n_y) {
			json_t *y = json_array();
			for (size_t k = 0; k < a->n_y; k++)
				json_array_append_new(y, tp_json_real(a->answer.y[k]));
			json_object_set_new(entry, "y", y);
		}
		if (json_array_append_new(list, entry)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *runs_json(const struct tp_progress_lesson *lesson, const json_t *old)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lesson->n_runs; i++)
		if (json_array_append_new(list, entry_with(old, "step", lesson->runs[i].step,
							   &run_table, &lesson->runs[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static bool put_lesson(json_t *list, const struct tp_progress_lesson *lesson)
{
	json_t *old = entry_of(list, "lesson", lesson->name);
	json_t *entry = entry_with(list, "lesson", lesson->name, &lesson_table, lesson);
	json_t *answers = answers_json(lesson, json_object_get(entry, "answers"));
	json_t *runs = runs_json(lesson, json_object_get(entry, "runs"));
	bool good = json_object_set_new(entry, "answers", answers) == 0;
	good &= json_object_set_new(entry, "runs", runs) == 0;
	if (good && !old)
		return json_array_append_new(list, entry) == 0;
	json_decref(entry);
	return good;
}

enum tp_status tp_progress_text(const struct tp_progress_file *file, const char *old, size_t len,
				struct tp_str *out, struct tp_diag *diag)
{
	struct tp_json_lists tree = { 0 };
	bool good = true;
	if (old) {
		if (!open_tree(&tree, file->path, old, len, diag))
			return TP_USAGE;
	} else {
		tree.root = json_pack("{s:s, s:i, s:[]}", "format", format_word, "version",
				      FORMAT_VERSION, "lessons");
	}
	json_t *list = json_object_get(tree.root, "lessons");
	if (tree.root && !json_is_array(list)) {
		list = json_array();
		good = json_object_set_new(tree.root, "lessons", list) == 0;
	}
	good = good && tree.root &&
	       json_object_set_new(tree.root, "learner", tp_json_text(file->learner)) == 0;
	for (size_t i = 0; i < file->n_lessons && good; i++)
		if (file->lessons[i].touched)
			good = put_lesson(list, &file->lessons[i]);
	json_t *root = tree.root;
	tree.root = NULL;
	if (good && tp_json_add(out, root, JSON_INDENT(1)) == TP_OK)
		tp_str_add(out, "\n");
	else {
		if (!good)
			json_decref(root);
		out->oom = true;
	}
	return out->oom ? tp_fail(diag, TP_NOMEM, file->path, NULL, "out of memory") : TP_OK;
}
