/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: what a planned point needs to be run. */
#ifndef TPROF_EXPERIMENTS_SPMV_SPMV_H
#define TPROF_EXPERIMENTS_SPMV_SPMV_H

#include "experiments/windows/planner.h"
#include "matrix/sparse.h"

struct tp_spmv_plan {
	struct tp_window_plan window; /* first: of a roof, all there is */
	bool multiplies;
	const char *matrix; /* in the plan's arena */
	uint64_t seed;
	bool reorders; /* rcm */
	enum tp_sparse_format format;
	double padding;
	uint64_t memory_bytes; /* while it is made ready */
};
static inline struct tp_spmv_plan *tp_spmv_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* As tp_experiment.run. */
enum tp_status tp_spmv_run(struct tp_bench *bench, const struct tp_planned *planned,
			   struct tp_point *point, struct tp_diag *diag);

/* As tp_experiment.reduce: roofs, dots below them, and matrices with their verdicts. */
enum tp_status tp_spmv_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index);

#endif
