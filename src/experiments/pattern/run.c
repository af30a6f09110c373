/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point of a pattern: its arrays are made and initialised by the threads that work on them, a
 * first pass is checked, then windows are measured as those of any kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "experiments/pattern/plan_row.h"
#include "experiments/pattern/row.h"
#include "experiments/pattern/stepping.h"
#include "experiments/pattern/validate.h"
#include "experiments/windows/bench.h"

struct measuring {
	const struct tp_pattern_plan *plan;
	struct tp_point *point;
	struct tp_pattern_running running;
	const struct tp_watch *watch; /* whoever watches the bench; NULL = nobody */
	double *thread_seconds; /* of each thread, sums over all windows */
	double window_seconds;
	struct tp_pattern_stepping stepping;
};

static bool note_window(void *context, const struct tp_sample *sample)
{
	struct measuring *m = context;
	for (unsigned t = 0; t < m->point->threads; t++)
		m->thread_seconds[t] += tp_team_thread_seconds(m->running.team, t);
	m->window_seconds += sample->seconds;
	return !m->watch || !m->watch->sample || m->watch->sample(m->watch->context, sample);
}

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->watch);
}

static void note(void *context, const struct tp_diag *words)
{
	struct measuring *m = context;
	if (m->watch && m->watch->note)
		m->watch->note(m->watch->context, words);
}

static enum tp_status step(void *context, struct tp_window_stepping *stepping, struct tp_diag *diag)
{
	struct measuring *m = context;
	return tp_pattern_step(&m->stepping, &m->running, stepping, diag);
}

static enum tp_status prepare(void *context, struct tp_team *team, struct tp_compiled *compiled,
			      struct tp_diag *diag)
{
	struct measuring *m = context;
	struct tp_pattern_running *r = &m->running;
	struct tp_pattern_row *row = m->point->row;
	r->team = team;
	enum tp_status status =
		tp_pattern_memory_init(&r->memory, r->configuration, r->pages, diag);
	if (status != TP_OK)
		return status;
	for (unsigned t = 0; t < m->point->threads; t++)
		tp_pattern_memory_arguments(&r->memory, t, r->arguments[t]);
	status = tp_pattern_first_pass(r, &row->exact, diag);
	tp_pattern_memory_pages(&r->memory, row->kernel.pages, sizeof(row->kernel.pages));
	*compiled = (struct tp_compiled){ .function = r->functions.run,
					  .data = r->arguments,
					  .work_per_pass = m->plan->work.bytes };
	return status;
}

static void finish(void *context, const struct tp_team *team)
{
	struct measuring *m = context;
	(void)team;
	tp_pattern_memory_release(&m->running.memory);
}

/* Each thread over its own time; the work is taken to be shared out evenly. */
static void tell_threads(const struct measuring *m, struct tp_pattern_row *row)
{
	unsigned n = m->point->threads;
	double *rates = m->thread_seconds;
	double team = row->kernel.median_gbps / n * m->window_seconds;
	for (unsigned t = 0; t < n; t++)
		rates[t] = rates[t] > 0 ? team / rates[t] : 0;
	tp_sort_doubles(rates, n);
	row->thread_min_gbps = rates[0];
	row->thread_median_gbps = rates[n / 2];
	row->thread_max_gbps = rates[n - 1];
}

static void tell_times(const struct measuring *m, struct tp_pattern_row *row)
{
	if (!(row->kernel.median_gbps > 0))
		return;
	row->pass_ns = m->plan->work.bytes / row->kernel.median_gbps;
	row->element_ns = row->elements > 0 ? row->pass_ns / row->elements : 0;
	tell_threads(m, row);
}

static enum tp_status load(struct tp_bench *bench, struct measuring *m, struct tp_diag *diag)
{
	struct tp_compiled_code *code = m->plan->code;
	enum tp_status status = tp_compiled_load(bench, code, diag);
	if (status != TP_OK)
		return status;
	m->running.functions = (struct tp_pattern_functions){
		.init = tp_compiled_function(code, "tp_init"),
		.run = tp_compiled_function(code, "tp_run"),
		.validate = tp_compiled_function(code, "tp_validate"),
		.reference = tp_compiled_function(code, "tp_reference"),
	};
	if (!m->running.functions.init || !m->running.functions.run)
		return tp_fail(diag, TP_INTERNAL, "pattern", NULL,
			       "compiled code lacks its functions");
	return TP_OK;
}

/* Every window also tells how long each thread took. */
static enum tp_status measure(struct tp_bench *bench, const struct tp_planned *planned,
			      struct measuring *m, struct tp_diag *diag)
{
	struct tp_pattern_row *row = m->point->row;
	const struct tp_window_code code = { .openmp = true,
					     .prepare = prepare,
					     .finish = finish,
					     .context = m,
					     .counting = { .counts = row->counts,
							   .counts_bytes = sizeof(row->counts),
							   .elements = row->elements,
							   .step = step,
							   .context = m } };
	const struct tp_watch own = {
		.context = m, .sample = note_window, .go_on = go_on, .note = note
	};
	const struct tp_watch *watch = bench->watch;
	m->watch = watch;
	bench->watch = &own;
	enum tp_status status = tp_window_run_code(bench, planned, &code, m->point, diag);
	bench->watch = watch;
	return status;
}

enum tp_status tp_pattern_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag)
{
	unsigned threads = point->threads;
	struct measuring m = { .plan = tp_pattern_plan(planned),
			       .point = point,
			       .running.configuration = tp_pattern_plan(planned)->configuration,
			       .running.pages = planned->pages };
	struct tp_pattern_row *row = point->row;
	struct tp_pattern_arguments *arguments = calloc(threads, sizeof(*arguments));
	m.running.arguments = calloc(threads, sizeof(*m.running.arguments));
	m.thread_seconds = calloc(threads, sizeof(*m.thread_seconds));
	enum tp_status status = TP_OK;
	if (!arguments || !m.running.arguments || !m.thread_seconds)
		status = tp_fail(diag, TP_NOMEM, "pattern", NULL, "out of memory");
	for (unsigned t = 0; t < threads && status == TP_OK; t++)
		m.running.arguments[t] = &arguments[t];
	if (status == TP_OK)
		status = load(bench, &m, diag);
	if (status == TP_OK) {
		status = measure(bench, planned, &m, diag);
		if (status == TP_OK)
			tell_times(&m, row);
	} else {
		point->state = TP_POINT_FAILED;
		point->diag = *diag;
	}
	row->prebuilt = m.plan->code->prebuilt;
	free(arguments);
	free(m.running.arguments);
	free(m.thread_seconds);
	return status;
}
