/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counter classification: kernels whose behaviour is known exactly run while every event is read;
 * what each event counts follows.
 */
#include "experiments/counters/classify.h"
#include "counters/source.h"
#include "experiments/counters/count_bench.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/papi_file.h"
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "base/vec.h"
#include "experiments/counters/options.h"
#include "record/kernel_row.h"
#include "experiments/counters/count_row.h"
#include "experiments/counters/readings.h"

#include <stdio.h>
#include <string.h>

/*
 * A kernel of the family, stepped, a repetition; from runs on several machines, to a factor of two.
 */
static const double step_seconds[TP_FAMILY_COUNT] = {
	[TP_FAMILY_FLOPS] = 0.005,	[TP_FAMILY_BRANCH] = 0.015,
	[TP_FAMILY_DCACHE_READ] = 0.05, [TP_FAMILY_DCACHE_WRITE] = 0.12,
	[TP_FAMILY_ICACHE] = 0.08,	[TP_FAMILY_INSTRUCTIONS] = 0.004,
	[TP_FAMILY_BLAS] = 0.2,		[TP_FAMILY_TRAFFIC] = 0.3,
};

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "counters", TP_SIMULATED_HINT,
			       "a simulation counts no hardware events");
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

/*
 * Readings are filed under the family's name; where an earlier run of the preset has it already,
 * with the run's number: "flops#2".
 */
static void name_readings(const struct tp_plan_context *context, struct tp_planned *p)
{
	const struct tp_plan *plan = context->plan;
	struct tp_count_plan *own = tp_count_plan(p);
	tp_copy(own->readings, sizeof(own->readings), own->family->name);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_planned *other = &plan->items[i];
		if (other->experiment == context->experiment &&
		    tp_count_plan(other)->family == own->family && other->point.run != context->run)
			snprintf(own->readings, sizeof(own->readings), "%s#%u", own->family->name,
				 context->run + 1);
	}
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
	enum tp_status status = tp_counting_make(family, tp_family_first_row(family, kernel),
						 context->cpu, &machine, &counting, diag);
	if (status == TP_OK)
		tp_counting_release(&counting);
	return status;
}

static enum tp_status plan_kernel(struct tp_plan_context *context, const struct tp_family *family,
				  unsigned number, const struct tp_choices *c,
				  struct tp_diags *diags)
{
	unsigned threads = family->threads ? c->threads[0] : 1;
	struct tp_diag why;
	char name[32];
	family->kernel_name(number, name, sizeof(name));
	if (try_kernel(context, family, number, threads, &why) == TP_UNSUPPORTED) {
		tp_planner_note(context, TP_OPT_FAMILIES, "%s/%s is left out: %s", family->name,
				name, why.what);
		return TP_OK;
	}
	/* The crew has buffers of its own. */
	struct tp_planned *p = tp_plan_add(context, threads, c->cpus[0], 0, diags);
	if (!p)
		return TP_RESOURCE;
	tp_count_plan(p)->family = family;
	tp_count_plan(p)->family_kernel = number;
	name_readings(context, p);
	struct tp_point *point = &p->point;
	snprintf(point->kernel, sizeof(point->kernel), "%s/%s", family->name, name);
	point->estimate_seconds = step_seconds[family->id] *
				  tp_config_real(context->config, TP_OPT_COUNTERS_REPETITIONS);
	return TP_OK;
}

/* Options of the source that does not count. */
static void note_idle(struct tp_plan_context *context)
{
	const char *source = tp_config_text(context->config, TP_OPT_SOURCE);
	const struct tp_option *const emulated[] = { TP_OPT_COUNTERS_HABIT,
						     TP_OPT_COUNTERS_MISLEADING,
						     TP_OPT_COUNTERS_NOISE, TP_OPT_COUNTERS_SCALE };
	const struct tp_option *const papi[] = { TP_OPT_COUNTERS_GROUP, TP_OPT_COUNTERS_SOFTWARE };
	for (size_t i = 0; i < TP_COUNT_OF(emulated) && strcmp(source, "papi") == 0; i++)
		tp_planner_idle(context, emulated[i], TP_OPT_SOURCE,
				"it belongs to source=emulated");
	for (size_t i = 0; i < TP_COUNT_OF(papi) && strcmp(source, "emulated") == 0; i++)
		tp_planner_idle(context, papi[i], TP_OPT_SOURCE, "it belongs to source=papi");
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
	note_idle(context);
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
		if (p->run == index && p->state == TP_POINT_DONE && tp_count_row(p)->source[0])
			return tp_count_row(p)->source;
	}
	return "";
}

static enum tp_status reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	enum tp_status status = TP_OK;
	(void)machine;
	for (size_t i = 0; i < tp_run_readings(run)->n && status != TP_NOMEM; i++) {
		const struct tp_reading_family *readings = &tp_run_readings(run)->families[i];
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

static bool is_family_complete(const struct tp_run *run, const struct tp_point *last)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->kind == last->kind && tp_count_same_family(p, last) &&
		    p->state == TP_POINT_PLANNED)
			return false;
	}
	return true;
}

/* What the events of a family count, as soon as its last point is over. */
static void reduce_point(struct tp_run *run, const struct tp_point *last)
{
	struct tp_diags ignored = { 0 };
	char name[sizeof(last->kernel)];
	if (!is_family_complete(run, last))
		return;
	tp_count_family(last, name, sizeof(name));
	const struct tp_reading_family *readings =
		tp_readings_of_run(tp_run_readings(run), name, last->run);
	if (!readings)
		return;
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		if (tp_run_classes(run)[i].run == last->run &&
		    strcmp(tp_run_classes(run)[i].family, readings->name) == 0)
			return;
	tp_classify_into(run, readings, NULL, tp_count_row(last)->source, last->run, &ignored);
	tp_diags_release(&ignored);
}

/* --- documents --- */

static bool has_classes(const struct tp_run *run)
{
	return tp_run_n_classes(run) > 0;
}

static enum tp_status make_papi(const struct tp_run *run, struct tp_str *out)
{
	return tp_papi_file(tp_run_classes(run), tp_run_n_classes(run), out);
}

static enum tp_status make_readings(const struct tp_run *run, struct tp_str *out)
{
	return tp_readings_csv(tp_run_readings(run), SIZE_MAX, out);
}

static const char *family(size_t i, const char **note)
{
	if (i >= TP_FAMILY_COUNT)
		return NULL;
	*note = tp_family_table[i]->title;
	return tp_family_table[i]->name;
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_FAMILIES, .open = false, .name = family },
	{ .option = TP_OPT_COUNTERS_HABIT, .open = false, .name = tp_emulated_habit },
	{ 0 },
};

static const struct tp_experiment_document documents[] = {
	{ "papi", "metrics.papi", has_classes, make_papi },
	{ "readings.csv", NULL, has_classes, make_readings },
};

const struct tp_experiment tp_experiment_counters = {
	.name = "counters",
	.summary =
		"counter classification: what each event counts, and how metrics are made of them",
	.names = names,
	.supported = supported,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_count_plan),
	.run = tp_count_bench_run,
	.reduce = reduce,
	.reduce_point = reduce_point,
	.documents = documents,
	.n_documents = TP_COUNT_OF(documents),
};
