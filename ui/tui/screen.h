/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A screen is a row of the table in screens.c and a file of its own ending in that row. It keeps its state in memory of its own
 * (app->state[id], made by `open`, released by `close`), paints into an area and handles actions.
 */
#ifndef TPROF_TUI_SCREEN_H
#define TPROF_TUI_SCREEN_H

#include "ui/tui/app.h"
#include "ui/tui/keys.h"
#include "ui/tui/paint.h"

struct tp_screen {
	const char *name; /* in the row of screens */
	/* NULL when out of memory. */
	void *(*open)(struct tp_app *app);
	void (*close)(void *state);
	/* The screen comes to sight. May be NULL. */
	void (*enter)(struct tp_app *app, void *state);
	void (*draw)(struct tp_app *app, void *state, struct tp_area area);
	/* True if it did something with it. Actions that no screen takes are the program's (quit, other screens). */
	bool (*act)(struct tp_app *app, void *state, enum tp_action action);
	/* While it returns true for TP_KEY_... or a character, keys do not become actions (a text field is open). May be NULL. */
	bool (*type)(struct tp_app *app, void *state, uint32_t code);
	/* A press or the wheel inside the area it last drew. May be NULL. */
	void (*mouse)(struct tp_app *app, void *state, const struct tp_input *input,
		      struct tp_area area);
	/* The run or the plan changed (new points, another run opened). May be NULL. */
	void (*news)(struct tp_app *app, void *state);
	/*
	 * While the screen is shown, between two paintings: reads or computes for at most a few milliseconds, sets app->dirty if there is
	 * something new to see, and returns the seconds until it wants to go on (INFINITY: nothing to do). Files are read here and in
	 * `act`, never in `draw`. May be NULL.
	 */
	double (*work)(struct tp_app *app, void *state);
};

extern const struct tp_screen *const tp_screen_table[TP_SCREEN_COUNT];

#define TP_SCREEN_DECLARE(id, name) extern const struct tp_screen tp_screen_##name;
TP_SCREEN_LIST(TP_SCREEN_DECLARE)
#undef TP_SCREEN_DECLARE

#endif
