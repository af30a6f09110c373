/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/gridview.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tp_gridview_release(struct tp_gridview *view)
{
	tp_grid_release(&view->grid);
	free(view->items);
	*view = (struct tp_gridview){ 0 };
}

void tp_gridview_take(struct tp_gridview *view, struct tp_grid *grid, bool utf8)
{
	tp_grid_spell(grid, &(struct tp_look){ .utf8 = utf8 });
	const size_t rows = tp_grid_n_rows(grid), n = rows ? rows - 1 : 0;
	TP_FREE size_t *all = tp_alloc(n + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		all[i] = i;
	memcpy(view->columns, grid->columns, grid->n_columns * sizeof(*grid->columns));
	tp_grid_release(&view->grid);
	view->grid = *grid;
	view->grid.columns = view->columns;
	*grid = (struct tp_grid){ 0 };
	view->room = 0;
	tp_gridview_show(view, all, n);
}

void tp_gridview_show(struct tp_gridview *view, const size_t *items, size_t n)
{
	const size_t item = tp_gridview_item(view);
	view->items = tp_realloc(view->items, n + 1, sizeof(*items));
	memcpy(view->items, items, n * sizeof(*items));
	tp_list_resize(&view->list, n);
	tp_gridview_go(view, item);
}

size_t tp_gridview_item(const struct tp_gridview *view)
{
	return view->list.at < view->list.n ? view->items[view->list.at] : SIZE_MAX;
}

void tp_gridview_go(struct tp_gridview *view, size_t item)
{
	for (size_t i = 0; i < view->list.n; i++)
		if (view->items[i] == item)
			view->list.at = i;
}

struct painting {
	const struct tp_gridview *view;
	bool cursor;
};

/* The cells of a row of the grid that begin in column `from` or later. */
static void paint_cells(const struct tp_gridview *view, struct tp_area line, size_t row, int from,
			bool selected)
{
	const struct tp_grid *grid = &view->grid;
	int at = 0;
	for (size_t i = 0; i < grid->n_columns; i++) {
		const struct tp_cell *cell = tp_grid_cell(grid, row, i);
		const bool last = i == view->layout.last;
		const int width = last ? line.columns - at : (int)view->layout.width[i];
		const bool right = grid->columns[i].align == TP_RIGHT;
		if (view->layout.gone[i])
			continue;
		if (at >= from)
			tp_paint_column(line, 0, at, right ? (int)view->layout.width[i] : width,
					right,
					selected ? TP_UI_SELECTED : tp_theme_paint(cell->paint),
					cell->text);
		at += width + TP_GRID_GAP;
	}
}

static void paint_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct painting *painting = context;
	const bool here = selected && painting->cursor;
	if (selected && !here)
		tp_paint_clear(line, TP_UI_PLAIN);
	paint_cells(painting->view, line, painting->view->items[i] + 1, 0, here);
}

void tp_gridview_paint(struct tp_gridview *view, struct tp_area area, bool cursor)
{
	const struct tp_area rows = tp_area_rows(area, 1, area.rows - 1);
	const struct tp_area left = tp_area_columns(rows, 0, rows.columns - 1);
	const struct painting painting = { view, cursor };
	if (!tp_grid_n_rows(&view->grid))
		return;
	if (view->room != left.columns)
		tp_grid_fit(&view->grid, (size_t)TP_MAX(left.columns, 0), true, &view->layout);
	view->room = left.columns;
	paint_cells(view, tp_area_rows(area, 0, 1), 0, view->words, false);
	tp_list_paint(&view->list, left, paint_row, (void *)&painting);
	tp_list_paint_bar(&view->list, rows);
}

bool tp_gridview_line(const struct tp_gridview *view, size_t item, struct tp_area *line)
{
	const struct tp_list *list = &view->list;
	for (size_t i = list->top; i < list->n && i < list->top + (size_t)list->rows; i++)
		if (view->items[i] == item) {
			*line = tp_area_rows(list->area, (int)(i - list->top), 1);
			return true;
		}
	return false;
}
