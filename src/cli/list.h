/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of tprof --list, for the files that fill them. Private to list*.c. */
#ifndef TPROF_CLI_LIST_H
#define TPROF_CLI_LIST_H

#include "base/named.h"
#include "record/json.h"
#include "report/text.h"

/* Where the rows go. All forms are made, one of them is printed. */
struct tp_list_sink {
	struct tp_look look;
	struct tp_grid grid;
	struct tp_listing *json; /* NULL: the table is wanted */
	bool only_names; /* for scripts: what the command line takes, one a line */
	struct tp_str names;
	struct tp_str remarks; /* below the table */
};

struct tp_list_row {
	const char *word;
	/*
	 * Heads of the table's columns, separated by blanks; "." is an empty one. In front of a
	 * head, ">" aligns to the right, and "~" lets the column go where the terminal is narrow.
	 */
	const char *columns;
	enum tp_status (*fill)(struct tp_list_sink *sink, struct tp_diag *diag);
};

/* A cell of the table alone; control characters are cleaned out of the text. */
void tp_list_cell(struct tp_list_sink *s, enum tp_paint paint, const char *text);
/* The cell that begins a row of JSON: a name, and what the command line takes for it. */
void tp_list_called(struct tp_list_sink *s, const char *name, const char *taken);
void tp_list_name(struct tp_list_sink *s, const char *name);
/* Cells that JSON has too. */
void tp_list_text(struct tp_list_sink *s, const char *key, const char *text);
/* A cell that says whether something works here. */
void tp_list_here(struct tp_list_sink *s, bool works);
/* Rows of named files: name and title, and the path as a cell or for JSON alone. */
enum tp_status tp_list_files(struct tp_list_sink *s,
			     enum tp_status (*entries)(struct tp_named_file **entries, size_t *n,
						       struct tp_diag *diag),
			     bool path_cell, const char *none, struct tp_diag *diag);

/* list_runs.c */
enum tp_status tp_list_runs(struct tp_list_sink *s, struct tp_diag *diag);

/* list_patterns.c */
enum tp_status tp_list_patterns(struct tp_list_sink *s, struct tp_diag *diag);

/* list_lessons.c */
enum tp_status tp_list_lessons(struct tp_list_sink *s, struct tp_diag *diag);

/* list_examples.c */
enum tp_status tp_list_examples(struct tp_list_sink *s, struct tp_diag *diag);

/* list_counters.c */
enum tp_status tp_list_families(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_bases(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_habits(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_events(struct tp_list_sink *s, struct tp_diag *diag);

#endif
