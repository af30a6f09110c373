/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One invocation of a configuration, and the state of the configuration after it.
 *
 * Iterations for which the core was not wholly ours (tp_tuned.iterate) count only where there is
 * nothing better. They are postponed and tried again if allowed, and otherwise corrected by the
 * cost of disturbance seen in configurations that were measured both ways.
 */
#include "experiments/autotune/search.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"

/*
 * A decision costs a message to another process and back: not more often than this while a search
 * may be stopped early, and else.
 */
static const double ask_seconds = 5e-3, ask_fixed_seconds = 0.1;
/*
 * Disturbed iterations are repeated, unless numbers are fixed, until this many seconds and this
 * share of the search went into waiting for better ones.
 */
static const double wait_seconds = 0.25, wait_share = 0.5;
/*
 * An invocation counts as calm if at least one of so many of its iterations, or this number, had a
 * whole core.
 */
enum { CALM_PARTS = 2, CALM_MANY = 20 };
/*
 * This many configurations must have been measured both ways to estimate the cost of disturbance.
 */
enum { SLOWDOWNS_LEAST = 3 };
/* So long a disturbed invocation goes on before it is put off. */
static const double put_off_seconds = 3e-3;
/* During a long invocation, its state is reported this often. */
static const double tell_seconds = 0.2;

/* --- rules --- */

bool tp_search_is_fixed(const struct tp_technique *technique)
{
	return !technique->confidence && !technique->inner;
}

struct tp_stop_rule tp_search_inner_rule(const struct tp_search *s)
{
	const struct tp_technique *t = s->technique;

	return (struct tp_stop_rule){
		.max_seconds = s->rules.max_seconds,
		.max_samples = t->iterations > 0 ? t->iterations : s->rules.iterations,
		.confidence = s->rules.confidence,
		.error = s->rules.error,
		.min_count = t->confidence ? TP_MAX(t->min_count, 3u) : SIZE_MAX,
		.basis = s->rules.basis,
		.race_count = TP_MAX(t->min_count, 2u),
		.trim_tries = 20,
	};
}

/*
 * Invocations are few. A distribution-free interval of 99 % needs 8 of them: until then it is
 * Student's, which is honest from 2 on. Groups of the trimmed basis make no sense here; the value
 * of an invocation is already robust.
 */
struct tp_stop_rule tp_search_outer_rule(const struct tp_search *s,
					 const struct tp_configuration *c)
{
	const struct tp_technique *t = s->technique;
	bool is_many = tp_median_rank(c->outer.n, s->rules.confidence) > 0;

	return (struct tp_stop_rule){
		.max_seconds = s->rules.max_seconds,
		.max_samples = t->invocations > 0 ? t->invocations : s->rules.invocations,
		.confidence = s->rules.confidence,
		.error = s->rules.error,
		.min_count = t->confidence ? TP_TUNING_LEAST_INVOCATIONS : SIZE_MAX,
		.basis = is_many && s->rules.basis != TP_BASIS_MEAN ? TP_BASIS_MEDIAN
								    : TP_BASIS_MEAN,
		.race_count = 2,
	};
}

/* --- what is known --- */

static bool goes_on(const struct tp_search *s)
{
	return !s->tuned->go_on || s->tuned->go_on(s->tuned->context);
}

double tp_search_now(const struct tp_search *s)
{
	return s->tuned->now(s->tuned->context) - s->away_seconds;
}

void tp_search_tell(struct tp_search *s, const struct tp_trial *trial)
{
	if (s->tuned->tried)
		s->tuned->tried(s->tuned->context, trial);
	s->told_at = tp_search_now(s);
}

void tp_search_place(const struct tp_search *s, struct tp_configuration *c, size_t position)
{
	size_t i = s->technique->reverse ? s->tuned->n - 1 - position : position;

	c->trial = (struct tp_trial){ .index = (unsigned)(s->rules.order ? s->rules.order[i] : i),
				      .position = (unsigned)position };
}

/* With only one invocation, the interval comes from its iterations. */
void tp_search_summarise(const struct tp_search *s, struct tp_configuration *c)
{
	struct tp_stop_rule rule = tp_search_outer_rule(s, c);
	struct tp_interval ci = { 0 };

	if (c->outer.n == 0)
		return;
	if (c->outer.n > 1) {
		ci = tp_stop_interval(&c->outer, &rule);
	} else if (s->inner.n > 0) {
		struct tp_stop_rule inside = tp_search_inner_rule(s);

		ci = tp_stop_interval(&s->inner, &inside);
	}
	if (s->rules.basis != TP_BASIS_MEAN)
		rule.basis = TP_BASIS_MEDIAN;
	c->trial.value = tp_stop_estimate(&c->outer, &rule);
	/* The last invocation may have been disturbed; then neither it nor its interval counts. */
	if (ci.low > c->trial.value || c->trial.value > ci.high)
		ci = (struct tp_interval){ .low = c->trial.ci_low, .high = c->trial.ci_high };
	bool holds = ci.low <= c->trial.value && c->trial.value <= ci.high;
	c->trial.ci_low = holds ? ci.low : 0;
	c->trial.ci_high = holds ? ci.high : 0;
}

static void fail_candidate(struct tp_search *s, struct tp_configuration *c, enum tp_status status,
			   const struct tp_diag *diag)
{
	c->failure = status;
	if (s->first_failure == TP_OK) {
		s->first_failure = status;
		s->failure_diag = *diag;
	}
}

void tp_search_finish(struct tp_search *s, struct tp_configuration *c, const char *stopped,
		      bool can_win)
{
	c->trial.finished = true;
	tp_copy(c->trial.stopped, sizeof(c->trial.stopped), stopped);
	c->trial.incumbent = can_win && c->failure == TP_OK && c->outer.n > 0 &&
			     (!s->has_best || tp_search_merit(s, c) > s->best_merit);
	if (c->trial.incumbent) {
		if (s->has_best && s->best.index != c->trial.index) {
			s->best.incumbent = false;
			tp_search_tell(s, &s->best);
		}
		s->best = c->trial;
		s->best_merit = tp_search_merit(s, c);
		s->has_best = true;
	}
	tp_search_tell(s, &c->trial);
}

/* --- an invocation --- */

struct pace {
	unsigned count; /* iterations of the next batch */
	double record; /* largest mean of a batch */
	bool rises; /* the last batch was clearly faster than all before it */
};

static void take_one(struct tp_search *s, struct tp_configuration *c, double x, double share)
{
	c->trial.iterations++;
	c->trial.best = fmax(c->trial.best, x);
	if (share < 1) {
		c->trial.disturbed++;
		s->has_company = true;
	}
	if (share >= 1 || s->takes_all) {
		tp_stop_add(&s->inner, x);
		return;
	}
	tp_stop_drop(&s->inner);
	s->ceiling = fmax(s->ceiling, x / share);
	tp_stop_add(&s->disturbed, x);
}

/* Only finite rates get into the states. */
static void take_values(struct tp_search *s, struct tp_configuration *c, struct pace *pace)
{
	size_t before = s->inner.n;
	double mean = 0;

	for (unsigned i = 0; i < pace->count; i++) {
		double x = s->values[i];

		if (!isfinite(x) || !(x > 0)) {
			struct tp_diag diag;
			tp_fail(&diag, TP_FAILED, "iteration", NULL, "a rate of %g", x);
			fail_candidate(s, c, TP_FAILED, &diag);
			return;
		}
		take_one(s, c, x, s->shares[i]);
	}
	for (size_t i = before; i < s->inner.n; i++)
		mean += s->inner.x[i] / (double)(s->inner.n - before);
	pace->rises = pace->record > 0 && mean > pace->record * (1 + s->rules.error);
	pace->record = fmax(pace->record, mean);
}

/* From now on this invocation makes do with disturbed iterations. */
static void take_disturbed(struct tp_search *s)
{
	s->takes_all = true;
	for (size_t i = 0; i < s->disturbed.n; i++)
		tp_stop_add(&s->inner, s->disturbed.x[i]);
	s->inner.dropped -= s->disturbed.n;
}

double tp_search_slowdown(const struct tp_search *s)
{
	if (s->slowdowns.n < SLOWDOWNS_LEAST)
		return 1;
	return fmin(tp_median_sorted(s->slowdowns.sorted, s->slowdowns.n), 1);
}

double tp_search_merit(const struct tp_search *s, const struct tp_configuration *c)
{
	double undisturbed = fmin(c->disturbed_value / tp_search_slowdown(s), c->ceiling);

	return c->calm ? c->trial.value : fmax(c->trial.value, undisturbed);
}

static bool is_mostly_calm(const struct tp_search *s)
{
	return s->inner.n * CALM_PARTS >= s->inner.n + s->inner.dropped;
}

/* Even undisturbed, none of its disturbed iterations would have come near the best. */
static bool is_hopeless(const struct tp_search *s, const struct tp_stop_rule *rule)
{
	double most = s->ceiling;

	if (is_mostly_calm(s) || s->disturbed.n < rule->race_count)
		return false;
	if (s->slowdowns.n >= SLOWDOWNS_LEAST)
		most = fmin(most, TP_UNDISTURBED_MARGIN / tp_search_slowdown(s) *
					  tp_median_sorted(s->disturbed.sorted, s->disturbed.n));
	return most * (1 + s->rules.error) < rule->incumbent;
}

bool tp_search_may_wait(const struct tp_search *s)
{
	double elapsed = tp_search_now(s) - s->begun;

	return s->waited_seconds < wait_seconds + wait_share * elapsed;
}

/*
 * Batches double while they are short against what asking costs, or while the values rise; never
 * beyond the time that is left.
 */
static void set_pace(const struct tp_search *s, struct pace *pace, double batch_seconds,
		     double left_seconds)
{
	double limit = tp_search_is_fixed(s->technique) ? ask_fixed_seconds : ask_seconds;
	double each = batch_seconds / pace->count;

	if (batch_seconds < limit / 2 || pace->rises)
		pace->count = TP_MIN(pace->count * 2, (unsigned)TP_TUNING_BATCH_MAX);
	if (each > 0 && left_seconds < pace->count * each)
		pace->count = (unsigned)fmax(1, left_seconds / each);
}

/*
 * What is left to be done about a batch that was disturbed as a whole, where numbers are not fixed.
 */
static void note_disturbed(struct tp_search *s, const struct tp_invocation *invocation,
			   double batch_seconds, double invocation_seconds)
{
	if (invocation->budget_seconds > 0) {
		s->waited_seconds += batch_seconds;
		return;
	}
	s->was_put_off = s->puts_off && !is_mostly_calm(s) &&
			 s->disturbed.n >= invocation->rule.race_count &&
			 invocation_seconds >= put_off_seconds;
	if (!s->puts_off)
		take_disturbed(s);
}

static enum tp_stop_reason decide_inner(struct tp_search *s, const struct tp_invocation *invocation,
					const struct pace *pace, double spent_seconds,
					double invocation_seconds)
{
	struct tp_stop_rule rule = invocation->rule;
	enum tp_stop_reason reason;

	/* What is disturbed is compared with what the best would be if it were. */
	if (s->takes_all)
		rule.incumbent *= tp_search_slowdown(s);
	reason = tp_stop_decide(&s->inner, &rule, spent_seconds + invocation_seconds);
	/* A few iterations are likely to be disturbed unseen, where others are. */
	if ((reason == TP_STOP_BEATEN || reason == TP_STOP_CONFIDENT) &&
	    (!is_mostly_calm(s) || (s->has_company && invocation_seconds < put_off_seconds)))
		reason = TP_GO_ON;
	if (reason == TP_GO_ON && is_hopeless(s, &rule))
		reason = TP_STOP_BEATEN;
	if (reason == TP_GO_ON && invocation->budget_seconds > 0 && !pace->rises &&
	    s->inner.n + s->inner.dropped >= invocation->least &&
	    invocation_seconds >= invocation->budget_seconds)
		reason = TP_STOP_SAMPLES;
	return reason;
}

static void tell_sofar(struct tp_search *s, const struct tp_configuration *c,
		       const struct tp_stop_rule *rule, double invocation_seconds)
{
	struct tp_trial sofar = c->trial;

	sofar.seconds += invocation_seconds;
	if (c->outer.n == 0 && s->inner.n > 0)
		sofar.value = tp_stop_estimate(&s->inner, rule);
	tp_search_tell(s, &sofar);
}

static enum tp_status run_iterations(struct tp_search *s, struct tp_configuration *c, void *state,
				     const struct tp_invocation *invocation, double spent_seconds,
				     enum tp_stop_reason *reason, struct tp_diag *diag)
{
	const struct tp_tuned *tuned = s->tuned;
	const struct tp_stop_rule *rule = &invocation->rule;
	struct pace pace = { .count = 1 };
	double begun = tp_search_now(s), before, after = begun, left;
	enum tp_status status;

	for (*reason = TP_GO_ON; *reason == TP_GO_ON && !s->was_put_off;) {
		size_t taken = s->inner.n + s->inner.dropped, known = s->inner.n;

		if (!goes_on(s))
			return tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");
		pace.count = (unsigned)TP_MIN((size_t)pace.count, rule->max_samples - taken);
		before = after;
		for (unsigned i = 0; i < pace.count; i++)
			s->shares[i] = 1;
		status = tuned->iterate(tuned->context, state, pace.count, s->values, s->shares,
					diag);
		if (status == TP_CANCELLED)
			return status;
		if (status) {
			fail_candidate(s, c, status, diag);
			return TP_OK;
		}
		after = tp_search_now(s);
		c->call_seconds = (after - begun) / (double)(taken + pace.count);
		take_values(s, c, &pace);
		if (c->failure)
			return TP_OK;
		if (s->inner.n == known && !tp_search_is_fixed(s->technique))
			note_disturbed(s, invocation, after - before, after - begun);
		*reason = decide_inner(s, invocation, &pace, spent_seconds, after - begun);
		s->was_put_off &= *reason == TP_GO_ON;
		left = rule->max_seconds - spent_seconds - (after - begun);
		if (invocation->budget_seconds > 0 && !pace.rises &&
		    taken + pace.count >= invocation->least)
			left = fmin(left, invocation->budget_seconds - (after - begun));
		set_pace(s, &pace, after - before, left);
		if (*reason == TP_GO_ON && after - s->told_at >= tell_seconds)
			tell_sofar(s, c, rule, after - begun);
	}
	return TP_OK;
}

/*
 * The core is looked at before and after an iteration, not inside: where a share of them is seen to
 * be disturbed, about as many of the others are unseen. These are the slow ones among them, and the
 * middle of the rest lies higher than the middle of all.
 */
static double estimate_of(const struct tp_stop_state *inner, const struct tp_stop_rule *rule)
{
	double share = (double)inner->dropped / (double)(inner->n + inner->dropped);

	if (inner->dropped == 0 || rule->basis == TP_BASIS_MEAN)
		return tp_stop_estimate(inner, rule);
	return tp_quantile_sorted(inner->sorted, inner->n, (1 + share) / 2);
}

/* Its value counts, unless it was disturbed and another one was not. */
static void count_invocation(struct tp_search *s, struct tp_configuration *c,
			     const struct tp_stop_rule *rule)
{
	const struct tp_stop_state *disturbed = &s->disturbed;
	bool is_calm = !s->takes_all && (is_mostly_calm(s) || s->inner.n >= CALM_MANY);

	if (disturbed->n > 0)
		c->disturbed_value =
			fmax(c->disturbed_value, tp_median_sorted(disturbed->sorted, disturbed->n));
	if (s->was_put_off)
		return;
	if (!is_calm && !s->takes_all)
		take_disturbed(s);
	if (is_calm && !c->calm)
		tp_stop_reset(&c->outer);
	if (!is_calm && c->calm) {
		tp_stop_drop(&c->outer);
		return;
	}
	c->calm = is_calm;
	c->ceiling = is_calm ? 0 : fmax(c->ceiling, s->ceiling);
	tp_stop_add(&c->outer, estimate_of(&s->inner, rule));
	if (is_calm && c->disturbed_value > 0)
		tp_stop_add(&s->slowdowns, c->disturbed_value / c->outer.x[c->outer.n - 1]);
}

enum tp_status tp_search_invoke(struct tp_search *s, struct tp_configuration *c,
				const struct tp_invocation *invocation, enum tp_stop_reason *reason,
				struct tp_diag *diag)
{
	const struct tp_tuned *tuned = s->tuned;
	double begun = tp_search_now(s);
	enum tp_status status;
	void *state = NULL;

	if (!goes_on(s))
		return tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");
	*reason = TP_GO_ON;
	tp_stop_reset(&s->inner);
	tp_stop_reset(&s->disturbed);
	s->takes_all = s->was_put_off = false;
	s->ceiling = 0;
	status = tuned->begin(tuned->context, c->trial.index, invocation->number, &state, diag);
	if (status == TP_CANCELLED)
		return status;
	c->trial.invocations++;
	if (status) {
		fail_candidate(s, c, status, diag);
		status = TP_OK;
	} else {
		double spent = c->trial.seconds + tp_search_now(s) - begun;

		status = run_iterations(s, c, state, invocation, spent, reason, diag);
		tuned->end(tuned->context, state);
	}
	c->trial.seconds += tp_search_now(s) - begun;
	if (s->was_put_off)
		s->waited_seconds += tp_search_now(s) - begun;
	c->longest = TP_MAX(c->longest, (unsigned)(s->inner.n + s->inner.dropped));
	/* A value cut short by a failure or by the user does not stand for the whole. */
	if (status == TP_OK && c->failure == TP_OK)
		count_invocation(s, c, &invocation->rule);
	tp_search_summarise(s, c);
	return status;
}
