/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/field.h"
#include "base/vec.h"
#include "ui/plot/chars.h"

#include <string.h>

enum {
	CONTROL_A = 1,
	CONTROL_B = 2,
	CONTROL_D = 4,
	CONTROL_E = 5,
	CONTROL_F = 6,
	CONTROL_K = 11,
	CONTROL_U = 21,
	CONTROL_W = 23
};

static size_t encode(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((0xf00 >> n & 0xff) | c);
	return n;
}

static bool is_character(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xe000) &&
	       c <= 0x10ffff;
}

static bool insert(struct tp_field *f, uint32_t c)
{
	char bytes[4];
	size_t n = encode(bytes, c);
	if (f->len + n >= sizeof(f->text))
		return false;
	memmove(f->text + f->at + n, f->text + f->at, f->len - f->at + 1);
	memcpy(f->text + f->at, bytes, n);
	f->len += n;
	f->at += n;
	return true;
}

void tp_field_set(struct tp_field *f, const char *text)
{
	f->len = f->at = f->first = 0;
	f->text[0] = '\0';
	for (uint32_t c; (c = tp_chars_read(&text));)
		if (!insert(f, is_character(c) ? c : '?'))
			break;
}

static size_t before(const struct tp_field *f, size_t at)
{
	if (at)
		at--;
	while (at && (f->text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static size_t behind(const struct tp_field *f, size_t at)
{
	if (at < f->len)
		at++;
	while (at < f->len && (f->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* The start of the word before the cursor; commas separate values. */
static size_t word_before(const struct tp_field *f)
{
	static const char between[] = " ,";
	size_t at = f->at;
	while (at && strchr(between, f->text[at - 1]))
		at--;
	while (at && !strchr(between, f->text[at - 1]))
		at--;
	return at;
}

static void cut(struct tp_field *f, size_t from, size_t to)
{
	memmove(f->text + from, f->text + to, f->len - to + 1);
	f->len -= to - from;
	f->at = from;
}

enum tp_field_event tp_field_key(struct tp_field *f, uint32_t code)
{
	switch (code) {
	case TP_KEY_ENTER:
		return TP_FIELD_TAKEN;
	case TP_KEY_ESCAPE:
		return TP_FIELD_LEFT;
	case TP_KEY_LEFT:
	case CONTROL_B:
		f->at = before(f, f->at);
		break;
	case TP_KEY_RIGHT:
	case CONTROL_F:
		f->at = behind(f, f->at);
		break;
	case TP_KEY_HOME:
	case CONTROL_A:
		f->at = 0;
		break;
	case TP_KEY_END:
	case CONTROL_E:
		f->at = f->len;
		break;
	case TP_KEY_BACKSPACE:
		cut(f, before(f, f->at), f->at);
		break;
	case TP_KEY_DELETE:
	case CONTROL_D:
		cut(f, f->at, behind(f, f->at));
		break;
	case CONTROL_U:
		cut(f, 0, f->at);
		break;
	case CONTROL_K:
		cut(f, f->at, f->len);
		break;
	case CONTROL_W:
		cut(f, word_before(f), f->at);
		break;
	default:
		if (!is_character(code) || !insert(f, code))
			return TP_FIELD_IGNORED;
	}
	return TP_FIELD_EDITED;
}

static size_t columns_to(const struct tp_field *f, size_t to)
{
	size_t n = 0;
	for (size_t at = 0; at < to; at = behind(f, at))
		n++;
	return n;
}

int tp_field_paint(struct tp_field *f, struct tp_area area, int row, int column, int columns)
{
	size_t cursor = columns_to(f, f->at), room = (size_t)TP_MAX(columns - 1, 1);
	if (cursor < f->first)
		f->first = cursor;
	if (cursor > f->first + room)
		f->first = cursor - room;
	struct tp_area line = tp_area_columns(tp_area_rows(area, row, 1), column, columns);
	tp_paint_clear(line, TP_UI_FIELD);
	const char *text = f->text;
	for (size_t i = 0; i < f->first && *text; i++)
		tp_chars_read(&text);
	/* Cut at the edge without an ellipsis: the cursor may stand there. */
	for (int c = 0; c < line.columns && *text; c++) {
		char one[8] = "";
		const char *start = text;
		tp_chars_read(&text);
		memcpy(one, start, (size_t)TP_MIN(text - start, 7));
		tp_paint_text(line, 0, c, TP_UI_FIELD, one);
	}
	return column + (int)(cursor - f->first);
}
