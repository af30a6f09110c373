/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that collect keys of any name: pattern.tile is an item of pattern.parameters. */
#include <string.h>

#include "base/expression.h"
#include "preset/reader.h"

const struct tp_option *tp_option_collector(const char *key, const char **name)
{
	const char *dot = strchr(key, '.');
	const struct tp_option *option;
	if (!dot || !tp_identifier_length(dot + 1) || dot[1 + tp_identifier_length(dot + 1)])
		return NULL;
	*name = dot + 1;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (option->collects && strncmp(option->key, key, (size_t)(dot + 1 - key)) == 0)
			return option;
	return NULL;
}

/* True if both items are of the same name. */
static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "= ");
	return len == strcspn(b, "= ") && memcmp(a, b, len) == 0;
}

static enum tp_status add_item(struct tp_value *value, const struct tp_scalar *item,
			       struct tp_arena *arena)
{
	struct tp_scalar *items = tp_arena_alloc(arena, (value->n + 1) * sizeof(*items));
	if (!items)
		return TP_NOMEM;
	if (value->n)
		memcpy(items, value->items, value->n * sizeof(*items));
	items[value->n++] = *item;
	value->items = items;
	return TP_OK;
}

enum tp_status tp_layer_collect(struct tp_layer *layer, const struct tp_option *option,
				const char *name, const char *text, struct tp_arena *arena,
				struct tp_diag *diag)
{
	struct tp_value *value = &layer->values[tp_option_index(option)];
	struct tp_scalar item;
	struct tp_str whole = { 0 };
	tp_str_printf(&whole, "%s=%s", name, text);
	/* Values in brackets or with commas are lists, as those of other options. */
	bool quoted = false;
	for (char *c = whole.s; c && *c; c++) {
		if (quoted && *c == '\\' && c[1])
			c++;
		else if (*c == '"')
			quoted = !quoted;
		else if (!quoted && (*c == ',' || *c == '[' || *c == ']'))
			*c = ' ';
	}
	enum tp_status status = whole.oom ? TP_NOMEM
					  : tp_scalar_parse(option, tp_str_text(&whole), whole.len,
							    arena, &item, diag);
	tp_str_release(&whole);
	for (size_t i = 0; i < value->n && status == TP_OK; i++)
		if (same_name(value->items[i].text, item.text)) {
			value->items[i] = item;
			return TP_OK;
		}
	return status == TP_OK ? add_item(value, &item, arena) : status;
}

enum tp_status tp_value_lay(struct tp_value *value, const struct tp_value *above,
			    struct tp_arena *arena)
{
	struct tp_value below = *value;
	enum tp_status status = TP_OK;
	*value = *above;
	for (size_t i = 0; i < below.n && status == TP_OK; i++) {
		bool again = false;
		for (size_t k = 0; k < above->n; k++)
			again |= same_name(below.items[i].text, above->items[k].text);
		if (!again)
			status = add_item(value, &below.items[i], arena);
	}
	return status;
}
