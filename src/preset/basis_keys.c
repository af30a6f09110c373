/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/basis_keys.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"
#include "preset/text.h"

enum { KEYS_MAX = 16 };

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
		tp_report_add(r->report, node->place, NULL, "%s: a text is wanted here", what);
		return NULL;
	}
	tp_trim(&text, &len);
	if (len == 0 || len >= max_bytes) {
		tp_report_add(r->report, node->place, NULL, "%s: %s", what,
			      len ? "the text is too long" : "no text is given");
		return NULL;
	}
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t character = 0;

		n = tp_utf8_decode(text + i, len - i, &character);
		if (n == 0 || (tp_is_control(character) && !(lines && character == '\n'))) {
			tp_report_add(r->report, node->place, NULL,
				      "%s: the text holds control characters", what);
			return NULL;
		}
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
		tp_report_add(r->report, node->place, hint, "%s: \"%s\" is no such number", what,
			      tp_shown(shown, sizeof(shown), node->text, node->len));
	else
		tp_report_add(r->report, node->place, hint, "%s: a number is wanted here", what);
	return false;
}

size_t tp_basis_children(const struct tp_node *node)
{
	size_t n = 0;

	for (const struct tp_node *child = node->first; child; child = child->next)
		n++;
	return n;
}

size_t tp_basis_list(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     size_t most)
{
	size_t n = tp_basis_children(node);

	if (node->kind != TP_NODE_SEQUENCE) {
		tp_report_add(r->report, node->place, "each entry begins with \"- \"",
			      "%s: a list is wanted here", what);
		return 0;
	}
	if (n > most) {
		tp_report_add(r->report, node->place, NULL,
			      "%s: %zu entries, at most %zu are allowed", what, n, most);
		return 0;
	}
	if (n == 0 && node->closed)
		tp_report_add(r->report, node->place, NULL, "%s: the list is empty", what);
	return n;
}

static void unknown_key(struct tp_basis_reader *r, const struct tp_node *key, const char *what,
			const struct tp_basis_key *keys, size_t n)
{
	const char *names[KEYS_MAX], *near;
	char shown[TP_BASIS_SHOWN_BYTES], hint[160];
	struct tp_str all = { 0 };

	n = TP_MIN(n, (size_t)KEYS_MAX);
	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	near = tp_nearest(key->text, names, n);
	tp_str_list(&all, names, n, " or ");
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s?", near);
	else
		snprintf(hint, sizeof(hint), "known: %.140s", tp_str_text(&all));
	tp_report_add(r->report, key->place, hint, "%s: unknown key \"%s\"", what,
		      tp_shown(shown, sizeof(shown), key->text, key->len));
	tp_str_release(&all);
}

bool tp_basis_keys(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		   struct tp_basis_key *keys, size_t n)
{
	if (node->kind != TP_NODE_MAPPING) {
		tp_report_add(r->report, node->place, "write key: value",
			      "%s: keys with values are wanted here", what);
		return false;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		size_t i = 0;

		while (i < n &&
		       (strlen(keys[i].name) != key->len || strcmp(keys[i].name, key->text) != 0))
			i++;
		if (i == n) {
			unknown_key(r, key, what, keys, n);
		} else if (keys[i].given) {
			tp_report_add(r->report, key->place, "leave one of them out",
				      "%s: \"%s\" is given twice", what, keys[i].name);
		} else {
			keys[i].given = true;
			if (!key->value || tp_node_is_null(key->value)) {
				if (key->value || r->whole)
					tp_report_add(r->report, key->place, NULL,
						      "%s: \"%s\" has no value", what,
						      keys[i].name);
			} else {
				keys[i].value = key->value;
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		if (keys[i].required && !keys[i].given && node->closed)
			tp_report_add(r->report, node->place, NULL, "%s: \"%s\" is missing", what,
				      keys[i].name);
	return true;
}

const char *tp_basis_text_at(struct tp_basis_reader *r, const struct tp_basis_key *key,
			     size_t max_bytes, bool lines)
{
	const char *text =
		key->value ? tp_basis_text(r, key->value, key->name, max_bytes, lines) : NULL;

	return text ? text : "";
}
