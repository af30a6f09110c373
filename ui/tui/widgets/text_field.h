/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of text that is edited. Only tp_text_field_paint needs a terminal. */
#ifndef TPROF_UI_TUI_WIDGETS_TEXT_FIELD_H
#define TPROF_UI_TUI_WIDGETS_TEXT_FIELD_H

#include <stdint.h>

#include "base/str.h"
#include "ui/tui/paint.h"

enum { TP_TEXT_FIELD_BYTES = 12288 };

/* Zero-initialise. Always valid UTF-8 without control characters. */
struct tp_text_field {
	char text[TP_TEXT_FIELD_BYTES];
	size_t len, at; /* bytes; the cursor stands before byte `at` */
	size_t first; /* first column of the text that is in sight */
};

enum tp_text_field_event {
	TP_TEXT_FIELD_IGNORED,
	TP_TEXT_FIELD_EDITED,
	TP_TEXT_FIELD_TAKEN,
	TP_TEXT_FIELD_LEFT
};

/* Begins with `text`, the cursor at its end. Control characters become "?". */
void tp_text_field_set(struct tp_text_field *field, const char *text);
/*
 * TAKEN: Enter; LEFT: Escape; IGNORED: control characters, and any character once the field is
 * full.
 */
enum tp_text_field_event tp_text_field_key(struct tp_text_field *field, uint32_t code);
/* Paints into one row; returns the column of the cursor within the area. */
int tp_text_field_paint(struct tp_text_field *field, struct tp_area area, int row, int column,
			int columns);

/* A box over a screen that asks where to write files. */

/* Zero-initialise. */
struct tp_path_box {
	bool open;
	struct tp_text_field field;
	const char *title, *note; /* above and below the path; borrowed */
	const char *ending; /* shown after the path, or NULL */
};

void tp_path_box_paint(struct tp_path_box *box, struct tp_area area);
/*
 * A key while the box is open; it closes with Enter and Escape. TAKEN: the path is chosen. IGNORED:
 * the key is not for the box.
 */
enum tp_text_field_event tp_path_box_key(struct tp_path_box *box, uint32_t code);
/* Writes the text to a path that was typed, with an ending. */
enum tp_status tp_typed_write(const char *typed, const char *ending, const struct tp_str *text,
			      struct tp_diag *diag);

#endif
