/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/pairs.h"
#include "base/text.h"
#include "base/memory.h"
#include "table/csv.h"

enum { NAME_BYTES = 64, VALUE_BYTES = 512 };

/* A name that points have: a column, or a parameter of a column of pairs. */
struct known {
	char name[NAME_BYTES];
	bool is_word; /* a value of it is no number */
};

/* What a point says when it is planned. */
struct names {
	struct known *items;
	size_t n, cap;
	unsigned where; /* columns that count: TP_IN_IDENTITY, ... */
	bool open; /* others come with the results: a column of pairs that is filled then */
	struct tp_point_layout layout;
};

typedef void tp_take_value(void *context, const char *name, const char *text, bool is_word);

static void each_pair(const char *text, tp_take_value *take, void *context)
{
	char name[NAME_BYTES], value[VALUE_BYTES];
	double number;
	while (tp_pairs_next(&text, name, sizeof(name), value, sizeof(value)))
		take(context, name, value, *value && !tp_parse_double(value, &number));
}

/* True if points of the layout have the column, and it counts. */
static bool counts(const struct names *names, size_t i)
{
	return names->layout.at[i].from != TP_FROM_NOTHING &&
	       (names->layout.at[i].column->where & names->where);
}

static struct known *find(struct names *names, const char *name, size_t len)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->items[i].name) == len &&
		    memcmp(names->items[i].name, name, len) == 0)
			return &names->items[i];
	return NULL;
}

/* Without memory a name is not known, which is said. */
static struct known *add(struct names *names, const char *name)
{
	struct known *known = find(names, name, strlen(name));
	if (known)
		return known;
	if (tp_vec_reserve((void **)&names->items, &names->cap, names->n + 1, sizeof(*known)))
		return NULL;
	known = &names->items[names->n++];
	*known = (struct known){ 0 };
	tp_copy(known->name, sizeof(known->name), name);
	return known;
}

static void learn(void *context, const char *name, const char *text, bool is_word)
{
	struct known *known = add(context, name);
	(void)text;
	if (known)
		known->is_word |= is_word;
}

/* The names of a point. There may be many points, and most have the columns of the one before. */
static void learn_point(struct names *names, const struct tp_point *point)
{
	bool is_new = !names->layout.n || names->layout.kind != point->kind;
	struct tp_str text = { 0 };
	tp_point_layout_keep(&names->layout, point->kind);
	for (size_t i = 0; i < names->layout.n; i++) {
		const struct tp_column *column = names->layout.at[i].column;
		if (!counts(names, i))
			continue;
		if (is_new)
			learn(names, column->name, "", !tp_column_is_number(column));
		if (!column->pairs)
			continue;
		names->open |= !(column->where & TP_IN_IDENTITY);
		tp_str_clear(&text);
		tp_column_text(column, tp_point_record(&names->layout, i, point), &text);
		each_pair(tp_str_text(&text), learn, names);
	}
	tp_str_release(&text);
}

/* Those of parameters come first: they are the ones that nobody else could know. */
static void list_names(const char *const *all, size_t n, struct tp_diag *diag)
{
	struct tp_str list = { 0 };
	for (size_t i = n; i-- > 0;)
		if (list.len + strlen(all[i]) + sizeof("names are , ...") < sizeof(diag->hint))
			tp_str_printf(&list, "%s%s", list.len ? ", " : "", all[i]);
	snprintf(diag->hint, sizeof(diag->hint), "names are %.*s", (int)sizeof(diag->hint) - 16,
		 tp_str_text(&list));
	tp_str_release(&list);
}

/* Whether every name of the expression is known; else a diagnosis says which is not. */
static bool knows(struct names *names, const struct tp_expression *e, struct tp_diag *diag)
{
	for (unsigned i = 0; i < e->n_names; i++) {
		if (find(names, e->names[i].text, e->names[i].len))
			continue;
		char name[NAME_BYTES];
		const char **all = malloc((names->n + 1) * sizeof(*all));
		for (size_t k = 0; all && k < names->n; k++)
			all[k] = names->items[k].name;
		tp_copy(name, TP_MIN(sizeof(name), e->names[i].len + 1), e->names[i].text);
		const char *nearest = all ? tp_nearest(name, all, names->n) : NULL;
		tp_expression_unknown(e, i, nearest, diag);
		if (all && !nearest)
			list_names(all, names->n, diag);
		free(all);
		return false;
	}
	return true;
}

/* --- conditions --- */

struct values {
	struct names *names;
	const struct tp_expression *expression;
	struct tp_operand operands[TP_EXPRESSION_NAMES_MAX];
	char texts[TP_EXPRESSION_NAMES_MAX][VALUE_BYTES];
	bool has[TP_EXPRESSION_NAMES_MAX];
};

static void take_operand(void *context, const char *name, const char *text, bool is_word)
{
	struct values *v = context;
	(void)is_word;
	for (unsigned i = 0; i < v->expression->n_names; i++) {
		const struct known *known;
		if (strlen(name) != v->expression->names[i].len ||
		    memcmp(name, v->expression->names[i].text, strlen(name)) != 0 || !*text)
			continue;
		known = find(v->names, name, strlen(name));
		v->operands[i] = (struct tp_operand){ 0 };
		v->has[i] =
			known && (known->is_word || tp_parse_double(text, &v->operands[i].number));
		if (!v->has[i] || !known->is_word)
			continue;
		tp_copy(v->texts[i], VALUE_BYTES, text);
		v->operands[i].word = v->texts[i];
		v->operands[i].len = strlen(v->texts[i]);
	}
}

static bool is_wanted(const struct tp_expression *e, const char *name)
{
	size_t len = strlen(name);
	for (unsigned i = 0; i < e->n_names; i++)
		if (e->names[i].len == len && memcmp(e->names[i].text, name, len) == 0)
			return true;
	return false;
}

static void take_point(struct values *v, const struct tp_point *point)
{
	struct names *names = v->names;
	struct tp_str text = { 0 };
	memset(v->has, 0, sizeof(v->has));
	tp_point_layout_keep(&names->layout, point->kind);
	for (size_t i = 0; i < names->layout.n; i++) {
		const struct tp_column *column = names->layout.at[i].column;
		if (!counts(names, i) || !(column->pairs || is_wanted(v->expression, column->name)))
			continue;
		tp_str_clear(&text);
		tp_column_text(column, tp_point_record(&names->layout, i, point), &text);
		take_operand(v, column->name, tp_str_text(&text), false);
		if (column->pairs)
			each_pair(tp_str_text(&text), take_operand, v);
	}
	tp_str_release(&text);
}

static enum tp_status meets(struct values *v, const struct tp_point *point, bool *holds,
			    struct tp_diag *diag)
{
	double result;
	take_point(v, point);
	*holds = true;
	for (unsigned i = 0; i < v->expression->n_names; i++)
		if (!v->has[i])
			return TP_OK;
	enum tp_status status = tp_expression_value(v->expression, v->operands, &result, diag);
	*holds = status == TP_OK && result != 0;
	return status == TP_FAILED ? TP_OK : status;
}

/* Applies one condition to the points from `start` on. */
static enum tp_status apply(struct tp_plan *plan, size_t start, struct names *names,
			    const char *text, struct tp_diag *diag)
{
	struct tp_expression *expression = malloc(sizeof(*expression));
	struct values *values = malloc(sizeof(*values));
	size_t n = start;
	enum tp_status status = expression && values
					? tp_expression_read(expression, text, diag)
					: tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	if (status == TP_OK && !knows(names, expression, diag))
		status = TP_USAGE;
	if (status == TP_OK) {
		values->names = names;
		values->expression = expression;
	}
	for (size_t i = start; i < plan->n && status == TP_OK; i++) {
		bool holds;
		status = meets(values, &plan->items[i].point, &holds, diag);
		if (status == TP_OK && holds)
			plan->items[n++] = plan->items[i];
	}
	if (status == TP_OK)
		plan->n = n;
	free(expression);
	free(values);
	return status;
}

enum tp_status tp_plan_where(struct tp_plan_context *context, size_t start, struct tp_diags *diags)
{
	const struct tp_value *where = tp_config_value(context->config, TP_OPT_WHERE);
	struct names names = { .where = TP_IN_IDENTITY };
	struct tp_plan *plan = context->plan;
	enum tp_status status = TP_OK;
	if (!where->n || plan->n == start)
		return TP_OK;
	for (size_t i = start; i < plan->n; i++)
		learn_point(&names, &plan->items[i].point);
	for (size_t i = 0; i < where->n && status == TP_OK; i++) {
		struct tp_diag diag = { 0 };
		status = apply(plan, start, &names, where->items[i].text, &diag);
		if (status != TP_OK)
			tp_planner_refuse(context, diags, status, TP_OPT_WHERE, diag.hint, "%s",
					  diag.what);
	}
	if (status == TP_OK && plan->n == start)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_WHERE,
					   "loosen the conditions", "no point meets them");
	free(names.items);
	return status;
}

/* --- definitions --- */

static enum tp_status add_definition(struct names *names, const struct tp_expression *e,
				     const char *text, size_t len, struct tp_diag *diag)
{
	char name[NAME_BYTES];
	text += strspn(text, " ");
	if (len >= sizeof(name))
		return tp_fail(diag, TP_USAGE, NULL, NULL, "a name of %zu bytes is too long", len);
	tp_copy(name, len + 1, text);
	if (find(names, name, len))
		return tp_fail(diag, TP_USAGE, NULL, "give it another name",
			       "there is a column %s already", name);
	if (!names->open && !knows(names, e, diag))
		return TP_USAGE;
	return add(names, name) ? TP_OK : tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
}

/* An expression is too large for small stacks. */
static enum tp_status check_definition(struct names *names, const char *text, struct tp_diag *diag)
{
	struct tp_expression *e = malloc(sizeof(*e));
	size_t len;
	if (!e)
		return tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	enum tp_status status = tp_definition_read(e, text, &len, diag);
	if (status == TP_OK)
		status = add_definition(names, e, text, len, diag);
	free(e);
	return status;
}

enum tp_status tp_plan_derived(struct tp_plan_context *context, size_t start,
			       struct tp_diags *diags)
{
	const struct tp_value *derived = tp_config_value(context->config, TP_OPT_DERIVED);
	struct names names = { .where = TP_IN_CSV };
	struct tp_plan *plan = context->plan;
	enum tp_status status = TP_OK;
	if (!derived->n || plan->n == start)
		return TP_OK;
	for (size_t i = start; i < plan->n; i++)
		learn_point(&names, &plan->items[i].point);
	for (size_t i = 0; i < derived->n && status == TP_OK; i++) {
		struct tp_diag diag = { 0 };
		status = check_definition(&names, derived->items[i].text, &diag);
		if (status != TP_OK)
			tp_planner_refuse(context, diags, status, TP_OPT_DERIVED, diag.hint, "%s",
					  diag.what);
	}
	free(names.items);
	return status;
}
