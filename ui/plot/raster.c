/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/raster.h"
#include "ui/plot/chars.h"
#include "ui/plot/trace.h"
#include "base/vec.h"

/* Grid: cells between two dots of a level line, and the least between two upright lines. */
/* The characters a picture is made of besides lines: a long tick crosses its axis, a short one stands on one side. */
enum { GRID_COLUMNS = 4, GRID_LINES_GAP = 10 };

struct charset {
	uint32_t x_line, y_line, corner;
	uint32_t x_tick, x_minor, y_tick, y_minor;
	uint32_t grid, edge, point; /* no grid: 0 */
	uint32_t solid[TP_LAYOUT_SAMPLE_COLUMNS], dashed[TP_LAYOUT_SAMPLE_COLUMNS]; /* legend */
};

static const struct charset charsets[] = {
	[TP_GLYPHS_BRAILLE] = {
		.x_line = 0x2500, .y_line = 0x2502, .corner = 0x2514, /* light box lines */
		.x_tick = 0x253c, .x_minor = 0x2534, .y_tick = 0x253c, .y_minor = 0x251c,
		.grid = 0xb7, .edge = 0x250a, .point = 0x25c6, /* middle dot, dotted vertical, diamond */
		.solid = { 0x2500, 0x2500, 0x2500 }, .dashed = { 0x2500, ' ', 0x2500 },
	},
	/* Only what code page 437 has: such fonts are what this is for. */
	[TP_GLYPHS_BLOCK] = {
		.x_line = 0x2500, .y_line = 0x2502, .corner = 0x2514,
		.x_tick = 0x253c, .x_minor = 0x2534, .y_tick = 0x253c, .y_minor = 0x251c,
		.grid = 0xb7, .edge = 0x2502, .point = 0x25a0, /* filled square */
		.solid = { 0x2584, 0x2584, 0x2584 }, .dashed = { 0x2584, ' ', 0x2584 },
	},
	[TP_GLYPHS_ASCII] = {
		.x_line = '-', .y_line = '|', .corner = '+',
		.x_tick = '+', .x_minor = '+', .y_tick = '+', .y_minor = '+',
		.grid = 0, .edge = ':', .point = '*', /* dots of a grid would look like lines */
		.solid = { '-', '-', '-' }, .dashed = { '-', ' ', '-' },
	},
};

/* Point glyphs that have a fuller form than their letter. */
static const struct {
	char letter;
	uint32_t shape;
} shapes[] = {
	{ 'o', 0x25cf }, { 'x', 0xd7 }, { '#', 0x25a0 }, { '^', 0x25b2 }, { 'v', 0x25bc },
};

struct pen {
	struct tp_canvas *canvas;
	const struct tp_layout *layout;
	const struct tp_series *series;
	size_t owner;
};

static uint32_t glyph_of(const struct tp_canvas *canvas, char letter)
{
	if (canvas->glyphs == TP_GLYPHS_BRAILLE)
		for (size_t i = 0; i < TP_COUNT_OF(shapes); i++)
			if (shapes[i].letter == letter)
				return shapes[i].shape;
	return letter > ' ' && letter < 0x7f ? (unsigned char)letter : '?';
}

static void draw_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	const struct pen *pen = ctx;
	tp_canvas_dot(pen->canvas, pen->layout->plot.column * TP_DOT_COLUMNS + dot_column,
		      pen->layout->plot.row * TP_DOT_ROWS + dot_row, pen->series->role, pen->owner);
}

static void draw_glyph(void *ctx, size_t column, size_t row)
{
	const struct pen *pen = ctx;
	tp_canvas_put(pen->canvas, pen->layout->plot.column + column, pen->layout->plot.row + row,
		      glyph_of(pen->canvas, pen->series->glyph), pen->series->role);
}

static void draw_grid(const struct tp_layout *layout, const struct charset *set,
		      struct tp_canvas *canvas)
{
	const struct tp_layout_rect *plot = &layout->plot;
	for (size_t i = 0; i < layout->n_y_ticks; i++)
		for (size_t c = GRID_COLUMNS; layout->y_ticks[i].labelled && c < plot->columns;
		     c += GRID_COLUMNS)
			tp_canvas_back(canvas, plot->column + c, layout->y_ticks[i].cell, set->grid,
				       TP_ROLE_GRID);
	/* From the axis on, which is the first line. */
	size_t before = plot->column;
	for (size_t i = 0; i < layout->n_x_ticks; i++) {
		const struct tp_layout_tick *tick = &layout->x_ticks[i];
		if (!tick->labelled || tick->cell < before + GRID_LINES_GAP)
			continue;
		before = tick->cell;
		for (size_t r = 0; r < plot->rows; r++)
			tp_canvas_back(canvas, tick->cell, plot->row + r, set->grid, TP_ROLE_GRID);
		/* A crossing is one dot, not three. */
		for (size_t k = 0; k < layout->n_y_ticks; k++)
			for (size_t away = 1; away < GRID_COLUMNS / 2; away++) {
				tp_canvas_back(canvas, tick->cell - away, layout->y_ticks[k].cell,
					       0, TP_ROLE_GRID);
				tp_canvas_back(canvas, tick->cell + away, layout->y_ticks[k].cell,
					       0, TP_ROLE_GRID);
			}
	}
}

static void draw_edges(const struct tp_scene *scene, const struct tp_layout *layout,
		       const struct charset *set, struct tp_canvas *canvas)
{
	const struct tp_layout_rect *plot = &layout->plot;
	for (size_t i = 0; i < scene->n_marks; i++) {
		size_t column, row;
		if (scene->marks[i].at_point ||
		    !tp_trace_dot(layout, scene->marks[i].x, layout->y.min, &column, &row))
			continue;
		for (row = 0; row < plot->rows; row++)
			tp_canvas_back(canvas, plot->column + column / TP_DOT_COLUMNS,
				       plot->row + row, set->edge, TP_ROLE_MARK);
	}
}

static void draw_axes(const struct tp_layout *layout, const struct charset *set,
		      struct tp_canvas *canvas)
{
	const struct tp_layout_rect *plot = &layout->plot;
	size_t axis_column = plot->column - 1, axis_row = plot->row + plot->rows;
	for (size_t r = 0; r < plot->rows; r++)
		tp_canvas_put(canvas, axis_column, plot->row + r, set->y_line, TP_ROLE_AXIS);
	for (size_t c = 0; c < plot->columns; c++)
		tp_canvas_put(canvas, plot->column + c, axis_row, set->x_line, TP_ROLE_AXIS);
	tp_canvas_put(canvas, axis_column, axis_row, set->corner, TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_y_ticks; i++)
		tp_canvas_put(canvas, axis_column, layout->y_ticks[i].cell,
			      layout->y_ticks[i].labelled ? set->y_tick : set->y_minor,
			      TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_x_ticks; i++)
		if (layout->x_ticks[i].cell != plot->column)
			tp_canvas_put(canvas, layout->x_ticks[i].cell, axis_row,
				      layout->x_ticks[i].labelled ? set->x_tick : set->x_minor,
				      TP_ROLE_AXIS);
}

/* Ceilings of the model first: what was measured lies on top. */
static void draw_series(const struct tp_scene *scene, const struct tp_layout *layout,
			struct tp_canvas *canvas)
{
	for (int measured = 0; measured <= 1; measured++)
		for (size_t i = 0; i < scene->n_series; i++) {
			if ((scene->series[i].role != TP_ROLE_THEORY) != measured)
				continue;
			struct pen pen = { canvas, layout, &scene->series[i], i };
			struct tp_trace trace = { draw_dot, draw_glyph, &pen,
						  canvas->glyphs != TP_GLYPHS_BRAILLE };
			tp_trace_series(layout, scene, i, &trace);
		}
}

static void draw_points(const struct tp_scene *scene, const struct tp_layout *layout,
			const struct charset *set, struct tp_canvas *canvas)
{
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		size_t column, row;
		if (mark->at_point && tp_trace_dot(layout, mark->x, mark->y, &column, &row))
			tp_canvas_put(canvas, layout->plot.column + column / TP_DOT_COLUMNS,
				      layout->plot.row + row / TP_DOT_ROWS, set->point,
				      TP_ROLE_MARK);
	}
}

static void draw_labels(const struct tp_layout *layout, struct tp_canvas *canvas)
{
	for (size_t i = 0; i < layout->n_labels; i++) {
		const struct tp_layout_label *label = &layout->labels[i];
		tp_canvas_text(canvas, label->column, label->row, label->text, label->columns,
			       label->role);
		if (label->clear_left)
			tp_canvas_put(canvas, label->column - 1, label->row, ' ', label->role);
		if (label->clear_right)
			tp_canvas_put(canvas, label->column + label->columns, label->row, ' ',
				      label->role);
	}
}

static void draw_key(const struct tp_scene *scene, const struct tp_layout_key *key,
		     const struct charset *set, struct tp_canvas *canvas)
{
	const struct tp_series *s = &scene->series[key->series];
	for (size_t i = 0; i < TP_LAYOUT_SAMPLE_COLUMNS; i++) {
		uint32_t c = s->style == TP_STYLE_DASHED ? set->dashed[i]
			     : s->style == TP_STYLE_DOTS ? ' '
							 : set->solid[i];
		if (i == TP_LAYOUT_SAMPLE_COLUMNS / 2 && s->glyph)
			c = glyph_of(canvas, s->glyph);
		else if (i == TP_LAYOUT_SAMPLE_COLUMNS / 2 && s->style == TP_STYLE_DOTS)
			c = '.';
		tp_canvas_put(canvas, key->column + i, key->row, c, s->role);
	}
	tp_canvas_text(canvas, key->column + TP_LAYOUT_SAMPLE_COLUMNS + 1, key->row, s->label,
		       key->columns - TP_LAYOUT_SAMPLE_COLUMNS - 1, s->role);
}

static void draw_legend(const struct tp_scene *scene, const struct tp_layout *layout,
			const struct charset *set, struct tp_canvas *canvas)
{
	const struct tp_layout_rect *box = &layout->legend;
	for (size_t r = 0; r < box->rows; r++)
		for (size_t c = 0; c < box->columns; c++)
			tp_canvas_put(canvas, box->column + c, box->row + r, ' ', TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_keys; i++)
		draw_key(scene, &layout->keys[i], set, canvas);
}

void tp_raster_draw(const struct tp_scene *scene, const struct tp_layout *layout,
		    struct tp_canvas *canvas)
{
	const struct charset *set = &charsets[canvas->glyphs];
	if (set->grid)
		draw_grid(layout, set, canvas);
	draw_edges(scene, layout, set, canvas);
	draw_series(scene, layout, canvas);
	draw_points(scene, layout, set, canvas);
	draw_legend(scene, layout, set, canvas);
	draw_labels(layout, canvas);
	draw_axes(layout, set, canvas);
}
