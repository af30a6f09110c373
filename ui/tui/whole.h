/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A box over a screen with the texts that had no room there. */
#ifndef TPROF_TUI_WHOLE_H
#define TPROF_TUI_WHOLE_H

#include "ui/tui/cuts.h"
#include "ui/tui/widgets/doc.h"

/* Zero-initialise; release at the end. */
struct tp_whole {
	bool open;
	int columns; /* of the terminal that it was made for */
	struct tp_doc doc;
	struct tp_list list;
};

/* Shows what was cut at the last painting; false if nothing was. */
bool tp_whole_open(struct tp_whole *whole, const struct tp_term *term);
void tp_whole_release(struct tp_whole *whole);
/* Keys scroll it or close it. False: the key is not for the box. */
bool tp_whole_key(struct tp_whole *whole, uint32_t code);
/* The wheel scrolls it, a press closes it. */
void tp_whole_mouse(struct tp_whole *whole, const struct tp_input *input);
void tp_whole_paint(struct tp_whole *whole, struct tp_area area);

#endif
