/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of a table, and words one behind the other. */
#ifndef TPROF_TUI_TABLE_H
#define TPROF_TUI_TABLE_H

#include "ui/tui/paint.h"

struct tp_table_column {
	const char *title;
	int from, end; /* text begins at `from`; with `end` it ends before that column */
};

/* The titles of n columns. */
void tp_table_titles(struct tp_area area, int row, const struct tp_table_column *columns, size_t n,
		     enum tp_role role);
void tp_table_cell(struct tp_area area, int row, const struct tp_table_column *column,
		   enum tp_role role, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A row that is filled from left to right. */
struct tp_text_row {
	struct tp_area area;
	int row, at;
};

/* Text `gap` columns behind the last. */
void tp_words(struct tp_text_row *words, int gap, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
