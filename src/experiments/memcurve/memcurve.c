/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory curve: bandwidth against working set, its plateaus and the capacities they show. */
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/curve.h"
#include "experiments/windows/quality.h"
#include "preset/shared_options.h"
#include "record/point.h"
#include "record/roof.h"

#define TP_MEMCURVE_OPTIONS(X)                                                                     \
	X(STRIDE, "stride", COUNT, false, 1, 4096, "1", "",                                        \
	  "Distance between accesses in vectors; 1 touches every byte.", TP_FORM_MORE(WHAT, 300))

TP_MEMCURVE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_memcurve = {
	.experiment = "memcurve",
	.uses = TP_USES_WINDOWS " kernel sizes size_min size_max points_per_octave stores cache",
	.place = 30,
	.rows = { TP_MEMCURVE_OPTIONS(TP_OPTION_ROW) NULL },
};

const struct tp_schema_row tp_schema_memcurve = {
	.points = { "memcurve", &tp_kernel_table, tp_kernel_headline, tp_window_judge },
	TP_PARTS(&tp_plateau_part, &tp_slope_part),
};

static enum tp_status plan_series(struct tp_plan_context *context,
				  const struct tp_combination *combination, struct tp_ratio ratio,
				  bool nontemporal, const uint64_t *sizes, size_t n,
				  struct tp_diags *diags)
{
	unsigned stride = (unsigned)tp_config_count(context->config, TP_OPT_STRIDE);
	for (size_t i = 0; i < n; i++) {
		enum tp_level_class level =
			tp_planner_class(context->machine, sizes[i], combination->threads);
		struct tp_planned *p = tp_planner_memory(context, combination, ratio, nontemporal,
							 sizes[i], level, diags);
		if (!p)
			return TP_RESOURCE;
		tp_window_plan(p)->kernel.stride = stride;
		tp_window_plan(p)->race_each = level == TP_CLASS_L1;
		tp_kernel_row_of(&p->point)->level[0] =
			'\0'; /* which level it is, is for the curve to say */
		tp_kernel_name(&tp_window_plan(p)->kernel, p->point.kernel,
			       sizeof(p->point.kernel));
		struct tp_diag why;
		if (tp_kernel_check(&tp_window_plan(p)->kernel, &why) != TP_OK)
			return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_STRIDE, why.hint,
						 "%s", why.what);
	}
	return TP_OK;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	enum tp_status ends = tp_curve_check(context, diags);
	if (ends != TP_OK)
		status = ends;
	for (size_t r = 0; r < c.n_ratios; r++)
		if (c.ratios[r].loads + c.ratios[r].stores == 0)
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_RATIO,
				"give loads:stores, such as 1:0 or 2:1",
				"best is for the roofline; a curve has one ratio");
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++) {
		size_t n = 0;
		const uint64_t *sizes = tp_curve_sizes(context, c.threads[t], &n);
		for (size_t i = 0; i < c.n_isas; i++)
			for (size_t p = 0; p < c.n_precisions; p++)
				for (size_t r = 0; r < c.n_ratios; r++)
					for (size_t s = 0; s < c.n_stores && status == TP_OK; s++) {
						if (c.nontemporal[s] && c.ratios[r].stores == 0 &&
						    c.n_stores > 1)
							continue;
						struct tp_combination combination = {
							c.isas[i], c.precisions[p], c.threads[t],
							c.cpus[t]
						};
						status = plan_series(context, &combination,
								     c.ratios[r], c.nontemporal[s],
								     sizes, n, diags);
					}
	}
	return status;
}

const struct tp_experiment tp_experiment_memcurve = {
	.name = "memcurve",
	.summary = "memory curve: bandwidth against working set, plateaus and measured cache "
		   "capacities",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_window_plan),
	.run = tp_window_run,
	.repeated = &tp_window_repeated,
	.is_predictable = true,
	.reduce = tp_curve_reduce,
	.doubt = tp_curve_doubt,
};
