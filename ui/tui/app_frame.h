/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame around a screen: the tabs above it, the message and the keys below it. Private to
 * app.c, app_input.c and app_frame.c.
 */
#ifndef TPROF_TUI_APP_FRAME_H
#define TPROF_TUI_APP_FRAME_H

#include "ui/tui/app.h"
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"

/* The area between head and foot, where the screen paints. */
struct tp_area tp_frame_body(const struct tp_app *app);
/* The screen whose tab is at a column of the first row; TP_SCREEN_COUNT for none. */
enum tp_screen_id tp_frame_screen_at(const struct tp_app *app, int column);
/* The action whose hint is at a column of the last row; NONE for none. */
enum tp_action tp_frame_action_at(const struct tp_app *app, int column);
/* The answer to the question that stands at a cell: 1 yes, 0 no, -1 none. */
int tp_frame_answer_at(const struct tp_app *app, int row, int column);
/* What lies over the shown screen, and how many parts it has. */
enum tp_over tp_frame_over(const struct tp_app *app);
int tp_frame_parts(const struct tp_app *app);
/*
 * Paints the frame and the screen in it, or the minimum size if the terminal is too small, and
 * shows it.
 */
void tp_frame_paint(struct tp_app *app);

#endif
