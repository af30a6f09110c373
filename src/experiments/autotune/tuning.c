/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The techniques, and those searches that give each configuration its invocations without looking
 * at the others, or only at the best so far.
 *
 * Where something can end early, one configuration after the other is brought to its end. What has
 * fixed numbers goes in rounds: the first invocation of all, then the second of all, and so on. It
 * costs the same, and a machine that becomes slower or faster for a minute meets all configurations
 * alike, not those whose turn it happened to be.
 */
#include "experiments/autotune/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/autotune/search.h"

/* clang-format off */
const struct tp_technique tp_technique_table[] = {
	{ .name = "default", .summary = "every configuration in full: the baseline" },
	{ .name = "single", .summary = "one call of each configuration",
	  .invocations = 1, .iterations = 1 },
	{ .name = "hand-time", .summary = "few calls, as a person in a hurry would choose",
	  .invocations = 1, .iterations = 10 },
	{ .name = "hand-accuracy", .summary = "more calls, as a careful person would choose",
	  .invocations = 5, .iterations = 50 },
	{ .name = "confidence", .summary = "until the intervals are narrow enough",
	  .confidence = true },
	{ .name = "c+i", .summary = "until then, or until an invocation is slower than the best so far",
	  .confidence = true, .inner = true },
	{ .name = "c+i+r", .summary = "c+i in reverse order",
	  .confidence = true, .inner = true, .reverse = true },
	{ .name = "c+i+o", .summary = "until then, or until a configuration is slower than the best so far",
	  .confidence = true, .inner = true, .outer = true },
	{ .name = "c+i+o+r", .summary = "c+i+o in reverse order",
	  .confidence = true, .inner = true, .outer = true, .reverse = true },
	{ .name = "racing", .summary = "all advance a little in turn, the worst drop out",
	  .confidence = true, .inner = true, .outer = true, .race = true },
};
/* clang-format on */
const size_t tp_technique_count = TP_COUNT_OF(tp_technique_table);
static const uint64_t min_count_max = 1000000;

bool tp_technique_find(const char *name, struct tp_technique *technique)
{
	size_t n = strcspn(name, "/");
	uint64_t count = 0;

	if (name[n] && (!tp_parse_u64(&name[n + 1], &count) || count < 2 || count > min_count_max))
		return false;
	for (size_t i = 0; i < tp_technique_count; i++) {
		const struct tp_technique *t = &tp_technique_table[i];

		if (strlen(t->name) != n || memcmp(t->name, name, n) != 0)
			continue;
		*technique = *t;
		technique->min_count = (unsigned)count;
		return count == 0 || t->inner;
	}
	return false;
}

/* Times that a configuration is taken up again at most, because others disturbed it. */
enum { PASSES = 4 };

/* --- one after the other --- */

/* TP_STOP_TIME of an invocation is the configuration's: both count from its beginning. */
static enum tp_stop_reason decide_outer(const struct tp_search *s, struct tp_configuration *c,
					enum tp_stop_reason inner)
{
	struct tp_stop_rule rule = tp_search_outer_rule(s, c);

	if (inner == TP_STOP_TIME || (inner == TP_STOP_BEATEN && s->technique->outer))
		return inner;
	rule.incumbent = s->technique->outer && s->has_best ? s->best_merit : 0;
	if (!c->calm)
		rule.incumbent *= tp_search_slowdown(s);
	return tp_stop_decide(&c->outer, &rule, c->trial.seconds);
}

/* Until it is over, or postponed: only for one without an undisturbed iteration. */
static enum tp_status try_one(struct tp_search *s, struct tp_configuration *c, bool may_put_off,
			      struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = c->trial.invocations,
					    .rule = tp_search_inner_rule(s) };
	enum tp_stop_reason inner, outer = TP_GO_ON;
	enum tp_status status;

	invocation.rule.incumbent = s->technique->inner && s->has_best ? s->best_merit : 0;
	for (; outer == TP_GO_ON; invocation.number++) {
		s->puts_off = tp_search_may_wait(s);
		status = tp_search_invoke(s, c, &invocation, &inner, diag);
		if (status) {
			if (c->trial.invocations > 0)
				tp_search_tell(s, &c->trial);
			return status;
		}
		if (c->failure) {
			tp_search_finish(s, c, "failed", false);
			return TP_OK;
		}
		outer = s->was_put_off ? TP_GO_ON : decide_outer(s, c, inner);
		if (outer == TP_GO_ON)
			tp_search_tell(s, &c->trial);
		if (s->was_put_off && may_put_off && !c->calm)
			return TP_OK;
	}
	tp_search_finish(s, c, tp_stop_reason_name(outer), outer != TP_STOP_BEATEN);
	return TP_OK;
}

/* Disturbed ones are postponed to the end, a few times: the disturbance may be over by then. */
static enum tp_status step_in_turn(struct tp_search *s, struct tp_diag *diag)
{
	size_t n = s->tuned->n, pass = s->at / n;
	struct tp_configuration *c = &s->candidates[s->at++ % n];

	s->is_over = s->at == PASSES * n;
	return c->trial.finished ? TP_OK : try_one(s, c, pass + 1 < PASSES, diag);
}

/* --- in rounds --- */

static double rounds_of(const struct tp_search *s)
{
	return (double)tp_search_outer_rule(s, &s->candidates[0]).max_samples;
}

/*
 * The leader is reported from the first invocation on, for watchers, and in case the caller stops
 * early.
 */
static void take_lead(struct tp_search *s, size_t position)
{
	struct tp_configuration *all = s->candidates;
	size_t before = s->leader, after = SIZE_MAX;

	for (size_t i = 0; i < s->tuned->n; i++)
		if (all[i].failure == TP_OK && all[i].outer.n > 0 &&
		    (after == SIZE_MAX ||
		     tp_search_merit(s, &all[i]) > tp_search_merit(s, &all[after])))
			after = i;
	s->leader = after;
	s->has_best = after != SIZE_MAX;
	if (before != after && before != SIZE_MAX) {
		all[before].trial.incumbent = false;
		if (before != position)
			tp_search_tell(s, &all[before].trial);
	}
	if (after == SIZE_MAX)
		return;
	all[after].trial.incumbent = true;
	if (before != after && after != position)
		tp_search_tell(s, &all[after].trial);
	s->best = all[after].trial;
}

/* Each round may use its share of the time, and what the rounds before have left of theirs. */
static enum tp_status advance_candidate(struct tp_search *s, size_t position, unsigned round,
					struct tp_diag *diag)
{
	struct tp_configuration *c = &s->candidates[position];
	struct tp_invocation invocation = { .number = round, .rule = tp_search_inner_rule(s) };
	enum tp_stop_reason reason;
	enum tp_status status;

	invocation.rule.max_seconds *= (round + 1) / rounds_of(s);
	if (c->failure)
		return TP_OK;
	if (round > 0 && c->trial.seconds >= invocation.rule.max_seconds) {
		c->late = true;
		return TP_OK;
	}
	status = tp_search_invoke(s, c, &invocation, &reason, diag);
	if (status) {
		if (c->trial.invocations > 0)
			tp_search_tell(s, &c->trial);
		return status;
	}
	c->late |= reason == TP_STOP_TIME;
	take_lead(s, position);
	if (c->failure)
		tp_search_finish(s, c, "failed", false);
	else
		tp_search_tell(s, &c->trial);
	return TP_OK;
}

static void finish_rounds(struct tp_search *s)
{
	s->has_best = false; /* its report as the leader is outdated */
	for (size_t i = 0; i < s->tuned->n; i++) {
		struct tp_configuration *c = &s->candidates[i];

		if (c->failure == TP_OK)
			tp_search_finish(
				s, c, tp_stop_reason_name(c->late ? TP_STOP_TIME : TP_STOP_SAMPLES),
				i == s->leader);
	}
}

static enum tp_status step_in_rounds(struct tp_search *s, struct tp_diag *diag)
{
	size_t n = s->tuned->n;
	enum tp_status status = advance_candidate(s, s->at % n, (unsigned)(s->at / n), diag);

	s->is_over = (double)++s->at >= rounds_of(s) * (double)n;
	if (s->is_over && status == TP_OK)
		finish_rounds(s);
	return status;
}

/* --- the search --- */

struct tp_search *tp_tuning_begin(const struct tp_technique *technique,
				  const struct tp_tuned *tuned, const struct tp_tuning_rules *rules)
{
	struct tp_search *s = tp_alloc(1, sizeof(*s));
	struct tp_tuning_rules *r = &s->rules;

	*s = (struct tp_search){
		.technique = technique, .tuned = tuned, .rules = *rules, .leader = SIZE_MAX
	};
	r->confidence = r->confidence > 0 ? r->confidence : 0.99;
	r->error = r->error > 0 ? r->error : 0.01;
	r->max_seconds = r->max_seconds > 0 ? r->max_seconds : 10;
	r->invocations = r->invocations > 0 ? r->invocations : 10;
	r->iterations = r->iterations > 0 ? r->iterations : 200;
	s->told_at = s->begun = s->left_at = tp_search_now(s);
	s->is_over = tuned->n == 0;
	if (s->is_over)
		s->status = tp_fail(&s->diag, TP_USAGE, "search",
				    "allow more sizes, or fewer constraints",
				    "no configuration to try");
	if (technique->race)
		tp_search_begin_race(s);
	s->candidates = tp_alloc(tuned->n + 1, sizeof(*s->candidates));
	for (size_t i = 0; i < tuned->n; i++)
		tp_search_place(s, &s->candidates[i], i);
	return s;
}

bool tp_tuning_step(struct tp_search *s)
{
	if (s->is_over)
		return false;
	s->away_seconds += tp_search_now(s) - s->left_at;
	s->status = s->race			       ? tp_search_step_race(s, &s->diag)
		    : tp_search_is_fixed(s->technique) ? step_in_rounds(s, &s->diag)
						       : step_in_turn(s, &s->diag);
	s->is_over |= s->status != TP_OK;
	s->left_at = tp_search_now(s);
	return !s->is_over;
}

/* Postponed ones are tried after the others. */
static double share_done(const struct tp_search *s)
{
	double turns = (double)s->tuned->n;

	if (s->race)
		return tp_search_share_of_race(s);
	if (tp_search_is_fixed(s->technique))
		turns *= rounds_of(s);
	return (double)s->at / turns;
}

size_t tp_tuning_next(struct tp_search *const *searches, size_t n)
{
	size_t next = n;

	for (size_t i = 0; i < n; i++)
		if (searches[i] && !searches[i]->is_over &&
		    (next == n || share_done(searches[i]) < share_done(searches[next])))
			next = i;
	return next;
}

enum tp_status tp_tuning_end(struct tp_search *s, struct tp_trial *best, struct tp_diag *diag)
{
	enum tp_status status = s->status;
	const struct tp_diag *why = &s->diag;

	if (!s->has_best && status == TP_OK) {
		status = s->first_failure;
		why = &s->failure_diag;
	}
	*best = s->has_best ? s->best : (struct tp_trial){ 0 };
	if (status != TP_OK && diag)
		*diag = *why;
	for (size_t i = 0; i < s->tuned->n; i++)
		tp_stop_release(&s->candidates[i].outer);
	tp_search_end_race(s);
	tp_stop_release(&s->inner);
	tp_stop_release(&s->disturbed);
	tp_stop_release(&s->slowdowns);
	free(s->candidates);
	free(s);
	return status;
}
