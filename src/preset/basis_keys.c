/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/basis_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"
#include "base/text.h"

void *tp_basis_room(struct tp_basis_reader *r, size_t n, size_t size_bytes)
{
	void *memory = tp_arena_alloc(&r->basis->arena, TP_MAX(n, (size_t)1) * size_bytes);

	r->out_of_memory |= !memory;
	return memory;
}

const char *tp_basis_keep(struct tp_basis_reader *r, const char *text, size_t len)
{
	const char *kept = tp_arena_strndup(&r->basis->arena, text, len);

	r->out_of_memory |= !kept;
	return kept ? kept : "";
}

const char *tp_basis_text(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			  size_t max_bytes, bool lines)
{
	const char *text = node->text;
	size_t len = node->len;

	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected a text", what);
		return NULL;
	}
	tp_trim(&text, &len);
	if (len == 0 || len >= max_bytes) {
		tp_faults_add(r->faults, node->place, NULL, "%s: %s", what,
			      len ? "the text is too long" : "no text is given");
		return NULL;
	}
	const char *fault = tp_text_fault(text, len, lines ? "\n" : "");
	if (fault) {
		tp_faults_add(r->faults, node->place, NULL, "%s: the text %s", what, fault);
		return NULL;
	}
	return tp_basis_keep(r, text, len);
}

bool tp_basis_number(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     bool bytes, double least, double most, double *value)
{
	char text[64], shown[TP_BASIS_SHOWN_BYTES], hint[128];
	const char *from = node->text;
	size_t len = node->len;
	uint64_t size;

	if (node->kind == TP_NODE_SCALAR) {
		tp_trim(&from, &len);
		snprintf(text, sizeof(text), "%.*s", (int)TP_MIN(len, sizeof(text) - 1), from);
		if (len < sizeof(text) && strlen(text) == len) {
			bool found = strspn(text, "0123456789+-.eE") == len &&
				     tp_parse_double(text, value);

			if (!found && bytes && tp_parse_bytes(text, &size)) {
				*value = (double)size;
				found = true;
			}
			if (found && *value >= least && *value <= most)
				return true;
		}
	}
	if (most < HUGE_VAL)
		snprintf(hint, sizeof(hint), "a number from %g to %g", least, most);
	else
		snprintf(hint, sizeof(hint), "a number%s%s", least == 0 ? " from 0 on" : "",
			 bytes ? ", or a size such as 32KiB" : "");
	if (node->kind == TP_NODE_SCALAR)
		tp_faults_add(r->faults, node->place, hint, "%s: \"%s\" is not an allowed number",
			      what, tp_shown(shown, sizeof(shown), node->text, node->len));
	else
		tp_faults_add(r->faults, node->place, hint, "%s: expected a number", what);
	return false;
}

size_t tp_basis_list(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     size_t most)
{
	size_t n = tp_node_count(node);

	if (node->kind != TP_NODE_SEQUENCE) {
		tp_faults_add(r->faults, node->place, "each entry begins with \"- \"",
			      "%s: expected a list", what);
		return 0;
	}
	if (n > most) {
		tp_faults_add(r->faults, node->place, NULL,
			      "%s: %zu entries, at most %zu are allowed", what, n, most);
		return 0;
	}
	if (n == 0 && node->closed)
		tp_faults_add(r->faults, node->place, NULL, "%s: the list is empty", what);
	return n;
}

const char *tp_basis_text_at(struct tp_basis_reader *r, const struct tp_yaml_key *key,
			     size_t max_bytes, bool lines)
{
	const char *text =
		key->value ? tp_basis_text(r, key->value, key->name, max_bytes, lines) : NULL;

	return text ? text : "";
}
