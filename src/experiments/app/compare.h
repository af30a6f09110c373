/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this folder. */
#ifndef TPROF_EXPERIMENTS_APP_COMPARE_H
#define TPROF_EXPERIMENTS_APP_COMPARE_H

#include "record/run.h"
#include "report/text.h"

/* As tp_reporter.compare: time, GFLOP/s and intensity of each region that two runs have. */
void tp_app_compare(const struct tp_run *const *runs, size_t n, const struct tp_look *look,
		    struct tp_str *out);

#endif
