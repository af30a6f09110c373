/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One configuration after the other, each to its end: invocations outside, iterations inside, both with the same stop rules. */
#include "experiment/tuning_parts.h"

static size_t place(const struct tp_search *s, size_t position)
{
	size_t i = s->technique->reverse ? s->tuned->n - 1 - position : position;

	return s->rules.order ? s->rules.order[i] : i;
}

/* TP_STOP_TIME of an invocation is that of the configuration: both count from its beginning. */
static enum tp_stop_reason decide(const struct tp_search *s, struct tp_candidate *c,
				  enum tp_stop_reason inner)
{
	struct tp_stop_rule rule = tp_search_outer_rule(s, c);

	if (inner == TP_STOP_TIME || (inner == TP_STOP_BEATEN && s->technique->outer))
		return inner;
	rule.incumbent = s->technique->outer && s->has_best ? s->best.value : 0;
	return tp_stop_decide(&c->outer, &rule, c->trial.seconds);
}

static enum tp_status try_one(struct tp_search *s, struct tp_candidate *c, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .rule = tp_search_inner_rule(s) };
	enum tp_stop_reason inner, outer = TP_GO_ON;
	enum tp_status status;

	invocation.rule.incumbent = s->technique->inner && s->has_best ? s->best.value : 0;
	for (; outer == TP_GO_ON; invocation.number++) {
		status = tp_search_goes_on(s)
				 ? tp_search_invoke(s, c, &invocation, &inner, diag)
				 : tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");
		if (status) {
			if (c->trial.invocations > 0)
				tp_search_tell(s, &c->trial);
			return status;
		}
		if (c->failure) {
			tp_search_finish(s, c, "failed", false);
			return TP_OK;
		}
		outer = decide(s, c, inner);
		if (outer == TP_GO_ON)
			tp_search_tell(s, &c->trial);
	}
	tp_search_finish(s, c, tp_stop_reason_name(outer), outer != TP_STOP_BEATEN);
	return TP_OK;
}

enum tp_status tp_search_levels(struct tp_search *s, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	for (size_t position = 0; position < s->tuned->n && status == TP_OK; position++) {
		struct tp_candidate c = { .trial = { .index = (unsigned)place(s, position),
						     .position = (unsigned)position } };

		status = try_one(s, &c, diag);
		tp_stop_release(&c.outer);
	}
	return status;
}
