/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bench of the experiment counters: an open event source, the hierarchy that the kernels adapt
 * to, and the threads that count, kept from point to point.
 */
#ifndef TPROF_EXPERIMENT_COUNT_BENCH_H
#define TPROF_EXPERIMENT_COUNT_BENCH_H

#include "experiments/bench.h"
#include "kernels/counting.h"

/* The row of a planned point: a kernel of a family. */
struct tp_count_plan {
	const struct tp_family *family;
	unsigned family_kernel;
	char readings[32]; /* the name that its counts are filed under */
};
static inline struct tp_count_plan *tp_count_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/*
 * Runs every row of one kernel; counts go to the watch. A kernel that no row of runs here is
 * SKIPPED with the reason.
 */
enum tp_status tp_count_bench_run(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_point *point, struct tp_diag *diag);

/* What the rows adapt to on this machine itself, for one of `threads` threads. */
void tp_counting_machine_from(struct tp_counting_machine *counting,
			      const struct tp_machine *machine, unsigned threads);

#endif
