/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far answers are off. */
#include "lesson/values_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { CURVE_POINTS_MAX = 1024 };
/* How near a prediction has to be to count as right; those of checks say it themselves. */
static const double near_enough = 1.25;
/* A drawn place so far outside the measured ones is compared with the last of them. */
static const double beside = 1.5;

/* By how much one is larger than the other; NaN where that means nothing. */
static double factor_of(double a, double b)
{
	if (a == b)
		return 1;
	return a > 0 && b > 0 ? fmax(a / b, b / a) : NAN;
}

static bool is_right(const struct tp_question *q, const struct tp_answer *answer)
{
	return answer->factor <= (q->within > 1 ? q->within : near_enough) * (1 + 1e-9);
}

static bool judge_number(const struct tp_lesson_state *state, const struct tp_question *q,
			 struct tp_answer *answer)
{
	if (!tp_lesson_compute(state, q->truth, &answer->truth))
		return false;
	answer->factor = factor_of(answer->given, answer->truth);
	answer->right = is_right(q, answer);
	return true;
}

static bool judge_choice(const struct tp_lesson_state *state, const struct tp_question *q,
			 struct tp_answer *answer)
{
	size_t given = answer->given >= 1 ? (size_t)answer->given - 1 : q->n_choices, first = 0;
	while (first < q->n_choices && !tp_lesson_holds(state, q->choices[first].when))
		first++;
	if (first == q->n_choices)
		return false;
	/* Several may be right. */
	answer->right = given < q->n_choices && tp_lesson_holds(state, q->choices[given].when);
	answer->truth = answer->right ? answer->given : (double)first + 1;
	return true;
}

/* --- curves --- */

struct xy {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	double p = ((const struct xy *)a)->x, q = ((const struct xy *)b)->x;
	return (p > q) - (p < q);
}

/* Points with one x become one, in the middle of their factors. */
static size_t merge(struct xy *points, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n;) {
		size_t end = i;
		double logs = 0;
		for (; end < n && points[end].x == points[i].x; end++)
			logs += log(points[end].y);
		if (end - i > 1)
			points[i].y = exp(logs / (double)(end - i));
		points[kept++] = points[i];
		i = end;
	}
	return kept;
}

size_t tp_lesson_curve(const struct tp_lesson_state *state, const struct tp_question *question,
		       double *x, double *y, size_t most)
{
	const struct tp_run *run = state->runs[question->of];
	struct tp_operand at, value;
	size_t n = 0;
	struct xy *points = run ? calloc(run->n_points + 1, sizeof(*points)) : NULL;
	if (!points || !most)
		goto out;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (tp_lesson_point_fits(p, question->where, question->n_where) &&
		    tp_lesson_point_value(p, question->x_column, &at) &&
		    tp_lesson_point_value(p, question->y_column, &value) && at.number > 0 &&
		    value.number > 0)
			points[n++] = (struct xy){ at.number, value.number };
	}
	qsort(points, n, sizeof(*points), by_x);
	n = merge(points, n);
	/* Where there is no room for all, some of them from one end to the other. */
	size_t shown = TP_MIN(n, most);
	for (size_t i = 0; i < shown; i++) {
		size_t from = shown > 1 ? i * (n - 1) / (shown - 1) : 0;
		x[i] = points[from].x;
		y[i] = points[from].y;
	}
	n = shown;
out:
	free(points);
	return n;
}

/* The measured value between two points, both axes logarithmic; NaN far outside. */
static double between(const double *x, const double *y, size_t n, double at)
{
	size_t i = 1;
	if (at <= x[0])
		return at * beside >= x[0] ? y[0] : NAN;
	if (at >= x[n - 1])
		return at <= x[n - 1] * beside ? y[n - 1] : NAN;
	while (x[i] < at)
		i++;
	double share = log(at / x[i - 1]) / log(x[i] / x[i - 1]);
	return y[i - 1] * pow(y[i] / y[i - 1], share);
}

static int by_size(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;
	return (p > q) - (p < q);
}

static bool judge_curve(const struct tp_lesson_state *state, const struct tp_question *q,
			struct tp_answer *answer)
{
	double x[CURVE_POINTS_MAX], y[CURVE_POINTS_MAX], factors[TP_LESSON_CURVE_MAX];
	size_t n = tp_lesson_curve(state, q, x, y, CURVE_POINTS_MAX), known = 0;
	for (size_t i = 0; i < q->n_x && n; i++) {
		double factor = factor_of(answer->y[i], between(x, y, n, q->x[i]));
		if (isfinite(factor))
			factors[known++] = factor;
	}
	if (!known)
		return false;
	qsort(factors, known, sizeof(*factors), by_size);
	answer->factor = sqrt(factors[(known - 1) / 2] * factors[known / 2]);
	answer->given = answer->factor;
	answer->right = is_right(q, answer);
	return true;
}

bool tp_lesson_judge(const struct tp_lesson_state *state, const struct tp_lesson_step *step,
		     struct tp_answer *answer)
{
	const struct tp_question *q = step->question;
	answer->truth = answer->factor = NAN;
	answer->right = false;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		return judge_number(state, q, answer);
	case TP_ASK_CHOICE:
		return judge_choice(state, q, answer);
	case TP_ASK_CURVE:
		return judge_curve(state, q, answer);
	}
	return false;
}
