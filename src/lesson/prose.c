/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/prose.h"

#include <ctype.h>
#include <string.h>

enum { ROOM_MIN = 20 };

struct prose {
	struct tp_str *out;
	const struct tp_look *look;
	size_t columns, indent, at; /* `at` columns of the line are taken */
	bool blank; /* a blank is due before the next word */
	bool strong;
};

/* --- asterisks --- */

static bool opens(const char *text, const char *at)
{
	bool apart = at == text || strchr(" (\"'", at[-1]);
	return apart && at[1] && !strchr(" *", at[1]);
}

static bool closes(const char *text, const char *at)
{
	return at > text && at[-1] != ' ' && !isalnum((unsigned char)at[1]) && at[1] != '*';
}

/* Where the words that stand out begin or end; NULL: no further ones. */
static const char *next_turn(const char *text, const char *at, bool strong)
{
	for (; (at = strchr(at, '*')); at++) {
		if (strong ? closes(text, at) : opens(text, at)) {
			const char *end = at + 1;
			while (!strong && (end = strchr(end, '*')) && !closes(text, end))
				end++;
			if (end)
				return at;
		}
	}
	return NULL;
}

/* --- words --- */

static void word(struct prose *p, const char *text, size_t n)
{
	struct tp_str one = { 0 };
	tp_str_add_n(&one, text, n);
	size_t wide = tp_text_columns(tp_str_text(&one));
	if (p->blank && p->at + 1 + wide > p->columns && !p->look->html) {
		tp_str_add(p->out, "\n");
		tp_str_pad(p->out, ' ', p->indent);
		p->at = p->indent;
	} else if (p->blank) {
		tp_str_add(p->out, " ");
		p->at++;
	}
	tp_text_paint(p->out, p->look, p->strong ? TP_PAINT_STRONG : TP_PAINT_PLAIN,
		      tp_str_text(&one));
	p->at += wide;
	p->blank = false;
	tp_str_release(&one);
}

static void words(struct prose *p, const char *text, size_t n)
{
	while (n) {
		size_t len = 0;
		while (len < n && text[len] != ' ')
			len++;
		if (len)
			word(p, text, len);
		text += len;
		n -= len;
		for (; n && *text == ' '; text++, n--)
			p->blank = true;
	}
}

static void paragraph(struct prose *p, const char *text)
{
	bool turns = p->look->colour || p->look->html;
	const char *at = text, *turn;
	p->strong = p->blank = false;
	while (turns && (turn = next_turn(text, at, p->strong))) {
		words(p, at, (size_t)(turn - at));
		p->strong = !p->strong;
		at = turn + 1;
	}
	words(p, at, strlen(at));
	if (p->look->html)
		tp_text_wrap(p->out, p->look, TP_PAINT_PLAIN, "", 0, 0);
	else
		tp_str_add(p->out, "\n");
}

/* The end of a paragraph: a line of blanks, or the end of the text. */
static const char *paragraph_end(const char *text, const char **next)
{
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		const char *after = line + 1 + strspn(line + 1, " \t\r");
		if (*after == '\n' || !*after) {
			*next = after;
			return line;
		}
	}
	*next = text + strlen(text);
	return *next;
}

void tp_prose(struct tp_str *out, const struct tp_look *look, const char *text, size_t used,
	      size_t indent)
{
	size_t columns = tp_look_columns(look);
	struct prose p = { .out = out,
			   .look = look,
			   .columns = columns > indent + ROOM_MIN ? columns : indent + ROOM_MIN,
			   .indent = indent,
			   .at = used };
	for (bool first = true; *(text += strspn(text, " \t\r\n")); first = false) {
		const char *next, *end = paragraph_end(text, &next);
		struct tp_str raw = { 0 }, clean = { 0 };
		if (!first) {
			tp_prose_gap(out, look);
			tp_str_pad(out, ' ', look->html ? 0 : indent);
			p.at = indent;
		}
		tp_str_add_n(&raw, text, (size_t)(end - text));
		tp_text_clean(&clean, tp_str_text(&raw), look);
		paragraph(&p, tp_str_text(&clean));
		tp_str_release(&raw);
		tp_str_release(&clean);
		text = next;
	}
}

void tp_prose_line(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, text, look);
	tp_text_wrap(out, look, paint, tp_str_text(&clean), 0, 0);
	tp_str_release(&clean);
}

void tp_prose_gap(struct tp_str *out, const struct tp_look *look)
{
	if (!look->html)
		tp_str_add(out, "\n");
}
