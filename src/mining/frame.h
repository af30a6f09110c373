/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frame: a table by columns, as mining reads it. It comes from a CSV file of anybody, or from the
 * points of a run. A column is numbers if every value that is there is one, else words.
 */
#ifndef TPROF_MINING_FRAME_H
#define TPROF_MINING_FRAME_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/str.h"
#include "table/table.h"

enum { TP_FRAME_COLUMNS_MAX = 4096, TP_FRAME_ROWS_MAX = 1 << 26, TP_FRAME_NAME_MAX_BYTES = 200 };
#define TP_FRAME_NO_WORD UINT32_MAX

struct tp_frame_column {
	const char *name; /* printable, not empty, different from those of the others */
	enum tp_column_role role; /* of a run's column; NOTE for one of a file */
	const char *unit; /* NULL = none known */
	bool is_words;
	double *numbers; /* of each row, NaN = missing; NULL of words */
	uint32_t *codes; /* index into words, TP_FRAME_NO_WORD = missing; NULL of numbers */
	const char **words; /* printable, in the order of their first row */
	size_t n_words, n_missing;
};

/* Zero-initialise, release after use. */
struct tp_frame {
	struct tp_frame_column *columns;
	size_t n_columns, n_rows;
	char name[256]; /* of the file or the run, printable */
	struct tp_diags notes; /* what was left out or mended, with file:line */
	struct tp_arena arena; /* owns names, words and values */
};
void tp_frame_release(struct tp_frame *frame);

/* NULL if there is none. `nearest` (may be NULL) then is the most similar name, or NULL. */
const struct tp_frame_column *tp_frame_find(const struct tp_frame *frame, const char *name,
					    const char **nearest);
/* The value of a cell for people: "12.5", "avx2", "" for a missing one. Returns out. */
const char *tp_frame_cell(const struct tp_frame_column *column, size_t row, char *out, size_t size);

/*
 * CSV as RFC 4180 has it: a first line of names, commas (or semicolons, or tabs, if the first line
 * has no comma), quotes, CR LF or LF, a byte order mark. Missing: an empty cell, NA, NaN, null,
 * none, ?, - in any case. Lines of # before the names are left out. A row of too few or too many
 * cells is left out and noted with its line; so is a broken quote. TP_USAGE with FILE:LINE;
 * TP_NOTFOUND, TP_IO, TP_NOMEM, TP_RESOURCE (too large), TP_CANCELLED.
 */
enum tp_status tp_frame_read_csv(struct tp_frame *frame, const char *path, struct tp_diag *diag);
/* The same of a text; `name` stands for the file. */
enum tp_status tp_frame_read_text(struct tp_frame *frame, const char *name, const char *text,
				  size_t len, struct tp_diag *diag);
enum tp_status tp_frame_write_csv(const struct tp_frame *frame, struct tp_str *out);

/*
 * Leaves the rows for which the expression is true (base/expression.h; names are columns). A
 * missing value makes it false. TP_USAGE: what is wrong in it, or an unknown name with the nearest
 * one.
 */
enum tp_status tp_frame_filter(struct tp_frame *frame, const char *expression,
			       struct tp_diag *diag);
/* Adds a column of numbers: "NAME=EXPRESSION". A row that has no result is missing. */
enum tp_status tp_frame_derive(struct tp_frame *frame, const char *definition,
			       struct tp_diag *diag);
/* Leaves the rows whose `keep` is true. */
void tp_frame_keep(struct tp_frame *frame, const bool *keep);

#endif
