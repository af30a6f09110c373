/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of the experiment `traffic`. Private to it. */
#ifndef TPROF_EXPERIMENTS_TRAFFIC_RUN_H
#define TPROF_EXPERIMENTS_TRAFFIC_RUN_H

#include "experiments/bench.h"
#include "kernels/families/traffic.h"

/* The row of a planned point. */
struct tp_traffic_plan {
	enum tp_traffic_kernel kernel;
	uint64_t size;
	uint64_t copies; /* of a pass, each with data of its own: together they exceed the cache */
};
static inline struct tp_traffic_plan *tp_traffic_plan(const struct tp_planned *planned)
{
	return planned->row;
}

enum tp_status tp_traffic_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);

#endif
