/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sparse matrix times a vector, in each of five formats: the plan. Roofs are planned beside, so
 * that the formats are dots below them.
 */
#include "experiments/spmv/spmv.h"
#include "base/str.h"
#include "base/units.h"
#include "experiments/windows/planner.h"
#include "experiments/spmv/options.h"
#include "experiments/spmv/spmv_row.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/roofs.h"
#include "matrix/source.h"
#include "measure/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Bytes of an entry while it is made ready: read (16), compressed rows (12), a format without
 * padding (16) and its copy (16); and of a row: both vectors and what they are compared with.
 */
enum { ENTRY_BYTES = 60, ROW_BYTES = 56 };
/*
 * Seconds for an entry and for a row: to read or generate it and look at it, to reorder it, and to
 * make a format of it; and bytes a second of a multiplication. Guesses, but not too low: an engine
 * that says nothing for much longer than its point was estimated is taken for hung.
 */
#define LOAD_ENTRY	   200e-9
#define LOAD_ROW	   200e-9
#define REORDER_ENTRY	   900e-9
#define REORDER_ROW	   400e-9
#define MAKE_ENTRY	   100e-9
#define MAKE_ROW	   50e-9
#define FAR_BYTES_A_SECOND 5e9
#define MEMORY_SHARE	   0.8
/* A roof takes its race and its windows. */
#define ROOF_TIMES 1.6

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "spmv", TP_SIMULATED_HINT,
			       "a simulation runs kernels of tprof, not compiled loops");
	return tp_experiment_supported_anywhere(machine, diag);
}

static double limit_seconds(const struct tp_plan_context *context)
{
	return tp_config_real(context->config, TP_OPT_STOP_MAX_TIME);
}

/* Loads alone, as a multiplication hardly stores, and the peak of its instruction. */
static enum tp_status plan_roofs(struct tp_plan_context *context, const struct tp_choices *c,
				 const struct tp_combination *combination, struct tp_diags *diags)
{
	const struct tp_ratio loads = { .loads = 1 };
	struct tp_planned *p = tp_planner_fp(context, combination, TP_FP_FMA, diags);
	if (!p)
		return TP_RESOURCE;
	p->point.estimate_seconds = ROOF_TIMES * limit_seconds(context);
	for (size_t l = 0; l < c->n_levels; l++) {
		uint64_t bytes = tp_planner_level_bytes(context->machine, c->levels[l],
							combination->threads);
		p = tp_planner_memory(context, combination, loads, false, bytes, c->levels[l],
				      diags);
		if (!p)
			return TP_RESOURCE;
		tp_window_plan(p)->race_each = true;
		tp_window_plan(p)->scan = c->levels[l] == TP_CLASS_DRAM;
		p->point.estimate_seconds = ROOF_TIMES * limit_seconds(context);
	}
	return TP_OK;
}

static enum tp_status plan_format(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_matrix_source *source, bool reorders,
				  enum tp_sparse_format format, bool first, struct tp_diags *diags)
{
	const double entries = (double)source->entries;
	const double rows = (double)source->n_rows + source->n_columns;
	const uint64_t vectors = 8 * ((uint64_t)source->n_rows + source->n_columns);
	const uint64_t bytes = (12 * source->entries + vectors) / combination->threads;
	struct tp_planned *p =
		tp_plan_add(context, combination->threads, combination->cpus, 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_spmv_plan *plan = tp_spmv_plan(p);
	plan->multiplies = true;
	plan->matrix = tp_config_text(context->config, TP_OPT_MATRIX);
	plan->seed = tp_config_count(context->config, TP_OPT_SEED);
	plan->reorders = reorders;
	plan->format = format;
	plan->padding = tp_config_real(context->config, TP_OPT_PADDING);
	plan->memory_bytes = ENTRY_BYTES * source->entries +
			     ROW_BYTES * ((uint64_t)source->n_rows + source->n_columns);
	/* As compressed rows; the format says more when it is made. */
	plan->window.kernel.working_set_bytes = bytes;
	plan->window.level = tp_planner_class(context->machine, bytes, combination->threads);
	snprintf(p->point.kernel, sizeof(p->point.kernel), "spmv-%s%s", tp_format_name(format),
		 reorders ? "-rcm" : "");
	struct tp_spmv_row *row = p->point.row;
	tp_copy(row->matrix, sizeof(row->matrix), plan->matrix);
	tp_copy(row->reorder, sizeof(row->reorder), reorders ? "rcm" : "none");
	tp_copy(row->format, sizeof(row->format), tp_format_name(format));
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), combination->isa->name);
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), combination->precision->name);
	tp_copy(row->kernel.level, sizeof(row->kernel.level),
		tp_planner_level_name(plan->window.level));
	tp_copy(row->kernel.fp_op, sizeof(row->kernel.fp_op), tp_fp_op_name(TP_FP_FMA));
	row->kernel.working_set_bytes = bytes;
	p->point.estimate_seconds = limit_seconds(context) + MAKE_ENTRY * entries + MAKE_ROW * rows;
	/* The formats that follow find the matrix there. */
	if (first)
		p->point.estimate_seconds += LOAD_ENTRY * entries + LOAD_ROW * rows;
	if (first && reorders)
		p->point.estimate_seconds += REORDER_ENTRY * entries + REORDER_ROW * rows;
	return TP_OK;
}

/* What is known of the matrix before it is there: where the file is wrong, and what it takes. */
static enum tp_status check_source(struct tp_plan_context *context, struct tp_matrix_source *source,
				   struct tp_diags *diags)
{
	const char *text = tp_config_text(context->config, TP_OPT_MATRIX);
	struct tp_diag why = { 0 };
	enum tp_status status = tp_matrix_source_parse(source, text, &why);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_MATRIX, why.hint,
					 "%.180s: %s", why.where, why.what);
	const double need = ENTRY_BYTES * (double)source->entries +
			    ROW_BYTES * ((double)source->n_rows + source->n_columns);
	const double limit = MEMORY_SHARE * (double)context->machine->available_bytes;
	char a[32], b[32];
	if (need > limit && !context->machine->foreign)
		return tp_planner_refuse(
			context, diags, TP_RESOURCE, TP_OPT_MATRIX, "choose a smaller matrix",
			"making the matrix ready needs %s, and only %s of this machine's memory "
			"may be used",
			tp_format_bytes(a, sizeof(a), (uint64_t)need),
			tp_format_bytes(b, sizeof(b), (uint64_t)limit));
	const double pass = 12.0 * (double)source->entries / FAR_BYTES_A_SECOND;
	const double windows = (double)tp_config_count(context->config, TP_OPT_STOP_MIN_COUNT);
	if (pass * windows > limit_seconds(context))
		tp_planner_note(context, TP_OPT_STOP_MAX_TIME,
				"a multiplication may take %.2g s, so %g s are too short for %g "
				"windows: set stop.max_time to %.2g s",
				pass, limit_seconds(context), windows, ceil(2 * pass * windows));
	return TP_OK;
}

static enum tp_status plan_team(struct tp_plan_context *context, const struct tp_choices *c,
				const struct tp_combination *combination,
				const struct tp_matrix_source *source, struct tp_diags *diags)
{
	const struct tp_value *reorders = tp_config_value(context->config, TP_OPT_REORDER);
	const struct tp_value *formats = tp_config_value(context->config, TP_OPT_FORMAT);
	enum tp_status status = TP_OK;
	if (tp_config_count(context->config, TP_OPT_ROOFS))
		status = plan_roofs(context, c, combination, diags);
	for (size_t r = 0; r < reorders->n && status == TP_OK; r++)
		for (size_t f = 0; f < formats->n && status == TP_OK; f++)
			status = plan_format(context, combination, source,
					     strcmp(reorders->items[r].text, "rcm") == 0,
					     tp_format_find(formats->items[f].text), f == 0, diags);
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	struct tp_matrix_source source;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	enum tp_status found = check_source(context, &source, diags);
	if (found != TP_OK)
		return found;
	if (tp_pages_find(tp_config_text(context->config, TP_OPT_PAGES)) == TP_PAGES_HUGETLB)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PAGES,
					 "default, thp or small",
					 "spmv takes no pages that were set aside before");
	if (source.n_rows != source.n_columns) {
		const struct tp_value *reorders = tp_config_value(context->config, TP_OPT_REORDER);
		for (size_t r = 0; r < reorders->n; r++)
			if (strcmp(reorders->items[r].text, "rcm") == 0)
				return tp_planner_refuse(
					context, diags, TP_USAGE, TP_OPT_REORDER,
					"choose reorder: none",
					"rcm orders rows and columns alike, and the matrix has %u "
					"rows and %u columns",
					source.n_rows, source.n_columns);
	}
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++) {
		/* The widest: loops for all of them are tried. */
		const struct tp_combination combination = { c.isas[c.n_isas - 1],
							    tp_precision_find("double"),
							    c.threads[t], c.cpus[t] };
		status = plan_team(context, &c, &combination, &source, diags);
	}
	return status;
}

/* Where a working set lies is known when the format is made; the plan only guesses. */
static bool continues(const struct tp_point *found, const struct tp_point *planned)
{
	const struct tp_spmv_row *a = tp_spmv_row(found), *b = tp_spmv_row(planned);
	return strcmp(found->kernel, planned->kernel) == 0 &&
	       strcmp(a->kernel.isa, b->kernel.isa) == 0 && strcmp(a->matrix, b->matrix) == 0 &&
	       strcmp(a->reorder, b->reorder) == 0 && strcmp(a->format, b->format) == 0 &&
	       (a->format[0] || strcmp(a->kernel.level, b->kernel.level) == 0);
}

static uint64_t memory_bytes(const struct tp_planned *planned)
{
	return tp_spmv_plan(planned)->memory_bytes;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	return (tp_spmv_plan(planned)->multiplies ? tp_spmv_run : tp_window_run)(bench, planned,
										 point, diag);
}

const struct tp_experiment tp_experiment_spmv = {
	.name = "spmv",
	.summary =
		"sparse matrix times vector in five formats: speeds as dots below the roofs, and "
		"the format that suits the matrix",
	.supported = supported,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_spmv_plan),
	.run = run,
	.repeated = &tp_window_repeated,
	.reduce = tp_spmv_reduce,
	.doubt = tp_doubt_roofs,
	.continues = continues,
	.memory_bytes = memory_bytes,
};
