/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A box over a screen that asks where to write files. */
#ifndef TPROF_TUI_PATH_BOX_H
#define TPROF_TUI_PATH_BOX_H

#include "base/str.h"
#include "ui/tui/widgets/text_field.h"

/* Zero-initialise. */
struct tp_path_box {
	bool open;
	struct tp_text_field field;
	const char *title, *note; /* above and below the path; borrowed */
	const char *ending; /* shown behind the path, or NULL */
};

void tp_path_box_paint(struct tp_path_box *box, struct tp_area area);
/*
 * A key while the box is open; it closes with Enter and Escape. TAKEN: the path is chosen. IGNORED:
 * the key is not for the box.
 */
enum tp_text_field_event tp_path_box_key(struct tp_path_box *box, uint32_t code);
/*
 * Writes `text`, which is released, to the chosen path with an ending. `made`: how the text came
 * about; nothing is written unless it is TP_OK.
 */
enum tp_status tp_path_box_write(const struct tp_path_box *box, const char *ending,
				 enum tp_status made, struct tp_str *text, struct tp_diag *diag);

#endif
