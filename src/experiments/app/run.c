/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program is counted once by each way that is asked for, and then timed: again and again without
 * any instrumentation, until a stop rule fires. Each sample is one run.
 */
#include "experiments/app/run.h"
#include "analysis/stats.h"
#include "base/command.h"
#include "base/now.h"
#include "base/memory.h"
#include "experiments/app/options.h"
#include "experiments/app/rows.h"
#include "experiments/app/streams.h"
#include "experiments/bench.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"
#include "measure/buffer.h"
#include "preset/shared_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct measuring {
	const struct tp_app_ways *ways;
	struct tp_bench *bench;
	const struct tp_planned *planned;
	struct tp_point *point;
	struct tp_app_row *row;
	struct tp_app_command command;
	struct tp_app_streams streams;
	const struct tp_app_source *sources[TP_APP_CHOSEN_MAX];
	struct tp_app_counts counts[TP_APP_CHOSEN_MAX], levels;
	size_t n_sources;
	struct tp_app_found found;
	bool traced;
	struct tp_app_times times;
	struct tp_repeat wall;
	struct tp_stop_state user, system;
};

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->bench->watch);
}

static void note(struct measuring *m, const struct tp_diag *diag)
{
	const struct tp_watch *watch = m->bench->watch;
	if (watch && watch->note)
		watch->note(watch->context, diag);
}

static void note_all(struct measuring *m, const struct tp_diags *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		note(m, &notes->items[i]);
}

static void __attribute__((format(printf, 3, 4)))
say(struct measuring *m, const char *hint, const char *format, ...)
{
	struct tp_diag diag;
	char text[sizeof(diag.what)];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	tp_fail(&diag, TP_OK, m->row->command, hint, "%s", text);
	note(m, &diag);
}

/* --- counting --- */

/* The first failure is the one that people want to know of. */
static void take_end(struct measuring *m, struct tp_process_end end)
{
	if (m->row->signal || m->row->exit_status)
		return;
	m->row->signal = (unsigned)end.signal;
	m->row->exit_status = end.signal ? 0 : (unsigned)end.code;
}

static enum tp_status count_one(struct measuring *m, size_t i, struct tp_diag *diag)
{
	struct tp_app_counts *counts = &m->counts[i];
	bool first = i == 0;
	tp_app_streams_set(&m->streams, first, &m->command);
	if (first)
		tp_app_streams_lend(&m->streams);
	enum tp_status status = m->sources[i]->count(&m->command, counts, diag);
	tp_app_streams_back(&m->streams);
	m->bench->interrupted |= m->streams.interrupted;
	if (status != TP_OK)
		return status;
	take_end(m, counts->end);
	note_all(m, &counts->notes);
	m->row->incomplete |= !counts->complete;
	m->row->ran_threads = TP_MAX(m->row->ran_threads, counts->n_threads);
	if (first) {
		m->row->counted_seconds = counts->wall_seconds;
		tp_copy(m->row->source, sizeof(m->row->source), m->sources[i]->name);
	}
	return TP_OK;
}

static enum tp_status follow_levels(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_machine *machine = m->bench->machine;
	struct tp_app_cache caches[3] = { { 0 } };
	for (int l = 0; l < 3; l++) {
		const struct tp_cache *c = &machine->cache[l + 1];
		caches[l] = (struct tp_app_cache){ .bytes = c->size_bytes,
						   .ways = c->ways,
						   .line_bytes = c->line_bytes,
						   .shared = c->sharing_cores > 1 };
	}
	tp_app_streams_set(&m->streams, false, &m->command);
	enum tp_status status = m->ways->trace(&m->command, caches, &m->levels, diag);
	m->traced = status == TP_OK;
	if (status == TP_OK)
		note_all(m, &m->levels.notes);
	if (status == TP_CANCELLED)
		return status;
	/* Without levels everything else is still worth having. */
	if (status != TP_OK)
		note(m, diag);
	return TP_OK;
}

/* Formulas are looked for where counters will count: that reads runs of the user. */
static enum tp_status find_formulas(struct measuring *m, const char *word, const char *path,
				    struct tp_diag *diag)
{
	const struct tp_app_source *first[TP_APP_CHOSEN_MAX];
	struct tp_diag why;
	size_t n;
	bool wanted = strcmp(word, "pmu") == 0 || strcmp(word, "both") == 0 ||
		      (strcmp(word, "auto") == 0 &&
		       tp_app_choose(m->ways, "instrument", path, NULL, first, &n, &why) != TP_OK);
	if (!wanted || !m->ways->formulas)
		return TP_OK;
	enum tp_status status = m->ways->formulas(
		m->bench->machine, tp_config_text(m->planned->config, TP_OPT_APP_FORMULAS),
		&m->found, diag);
	if (m->found.formulas.n)
		m->command.formulas = &m->found.formulas;
	return status;
}

static enum tp_status count(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *config = m->planned->config;
	const char *word = tp_config_text(config, TP_OPT_APP_SOURCE);
	char path[TP_PATH_MAX];
	if (!tp_program_find(m->command.words[0], path))
		return tp_fail(diag, TP_NOTFOUND, m->row->command, NULL,
			       "there is no such program");
	enum tp_status status = find_formulas(m, word, path, diag);
	if (status == TP_OK)
		status = tp_app_choose(m->ways, word, path, m->command.formulas, m->sources,
				       &m->n_sources, diag);
	for (size_t i = 0; i < m->n_sources && status == TP_OK && !m->bench->interrupted; i++)
		status = count_one(m, i, diag);
	/* What the first way counted until then is there; nothing else shall run. */
	if (status == TP_OK && m->bench->interrupted) {
		m->n_sources = 1;
		return TP_OK;
	}
	if (status == TP_OK && m->streams.waits)
		say(m, "give all runs the same input: --set app.input=FILE",
		    "the run that is counted has read standard input; the runs that are timed find "
		    "it empty, so they may do less");
	/* A program that dies would die again. */
	if (status == TP_OK && !m->row->signal && tp_config_count(config, TP_OPT_APP_LEVELS))
		status = follow_levels(m, diag);
	return status;
}

/* --- timing --- */

static enum tp_status add_sample(struct measuring *m, double seconds, struct tp_diag *diag)
{
	const struct tp_watch *watch = m->bench->watch;
	const struct tp_sample sample = { .seconds = seconds,
					  .rate = 1 / seconds,
					  .invocation = m->bench->invocation };
	if (tp_point_add_sample(m->point, &sample) != TP_OK)
		return tp_fail(diag, TP_NOMEM, m->row->command, NULL, "out of memory");
	if (watch && watch->sample && !watch->sample(watch->context, &sample))
		return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	return TP_OK;
}

static enum tp_status time_once(void *context, struct tp_diag *diag)
{
	struct measuring *m = context;
	struct tp_app_time time = { 0 };
	tp_app_streams_set(&m->streams, false, &m->command);
	enum tp_status status = m->ways->time(&m->command, &time, diag);
	if (status == TP_OK && !(time.wall_seconds > 0))
		status = tp_fail(diag, TP_FAILED, m->row->command, NULL, "its run took no time");
	if (status == TP_OK && m->wall.state.n == 0) {
		note_all(m, &time.notes);
		m->row->max_rss_bytes = time.max_rss_bytes;
		if (time.end.signal != (int)m->row->signal ||
		    (!time.end.signal && time.end.code != (int)m->row->exit_status))
			say(m, "look at its output: does it need input, or files of the first run?",
			    "a run that is timed ends otherwise than the one that was counted "
			    "(exit %d, signal %d)",
			    time.end.code, time.end.signal);
		take_end(m, time.end);
	}
	if (status == TP_OK && (tp_stop_add(&m->wall.state, time.wall_seconds) != TP_OK ||
				tp_stop_add(&m->user, time.user_seconds) != TP_OK ||
				tp_stop_add(&m->system, time.system_seconds) != TP_OK ||
				tp_app_times_add(&m->times, &time) != TP_OK))
		status = tp_fail(diag, TP_NOMEM, m->row->command, NULL, "out of memory");
	if (status == TP_OK)
		status = add_sample(m, time.wall_seconds, diag);
	tp_app_time_release(&time);
	return status;
}

static enum tp_status time_all(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_config *config = m->planned->config;
	struct tp_summary summary;
	if (m->row->signal || m->bench->interrupted)
		return TP_OK;
	m->wall.least = (size_t)tp_config_count(config, TP_OPT_APP_RUNS);
	m->wall.rule = tp_stop_rule_of(config, m->wall.least);
	m->wall.rule.max_seconds = tp_config_real(config, TP_OPT_APP_MAX_TIME);
	m->wall.once = time_once;
	m->wall.context = m;
	enum tp_status status = tp_repeat_run(&m->wall, m->point, &summary, diag);
	if (status != TP_OK)
		return status;
	m->row->time_seconds = tp_stop_estimate(&m->wall.state, &m->wall.rule);
	m->row->user_seconds = tp_median_sorted(m->user.sorted, m->user.n);
	m->row->system_seconds = tp_median_sorted(m->system.sorted, m->system.n);
	m->point->kind->headline(m->point);
	m->point->best = summary.min;
	return TP_OK;
}

/* --- a point --- */

static void set_command(struct measuring *m)
{
	const struct tp_config *config = m->planned->config;
	const struct tp_app_plan *plan = tp_app_plan(m->planned);
	const char *folder = tp_config_text(config, TP_OPT_APP_FOLDER);
	m->command = (struct tp_app_command){
		.words = plan->words,
		.variables = plan->variables,
		.folder = *folder ? folder : NULL,
		.cpus = m->planned->cpus,
		.n_cpus = plan->threads ? m->point->threads : 0,
		.functions = plan->functions,
		.limit_seconds = tp_config_real(config, TP_OPT_APP_LIMIT),
		.go_on = go_on,
		.context = m,
	};
	tp_app_streams_init(&m->streams, m->bench, tp_config_text(config, TP_OPT_APP_INPUT));
}

static enum tp_status tell(struct measuring *m, struct tp_diag *diag)
{
	for (size_t i = 0; i < m->n_sources; i++) {
		const struct tp_app_told told = { .point = m->point,
						  .source = m->sources[i]->name,
						  .counts = &m->counts[i],
						  .levels = m->traced && i == 0 ? &m->levels : NULL,
						  .times = &m->times,
						  .seconds = m->row->time_seconds,
						  .seconds_low = m->point->ci_low,
						  .seconds_high = m->point->ci_high,
						  .timed_runs = m->point->kept };
		if (!tp_app_tell(&told, m->bench->watch))
			return tp_fail(diag, TP_CANCELLED, m->row->command, NULL, "cancelled");
	}
	return TP_OK;
}

static enum tp_status measure(struct measuring *m, struct tp_diag *diag)
{
	struct tp_claims claims = { 0 };
	enum tp_status status = count(m, diag);
	if (status != TP_OK)
		return status;
	tp_claims_init(&claims, m->planned->cpus, m->point->threads);
	bool contested = tp_claims_contested(&claims);
	uint64_t stolen = tp_machine_steal_ticks(m->planned->cpus, m->point->threads);
	status = time_all(m, diag);
	if (tp_machine_steal_ticks(m->planned->cpus, m->point->threads) > stolen)
		m->point->flags |= TP_FLAG(STEAL);
	if (tp_claims_contested(&claims) || contested)
		m->point->flags |= TP_FLAG(OTHER_TPROF);
	tp_claims_release(&claims);
	if (status == TP_OK && m->point->kept)
		tp_window_quality(m->point, TP_REACH_SHARED);
	return status == TP_OK ? tell(m, diag) : status;
}

static void release(struct measuring *m)
{
	for (size_t i = 0; i < m->n_sources; i++)
		tp_app_counts_release(&m->counts[i]);
	tp_app_counts_release(&m->levels);
	tp_app_times_release(&m->times);
	tp_app_found_release(&m->found);
	tp_stop_release(&m->wall.state);
	tp_stop_release(&m->user);
	tp_stop_release(&m->system);
	free(m);
}

enum tp_status tp_app_measure(const struct tp_app_ways *ways, struct tp_bench *bench,
			      const struct tp_planned *planned, struct tp_point *point,
			      struct tp_diag *diag)
{
	double started = tp_now_seconds();
	struct measuring *m = calloc(1, sizeof(*m));
	enum tp_status status = TP_OK;
	if (m) {
		*m = (struct measuring){ .ways = ways,
					 .bench = bench,
					 .planned = planned,
					 .point = point,
					 .row = point->row };
		tp_bench_rest(bench);
		m->times.confidence = tp_config_real(planned->config, TP_OPT_STOP_CONFIDENCE);
		set_command(m);
		status = measure(m, diag);
		release(m);
	} else {
		status = tp_fail(diag, TP_NOMEM, point->kernel, NULL, "out of memory");
	}
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK)
		point->diag = *diag;
	point->seconds = tp_now_seconds() - started;
	return status;
}

enum tp_status tp_app_run_point(struct tp_bench *bench, const struct tp_planned *planned,
				struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_app_ways ways = { .sources = tp_app_source_table,
					  .n = tp_app_source_count,
					  .time = tp_app_time,
					  .trace = tp_app_trace,
					  .formulas = tp_app_formulas_find };
	return tp_app_measure(&ways, bench, planned, point, diag);
}
