/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in several runs, for the report and the screen of programs. */
#ifndef TPROF_EXPERIMENTS_APP_REPORT_H
#define TPROF_EXPERIMENTS_APP_REPORT_H

#include "experiments/app/place.h"
#include "experiments/app/row.h"
#include "record/dot.h"
#include "record/run.h"
#include "doc/text.h"

struct tp_app_version {
	const struct tp_run *run;
	const char *name; /* in the heads: "A", "before" */
};

/* Time, GFLOP/s and intensity of each region that both have, below a title; nothing without any. */
void tp_app_compare_pair(const struct tp_app_version *a, const struct tp_app_version *b,
			 const char *title, struct tp_text *doc);

/* The region that a dot stands for; NULL: the dot is not of a program. */
const struct tp_app_region_row *tp_app_dot_region(const struct tp_run *run,
						  const struct tp_dot *dot);

/*
 * What would move a dot, with its new place: the advice on its region. Returns how many; 0 for dots
 * of other experiments.
 */
size_t tp_app_what_ifs(const struct tp_run *run, const struct tp_dot *dot,
		       struct tp_app_advice advice[TP_APP_MOVES_MAX]);

#endif
