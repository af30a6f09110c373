/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of programs by the names of functions, as options list them. */
#ifndef TPROF_EXPERIMENTS_WINDOWS_FUNCTIONS_H
#define TPROF_EXPERIMENTS_WINDOWS_FUNCTIONS_H

#include "experiments/experiment.h"

/*
 * The names behind "function=" in a list of texts, up to NULL, in `arena`. What is no such text is
 * refused with the place of the option.
 */
enum tp_status tp_planner_functions(struct tp_plan_context *context, const struct tp_option *option,
				    struct tp_arena *arena, char ***functions,
				    struct tp_diags *diags);

#endif
