/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns: loops of applications, over sizes, threads, layouts and schedules. */
#include "experiments/pattern/options.h"
#include "experiments/pattern/plan_row.h"
#include "experiments/pattern/predict.h"
#include "experiments/pattern/roofs.h"
#include "experiments/pattern/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/curve.h"

#include <string.h>

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "pattern", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not compiled loops");
#ifdef TP_HAVE_OPENMP
	return TP_OK;
#else
	return tp_fail(diag, TP_UNSUPPORTED, "pattern",
		       "install a compiler with OpenMP and build tprof again",
		       "this tprof was built without OpenMP");
#endif
}

/* Arrays are no buffers of the bench; the reference has a second set of them. */
static uint64_t memory_bytes(const struct tp_planned *planned)
{
	uint64_t bytes = tp_pattern_row(&planned->point)->array_bytes;
	return tp_pattern_plan(planned)->configuration->pattern->reference ? 2 * bytes : bytes;
}

/* Patterns that have a name, compilers by their usual names, and no flags but the usual ones. */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	if (option == TP_OPT_PATTERN)
		return tp_pattern_is_known(text);
	if (option == TP_OPT_PATTERN_COMPILER)
		return tp_has_word("cc gcc clang prebuilt", text);
	return strcmp(text, option->fallback) == 0;
}

static enum tp_status source(const struct tp_planned *planned, struct tp_str *out,
			     struct tp_diag *diag)
{
	return tp_pattern_source(tp_pattern_plan(planned)->configuration, out, diag);
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_PATTERN, .open = true, .files = tp_pattern_list },
	{ 0 },
};

static enum tp_status reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	enum tp_status status = tp_curve_reduce(machine, run, index);
	if (status == TP_OK)
		status = tp_pattern_reduce_predictions(run, index);
	return status == TP_OK ? tp_pattern_reduce_dots(run, index) : status;
}

const struct tp_experiment tp_experiment_pattern = {
	.name = "pattern",
	.summary = "application memory patterns: loops written in YAML, over sizes, layouts, "
		   "schedules and threads",
	.names = names,
	.supported = supported,
	.plan = tp_pattern_plan_points,
	.plan_bytes = sizeof(struct tp_pattern_plan),
	.prepare = tp_pattern_prepare,
	.run = tp_pattern_run,
	.repeated = &tp_window_repeated,
	.reduce = reduce,
	.memory_bytes = memory_bytes,
	.code_is_known = code_is_known,
	.source = source,
};
