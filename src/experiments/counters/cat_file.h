/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and notes of the files of PAPI's Counter Analysis Toolkit. Private to cat*.c. */
#ifndef TPROF_COUNTERS_CAT_FILE_H
#define TPROF_COUNTERS_CAT_FILE_H

#include <stdint.h>

#include "experiments/counters/cat.h"

/* What is told once, however many files it holds for. */
enum {
	TP_CAT_TOLD_HALF = 1,
	TP_CAT_TOLD_SEQUENTIAL = 2,
	TP_CAT_TOLD_FLOPS = 4,
	TP_CAT_TOLD_ICACHE = 8,
	TP_CAT_TOLD_INSTR = 16,
	TP_CAT_TOLD_LATENCIES = 32
};

/* A file being read, line by line. */
struct tp_cat_file {
	struct tp_cat *cat;
	const char *name; /* of the file */
	char event[TP_EVENT_NAME_MAX];
	const char *at, *end;
	unsigned line; /* of `text`, from 1 */
	char text[1024]; /* the line without its end; longer ones are told and passed over */
	size_t n_kept; /* readings taken from it */
};

/* The next line that is not blank; false behind the last. */
bool tp_cat_next(struct tp_cat_file *file);

/* A note about the file's present line, or about the file as a whole (line 0). */
void tp_cat_note(struct tp_cat_file *file, unsigned line, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, once a folder. */
void tp_cat_note_once(struct tp_cat_file *file, unsigned what, const char *hint, const char *fmt,
		      ...) __attribute__((format(printf, 4, 5)));

/* Numbers of the present line, at most `max`; SIZE_MAX if there is anything else in it (told). */
size_t tp_cat_numbers(struct tp_cat_file *file, double *numbers, size_t max);
/* Whether a count can be one; told if not. */
bool tp_cat_count(struct tp_cat_file *file, double count);
/* Adds a reading of this file's event. */
enum tp_status tp_cat_add(struct tp_cat_file *file, const char *family, size_t row, double count,
			  double iterations, struct tp_diag *diag);

enum tp_status tp_cat_vec(struct tp_cat_file *file, struct tp_diag *diag);
enum tp_status tp_cat_data(struct tp_cat_file *file, bool writes, struct tp_diag *diag);

#endif
