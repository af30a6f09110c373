/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that a test writes down: points with rows, tables with rows of the test's own. */
#ifndef TPROF_TESTS_ROWS_H
#define TPROF_TESTS_ROWS_H

#include <stdlib.h>

#include "base/memory.h"
#include "record/run.h"

/* A zeroed point of the experiment at the end of the run, with its row; released with the run. */
static inline struct tp_point *add_run_point(struct tp_run *run, const char *experiment)
{
	TP_RESERVE(run->points, run->cap_points, run->n_points + 1);
	struct tp_point *p = &run->points[run->n_points];
	*p = (struct tp_point){ .point = (unsigned)run->n_points++ };
	tp_point_begin(p, experiment, &run->arena);
	return p;
}

/* The rows of a part are an array of the test, which stays its own. */
static inline void lend_rows(struct tp_run *run, const struct tp_part *part, void *rows, size_t n)
{
	*tp_run_rows_of(run, part) = (struct tp_rows){ .rows = rows, .n = n, .cap = n };
}

#endif
