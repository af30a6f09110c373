/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns for readers: the table that screens show, too. */
#ifndef TPROF_EXPERIMENTS_PATTERN_REPORT_H
#define TPROF_EXPERIMENTS_PATTERN_REPORT_H

#include "doc/grid.h"
#include "record/run.h"

/*
 * The table of these points, which are of patterns: point i in row i below the heads, with the name
 * of its pattern.
 */
void tp_report_patterns(const struct tp_run *run, const size_t *points, size_t n,
			const struct tp_look *look, struct tp_grid *grid);

#endif
