/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mixed: FP and memory instructions interleaved against one level: dots that should lie on the
 * roofs, and how far they are.
 */
#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/roofs.h"
#include "preset/shared_options.h"
#include "record/dot.h"
#include "record/point.h"
#include "record/roof.h"

#define TP_MIXED_OPTIONS(X)                                                                        \
	X(FLOPS_PER_BYTE, "intensity", REAL, true, 0.0001, 10000, "", "",                          \
	  "Arithmetic intensities of the mixed kernels (FLOP/byte); by default a sweep "           \
	  "across the ridge.",                                                                     \
	  TP_FORM(WHAT, 220))                                                                      \
	X(INTENSITY_POINTS, "intensity_points", COUNT, false, 1, 200, "9", "",                     \
	  "Number of intensities in the sweep across the ridge.", .offers = "3 5 7 9 13 17 25",    \
	  TP_FORM(WHAT, 230))

TP_MIXED_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_mixed = {
	.experiment = "mixed",
	.uses = TP_USES_WINDOWS " fp_op level dram",
	.place = 40,
	.rows = { TP_MIXED_OPTIONS(TP_OPTION_ROW) NULL },
};

const struct tp_schema_row tp_schema_mixed = {
	.points = { "mixed", &tp_kernel_table, tp_kernel_headline, tp_window_judge },
	TP_PARTS(&tp_roof_part, &tp_dot_part),
};

enum { MAX_INTENSITIES = 200, MAX_COUNT = 64 };

/* The default sweep reaches from an eighth of the expected ridge to eight times it. */
#define SWEEP_OCTAVES 3.0

struct mix {
	unsigned fp, mem;
};

static double flops_per_lane(enum tp_fp_op op)
{
	return op == TP_FP_FMA ? 2 : op == TP_FP_FMA_ADD ? 1.5 : 1;
}

/* The fraction fp:mem with small terms that comes nearest to `wanted` (in ratio). */
static struct mix nearest_mix(double wanted)
{
	struct mix best = { 1, 1 };
	double distance = INFINITY;
	for (unsigned mem = 1; mem <= MAX_COUNT; mem++)
		for (unsigned fp = 1; fp <= MAX_COUNT; fp++) {
			double d = fabs(log((double)fp / mem / wanted)) + 1e-6 * (fp + mem);
			if (d < distance) {
				distance = d;
				best = (struct mix){ fp, mem };
			}
		}
	return best;
}

static double expected_peak(const struct tp_machine *machine, const struct tp_combination *c,
			    enum tp_fp_op op)
{
	unsigned element_bytes = c->precision->element_bytes;
	double peak = tp_model_flop_per_cycle(&machine->model, c->isa->name, element_bytes,
					      tp_fp_op_name(op));
	double lanes = (double)tp_isa_operand_bytes(c->isa, element_bytes) / element_bytes;
	return peak > 0 ? peak : 2 * lanes * flops_per_lane(op);
}

static size_t choose_mixes(const struct tp_plan_context *context,
			   const struct tp_combination *combination, struct tp_ratio ratio,
			   enum tp_level_class level, enum tp_fp_op op, struct mix *mixes)
{
	const struct tp_value *given = tp_config_value(context->config, TP_OPT_FLOPS_PER_BYTE);
	double per_ratio =
		flops_per_lane(op) /
		combination->precision->element_bytes; /* AI of one FP instruction per access */
	double bandwidth = tp_planner_expected_bytes_per_cycle(
		context->machine, combination->isa, combination->precision->element_bytes, ratio,
		level);
	double ridge = expected_peak(context->machine, combination, op) / bandwidth;
	size_t points = (size_t)tp_config_count(context->config, TP_OPT_INTENSITY_POINTS), n = 0;
	size_t wanted = given->n ? given->n : points;
	for (size_t i = 0; i < wanted && n < MAX_INTENSITIES; i++) {
		double octave =
			points > 1 ? SWEEP_OCTAVES * (2.0 * (double)i / (double)(points - 1) - 1)
				   : 0;
		double ai = given->n ? given->items[i].real : ridge * exp2(octave);
		struct mix mix = nearest_mix(ai / per_ratio);
		bool known = false;
		for (size_t k = 0; k < n; k++)
			known |= mixes[k].fp == mix.fp && mixes[k].mem == mix.mem;
		if (!known)
			mixes[n++] = mix;
	}
	return n;
}

static enum tp_status plan_dots(struct tp_plan_context *context,
				const struct tp_combination *combination, struct tp_ratio ratio,
				bool nontemporal, enum tp_level_class level, enum tp_fp_op op,
				struct tp_diags *diags)
{
	struct mix mixes[MAX_INTENSITIES];
	size_t n = choose_mixes(context, combination, ratio, level, op, mixes);
	for (size_t i = 0; i < n; i++) {
		struct tp_kernel kernel = {
			.kind = TP_KERNEL_MIXED,
			.isa = combination->isa,
			.element_bytes = combination->precision->element_bytes,
			.loads = ratio.loads,
			.stores = ratio.stores,
			.nontemporal = nontemporal && ratio.stores,
			.fp_op = op,
			.fp_count = mixes[i].fp,
			.mem_count = mixes[i].mem,
		};
		struct tp_planned *p = tp_planner_add(context, combination, &kernel, level, diags);
		if (!p)
			return TP_RESOURCE;
		/* Each mix has its own body; in DRAM the streams decide, which all share. */
		tp_window_plan(p)->race_each = level < TP_CLASS_DRAM;
		struct tp_kernel_counts counts;
		tp_kernel_count(&tp_window_plan(p)->kernel, &context->machine->cpu, &counts);
		tp_kernel_row_of(&p->point)->ai_flop_per_byte =
			(double)counts.flops / (double)(counts.loaded_bytes + counts.stored_bytes);
	}
	return TP_OK;
}

static enum tp_status plan_combination(struct tp_plan_context *context, const struct tp_choices *c,
				       const struct tp_combination *combination,
				       struct tp_diags *diags)
{
	enum tp_status status = TP_OK;
	/* The roofs first: dots are judged by roofs measured in the same run. */
	for (size_t f = 0; f < c->n_fp_ops && status == TP_OK; f++)
		if (!tp_planner_fp(context, combination, c->fp_ops[f], diags))
			status = TP_RESOURCE;
	for (size_t l = 0; l < c->n_levels && status == TP_OK; l++)
		for (size_t r = 0; r < c->n_ratios && status == TP_OK; r++) {
			struct tp_planned *roof =
				tp_planner_memory(context, combination, c->ratios[r],
						  c->nontemporal[0], 0, c->levels[l], diags);
			if (!roof)
				return TP_RESOURCE;
			for (size_t f = 0; f < c->n_fp_ops && status == TP_OK; f++)
				status = plan_dots(context, combination, c->ratios[r],
						   c->nontemporal[0], c->levels[l], c->fp_ops[f],
						   diags);
		}
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	if (tp_config_value(context->config, TP_OPT_FLOPS_PER_BYTE)->n)
		tp_planner_idle(context, TP_OPT_INTENSITY_POINTS, TP_OPT_FLOPS_PER_BYTE,
				"intensity lists them");
	for (size_t r = 0; r < c.n_ratios; r++)
		if (c.ratios[r].loads + c.ratios[r].stores == 0)
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_RATIO,
				"give loads:stores, such as 1:0 or 2:1",
				"best is for the roofline; a mixed kernel has one ratio");
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++)
		for (size_t i = 0; i < c.n_isas && status == TP_OK; i++)
			for (size_t p = 0; p < c.n_precisions && status == TP_OK; p++) {
				struct tp_combination combination = { c.isas[i], c.precisions[p],
								      c.threads[t], c.cpus[t] };
				status = plan_combination(context, &c, &combination, diags);
			}
	return status;
}

/* The bandwidth measured for the level and ratio of a dot; NULL = none. */
static const struct tp_point *roof_of(const struct tp_run *run, const struct tp_point *dot)
{
	TP_EACH_POINT (p, run) {
		if (p->state == TP_POINT_DONE && !tp_kernel_row(p)->fp_op[0] &&
		    tp_reduce_same_series(p, dot) &&
		    strcmp(tp_kernel_row(p)->level, tp_kernel_row(dot)->level) == 0 &&
		    tp_kernel_row(p)->loads == tp_kernel_row(dot)->loads &&
		    tp_kernel_row(p)->stores == tp_kernel_row(dot)->stores &&
		    tp_kernel_row(p)->nontemporal == tp_kernel_row(dot)->nontemporal)
			return p;
	}
	return NULL;
}

static void reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	tp_reduce_roofs(machine, run, index);
	TP_EACH_POINT (p, run) {
		if (p->run != index || p->state != TP_POINT_DONE || !tp_kernel_row(p)->fp_op[0] ||
		    strcmp(tp_kernel_row(p)->level, "FP") == 0)
			continue;
		const struct tp_point *roof = roof_of(run, p);
		double peak = tp_reduce_peak(run, p, tp_kernel_row(p)->fp_op),
		       bandwidth = roof ? tp_point_median(roof) : 0;
		struct tp_dot *dot = tp_dot_add(run, p, tp_kernel_row(p)->fp_op);
		if (peak > 0 && bandwidth > 0)
			tp_dot_set_roof(dot,
					tp_roof_attainable(peak, bandwidth, dot->ai_flop_per_byte));
	}
}

/* A dot above its roof: the dot, the bandwidth or the peak is wrong. */
static void doubt(const struct tp_run *run, unsigned index, unsigned char *again)
{
	tp_doubt_roofs(run, index, again);
	TP_EACH_ROW (tp_dot, dot, run, dots) {
		const struct tp_point *p = &run->points[dot->point];
		if (dot->run != index || !tp_dot_is_odd(dot))
			continue;
		again[dot->point] |= TP_AGAIN_ODD;
		const struct tp_point *roof = roof_of(run, p);
		if (roof)
			again[roof->point] |= TP_AGAIN_ODD;
		for (size_t k = 0; k < run->n_points; k++)
			again[k] |= tp_reduce_same_series(&run->points[k], p) &&
				    strcmp(tp_kernel_row(&run->points[k])->level, "FP") == 0;
	}
}

const struct tp_experiment tp_experiment_mixed = {
	.name = "mixed",
	.question = "Do loads and arithmetic overlap?",
	.summary = "FP and memory instructions interleaved across the ridge: dots and their "
		   "distance to the roofs",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	TP_WINDOW_EXPERIMENT,
	.reduce = reduce,
	.doubt = doubt,
};
