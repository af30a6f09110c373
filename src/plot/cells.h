/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cell of a picture has three planes: a backdrop (grid, cache edges), 2 x 4 dots (lines), and
 * text. It shows its text, else its dots, else its backdrop. Each plane has its own role. Private
 * to the room.
 */
#ifndef TPROF_PLOT_CELLS_H
#define TPROF_PLOT_CELLS_H

#include "plot/canvas.h"
#include "plot/layout.h"

enum { TP_DOT_COLUMNS = 2, TP_DOT_ROWS = 4 }; /* of one cell */
enum { TP_SAMPLE_COLUMNS = 3 }; /* of a line, in the legend */

struct tp_canvas_cell {
	uint32_t text, back; /* code points, 0 = nothing; a space as text hides dots and backdrop */
	uint8_t dots; /* bit column * 4 + row, rows from the top */
	uint8_t text_role, dot_role, back_role; /* enum tp_plot_role */
	size_t dot_owner; /* who drew the dots last */
};

struct tp_canvas_box tp_cells_of(const struct tp_rect *rect);

#endif
