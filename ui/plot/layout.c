/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the top: title, a row for the y axis' label and the names of cache edges, the data area with its axes, tick
 * labels, the x axis' label, the legend if it found no place inside. Small pictures share rows.
 */
#include "ui/plot/layout.h"
#include "ui/plot/canvas.h"
#include "ui/plot/chars.h"
#include "ui/plot/place.h"
#include "ui/plot/trace.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum {
	ROWS_ROOMY = 16, /* from here on no rows are shared */
	COLUMNS_ROOMY = 60,
	PLOT_ROWS_MIN = 4,
	Y_LABEL_GAP = 2, /* rows from one y tick label to the next */
	X_LABEL_SPACE = 2, /* blanks between two x tick labels */
	PASSES_MAX = 4
};

struct frame {
	size_t title, header, axis, ticks, x_label, legend; /* rows */
	bool has_title, has_header, y_label_in_title, x_label_in_ticks;
};

static bool has_text(const char *text)
{
	return text && text[0];
}

static void frame_rows(const struct tp_scene *scene, struct tp_layout *layout, size_t legend_rows,
		       struct frame *f)
{
	bool edges = false;
	for (size_t i = 0; i < scene->n_marks; i++)
		edges |= !scene->marks[i].at_point && has_text(scene->marks[i].label);
	bool roomy = layout->rows >= ROWS_ROOMY;
	*f = (struct frame){ 0 };
	f->has_title = has_text(scene->title);
	f->y_label_in_title = f->has_title && !roomy && !edges;
	f->has_header = edges || (has_text(scene->y.label) && !f->y_label_in_title);
	f->x_label_in_ticks = !roomy;
	size_t top = (size_t)f->has_title + f->has_header;
	f->header = f->has_header ? top - 1 : 0;
	size_t bottom = 2 + legend_rows + (has_text(scene->x.label) && !f->x_label_in_ticks);
	layout->plot.row = top;
	layout->plot.rows = layout->rows - top - bottom;
	f->axis = top + layout->plot.rows;
	f->ticks = f->axis + 1;
	f->x_label = f->x_label_in_ticks ? f->ticks : f->ticks + 1;
	f->legend = layout->rows - legend_rows;
}

static size_t widest(const struct tp_tick *ticks, size_t n)
{
	size_t columns = 0;
	for (size_t i = 0; i < n; i++)
		columns = TP_MAX(columns, strlen(ticks[i].label));
	return columns;
}

/* Cell of a tick in the data area; the same rounding as the points'. */
static bool tick_cell(const struct tp_layout *layout, const struct tp_scale *scale, double value,
		      bool upward, size_t *cell)
{
	double place = tp_scale_place(scale, value);
	if (!(place >= -1e-9 && place <= 1 + 1e-9))
		return false;
	place = fmin(fmax(upward ? 1 - place : place, 0), 1);
	size_t cells = upward ? layout->plot.rows : layout->plot.columns;
	size_t dots = upward ? TP_DOT_ROWS : TP_DOT_COLUMNS;
	*cell = (size_t)lround(place * (double)(cells * dots - 1)) / dots;
	return true;
}

/* Keeps one tick a cell, labelled ones first. */
static size_t add_tick(struct tp_layout_tick *ticks, size_t n, size_t cell, bool labelled)
{
	if (n && ticks[n - 1].cell == cell) {
		ticks[n - 1].labelled |= labelled;
		return n;
	}
	ticks[n] = (struct tp_layout_tick){ cell, labelled };
	return n + 1;
}

static enum tp_status frame_y(struct tp_board *board, struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	struct tp_layout_rect *plot = &layout->plot;
	size_t n = tp_scale_ticks(&layout->y, plot->rows, Y_LABEL_GAP, ticks, TP_LAYOUT_TICKS_MAX);
	size_t width = widest(ticks, n);
	size_t space = layout->columns >= COLUMNS_ROOMY ? 1 : 0;
	size_t right = layout->columns >= COLUMNS_ROOMY ? 2 : 1; /* half of the last x label */
	plot->column = width + space + 1;
	plot->columns = layout->columns - plot->column - right;
	layout->y_ticks = tp_arena_alloc(&layout->arena, (n + 1) * sizeof(*layout->y_ticks));
	layout->n_y_ticks = 0;
	if (!layout->y_ticks)
		return TP_NOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t row, columns = strlen(ticks[i].label);
		if (!tick_cell(layout, &layout->y, ticks[i].value, true, &row))
			continue;
		row += plot->row;
		bool labelled = columns && tp_board_is_free(board, width - columns, row, columns);
		if (labelled) {
			const char *text = tp_arena_strdup(&layout->arena, ticks[i].label);
			if (!text)
				return TP_NOMEM;
			tp_board_add(board, text, width - columns, row, columns, TP_ROLE_AXIS);
		}
		layout->n_y_ticks = add_tick(layout->y_ticks, layout->n_y_ticks, row, labelled);
	}
	return TP_OK;
}

/* Labels as dense as their own width allows. */
static size_t x_ticks(const struct tp_layout *layout, struct tp_tick *ticks)
{
	size_t gap = X_LABEL_SPACE + 1, n = 0;
	for (int i = 0; i < PASSES_MAX; i++) {
		n = tp_scale_ticks(&layout->x, layout->plot.columns, gap, ticks,
				   TP_LAYOUT_TICKS_MAX);
		size_t need = widest(ticks, n) + X_LABEL_SPACE;
		if (need <= gap)
			break;
		gap = need;
	}
	return n;
}

static enum tp_status frame_x(struct tp_board *board, const struct frame *f, struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	size_t n = x_ticks(layout, ticks);
	layout->x_ticks = tp_arena_alloc(&layout->arena, (n + 1) * sizeof(*layout->x_ticks));
	layout->n_x_ticks = 0;
	if (!layout->x_ticks)
		return TP_NOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t cell, columns = strlen(ticks[i].label);
		if (!tick_cell(layout, &layout->x, ticks[i].value, false, &cell))
			continue;
		cell += layout->plot.column;
		size_t start = cell - TP_MIN(cell, columns / 2);
		start = TP_MIN(start, layout->columns - columns);
		/* Pushed in by the border it may be one off its tick, not more. */
		bool near = start + columns / 2 + 1 >= cell && start + columns / 2 <= cell + 1;
		bool labelled =
			columns && near && tp_board_is_free(board, start, f->ticks, columns);
		if (labelled) {
			const char *text = tp_arena_strdup(&layout->arena, ticks[i].label);
			if (!text)
				return TP_NOMEM;
			tp_board_add(board, text, start, f->ticks, columns, TP_ROLE_AXIS);
		}
		layout->n_x_ticks = add_tick(layout->x_ticks, layout->n_x_ticks, cell, labelled);
	}
	return TP_OK;
}

static void frame_words(struct tp_board *board, const struct frame *f)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_layout_rect *plot = &layout->plot;
	size_t title_from = 0;
	if (has_text(scene->y.label)) {
		size_t columns = tp_chars_columns(scene->y.label);
		size_t most = f->y_label_in_title ? layout->columns / 3 : layout->columns;
		columns = TP_MIN(columns, most);
		tp_board_add(board, scene->y.label, 0, f->y_label_in_title ? f->title : f->header,
			     columns, TP_ROLE_AXIS);
		if (f->y_label_in_title)
			title_from = columns + 2;
	}
	if (f->has_title) {
		size_t columns =
			TP_MIN(tp_chars_columns(scene->title), layout->columns - title_from);
		size_t middle = plot->column + plot->columns / 2;
		size_t column = middle > columns / 2 ? middle - columns / 2 : 0;
		column = TP_MIN(TP_MAX(column, title_from), layout->columns - columns);
		tp_board_add(board, scene->title, column, f->title, columns, TP_ROLE_TITLE);
	}
	if (has_text(scene->x.label)) {
		size_t most = f->x_label_in_ticks ? layout->columns / 3 : layout->columns;
		size_t columns = TP_MIN(tp_chars_columns(scene->x.label), most);
		size_t column = layout->columns - columns;
		if (!f->x_label_in_ticks) {
			size_t middle = plot->column + plot->columns / 2;
			column = TP_MIN(column, middle > columns / 2 ? middle - columns / 2 : 0);
		}
		tp_board_add(board, scene->x.label, column, f->x_label, columns, TP_ROLE_AXIS);
	}
}

/* One attempt with so many rows kept for the legend. */
static enum tp_status attempt(struct tp_board *board, struct frame *f, size_t legend_rows,
			      struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	enum tp_status status = tp_board_init(board, board->scene, layout);
	if (status != TP_OK)
		return status;
	frame_rows(board->scene, layout, legend_rows, f);
	status = frame_y(board, ticks);
	if (status != TP_OK)
		return status;
	frame_words(board, f);
	status = frame_x(board, f, ticks);
	if (status == TP_OK)
		status = tp_board_enter_lines(board);
	if (status != TP_OK)
		return status;
	tp_place_marks(board, f->has_header ? f->header : layout->plot.row);
	tp_place_roofs(board);
	return tp_legend_collect(board);
}

enum tp_status tp_layout_make(const struct tp_scene *scene, size_t columns, size_t rows,
			      struct tp_layout *layout)
{
	*layout = (struct tp_layout){ .columns = columns, .rows = rows };
	if (columns < TP_PLOT_COLUMNS_MIN || rows < TP_PLOT_ROWS_MIN ||
	    columns > TP_PLOT_CELLS_MAX || rows > TP_PLOT_CELLS_MAX / columns)
		return TP_USAGE;
	tp_scale_fit(scene, &layout->x, &layout->y);
	enum tp_status status = TP_NOMEM;
	struct tp_tick *ticks =
		tp_arena_alloc(&layout->arena, TP_LAYOUT_TICKS_MAX * sizeof(*ticks));
	layout->named = tp_arena_alloc(&layout->arena, scene->n_series + 1);
	if (!ticks || !layout->named)
		goto out;
	struct tp_board board = { .scene = scene, .layout = layout };
	struct frame f;
	size_t legend_rows = 0;
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		status = attempt(&board, &f, legend_rows, ticks);
		if (status != TP_OK || !layout->n_keys ||
		    (!legend_rows && tp_legend_inside(&board)))
			goto out;
		size_t most = TP_MAX(
			1, TP_MIN(rows / 5, layout->plot.rows + legend_rows - PLOT_ROWS_MIN));
		size_t need = TP_MIN(tp_legend_rows(&board), most);
		if (need <= legend_rows)
			break;
		legend_rows = need;
	}
	status = tp_legend_below(&board, f.legend, legend_rows);
out:
	if (status != TP_OK)
		tp_layout_release(layout);
	return status;
}

void tp_layout_release(struct tp_layout *layout)
{
	tp_arena_release(&layout->arena);
	*layout = (struct tp_layout){ 0 };
}
