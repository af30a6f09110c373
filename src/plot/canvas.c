/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the cells of a picture: dots become Braille, half blocks or letters. */
#include "plot/area.h"
#include "plot/cells.h"

#include <math.h>
#include <stdlib.h>

void tp_canvas_release(struct tp_canvas *canvas)
{
	free(canvas->cells);
	if (canvas->layout)
		tp_layout_release(canvas->layout);
	free(canvas->layout);
	*canvas = (struct tp_canvas){ 0 };
}

/* Braille numbers its dots 1 2 3 / 4 5 6 and the bottom row 7 8. */
static uint32_t braille(unsigned dots)
{
	return 0x2800u + (dots & 7) + (dots >> 4 & 7) * 8 + (dots >> 3 & 1) * 64 +
	       (dots >> 7) * 128;
}

/*
 * The letter whose ink lies most like the dots: height for flat strokes, direction for steep ones.
 */
static char letter(unsigned dots)
{
	/* By the rows of a column that have dots, as bits: from first to last row, mean row. */
	static const unsigned char extent[] = { 0, 0, 0, 1, 0, 2, 1, 2, 0, 3, 2, 3, 1, 3, 2, 3 };
	static const double mean[] = { 0, 0,   1, 0.5,	   2,	1,	 1.5, 1,
				       3, 1.5, 2, 4 / 3.0, 2.5, 5 / 3.0, 2,   1.5 };
	unsigned left = dots & 0xf, right = dots >> 4;
	if (extent[left | right] >= 2) {
		double rise = left && right ? mean[left] - mean[right] : 0;
		return rise >= 1 ? '/' : rise <= -1 ? '\\' : '|';
	}
	/* No '_': where terminals clip descenders it is lost. */
	static const char by_height[] = { '\'', '-', '-', '.' };
	return by_height[(int)(mean[left | right] + 0.5)];
}

/* The half of the cell that holds the dots; the whole cell where they go across it. */
static uint32_t block(uint8_t dots)
{
	enum { UPPER = 0x33, LOWER = 0xcc, LEFT = 0x0f, RIGHT = 0xf0 };
	if (!(dots & LOWER))
		return 0x2580;
	if (!(dots & UPPER))
		return 0x2584;
	if (!(dots & RIGHT))
		return 0x258c;
	if (!(dots & LEFT))
		return 0x2590;
	return 0x2588;
}

uint32_t tp_canvas_look(const struct tp_canvas *canvas, size_t column, size_t row,
			enum tp_plot_role *role)
{
	*role = TP_ROLE_AXIS;
	if (column >= canvas->columns || row >= canvas->rows)
		return ' ';
	const struct tp_canvas_cell *cell = &canvas->cells[row * canvas->columns + column];
	if (!cell->text && !cell->dots && !cell->back)
		return ' ';
	*role = cell->text ? cell->text_role : cell->dots ? cell->dot_role : cell->back_role;
	if (cell->text || !cell->dots)
		return cell->text ? cell->text : cell->back;
	return canvas->glyphs == TP_GLYPHS_BLOCK   ? block(cell->dots)
	       : canvas->glyphs == TP_GLYPHS_ASCII ? (unsigned char)letter(cell->dots)
						   : braille(cell->dots);
}

bool tp_canvas_find(const struct tp_canvas *canvas, double x, double y, size_t *column, size_t *row)
{
	double at_x, at_y;
	if (!tp_layout_point(canvas->layout, x, y, &at_x, &at_y))
		return false;
	*column = (size_t)at_x;
	*row = (size_t)at_y;
	return true;
}

struct tp_canvas_box tp_canvas_area(const struct tp_canvas *canvas, const struct tp_series *series,
				    size_t point)
{
	struct tp_rect rect;
	if (!tp_area_rect(canvas->layout, series, point, &rect))
		return (struct tp_canvas_box){ 0 };
	rect.width = fmax(rect.width, 1);
	return tp_cells_of(&rect);
}

size_t tp_canvas_area_row(const struct tp_canvas *canvas, const struct tp_series *series,
			  size_t point, const struct tp_canvas_box *box)
{
	size_t column, row;
	bool found = tp_canvas_find(canvas, canvas->x.min, series->y[point], &column, &row);
	return found && row - box->row < box->rows ? row : box->row;
}

struct tp_canvas_box tp_canvas_name(const struct tp_canvas *canvas, size_t series)
{
	const struct tp_layout *layout = canvas->layout;
	for (size_t i = 0; i < layout->n_labels; i++) {
		const struct tp_label *label = &layout->labels[i];
		if (label->series == series)
			return (struct tp_canvas_box){ (size_t)label->x, (size_t)label->y,
						       (size_t)label->width, 1 };
	}
	return (struct tp_canvas_box){ 0 };
}
