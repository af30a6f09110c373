/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as combinations of ideal events: least squares against an expectation matrix that is
 * factored once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "analysis/classify_steps.h"

#define DEPENDENT_RELATIVE 1e-10
#define PART_RELATIVE	   1e-8 /* a smaller coefficient is no part of a combination */

void *tp_classify_array(size_t n, size_t size_bytes)
{
	return calloc(n ? n : 1, size_bytes);
}

/* --- dependent columns --- */

/*
 * Scales columns to unit length, so that a rare ideal event counts as much as a frequent one. A
 * column of zeros is reported.
 */
static bool scale_columns(double *a, size_t n_rows, size_t n_ideals, size_t *zero)
{
	for (size_t j = 0; j < n_ideals; j++) {
		gsl_vector_view column = gsl_vector_view_array_with_stride(a + j, n_ideals, n_rows);
		double norm = gsl_blas_dnrm2(&column.vector);

		if (!(norm > 0)) {
			*zero = j;
			return false;
		}
		gsl_vector_scale(&column.vector, 1 / norm);
	}
	return true;
}

/* The column after `rank` independent ones as their combination: R11 c = r12. */
static void name_parts(const double *a, size_t n_ideals, size_t rank, const size_t *order,
		       double *part, size_t *columns, size_t *n)
{
	gsl_matrix_const_view r = gsl_matrix_const_view_array_with_tda(a, rank, rank, n_ideals);
	gsl_vector_view c = gsl_vector_view_array(part, rank);

	for (size_t i = 0; i < rank; i++)
		part[i] = a[i * n_ideals + rank];
	gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &r.matrix, &c.vector);
	columns[0] = order[rank];
	*n = 1;
	for (size_t i = 0; i < rank; i++)
		if (fabs(part[i]) > PART_RELATIVE)
			columns[(*n)++] = order[i];
}

enum tp_status tp_dependent_columns(const double *expectations, size_t n_rows, size_t n_ideals,
				    size_t *columns, size_t *n, struct tp_diag *diag)
{
	size_t limit = n_rows < n_ideals ? n_rows : n_ideals, zero = 0, rank = 0;
	double *a = tp_classify_array(n_rows * n_ideals, sizeof(*a));
	double *tau = tp_classify_array(n_ideals, sizeof(*tau));
	double *scratch = tp_classify_array(n_ideals, sizeof(*scratch));
	size_t *order = tp_classify_array(n_ideals, sizeof(*order));
	enum tp_status status = TP_OK;
	gsl_permutation permutation = { .size = n_ideals, .data = order };
	int sign;

	*n = 0;
	if (!a || !tau || !scratch || !order) {
		status = tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory for %zu ideal events",
				 n_ideals);
		goto out;
	}
	if (n_ideals == 0)
		goto out;
	if (n_rows > 0)
		memcpy(a, expectations, n_rows * n_ideals * sizeof(*a));
	if (n_rows == 0 || !scale_columns(a, n_rows, n_ideals, &zero)) {
		columns[0] = zero;
		*n = 1;
		goto out;
	}
	gsl_matrix_view matrix = gsl_matrix_view_array(a, n_rows, n_ideals);
	gsl_vector_view taus = gsl_vector_view_array(tau, limit);
	gsl_vector_view norms = gsl_vector_view_array(scratch, n_ideals);

	gsl_linalg_QRPT_decomp(&matrix.matrix, &taus.vector, &permutation, &sign, &norms.vector);
	while (rank < limit && fabs(a[rank * n_ideals + rank]) > DEPENDENT_RELATIVE * fabs(a[0]))
		rank++;
	if (rank < n_ideals)
		name_parts(a, n_ideals, rank, order, scratch, columns, n);
out:
	free(a);
	free(tau);
	free(scratch);
	free(order);
	return status;
}

static enum tp_status refuse_dependent(const double *expectations, size_t n_rows, size_t n_ideals,
				       struct tp_diag *diag)
{
	size_t *columns = tp_classify_array(n_ideals, sizeof(*columns)), n = 0, used = 0;
	char list[200] = "";
	enum tp_status status;

	if (!columns)
		return tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory for %zu ideal events",
			       n_ideals);
	status = tp_dependent_columns(expectations, n_rows, n_ideals, columns, &n, diag);
	for (size_t i = 1; i < n && used + 24 < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%zu",
					 i == 1	      ? ""
					 : i + 1 == n ? " and "
						      : ", ",
					 columns[i]);
	if (n == 1)
		status = tp_fail(diag, TP_USAGE, "expectations",
				 "every ideal event must occur in some row",
				 "column %zu is zero in every row", columns[0]);
	else if (n > 1)
		status = tp_fail(
			diag, TP_USAGE, "expectations",
			"no row distinguishes these ideal events: leave one out, or add rows",
			"column %zu is a combination of column%s %s", columns[0], n == 2 ? "" : "s",
			list);
	free(columns);
	return status;
}

/* --- factors --- */

/* Row j of Q^T is Q applied to the j-th unit vector. */
static void unpack_q(struct tp_factored *f, const gsl_matrix *packed, const gsl_vector *tau)
{
	for (size_t j = 0; j < f->n_ideals; j++) {
		gsl_vector_view row = gsl_vector_view_array(f->qt + j * f->n_rows, f->n_rows);

		gsl_vector_set_basis(&row.vector, j);
		gsl_linalg_QR_Qvec(packed, tau, &row.vector);
	}
}

static void compress(struct tp_factored *f, const double *expectations)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_rows; i++) {
		for (size_t j = 0; j < f->n_ideals; j++) {
			double value = expectations[i * f->n_ideals + j];

			if (!(fabs(value) > 0))
				continue;
			f->column[n] = j;
			f->value[n++] = value;
		}
		f->start[i + 1] = n;
	}
}

enum tp_status tp_factored_init(struct tp_factored *f, const double *expectations, size_t n_rows,
				size_t n_ideals, struct tp_diag *diag)
{
	enum tp_status status = refuse_dependent(expectations, n_rows, n_ideals, diag);
	double *tau = NULL;

	*f = (struct tp_factored){ .n_rows = n_rows, .n_ideals = n_ideals };
	if (status != TP_OK)
		return status;
	tau = tp_classify_array(n_ideals, sizeof(*tau));
	f->qt = tp_classify_array(n_ideals * n_rows, sizeof(*f->qt));
	f->r = tp_classify_array(n_rows * n_ideals, sizeof(*f->r));
	f->start = tp_classify_array(n_rows + 1, sizeof(*f->start));
	f->column = tp_classify_array(n_rows * n_ideals, sizeof(*f->column));
	f->value = tp_classify_array(n_rows * n_ideals, sizeof(*f->value));
	f->rest = tp_classify_array(n_rows, sizeof(*f->rest));
	f->step = tp_classify_array(n_ideals, sizeof(*f->step));
	if (!tau || !f->qt || !f->r || !f->start || !f->column || !f->value || !f->rest ||
	    !f->step) {
		status = tp_fail(diag, TP_NOMEM, NULL, NULL,
				 "out of memory for a basis of %zu rows and %zu ideal events",
				 n_rows, n_ideals);
		goto out;
	}
	compress(f, expectations);
	if (n_ideals == 0)
		goto out;
	memcpy(f->r, expectations, n_rows * n_ideals * sizeof(*f->r));
	gsl_matrix_view packed = gsl_matrix_view_array(f->r, n_rows, n_ideals);
	gsl_vector_view taus = gsl_vector_view_array(tau, n_ideals);

	gsl_linalg_QR_decomp(&packed.matrix, &taus.vector);
	unpack_q(f, &packed.matrix, &taus.vector);
out:
	free(tau);
	return status;
}

void tp_factored_release(struct tp_factored *f)
{
	free(f->qt);
	free(f->r);
	free(f->start);
	free(f->column);
	free(f->value);
	free(f->rest);
	free(f->step);
	*f = (struct tp_factored){ 0 };
}

/*
 * rest = m - E x, in higher precision: one step of refinement with it gives the exact x of an event
 * that is an exact combination.
 */
static double take_rest(struct tp_factored *f, const double *m, const double *x)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		long double sum = m[i];

		for (size_t k = f->start[i]; k < f->start[i + 1]; k++)
			sum -= (long double)f->value[k] * x[f->column[k]];
		f->rest[i] = (double)sum;
	}
	gsl_vector_const_view rest = gsl_vector_const_view_array(f->rest, f->n_rows);

	return gsl_blas_dnrm2(&rest.vector);
}

/* x = R^-1 Q^T m. */
static void solve(const struct tp_factored *f, const double *m, double *x)
{
	gsl_matrix_const_view qt = gsl_matrix_const_view_array(f->qt, f->n_ideals, f->n_rows);
	gsl_matrix_const_view r = gsl_matrix_const_view_array(f->r, f->n_ideals, f->n_ideals);
	gsl_vector_const_view from = gsl_vector_const_view_array(m, f->n_rows);
	gsl_vector_view to = gsl_vector_view_array(x, f->n_ideals);

	gsl_blas_dgemv(CblasNoTrans, 1, &qt.matrix, &from.vector, 0, &to.vector);
	gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &r.matrix, &to.vector);
}

double tp_factored_represent(struct tp_factored *f, const double *m, double *x)
{
	gsl_vector_const_view counts = gsl_vector_const_view_array(m, f->n_rows);

	if (f->n_ideals == 0)
		return 1;
	solve(f, m, x);
	take_rest(f, m, x);
	solve(f, f->rest, f->step);
	for (size_t j = 0; j < f->n_ideals; j++)
		x[j] += f->step[j];
	return take_rest(f, m, x) / gsl_blas_dnrm2(&counts.vector);
}
