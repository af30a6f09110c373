/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of cells. There is little room, so a word may hide lines; each hidden cell has a cost.
 */
#include "base/text.h"
#include "base/vec.h"
#include "plot/cells.h"
#include "plot/place.h"
#include "plot/trace.h"

#include <math.h>

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

/* The contents of a cell of the data area; 0 outside of it. */
static uint64_t look(const struct cells *cells, size_t column, size_t row)
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

static bool clear_cells(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	size_t columns = (size_t)layout->box.width, rows = (size_t)layout->box.height;
	struct cells *cells = tp_arena_alloc(&layout->arena, sizeof(*cells));
	if (!cells)
		return false;
	cells->columns = columns;
	cells->rows = rows;
	cells->in = tp_arena_alloc(&layout->arena, columns * rows * sizeof(*cells->in));
	board->occupied = cells;
	return cells->in;
}

struct pen {
	struct cells *cells;
	uint64_t bit, glyph_bits;
};

static void enter(struct cells *cells, size_t column, size_t row, uint64_t bits)
{
	cells->in[(cells->plot.row + row) * cells->columns + cells->plot.column + column] |= bits;
}

static void enter_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	struct pen *pen = ctx;
	enter(pen->cells, dot_column / TP_DOT_COLUMNS, dot_row / TP_DOT_ROWS, pen->bit);
}

static void enter_glyph(void *ctx, size_t column, size_t row)
{
	struct pen *pen = ctx;
	enter(pen->cells, column, row, pen->glyph_bits);
}

static void enter_scene(struct tp_board *board)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	struct cells *cells = board->occupied;
	cells->plot = tp_cells_of(&layout->plot);
	for (size_t i = 0; i < scene->n_series; i++) {
		uint64_t bit = series_bit(i);
		bool points = scene->series[i].style == TP_STYLE_DOTS;
		struct pen pen = { cells, bit, bit | (points ? a_point : 0) };
		struct tp_trace trace = { enter_dot, enter_glyph, &pen, false };
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
	const struct tp_canvas_box box = tp_cells_of(rect);
	for (size_t row = box.row; row < box.row + box.rows; row++)
		for (size_t c = box.column; c < box.column + box.columns; c++)
			if (look(cells, c, row) & ~an_edge)
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

/* The cost of a name in the data area: it hides the cells under it and touches those around it. */
static double harm(const struct cells *cells, uint64_t own, size_t column, size_t row,
		   size_t columns)
{
	const uint64_t others = ~(own | cells->theory | a_word | an_edge | a_point);
	double cost = 0;
	if ((look(cells, column - 2, row) | look(cells, column + columns + 1, row)) & a_point)
		cost += near_point;
	for (size_t c = column - 1; c <= column + columns; c++) {
		bool beside = c < column || c == column + columns;
		uint64_t here = look(cells, c, row);
		uint64_t above = look(cells, c, row - 1), below = look(cells, c, row + 1);
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
	return harm(cells, series_bit(label->series), column, row, columns);
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
			uint64_t here = look(cells, c, row) | look(cells, c, row - 1);
			bool under = look(cells, c, row + 1) & own;
			below += under;
			any += under || here & own;
		}
		*at = (double)(column + columns);
		*above_line = below == columns;
		return any == columns;
	}
	for (size_t c = column - 2; c < column + columns + 2; c++)
		if (look(cells, c, row) & own) {
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
			if (look(cells, c, row) & own) {
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
			label.clear_left = !(look(cells, c - 1, row) & ~own);
			label.clear_right = !(look(cells, c + columns, row) & ~own);
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
