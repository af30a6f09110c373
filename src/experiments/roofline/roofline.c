/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofline: bandwidth of every level and FP peaks, for each ISA, precision and thread count. */
#include "analysis/stats.h"
#include "base/str.h"
#include "base/memory.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/reduce.h"
#include "experiments/registry.h"
#include "record/point.h"
#include "record/roof.h"

#include <string.h>

enum tp_status tp_experiment_supported_anywhere(const struct tp_machine *machine,
						struct tp_diag *diag)
{
	if (tp_isa_count == 0)
		return tp_fail(diag, TP_UNSUPPORTED, machine->cpu.arch, NULL,
			       "this program has no kernels for this architecture");
	return TP_OK;
}

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
				uint64_t bytes = tp_planner_level_bytes(
					context->machine, c->levels[l], combination->threads);
				struct tp_planned *p = tp_planner_memory(
					context, combination, ratio, c->nontemporal[s], bytes,
					c->levels[l], diags);
				if (!p)
					return TP_RESOURCE;
				tp_window_plan(p)->race_each = true;
				tp_window_plan(p)->scan = c->levels[l] == TP_CLASS_DRAM;
				tp_window_plan(p)->race_sizes = c->levels[l] == TP_CLASS_L1;
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

bool tp_reduce_same_series(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0;
}

double tp_reduce_peak(const struct tp_run *run, const struct tp_point *like, const char *fp_op)
{
	double peak = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state == TP_POINT_DONE && strcmp(tp_kernel_row(p)->level, "FP") == 0 &&
		    tp_reduce_same_series(p, like) &&
		    (!fp_op || strcmp(tp_kernel_row(p)->fp_op, fp_op) == 0))
			peak = TP_MAX(peak, tp_point_median(p));
	}
	return peak;
}

enum tp_status tp_reduce_roofs(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	(void)machine;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool fp = strcmp(tp_kernel_row(p)->level, "FP") == 0;
		if (p->run != index || p->state != TP_POINT_DONE ||
		    (!fp && tp_kernel_row(p)->fp_op[0]))
			continue;
		struct tp_roof *roof = tp_run_add_row(run, &tp_roof_part);
		if (!roof)
			return TP_NOMEM;
		*roof = tp_roof_of(p);
		if (!fp)
			roof->ridge_flop_per_byte =
				tp_roof_ridge(tp_reduce_peak(run, p, NULL), roof->median);
	}
	return TP_OK;
}

void tp_doubt_roofs(const struct tp_run *run, unsigned index, bool *again)
{
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *roof = &tp_run_roofs(run)[i];
		if (roof->run == index && tp_roof_slower_than(run, roof))
			again[roof->point] = true;
	}
}

const struct tp_experiment tp_experiment_roofline = {
	.name = "roofline",
	.summary = "cache-aware roofline: bandwidth of L1, L2, L3 and DRAM, FP peaks, ridge points",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_window_plan),
	.run = tp_window_run,
	.simulated = true,
	.narrow = true,
	.repeated = &tp_window_repeated,
	.reduce = tp_reduce_roofs,
	.doubt = tp_doubt_roofs,
};
