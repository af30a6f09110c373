/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts with values in braces. */
#include "lesson/read_parts.h"

#include <string.h>

#include "base/text.h"

/* The text between two braces, without the unit behind a bar, which is written to *unit. */
static char *inner(struct tp_lesson_reader *r, struct tp_place place, const char *from, size_t len,
		   const char **unit)
{
	char *text = tp_arena_strndup(&r->lesson->arena, from, len);
	char *bar = text ? strrchr(text, '|') : NULL;
	char shown[64];
	r->out_of_memory |= !text;
	if (!bar)
		return text;
	const char *name = bar + 1;
	size_t n = strlen(name);
	*bar = '\0';
	tp_trim(&name, &n);
	tp_shown(shown, sizeof(shown), name, n);
	*unit = tp_lesson_unit_find(shown);
	if (!*unit)
		tp_faults_add(r->faults, place, "see UNITS in tprof-lesson(5)",
			      "\"{%.80s|%s}\": there is no such unit", text, shown);
	return text;
}

static bool quote(struct tp_lesson_reader *r, struct tp_place place, const char *from, size_t len,
		  struct tp_lesson_use use, struct tp_quoted_piece *piece)
{
	char *text = inner(r, place, from, len, &piece->unit);
	if (!text)
		return false;
	use.unit = piece->unit ? NULL : &piece->unit;
	use.quoted = true;
	piece->value = tp_lesson_expression(r, place, text, use);
	return piece->value != NULL;
}

/* Appends words to the pieces, unless there are none. */
static void words(struct tp_quoted *out, const char *from, size_t len)
{
	if (len)
		out->pieces[out->n++] = (struct tp_quoted_piece){ .text = from, .len = len };
}

bool tp_lesson_quote(struct tp_lesson_reader *r, struct tp_place place, const char *text,
		     struct tp_lesson_use use, struct tp_quoted *out)
{
	size_t braces = 0;
	bool good = true;
	for (const char *c = text; (c = strchr(c, '{')); c++)
		braces++;
	*out = (struct tp_quoted){ .text = text };
	out->pieces = tp_lesson_room(r, 2 * braces + 1, sizeof(*out->pieces));
	while (out->pieces) {
		const char *open = strchr(text, '{');
		words(out, text, open ? (size_t)(open - text) + (open[1] == '{') : strlen(text));
		if (!open)
			break;
		text = open + 2;
		if (open[1] == '{')
			continue;
		const char *close = strchr(open, '}');
		if (!close) {
			tp_faults_add(r->faults, place, "close it with }, or write {{ for a brace",
				      "\"%.40s\": the brace is not closed", open);
			return false;
		}
		good &= quote(r, place, open + 1, (size_t)(close - open - 1), use,
			      &out->pieces[out->n++]);
		text = close + 1;
	}
	return good && out->pieces;
}
