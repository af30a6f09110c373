/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists: a cursor that stays in sight, keys and mouse that move it, a filter that is typed, a
 * scroll bar. A list holds numbers only; the owner of the rows paints them.
 */
#ifndef TPROF_UI_TUI_WIDGETS_LIST_H
#define TPROF_UI_TUI_WIDGETS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/tui/keys.h"
#include "ui/tui/paint.h"

/* A cursor in `n` rows; `rows` of them are in sight, from `top` on. Zero-initialise. */
struct tp_list {
	size_t n, at, top;
	int rows;
	int margin; /* rows that stay in sight above and below the cursor */
	struct tp_area area; /* where tp_list_paint painted the rows last */
};

/* The list has `n` rows now; the cursor stays as near as it can. */
void tp_list_resize(struct tp_list *list, size_t n);
/*
 * Fits the window to `rows`, with the cursor in sight and no empty rows at the end. Call it before
 * painting.
 */
void tp_list_fit(struct tp_list *list, int rows);
/* Moves the cursor by `by` rows, at most to an end. */
void tp_list_move(struct tp_list *list, long by);
/* Moves the cursor: up, down, pages, ends. False for other actions. */
bool tp_list_act(struct tp_list *list, enum tp_action action);
/* The same for text without a cursor: moves the window. */
bool tp_list_scroll(struct tp_list *list, enum tp_action action);
/* Moves the window by `by` rows, and the cursor only as far as it must. */
void tp_list_wheel(struct tp_list *list, int by);
/* The rows by which the wheel moves a list; 0 for a press. */
int tp_list_wheel_rows(const struct tp_input *input);
/* The row of the list at row `row` of its window; n if none. */
size_t tp_list_hit(const struct tp_list *list, int row);

/*
 * A press moves the cursor to its row, the wheel moves the window. OPENED: a double click, the
 * cursor is on its row.
 */
enum tp_list_event { TP_LIST_MISSED, TP_LIST_WHEELED, TP_LIST_PRESSED, TP_LIST_OPENED };
enum tp_list_event tp_list_mouse(struct tp_list *list, const struct tp_input *input);

/* Paints the rows in sight with `row`. The line of the cursor is cleared in its look before. */
typedef void tp_list_row(void *context, struct tp_area line, size_t i, bool selected);
void tp_list_paint(struct tp_list *list, struct tp_area area, tp_list_row *row, void *context);
/* A scroll bar in the last column of `area`, if not all rows are in sight. */
void tp_list_paint_bar(const struct tp_list *list, struct tp_area area);

/* Words to look for. Zero-initialise. */
struct tp_filter {
	char text[64];
	bool typing;
};

/*
 * Takes keys while the words are typed, and Esc while there are words. Returns whether it took the
 * key; *changed: other rows match now.
 */
bool tp_filter_type(struct tp_filter *filter, uint32_t code, bool *changed);
/* True if every word is somewhere in one of the texts; letters match in either case. */
bool tp_filter_match(const struct tp_filter *filter, const char *const *texts, size_t n);
/* Paints "/words" and how many rows match, or nothing without words. Returns the columns that it
 * took. */
int tp_filter_paint(const struct tp_filter *filter, struct tp_area area, int row, size_t found,
		    size_t all);

/*
 * How well the letters of a word, in this order, fit a text; 0: not at all. Letters at the starts
 * of words and runs of letters count more, most where the text begins with them.
 */
int tp_fuzzy(const char *text, const char *word);

/* Columns whose widths follow the room: each owner has a table of them. */
enum { TP_COLUMNS_MAX = 16 };
struct tp_list_column {
	const char *title;
	bool right;
	int rank, least, most; /* most: 0 = the owner decides */
};
struct tp_columns {
	const struct tp_list_column *of;
	int n;
	int widths[TP_COLUMNS_MAX]; /* 0 = not shown */
	int from[TP_COLUMNS_MAX], end;
};

/*
 * If space is short, columns with the highest `rank` are dropped first, rank 0 never. The rest are
 * side by side from column `at`. Returns the remaining room.
 */
int tp_columns_fit(struct tp_columns *columns, int at, int room);
/*
 * All of a table, fitted; the remaining room goes to those that are narrower than their maximum, in
 * the order of `grows`.
 */
struct tp_columns tp_columns_lay_out(const struct tp_list_column *of, int n, const int *grows,
				     size_t n_grows, int at, int room);
void tp_columns_cell(const struct tp_columns *columns, struct tp_area row, int c, enum tp_role role,
		     const char *text);

/* Names side by side in a row, one of them chosen. Zero-initialise. */
enum { TP_TABS_MAX = 32 };
struct tp_tabs {
	struct tp_area area; /* where they were painted last */
	size_t n;
	int ends[TP_TABS_MAX];
};

/*
 * Paints at most TP_TABS_MAX names; if not all fit, the chosen one and its number. Returns the
 * column after them.
 */
int tp_tabs_paint(struct tp_tabs *tabs, struct tp_area row, const char *const *names, size_t n,
		  size_t chosen);
/* The name under a press: n for none; where only the chosen one is there, the next one. */
size_t tp_tabs_hit(const struct tp_tabs *tabs, const struct tp_input *input);

/* A row that is filled from left to right. */
struct tp_text_row {
	struct tp_area area;
	int row, at;
};

/* Text `gap` columns after the last. */
void tp_words(struct tp_text_row *words, int gap, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
