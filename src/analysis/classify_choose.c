/* SPDX-License-Identifier: GPL-3.0-or-later */
/* QR with a special pivot: chooses the events that the counts of a family can be expressed with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "analysis/classify_steps.h"

#define EQUAL_RELATIVE 1e-9 /* smaller differences of scores and norms are rounding errors */
#define EXACT_RELATIVE                                                                             \
	1e-12 /* a smaller part of a column is rounding, however quiet the event is */

enum { NOT_TAKEN = -1 };

/* The survivors, and the columns that the pivots so far have left of them. */
struct choice {
	const struct tp_classify_limits *limits;
	size_t n, n_ideals;
	double *work; /* n x n_ideals; one event's column is contiguous */
	double *pivot; /* n_ideals */
	double *score; /* n */
	double *norm; /* of the trailing part */
	double *tie; /* the norm that decides between equal scores */
	double *floor; /* a column whose norm is below is dependent */
	long *order; /* NOT_TAKEN or position */
};

static double norm_of(const double *v, size_t n)
{
	if (n == 0)
		return 0;
	gsl_vector_const_view view = gsl_vector_const_view_array(v, n);

	return gsl_blas_dnrm2(&view.vector);
}

static void choice_release(struct choice *c)
{
	free(c->work);
	free(c->pivot);
	free(c->score);
	free(c->norm);
	free(c->tie);
	free(c->floor);
	free(c->order);
}

static bool choice_init(struct choice *c, const struct tp_classify_limits *limits,
			const size_t *survivors, size_t n,
			const struct tp_classification_result *result)
{
	size_t n_ideals = result->n_ideals;

	*c = (struct choice){ .limits = limits, .n = n, .n_ideals = n_ideals };
	c->work = tp_classify_array(n * n_ideals, sizeof(*c->work));
	c->pivot = tp_classify_array(n_ideals, sizeof(*c->pivot));
	c->score = tp_classify_array(n, sizeof(*c->score));
	c->norm = tp_classify_array(n, sizeof(*c->norm));
	c->tie = tp_classify_array(n, sizeof(*c->tie));
	c->floor = tp_classify_array(n, sizeof(*c->floor));
	c->order = tp_classify_array(n, sizeof(*c->order));
	if (!c->work || !c->pivot || !c->score || !c->norm || !c->tie || !c->floor || !c->order)
		return false;
	for (size_t s = 0; s < n; s++) {
		double *column = c->work + s * n_ideals;
		double noise = result->events[survivors[s]].noise;

		memcpy(column, result->x + survivors[s] * n_ideals, n_ideals * sizeof(*column));
		c->score[s] = tp_pivot_score(column, n_ideals, limits->alpha);
		c->norm[s] = c->tie[s] = norm_of(column, n_ideals);
		c->floor[s] = fmax(limits->alpha * sqrt((double)n_ideals),
				   fmax(noise, EXACT_RELATIVE) * c->norm[s]);
		c->order[s] = NOT_TAKEN;
	}
	return true;
}

static bool may_be_chosen(const struct choice *c, size_t s)
{
	return c->order[s] == NOT_TAKEN && c->norm[s] >= c->floor[s];
}

/* The column with the smallest score, then the smallest norm, then the first. n = none is left. */
static size_t best_of(const struct choice *c)
{
	double score = HUGE_VAL, tie = HUGE_VAL;

	for (size_t s = 0; s < c->n; s++)
		if (may_be_chosen(c, s))
			score = fmin(score, c->score[s]);
	score *= 1 + EQUAL_RELATIVE;
	for (size_t s = 0; s < c->n; s++)
		if (may_be_chosen(c, s) && c->score[s] <= score)
			tie = fmin(tie, c->tie[s]);
	tie *= 1 + EQUAL_RELATIVE;
	for (size_t s = 0; s < c->n; s++)
		if (may_be_chosen(c, s) && c->score[s] <= score && c->tie[s] <= tie)
			return s;
	return c->n;
}

/*
 * Reflects every column so that the chosen one ends at row `step`, and updates what is left below.
 */
static void reflect(struct choice *c, size_t chosen, size_t step)
{
	size_t n = c->n_ideals, left = n - step;
	double *column = c->work + chosen * n;

	memcpy(c->pivot, column + step, left * sizeof(*column));
	gsl_vector_view v = gsl_vector_view_array(c->pivot, left);
	double tau = gsl_linalg_householder_transform(&v.vector);

	/* The first element of the transformed vector is that of R; below it are zeros. */
	memset(column + step, 0, left * sizeof(*column));
	column[step] = c->pivot[0];
	for (size_t s = 0; s < c->n; s++) {
		if (c->order[s] != NOT_TAKEN)
			continue;
		gsl_vector_view trailing = gsl_vector_view_array(c->work + s * n + step, left);

		gsl_linalg_householder_hv(tau, &v.vector, &trailing.vector);
		c->norm[s] = norm_of(c->work + s * n + step + 1, left - 1);
		if (c->limits->score != TP_SCORE_ORIGINAL)
			c->score[s] = tp_pivot_score(c->work + s * n + step + 1, left - 1,
						     c->limits->alpha);
		if (c->limits->score == TP_SCORE_TRAILING)
			c->tie[s] = c->norm[s];
	}
}

/*
 * R c = Q^T x: the columns are reflected already, so each dependent event costs one triangular
 * solve.
 */
static void depend(const struct choice *c, const size_t *survivors, const double *r,
		   struct tp_classification_result *result)
{
	size_t k = result->n_chosen;

	for (size_t i = 0; i < result->n_events * k; i++)
		result->dependence[i] = NAN;
	if (k == 0)
		return;
	gsl_matrix_const_view triangle = gsl_matrix_const_view_array(r, k, k);

	for (size_t s = 0; s < c->n; s++) {
		double *to = result->dependence + survivors[s] * k;

		if (c->order[s] != NOT_TAKEN)
			continue;
		memcpy(to, c->work + s * c->n_ideals, k * sizeof(*to));
		gsl_vector_view view = gsl_vector_view_array(to, k);

		gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &triangle.matrix,
			       &view.vector);
	}
}

enum tp_status tp_classify_choose(const struct tp_classify_limits *limits, const size_t *survivors,
				  size_t n_survivors, struct tp_classification_result *result,
				  struct tp_diag *diag)
{
	struct choice choice;
	double *r = NULL;
	size_t k = 0;
	enum tp_status status = TP_OK;

	if (!choice_init(&choice, limits, survivors, n_survivors, result))
		goto no_memory;
	for (size_t s = 0; s < n_survivors; s++) {
		result->events[survivors[s]].fate = TP_FATE_DEPENDENT;
		result->events[survivors[s]].score = choice.score[s];
	}
	result->chosen = tp_classify_array(result->n_ideals, sizeof(*result->chosen));
	r = tp_classify_array(result->n_ideals * result->n_ideals, sizeof(*r));
	if (!result->chosen || !r)
		goto no_memory;
	for (; k < result->n_ideals; k++) {
		size_t best = best_of(&choice);

		if (best == n_survivors)
			break;
		struct tp_classified *event = &result->events[survivors[best]];

		event->fate = TP_FATE_CHOSEN;
		event->order = k;
		event->score = choice.score[best];
		choice.order[best] = (long)k;
		result->chosen[k] = survivors[best];
		reflect(&choice, best, k);
	}
	result->n_chosen = k;
	for (size_t s = 0; s < n_survivors; s++) {
		result->events[survivors[s]].norm = choice.norm[s];
		for (size_t i = 0; choice.order[s] != NOT_TAKEN && i < k; i++)
			r[i * k + (size_t)choice.order[s]] = choice.work[s * choice.n_ideals + i];
	}
	result->dependence = tp_classify_array(result->n_events * k, sizeof(*result->dependence));
	if (!result->dependence)
		goto no_memory;
	depend(&choice, survivors, r, result);
	goto out;
no_memory:
	status = tp_fail(diag, TP_NOMEM, NULL, NULL,
			 "out of memory for %zu events and %zu ideal events", result->n_events,
			 result->n_ideals);
out:
	choice_release(&choice);
	free(r);
	return status;
}
