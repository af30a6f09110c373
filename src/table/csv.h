/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV as RFC 4180 has it: cells with commas, quotes or line ends stand in quotes. The reader takes
 * line ends LF and CRLF and passes over lines without text.
 */
#ifndef TPROF_TABLE_CSV_H
#define TPROF_TABLE_CSV_H

#include "table/table.h"

/* A text as a cell, in quotes where it needs them. */
void tp_cell_text(struct tp_str *out, const char *text);
/* A number as a cell; empty if it is not finite. */
void tp_cell_real(struct tp_str *out, double value);
/* The value of a column as a text; nothing where it does not apply. */
void tp_column_text(const struct tp_column *column, const void *row, struct tp_str *out);
/* The same as a cell, in quotes where it needs them. */
void tp_column_cell(const struct tp_column *column, const void *row, struct tp_str *out);
/*
 * Writes the text of a cell into the row; false if it is not of the column's kind. An empty cell
 * does not apply and leaves the member.
 */
bool tp_column_read_cell(const struct tp_column *column, const char *text, void *row);

/*
 * All rows of a table with their heading: the columns that appear in CSV, those of its bases first.
 */
void tp_rows_csv(const struct tp_rows *rows, const struct tp_table *table, struct tp_str *out);

/* --- reading --- */

enum { TP_CSV_COLUMNS_MAX = 256 };

/* Reads a text row by row. Zero-initialise, then tp_csv_begin; tp_csv_release at the end. */
struct tp_csv {
	const char *name, *at, *end; /* borrowed text; `name` is for messages */
	unsigned long line, row_line; /* of `at`; where the row under way began */
	struct tp_str text; /* the cells of the row, one after the other, each with its NUL */
	size_t start[TP_CSV_COLUMNS_MAX], n; /* cells of the row */
	struct tp_diag *diag;
};

void tp_csv_begin(struct tp_csv *csv, const char *name, const char *text, size_t len,
		  struct tp_diag *diag);
/* The next row; `done` after the last. TP_USAGE with name:line for malformed CSV. */
enum tp_status tp_csv_next(struct tp_csv *csv, bool *done);
/* The i-th cell of the row, "" beyond its end; valid until the next row. */
const char *tp_csv_cell(const struct tp_csv *csv, size_t i);
/* TP_USAGE with name:line of the row. */
enum tp_status tp_csv_refuse(struct tp_csv *csv, const char *hint, const char *what);
void tp_csv_release(struct tp_csv *csv);

#endif
