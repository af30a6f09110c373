/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for people: the table that screens show, too. */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_REPORT_H
#define TPROF_EXPERIMENTS_AUTOTUNE_REPORT_H

#include "doc/grid.h"
#include "record/run.h"

/*
 * The table of the searches that differ from that of `point` in their technique alone, and found
 * something: points[i] is the point of row i below the heads. Returns how many; `points` has room
 * for all points of the run.
 */
size_t tp_report_techniques(const struct tp_run *run, unsigned point, struct tp_grid *grid,
			    unsigned *points);

#endif
