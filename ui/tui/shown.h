/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An experiment's part of the screens: its results have a tab (TP_EXPERIMENT_TAB_LIST), and the
 * screens Run and Runs describe them in its words. One row each, in ui/tui/experiments. Functions
 * may be NULL.
 */
#ifndef TPROF_TUI_SHOWN_H
#define TPROF_TUI_SHOWN_H

#include "record/run.h"
#include "report/pictures.h"
#include "ui/tui/keys.h"
#include "ui/tui/paint.h"

struct tp_app; /* ui/tui/app.h */
struct tp_doc; /* ui/tui/widgets/doc.h */

struct tp_shown {
	enum tp_screen_id screen;
	/* What the screen shows of a run, "the roofline"; NULL: nothing. */
	const char *words;
	/* A run has it with rows of this part; NULL: with a measured point of the experiment. */
	const struct tp_part *part;
	size_t (*count)(const struct tp_run *run); /* where only some rows of a part are it */
	/* On Run, below the title of a point: what it has in place of windows. False: nothing. */
	bool (*tell)(const struct tp_app *app, const struct tp_point *point, struct tp_doc *doc);
	/* What is being done to the point under way: "timing 3/5"; NULL: windows. */
	const char *(*phase)(const struct tp_app *app, const struct tp_point *point, char *out,
			     size_t size);
	/*
	 * On Run: the picture that grows with the run, for an area of this size, if the report has
	 * neither curves nor pictures of the experiment yet. False: nothing to draw yet.
	 */
	bool (*grow)(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		     struct tp_picture *picture);
	/* On Run: the result of a point if it is not a rate or time; "" = none yet. */
	const char *(*result)(const struct tp_run *run, const struct tp_point *point, char *out,
			      size_t size);
};

/*
 * Before the first screen, once: the rows of all experiments in the order of tp_experiment_at, up
 * to NULL.
 */
void tp_shown_use(const struct tp_shown *const *of_program);
const struct tp_shown *tp_shown_at(size_t i); /* NULL after the last */

/* For the experiment of a point; NULL for an unknown one. */
const struct tp_shown *tp_shown_of(const struct tp_point *point);
/* What a screen shows of a run, NULL if nothing. */
const char *tp_shown_finds(enum tp_screen_id screen, const struct tp_run *run);
/* The screen to open a run on: the last of its experiments with something to show. */
enum tp_screen_id tp_shown_screen(const struct tp_run *run);

#endif
