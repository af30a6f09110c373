/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list to choose from, over the screen: one of it, or several with marks. */
#ifndef TPROF_TUI_PICKER_H
#define TPROF_TUI_PICKER_H

#include "ui/tui/paint.h"

struct tp_pick {
	char word[96];
	char note[160];
	char why[772]; /* with `off` */
	bool off, alone, marked;
};

/* Zero-initialise; release at the end. */
struct tp_picker {
	char title[96];
	char question[256]; /* under the list: what the choice is about */
	struct tp_pick *items;
	size_t n, cap;
	size_t selected, top;
	bool many; /* several can be marked */
	bool open; /* a last row offers to type something else */
	bool touched; /* marks were set by hand: Enter takes the marked ones, else the selected one alone */
};

enum tp_picker_event { TP_PICKER_NONE, TP_PICKER_TAKEN, TP_PICKER_OTHER, TP_PICKER_LEFT };

void tp_picker_release(struct tp_picker *picker);
/* NULL when out of memory. */
struct tp_pick *tp_picker_add(struct tp_picker *picker, const char *word, const char *note);
/* TAKEN: read `marked`; OTHER: something else is to be typed. */
enum tp_picker_event tp_picker_key(struct tp_picker *picker, uint32_t code);
/* A press at a place of the terminal, `area` being what it was painted into. */
enum tp_picker_event tp_picker_press(struct tp_picker *picker, struct tp_area area, int row,
				     int column);
void tp_picker_paint(struct tp_picker *picker, struct tp_area area);

#endif
