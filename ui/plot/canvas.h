/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture as cells, before it becomes bytes. Each cell has three planes: a backdrop (grid, cache edges), a plane
 * of 2 x 4 dots (lines), and text. Text wins its cell, then dots, then the backdrop; each has its own role. Screens
 * read the cells with tp_canvas_look.
 */
#ifndef TPROF_PLOT_CANVAS_H
#define TPROF_PLOT_CANVAS_H

#include <stdint.h>

#include "base/status.h"
#include "ui/plot/plot.h"

enum { TP_DOT_COLUMNS = 2, TP_DOT_ROWS = 4 }; /* of one cell */

struct tp_canvas_cell {
	uint32_t text, back; /* code points, 0 = nothing; a space as text hides what is below */
	uint8_t dots; /* bit column * 4 + row, rows from the top */
	uint8_t text_role, dot_role, back_role; /* enum tp_plot_role */
	size_t dot_owner; /* who drew the dots last */
};

struct tp_canvas {
	size_t columns, rows;
	enum tp_plot_glyphs glyphs;
	struct tp_canvas_cell *cells;
};

enum tp_status tp_canvas_init(struct tp_canvas *canvas, size_t columns, size_t rows,
			      enum tp_plot_glyphs glyphs);
void tp_canvas_release(struct tp_canvas *canvas);

/* All of these ignore what lies outside of the canvas. Dots are counted over the whole canvas, from the top left. */
void tp_canvas_dot(struct tp_canvas *canvas, size_t dot_column, size_t dot_row,
		   enum tp_plot_role role, size_t owner);
void tp_canvas_back(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		    enum tp_plot_role role);
void tp_canvas_put(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		   enum tp_plot_role role);

/* Writes at most `columns` cells of `text`; a longer one ends in an ellipsis. */
void tp_canvas_text(struct tp_canvas *canvas, size_t column, size_t row, const char *text,
		    size_t columns, enum tp_plot_role role);

/* What a cell shows: a code point (a space when nothing) and its role. */
uint32_t tp_canvas_look(const struct tp_canvas *canvas, size_t column, size_t row,
			enum tp_plot_role *role);

#endif
