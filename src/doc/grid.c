/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- rows as the columns define them --- */

static double number_of(const struct tp_grid_column *c, const void *row)
{
	const void *at = (const char *)row + c->offset;
	if (c->value)
		return c->value(row);
	switch (c->member) {
	case TP_MEMBER_INT:
		return *(const int *)at;
	case TP_MEMBER_UNSIGNED:
		return *(const unsigned *)at;
	case TP_MEMBER_LONG:
		return (double)*(const long *)at;
	case TP_MEMBER_ULONG:
		return (double)*(const unsigned long *)at;
	case TP_MEMBER_REAL:
		return *(const double *)at;
	default:
		return NAN;
	}
}

static bool is_real(const struct tp_grid_column *c)
{
	return c->value || c->member == TP_MEMBER_REAL;
}

static void add_bar(struct tp_grid *grid, enum tp_paint paint, double share, int width)
{
	TP_STR bar = { 0 };
	for (long i = lround(TP_MIN(TP_MAX(share, 0.0), 1.0) * width); i > 0; i--)
		tp_str_add(&bar, "\u2588");
	tp_grid_text(grid, paint, tp_str_text(&bar));
}

const char *tp_grid_bytes(char *out, size_t size, double bytes)
{
	return tp_format_bytes(out, size, (uint64_t)bytes);
}

static void add_number(struct tp_grid *grid, const struct tp_grid_column *c, enum tp_paint paint,
		       double value)
{
	char text[48];
	if (c->words) {
		tp_grid_text(grid, paint, c->words(text, sizeof(text), value));
		return;
	}
	if (c->unit) {
		tp_grid_printf(grid, paint, "%.*f%s", c->digits, value, c->unit);
		return;
	}
	/* Those of a number with so many digits. */
	static const char *const forms[] = {
		[TP_AS_DIGITS] = "%.*g",  [TP_AS_PERCENT] = "%.*f%%", [TP_AS_SHARE] = "%.*g%%",
		[TP_AS_RATIO] = "%.*f%%", [TP_AS_CHANGE] = "%+.*f%%", [TP_AS_TIMES] = "%.*gx",
	};
	switch (c->as) {
	case TP_AS_IT_IS:
	case TP_AS_FIXED:
		tp_grid_number(grid, paint, value,
			       c->as == TP_AS_FIXED ? c->digits
			       : is_real(c)	    ? TP_DECIMALS
						    : 0);
		break;
	case TP_AS_SECONDS:
		tp_grid_text(grid, paint, tp_format_seconds(text, sizeof(text), value));
		break;
	case TP_AS_SIZE:
		tp_grid_text(grid, paint, tp_text_size(text, sizeof(text), (uint64_t)round(value)));
		break;
	case TP_AS_BAR:
		add_bar(grid, paint, value, c->digits);
		break;
	default:
		tp_grid_printf(grid, paint, forms[c->as], c->digits,
			       c->as == TP_AS_RATIO ? 100 * value : value);
	}
}

/* True if the words of the next cell, and of all such columns to its left, are as above. */
static bool is_again(const struct tp_grid *grid, const struct tp_grid_column *c, const char *words)
{
	const size_t column = (size_t)(c - grid->columns);
	if (!c->again || grid->n < grid->n_columns)
		return false;
	const struct tp_cell *above = &grid->cells[grid->n - grid->n_columns];
	for (size_t i = 0; i < column; i++)
		if (grid->columns[i].again && !grid->cells[grid->n - column + i].again)
			return false;
	return !above->is_head && above->text && strcmp(above->text, words) == 0;
}

static void add_words(struct tp_grid *grid, const struct tp_grid_column *c, enum tp_paint paint,
		      const char *words)
{
	if (!words || !*words)
		words = c->none ? c->none : "";
	tp_grid_again(grid, paint, words, is_again(grid, c, words));
}

static void add_cell(struct tp_grid *grid, const struct tp_grid_column *c, const void *row,
		     const void *context)
{
	const void *of = row;
	if (c->via)
		memcpy(&of, (const char *)row + c->via - 1, sizeof(of));
	if (c->of && of)
		of = c->of(of);
	const enum tp_paint paint = c->paint_of ? c->paint_of(row) : c->paint;
	if (!of || (c->when && !c->when(row))) {
		tp_grid_text(grid, TP_PAINT_DIM, c->none ? c->none : "-");
		return;
	}
	const char *at = (const char *)of + c->offset;
	const double value = number_of(c, of);
	if (c->cell)
		c->cell(grid, of, context);
	else if (!c->value && c->member == TP_MEMBER_CHARS)
		add_words(grid, c, paint, at);
	else if (!c->value && c->member == TP_MEMBER_WORDS)
		add_words(grid, c, paint, *(const char *const *)at);
	else if (!isfinite(value) || (c->positive && !(value > 0)))
		tp_grid_text(grid, paint, c->none ? c->none : "-");
	else
		add_number(grid, c, paint, value);
}

const struct tp_grid_column *tp_grid_next(const struct tp_grid *grid)
{
	return &grid->columns[grid->n % grid->n_columns];
}

void tp_grid_row(struct tp_grid *grid, const void *row, const void *context)
{
	for (size_t i = 0; i < grid->n_columns; i++) {
		size_t before = grid->n;
		add_cell(grid, &grid->columns[i], row, context);
		if (grid->n != before + 1)
			abort(); /* every row has a cell for each column: a fault of the program */
	}
}

void tp_grid_about(struct tp_grid *grid, const void *thing)
{
	grid->cells[grid->n - grid->n_columns].about = thing;
}

/* --- numbers become texts --- */

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

static void clean_cell(struct tp_cell *cell, const struct tp_look *look)
{
	/* Signs that cells begin with, and how they are written in ASCII. */
	static const char *const signs[][2] = { { "\u00b1", "+-" },
						{ "\u2588", "#" },
						{ "\u00b7", "." } };
	TP_STR clean = { 0 };
	const char *text = cell->text;
	for (size_t i = 0; i < TP_COUNT_OF(signs) && !look->utf8; i++)
		for (; strncmp(text, signs[i][0], strlen(signs[i][0])) == 0;
		     text += strlen(signs[i][0]))
			tp_str_add(&clean, signs[i][1]);
	tp_text_clean(&clean, text, look);
	if (strcmp(tp_str_text(&clean), cell->text) == 0)
		return;
	free(cell->text);
	cell->text = tp_str_take(&clean);
}

void tp_grid_spell(struct tp_grid *grid, const struct tp_look *look)
{
	for (size_t from = 0, to; from < tp_grid_n_rows(grid); from = to) {
		to = tp_grid_section_end(grid, from);
		for (size_t column = 0; column < grid->n_columns; column++)
			spell_section(grid, column, from, to);
	}
	for (size_t i = 0; i < grid->n; i++)
		clean_cell(&grid->cells[i], look);
}

void tp_grid_release(struct tp_grid *grid)
{
	for (size_t i = 0; i < grid->n; i++)
		free(grid->cells[i].text);
	free(grid->cells);
	*grid = (struct tp_grid){ 0 };
}
