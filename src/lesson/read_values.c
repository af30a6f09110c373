/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single values of a lesson's file: texts, names, numbers, expressions. */
#include "lesson/read_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

void *tp_lesson_room(struct tp_lesson_reader *r, size_t n, size_t size_bytes)
{
	void *room = tp_arena_alloc(&r->lesson->arena, (n ? n : 1) * size_bytes);
	r->out_of_memory |= !room;
	return room;
}

bool tp_lesson_take_text(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			 size_t most_bytes, bool lines, const char **out)
{
	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(r->faults, node->place,
			      "text with : or # or { stands in quotes, or behind |",
			      "%s: expected text, found a %s", key,
			      node->kind == TP_NODE_SEQUENCE ? "list" : "mapping");
		return false;
	}
	const char *text = node->text;
	size_t len = node->len;
	tp_trim(&text, &len);
	const char *fault = len == 0	       ? "is empty"
			    : len > most_bytes ? "is too long"
					       : tp_text_fault(text, len, lines ? "\n\t" : "");
	if (fault) {
		tp_faults_add(r->faults, node->place, NULL, "%s %s", key, fault);
		return false;
	}
	char *copy = tp_arena_strndup(&r->lesson->arena, text, len);
	r->out_of_memory |= !copy;
	*out = copy;
	return copy != NULL;
}

static bool is_reserved(const char *name)
{
	static const char *const words[] = { "machine", "and", "or", "not" };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

bool tp_lesson_take_name(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			 const char **out)
{
	char shown[80];
	const char *name;
	if (!tp_lesson_take_text(r, node, key, TP_LESSON_LINE_BYTES, false, &name))
		return false;
	size_t len = strlen(name);
	if (tp_identifier_length(name) != len || len >= TP_NAME_MAX || is_reserved(name)) {
		tp_faults_add(r->faults, node->place,
			      is_reserved(name) ? "choose another word"
						: "letters, digits and _, with a letter in front",
			      "%s: \"%s\" cannot be a name", key,
			      tp_shown(shown, sizeof(shown), name, len));
		return false;
	}
	for (size_t i = 0; i < r->n_taken; i++)
		if (strcmp(r->taken[i].name, name) == 0) {
			tp_faults_add(r->faults, node->place,
				      "results, questions, measurements and values have one set "
				      "of names",
				      "%s: the name %s is given twice; first in line %u", key, name,
				      r->taken[i].line);
			return false;
		}
	if (tp_vec_reserve((void **)&r->taken, &r->cap_taken, r->n_taken + 1, sizeof(*r->taken)) !=
	    TP_OK) {
		r->out_of_memory = true;
		return false;
	}
	r->taken[r->n_taken++] = (struct tp_lesson_taken){ name, node->place.line };
	*out = name;
	return true;
}

const struct tp_expression *tp_lesson_expression(struct tp_lesson_reader *r, struct tp_place place,
						 const char *text, struct tp_lesson_use use)
{
	struct tp_expression *read = malloc(sizeof(*read));
	struct tp_diag diag;
	if (!read) {
		r->out_of_memory = true;
		return NULL;
	}
	if (tp_expression_read(read, text, &diag) != TP_OK) {
		tp_faults_add(r->faults, place, *diag.hint ? diag.hint : NULL, "%s", diag.what);
		free(read);
		return NULL;
	}
	/* A lesson has hundreds of them: only the steps that there are. */
	size_t bytes = offsetof(struct tp_expression, steps) +
		       (read->n_steps ? read->n_steps : 1) * sizeof(*read->steps);
	struct tp_expression *kept = tp_lesson_room(r, 1, bytes);
	if (kept)
		memcpy(kept, read, bytes);
	free(read);
	use.expression = kept;
	use.place = place;
	if (!kept || tp_vec_reserve((void **)&r->uses, &r->cap_uses, r->n_uses + 1,
				    sizeof(*r->uses)) != TP_OK) {
		r->out_of_memory = true;
		return NULL;
	}
	r->uses[r->n_uses++] = use;
	return kept;
}

bool tp_lesson_take_expression(struct tp_lesson_reader *r, const struct tp_node *node,
			       const char *key, struct tp_lesson_use use,
			       const struct tp_expression **out)
{
	const char *text;
	if (!tp_lesson_take_text(r, node, key, TP_EXPRESSION_MAX_BYTES, true, &text))
		return false;
	*out = tp_lesson_expression(r, node->place, text, use);
	return *out != NULL;
}

bool tp_lesson_take_unit(struct tp_lesson_reader *r, const struct tp_node *node, const char **out)
{
	const char *text = "", *words[64];
	struct tp_str all = { 0 };
	size_t n = 0;
	if (node->kind == TP_NODE_SCALAR && node->len == 0) {
		*out = "";
		return true;
	}
	if (!tp_lesson_take_text(r, node, "unit", TP_LESSON_LINE_BYTES, false, &text))
		return false;
	if ((*out = tp_lesson_unit_find(text)))
		return true;
	*out = "";
	for (; n < TP_COUNT_OF(words) && tp_lesson_unit(n); n++)
		words[n] = tp_lesson_unit(n);
	const char *near = tp_nearest(text, words, n);
	if (near)
		tp_str_printf(&all, "did you mean %s? ", near);
	tp_str_add(&all, "units are ");
	tp_str_list(&all, words, n, " and ");
	tp_faults_add(r->faults, node->place, tp_str_text(&all), "unit: there is no unit \"%.60s\"",
		      text);
	tp_str_release(&all);
	return false;
}

bool tp_lesson_take_number(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			   const char *unit, double *out)
{
	struct tp_diag diag;
	const char *text;
	if (!tp_lesson_take_text(r, node, key, TP_LESSON_LINE_BYTES, false, &text))
		return false;
	if (tp_lesson_number(text, unit, out, &diag) == TP_OK)
		return true;
	tp_faults_add(r->faults, node->place, *diag.hint ? diag.hint : NULL, "%s: %s", key,
		      diag.what);
	return false;
}

bool tp_lesson_take_quoted(struct tp_lesson_reader *r, const struct tp_node *node, const char *key,
			   struct tp_lesson_use use, struct tp_quoted *out)
{
	const char *text;
	return tp_lesson_take_text(r, node, key, TP_LESSON_TEXT_BYTES, true, &text) &&
	       tp_lesson_quote(r, node->place, text, use, out);
}
