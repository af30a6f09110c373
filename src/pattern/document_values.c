/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pattern/document_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/text.h"

enum { SHOWN_BYTES = 64 };

/* A copy in the pattern, never NULL. */
static const char *pattern_keep(struct tp_pattern_reader *r, const char *text, size_t len)
{
	const char *kept = tp_arena_strndup(r->pattern->arena, text, len);
	r->out_of_memory |= !kept;
	return kept ? kept : "";
}

/* A text of a scalar; false after a complaint. */
bool tp_pattern_take_text(struct tp_pattern_reader *r, const struct tp_node *node, const char *what,
			  size_t most, struct tp_pattern_text *out)
{
	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected a text", what);
		return false;
	}
	const char *text = node->text;
	size_t len = node->len;
	tp_trim(&text, &len);
	const char *fault = tp_text_fault(text, len, "\n\t");
	if (len == 0 || len > most || fault) {
		tp_faults_add(r->faults, node->place, NULL, "%s: %s%s", what,
			      fault ? "the text "
			      : len ? "the text is too long"
				    : "no text is given",
			      fault ? fault : "");
		return false;
	}
	*out = (struct tp_pattern_text){ pattern_keep(r, text, len), node->place };
	return true;
}

/* An expression, or a number. */
void tp_pattern_take_expression(struct tp_pattern_reader *r, const struct tp_yaml_key *key,
				struct tp_pattern_text *out)
{
	if (key->value)
		tp_pattern_take_text(r, key->value, key->name, TP_EXPRESSION_MAX_BYTES, out);
}

bool tp_pattern_take_bool(struct tp_pattern_reader *r, const struct tp_node *node, const char *what,
			  bool *out)
{
	if (tp_node_is(node, "true") || tp_node_is(node, "false")) {
		*out = tp_node_is(node, "true");
		return true;
	}
	tp_faults_add(r->faults, node->place, "true or false", "%s: expected true or false", what);
	return false;
}

bool tp_pattern_take_count(struct tp_pattern_reader *r, const struct tp_node *node,
			   const char *what, int64_t most, int64_t *out)
{
	char *end;
	errno = 0;
	long long value = node->kind == TP_NODE_SCALAR ? strtoll(node->text, &end, 10) : -1;
	if (node->kind == TP_NODE_SCALAR && node->len && end == node->text + node->len && !errno &&
	    value >= 0 && value <= most) {
		*out = value;
		return true;
	}
	char hint[64];
	snprintf(hint, sizeof(hint), "a whole number from 0 to %lld", (long long)most);
	tp_faults_add(r->faults, node->place, hint, "%s: expected a whole number", what);
	return false;
}

/* Words of C and of ours that nothing else can be called. */
static bool is_reserved(const char *name)
{
	static const char words[] =
		"auto break case char const continue default do double else enum extern float for "
		"goto if inline int long register restrict return short signed sizeof static "
		"struct switch typedef union unsigned void volatile while main t threads args pass "
		"passes PARALLEL PARALLEL_SIMD CHECK REPEAT min max abs floor ceil and or not mod "
		"exists "
		"template "
		"nowait";
	return tp_has_word(words, name) || strncmp(name, "tp_", 3) == 0 || name[0] == '_';
}

bool tp_pattern_take_name(struct tp_pattern_reader *r, const struct tp_node *node, const char *text,
			  size_t len, const char *what, const char **out)
{
	char shown[SHOWN_BYTES];
	if (len == 0 || len > TP_PATTERN_WORD_BYTES || tp_identifier_length(text) < len) {
		tp_faults_add(
			r->faults, node->place, "a letter, then at most 31 letters, digits and _",
			"%s: \"%s\" is no name", what, tp_shown(shown, sizeof(shown), text, len));
		return false;
	}
	*out = pattern_keep(r, text, len);
	if (!is_reserved(*out))
		return true;
	tp_faults_add(r->faults, node->place, "words of C, isl and tprof cannot be names",
		      "%s: \"%s\" has a meaning already", what, *out);
	return false;
}

/* One text, or a list of them. */
size_t tp_pattern_take_texts(struct tp_pattern_reader *r, const struct tp_node *node,
			     const char *what, struct tp_pattern_text *out, size_t most,
			     size_t bytes_most)
{
	size_t n = 0;
	if (node->kind != TP_NODE_SEQUENCE)
		return tp_pattern_take_text(r, node, what, bytes_most, &out[0]);
	if (tp_node_count(node) == 0 || tp_node_count(node) > most) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected 1 to %zu entries", what,
			      most);
		return 0;
	}
	for (const struct tp_node *item = node->first; item; item = item->next)
		n += tp_pattern_take_text(r, item, what, bytes_most, &out[n]);
	return n;
}

/* "NAME(i, j)": the length of the name, and the formals. */
size_t tp_pattern_take_formals(struct tp_pattern_reader *r, const struct tp_node *key,
			       const char *what, const char *formals[TP_PATTERN_FORMALS_MAX],
			       size_t *n)
{
	const char *at = key->text, *form = "write NAME(i, j)";
	size_t len = tp_identifier_length(at);
	bool again = false;
	*n = 0;
	at += len;
	if (len == 0 || *at++ != '(') {
		tp_faults_add(r->faults, key->place, form, "%s: \"%.40s\" has no indices", what,
			      key->text);
		return 0;
	}
	for (;;) {
		at += strspn(at, " ");
		size_t name = tp_identifier_length(at);
		if (*n == TP_PATTERN_FORMALS_MAX ||
		    !tp_pattern_take_name(r, key, at, name, what, &formals[*n])) {
			if (*n == TP_PATTERN_FORMALS_MAX)
				tp_faults_add(r->faults, key->place, NULL, "%s: too many indices",
					      what);
			return 0;
		}
		for (size_t i = 0; i < *n; i++)
			again |= strcmp(formals[i], formals[*n]) == 0;
		if (again) {
			tp_faults_add(r->faults, key->place, form,
				      "%s: \"%.40s\" has an index twice", what, key->text);
			return 0;
		}
		++*n;
		at += name;
		at += strspn(at, " ");
		if (*at == ')' && at + 1 == key->text + key->len)
			return len;
		if (*at++ != ',') {
			tp_faults_add(r->faults, key->place, form, "%s: \"%.40s\" has no )", what,
				      key->text);
			return 0;
		}
	}
}
