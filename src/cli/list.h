/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of tprof --list, for the files that fill them. Private to list*.c. */
#ifndef TPROF_CLI_LIST_H
#define TPROF_CLI_LIST_H

#include "record/listing.h"
#include "report/grid.h"

/* Where the rows go: to both forms, one of which is printed. */
struct tp_list_sink {
	struct tp_look look;
	struct tp_grid grid;
	struct tp_listing *json; /* NULL: the table is wanted */
	bool only_names; /* for scripts: what the command line takes, one a line */
	struct tp_str names;
	struct tp_str remarks; /* below the table */
};

/* Other people's words in a cell. */
void tp_list_cell(struct tp_list_sink *s, enum tp_paint paint, const char *text);
/* The cell that begins a row of JSON: a name, and what the command line takes for it. */
void tp_list_called(struct tp_list_sink *s, const char *name, const char *taken);
void tp_list_name(struct tp_list_sink *s, const char *name);
/* A cell that JSON has too. */
void tp_list_text(struct tp_list_sink *s, const char *key, const char *text);

/* list_counters.c */
enum tp_status tp_list_families(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_bases(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_habits(struct tp_list_sink *s, struct tp_diag *diag);
enum tp_status tp_list_events(struct tp_list_sink *s, struct tp_diag *diag);

#endif
