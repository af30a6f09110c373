/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of the user under the roofs of the machine: what they compute and move, and how fast. */
#include "base/str.h"
#include "base/text.h"
#include "experiments/app/app_row.h"
#include "experiments/app/options.h"
#include "experiments/app/plan.h"
#include "experiments/registry.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/reduce.h"

#include <string.h>

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "app", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not programs");
	return tp_experiment_supported_anywhere(machine, diag);
}

/* An empty text runs nothing; whatever else stands there is code. */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	(void)option;
	return !*text;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	return (tp_app_plan(planned)->runs ? tp_app_run_point : tp_window_run)(bench, planned,
									       point, diag);
}

/* Roofs stay what they are for weeks. */
static const char *reuses(const struct tp_planned *planned)
{
	const char *roofs = tp_config_text(planned->config, TP_OPT_APP_ROOFS);
	if (tp_app_plan(planned)->runs || strcmp(roofs, "measure") == 0)
		return NULL;
	return strcmp(roofs, "auto") == 0 ? "" : roofs;
}

static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_app_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_app = {
	.name = "app",
	.summary =
		"a program of yours under the roofs of this machine: FLOPs, bytes and time of its "
		"regions, and what limits them",
	.supported = supported,
	.plan = tp_app_plan_points,
	.plan_bytes = sizeof(struct tp_app_plan),
	.run = run,
	.reduce = tp_app_reduce,
	.doubt = tp_doubt_roofs,
	.reuses = reuses,
	.code_is_known = code_is_known,
	.describe = describe,
};
