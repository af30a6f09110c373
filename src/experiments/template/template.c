/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates: a C source, compiled for all combinations of its macros, whose regions are timed. */
#include "experiments/windows/planner.h"
#include "experiments/template/options.h"
#include "experiments/template/plan_row.h"

static enum tp_status source(const struct tp_planned *planned, struct tp_str *out,
			     struct tp_diag *diag)
{
	const struct tp_template_variant *variant = tp_template_plan(planned)->variant;
	tp_template_write(variant->source, &variant->at, out);
	return out->oom ? tp_fail(diag, TP_NOMEM, "template", NULL, "out of memory") : TP_OK;
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_TEMPLATE_SOURCE, .open = true, .files = tp_template_list },
	{ 0 },
};

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "template", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not compiled loops");
	return tp_experiment_supported_anywhere(machine, diag);
}

const struct tp_experiment tp_experiment_template = {
	.name = "template",
	.summary = "C templates: regions of a source, compiled for all combinations of its macros, "
		   "compilers and flags",
	.names = names,
	.supported = supported,
	.plan = tp_template_plan_points,
	.plan_bytes = sizeof(struct tp_template_plan),
	.prepare = tp_template_prepare,
	.run = tp_template_run,
	.repeated = &tp_template_repeated,
	.code_is_known = tp_template_code_is_known,
	.source = source,
};
