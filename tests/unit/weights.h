/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events given by what they count. For the tests of the classification; include after <cmocka.h>.
 */
#ifndef TPROF_TESTS_WEIGHTS_H
#define TPROF_TESTS_WEIGHTS_H

#include "analysis/classify.h"

static const struct tp_classify_limits exact = {
	1e-10, 1e-8, 5e-4, 1e-10, 1e-3, TP_SCORE_ORIGINAL
};

/* Every event is given by its x: one repetition of E x, in the reader's order. */
struct weights {
	const double *e, *x;
	size_t n_rows, n_ideals;
};

static const double *weighted(void *context, size_t event, size_t repetition, double *scratch)
{
	const struct weights *w = context;

	(void)repetition;
	for (size_t r = 0; r < w->n_rows; r++) {
		scratch[r] = 0;
		for (size_t j = 0; j < w->n_ideals; j++)
			scratch[r] += w->e[r * w->n_ideals + j] * w->x[event * w->n_ideals + j];
	}
	return scratch;
}

static struct tp_classification_result by_weights(struct weights *w, size_t n_events,
						  const double *signatures, size_t n_metrics)
{
	struct tp_classification_result result;
	struct tp_diag diag;
	struct tp_classify_input input = { .expectations = w->e,
					   .n_rows = w->n_rows,
					   .n_ideals = w->n_ideals,
					   .signatures = signatures,
					   .n_metrics = n_metrics,
					   .n_events = n_events,
					   .n_repetitions = 2,
					   .vector = weighted,
					   .context = w,
					   .limits = exact };

	if (tp_classify(&input, &result, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_true(result.n_events == n_events && result.n_metrics == n_metrics);
	return result;
}

#endif
