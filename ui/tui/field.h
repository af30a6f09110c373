/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of text being edited. Keys in, text out; painting is apart, so that editing can be tested without a terminal. */
#ifndef TPROF_TUI_FIELD_H
#define TPROF_TUI_FIELD_H

#include <stdint.h>

#include "ui/tui/paint.h"

enum { TP_FIELD_BYTES = 12288 };

/* Zero-initialise. Always valid UTF-8 without control characters. */
struct tp_field {
	char text[TP_FIELD_BYTES];
	size_t len, at; /* bytes; the cursor stands before byte `at` */
	size_t first; /* column of the text that is shown first */
};

enum tp_field_event { TP_FIELD_IGNORED, TP_FIELD_EDITED, TP_FIELD_TAKEN, TP_FIELD_LEFT };

/* Begins with `text` (made fit: what is no character becomes '?'), the cursor at its end. */
void tp_field_set(struct tp_field *field, const char *text);
/* Enter takes, Escape leaves. Characters that no field holds are ignored, as are those that find no room. */
enum tp_field_event tp_field_key(struct tp_field *field, uint32_t code);
/* Paints into one row; returns the column of the cursor, counted from the area's. */
int tp_field_paint(struct tp_field *field, struct tp_area area, int row, int column, int columns);

#endif
