/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes presets as YAML, and one config as lines for the engine. */
#include "preset/preset.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

enum { KEY_BYTES = 64, COMMENT_COLUMN = 40 };

/* The options that a preset, or one of its runs, writes. */
struct selection {
	const struct tp_value *values[TP_OPTIONS_MAX]; /* NULL: not written here */
	/* written only as a comment, because the experiment does not use it */
	bool unused[TP_OPTIONS_MAX];
};

struct writer {
	struct tp_str *out;
	bool all; /* with the source of each value */
};

/*
 * True for words that need no quotes in YAML. Our reader takes the text of a plain scalar, so
 * numbers need none.
 */
static bool is_plain(const char *text)
{
	if (!isalnum((unsigned char)*text) || strcmp(text, "null") == 0)
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.+%:-", *c))
			return false;
	return text[strlen(text) - 1] != ':';
}

static void write_quoted(struct tp_str *out, const char *text)
{
	size_t len = strlen(text);
	tp_str_add(out, "\"");
	while (len) {
		uint32_t c = 0;
		size_t n = tp_utf8_decode(text, len, &c);
		if (n == 0)
			n = 1; /* values hold UTF-8 only */
		if (c == '"' || c == '\\')
			tp_str_printf(out, "\\%c", (int)c);
		else if (c == '\n')
			tp_str_add(out, "\\n");
		else if (c == '\t')
			tp_str_add(out, "\\t");
		else if (c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff)
			tp_str_printf(out, "\\u%04X",
				      (unsigned)c); /* line ends and non-characters of YAML */
		else
			tp_str_add_n(out, text, n);
		text += n;
		len -= n;
	}
	tp_str_add(out, "\"");
}

/* One text that would be read as several without quotes. */
static bool is_like_a_list(const struct tp_option *option, const struct tp_value *value)
{
	return option->list && option->type == TP_TYPE_TEXT && value->n == 1 &&
	       strpbrk(value->items[0].text, ",[]");
}

static void write_value(struct tp_str *out, const struct tp_option *option,
			const struct tp_value *value)
{
	bool list =
		value->n > 1 || (value->n == 0 && option->list) || is_like_a_list(option, value);
	if (value->n == 0 && !list)
		tp_str_add(out, "\"\"");
	if (list)
		tp_str_add(out, "[");
	for (size_t i = 0; i < value->n; i++) {
		if (i)
			tp_str_add(out, ", ");
		if (is_plain(value->items[i].text))
			tp_str_add(out, value->items[i].text);
		else
			write_quoted(out, value->items[i].text);
	}
	if (list)
		tp_str_add(out, "]");
}

/* The dot after its group; NULL: none, or the group is an option itself, such as pattern. */
static const char *group_dot(const struct tp_option *option)
{
	char group[KEY_BYTES];
	const char *dot = strchr(option->key, '.');
	if (!dot)
		return NULL;
	snprintf(group, sizeof(group), "%.*s", (int)(dot - option->key), option->key);
	return tp_option_find(group) ? NULL : dot;
}

/*
 * The lines of one mapping. `first` stands before its first line (" - " for a run), `indent` before
 * the others.
 */
static void write_selection(const struct writer *w, const struct selection *selection,
			    const char *first, const char *indent)
{
	struct tp_str *out = w->out;
	char group[KEY_BYTES] = "";
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		const struct tp_value *value = selection->values[i];
		if (!value)
			continue;
		size_t start = out->len;
		const char *dot = group_dot(option), *key = dot ? dot + 1 : option->key;
		const char *comment = selection->unused[i] ? "# " : "";
		size_t prefix = dot ? (size_t)(dot - option->key) : 0;
		if (dot && (strlen(group) != prefix || memcmp(group, option->key, prefix) != 0)) {
			snprintf(group, sizeof(group), "%.*s", (int)prefix, option->key);
			tp_str_printf(out, "%s%s:\n", first, group);
			first = indent;
			start = out->len;
		} else if (!dot) {
			group[0] = '\0';
		}
		tp_str_printf(out, "%s%s%s%s: ", comment, first, dot ? "  " : "", key);
		first = indent;
		write_value(out, option, value);
		if (w->all) {
			size_t width = out->len - start;
			tp_str_pad(out, ' ', width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1);
			tp_str_printf(out, "# %s",
				      value->source == TP_FROM_DEFAULT ? "default" : value->where);
			if (selection->unused[i]) {
				tp_str_add(out, "; used by ");
				tp_option_users(option, " ", out);
			}
		}
		tp_str_add(out, "\n");
	}
}

static bool differs(const struct tp_config *config, const struct tp_config *defaults, size_t i)
{
	return !tp_value_equal(&config->values[i], &defaults->values[i]);
}

static bool belongs(const struct tp_config *config, const struct tp_option *option)
{
	return tp_option_belongs(option, tp_config_text(config, TP_OPT_EXPERIMENT));
}

/*
 * Selects the options above `runs:`: values that all runs share, and values of options that some
 * run's experiment does not use, which that run must not write. Returns whether there are any of
 * the latter.
 */
static bool select_shared(const struct tp_preset *preset, const struct tp_config *defaults,
			  bool all, struct selection *shared)
{
	const struct tp_option *option;
	bool stray_values = false;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		bool equal = true, written = all;
		const struct tp_config *stray = NULL;
		for (size_t run = 0; run < preset->n_runs; run++) {
			const struct tp_config *config = &preset->runs[run];
			equal &= tp_value_equal(&config->values[i], &preset->runs[0].values[i]);
			written |= differs(config, defaults, i) ||
				   config->values[i].source != TP_FROM_DEFAULT;
			if (!stray && !belongs(config, option) && differs(config, defaults, i))
				stray = config;
		}
		if (stray)
			shared->values[i] = &stray->values[i];
		else if (equal && written && option != TP_OPT_EXPERIMENT)
			shared->values[i] = &preset->runs[0].values[i];
		stray_values |= stray != NULL;
	}
	return stray_values;
}

static void select_run(const struct tp_config *config, const struct tp_config *defaults, bool all,
		       const struct selection *shared, struct selection *own)
{
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		const struct tp_value *value = &config->values[i], *above = shared->values[i];
		bool write = above ? !tp_value_equal(value, above)
				   : all || value->source != TP_FROM_DEFAULT ||
					     differs(config, defaults, i);
		if (option == TP_OPT_EXPERIMENT || (write && belongs(config, option)))
			own->values[i] = value;
	}
}

enum tp_status tp_preset_write(const struct tp_preset *preset, bool all, struct tp_str *out)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_config *defaults = tp_arena_alloc(&arena, sizeof(*defaults));
	struct writer writer = { out, all };
	struct selection shared = { 0 };
	enum tp_status status = tp_config_defaults(defaults, &arena, NULL);
	if (status != TP_OK)
		return status;
	bool stray = select_shared(preset, defaults, all, &shared);
	if (preset->n_runs == 1 && !stray) {
		struct selection own = { 0 };
		static const struct selection nothing = { 0 };
		const struct tp_option *option;

		/* A preset of one run needs no `runs:`. */
		select_run(&preset->runs[0], defaults, all, &nothing, &own);
		for (size_t i = 0; all && (option = tp_option_at(i)); i++)
			if (!own.values[i] && !strchr(option->key, '.')) {
				own.values[i] = &preset->runs[0].values[i];
				own.unused[i] = true;
			}
		write_selection(&writer, &own, "", "");
	} else {
		write_selection(&writer, &shared, "", "");
		tp_str_add(out, "runs:\n");
		for (size_t run = 0; run < preset->n_runs; run++) {
			struct selection own = { 0 };
			select_run(&preset->runs[run], defaults, all, &shared, &own);
			write_selection(&writer, &own, "  - ", "    ");
		}
	}
	return TP_OK;
}

/* One line a value. */
void tp_config_flatten(const struct tp_config *config, struct tp_str *out)
{
	TP_STR value = { 0 };
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		if (config->values[i].source == TP_FROM_DEFAULT)
			continue; /* it must stay a default, which can depend on the machine */
		tp_str_clear(&value);
		tp_value_text(option, &config->values[i], &value);
		tp_str_printf(out, "%s=", option->key);
		tp_str_add_escaped(out, tp_str_text(&value));
		tp_str_add(out, "\n");
	}
}

enum tp_status tp_config_unflatten(struct tp_config *config, const char *text,
				   struct tp_arena *arena, struct tp_diag *diag)
{
	TP_STR value = { 0 };
	unsigned line = 0;
	enum tp_status status = tp_config_defaults(config, arena, diag);
	while (status == TP_OK && *text) {
		char key[KEY_BYTES], where[32];
		size_t len = strcspn(text, "\n"), key_len = strcspn(text, "=\n");
		snprintf(where, sizeof(where), "line %u", ++line);
		tp_shown(key, sizeof(key), text, key_len);
		const struct tp_option *option = key_len < len ? tp_option_find(key) : NULL;
		if (!option)
			return tp_fail(diag, TP_USAGE, where, NULL, "\"%s\" is not option=value",
				       key);
		tp_str_clear(&value);
		tp_str_add_unescaped(&value, text + key_len + 1, len - key_len - 1);
		status = tp_option_parse(option, tp_str_text(&value), arena,
					 tp_config_at(config, option), diag);
		if (status == TP_OK)
			tp_config_at(config, option)->source = TP_FROM_PRESET;
		text += len + (text[len] == '\n');
	}
	return status;
}
