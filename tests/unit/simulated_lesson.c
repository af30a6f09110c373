/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/simulated_lesson.h"

#include <stdlib.h>
#include <string.h>

#include "lesson/names.h"
#include "session/facts.h"

static const struct tp_regime nothing = { .name = "quiet" };

/* True if every point of the plan can be measured on a simulated machine. */
static bool can_simulate(const struct tp_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->items[i].experiment->not_simulated)
			return false;
	return plan->n > 0;
}

static enum tp_status plan(struct simulated_run *run, const struct tp_preset *preset,
			   struct tp_diags *diags)
{
	struct tp_diag diag;
	tp_preset_copy(&run->session.preset, preset);
	enum tp_status status = tp_session_machine(&run->session, &diag);
	if (status != TP_OK)
		tp_diags_add(diags, &diag);
	return status == TP_OK ? tp_session_plan(&run->session, diags) : status;
}

static enum tp_status measure(struct simulated_run *run, const struct tp_regime *regime,
			      uint64_t seed, struct tp_diag *diag)
{
	enum tp_status status = simulated_measure(run, regime, seed, diag);
	tp_facts_collect(&run->run, &run->session);
	return status;
}

static enum tp_status open_step(struct simulated_lesson *s, size_t i, struct tp_diags *diags)
{
	const struct tp_lesson_step *step = &s->lesson.steps[i];
	struct tp_diags ignored = { 0 };
	struct tp_diag diag;
	s->n_measured++;
	/* What this build has no code for has no plan. */
	bool planned = plan(&s->quiet[i], step->preset, &ignored) == TP_OK &&
		       plan(&s->disturbed[i], step->preset, &ignored) == TP_OK;
	tp_diags_release(&ignored);
	if (!planned || !can_simulate(&s->quiet[i].session.plan))
		return TP_OK;
	s->simulated[i] = true;
	s->n_simulated++;
	enum tp_status status = measure(&s->quiet[i], &nothing, 1, &diag);
	if (status != TP_OK)
		tp_diags_add(diags, &diag);
	return status;
}

enum tp_status simulated_lesson_open(struct simulated_lesson *s, const char *path,
				     const struct simulated_machine *machine,
				     struct tp_diags *diags)
{
	char model[64], topology[256];
	const char *const sets[] = { model, topology, "simulate=quiet" };
	const struct tp_overrides overrides = { sets, 3 };
	memset(s, 0, sizeof(*s));
	snprintf(model, sizeof(model), "machine=%s", machine->model);
	snprintf(topology, sizeof(topology), "topology=synthetic:%s", machine->topology);
	enum tp_status status = tp_lesson_load(&s->lesson, path, &overrides, diags);
	for (size_t i = 0; i < s->lesson.n_steps && status == TP_OK; i++)
		if (s->lesson.steps[i].kind == TP_STEP_MEASURE)
			status = open_step(s, i, diags);
	return status;
}

void simulated_lesson_close(struct simulated_lesson *s)
{
	for (size_t i = 0; i < s->lesson.n_steps; i++) {
		simulated_close(&s->quiet[i]);
		simulated_close(&s->disturbed[i]);
	}
	tp_lesson_release(&s->lesson);
}

/* --- what it says --- */

/* Claims on how good a measurement was, or on an answer, are not about the machine. */
static bool is_of_machine(const struct tp_lesson *lesson, const struct tp_expression *e)
{
	for (unsigned i = 0; i < e->n_names; i++) {
		struct tp_lesson_name name;
		if (tp_lesson_name_find(lesson, e->names[i].text, e->names[i].len, &name, NULL) &&
		    (name.kind == TP_NAME_STEP || name.kind == TP_NAME_QUESTION))
			return false;
	}
	return true;
}

static void hold(const struct tp_lesson_state *own, const struct tp_lesson_state *quiet,
		 const struct tp_lesson_step *step, lesson_tell *tell, void *context)
{
	const struct tp_variant *variant = tp_lesson_variant(own, step);
	struct lesson_told told = { .step = step };
	if (!variant)
		return;
	told.variant = (size_t)(variant - step->variants) + 1;
	for (size_t i = 0; i < variant->n_claims; i++) {
		const struct tp_expression *claim = variant->claims[i];
		if (!told.own && !tp_lesson_holds(own, claim))
			told.own = claim->text;
		if (!told.quiet && is_of_machine(own->lesson, claim) &&
		    !tp_lesson_holds(quiet, claim))
			told.quiet = claim->text;
	}
	tell(context, &told);
}

/* Every question has been answered rightly. */
static void answer(const struct tp_lesson_state *state, struct tp_answer *answers)
{
	for (size_t i = 0; i < state->lesson->n_steps; i++) {
		struct tp_answer *a = &answers[i];
		const struct tp_lesson_step *step = &state->lesson->steps[i];
		if (!step->question)
			continue;
		*a = (struct tp_answer){ .given = 1 };
		for (size_t k = 0; k < TP_LESSON_CURVE_MAX; k++)
			a->y[k] = 1;
		if (!tp_lesson_judge(state, step, a))
			continue;
		a->there = true;
		if (step->question->kind != TP_ASK_CURVE)
			a->given = a->truth;
		tp_lesson_judge(state, step, a);
	}
}

enum tp_status simulated_lesson_try(struct simulated_lesson *s, const struct tp_regime *regime,
				    uint64_t seed, lesson_tell *tell, void *context,
				    struct tp_diag *diag)
{
	const struct tp_run *own_runs[TP_LESSON_STEPS_MAX] = { NULL };
	const struct tp_run *quiet_runs[TP_LESSON_STEPS_MAX] = { NULL };
	struct tp_answer own_answers[TP_LESSON_STEPS_MAX] = { 0 };
	struct tp_answer quiet_answers[TP_LESSON_STEPS_MAX] = { 0 };
	const struct tp_lesson_state own = { .lesson = &s->lesson,
					     .runs = own_runs,
					     .answers = own_answers };
	const struct tp_lesson_state quiet = { .lesson = &s->lesson,
					       .runs = quiet_runs,
					       .answers = quiet_answers };
	bool missing = false;
	for (size_t i = 0; i < s->lesson.n_steps; i++) {
		if (!s->simulated[i])
			continue;
		enum tp_status status = measure(&s->disturbed[i], regime, seed, diag);
		if (status != TP_OK)
			return status;
		own_runs[i] = &s->disturbed[i].run;
		quiet_runs[i] = &s->quiet[i].run;
	}
	answer(&own, own_answers);
	answer(&quiet, quiet_answers);
	/* After a step that cannot be simulated there may be nothing to explain. */
	for (size_t i = 0; i < s->lesson.n_steps; i++) {
		const struct tp_lesson_step *step = &s->lesson.steps[i];
		if (step->kind == TP_STEP_MEASURE)
			missing = !s->simulated[i];
		if (step->kind == TP_STEP_EXPLAIN && !missing && s->n_simulated)
			hold(&own, &quiet, step, tell, context);
	}
	return TP_OK;
}
