/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics as combinations of the chosen events, and how good that is: the backward error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "analysis/classify_steps.h"

/* The chosen columns X^, n x k with k <= n, and their factors. */
struct columns {
	size_t n, k;
	double *x; /* n x k */
	double *qr; /* n x k */
	double *tau; /* k */
	double *rest; /* n */
	double *unused; /* n: the residual, which the solver requires */
};

static void columns_release(struct columns *c)
{
	free(c->x);
	free(c->qr);
	free(c->tau);
	free(c->rest);
	free(c->unused);
}

static bool columns_init(struct columns *c, const struct tp_classification_result *result)
{
	size_t n = result->n_ideals, k = result->n_chosen;

	*c = (struct columns){ .n = n, .k = k };
	c->x = tp_classify_array(n * k, sizeof(*c->x));
	c->qr = tp_classify_array(n * k, sizeof(*c->qr));
	c->tau = tp_classify_array(k, sizeof(*c->tau));
	c->rest = tp_classify_array(n, sizeof(*c->rest));
	c->unused = tp_classify_array(n, sizeof(*c->unused));
	if (!c->x || !c->qr || !c->tau || !c->rest || !c->unused)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < k; j++)
			c->x[i * k + j] = result->x[result->chosen[j] * n + i];
	if (k == 0)
		return true;
	memcpy(c->qr, c->x, n * k * sizeof(*c->qr));
	gsl_matrix_view qr = gsl_matrix_view_array(c->qr, n, k);
	gsl_vector_view tau = gsl_vector_view_array(c->tau, k);

	gsl_linalg_QR_decomp(&qr.matrix, &tau.vector);
	return true;
}

/* rest = s - X^ y, in higher precision. */
static void take_rest(struct columns *c, const double *s, const double *y)
{
	for (size_t i = 0; i < c->n; i++) {
		long double sum = s[i];

		for (size_t j = 0; j < c->k; j++)
			sum -= (long double)c->x[i * c->k + j] * y[j];
		c->rest[i] = (double)sum;
	}
}

static void solve(struct columns *c, const double *s, double *y)
{
	gsl_matrix_const_view qr = gsl_matrix_const_view_array(c->qr, c->n, c->k);
	gsl_vector_const_view tau = gsl_vector_const_view_array(c->tau, c->k);
	gsl_vector_const_view from = gsl_vector_const_view_array(s, c->n);
	gsl_vector_view to = gsl_vector_view_array(y, c->k);
	gsl_vector_view unused = gsl_vector_view_array(c->unused, c->n);

	gsl_linalg_QR_lssolve(&qr.matrix, &tau.vector, &from.vector, &to.vector, &unused.vector);
}

static double norm_of(const double *v, size_t n)
{
	if (n == 0)
		return 0;
	gsl_vector_const_view view = gsl_vector_const_view_array(v, n);

	return gsl_blas_dnrm2(&view.vector);
}

/* A signature of zeros is met by no events at all. */
static double backward_error(struct columns *c, const double *s, const double *y,
			     double spectral_norm)
{
	double scale = spectral_norm * norm_of(y, c->k) + norm_of(s, c->n);

	take_rest(c, s, y);
	return scale > 0 ? norm_of(c->rest, c->n) / scale : 0;
}

static void compose(struct columns *c, const double *s, double spectral_norm,
		    const struct tp_classify_limits *limits, double *y, double *rounded,
		    struct tp_composed *metric)
{
	if (c->k > 0)
		solve(c, s, y);
	for (size_t j = 0; j < c->k; j++)
		rounded[j] = tp_round_coefficient(y[j], limits->alpha);
	metric->error = backward_error(c, s, y, spectral_norm);
	metric->rounded_error = backward_error(c, s, rounded, spectral_norm);
	metric->defined = metric->error <= limits->defined;
}

/*
 * The largest singular value of X^. A failed decomposition returns an error instead of ending the
 * program.
 */
static enum tp_status spectral_norm_of(const struct columns *c, double *norm, struct tp_diag *diag)
{
	double *u = tp_classify_array(c->n * c->k, sizeof(*u));
	double *v = tp_classify_array(c->k * c->k, sizeof(*v));
	double *s = tp_classify_array(c->k, sizeof(*s)), *w = tp_classify_array(c->k, sizeof(*w));
	enum tp_status status = TP_OK;

	*norm = 0;
	if (!u || !v || !s || !w) {
		status = tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory for %zu events", c->k);
		goto out;
	}
	if (c->k == 0)
		goto out;
	memcpy(u, c->x, c->n * c->k * sizeof(*u));
	gsl_matrix_view left = gsl_matrix_view_array(u, c->n, c->k);
	gsl_matrix_view right = gsl_matrix_view_array(v, c->k, c->k);
	gsl_vector_view values = gsl_vector_view_array(s, c->k);
	gsl_vector_view work = gsl_vector_view_array(w, c->k);
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	int code = gsl_linalg_SV_decomp(&left.matrix, &right.matrix, &values.vector, &work.vector);

	gsl_set_error_handler(handler);
	if (code != GSL_SUCCESS)
		status = tp_fail(diag, TP_FAILED, NULL, NULL,
				 "the spectral norm of the chosen events: %s", gsl_strerror(code));
	else
		*norm = s[0];
out:
	free(u);
	free(v);
	free(s);
	free(w);
	return status;
}

enum tp_status tp_classify_compose(const struct tp_classify_limits *limits,
				   const double *signatures,
				   struct tp_classification_result *result, struct tp_diag *diag)
{
	size_t n_metrics = result->n_metrics, k = result->n_chosen;
	struct columns columns;
	enum tp_status status = TP_OK;

	result->coefficients = tp_classify_array(n_metrics * k, sizeof(*result->coefficients));
	result->rounded = tp_classify_array(n_metrics * k, sizeof(*result->rounded));
	result->metrics = tp_classify_array(n_metrics, sizeof(*result->metrics));
	if (!columns_init(&columns, result) || !result->coefficients || !result->rounded ||
	    !result->metrics) {
		status = tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory for %zu metrics",
				 n_metrics);
		goto out;
	}
	status = spectral_norm_of(&columns, &result->spectral_norm, diag);
	for (size_t m = 0; m < n_metrics && status == TP_OK; m++)
		compose(&columns, signatures + m * result->n_ideals, result->spectral_norm, limits,
			result->coefficients + m * k, result->rounded + m * k, &result->metrics[m]);
out:
	columns_release(&columns);
	return status;
}
