/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is running, in words and in one line: on every screen, at the right of the places. */
#ifndef TPROF_TUI_RUNNING_H
#define TPROF_TUI_RUNNING_H

#include "ui/tui/app.h"

/* The state of the shown run: "measuring", "paused", "complete". `out` may hold it. */
const char *tp_running_words(const struct tp_app *app, enum tp_role *role, char *out, size_t size);
/* "0:12", "1:02:03" */
void tp_running_clock(char *out, size_t size, double seconds);
/* Nothing unless a run is under way. Its bar grows with time, not with points. */
void tp_running_paint(const struct tp_app *app, struct tp_area area);

#endif
