/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Painting into rectangles. Everything is clipped; nothing is shown before tp_term_show. */
#ifndef TPROF_TUI_PAINT_H
#define TPROF_TUI_PAINT_H

#include <stddef.h>

#include "plot/canvas.h"
#include "plot/plot.h"
#include "ui/tui/term.h"
#include "ui/tui/theme.h"

struct tp_area {
	const struct tp_term *term;
	int row, column, rows, columns; /* on the terminal */
};

/* Parts of an area; never negative. */
struct tp_area tp_area_rows(struct tp_area area, int from, int rows);
struct tp_area tp_area_columns(struct tp_area area, int from, int columns);
bool tp_area_holds(struct tp_area area, int row, int column); /* of the terminal: for the mouse */

const char *tp_paint_pm(struct tp_area area); /* "±", or "+-" without UTF-8 */
void tp_paint_clear(struct tp_area area, enum tp_role role);
/*
 * Text at row, column of the area; returns the columns it took. Control characters and wide ones
 * become "?"; text that is too long ends in an ellipsis.
 */
int tp_paint_text(struct tp_area area, int row, int column, enum tp_role role, const char *text);
int tp_paint_format(struct tp_area area, int row, int column, enum tp_role role, const char *fmt,
		    ...) __attribute__((format(printf, 5, 6)));
/* Text that ends before column `end`. */
void tp_paint_right(struct tp_area area, int row, int end, enum tp_role role, const char *text);
/* Text wrapped at blanks from `row` on; returns the rows it took. */
int tp_paint_wrapped(struct tp_area area, int row, int column, enum tp_role role, const char *text);
/* A key and what it does: "Enter take". Returns the column behind it. */
int tp_paint_key(struct tp_area area, int row, int column, const char *key, const char *words);
/* A line across with words in it. */
void tp_paint_rule(struct tp_area area, int row, const char *words);
/* Changes the look of cells that are painted already. */
void tp_paint_role(struct tp_area area, int row, int column, int columns, enum tp_role role);
/* A frame with a title; returns the area inside. */
struct tp_area tp_paint_frame(struct tp_area area, const char *title);
/* A horizontal bar of `share` 0..1. */
void tp_paint_bar(struct tp_area area, int row, int column, int columns, double share,
		  enum tp_role role);
/* One cell; text goes through tp_paint_text. Without UTF-8 the nearest ASCII character. */
void tp_paint_cell(struct tp_area area, int row, int column, uint32_t code, enum tp_role role);
/* A picture that was drawn before, clipped to the area. */
void tp_paint_canvas(struct tp_area area, const struct tp_canvas *canvas);
/* Draws a plot, or says that the area is too small for one. */
void tp_paint_scene(struct tp_area area, const struct tp_scene *scene, enum tp_plot_glyphs glyphs);

#endif
