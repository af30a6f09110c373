/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/autotune/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/autotune/tuning_parts.h"
#include "experiments/autotune/trial.h"

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
 * Student's, which is honest from 2 on. Groups of the trimmed basis make no sense here; what an
 * invocation says is robust already.
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

/* --- the search --- */

static struct tp_tuning_rules complete(const struct tp_tuning_rules *rules)
{
	struct tp_tuning_rules r = *rules;

	r.confidence = r.confidence > 0 ? r.confidence : 0.99;
	r.error = r.error > 0 ? r.error : 0.01;
	r.max_seconds = r.max_seconds > 0 ? r.max_seconds : 10;
	r.invocations = r.invocations > 0 ? r.invocations : 10;
	r.iterations = r.iterations > 0 ? r.iterations : 200;
	return r;
}

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
	s = calloc(1, sizeof(*s));
	if (!s)
		return tp_fail(diag, TP_NOMEM, "search", NULL, "out of memory");
	s->technique = technique;
	s->tuned = tuned;
	s->rules = complete(rules);
	s->told_at = s->begun = tuned->now(tuned->context);
	status = technique->race ? tp_search_race(s, diag) : tp_search_levels(s, diag);
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
