/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points.csv, read (tp_run_csv writes it): cells as RFC 4180 has them, line ends LF or CRLF, a byte order mark is passed over.
 * A table holds no windows and no facts: the points are finished ones without their samples. The caller's run is replaced only
 * by a table that is sound as a whole.
 */
#include "record/load.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "record/field.h"

enum { COLUMNS_MAX = 256, CELL_MAX_BYTES = 4096 };

/* One row: its cells one after the other, each with its NUL. */
struct row {
	struct tp_str text;
	size_t start[COLUMNS_MAX];
	size_t n;
};

struct table {
	const char *name, *at, *end;
	unsigned long line, row_line; /* of `at`; where the row under way began */
	struct row row;
	const struct tp_field *columns[COLUMNS_MAX]; /* NULL: a column that is not known */
	size_t n_columns;
	struct tp_diag *diag;
};

static enum tp_status refuse(struct table *t, const char *hint, const char *what)
{
	char place[sizeof(t->diag->where)];

	snprintf(place, sizeof(place), "%.150s:%lu", t->name, t->row_line);
	return tp_fail(t->diag, TP_USAGE, place, hint, "%s", what);
}

/* --- cells --- */

static const char *cell(const struct row *row, size_t i)
{
	return i < row->n ? tp_str_text(&row->text) + row->start[i] : "";
}

static bool at_line_end(const struct table *t)
{
	return *t->at == '\n' || (*t->at == '\r' && t->at + 1 < t->end && t->at[1] == '\n');
}

/* The quoted part of a cell, from behind the opening quote to behind the closing one. */
static enum tp_status read_quoted(struct table *t, struct tp_str *text)
{
	for (t->at++; t->at < t->end; t->at++) {
		if (*t->at == '"') {
			if (t->at + 1 == t->end || t->at[1] != '"') {
				t->at++;
				return TP_OK;
			}
			t->at++;
		}
		t->line += *t->at == '\n';
		tp_str_add_n(text, t->at, 1);
	}
	return refuse(t, "a quote inside a quoted cell is written twice", "a quote is not closed");
}

static enum tp_status read_cell(struct table *t)
{
	struct row *row = &t->row;

	if (row->n == COLUMNS_MAX)
		return refuse(t, NULL, "more columns than any table of ours has");
	row->start[row->n++] = row->text.len;
	if (t->at < t->end && *t->at == '"') {
		enum tp_status status = read_quoted(t, &row->text);
		if (status)
			return status;
		if (t->at < t->end && *t->at != ',' && !at_line_end(t))
			return refuse(t, "quote the whole cell", "text behind a closing quote");
	}
	while (t->at < t->end && *t->at != ',' && !at_line_end(t)) {
		if (*t->at == '"')
			return refuse(t, "quote the whole cell", "a quote inside a cell");
		tp_str_add_n(&row->text, t->at++, 1);
	}
	if (row->text.len - row->start[row->n - 1] > CELL_MAX_BYTES)
		return refuse(t, NULL, "a cell is longer than any of ours");
	tp_str_add_n(&row->text, "", 1);
	return row->text.oom ? TP_NOMEM : TP_OK;
}

/* The next row; `done` when there is none. Rows without any text are passed over. */
static enum tp_status next_row(struct table *t, bool *done)
{
	enum tp_status status = TP_OK;

	while (t->at < t->end && (at_line_end(t) || *t->at == '\n')) {
		t->at += *t->at == '\r' ? 2 : 1;
		t->line++;
	}
	*done = t->at == t->end;
	t->row_line = t->line;
	t->row.n = 0;
	tp_str_clear(&t->row.text);
	if (*done)
		return TP_OK;
	status = read_cell(t);
	while (status == TP_OK && t->at < t->end && *t->at == ',') {
		t->at++;
		status = read_cell(t);
	}
	return status;
}

/* --- columns --- */

/* Without these a row is no point that could be known again; the others are there to be read if they are. */
static const char *const required[] = { "point",       "experiment",	"kernel",
					"isa",	       "precision",	"threads",
					"level",       "fp_op",		"working_set_bytes",
					"median_gbps", "median_gflops", "ci_low",
					"ci_high",     "samples",	"flags" };

static const struct tp_field *field_of(const char *name)
{
	for (size_t i = 0; i < tp_point_table.n; i++) {
		const struct tp_field *field = &tp_point_table.fields[i];

		if ((field->where & TP_IN_CSV) && field->type != TP_FIELD_DERIVED &&
		    strcmp(field->name, name) == 0)
			return field;
	}
	return NULL;
}

static bool has_column(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i] && strcmp(t->columns[i]->name, name) == 0)
			return true;
	return false;
}

static enum tp_status read_head(struct table *t)
{
	static const char hint[] = "give a points.csv as tprof writes it, with its first line";
	struct tp_str missing = { 0 };
	enum tp_status status;
	bool done;

	if (t->end - t->at >= 3 && memcmp(t->at, "\xef\xbb\xbf", 3) == 0)
		t->at += 3;
	status = next_row(t, &done);
	if (status)
		return status;
	if (done)
		return refuse(t, hint, "there is nothing in it");
	t->n_columns = t->row.n;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct tp_field *field = field_of(cell(&t->row, i));

		if (field && has_column(t, field->name))
			return refuse(t, hint, "two columns have the same name");
		t->columns[i] = field;
	}
	for (size_t i = 0; i < TP_COUNT_OF(required); i++)
		if (!has_column(t, required[i]))
			tp_str_printf(&missing, "%s%s", missing.len ? ", " : "", required[i]);
	if (missing.len) {
		char what[sizeof(t->diag->what)];

		snprintf(what, sizeof(what), "missing columns: %.300s", tp_str_text(&missing));
		status = refuse(t, hint, what);
	}
	tp_str_release(&missing);
	return status;
}

/* --- values --- */

/* Writes the text of a cell into the member; false if it is not of the field's kind. Empty: does not apply, the zero stays. */
static bool read_value(const struct tp_field *field, const char *text, void *at)
{
	uint64_t whole;
	double real;

	if (!*text)
		return true;
	switch (field->type) {
	case TP_FIELD_UNSIGNED:
		if (!tp_parse_u64(text, &whole) || whole > UINT_MAX)
			return false;
		*(unsigned *)at = (unsigned)whole;
		return true;
	case TP_FIELD_U64:
		return tp_parse_u64(text, at);
	case TP_FIELD_REAL:
		if (!tp_parse_double(text, &real) || !isfinite(real))
			return false;
		*(double *)at = real;
		return true;
	case TP_FIELD_BOOL:
		*(bool *)at = strcmp(text, "true") == 0;
		return *(bool *)at || strcmp(text, "false") == 0;
	case TP_FIELD_TEXT:
		return tp_copy(at, field->size_bytes, text);
	case TP_FIELD_FLAGS:
		/* Flags that a newer version knows are left out, not refused. */
		tp_flags_parse(text, at);
		return true;
	case TP_FIELD_STATE:
	case TP_FIELD_DERIVED:
		break;
	}
	return false;
}

static enum tp_status read_point(struct table *t, struct tp_run *run)
{
	static const char *const wanted[] = {
		[TP_FIELD_UNSIGNED] = "a whole number from 0 on",
		[TP_FIELD_U64] = "a whole number from 0 on",
		[TP_FIELD_REAL] = "a number or nothing",
		[TP_FIELD_BOOL] = "true or false",
		[TP_FIELD_TEXT] = "a shorter text",
		[TP_FIELD_FLAGS] = "flag names joined by |",
		[TP_FIELD_STATE] = "",
		[TP_FIELD_DERIVED] = "",
	};
	struct tp_point point = { .state = TP_POINT_DONE }, *slot;
	char what[sizeof(t->diag->what)];

	if (t->row.n != t->n_columns) {
		snprintf(what, sizeof(what), "%zu cells where there are %zu columns", t->row.n,
			 t->n_columns);
		return refuse(t, "cells are separated by commas", what);
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct tp_field *field = t->columns[i];

		if (!field || read_value(field, cell(&t->row, i), (char *)&point + field->offset))
			continue;
		snprintf(what, sizeof(what), "\"%.60s\" in the column %s", cell(&t->row, i),
			 field->name);
		return refuse(t, wanted[field->type], what);
	}
	if (!point.experiment[0])
		return refuse(t, "memcurve, roofline, mixed...", "no experiment is named");
	if (point.point >= TP_RUN_POINTS_MAX)
		return refuse(t, NULL, "\"point\" is larger than any run's");
	slot = tp_run_point_slot(run, point.point);
	if (!slot)
		return TP_NOMEM;
	if (slot->experiment[0])
		return refuse(t, "tables of several runs are several files",
			      "a second point has the same number");
	*slot = point;
	return TP_OK;
}

enum tp_status tp_run_parse_csv(struct tp_run *run, const char *name, const char *text, size_t len,
				struct tp_diag *diag)
{
	struct tp_run fresh = { 0 };
	struct table t = {
		.name = name, .at = text, .end = text + len, .line = 1, .row_line = 1, .diag = diag
	};
	enum tp_status status;
	bool done = false;

	if (memchr(text, '\0', len))
		return tp_fail(diag, TP_USAGE, name, NULL, "not a table: it holds zero bytes");
	status = read_head(&t);
	while (status == TP_OK) {
		status = next_row(&t, &done);
		if (status || done)
			break;
		status = read_point(&t, &fresh);
	}
	tp_str_release(&t.row.text);
	if (status == TP_NOMEM)
		tp_fail(diag, status, name, NULL, "out of memory");
	if (status) {
		tp_run_release(&fresh);
		return status;
	}
	tp_run_release(run);
	*run = fresh;
	return TP_OK;
}
