/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values from the measurements and answers of somebody who works through a lesson. */
#include "lesson/values_parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/trust.h"

static bool measured_value(const struct tp_run *run, enum tp_measured what, double *value)
{
	struct tp_trust trust = tp_trust_of(run);
	char simulated[TP_SIMULATED_BYTES];
	switch (what) {
	case TP_MEASURED_POINTS:
		*value = (double)trust.points;
		break;
	case TP_MEASURED_GOOD:
		*value = (double)trust.good;
		break;
	case TP_MEASURED_FAIR:
		*value = (double)trust.fair;
		break;
	case TP_MEASURED_POOR:
		*value = (double)trust.poor;
		break;
	case TP_MEASURED_NOISY:
		*value = trust.quality == TP_QUALITY_POOR;
		break;
	case TP_MEASURED_SIMULATED:
		*value = *tp_run_simulated(run, simulated, sizeof(simulated)) != '\0';
		break;
	}
	return true;
}

static bool answered_value(const struct tp_answer *answer, enum tp_answered what, double *value)
{
	if (!answer->there)
		return false;
	switch (what) {
	case TP_ANSWERED_GIVEN:
		*value = answer->given;
		break;
	case TP_ANSWERED_TRUTH:
		*value = answer->truth;
		break;
	case TP_ANSWERED_FACTOR:
		*value = answer->factor;
		break;
	case TP_ANSWERED_RIGHT:
		*value = answer->right;
		return isfinite(answer->truth) || isfinite(answer->factor);
	}
	return isfinite(*value);
}

static const struct tp_run *newest(const struct tp_lesson_state *state)
{
	for (size_t i = state->lesson->n_steps; i-- > 0;)
		if (state->runs[i])
			return state->runs[i];
	return NULL;
}

static bool value_of(const void *context, const struct tp_lesson_name *name, struct tp_operand *out)
{
	const struct tp_lesson_state *state = context;
	const struct tp_run *run =
		name->kind == TP_NAME_MACHINE ? newest(state) : state->runs[name->step];
	*out = (struct tp_operand){ 0 };
	if (name->kind == TP_NAME_QUESTION)
		return answered_value(&state->answers[name->step], name->index, &out->number);
	if (!run)
		return false;
	if (name->kind == TP_NAME_STEP)
		return measured_value(run, name->index, &out->number);
	if (name->kind == TP_NAME_MACHINE)
		return tp_lesson_fact_value(run, tp_lesson_fact(name->index), out);
	const struct tp_result *result = &state->lesson->steps[name->step].results[name->index];
	if (name->column)
		return tp_lesson_row_value(run, result, name->column->name, out);
	out->number = tp_lesson_row(run, result) != NULL;
	return true;
}

static struct tp_lesson_known known_of(const struct tp_lesson_state *state)
{
	return (struct tp_lesson_known){ state->lesson, value_of, state };
}

bool tp_lesson_compute(const struct tp_lesson_state *state, const struct tp_expression *expression,
		       double *value)
{
	const struct tp_lesson_known known = known_of(state);
	struct tp_operand operand;
	if (!tp_lesson_compute_of(&known, expression, &operand) || operand.word)
		return false;
	*value = operand.number;
	return true;
}

bool tp_lesson_holds(const struct tp_lesson_state *state, const struct tp_expression *condition)
{
	const struct tp_lesson_known known = known_of(state);
	return tp_lesson_holds_of(&known, condition);
}

bool tp_lesson_fill(const struct tp_lesson_state *state, const struct tp_quoted *text,
		    struct tp_str *out)
{
	const struct tp_lesson_known known = known_of(state);
	return tp_lesson_fill_of(&known, text, out);
}

const struct tp_variant *tp_lesson_variant(const struct tp_lesson_state *state,
					   const struct tp_lesson_step *step)
{
	const struct tp_lesson_known known = known_of(state);
	return tp_lesson_variant_of(&known, step);
}
