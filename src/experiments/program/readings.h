/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that programs print. */
#ifndef TPROF_EXPERIMENT_PROGRAM_READINGS_H
#define TPROF_EXPERIMENT_PROGRAM_READINGS_H

#include <regex.h>

#include "preset/options.h"

enum { TP_PROGRAM_READS_MAX = 16, TP_PROGRAM_NAME_BYTES = 32 };

/* The patterns of program.read, ready to be looked for. Zero-initialise; release. */
struct tp_program_reads {
	struct {
		char name[TP_PROGRAM_NAME_BYTES];
		regex_t pattern;
	} items[TP_PROGRAM_READS_MAX];
	size_t n;
};

/*
 * Compiles "NAME=PATTERN" of each item: an extended regular expression of POSIX with a group, in
 * which ^ and $ stand for the ends of lines. TP_USAGE with what is wrong. Release in any case.
 */
enum tp_status tp_program_reads_make(struct tp_program_reads *reads, const struct tp_value *wishes,
				     struct tp_diag *diag);
void tp_program_reads_release(struct tp_program_reads *reads);
/* The reading with that name; -1 = none. */
int tp_program_reads_find(const struct tp_program_reads *reads, const char *name);

/*
 * The numbers of an output: values[i] is what the first group of the first match of the i-th
 * pattern holds. TP_NOTFOUND with the name of one without a match, or whose group is not a number.
 */
enum tp_status tp_program_reads_take(const struct tp_program_reads *reads, const char *output,
				     double *values, struct tp_diag *diag);

#endif
