/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of cells: room for its words, what is drawn in its cells, and how they are read. Dots
 * become Braille, half blocks or letters.
 */
#include "plot/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "plot/layout.h"
#include "plot/trace.h"

/*
 * A cell has three planes: a backdrop (grid, cache edges), 2 x 4 dots (lines), and text. It shows
 * its text, else its dots, else its backdrop. Each plane has its own role.
 */
struct tp_canvas_cell {
	uint32_t text, back; /* code points, 0 = nothing; a space as text hides dots and backdrop */
	uint8_t dots; /* bit column * 4 + row, rows from the top */
	uint8_t text_role, dot_role, back_role; /* enum tp_plot_role */
	size_t dot_owner; /* the last owner of the dots */
};

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
static uint32_t half_block(uint8_t dots)
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
	return canvas->glyphs == TP_GLYPHS_BLOCK   ? half_block(cell->dots)
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

static struct tp_canvas_box cells_of(const struct tp_rect *rect)
{
	return (struct tp_canvas_box){ (size_t)rect->x, (size_t)rect->y, (size_t)rect->width,
				       (size_t)rect->height };
}

struct tp_canvas_box tp_canvas_area(const struct tp_canvas *canvas, const struct tp_series *series,
				    size_t point)
{
	struct tp_rect rect;
	if (!tp_area_rect(canvas->layout, series, point, &rect))
		return (struct tp_canvas_box){ 0 };
	rect.width = fmax(rect.width, 1);
	return cells_of(&rect);
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

/* --- room for words: a word may hide lines, since there is little room; each hidden cell has a
 * cost --- */

/* Costs of one cell of a name's surroundings. */
static const double hides_point = 100, hides_other_line = 14, hides_theory = 5, hides_edge = 4,
		    hides_own_line = 1;
static const double touches_point = 8, touches_other_line = 4, near_point = 2, near_word = 0.2;
static const double near_other_line = 1.2; /* a line in the row above or below a name */
static const double off_line = 3; /* a level line is named above, not through or below it */
static const double far_from_best = 7; /* from one end of the line to the other */
/* A rising roof is not named so near to its ends: there it meets others. */
static const double at_its_end = 0.12;

/* The contents of a cell as bits: one for each series (modulo 61), and these three. */
static const uint64_t a_word = UINT64_C(1) << 61;
static const uint64_t an_edge = UINT64_C(1) << 62; /* of a cache */
static const uint64_t a_point = UINT64_C(1) << 63; /* a glyph: words keep off */

struct cells {
	size_t columns, rows; /* of the picture */
	struct tp_canvas_box plot;
	uint64_t *in; /* by cell */
	uint64_t theory; /* dashed ceilings: a name may interrupt them */
};

static bool in_plot(const struct cells *cells, size_t column, size_t row)
{
	const struct tp_canvas_box *plot = &cells->plot;
	return column - plot->column < plot->columns && row - plot->row < plot->rows;
}

/* The contents of a cell of the data area; 0 outside. */
static uint64_t contents(const struct cells *cells, size_t column, size_t row)
{
	return in_plot(cells, column, row) ? cells->in[row * cells->columns + column] : 0;
}

static uint64_t series_bit(size_t series)
{
	return series == SIZE_MAX ? 0 : UINT64_C(1) << series % 61;
}

static double width_of(const char *text, enum tp_plot_word word)
{
	(void)word;
	return (double)tp_cell_columns(text);
}

/* A text that is too wide is cut when it is drawn. */
static const char *whole_text(struct tp_arena *arena, const char *text, enum tp_plot_word word,
			      double most)
{
	(void)arena, (void)word, (void)most;
	return text;
}

/* --- contents --- */

static void clear_cells(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	size_t columns = (size_t)layout->box.width, rows = (size_t)layout->box.height;
	struct cells *cells = tp_arena_alloc(&layout->arena, sizeof(*cells));
	cells->columns = columns;
	cells->rows = rows;
	cells->in = tp_arena_alloc(&layout->arena, columns * rows * sizeof(*cells->in));
	board->occupied = cells;
}

struct occupant {
	struct cells *cells;
	uint64_t bit, glyph_bits;
};

static void enter(struct cells *cells, size_t column, size_t row, uint64_t bits)
{
	cells->in[(cells->plot.row + row) * cells->columns + cells->plot.column + column] |= bits;
}

static void enter_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	struct occupant *occupant = ctx;
	enter(occupant->cells, dot_column / TP_DOT_COLUMNS, dot_row / TP_DOT_ROWS, occupant->bit);
}

static void enter_glyph(void *ctx, size_t column, size_t row)
{
	struct occupant *occupant = ctx;
	enter(occupant->cells, column, row, occupant->glyph_bits);
}

static void enter_scene(struct tp_board *board)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	struct cells *cells = board->occupied;
	cells->plot = cells_of(&layout->plot);
	for (size_t i = 0; i < scene->n_series; i++) {
		uint64_t bit = series_bit(i);
		bool points = scene->series[i].style == TP_STYLE_DOTS;
		struct occupant occupant = { cells, bit, bit | (points ? a_point : 0) };
		struct tp_trace trace = { enter_dot, enter_glyph, &occupant, false };
		if (scene->series[i].role == TP_ROLE_THEORY)
			cells->theory |= bit;
		tp_trace_series(layout, scene, i, &trace);
	}
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		double x, y;
		if (!tp_layout_point(layout, mark->x, mark->at_point ? mark->y : layout->y.min, &x,
				     &y))
			continue;
		size_t column = (size_t)(x - layout->plot.x);
		if (mark->at_point)
			enter(cells, column, (size_t)(y - layout->plot.y), a_point);
		for (size_t row = 0; !mark->at_point && row < cells->plot.rows; row++)
			enter(cells, column, row, an_edge);
	}
	tp_trace_arrows(board);
}

static void take_label(struct tp_board *board, const struct tp_label *label)
{
	struct cells *cells = board->occupied;
	uint64_t *first = &cells->in[(size_t)label->y * cells->columns + (size_t)label->x];
	for (size_t c = 0; c < (size_t)label->width; c++)
		first[c] |= a_word;
}

static bool is_empty(const struct tp_board *board, const struct tp_rect *rect)
{
	const struct cells *cells = board->occupied;
	const struct tp_canvas_box box = cells_of(rect);
	for (size_t row = box.row; row < box.row + box.rows; row++)
		for (size_t c = box.column; c < box.column + box.columns; c++)
			if (contents(cells, c, row) & ~an_edge)
				return false;
	return true;
}

/* --- costs --- */

/* True if the cells and one on each side are free of words and inside the picture. */
static bool is_free(const struct cells *cells, size_t column, size_t row, size_t columns)
{
	if (row >= cells->rows || columns > cells->columns || column > cells->columns - columns)
		return false;
	const uint64_t *in = &cells->in[row * cells->columns];
	for (size_t c = column ? column - 1 : 0; c <= column + columns && c < cells->columns; c++)
		if (in[c] & a_word)
			return false;
	return true;
}

static double cost_of(const struct tp_board *board, const struct tp_label *label, bool inside)
{
	const struct cells *cells = board->occupied;
	size_t column = (size_t)label->x, row = (size_t)label->y, columns = (size_t)label->width;
	if (label->y < 0 || !is_free(cells, column, row, columns))
		return INFINITY;
	if (!inside)
		return 0;
	if (!in_plot(cells, column, row) || !in_plot(cells, column + columns - 1, row))
		return INFINITY;
	/* The cost of a name in the data area: it hides the cells under it and touches those around
	 * it. */
	uint64_t own = series_bit(label->series);
	const uint64_t others = ~(own | cells->theory | a_word | an_edge | a_point);
	double cost = 0;
	if ((contents(cells, column - 2, row) | contents(cells, column + columns + 1, row)) &
	    a_point)
		cost += near_point;
	for (size_t c = column - 1; c <= column + columns; c++) {
		bool beside = c < column || c == column + columns;
		uint64_t here = contents(cells, c, row);
		uint64_t above = contents(cells, c, row - 1), below = contents(cells, c, row + 1);
		cost += near_word * (!!(above & a_word) + !!(below & a_word));
		if ((above | below) & a_point)
			cost += near_point;
		if (here & a_point)
			cost += beside ? touches_point : hides_point;
		/* Where other lines run on its own line, a name hides no more than its own. */
		if (here & own)
			cost += beside ? 0 : hides_own_line;
		else if (here & others)
			cost += beside ? touches_other_line : hides_other_line;
		else if (here & cells->theory)
			cost += beside ? 0 : hides_theory;
		if (here & an_edge && !beside)
			cost += hides_edge;
		if ((above & others && !(above & own)) || (below & others && !(below & own)))
			cost += near_other_line;
	}
	return cost;
}

/* --- roofs --- */

/*
 * True if a name in these cells belongs to its line for the eye. A level line may have it above,
 * below or on itself, all along the name; `at` is the right end of the name. A rising line may have
 * it in a row that meets the line; `at` is the column where they meet.
 */
static bool attach(const struct cells *cells, uint64_t own, bool level, size_t column, size_t row,
		   size_t columns, double *at, bool *above_line)
{
	size_t below = 0, any = 0;
	double sum = 0;
	if (level) {
		for (size_t c = column; c < column + columns; c++) {
			uint64_t here = contents(cells, c, row) | contents(cells, c, row - 1);
			bool under = contents(cells, c, row + 1) & own;
			below += under;
			any += under || here & own;
		}
		*at = (double)(column + columns);
		*above_line = below == columns;
		return any == columns;
	}
	for (size_t c = column - 2; c < column + columns + 2; c++)
		if (contents(cells, c, row) & own) {
			any++;
			sum += (double)c;
		}
	*at = any ? sum / (double)any : 0;
	*above_line = true;
	return any;
}

/* The cells from the first to the last of a line, both included; no columns: it is not there. */
static struct tp_canvas_box extent(const struct cells *cells, uint64_t own)
{
	const struct tp_canvas_box *plot = &cells->plot;
	size_t left = SIZE_MAX, right = 0, top = SIZE_MAX, bottom = 0;
	for (size_t row = plot->row; row < plot->row + plot->rows; row++)
		for (size_t c = plot->column; c < plot->column + plot->columns; c++)
			if (contents(cells, c, row) & own) {
				left = TP_MIN(left, c);
				right = TP_MAX(right, c);
				top = TP_MIN(top, row);
				bottom = TP_MAX(bottom, row);
			}
	if (left > right)
		return (struct tp_canvas_box){ 0 };
	return (struct tp_canvas_box){ left, top, right - left + 1, bottom - top + 1 };
}

static void offer_along(struct tp_board *board, size_t series, struct tp_spot *best)
{
	const struct cells *cells = board->occupied;
	const struct tp_canvas_box *plot = &cells->plot;
	uint64_t own = series_bit(series);
	const struct tp_canvas_box line = extent(cells, own);
	size_t columns = (size_t)best->label.width;
	bool level = line.rows == 1;
	if (!line.columns || columns + 2 > plot->columns)
		return;
	/* Level roofs are named at their right end; rising ones low, where they lie apart. */
	double best_at = level ? 1 : 0.4;
	for (size_t row = plot->row; row < plot->row + plot->rows; row++)
		for (size_t c = plot->column + 1; c + columns < plot->column + plot->columns; c++) {
			double at;
			bool above_line;
			if (!attach(cells, own, level, c, row, columns, &at, &above_line))
				continue;
			at = (at - (double)line.column) / (double)line.columns;
			if (!level && (at < at_its_end || at > 1 - at_its_end))
				continue;
			double cost =
				far_from_best * fabs(at - best_at) + (above_line ? 0 : off_line);
			if (cost >= best->cost)
				continue;
			struct tp_label label = best->label;
			label.x = (double)c;
			label.y = (double)row;
			label.clear_left = !(contents(cells, c - 1, row) & ~own);
			label.clear_right = !(contents(cells, c + columns, row) & ~own);
			tp_board_offer(board, best, label, cost);
		}
}

static const struct tp_beside beside[] = {
	{ 2, -1, TP_ANCHOR_START, 1 },	  { -1, -1, TP_ANCHOR_END, 1.1 },
	{ 0, -1, TP_ANCHOR_MIDDLE, 1.2 }, { 2, 0, TP_ANCHOR_START, 0 },
	{ -1, 0, TP_ANCHOR_END, 0.1 },	  { 2, 1, TP_ANCHOR_START, 1 },
	{ -1, 1, TP_ANCHOR_END, 1.1 },	  { 0, 1, TP_ANCHOR_MIDDLE, 1.2 },
};

const struct tp_medium tp_medium_cells = {
#define TP_METRIC_CELLS(name, cells, px) .name = (cells),
	TP_METRIC_LIST(TP_METRIC_CELLS)
#undef TP_METRIC_CELLS
		.whole = true,
	.keys_in_role = true,
	.beside = beside,
	.n_beside = TP_COUNT_OF(beside),
	.width = width_of,
	.fit = whole_text,
	.clear = clear_cells,
	.enter = enter_scene,
	.take = take_label,
	.cost = cost_of,
	.is_empty = is_empty,
	.along = offer_along,
};

/* --- drawing --- */

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
static void put_text(struct tp_canvas *canvas, size_t column, size_t row, uint32_t code_point,
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
		if (mark->at_point != points || mark->bare ||
		    !tp_canvas_find(canvas, mark->x, points ? mark->y : canvas->y.min, &column,
				    &row))
			continue;
		if (points)
			put_text(canvas, column, row, code_point, TP_ROLE_MARK);
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
		put_text(canvas, axis_column, plot->row + r, set->y_line, TP_ROLE_AXIS);
	for (size_t c = 0; c < plot->columns; c++)
		put_text(canvas, plot->column + c, axis_row, set->x_line, TP_ROLE_AXIS);
	put_text(canvas, axis_column, axis_row, set->corner, TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_y_ticks; i++)
		put_text(canvas, axis_column, (size_t)layout->y_ticks[i].at,
			 layout->y_ticks[i].labelled ? set->tick : set->y_minor, TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_x_ticks; i++)
		if (layout->x_ticks[i].at > layout->plot.x)
			put_text(canvas, (size_t)layout->x_ticks[i].at, axis_row,
				 layout->x_ticks[i].labelled ? set->tick : set->x_minor,
				 TP_ROLE_AXIS);
}

/* --- series --- */

struct pen {
	struct tp_canvas *canvas;
	const struct tp_series *series;
	size_t owner;
};

static void draw_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	const struct pen *occupant = ctx;
	const struct tp_canvas_box *plot = &occupant->canvas->plot;
	struct tp_canvas_cell *cell =
		cell_at(occupant->canvas, plot->column + dot_column / TP_DOT_COLUMNS,
			plot->row + dot_row / TP_DOT_ROWS);
	/* A letter or a half_block shows one line's shape, not the sum of two. */
	if (occupant->canvas->glyphs != TP_GLYPHS_BRAILLE && cell->dot_owner != occupant->owner)
		cell->dots = 0;
	cell->dots |= (uint8_t)(1u << (dot_column % TP_DOT_COLUMNS * TP_DOT_ROWS +
				       dot_row % TP_DOT_ROWS));
	cell->dot_role = (uint8_t)occupant->series->role;
	cell->dot_owner = occupant->owner;
}

static void draw_glyph(void *ctx, size_t column, size_t row)
{
	const struct pen *occupant = ctx;
	const struct tp_canvas_box *plot = &occupant->canvas->plot;
	put_text(occupant->canvas, plot->column + column, plot->row + row,
		 glyph_of(occupant->canvas, occupant->series->glyph), occupant->series->role);
}

/* --- tiles and bars --- */

static void put_words(struct tp_canvas *canvas, size_t column, size_t row, size_t most,
		      const char *words, enum tp_plot_role role)
{
	uint32_t c;
	for (size_t i = 0; i < most && (c = tp_cell_next(&words)); i++)
		put_text(canvas, column + i, row, c, role);
}

/* Its colour, and its text in the middle. */
static void draw_tile(struct tp_canvas *canvas, const struct tp_tile *tile,
		      const struct tp_canvas_box *box, size_t row)
{
	enum tp_plot_role role = tp_tile_role(tile);
	char words[TP_TILE_BYTES];
	for (size_t r = 0; r < box->rows && role != TP_ROLE_AXIS; r++)
		for (size_t c = 0; c < box->columns; c++)
			put_text(canvas, box->column + c, box->row + r, ' ', role);
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

/* "|--+--|" over a bar, with its value in the middle; an end that is out of sight is an arrow. */
static void draw_interval(struct tp_canvas *canvas, const struct tp_series *s, size_t i, size_t row,
			  size_t from, size_t to, bool open)
{
	const struct charset *set = &charsets[canvas->glyphs];
	const bool ascii = canvas->glyphs == TP_GLYPHS_ASCII;
	size_t value, at_row;
	for (size_t c = from; c <= to; c++)
		put_text(canvas, c, row, set->x_line, s->role);
	if (tp_canvas_find(canvas, s->x[i], s->y[i], &value, &at_row) && value > from && value < to)
		put_text(canvas, value, row, set->tick, s->role);
	put_text(canvas, from, row,
		 s->low[i] < canvas->x.min ? '<'
		 : ascii		   ? '|'
					   : 0x251c,
		 s->role);
	put_text(canvas, to, row, open ? '>' : ascii ? '|' : 0x2524, s->role);
}

/*
 * Its value follows the bar and the interval. An interval that leaves no room for the value is cut
 * and ends in an arrow; a bar without room has the value on it.
 */
static void draw_bar(struct tp_canvas *canvas, const struct tp_series *s, size_t i,
		     const struct tp_rect *rect, size_t row)
{
	const struct tp_canvas_box *plot = &canvas->plot, box = cells_of(rect);
	uint32_t whole = canvas->glyphs == TP_GLYPHS_ASCII ? '=' : 0x2588;
	size_t end = plot->column + plot->columns;
	char words[TP_TILE_BYTES] = "";
	if (s->tiles && s->tiles[i].text)
		snprintf(words, sizeof(words), "%s%s", s->tiles[i].text,
			 s->tiles[i].mark == '*' ? " *" : "");
	size_t n = tp_cell_columns(words);
	for (size_t r = 0; r < box.rows; r++) {
		for (size_t c = 0; c < box.columns; c++)
			put_text(canvas, box.column + c, box.row + r, whole, s->role);
		uint32_t last = bar_end(canvas, rect->width - floor(rect->width));
		if (last != ' ' && box.column + box.columns < end)
			put_text(canvas, box.column + box.columns, box.row + r, last, s->role);
	}
	size_t behind = box.column + box.columns;
	double from, to;
	if (tp_area_interval(canvas->layout, s, i, &from, &to) && (size_t)to > (size_t)from) {
		size_t last = TP_MIN((size_t)to, end - 1);
		bool cut = last + 2 + n > canvas->columns && behind + 2 + n < canvas->columns;
		last = cut ? canvas->columns - n - 2 : last;
		draw_interval(canvas, s, i, row, (size_t)from, last,
			      cut || s->high[i] > canvas->x.max);
		behind = TP_MAX(behind, last);
	}
	size_t at = behind + 2;
	if (at + n > canvas->columns)
		at = end > n ? end - n : plot->column;
	put_words(canvas, at, row, n, words, TP_ROLE_TITLE);
}

static void draw_legend(const struct tp_scene *scene, struct tp_canvas *canvas, uint32_t sample)
{
	const struct tp_layout *layout = canvas->layout;
	const struct tp_canvas_box box = cells_of(&layout->legend);
	for (size_t r = 0; r < box.rows; r++)
		for (size_t c = 0; c < box.columns; c++)
			put_text(canvas, box.column + c, box.row + r, ' ', TP_ROLE_AXIS);
	for (size_t i = 0; i < layout->n_keys; i++) {
		const struct tp_legend_key *key = &layout->keys[i];
		const struct tp_series *s = &scene->series[key->series];
		bool dots = s->style == TP_STYLE_DOTS;
		uint32_t line = !tp_is_area(s)			    ? sample
				: canvas->glyphs == TP_GLYPHS_ASCII ? '='
								    : 0x2588;
		uint32_t middle = s->glyph			? glyph_of(canvas, s->glyph)
				  : dots			? '.'
				  : s->style == TP_STYLE_DASHED ? ' '
								: line;
		for (size_t c = 0; c < TP_SAMPLE_COLUMNS; c++)
			put_text(canvas, (size_t)key->x + c, (size_t)key->y,
				 c == TP_SAMPLE_COLUMNS / 2 ? middle
				 : dots			    ? ' '
							    : line,
				 s->role);
	}
}

static void draw_arrows(const struct tp_scene *scene, struct tp_canvas *canvas)
{
	enum { LEFT = 0x2190, UP, RIGHT, DOWN };
	for (size_t i = 0; i < canvas->layout->n_arrows; i++) {
		const struct tp_arrow *a = &canvas->layout->arrows[i];
		put_text(canvas, (size_t)a->x, (size_t)a->y,
			 a->right > 0  ? RIGHT
			 : a->right    ? LEFT
			 : a->down > 0 ? DOWN
				       : UP,
			 scene->series[a->series].role);
	}
}

/* A text that is too long ends in an ellipsis. */
static void draw_label(struct tp_canvas *canvas, const struct tp_label *label)
{
	size_t column = (size_t)label->x, row = (size_t)label->y, n = (size_t)label->width;
	bool cut = tp_cell_columns(label->text) > n;
	const char *text = label->text;
	uint32_t c;
	for (size_t i = 0; i < n && (c = tp_cell_next(&text)); i++)
		put_text(canvas, column + i, row, cut && i + 1 == n ? 0x2026 : c, label->role);
	if (label->clear_left)
		put_text(canvas, column - 1, row, ' ', label->role);
	if (label->clear_right)
		put_text(canvas, column + n, row, ' ', label->role);
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
	canvas->cells = tp_alloc(columns * rows, sizeof(*canvas->cells));
	canvas->layout = tp_alloc(1, sizeof(*canvas->layout));
	const struct tp_rect box = { 0, 0, (double)columns, (double)rows };
	tp_layout_make(scene, &tp_medium_cells, &box, canvas->layout);
	canvas->plot = cells_of(&canvas->layout->plot);
	canvas->x = canvas->layout->x;
	canvas->y = canvas->layout->y;
	if (set->grid)
		draw_grid(canvas, set->grid);
	draw_bands(scene, canvas, set->shade);
	draw_marks(scene, canvas, false, set->edge);
	/* Theory first, so that measurements lie on top of it. */
	for (int measured = 0; measured <= 1; measured++)
		for (size_t i = 0; i < scene->n_series; i++) {
			if ((scene->series[i].role != TP_ROLE_THEORY) != measured)
				continue;
			struct pen occupant = { canvas, &scene->series[i], i };
			struct tp_trace trace = { draw_dot, draw_glyph, &occupant,
						  canvas->glyphs != TP_GLYPHS_BRAILLE };
			tp_trace_series(canvas->layout, scene, i, &trace);
		}
	struct tp_rect rect;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		for (size_t k = 0; tp_is_area(s) && k < s->n; k++) {
			if (!tp_area_rect(canvas->layout, s, k, &rect))
				continue;
			const struct tp_canvas_box cells = cells_of(&rect);
			size_t row = tp_canvas_area_row(canvas, s, k, &cells);
			if (s->style == TP_STYLE_TILES)
				draw_tile(canvas, &s->tiles[k], &cells, row);
			else
				draw_bar(canvas, s, k, &rect, row);
		}
	}
	draw_marks(scene, canvas, true, set->point);
	draw_arrows(scene, canvas);
	draw_legend(scene, canvas, set->sample);
	for (size_t i = 0; i < canvas->layout->n_labels; i++)
		draw_label(canvas, &canvas->layout->labels[i]);
	draw_axes(canvas, set);
	return TP_OK;
}

/* --- lines of text --- */

/*
 * One 256-colour number a role. The hues have a contrast of at least 3:1 on black and on white and
 * stay apart for people with protanopia, deuteranopia and tritanopia (least CIELAB distance of any
 * two under simulation: 24); glyphs and names distinguish them for everyone. 0 is the terminal's
 * own colour, in bold.
 */
static const unsigned char palette[TP_ROLE_COUNT] = {
	[TP_ROLE_SERIES_0] = 33, /* blue */
	[TP_ROLE_SERIES_1] = 166, /* vermilion */
	[TP_ROLE_SERIES_2] = 29, /* green */
	[TP_ROLE_SERIES_3] = 169, /* pink */
	[TP_ROLE_SERIES_4] = 127, /* purple */
	[TP_ROLE_SERIES_5] = 93, /* violet */
	[TP_ROLE_THEORY] = 245, /* greys */
	[TP_ROLE_MARK] = 136, /* ochre */
	[TP_ROLE_AXIS] = 245,	  [TP_ROLE_GRID] = 244, [TP_ROLE_TITLE] = 0,
};

/* The colours of tiles and of the text on them: foreground and background. */
static const unsigned char shades[][2] = { { 245, 234 }, { 252, 54 }, { 231, 25 }, { 231, 30 },
					   { 16, 71 },	 { 16, 149 }, { 16, 220 } };

static bool is_shaded(enum tp_plot_role role)
{
	return role >= TP_ROLE_HEAT_0 && role <= TP_ROLE_HEAT_BEST;
}

static void add_row(const struct tp_canvas *canvas, size_t row, bool colour, struct tp_str *out)
{
	enum tp_plot_role role, current = TP_ROLE_COUNT;
	size_t end = canvas->columns;
	while (end && tp_canvas_look(canvas, end - 1, row, &role) == ' ' &&
	       !(colour && is_shaded(role)))
		end--;
	for (size_t column = 0; column < end; column++) {
		uint32_t c = tp_canvas_look(canvas, column, row, &role);
		bool blank = c == ' ' && !is_shaded(role);
		if (colour && blank && current != TP_ROLE_COUNT && is_shaded(current)) {
			current = TP_ROLE_COUNT;
			tp_str_add(out, "\033[0m");
		} else if (colour && !blank && role != current) {
			current = role;
			if (is_shaded(role))
				tp_str_printf(out, "\033[0;38;5;%d;48;5;%dm",
					      shades[role - TP_ROLE_HEAT_0][0],
					      shades[role - TP_ROLE_HEAT_0][1]);
			else if (palette[role])
				tp_str_printf(out, "\033[0;38;5;%dm", palette[role]);
			else
				tp_str_add(out, "\033[0;1m");
		}
		tp_utf8_add(out, c);
	}
	if (current != TP_ROLE_COUNT)
		tp_str_add(out, "\033[0m");
	tp_str_add(out, "\n");
}

enum tp_status tp_plot_text(const struct tp_scene *scene,
			    const struct tp_plot_text_options *options, struct tp_str *out)
{
	TP_CLEANUP(tp_canvas_release) struct tp_canvas canvas = { 0 };
	enum tp_status status =
		tp_canvas_draw(&canvas, scene, options->columns, options->rows, options->glyphs);
	for (size_t row = 0; row < canvas.rows; row++)
		add_row(&canvas, row, options->colour, out);
	return status;
}
