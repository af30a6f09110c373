/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part Categories of the screen Tree: the density of the target, and the cuts that the user
 * moves there. Private to the files of the screen.
 */
#ifndef TPROF_UI_TUI_SCREENS_MINED_DENSITY_H
#define TPROF_UI_TUI_SCREENS_MINED_DENSITY_H

#include "ui/tui/screens/mined_learn.h"
#include "ui/tui/widgets/plot.h"

struct tp_mined_density {
	struct tp_mined_cuts cuts;
	struct tp_plot plot;
	size_t asked; /* 0: the density is shown; else plot asked - 1 of mine.plot */
	/* As last painted, for the mouse; no rows: not painted. */
	struct tp_mined_ruler {
		struct tp_area area;
		struct tp_canvas_box box;
		struct tp_scale x;
		int cuts[TP_CATEGORIES_MAX - 1]; /* columns on the terminal, -1 = out of sight */
	} ruler;
	bool dragged; /* a press was on the chosen cut */
	int dragged_from; /* its column */
};

/* Marks of categories: 'A', 'B', ..., and their colours. */
char tp_mined_letter(unsigned label);
enum tp_role tp_mined_label_role(unsigned label);

/* Draws the picture again: what was learned has changed, or another one is requested. */
void tp_mined_density_draw(struct tp_mined_density *density, const struct tp_mining *mining);
/* The density and its cuts, if there are any, and the categories. `own`: the cuts are the user's.
 */
void tp_mined_density_paint(struct tp_mined_density *density, const struct tp_app *app,
			    const struct tp_mining *mining, bool own, struct tp_area area);
/* A press, a double one, or the end of a drag. True: the cuts changed. */
bool tp_mined_density_press(struct tp_mined_density *density, const struct tp_input *input);
bool tp_mined_density_drop(struct tp_mined_density *density, const struct tp_input *input);

#endif
