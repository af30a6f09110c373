/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole programs: commands with parameters, each run repeatedly in a separate process. To measure a
 * variant: its commands before, warm-up runs, then runs until a stop rule fires. Each sample is one
 * run of the program.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/stats.h"
#include "base/command.h"
#include "base/expression.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/pairs.h"
#include "base/process.h"
#include "base/str.h"
#include "base/text.h"
#include "experiments/bench.h"
#include "experiments/program/program.h"
#include "experiments/program/readings.h"
#include "experiments/program/row.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "measure/sampler.h"
#include "preset/shared_options.h"
#include "sweep/sweep.h"

TP_PROGRAM_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_program = {
	.experiment = "program",
	.uses = "threads stop.confidence stop.error stop.basis stop.max_samples stop.trim_samples "
		"stop.trim_tolerance stop.sigmas",
	.place = 34,
	.rows = { TP_PROGRAM_OPTIONS(TP_OPTION_ROW) NULL },
};

/* Points of other experiments have no exit status. */
static bool runs(const void *row)
{
	return ((const struct tp_program_row *)row)->command[0] != '\0';
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define P(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_program_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

static const struct tp_column columns[] = {
	P(command,        "command",         TEXT,     ALWAYS,  NOTE,      ID,
	  .help = "Program: its name and arguments, with the values of parameters."),
	P(parameters,     "parameters",      TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "The parameters with their values.", .pairs = true),
	P(metric,         "metric",          TEXT,     ALWAYS,  DIMENSION, ID,
	  .help = "Program: what is compared: time, cpu-time, or a number that was read."),
	P(more_is_better, "more_is_better",  BOOL,     ALWAYS,  NOTE,      ID, .applies = runs,
	  .help = "Program: true if more of the metric is better."),
	P(value,          "median_metric",   REAL,     NONZERO, METRIC,    FOUND),
	P(best,           "best_metric",     REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: the metric, times in seconds: its estimate by stop.basis, and the best run's."),
	P(exit_status,    "exit_status",     UNSIGNED, ALWAYS,  NOTE,      FOUND, .applies = runs,
	  .help = "Program: its exit status; if a run failed, that run's."),
	P(signal,         "signal",          UNSIGNED, NONZERO, NOTE,      FOUND,
	  .help = "Program: the signal that ended it; empty if none did."),
	P(time_seconds,   "time_seconds",    REAL,     NONZERO, METRIC,    FOUND, .unit = "s",
	  .help = "Program: time from the start of the process to its end. This and what follows "
		  "is the "
		  "median of all runs that count."),
	P(user_seconds,   "user_seconds",    REAL,     NONZERO, NOTE,      FOUND, .unit = "s"),
	P(system_seconds, "system_seconds",  REAL,     NONZERO, NOTE,      FOUND, .unit = "s",
	  .help = "Program: time on CPUs in the program and in the kernel, with all processes "
		  "that it "
		  "started and waited for. The kernel may count in ticks."),
	P(max_rss_bytes,  "max_rss_bytes",   U64,      NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Program: the most memory of one of its processes. Empty if that is less than "
		  "the memory of the engine of tprof, whose figure the kernel reports then."),
	P(minor_faults,   "minor_faults",    REAL,     NONZERO, NOTE,      FOUND),
	P(major_faults,   "major_faults",    REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: page faults without and with reading from a device."),
	P(waits,          "waits",           REAL,     NONZERO, NOTE,      FOUND),
	P(preemptions,    "preemptions",     REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: context switches because it waited, and because its time was up."),
	P(blocks_read,    "blocks_read",     REAL,     NONZERO, NOTE,      FOUND),
	P(blocks_written, "blocks_written",  REAL,     NONZERO, NOTE,      FOUND,
	  .help = "Program: blocks of 512 bytes from and to devices."),
	P(values,         "values",          TEXT,     ALWAYS,  NOTE,      FOUND,
	  .help = "Program: the numbers that program.read names, each the median of all runs.",
	  .pairs = true),
};

/* clang-format on */

static const struct tp_table program_table = {
	TP_TABLE(struct tp_program_row, columns),
};

_Static_assert(sizeof(struct tp_program_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

bool tp_point_is_program(const struct tp_point *point)
{
	return tp_point_has_row(point, &program_table);
}

const struct tp_program_row *tp_program_row(const struct tp_point *point)
{
	return tp_point_row(point, &program_table);
}

static void headline(struct tp_point *point)
{
	const struct tp_program_row *row = tp_program_row(point);
	bool time = strcmp(row->metric, "time") == 0 || strcmp(row->metric, "cpu-time") == 0;
	tp_copy(point->unit, sizeof(point->unit), time ? "s" : row->metric);
	point->less_is_better = !row->more_is_better;
	point->median = row->value;
	point->best = row->best;
}

const struct tp_schema_row tp_schema_program = {
	.points = { "program", &program_table, headline, NULL },
};

enum tp_status tp_program_metric_parse(struct tp_program_metric *metric, const char *text,
				       struct tp_diag *diag)
{
	*metric = (struct tp_program_metric){ .kind = TP_PROGRAM_READING };
	if (strcmp(text, "time") == 0 || strcmp(text, "cpu-time") == 0) {
		metric->kind = text[0] == 't' ? TP_PROGRAM_TIME : TP_PROGRAM_CPU_TIME;
		tp_copy(metric->name, sizeof(metric->name), text);
		return TP_OK;
	}
	metric->more = strncmp(text, "more:", 5) == 0;
	const char *name = text + 5;
	size_t len =
		metric->more || strncmp(text, "less:", 5) == 0 ? tp_identifier_length(name) : 0;
	if (len && !name[len] && tp_copy(metric->name, sizeof(metric->name), name))
		return TP_OK;
	return tp_fail(
		diag, TP_USAGE, NULL,
		"time, cpu-time, more:NAME or less:NAME, where program.read has NAME=PATTERN",
		"\"%.60s\" is not a metric", text);
}

/* The run time of a program is unknown beforehand: this share of its time limit. */
#define TIME_SHARE 0.5

struct planner {
	struct tp_plan_context *context;
	struct tp_diags *diags;
	struct tp_program_metric metric;
	struct tp_sweep sweep;
};

static enum tp_status refuse_option(struct planner *pl, enum tp_status status,
				    const struct tp_option *option, const struct tp_diag *diag)
{
	return tp_planner_refuse(pl->context, pl->diags, status, option,
				 diag->hint[0] ? diag->hint : NULL, "%s", diag->what);
}

/* The commands and variables of a plan with the values at a place of the sweep. */
static enum tp_status fill_plan(struct planner *pl, const struct tp_sweep_at *at,
				struct tp_arena *arena, struct tp_program_plan *plan)
{
	struct tp_plan_context *context = pl->context;
	const struct tp_config *config = context->config;
	struct tp_diag diag;
	*plan = (struct tp_program_plan){ 0 };
	enum tp_status status = tp_sweep_fill_words(
		at, tp_config_words(config, TP_OPT_PROGRAM_COMMAND), arena, &plan->words, &diag);
	if (status != TP_OK)
		return refuse_option(pl, status, TP_OPT_PROGRAM_COMMAND, &diag);
	status = tp_planner_commands(context, TP_OPT_PROGRAM_BEFORE, at, arena, &plan->before,
				     pl->diags);
	if (status == TP_OK)
		status = tp_planner_commands(context, TP_OPT_PROGRAM_PREPARE, at, arena,
					     &plan->prepare, pl->diags);
	if (status == TP_OK)
		status = tp_planner_commands(context, TP_OPT_PROGRAM_AFTER, at, arena, &plan->after,
					     pl->diags);
	if (status != TP_OK)
		return status;
	return tp_planner_variables(context, TP_OPT_PROGRAM_ENVIRONMENT, at,
				    "such as OMP_NUM_THREADS={threads}", arena, &plan->variables,
				    pl->diags);
}

/* "gzip level=6": what distinguishes the variants; common values are left out. */
static void name_variant(const struct tp_sweep_at *at, const char *program, struct tp_point *point)
{
	TP_STR name = { 0 };
	tp_str_add(&name, tp_path_last(program));
	tp_sweep_text(at, true, &name);
	tp_shown(point->kernel, sizeof(point->kernel), tp_str_text(&name), name.len);
}

static void fill_row(const struct planner *pl, const struct tp_program_plan *plan,
		     const struct tp_sweep_at *at, struct tp_program_row *row)
{
	TP_STR text = { 0 };
	for (char **word = plan->words; *word; word++)
		tp_command_join(&text, *word);
	tp_shown(row->command, sizeof(row->command), tp_str_text(&text), text.len);
	tp_str_clear(&text);
	tp_sweep_text(at, false, &text);
	tp_shown(row->parameters, sizeof(row->parameters), tp_str_text(&text), text.len);
	tp_copy(row->metric, sizeof(row->metric), pl->metric.name);
	row->more_is_better = pl->metric.more;
}

static enum tp_status add_variant(struct planner *pl, const struct tp_sweep_at *at, unsigned *cpus)
{
	struct tp_plan_context *context = pl->context;
	struct tp_planned *p = tp_plan_add(context, at->threads, cpus, 0, pl->diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_program_plan *plan = p->row;
	struct tp_arena *arena =
		context->plan->counting ? &context->plan->counted : &context->plan->arena;
	enum tp_status status = fill_plan(pl, at, arena, plan);
	if (status != TP_OK)
		return status;
	fill_row(pl, plan, at, p->point.row);
	name_variant(at, plan->words[0], &p->point);
	double runs = (double)tp_config_count(context->config, TP_OPT_PROGRAM_RUNS) +
		      (double)tp_config_count(context->config, TP_OPT_PROGRAM_WARMUP);
	p->point.estimate_seconds =
		TIME_SHARE * fmin(tp_config_real(context->config, TP_OPT_PROGRAM_MAX_TIME),
				  runs * tp_config_real(context->config, TP_OPT_PROGRAM_LIMIT));
	return TP_OK;
}

static enum tp_status plan_threads(struct planner *pl, unsigned threads, unsigned *cpus)
{
	struct tp_sweep_at at = { .sweep = &pl->sweep, .threads = threads };
	enum tp_status status = TP_OK;
	size_t n = (size_t)tp_sweep_count(&pl->sweep);
	for (; status == TP_OK && at.i < n && !tp_stop_asked; at.i++) {
		bool meets;
		status = tp_planner_meets(pl->context, TP_OPT_PROGRAM_WHERE, tp_sweep_number, &at,
					  "names are threads and the parameters whose values are "
					  "numbers",
					  NULL, &meets, pl->diags);
		if (status == TP_OK && meets)
			status = add_variant(pl, &at, cpus);
	}
	return status;
}

/* What is read from outputs, and what of it is compared. */
static enum tp_status check_metric(struct planner *pl)
{
	const struct tp_config *config = pl->context->config;
	TP_CLEANUP(tp_program_reads_release) struct tp_program_reads reads = { 0 };
	struct tp_diag diag;
	enum tp_status status =
		tp_program_reads_make(&reads, tp_config_value(config, TP_OPT_PROGRAM_READ), &diag);
	if (status != TP_OK) {
		refuse_option(pl, status, TP_OPT_PROGRAM_READ, &diag);
		return status;
	}
	status = tp_program_metric_parse(&pl->metric, tp_config_text(config, TP_OPT_PROGRAM_METRIC),
					 &diag);
	if (status == TP_OK && pl->metric.kind == TP_PROGRAM_READING &&
	    tp_program_reads_find(&reads, pl->metric.name) < 0)
		status = tp_fail(&diag, TP_USAGE, NULL,
				 "give it a pattern: program.read: [NAME=PATTERN]",
				 "program.read has no number \"%s\"", pl->metric.name);
	if (status != TP_OK)
		refuse_option(pl, status, TP_OPT_PROGRAM_METRIC, &diag);
	return status;
}

static enum tp_status program_plan_points(struct tp_plan_context *context, struct tp_diags *diags)
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
	if (status == TP_OK)
		status = tp_planner_sweep(context, TP_OPT_PROGRAM_PARAMETERS, &pl.sweep, diags);
	if (status == TP_OK && tp_sweep_find(&pl.sweep, "threads", strlen("threads")) >= 0)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROGRAM_PARAMETERS,
					   "the option threads gives its values",
					   "threads: the parameter is there twice");
	size_t before = context->plan->n;
	for (size_t t = 0; t < choices.n_threads && status == TP_OK; t++)
		status = plan_threads(&pl, choices.threads[t], choices.cpus[t]);
	if (status == TP_OK && context->plan->n == before && !context->plan->counting)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PROGRAM_WHERE,
					   "give other values, or other conditions",
					   "no combination of parameters meets all conditions");
	return status;
}

/* The values kept of every run, in the order of the row, then the readings. */
enum { READINGS = 10, KEPT = READINGS + TP_PROGRAM_READS_MAX };

struct series {
	double *x;
	size_t n, cap;
};

struct measuring {
	struct tp_bench *bench;
	const struct tp_planned *planned;
	const struct tp_program_plan *plan;
	struct tp_point *point;
	struct tp_program_row *row;
	struct tp_program_metric metric;
	struct tp_program_reads reads;
	struct tp_repeat repeat; /* the metric of each run */
	struct series kept[KEPT];
	char **environment;
	struct tp_command_line how; /* how commands run; without their words */
};

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->bench->watch);
}

/* --- one run of a command --- */

static const char shorten[] = "raise program.limit, or give the program less to do";

static enum tp_status run_once(struct measuring *m, const char *what, struct tp_command_run *run,
			       struct tp_diag *diag)
{
	struct tp_command_line command = m->how;
	command.words = m->plan->words;
	enum tp_status status = tp_command_run(&command, run, diag);
	if (status == TP_OK)
		status = tp_command_judge(&command, run, m->row->command, what, shorten, diag);
	return status;
}

static enum tp_status run_commands(struct measuring *m, const struct tp_commands *commands,
				   struct tp_diag *diag)
{
	return tp_commands_run(commands, &m->how, m->row->command, shorten, diag);
}

/* --- samples --- */

static void keep_run(struct measuring *m, const struct tp_command_run *run, const double *readings)
{
	const double found[READINGS] = {
		run->wall_seconds,	     run->user_seconds,		run->system_seconds,
		(double)run->max_rss_bytes,  (double)run->minor_faults, (double)run->major_faults,
		(double)run->waits,	     (double)run->preemptions,	(double)run->blocks_read,
		(double)run->blocks_written,
	};
	for (size_t i = 0; i < READINGS + m->reads.n; i++) {
		struct series *s = &m->kept[i];
		TP_RESERVE(s->x, s->cap, s->n + 1);
		s->x[s->n++] = i < READINGS ? found[i] : readings[i - READINGS];
	}
}

static enum tp_status metric_of(const struct measuring *m, const struct tp_command_run *run,
				const double *readings, double *value, struct tp_diag *diag)
{
	*value = m->metric.kind == TP_PROGRAM_TIME ? run->wall_seconds
		 : m->metric.kind == TP_PROGRAM_CPU_TIME
			 ? run->user_seconds + run->system_seconds
			 : readings[tp_program_reads_find(&m->reads, m->metric.name)];
	if (*value > 0)
		return TP_OK;
	return tp_fail(diag, TP_FAILED, m->row->command,
		       m->metric.kind == TP_PROGRAM_CPU_TIME
			       ? "give the program more to do, or compare time"
			       : "compare another number, or time",
		       "%s is %g, and only numbers above 0 can be compared", m->metric.name,
		       *value);
}

/* A sample has a rate, which is larger the better. */
static enum tp_status add_sample(struct measuring *m, const struct tp_command_run *run,
				 double value, struct tp_diag *diag)
{
	const struct tp_watch *watch = m->bench->watch;
	const struct tp_sample sample = { .seconds = run->wall_seconds,
					  .rate = m->metric.more ? value : 1 / value,
					  .invocation = m->bench->invocation };
	enum tp_status status = tp_stop_add(&m->repeat.state, value);
	if (status != TP_OK)
		return tp_fail(diag, status, m->row->command, NULL, "samples could not be kept");
	tp_point_add_sample(m->point, &sample);
	if (watch && watch->sample && !watch->sample(watch->context, &sample))
		return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	return TP_OK;
}

static enum tp_status measure_one(struct measuring *m, bool counts, struct tp_diag *diag)
{
	struct tp_command_run run;
	char what[48];
	double readings[TP_PROGRAM_READS_MAX], value = 0;
	enum tp_status status = run_commands(m, &m->plan->prepare, diag);
	if (status != TP_OK)
		return status;
	snprintf(what, sizeof(what), counts ? "run %zu" : "a run to warm up",
		 m->repeat.state.n + 1);
	status = run_once(m, what, &run, diag);
	m->row->exit_status = (unsigned)run.end.code;
	m->row->signal = (unsigned)run.end.signal;
	/* A text ends at the first 0. */
	for (size_t i = 0; i < run.output.len; i++)
		if (!run.output.s[i])
			run.output.s[i] = ' ';
	if (status == TP_OK && counts)
		status = tp_program_reads_take(&m->reads, tp_str_text(&run.output), readings, diag);
	if (status == TP_OK && counts)
		status = metric_of(m, &run, readings, &value, diag);
	if (status == TP_OK && counts)
		status = add_sample(m, &run, value, diag);
	if (status == TP_OK && counts)
		keep_run(m, &run, readings);
	tp_command_run_release(&run);
	return status;
}

/* --- results from the samples --- */

static double median_of(struct series *s)
{
	tp_sort_doubles(s->x, s->n);
	return s->n ? tp_median_sorted(s->x, s->n) : 0;
}

static void tell_medians(struct measuring *m)
{
	struct tp_program_row *row = m->row;
	TP_STR values = { 0 };
	double rss_bytes, *const figures[READINGS] = { &row->time_seconds,   &row->user_seconds,
						       &row->system_seconds, &rss_bytes,
						       &row->minor_faults,   &row->major_faults,
						       &row->waits,	     &row->preemptions,
						       &row->blocks_read,    &row->blocks_written };
	for (size_t i = 0; i < READINGS; i++)
		*figures[i] = median_of(&m->kept[i]);
	row->max_rss_bytes = (uint64_t)rss_bytes;
	for (size_t i = 0; i < m->reads.n; i++) {
		char number[32];
		snprintf(number, sizeof(number), "%.9g", median_of(&m->kept[READINGS + i]));
		tp_pairs_add(&values, m->reads.items[i].name, number);
	}
	tp_copy(row->values, sizeof(row->values), tp_str_text(&values));
}

/* --- a variant --- */

static enum tp_status count_one(void *context, struct tp_diag *diag)
{
	return measure_one(context, true, diag);
}

static enum tp_status set_up(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *c = m->planned->config;
	char *const *const lists[] = { environ, m->plan->variables };
	m->repeat.least = (size_t)tp_config_count(c, TP_OPT_PROGRAM_RUNS);
	m->repeat.rule = tp_stop_rule_of(c, m->repeat.least);
	m->repeat.rule.max_seconds = tp_config_real(c, TP_OPT_PROGRAM_MAX_TIME);
	m->repeat.once = count_one;
	m->repeat.context = m;
	m->environment = tp_environment_merge(lists, TP_COUNT_OF(lists));
	m->how = (struct tp_command_line){ .environment = m->environment,
					   .cpus = m->planned->cpus,
					   .n_cpus = m->point->threads,
					   .limit_seconds = tp_config_real(c, TP_OPT_PROGRAM_LIMIT),
					   .go_on = go_on,
					   .context = m };
	enum tp_status status =
		tp_program_metric_parse(&m->metric, tp_config_text(c, TP_OPT_PROGRAM_METRIC), diag);
	if (status == TP_OK)
		status = tp_program_reads_make(&m->reads, tp_config_value(c, TP_OPT_PROGRAM_READ),
					       diag);
	return status;
}

static enum tp_status measure_variant(struct measuring *m, struct tp_diag *diag)
{
	struct tp_summary summary;
	uint64_t warmup = tp_config_count(m->planned->config, TP_OPT_PROGRAM_WARMUP);
	enum tp_status status = run_commands(m, &m->plan->before, diag);
	for (uint64_t i = 0; i < warmup && status == TP_OK; i++)
		status = measure_one(m, false, diag);
	if (status == TP_OK)
		status = tp_repeat_run(&m->repeat, m->point, &summary, diag);
	if (status == TP_OK) {
		m->row->value = tp_stop_estimate(&m->repeat.state, &m->repeat.rule);
		m->row->best = m->metric.more ? summary.max : summary.min;
		m->point->kind->headline(m->point);
		tell_medians(m);
	}
	if (status == TP_CANCELLED)
		return status;
	struct tp_diag later;
	enum tp_status after = run_commands(m, &m->plan->after, &later);
	if (status == TP_OK && after != TP_OK) {
		*diag = later;
		status = after;
	}
	return status;
}

static enum tp_status program_run(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	TP_CLEANUP(tp_claims_release) struct tp_claims claims = { 0 };
	TP_FREE struct measuring *m = tp_alloc(1, sizeof(*m));
	*m = (struct measuring){ .bench = bench,
				 .planned = planned,
				 .plan = tp_program_plan(planned),
				 .point = point,
				 .row = point->row };
	tp_bench_rest(bench);
	enum tp_status status = set_up(m, diag);
	if (status == TP_OK) {
		tp_claims_init(&claims, planned->cpus, point->threads);
		bool contested = tp_claims_contested(&claims);
		uint64_t stolen = tp_machine_steal_ticks("", planned->cpus, point->threads);
		status = measure_variant(m, diag);
		if (status == TP_OK &&
		    tp_machine_steal_ticks("", planned->cpus, point->threads) > stolen)
			point->flags |= TP_FLAG(STEAL);
		if (status == TP_OK && (tp_claims_contested(&claims) || contested))
			point->flags |= TP_FLAG(OTHER_TPROF);
	}
	if (status == TP_OK)
		tp_window_quality(point, TP_REACH_SHARED);
	tp_bench_end_point(point, status, diag, tp_now_seconds() - started);
	for (size_t i = 0; i < KEPT; i++)
		free(m->kept[i].x);
	tp_program_reads_release(&m->reads);
	tp_stop_release(&m->repeat.state);
	free(m->environment);
	return status;
}

/* Numbers and ranges of them are harmless; anything else in a command is code. */
static bool code_is_known(const struct tp_option *option, const char *text)
{
	if (option != TP_OPT_PROGRAM_PARAMETERS)
		return !*text;
	const char *values = strchr(text, '=');
	return values && !values[1 + strspn(values + 1, "0123456789 .+*")];
}

/* The points are all there is: tables and pictures are made from them. */
static void describe(const struct tp_planned *planned, struct tp_str *out)
{
	tp_str_add_clean(out, tp_program_row(&planned->point)->command, false);
}

const struct tp_experiment tp_experiment_program = {
	.name = "program",
	.question = "How long does my program take?",
	.summary = "whole programs: time, memory and numbers from their output, over arguments and "
		   "environment",
	.not_simulated = "a simulation runs kernels of tprof, not programs",
	.plan = program_plan_points,
	.plan_bytes = sizeof(struct tp_program_plan),
	.run = program_run,
	.code_is_known = code_is_known,
	.describe = describe,
};
