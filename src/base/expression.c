/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DEPTH_MAX = 50, ARGUMENTS_MAX = 8 };

struct reader {
	const char *text, *at;
	tp_name_value *names;
	void *context;
	unsigned depth;
	enum tp_status status;
	struct tp_diag *diag;
};

static double either(struct reader *r);

static void refuse(struct reader *r, const char *hint, const char *what, const char *shown)
{
	if (r->status != TP_OK)
		return;
	r->status = tp_fail(r->diag, TP_USAGE, NULL, hint, "\"%.80s\", column %zu: %s%s", r->text,
			    (size_t)(r->at - r->text) + 1, what, shown);
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

static double call(struct reader *r, const char *name, size_t len)
{
	static const struct {
		const char *name;
		unsigned least, most;
	} functions[] = { { "min", 1, ARGUMENTS_MAX },
			  { "max", 1, ARGUMENTS_MAX },
			  { "abs", 1, 1 },
			  { "floor", 1, 1 },
			  { "ceil", 1, 1 },
			  { "log2", 1, 1 },
			  { "sqrt", 1, 1 },
			  { "exp2", 1, 1 } };
	double x[ARGUMENTS_MAX];
	unsigned n = 0, f = 0, count = sizeof(functions) / sizeof(*functions);
	while (f < count &&
	       (strlen(functions[f].name) != len || strncmp(functions[f].name, name, len) != 0))
		f++;
	if (f == count) {
		r->at = name;
		refuse(r, "min, max, abs, floor, ceil, log2, sqrt, exp2",
		       "there is no such function", "");
		return 0;
	}
	do {
		if (n == functions[f].most) {
			refuse(r, NULL, "too many arguments", "");
			return 0;
		}
		x[n++] = either(r);
	} while (r->status == TP_OK && take(r, ","));
	if (r->status == TP_OK && !take(r, ")"))
		refuse(r, NULL, "expected )", "");
	double found = x[0];
	for (unsigned i = 1; i < n; i++)
		found = f == 0 ? fmin(found, x[i]) : fmax(found, x[i]);
	switch (f) {
	case 2:
		return fabs(found);
	case 3:
		return floor(found);
	case 4:
		return ceil(found);
	case 5:
		return log2(found);
	case 6:
		return sqrt(found);
	case 7:
		return exp2(found);
	default:
		return found;
	}
}

static double named(struct reader *r)
{
	const char *name = r->at;
	size_t len = tp_identifier_length(name);
	double value = 0;
	r->at += len;
	if (take(r, "("))
		return call(r, name, len);
	if (!r->names || !r->names(r->context, name, len, &value)) {
		char shown[64];
		r->at = name;
		refuse(r, NULL, "there is no ", tp_shown(shown, sizeof(shown), name, len));
	}
	return value;
}

static double operand(struct reader *r)
{
	double value = 0;
	skip_blanks(r);
	if (r->status != TP_OK)
		return 0;
	if (++r->depth > DEPTH_MAX) {
		refuse(r, NULL, "too many brackets and signs", "");
	} else if (take(r, "(")) {
		value = either(r);
		if (r->status == TP_OK && !take(r, ")"))
			refuse(r, NULL, "expected )", "");
	} else if (take(r, "-")) {
		value = -operand(r);
	} else if (tp_identifier_length(r->at)) {
		value = named(r);
	} else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
		char *end;
		value = strtod(r->at, &end);
		r->at = end;
	} else {
		refuse(r, NULL, "expected a number, a name or (", "");
	}
	r->depth--;
	return value;
}

static double product(struct reader *r)
{
	double value = operand(r);
	for (;;) {
		skip_blanks(r);
		char sign = *r->at;
		if (r->status != TP_OK || (sign != '*' && sign != '/' && sign != '%'))
			return value;
		const char *place = r->at++;
		double by = operand(r);
		if (sign == '*') {
			value *= by;
			continue;
		}
		if (r->status == TP_OK && by == 0) {
			r->at = place;
			refuse(r, NULL, "division by zero", "");
			return 0;
		}
		/* % as in mathematics: never negative for a positive divisor. */
		value = sign == '/' ? value / by : value - by * floor(value / by);
	}
}

static double sum(struct reader *r)
{
	double value = product(r);
	for (;;) {
		if (r->status == TP_OK && take(r, "+"))
			value += product(r);
		else if (r->status == TP_OK && take(r, "-"))
			value -= product(r);
		else
			return value;
	}
}

static double comparison(struct reader *r)
{
	static const char *const signs[] = { "<=", ">=", "==", "!=", "<", ">" };
	double left = sum(r);
	bool any = false, holds = true;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs) && r->status == TP_OK; i++) {
		if (!take(r, signs[i]))
			continue;
		double right = sum(r);
		holds &= i == 0	  ? left <= right
			 : i == 1 ? left >= right
			 : i == 2 ? left == right
			 : i == 3 ? left != right
			 : i == 4 ? left < right
				  : left > right;
		left = right;
		any = true;
		i = (size_t)-1;
	}
	return any ? holds : left;
}

static double negation(struct reader *r)
{
	unsigned times = 0;
	while (take_word(r, "not"))
		times++;
	double value = comparison(r);
	return times == 0 ? value : times % 2 ? value == 0 : value != 0;
}

static double both(struct reader *r)
{
	double value = negation(r);
	while (r->status == TP_OK && take_word(r, "and")) {
		double other = negation(r);
		value = value != 0 && other != 0;
	}
	return value;
}

static double either(struct reader *r)
{
	double value = both(r);
	while (r->status == TP_OK && take_word(r, "or")) {
		double other = both(r);
		value = value != 0 || other != 0;
	}
	return value;
}

enum tp_status tp_expression_eval(const char *text, tp_name_value *names, void *context,
				  double *value, struct tp_diag *diag)
{
	struct reader r = { text, text, names, context, 0, TP_OK, diag };
	*value = 0;
	if (strlen(text) > TP_EXPRESSION_MAX_BYTES)
		return tp_fail(diag, TP_USAGE, NULL, NULL, "an expression of %zu bytes is too long",
			       strlen(text));
	double found = either(&r);
	skip_blanks(&r);
	if (r.status == TP_OK && *r.at)
		refuse(&r, "operators are + - * / % < <= > >= == != and or not",
		       "this is not understood", "");
	if (r.status == TP_OK && !isfinite(found))
		refuse(&r, NULL, "the result is no finite number", "");
	if (r.status == TP_OK)
		*value = found;
	return r.status;
}
