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
	{ .name = "c+i", .summary = "until then, or until an invocation is behind the best so far",
	  .confidence = true, .inner = true },
	{ .name = "c+i+r", .summary = "c+i in reverse order",
	  .confidence = true, .inner = true, .reverse = true },
	{ .name = "c+i+o", .summary = "until then, or until a configuration is behind the best so far",
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

/* By position. */
static struct tp_configuration *make_candidates(const struct tp_search *s)
{
	struct tp_configuration *candidates = tp_alloc(s->tuned->n, sizeof(*candidates));

	for (size_t i = 0; i < s->tuned->n; i++)
		tp_search_place(s, &candidates[i], i);
	return candidates;
}

static void free_candidates(const struct tp_search *s, struct tp_configuration *candidates)
{
	for (size_t i = 0; i < s->tuned->n; i++)
		tp_stop_release(&candidates[i].outer);
	free(candidates);
}

/* --- one after the other --- */

/* TP_STOP_TIME of an invocation is that of the configuration: both count from its beginning. */
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

/* Until it is over, or put off: that is for one of which nothing undisturbed is known. */
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

/* What others disturb is put off to the end, some times: they may be gone by then. */
static enum tp_status search_in_turn(struct tp_search *s, struct tp_diag *diag)
{
	size_t n = s->tuned->n;
	struct tp_configuration *candidates = make_candidates(s);
	enum tp_status status = TP_OK;

	for (unsigned pass = 1; pass <= PASSES; pass++)
		for (size_t i = 0; i < n && status == TP_OK; i++)
			if (!candidates[i].trial.finished)
				status = try_one(s, &candidates[i], pass < PASSES, diag);
	free_candidates(s, candidates);
	return status;
}

/* --- in rounds --- */

struct rounds {
	struct tp_search *s;
	struct tp_configuration *candidates; /* by position */
	bool *late; /* whose invocations did not all have the time that they wanted */
	unsigned invocations; /* of each */
	size_t leader; /* SIZE_MAX = none yet */
};

/*
 * Who leads is known from the first invocation on, for those who watch, and for the case that
 * nobody waits for the end.
 */
static void take_lead(struct rounds *r, size_t position)
{
	struct tp_configuration *all = r->candidates;
	size_t before = r->leader, after = SIZE_MAX;

	for (size_t i = 0; i < r->s->tuned->n; i++)
		if (all[i].failure == TP_OK && all[i].outer.n > 0 &&
		    (after == SIZE_MAX ||
		     tp_search_merit(r->s, &all[i]) > tp_search_merit(r->s, &all[after])))
			after = i;
	r->leader = after;
	r->s->has_best = after != SIZE_MAX;
	if (before != after && before != SIZE_MAX) {
		all[before].trial.incumbent = false;
		if (before != position)
			tp_search_tell(r->s, &all[before].trial);
	}
	if (after == SIZE_MAX)
		return;
	all[after].trial.incumbent = true;
	if (before != after && after != position)
		tp_search_tell(r->s, &all[after].trial);
	r->s->best = all[after].trial;
}

/* Each round may use its share of the time, and what the rounds before have left of theirs. */
static enum tp_status advance_candidate(struct rounds *r, size_t position, unsigned round,
					struct tp_diag *diag)
{
	struct tp_search *s = r->s;
	struct tp_configuration *c = &r->candidates[position];
	struct tp_invocation invocation = { .number = round, .rule = tp_search_inner_rule(s) };
	double share = (double)(round + 1) / r->invocations;
	enum tp_stop_reason reason;
	enum tp_status status;

	invocation.rule.max_seconds *= share;
	if (c->failure)
		return TP_OK;
	if (round > 0 && c->trial.seconds >= invocation.rule.max_seconds) {
		r->late[position] = true;
		return TP_OK;
	}
	status = tp_search_invoke(s, c, &invocation, &reason, diag);
	if (status) {
		if (c->trial.invocations > 0)
			tp_search_tell(s, &c->trial);
		return status;
	}
	r->late[position] |= reason == TP_STOP_TIME;
	take_lead(r, position);
	if (c->failure)
		tp_search_finish(s, c, "failed", false);
	else
		tp_search_tell(s, &c->trial);
	return TP_OK;
}

static void finish_rounds(struct rounds *r)
{
	struct tp_search *s = r->s;
	size_t leader = r->leader;

	s->has_best = false; /* what was told of it while it led is old */
	for (size_t i = 0; i < s->tuned->n; i++)
		if (r->candidates[i].failure == TP_OK)
			tp_search_finish(
				s, &r->candidates[i],
				tp_stop_reason_name(r->late[i] ? TP_STOP_TIME : TP_STOP_SAMPLES),
				i == leader);
}

static enum tp_status search_in_rounds(struct tp_search *s, struct tp_diag *diag)
{
	size_t n = s->tuned->n;
	TP_FREE bool *late = tp_alloc(n, sizeof(*late));
	struct rounds r = {
		.s = s, .candidates = make_candidates(s), .late = late, .leader = SIZE_MAX
	};
	enum tp_status status = TP_OK;

	r.invocations = (unsigned)tp_search_outer_rule(s, &r.candidates[0]).max_samples;
	for (unsigned round = 0; round < r.invocations; round++)
		for (size_t i = 0; i < n && status == TP_OK; i++)
			status = advance_candidate(&r, i, round, diag);
	if (status == TP_OK)
		finish_rounds(&r);
	free_candidates(s, r.candidates);
	return status;
}

/* --- the search --- */

enum tp_status tp_tuning_run(const struct tp_technique *technique, const struct tp_tuned *tuned,
			     const struct tp_tuning_rules *rules, struct tp_trial *best,
			     struct tp_diag *diag)
{
	struct tp_search *s;
	enum tp_status status;

	*best = (struct tp_trial){ 0 };
	if (tuned->n == 0)
		return tp_fail(diag, TP_USAGE, "search", "allow more sizes, or fewer constraints",
			       "no configuration to try");
	s = tp_alloc(1, sizeof(*s));
	s->technique = technique;
	s->tuned = tuned;
	s->rules = *rules;
	struct tp_tuning_rules *r = &s->rules;
	r->confidence = r->confidence > 0 ? r->confidence : 0.99;
	r->error = r->error > 0 ? r->error : 0.01;
	r->max_seconds = r->max_seconds > 0 ? r->max_seconds : 10;
	r->invocations = r->invocations > 0 ? r->invocations : 10;
	r->iterations = r->iterations > 0 ? r->iterations : 200;
	s->told_at = s->begun = tuned->now(tuned->context);
	status = technique->race		 ? tp_search_race(s, diag)
		 : tp_search_is_fixed(technique) ? search_in_rounds(s, diag)
						 : search_in_turn(s, diag);
	if (s->has_best)
		*best = s->best;
	else if (status == TP_OK && diag)
		*diag = s->failure_diag;
	if (!s->has_best && status == TP_OK)
		status = s->first_failure;
	tp_stop_release(&s->inner);
	tp_stop_release(&s->disturbed);
	tp_stop_release(&s->slowdowns);
	free(s);
	return status;
}
