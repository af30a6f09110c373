/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting and resuming runs from the screens, and the keys that a run under way obeys on every
 * screen.
 */
#ifndef TPROF_TUI_CONTROL_H
#define TPROF_TUI_CONTROL_H

#include "ui/tui/app.h"

/* True while a run (not a replay) is being measured. */
bool tp_app_is_measuring(const struct tp_app *app);
/* Measures what is set up and shows the run; says why when it cannot. */
bool tp_app_start(struct tp_app *app);
/*
 * Measures a session, which is borrowed until the next run begins; stays on the shown screen.
 * False: it says why it cannot, or asks for the user's word first and then calls `again`.
 */
bool tp_app_measure_session(struct tp_app *app, const struct tp_session *session,
			    void (*again)(struct tp_app *app));
/* Goes on with an interrupted run and shows it; says why when it cannot. */
bool tp_app_resume(struct tp_app *app, const char *run_path);
/* Start, pause, skip, stop, faster, slower; false for other actions. */
bool tp_control_act(struct tp_app *app, enum tp_action action);

/* After the screens: a run that was told to stop still writes its results. */
void tp_control_wait(struct tp_app *app);
/* Says where the run is that was measured here, and how it goes on if it was interrupted. */
void tp_control_tell_end(const struct tp_app *app);

#endif
