/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes as tables on a terminal, and as rows of data. */
#ifndef TPROF_REPORT_COUNTERS_TEXT_H
#define TPROF_REPORT_COUNTERS_TEXT_H

#include "experiments/counters/report.h"
#include "report/page.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"

/*
 * The decision paths of events whose name matches a shell pattern, case aside; NULL: of the chosen
 * ones. Returns how many.
 */
size_t tp_report_decisions(const struct tp_class *class, const char *pattern,
			   const struct tp_look *look, struct tp_str *out);
/*
 * Every family of the run, and how to see more. Of dropped events a few names stand by each
 * reason; with `look->full` their values too.
 */
void tp_report_classes(const struct tp_run *run, const struct tp_look *look, struct tp_str *out);
void tp_page_classes(struct tp_page *page);

#endif
