/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All columns are centred and scaled to length 1, so units do not affect which columns count as
 * dependent. The rows are folded into a triangle block by block (QR), so memory does not grow with
 * them; the triangle has the singular values of all rows.
 */
#include "analysis/linear.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/memory.h"

enum { BLOCK_ROWS = 1024 };

/* Singular values below this share of the largest count as zero; more for more rows, whose
 * roundings add up. */
static const double rank_least = 1e-13;

/* A coefficient with more than this in a direction of zero is not determined. */
static const double share_least = 1e-6;

/* A column as centre + scale * (column of length 1); scale 0: constant. */
struct column {
	const double *values;
	double centre, scale;
};

struct fit {
	size_t n_rows, p; /* p features; column p is the target */
	struct column *columns;
	double *folded; /* the triangle, and below it the rows of a block */
	size_t block_rows;
	double *triangle, *v, *s, *work, *solution; /* of the singular values */
	double left_over; /* squared residuals, in units of the target's scale squared */
	size_t rank; /* of the features */
};

/* Overflows only where the values nearly do. */
static struct column centred(const double *values, size_t n)
{
	struct column column = { .values = values };
	double most = 0, largest = 0, squares = 0, left = 0;

	for (size_t i = 0; i < n; i++)
		column.centre += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		left += (values[i] - column.centre) / (double)n;
	column.centre += left;
	for (size_t i = 0; i < n; i++) {
		most = fmax(most, fabs(values[i] - column.centre));
		largest = fmax(largest, fabs(values[i]));
	}
	/* The mean of equal numbers need not be that number to the last bit. */
	if (!(most > 4 * DBL_EPSILON * largest))
		return column;
	for (size_t i = 0; i < n; i++) {
		double part = (values[i] - column.centre) / most;

		squares += part * part;
	}
	column.scale = most * sqrt(squares);
	return column;
}

static double unit_of(const struct column *column, size_t row)
{
	return column->scale > 0 ? (column->values[row] - column->centre) / column->scale : 0;
}

/* Folds all rows into the triangle at the beginning of `folded`: p + 1 columns. */
static void fold(struct fit *fit)
{
	size_t n = fit->p + 1, filled = 0;

	for (size_t row = 0; row < fit->n_rows && !tp_stop_asked;) {
		size_t end = TP_MIN(row + fit->block_rows, fit->n_rows);

		for (; row < end; row++, filled++)
			for (size_t c = 0; c < n; c++)
				fit->folded[filled * n + c] = unit_of(&fit->columns[c], row);
		gsl_matrix_view all = gsl_matrix_view_array(fit->folded, filled, n);
		gsl_vector_view tau = gsl_vector_view_array(fit->work, TP_MIN(filled, n));

		gsl_linalg_QR_decomp(&all.matrix, &tau.vector);
		filled = TP_MIN(filled, n);
		for (size_t i = 1; i < filled; i++)
			memset(&fit->folded[i * n], 0, i * sizeof(double));
	}
	/* Fewer rows than columns: the others are zeros. */
	memset(&fit->folded[filled * n], 0, (n - filled) * n * sizeof(double));
}

/* Least squares by singular values: coefficients of the scaled columns. */
static enum tp_status solve(struct fit *fit, struct tp_diag *diag)
{
	size_t p = fit->p;
	double corner = fit->folded[p * (p + 1) + p];

	fit->left_over = corner * corner;
	if (!p)
		return TP_OK;
	for (size_t i = 0; i < p; i++)
		memcpy(&fit->triangle[i * p], &fit->folded[i * (p + 1)], p * sizeof(double));
	gsl_matrix_view u = gsl_matrix_view_array(fit->triangle, p, p);
	gsl_matrix_view v = gsl_matrix_view_array(fit->v, p, p);
	gsl_vector_view s = gsl_vector_view_array(fit->s, p);
	gsl_vector_view work = gsl_vector_view_array(fit->work, p);

	if (gsl_linalg_SV_decomp(&u.matrix, &v.matrix, &s.vector, &work.vector))
		return tp_fail(diag, TP_FAILED, NULL, NULL,
			       "singular values of the features were not found");
	double least = fit->s[0] * fmax(rank_least, DBL_EPSILON * (double)fit->n_rows);

	while (fit->rank < p && fit->s[fit->rank] > least)
		fit->rank++;
	for (size_t k = 0; k < p; k++) {
		double along = 0;

		for (size_t i = 0; i < p; i++)
			along += fit->triangle[i * p + k] * fit->folded[i * (p + 1) + p];
		if (k >= fit->rank) {
			fit->left_over += along * along;
			continue;
		}
		for (size_t i = 0; i < p; i++)
			fit->solution[i] += fit->v[i * p + k] * along / fit->s[k];
	}
	return TP_OK;
}

/*
 * Variance, in units of the residuals', of the sum of weights[i] times the coefficient of the
 * scaled column i; NaN if that sum is not determined.
 */
static double variance_of(const struct fit *fit, const double *weights)
{
	double sum = 0, size = 0;

	for (size_t i = 0; i < fit->p; i++)
		size += fabs(weights[i]);
	for (size_t k = 0; k < fit->p; k++) {
		double along = 0;

		for (size_t i = 0; i < fit->p; i++)
			along += fit->v[i * fit->p + k] * weights[i];
		if (k >= fit->rank && fabs(along) > share_least * size)
			return NAN;
		if (k < fit->rank)
			sum += along * along / (fit->s[k] * fit->s[k]);
	}
	return sum;
}

static void set_interval(struct tp_linear *linear, size_t at, double deviation, double t)
{
	linear->low[at] = linear->coefficients[at] - t * deviation;
	linear->high[at] = linear->coefficients[at] + t * deviation;
}

/* From scaled columns back to the units of the data. */
static void tell(const struct fit *fit, double confidence, struct tp_linear *linear)
{
	const struct column *target = &fit->columns[fit->p];
	double spare = (double)fit->n_rows - (double)fit->rank - 1;
	double t = spare > 0 ? gsl_cdf_tdist_Qinv(0.5 * (1 - confidence), spare) : NAN;
	double *weights = fit->work;

	linear->rank = fit->rank + 1;
	if (target->scale > 0)
		linear->r2 = 1 - fmin(fit->left_over, 1);
	linear->residual_deviation = spare > 0 ? target->scale * sqrt(fit->left_over / spare) : NAN;
	linear->adjusted_r2 =
		target->scale > 0 ? 1 - (1 - linear->r2) * ((double)fit->n_rows - 1) / spare : 0;
	if (!(spare > 0))
		linear->adjusted_r2 = NAN;

	linear->coefficients[0] = target->centre;
	for (size_t f = 0; f < fit->p; f++) {
		const struct column *column = &fit->columns[f];
		double in_units = column->scale > 0 ? 1 / column->scale : 0;

		linear->coefficients[f + 1] = target->scale * fit->solution[f] * in_units;
		linear->coefficients[0] -= linear->coefficients[f + 1] * column->centre;
		memset(weights, 0, fit->p * sizeof(*weights));
		weights[f] = 1;
		set_interval(linear, f + 1,
			     column->scale > 0 ? linear->residual_deviation * in_units *
							 sqrt(variance_of(fit, weights))
					       : NAN,
			     t);
	}
	for (size_t f = 0; f < fit->p; f++) {
		const struct column *column = &fit->columns[f];

		weights[f] = column->scale > 0 ? column->centre / column->scale : 0;
	}
	set_interval(linear, 0,
		     linear->residual_deviation *
			     sqrt(1 / (double)fit->n_rows + variance_of(fit, weights)),
		     t);
}

enum tp_status tp_linear_fit(struct tp_linear *linear, const struct tp_dataset *data,
			     const double *target, double confidence, struct tp_diag *diag)
{
	struct fit fit = { .n_rows = data->n_rows, .p = data->n_features };

	if (data->n_rows < data->n_features + 1)
		return tp_fail(diag, TP_USAGE, NULL, "fewer features, or more rows",
			       "%zu rows do not determine %zu coefficients", data->n_rows,
			       data->n_features + 1);
	size_t n = fit.p + 1;
	fit.block_rows = TP_MAX(n, BLOCK_ROWS);
	TP_FREE struct column *columns = fit.columns = tp_alloc(n, sizeof(*columns));
	TP_FREE double *room = tp_alloc((n + fit.block_rows) * n + (2 * n + 3) * n, sizeof(*room));

	fit.folded = room;
	fit.triangle = fit.folded + (n + fit.block_rows) * n;
	fit.v = fit.triangle + n * n;
	fit.s = fit.v + n * n;
	fit.work = fit.s + n;
	fit.solution = fit.work + n;
	linear->n = n;
	linear->coefficients = tp_alloc(n, sizeof(double));
	linear->low = tp_alloc(n, sizeof(double));
	linear->high = tp_alloc(n, sizeof(double));
	/* GSL's own handler ends the process; missing singular values are not worth that. */
	gsl_error_handler_t *handler = gsl_set_error_handler_off();

	for (size_t f = 0; f < fit.p && !tp_stop_asked; f++)
		fit.columns[f] = centred(data->features[f], fit.n_rows);
	fit.columns[fit.p] = centred(target, fit.n_rows);
	fold(&fit);
	enum tp_status status = tp_stop_asked ? tp_fail(diag, TP_CANCELLED, NULL, NULL, "cancelled")
					      : solve(&fit, diag);
	if (!status)
		tell(&fit, confidence, linear);
	else
		tp_linear_release(linear);
	gsl_set_error_handler(handler);
	return status;
}

void tp_linear_release(struct tp_linear *linear)
{
	free(linear->coefficients);
	free(linear->low);
	free(linear->high);
	*linear = (struct tp_linear){ 0 };
}

struct ranked {
	double value;
	size_t at;
};

/* 0 for a constant column, whose deviations are then all 0, too. */
static double largest_deviation(const double *x, size_t n, double *mean)
{
	double least = INFINITY, most = -INFINITY;

	*mean = 0;
	for (size_t i = 0; i < n; i++) {
		*mean += x[i] / (double)n;
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	return most > least ? fmax(most - *mean, *mean - least) : 0;
}

double tp_correlation(const double *x, const double *y, size_t n)
{
	double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
	double most_x = largest_deviation(x, n, &mean_x), most_y = largest_deviation(y, n, &mean_y);

	if (!(most_x > 0) || !(most_y > 0))
		return NAN;
	for (size_t i = 0; i < n; i++) {
		double dx = (x[i] - mean_x) / most_x, dy = (y[i] - mean_y) / most_y;

		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	return fmax(-1, fmin(1, xy / sqrt(xx * yy)));
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

static void rank(const double *x, size_t n, struct ranked *sorted, double *ranks)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct ranked){ x[i], i };
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && sorted[end].value <= sorted[first].value;)
			end++;
		for (size_t i = first; i < end; i++)
			ranks[sorted[i].at] = 0.5 * (double)(first + 1 + end);
	}
}

double tp_rank_correlation(const double *x, const double *y, size_t n)
{
	TP_FREE struct ranked *sorted = tp_alloc(n, sizeof(*sorted));
	TP_FREE double *of_x = tp_alloc(n, sizeof(*of_x)), *of_y = tp_alloc(n, sizeof(*of_y));

	rank(x, n, sorted, of_x);
	rank(y, n, sorted, of_y);
	return tp_correlation(of_x, of_y, n);
}
