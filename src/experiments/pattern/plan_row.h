/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: what a planned point of a pattern needs to run. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PLAN_ROW_H
#define TPROF_EXPERIMENTS_PATTERN_PLAN_ROW_H

#include "experiments/windows/compiled.h"
#include "experiments/windows/planner.h"
#include "pattern/pattern.h"

/* Begins with the plan of windows. */
struct tp_pattern_plan {
	struct tp_window_plan window;
	const struct tp_pattern_config *configuration;
	struct tp_pattern_work work; /* of a pass */
	struct tp_compiled_code *code; /* configurations with the same key share it */
};
static inline struct tp_pattern_plan *tp_pattern_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* The largest n whose arrays take at most so many bytes a thread; 0 = even n = 1 takes more. */
int64_t tp_pattern_n_for(const struct tp_pattern_config *configuration, int n_parameter,
			 uint64_t bytes);

enum tp_status tp_pattern_plan_points(struct tp_plan_context *context, struct tp_diags *diags);

/* As tp_experiment.prepare: compiles the code of all points. */
enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag);

enum tp_status tp_pattern_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);

#endif
