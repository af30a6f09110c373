/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keys and the mouse do, before and behind the shown screen. Private to app.c. */
#ifndef TPROF_TUI_APP_INPUT_H
#define TPROF_TUI_APP_INPUT_H

#include "ui/tui/app.h"

/*
 * Takes what has arrived, but not more than a few hundred keys at once: the rest of the loop goes
 * on while somebody pastes a large file.
 */
void tp_input_take(struct tp_app *app);
/* A question about a run that has ended meanwhile asks something else now. */
void tp_input_settle(struct tp_app *app);

#endif
