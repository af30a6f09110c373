/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lessons that are opened from elsewhere. */
#ifndef TPROF_UI_TUI_SCREENS_LESSONS_H
#define TPROF_UI_TUI_SCREENS_LESSONS_H

#include "ui/tui/app.h"

/* Title of the lesson that is open, else of the first that is not finished; NULL: all are. */
const char *tp_lessons_next(struct tp_app *app);
/* Opens it on the page that was reached; without one, the list. */
void tp_lessons_take_next(struct tp_app *app);
/* Opens one by its name, or reports why it cannot. */
void tp_lessons_open(struct tp_app *app, const char *name);

#endif
