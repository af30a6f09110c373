/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every possible place of a name gets a cost in "annoyance": what it hides, what it could be mistaken for, how far it
 * is from where one looks first. The least one wins; a name that would do more harm than good is left to the legend.
 */
#include "ui/plot/place.h"
#include "ui/plot/canvas.h"
#include "ui/plot/chars.h"
#include "ui/plot/trace.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* Costs of one cell of a name's surroundings. */
static const double hides_point = 100, hides_other_line = 14, hides_theory = 5, hides_edge = 4,
		    hides_own_line = 1;
static const double touches_point = 8, touches_other_line = 4, near_point = 2, near_word = 0.2;
static const double near_other_line = 1.2; /* a line in the row above or below a name */
static const double off_line = 3; /* a level line is named above, not through or below it */
static const double far_from_best = 7; /* from one end of the line to the other */
static const double too_much = 45; /* three cells of another line */
static const double at_its_end =
	0.12; /* a rising roof is not named so near to its ends: there it meets others */

static size_t cell_index(const struct tp_layout_rect *plot, size_t column, size_t row)
{
	return (row - plot->row) * plot->columns + (column - plot->column);
}

static bool in_plot(const struct tp_layout_rect *plot, size_t column, size_t row)
{
	return column >= plot->column && column < plot->column + plot->columns &&
	       row >= plot->row && row < plot->row + plot->rows;
}

static uint64_t lines_at(const struct tp_board *board, size_t column, size_t row)
{
	const struct tp_layout_rect *plot = &board->layout->plot;
	return in_plot(plot, column, row) ? board->lines[cell_index(plot, column, row)] : 0;
}

static bool is_taken(const struct tp_board *board, size_t column, size_t row)
{
	return in_plot(&board->layout->plot, column, row) &&
	       board->taken[row * board->layout->columns + column];
}

static uint64_t series_bit(size_t series)
{
	return UINT64_C(1) << series % 62;
}

enum tp_status tp_board_init(struct tp_board *board, const struct tp_scene *scene,
			     struct tp_layout *layout)
{
	/* Ticks of both axes, title, two axis labels, marks and series. */
	size_t max = layout->columns + layout->rows + 3 + scene->n_marks + scene->n_series;
	*board = (struct tp_board){ .scene = scene, .layout = layout, .labels_max = max };
	board->taken = tp_arena_alloc(&layout->arena, layout->columns * layout->rows);
	layout->labels = tp_arena_alloc(&layout->arena, max * sizeof(*layout->labels));
	layout->n_labels = 0;
	return board->taken && layout->labels ? TP_OK : TP_NOMEM;
}

struct pen {
	struct tp_board *board;
	uint64_t bit;
	bool points;
};

static void enter_dot(void *ctx, size_t dot_column, size_t dot_row)
{
	struct pen *pen = ctx;
	size_t columns = pen->board->layout->plot.columns;
	pen->board->lines[dot_row / TP_DOT_ROWS * columns + dot_column / TP_DOT_COLUMNS] |=
		pen->bit;
}

static void enter_glyph(void *ctx, size_t column, size_t row)
{
	struct pen *pen = ctx;
	size_t columns = pen->board->layout->plot.columns;
	pen->board->lines[row * columns + column] |= pen->bit | (pen->points ? TP_BOARD_POINT : 0);
}

enum tp_status tp_board_enter_lines(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_layout_rect *plot = &layout->plot;
	board->lines =
		tp_arena_alloc(&layout->arena, plot->columns * plot->rows * sizeof(*board->lines));
	if (!board->lines)
		return TP_NOMEM;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		bool points = board->scene->series[i].style == TP_STYLE_DOTS;
		struct pen pen = { board, series_bit(i), points };
		struct tp_trace trace = { enter_dot, enter_glyph, &pen, false };
		if (board->scene->series[i].role == TP_ROLE_THEORY)
			board->theory |= pen.bit;
		tp_trace_series(layout, board->scene, i, &trace);
	}
	for (size_t i = 0; i < board->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &board->scene->marks[i];
		size_t column, row;
		double y = mark->at_point ? mark->y : layout->y.min;
		if (!tp_trace_dot(layout, mark->x, y, &column, &row))
			continue;
		column /= TP_DOT_COLUMNS;
		row /= TP_DOT_ROWS;
		if (mark->at_point)
			board->lines[row * plot->columns + column] |= TP_BOARD_POINT;
		else
			for (row = 0; row < plot->rows; row++)
				board->lines[row * plot->columns + column] |= TP_BOARD_EDGE;
	}
	return TP_OK;
}

bool tp_board_is_free(const struct tp_board *board, size_t column, size_t row, size_t columns)
{
	const struct tp_layout *layout = board->layout;
	if (row >= layout->rows || columns > layout->columns || column > layout->columns - columns)
		return false;
	size_t first = column ? column - 1 : 0;
	size_t end = TP_MIN(column + columns + 1, layout->columns);
	return !memchr(board->taken + row * layout->columns + first, 1, end - first);
}

struct tp_layout_label *tp_board_add(struct tp_board *board, const char *text, size_t column,
				     size_t row, size_t columns, enum tp_plot_role role)
{
	struct tp_layout *layout = board->layout;
	if (layout->n_labels == board->labels_max || !columns)
		return NULL;
	memset(board->taken + row * layout->columns + column, 1, columns);
	struct tp_layout_label *label = &layout->labels[layout->n_labels++];
	*label = (struct tp_layout_label){
		.text = text, .column = column, .row = row, .columns = columns, .role = role
	};
	return label;
}

/* Cost of hiding what lies under a name inside the data area and of touching what is beside it; infinite: impossible. */
static double cost_of_cells(const struct tp_board *board, uint64_t own, size_t column, size_t row,
			    size_t columns)
{
	const struct tp_layout_rect *plot = &board->layout->plot;
	if (!in_plot(plot, column, row) || !in_plot(plot, column + columns - 1, row) ||
	    !tp_board_is_free(board, column, row, columns))
		return INFINITY;
	const uint64_t others = ~(own | board->theory | TP_BOARD_EDGE | TP_BOARD_POINT);
	double cost = 0;
	if ((lines_at(board, column - 2, row) | lines_at(board, column + columns + 1, row)) &
	    TP_BOARD_POINT)
		cost += near_point;
	for (size_t c = column - 1; c <= column + columns; c++) {
		bool beside = c < column || c == column + columns;
		uint64_t here = lines_at(board, c, row);
		uint64_t above = lines_at(board, c, row - 1), below = lines_at(board, c, row + 1);
		cost += near_word * (is_taken(board, c, row - 1) + is_taken(board, c, row + 1));
		if ((above | below) & TP_BOARD_POINT)
			cost += near_point;
		if (here & TP_BOARD_POINT)
			cost += beside ? touches_point : hides_point;
		/* Where lines coincide a name hides no more than its own. */
		if (here & own)
			cost += beside ? 0 : hides_own_line;
		else if (here & others)
			cost += beside ? touches_other_line : hides_other_line;
		else if (here & board->theory)
			cost += beside ? 0 : hides_theory;
		if (here & TP_BOARD_EDGE && !beside)
			cost += hides_edge;
		if ((above & others && !(above & own)) || (below & others && !(below & own)))
			cost += near_other_line;
	}
	return cost;
}

/*
 * Whether a name lies at its line, and where along it. A level line is named over, under or on itself; `at` is the right
 * end. A rising one beside or on itself in the same row; `at` is where the row meets the line.
 */
struct attachment {
	bool found, above_line;
	double at;
};

static struct attachment attach_level(const struct tp_board *board, uint64_t own, size_t column,
				      size_t row, size_t columns)
{
	size_t below = 0, any = 0;
	for (size_t c = column; c < column + columns; c++) {
		bool under = lines_at(board, c, row + 1) & own;
		below += under;
		any += under || ((lines_at(board, c, row) | lines_at(board, c, row - 1)) & own);
	}
	return (struct attachment){ any == columns, below == columns, (double)(column + columns) };
}

static struct attachment attach_rising(const struct tp_board *board, uint64_t own, size_t column,
				       size_t row, size_t columns)
{
	size_t n = 0;
	double sum = 0;
	for (size_t c = column - 2; c < column + columns + 2; c++)
		if (lines_at(board, c, row) & own) {
			n++;
			sum += (double)c;
		}
	return (struct attachment){ n > 0, true, n ? sum / (double)n : 0 };
}

static void place_roof(struct tp_board *board, size_t series)
{
	struct tp_layout *layout = board->layout;
	const struct tp_layout_rect *plot = &layout->plot;
	const struct tp_series *s = &board->scene->series[series];
	uint64_t own = series_bit(series);
	size_t left = SIZE_MAX, right = 0, top = SIZE_MAX, bottom = 0;
	for (size_t row = plot->row; row < plot->row + plot->rows; row++)
		for (size_t c = plot->column; c < plot->column + plot->columns; c++)
			if (lines_at(board, c, row) & own) {
				left = TP_MIN(left, c);
				right = TP_MAX(right, c);
				top = TP_MIN(top, row);
				bottom = TP_MAX(bottom, row);
			}
	size_t columns = tp_chars_columns(s->label);
	if (left > right || columns + 2 > plot->columns)
		return;
	bool level = top == bottom;
	/* Level roofs are named at their right end, rising ones in the lower half, where they lie apart. */
	double best_at = level ? 1 : 0.4;
	double best = too_much;
	size_t best_column = 0, best_row = 0;
	for (size_t row = plot->row; row < plot->row + plot->rows; row++)
		for (size_t c = plot->column + 1; c + columns < plot->column + plot->columns; c++) {
			struct attachment to = level ? attach_level(board, own, c, row, columns)
						     : attach_rising(board, own, c, row, columns);
			double at = (to.at - (double)left) / (double)(right - left + 1);
			if (!to.found || (!level && (at < at_its_end || at > 1 - at_its_end)))
				continue;
			double cost =
				far_from_best * fabs(at - best_at) + (to.above_line ? 0 : off_line);
			if (cost < best)
				cost += cost_of_cells(board, own, c, row, columns);
			if (cost < best) {
				best = cost;
				best_column = c;
				best_row = row;
			}
		}
	if (best >= too_much)
		return;
	struct tp_layout_label *label =
		tp_board_add(board, s->label, best_column, best_row, columns, s->role);
	if (!label)
		return;
	label->clear_left = !(lines_at(board, best_column - 1, best_row) & ~own);
	label->clear_right = !(lines_at(board, best_column + columns, best_row) & ~own);
	layout->named[series] = true;
}

static bool is_roof(const struct tp_scene *scene, size_t series)
{
	const struct tp_series *s = &scene->series[series];
	if (!s->label || !s->label[0] || s->n < 2 || s->n > TP_ROOF_POINTS)
		return false;
	if (s->style != TP_STYLE_SOLID && s->style != TP_STYLE_DASHED)
		return false;
	for (size_t i = 0; i < scene->n_series; i++)
		if (i != series && scene->series[i].label &&
		    strcmp(scene->series[i].label, s->label) == 0)
			return false;
	return true;
}

void tp_place_roofs(struct tp_board *board)
{
	for (size_t i = 0; i < board->scene->n_series; i++) {
		board->layout->named[i] = false;
		if (is_roof(board->scene, i))
			place_roof(board, i);
	}
}

/* Centred over its edge as far as the picture and its neighbours allow, but always over it. */
static bool place_above(struct tp_board *board, const char *text, size_t at, size_t header)
{
	size_t columns = tp_chars_columns(text);
	for (size_t off = 0; off <= columns / 2; off++)
		for (int side = -1; side <= 1; side += 2) {
			size_t shift = columns / 2 + (side < 0 ? off : 0);
			size_t column = at + (side > 0 ? off : 0);
			if (column < shift || column - shift > at)
				continue;
			if (tp_board_is_free(board, column - shift, header, columns)) {
				tp_board_add(board, text, column - shift, header, columns,
					     TP_ROLE_MARK);
				return true;
			}
		}
	return false;
}

static void place_beside(struct tp_board *board, const char *text, size_t column, size_t row,
			 bool anywhere_below)
{
	const struct tp_layout_rect *plot = &board->layout->plot;
	size_t columns = tp_chars_columns(text);
	double best = too_much;
	size_t best_column = 0, best_row = 0;
	size_t first = anywhere_below || row == plot->row ? row : row - 1;
	size_t end = anywhere_below ? plot->row + plot->rows : row + 2;
	for (size_t r = first; r < end; r++) {
		/* Right, left, and in the rows around a point also centred. */
		size_t starts[] = { column + 2, column - columns - 1, column - columns / 2 };
		size_t n = anywhere_below || r == row ? 2 : 3;
		for (size_t i = 0; i < n; i++) {
			double away = anywhere_below ? (double)(r - row) * 0.5 : r == row ? 0 : 1;
			double cost = cost_of_cells(board, 0, starts[i], r, columns) + away +
				      (double)i * 0.1;
			if (cost < best) {
				best = cost;
				best_column = starts[i];
				best_row = r;
			}
		}
	}
	if (best < too_much)
		tp_board_add(board, text, best_column, best_row, columns, TP_ROLE_MARK);
}

void tp_place_marks(struct tp_board *board, size_t header)
{
	const struct tp_layout *layout = board->layout;
	for (size_t i = 0; i < board->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &board->scene->marks[i];
		size_t column, row;
		double y = mark->at_point ? mark->y : layout->y.max;
		if (!mark->label || !mark->label[0] ||
		    !tp_trace_dot(layout, mark->x, y, &column, &row))
			continue;
		column = layout->plot.column + column / TP_DOT_COLUMNS;
		row = layout->plot.row + row / TP_DOT_ROWS;
		if (mark->at_point || !place_above(board, mark->label, column, header))
			place_beside(board, mark->label, column, row, !mark->at_point);
	}
}
