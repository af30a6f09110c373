/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Typed tables: a row is a C struct, its columns are a const list. From the list come CSV and JSON
 * in both directions, events, reports and the manual. A value that does not apply (see `rule` and
 * `applies`) is an empty cell in CSV and null in JSON.
 */
#ifndef TPROF_TABLE_TABLE_H
#define TPROF_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

enum tp_column_type {
	TP_COLUMN_UNSIGNED,
	TP_COLUMN_U64,
	TP_COLUMN_REAL,
	TP_COLUMN_BOOL,
	TP_COLUMN_TEXT, /* char array in the struct */
	TP_COLUMN_WORD, /* unsigned: index into `words` */
	TP_COLUMN_FLAGS, /* uint32_t: one bit for each of `words`, "a|b" */
	TP_COLUMN_DERIVED, /* number that `derive` computes; written, never read */
	TP_COLUMN_PHRASE /* text that `phrase` writes; written, never read */
};

enum tp_column_rule {
	TP_COLUMN_ALWAYS,
	TP_COLUMN_NONZERO /* 0 = does not apply */
};

/* What a column is for: comparisons pair rows by identity and dimensions and judge metrics. */
enum tp_column_role {
	TP_ROLE_NOTE,
	TP_ROLE_IDENTITY, /* number of the row, of its run, of its point */
	TP_ROLE_DIMENSION, /* what was chosen: ISA, threads, level, size */
	TP_ROLE_METRIC,
	TP_ROLE_INTERVAL
};

/* Where a column appears, ored together. */
enum {
	TP_IN_IDENTITY = 1, /* event point_begin: known when planned */
	TP_IN_FOUND = 2, /* event point_end, in addition to the identity */
	TP_IN_CSV = 4,
	TP_IN_JSON = 8,
	TP_IN_CORE = 16 /* scripts rely on it: what --csv prints has it, even if it is empty */
};

struct tp_word_set {
	const char *const *names;
	size_t n;
};

struct tp_column {
	const char *name;
	enum tp_column_type type;
	enum tp_column_rule rule;
	enum tp_column_role role;
	unsigned where;
	size_t offset, size_bytes; /* of the member in the row */
	/* NULL: always. Two columns with one member and opposite conditions are one value. */
	bool (*applies)(const void *row);
	double (*derive)(const void *row);
	void (*phrase)(const void *row, char *out, size_t size);
	const struct tp_word_set *words;
	const char *unit; /* NULL: none */
	bool pairs; /* a text of names with values (base/pairs.h) */
	/*
	 * The largest whole number that a reader accepts; 0: the limit of int, or of int64_t for
	 * U64.
	 */
	uint64_t most;
	/*
	 * What the value makes the program do: start a program, reach a host, write to a path. Bits
	 * of the room that owns the table, which asks the user before it does that; 0: nothing.
	 */
	unsigned acts;
	/* A paragraph of tprof-results(5); NULL: the next column's is for both. */
	const char *help;
};

/* A column that is a member of the row. Further members of tp_column may follow. */
#define TP_COLUMN(row_type, member, label, kind, when, part, places, ...)                          \
	{                                                                                          \
		.name = label, .type = TP_COLUMN_##kind, .rule = TP_COLUMN_##when, .role = part,   \
		.where = places, .offset = offsetof(row_type, member),                             \
		.size_bytes = sizeof(((row_type *)0)->member), __VA_ARGS__                         \
	}

struct tp_table {
	const char *name; /* key of run.json: "roofs"; NULL: rows that are only part of others */
	const struct tp_column *columns;
	size_t n;
	size_t row_bytes;
	/* The row begins with a row of this table, whose columns belong to it; NULL = none. */
	const struct tp_table *base;
	/* Fills in what null stands for, before the keys are read; NULL: zeros. */
	void (*blank)(void *row);
};

/* What follows from the type of the rows and their columns. Further members may follow. */
#define TP_TABLE(row_type, list)                                                                   \
	.columns = (list), .n = sizeof(list) / sizeof((list)[0]), .row_bytes = sizeof(row_type)

/* Rows of one table, in the order they were added. Zero-initialise. */
struct tp_rows {
	void *rows; /* n rows of the table's row_bytes, heap */
	size_t n, cap;
	size_t n_settled; /* in their places, where rows have places (tp_part.settle) */
};

/* True if the rows of `table` are, or begin with, rows of `base`. */
bool tp_table_is(const struct tp_table *table, const struct tp_table *base);
/* NULL if there is no such column, in the table or its bases. */
const struct tp_column *tp_column_find(const struct tp_table *table, const char *name);
bool tp_column_applies(const struct tp_column *column, const void *row);
bool tp_column_is_number(const struct tp_column *column); /* of some kind */
/* The value of a column that is a number of some kind; 1 for words and texts. */
double tp_column_number(const struct tp_column *column, const void *row);

enum { TP_WANTED_BYTES = 64 };
/* What a reader accepts for such a column, for messages: "a whole number from 0 to 65535". */
const char *tp_column_wanted(const struct tp_column *column, char out[TP_WANTED_BYTES]);
/* Writes a whole number to `at` of such a column; false if it is too large. */
bool tp_column_set_whole(const struct tp_column *column, void *at, uint64_t whole);

/* A zeroed row at the end, never NULL. Pointers to rows last until the next one. */
void *tp_rows_add(struct tp_rows *rows, const struct tp_table *table);
#define TP_ROW_AT(list, table, i) ((void *)((char *)(list)->rows + (i) * (table)->row_bytes))

/* The index of a word; false if it is unknown. */
bool tp_word_find(const struct tp_word_set *words, const char *text, unsigned *index);
/* "a|b" of bits, "" for none; returns out. A name is there whole or not at all. */
const char *tp_words_join(const struct tp_word_set *words, uint32_t bits, char *out, size_t size);
/* False if a word is not known; the known ones count. */
bool tp_words_split(const struct tp_word_set *words, const char *text, uint32_t *bits);

#endif
