/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting of the Setup screen: the form, the panes next to it, the boxes over it. */
#ifndef TPROF_UI_TUI_SCREENS_SETUP_PAINT_H
#define TPROF_UI_TUI_SCREENS_SETUP_PAINT_H

#include "ui/tui/screens/setup.h"

/* The places of the parts, for painting and for the mouse. */
struct tp_setup_places {
	struct tp_area head, offer, runs, rows, detail, plan, points;
	bool wide; /* detail and plan are next to the rows */
	int value_column, note_column; /* in rows */
};
struct tp_setup_places tp_setup_places(const struct tp_setup *setup, struct tp_area area);
/* The run whose name is at a column of the row of runs; n_runs for none. */
size_t tp_setup_run_at(const struct tp_setup *setup, int column);

/* The whole screen. */
void tp_setup_paint(struct tp_app *app, void *state, struct tp_area area);

/* Only the points, if they do not fit next to the options. */
int tp_setup_parts(const struct tp_app *app, const void *state);

#endif
