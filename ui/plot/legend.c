/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The legend: inside where the picture is empty, nearest to a corner; else in rows below. */
#include "ui/plot/place.h"
#include "ui/plot/chars.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum { GAP_COLUMNS = 3, MORE_COLUMNS = 10, LABEL_OFFSET = TP_LAYOUT_SAMPLE_COLUMNS + 1 };

/* One entry for all series that look and are called alike. */
static bool is_repeat(const struct tp_scene *scene, size_t series)
{
	const struct tp_series *s = &scene->series[series];
	for (size_t i = 0; i < series; i++) {
		const struct tp_series *t = &scene->series[i];
		if (t->label && strcmp(t->label, s->label) == 0 && t->style == s->style &&
		    t->role == s->role && t->glyph == s->glyph)
			return true;
	}
	return false;
}

enum tp_status tp_legend_collect(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	layout->keys =
		tp_arena_alloc(&layout->arena, (scene->n_series + 1) * sizeof(*layout->keys));
	layout->n_keys = 0;
	layout->legend = (struct tp_layout_rect){ 0 };
	if (!layout->keys)
		return TP_NOMEM;
	for (size_t i = 0; i < scene->n_series; i++) {
		const char *label = scene->series[i].label;
		if (!label || !label[0] || layout->named[i] || is_repeat(scene, i))
			continue;
		size_t columns = LABEL_OFFSET + tp_chars_columns(label);
		layout->keys[layout->n_keys++] =
			(struct tp_layout_key){ .series = i,
						.columns = TP_MIN(columns, layout->columns) };
	}
	return TP_OK;
}

static bool is_empty(const struct tp_board *board, const struct tp_layout_rect *box)
{
	const struct tp_layout_rect *plot = &board->layout->plot;
	for (size_t row = box->row; row < box->row + box->rows; row++)
		for (size_t c = box->column; c < box->column + box->columns; c++) {
			size_t cell = (row - plot->row) * plot->columns + (c - plot->column);
			if ((board->lines[cell] & ~TP_BOARD_EDGE) ||
			    board->taken[row * board->layout->columns + c])
				return false;
		}
	return true;
}

bool tp_legend_inside(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_layout_rect *plot = &layout->plot;
	/* A blank column on each side belongs to the box. */
	struct tp_layout_rect box = { .rows = layout->n_keys };
	for (size_t i = 0; i < layout->n_keys; i++)
		box.columns = TP_MAX(box.columns, layout->keys[i].columns + 2);
	if (box.columns * 2 > plot->columns || box.rows * 2 > plot->rows)
		return false;
	double best = INFINITY;
	size_t to_right = plot->columns - box.columns, to_bottom = plot->rows - box.rows;
	for (size_t down = 0; down <= to_bottom; down++)
		for (size_t right = 0; right <= to_right; right++) {
			/* Rows count double, as cells are twice as high as wide; ties go to the upper right. */
			double cost = (double)TP_MIN(right, to_right - right) +
				      2 * (double)TP_MIN(down, to_bottom - down) +
				      (right * 2 < to_right ? 0.5 : 0) +
				      (down * 2 > to_bottom ? 0.25 : 0);
			if (cost >= best)
				continue;
			box.column = plot->column + right;
			box.row = plot->row + down;
			if (!is_empty(board, &box))
				continue;
			best = cost;
			layout->legend = box;
		}
	if (!layout->legend.columns)
		return false;
	for (size_t i = 0; i < layout->n_keys; i++) {
		layout->keys[i].column = layout->legend.column + 1;
		layout->keys[i].row = layout->legend.row + i;
	}
	return true;
}

/* Entries in columns of equal width, so that rows line up. */
static size_t entries_a_row(const struct tp_layout *layout, size_t *width)
{
	*width = 1;
	for (size_t i = 0; i < layout->n_keys; i++)
		*width = TP_MAX(*width, layout->keys[i].columns);
	return TP_MAX(1, (layout->columns + GAP_COLUMNS) / (*width + GAP_COLUMNS));
}

/* One row if all fit with their own widths. */
static size_t single_row_columns(const struct tp_layout *layout)
{
	size_t columns = 0;
	for (size_t i = 0; i < layout->n_keys; i++)
		columns += layout->keys[i].columns + (i ? GAP_COLUMNS : 0);
	return columns;
}

size_t tp_legend_rows(const struct tp_board *board)
{
	size_t width;
	if (single_row_columns(board->layout) <= board->layout->columns)
		return 1;
	size_t a_row = entries_a_row(board->layout, &width);
	return (board->layout->n_keys + a_row - 1) / a_row;
}

static size_t centred(const struct tp_layout *layout, size_t columns)
{
	const struct tp_layout_rect *plot = &layout->plot;
	size_t column = plot->column + plot->columns / 2;
	column = column > columns / 2 ? column - columns / 2 : 0;
	return TP_MIN(column, layout->columns - TP_MIN(columns, layout->columns));
}

/* All entries in rows of one width; false if the rows do not hold them. */
static bool place_in_columns(struct tp_layout *layout, size_t row, size_t rows)
{
	size_t width, a_row = entries_a_row(layout, &width);
	if (layout->n_keys > a_row * rows)
		return false;
	size_t columns = TP_MIN(a_row, layout->n_keys) * (width + GAP_COLUMNS) - GAP_COLUMNS;
	size_t left = centred(layout, columns);
	for (size_t i = 0; i < layout->n_keys; i++) {
		layout->keys[i].column = left + i % a_row * (width + GAP_COLUMNS);
		layout->keys[i].row = row + i / a_row;
	}
	return true;
}

/* As many as there is room for, and in the last row how many there is none for. */
static enum tp_status place_some(struct tp_board *board, size_t row, size_t rows)
{
	struct tp_layout *layout = board->layout;
	size_t column = 0, shown = 0;
	size_t last_row = row + rows - 1;
	for (; shown < layout->n_keys; shown++) {
		struct tp_layout_key *key = &layout->keys[shown];
		size_t kept = row == last_row ? MORE_COLUMNS + GAP_COLUMNS : 0;
		if (column && column + key->columns + kept > layout->columns) {
			if (row == last_row)
				break;
			row++;
			column = 0;
			kept = row == last_row ? MORE_COLUMNS + GAP_COLUMNS : 0;
		}
		key->columns = TP_MIN(key->columns, layout->columns - kept);
		key->column = column;
		key->row = row;
		column += key->columns + GAP_COLUMNS;
	}
	size_t left_out = layout->n_keys - shown;
	layout->n_keys = shown;
	if (!left_out)
		return TP_OK;
	struct tp_str more = { 0 };
	tp_str_printf(&more, "+%zu more", left_out);
	char *text = more.oom ? NULL : tp_arena_strdup(&layout->arena, tp_str_text(&more));
	tp_str_release(&more);
	if (!text)
		return TP_NOMEM;
	tp_board_add(board, text, column, row, TP_MIN(strlen(text), layout->columns - column),
		     TP_ROLE_AXIS);
	return TP_OK;
}

enum tp_status tp_legend_below(struct tp_board *board, size_t row, size_t rows)
{
	struct tp_layout *layout = board->layout;
	size_t columns = single_row_columns(layout);
	if (columns > layout->columns)
		return place_in_columns(layout, row, rows) ? TP_OK : place_some(board, row, rows);
	size_t column = centred(layout, columns);
	for (size_t i = 0; i < layout->n_keys; i++) {
		layout->keys[i].column = column;
		layout->keys[i].row = row;
		column += layout->keys[i].columns + GAP_COLUMNS;
	}
	return TP_OK;
}
