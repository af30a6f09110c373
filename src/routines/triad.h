/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_ROUTINES_TRIAD_H
#define TPROF_ROUTINES_TRIAD_H

#include <stddef.h>

/* c = a + g * b, `passes` times. The arrays begin at cache lines and do not overlap. */
typedef void tp_triad_fn(double *restrict c, const double *restrict a, const double *restrict b,
			 double g, size_t n, size_t passes);

struct tp_triad_loop {
	const char *name;
	tp_triad_fn *run;
};

/*
 * The loops that this CPU can run, at least one; returns how many. The last has the widest vectors.
 */
enum { TP_TRIAD_LOOPS_MAX = 4 };

unsigned tp_triad_loops(struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX]);

#endif
