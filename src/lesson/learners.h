/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of many learners on one page, for their teacher: for each lesson and question the
 * guesses against the truths, who was far off, and who has finished. The files are foreign; their
 * texts are bounded and cleaned (lesson/progress.h).
 */
#ifndef TPROF_LESSON_LEARNERS_H
#define TPROF_LESSON_LEARNERS_H

#include "lesson/progress.h"
#include "doc/text.h"

enum { TP_LEARNERS_MAX = 1000 };

struct tp_learners {
	struct tp_progress_file *files; /* a learner each */
	size_t n, cap;
};

/* Adds a learner's file (see tp_progress_load). A failure leaves the others as they were. */
enum tp_status tp_learners_add(struct tp_learners *learners, const char *path,
			       struct tp_diag *diag);
void tp_learners_release(struct tp_learners *learners);

/* Text, or the body of a page. */
void tp_learners_text(const struct tp_learners *learners, struct tp_text *doc);
void tp_learners_html(const struct tp_learners *learners, struct tp_str *out);
/* One row for each answer, and one without a step for each lesson that a learner has begun. */
void tp_learners_csv(const struct tp_learners *learners, struct tp_str *out);
/* {learners: [...], lessons: [{lesson, title, began, finished, questions: [...]}]}. */
void tp_learners_json(const struct tp_learners *learners, struct tp_str *out);

#endif
