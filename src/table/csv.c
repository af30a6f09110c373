/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { CSV_DIGITS = 10, CELL_MAX_BYTES = 4096 };

void tp_cell_text(struct tp_str *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		tp_str_add(out, text);
		return;
	}
	tp_str_add(out, "\"");
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			tp_str_add(out, "\"");
		tp_str_add_n(out, p, 1);
	}
	tp_str_add(out, "\"");
}

void tp_cell_real(struct tp_str *out, double value)
{
	char text[64], *comma;

	if (!isfinite(value))
		return;
	snprintf(text, sizeof(text), "%.*g", CSV_DIGITS, value);
	/* A locale must not turn one number into two cells. */
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	tp_str_add(out, text);
}

void tp_column_text(const struct tp_column *column, const void *row, struct tp_str *out)
{
	const void *at = (const char *)row + column->offset;
	char text[512];

	if (!tp_column_applies(column, row))
		return;
	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
		tp_str_printf(out, "%u", *(const unsigned *)at);
		break;
	case TP_COLUMN_U64:
		tp_str_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case TP_COLUMN_REAL:
	case TP_COLUMN_DERIVED:
		tp_cell_real(out, tp_column_number(column, row));
		break;
	case TP_COLUMN_BOOL:
		tp_str_add(out, *(const bool *)at ? "true" : "false");
		break;
	case TP_COLUMN_TEXT:
		tp_str_add(out, at);
		break;
	case TP_COLUMN_FLAGS:
		tp_str_add(out,
			   tp_words_join(column->words, *(const uint32_t *)at, text, sizeof(text)));
		break;
	case TP_COLUMN_WORD:
		tp_str_add(out, column->words->names[*(const unsigned *)at]);
		break;
	case TP_COLUMN_PHRASE:
		column->phrase(row, text, sizeof(text));
		tp_str_add(out, text);
		break;
	}
}

void tp_column_cell(const struct tp_column *column, const void *row, struct tp_str *out)
{
	if (column->type != TP_COLUMN_TEXT && column->type != TP_COLUMN_PHRASE) {
		tp_column_text(column, row, out);
		return;
	}
	TP_STR text = { 0 };
	tp_column_text(column, row, &text);
	tp_cell_text(out, tp_str_text(&text));
}

bool tp_column_read_cell(const struct tp_column *column, const char *text, void *row)
{
	void *at = (char *)row + column->offset;
	uint64_t whole;
	double real;

	if (!*text)
		return true;
	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
	case TP_COLUMN_U64:
		return tp_parse_u64(text, &whole) && tp_column_set_whole(column, at, whole);
	case TP_COLUMN_REAL:
		if (!tp_parse_double(text, &real) || !isfinite(real))
			return false;
		*(double *)at = real;
		return true;
	case TP_COLUMN_BOOL:
		*(bool *)at = strcmp(text, "true") == 0;
		return *(bool *)at || strcmp(text, "false") == 0;
	case TP_COLUMN_TEXT:
		if (!tp_copy(at, column->size_bytes, text))
			return false;
		tp_clean(at, "");
		return true;
	case TP_COLUMN_FLAGS:
		/* Flags known only to a newer version are left out. */
		tp_words_split(column->words, text, at);
		return true;
	case TP_COLUMN_WORD:
		return tp_word_find(column->words, text, at);
	case TP_COLUMN_DERIVED:
	case TP_COLUMN_PHRASE:
		break;
	}
	return true;
}

/*
 * One line: the cells of a row, or the names of the columns (`row` NULL). The columns of a base
 * come first, without those that `table` replaces by a column of the same name.
 */
static void add_cells(const struct tp_table *table, const struct tp_table *part, const void *row,
		      const char **joint, struct tp_str *out)
{
	if (part->base)
		add_cells(table, part->base, row, joint, out);
	for (size_t c = 0; c < part->n; c++) {
		const struct tp_column *column = &part->columns[c];

		if (!(column->where & TP_IN_CSV) || tp_column_find(table, column->name) != column)
			continue;
		tp_str_add(out, *joint);
		if (row)
			tp_column_cell(column, row, out);
		else
			tp_str_add(out, column->name);
		*joint = ",";
	}
}

void tp_rows_csv(const struct tp_rows *rows, const struct tp_table *table, struct tp_str *out)
{
	for (size_t i = 0; i <= rows->n; i++) {
		const char *joint = "";

		add_cells(table, table, i > 0 ? TP_ROW_AT(rows, table, i - 1) : NULL, &joint, out);
		tp_str_add(out, "\n");
	}
}

/* --- reading --- */

void tp_csv_begin(struct tp_csv *csv, const char *name, const char *text, size_t len,
		  struct tp_diag *diag)
{
	csv->name = name;
	csv->at = text;
	csv->end = text + len;
	csv->line = csv->row_line = 1;
	csv->diag = diag;
}

void tp_csv_release(struct tp_csv *csv)
{
	tp_str_release(&csv->text);
}

enum tp_status tp_csv_refuse(struct tp_csv *csv, const char *hint, const char *what)
{
	char place[sizeof(csv->diag->where)];

	snprintf(place, sizeof(place), "%.150s:%lu", csv->name, csv->row_line);
	return tp_fail(csv->diag, TP_USAGE, place, hint, "%s", what);
}

const char *tp_csv_cell(const struct tp_csv *csv, size_t i)
{
	return i < csv->n ? tp_str_text(&csv->text) + csv->start[i] : "";
}

static bool at_line_end(const struct tp_csv *csv)
{
	return *csv->at == '\n' ||
	       (*csv->at == '\r' && csv->at + 1 < csv->end && csv->at[1] == '\n');
}

/* The quoted part of a cell, from after the opening quote to after the closing one. */
static enum tp_status read_quoted(struct tp_csv *csv)
{
	for (csv->at++; csv->at < csv->end; csv->at++) {
		if (*csv->at == '"') {
			if (csv->at + 1 == csv->end || csv->at[1] != '"') {
				csv->at++;
				return TP_OK;
			}
			csv->at++;
		}
		csv->line += *csv->at == '\n';
		tp_str_add_n(&csv->text, csv->at, 1);
	}
	return tp_csv_refuse(csv, "a quote inside a quoted cell is written twice",
			     "a quote is not closed");
}

static enum tp_status read_cell(struct tp_csv *csv)
{
	if (csv->n == TP_CSV_COLUMNS_MAX)
		return tp_csv_refuse(csv, NULL, "more columns than any table of ours has");
	csv->start[csv->n++] = csv->text.len;
	if (csv->at < csv->end && *csv->at == '"') {
		enum tp_status status = read_quoted(csv);
		if (status)
			return status;
		if (csv->at < csv->end && *csv->at != ',' && !at_line_end(csv))
			return tp_csv_refuse(csv, "quote the whole cell",
					     "text after a closing quote");
	}
	while (csv->at < csv->end && *csv->at != ',' && !at_line_end(csv)) {
		if (*csv->at == '"')
			return tp_csv_refuse(csv, "quote the whole cell", "a quote inside a cell");
		tp_str_add_n(&csv->text, csv->at++, 1);
	}
	if (csv->text.len - csv->start[csv->n - 1] > CELL_MAX_BYTES)
		return tp_csv_refuse(csv, NULL, "a cell is longer than any of ours");
	tp_str_add_n(&csv->text, "", 1);
	char *cell = csv->text.s + csv->start[csv->n - 1];
	tp_clean(cell, "\n\t");
	csv->text.len = (size_t)(cell - csv->text.s) + strlen(cell) + 1;
	return TP_OK;
}

enum tp_status tp_csv_next(struct tp_csv *csv, bool *done)
{
	while (csv->at < csv->end && (at_line_end(csv) || *csv->at == '\n')) {
		csv->at += *csv->at == '\r' ? 2 : 1;
		csv->line++;
	}
	*done = csv->at == csv->end;
	csv->row_line = csv->line;
	csv->n = 0;
	tp_str_clear(&csv->text);
	if (*done)
		return TP_OK;
	enum tp_status status = read_cell(csv);
	while (status == TP_OK && csv->at < csv->end && *csv->at == ',') {
		csv->at++;
		status = read_cell(csv);
	}
	return status;
}
