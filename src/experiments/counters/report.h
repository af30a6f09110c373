/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for readers: tables, and decision paths. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_REPORT_H
#define TPROF_EXPERIMENTS_COUNTERS_REPORT_H

#include "base/str.h"
#include "experiments/counters/classes.h"
#include "record/run.h"
#include "report/pictures.h"
#include "doc/text.h"
#include "plot/plot.h"
#include "experiments/counters/readings.h"
#include "experiments/counters/words.h"
#include "report/page.h"

/*
 * The table of the events of a class: event i in row i below the heads, or the `chosen` ones as
 * they were chosen. `readings` is for the number of repetitions; may be NULL.
 */
void tp_report_events(const struct tp_class *class, const struct tp_reading_family *readings,
		      bool chosen, struct tp_grid *grid);
/*
 * The table of metrics. `full`: with the formulas nearest to undefined ones. `round`: a formula
 * that is as good with round numbers has a row below; without it metric i is in row i below the
 * heads.
 */
void tp_report_metrics(const struct tp_class *class, bool full, bool round, struct tp_grid *grid);

/*
 * The decision paths of events whose name matches a shell pattern, case aside; NULL: of the chosen
 * ones. Returns how many.
 */
size_t tp_report_decisions(const struct tp_class *class, const char *pattern, struct tp_text *doc);
/*
 * Every family of the run, and how to see more. Of dropped events a few names stand by each
 * reason; with `look->full` their values too.
 */
void tp_report_classes(const struct tp_run *run, struct tp_text *doc);

#endif
