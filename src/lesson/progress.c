/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/progress_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* Another tprof writes for milliseconds. */
enum { LOCK_TRIES = 40, LOCK_PAUSE_NS = 25000000 };

void tp_progress_now(char out[32])
{
	time_t now = time(NULL);
	struct tm broken;
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
}

/* --- lessons of a file --- */

static void release_lesson(struct tp_progress_lesson *lesson)
{
	free(lesson->answers);
	free(lesson->runs);
}

void tp_progress_release(struct tp_progress_file *file)
{
	for (size_t i = 0; i < file->n_lessons; i++)
		release_lesson(&file->lessons[i]);
	free(file->lessons);
	*file = (struct tp_progress_file){ 0 };
}

static struct tp_progress_lesson *find(const struct tp_progress_file *file, const char *lesson)
{
	for (size_t i = 0; i < file->n_lessons; i++)
		if (strcmp(file->lessons[i].name, lesson) == 0)
			return &file->lessons[i];
	return NULL;
}

const struct tp_progress_lesson *tp_progress_of(const struct tp_progress_file *file,
						const char *lesson)
{
	return find(file, lesson);
}

struct tp_progress_lesson *tp_progress_begin(struct tp_progress_file *file, const char *lesson)
{
	struct tp_progress_lesson *found = find(file, lesson);
	if (!found) {
		if (file->n_lessons == TP_PROGRESS_LESSONS_MAX ||
		    tp_vec_reserve((void **)&file->lessons, &file->cap_lessons, file->n_lessons + 1,
				   sizeof(*file->lessons)) != TP_OK)
			return NULL;
		found = &file->lessons[file->n_lessons++];
		*found = (struct tp_progress_lesson){ 0 };
		tp_copy(found->name, sizeof(found->name), lesson);
		tp_progress_now(found->started);
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
	tp_progress_now(lesson->started);
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
		if (tp_vec_reserve((void **)&lesson->answers, &lesson->cap_answers, i + 1,
				   sizeof(*lesson->answers)) != TP_OK)
			return TP_NOMEM;
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
		if (tp_vec_reserve((void **)&lesson->runs, &lesson->cap_runs, i + 1,
				   sizeof(*lesson->runs)) != TP_OK)
			return TP_NOMEM;
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
	char *text = NULL;
	size_t len = 0;
	*file = (struct tp_progress_file){ 0 };
	enum tp_status status = tp_file_read(path, TP_PROGRESS_MAX_BYTES, &text, &len, diag);
	if (status == TP_OK)
		status = tp_progress_parse(file, path, text, len, diag);
	free(text);
	return status;
}

/* The learner's own file stays as it is where it cannot be read. */
static void tell_own(enum tp_status status, struct tp_diag *diag)
{
	size_t n = diag ? strlen(diag->hint) : 0;
	if (diag && status == TP_USAGE)
		snprintf(diag->hint + n, sizeof(diag->hint) - n,
			 "%sit is left as it is; move it away, and a new one is begun",
			 n ? "; " : "");
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

/*
 * The folder stays locked from reading to renaming; -1 where that cannot be had in a second. Then
 * the file is written all the same: at worst a lesson of another process is older than it was.
 */
static int lock_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

enum tp_status tp_progress_save(const struct tp_progress_file *file, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	struct tp_str text = { 0 };
	char *old = NULL;
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
	int lock = lock_folder(slash ? folder : ".");
	status = tp_file_read(file->path, TP_PROGRESS_MAX_BYTES, &old, &len, diag);
	if (status == TP_OK || status == TP_NOTFOUND)
		status = tp_progress_text(file, status == TP_OK ? old : NULL, len, &text, diag);
	tell_own(status, diag);
	if (status == TP_OK && text.len > TP_PROGRESS_MAX_BYTES)
		status = tp_fail(diag, TP_RESOURCE, file->path, NULL, "would become too long");
	if (status == TP_OK)
		status = tp_file_write(file->path, tp_str_text(&text), text.len, diag);
	if (lock >= 0)
		close(lock);
	tp_str_release(&text);
	free(old);
	return status;
}
