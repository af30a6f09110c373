/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants of a run as they are reported and drawn. */
#ifndef TPROF_EXPERIMENTS_PROGRAM_REPORT_H
#define TPROF_EXPERIMENTS_PROGRAM_REPORT_H

#include "experiments/program/row.h"
#include "report/reporter.h"

enum { TP_PROGRAM_AXIS_BYTES = 48, TP_PROGRAM_AXIS_LEAST = 3 };

/* The variant with the best metric, among those that are not poor, if any; NULL = none. */
const struct tp_point *tp_program_best(const struct tp_run *run, unsigned index);

/* The one with the worst. */
const struct tp_point *tp_program_worst(const struct tp_run *run, unsigned index);

/* The text of a parameter of the point; false if it has none with that name. */
bool tp_program_value(const struct tp_point *point, const char *name, char *out, size_t size);

/*
 * The parameter that the finished variants of a run with so many threads make curves over: all its
 * values are numbers, at least TP_PROGRAM_AXIS_LEAST, and none has more. False if none.
 */
bool tp_program_axis(const struct tp_run *run, unsigned index, unsigned threads,
		     char name[TP_PROGRAM_AXIS_BYTES]);

/* "1.23 s", "45.6": the metric of the point. */
const char *tp_program_text(const struct tp_point *point, double value, char *out, size_t size);

/*
 * Pictures of programs: a curve over a parameter that has several numbers, else bars of all
 * variants.
 */

/* Bars of the finished variants of a run for so many rows; false if there are none. */
bool tp_program_bars(struct tp_picture *picture, const struct tp_run *run, unsigned index,
		     size_t rows);

#endif
