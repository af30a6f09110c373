/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A screen is a row of TP_SCREEN_LIST and a file that ends in its struct tp_screen. It keeps its
 * state in its own memory (app->state[id]), paints into an area and handles actions. Functions
 * except `draw` may be NULL.
 */
#ifndef TPROF_TUI_SCREEN_H
#define TPROF_TUI_SCREEN_H

#include "ui/tui/app.h"
#include "ui/tui/keys.h"
#include "ui/tui/paint.h"

/* What lies over a screen. */
enum tp_over {
	TP_OVER_NOTHING,
	TP_OVER_VIEW, /* tables, a report: Esc and q go back to the screen, its other keys work */
	TP_OVER_TEXT, /* the other keys do nothing */
	TP_OVER_PICTURES, /* a comparison: only the keys of pictures work */
	TP_OVER_BOX, /* hears every key: Esc closes it */
	TP_OVER_LIST, /* a box to choose one from: Enter takes it */
	TP_OVER_MARKS, /* to choose several from: Space marks */
	TP_OVER_FIELD /* a text field, which also hears what is pasted */
};

struct tp_screen {
	size_t state_bytes;
	/* Sets the state up, which is zeroed before. */
	void (*open)(struct tp_app *app, void *state);
	/* Releases what the state holds. */
	void (*close)(void *state);
	/* The screen is shown from now on. */
	void (*enter)(struct tp_app *app, void *state);
	void (*draw)(struct tp_app *app, void *state, struct tp_area area);
	/* Returns whether the action was for the screen; others are the program's (quit, tabs). */
	bool (*act)(struct tp_app *app, void *state, enum tp_action action);
	/*
	 * Hears every key (TP_KEY_... or a character) before it becomes an action, and returns
	 * whether it took it, as it does while a text field is open. Also hears pasted characters
	 * (app->pasting), but not under a box or a text.
	 */
	bool (*type)(struct tp_app *app, void *state, uint32_t code);
	/* What lies over the screen now; NULL: never anything. */
	enum tp_over (*over)(const struct tp_app *app, const void *state);
	/*
	 * The number of parts that do not fit side by side in tp_app_body: Tab shows one after
	 * another (app->part), and then the next screen. NULL: one.
	 */
	int (*parts)(const struct tp_app *app, const void *state);
	/* A press or the wheel inside tp_app_body. */
	void (*mouse)(struct tp_app *app, void *state, const struct tp_input *input);
	/*
	 * The button is released, anywhere: the end of a drag that began with a press in the area.
	 */
	void (*drop)(struct tp_app *app, void *state, const struct tp_input *input);
	/* The run or the plan changed (new points, another run opened). */
	void (*news)(struct tp_app *app, void *state);
	/*
	 * Called while the screen is shown, between two paintings: reads or computes for at most a
	 * few milliseconds, sets app->dirty if there is something new to see, and returns the
	 * seconds until it wants to go on (INFINITY: nothing to do). Files are read here and in
	 * `act`, never in `draw`.
	 */
	double (*work)(struct tp_app *app, void *state);
	/*
	 * Called while the screen is shown and the engine of a run waits for the next painting:
	 * what would disturb it at other times, for at most a few milliseconds.
	 */
	void (*lull)(struct tp_app *app, void *state);
};

#define TP_SCREEN_DECLARE(id, name, ...) extern const struct tp_screen tp_screen_##name;
TP_SCREEN_LIST(TP_SCREEN_DECLARE)
#undef TP_SCREEN_DECLARE

#endif
