/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a stream: painted, wrapped and cleaned as the look of the stream wants it. */
#ifndef TPROF_REPORT_TEXT_H
#define TPROF_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* How words for people may look on a stream. */
struct tp_look {
	bool terminal; /* a terminal, and this process is in its foreground */
	bool colour; /* --color, NO_COLOR, TERM=dumb respected */
	bool utf8; /* locale's codeset and not --ascii */
	bool full; /* a report shows every table and picture, however long it becomes */
	bool quick; /* it is drawn while the user waits: nothing is learned for it */
	bool html; /* the body of a page, report/html.h: no terminal reads it */
	unsigned columns, rows; /* 80 x 24 when unknown */
};

/* Colour by meaning. */
enum tp_paint {
	TP_PAINT_PLAIN,
	TP_PAINT_TITLE,
	TP_PAINT_HEAD,
	TP_PAINT_DIM,
	TP_PAINT_STRONG,
	TP_PAINT_GOOD,
	TP_PAINT_WARN,
	TP_PAINT_BAD
};

/* Tables and text are never wider than the terminal, but no table is made for less than this. */
enum { TP_COLUMNS_MIN = 78, TP_LABEL_COLUMNS = 9 };
size_t tp_look_columns(const struct tp_look *look);

/* Adds other people's text (tp_str_add_clean), in ASCII alone where the look has no UTF-8. */
void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look);

/*
 * Adds `text` painted; nothing but the text without colour. In the body of a page it is escaped, as
 * every text is by the functions here: nothing else may add texts of others to `out`.
 */
void tp_text_paint(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		   const char *text);
/*
 * Adds `text`, broken at blanks, and a line end. `used` columns of the first line are taken
 * already, further lines are indented by `indent`. In the body of a page it ends a paragraph, which
 * has what stands on the line already; TP_PAINT_TITLE makes it a title, TP_PAINT_HEAD a head.
 */
void tp_text_wrap(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text, size_t used, size_t indent);

/* The same for other people's text. */
void tp_text_say(struct tp_str *out, const struct tp_look *look, enum tp_paint paint, size_t used,
		 size_t indent, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* A blank line, and the title of a section. */
void tp_text_title(struct tp_str *out, const struct tp_look *look, const char *text);
/* The same below it: the head of a part of the section. */
void tp_text_head(struct tp_str *out, const struct tp_look *look, const char *text);
/* "Quality  27 good": the label in `columns`, and a text that is wrapped beside it. */
void tp_text_labelled(struct tp_str *out, const struct tp_look *look, const char *label,
		      size_t columns, enum tp_paint paint, const char *text);
/* The same for other people's text, with columns for a short word; nothing if it is empty. */
void tp_text_fact(struct tp_str *out, const struct tp_look *look, const char *label,
		  enum tp_paint paint, const char *text);
/* "  - text": an item of a list. */
void tp_text_item(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text);

/* What joins the parts of a title and what stands for plus or minus. */
const char *tp_text_dot(const struct tp_look *look); /* " · " or ", " */
/* Adds the joint and other people's text, unless that is empty. */
void tp_text_join(struct tp_str *out, const struct tp_look *look, const char *text);
const char *tp_text_plus_minus(const struct tp_look *look); /* "±" or "+-" */

/* "30K", "1.18M", "512M": binary units, three digits. */
const char *tp_text_size(char *out, size_t size, uint64_t bytes);
/* "compiling 3 of 12" */
const char *tp_text_compiling(char *out, size_t size, unsigned n_compiled, unsigned n_sources);
/* "1 thread", "12 threads". */
const char *tp_text_count(char *out, size_t size, uint64_t n, const char *what);

/* Tables with aligned columns that fit the terminal. */

enum { TP_GRID_COLUMNS_MAX = 24 }; /* further ones are left out */

enum tp_align { TP_LEFT, TP_RIGHT };

struct tp_grid_column {
	const char *head;
	enum tp_align align;
	/*
	 * When the table is too wide, columns with the highest number go first; 0 stays. Columns
	 * that are all empty go too, unless 0.
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

/*
 * Lays the table out and adds it. Too wide: columns go as their `give` says, then the last one is
 * broken into lines if it is left-aligned, else the line is longer. In the body of a page
 * (look->html) each section is a table with every column that says something.
 */
void tp_grid_write(struct tp_grid *grid, const struct tp_look *look, struct tp_str *out);
void tp_grid_release(struct tp_grid *grid);

#endif
