/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values that a lesson's expressions are about:
 *
 *   RESULT.COLUMN    a column of the row that a result names; RESULT.found is 1 if there is one
 *   STEP.points, STEP.good, STEP.fair, STEP.poor
 *                    of a step measure: how many points it has, and how good they are
 *   STEP.noisy       1 if that is too little to explain anything with: more than a third of its
 *                    points are poor, or it has none
 *   STEP.simulated   1 if it was simulated
 *   QUESTION.given, QUESTION.truth, QUESTION.factor, QUESTION.right
 *                    of a step predict or check, once it is answered; the factor is 1 or more
 *   machine.FACT     a number among the facts of the newest measurement (machine.cores), and
 *                    machine.vector_bytes, machine.virtual, machine.l1_bytes, machine.l2_bytes,
 *                    machine.l3_bytes
 *   NAME             one of the lesson's own `values`
 *
 * A value that is not there (no such row, not measured yet) makes every expression unknown that
 * needs it: conditions do not hold then, and a text that quotes it cannot be shown.
 */
#ifndef TPROF_LESSON_VALUES_H
#define TPROF_LESSON_VALUES_H

#include "lesson/lesson.h"
#include "lesson/names.h"
#include "record/run.h"
#include "doc/text.h"

/* An answer. `given` is the number, the chosen place from 1, or for curves the middle factor. */
struct tp_answer {
	bool there;
	double given, truth, factor; /* NaN if missing */
	bool right; /* meaningful for choices and checks */
	unsigned tries;
	double y[TP_LESSON_CURVE_MAX]; /* CURVE */
};

/* What expressions are computed from. Arrays by step, as many as the lesson has. Borrowed. */
struct tp_lesson_state {
	const struct tp_lesson *lesson;
	const struct tp_run *const *runs; /* NULL: not measured */
	const struct tp_answer *answers;
	/*
	 * Instead of runs and answers: the value of a name, except the lesson's own `values`, as
	 * made up by a test of what a lesson would show; false: unknown.
	 */
	bool (*value)(const void *context, const struct tp_lesson_name *name,
		      struct tp_operand *out);
	const void *context;
};

/* False if it is unknown. */
bool tp_lesson_compute(const struct tp_lesson_state *state, const struct tp_expression *expression,
		       double *value);
/* False if it does not hold, or is unknown. */
bool tp_lesson_holds(const struct tp_lesson_state *state, const struct tp_expression *condition);
/* Appends the text with its values. False if one is unknown: then "?" stands in its place. */
bool tp_lesson_fill(const struct tp_lesson_state *state, const struct tp_quoted *text,
		    struct tp_str *out);
/* Appends room to write a value: "________ GB/s". NULL: it has no unit. */
void tp_lesson_room(const char *unit, struct tp_str *out);
/* Appends the text with such room in place of its values. */
void tp_lesson_blank(const struct tp_quoted *text, struct tp_str *out);
/* The variant of an explain step that is shown: the first that holds and whose values are known;
 * NULL if none. */
const struct tp_variant *tp_lesson_variant(const struct tp_lesson_state *state,
					   const struct tp_lesson_step *step);
/*
 * Judges an answer: truth, factor, right. False while the truth is unknown, because nothing is
 * measured yet.
 */
bool tp_lesson_judge(const struct tp_lesson_state *state, const struct tp_lesson_step *step,
		     struct tp_answer *answer);
/* The points that a curve is compared with, by x: at most `most`. Returns how many. */
size_t tp_lesson_curve(const struct tp_lesson_state *state, const struct tp_question *question,
		       double *x, double *y, size_t most);

/* How much a measurement of a lesson is worth, from the qualities of its points. */
struct tp_trust {
	size_t points, good, fair, poor; /* measured; of these some have no quality */
	/*
	 * POOR: more than a third of the points are poor, or there are none. FAIR: more than a
	 * third are not good. NONE: the points have no quality, as counts.
	 */
	enum tp_quality quality;
};

struct tp_trust tp_trust_of(const struct tp_run *run);
/*
 * True if the measurement of the step `at` describes the learner's machine: it was made, and is not
 * simulated while another one is real. A lesson may show other machines.
 */
bool tp_trust_counts(const struct tp_run *const *runs, size_t n, size_t at);
/* "24 points, 20 good, 3 fair, 1 poor." and what that means for what is read from it. */
void tp_trust_words(const struct tp_run *run, struct tp_str *out);

#endif
