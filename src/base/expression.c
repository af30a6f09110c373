/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A step takes values from the top of a stack and puts one there. */
enum tp_step_kind {
	TP_STEP_NUMBER,
	TP_STEP_WORD,
	TP_STEP_NAME, /* number `from` */
	TP_STEP_NEGATE,
	TP_STEP_NOT,
	TP_STEP_TRUTH, /* 1 for anything but 0 */
	TP_STEP_ADD,
	TP_STEP_SUBTRACT,
	TP_STEP_MULTIPLY,
	TP_STEP_DIVIDE,
	TP_STEP_REMAINDER,
	TP_STEP_AND,
	TP_STEP_OR,
	TP_STEP_COMPARE, /* by sign `n`: of two values, whether it holds, and the right one */
	TP_STEP_COMPARE_ON, /* the same, keeping the value on the stack */
	TP_STEP_COMPARE_END, /* leaves what held */
	TP_STEP_CALL /* of function `from` with `n` values */
};

enum tp_sign { TP_LESS_EQUAL, TP_GREATER_EQUAL, TP_EQUAL, TP_UNEQUAL, TP_LESS, TP_GREATER };

enum { TP_EXPRESSION_STACK = 512, TP_ARGUMENTS_MAX = 64 };

struct tp_function {
	const char *name;
	unsigned most; /* arguments; the least is 1 */
	double (*call)(const struct tp_operand *values, unsigned n);
	bool takes_words;
};

#define TP_FUNCTION_NAMES "min, max, abs, floor, ceil, log2, sqrt, exp2, distinct"

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

static const struct tp_function functions[] = {
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
static const unsigned n_functions = sizeof(functions) / sizeof(*functions);

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
			return "words are compared only by == and !=";
		return top[-2].word && top[-1].word ? NULL : "a word is compared with a number";
	case TP_STEP_CALL:
		return !functions[step->from].takes_words && any_word(top - takes, takes)
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
		*top = (struct tp_operand){ .number = functions[step->from].call(top, step->n) };
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
		return refuse(e, TP_FAILED, strlen(e->text), "the result is not a finite number",
			      diag);
	*value = top[-1].number;
	return TP_OK;
}

enum { DEPTH_MAX = 50 };

struct reader {
	struct tp_expression *e;
	const char *at;
	unsigned depth, on_stack;
	enum tp_status status;
	struct tp_diag *diag;
};

static void either(struct reader *r);

static enum tp_status refuse_at(const struct tp_expression *e, size_t at, const char *hint,
				const char *what, const char *shown, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, NULL, hint, "\"%.80s\", column %zu: %s%s", e->text, at + 1,
		       what, shown);
}

static void refuse_expression(struct reader *r, const char *hint, const char *what)
{
	if (r->status == TP_OK)
		r->status = refuse_at(r->e, (size_t)(r->at - r->e->text), hint, what, "", r->diag);
}

/* A step that takes `takes` values and puts `puts`. */
static struct tp_expression_step *add(struct reader *r, enum tp_step_kind kind, unsigned takes,
				      unsigned puts)
{
	static struct tp_expression_step spare;
	if (r->e->n_steps == TP_EXPRESSION_STEPS_MAX || r->on_stack + puts > TP_EXPRESSION_STACK)
		refuse_expression(r, NULL, "the expression is too long");
	if (r->status != TP_OK)
		return NULL;
	r->on_stack += puts - takes;
	struct tp_expression_step *step = &r->e->steps[r->e->n_steps++];
	*step = spare;
	step->kind = (uint8_t)kind;
	step->n = (uint8_t)takes;
	step->at = (uint16_t)(r->at - r->e->text);
	return step;
}

static void skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t\n");
}

size_t tp_identifier_length(const char *text)
{
	size_t n = 0;
	while (isalpha((unsigned char)text[n]) || text[n] == '_' ||
	       (n && isdigit((unsigned char)text[n])))
		n++;
	return n;
}

/* Takes the symbol if it comes next. */
static bool take(struct reader *r, const char *symbol)
{
	size_t len = strlen(symbol);
	skip_blanks(r);
	if (strncmp(r->at, symbol, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	skip_blanks(r);
	size_t len = tp_identifier_length(r->at);
	if (len != strlen(word) || strncmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

static void call(struct reader *r, const char *name, size_t len)
{
	unsigned n = 0, f = 0;
	while (f < n_functions &&
	       (strlen(functions[f].name) != len || strncmp(functions[f].name, name, len) != 0))
		f++;
	if (f == n_functions) {
		r->at = name;
		refuse_expression(r, TP_FUNCTION_NAMES, "there is no such function");
		return;
	}
	do {
		if (n++ == functions[f].most) {
			refuse_expression(r, NULL, "too many arguments");
			return;
		}
		either(r);
	} while (r->status == TP_OK && take(r, ","));
	if (r->status == TP_OK && !take(r, ")"))
		refuse_expression(r, NULL, "expected )");
	struct tp_expression_step *step = add(r, TP_STEP_CALL, n, 1);
	if (step)
		step->from = f;
}

/* "l1.median_gbps": identifiers with dots between them. */
static size_t name_length(const char *text)
{
	size_t n = tp_identifier_length(text);
	while (n && text[n] == '.' && tp_identifier_length(text + n + 1))
		n += 1 + tp_identifier_length(text + n + 1);
	return n;
}

static void named(struct reader *r)
{
	struct tp_expression *e = r->e;
	const char *name = r->at;
	size_t len = name_length(name);
	unsigned i = 0;
	r->at += len;
	if (take(r, "(")) {
		call(r, name, len);
		return;
	}
	while (i < e->n_names &&
	       (e->names[i].len != len || memcmp(e->names[i].text, name, len) != 0))
		i++;
	if (i == TP_EXPRESSION_NAMES_MAX) {
		refuse_expression(r, NULL, "more than 64 different names");
		return;
	}
	e->names[i].text = i == e->n_names ? name : e->names[i].text;
	e->names[i].len = len;
	e->n_names += i == e->n_names;
	struct tp_expression_step *step = add(r, TP_STEP_NAME, 0, 1);
	if (step)
		step->from = i;
}

static void quoted(struct reader *r)
{
	const char *end = strchr(r->at + 1, *r->at);
	if (!end) {
		refuse_expression(r, NULL, "the quote is not closed");
		return;
	}
	struct tp_expression_step *step = add(r, TP_STEP_WORD, 0, 1);
	if (step) {
		step->from = (uint32_t)(r->at + 1 - r->e->text);
		step->at = (uint16_t)(end - r->at - 1);
	}
	r->at = end + 1;
}

static void number(struct reader *r)
{
	char *end;
	double value = strtod(r->at, &end);
	struct tp_expression_step *step = add(r, TP_STEP_NUMBER, 0, 1);
	if (step)
		step->number = value;
	if (end == r->at)
		refuse_expression(r, NULL, "expected a number, a name or (");
	r->at = end;
}

static void operand(struct reader *r)
{
	skip_blanks(r);
	if (r->status != TP_OK)
		return;
	if (++r->depth > DEPTH_MAX) {
		refuse_expression(r, NULL, "too many brackets and signs");
	} else if (take(r, "(")) {
		either(r);
		if (r->status == TP_OK && !take(r, ")"))
			refuse_expression(r, NULL, "expected )");
	} else if (take(r, "-")) {
		operand(r);
		add(r, TP_STEP_NEGATE, 1, 1);
	} else if (tp_identifier_length(r->at)) {
		named(r);
	} else if (*r->at == '"' || *r->at == '\'') {
		quoted(r);
	} else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
		number(r);
	} else {
		refuse_expression(r, NULL, "expected a number, a name or (");
	}
	r->depth--;
}

static void product(struct reader *r)
{
	operand(r);
	for (;;) {
		skip_blanks(r);
		char sign = *r->at;
		if (r->status != TP_OK || (sign != '*' && sign != '/' && sign != '%'))
			return;
		const char *place = r->at++;
		operand(r);
		struct tp_expression_step *step = add(r,
						      sign == '*'   ? TP_STEP_MULTIPLY
						      : sign == '/' ? TP_STEP_DIVIDE
								    : TP_STEP_REMAINDER,
						      2, 1);
		if (step)
			step->at = (uint16_t)(place - r->e->text);
	}
}

static void sum(struct reader *r)
{
	product(r);
	for (;;) {
		bool plus = r->status == TP_OK && take(r, "+");
		if (!plus && (r->status != TP_OK || !take(r, "-")))
			return;
		product(r);
		add(r, plus ? TP_STEP_ADD : TP_STEP_SUBTRACT, 2, 1);
	}
}

static void comparison(struct reader *r)
{
	static const char *const signs[] = {
		[TP_LESS_EQUAL] = "<=", [TP_GREATER_EQUAL] = ">=", [TP_EQUAL] = "==",
		[TP_UNEQUAL] = "!=",	[TP_LESS] = "<",	   [TP_GREATER] = ">"
	};
	bool any = false;
	sum(r);
	for (unsigned i = 0; i < sizeof(signs) / sizeof(*signs) && r->status == TP_OK; i++) {
		if (!take(r, signs[i]))
			continue;
		sum(r);
		struct tp_expression_step *step =
			add(r, any ? TP_STEP_COMPARE_ON : TP_STEP_COMPARE, any ? 3 : 2, 2);
		if (step)
			step->n = (uint8_t)i;
		any = true;
		i = (unsigned)-1;
	}
	if (any)
		add(r, TP_STEP_COMPARE_END, 2, 1);
}

static void negation(struct reader *r)
{
	unsigned times = 0;
	while (take_word(r, "not"))
		times++;
	comparison(r);
	if (times)
		add(r, times % 2 ? TP_STEP_NOT : TP_STEP_TRUTH, 1, 1);
}

static void both(struct reader *r)
{
	negation(r);
	while (r->status == TP_OK && take_word(r, "and")) {
		negation(r);
		add(r, TP_STEP_AND, 2, 1);
	}
}

static void either(struct reader *r)
{
	both(r);
	while (r->status == TP_OK && take_word(r, "or")) {
		both(r);
		add(r, TP_STEP_OR, 2, 1);
	}
}

enum tp_status tp_expression_read(struct tp_expression *e, const char *text, struct tp_diag *diag)
{
	struct reader r = { .e = e, .at = text, .diag = diag };
	e->text = text;
	e->n_names = e->n_steps = 0;
	if (strlen(text) > TP_EXPRESSION_MAX_BYTES)
		return tp_fail(diag, TP_USAGE, NULL, NULL, "an expression of %zu bytes is too long",
			       strlen(text));
	either(&r);
	skip_blanks(&r);
	if (r.status == TP_OK && *r.at)
		refuse_expression(&r, "operators are + - * / % < <= > >= == != and or not",
				  "this is not understood");
	return r.status;
}

enum tp_status tp_definition_read(struct tp_expression *e, const char *text, size_t *name_len,
				  struct tp_diag *diag)
{
	char shown[64];
	text += strspn(text, " ");
	const char *sign = text + tp_identifier_length(text);
	*name_len = (size_t)(sign - text);
	sign += strspn(sign, " ");
	if (!*name_len || *sign != '=' || sign[1] == '=')
		return tp_fail(diag, TP_USAGE, NULL,
			       "give NAME=EXPRESSION, such as cost=seconds*threads",
			       "\"%s\" defines no column",
			       tp_shown(shown, sizeof(shown), text, strlen(text)));
	return tp_expression_read(e, sign + 1, diag);
}

enum tp_status tp_expression_unknown(const struct tp_expression *e, unsigned name,
				     const char *nearest, struct tp_diag *diag)
{
	char shown[64], hint[128] = "";
	if (nearest) {
		tp_copy(hint, sizeof(hint), "did you mean ");
		tp_shown(hint + strlen(hint), sizeof(hint) - strlen(hint) - 1, nearest,
			 strlen(nearest));
		strcat(hint, "?");
	}
	tp_shown(shown, sizeof(shown), e->names[name].text, e->names[name].len);
	return refuse_at(e, (size_t)(e->names[name].text - e->text), nearest ? hint : NULL,
			 "there is no ", shown, diag);
}

enum tp_status tp_expression_eval(const char *text, tp_name_value *names, void *context,
				  double *value, struct tp_diag *diag)
{
	struct tp_expression e;
	struct tp_operand values[TP_EXPRESSION_NAMES_MAX];
	enum tp_status status = tp_expression_read(&e, text, diag);
	*value = 0;
	for (unsigned i = 0; i < e.n_names && status == TP_OK; i++) {
		values[i] = (struct tp_operand){ 0 };
		if (!names || !names(context, e.names[i].text, e.names[i].len, &values[i].number))
			return tp_expression_unknown(&e, i, NULL, diag);
	}
	if (status == TP_OK)
		status = tp_expression_value(&e, values, value, diag);
	return status == TP_FAILED ? TP_USAGE : status;
}
