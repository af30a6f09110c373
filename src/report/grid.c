/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/grid.h"
#include "base/memory.h"
#include "report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, LAST_MIN = 16, MAX_COLUMNS = TP_GRID_COLUMNS_MAX };

void tp_grid_init(struct tp_grid *grid, const struct tp_grid_column *columns, size_t n_columns)
{
	*grid = (struct tp_grid){ .columns = columns,
				  .n_columns = TP_MIN(n_columns, (size_t)MAX_COLUMNS) };
}

static void add(struct tp_grid *grid, struct tp_cell cell)
{
	if (tp_vec_reserve((void **)&grid->cells, &grid->cap, grid->n + 1, sizeof(cell)) != TP_OK) {
		free(cell.text);
		grid->oom = true;
		return;
	}
	grid->cells[grid->n++] = cell;
}

static void add_text(struct tp_grid *grid, enum tp_paint paint, bool is_head, const char *text)
{
	char *copy = strdup(text);
	if (!copy)
		grid->oom = true;
	add(grid, (struct tp_cell){ .text = copy, .paint = paint, .is_head = is_head });
}

void tp_grid_head(struct tp_grid *grid, const char *text)
{
	add_text(grid, TP_PAINT_HEAD, true, text);
}

void tp_grid_heads(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		tp_grid_head(grid, grid->columns[i].head);
}

void tp_grid_text(struct tp_grid *grid, enum tp_paint paint, const char *text)
{
	add_text(grid, paint, false, text);
}

void tp_grid_again(struct tp_grid *grid, enum tp_paint paint, const char *text, bool again)
{
	size_t before = grid->n;
	add_text(grid, paint, false, text);
	if (grid->n > before)
		grid->cells[before].again = again;
}

void tp_grid_clean(struct tp_grid *grid, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, text, look);
	tp_grid_text(grid, paint, tp_str_text(&clean));
	grid->oom |= clean.oom;
	tp_str_release(&clean);
}

void tp_grid_printf(struct tp_grid *grid, enum tp_paint paint, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_text(grid, paint, false, text);
}

void tp_grid_number(struct tp_grid *grid, enum tp_paint paint, double value, int decimals)
{
	if (!isfinite(value)) {
		add_text(grid, paint, false, "-");
		return;
	}
	add(grid,
	    (struct tp_cell){
		    .number = value, .decimals = decimals, .paint = paint, .is_number = true });
}

static size_t rows_of(const struct tp_grid *grid)
{
	return grid->n / grid->n_columns;
}

static struct tp_cell *cell_at(const struct tp_grid *grid, size_t row, size_t column)
{
	return &grid->cells[row * grid->n_columns + column];
}

static bool is_head_row(const struct tp_grid *grid, size_t row)
{
	return cell_at(grid, row, 0)->is_head;
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
		const struct tp_cell *cell = cell_at(grid, row, column);
		double size = fabs(cell->number);
		if (!cell->is_number || size == 0)
			continue;
		smallest = fmin(smallest, size);
		largest = fmax(largest, size);
	}
	int common = decimals_for(isfinite(smallest) ? smallest : 0, largest);
	for (size_t row = from; row < to; row++) {
		struct tp_cell *cell = cell_at(grid, row, column);
		struct tp_str s = { 0 };
		if (!cell->is_number)
			continue;
		tp_str_printf(&s, "%.*f", cell->decimals < 0 ? common : cell->decimals,
			      cell->number);
		free(cell->text);
		cell->text = tp_str_take(&s);
		grid->oom |= !cell->text;
		cell->is_number = false;
	}
}

static void spell_numbers(struct tp_grid *grid)
{
	size_t rows = rows_of(grid);
	for (size_t from = 0, to; from < rows; from = to) {
		for (to = from + 1; to < rows && !is_head_row(grid, to);)
			to++;
		for (size_t column = 0; column < grid->n_columns; column++)
			spell_section(grid, column, from, to);
	}
}

struct layout {
	size_t width[MAX_COLUMNS];
	bool gone[MAX_COLUMNS];
	size_t last; /* the last column that is there */
};

static size_t total_width(const struct tp_grid *grid, const struct layout *l)
{
	size_t total = 0;
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			total += l->width[i] + (total ? (size_t)GAP : 0);
	return total;
}

static void measure(const struct tp_grid *grid, struct layout *l)
{
	*l = (struct layout){ 0 };
	for (size_t i = 0; i < grid->n_columns; i++) {
		bool empty = true;
		for (size_t row = 0; row < rows_of(grid); row++) {
			const struct tp_cell *cell = cell_at(grid, row, i);
			l->width[i] = TP_MAX(l->width[i], tp_text_columns(cell->text));
			empty &= cell->is_head || !*cell->text || strcmp(cell->text, "-") == 0;
		}
		l->gone[i] = empty && grid->columns[i].give;
	}
}

static void find_last(const struct tp_grid *grid, struct layout *l)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			l->last = i;
}

/* What a column of words needs at least: its longest word stays whole. */
static size_t least_width(const struct tp_grid *grid, size_t column)
{
	size_t least = LAST_MIN;
	for (size_t row = 0; row < rows_of(grid); row++) {
		const char *text = cell_at(grid, row, column)->text;
		while (*text) {
			size_t n = strcspn(text, " ");
			least = TP_MAX(
				least,
				n); /* bytes: more than columns for other scripts, never less */
			text += n + strspn(text + n, " ");
		}
	}
	return least;
}

static void fit(const struct tp_grid *grid, size_t columns, struct layout *l)
{
	measure(grid, l);
	find_last(grid, l);
	for (;;) {
		size_t total = total_width(grid, l), victim = grid->n_columns;
		if (total <= columns)
			return;
		/*
		 * A column of words can be broken into lines as long as there is some room for it.
		 */
		size_t before = total - l->width[l->last];
		if (grid->columns[l->last].align == TP_LEFT &&
		    before + least_width(grid, l->last) <= columns) {
			l->width[l->last] = columns - before;
			return;
		}
		for (size_t i = 0; i < grid->n_columns; i++)
			if (!l->gone[i] && grid->columns[i].give &&
			    (victim == grid->n_columns ||
			     grid->columns[i].give > grid->columns[victim].give))
				victim = i;
		if (victim == grid->n_columns)
			return;
		l->gone[victim] = true;
		find_last(grid, l);
	}
}

static void write_cell(const struct tp_grid *grid, const struct layout *l, size_t column,
		       const struct tp_cell *cell, const struct tp_look *look, struct tp_str *out)
{
	size_t used = tp_text_columns(cell->text);
	size_t blanks = l->width[column] > used ? l->width[column] - used : 0;
	if (grid->columns[column].align == TP_RIGHT)
		tp_str_pad(out, ' ', blanks);
	tp_text_paint(out, look, cell->paint, cell->text);
	if (grid->columns[column].align == TP_LEFT && column != l->last)
		tp_str_pad(out, ' ', blanks);
}

static void write_row(const struct tp_grid *grid, const struct layout *l, size_t row,
		      const struct tp_look *look, struct tp_str *out)
{
	size_t at = 0, line = out->len;
	for (size_t i = 0; i < grid->n_columns; i++) {
		const struct tp_cell *cell = cell_at(grid, row, i);
		if (l->gone[i])
			continue;
		if (at) {
			tp_str_pad(out, ' ', GAP);
			at += GAP;
		}
		if (i == l->last && tp_text_columns(cell->text) > l->width[i]) {
			tp_text_wrap(out, look, cell->paint, cell->text, at, at);
			return;
		}
		write_cell(grid, l, i, cell, look, out);
		at += l->width[i];
	}
	while (out->len > line && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	tp_str_add(out, "\n");
}

void tp_grid_write(struct tp_grid *grid, const struct tp_look *look, struct tp_str *out)
{
	struct layout l;
	if (!grid->oom)
		spell_numbers(grid);
	if (grid->oom) {
		out->oom = true;
		return;
	}
	if (look->html) {
		tp_html_table(grid, out);
		return;
	}
	for (size_t i = 0; i < grid->n; i++)
		if (grid->cells[i].again)
			grid->cells[i].text[0] = '\0';
	fit(grid, tp_look_columns(look), &l);
	for (size_t row = 0; row < rows_of(grid); row++)
		write_row(grid, &l, row, look, out);
}

void tp_grid_release(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n; i++)
		free(grid->cells[i].text);
	free(grid->cells);
	*grid = (struct tp_grid){ 0 };
}
