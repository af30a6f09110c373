/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the roofline: what its roofs say. */
#ifndef TPROF_EXPERIMENTS_ROOFLINE_CONCLUDE_H
#define TPROF_EXPERIMENTS_ROOFLINE_CONCLUDE_H

#include "record/roof.h"
#include "report/reporter.h"

/* A `conclude` of its reporter. */
void tp_roofline_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

#endif
