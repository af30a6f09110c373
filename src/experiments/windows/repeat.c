/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/repeat.h"
#include "base/memory.h"
#include "base/now.h"
#include "preset/shared_options.h"

#include <string.h>

/* Groups of the trimmed rule that are thrown away before it gives up. */
enum { TRIM_TRIES = 20 };

enum tp_stop_basis tp_stop_basis_of(const struct tp_config *config)
{
	static const char *const bases[] = { "median", "mean", "trimmed", "sigma" };
	const char *basis = tp_config_text(config, TP_OPT_STOP_BASIS);
	for (size_t i = 0; i < TP_COUNT_OF(bases); i++)
		if (strcmp(basis, bases[i]) == 0)
			return (enum tp_stop_basis)i;
	return TP_BASIS_MEDIAN;
}

struct tp_stop_rule tp_stop_rule_of(const struct tp_config *config, size_t least)
{
	struct tp_stop_rule rule = {
		.max_samples = (size_t)tp_config_count(config, TP_OPT_STOP_MAX_SAMPLES),
		.confidence = tp_config_real(config, TP_OPT_STOP_CONFIDENCE),
		.error = tp_config_real(config, TP_OPT_STOP_ERROR),
		.min_count = least,
		.basis = tp_stop_basis_of(config),
		.trim_samples = (size_t)tp_config_count(config, TP_OPT_STOP_TRIM_SAMPLES),
		.trim_tolerance = tp_config_real(config, TP_OPT_STOP_TRIM_TOLERANCE),
		.trim_tries = TRIM_TRIES,
		.sigmas = tp_config_real(config, TP_OPT_STOP_SIGMAS),
	};
	/* More samples after a group that agreed would only let the next one take it back. */
	if (rule.basis == TP_BASIS_TRIMMED)
		rule.min_count = rule.trim_samples;
	return rule;
}

static void summarise(const struct tp_repeat *repeat, enum tp_stop_reason reason,
		      struct tp_point *point, struct tp_summary *summary)
{
	const struct tp_stop_state *state = &repeat->state;
	TP_FREE double *scratch = tp_alloc(state->n + 1, sizeof(*scratch));
	tp_summarise(state->sorted, state->n, repeat->rule.confidence, scratch, summary);
	const struct tp_interval ci = tp_stop_interval(state, &repeat->rule);
	point->mean = summary->mean;
	point->stddev = summary->stddev;
	point->mad = summary->mad;
	point->ci_low = state->n > 1 ? ci.low : 0;
	point->ci_high = state->n > 1 ? ci.high : 0;
	point->kept = (unsigned)state->n;
	point->invocations = 1;
	if (reason == TP_STOP_TIME || reason == TP_STOP_SAMPLES)
		point->flags |= TP_FLAG(NOT_CONVERGED);
	if (reason == TP_STOP_UNSTABLE)
		point->flags |= TP_FLAG(UNSTABLE);
}

enum tp_status tp_repeat_run(struct tp_repeat *repeat, struct tp_point *point,
			     struct tp_summary *summary, struct tp_diag *diag)
{
	enum tp_stop_reason reason = TP_GO_ON;
	enum tp_status status = TP_OK;
	double started = tp_now_seconds();
	while (status == TP_OK && reason == TP_GO_ON) {
		status = repeat->once(repeat->context, diag);
		/* Time ends it only when it has run as often as it shall. */
		bool enough = repeat->state.n >= repeat->least;
		if (status == TP_OK)
			reason = tp_stop_decide(&repeat->state, &repeat->rule,
						enough ? tp_now_seconds() - started : 0);
	}
	if (status == TP_OK)
		summarise(repeat, reason, point, summary);
	return status;
}
