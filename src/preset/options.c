/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/options.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"

const struct tp_option tp_option_table[TP_OPT_COUNT] = {
#define TP_OPTION_ROW(id, key, type, list, min, max, fallback, words, experiments, help)           \
	{ TP_OPT_##id, key, TP_TYPE_##type, list, min, max, fallback, words, experiments, help },
	TP_OPTION_LIST(TP_OPTION_ROW)
#undef TP_OPTION_ROW
};

static bool same_key(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct tp_option *tp_option_find(const char *key)
{
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		if (same_key(key, tp_option_table[i].key))
			return &tp_option_table[i];
	return NULL;
}

const char *tp_option_nearest(const char *key)
{
	const char *keys[TP_OPT_COUNT];
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		keys[i] = tp_option_table[i].key;
	return tp_nearest(key, keys, TP_OPT_COUNT);
}

bool tp_option_belongs(const struct tp_option *option, const char *experiment)
{
	return !*option->experiments || tp_has_word(option->experiments, experiment);
}

/* A limit as the user would write it. */
static const char *limit_text(char out[32], enum tp_option_type type, double value)
{
	if (type == TP_TYPE_BYTES)
		tp_format_bytes(out, 32, (uint64_t)value);
	else if (type != TP_TYPE_SECONDS)
		snprintf(out, 32, "%.10g", value);
	else if (value >= 60)
		snprintf(out, 32, "%gmin", value / 60);
	else if (value >= 1)
		snprintf(out, 32, "%gs", value);
	else if (value >= 1e-3)
		snprintf(out, 32, "%gms", value * 1e3);
	else
		snprintf(out, 32, "%gus", value * 1e6);
	return out;
}

/* "add, mul or div" from "add mul div". */
static void words_text(char *out, size_t size, const char *words)
{
	size_t n = 0;
	out[0] = '\0';
	while (*words && n < size) {
		size_t length = strcspn(words, " ");
		const char *next = words + length + strspn(words + length, " ");
		const char *joint = !n ? "" : *next ? ", " : " or ";
		int put = snprintf(out + n, size - n, "%s%.*s", joint, (int)length, words);
		n += put > 0 ? (size_t)put : 0;
		words = next;
	}
}

const char *tp_option_allowed(const struct tp_option *option, char *out, size_t size)
{
	char low[32], high[32], words[160], one[320];
	limit_text(low, option->type, option->min);
	limit_text(high, option->type, option->max);
	words_text(words, sizeof(words), option->words);
	const char *joint = *words ? ", or " : "";
	switch (option->type) {
	case TP_TYPE_TEXT:
		snprintf(one, sizeof(one), "text of at most %s bytes", high);
		break;
	case TP_TYPE_WORD:
		snprintf(one, sizeof(one), "%s", *words ? words : "a name");
		break;
	case TP_TYPE_COUNT:
		snprintf(one, sizeof(one), "a whole number from %s to %s%s%s", low, high, joint,
			 words);
		break;
	case TP_TYPE_REAL:
		snprintf(one, sizeof(one), "a number from %s to %s%s%s%s", low, high,
			 option->max <= 1 ? " (1% is 0.01)" : "", joint, words);
		break;
	case TP_TYPE_BYTES:
		snprintf(one, sizeof(one), "a size from %s to %s such as 32KiB", low, high);
		break;
	case TP_TYPE_SECONDS:
		snprintf(one, sizeof(one), "a time from %s to %s such as 500ms", low, high);
		break;
	case TP_TYPE_BOOL:
		snprintf(one, sizeof(one), "true or false");
		break;
	case TP_TYPE_RATIO:
		snprintf(one, sizeof(one), "loads:stores such as 2:1, each at most %s%s%s", high,
			 joint, words);
		break;
	}
	snprintf(out, size, "%s%s", one, option->list ? "; or a list of them" : "");
	return out;
}

const struct tp_value *tp_config_value(const struct tp_config *config, enum tp_option_id id)
{
	return &config->values[id];
}

const char *tp_config_text(const struct tp_config *config, enum tp_option_id id)
{
	const struct tp_value *value = &config->values[id];
	return value->n ? value->items[0].text : "";
}

uint64_t tp_config_count(const struct tp_config *config, enum tp_option_id id)
{
	const struct tp_value *value = &config->values[id];
	return value->n ? value->items[0].count : 0;
}

double tp_config_real(const struct tp_config *config, enum tp_option_id id)
{
	const struct tp_value *value = &config->values[id];
	return value->n ? value->items[0].real : 0;
}

enum tp_status tp_config_defaults(struct tp_config *config, struct tp_arena *arena,
				  struct tp_diag *diag)
{
	*config = (struct tp_config){ 0 };
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *option = &tp_option_table[i];
		enum tp_status status =
			tp_option_parse(option, option->fallback, arena, &config->values[i], diag);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

void tp_value_text(const struct tp_value *value, struct tp_str *out)
{
	for (size_t i = 0; i < value->n; i++) {
		if (i)
			tp_str_add(out, ",");
		tp_str_add(out, value->items[i].text);
	}
}

bool tp_value_equal(const struct tp_value *a, const struct tp_value *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i].text, b->items[i].text) != 0)
			return false;
	return true;
}
