/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in several runs, for the report and the screen of programs. */
#ifndef TPROF_EXPERIMENTS_APP_REPORT_H
#define TPROF_EXPERIMENTS_APP_REPORT_H

#include "experiments/app/row.h"
#include "record/run.h"
#include "doc/text.h"

struct tp_app_version {
	const struct tp_run *run;
	const char *name; /* in the heads: "A", "before" */
};

/* Time, GFLOP/s and intensity of each region that both have, below a title; nothing without any. */
void tp_app_compare_pair(const struct tp_app_version *a, const struct tp_app_version *b,
			 const char *title, struct tp_text *doc);

#endif
