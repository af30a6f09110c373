/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

size_t tp_grid_n_rows(const struct tp_grid *grid)
{
	return grid->n_columns ? grid->n / grid->n_columns : 0;
}

struct tp_cell *tp_grid_cell(const struct tp_grid *grid, size_t row, size_t column)
{
	return &grid->cells[row * grid->n_columns + column];
}

size_t tp_grid_section_end(const struct tp_grid *grid, size_t from)
{
	size_t to = from + 1;
	while (to < tp_grid_n_rows(grid) && !tp_grid_cell(grid, to, 0)->is_head)
		to++;
	return to;
}

void tp_grid_init(struct tp_grid *grid, const struct tp_grid_column *columns, size_t n_columns)
{
	*grid = (struct tp_grid){ .columns = columns,
				  .n_columns = TP_MIN(n_columns, (size_t)TP_GRID_COLUMNS_MAX) };
}

static void add_grid_cell(struct tp_grid *grid, struct tp_cell cell)
{
	TP_RESERVE(grid->cells, grid->cap, grid->n + 1);
	grid->cells[grid->n++] = cell;
}

static void add_text_cell(struct tp_grid *grid, enum tp_paint paint, bool is_head, const char *text)
{
	add_grid_cell(grid, (struct tp_cell){
				    .text = tp_strdup(text), .paint = paint, .is_head = is_head });
}

void tp_grid_head(struct tp_grid *grid, const char *text)
{
	add_text_cell(grid, TP_PAINT_HEAD, true, text);
}

void tp_grid_heads(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		tp_grid_head(grid, grid->columns[i].head);
}

void tp_grid_text(struct tp_grid *grid, enum tp_paint paint, const char *text)
{
	add_text_cell(grid, paint, false, text);
}

void tp_grid_again(struct tp_grid *grid, enum tp_paint paint, const char *text, bool again)
{
	add_text_cell(grid, paint, false, text);
	grid->cells[grid->n - 1].again = again;
}

void tp_grid_clean(struct tp_grid *grid, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, text, look);
	tp_grid_text(grid, paint, tp_str_text(&clean));
}

void tp_grid_printf(struct tp_grid *grid, enum tp_paint paint, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_text_cell(grid, paint, false, text);
}

void tp_grid_number(struct tp_grid *grid, enum tp_paint paint, double value, int decimals)
{
	if (!isfinite(value)) {
		add_text_cell(grid, paint, false, "-");
		return;
	}
	add_grid_cell(grid, (struct tp_cell){ .number = value,
					      .decimals = decimals,
					      .paint = paint,
					      .is_number = true });
}

static int decimals_for(double smallest, double largest)
{
	if (!(smallest > 0))
		return 1;
	if (largest >= 10000)
		return smallest < 10 ? 1 : 0;
	return smallest < 0.1 ? 3 : smallest < 10 ? 2 : 1;
}

/* Turns the numbers of one column in rows [from, to) into text. */
static void spell_section(struct tp_grid *grid, size_t column, size_t from, size_t to)
{
	double smallest = INFINITY, largest = 0;
	for (size_t row = from; row < to; row++) {
		const struct tp_cell *cell = tp_grid_cell(grid, row, column);
		double size = fabs(cell->number);
		if (!cell->is_number || size == 0)
			continue;
		smallest = fmin(smallest, size);
		largest = fmax(largest, size);
	}
	int common = decimals_for(isfinite(smallest) ? smallest : 0, largest);
	for (size_t row = from; row < to; row++) {
		struct tp_cell *cell = tp_grid_cell(grid, row, column);
		struct tp_str s = { 0 };
		if (!cell->is_number)
			continue;
		tp_str_printf(&s, "%.*f", cell->decimals < 0 ? common : cell->decimals,
			      cell->number);
		free(cell->text);
		cell->text = tp_str_take(&s);
		cell->is_number = false;
	}
}

void tp_grid_spell(struct tp_grid *grid)
{
	for (size_t from = 0, to; from < tp_grid_n_rows(grid); from = to) {
		to = tp_grid_section_end(grid, from);
		for (size_t column = 0; column < grid->n_columns; column++)
			spell_section(grid, column, from, to);
	}
}

void tp_grid_release(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n; i++)
		free(grid->cells[i].text);
	free(grid->cells);
	*grid = (struct tp_grid){ 0 };
}
