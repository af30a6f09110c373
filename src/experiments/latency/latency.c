/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency curve: time of one dependent load against working set, with each kind of pages; what the
 * TLB adds, and where.
 */
#include "base/str.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/curve.h"
#include "experiments/windows/quality.h"
#include "preset/shared_options.h"
#include "record/point.h"
#include "record/roof.h"

#define TP_LATENCY_OPTIONS(X)                                                                      \
	X(CHASE_STRIDE, "chase.stride", BYTES, false, 64, 1 << 20, "64", "",                       \
	  "The chase has one pointer in each block of this size, at a random place in it.",        \
	  TP_FORM_MORE(WHAT, 320))                                                                 \
	X(CHASE_BLOCK, "chase.block", BYTES, false, 0, 0x1p40, "0", "",                            \
	  "The chase visits all pointers of a block of this size before the next block; "          \
	  "0: no blocks, the next pointer may be anywhere.",                                       \
	  TP_FORM_MORE(WHAT, 330))

TP_LATENCY_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_latency = {
	.experiment = "latency",
	.uses = TP_USES_WINDOWS " sizes size_min size_max points_per_octave",
	.place = 20,
	.rows = { TP_LATENCY_OPTIONS(TP_OPTION_ROW) NULL },
};

const struct tp_schema_row tp_schema_latency = {
	.points = { "latency", &tp_kernel_table, tp_kernel_time_headline, tp_window_judge },
	TP_PARTS(&tp_plateau_part),
};

/* "chase", and what it is not by default: "chase-stride256-block256K". */
static void name_chase(const struct tp_chase *chase, struct tp_point *point)
{
	TP_STR name = { 0 };
	tp_str_add(&name, point->kernel);
	if (chase->stride_bytes != TP_CHASE_LINE_BYTES)
		tp_str_printf(&name, "-stride%zu", chase->stride_bytes);
	if (chase->block_bytes)
		tp_str_printf(&name, "-block%zuK", chase->block_bytes >> 10);
	tp_copy(point->kernel, sizeof(point->kernel), tp_str_text(&name));
}

/* A stride or a block that cannot be is refused before anything is planned. */
static enum tp_status check_chase(struct tp_plan_context *context, struct tp_diags *diags)
{
	uint64_t stride = tp_config_count(context->config, TP_OPT_CHASE_STRIDE),
		 block = tp_config_count(context->config, TP_OPT_CHASE_BLOCK);
	if (stride % TP_CHASE_LINE_BYTES)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_CHASE_STRIDE,
					 "a multiple of 64 bytes", "%llu bytes are not whole lines",
					 (unsigned long long)stride);
	if (block % 1024 || block % stride)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_CHASE_BLOCK,
					 "a multiple of 1 KiB and of the stride, or 0",
					 "%llu bytes are not whole strides of %llu",
					 (unsigned long long)block, (unsigned long long)stride);
	return TP_OK;
}

static enum tp_status plan_curve(struct tp_plan_context *context, unsigned threads, unsigned *cpus,
				 const char *pages, const uint64_t *sizes, size_t n,
				 struct tp_diags *diags)
{
	for (size_t i = 0; i < n; i++) {
		struct tp_kernel kernel = tp_planner_chase(context, sizes[i]);
		struct tp_combination combination = {
			kernel.isa, tp_precision_of(kernel.element_bytes, kernel.format), threads,
			cpus
		};
		struct tp_planned *p = tp_planner_add(
			context, &combination, &kernel,
			tp_planner_class(context->machine, sizes[i], threads), diags);
		if (!p)
			return TP_RESOURCE;
		tp_window_plan(p)->chase.stride_bytes =
			tp_config_count(context->config, TP_OPT_CHASE_STRIDE);
		tp_window_plan(p)->chase.block_bytes =
			tp_config_count(context->config, TP_OPT_CHASE_BLOCK);
		name_chase(&tp_window_plan(p)->chase, &p->point);
		if (sizes[i] < tp_window_plan(p)->chase.stride_bytes)
			return tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_CHASE_STRIDE,
				"a smaller one, or larger working sets",
				"a working set of %llu bytes has no stride of that",
				(unsigned long long)sizes[i]);
		p->pages = tp_pages_find(pages);
		tp_copy(tp_kernel_row_of(&p->point)->pages_wanted,
			sizeof(tp_kernel_row(&p->point)->pages_wanted), pages);
		tp_kernel_row_of(&p->point)->level[0] =
			'\0'; /* the curve decides which level it is */
	}
	return TP_OK;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	/* Options that apply only to other kernels. */
	static const struct tp_option *const without_effect[] = { TP_OPT_ISA, TP_OPT_PRECISION,
								  TP_OPT_RATIO };
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	enum tp_status ends = tp_curve_check(context, diags);
	if (ends != TP_OK)
		status = ends;
	enum tp_status walk = check_chase(context, diags);
	if (walk != TP_OK)
		status = walk;
	for (size_t i = 0; i < TP_COUNT_OF(without_effect); i++)
		if (tp_config_value(context->config, without_effect[i])->source >= TP_FROM_PRESET)
			tp_planner_note(
				context, without_effect[i],
				"latency has one kernel, loads of pointers; %s changes nothing",
				without_effect[i]->key);
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++) {
		size_t n = 0;
		const uint64_t *sizes = tp_curve_sizes(context, c.threads[t], &n);
		for (size_t p = 0; p < c.n_pages && status == TP_OK; p++)
			status = plan_curve(context, c.threads[t], c.cpus[t], c.pages[p], sizes, n,
					    diags);
	}
	return status;
}

const struct tp_experiment tp_experiment_latency = {
	.name = "latency",
	.question = "How fast does memory answer?",
	.summary =
		"latency curve: time of a dependent load against working set, with small and huge "
		"pages; plateaus, reach of the TLB",
	.compares_pages = true,
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	TP_WINDOW_EXPERIMENT,
	.reduce = tp_curve_reduce,
	.doubt = tp_curve_doubt,
};
