/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variants of a run as they are reported. */
#ifndef TPROF_EXPERIMENT_PROGRAM_VARIANTS_H
#define TPROF_EXPERIMENT_PROGRAM_VARIANTS_H

#include "experiments/program/program_row.h"

enum { TP_PROGRAM_AXIS_BYTES = 48, TP_PROGRAM_AXIS_LEAST = 3 };

/* True if the point is one of the variants of a run of the preset. */
bool tp_program_is_of(const struct tp_point *point, unsigned run);
/* The variant with the best metric, of those that are not poor if there are any; NULL = none. */
const struct tp_point *tp_program_best(const struct tp_run *run, unsigned index);
/* The one with the worst. */
const struct tp_point *tp_program_worst(const struct tp_run *run, unsigned index);

/* True if variants of a run differ in their threads. */
bool tp_program_threads_vary(const struct tp_run *run, unsigned index);

/* The text of a parameter of the point; false if it has none of that name. */
bool tp_program_value(const struct tp_point *point, const char *name, char *out, size_t size);
/* The same as a number; NaN if it is none. */
double tp_program_number(const struct tp_point *point, const char *name);
/*
 * The parameter that the finished variants of a run with so many threads make curves over: all its
 * values are numbers, at least TP_PROGRAM_AXIS_LEAST, and none has more. False if there is none.
 */
bool tp_program_axis(const struct tp_run *run, unsigned index, unsigned threads,
		     char name[TP_PROGRAM_AXIS_BYTES]);
/* Appends the parameters of a point but for one: what tells its curve from others. */
void tp_program_rest(const struct tp_point *point, const char *name, struct tp_str *out);

/* "1.23 s", "45.6", as the metric of the point is told. */
const char *tp_program_text(const struct tp_point *point, double value, char *out, size_t size);
/* The unit for an axis up to such a value: times become ms or us; *factor is what to multiply by.
 */
const char *tp_program_axis_unit(const struct tp_point *point, double most, double *factor);
/* "gzip": what runs, without its parameters: so many bytes of the name of the point. */
size_t tp_program_name_length(const struct tp_point *point);

#endif
