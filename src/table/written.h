/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The form of a table that another program wrote: what separates its cells, where it begins and
 * ends, whether it has names, and how its numbers are written. One look at the beginning of the
 * text decides all of it; the reader then takes the rows.
 */
#ifndef TPROF_TABLE_WRITTEN_H
#define TPROF_TABLE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"
#include "table/cells.h"
#include "table/encoding.h"

/* --- the user's description of the form: mine.read --- */

struct tp_written_wish {
	enum tp_encoding encoding;
	char separator; /* 0 = by the text */
	char decimal; /* '.' or ',' */
	enum { TP_WRITTEN_AUTO, TP_WRITTEN_NAMES, TP_WRITTEN_NO_NAMES } header;
	bool skips;
	unsigned long skip; /* lines before the table */
	char table[64]; /* its number or its name */
};
/* "encoding:latin-1", "sep:;", "decimal:comma", "skip:7", ... TP_USAGE: what is allowed. */
enum tp_status tp_written_wish_read(struct tp_written_wish *wish, const char *item,
				    struct tp_diag *diag);

/* --- the look --- */

enum { TP_WRITTEN_TABLES_MAX = 64, TP_WRITTEN_LOOK_BYTES = 1 << 20 };

struct tp_written_table {
	char name[64];
	size_t at; /* offset of its names, or its first row */
	unsigned long line, end_line; /* of `at`; after the table, 0 = the text ends with it */
	size_t n_columns, n_rows; /* as far as the look went */
};

/* Zero-initialise, release after use. */
struct tp_written {
	char separator, line_end;
	bool header; /* the first row has the names */
	bool index; /* the first column has no name in it: rows are one cell wider */
	const char *const *names; /* of a known program's columns; NULL = none */
	size_t n_columns;
	struct tp_written_column *columns;
	struct tp_written_table tables[TP_WRITTEN_TABLES_MAX];
	size_t n_tables, chosen; /* of the text's tables */
	struct tp_str said; /* differences from plain CSV, one line; may be empty */
};
void tp_written_release(struct tp_written *form);

/*
 * Looks at the beginning of a text in UTF-8 without a mark: `whole` if it is all of it. `name`
 * stands for it in messages; wish->encoding is what the text was in. TP_USAGE: it is empty, not
 * text, or lacks the requested table.
 */
enum tp_status tp_written_look(struct tp_written *form, const char *name, const char *text,
			       size_t len, bool whole, const struct tp_written_wish *wish,
			       struct tp_diag *diag);

/*
 * The chosen table as plain CSV: commas, quotes where they are needed, numbers with points. Each
 * row stays on its line; a line with a broken quote stays as it is.
 */
void tp_written_plain(const struct tp_written *written, const char *text, size_t len,
		      struct tp_str *out);

#endif
