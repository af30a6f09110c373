/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofline: bandwidth of every level and FP peaks, for each ISA, precision and thread count. */
#include <string.h>

#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/roofs.h"
#include "preset/shared_options.h"
#include "record/point.h"
#include "record/roof.h"

const struct tp_option_group tp_options_roofline = {
	.experiment = "roofline",
	.uses = TP_USES_WINDOWS " kernel fp_op level stores dram",
};

const struct tp_schema_row tp_schema_roofline = {
	.points = { "roofline", &tp_kernel_table, tp_kernel_headline, tp_window_judge },
	TP_PARTS(&tp_roof_part),
};

static enum tp_status plan_memory(struct tp_plan_context *context, const struct tp_choices *c,
				  const struct tp_combination *combination, struct tp_diags *diags)
{
	for (size_t l = 0; l < c->n_levels; l++)
		for (size_t r = 0; r < c->n_ratios; r++)
			for (size_t s = 0; s < c->n_stores; s++) {
				struct tp_ratio ratio = c->ratios[r];
				bool best = ratio.loads + ratio.stores == 0;
				/* Without stores the kind of store makes no second point. */
				if (c->nontemporal[s] && !best && ratio.stores == 0 &&
				    c->n_stores > 1)
					continue;
				struct tp_planned *p = tp_planner_memory(context, combination,
									 ratio, c->nontemporal[s],
									 0, c->levels[l], diags);
				if (!p)
					return TP_RESOURCE;
				tp_planner_race_sizes(context->machine, p);
			}
	return TP_OK;
}

/* An ISA without a peak in a narrow precision has no roofline of it. */
static enum tp_status plan_combination(struct tp_plan_context *context, const struct tp_choices *c,
				       const struct tp_combination *combination,
				       struct tp_diags *diags)
{
	bool peaks[TP_FP_OP_COUNT], any = !tp_precision_is_narrow(combination->precision);
	for (size_t f = 0; f < c->n_fp_ops; f++) {
		peaks[f] = tp_planner_has_op(context, combination->isa, combination->precision,
					     c->fp_ops[f]);
		any |= peaks[f];
	}
	enum tp_status status = any ? plan_memory(context, c, combination, diags) : TP_OK;
	for (size_t f = 0; f < c->n_fp_ops && status == TP_OK; f++)
		if (peaks[f] && !tp_planner_fp(context, combination, c->fp_ops[f], diags))
			status = TP_RESOURCE;
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	if (status == TP_OK)
		status = tp_planner_check_ops(context, &c, diags);
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++)
		for (size_t i = 0; i < c.n_isas && status == TP_OK; i++)
			for (size_t p = 0; p < c.n_precisions && status == TP_OK; p++) {
				struct tp_combination combination = { c.isas[i], c.precisions[p],
								      c.threads[t], c.cpus[t] };
				status = plan_combination(context, &c, &combination, diags);
			}
	return status;
}

const struct tp_experiment tp_experiment_roofline = {
	.name = "roofline",
	.question = "How fast can this machine compute?",
	.summary = "cache-aware roofline: bandwidth of L1, L2, L3 and DRAM, FP peaks, ridge points",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	TP_WINDOW_EXPERIMENT,
	.narrow = true,
	.reduce = tp_reduce_roofs,
	.doubt = tp_doubt_roofs,
};
