/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A learner's file is edited as a tree of JSON, so that keys of a later version stay. */
#include "lesson/progress.h"

#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"
#include "base/now.h"
#include "record/point.h"
#include "table/lists.h"

/* Another tprof writes for milliseconds. */
enum { LOCK_SECONDS = 1 };

/* --- lessons of a file --- */

void tp_progress_release(struct tp_progress_file *file)
{
	for (size_t i = 0; i < file->n_lessons; i++) {
		free(file->lessons[i].answers);
		free(file->lessons[i].runs);
	}
	free(file->lessons);
	*file = (struct tp_progress_file){ 0 };
}

const struct tp_progress_lesson *tp_progress_of(const struct tp_progress_file *file,
						const char *lesson)
{
	for (size_t i = 0; i < file->n_lessons; i++)
		if (strcmp(file->lessons[i].name, lesson) == 0)
			return &file->lessons[i];
	return NULL;
}

struct tp_progress_lesson *tp_progress_begin(struct tp_progress_file *file, const char *lesson)
{
	struct tp_progress_lesson *found =
		(struct tp_progress_lesson *)tp_progress_of(file, lesson);
	if (!found) {
		if (file->n_lessons == TP_PROGRESS_LESSONS_MAX)
			return NULL;
		TP_RESERVE(file->lessons, file->cap_lessons, file->n_lessons + 1);
		found = &file->lessons[file->n_lessons++];
		*found = (struct tp_progress_lesson){ 0 };
		tp_copy(found->name, sizeof(found->name), lesson);
		tp_now_utc(found->started);
	}
	found->touched = true;
	return found;
}

void tp_progress_restart(struct tp_progress_lesson *lesson)
{
	lesson->n_answers = lesson->n_runs = 0;
	lesson->step = 0;
	lesson->finished = lesson->noisy = lesson->simulated = false;
	lesson->machine[0] = lesson->trust[0] = '\0';
	tp_now_utc(lesson->started);
	lesson->touched = true;
}

enum tp_status tp_progress_answer(struct tp_progress_lesson *lesson,
				  const struct tp_progress_answer *answer)
{
	size_t i = 0;
	while (i < lesson->n_answers && strcmp(lesson->answers[i].step, answer->step) != 0)
		i++;
	if (i == TP_PROGRESS_ANSWERS_MAX)
		return TP_RESOURCE;
	if (i == lesson->n_answers) {
		TP_RESERVE(lesson->answers, lesson->cap_answers, i + 1);
		lesson->n_answers++;
	}
	lesson->answers[i] = *answer;
	return TP_OK;
}

enum tp_status tp_progress_run(struct tp_progress_lesson *lesson, const char *step,
			       const char *directory)
{
	size_t i = 0;
	while (i < lesson->n_runs && strcmp(lesson->runs[i].step, step) != 0)
		i++;
	if (i == TP_LESSON_STEPS_MAX)
		return TP_RESOURCE;
	if (i == lesson->n_runs) {
		TP_RESERVE(lesson->runs, lesson->cap_runs, i + 1);
		lesson->n_runs++;
	}
	tp_copy(lesson->runs[i].step, sizeof(lesson->runs[i].step), step);
	tp_copy(lesson->runs[i].run, sizeof(lesson->runs[i].run), directory);
	return TP_OK;
}

/* --- files --- */

static void name_learner(struct tp_progress_file *file)
{
	const char *wanted = getenv("TPROF_LEARNER"), *login = getenv("LOGNAME");
	if (wanted && *wanted) {
		tp_shown(file->learner, sizeof(file->learner), wanted, strlen(wanted));
		return;
	}
	if (*file->learner)
		return;
	if (!login || !*login) {
		const struct passwd *entry = getpwuid(geteuid());
		login = entry ? entry->pw_name : "learner";
	}
	tp_shown(file->learner, sizeof(file->learner), login, strlen(login));
}

static enum tp_status read_file(struct tp_progress_file *file, const char *path,
				struct tp_diag *diag)
{
	TP_FREE char *text = NULL;
	size_t len = 0;
	*file = (struct tp_progress_file){ 0 };
	enum tp_status status = tp_file_read(path, TP_PROGRESS_MAX_BYTES, &text, &len, diag);
	if (status == TP_OK)
		status = tp_progress_parse(file, path, text, len, diag);
	return status;
}

/* An unreadable learner's file stays as it is. */
static void tell_own(enum tp_status status, struct tp_diag *diag)
{
	size_t n = diag ? strlen(diag->hint) : 0;
	if (diag && status == TP_USAGE)
		snprintf(diag->hint + n, sizeof(diag->hint) - n,
			 "%sit stays as it is; move it away to begin a new one", n ? "; " : "");
}

enum tp_status tp_progress_open(struct tp_progress_file *file, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	*file = (struct tp_progress_file){ 0 };
	enum tp_status status = tp_path_user_data("lessons/progress.json", path, diag);
	if (status == TP_OK)
		status = read_file(file, path, diag);
	if (status == TP_NOTFOUND)
		status = TP_OK;
	if (status != TP_OK) {
		tell_own(status, diag);
		return status;
	}
	tp_copy(file->path, sizeof(file->path), path);
	name_learner(file);
	return TP_OK;
}

enum tp_status tp_progress_load(struct tp_progress_file *file, const char *path,
				struct tp_diag *diag)
{
	static const char *const below[] = { "progress.json", "lessons/progress.json",
					     "tprof/lessons/progress.json" };
	char inside[TP_PATH_MAX];
	*file = (struct tp_progress_file){ 0 };
	if (!tp_is_folder(path))
		return read_file(file, path, diag);
	for (size_t i = 0; i < TP_COUNT_OF(below); i++) {
		int n = snprintf(inside, sizeof(inside), "%s/%s", path, below[i]);
		if (n > 0 && (size_t)n < sizeof(inside) && tp_is_file(inside))
			return read_file(file, inside, diag);
	}
	return tp_fail(diag, TP_NOTFOUND, path,
		       "give a progress.json, or the folder that one lies in",
		       "there is no learner's file");
}

enum tp_status tp_progress_save(const struct tp_progress_file *file, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	TP_STR text = { 0 };
	TP_FREE char *old = NULL;
	size_t len = 0;
	if (!*file->path)
		return TP_OK;
	tp_copy(folder, sizeof(folder), file->path);
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	enum tp_status status = slash ? tp_dir_make(folder, diag) : TP_OK;
	if (status != TP_OK)
		return status;
	/* In vain: at worst a lesson of another process is older than it was. */
	int lock;
	(void)tp_folder_lock(slash ? folder : ".", LOCK_SECONDS, &lock);
	status = tp_file_read(file->path, TP_PROGRESS_MAX_BYTES, &old, &len, diag);
	if (status == TP_OK || status == TP_NOTFOUND)
		status = tp_progress_text(file, status == TP_OK ? old : NULL, len, &text, diag);
	tell_own(status, diag);
	if (status == TP_OK && text.len > TP_PROGRESS_MAX_BYTES)
		status = tp_fail(diag, TP_RESOURCE, file->path, NULL, "would become too long");
	if (status == TP_OK)
		status = tp_file_write(TP_TYPED_NOTHING, file->path, tp_str_text(&text), text.len,
				       diag);
	if (lock >= 0)
		close(lock);
	return status;
}

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
					      TP_TABLE(struct tp_progress_lesson, lesson_columns) };

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
					      TP_TABLE(struct tp_progress_answer, answer_columns),
					      .blank = blank_answer };

static const struct tp_column run_columns[] = {
	COLUMN(tp_progress_run, step, "step", TEXT, .help = NULL),
	COLUMN(tp_progress_run, run, "run", TEXT, .help = NULL),
};

static const struct tp_table run_table = { .name = "runs",
					   TP_TABLE(struct tp_progress_run, run_columns) };

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
	snprintf(what, sizeof(what), "\"%s\" is not a list of at most %zu entries", key, most);
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
			return damaged(name, "a drawn curve holds something that is not a number",
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
		if (status == TP_OK)
			status = tp_progress_answer(lesson, &a);
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
		if (status == TP_OK)
			status = tp_progress_run(lesson, run.step, run.run);
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
		return damaged(name, "a lesson has no name, or an unknown one", diag);
	if (tp_progress_of(file, row.name))
		return damaged(name, "a lesson is there twice", diag);
	if (!tp_word_find(&tp_quality_set, row.trust, &quality))
		row.trust[0] = '\0';
	struct tp_progress_lesson *lesson = tp_progress_begin(file, row.name);
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
	damaged(name, "is not a file of a learner's progress", diag);
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

/* The entry of a list whose `key` is `name`; NULL if missing. Borrowed. */
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
	tp_row_pack(table, TP_IN_JSON, row, entry);
	return entry;
}

static json_t *answers_json(const struct tp_progress_lesson *lesson, const json_t *old)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lesson->n_answers; i++) {
		const struct tp_progress_answer *a = &lesson->answers[i];
		json_t *entry = entry_with(old, "step", a->step, &answer_table, a);
		/* An earlier answer to the step may have been a curve. */
		json_object_del(entry, "y");
		if (a->n_y) {
			json_t *y = json_array();
			for (size_t k = 0; k < a->n_y; k++)
				tp_json_append(y, tp_json_real(a->answer.y[k]));
			tp_json_set(entry, "y", y);
		}
		tp_json_append(list, entry);
	}
	return list;
}

static json_t *runs_json(const struct tp_progress_lesson *lesson, const json_t *old)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lesson->n_runs; i++)
		tp_json_append(list, entry_with(old, "step", lesson->runs[i].step, &run_table,
						&lesson->runs[i]));
	return list;
}

static void put_lesson(json_t *list, const struct tp_progress_lesson *lesson)
{
	bool old = entry_of(list, "lesson", lesson->name) != NULL;
	json_t *entry = entry_with(list, "lesson", lesson->name, &lesson_table, lesson);
	tp_json_set(entry, "answers", answers_json(lesson, json_object_get(entry, "answers")));
	tp_json_set(entry, "runs", runs_json(lesson, json_object_get(entry, "runs")));
	if (old)
		json_decref(entry);
	else
		tp_json_append(list, entry);
}

enum tp_status tp_progress_text(const struct tp_progress_file *file, const char *old, size_t len,
				struct tp_str *out, struct tp_diag *diag)
{
	struct tp_json_lists tree = { 0 };
	if (!old)
		tree.root = json_pack("{s:s, s:i, s:[]}", "format", format_word, "version",
				      FORMAT_VERSION, "lessons");
	else if (!open_tree(&tree, file->path, old, len, diag))
		return TP_USAGE;
	json_t *list = json_object_get(tree.root, "lessons");
	if (!json_is_array(list)) {
		list = json_array();
		tp_json_set(tree.root, "lessons", list);
	}
	tp_json_set(tree.root, "learner", tp_json_text(file->learner));
	for (size_t i = 0; i < file->n_lessons; i++)
		if (file->lessons[i].touched)
			put_lesson(list, &file->lessons[i]);
	tp_json_add(out, tree.root, JSON_INDENT(1));
	tp_str_add(out, "\n");
	return TP_OK;
}
