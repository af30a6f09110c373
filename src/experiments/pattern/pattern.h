/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a planned point of a pattern needs to run. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PATTERN_H
#define TPROF_EXPERIMENTS_PATTERN_PATTERN_H

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

/* Adds the dots of run `index`, where some run of the preset has measured roofs. */
void tp_pattern_reduce_dots(struct tp_run *run, unsigned index);

/* The largest n whose arrays take at most this many bytes a thread; 0 = even n = 1 takes more. */
int64_t tp_pattern_n_for(const struct tp_pattern_config *configuration, int n_parameter,
			 uint64_t bytes);

/* As tp_experiment.prepare: finds compilers. */
enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag);

enum tp_status tp_pattern_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);

#endif
