/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points.csv, read (tp_run_csv writes it). A table holds no windows and no facts: the points are
 * finished ones without their samples. The caller's run is replaced only by a table that is sound
 * as a whole.
 */
#include "record/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/document.h"
#include "table/csv.h"

/*
 * Without these a row is no point that could be known again; the others are there to be read if
 * they are.
 */
static const char *const required[] = { "point",       "experiment",	"kernel",
					"isa",	       "precision",	"threads",
					"level",       "fp_op",		"working_set_bytes",
					"median_gbps", "median_gflops", "ci_low",
					"ci_high",     "samples",	"flags" };

static bool has_column(const struct tp_csv *head, const char *name)
{
	for (size_t i = 0; i < head->n; i++)
		if (strcmp(tp_csv_cell(head, i), name) == 0)
			return true;
	return false;
}

static const char head_hint[] = "give a points.csv as tprof writes it, with its first line";

/* The names of the columns; known ones stand there once, and none that is needed is missing. */
static enum tp_status read_head(struct tp_csv *csv)
{
	struct tp_point_layout layout;
	struct tp_str missing = { 0 };
	enum tp_status status;
	bool done;

	status = tp_csv_next(csv, &done);
	if (status)
		return status;
	if (done)
		return tp_csv_refuse(csv, head_hint, "there is nothing in it");
	tp_point_layout_make(&layout, tp_point_kind_find(""));
	for (size_t i = 0; i < layout.n; i++) {
		size_t times = 0;

		for (size_t k = 0; k < csv->n; k++)
			times += strcmp(tp_csv_cell(csv, k), layout.at[i].column->name) == 0;
		if (times > 1)
			return tp_csv_refuse(csv, head_hint, "two columns have the same name");
	}
	for (size_t i = 0; i < TP_COUNT_OF(required); i++)
		if (!has_column(csv, required[i]))
			tp_str_printf(&missing, "%s%s", missing.len ? ", " : "", required[i]);
	if (missing.len) {
		char what[sizeof(csv->diag->what)];

		snprintf(what, sizeof(what), "missing columns: %.300s", tp_str_text(&missing));
		status = tp_csv_refuse(csv, head_hint, what);
	}
	tp_str_release(&missing);
	return status;
}

struct reader {
	struct tp_csv csv, head; /* the row under way, and the names of the columns */
	struct tp_point_layout layout; /* of the kind of the row before */
	/* where the columns of the layout stand in a row; SIZE_MAX: nowhere */
	size_t at[TP_POINT_COLUMNS_MAX];
	size_t experiment;
	struct tp_run run;
};

static size_t find_cell(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->head.n; i++)
		if (strcmp(tp_csv_cell(&r->head, i), name) == 0)
			return i;
	return SIZE_MAX;
}

static const char *cell_at(const struct reader *r, size_t at)
{
	return at == SIZE_MAX ? "" : tp_csv_cell(&r->csv, at);
}

/* Rows of one kind mostly stand together: their columns are looked up once. */
static void set_layout(struct reader *r, const struct tp_point_kind *kind)
{
	if (r->layout.n && r->layout.kind == kind)
		return;
	tp_point_layout_make(&r->layout, kind);
	for (size_t i = 0; i < r->layout.n; i++)
		r->at[i] = find_cell(r, r->layout.at[i].column->name);
}

static enum tp_status read_cells(struct reader *r, struct tp_point *point)
{
	char what[sizeof(r->csv.diag->what)], wanted[TP_WANTED_BYTES];

	for (size_t i = 0; i < r->layout.n; i++) {
		const struct tp_column *column = r->layout.at[i].column;
		const char *text = cell_at(r, r->at[i]);
		union tp_row_room nowhere;
		void *record = r->layout.at[i].from == TP_FROM_CORE  ? (void *)point
			       : r->layout.at[i].from == TP_FROM_ROW ? point->row
								     : &nowhere;

		if (!(column->where & TP_IN_CSV) || tp_column_read_cell(column, text, record))
			continue;
		snprintf(what, sizeof(what), "\"%.60s\" in the column %s", text, column->name);
		return tp_csv_refuse(&r->csv, tp_column_wanted(column, wanted), what);
	}
	return TP_OK;
}

static enum tp_status read_point(struct reader *r)
{
	struct tp_point point = { .state = TP_POINT_DONE }, *slot;
	const char *experiment = cell_at(r, r->experiment);
	char what[sizeof(r->csv.diag->what)];
	enum tp_status status;

	if (r->csv.n != r->head.n) {
		snprintf(what, sizeof(what), "%zu cells where there are %zu columns", r->csv.n,
			 r->head.n);
		return tp_csv_refuse(&r->csv, "cells are separated by commas", what);
	}
	if (tp_point_begin(&point, experiment, &r->run.arena))
		return TP_NOMEM;
	set_layout(r, point.kind);
	status = read_cells(r, &point);
	if (status)
		return status;
	if (!point.experiment[0])
		return tp_csv_refuse(&r->csv, "memcurve, roofline, mixed...",
				     "no experiment is named");
	if (point.kind->headline)
		point.kind->headline(&point);
	slot = tp_run_point_slot(&r->run, point.point);
	if (!slot)
		return TP_NOMEM;
	if (slot->experiment[0])
		return tp_csv_refuse(&r->csv, "tables of several runs are several files",
				     "a second point has the same number");
	*slot = point;
	return TP_OK;
}

enum tp_status tp_run_parse_csv(struct tp_run *run, const char *name, const char *text, size_t len,
				struct tp_diag *diag)
{
	struct reader *r = calloc(1, sizeof(*r));
	enum tp_status status;
	bool done = false;

	if (!r)
		return tp_fail(diag, TP_NOMEM, name, NULL, "out of memory");
	if (memchr(text, '\0', len)) {
		free(r);
		return tp_fail(diag, TP_USAGE, name, NULL, "not a table: it holds zero bytes");
	}
	tp_csv_begin(&r->head, name, text, len, diag);
	status = read_head(&r->head);
	tp_csv_begin(&r->csv, name, r->head.at, (size_t)(r->head.end - r->head.at), diag);
	r->csv.line = r->head.line;
	r->experiment = find_cell(r, "experiment");
	while (status == TP_OK) {
		status = tp_csv_next(&r->csv, &done);
		if (status || done)
			break;
		status = read_point(r);
	}
	if (status == TP_NOMEM)
		tp_fail(diag, status, name, NULL, "out of memory");
	if (status) {
		tp_run_release(&r->run);
	} else {
		tp_run_release(run);
		*run = r->run;
	}
	tp_csv_release(&r->head);
	tp_csv_release(&r->csv);
	free(r);
	return status;
}
