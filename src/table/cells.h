/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of tables that other programs wrote: rows taken apart, and numbers in any of their forms.
 */
#ifndef TPROF_TABLE_CELLS_H
#define TPROF_TABLE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cell of the text: without its quotes and the blanks around it. */
struct tp_cell_span {
	const char *at;
	size_t len;
	bool doubled; /* quotes in it stand twice */
	bool quoted;
};

enum tp_split {
	TP_SPLIT_ROW,
	TP_SPLIT_MORE, /* the row goes on after the text */
	TP_SPLIT_OPEN, /* a quote is not closed */
	TP_SPLIT_TEXT, /* text after a closing quote */
	TP_SPLIT_QUOTE /* a quote inside a cell without quotes */
};

/* Zero-initialise, set the separator, release after use. */
struct tp_splitter {
	char separator; /* ' ' = runs of blanks and tabs */
	char line_end; /* '\n', or '\r' of a text without line feeds */
	size_t most; /* cells beyond are only counted */
	struct tp_cell_span *cells;
	size_t n, cap;
};
void tp_splitter_release(struct tp_splitter *splitter);
/* The row from `at` on; *stop is its line end, or `end` where nothing follows (`ended`). */
enum tp_split tp_split_row(struct tp_splitter *splitter, const char *at, const char *end,
			   bool ended, const char **stop, unsigned long *lines);

/* Its cells without the empty ones at the end. */
size_t tp_row_filled(const struct tp_splitter *row);
/* Of these cells; never 0. Rows with the same cells have the same one. */
uint64_t tp_row_hash(const struct tp_splitter *row);

/* --- numbers --- */

enum { TP_WRITTEN_UNIT_BYTES = 16, TP_PLAIN_BYTES = 400 };

/* How the numbers of a column are written. */
struct tp_written_column {
	bool numbers; /* nearly all of its cells are numbers */
	char decimal; /* '.' or ',' */
	char thousands; /* 0 = none but blanks and ' */
	char unit[TP_WRITTEN_UNIT_BYTES]; /* after each number; "" = none */
};

/*
 * A number of the column in plain form ("1.235,7 ms" as "1235.7"), in `out` if it differs from the
 * text. False: it is not a number.
 */
bool tp_written_number(const struct tp_written_column *column, const char **text, size_t *len,
		       char out[TP_PLAIN_BYTES]);
/* True of words that stand for a value that is missing: NA, -, DNF, #N/A, <not counted>. */
bool tp_written_is_missing(const char *text, size_t len);
/* A line of -, +, =, : and | only, which some tables have below their names. */
bool tp_written_is_rule(char separator, const char *line, const char *end);

/* Which marks a number uses; a text with one mark may be read in two ways. */
enum tp_number_shape {
	TP_SHAPE_WORD,
	TP_SHAPE_PLAIN, /* neither comma nor point */
	TP_SHAPE_POINT, /* 1.5 */
	TP_SHAPE_POINT_OR_GROUP, /* 1.234 */
	TP_SHAPE_COMMA, /* 1,5 and 1.234,5 */
	TP_SHAPE_COMMA_OR_GROUP, /* 1,234 */
	TP_SHAPE_GROUPS_COMMA, /* 1,234,567 and 1,234.5 */
	TP_SHAPE_GROUPS_POINT, /* 1.234.567 */
	TP_SHAPES
};
enum tp_number_shape tp_number_shape(const char *text, size_t len);
/* The length of "1.5" in "1.5 GB/s"; *unit is where "GB/s" begins, the end without one. */
size_t tp_number_bytes(const char *text, size_t len, const char **unit);

#endif
