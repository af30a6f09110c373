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

/*
 * A curve reaches four times the last cache that is reported, which may be GiBs that cost seconds
 * to touch. Larger sets than these are walked only if size_max asks for them.
 */
#define WALKED_BYTES (512u << 20)

/* Beyond this multiple of the last cache nothing new is found: flushed slices measure the same. */
#define MEMORY_FACTOR 2

enum way { WALKED, FLUSHED, LEFT_OUT };

static enum way way_of(struct tp_plan_context *context, struct tp_ratio ratio, unsigned threads,
		       uint64_t bytes)
{
	const struct tp_machine *machine = context->machine;
	if (tp_config_value(context->config, TP_OPT_SIZE_MAX)->source != TP_FROM_DEFAULT ||
	    tp_config_value(context->config, TP_OPT_SIZES)->n || bytes <= WALKED_BYTES)
		return WALKED;
	uint64_t last = tp_machine_share(machine, tp_machine_last_level(machine), threads);
	return bytes >= MEMORY_FACTOR * last &&
			       tp_planner_flushed_bytes(context, ratio.stores > 0, threads)
		       ? FLUSHED
		       : LEFT_OUT;
}

static enum tp_status plan_series(struct tp_plan_context *context,
				  const struct tp_combination *combination, struct tp_ratio ratio,
				  bool nontemporal, const uint64_t *sizes, size_t n,
				  struct tp_diags *diags)
{
	static const unsigned rounds[] = { 0, 2, 1, 3 };
	unsigned stride = (unsigned)tp_config_count(context->config, TP_OPT_STRIDE);
	for (size_t i = 0; i < n; i++) {
		enum tp_level_class level =
			tp_planner_class(context->machine, sizes[i], combination->threads);
		enum way way = way_of(context, ratio, combination->threads, sizes[i]);
		if (way == LEFT_OUT)
			continue;
		struct tp_planned *p =
			tp_planner_memory(context, combination, ratio, nontemporal,
					  way == FLUSHED ? 0 : sizes[i], level, diags);
		if (!p)
			return TP_RESOURCE;
		struct tp_kernel_row *row = tp_kernel_row_of(&p->point);
		if (way == FLUSHED)
			row->raced_bytes = row->working_set_bytes;
		row->working_set_bytes = sizes[i];
		tp_window_plan(p)->race_each = false;
		tp_window_plan(p)->kernel.stride = stride;
		tp_window_plan(p)->is_on_curve = true;
		/*
		 * From coarse to fine: the whole curve is there early, and neighbours are measured
		 * at different times, so that a cache whose size moves shows as one.
		 */
		if (!tp_config_count(context->config, TP_OPT_SHUFFLE))
			p->round = rounds[i % TP_COUNT_OF(rounds)];
		row->level[0] = '\0'; /* the curve decides which level it is */
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
	.question = "How fast is my memory?",
	.summary = "memory curve: bandwidth against working set, plateaus and measured cache "
		   "capacities",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	TP_WINDOW_EXPERIMENT,
	.reduce = tp_curve_reduce,
	.doubt = tp_curve_doubt,
};
