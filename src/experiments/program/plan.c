/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/plan.h"
#include "base/command.h"
#include "base/expression.h"
#include "base/process.h"
#include "base/text.h"
#include "experiments/program/options.h"
#include "experiments/program/program_row.h"
#include "experiments/program/readings.h"
#include "experiments/windows/planner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Nobody knows before how long a program takes: this share of the time that it may take. */
#define TIME_SHARE 0.5

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	struct tp_program_metric metric;
	struct tp_sweep sweep; /* of the user's parameters */
	struct tp_sweep filled; /* the same behind the parameter threads */
};

static enum tp_status refuse(struct planner *pl, enum tp_status status,
			     const struct tp_option *option, const struct tp_diag *diag)
{
	return tp_planner_refuse(pl->context, pl->diags, status, option,
				 diag->hint[0] ? diag->hint : NULL, "%s", diag->what);
}

static enum tp_status take_sweeps(struct planner *pl, unsigned threads)
{
	struct tp_arena *arena = &pl->context->plan->arena;
	const struct tp_value *wishes =
		tp_config_value(pl->context->config, TP_OPT_PROGRAM_PARAMETERS);
	struct tp_diag diag;
	char text[32];
	pl->sweep = pl->filled = (struct tp_sweep){ 0 };
	snprintf(text, sizeof(text), "threads=%u", threads);
	enum tp_status status = tp_sweep_take(&pl->filled, text, arena, &diag);
	for (size_t i = 0; i < wishes->n && status == TP_OK; i++) {
		status = tp_sweep_take(&pl->filled, wishes->items[i].text, arena, &diag);
		if (status == TP_OK) /* values and names are the same */
			pl->sweep.parameters[pl->sweep.n++] =
				pl->filled.parameters[pl->filled.n - 1];
	}
	return status == TP_OK ? TP_OK : refuse(pl, status, TP_OPT_PROGRAM_PARAMETERS, &diag);
}

/* "gzip level=6": what tells the variants apart; what all have is left out. */
static void name_variant(const struct tp_sweep_at *at, const char *program, struct tp_point *point)
{
	const char *slash = strrchr(program, '/');
	struct tp_str name = { 0 };
	tp_str_add(&name, slash && slash[1] ? slash + 1 : program);
	for (size_t i = 0; i < at->sweep->n; i++)
		if (at->sweep->parameters[i].n > 1)
			tp_str_printf(&name, " %s=%s", at->sweep->parameters[i].name,
				      tp_sweep_value(at, i));
	tp_shown(point->kernel, sizeof(point->kernel), tp_str_text(&name), name.len);
	tp_str_release(&name);
}

static void fill_row(const struct planner *pl, const struct tp_program_plan *plan,
		     const struct tp_sweep_at *at, struct tp_program_row *row)
{
	struct tp_str text = { 0 };
	for (char **word = plan->words; *word; word++)
		tp_command_join(&text, *word);
	tp_shown(row->command, sizeof(row->command), tp_str_text(&text), text.len);
	tp_str_clear(&text);
	tp_sweep_text(at, &text);
	tp_shown(row->parameters, sizeof(row->parameters), tp_str_text(&text), text.len);
	tp_str_release(&text);
	tp_copy(row->metric, sizeof(row->metric), pl->metric.name);
	row->more_is_better = pl->metric.more;
}

static double estimate(const struct tp_config *config)
{
	double runs = (double)tp_config_count(config, TP_OPT_PROGRAM_RUNS) +
		      (double)tp_config_count(config, TP_OPT_PROGRAM_WARMUP);
	return TIME_SHARE * fmin(tp_config_real(config, TP_OPT_PROGRAM_MAX_TIME),
				 runs * tp_config_real(config, TP_OPT_PROGRAM_LIMIT));
}

static enum tp_status add_variant(struct planner *pl, size_t i, unsigned threads, unsigned *cpus)
{
	struct tp_plan_context *context = pl->context;
	const struct tp_sweep_at at = { &pl->sweep, i }, filled = { &pl->filled, i };
	const struct tp_option *wrong;
	struct tp_diag diag;
	struct tp_planned *p = tp_plan_add(context, threads, cpus, 0, pl->diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_program_plan *plan = p->row;
	struct tp_arena *arena =
		context->plan->counting ? &context->plan->counted : &context->plan->arena;
	enum tp_status status =
		tp_program_fill(context->config, &filled, arena, plan, &wrong, &diag);
	if (status != TP_OK)
		return refuse(pl, status, wrong, &diag);
	fill_row(pl, plan, &at, p->point.row);
	name_variant(&at, plan->words[0], &p->point);
	p->point.estimate_seconds = estimate(context->config);
	return TP_OK;
}

static enum tp_status meets(struct planner *pl, size_t i, bool *holds)
{
	const struct tp_value *where = tp_config_value(pl->context->config, TP_OPT_PROGRAM_WHERE);
	struct tp_sweep_at at = { &pl->filled, i };
	*holds = true;
	for (size_t k = 0; k < where->n && *holds; k++) {
		double value;
		struct tp_diag diag;
		enum tp_status status = tp_expression_eval(where->items[k].text, tp_sweep_number,
							   &at, &value, &diag);
		if (status != TP_OK)
			return tp_planner_refuse(pl->context, pl->diags, status,
						 TP_OPT_PROGRAM_WHERE,
						 "names are threads and the parameters whose "
						 "values are numbers",
						 "%s", diag.what);
		*holds = value != 0;
	}
	return TP_OK;
}

static enum tp_status plan_threads(struct planner *pl, unsigned threads, unsigned *cpus)
{
	enum tp_status status = take_sweeps(pl, threads);
	double n = tp_sweep_count(&pl->sweep);
	if (status == TP_OK && n > TP_RUN_POINTS_MAX)
		return tp_planner_refuse(pl->context, pl->diags, TP_RESOURCE,
					 TP_OPT_PROGRAM_PARAMETERS, "give fewer values",
					 "there are %.0f combinations, and a run holds %d points",
					 n, TP_RUN_POINTS_MAX);
	for (size_t i = 0; status == TP_OK && i < (size_t)n && !tp_stop_asked; i++) {
		bool holds;
		status = meets(pl, i, &holds);
		if (status == TP_OK && holds)
			status = add_variant(pl, i, threads, cpus);
	}
	return status;
}

/* What is read from outputs, and what of it is compared. */
static enum tp_status check_metric(struct planner *pl)
{
	const struct tp_config *config = pl->context->config;
	struct tp_program_reads reads;
	struct tp_diag diag;
	enum tp_status status =
		tp_program_reads_make(&reads, tp_config_value(config, TP_OPT_PROGRAM_READ), &diag);
	if (status != TP_OK) {
		refuse(pl, status, TP_OPT_PROGRAM_READ, &diag);
		goto out;
	}
	status = tp_program_metric_parse(&pl->metric, tp_config_text(config, TP_OPT_PROGRAM_METRIC),
					 &diag);
	if (status == TP_OK && pl->metric.kind == TP_PROGRAM_READING &&
	    tp_program_reads_find(&reads, pl->metric.name) < 0)
		status = tp_fail(&diag, TP_USAGE, NULL,
				 "give it a pattern: program.read: [NAME=PATTERN]",
				 "program.read has no number \"%s\"", pl->metric.name);
	if (status != TP_OK)
		refuse(pl, status, TP_OPT_PROGRAM_METRIC, &diag);
out:
	tp_program_reads_release(&reads);
	return status;
}

enum tp_status tp_program_plan_points(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct planner pl = { .context = context, .diags = diags };
	struct tp_choices choices;
	if (!*tp_config_text(context->config, TP_OPT_PROGRAM_COMMAND))
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROGRAM_COMMAND,
					 "give a program and its arguments, such as "
					 "\"gzip -{level} -c FILE\"",
					 "there is no command to run");
	enum tp_status status = tp_planner_choices(context, &choices, diags);
	if (status == TP_OK)
		status = check_metric(&pl);
	size_t before = context->plan->n;
	for (size_t t = 0; t < choices.n_threads && status == TP_OK; t++)
		status = plan_threads(&pl, choices.threads[t], choices.cpus[t]);
	if (status == TP_OK && context->plan->n == before && !context->plan->counting)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROGRAM_WHERE,
					   "give other values, or other conditions",
					   "no combination of parameters meets all conditions");
	return status;
}
