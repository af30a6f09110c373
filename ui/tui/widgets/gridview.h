/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of a report (doc/grid.h) on a screen: its titles, the rows in sight with a cursor, a
 * scroll bar. It is laid out as on a terminal, but that long words are cut.
 */
#ifndef TPROF_UI_TUI_WIDGETS_GRIDVIEW_H
#define TPROF_UI_TUI_WIDGETS_GRIDVIEW_H

#include "doc/grid.h"
#include "doc/terminal.h"
#include "ui/tui/widgets/list.h"

/* Zero-initialise, release after use. An item is a row below the heads, from 0. */
struct tp_gridview {
	struct tp_grid grid;
	struct tp_grid_column columns[TP_GRID_COLUMNS_MAX];
	size_t *items; /* the shown ones, in order */
	struct tp_list list; /* of them */
	struct tp_grid_layout layout;
	int room; /* columns that it is made for */
	int words; /* columns at the left of the titles that the owner has words in */
};

void tp_gridview_release(struct tp_gridview *view);
/*
 * Takes the cells of a grid, which begins with a row of heads, and shows all its rows. The cursor
 * stays on the item that it is on.
 */
void tp_gridview_take(struct tp_gridview *view, struct tp_grid *grid, bool utf8);
/* Shows n items, in this order. The cursor stays on its item, if that is among them. */
void tp_gridview_show(struct tp_gridview *view, const size_t *items, size_t n);
/* The item under the cursor; SIZE_MAX if none. */
size_t tp_gridview_item(const struct tp_gridview *view);
/* The cursor goes to an item, if that is shown. */
void tp_gridview_go(struct tp_gridview *view, size_t item);

/*
 * The titles in the first row of `area`, the rows below. Without `cursor` no row is highlighted,
 * but the list's stays in sight.
 */
void tp_gridview_paint(struct tp_gridview *view, struct tp_area area, bool cursor);
/* The line in which an item was painted last; false if it is out of sight. */
bool tp_gridview_line(const struct tp_gridview *view, size_t item, struct tp_area *line);

#endif
