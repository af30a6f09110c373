/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/canvas.h"
#include "ui/plot/chars.h"
#include "base/vec.h"

#include <stdlib.h>

enum tp_status tp_canvas_init(struct tp_canvas *canvas, size_t columns, size_t rows,
			      enum tp_plot_glyphs glyphs)
{
	*canvas = (struct tp_canvas){ .columns = columns, .rows = rows, .glyphs = glyphs };
	canvas->cells = calloc(columns * rows, sizeof(*canvas->cells));
	return canvas->cells ? TP_OK : TP_NOMEM;
}

void tp_canvas_release(struct tp_canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct tp_canvas){ 0 };
}

static struct tp_canvas_cell *cell_at(const struct tp_canvas *canvas, size_t column, size_t row)
{
	if (column >= canvas->columns || row >= canvas->rows)
		return NULL;
	return &canvas->cells[row * canvas->columns + column];
}

void tp_canvas_dot(struct tp_canvas *canvas, size_t dot_column, size_t dot_row,
		   enum tp_plot_role role, size_t owner)
{
	struct tp_canvas_cell *cell =
		cell_at(canvas, dot_column / TP_DOT_COLUMNS, dot_row / TP_DOT_ROWS);
	if (!cell)
		return;
	/* A letter or a block shows one line's shape, not the sum of two. */
	if (canvas->glyphs != TP_GLYPHS_BRAILLE && cell->dots && cell->dot_owner != owner)
		cell->dots = 0;
	cell->dots |= (uint8_t)(1u << (dot_column % TP_DOT_COLUMNS * TP_DOT_ROWS +
				       dot_row % TP_DOT_ROWS));
	cell->dot_role = (uint8_t)role;
	cell->dot_owner = owner;
}

void tp_canvas_back(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		    enum tp_plot_role role)
{
	struct tp_canvas_cell *cell = cell_at(canvas, column, row);
	if (!cell)
		return;
	cell->back = code_point;
	cell->back_role = (uint8_t)role;
}

void tp_canvas_put(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		   enum tp_plot_role role)
{
	struct tp_canvas_cell *cell = cell_at(canvas, column, row);
	if (!cell)
		return;
	cell->text = canvas->glyphs == TP_GLYPHS_ASCII ? (unsigned char)tp_chars_ascii(code_point)
						       : code_point;
	cell->text_role = (uint8_t)role;
}

void tp_canvas_text(struct tp_canvas *canvas, size_t column, size_t row, const char *text,
		    size_t columns, enum tp_plot_role role)
{
	bool cut = tp_chars_columns(text) > columns;
	uint32_t c;
	for (size_t i = 0; i < columns && (c = tp_chars_next(&text)); i++)
		tp_canvas_put(canvas, column + i, row, cut && i + 1 == columns ? 0x2026 : c, role);
}

static uint32_t braille(uint8_t dots)
{
	/* Braille numbers its dots 1 2 3 / 4 5 6 and the bottom row 7 8. */
	static const uint8_t bit[] = { 0, 1, 2, 6, 3, 4, 5, 7 };
	uint32_t pattern = 0;
	for (unsigned i = 0; i < 8; i++)
		if (dots >> i & 1)
			pattern |= 1u << bit[i];
	return 0x2800 + pattern;
}

/* Rows of one column of dots: how many, the mean row, and the distance from first to last. */
struct stroke {
	unsigned n;
	double mean;
	unsigned extent;
};

static struct stroke stroke_of(unsigned rows)
{
	struct stroke s = { 0 };
	unsigned first = TP_DOT_ROWS, last = 0, sum = 0;
	for (unsigned r = 0; r < TP_DOT_ROWS; r++)
		if (rows >> r & 1) {
			first = TP_MIN(first, r);
			last = r;
			sum += r;
			s.n++;
		}
	if (s.n) {
		s.mean = (double)sum / s.n;
		s.extent = last - first;
	}
	return s;
}

/* The letter whose ink lies most like the dots: height for flat strokes, direction for steep ones. */
static char letter(uint8_t dots)
{
	struct stroke left = stroke_of(dots & 0xf), right = stroke_of(dots >> 4);
	struct stroke both = stroke_of((dots | dots >> 4) & 0xf);
	if (both.extent >= 2) {
		if (!left.n || !right.n)
			return '|';
		double rise = left.mean - right.mean;
		return rise >= 1 ? '/' : rise <= -1 ? '\\' : '|';
	}
	/* No '_': where terminals clip descenders it is lost. */
	static const char by_height[] = { '\'', '-', '-', '.' };
	return by_height[(int)(both.mean + 0.5)];
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

static uint32_t line_look(enum tp_plot_glyphs glyphs, uint8_t dots)
{
	switch (glyphs) {
	case TP_GLYPHS_BLOCK:
		return block(dots);
	case TP_GLYPHS_ASCII:
		return (unsigned char)letter(dots);
	default:
		return braille(dots);
	}
}

uint32_t tp_canvas_look(const struct tp_canvas *canvas, size_t column, size_t row,
			enum tp_plot_role *role)
{
	const struct tp_canvas_cell *cell = cell_at(canvas, column, row);
	*role = TP_ROLE_AXIS;
	if (!cell)
		return ' ';
	if (cell->text) {
		*role = (enum tp_plot_role)cell->text_role;
		return cell->text;
	}
	if (cell->dots) {
		*role = (enum tp_plot_role)cell->dot_role;
		return line_look(canvas->glyphs, cell->dots);
	}
	if (cell->back) {
		*role = (enum tp_plot_role)cell->back_role;
		return cell->back;
	}
	return ' ';
}
