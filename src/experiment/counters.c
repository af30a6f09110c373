/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter classification: kernels whose behaviour is known exactly run while every event is read; what each event counts follows. */
#include "counters/classify.h"
#include "counters/source.h"
#include "experiment/count_bench.h"
#include "experiment/planner.h"
#include "experiment/rows.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* A kernel of the family, stepped, a repetition; from runs on several machines, to a factor of two. */
static const double step_seconds[TP_FAMILY_COUNT] = {
	[TP_FAMILY_FLOPS] = 0.005,	[TP_FAMILY_BRANCH] = 0.015,
	[TP_FAMILY_DCACHE_READ] = 0.05, [TP_FAMILY_DCACHE_WRITE] = 0.12,
	[TP_FAMILY_ICACHE] = 0.08,	[TP_FAMILY_INSTRUCTIONS] = 0.004,
	[TP_FAMILY_BLAS] = 0.2,		[TP_FAMILY_TRAFFIC] = 0.3,
};

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	return tp_experiment_supported_anywhere(machine, diag);
}

static enum tp_status check_names(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *families = tp_config_value(context->config, TP_OPT_FAMILIES);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < families->n; i++) {
		const char *names[TP_FAMILY_COUNT], *name = families->items[i].text;
		struct tp_str all = { 0 };
		for (size_t k = 0; k < TP_FAMILY_COUNT; k++)
			names[k] = tp_family_table[k]->name;
		if (tp_family_find(name))
			continue;
		const char *near = tp_nearest(name, names, TP_FAMILY_COUNT);
		tp_str_list(&all, names, TP_FAMILY_COUNT, " and ");
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_FAMILIES,
					   near ? near : tp_str_text(&all),
					   "there is no family \"%s\"", name);
		tp_str_release(&all);
	}
	return status;
}

/* Readings are filed under the family's name; where an earlier run of the preset has it already, with the run's number: "flops#2". */
static void name_readings(const struct tp_plan_context *context, struct tp_planned *p)
{
	const struct tp_plan *plan = context->plan;
	tp_copy(p->readings, sizeof(p->readings), p->family->name);
	for (size_t i = 0; i < plan->n; i++)
		if (plan->items[i].family == p->family && plan->items[i].point.run != context->run)
			snprintf(p->readings, sizeof(p->readings), "%s#%u", p->family->name,
				 context->run + 1);
}

/* Why no row of the kernel can run on this CPU; TP_OK if the first one can. */
static enum tp_status try_kernel(const struct tp_plan_context *context,
				 const struct tp_family *family, unsigned kernel, unsigned threads,
				 struct tp_diag *diag)
{
	struct tp_counting_machine machine;
	struct tp_counting counting = { 0 };
	if (context->machine->foreign)
		return TP_OK;
	tp_counting_machine_from(&machine, context->machine, threads);
	machine.stream_log2 = 10; /* only the code is of interest */
	enum tp_status status = tp_counting_make(family, family->first_row(kernel), context->cpu,
						 &machine, &counting, diag);
	if (status == TP_OK)
		tp_counting_release(&counting);
	return status;
}

static enum tp_status plan_kernel(struct tp_plan_context *context, const struct tp_family *family,
				  unsigned number, const struct tp_choices *c,
				  struct tp_diags *diags)
{
	struct tp_kernel kernel = tp_planner_chase(context, 0);
	struct tp_combination combination = { kernel.isa, kernel.element_bytes,
					      family->threads ? c->threads[0] : 1, c->cpus[0] };
	struct tp_diag why;
	char name[32];
	family->kernel_name(number, name, sizeof(name));
	if (try_kernel(context, family, number, combination.threads, &why) == TP_UNSUPPORTED) {
		tp_planner_note(context, TP_OPT_FAMILIES, "%s/%s is left out: %s", family->name,
				name, why.what);
		return TP_OK;
	}
	struct tp_planned *p = tp_planner_add(context, &combination, &kernel, TP_CLASS_FP, diags);
	if (!p)
		return TP_RESOURCE;
	p->family = family;
	p->family_kernel = number;
	p->own_bytes = p->buffer_bytes = 0; /* the crew has its own */
	name_readings(context, p);
	struct tp_point *point = &p->point;
	snprintf(point->kernel, sizeof(point->kernel), "%s/%s", family->name, name);
	point->level[0] = point->isa[0] = point->precision[0] = '\0';
	point->estimate_seconds = step_seconds[family->id] *
				  tp_config_real(context->config, TP_OPT_COUNTERS_REPETITIONS);
	return TP_OK;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	enum tp_status names = check_names(context, diags);
	if (names != TP_OK)
		status = names;
	if (status == TP_OK && c.n_threads > 1)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_THREADS,
					   "give one number; several belong into several runs",
					   "a reading has one number of threads");
	const char *habit = tp_config_text(context->config, TP_OPT_COUNTERS_HABIT);
	struct tp_diag diag;
	if (tp_emulated_habit_check(habit, &diag) != TP_OK)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_COUNTERS_HABIT,
					   diag.hint, "%s", diag.what);
	const struct tp_value *families = tp_config_value(context->config, TP_OPT_FAMILIES);
	for (size_t i = 0; i < families->n && status == TP_OK; i++) {
		const struct tp_family *family = tp_family_find(families->items[i].text);
		for (unsigned k = 0; k < family->n_kernels && status == TP_OK; k++)
			status = plan_kernel(context, family, k, &c, diags);
	}
	return status;
}

/* --- what the counts mean --- */

static bool belongs(const struct tp_run *run, const char *readings, unsigned index)
{
	const char *mark = strchr(readings, '#');
	unsigned number = 0;
	if (mark)
		return sscanf(mark + 1, "%u", &number) == 1 && number == index + 1;
	/* Without a mark: the first run that has a point of the family. */
	size_t n = strlen(readings);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (strcmp(p->experiment, "counters") == 0 &&
		    strncmp(p->kernel, readings, n) == 0 && p->kernel[n] == '/')
			return p->run == index;
	}
	return false;
}

/* Who counted: the points say so. */
static const char *source_of(const struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->run == index && p->state == TP_POINT_DONE && p->variant[0])
			return p->variant;
	}
	return "";
}

static enum tp_status reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	enum tp_status status = TP_OK;
	(void)machine;
	for (size_t i = 0; i < run->readings.n && status != TP_NOMEM; i++) {
		const struct tp_reading_family *readings = &run->readings.families[i];
		if (!belongs(run, readings->name, index))
			continue;
		struct tp_diags found = { 0 };
		status =
			tp_classify_into(run, readings, NULL, source_of(run, index), index, &found);
		for (size_t k = 0; k < found.n; k++)
			tp_diags_add(&run->diags, &found.items[k]);
		tp_diags_release(&found);
	}
	return status == TP_NOMEM ? status : TP_OK;
}

const struct tp_experiment tp_experiment_counters = {
	.name = "counters",
	.summary =
		"counter classification: what each event counts, and how metrics are made of them",
	.supported = supported,
	.plan = plan,
	.run = tp_count_bench_run,
	.reduce = reduce,
};
