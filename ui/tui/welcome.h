/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The box that greets on a machine without runs: what to begin with, and the example runs that ship
 * with the program.
 */
#ifndef TPROF_TUI_WELCOME_H
#define TPROF_TUI_WELCOME_H

#include "ui/tui/widgets/picker.h"

struct tp_app;
struct tp_run_entry;

/* Zero-initialise; release at the end. */
struct tp_welcome {
	enum { TP_WELCOME_CLOSED, TP_WELCOME_GREETS, TP_WELCOME_EXAMPLES } page;
	bool from_greeting; /* EXAMPLES: Esc goes back to the greeting */
	bool shows_results; /* of the run under way, on their own screen once it is complete */
	struct tp_picker picker;
	struct tp_run_entry *examples;
	size_t n_examples;
};
void tp_welcome_release(struct tp_welcome *welcome);

/*
 * True on the first start of this user: no folder of runs, no progress in lessons, no configuration
 * file, nothing that the command line sets up.
 */
bool tp_welcome_is_due(const struct tp_app *app);
void tp_welcome_greet(struct tp_app *app);
/* The list of examples alone. */
void tp_welcome_choose_example(struct tp_app *app);

/* While it is open. False: the key is not for the box. */
bool tp_welcome_key(struct tp_app *app, uint32_t code);
void tp_welcome_mouse(struct tp_app *app, struct tp_area area, const struct tp_input *input);
void tp_welcome_paint(struct tp_app *app, struct tp_area area);
/* The run changed. */
void tp_welcome_news(struct tp_app *app);

#endif
