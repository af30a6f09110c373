/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A combination of parameters as C, and what the compiler said of it. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "experiments/template/source.h"

static const char *const specials[] = { "compiler", "flags" };

/* A parameter that is no macro. */
static bool template_is_special(const char *name)
{
	for (size_t i = 0; i < TP_COUNT_OF(specials); i++)
		if (strcmp(name, specials[i]) == 0)
			return true;
	return false;
}

static const char *special_of(const struct tp_sweep_at *at, const char *name)
{
	int p = tp_sweep_find(at->sweep, name, strlen(name));
	return p < 0 ? "" : tp_sweep_value(at, (size_t)p);
}

const char *tp_template_compiler(const struct tp_sweep_at *at)
{
	return special_of(at, "compiler");
}

const char *tp_template_flags(const struct tp_sweep_at *at)
{
	return special_of(at, "flags");
}

void tp_template_macros(const struct tp_sweep_at *at, struct tp_str *out)
{
	for (size_t p = 0; p < at->sweep->n; p++)
		if (!template_is_special(at->sweep->parameters[p].name))
			tp_str_printf(out, "#define %s %s\n", at->sweep->parameters[p].name,
				      tp_sweep_value(at, p));
}

void tp_template_write(const struct tp_template_source *source, const struct tp_sweep_at *at,
		       struct tp_str *out)
{
	tp_template_macros(at, out);
	/* So messages name the lines that people know. */
	tp_str_add(out, "#line 1 \"");
	for (const char *c = source->path; *c; c++)
		tp_str_printf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	tp_str_add(out, "\"\n");
	tp_str_add_n(out, source->text, source->len);
	tp_str_add(out, "\n");
}

/* FILE:LINE: of a message; 0 = it has no place. */
static unsigned line_of(const char *message, size_t len)
{
	for (const char *c = message; (c = memchr(c, ':', len - (size_t)(c - message))); c++) {
		char *end;
		unsigned long line = strtoul(c + 1, &end, 10);
		if (end > c + 1 && *end == ':')
			return (unsigned)line;
	}
	return 0;
}

static const char *within(const char *message, size_t len, const char *words)
{
	return memmem(message, len, words, strlen(words));
}

void tp_template_read_report(const char *said, const struct tp_template_region *region,
			     struct tp_template_row *row)
{
	for (size_t len; *said; said += len + (said[len] == '\n')) {
		len = strcspn(said, "\n");
		row->warnings += within(said, len, "warning:") != NULL;
		unsigned line = line_of(said, len);
		if (!region || line < region->first_line || line > region->last_line)
			continue;
		/* gcc: "loop vectorized using 32 byte vectors"; clang: "vectorized loop (...)" */
		const char *gcc = within(said, len, "loop vectorized using ");
		if (!gcc && !within(said, len, "vectorized loop"))
			continue;
		row->vector_loops++;
		unsigned bytes = gcc ? (unsigned)strtoul(gcc + 22, NULL, 10) : 0;
		row->vector_bytes = TP_MAX(row->vector_bytes, bytes);
	}
}
