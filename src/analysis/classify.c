/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From counts to classes: checks the input, sifts the events one by one, then chooses and composes.
 */
#include "analysis/classify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify_steps.h"

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
			       "there is no ideal event");
	if (input->n_rows < input->n_ideals)
		return tp_fail(
			diag, TP_USAGE, "expectations",
			"at least as many rows as ideal events are needed to tell them apart",
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
	if (!(limits->noise >= 0) || !(limits->residual >= 0) || !(limits->defined >= 0))
		return tp_fail(diag, TP_USAGE, "limits", "numbers that are not negative",
			       "the limits are %g (noise), %g (residual), %g (backward error)",
			       limits->noise, limits->residual, limits->defined);
	return TP_OK;
}

/* --- one event --- */

struct sieve {
	const struct tp_classify_input *input;
	struct tp_factored factored;
	double *scratch; /* n_repetitions x n_rows */
	const double **vectors; /* those that exist */
	double *average; /* n_rows */
};

static bool all_counts(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]) || v[i] < 0)
			return false;
	return true;
}

/* Collects the repetitions of an event. 0 = there are none, or one holds an invalid count. */
static size_t gather(struct sieve *sieve, size_t event)
{
	const struct tp_classify_input *input = sieve->input;
	size_t n = 0;
	bool valid = true;

	for (size_t i = 0; i < input->n_repetitions; i++) {
		const double *v =
			input->vector(input->context, event, i, sieve->scratch + i * input->n_rows);

		if (!v)
			continue;
		valid = valid && all_counts(v, input->n_rows);
		sieve->vectors[n++] = v;
	}
	return valid ? n : 0;
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
	size_t n = gather(sieve, index);
	bool irrelevant = false;

	*event = (struct tp_classified){
		.noise = NAN, .residual = NAN, .score = NAN, .norm = NAN, .fate = TP_FATE_INVALID
	};
	if (n == 0)
		return false;
	event->noise = tp_event_noise(sieve->vectors, n, input->n_rows, &irrelevant);
	event->fate = irrelevant ? TP_FATE_IRRELEVANT : TP_FATE_NOISY;
	if (irrelevant || !(event->noise <= input->limits.noise))
		return false;
	average(sieve, n);
	event->residual = tp_factored_represent(&sieve->factored, sieve->average, x);
	event->fate = TP_FATE_FOREIGN;
	return event->residual <= input->limits.residual && all_finite(x, input->n_ideals);
}

/* --- all of it --- */

static enum tp_status sieve_init(struct sieve *sieve, const struct tp_classify_input *input,
				 struct tp_diag *diag)
{
	enum tp_status status = tp_factored_init(&sieve->factored, input->expectations,
						 input->n_rows, input->n_ideals, diag);

	if (status != TP_OK)
		return status;
	sieve->input = input;
	sieve->scratch =
		tp_classify_array(input->n_repetitions * input->n_rows, sizeof(*sieve->scratch));
	sieve->vectors = tp_classify_array(input->n_repetitions, sizeof(*sieve->vectors));
	sieve->average = tp_classify_array(input->n_rows, sizeof(*sieve->average));
	if (!sieve->scratch || !sieve->vectors || !sieve->average)
		return tp_fail(diag, TP_NOMEM, NULL, NULL,
			       "out of memory for %zu repetitions of %zu rows",
			       input->n_repetitions, input->n_rows);
	return TP_OK;
}

static void sieve_release(struct sieve *sieve)
{
	tp_factored_release(&sieve->factored);
	free(sieve->scratch);
	free(sieve->vectors);
	free(sieve->average);
}

enum tp_status tp_classify(const struct tp_classify_input *input,
			   struct tp_classification_result *result, struct tp_diag *diag)
{
	size_t n = input->n_ideals, n_survivors = 0, *survivors = NULL;
	struct sieve sieve = { 0 };
	enum tp_status status;

	*result = (struct tp_classification_result){ .n_events = input->n_events,
						     .n_ideals = n,
						     .n_metrics = input->n_metrics };
	status = check(input, diag);
	if (status == TP_OK)
		status = sieve_init(&sieve, input, diag);
	if (status != TP_OK)
		goto out;
	result->events = tp_classify_array(input->n_events, sizeof(*result->events));
	result->x = tp_classify_array(input->n_events * n, sizeof(*result->x));
	survivors = tp_classify_array(input->n_events, sizeof(*survivors));
	if (!result->events || !result->x || !survivors) {
		status = tp_fail(diag, TP_NOMEM, NULL, NULL,
				 "out of memory for %zu events and %zu ideal events",
				 input->n_events, n);
		goto out;
	}
	for (size_t e = 0; e < input->n_events; e++) {
		double *x = result->x + e * n;

		if (sift(&sieve, e, &result->events[e], x))
			survivors[n_survivors++] = e;
		else
			for (size_t i = 0; i < n; i++)
				x[i] = NAN;
	}
	status = tp_classify_choose(&input->limits, survivors, n_survivors, result, diag);
	if (status == TP_OK)
		status = tp_classify_compose(&input->limits, input->signatures, result, diag);
out:
	sieve_release(&sieve);
	free(survivors);
	return status;
}

void tp_classification_result_release(struct tp_classification_result *result)
{
	free(result->events);
	free(result->x);
	free(result->chosen);
	free(result->dependence);
	free(result->coefficients);
	free(result->rounded);
	free(result->metrics);
	*result = (struct tp_classification_result){ 0 };
}
