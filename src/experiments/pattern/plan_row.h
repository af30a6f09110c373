/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: what a planned point of a pattern needs to run. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PLAN_ROW_H
#define TPROF_EXPERIMENTS_PATTERN_PLAN_ROW_H

#include "experiments/windows/planner.h"
#include "pattern/pattern.h"

/*
 * Code that configurations share: those with the same key. It is compiled before the first point,
 * and loaded when a point needs it. Lies in the plan's arena.
 */
struct tp_pattern_code {
	const struct tp_pattern_config *configuration; /* any of those that it serves */
	const struct tp_config *config; /* compiler and flags */
	const char *key;
	size_t key_bytes;
	bool tried, prebuilt;
	enum tp_status status;
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	void *handle; /* of dlopen */
};

/* Begins with the plan of windows. */
struct tp_pattern_plan {
	struct tp_window_plan window;
	const struct tp_pattern_config *configuration;
	struct tp_pattern_work work; /* of a pass */
	struct tp_pattern_code *code;
};
static inline struct tp_pattern_plan *tp_pattern_plan(const struct tp_planned *planned)
{
	return planned->row;
}

enum tp_status tp_pattern_plan_points(struct tp_plan_context *context, struct tp_diags *diags);

/* As tp_experiment.prepare: compiles the code of all points. */
enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag);
/* Loads it, compiling it first if nobody has. The status and diagnosis are those of the code. */
enum tp_status tp_pattern_code_load(struct tp_bench *bench, struct tp_pattern_code *code,
				    struct tp_diag *diag);

enum tp_status tp_pattern_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);

#endif
