/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression_parts.h"

#include <math.h>
#include <string.h>

static double call_min(const struct tp_operand *x, unsigned n)
{
	double found = x[0].number;
	for (unsigned i = 1; i < n; i++)
		found = fmin(found, x[i].number);
	return found;
}

static double call_max(const struct tp_operand *x, unsigned n)
{
	double found = x[0].number;
	for (unsigned i = 1; i < n; i++)
		found = fmax(found, x[i].number);
	return found;
}

static bool same(const struct tp_operand *a, const struct tp_operand *b)
{
	if (!a->word || !b->word)
		return !a->word && !b->word && a->number == b->number;
	return a->len == b->len && memcmp(a->word, b->word, a->len) == 0;
}

static double call_distinct(const struct tp_operand *x, unsigned n)
{
	unsigned found = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned earlier = 0;
		while (earlier < i && !same(&x[earlier], &x[i]))
			earlier++;
		found += earlier == i;
	}
	return found;
}

#define OF_ONE(name)                                                                               \
	static double call_##name(const struct tp_operand *x, unsigned n)                          \
	{                                                                                          \
		(void)n;                                                                           \
		return name(x->number);                                                            \
	}
OF_ONE(fabs)
OF_ONE(floor)
OF_ONE(ceil)
OF_ONE(log2)
OF_ONE(sqrt)
OF_ONE(exp2)

const struct tp_function tp_functions[] = {
	{ "min", TP_ARGUMENTS_MAX, call_min, false },
	{ "max", TP_ARGUMENTS_MAX, call_max, false },
	{ "abs", 1, call_fabs, false },
	{ "floor", 1, call_floor, false },
	{ "ceil", 1, call_ceil, false },
	{ "log2", 1, call_log2, false },
	{ "sqrt", 1, call_sqrt, false },
	{ "exp2", 1, call_exp2, false },
	{ "distinct", TP_ARGUMENTS_MAX, call_distinct, true },
};
const unsigned tp_n_functions = sizeof(tp_functions) / sizeof(*tp_functions);

static enum tp_status refuse(const struct tp_expression *e, enum tp_status status, size_t at,
			     const char *what, struct tp_diag *diag)
{
	return tp_fail(diag, status, NULL, NULL, "\"%.80s\", column %zu: %s", e->text, at + 1,
		       what);
}

static bool any_word(const struct tp_operand *x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (x[i].word)
			return true;
	return false;
}

static bool compares(enum tp_sign sign, const struct tp_operand *a, const struct tp_operand *b)
{
	switch (sign) {
	case TP_LESS_EQUAL:
		return a->number <= b->number;
	case TP_GREATER_EQUAL:
		return a->number >= b->number;
	case TP_EQUAL:
		return same(a, b);
	case TP_UNEQUAL:
		return !same(a, b);
	case TP_LESS:
		return a->number < b->number;
	case TP_GREATER:
		return a->number > b->number;
	}
	return false;
}

/* NULL, or what is wrong with the kinds of the values that the step takes. */
static const char *wrong_kinds(const struct tp_expression_step *step, const struct tp_operand *top)
{
	static const char no_number[] = "a word where a number should be";
	unsigned takes = step->n;
	switch ((enum tp_step_kind)step->kind) {
	case TP_STEP_NUMBER:
	case TP_STEP_WORD:
	case TP_STEP_NAME:
	case TP_STEP_COMPARE_END:
		return NULL;
	case TP_STEP_COMPARE:
	case TP_STEP_COMPARE_ON:
		if (!top[-2].word && !top[-1].word)
			return NULL;
		if (step->n != TP_EQUAL && step->n != TP_UNEQUAL)
			return "words are compared by == and != alone";
		return top[-2].word && top[-1].word ? NULL : "a word is compared with a number";
	case TP_STEP_CALL:
		return !tp_functions[step->from].takes_words && any_word(top - takes, takes)
			       ? no_number
			       : NULL;
	default:
		return any_word(top - takes, takes) ? no_number : NULL;
	}
}

/* The result of a step that takes one number or two. */
static double compute(enum tp_step_kind kind, double a, double b)
{
	switch (kind) {
	case TP_STEP_NEGATE:
		return -b;
	case TP_STEP_NOT:
		return b == 0;
	case TP_STEP_TRUTH:
		return b != 0;
	case TP_STEP_ADD:
		return a + b;
	case TP_STEP_SUBTRACT:
		return a - b;
	case TP_STEP_MULTIPLY:
		return a * b;
	case TP_STEP_DIVIDE:
		return a / b;
	case TP_STEP_REMAINDER:
		/* As in mathematics: never negative for a positive divisor. */
		return a - b * floor(a / b);
	case TP_STEP_AND:
		return a != 0 && b != 0;
	case TP_STEP_OR:
		return a != 0 || b != 0;
	default:
		return NAN;
	}
}

/* Does a step with the stack that ends at `top`, and returns its new end. */
static struct tp_operand *take_step(const struct tp_expression *e,
				    const struct tp_expression_step *step,
				    const struct tp_operand *values, struct tp_operand *top)
{
	bool holds;
	switch ((enum tp_step_kind)step->kind) {
	case TP_STEP_NUMBER:
		*top = (struct tp_operand){ .number = step->number };
		return top + 1;
	case TP_STEP_WORD:
		*top = (struct tp_operand){ .word = e->text + step->from, .len = step->at };
		return top + 1;
	case TP_STEP_NAME:
		*top = values[step->from];
		return top + 1;
	case TP_STEP_COMPARE:
		holds = compares((enum tp_sign)step->n, &top[-2], &top[-1]);
		top[-2] = (struct tp_operand){ .number = holds };
		return top;
	case TP_STEP_COMPARE_ON:
		holds = compares((enum tp_sign)step->n, &top[-2], &top[-1]);
		top[-3].number = top[-3].number != 0 && holds;
		top[-2] = top[-1];
		return top - 1;
	case TP_STEP_COMPARE_END:
		return top - 1;
	case TP_STEP_CALL:
		top -= step->n;
		*top = (struct tp_operand){ .number = tp_functions[step->from].call(top, step->n) };
		return top + 1;
	default:
		top -= step->n;
		top->number = compute((enum tp_step_kind)step->kind, top->number,
				      top[step->n - 1].number);
		return top + 1;
	}
}

enum tp_status tp_expression_value(const struct tp_expression *e, const struct tp_operand *values,
				   double *value, struct tp_diag *diag)
{
	struct tp_operand stack[TP_EXPRESSION_STACK], *top = stack;
	for (unsigned i = 0; i < e->n_steps; i++) {
		const struct tp_expression_step *step = &e->steps[i];
		const char *wrong = wrong_kinds(step, top);
		if (wrong)
			return refuse(e, TP_USAGE, step->at, wrong, diag);
		if ((step->kind == TP_STEP_DIVIDE || step->kind == TP_STEP_REMAINDER) &&
		    top[-1].number == 0)
			return refuse(e, TP_FAILED, step->at, "division by zero", diag);
		top = take_step(e, step, values, top);
	}
	if (top[-1].word)
		return refuse(e, TP_USAGE, 0, "a word where a number should be", diag);
	if (!isfinite(top[-1].number))
		return refuse(e, TP_FAILED, strlen(e->text), "the result is no finite number",
			      diag);
	*value = top[-1].number;
	return TP_OK;
}
