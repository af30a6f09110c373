/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an event count? Linear algebra on vectors of counts, as in the data-driven analysis of hardware events (noise, representation
 * in an expectation basis, QR with a special pivot, least squares for metrics). Pure: arrays in, arrays out.
 *
 *   noise       max over pairs of repetitions i, j of ||m_i - m_j||_2 / sqrt(n_rows * mean(m_i) * mean(m_j)); exactly one mean 0: 1;
 *               everything 0: the event is irrelevant
 *   represent   x = argmin ||E x - m||_2, m the average vector; residual = ||E x - m|| / ||m||
 *   choose      R(u) = alpha * floor(u / alpha + 0.5); score of a column = sum over |R(x_k)| of v >= 1: v, 0 < v < 1: 1 / v, 0: 0;
 *               the smallest score is the next pivot, ties go to the smaller norm, a column whose trailing norm is below beta = ||(alpha, ...)||
 *               is dependent on those chosen before
 *   compose     y = argmin ||X^ y - s||_2, error = ||X^ y - s|| / (||X^||_2 * ||y|| + ||s||), spectral norm of X^
 */
#ifndef TPROF_ANALYSIS_CLASSIFY_H
#define TPROF_ANALYSIS_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What became of an event. */
#define TP_FATE_LIST(X)                                                                            \
	X(CHOSEN, "chosen")                                                                        \
	X(DEPENDENT, "dependent") /* a combination of chosen ones */                               \
	X(IRRELEVANT, "irrelevant") /* every count is 0 */                                         \
	X(NOISY, "noisy") /* repetitions differ by more than tau */                                \
	X(FOREIGN, "not representable") /* counts something these kernels do not exercise */       \
	X(INVALID, "invalid") /* a count is missing, negative, infinite or no number */

enum tp_fate {
#define TP_FATE_ENUM(id, text) TP_FATE_##id,
	TP_FATE_LIST(TP_FATE_ENUM)
#undef TP_FATE_ENUM
		TP_FATE_COUNT
};
const char *tp_fate_name(enum tp_fate fate);
bool tp_fate_find(const char *name, enum tp_fate *fate);

/* Whether the score is taken of the rounded original column (independence is judged on the trailing part in any case) or of the trailing part. */
enum tp_score { TP_SCORE_ORIGINAL, TP_SCORE_TRAILING };

struct tp_classify_limits {
	double noise; /* tau: 1e-10 for exact families, 1e-1 for caches */
	double residual; /* largest relative residual of a representation */
	double alpha; /* 5e-4; 5e-2 for caches */
	double defined; /* largest backward error of a metric that counts as defined */
	enum tp_score score;
};

struct tp_classify_input {
	const double *expectations; /* n_rows x n_ideals, by rows */
	size_t n_rows,
		n_ideals; /* n_rows >= n_ideals, columns independent, else TP_USAGE that names the columns by number */
	const double *signatures; /* n_metrics x n_ideals */
	size_t n_metrics;
	size_t n_events, n_repetitions;
	/*
	 * n_rows counts per iteration of one event and repetition, into or as the caller likes; NULL where there are none. Called for one event
	 * after the other; the vector must stay valid until all repetitions of the event have been asked for: `scratch` has room for
	 * n_repetitions x n_rows doubles.
	 */
	const double *(*vector)(void *context, size_t event, size_t repetition, double *scratch);
	void *context;
	struct tp_classify_limits limits;
};

struct tp_classified {
	enum tp_fate fate;
	double noise; /* 0 when there is one repetition only */
	double residual; /* NaN before it was computed */
	double score; /* as its pivot was chosen; for others at the first choice; NaN before */
	double norm; /* of its trailing part when it was chosen, or at the end */
	size_t order; /* of a chosen one: 0-based position */
};

struct tp_composed {
	double error; /* backward error */
	double rounded_error; /* the same with the rounded coefficients */
	bool defined;
};

struct tp_classification_result {
	size_t n_events, n_ideals, n_metrics;
	struct tp_classified *events; /* n_events */
	double *x; /* n_events x n_ideals; NaN where an event was not represented */
	size_t *chosen; /* event indexes in pivot order */
	size_t n_chosen;
	double *dependence; /* n_events x n_chosen: the dependent event as a combination of the chosen; NaN for others */
	double *coefficients; /* n_metrics x n_chosen */
	double *rounded; /* the same, rounded to what people would write: see tp_round_coefficient */
	struct tp_composed *metrics; /* n_metrics */
	double spectral_norm; /* of X^, 0 if nothing was chosen */
};

/* Time and memory are linear in n_events. The caller releases the result in any case. TP_USAGE: shapes, dependent columns; TP_NOMEM. */
enum tp_status tp_classify(const struct tp_classify_input *input,
			   struct tp_classification_result *result, struct tp_diag *diag);
void tp_classification_result_release(struct tp_classification_result *result);

/* Single steps, for tests and for reports. */
double tp_event_noise(const double *const *vectors, size_t n_repetitions, size_t n_rows,
		      bool *irrelevant);
double tp_pivot_score(const double *column, size_t n, double alpha);
double tp_round_alpha(double value, double alpha); /* R(u) */
double tp_round_coefficient(
	double value,
	double alpha); /* R(u), then to a whole number if that is within alpha of it */

#endif
