/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes as tables on a terminal, and as rows of data. */
#ifndef TPROF_REPORT_COUNTERS_TEXT_H
#define TPROF_REPORT_COUNTERS_TEXT_H

#include "report/counters.h"
#include "report/page.h"

/*
 * One family: head, chosen events, metrics, what was dropped (the noisiest first), ideal events that nothing counts. `readings` is for
 * the number of repetitions; may be NULL.
 */
void tp_report_class(const struct tp_class *class, const struct tp_reading_family *readings,
		     const struct tp_look *look, struct tp_str *out);
/* The decision paths of events whose name matches a shell pattern, case aside; NULL: of the chosen ones. Returns how many. */
size_t tp_report_decisions(const struct tp_class *class, const char *pattern,
			   const struct tp_look *look, struct tp_str *out);
/*
 * Every picture of a run's families: noise, where there is any, then the counts of the chosen events, a few in each. The picture is gone after
 * `hang`. False when memory ran out.
 */
typedef void tp_hang_picture(void *context, const struct tp_picture *picture);
bool tp_picture_each_class(const struct tp_run *run, void *context, tp_hang_picture *hang);

/* Every family of the run. */
void tp_page_classes(struct tp_page *page);

#endif
