/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: the conclusion of its reporter. */
#ifndef TPROF_EXPERIMENTS_PATTERN_CONCLUDE_H
#define TPROF_EXPERIMENTS_PATTERN_CONCLUDE_H

#include "report/page.h"

/*
 * As tp_reporter.conclude. Where configurations do the same work, the fastest and the slowest of
 * them; else the bandwidth of each level.
 */
void tp_pattern_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

#endif
