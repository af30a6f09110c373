/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture as cells, for lines of text and for screens. */
#ifndef TPROF_PLOT_CANVAS_H
#define TPROF_PLOT_CANVAS_H

#include <stdint.h>

#include "plot/plot.h"

/* A block of cells, counted from the top left of the picture. */
struct tp_canvas_box {
	size_t column, row, columns, rows;
};

/* Zero-initialise. */
struct tp_canvas {
	size_t columns, rows;
	enum tp_plot_glyphs glyphs;
	struct tp_canvas_box plot; /* the data area, without the axes */
	struct tp_scale x, y; /* fitted */
	struct tp_canvas_cell *cells; /* private to the room, like the next member */
	struct tp_layout *layout;
};

/*
 * Lays the scene out and draws it; an earlier picture is released. The scene is borrowed as long as
 * the picture lives. Errors are those of tp_plot_text and leave an empty canvas.
 */
enum tp_status tp_canvas_draw(struct tp_canvas *canvas, const struct tp_scene *scene,
			      size_t columns, size_t rows, enum tp_plot_glyphs glyphs);
void tp_canvas_release(struct tp_canvas *canvas);

/* The code point that a cell shows, a space if none, and its role. */
uint32_t tp_canvas_look(const struct tp_canvas *canvas, size_t column, size_t row,
			enum tp_plot_role *role);
/* The cell where a point is drawn; false outside the data area. */
bool tp_canvas_find(const struct tp_canvas *canvas, double x, double y, size_t *column,
		    size_t *row);
/* The cells of a tile or bar; 0 columns: it is not in sight. */
struct tp_canvas_box tp_canvas_area(const struct tp_canvas *canvas, const struct tp_series *series,
				    size_t point);
/* The row of its text: its tick's, if that lies in its box. */
size_t tp_canvas_area_row(const struct tp_canvas *canvas, const struct tp_series *series,
			  size_t point, const struct tp_canvas_box *box);
/* Where the name of a series is written, on its line or in the legend; 0 columns: nowhere. */
struct tp_canvas_box tp_canvas_name(const struct tp_canvas *canvas, size_t series);

#endif
