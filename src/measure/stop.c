/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The trimmed rule works on small groups; the bound keeps its scratch on the stack. */
enum { GROUP_DEFAULT = 5, GROUP_MAX = 64 };
#define TRIM_TOLERANCE_DEFAULT 0.02
#define SIGMAS_DEFAULT	       3

static const char *const reason_names[] = {
	[TP_GO_ON] = "go-on",	       [TP_STOP_TIME] = "time",
	[TP_STOP_SAMPLES] = "samples", [TP_STOP_CONFIDENT] = "confident",
	[TP_STOP_BEATEN] = "beaten",   [TP_STOP_UNSTABLE] = "unstable",
};

const char *tp_stop_reason_name(enum tp_stop_reason reason)
{
	return (size_t)reason < TP_COUNT_OF(reason_names) ? reason_names[reason] : "unknown";
}

/* First index of `sorted` that holds something larger than x. */
static size_t upper_place(const double *sorted, size_t n, double x)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum tp_status tp_stop_add(struct tp_stop_state *state, double x)
{
	if (!isfinite(x))
		return TP_INTERNAL; /* it would destroy order and mean for good */
	TP_RESERVE(state->x, state->cap_x, state->n + 1);
	TP_RESERVE(state->sorted, state->cap_sorted, state->n + 1);
	state->x[state->n] = x;
	size_t place = upper_place(state->sorted, state->n, x);
	memmove(&state->sorted[place + 1], &state->sorted[place],
		(state->n - place) * sizeof(*state->sorted));
	state->sorted[place] = x;
	tp_welford_add(&state->w, x);
	state->n++;
	return TP_OK;
}

void tp_stop_drop(struct tp_stop_state *state)
{
	state->dropped++;
}

static size_t group_size(const struct tp_stop_rule *rule)
{
	if (rule->trim_samples < 3)
		return GROUP_DEFAULT;
	return TP_MIN(rule->trim_samples, (size_t)GROUP_MAX);
}

/* Judges every group that is complete: agreed, or thrown away as a whole. */
static void judge_groups(struct tp_stop_state *state, const struct tp_stop_rule *rule)
{
	double tolerance = rule->trim_tolerance > 0 ? rule->trim_tolerance : TRIM_TOLERANCE_DEFAULT;
	size_t size = group_size(rule);
	double scratch[GROUP_MAX], mean;

	for (; state->n - state->group_start >= size; state->group_start += size) {
		if (tp_trimmed_mean(&state->x[state->group_start], size, tolerance, scratch,
				    &mean)) {
			state->trimmed = mean;
		} else {
			state->trimmed = 0;
			state->groups_thrown++;
		}
	}
}

/* Of the samples that |x - mean| <= k sigma holds for, by mean and sigma of all. */
static struct tp_welford within_sigmas(const struct tp_stop_state *state,
				       const struct tp_stop_rule *rule)
{
	double sigmas = rule->sigmas > 0 ? rule->sigmas : SIGMAS_DEFAULT;
	double most = sigmas * sqrt(tp_welford_variance(&state->w));
	struct tp_welford kept = { 0 };

	for (size_t i = 0; i < state->n; i++)
		if (fabs(state->x[i] - state->w.mean) <= most)
			tp_welford_add(&kept, state->x[i]);
	return kept;
}

double tp_stop_estimate(const struct tp_stop_state *state, const struct tp_stop_rule *rule)
{
	switch (rule->basis) {
	case TP_BASIS_MEAN:
		return state->w.mean;
	case TP_BASIS_SIGMA:
		return within_sigmas(state, rule).mean;
	case TP_BASIS_TRIMMED:
		if (state->trimmed != 0)
			return state->trimmed;
		break;
	case TP_BASIS_MEDIAN:
		break;
	}
	return tp_median_sorted(state->sorted, state->n);
}

struct tp_interval tp_stop_interval(const struct tp_stop_state *state,
				    const struct tp_stop_rule *rule)
{
	size_t size = group_size(rule);
	double scratch[GROUP_MAX];
	struct tp_interval ci;
	struct tp_welford counted = state->w;

	switch (rule->basis) {
	case TP_BASIS_SIGMA:
		counted = within_sigmas(state, rule);
		__attribute__((fallthrough));
	case TP_BASIS_MEAN:
		ci = tp_mean_interval(&counted, rule->confidence);
		if (!ci.valid && state->n > 0) {
			ci.low = state->sorted[0];
			ci.high = state->sorted[state->n - 1];
		}
		return ci;
	case TP_BASIS_TRIMMED:
		if (state->trimmed != 0 && state->group_start >= size)
			return tp_trimmed_interval(&state->x[state->group_start - size], size,
						   rule->confidence, scratch);
		ci = tp_median_interval_sorted(state->sorted, state->n, rule->confidence);
		ci.valid = false; /* no group has agreed: there is no interval */
		return ci;
	case TP_BASIS_MEDIAN:
		break;
	}
	return tp_median_interval_sorted(state->sorted, state->n, rule->confidence);
}

/*
 * Rule 4. The upper end of the estimate comes from the rule's basis; while there are too few
 * samples for it (a median needs 8 for 99 %), it is mean + margin by Student's t, which is honest
 * from two samples on: wide unless they agree.
 */
static bool is_beaten(const struct tp_stop_state *state, const struct tp_stop_rule *rule,
		      struct tp_interval ci)
{
	if (!(rule->incumbent > 0) || state->n < 2 || state->n < rule->race_count)
		return false;
	if (!ci.valid)
		ci = tp_mean_interval(&state->w, rule->confidence);
	return ci.valid && ci.high < rule->incumbent;
}

/* Rule 3. The trimmed basis has its own criterion: a group that agreed. */
static bool is_confident(const struct tp_stop_state *state, const struct tp_stop_rule *rule,
			 struct tp_interval ci)
{
	double estimate, margin;

	if (state->n == 0 || state->n < rule->min_count)
		return false;
	if (rule->basis == TP_BASIS_TRIMMED)
		return state->trimmed != 0;
	estimate = tp_stop_estimate(state, rule);
	margin = rule->error * fabs(estimate);
	return ci.valid && ci.high - estimate <= margin && estimate - ci.low <= margin;
}

enum tp_stop_reason tp_stop_decide(struct tp_stop_state *state, const struct tp_stop_rule *rule,
				   double elapsed_seconds)
{
	struct tp_interval ci;

	if (rule->basis == TP_BASIS_TRIMMED)
		judge_groups(state, rule);
	ci = tp_stop_interval(state, rule);
	if (is_beaten(state, rule, ci))
		return TP_STOP_BEATEN;
	if (is_confident(state, rule, ci))
		return TP_STOP_CONFIDENT;
	if (rule->basis == TP_BASIS_TRIMMED && state->trimmed == 0 && state->groups_thrown > 0 &&
	    state->groups_thrown >= rule->trim_tries)
		return TP_STOP_UNSTABLE;
	if (rule->max_samples > 0 && state->n + state->dropped >= rule->max_samples)
		return TP_STOP_SAMPLES;
	if (rule->max_seconds > 0 && elapsed_seconds >= rule->max_seconds)
		return TP_STOP_TIME;
	return TP_GO_ON;
}

void tp_stop_reset(struct tp_stop_state *state)
{
	struct tp_stop_state empty = { .x = state->x,
				       .sorted = state->sorted,
				       .cap_x = state->cap_x,
				       .cap_sorted = state->cap_sorted };

	*state = empty;
}

void tp_stop_release(struct tp_stop_state *state)
{
	struct tp_stop_state empty = { 0 };

	free(state->x);
	free(state->sorted);
	*state = empty;
}
