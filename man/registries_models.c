/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tprof-machine(5) says of the keys of a model file. */
#include "man/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "machine/model.h"

enum { ENTRIES_MAX = 64 };

/* Keys that share a help; the name is "TABLE.KEY" of the first, or its key at the top level. */
struct entry {
	char name[64], items[512];
	const struct tp_model_field *field; /* the last of them */
};

struct entries {
	struct entry at[ENTRIES_MAX];
	size_t n;
};

static void add_table(struct entries *entries, const char *prefix,
		      const struct tp_model_table *table)
{
	struct entry *open = NULL;
	for (size_t i = 0; i < table->n && entries->n < ENTRIES_MAX; i++) {
		const struct tp_model_field *field = &table->fields[i];
		if (!open) {
			open = &entries->at[entries->n++];
			snprintf(open->name, sizeof(open->name), "%s%s", prefix, field->key);
		}
		size_t len = strlen(open->items);
		snprintf(open->items + len, sizeof(open->items) - len, "%s%s", len ? " , " : "",
			 field->key);
		open->field = field;
		if (field->help)
			open = NULL;
	}
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_model_field *field = &table->fields[i];
		char inner[64];
		snprintf(inner, sizeof(inner), "%s.", field->key);
		if (field->map)
			add_table(entries, inner, field->map);
	}
}

static const struct entries *entries(void)
{
	static struct entries all;
	if (!all.n)
		add_table(&all, "", &tp_model_table);
	return &all;
}

const char *page_model_name(size_t i)
{
	return i < entries()->n ? entries()->at[i].name : NULL;
}

bool page_model_head(size_t i, struct tp_str *out)
{
	const struct entry *entry = &entries()->at[i];
	tp_str_printf(out, ".It Cm %s\n", entry->items);
	if (entry->field->help)
		page_text(out, entry->field->help, NULL);
	return entry->field->help;
}

void page_model_tail(size_t i, struct tp_str *out)
{
	const struct tp_model_field *field = entries()->at[i].field;
	char low[32], high[32];
	switch (field->kind) {
	case TP_MODEL_TEXT:
		tp_str_add(out, ".br\nValue: a text");
		break;
	case TP_MODEL_NUMBER:
		tp_str_printf(out, ".br\nValue: a number from %g to %g", field->min, field->max);
		break;
	case TP_MODEL_COUNT:
		tp_str_printf(out, ".br\nValue: a whole number from %g to %g", field->min,
			      field->max);
		break;
	case TP_MODEL_SIZE:
		tp_str_printf(out, ".br\nValue: a size from %s to %s",
			      tp_format_bytes(low, sizeof(low), (uint64_t)field->min),
			      tp_format_bytes(high, sizeof(high), (uint64_t)field->max));
		break;
	case TP_MODEL_INT:
	case TP_MODEL_RANGE:
	case TP_MODEL_LIST:
		tp_str_printf(out, ".br\nValue: %s from %g to %g",
			      field->kind == TP_MODEL_INT     ? "a whole number"
			      : field->kind == TP_MODEL_RANGE ? "a whole number or a range"
							      : "whole numbers and ranges",
			      field->min, field->max);
		break;
	case TP_MODEL_WORD_LIST:
		tp_str_printf(out, ".br\nValue: a word, or a list of at most %d words",
			      TP_MODEL_WORDS);
		break;
	case TP_MODEL_MAP:
	case TP_MODEL_ISA_MAP:
		tp_str_add(out, ".br\nValue: a mapping");
		break;
	}
	tp_str_add(out, field->required ? "; required\n" : "\n");
}
