/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes frames: words of a column, cells, columns that grow. Private to this room. */
#ifndef TPROF_MINING_FRAME_PARTS_H
#define TPROF_MINING_FRAME_PARTS_H

#include "mining/frame.h"

/* --- the different words of a column; zero-initialise --- */

struct tp_dictionary {
	const char **words; /* heap; the texts belong to the arena */
	size_t n, cap;
	uint32_t *slots; /* hash table of code + 1, 0 = free; heap */
	size_t n_slots;
	size_t text_bytes;
};
/*
 * The code of a word, which is new or known. What cannot be printed in it becomes "?". The texts
 * are copied into the arena. TP_NOMEM.
 */
enum tp_status tp_dictionary_code(struct tp_dictionary *dictionary, struct tp_arena *arena,
				  const char *text, size_t len, uint32_t *code);
size_t tp_dictionary_bytes(const struct tp_dictionary *dictionary);
void tp_dictionary_release(struct tp_dictionary *dictionary);

/* --- cells --- */

enum tp_cell_kind { TP_CELL_MISSING, TP_CELL_NUMBER, TP_CELL_INFINITE, TP_CELL_WORD };
/*
 * What a text without blanks around it is. *value is the double nearest to a number, in any locale;
 * TP_CELL_INFINITE: inf, or a number that is too large for a double.
 */
enum tp_cell_kind tp_cell_read(const char *text, size_t len, double *value);

/* --- the lines of a CSV file as rows of cells --- */

/* Of the text under way: valid until the next row. */
struct tp_csv_piece {
	const char *at;
	size_t len;
	bool doubled; /* quotes in it stand twice */
};

struct tp_csv_source {
	const char *name;
	int fd; /* borrowed; -1: all of the text is there */
	char *buffer; /* heap, of a file */
	const char *text; /* what is there of it */
	size_t at, len, cap;
	bool ended; /* nothing follows what is there */
	unsigned long line, row_line; /* of `at`; of the row */
	char separator; /* 0 until the first row was read */
	struct tp_csv_piece *cells; /* of the row; those beyond TP_FRAME_COLUMNS_MAX are counted */
	size_t n_cells, cap_cells;
	struct tp_diags *notes; /* of what is left out */
	struct tp_diag *diag;
};

enum { TP_CSV_ROW_MAX_BYTES = 1 << 24, TP_CSV_CELL_MAX_BYTES = 1 << 16 };

/* Reads on, with a larger buffer if the row under way fills it. */
enum tp_status tp_csv_source_fill(struct tp_csv_source *source);
/*
 * The next row that is one; rows with a broken quote and those that are too long are noted and left
 * out. n_cells 0: there is none. TP_IO, TP_NOMEM, TP_CANCELLED.
 */
enum tp_status tp_csv_source_next(struct tp_csv_source *source);
/* Notes something of the row. */
void tp_csv_source_note(const struct tp_csv_source *source, unsigned long line, const char *fmt,
			...) __attribute__((format(printf, 3, 4)));
void tp_csv_source_release(struct tp_csv_source *source);

/* --- a frame that grows row by row --- */

enum tp_growing_kind { TP_GROWING_UNKNOWN, TP_GROWING_NUMBERS, TP_GROWING_WORDS };

struct tp_growing_column {
	enum tp_growing_kind kind; /* unknown: nothing but missing values so far */
	/* A word came behind numbers, whose texts are gone: it must be read again, as words. */
	bool flipped;
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
enum tp_status tp_growing_begin(struct tp_growing *growing, struct tp_frame *frame);
/* The column is words, whatever its first value is. */
enum tp_status tp_growing_as_words(struct tp_growing *growing, size_t column);
/* Room for one more row. TP_NOMEM, TP_RESOURCE. */
enum tp_status tp_growing_row(struct tp_growing *growing, struct tp_diag *diag);
/* A cell of the row after tp_growing_row. `infinite` (may be NULL) says that it was left out. */
enum tp_status tp_growing_put(struct tp_growing *growing, size_t column, const char *text,
			      size_t len, bool *infinite);
/* The columns become those of the frame. */
enum tp_status tp_growing_end(struct tp_growing *growing);
void tp_growing_release(struct tp_growing *growing);

#endif
