/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of gathers. Private to this folder. */
#ifndef TPROF_EXPERIMENT_GATHER_PLAN_H
#define TPROF_EXPERIMENT_GATHER_PLAN_H

#include "experiments/windows/planner.h"
#include "kernels/kernel.h"

/* The row of a planned point: begins as that of every point that runs windows. */
struct tp_gather_plan {
	struct tp_window_plan window; /* its kernel has the gather below */
	struct tp_gather gather;
};

enum tp_status tp_gather_plan(struct tp_plan_context *context, struct tp_diags *diags);

#endif
