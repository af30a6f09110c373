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
#include "table/written.h"
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
	size_t n_left_out; /* rows of the file that could not be read */
	size_t max_bytes; /* that values and words may take, set before reading; 0 = as usual */
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
 * A table of another program. One look at its beginning decides its form (table/written.h), and a
 * note says what differs from plain CSV; `wish` (may be NULL) overrides each decision. Text is
 * UTF-8 or UTF-16; tables in JSON are read as well (json_table.h). Missing: an empty cell, NA, NaN,
 * null, none, ?, - in any case, and in a column of numbers each cell that is not one, with a note.
 * A row that is left out is noted with its line, and all of them with their number. TP_USAGE with
 * FILE:LINE; TP_NOTFOUND, TP_IO, TP_RESOURCE (too large), TP_CANCELLED.
 */
enum tp_status tp_frame_read_csv(struct tp_frame *frame, const char *path,
				 const struct tp_written_wish *wish, struct tp_diag *diag);
/* The same of a text; `name` stands for the file. */
enum tp_status tp_frame_read_text(struct tp_frame *frame, const char *name, const char *text,
				  size_t len, const struct tp_written_wish *wish,
				  struct tp_diag *diag);
/*
 * The rows of several tables, one below the other, with a column "source" that names each row's
 * table. Columns of one name are one; where a table lacks it, the rows do. TP_RESOURCE.
 */
enum tp_status tp_frame_join(struct tp_frame *frame, const struct tp_frame *parts, size_t n,
			     struct tp_diag *diag);
void tp_frame_write_csv(const struct tp_frame *frame, struct tp_str *out);

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

/* --- the different words of a column; zero-initialise --- */

struct tp_dictionary {
	const char **words; /* heap; the texts belong to the arena */
	size_t n, cap;
	uint32_t *slots; /* hash table of code + 1, 0 = free; heap */
	size_t n_slots;
	size_t text_bytes;
};

/* --- cells --- */

enum tp_cell_kind { TP_CELL_MISSING, TP_CELL_NUMBER, TP_CELL_INFINITE, TP_CELL_WORD };
/*
 * What a text without blanks around it is. *value is the double nearest to a number, in any locale;
 * TP_CELL_INFINITE: inf, or a number that is too large for a double.
 */
enum tp_cell_kind tp_cell_read(const char *text, size_t len, double *value);

/* --- a frame that grows row by row --- */

enum tp_growing_kind { TP_GROWING_UNKNOWN, TP_GROWING_NUMBERS, TP_GROWING_WORDS };

struct tp_growing_column {
	enum tp_growing_kind kind; /* unknown: nothing but missing values so far */
	double *numbers; /* heap */
	uint32_t *codes; /* heap */
	struct tp_dictionary words;
	size_t n_missing;
};

/* Zero-initialise, then tp_growing_begin. */
struct tp_growing {
	struct tp_frame *frame; /* has its columns with their names already */
	struct tp_growing_column *columns;
	size_t n_columns; /* those that the frame had at the beginning */
	size_t n_rows, cap_rows;
	size_t bytes, max_bytes; /* of memory that values and words take */
};
void tp_growing_begin(struct tp_growing *growing, struct tp_frame *frame);
/* The column is words, or numbers, independent of its first value. */
void tp_growing_as_words(struct tp_growing *growing, size_t column);
void tp_growing_as_numbers(struct tp_growing *growing, size_t column);
/* Room for one more row. TP_RESOURCE. */
enum tp_status tp_growing_row(struct tp_growing *growing, struct tp_diag *diag);
/*
 * A cell of the row after tp_growing_row, and what it is. In a column of numbers a word counts as
 * missing.
 */
enum tp_cell_kind tp_growing_put(struct tp_growing *growing, size_t column, const char *text,
				 size_t len);
/* The same of a column of numbers; NaN = missing. */
void tp_growing_number(struct tp_growing *growing, size_t column, double value);
/* The columns become those of the frame. */
void tp_growing_end(struct tp_growing *growing);
void tp_growing_release(struct tp_growing *growing);

#endif
