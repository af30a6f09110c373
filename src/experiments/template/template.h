/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a planned point of a template needs to run. */
#ifndef TPROF_EXPERIMENTS_TEMPLATE_TEMPLATE_H
#define TPROF_EXPERIMENTS_TEMPLATE_TEMPLATE_H

#include "compiler/mca.h"
#include "experiments/template/source.h"
#include "experiments/windows/compiled.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/sweep.h"

/* A combination of parameters: its code serves all regions and teams. */
struct tp_template_variant {
	const struct tp_template_source *source;
	struct tp_sweep_at at;
	struct tp_compiled_code code, listing;
	struct tp_commands before, after;
};

/* Begins with the plan of windows. */
struct tp_template_plan {
	struct tp_window_plan window;
	struct tp_template_variant *variant;
	const struct tp_template_region
		*region; /* NULL = the text of the source does not show it */
	uint64_t steps; /* 0 = as many as fill a window */
	const struct tp_mca_result *mca; /* NULL = no request */
};
static inline struct tp_template_plan *tp_template_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* As the functions of struct tp_experiment. */
enum tp_status tp_template_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				   size_t n, struct tp_diag *diag);
enum tp_status tp_template_run(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag);
extern const struct tp_repeated tp_template_repeated;

/* As tp_experiment.code_is_known. */
bool tp_template_code_is_known(const struct tp_option *option, const char *text);

#endif
