/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/classify.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

/* An expectation matrix, factored once. */
struct tp_factored {
	size_t n_rows, n_ideals;
	double *qt; /* n_ideals x n_rows: transposed thin Q of E = Q R */
	double *r; /* n_ideals x n_ideals, upper triangle */
	size_t *start; /* n_rows + 1: the nonzero entries of E, by rows */
	size_t *column;
	double *value;
	double *rest; /* n_rows, scratch */
	double *step; /* n_ideals, scratch */
};

static void *room(struct tp_arena *arena, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(arena, n * size_bytes);
}

#define DEPENDENT_RELATIVE 1e-10
#define PART_RELATIVE	   1e-8 /* a smaller coefficient does not count in a combination */

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

void tp_dependent_columns(const double *expectations, size_t n_rows, size_t n_ideals,
			  size_t *columns, size_t *n)
{
	size_t limit = n_rows < n_ideals ? n_rows : n_ideals, zero = 0, rank = 0;
	TP_FREE double *a = tp_alloc(n_rows * n_ideals, sizeof(*a));
	TP_FREE double *tau = tp_alloc(n_ideals, sizeof(*tau));
	TP_FREE double *scratch = tp_alloc(n_ideals, sizeof(*scratch));
	TP_FREE size_t *order = tp_alloc(n_ideals, sizeof(*order));
	gsl_permutation permutation = { .size = n_ideals, .data = order };
	int sign;

	*n = 0;
	if (n_ideals == 0)
		return;
	if (n_rows > 0)
		memcpy(a, expectations, n_rows * n_ideals * sizeof(*a));
	if (n_rows == 0 || !scale_columns(a, n_rows, n_ideals, &zero)) {
		columns[0] = zero;
		*n = 1;
		return;
	}
	gsl_matrix_view matrix = gsl_matrix_view_array(a, n_rows, n_ideals);
	gsl_vector_view taus = gsl_vector_view_array(tau, limit);
	gsl_vector_view norms = gsl_vector_view_array(scratch, n_ideals);

	gsl_linalg_QRPT_decomp(&matrix.matrix, &taus.vector, &permutation, &sign, &norms.vector);
	while (rank < limit && fabs(a[rank * n_ideals + rank]) > DEPENDENT_RELATIVE * fabs(a[0]))
		rank++;
	if (rank < n_ideals)
		name_parts(a, n_ideals, rank, order, scratch, columns, n);
}

static enum tp_status refuse_dependent(const double *expectations, size_t n_rows, size_t n_ideals,
				       struct tp_diag *diag)
{
	TP_FREE size_t *columns = tp_alloc(n_ideals, sizeof(*columns));
	size_t n = 0, used = 0;
	char list[200] = "";

	tp_dependent_columns(expectations, n_rows, n_ideals, columns, &n);
	for (size_t i = 1; i < n && used + 24 < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%zu",
					 i == 1	      ? ""
					 : i + 1 == n ? " and "
						      : ", ",
					 columns[i]);
	if (n == 1)
		return tp_fail(diag, TP_USAGE, "expectations",
			       "every ideal event must occur in some row",
			       "column %zu is zero in every row", columns[0]);
	if (n > 1)
		return tp_fail(
			diag, TP_USAGE, "expectations",
			"no row distinguishes these ideal events: leave one out, or add rows",
			"column %zu is a combination of column%s %s", columns[0], n == 2 ? "" : "s",
			list);
	return TP_OK;
}

/* --- factors --- */

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

/* TP_USAGE for dependent columns. */
static enum tp_status factored_init(struct tp_factored *f, struct tp_arena *arena,
				    const double *expectations, size_t n_rows, size_t n_ideals,
				    struct tp_diag *diag)
{
	enum tp_status status = refuse_dependent(expectations, n_rows, n_ideals, diag);

	*f = (struct tp_factored){ .n_rows = n_rows, .n_ideals = n_ideals };
	if (status != TP_OK)
		return status;
	TP_FREE double *tau = tp_alloc(n_ideals, sizeof(*tau));
	f->qt = room(arena, n_ideals * n_rows, sizeof(*f->qt));
	f->r = room(arena, n_rows * n_ideals, sizeof(*f->r));
	f->start = room(arena, n_rows + 1, sizeof(*f->start));
	f->column = room(arena, n_rows * n_ideals, sizeof(*f->column));
	f->value = room(arena, n_rows * n_ideals, sizeof(*f->value));
	f->rest = room(arena, n_rows, sizeof(*f->rest));
	f->step = room(arena, n_ideals, sizeof(*f->step));
	compress(f, expectations);
	if (n_ideals == 0)
		return TP_OK;
	memcpy(f->r, expectations, n_rows * n_ideals * sizeof(*f->r));
	gsl_matrix_view packed = gsl_matrix_view_array(f->r, n_rows, n_ideals);
	gsl_vector_view taus = gsl_vector_view_array(tau, n_ideals);

	gsl_linalg_QR_decomp(&packed.matrix, &taus.vector);
	/* Row j of Q^T is Q applied to the j-th unit vector. */
	for (size_t j = 0; j < f->n_ideals; j++) {
		gsl_vector_view row = gsl_vector_view_array(f->qt + j * f->n_rows, f->n_rows);

		gsl_vector_set_basis(&row.vector, j);
		gsl_linalg_QR_Qvec(&packed.matrix, &taus.vector, &row.vector);
	}
	return TP_OK;
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

/* x = argmin ||E x - m||, refined once; returns ||E x - m|| / ||m||. m is not zero. */
static double factored_represent(struct tp_factored *f, const double *m, double *x)
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

static const char *const fate_names[TP_FATE_COUNT] = {
#define TP_FATE_NAME(id, text) [TP_FATE_##id] = text,
	TP_FATE_LIST(TP_FATE_NAME)
#undef TP_FATE_NAME
};

const char *tp_fate_name(enum tp_fate fate)
{
	return (unsigned)fate < TP_FATE_COUNT ? fate_names[fate] : "unknown";
}

bool tp_fate_find(const char *name, enum tp_fate *fate)
{
	for (unsigned i = 0; i < TP_FATE_COUNT; i++)
		if (strcmp(name, fate_names[i]) == 0) {
			*fate = (enum tp_fate)i;
			return true;
		}
	return false;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

/* Scaled by the largest difference, so that squares neither overflow nor vanish. */
static double distance(const double *a, const double *b, size_t n)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(a[i] - b[i]));
	if (!(largest > 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		double part = (a[i] - b[i]) / largest;

		sum += part * part;
	}
	return largest * sqrt(sum);
}

static double pair_noise(const double *a, const double *b, size_t n)
{
	double mean_a = mean(a, n), mean_b = mean(b, n);
	bool some_a = mean_a > 0, some_b = mean_b > 0;

	if (!some_a && !some_b)
		return 0;
	if (some_a != some_b)
		return 1;
	return distance(a, b, n) / (sqrt((double)n) * sqrt(mean_a) * sqrt(mean_b));
}

double tp_event_noise(const double *const *vectors, size_t n_repetitions, size_t n_rows,
		      bool *irrelevant)
{
	double noise = 0;

	*irrelevant = true;
	for (size_t i = 0; i < n_repetitions; i++) {
		if (mean(vectors[i], n_rows) > 0)
			*irrelevant = false;
		for (size_t j = 0; j < i; j++)
			noise = fmax(noise, pair_noise(vectors[i], vectors[j], n_rows));
	}
	return noise;
}

double tp_round_alpha(double value, double alpha)
{
	return alpha * floor(value / alpha + 0.5);
}

double tp_pivot_score(const double *column, size_t n, double alpha)
{
	double score = 0;

	for (size_t i = 0; i < n; i++) {
		double v = fabs(tp_round_alpha(column[i], alpha));

		if (v >= 1)
			score += v;
		else if (v > 0)
			score += 1 / v;
	}
	return score;
}

double tp_round_coefficient(double value, double alpha)
{
	double rounded = tp_round_alpha(value, alpha), whole = round(rounded);

	/* -0 is 0. */
	return (fabs(rounded - whole) <= alpha * (1 + 1e-9) ? whole : rounded) + 0.0;
}

#define EQUAL_RELATIVE 1e-9 /* smaller differences of scores and norms are rounding errors */

#define EXACT_RELATIVE                                                                             \
	1e-12 /* a smaller part of a column is rounding, however small the event's noise */

enum { NOT_TAKEN = -1 };

/* The survivors, and the parts of their columns that are orthogonal to the pivots so far. */
struct choice {
	const struct tp_classify_input *input;
	const struct tp_classify_limits *limits; /* of the input */
	size_t n, n_ideals;
	double *work; /* n x n_ideals; one event's column is contiguous */
	double *pivot; /* n_ideals */
	double *score; /* n */
	double *norm; /* of the trailing part */
	double *tie; /* the norm that decides between equal scores */
	const size_t *survivors;
	const struct tp_classified *events;
	double *floor; /* a column whose norm is smaller is dependent */
	long *order; /* NOT_TAKEN or position */
};

static double norm_of(const double *v, size_t n)
{
	if (n == 0)
		return 0;
	gsl_vector_const_view view = gsl_vector_const_view_array(v, n);

	return gsl_blas_dnrm2(&view.vector);
}

static void choice_init(struct choice *c, struct tp_arena *arena,
			const struct tp_classify_input *input, const size_t *survivors, size_t n,
			const struct tp_classification_result *result)
{
	const struct tp_classify_limits *limits = &input->limits;
	size_t n_ideals = result->n_ideals;

	*c = (struct choice){ .input = input,
			      .limits = limits,
			      .n = n,
			      .n_ideals = n_ideals,
			      .survivors = survivors,
			      .events = result->events };
	c->work = room(arena, n * n_ideals, sizeof(*c->work));
	c->pivot = room(arena, n_ideals, sizeof(*c->pivot));
	c->score = room(arena, n, sizeof(*c->score));
	c->norm = room(arena, n, sizeof(*c->norm));
	c->tie = room(arena, n, sizeof(*c->tie));
	c->floor = room(arena, n, sizeof(*c->floor));
	c->order = room(arena, n, sizeof(*c->order));
	for (size_t s = 0; s < n; s++) {
		double *column = c->work + s * n_ideals;
		const struct tp_classified *event = &result->events[survivors[s]];
		double vague = fmax(fmax(event->noise, event->residual), EXACT_RELATIVE);

		memcpy(column, result->x + survivors[s] * n_ideals, n_ideals * sizeof(*column));
		c->score[s] = tp_pivot_score(column, n_ideals, limits->alpha);
		c->norm[s] = c->tie[s] = norm_of(column, n_ideals);
		c->floor[s] = fmax(limits->alpha * sqrt((double)n_ideals), vague * c->norm[s]);
		c->order[s] = NOT_TAKEN;
	}
}

static bool may_be_chosen(const struct choice *c, size_t s)
{
	return c->order[s] == NOT_TAKEN && c->norm[s] >= c->floor[s];
}

static bool is_named(const struct choice *c, size_t s)
{
	return !c->input->named || c->input->named(c->input->context, c->survivors[s]);
}

/* Below 0: a is better; 0: equal up to rounding errors. */
static int less(double a, double b)
{
	if (fabs(a - b) <= EQUAL_RELATIVE * fmax(fabs(a), fabs(b)))
		return 0;
	return a < b ? -1 : 1;
}

/* The rule of ties, see the header. */
static bool is_better(const struct choice *c, size_t a, size_t b)
{
	const struct tp_classified *x = &c->events[c->survivors[a]],
				   *y = &c->events[c->survivors[b]];
	int order = less(c->score[a], c->score[b]);

	if (!order)
		order = less(tp_round_alpha(c->tie[a], c->limits->alpha),
			     tp_round_alpha(c->tie[b], c->limits->alpha));
	if (!order)
		order = less(fmax(x->residual, EXACT_RELATIVE), fmax(y->residual, EXACT_RELATIVE));
	if (!order)
		order = less(fmax(x->noise, EXACT_RELATIVE), fmax(y->noise, EXACT_RELATIVE));
	return order ? order < 0 : is_named(c, a) > is_named(c, b);
}

/*
 * The best named event that would be dependent if `best` were chosen: the remainders of both are
 * equal up to a factor. Else, or if `best` is named, `best` itself.
 */
static size_t named_beside(const struct choice *c, size_t best, size_t step)
{
	size_t left = c->n_ideals - step, named = best;
	gsl_vector_const_view u =
		gsl_vector_const_view_array(c->work + best * c->n_ideals + step, left);

	for (size_t s = 0; s < c->n && !is_named(c, best); s++) {
		gsl_vector_const_view v =
			gsl_vector_const_view_array(c->work + s * c->n_ideals + step, left);
		double dot;

		if (!may_be_chosen(c, s) || !is_named(c, s))
			continue;
		gsl_blas_ddot(&u.vector, &v.vector, &dot);
		dot /= c->norm[best];
		if (c->norm[s] * c->norm[s] - dot * dot > pow(fmax(c->floor[s], c->floor[best]), 2))
			continue;
		if (named == best || is_better(c, s, named))
			named = s;
	}
	return named;
}

/* The best column that can still be chosen; n = none. */
static size_t best_of(const struct choice *c)
{
	size_t best = c->n;

	for (size_t s = 0; s < c->n; s++)
		if (may_be_chosen(c, s) && (best == c->n || is_better(c, s, best)))
			best = s;
	return best;
}

/* Reflects every column so that the chosen one ends at row `step`, and updates the remainders. */
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

/*
 * Chooses among `survivors` (event indexes in order; the result holds their x and noise). Fills in
 * chosen and dependence, and fate, score, norm and order of the survivors.
 */
static void classify_choose(struct tp_arena *arena, const struct tp_classify_input *input,
			    const size_t *survivors, size_t n_survivors,
			    struct tp_classification_result *result)
{
	struct choice choice;
	size_t k = 0;

	choice_init(&choice, arena, input, survivors, n_survivors, result);
	for (size_t s = 0; s < n_survivors; s++) {
		result->events[survivors[s]].fate = TP_FATE_DEPENDENT;
		result->events[survivors[s]].score = choice.score[s];
	}
	result->chosen = room(&result->arena, result->n_ideals, sizeof(*result->chosen));
	double *r = room(arena, result->n_ideals * result->n_ideals, sizeof(*r));
	for (; k < result->n_ideals; k++) {
		size_t best = best_of(&choice);

		if (best == n_survivors)
			break;
		best = named_beside(&choice, best, k);
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
	result->dependence =
		room(&result->arena, result->n_events * k, sizeof(*result->dependence));
	depend(&choice, survivors, r, result);
}

/* The chosen columns X^, n x k with k <= n, and their factors. */
struct columns {
	size_t n, k;
	double *x; /* n x k */
	double *qr; /* n x k */
	double *tau; /* k */
	double *rest; /* n */
	double *unused; /* n: the residual, which the solver requires */
};

static void columns_init(struct columns *c, struct tp_arena *arena,
			 const struct tp_classification_result *result)
{
	size_t n = result->n_ideals, k = result->n_chosen;

	*c = (struct columns){ .n = n, .k = k };
	c->x = room(arena, n * k, sizeof(*c->x));
	c->qr = room(arena, n * k, sizeof(*c->qr));
	c->tau = room(arena, k, sizeof(*c->tau));
	c->rest = room(arena, n, sizeof(*c->rest));
	c->unused = room(arena, n, sizeof(*c->unused));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < k; j++)
			c->x[i * k + j] = result->x[result->chosen[j] * n + i];
	if (k == 0)
		return;
	memcpy(c->qr, c->x, n * k * sizeof(*c->qr));
	gsl_matrix_view qr = gsl_matrix_view_array(c->qr, n, k);
	gsl_vector_view tau = gsl_vector_view_array(c->tau, k);

	gsl_linalg_QR_decomp(&qr.matrix, &tau.vector);
}

/* No event matches a signature of zeros. */
static double backward_error(struct columns *c, const double *s, const double *y,
			     double spectral_norm)
{
	double scale = spectral_norm * norm_of(y, c->k) + norm_of(s, c->n);

	/* rest = s - X^ y, in higher precision. */
	for (size_t i = 0; i < c->n; i++) {
		long double sum = s[i];

		for (size_t j = 0; j < c->k; j++)
			sum -= (long double)c->x[i * c->k + j] * y[j];
		c->rest[i] = (double)sum;
	}
	return scale > 0 ? norm_of(c->rest, c->n) / scale : 0;
}

static void compose(struct columns *c, const double *s, double spectral_norm,
		    const struct tp_classify_limits *limits, double *y, double *rounded,
		    struct tp_composed *metric)
{
	if (c->k > 0) {
		gsl_matrix_const_view qr = gsl_matrix_const_view_array(c->qr, c->n, c->k);
		gsl_vector_const_view tau = gsl_vector_const_view_array(c->tau, c->k);
		gsl_vector_const_view from = gsl_vector_const_view_array(s, c->n);
		gsl_vector_view to = gsl_vector_view_array(y, c->k);
		gsl_vector_view unused = gsl_vector_view_array(c->unused, c->n);

		gsl_linalg_QR_lssolve(&qr.matrix, &tau.vector, &from.vector, &to.vector,
				      &unused.vector);
	}
	for (size_t j = 0; j < c->k; j++) {
		double most = 0;

		rounded[j] = tp_round_coefficient(y[j], limits->alpha);
		if (rounded[j] != 0)
			continue;
		for (size_t i = 0; i < c->n; i++)
			most = fmax(most, fabs(c->x[i * c->k + j] * y[j]));
		if (most < limits->alpha)
			y[j] = 0;
		rounded[j] = y[j];
	}
	metric->error = backward_error(c, s, y, spectral_norm);
	metric->rounded_error = backward_error(c, s, rounded, spectral_norm);
}

/*
 * The largest singular value of X^. A failed decomposition returns an error instead of ending the
 * program.
 */
static enum tp_status spectral_norm_of(const struct columns *c, double *norm, struct tp_diag *diag)
{
	TP_FREE double *u = tp_alloc(c->n * c->k, sizeof(*u));
	TP_FREE double *v = tp_alloc(c->k * c->k, sizeof(*v));
	TP_FREE double *s = tp_alloc(c->k, sizeof(*s));
	TP_FREE double *w = tp_alloc(c->k, sizeof(*w));

	*norm = 0;
	if (c->k == 0)
		return TP_OK;
	memcpy(u, c->x, c->n * c->k * sizeof(*u));
	gsl_matrix_view left = gsl_matrix_view_array(u, c->n, c->k);
	gsl_matrix_view right = gsl_matrix_view_array(v, c->k, c->k);
	gsl_vector_view values = gsl_vector_view_array(s, c->k);
	gsl_vector_view work = gsl_vector_view_array(w, c->k);
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	int code = gsl_linalg_SV_decomp(&left.matrix, &right.matrix, &values.vector, &work.vector);

	gsl_set_error_handler(handler);
	if (code != GSL_SUCCESS)
		return tp_fail(diag, TP_FAILED, NULL, NULL,
			       "the spectral norm of the chosen events: %s", gsl_strerror(code));
	*norm = s[0];
	return TP_OK;
}

/* Fills in coefficients, rounded, metrics and spectral_norm for the chosen events. */
static enum tp_status classify_compose(struct tp_arena *arena,
				       const struct tp_classify_limits *limits,
				       const double *signatures,
				       struct tp_classification_result *result,
				       struct tp_diag *diag)
{
	size_t n_metrics = result->n_metrics, k = result->n_chosen;
	struct columns columns;

	result->coefficients = room(&result->arena, n_metrics * k, sizeof(*result->coefficients));
	result->rounded = room(&result->arena, n_metrics * k, sizeof(*result->rounded));
	result->metrics = room(&result->arena, n_metrics, sizeof(*result->metrics));
	columns_init(&columns, arena, result);
	enum tp_status status = spectral_norm_of(&columns, &result->spectral_norm, diag);
	for (size_t m = 0; m < n_metrics && status == TP_OK; m++)
		compose(&columns, signatures + m * result->n_ideals, result->spectral_norm, limits,
			result->coefficients + m * k, result->rounded + m * k, &result->metrics[m]);
	return status;
}

/* --- the input --- */

static bool all_finite(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]))
			return false;
	return true;
}

static enum tp_status check(const struct tp_classify_input *input, struct tp_diag *diag)
{
	const struct tp_classify_limits *limits = &input->limits;

	if (input->n_ideals == 0)
		return tp_fail(diag, TP_USAGE, "expectations", "name one ideal event or more",
			       "no ideal event is given");
	if (input->n_rows < input->n_ideals)
		return tp_fail(diag, TP_USAGE, "expectations",
			       "at least as many rows as ideal events are needed to separate them",
			       "%zu row%s for %zu ideal events", input->n_rows,
			       input->n_rows == 1 ? "" : "s", input->n_ideals);
	if (!all_finite(input->expectations, input->n_rows * input->n_ideals))
		return tp_fail(diag, TP_USAGE, "expectations", "use finite numbers",
			       "an expectation is not a finite number");
	if (!all_finite(input->signatures, input->n_metrics * input->n_ideals))
		return tp_fail(diag, TP_USAGE, "signatures", "use finite numbers",
			       "a signature is not a finite number");
	if (!(limits->alpha > 0) || !isfinite(limits->alpha))
		return tp_fail(diag, TP_USAGE, "limits", "a number above 0, such as 5e-4",
			       "alpha is %g", limits->alpha);
	if (!(limits->noise >= 0) || !(limits->residual >= 0) || !(limits->defined >= 0) ||
	    !(limits->rows >= 0))
		return tp_fail(diag, TP_USAGE, "limits", "use numbers that are not negative",
			       "the limits are %g (noise), %g (residual), %g (backward error), %g "
			       "(row error)",
			       limits->noise, limits->residual, limits->defined, limits->rows);
	return TP_OK;
}

/* --- one event --- */

struct sieve {
	const struct tp_classify_input *input;
	struct tp_factored factored;
	double *scratch; /* n_repetitions x n_rows */
	double **vectors; /* those that exist, in scratch */
	double *kept; /* n_repetitions */
	double *average; /* n_rows */
};

static bool all_counts(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]) || v[i] < 0)
			return false;
	return true;
}

/*
 * A value that at least half of a row's repetitions share exactly marks the others as disturbed: it
 * replaces them, so that they do not count; the mean replaces unmeasured ones. NaN if nothing was
 * measured.
 */
static void settle_row(struct sieve *sieve, size_t n, size_t row, size_t *left_out)
{
	double *kept = sieve->kept, value = NAN;
	size_t n_kept = 0, alike = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(sieve->vectors[i][row]))
			kept[n_kept++] = sieve->vectors[i][row];
	if (n_kept > 2)
		alike = tp_alike(kept, n_kept, &value);
	if (alike)
		*left_out += n_kept - alike;
	else if (n_kept)
		value = mean(kept, n_kept);
	for (size_t i = 0; i < n; i++)
		if (alike || isnan(sieve->vectors[i][row]))
			sieve->vectors[i][row] = value;
}

/* Collects the repetitions of an event. 0 = none, or a count is invalid. */
static size_t gather(struct sieve *sieve, size_t event, size_t *left_out)
{
	const struct tp_classify_input *input = sieve->input;
	size_t n = 0, n_rows = input->n_rows;

	for (size_t i = 0; i < input->n_repetitions; i++) {
		double *own = sieve->scratch + i * n_rows;
		const double *v = input->vector(input->context, event, i, own);

		if (v && v != own)
			memcpy(own, v, n_rows * sizeof(*own));
		if (v)
			sieve->vectors[n++] = own;
	}
	for (size_t row = 0; row < n_rows; row++)
		settle_row(sieve, n, row, left_out);
	for (size_t i = 0; i < n; i++)
		if (!all_counts(sieve->vectors[i], n_rows))
			return 0;
	return n;
}

static void average(struct sieve *sieve, size_t n)
{
	for (size_t r = 0; r < sieve->input->n_rows; r++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += sieve->vectors[i][r];
		sieve->average[r] = sum / (double)n;
	}
}

/* True if the event takes part in the choice; its x is then filled in. */
static bool sift(struct sieve *sieve, size_t index, struct tp_classified *event, double *x)
{
	const struct tp_classify_input *input = sieve->input;
	size_t left_out = 0, n = gather(sieve, index, &left_out);
	bool irrelevant = false;

	*event = (struct tp_classified){ .noise = NAN,
					 .residual = NAN,
					 .score = NAN,
					 .norm = NAN,
					 .fate = TP_FATE_INVALID,
					 .left_out = left_out };
	if (n == 0)
		return false;
	event->noise = tp_event_noise((const double *const *)sieve->vectors, n, input->n_rows,
				      &irrelevant);
	event->fate = irrelevant ? TP_FATE_IRRELEVANT : TP_FATE_NOISY;
	if (irrelevant || !(event->noise <= input->limits.noise))
		return false;
	average(sieve, n);
	event->residual = factored_represent(&sieve->factored, sieve->average, x);
	event->fate = TP_FATE_FOREIGN;
	return event->residual <= input->limits.residual && all_finite(x, input->n_ideals);
}

/* --- metrics on the rows they were made from --- */

/* max |sum y_k m_k - wanted| / largest, over rows. `counts` are k rows of n_rows. */
static double row_error(const double *counts, const double *y, size_t k, const double *wanted,
			size_t n_rows, double largest)
{
	double error = 0;

	for (size_t i = 0; i < n_rows; i++) {
		double sum = -wanted[i];

		for (size_t j = 0; j < k; j++)
			sum += y[j] * counts[j * n_rows + i];
		error = fmax(error, fabs(sum));
	}
	return error / largest;
}

/* Row errors and verdicts of the metrics. */
static void hold_against_rows(struct sieve *sieve, struct tp_classification_result *result)
{
	const struct tp_classify_input *input = sieve->input;
	size_t n_rows = input->n_rows, n = result->n_ideals, k = result->n_chosen;
	TP_FREE double *counts = tp_alloc(k * n_rows, sizeof(*counts));
	TP_FREE double *wanted = tp_alloc(n_rows, sizeof(*wanted));

	for (size_t j = 0; j < k; j++) {
		average(sieve, gather(sieve, result->chosen[j], &(size_t){ 0 }));
		memcpy(counts + j * n_rows, sieve->average, n_rows * sizeof(*counts));
	}
	for (size_t m = 0; m < result->n_metrics; m++) {
		struct tp_composed *metric = &result->metrics[m];
		const double *y = result->coefficients + m * k;
		double largest = 0, noise = 0;

		for (size_t i = 0; i < n_rows; i++) {
			wanted[i] = 0;
			for (size_t j = 0; j < n; j++)
				wanted[i] += input->expectations[i * n + j] *
					     input->signatures[m * n + j];
			largest = fmax(largest, fabs(wanted[i]));
		}
		metric->row_error = metric->rounded_row_error = metric->row_noise = NAN;
		metric->defined = metric->error <= input->limits.defined;
		if (!(largest > 0))
			continue;
		metric->row_error = row_error(counts, y, k, wanted, n_rows, largest);
		metric->rounded_row_error =
			row_error(counts, result->rounded + m * k, k, wanted, n_rows, largest);
		for (size_t j = 0; j < k; j++) {
			double part = y[j] * result->events[result->chosen[j]].noise *
				      mean(counts + j * n_rows, n_rows);
			noise += part * part;
		}
		metric->row_noise = sqrt(noise) / largest;
		metric->defined = metric->defined && metric->row_error <= input->limits.rows;
	}
}

/* --- all of it --- */

static enum tp_status sieve_init(struct sieve *sieve, struct tp_arena *arena,
				 const struct tp_classify_input *input, struct tp_diag *diag)
{
	enum tp_status status = factored_init(&sieve->factored, arena, input->expectations,
					      input->n_rows, input->n_ideals, diag);

	if (status != TP_OK)
		return status;
	sieve->input = input;
	sieve->scratch = room(arena, input->n_repetitions * input->n_rows, sizeof(*sieve->scratch));
	sieve->vectors = room(arena, input->n_repetitions, sizeof(*sieve->vectors));
	sieve->kept = room(arena, input->n_repetitions, sizeof(*sieve->kept));
	sieve->average = room(arena, input->n_rows, sizeof(*sieve->average));
	return TP_OK;
}

enum tp_status tp_classify(const struct tp_classify_input *input,
			   struct tp_classification_result *result, struct tp_diag *diag)
{
	size_t n = input->n_ideals, n_survivors = 0;
	struct sieve sieve = { 0 };
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	enum tp_status status;

	*result = (struct tp_classification_result){ .n_events = input->n_events,
						     .n_ideals = n,
						     .n_metrics = input->n_metrics };
	status = check(input, diag);
	if (status == TP_OK)
		status = sieve_init(&sieve, &arena, input, diag);
	if (status != TP_OK)
		return status;
	result->events = room(&result->arena, input->n_events, sizeof(*result->events));
	result->x = room(&result->arena, input->n_events * n, sizeof(*result->x));
	size_t *survivors = room(&arena, input->n_events, sizeof(*survivors));
	for (size_t e = 0; e < input->n_events; e++) {
		double *x = result->x + e * n;

		if (sift(&sieve, e, &result->events[e], x))
			survivors[n_survivors++] = e;
		else
			for (size_t i = 0; i < n; i++)
				x[i] = NAN;
	}
	classify_choose(&arena, input, survivors, n_survivors, result);
	status = classify_compose(&arena, &input->limits, input->signatures, result, diag);
	if (status == TP_OK)
		hold_against_rows(&sieve, result);
	return status;
}

void tp_classification_result_release(struct tp_classification_result *result)
{
	tp_arena_release(&result->arena);
	*result = (struct tp_classification_result){ 0 };
}
