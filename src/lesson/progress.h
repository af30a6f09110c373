/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a learner has done, in lessons/progress.json below the user's data directory: for each
 * lesson the step that was reached, when, and every answer with the truth. One learner a file; a
 * teacher merges those of many (--lesson-report).
 */
#ifndef TPROF_LESSON_PROGRESS_H
#define TPROF_LESSON_PROGRESS_H

#include "base/file.h"
#include "base/named.h"
#include "base/status.h"
#include "lesson/values.h"

enum { TP_PROGRESS_LESSONS_MAX = 256, TP_PROGRESS_ANSWERS_MAX = 64 };

struct tp_progress_answer {
	char step[TP_NAME_MAX]; /* name of the question */
	char kind[12]; /* "number", "choice", "curve" */
	struct tp_answer answer;
	size_t n_y;
	char unit[24];
};

struct tp_progress_run {
	char step[TP_NAME_MAX]; /* name of the step measure */
	char run[TP_PATH_MAX]; /* its directory */
};

struct tp_progress_lesson {
	char name[TP_NAME_MAX], title[160];
	unsigned step, steps; /* reached, of so many; from 0 */
	bool finished;
	char started[32], changed[32]; /* UTC, "2026-11-23T22:40:00Z" */
	char machine[160]; /* CPU that was measured */
	char trust[8]; /* "good", "fair", "poor", "": of the worst measurement */
	bool noisy, simulated;
	struct tp_progress_answer *answers;
	size_t n_answers, cap_answers;
	struct tp_progress_run *runs;
	size_t n_runs, cap_runs;
	bool touched; /* by this process: tp_progress_save writes it */
};

struct tp_progress_file {
	char path[TP_PATH_MAX]; /* "" = nothing is kept */
	char learner[TP_NAME_MAX]; /* the user's login, or TPROF_LEARNER */
	struct tp_progress_lesson *lessons;
	size_t n_lessons, cap_lessons;
};

/*
 * The learner's own file; a missing one is an empty one. A damaged file is reported as an error,
 * and is never overwritten.
 */
enum tp_status tp_progress_open(struct tp_progress_file *file, struct tp_diag *diag);
/* Any learner's file, or the directory that holds one (DIR, DIR/lessons or DIR/tprof/lessons). */
enum tp_status tp_progress_load(struct tp_progress_file *file, const char *path,
				struct tp_diag *diag);
enum tp_status tp_progress_parse(struct tp_progress_file *file, const char *name, const char *text,
				 size_t len, struct tp_diag *diag);
/*
 * Written to a temporary file and renamed: never half. Two tprofs at once: the last one to write a
 * lesson wins, and each keeps the other's lessons. Additions by a later version stay.
 */
enum tp_status tp_progress_save(const struct tp_progress_file *file, struct tp_diag *diag);
void tp_progress_release(struct tp_progress_file *file);
/* NULL if the learner never opened it. */
const struct tp_progress_lesson *tp_progress_of(const struct tp_progress_file *file,
						const char *lesson);
/* The same for changes, created if missing. NULL: no memory, or too many lessons. */
struct tp_progress_lesson *tp_progress_begin(struct tp_progress_file *file, const char *lesson);
/* Forgets answers and runs, and restarts the lesson. */
void tp_progress_restart(struct tp_progress_lesson *lesson);
/* Keeps the answer or the run of a step, in place of an earlier one. */
enum tp_status tp_progress_answer(struct tp_progress_lesson *lesson,
				  const struct tp_progress_answer *answer);
enum tp_status tp_progress_run(struct tp_progress_lesson *lesson, const char *step,
			       const char *directory);

/* Between the files of this room: a learner's file as text. */

enum { TP_PROGRESS_MAX_BYTES = 4 << 20 };

/*
 * The text of the file: `old` (of `len` bytes; NULL: there is no file yet) with the lessons that
 * this process has touched. Unknown keys stay. TP_USAGE: `old` is damaged.
 */
enum tp_status tp_progress_text(const struct tp_progress_file *file, const char *old, size_t len,
				struct tp_str *out, struct tp_diag *diag);

#endif
