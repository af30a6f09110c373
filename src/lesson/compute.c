/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions and texts of a lesson, whatever their values come from. */
#include "lesson/values_parts.h"

#include <string.h>

struct evaluation {
	const struct tp_lesson_known *known;
	/* The lesson's own values, as far as they are needed. */
	struct tp_operand values[TP_LESSON_VALUES_MAX];
	bool needed[TP_LESSON_VALUES_MAX], is[TP_LESSON_VALUES_MAX];
};

static bool find(const struct evaluation *v, const struct tp_expression *e, unsigned i,
		 struct tp_lesson_name *name)
{
	return tp_lesson_name_find(v->known->lesson, e->names[i].text, e->names[i].len, name, NULL);
}

static void need(struct evaluation *v, const struct tp_expression *e)
{
	struct tp_lesson_name name;
	for (unsigned i = 0; e && i < e->n_names; i++)
		if (!memchr(e->names[i].text, '.', e->names[i].len) && find(v, e, i, &name))
			v->needed[name.index] = true;
}

static bool evaluate(const struct evaluation *v, const struct tp_expression *e,
		     struct tp_operand *out)
{
	struct tp_operand operands[TP_EXPRESSION_NAMES_MAX];
	struct tp_lesson_name name;
	if (!e)
		return false;
	for (unsigned i = 0; i < e->n_names; i++) {
		operands[i] = (struct tp_operand){ 0 };
		if (!find(v, e, i, &name))
			return false;
		if (name.kind != TP_NAME_VALUE) {
			if (!v->known->value(v->known->context, &name, &operands[i]))
				return false;
		} else if (v->is[name.index]) {
			operands[i] = v->values[name.index];
		} else {
			return false;
		}
	}
	*out = (struct tp_operand){ 0 };
	/* A word alone is no expression, but a text may quote it. */
	if (e->n_steps == 1 && e->n_names == 1 && operands[0].word) {
		*out = operands[0];
		return true;
	}
	return tp_expression_value(e, operands, &out->number, NULL) == TP_OK;
}

bool tp_lesson_compute_of(const struct tp_lesson_known *known,
			  const struct tp_expression *expression, struct tp_operand *value)
{
	const struct tp_lesson *lesson = known->lesson;
	struct evaluation v;
	v.known = known;
	memset(v.needed, 0, sizeof(v.needed));
	need(&v, expression);
	/* Each goes by those before it. */
	for (size_t i = lesson->n_values; i-- > 0;)
		if (v.needed[i])
			need(&v, lesson->values[i].value);
	for (size_t i = 0; i < lesson->n_values; i++)
		v.is[i] = v.needed[i] && evaluate(&v, lesson->values[i].value, &v.values[i]);
	return evaluate(&v, expression, value);
}

bool tp_lesson_holds_of(const struct tp_lesson_known *known, const struct tp_expression *condition)
{
	struct tp_operand value;
	return tp_lesson_compute_of(known, condition, &value) && !value.word && value.number != 0;
}

bool tp_lesson_fill_of(const struct tp_lesson_known *known, const struct tp_quoted *text,
		       struct tp_str *out)
{
	bool all = true;
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_quoted_piece *piece = &text->pieces[i];
		struct tp_operand value;
		char shown[96];
		if (piece->text) {
			tp_str_add_n(out, piece->text, piece->len);
		} else if (!tp_lesson_compute_of(known, piece->value, &value)) {
			tp_str_add(out, "?");
			all = false;
		} else if (value.word) {
			tp_str_add_n(out, value.word, value.len);
		} else {
			tp_str_add(out, tp_lesson_format(shown, sizeof(shown), value.number,
							 piece->unit));
		}
	}
	return all;
}

static bool is_known(const struct tp_lesson_known *known, const struct tp_quoted *text)
{
	struct tp_operand value;
	for (size_t i = 0; i < text->n; i++)
		if (!text->pieces[i].text &&
		    !tp_lesson_compute_of(known, text->pieces[i].value, &value))
			return false;
	return true;
}

const struct tp_variant *tp_lesson_variant_of(const struct tp_lesson_known *known,
					      const struct tp_lesson_step *step)
{
	for (size_t i = 0; i < step->n_variants; i++) {
		const struct tp_variant *variant = &step->variants[i];
		if ((!variant->when || tp_lesson_holds_of(known, variant->when)) &&
		    is_known(known, &variant->text))
			return variant;
	}
	return NULL;
}
