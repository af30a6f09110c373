/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files on classes: their lessons and questions, with numbers over all learners. */
#ifndef TPROF_LESSON_LEARNERS_PARTS_H
#define TPROF_LESSON_LEARNERS_PARTS_H

#include "lesson/learners.h"

/* A guess is far off beyond this factor. */
#define TP_LEARNERS_FAR 10.0

struct tp_learners_answer {
	const char *learner;
	const struct tp_progress_answer *answer;
};

struct tp_learners_question {
	char step[TP_NAME_MAX], kind[12], unit[24];
	struct tp_learners_answer *answers;
	size_t n, cap;
	/* Of numbers and curves: medians of those that were judged; NaN where there is none. */
	double given, truth, factor, factor_low, factor_high; /* the middle half of the factors */
	size_t judged, right;
	size_t chosen[TP_LESSON_CHOICES_MAX]; /* how many chose each */
};

struct tp_learners_lesson {
	char name[TP_NAME_MAX], title[160];
	size_t began, finished, noisy;
	struct tp_learners_question *questions;
	size_t n, cap;
};

struct tp_learners_lessons {
	struct tp_learners_lesson *items; /* by name */
	size_t n, cap;
};

/* All lessons that any learner has begun. TP_NOMEM leaves nothing. Borrows the class. */
enum tp_status tp_learners_lessons_of(const struct tp_learners *learners,
				      struct tp_learners_lessons *lessons);
void tp_learners_lessons_release(struct tp_learners_lessons *lessons);
/* Whether an answer is beyond TP_LEARNERS_FAR. */
bool tp_learners_is_far(const struct tp_learners_answer *answer);

#endif
