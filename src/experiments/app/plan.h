/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is counted and timed, and the roofs beside it. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_APP_PLAN_H
#define TPROF_EXPERIMENTS_APP_PLAN_H

#include "app/app.h"
#include "experiments/windows/planner.h"

/* The row of a planned point; all of it is in the plan's arena. */
struct tp_app_plan {
	struct tp_window_plan window; /* first: of a roof, all there is */
	bool runs; /* it runs the program */
	char **words; /* the program and its arguments, up to NULL */
	char **variables; /* NAME=VALUE of its environment, up to NULL */
	char **functions; /* regions by name of a function, up to NULL */
	unsigned threads; /* that it is told to use; 0 = as the environment has it */
};
static inline struct tp_app_plan *tp_app_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* As tp_experiment.plan. */
enum tp_status tp_app_plan_points(struct tp_plan_context *context, struct tp_diags *diags);

/* As tp_experiment.run: of a point that runs the program. */
enum tp_status tp_app_run_point(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag);

/* As tp_experiment.reduce: roofs, and where each region stands below them. */
enum tp_status tp_app_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index);

#endif
