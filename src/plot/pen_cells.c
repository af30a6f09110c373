/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a laid out scene into cells. */
#include "base/text.h"
#include "base/vec.h"
#include "plot/area.h"
#include "plot/cells.h"
#include "plot/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Grid: cells between two dots of a level line, and the least between two upright lines. */
enum { GRID_COLUMNS = 4, GRID_LINES_GAP = 10 };

/*
 * The characters that a picture is made of besides lines. A long tick crosses its axis, a short one
 * stands on one side of it.
 */
struct charset {
	uint32_t x_line, y_line, corner, tick, x_minor, y_minor;
	uint32_t grid, edge, point; /* no grid: 0 */
	uint32_t sample; /* of a line, in the legend */
	uint32_t shade; /* of a band */
};

static const struct charset charsets[] = {
	[TP_GLYPHS_BRAILLE] = {
		.x_line = 0x2500, .y_line = 0x2502, .corner = 0x2514, /* light box lines */
		.tick = 0x253c, .x_minor = 0x2534, .y_minor = 0x251c,
		/* middle dot, dotted vertical, diamond */
		.grid = 0xb7, .edge = 0x250a, .point = 0x25c6, .sample = 0x2500, .shade = 0x2591,
	},
	/* For fonts that have no more than code page 437. */
	[TP_GLYPHS_BLOCK] = {
		.x_line = 0x2500, .y_line = 0x2502, .corner = 0x2514,
		.tick = 0x253c, .x_minor = 0x2534, .y_minor = 0x251c,
		.grid = 0xb7, .edge = 0x2502, .point = 0x25a0, .sample = 0x2584, .shade = 0x2591,
	},
	/* Dots of a grid would look like lines. */
	[TP_GLYPHS_ASCII] = {
		.x_line = '-', .y_line = '|', .corner = '+', .tick = '+', .x_minor = '+',
		.y_minor = '+', .grid = 0, .edge = ':', .point = '*', .sample = '-', .shade = '.',
	},
};

/* Point glyphs that have a fuller form than their letter. */
static const struct {
	char letter;
	uint32_t shape;
} shapes[] = {
	{ 'o', 0x25cf }, { 'x', 0xd7 }, { '#', 0x25a0 }, { '^', 0x25b2 }, { 'v', 0x25bc },
};

/* --- cells --- */

static struct tp_canvas_cell *cell_at(const struct tp_canvas *canvas, size_t column, size_t row)
{
	return &canvas->cells[row * canvas->columns + column];
}

/* Sets the text of a cell, if the cell is in the picture. */
static void put(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		enum tp_plot_role role)
{
	if (column >= canvas->columns || row >= canvas->rows)
		return;
	struct tp_canvas_cell *cell = cell_at(canvas, column, row);
	cell->text = canvas->glyphs == TP_GLYPHS_ASCII ? (unsigned char)tp_utf8_ascii(code_point)
						       : code_point;
	cell->text_role = (uint8_t)role;
}

/* Sets the backdrop of a cell of the data area. */
static void put_back(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
		     enum tp_plot_role role)
{
	struct tp_canvas_cell *cell = cell_at(canvas, column, row);
	cell->back = code_point;
	cell->back_role = (uint8_t)role;
}

static uint32_t glyph_of(const struct tp_canvas *canvas, char letter)
{
	if (canvas->glyphs == TP_GLYPHS_BRAILLE)
		for (size_t i = 0; i < TP_COUNT_OF(shapes); i++)
			if (shapes[i].letter == letter)
				return shapes[i].shape;
	return letter > ' ' && letter < 0x7f ? (unsigned char)letter : '?';
}

/* --- axes and marks --- */

static void draw_grid(struct tp_canvas *canvas, uint32_t dot)
{
	const struct tp_layout *layout = canvas->layout;
	const struct tp_canvas_box *plot = &canvas->plot;
	if (layout->x.unit == TP_UNIT_NAMES)
		return;
	for (size_t i = 0; layout->y.unit != TP_UNIT_NAMES && i < layout->n_y_ticks; i++)
		for (size_t c = GRID_COLUMNS; layout->y_ticks[i].labelled && c < plot->columns;
		     c += GRID_COLUMNS)
			put_back(canvas, plot->column + c, (size_t)layout->y_ticks[i].at, dot,
				 TP_ROLE_GRID);
	/* The axis counts as the first upright line. */
	size_t before = plot->column;
	for (size_t i = 0; i < layout->n_x_ticks; i++) {
		size_t column = (size_t)layout->x_ticks[i].at;
		if (!layout->x_ticks[i].labelled || column < before + GRID_LINES_GAP)
			continue;
		before = column;
		/* A crossing is one dot, not three. */
		for (size_t k = 0; layout->y.unit != TP_UNIT_NAMES && k < layout->n_y_ticks; k++)
			for (size_t c = column - GRID_COLUMNS / 2 + 1;
			     c < column + GRID_COLUMNS / 2; c++)
				put_back(canvas, c, (size_t)layout->y_ticks[k].at, 0, TP_ROLE_GRID);
		for (size_t r = 0; r < plot->rows; r++)
			put_back(canvas, column, plot->row + r, dot, TP_ROLE_GRID);
	}
}

/* Shades bands, in ASCII every second cell: whole rows of dots would look like lines. */
static void draw_bands(const struct tp_scene *scene, struct tp_canvas *canvas, uint32_t shade)
{
	const struct tp_canvas_box *plot = &canvas->plot;
	for (size_t i = 0; i < scene->n_marks; i++) {
		double low, high;
		if (!tp_layout_band(canvas->layout, &scene->marks[i], &low, &high))
			continue;
		for (size_t c = (size_t)low; c <= (size_t)high && c < plot->column + plot->columns;
		     c++)
			for (size_t r = plot->row; r < plot->row + plot->rows; r++)
				if (shade > 0x7f || (c + r) % 2)
					put_back(canvas, c, r, shade, TP_ROLE_GRID);
	}
}

/* Draws ridge points, or cache edges from top to bottom. */
static void draw_marks(const struct tp_scene *scene, struct tp_canvas *canvas, bool points,
		       uint32_t code_point)
{
	size_t column, row;
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		if (mark->at_point != points ||
		    !tp_canvas_find(canvas, mark->x, points ? mark->y : canvas->y.min, &column,
				    &row))
			continue;
		if (points)
			put(canvas, column, row, code_point, TP_ROLE_MARK);
		for (size_t r = canvas->plot.row; !points && r <= row; r++)
			put_back(canvas, column, r, code_point, TP_ROLE_MARK);
	}
}

static void draw_axes(struct tp_canvas *canvas, const struct charset *set)
{
	const struct tp_layout *layout = canvas->layout;
	const struct tp_canvas_box *plot = &canvas->plot;
	size_t axis_column = plot->column - 1, axis_row = plot->row + plot->rows;
	for (size_t r = 0; r < plot->rows; r++)
		put(canvas, axis_column, plot->row + r, set->y_line, TP_ROLE_AXIS);
	for (size_t c = 0; c < plot->columns; c++)
		put(canvas, plot->column + c, axis_row, set->x_line, TP_ROLE_AXIS);
	put(canvas, axis_column, axis_row, set->corner, TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_y_ticks; i++)
		put(canvas, axis_column, (size_t)layout->y_ticks[i].at,
		    layout->y_ticks[i].labelled ? set->tick : set->y_minor, TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_x_ticks; i++)
		if (layout->x_ticks[i].at > layout->plot.x)
			put(canvas, (size_t)layout->x_ticks[i].at, axis_row,
			    layout->x_ticks[i].labelled ? set->tick : set->x_minor, TP_ROLE_AXIS);
}

/* --- series --- */

struct pen {
	struct tp_canvas *canvas;
	const struct tp_series *series;
	size_t owner;
};

static void draw_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	const struct pen *pen = ctx;
	const struct tp_canvas_box *plot = &pen->canvas->plot;
	struct tp_canvas_cell *cell =
		cell_at(pen->canvas, plot->column + dot_column / TP_DOT_COLUMNS,
			plot->row + dot_row / TP_DOT_ROWS);
	/* A letter or a block shows one line's shape, not the sum of two. */
	if (pen->canvas->glyphs != TP_GLYPHS_BRAILLE && cell->dot_owner != pen->owner)
		cell->dots = 0;
	cell->dots |= (uint8_t)(1u << (dot_column % TP_DOT_COLUMNS * TP_DOT_ROWS +
				       dot_row % TP_DOT_ROWS));
	cell->dot_role = (uint8_t)pen->series->role;
	cell->dot_owner = pen->owner;
}

static void draw_glyph(void *ctx, size_t column, size_t row)
{
	const struct pen *pen = ctx;
	const struct tp_canvas_box *plot = &pen->canvas->plot;
	put(pen->canvas, plot->column + column, plot->row + row,
	    glyph_of(pen->canvas, pen->series->glyph), pen->series->role);
}

/* Theory first, so that measurements lie on top of it. */
static void draw_series(const struct tp_scene *scene, struct tp_canvas *canvas)
{
	for (int measured = 0; measured <= 1; measured++)
		for (size_t i = 0; i < scene->n_series; i++) {
			if ((scene->series[i].role != TP_ROLE_THEORY) != measured)
				continue;
			struct pen pen = { canvas, &scene->series[i], i };
			struct tp_trace trace = { draw_dot, draw_glyph, &pen,
						  canvas->glyphs != TP_GLYPHS_BRAILLE };
			tp_trace_series(canvas->layout, scene, i, &trace);
		}
}

/* --- tiles and bars --- */

static void put_words(struct tp_canvas *canvas, size_t column, size_t row, size_t most,
		      const char *words, enum tp_plot_role role)
{
	uint32_t c;
	for (size_t i = 0; i < most && (c = tp_cell_next(&words)); i++)
		put(canvas, column + i, row, c, role);
}

/* Colour, and in the middle what it says. */
static void draw_tile(struct tp_canvas *canvas, const struct tp_tile *tile,
		      const struct tp_canvas_box *box, size_t row)
{
	enum tp_plot_role role = tp_tile_role(tile);
	char words[TP_TILE_BYTES];
	for (size_t r = 0; r < box->rows && role != TP_ROLE_AXIS; r++)
		for (size_t c = 0; c < box->columns; c++)
			put(canvas, box->column + c, box->row + r, ' ', role);
	tp_tile_words(tile, (int)box->columns, words);
	size_t n = TP_MIN(tp_cell_columns(words), box->columns);
	put_words(canvas, box->column + (box->columns - n + 1) / 2, row, n, words, role);
}

/* The end of a bar in eighths of a cell; fonts of the console have a half only. */
static uint32_t bar_end(const struct tp_canvas *canvas, double part)
{
	unsigned eighths = (unsigned)(part * 8);
	if (canvas->glyphs == TP_GLYPHS_BRAILLE)
		return eighths ? 0x2590u - eighths : ' ';
	return canvas->glyphs == TP_GLYPHS_BLOCK && eighths >= 4 ? 0x258c : ' ';
}

/* Its value stands behind it, or in it where there is no room. */
static void draw_bar(struct tp_canvas *canvas, const struct tp_series *s, size_t i,
		     const struct tp_rect *rect, size_t row)
{
	const struct tp_canvas_box *plot = &canvas->plot, box = tp_cells_of(rect);
	uint32_t whole = canvas->glyphs == TP_GLYPHS_ASCII ? '=' : 0x2588;
	size_t end = plot->column + plot->columns;
	for (size_t r = 0; r < box.rows; r++) {
		for (size_t c = 0; c < box.columns; c++)
			put(canvas, box.column + c, box.row + r, whole, s->role);
		uint32_t last = bar_end(canvas, rect->width - floor(rect->width));
		if (last != ' ' && box.column + box.columns < end)
			put(canvas, box.column + box.columns, box.row + r, last, s->role);
	}
	if (!s->tiles || !s->tiles[i].text)
		return;
	char words[TP_TILE_BYTES];
	snprintf(words, sizeof(words), "%s%s", s->tiles[i].text,
		 s->tiles[i].mark == '*' ? " *" : "");
	size_t n = tp_cell_columns(words), at = box.column + box.columns + 2;
	if (at + n > canvas->columns)
		at = end > n ? end - n : plot->column;
	put_words(canvas, at, row, n, words, TP_ROLE_TITLE);
}

static void draw_areas(const struct tp_scene *scene, struct tp_canvas *canvas)
{
	struct tp_rect rect;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		for (size_t k = 0; tp_is_area(s) && k < s->n; k++) {
			if (!tp_area_rect(canvas->layout, s, k, &rect))
				continue;
			const struct tp_canvas_box box = tp_cells_of(&rect);
			size_t row = tp_canvas_area_row(canvas, s, k, &box);
			if (s->style == TP_STYLE_TILES)
				draw_tile(canvas, &s->tiles[k], &box, row);
			else
				draw_bar(canvas, s, k, &rect, row);
		}
	}
}

static void draw_sample(const struct tp_series *s, size_t column, size_t row, uint32_t line,
			struct tp_canvas *canvas)
{
	bool dots = s->style == TP_STYLE_DOTS;
	if (tp_is_area(s))
		line = canvas->glyphs == TP_GLYPHS_ASCII ? '=' : 0x2588;
	uint32_t middle = s->glyph			? glyph_of(canvas, s->glyph)
			  : dots			? '.'
			  : s->style == TP_STYLE_DASHED ? ' '
							: line;
	for (size_t i = 0; i < TP_SAMPLE_COLUMNS; i++)
		put(canvas, column + i, row,
		    i == TP_SAMPLE_COLUMNS / 2 ? middle
		    : dots		       ? ' '
					       : line,
		    s->role);
}

static void draw_legend(const struct tp_scene *scene, struct tp_canvas *canvas, uint32_t line)
{
	const struct tp_layout *layout = canvas->layout;
	const struct tp_canvas_box box = tp_cells_of(&layout->legend);
	for (size_t r = 0; r < box.rows; r++)
		for (size_t c = 0; c < box.columns; c++)
			put(canvas, box.column + c, box.row + r, ' ', TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_keys; i++)
		draw_sample(&scene->series[layout->keys[i].series], (size_t)layout->keys[i].x,
			    (size_t)layout->keys[i].y, line, canvas);
}

/* A text that is too long ends in an ellipsis. */
static void draw_label(struct tp_canvas *canvas, const struct tp_label *label)
{
	size_t column = (size_t)label->x, row = (size_t)label->y, n = (size_t)label->width;
	bool cut = tp_cell_columns(label->text) > n;
	const char *text = label->text;
	uint32_t c;
	for (size_t i = 0; i < n && (c = tp_cell_next(&text)); i++)
		put(canvas, column + i, row, cut && i + 1 == n ? 0x2026 : c, label->role);
	if (label->clear_left)
		put(canvas, column - 1, row, ' ', label->role);
	if (label->clear_right)
		put(canvas, column + n, row, ' ', label->role);
}

struct tp_canvas_box tp_cells_of(const struct tp_rect *rect)
{
	return (struct tp_canvas_box){ (size_t)rect->x, (size_t)rect->y, (size_t)rect->width,
				       (size_t)rect->height };
}

enum tp_status tp_canvas_draw(struct tp_canvas *canvas, const struct tp_scene *scene,
			      size_t columns, size_t rows, enum tp_plot_glyphs glyphs)
{
	const struct charset *set = &charsets[glyphs];
	tp_canvas_release(canvas);
	if (columns < TP_PLOT_COLUMNS_MIN || rows < TP_PLOT_ROWS_MIN ||
	    columns > TP_PLOT_CELLS_MAX || rows > TP_PLOT_CELLS_MAX / columns)
		return TP_USAGE;
	*canvas = (struct tp_canvas){ .columns = columns, .rows = rows, .glyphs = glyphs };
	canvas->cells = calloc(columns * rows, sizeof(*canvas->cells));
	canvas->layout = calloc(1, sizeof(*canvas->layout));
	const struct tp_rect box = { 0, 0, (double)columns, (double)rows };
	if (!canvas->cells || !canvas->layout ||
	    tp_layout_make(scene, &tp_medium_cells, &box, canvas->layout) != TP_OK) {
		tp_canvas_release(canvas);
		return TP_NOMEM;
	}
	canvas->plot = tp_cells_of(&canvas->layout->plot);
	canvas->x = canvas->layout->x;
	canvas->y = canvas->layout->y;
	if (set->grid)
		draw_grid(canvas, set->grid);
	draw_bands(scene, canvas, set->shade);
	draw_marks(scene, canvas, false, set->edge);
	draw_series(scene, canvas);
	draw_areas(scene, canvas);
	draw_marks(scene, canvas, true, set->point);
	draw_legend(scene, canvas, set->sample);
	for (size_t i = 0; i < canvas->layout->n_labels; i++)
		draw_label(canvas, &canvas->layout->labels[i]);
	draw_axes(canvas, set);
	return TP_OK;
}
