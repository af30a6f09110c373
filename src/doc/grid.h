/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables with aligned columns. Filled row by row, cell by cell; a printer fits them to its width.
 */
#ifndef TPROF_DOC_GRID_H
#define TPROF_DOC_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "doc/look.h"

enum { TP_GRID_COLUMNS_MAX = 24 }; /* further ones are left out */

enum tp_align { TP_LEFT, TP_RIGHT };

struct tp_grid_column {
	const char *head;
	enum tp_align align;
	/*
	 * When the table is too wide for a terminal, columns with the highest number go first; 0
	 * stays. Columns that are all empty go too, unless 0.
	 */
	unsigned give;
};

struct tp_cell {
	char *text;
	double number;
	int decimals; /* of `number`; TP_DECIMALS: chosen for the section's column */
	enum tp_paint paint;
	bool is_number, is_head;
	bool again; /* as in the row above: a terminal shows nothing */
};

/* Chosen for a column so that the smallest value keeps three digits or so. */
enum { TP_DECIMALS = -1 };

/*
 * Filled row by row, cell by cell. A section is a heading row and the rows below it; in it numbers
 * share their decimals.
 */
struct tp_grid {
	const struct tp_grid_column *columns; /* borrowed */
	size_t n_columns;
	struct tp_cell *cells; /* row-major */
	size_t n, cap;
};

/* A grid that releases itself; the columns are an array. */
#define TP_GRID(grid, list)                                                                        \
	TP_CLEANUP(tp_grid_release)                                                                \
	struct tp_grid grid = { .columns = (list), .n_columns = sizeof(list) / sizeof((list)[0]) }
void tp_grid_init(struct tp_grid *grid, const struct tp_grid_column *columns, size_t n_columns);
/* A heading row with the columns' heads. */
void tp_grid_heads(struct tp_grid *grid);
/* The next cell is a heading: for a section whose columns mean something else. */
void tp_grid_head(struct tp_grid *grid, const char *text);
void tp_grid_text(struct tp_grid *grid, enum tp_paint paint, const char *text);
/* The same for foreign text. */
void tp_grid_clean(struct tp_grid *grid, const struct tp_look *look, enum tp_paint paint,
		   const char *text);
void tp_grid_printf(struct tp_grid *grid, enum tp_paint paint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * A text. If it is as in the row above (`again`), a terminal leaves it out; where rows can be
 * sorted, on a page, it stands.
 */
void tp_grid_again(struct tp_grid *grid, enum tp_paint paint, const char *text, bool again);
/* "-" where the value is not finite. */
void tp_grid_number(struct tp_grid *grid, enum tp_paint paint, double value, int decimals);

void tp_grid_release(struct tp_grid *grid);

/* --- for texts and their printers --- */

/* Makes texts of all numbers. */
void tp_grid_spell(struct tp_grid *grid);

size_t tp_grid_n_rows(const struct tp_grid *grid);
struct tp_cell *tp_grid_cell(const struct tp_grid *grid, size_t row, size_t column);
/* Where the section ends that begins with a row. */
size_t tp_grid_section_end(const struct tp_grid *grid, size_t from);

#endif
