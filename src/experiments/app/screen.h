/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Application: a program under its roofs, in words, bars and a picture. */
#ifndef TPROF_EXPERIMENTS_APP_SCREEN_H
#define TPROF_EXPERIMENTS_APP_SCREEN_H

#include "experiments/app/app_row.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/plot.h"

struct tp_app_view {
	struct tp_doc doc; /* what is known of the programs */
	struct tp_list list; /* its window */
	struct tp_plot plot; /* the dots below the roofs */
	uint64_t seen; /* what both were made from */
};

/* Everything that the runs on the screen say of programs (screen_words.c). */
void tp_app_view_words(struct tp_doc *doc, const struct tp_app *app);

/*
 * Under way: counting, timing or measuring roofs, and how far (screen_live.c). Returns the rows
 * that it took; 0 when no program is being measured.
 */
int tp_app_paint_phase(const struct tp_app *app, struct tp_area area);

#endif
