/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A box over the screen to choose from: one word, or several with marks. Typed letters leave only
 * the words that they fit, the best first.
 */
#ifndef TPROF_TUI_PICKER_H
#define TPROF_TUI_PICKER_H

#include "ui/tui/widgets/list.h"
#include "ui/tui/widgets/text_field.h"

struct tp_pick {
	char word[96];
	char note[256];
	char why[772]; /* with `off` */
	bool off, alone, marked;
	const char *kind; /* stands in place of the mark; NULL: the mark */
	char key[16]; /* that does the same, at the end of the row; "" = none */
	size_t of; /* the owner's identifier */
	int fits; /* the typed letters; 0 = not at all */
};

/* Zero-initialise; release at the end. */
struct tp_picker {
	char title[96];
	char question[256]; /* under the list: what the choice is about */
	struct tp_pick *items;
	size_t n, cap;
	struct tp_list list; /* of the rows that are shown */
	struct tp_text_field field; /* what they have to fit */
	size_t *shown, n_shown; /* indices into `items` */
	bool stale; /* other rows are shown */
	int words, notes; /* columns of the widest */
	bool many; /* several can be marked */
	bool open; /* a last row offers another word: */
	const char *other; /* how; NULL: to type it */
	/* the user set marks: Enter takes the marked words, else the one under the cursor */
	bool touched;
};

enum tp_picker_event { TP_PICKER_NONE, TP_PICKER_TAKEN, TP_PICKER_OTHER, TP_PICKER_LEFT };

void tp_picker_release(struct tp_picker *picker);
struct tp_pick *tp_picker_add(struct tp_picker *picker, const char *word, const char *note);
/* The item under the cursor; n: the last row, or none. */
size_t tp_picker_at(struct tp_picker *picker);
/* TAKEN: read `marked`. OTHER: let the user type another word. LEFT: close the box. */
enum tp_picker_event tp_picker_key(struct tp_picker *picker, uint32_t code);
/* The same for the mouse; `area` is what the box was painted into. */
enum tp_picker_event tp_picker_mouse(struct tp_picker *picker, struct tp_area area,
				     const struct tp_input *input);
void tp_picker_paint(struct tp_picker *picker, struct tp_area area);

#endif
