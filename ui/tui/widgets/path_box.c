/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/path_box.h"
#include "base/file.h"
#include "base/text.h"
#include "base/memory.h"

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

enum tp_status tp_path_box_write(const struct tp_path_box *box, const char *ending,
				 enum tp_status made, struct tp_str *text, struct tp_diag *diag)
{
	struct tp_str path = { 0 };
	tp_str_printf(&path, "%s%s", box->field.text, ending);
	enum tp_status status =
		made == TP_OK
			? tp_file_write(tp_str_text(&path), tp_str_text(text), text->len, diag)
			: tp_fail(diag, made, "export", NULL, "%s", tp_status_name(made));
	tp_str_release(&path);
	tp_str_release(text);
	return status;
}
