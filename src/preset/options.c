/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/options.h"

#include "base/own_dot.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

/* The group with the lowest place above `place`, or NULL. */
static const struct tp_option_group *group_above(int place)
{
	const struct tp_option_group *next = NULL;
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++)
		if ((*g)->rows[0] && (*g)->place > place && (!next || (*g)->place < next->place))
			next = *g;
	return next;
}

const struct tp_option *tp_option_at(size_t i)
{
	const struct tp_option_group *group = group_above(-1);
	for (; group; group = group_above(group->place))
		for (size_t row = 0; group->rows[row]; row++)
			if (i-- == 0)
				return group->rows[row];
	return NULL;
}

size_t tp_option_count(void)
{
	size_t n = 0;
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++)
		for (size_t row = 0; (*g)->rows[row]; row++)
			n++;
	return n;
}

static const struct tp_option_group *group_of(const struct tp_option *option)
{
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++)
		for (size_t row = 0; (*g)->rows[row]; row++)
			if ((*g)->rows[row] == option)
				return *g;
	return NULL;
}

const char *tp_option_owner(const struct tp_option *option)
{
	return group_of(option)->experiment;
}

static bool same_key(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct tp_option *tp_option_find(const char *key)
{
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (same_key(key, option->key))
			break;
	return option;
}

const char *tp_option_nearest(const char *key)
{
	const char *keys[TP_OPTIONS_MAX];
	const struct tp_option *option;
	size_t n = 0;
	for (; n < TP_OPTIONS_MAX && (option = tp_option_at(n)); n++)
		keys[n] = option->key;
	return tp_nearest(key, keys, n);
}

/* True if the experiment of a group uses the option. */
static bool uses(const struct tp_option_group *group, const struct tp_option *option)
{
	return group == group_of(option) || (group->uses && tp_has_word(group->uses, option->key));
}

bool tp_option_belongs(const struct tp_option *option, const char *experiment)
{
	if (option->for_all)
		return true;
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++)
		if ((*g)->experiment && strcmp((*g)->experiment, experiment) == 0)
			return uses(*g, option);
	return false;
}

void tp_option_users(const struct tp_option *option, const char *joint, struct tp_str *out)
{
	bool first = true;
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++) {
		if (option->for_all || !(*g)->experiment || !uses(*g, option))
			continue;
		tp_str_printf(out, "%s%s", first ? "" : joint, (*g)->experiment);
		first = false;
	}
}

const char *tp_option_offered(const struct tp_option *option, bool *open)
{
	*open = option->offers || (option->type != TP_TYPE_WORD && option->type != TP_TYPE_BOOL);
	if (option->offers)
		return option->offers;
	return option->type == TP_TYPE_BOOL ? "false true" : option->words;
}

const char *tp_option_meaning(const struct tp_option *option, const char *word, char *out,
			      size_t size)
{
	const char *line = option->meanings ? option->meanings : "";
	size_t n = strlen(word);
	while (*line && (strncmp(line, word, n) != 0 || line[n] != '\t'))
		line += strcspn(line, "\n") + 1;
	snprintf(out, size, "%.*s", *line ? (int)strcspn(line + n + 1, "\n") : 0,
		 *line ? line + n + 1 : "");
	return out;
}

/* A limit in the form that a user would write. */
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
		snprintf(one, sizeof(one), "%s",
			 *words			? words
			 : option == TP_OPT_ISA ? "names of --list isas"
						: "a name");
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
	case TP_TYPE_DOT:
		snprintf(one, sizeof(one), "%s", TP_OWN_DOT_ALLOWED);
		break;
	}
	snprintf(out, size, "%s%s", one, option->list ? "; or a list of them" : "");
	return out;
}

size_t tp_option_index(const struct tp_option *option)
{
	const struct tp_option_group *own = group_of(option);
	size_t index = 0, row;
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++)
		for (row = 0; (*g)->place < own->place && (*g)->rows[row]; row++)
			index++;
	for (row = 0; own->rows[row] != option; row++)
		index++;
	return index;
}

struct tp_value *tp_config_at(struct tp_config *config, const struct tp_option *option)
{
	return &config->values[tp_option_index(option)];
}

const struct tp_value *tp_config_value(const struct tp_config *config,
				       const struct tp_option *option)
{
	return &config->values[tp_option_index(option)];
}

const char *tp_config_text(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].text : "";
}

uint64_t tp_config_count(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].count : 0;
}

double tp_config_real(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].real : 0;
}

enum tp_status tp_config_defaults(struct tp_config *config, struct tp_arena *arena,
				  struct tp_diag *diag)
{
	const struct tp_option *option;
	*config = (struct tp_config){ 0 };
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		enum tp_status status =
			tp_option_parse(option, option->fallback, arena, &config->values[i], diag);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

/* A text that would be read as several items, or as another one. */
static bool needs_quotes(const struct tp_option *option, const char *text)
{
	return option->list && option->type == TP_TYPE_TEXT && strpbrk(text, ",[]\"");
}

void tp_value_text(const struct tp_option *option, const struct tp_value *value, struct tp_str *out)
{
	for (size_t i = 0; i < value->n; i++) {
		const char *text = value->items[i].text;
		if (i)
			tp_str_add(out, ",");
		if (!needs_quotes(option, text)) {
			tp_str_add(out, text);
			continue;
		}
		tp_str_add(out, "\"");
		for (; *text; text++)
			tp_str_printf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "",
				      *text);
		tp_str_add(out, "\"");
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
