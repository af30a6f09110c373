/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/text_field.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/memory.h"

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

static bool is_character(uint32_t c)
{
	return !tp_is_control(c) && !(c >= 0xd800 && c < 0xe000) && c <= 0x10ffff;
}

static bool insert(struct tp_text_field *f, uint32_t c)
{
	char bytes[4];
	size_t n = tp_utf8_encode(bytes, c);
	if (f->len + n >= sizeof(f->text))
		return false;
	memmove(f->text + f->at + n, f->text + f->at, f->len - f->at + 1);
	memcpy(f->text + f->at, bytes, n);
	f->len += n;
	f->at += n;
	return true;
}

void tp_text_field_set(struct tp_text_field *f, const char *text)
{
	f->len = f->at = f->first = 0;
	f->text[0] = '\0';
	for (uint32_t c; (c = tp_utf8_next(&text));)
		if (!insert(f, is_character(c) ? c : '?'))
			break;
}

/* The start of the word before the cursor. Blanks and commas separate words. */
static size_t word_before(const struct tp_text_field *f)
{
	static const char between[] = " ,";
	size_t at = f->at;
	while (at && strchr(between, f->text[at - 1]))
		at--;
	while (at && !strchr(between, f->text[at - 1]))
		at--;
	return at;
}

static void cut(struct tp_text_field *f, size_t from, size_t to)
{
	memmove(f->text + from, f->text + to, f->len - to + 1);
	f->len -= to - from;
	f->at = from;
}

enum tp_text_field_event tp_text_field_key(struct tp_text_field *f, uint32_t code)
{
	switch (code) {
	case TP_KEY_ENTER:
		return TP_TEXT_FIELD_TAKEN;
	case TP_KEY_ESCAPE:
		return TP_TEXT_FIELD_LEFT;
	case TP_KEY_LEFT:
	case CONTROL_B:
		f->at = tp_utf8_before(f->text, f->at);
		break;
	case TP_KEY_RIGHT:
	case CONTROL_F:
		f->at = tp_utf8_after(f->text, f->at);
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
		cut(f, tp_utf8_before(f->text, f->at), f->at);
		break;
	case TP_KEY_DELETE:
	case CONTROL_D:
		cut(f, f->at, tp_utf8_after(f->text, f->at));
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
			return TP_TEXT_FIELD_IGNORED;
	}
	return TP_TEXT_FIELD_EDITED;
}

int tp_text_field_paint(struct tp_text_field *f, struct tp_area area, int row, int column,
			int columns)
{
	size_t cursor = 0, room = (size_t)TP_MAX(columns - 1, 1);
	for (size_t at = 0; at < f->at; at = tp_utf8_after(f->text, at))
		cursor++;
	if (cursor < f->first)
		f->first = cursor;
	if (cursor > f->first + room)
		f->first = cursor - room;
	struct tp_area line = tp_area_columns(tp_area_rows(area, row, 1), column, columns);
	tp_paint_clear(line, TP_UI_FIELD);
	const char *text = f->text;
	for (size_t i = 0; i < f->first && *text; i++)
		tp_utf8_next(&text);
	/* No ellipsis at the edge: the cursor may be there. */
	for (int c = 0; c < line.columns && *text; c++)
		tp_paint_cell(line, 0, c, tp_cell_next(&text), TP_UI_FIELD);
	return column + (int)(cursor - f->first);
}

enum { ROWS = 5, COLUMNS_MAX = 90, MARGIN = 4, ENDING_COLUMNS = 13, CONTROL_C = 3 };

void tp_path_box_paint(struct tp_path_box *box, struct tp_area area)
{
	int columns = TP_MIN(area.columns - 2 * MARGIN, (int)COLUMNS_MAX);
	struct tp_area frame = tp_area_columns(tp_area_rows(area, area.rows / 2 - 3, ROWS),
					       (area.columns - columns) / 2, columns);
	tp_paint_clear(frame, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(frame, box->title);
	int room = in.columns;
	if (box->ending) {
		/* It follows the path. */
		room = TP_MIN((int)tp_cell_columns(box->field.text) + 1, room - ENDING_COLUMNS);
		tp_paint_text(in, 0, room, TP_UI_DIM, box->ending);
	}
	int at = tp_text_field_paint(&box->field, in, 0, 0, room);
	tp_term_cursor((struct tp_term *)(uintptr_t)area.term, in.row, in.column + at);
	tp_paint_text(in, 2, 0, TP_UI_DIM, box->note);
}

enum tp_text_field_event tp_path_box_key(struct tp_path_box *box, uint32_t code)
{
	if (code == CONTROL_C)
		return TP_TEXT_FIELD_IGNORED;
	if (code == TP_KEY_ENTER && !box->field.len)
		return TP_TEXT_FIELD_EDITED;
	enum tp_text_field_event event = tp_text_field_key(&box->field, code);
	if (event == TP_TEXT_FIELD_TAKEN || event == TP_TEXT_FIELD_LEFT)
		box->open = false;
	return event == TP_TEXT_FIELD_IGNORED ? TP_TEXT_FIELD_EDITED : event;
}

enum tp_status tp_typed_write(const char *typed, const char *ending, const struct tp_str *text,
			      struct tp_diag *diag)
{
	TP_STR path = { 0 };
	char whole[TP_PATH_MAX];
	if (!tp_path_typed(typed, whole))
		return tp_fail(diag, TP_USAGE, "export", NULL, "path too long");
	tp_str_printf(&path, "%s%s", whole, ending);
	return tp_file_write(TP_TYPED_FILE, tp_str_text(&path), tp_str_text(text), text->len, diag);
}
