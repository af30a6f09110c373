/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the roofline: what its roofs say, and which contradict each other. */
#ifndef TPROF_EXPERIMENTS_ROOFLINE_CONCLUDE_H
#define TPROF_EXPERIMENTS_ROOFLINE_CONCLUDE_H

#include "record/roof.h"
#include "report/reporter.h"

/* True for the highest bandwidth of a level that is lower than that of the next level measured. */
bool tp_roof_is_odd(const struct tp_run *run, const struct tp_roof *roof);
/* A `conclude` of its reporter. */
void tp_roofline_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

#endif
