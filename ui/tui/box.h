/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes that lie over every screen: a question, and the texts that had no room. */
#ifndef TPROF_UI_TUI_BOX_H
#define TPROF_UI_TUI_BOX_H

#include "ui/tui/app.h"

/* Shows what was cut at the last painting; false if nothing was. */
bool tp_whole_open(struct tp_whole *whole, const struct tp_term *term);
void tp_whole_paint(struct tp_whole *whole, struct tp_area area);

void tp_asked_paint(struct tp_app *app, struct tp_area area);
void tp_asked_answer(struct tp_app *app, bool yes);
/* A key while a line is requested. */
void tp_line_key(struct tp_app *app, uint32_t code);

#endif
