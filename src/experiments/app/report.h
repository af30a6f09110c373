/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report and the screen of programs share: which rows are shown, programs in several runs.
 */
#ifndef TPROF_EXPERIMENTS_APP_REPORT_H
#define TPROF_EXPERIMENTS_APP_REPORT_H

#include "experiments/app/row.h"
#include "record/run.h"
#include "doc/text.h"

/* As tp_reporter.compare: time, GFLOP/s and intensity of each region that two runs have. */
void tp_app_compare(const struct tp_run *const *runs, size_t n, struct tp_text *doc);

enum { TP_APP_CLASSES_SHOWN = 12 };

/* A region of that point on all threads, as the first way of counting saw it; not `(outside)`. */
bool tp_app_is_told(const struct tp_point *point, const struct tp_app_region_row *row);

/*
 * The classes of instructions of the whole program that are shares of all its instructions, most
 * frequent first; returns how many. Extensions (isa_) are another view of them.
 */
size_t tp_app_top_classes(const struct tp_run *run, const struct tp_point *point,
			  const struct tp_app_class_row *top[TP_APP_CLASSES_SHOWN]);

/* "on 4 threads", or "in 12 processes". */
void tp_app_where_text(const struct tp_run *run, const struct tp_point *point, struct tp_str *out);

/* Sentences on an MPI job: its time in MPI, and the rank that the others wait for; false = none. */
bool tp_app_job_text(const struct tp_run *run, const struct tp_point *point, struct tp_str *out);

#endif
