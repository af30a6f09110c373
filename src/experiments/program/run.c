/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A variant is measured: what it wants before, runs that warm up, then runs until a stop rule
 * fires. Each sample is one run of the program.
 */
#include "analysis/stats.h"
#include "base/command.h"
#include "base/now.h"
#include "base/pairs.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/bench.h"
#include "experiments/program/options.h"
#include "experiments/program/plan.h"
#include "sweep/sweep.h"
#include "experiments/program/program_row.h"
#include "experiments/program/readings.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "measure/sampler.h"
#include "preset/shared_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is kept of every run, by number; readings follow. */
enum {
	TIME,
	USER,
	SYSTEM,
	RSS,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	WAITS,
	PREEMPTIONS,
	BLOCKS_READ,
	BLOCKS_WRITTEN,
	READINGS,
	KEPT = READINGS + TP_PROGRAM_READS_MAX
};

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
	double limit_seconds;
};

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->bench->watch);
}

/* --- one run of a command --- */

static enum tp_status run_once(struct measuring *m, char *const *words, const char *what,
			       struct tp_command_run *run, struct tp_diag *diag)
{
	const struct tp_command_line command = { .words = words,
						 .environment = m->environment,
						 .cpus = m->planned->cpus,
						 .n_cpus = m->point->threads,
						 .limit_seconds = m->limit_seconds,
						 .go_on = go_on,
						 .context = m };
	enum tp_status status = tp_command_run(&command, run, diag);
	if (status == TP_OK)
		status = tp_sweep_judge_command(
			&command, run, m->row->command, what,
			"raise program.limit, or give the program less to do", diag);
	return status;
}

static enum tp_status run_commands(struct measuring *m, const struct tp_program_commands *commands,
				   const char *option, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < commands->n && status == TP_OK; i++) {
		struct tp_command_run run;
		char what[96], name[48];
		tp_shown(name, sizeof(name), commands->items[i][0], strlen(commands->items[i][0]));
		snprintf(what, sizeof(what), "%s of %s", name, option);
		status = run_once(m, commands->items[i], what, &run, diag);
		tp_command_run_release(&run);
	}
	return status;
}

/* --- samples --- */

static enum tp_status keep(struct series *s, double x)
{
	enum tp_status status = tp_vec_reserve((void **)&s->x, &s->cap, s->n + 1, sizeof(*s->x));
	if (status == TP_OK)
		s->x[s->n++] = x;
	return status;
}

static enum tp_status keep_run(struct measuring *m, const struct tp_command_run *run,
			       const double *readings)
{
	const double found[READINGS] = {
		[TIME] = run->wall_seconds,
		[USER] = run->user_seconds,
		[SYSTEM] = run->system_seconds,
		[RSS] = (double)run->max_rss_bytes,
		[MINOR_FAULTS] = (double)run->minor_faults,
		[MAJOR_FAULTS] = (double)run->major_faults,
		[WAITS] = (double)run->waits,
		[PREEMPTIONS] = (double)run->preemptions,
		[BLOCKS_READ] = (double)run->blocks_read,
		[BLOCKS_WRITTEN] = (double)run->blocks_written,
	};
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < READINGS + m->reads.n && status == TP_OK; i++)
		status = keep(&m->kept[i], i < READINGS ? found[i] : readings[i - READINGS]);
	return status;
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
	if (status == TP_OK)
		status = tp_point_add_sample(m->point, &sample);
	if (status != TP_OK)
		return tp_fail(diag, status, m->row->command, NULL, "samples could not be kept");
	if (watch && watch->sample && !watch->sample(watch->context, &sample))
		return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	return TP_OK;
}

static enum tp_status measure_one(struct measuring *m, bool counts, struct tp_diag *diag)
{
	struct tp_command_run run;
	char what[48];
	double readings[TP_PROGRAM_READS_MAX], value = 0;
	enum tp_status status = run_commands(m, &m->plan->prepare, "program.prepare", diag);
	if (status != TP_OK)
		return status;
	snprintf(what, sizeof(what), counts ? "run %zu" : "a run to warm up",
		 m->repeat.state.n + 1);
	status = run_once(m, m->plan->words, what, &run, diag);
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
	if (status == TP_OK && counts && keep_run(m, &run, readings) != TP_OK)
		status = tp_fail(diag, TP_NOMEM, m->row->command, NULL, "out of memory");
	tp_command_run_release(&run);
	return status;
}

/* --- what the samples say --- */

static double median(struct series *s)
{
	tp_sort_doubles(s->x, s->n);
	return s->n ? tp_median_sorted(s->x, s->n) : 0;
}

static void tell_medians(struct measuring *m)
{
	struct tp_program_row *row = m->row;
	struct tp_str values = { 0 };
	row->time_seconds = median(&m->kept[TIME]);
	row->user_seconds = median(&m->kept[USER]);
	row->system_seconds = median(&m->kept[SYSTEM]);
	row->max_rss_bytes = (uint64_t)median(&m->kept[RSS]);
	row->minor_faults = median(&m->kept[MINOR_FAULTS]);
	row->major_faults = median(&m->kept[MAJOR_FAULTS]);
	row->waits = median(&m->kept[WAITS]);
	row->preemptions = median(&m->kept[PREEMPTIONS]);
	row->blocks_read = median(&m->kept[BLOCKS_READ]);
	row->blocks_written = median(&m->kept[BLOCKS_WRITTEN]);
	for (size_t i = 0; i < m->reads.n; i++) {
		char number[32];
		snprintf(number, sizeof(number), "%.9g", median(&m->kept[READINGS + i]));
		tp_pairs_add(&values, m->reads.items[i].name, number);
	}
	tp_copy(row->values, sizeof(row->values), tp_str_text(&values));
	tp_str_release(&values);
}

static void tell(struct measuring *m, const struct tp_summary *summary)
{
	m->row->value = tp_stop_estimate(&m->repeat.state, &m->repeat.rule);
	m->row->best = m->metric.more ? summary->max : summary->min;
	m->point->kind->headline(m->point);
	tell_medians(m);
}

/* --- a variant --- */

static enum tp_status count_one(void *context, struct tp_diag *diag)
{
	return measure_one(context, true, diag);
}

static void set_rule(struct measuring *m)
{
	const struct tp_config *c = m->planned->config;
	m->repeat.least = (size_t)tp_config_count(c, TP_OPT_PROGRAM_RUNS);
	m->repeat.rule = tp_stop_rule_of(c, m->repeat.least);
	m->repeat.rule.max_seconds = tp_config_real(c, TP_OPT_PROGRAM_MAX_TIME);
	m->repeat.once = count_one;
	m->repeat.context = m;
	m->limit_seconds = tp_config_real(c, TP_OPT_PROGRAM_LIMIT);
}

static enum tp_status set_up(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *c = m->planned->config;
	char *const *const lists[] = { environ, m->plan->variables };
	set_rule(m);
	m->environment = tp_environment_merge(lists, TP_COUNT_OF(lists));
	if (!m->environment)
		return tp_fail(diag, TP_NOMEM, m->row->command, NULL, "out of memory");
	enum tp_status status =
		tp_program_metric_parse(&m->metric, tp_config_text(c, TP_OPT_PROGRAM_METRIC), diag);
	if (status == TP_OK)
		status = tp_program_reads_make(&m->reads, tp_config_value(c, TP_OPT_PROGRAM_READ),
					       diag);
	return status;
}

static enum tp_status measure(struct measuring *m, struct tp_diag *diag)
{
	struct tp_summary summary;
	uint64_t warmup = tp_config_count(m->planned->config, TP_OPT_PROGRAM_WARMUP);
	enum tp_status status = run_commands(m, &m->plan->before, "program.before", diag);
	for (uint64_t i = 0; i < warmup && status == TP_OK; i++)
		status = measure_one(m, false, diag);
	if (status == TP_OK)
		status = tp_repeat_run(&m->repeat, m->point, &summary, diag);
	if (status == TP_OK)
		tell(m, &summary);
	if (status == TP_CANCELLED)
		return status;
	struct tp_diag later;
	enum tp_status after = run_commands(m, &m->plan->after, "program.after", &later);
	if (status == TP_OK && after != TP_OK) {
		*diag = later;
		status = after;
	}
	return status;
}

enum tp_status tp_program_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag)
{
	double started = tp_now_seconds();
	struct tp_claims claims = { 0 };
	struct measuring *m = calloc(1, sizeof(*m));
	enum tp_status status = TP_OK;
	if (!m) {
		status = tp_fail(diag, TP_NOMEM, point->kernel, NULL, "out of memory");
		goto out;
	}
	*m = (struct measuring){ .bench = bench,
				 .planned = planned,
				 .plan = tp_program_plan(planned),
				 .point = point,
				 .row = point->row };
	tp_bench_rest(bench);
	status = set_up(m, diag);
	if (status != TP_OK)
		goto out;
	tp_claims_init(&claims, planned->cpus, point->threads);
	bool contested = tp_claims_contested(&claims);
	uint64_t stolen = tp_machine_steal_ticks(planned->cpus, point->threads);
	status = measure(m, diag);
	if (status != TP_OK)
		goto out;
	if (tp_machine_steal_ticks(planned->cpus, point->threads) > stolen)
		point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&claims) || contested)
		point->flags |= TP_FLAG(OTHER_TPROF);
	tp_window_quality(point, TP_REACH_SHARED);
out:
	tp_claims_release(&claims);
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK)
		point->diag = *diag;
	point->seconds = tp_now_seconds() - started;
	for (size_t i = 0; m && i < KEPT; i++)
		free(m->kept[i].x);
	if (m) {
		tp_program_reads_release(&m->reads);
		tp_stop_release(&m->repeat.state);
		free(m->environment);
	}
	free(m);
	return status;
}
