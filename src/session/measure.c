/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/measure.h"
#include "base/now.h"
#include "base/memory.h"
#include "mining/from_run.h"
#include "session/document.h"
#include "session/facts.h"
#include "session/knobs.h"
#include "session/learned.h"
#include "session/printed.h"
#include "session/reuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct measuring {
	const struct tp_measurement *m;
	struct tp_run *run;
	size_t told; /* remarks of the run that the listener has heard */
	double engines_seconds, last_t; /* time of earlier engines, and of this one so far */
};

/* Tells the listener the remarks that are new. */
static void tell_new(struct measuring *s)
{
	while (s->told < s->run->diags.n)
		s->m->remark(s->m->context, &s->run->diags.items[s->told++]);
}

static void remark(struct measuring *s, enum tp_status status, const char *where, const char *hint,
		   const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, status, where, hint, "%s", what);
	tp_run_remark(s->run, &diag);
	tell_new(s);
}

static void remark_all(struct measuring *s, struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		tp_run_remark(s->run, &diags->items[i]);
	tell_new(s);
	tp_diags_release(diags);
	*diags = (struct tp_diags){ 0 };
}

static void on_event(void *context, const struct tp_event *event, const char *line, size_t len)
{
	struct measuring *s = context;
	/* The journal has no progress: it is only for those who watch. */
	if (event->kind != TP_EVENT_PROGRESS && !tp_keep_append(s->m->keep, line, len))
		remark(s, TP_RESOURCE, "journal",
		       "free some space; the results are still written at the end if that works",
		       strerror(errno));
	if (event->t > 0) { /* the parent's own events have no time */
		s->engines_seconds += event->t < s->last_t ? s->last_t : 0;
		s->last_t = event->t;
	}
	if (event->kind == TP_EVENT_HELLO && event->counter_ghz > 0)
		tp_run_fact_number(s->run, "machine.counter_ghz", event->counter_ghz);
	s->m->event(s->m->context, event, line, len);
	tell_new(s);
}

static void on_tick(void *context)
{
	const struct measuring *s = context;
	s->m->tick(s->m->context);
}

static void reduce(struct measuring *s)
{
	const struct tp_preset *preset = &s->m->session->preset;
	for (size_t i = 0; i < preset->n_runs; i++) {
		const char *name = tp_config_text(&preset->runs[i], TP_OPT_EXPERIMENT);
		const struct tp_experiment *e = tp_experiment_find(name);
		enum tp_status status =
			e->reduce ? e->reduce(&s->m->session->machine, s->run, (unsigned)i) : TP_OK;
		if (status != TP_OK)
			remark(s, status, name, NULL, tp_status_name(status));
	}
}

/* The results are written already when something is said here, so it is not among them. */
static bool write_results(struct measuring *s, const struct tp_printed *printed)
{
	struct tp_keep *keep = s->m->keep;
	char path[TP_PATH_MAX + 32];
	struct tp_diag diag;
	bool written = tp_keep_results(keep, &s->m->session->preset, s->run, &diag) == TP_OK;
	if (diag.what[0])
		s->m->remark(s->m->context, &diag);
	snprintf(path, sizeof(path), "%s/plots.svg", keep->directory);
	tp_file_make_way(path);
	if (tp_document_write(TP_DOCUMENT_SVG, s->run, path, &diag) != TP_OK) {
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	if (tp_printed_write(printed, keep->directory, &diag) != TP_OK) {
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	const struct tp_experiment_document *own;
	for (size_t i = 0; (own = tp_document_own(i)); i++) {
		if (!own->file || !own->has(s->run))
			continue;
		snprintf(path, sizeof(path), "%s/%s", keep->directory, own->file);
		tp_file_make_way(path);
		if (tp_document_write_own(own->ending, s->run, path, &diag) == TP_OK)
			continue;
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	return written;
}

/* Which points are finished already; NULL = none. A new run of the screens goes on from nothing. */
static bool *old_points(const struct tp_measurement *m, const struct tp_reused *reused)
{
	size_t n = m->session->plan.n;
	bool *old = NULL;
	for (size_t i = 0; i < n; i++) {
		bool is_old = m->earlier && i < m->earlier->n_points &&
			      m->earlier->points[i].state == TP_POINT_DONE;
		if (!is_old && !(reused->points && reused->points[i].state == TP_POINT_DONE))
			continue;
		if (!old)
			old = calloc(n, sizeof(*old));
		if (old)
			old[i] = true;
	}
	return old;
}

/* Points that another run gives, and facts that say so. A run that goes on keeps what it has. */
static void find_reused(struct measuring *s, struct tp_reused *reused)
{
	static const char *const keys[] = { TP_REUSED_RUN, TP_REUSED_STARTED };
	const struct tp_run *earlier = s->m->earlier;
	struct tp_diag diag;
	*reused = (struct tp_reused){ 0 };
	enum tp_status status = tp_reuse_find(reused, s->m->session, s->run, &diag);
	if (status != TP_OK)
		remark(s, status, diag.where, "measured anew instead", diag.what);
	if (reused->points) {
		tp_run_fact_text(s->run, keys[0], "%s", reused->run.called);
		tp_run_fact_text(s->run, keys[1], "%s",
				 tp_run_fact(&reused->run, "started")
					 ? tp_run_fact(&reused->run, "started")->text
					 : "");
		return;
	}
	for (size_t i = 0; earlier && i < TP_COUNT_OF(keys); i++)
		if (tp_run_fact(earlier, keys[i]))
			tp_run_fact_text(s->run, keys[i], "%s",
					 tp_run_fact(earlier, keys[i])->text);
}

enum tp_status tp_session_measure(const struct tp_measurement *m, struct tp_run *run, bool *written)
{
	struct measuring s = { .m = m, .run = run };
	const struct tp_session *session = m->session;
	struct tp_run_knobs knobs;
	struct tp_diags refused = { 0 }, doubts = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_reused reused;
	struct tp_printed printed = { .fd = -1 };
	double started = tp_now_seconds(), before = m->earlier ? m->earlier->wall_seconds : 0;
	tp_facts_collect(run, session);
	tp_facts_resume(run, m->earlier);
	tp_run_knobs_begin(&knobs, session, run, &refused);
	remark_all(&s, &refused);
	find_reused(&s, &reused);
	bool *old = old_points(m, &reused);
	enum tp_status status = tp_keep_begin(m->keep, run, &diag);
	if (status != TP_OK)
		remark(&s, status, diag.where, diag.hint, diag.what);
	if (m->program_output < 0)
		tp_printed_begin(&printed, m->keep->directory, m->earlier);
	struct tp_engine_sink sink = { .context = &s, .event = on_event, .tick = on_tick };
	struct tp_engine_request request = { .configs = session->preset.runs,
					     .n_configs = session->preset.n_runs,
					     .plan = &session->plan,
					     .machine = &session->machine,
					     .earlier = m->earlier,
					     .known = reused.points,
					     .control_fd = m->control_fd,
					     .program_output = m->program_output,
					     .program_kept = printed.fd,
					     .watched = m->control_fd >= 0,
					     .stop = m->stop,
					     .sink = &sink };
	status = tp_engine_run(&request, run, &diag);
	tp_run_knobs_end(&knobs, run, &refused);
	remark_all(&s, &refused);
	if (status != TP_OK && status != TP_CANCELLED)
		remark(&s, status, diag.where, diag.hint, diag.what);
	reduce(&s);
	tp_run_derived_doubts(run, &doubts);
	remark_all(&s, &doubts);
	run->wall_seconds = before + (*session->machine.simulated ? s.engines_seconds + s.last_t
								  : tp_now_seconds() - started);
	tp_learned_take(&session->plan, &session->machine, run, old);
	free(old);
	tp_copy(run->state, sizeof(run->state),
		status == TP_OK		 ? "complete"
		: status == TP_CANCELLED ? "interrupted"
					 : "failed");
	tp_printed_tell(&printed, run);
	*written = write_results(&s, &printed);
	tp_reuse_release(&reused);
	tp_printed_release(&printed);
	return status;
}
