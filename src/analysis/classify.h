/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an event count? Linear algebra on vectors of counts, as in the data-driven analysis of
 * hardware events (noise, representation in an expectation basis, QR with a special pivot, least
 * squares for metrics). Pure: arrays in, arrays out.
 *
 *   disturbed   if at least half of three or more repetitions of a row are equal, the others of
 *               this row are disturbed and count nowhere
 *   noise       max over pairs of repetitions i, j of ||m_i - m_j||_2 / sqrt(n_rows * mean(m_i) *
 *               mean(m_j)); exactly one mean 0: 1; everything 0: the event is irrelevant
 *   represent   x = argmin ||E x - m||_2, m the average vector; residual = ||E x - m|| / ||m||
 *   choose      R(u) = alpha * floor(u / alpha + 0.5); score of a column = sum over |R(x_k)| of v
 *               >= 1: v, 0 < v < 1: 1 / v, 0: 0. The smallest score is the next pivot. Ties go to
 *               the smaller norm, rounded by R; then to the smaller residual, the smaller noise,
 *               a named event before one without a name; the first in order. Scores within 1e-9 of
 *               each other are equal, and so are residuals and noises below 1e-12, so that
 *               rounding errors do not decide. A column whose trailing norm is below
 *               beta = ||(alpha, ..., alpha)||, n_ideals of them, is dependent on those chosen
 *               before; so is one whose trailing norm is below max(noise, residual, 1e-12) of its
 *               own norm: the remainder is within the noise of its repetitions, or within its
 *               residual. An event without a name gives way to a named one that would be
 *               dependent after it
 *   compose     y = argmin ||X^ y - s||_2; a coefficient that rounds to 0 and whose event adds less
 *               than alpha to any ideal event is 0, so that the formula that is shown is also the
 *               one judged. error = ||X^ y - s|| / (||X^||_2 * ||y|| + ||s||), spectral norm of X^.
 *               It cannot show errors in rows if as many events are chosen as ideal events exist.
 *               So there is also a row error: max over rows of |sum y_k m_k - (E s)| / max |E s|,
 *               from the counts themselves. A metric is defined if both are small
 */
#ifndef TPROF_ANALYSIS_CLASSIFY_H
#define TPROF_ANALYSIS_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

/* The fate of an event. */
#define TP_FATE_LIST(X)                                                                            \
	X(CHOSEN, "chosen")                                                                        \
	X(DEPENDENT, "dependent") /* a combination of chosen events, or too small beside alpha */  \
	X(IRRELEVANT, "irrelevant") /* every count is 0 */                                         \
	X(MISSING, "not implemented here") /* the same, and its name says that it should count */  \
	X(NOISY, "noisy") /* repetitions differ by more than tau */                                \
	X(FOREIGN, "not representable") /* counts something that these kernels do not exercise */  \
	X(INVALID, "invalid") /* a count is missing, negative, infinite or not a number */

enum tp_fate {
#define TP_FATE_ENUM(id, text) TP_FATE_##id,
	TP_FATE_LIST(TP_FATE_ENUM)
#undef TP_FATE_ENUM
		TP_FATE_COUNT
};

const char *tp_fate_name(enum tp_fate fate);
bool tp_fate_find(const char *name, enum tp_fate *fate);

/*
 * Whether the score is taken of the rounded original column or of what the earlier pivots leave of
 * it (the trailing part), and whose norm decides ties. Independence is judged on the trailing part
 * in any case.
 *
 *   ORIGINAL  score and norm of the original column: the default
 *   TRAILING  score and norm of the trailing part
 *   MIXED     score of the trailing part, norm of the original column
 *
 * A column that does not round to nothing scores at least 1, and 1 only if a single 1 is left of
 * it, so ORIGINAL chooses every ideal event that some event counts alone before anything else.
 * After a pivot a sum of two ideal events looks like the second one alone, so TRAILING takes
 * whichever comes first. Planted bases among 5,000 events, 95 % of them misleading, 100 seeds,
 * bases of 16, 5 and 4 ideal events: ORIGINAL finds all 300, TRAILING none, MIXED all; with noise
 * of +-5 % on every count (4 ideal events) ORIGINAL 100 of 100, MIXED 81. See
 * tests/bench/classify.sh.
 */
enum tp_score { TP_SCORE_ORIGINAL, TP_SCORE_TRAILING, TP_SCORE_MIXED, TP_SCORE_COUNT };

struct tp_classify_limits {
	double noise; /* tau: 1e-10 for exact families, 1e-1 for caches */
	double residual; /* largest relative residual of a representation */
	double alpha; /* 5e-4; 5e-2 for caches */
	double defined; /* largest backward error of a metric that counts as defined */
	double rows; /* the same for its row error */
	enum tp_score score;
};

struct tp_classify_input {
	const double *expectations; /* n_rows x n_ideals, by rows */
	size_t n_rows,
		/*
		 * n_rows >= n_ideals, columns independent, else TP_USAGE that names the columns by
		 * number
		 */
		n_ideals;
	const double *signatures; /* n_metrics x n_ideals */
	size_t n_metrics;
	size_t n_events, n_repetitions;
	/*
	 * Returns n_rows counts per iteration of one event and repetition, in `scratch` or in
	 * memory of the caller's; NaN where a row was not measured. NULL if there are none: then
	 * the other repetitions count; an event without repetitions, or with a row without counts,
	 * is invalid. Events are asked for one after another, each repetition once, and those that
	 * were chosen once more. A vector must stay valid until all repetitions of its event have
	 * been asked for. Each repetition has its own `scratch` of n_rows doubles.
	 */
	const double *(*vector)(void *context, size_t event, size_t repetition, double *scratch);
	/* Whether the event's name describes what it counts. NULL = all do. */
	bool (*named)(void *context, size_t event);
	void *context;
	struct tp_classify_limits limits;
};

struct tp_classified {
	enum tp_fate fate;
	double noise; /* 0 if there is only one repetition */
	double residual; /* NaN before it was computed */
	double score; /* when it was chosen as pivot; for others at the first choice; NaN before */
	double norm; /* of its trailing part when it was chosen, or at the end */
	size_t order; /* of a chosen one: 0-based position */
	size_t left_out; /* readings that were disturbed */
};

struct tp_composed {
	double error; /* backward error */
	double rounded_error; /* the same with the rounded coefficients */
	double row_error, rounded_row_error; /* NaN if the metric is 0 in every row */
	/* of row_error, what the noise of its events explains: the root of the sum of squares */
	double row_noise;
	bool defined;
};

struct tp_classification_result {
	size_t n_events, n_ideals, n_metrics;
	struct tp_arena arena; /* all arrays */
	struct tp_classified *events; /* n_events */
	double *x; /* n_events x n_ideals; NaN where an event was not represented */
	size_t *chosen; /* event indexes in pivot order */
	size_t n_chosen;
	/*
	 * n_events x n_chosen: the dependent event as a combination of the chosen; NaN for others
	 */
	double *dependence;
	double *coefficients; /* n_metrics x n_chosen */
	/* the same, rounded as people would write them: see tp_round_coefficient */
	double *rounded;
	struct tp_composed *metrics; /* n_metrics */
	double spectral_norm; /* of X^, 0 if nothing was chosen */
};

/*
 * Time and memory are linear in n_events: beside the result it needs one more copy of x. The caller
 * releases the result in any case. TP_USAGE: bad shapes or limits, expectations or signatures that
 * are not finite, dependent columns.
 */
enum tp_status tp_classify(const struct tp_classify_input *input,
			   struct tp_classification_result *result, struct tp_diag *diag);
void tp_classification_result_release(struct tp_classification_result *result);

/*
 * Finds dependent columns of a matrix of expectations, by QR with column pivoting on columns of
 * unit length (relative 1e-10). `columns` has room for n_ideals numbers: a dependent column, then
 * those that it is a combination of. *n = 0 if all are independent, 1 for a column of zeros.
 */
void tp_dependent_columns(const double *expectations, size_t n_rows, size_t n_ideals,
			  size_t *columns, size_t *n);

/* Single steps, for tests and for reports. */
double tp_event_noise(const double *const *vectors, size_t n_repetitions, size_t n_rows,
		      bool *irrelevant);
double tp_pivot_score(const double *column, size_t n, double alpha);
double tp_round_alpha(double value, double alpha); /* R(u) */

double tp_round_coefficient(
	double value,
	double alpha); /* R(u), then rounded to a whole number if that is within alpha */

#endif
