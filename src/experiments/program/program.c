/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole programs: commands with parameters, each run again and again as a process of its own. */
#include "base/str.h"
#include "base/text.h"
#include "experiments/bench.h"
#include "experiments/program/options.h"
#include "experiments/program/plan.h"
#include "experiments/program/program_row.h"
#include "experiments/registry.h"

#include <string.h>

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "program", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not programs");
	return TP_OK;
}

/* Numbers and ranges of them can harm nobody; whatever else stands in a command is code. */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	if (option != TP_OPT_PROGRAM_PARAMETERS)
		return !*text;
	const char *values = strchr(text, '=');
	return values && !values[1 + strspn(values + 1, "0123456789 .+*")];
}

/* The points are all there is: tables and pictures are made from them. */
static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_program_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_program = {
	.name = "program",
	.summary = "whole programs: time, memory and numbers from their output, over arguments and "
		   "environment",
	.supported = supported,
	.plan = tp_program_plan_points,
	.plan_bytes = sizeof(struct tp_program_plan),
	.run = tp_program_run,
	.code_is_known = code_is_known,
	.describe = describe,
};
