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

/* How a column shows a value. */
enum tp_as {
	TP_AS_IT_IS, /* words; whole numbers; real numbers with decimals that the section shares */
	TP_AS_FIXED, /* `digits` decimals, followed by `unit`: "1.50x" */
	TP_AS_DIGITS, /* `digits` significant digits: "1.21e+09" */
	TP_AS_PERCENT, /* `digits` decimals: "12%" */
	TP_AS_SHARE, /* `digits` significant digits: "12.3%" */
	TP_AS_RATIO, /* of 1, `digits` decimals: "12%" is 0.12 */
	TP_AS_CHANGE, /* `digits` decimals and a sign: "+12%" */
	TP_AS_TIMES, /* `digits` significant digits: "1.5x" */
	TP_AS_SECONDS, /* "1.21 ms" */
	TP_AS_SIZE, /* bytes: "30K" */
	TP_AS_BAR /* from 0 to 1, which is `digits` signs wide */
};

/* The type of a member, which TP_SHOWS finds out. */
enum tp_member {
	TP_MEMBER_NONE,
	TP_MEMBER_CHARS,
	TP_MEMBER_WORDS,
	TP_MEMBER_INT,
	TP_MEMBER_UNSIGNED,
	TP_MEMBER_LONG,
	TP_MEMBER_ULONG,
	TP_MEMBER_REAL
};

struct tp_grid;

/*
 * A column: its head, the part of a row that it shows, and how (tp_grid_row). Another column of a
 * table is another line of such a list.
 */
struct tp_grid_column {
	const char *head;
	enum tp_align align;
	/*
	 * When the table is too wide for a terminal, columns with the highest number go first; 0
	 * stays. Columns that are all empty go too, unless 0.
	 */
	unsigned give;
	/* Columns that are left of words where a screen cuts them; 0: only the last is cut. */
	unsigned least;
	/*
	 * A member (TP_SHOWS) of the row, or of what a pointer in it leads to (TP_VIA), or of what
	 * `of` finds for that; ...
	 */
	enum tp_member member;
	size_t offset;
	size_t via; /* 0: nothing */
	const void *(*of)(const void *row);
	/* ... or what a function computes of that; ... */
	double (*value)(const void *of);
	/* ... or a function adds one cell. `context` comes from tp_grid_row. */
	void (*cell)(struct tp_grid *grid, const void *of, const void *context);
	enum tp_as as;
	int digits;
	const char *unit;
	/* What a function makes of the number, instead of `as`; writes into out or returns words.
	 */
	const char *(*words)(char *out, size_t size, double value);
	/*
	 * The text for a missing value; NULL: "-". Missing are numbers that are not finite, empty
	 * words, NULL pointers, values for which `when` is false, and, with `positive`, numbers not
	 * above 0.
	 */
	bool positive;
	bool (*when)(const void *row);
	const char *none;
	enum tp_paint paint;
	enum tp_paint (*paint_of)(const void *row); /* NULL: `paint` */
	/*
	 * Words equal to those of the row above are shown once (see tp_grid_again), if all such
	 * columns to the left are equal, too.
	 */
	bool again;
};

/* The member of a row that a column shows. */
#define TP_SHOWS(row_type, name)                                                                   \
	.offset = offsetof(row_type, name),                                                        \
	.member = _Generic(&((row_type *)0)->name,                                                 \
			   char (*)[sizeof(((row_type *)0)->name)]: TP_MEMBER_CHARS,               \
			   const char **: TP_MEMBER_WORDS,                                         \
			   char **: TP_MEMBER_WORDS,                                               \
			   int *: TP_MEMBER_INT,                                                   \
			   unsigned *: TP_MEMBER_UNSIGNED,                                         \
			   long *: TP_MEMBER_LONG,                                                 \
			   unsigned long *: TP_MEMBER_ULONG,                                       \
			   double *: TP_MEMBER_REAL)

/* "30 KiB": for `words` of a column. */
const char *tp_grid_bytes(char *out, size_t size, double bytes);

/* The pointer in a row that leads to the column's struct; NULL if that is missing. */
#define TP_VIA(row_type, pointer) .via = offsetof(row_type, pointer) + 1

struct tp_cell {
	char *text;
	double number;
	int decimals; /* of `number`; TP_DECIMALS: chosen for the section's column */
	enum tp_paint paint;
	bool is_number, is_head;
	bool again; /* as in the row above: a terminal shows nothing */
	const void *about; /* of the first cell of a row: see tp_grid_about */
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
/* A row, as the columns define it. */
void tp_grid_row(struct tp_grid *grid, const void *row, const void *context);
/*
 * What the last row is about: the point, roof, dot ... of the run. A cursor that reads the same in
 * a picture finds its row by it.
 */
void tp_grid_about(struct tp_grid *grid, const void *thing);
/* The column of the next cell: for a `cell` that several columns have. */
const struct tp_grid_column *tp_grid_next(const struct tp_grid *grid);

/* Single cells. tp_grid_write cleans their words. */

void tp_grid_text(struct tp_grid *grid, enum tp_paint paint, const char *text);
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

/* Makes texts of all numbers, and cleans all texts: those of others, and signs without UTF-8. */
void tp_grid_spell(struct tp_grid *grid, const struct tp_look *look);

size_t tp_grid_n_rows(const struct tp_grid *grid);
struct tp_cell *tp_grid_cell(const struct tp_grid *grid, size_t row, size_t column);
/* Where the section ends that begins with a row. */
size_t tp_grid_section_end(const struct tp_grid *grid, size_t from);

#endif
