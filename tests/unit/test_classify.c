/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What events count, step by step, with answers worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/near.h"
#include "tests/unit/weights.h"

/*
 * Counts as they stand: n_events x n_repetitions x n_rows; a vector that begins with MISSING is not
 * there.
 */
#define MISSING -77.0
struct table {
	const double *counts;
	size_t n_rows, n_repetitions;
};

static const double *tabulated(void *context, size_t event, size_t repetition, double *scratch)
{
	const struct table *t = context;
	const double *v = t->counts + (event * t->n_repetitions + repetition) * t->n_rows;

	(void)scratch;
	return v[0] > MISSING || v[0] < MISSING || isnan(v[0]) ? v : NULL;
}

/* Two ideal events, three rows: (1, 0), (0, 1), (1, 1). */
static const double small[] = { 1, 0, 0, 1, 1, 1 };

static struct tp_classify_input small_input(struct table *t, size_t n_events)
{
	return (struct tp_classify_input){ .expectations = small,
					   .n_rows = 3,
					   .n_ideals = 2,
					   .n_events = n_events,
					   .n_repetitions = t->n_repetitions,
					   .vector = tabulated,
					   .context = t,
					   .limits = exact };
}

/* --- single steps --- */

static void noise_is_the_largest_over_pairs(void **state)
{
	const double a[] = { 1, 2, 3 }, b[] = { 1, 2, 4 }, c[] = { 1, 5, 3 };
	const double *const v[] = { a, b, c };
	bool irrelevant;

	(void)state;
	/*
	 * a, b: 1 / sqrt(3 * 2 * 7/3); a, c: 3 / sqrt(3 * 2 * 3); b, c: sqrt(10) / sqrt(3 * 7/3 *
	 * 3)
	 */
	assert_near(tp_event_noise(v, 2, 3, &irrelevant), 1 / sqrt(14), 1e-15);
	assert_false(irrelevant);
	assert_near(tp_event_noise(v, 3, 3, &irrelevant), 3 / sqrt(18), 1e-15);
	const double *const others[] = { b, c };
	assert_near(tp_event_noise(others, 2, 3, &irrelevant), sqrt(10) / sqrt(21), 1e-15);
	assert_near(tp_event_noise(v, 1, 3, &irrelevant), 0, 0);
	assert_false(irrelevant);
}

static void noise_of_zeros(void **state)
{
	const double zero[] = { 0, 0 }, one[] = { 0, 1e-9 }, huge[] = { 1e300, 0 };
	const double *const once[] = { zero, one }, *const never[] = { zero, zero };
	const double *const far[] = { huge, huge };
	const double *const later[] = { zero, zero, one };
	bool irrelevant;

	(void)state;
	assert_near(tp_event_noise(once, 2, 2, &irrelevant), 1, 0);
	assert_false(irrelevant);
	assert_near(tp_event_noise(later, 3, 2, &irrelevant), 1, 0);
	assert_false(irrelevant);
	assert_near(tp_event_noise(never, 2, 2, &irrelevant), 0, 0);
	assert_true(irrelevant);
	assert_near(tp_event_noise(far, 2, 2, &irrelevant), 0, 0);
	assert_near(tp_event_noise(NULL, 0, 2, &irrelevant), 0, 0);
	assert_true(irrelevant);
}

static void rounding_and_scores(void **state)
{
	const double example[] = { 1.002, 0.001, -0.5, 1.5 }, unit[] = { 0, 1, 0 };
	const double half[] = { 0, 0.5 }, nothing[] = { 0.0002, -0.0002 };

	(void)state;
	assert_near(tp_round_alpha(1.002, 0.01), 1, 1e-15);
	assert_near(tp_round_alpha(-0.5, 0.01), -0.5, 1e-15);
	assert_near(tp_round_alpha(0.0749, 0.05), 0.05, 1e-15);
	assert_near(tp_round_alpha(0.0751, 0.05), 0.10, 1e-15);
	assert_near(tp_round_alpha(-0.0751, 0.05), -0.10, 1e-15);
	assert_near(tp_pivot_score(example, 4, 0.01), 4.5, 1e-12);
	assert_near(tp_pivot_score(unit, 3, 5e-4), 1, 1e-12);
	assert_near(tp_pivot_score(half, 2, 5e-4), 2, 1e-12);
	assert_near(tp_pivot_score(nothing, 2, 5e-4), 0, 0);
	assert_near(tp_pivot_score(NULL, 0, 5e-4), 0, 0);
}

static void coefficients_as_people_write_them(void **state)
{
	(void)state;
	assert_near(tp_round_coefficient(0.9997, 5e-4), 1, 0);
	assert_near(tp_round_coefficient(-1.04, 0.05), -1, 0);
	assert_near(tp_round_coefficient(0.5001, 5e-4), 0.5, 1e-15);
	assert_near(tp_round_coefficient(0.8, 5e-4), 0.8, 1e-15);
	assert_near(tp_round_coefficient(0.88, 0.05), 0.9, 1e-15);
	assert_near(tp_round_coefficient(2.03, 0.05), 2, 0);
	assert_false(signbit(tp_round_coefficient(-1e-17, 5e-4)));
}

static void fates_have_names(void **state)
{
	enum tp_fate fate;

	(void)state;
	for (unsigned i = 0; i < TP_FATE_COUNT; i++) {
		assert_true(tp_fate_find(tp_fate_name((enum tp_fate)i), &fate));
		assert_int_equal(fate, i);
	}
	assert_string_equal(tp_fate_name(TP_FATE_FOREIGN), "not representable");
	assert_string_equal(tp_fate_name(TP_FATE_COUNT), "unknown");
	assert_false(tp_fate_find("", &fate));
}

/* --- what becomes of an event --- */

static void each_fate(void **state)
{
	const double counts[] = {
		1,    0, 1,	   1,	 0, 1, /* the first ideal event */
		0,    2, 2,	   0,	 2, 2, /* twice the second */
		3,    3, 6,	   3,	 3, 6, /* a combination of both: 3 and 1.5 */
		0,    0, 0,	   0,	 0, 0, /* nothing */
		1,    0, 1,	   1,	 0, 1.001, /* differs */
		0,    0, 0,	   1,	 0, 1, /* nothing once */
		5,    5, 5,	   5,	 5, 5, /* the residual of a constant: (5, 5, -5) / 3 */
		NAN,  0, 1,	   NAN,	 0, 1, /* missing */
		1,    0, 1,	   -1,	 0, 1, /* negative */
		1,    0, INFINITY, 1,	 0, 1, /* infinite */
		1e-5, 0, 1e-5,	   1e-5, 0, 1e-5, /* too small to tell from nothing */
		NAN,  2, 4,	   2,	 2, NAN, /* each repetition lacks what the other has */
	};
	static const enum tp_fate fates[] = {
		TP_FATE_CHOSEN,	 TP_FATE_CHOSEN,  TP_FATE_DEPENDENT, TP_FATE_IRRELEVANT,
		TP_FATE_NOISY,	 TP_FATE_NOISY,	  TP_FATE_FOREIGN,   TP_FATE_INVALID,
		TP_FATE_INVALID, TP_FATE_INVALID, TP_FATE_DEPENDENT, TP_FATE_DEPENDENT
	};
	struct table t = { counts, 3, 2 };
	struct tp_classify_input input = small_input(&t, TP_COUNT_OF(fates));
	struct tp_classification_result r;

	(void)state;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	for (size_t e = 0; e < TP_COUNT_OF(fates); e++)
		assert_string_equal(tp_fate_name(r.events[e].fate), tp_fate_name(fates[e]));
	assert_int_equal(r.n_chosen, 2);
	assert_true(r.chosen[0] == 0 && r.chosen[1] == 1);
	assert_true(r.events[1].order == 1);
	assert_near(r.events[0].score, 1, 1e-12);
	assert_near(r.events[1].score, 2, 1e-12);
	assert_near(r.events[2].score, 6, 1e-12);
	assert_near(r.events[1].norm, 2, 1e-15);
	assert_near(r.events[2].norm, 0, 1e-15);
	assert_near(r.dependence[2 * 2 + 0], 3, 1e-15);
	assert_near(r.dependence[2 * 2 + 1], 1.5, 1e-15);
	assert_true(isnan(r.dependence[0]) && isnan(r.dependence[6 * 2]));
	assert_near(r.x[2 * 2], 3, 1e-15);
	assert_true(isnan(r.x[4 * 2]) && isnan(r.x[6 * 2]) && isnan(r.x[7 * 2 + 1]));
	/* differs: 0.001 / sqrt(3 * 2/3 * 2.001/3) */
	assert_near(r.events[4].noise, 0.001 / sqrt(2 * 2.001 / 3), 1e-12);
	assert_near(r.events[5].noise, 1, 0);
	assert_near(r.events[6].residual, 1.0 / 3, 1e-15);
	assert_true(isnan(r.events[4].residual) && isnan(r.events[6].score));
	assert_true(isnan(r.events[7].noise));
	tp_classification_result_release(&r);
}

static void a_repetition_that_is_not_there(void **state)
{
	const double counts[] = { 1,	   0, 1, MISSING, 0, 0, /* one is enough */
				  MISSING, 0, 0, MISSING, 0, 0 };
	struct table t = { counts, 3, 2 };
	struct tp_classify_input input = small_input(&t, 2);
	struct tp_classification_result r;

	(void)state;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_int_equal(r.events[0].fate, TP_FATE_CHOSEN);
	assert_near(r.events[0].noise, 0, 0);
	assert_int_equal(r.events[1].fate, TP_FATE_INVALID);
	tp_classification_result_release(&r);
}

static void one_repetition_says_nothing_of_noise(void **state)
{
	const double counts[] = { 0, 1, 1 };
	struct table t = { counts, 3, 1 };
	struct tp_classify_input input = small_input(&t, 1);
	struct tp_classification_result r;

	(void)state;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_int_equal(r.events[0].fate, TP_FATE_CHOSEN);
	assert_near(r.events[0].noise, 0, 0);
	tp_classification_result_release(&r);
}

static void the_average_is_represented(void **state)
{
	const double counts[] = { 1, 0, 1, 1.02, 0, 1.02 };
	struct table t = { counts, 3, 2 };
	struct tp_classify_input input = small_input(&t, 1);
	struct tp_classification_result r;

	(void)state;
	input.limits.noise = 0.1;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_near(r.x[0], 1.01, 1e-15);
	tp_classification_result_release(&r);
}

/* What is left of a noisy event beside a chosen one is its noise, however large its counts are. */
static void noise_is_not_independent(void **state)
{
	const double counts[] = { 1,  0, 1,  1,	 0, 1, /* quiet */
				  62, 0, 63, 66, 2, 65 /* 64 times that, and noise */ };
	struct table t = { counts, 3, 2 };
	struct tp_classify_input input = small_input(&t, 2);
	struct tp_classification_result r;

	(void)state;
	input.limits.noise = 0.1;
	input.limits.residual = 0.2;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_int_equal(r.n_chosen, 1);
	assert_int_equal(r.events[1].fate, TP_FATE_DEPENDENT);
	assert_true(r.events[1].norm > 5e-4 * sqrt(2)); /* beta alone would have taken it */
	tp_classification_result_release(&r);
}

/* beta = alpha sqrt(n): a column of that norm is chosen, a smaller one is not. */
static void beta_is_the_norm_of_alphas(void **state)
{
	const double identity[] = { 1, 0, 0, 1 };
	const double below[] = { 0.00069, 0 }, above[] = { 0.00072, 0 };
	struct weights w = { identity, below, 2, 2 };
	struct tp_classification_result r = by_weights(&w, 1, NULL, 0);

	(void)state;
	assert_int_equal(r.n_chosen, 0);
	assert_int_equal(r.events[0].fate, TP_FATE_DEPENDENT);
	tp_classification_result_release(&r);
	w.x = above;
	r = by_weights(&w, 1, NULL, 0);
	assert_int_equal(r.n_chosen, 1);
	assert_near(r.events[0].norm, 0.00072, 1e-15);
	tp_classification_result_release(&r);
}

/* Equal scores: the smaller norm; equal norms: the first. */
static void ties_have_rules(void **state)
{
	const double identity[] = { 1, 0, 0, 1 };
	const double x[] = { 2,	  0, /* score 2, norm 2 */
			     1,	  1, /* score 2, norm 1.41 */
			     0,	  0.5, /* score 2, norm 0.5: first */
			     0.5, 0, /* the same: second */
			     0.5, 0 };
	struct weights w = { identity, x, 2, 2 };
	struct tp_classification_result r = by_weights(&w, 5, NULL, 0);

	(void)state;
	assert_int_equal(r.n_chosen, 2);
	assert_true(r.chosen[0] == 2 && r.chosen[1] == 3);
	assert_near(r.dependence[1 * 2 + 0], 2, 1e-15);
	assert_near(r.dependence[1 * 2 + 1], 2, 1e-15);
	assert_near(r.dependence[0 * 2 + 1], 4, 1e-15);
	assert_near(r.dependence[4 * 2 + 1], 1, 1e-15);
	tp_classification_result_release(&r);
}

/* --- metrics --- */

static void errors_worked_out_by_hand(void **state)
{
	const double identity[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	const double x[] = { 3, 4, 0, 0, 0, 2 };
	const double signatures[] = { 3, 4, 0, /* the first event */
				      1, 0, 0, /* y = 3/25: rest (16, -12, 0) / 25, norm 4/5 */
				      6, 8, 1, /* twice the first, half the second */
				      0, 0, 0 };
	struct weights w = { identity, x, 3, 3 };
	struct tp_classification_result r = by_weights(&w, 2, signatures, 4);

	(void)state;
	/* scores: 3 + 4 and 2 */
	assert_true(r.n_chosen == 2 && r.chosen[0] == 1 && r.chosen[1] == 0);
	assert_near(r.spectral_norm, 5, 1e-14);
	assert_near(r.coefficients[0], 0, 1e-15);
	assert_near(r.coefficients[1], 1, 1e-15);
	assert_true(r.metrics[0].error < 1e-15 && r.metrics[0].defined);
	assert_near(r.coefficients[3], 0.12, 1e-15);
	assert_near(r.metrics[1].error, 0.8 / (5 * 0.12 + 1), 1e-15);
	assert_false(r.metrics[1].defined);
	assert_near(r.coefficients[4], 0.5, 1e-15);
	assert_near(r.coefficients[5], 2, 1e-15);
	assert_true(r.metrics[2].error < 1e-15);
	assert_near(r.metrics[3].error, 0, 0);
	tp_classification_result_release(&r);
}

static void rounded_coefficients_have_their_own_error(void **state)
{
	const double identity[] = { 1, 0, 0, 1 };
	const double x[] = { 3, 0, 0, 1.0002 }, signatures[] = { 1, 0, 0, 1 };
	struct weights w = { identity, x, 2, 2 };
	struct tp_classification_result r = by_weights(&w, 2, signatures, 2);

	(void)state;
	assert_true(r.chosen[0] == 1 && r.chosen[1] == 0);
	assert_near(r.coefficients[1], 1.0 / 3, 1e-15);
	assert_near(r.rounded[1], 0.3335, 1e-15);
	/* rest 3 * 0.3335 - 1 over 3 * 0.3335 + 1 */
	assert_near(r.metrics[0].rounded_error, 0.0005 / 2.0005, 1e-12);
	assert_near(r.rounded[2], 1, 0);
	assert_near(r.metrics[1].rounded_error, 0.0002 / 4, 1e-12);
	assert_true(r.metrics[1].error < 1e-15);
	tp_classification_result_release(&r);
}

static void no_events_define_nothing(void **state)
{
	const double identity[] = { 1, 0, 0, 1 }, signature[] = { 1, 1 };
	const double zeros[4] = { 0 };
	struct weights w = { identity, NULL, 2, 2 };
	struct tp_classification_result r = by_weights(&w, 0, signature, 1);

	(void)state;
	assert_int_equal(r.n_chosen, 0);
	assert_near(r.metrics[0].error, 1, 0);
	assert_false(r.metrics[0].defined);
	assert_near(r.spectral_norm, 0, 0);
	tp_classification_result_release(&r);
	w.x = zeros;
	r = by_weights(&w, 2, signature, 1);
	assert_int_equal(r.events[0].fate, TP_FATE_IRRELEVANT);
	assert_int_equal(r.events[1].fate, TP_FATE_IRRELEVANT);
	assert_near(r.metrics[0].error, 1, 0);
	tp_classification_result_release(&r);
}

/* --- what cannot be --- */

static void refused(const double *e, size_t n_rows, size_t n_ideals, const char *words)
{
	struct tp_classify_input input = {
		.expectations = e, .n_rows = n_rows, .n_ideals = n_ideals, .limits = exact
	};
	struct tp_classification_result r;
	struct tp_diag diag = { 0 };

	assert_int_equal(tp_classify(&input, &r, &diag), TP_USAGE);
	assert_string_equal(diag.what, words);
	assert_true(diag.hint[0] != '\0');
	tp_classification_result_release(&r);
}

static void what_cannot_be_is_refused(void **state)
{
	const double alike[] = { 1, 2, 0, 2, 4, 0, 0, 0, 3, 5, 10, 1 };
	const double sum[] = { 1, 0, 1, 0, 1, 1, 0, 2, 2, 3, 0, 3 };
	const double empty[] = { 1, 0, 2, 0, 3, 0 };
	const double broken[] = { 1, NAN };
	/* As dependent as rounding lets it be, and in very different sizes. */
	const double scaled[] = { 1e9, 1e-9 / 3, 2e9, 2e-9 / 3, 3e9, 1e-9 };

	(void)state;
	refused(alike, 4, 3, "column 1 is a combination of column 0");
	refused(empty, 3, 2, "column 1 is zero in every row");
	refused(scaled, 3, 2, "column 1 is a combination of column 0");
	refused(alike, 2, 3, "2 rows for 3 ideal events");
	refused(broken, 2, 1, "an expectation is not a finite number");
	refused(alike, 4, 0, "no ideal event is given");

	size_t columns[3], n;
	bool seen[3] = { false };

	tp_dependent_columns(sum, 4, 3, columns, &n);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++)
		seen[columns[i]] = true;
	assert_true(seen[0] && seen[1] && seen[2]);
	tp_dependent_columns(small, 3, 2, columns, &n);
	assert_int_equal(n, 0);
	tp_dependent_columns(sum, 2, 3, columns, &n);
	assert_int_equal(n, 3);

	struct tp_classify_input input = {
		.expectations = small, .n_rows = 3, .n_ideals = 2, .limits = exact
	};
	struct tp_classification_result r;

	input.limits.alpha = 0;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_USAGE);
	tp_classification_result_release(&r);
	input.limits.alpha = 5e-4;
	input.limits.residual = NAN;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_USAGE);
	tp_classification_result_release(&r);
	input.limits = exact;
	input.signatures = broken;
	input.n_metrics = 1;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_USAGE);
	tp_classification_result_release(&r);
}

/* --- disturbed repetitions --- */

static void what_half_share_makes_the_others_disturbed(void **state)
{
	enum { N = 6 };
	static const double counts[N * 4 * 3] = {
		1, 0, 1, 1.02, 0, 1,	1, 0, 1,    1, 0,    0.98, /* one in each of two rows */
		0, 1, 1, 0,    1, 1.01, 0, 1, 1.02, 0, 1,    1, /* two of four agree */
		1, 0, 1, 1.01, 0, 1,	1, 0, 1,    1, 0.01, 1, /* also where a 0 is right */
		1, 0, 1, 1.01, 0, 1,	2, 0, 1,    3, 0,    1, /* none agree */
		2, 0, 1, 2,    0, 1,	3, 0, 1,    3, 0,    1, /* two of four, twice */
		0, 0, 0, 0,    7, 0,	0, 0, -1,   0, 0,    0, /* what is not there */
	};
	static const struct {
		enum tp_fate fate;
		size_t left_out;
	} expected[N] = { { TP_FATE_CHOSEN, 2 }, { TP_FATE_CHOSEN, 2 }, { TP_FATE_DEPENDENT, 2 },
			  { TP_FATE_NOISY, 0 },	 { TP_FATE_NOISY, 0 },	{ TP_FATE_IRRELEVANT, 2 } };
	struct table t = { counts, 3, 4 };
	struct tp_classify_input input = small_input(&t, N);
	struct tp_classification_result r;

	(void)state;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	for (size_t e = 0; e < N; e++) {
		assert_string_equal(tp_fate_name(r.events[e].fate), tp_fate_name(expected[e].fate));
		assert_int_equal(r.events[e].left_out, expected[e].left_out);
		if (e < 3)
			assert_near(r.events[e].noise, 0, 0);
	}
	assert_near(r.x[0], 1, 1e-15);
	assert_near(r.x[2 + 1], 1, 1e-15);
	tp_classification_result_release(&r);
	/* Two repetitions that differ: nobody knows which. */
	t.n_repetitions = 2;
	input = small_input(&t, 1);
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_int_equal(r.events[0].fate, TP_FATE_NOISY);
	assert_int_equal(r.events[0].left_out, 0);
	tp_classification_result_release(&r);
}

/* What is left of an event must exceed what it differs from its representation. */
static void a_residual_is_not_independent(void **state)
{
	double counts[] = { 1, 0, 1, 10.5, 0.8, 9.8 };
	struct table t = { counts, 3, 1 };
	struct tp_classify_input input = small_input(&t, 2);
	struct tp_classification_result r;

	(void)state;
	input.limits.residual = 0.1;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_near(r.x[2 + 1], 0.3, 1e-12);
	assert_true(r.events[1].residual > 0.05 && r.events[1].residual < 0.07);
	assert_int_equal(r.events[1].fate, TP_FATE_DEPENDENT);
	tp_classification_result_release(&r);
	counts[3] = 10, counts[4] = 0.3, counts[5] = 10.3;
	assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
	assert_near(r.x[2 + 1], 0.3, 1e-12);
	assert_int_equal(r.events[1].fate, TP_FATE_CHOSEN);
	tp_classification_result_release(&r);
}

/* --- names --- */

static bool all_but_the_first(void *context, size_t event)
{
	(void)context;
	return event > 0;
}

static void names_decide_between_alike(void **state)
{
	static const struct {
		double counts[6];
		size_t first, n_chosen;
	} cases[] = {
		{ { 1, 0, 1, 1, 0, 1 }, 1, 1 }, /* a tie */
		{ { 1, 0, 1, 0, 1, 1 }, 1, 2 }, /* a tie between directions */
		{ { 0.5, 1, 1.5, 1, 2, 3 }, 1, 1 }, /* half of the named one, of a smaller norm */
		{ { 1, 0, 1, 2, 0, 2 }, 1, 1 }, /* of a better score, even */
		{ { 1, 0, 1, 1, 1, 2 }, 0, 2 }, /* another direction: the score decides */
	};

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct table t = { cases[i].counts, 3, 1 };
		struct tp_classify_input input = small_input(&t, 2);
		struct tp_classification_result r;

		assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
		assert_int_equal(r.chosen[0], 0);
		tp_classification_result_release(&r);
		input.named = all_but_the_first;
		assert_int_equal(tp_classify(&input, &r, NULL), TP_OK);
		assert_int_equal(r.chosen[0], cases[i].first);
		assert_int_equal(r.n_chosen, cases[i].n_chosen);
		tp_classification_result_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_the_largest_over_pairs),
		cmocka_unit_test(noise_of_zeros),
		cmocka_unit_test(rounding_and_scores),
		cmocka_unit_test(coefficients_as_people_write_them),
		cmocka_unit_test(fates_have_names),
		cmocka_unit_test(each_fate),
		cmocka_unit_test(a_repetition_that_is_not_there),
		cmocka_unit_test(one_repetition_says_nothing_of_noise),
		cmocka_unit_test(the_average_is_represented),
		cmocka_unit_test(noise_is_not_independent),
		cmocka_unit_test(beta_is_the_norm_of_alphas),
		cmocka_unit_test(ties_have_rules),
		cmocka_unit_test(errors_worked_out_by_hand),
		cmocka_unit_test(rounded_coefficients_have_their_own_error),
		cmocka_unit_test(no_events_define_nothing),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(what_half_share_makes_the_others_disturbed),
		cmocka_unit_test(a_residual_is_not_independent),
		cmocka_unit_test(names_decide_between_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
