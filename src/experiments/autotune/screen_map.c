/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configurations of a search as a map: each cell says its percent of the best, colour only says
 * it again.
 */
#include "experiments/autotune/screen.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL_COLUMNS = 6,
	HEAD_ROWS = 1,
	LEGEND_ROWS = 1,
	CELL_COLUMNS_MAX = 9,
	CELL_ROWS_MAX = 3,
	BAR_COLUMNS_MAX = 60,
	VALUE_COLUMNS = 10
};

int tp_autotune_map_rows(const struct tp_autotune_view *view)
{
	return (int)view->heat.n_rows + HEAD_ROWS + LEGEND_ROWS;
}

static enum tp_role cell_role(const struct tp_autotune_view *view, size_t row, size_t column)
{
	enum tp_heat_state state = tp_heat_state_of(&view->search, &view->heat, row, column);
	double share = tp_heat_share(&view->search, &view->heat, row, column);
	if (state == TP_HEAT_BEST)
		return TP_UI_HEAT_BEST;
	if (state == TP_HEAT_FAILED)
		return TP_UI_BAD;
	return isnan(share) ? TP_UI_DIM : TP_UI_HEAT_0 + (enum tp_role)tp_tile_shade(share);
}

/* Cells as large as there is room for, and the part of the map that holds the cursor. */
static void lay_out(struct tp_autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	struct tp_map_place *p = &view->place;
	bool flat = heat->x < 0;
	int room = area.columns - LABEL_COLUMNS - 1, rows = area.rows - HEAD_ROWS - LEGEND_ROWS;
	int widest = room / (int)TP_MAX(heat->n_columns, (size_t)1);
	p->cell_columns = flat		? 5
			  : widest >= 5 ? TP_MIN(widest, (int)CELL_COLUMNS_MAX)
					: tp_heat_cell_columns(heat, room);
	p->cell_rows = flat ? 1 : TP_MAX(TP_MIN(rows / (int)heat->n_rows, (int)CELL_ROWS_MAX), 1);
	/* Cells that are much taller than wide look odd. */
	p->cell_rows = TP_MIN(p->cell_rows, TP_MAX(p->cell_columns / 3, 1));
	p->n_columns = TP_MIN(heat->n_columns, (size_t)TP_MAX(room / p->cell_columns, 1));
	p->n_rows = TP_MIN(heat->n_rows, (size_t)TP_MAX(rows / p->cell_rows, 1));
	p->first_row = TP_MIN(p->first_row, heat->n_rows - p->n_rows);
	p->first_column = TP_MIN(p->first_column, heat->n_columns - p->n_columns);
	p->first_row = TP_MIN(p->first_row, view->row);
	p->first_column = TP_MIN(p->first_column, view->column);
	p->first_row = TP_MAX(p->first_row, view->row + 1 - TP_MIN(p->n_rows, view->row + 1));
	p->first_column =
		TP_MAX(p->first_column, view->column + 1 - TP_MIN(p->n_columns, view->column + 1));
	p->area = tp_area_columns(tp_area_rows(area, HEAD_ROWS, (int)p->n_rows * p->cell_rows),
				  LABEL_COLUMNS, (int)p->n_columns * p->cell_columns + 1);
}

/* Which dimension lies where, and the sizes of the columns. */
static void draw_head(const struct tp_autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	const struct tp_map_place *p = &view->place;
	char size[16];
	int end = 0;
	snprintf(size, sizeof(size), "%c", tp_heat_letter(heat->y));
	tp_paint_right(area, 0, LABEL_COLUMNS - 1, TP_UI_TITLE, size);
	for (size_t c = 0; heat->x >= 0 && c < p->n_columns; c++) {
		int behind = p->cell_columns >= 4 ? 1 : 0;
		int right = LABEL_COLUMNS + ((int)c + 1) * p->cell_columns - behind;
		tp_heat_size(heat->columns[p->first_column + c], size, sizeof(size));
		if (right - (int)strlen(size) < LABEL_COLUMNS + end)
			continue;
		tp_paint_right(area, 0, right, TP_UI_STRONG, size);
		end = right + 1 - LABEL_COLUMNS;
	}
	if (heat->x >= 0) {
		snprintf(size, sizeof(size), "%c", tp_heat_letter(heat->x));
		tp_paint_text(area, 0, LABEL_COLUMNS + (int)p->n_columns * p->cell_columns + 1,
			      TP_UI_TITLE, size);
	}
}

static void draw_cell(const struct tp_autotune_view *view, size_t row, size_t column)
{
	const struct tp_map_place *p = &view->place;
	enum tp_role role = cell_role(view, row, column);
	int at = (int)(column - p->first_column) * p->cell_columns;
	int top = (int)(row - p->first_row) * p->cell_rows, middle = top + (p->cell_rows - 1) / 2;
	char text[TP_TILE_BYTES];
	tp_heat_cell(&view->search, &view->heat, row, column, TP_MIN(p->cell_columns, 5), text);
	if (role != TP_UI_DIM && role != TP_UI_BAD)
		tp_paint_clear(tp_area_columns(tp_area_rows(p->area, top, p->cell_rows), at,
					       p->cell_columns),
			       role);
	tp_paint_right(p->area, middle, at + p->cell_columns, role, text);
}

/*
 * Brackets beside the cell, so that it is seen without colour as well; where there is no blank for
 * them, the look alone.
 */
static void draw_cursor(const struct tp_autotune_view *view)
{
	const struct tp_map_place *p = &view->place;
	int at = (int)(view->column - p->first_column) * p->cell_columns;
	int row = (int)(view->row - p->first_row) * p->cell_rows + (p->cell_rows - 1) / 2;
	if (p->cell_columns < 2) {
		tp_paint_role(p->area, row, at, p->cell_columns, TP_UI_SELECTED);
		return;
	}
	tp_paint_role(p->area, row, at, p->cell_columns, TP_UI_SELECTED);
	tp_paint_text(p->area, row, at, TP_UI_SELECTED, "[");
	tp_paint_text(p->area, row, at + p->cell_columns, TP_UI_SELECTED, "]");
}

/* Where only one size varies, beside each cell the value as a bar. */
static void draw_bar(const struct tp_autotune_view *view, struct tp_area area, size_t row)
{
	const struct tp_map_place *p = &view->place;
	double share = tp_heat_share(&view->search, &view->heat, row, 0);
	int at = LABEL_COLUMNS + p->cell_columns + 2;
	int bar = TP_MIN(area.columns - at - VALUE_COLUMNS - 9, (int)BAR_COLUMNS_MAX);
	int line = HEAD_ROWS + (int)(row - p->first_row) * p->cell_rows;
	long cell = view->heat.cells[row];
	char value[32];
	if (isnan(share) || bar < 8)
		return;
	snprintf(value, sizeof(value), "%.4g", view->search.trials[cell].value);
	tp_paint_right(area, line, at + VALUE_COLUMNS - 2, TP_UI_STRONG, value);
	tp_paint_bar(area, line, at + VALUE_COLUMNS, bar, share, TP_UI_PLOT_SERIES_0);
}

void tp_autotune_map_draw(struct tp_autotune_view *view, struct tp_area area)
{
	const struct tp_heat *heat = &view->heat;
	struct tp_map_place *p = &view->place;
	char size[16];
	if (!heat->n_rows || area.rows < HEAD_ROWS + LEGEND_ROWS + 1)
		return;
	lay_out(view, area);
	draw_head(view, area);
	for (size_t r = p->first_row; r < p->first_row + p->n_rows; r++) {
		int line =
			HEAD_ROWS + (int)(r - p->first_row) * p->cell_rows + (p->cell_rows - 1) / 2;
		tp_heat_size(heat->rows[r], size, sizeof(size));
		tp_paint_right(area, line, LABEL_COLUMNS - 1, TP_UI_STRONG, size);
		for (size_t c = p->first_column; c < p->first_column + p->n_columns; c++)
			draw_cell(view, r, c);
		if (heat->x < 0)
			draw_bar(view, area, r);
	}
	draw_cursor(view);
	int below = HEAD_ROWS + (int)p->n_rows * p->cell_rows;
	tp_paint_text(area, below, 1, TP_UI_DIM, tp_tile_legend(TP_MIN(p->cell_columns, 5)));
}

bool tp_autotune_map_hit(const struct tp_autotune_view *view, int row, int column, size_t *cell_row,
			 size_t *cell_column)
{
	const struct tp_map_place *p = &view->place;
	if (!p->cell_columns || !tp_area_holds(p->area, row, column))
		return false;
	*cell_row = p->first_row + (size_t)((row - p->area.row) / p->cell_rows);
	*cell_column = p->first_column + (size_t)((column - p->area.column) / p->cell_columns);
	return *cell_row < view->heat.n_rows && *cell_column < view->heat.n_columns;
}
