/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

static void refuse(struct reader *r, const char *hint, const char *what)
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
		refuse(r, NULL, "the expression is too long");
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
	while (f < tp_n_functions && (strlen(tp_functions[f].name) != len ||
				      strncmp(tp_functions[f].name, name, len) != 0))
		f++;
	if (f == tp_n_functions) {
		r->at = name;
		refuse(r, TP_FUNCTION_NAMES, "there is no such function");
		return;
	}
	do {
		if (n++ == tp_functions[f].most) {
			refuse(r, NULL, "too many arguments");
			return;
		}
		either(r);
	} while (r->status == TP_OK && take(r, ","));
	if (r->status == TP_OK && !take(r, ")"))
		refuse(r, NULL, "expected )");
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
		refuse(r, NULL, "more than 64 different names");
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
		refuse(r, NULL, "the quote is not closed");
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
		refuse(r, NULL, "expected a number, a name or (");
	r->at = end;
}

static void operand(struct reader *r)
{
	skip_blanks(r);
	if (r->status != TP_OK)
		return;
	if (++r->depth > DEPTH_MAX) {
		refuse(r, NULL, "too many brackets and signs");
	} else if (take(r, "(")) {
		either(r);
		if (r->status == TP_OK && !take(r, ")"))
			refuse(r, NULL, "expected )");
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
		refuse(r, NULL, "expected a number, a name or (");
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
		refuse(&r, "operators are + - * / % < <= > >= == != and or not",
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
