/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/paint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"
#include "ui/tui/ncurses.h"

struct cell_look {
	chtype attributes;
	short pair;
};

static const struct {
	short foreground_256, background_256, foreground_8, background_8;
	unsigned attributes, mono;
} roles[] = {
#define ROLE_ROW(id, f256, b256, f8, b8, attributes, mono) { f256, b256, f8, b8, attributes, mono },
	TP_ROLE_TABLE(ROLE_ROW)
#undef ROLE_ROW
};

static chtype curses_attributes(unsigned attributes)
{
	return (attributes & TP_ATTR_BOLD ? A_BOLD : 0) | (attributes & TP_ATTR_DIM ? A_DIM : 0) |
	       (attributes & TP_ATTR_UNDERLINE ? A_UNDERLINE : 0) |
	       (attributes & TP_ATTR_REVERSE ? A_REVERSE : 0);
}

void tp_theme_start(const struct tp_term *term)
{
	for (short i = 0; term->colours && i < TP_UI_COUNT; i++) {
		bool many = term->colours >= 256;
		init_pair((short)(i + 1), many ? roles[i].foreground_256 : roles[i].foreground_8,
			  many ? roles[i].background_256 : roles[i].background_8);
	}
}

static struct cell_look look_of(const struct tp_term *term, enum tp_role role)
{
	if (!term->colours)
		return (struct cell_look){ curses_attributes(roles[role].mono), 0 };
	/*
	 * With 256 colours a dim text has a dim colour; the attribute would make it hard to read.
	 */
	unsigned attributes = roles[role].attributes;
	if (term->colours >= 256)
		attributes &= ~(unsigned)TP_ATTR_DIM;
	return (struct cell_look){ curses_attributes(attributes), (short)(role + 1) };
}

enum tp_role tp_theme_plot_role(enum tp_plot_role role)
{
	return TP_UI_PLOT_SERIES_0 + (enum tp_role)role;
}

enum tp_role tp_theme_paint(enum tp_paint paint)
{
	static const enum tp_role of[] = {
		[TP_PAINT_PLAIN] = TP_UI_PLAIN,	  [TP_PAINT_TITLE] = TP_UI_TITLE,
		[TP_PAINT_HEAD] = TP_UI_TITLE,	  [TP_PAINT_DIM] = TP_UI_DIM,
		[TP_PAINT_STRONG] = TP_UI_STRONG, [TP_PAINT_GOOD] = TP_UI_GOOD,
		[TP_PAINT_WARN] = TP_UI_WARN,	  [TP_PAINT_BAD] = TP_UI_BAD,
	};
	return of[paint];
}

void tp_cuts_add(struct tp_cuts *cuts, int row, int column, bool here, const char *text)
{
	if (!cuts || cuts->n == TP_CUTS_MAX)
		return;
	struct tp_cut *cut = &cuts->items[cuts->n++];
	*cut = (struct tp_cut){ .row = row, .column = column, .here = here };
	tp_copy(cut->text, sizeof(cut->text), text);
}

void tp_cuts_drop(struct tp_cuts *cuts, int row, int column, int rows, int columns)
{
	size_t kept = 0;
	for (size_t i = 0; cuts && i < cuts->n; i++) {
		const struct tp_cut *cut = &cuts->items[i];
		bool over = cut->row >= row && cut->row < row + rows && cut->column >= column &&
			    cut->column < column + columns;
		if (!over)
			cuts->items[kept++] = *cut;
	}
	if (cuts)
		cuts->n = kept;
}

const char *tp_cuts_line(const struct tp_cuts *cuts, char *out, size_t size)
{
	size_t at = 0;
	int row = -1;
	out[0] = '\0';
	/* With several cursors, the one painted last is on top. */
	for (size_t i = 0; cuts && i < cuts->n; i++)
		if (cuts->items[i].here)
			row = cuts->items[i].row;
	for (size_t i = 0; cuts && i < cuts->n && at < size; i++)
		if (cuts->items[i].here && cuts->items[i].row == row)
			at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "  " : "",
					       cuts->items[i].text);
	return out;
}

enum { ELLIPSIS = 0x2026 };

struct tp_area tp_area_rows(struct tp_area area, int from, int rows)
{
	from = TP_MIN(TP_MAX(from, 0), area.rows);
	rows = TP_MIN(TP_MAX(rows, 0), area.rows - from);
	area.row += from;
	area.rows = rows;
	return area;
}

struct tp_area tp_area_columns(struct tp_area area, int from, int columns)
{
	from = TP_MIN(TP_MAX(from, 0), area.columns);
	columns = TP_MIN(TP_MAX(columns, 0), area.columns - from);
	area.column += from;
	area.columns = columns;
	return area;
}

bool tp_area_holds(struct tp_area area, int row, int column)
{
	return row >= area.row && row < area.row + area.rows && column >= area.column &&
	       column < area.column + area.columns;
}

/* One cell of the area; nothing outside. */
void tp_paint_cell(struct tp_area area, int row, int column, uint32_t code, enum tp_role role)
{
	if (row < 0 || row >= area.rows || column < 0 || column >= area.columns)
		return;
	if (area.row + row >= area.term->rows || area.column + column >= area.term->columns)
		return;
	wchar_t text[2] = { (wchar_t)(area.term->utf8 ? code : (uint32_t)tp_utf8_ascii(code)), 0 };
	struct cell_look look = look_of(area.term, role);
	cchar_t cell;
	setcchar(&cell, text, look.attributes, look.pair, NULL);
	mvadd_wch(area.row + row, area.column + column, &cell);
}

void tp_paint_clear(struct tp_area area, enum tp_role role)
{
	tp_cuts_drop(area.term->cuts, area.row, area.column, area.rows, area.columns);
	for (int r = 0; r < area.rows; r++)
		for (int c = 0; c < area.columns; c++)
			tp_paint_cell(area, r, c, ' ', role);
}

int tp_paint_text(struct tp_area area, int row, int column, enum tp_role role, const char *text)
{
	int room = area.columns - column, taken = 0;
	if (row < 0 || row >= area.rows || room <= 0)
		return 0;
	bool cut = tp_cell_columns(text) > (size_t)room;
	if (cut)
		tp_cuts_add(area.term->cuts, area.row + row, area.column + column,
			    role == TP_UI_SELECTED, text);
	for (uint32_t code; (code = tp_cell_next(&text)) && taken < room; taken++)
		tp_paint_cell(area, row, column + taken, cut && taken == room - 1 ? ELLIPSIS : code,
			      role);
	return taken;
}

int tp_paint_format(struct tp_area area, int row, int column, enum tp_role role, const char *fmt,
		    ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tp_paint_text(area, row, column, role, text);
}

void tp_paint_right(struct tp_area area, int row, int end, enum tp_role role, const char *text)
{
	int n = (int)tp_cell_columns(text);
	tp_paint_text(area, row, TP_MAX(end - n, 0), role, text);
}

void tp_paint_column(struct tp_area area, int row, int from, int columns, bool right,
		     enum tp_role role, const char *text)
{
	area = tp_area_columns(area, from, columns);
	if (right)
		tp_paint_right(area, row, area.columns, role, text);
	else
		tp_paint_text(area, row, 0, role, text);
}

int tp_paint_wrapped(struct tp_area area, int row, int column, enum tp_role role, const char *text)
{
	int room = area.columns - column, rows = 0;
	if (room <= 0)
		return 0;
	for (const char *next; *text; text = next, rows++) {
		char line[1024];
		const char *end = tp_text_line(text, (size_t)room, &next);
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		tp_paint_text(area, row + rows, column, role, line);
	}
	return rows;
}

int tp_paint_key(struct tp_area area, int row, int column, const char *key, const char *words)
{
	column += tp_paint_text(area, row, column, TP_UI_KEY, key) + 1;
	return column + tp_paint_text(area, row, column, TP_UI_PLAIN, words);
}

void tp_paint_rule(struct tp_area area, int row, const char *words)
{
	for (int c = 0; c < area.columns; c++)
		tp_paint_cell(area, row, c, area.term->utf8 ? 0x2500 : '-', TP_UI_BORDER);
	if (*words)
		tp_paint_format(tp_area_columns(area, 2, area.columns - 4), row, 0, TP_UI_TITLE,
				" %s ", words);
}

const char *tp_paint_pm(struct tp_area area)
{
	return area.term->utf8 ? "\u00b1" : "+-";
}

void tp_paint_role(struct tp_area area, int row, int column, int columns, enum tp_role role)
{
	struct cell_look look = look_of(area.term, role);
	columns = TP_MIN(columns, area.columns - column);
	if (row < 0 || row >= area.rows || column < 0 || columns <= 0)
		return;
	mvchgat(area.row + row, area.column + column, columns, look.attributes, look.pair, NULL);
}

struct tp_area tp_paint_frame(struct tp_area area, const char *title)
{
	static const uint32_t lines[] = { 0x2500, 0x2502, 0x256d, 0x256e, 0x2570, 0x256f };
	static const uint32_t plain[] = { '-', '|', '+', '+', '+', '+' };
	const uint32_t *g = area.term->utf8 ? lines : plain;
	int bottom = area.rows - 1, right = area.columns - 1;
	for (int c = 1; c < right; c++) {
		tp_paint_cell(area, 0, c, g[0], TP_UI_BORDER);
		tp_paint_cell(area, bottom, c, g[0], TP_UI_BORDER);
	}
	for (int r = 1; r < bottom; r++) {
		tp_paint_cell(area, r, 0, g[1], TP_UI_BORDER);
		tp_paint_cell(area, r, right, g[1], TP_UI_BORDER);
	}
	tp_paint_cell(area, 0, 0, g[2], TP_UI_BORDER);
	tp_paint_cell(area, 0, right, g[3], TP_UI_BORDER);
	tp_paint_cell(area, bottom, 0, g[4], TP_UI_BORDER);
	tp_paint_cell(area, bottom, right, g[5], TP_UI_BORDER);
	struct tp_area head = tp_area_columns(area, 2, area.columns - 4);
	if (title && *title) {
		int n = tp_paint_text(head, 0, 1, TP_UI_TITLE, title);
		tp_paint_cell(head, 0, 0, ' ', TP_UI_TITLE);
		tp_paint_cell(head, 0, n + 1, ' ', TP_UI_TITLE);
	}
	return tp_area_columns(tp_area_rows(area, 1, area.rows - 2), 2, area.columns - 4);
}

void tp_paint_bar(struct tp_area area, int row, int column, int columns, double share,
		  enum tp_role role)
{
	/* Eighths of a cell. */
	double full = fmin(fmax(share, 0), 1) * columns;
	for (int c = 0; c < columns; c++) {
		double here = fmin(fmax(full - c, 0), 1);
		uint32_t code = here >= 1	? 0x2588
				: here > 0.0625 ? 0x2590 - (uint32_t)(here * 8 + 0.5)
						: 0x00b7;
		if (here > 0.0625 && here < 1 && code == 0x2590)
			code = 0x258f;
		if (!area.term->utf8)
			code = here >= 0.5 ? '#' : '.';
		tp_paint_cell(area, row, column + c, code, here > 0 ? role : TP_UI_DIM);
	}
}

void tp_paint_canvas(struct tp_area area, const struct tp_canvas *canvas)
{
	for (size_t r = 0; r < canvas->rows; r++)
		for (size_t c = 0; c < canvas->columns; c++) {
			enum tp_plot_role role;
			uint32_t code = tp_canvas_look(canvas, c, r, &role);
			/* A blank of a tile has its shade. */
			if (code != ' ' || role >= TP_ROLE_HEAT_0)
				tp_paint_cell(area, (int)r, (int)c, code, tp_theme_plot_role(role));
		}
}

void tp_paint_scene(struct tp_area area, const struct tp_scene *scene, enum tp_plot_glyphs glyphs)
{
	TP_CLEANUP(tp_canvas_release) struct tp_canvas canvas = { 0 };
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN) {
		tp_paint_format(area, 0, 0, TP_UI_DIM, "a plot needs %d x %d cells here",
				TP_PLOT_COLUMNS_MIN, TP_PLOT_ROWS_MIN);
		return;
	}
	enum tp_status status =
		tp_canvas_draw(&canvas, scene, (size_t)area.columns, (size_t)area.rows,
			       area.term->utf8 ? glyphs : TP_GLYPHS_ASCII);
	if (status == TP_OK)
		tp_paint_canvas(area, &canvas);
	else
		tp_paint_text(area, 0, 0, TP_UI_BAD, tp_status_name(status));
}

enum tp_role tp_quality_role(enum tp_quality quality)
{
	static const enum tp_role by_quality[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_UI_WARN,
		[TP_QUALITY_GOOD] = TP_UI_DIM,
		[TP_QUALITY_FAIR] = TP_UI_WARN,
		[TP_QUALITY_POOR] = TP_UI_BAD,
	};
	return by_quality[quality];
}

const char *tp_quality_mark(enum tp_quality quality, uint32_t flags)
{
	static const char *const marks[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "",
		[TP_QUALITY_GOOD] = "",
		[TP_QUALITY_FAIR] = "~",
		[TP_QUALITY_POOR] = "?",
	};
	return quality == TP_QUALITY_NONE && flags ? "!" : marks[quality];
}
