/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent's side: starts engines until every point is done, failed or skipped; merges invocations. */
#include "engine/child.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "experiment/bench.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hung engine: nothing heard for this long, and for the time that first touching its buffers may take. */
#define PATIENCE_SECONDS	       30.0
#define SLOWEST_TOUCH_BYTES_PER_SECOND 1e8

enum { NONE = -1, INVOCATION_MIN = 3, SUSPECT_BYTES = 4 << 20 };

struct client {
	const struct tp_engine_request *request;
	struct tp_run *run;
	double counter_hz; /* learnt from the first hello */
	long current; /* point under way in the engine, or NONE */
	unsigned invocation;
	struct tp_stop_state *invocations; /* one stream of medians a point */
	bool greeted; /* some engine said hello */
	bool stop_wished, paused; /* by a word, not by a signal */
	int control_fd;
	bool frugal; /* buffers only as large as each point needs */
	bool done_said;
	enum tp_status status; /* of the last job */
	struct tp_diag diag;
	struct tp_str line;
};

static bool stopped(const struct client *c)
{
	return c->stop_wished || (c->request->stop && *c->request->stop);
}

static void tell(struct client *c, const struct tp_event *event, const char *line, size_t len)
{
	const struct tp_engine_sink *sink = c->request->sink;
	if (sink && sink->event)
		sink->event(sink->context, event, line, len);
}

/* Events that the parent makes itself look like the engine's. */
static void tell_own(struct client *c, const struct tp_event *event)
{
	tp_str_clear(&c->line);
	if (tp_event_write(event, &c->line) == TP_OK)
		tell(c, event, tp_str_text(&c->line), c->line.len);
}

static struct tp_point *point_of(struct client *c, const struct tp_event *event)
{
	return event->point.point < c->run->n_points ? &c->run->points[event->point.point] : NULL;
}

/* The engine's view of a finished point replaces the plan's; samples stay, as they arrived one by one. */
static void take_point(struct tp_point *to, const struct tp_point *from)
{
	struct tp_point taken = *from;
	taken.samples = to->samples;
	taken.n_samples = to->n_samples;
	taken.cap_samples = to->cap_samples;
	taken.invocations = to->invocations;
	*to = taken;
}

/* All invocations as one point: statistics over all kept windows, interval over the invocations' own medians. */
static void merge(struct client *c, struct tp_point *point, const struct tp_point *latest)
{
	uint32_t flags = point->flags | latest->flags;
	double seconds = point->seconds + latest->seconds;
	struct tp_sampling sampling;
	struct tp_diag diag;
	const struct tp_planned *planned = &c->request->plan->items[point->point];
	tp_bench_sampling(planned, c->request->machine, &sampling);
	if (tp_sampler_summarise(point, &sampling, &diag) != TP_OK)
		return;
	point->flags |= flags;
	point->seconds = seconds;
	struct tp_stop_state *medians = &c->invocations[point->point];
	if (medians->n >= INVOCATION_MIN) {
		struct tp_interval ci = tp_mean_interval(&medians->w, sampling.rule.confidence);
		point->ci_low = ci.low;
		point->ci_high = ci.high;
	}
	tp_bench_judge(c->request->machine, planned, point);
}

static void end_point(struct client *c, struct tp_event *event, const char *line, size_t len)
{
	struct tp_point *point = point_of(c, event);
	c->current = NONE;
	if (!point)
		return;
	const struct tp_point *latest = &event->point;
	if (c->invocation > 0 && point->state == TP_POINT_DONE) {
		if (latest->state != TP_POINT_DONE)
			return; /* what earlier processes found stands */
		point->invocations++;
		tp_stop_add(&c->invocations[point->point], tp_point_median(latest));
		merge(c, point, latest);
		struct tp_event merged = { .kind = TP_EVENT_POINT_END,
					   .t = event->t,
					   .point = *point };
		tell_own(c, &merged);
		return;
	}
	take_point(point, latest);
	/* A search counts the processes of its own. */
	point->invocations = c->request->plan->items[point->point].search ? latest->invocations : 1;
	if (point->state == TP_POINT_DONE)
		tp_stop_add(&c->invocations[point->point], tp_point_median(point));
	tell(c, event, line, len);
}

static void take_counts(struct client *c, const struct tp_counts *counts)
{
	for (unsigned i = 0; i < counts->n; i++) {
		struct tp_reading reading = { .family = counts->family,
					      .event = counts->event,
					      .row = counts->row,
					      .repetition = counts->first + i,
					      .count = counts->counts[i],
					      .iterations = counts->iterations };
		struct tp_diag diag;
		if (tp_readings_add(&c->run->readings, &reading, &diag) != TP_OK &&
		    c->status == TP_OK) {
			c->status = TP_NOMEM;
			c->diag = diag;
		}
	}
}

static void take_trial(struct client *c, const struct tp_trial *trial)
{
	if (trial->point < c->run->n_points && tp_trials_put(c->run, trial) != TP_OK &&
	    c->status == TP_OK)
		c->status = tp_fail(&c->diag, TP_NOMEM, "engine", NULL, "out of memory");
}

static void handle(struct client *c, struct tp_event *event, const char *line, size_t len)
{
	struct tp_point *point;
	switch (event->kind) {
	case TP_EVENT_HELLO:
		c->greeted = true;
		if (event->counter_ghz > 0)
			c->counter_hz = event->counter_ghz * 1e9;
		tell(c, event, line, len);
		break;
	case TP_EVENT_POINT_BEGIN:
		c->current = (long)event->point.point;
		if (c->invocation == 0)
			tp_trials_remove(c->run, event->point.point);
		tell(c, event, line, len);
		break;
	case TP_EVENT_SAMPLE:
		point = point_of(c, event);
		if (point)
			tp_point_add_sample(point, &event->sample);
		tell(c, event, line, len);
		break;
	case TP_EVENT_COUNTS:
		take_counts(c, &event->counts);
		tell(c, event, line, len);
		break;
	case TP_EVENT_TRIAL:
		take_trial(c, &event->trial);
		tell(c, event, line, len);
		break;
	case TP_EVENT_POINT_END:
		end_point(c, event, line, len);
		break;
	case TP_EVENT_DIAG:
		c->status = event->status;
		c->diag = event->diag;
		tell(c, event, line, len);
		break;
	case TP_EVENT_DONE:
		c->done_said = true;
		break; /* one engine's end is not the run's: tp_engine_run says when all is done */
	default:
		tell(c, event, line, len);
		break;
	}
}

/*
 * Points share buffers as large as the largest of them needs. An engine that was killed while a smaller one was measured may have been killed
 * for that (the kernel's out-of-memory killer sends SIGKILL): the point gets a second chance with a buffer of its own size.
 */
static bool may_be_buffers(struct client *c, const struct tp_child *child)
{
	const struct tp_planned *p = &c->request->plan->items[c->current];
	bool suspect = child->exit_signal == SIGKILL && !c->frugal &&
		       p->buffer_bytes > SUSPECT_BYTES && p->own_bytes < p->buffer_bytes;
	c->frugal |= suspect;
	return suspect;
}

/* The engine died or hung while a point was under way: that point failed, with words. */
static void blame_point(struct client *c, const struct tp_child *child, bool hung)
{
	struct tp_point *point = &c->run->points[c->current];
	struct tp_diag diag;
	const char *hint = "the other points are not affected; run this one alone to look closer";
	if (hung)
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine did not answer for %.0f s and was stopped", PATIENCE_SECONDS);
	else if (child->exit_signal == SIGKILL)
		tp_fail(&diag, TP_CRASHED, point->kernel,
			"killed from outside, or out of memory (see dmesg)",
			"the engine was killed while it measured this point");
	else if (child->exit_signal)
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine died of %s while it measured this point",
			strsignal(child->exit_signal));
	else
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine ended (exit %d) while it measured this point",
			child->exit_code);
	if (point->state == TP_POINT_DONE)
		return; /* a later invocation died; the earlier ones stand */
	point->state = TP_POINT_FAILED;
	point->diag = diag;
	struct tp_event event = { .kind = TP_EVENT_POINT_END, .point = *point };
	tell_own(c, &event);
}

/* Runs one engine over `ids`. Afterwards c->current tells whether a point was cut short. */
static enum tp_status run_job(struct client *c, unsigned *ids, size_t n, struct tp_diag *diag)
{
	struct tp_job job = {
		.counter_hz = c->counter_hz,
		.available_bytes = c->request->machine->available_bytes,
		.invocation = c->invocation,
		.frugal = c->frugal,
		.watched = c->request->watched,
		.configs = (struct tp_config *)(uintptr_t)c->request->configs, /* only read */
		.n_configs = c->request->n_configs,
		.ids = ids,
		.n_ids = n
	};
	struct tp_str text = { 0 };
	struct tp_child child;
	double patience = PATIENCE_SECONDS;
	c->current = NONE;
	c->done_said = c->greeted = false;
	c->status = TP_OK;
	for (size_t i = 0; i < n; i++) {
		const struct tp_planned *p = &c->request->plan->items[ids[i]];
		double touch =
			(double)p->buffer_bytes * p->point.threads / SLOWEST_TOUCH_BYTES_PER_SECOND;
		patience =
			TP_MAX(patience, PATIENCE_SECONDS + touch + 2 * p->point.estimate_seconds);
	}
	tp_job_write(&job, &text);
	enum tp_status status = text.oom ? tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory")
					 : tp_child_start(&child, text.s, text.len, diag);
	tp_str_release(&text);
	if (status != TP_OK)
		return status;
	child.control_fd = c->control_fd;
	child.paused = c->paused;
	if (child.paused)
		tp_child_tell(&child, "pause");
	enum tp_child_news news;
	const char *line;
	size_t len;
	while ((news = tp_child_next(&child, c->request->stop, patience, &line, &len)) ==
	       TP_CHILD_LINE) {
		struct tp_event event;
		if (tp_event_parse(&event, line, len, NULL) != TP_OK)
			continue; /* an engine of another version, or noise: nothing to take */
		/* Listeners get whole lines; the buffer's newline was cut off by the reader. */
		tp_str_clear(&c->line);
		tp_str_add_n(&c->line, line, len);
		tp_str_add(&c->line, "\n");
		handle(c, &event, tp_str_text(&c->line), c->line.len);
	}
	c->stop_wished |= child.stop_wished;
	c->paused = child.paused;
	c->control_fd = child.control_fd;
	tp_child_end(&child);
	if (c->status != TP_OK) {
		*diag = c->diag;
		return c->status;
	}
	bool second_chance = c->current != NONE && !stopped(c) && news != TP_CHILD_HUNG &&
			     may_be_buffers(c, &child);
	if (second_chance)
		return TP_OK;
	if (c->current != NONE && !stopped(c))
		blame_point(c, &child, news == TP_CHILD_HUNG);
	else if (!c->done_said && !c->greeted && !stopped(c))
		return tp_fail(diag, TP_CRASHED, "engine",
			       "try again; if it stays so, please report it",
			       "the engine ended without a word (signal %d, exit %d)",
			       child.exit_signal, child.exit_code);
	return TP_OK;
}

/* Points that still need this invocation. */
static size_t pending(const struct client *c, unsigned *ids)
{
	size_t n = 0;
	for (size_t i = 0; i < c->run->n_points; i++) {
		const struct tp_point *p = &c->run->points[i];
		if (c->invocation == 0) {
			if (p->state == TP_POINT_PLANNED)
				ids[n++] = (unsigned)i;
			continue;
		}
		const struct tp_planned *planned = &c->request->plan->items[i];
		struct tp_sampling sampling;
		if (planned->family || planned->search)
			continue; /* its repetitions are its own */
		tp_bench_sampling(planned, c->request->machine, &sampling);
		struct tp_stop_rule rule = { .max_samples = (size_t)tp_config_count(
						     planned->config, TP_OPT_INVOCATIONS),
					     .confidence = sampling.rule.confidence,
					     .error = sampling.rule.error,
					     .min_count = INVOCATION_MIN,
					     .basis = TP_BASIS_MEAN };
		if (p->state == TP_POINT_DONE && p->invocations == c->invocation &&
		    tp_stop_decide(&c->invocations[i], &rule, 0) == TP_GO_ON)
			ids[n++] = (unsigned)i;
	}
	return n;
}

/* The medians of a point's processes, found again from its samples: the stop rules over invocations go on where they were. */
static enum tp_status recall_invocations(struct client *c, const struct tp_point *point)
{
	struct tp_point one = *point;
	const struct tp_planned *planned = &c->request->plan->items[point->point];
	struct tp_sampling sampling;
	enum tp_status status = TP_OK;
	tp_bench_sampling(planned, c->request->machine, &sampling);
	one.samples = calloc(point->n_samples + 1, sizeof(*one.samples));
	if (!one.samples)
		return TP_NOMEM;
	for (unsigned k = 0; k < point->invocations && status == TP_OK; k++) {
		one.n_samples = 0;
		for (size_t i = 0; i < point->n_samples; i++)
			if (point->samples[i].invocation == k)
				one.samples[one.n_samples++] = point->samples[i];
		if (one.n_samples && tp_sampler_summarise(&one, &sampling, NULL) == TP_OK)
			status = tp_stop_add(&c->invocations[point->point], tp_point_median(&one));
	}
	free(one.samples);
	return status;
}

/* The trials of finished searches; one that was cut short is searched anew. */
static enum tp_status take_trials(struct client *c, const struct tp_run *earlier)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < earlier->n_trials && status == TP_OK; i++) {
		unsigned point = earlier->trials[i].point;
		if (point < earlier->n_points && earlier->points[point].state == TP_POINT_DONE)
			status = tp_trials_put(c->run, &earlier->trials[i]);
	}
	return status;
}

/* Finished points of an earlier part of the run are taken over as they are. */
static enum tp_status take_earlier(struct client *c)
{
	struct tp_run *earlier = c->request->earlier;
	enum tp_status status = TP_OK;
	if (earlier) {
		/* Counts of points that are measured again are overwritten. */
		c->run->readings = earlier->readings;
		earlier->readings = (struct tp_readings){ 0 };
		status = take_trials(c, earlier);
	}
	for (size_t i = 0; earlier && i < earlier->n_points && status == TP_OK; i++) {
		struct tp_point *from = &earlier->points[i];
		if (i >= c->run->n_points || from->state != TP_POINT_DONE)
			continue;
		struct tp_point *to = &c->run->points[i];
		*to = *from;
		from->samples = NULL;
		from->n_samples = from->cap_samples = 0;
		if (tp_config_count(c->request->plan->items[i].config, TP_OPT_INVOCATIONS) > 1)
			status = recall_invocations(c, to);
	}
	return status;
}

static enum tp_status prepare(struct client *c, struct tp_diag *diag)
{
	const struct tp_plan *plan = c->request->plan;
	c->invocations = calloc(plan->n + 1, sizeof(*c->invocations));
	if (!c->invocations || tp_vec_reserve((void **)&c->run->points, &c->run->cap_points,
					      plan->n + 1, sizeof(*c->run->points)) != TP_OK)
		return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	for (size_t i = 0; i < plan->n; i++)
		c->run->points[i] = plan->items[i].point;
	c->run->n_points = plan->n;
	if (take_earlier(c) != TP_OK)
		return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	return TP_OK;
}

/* Points that nobody measured any more. */
static void skip_rest(struct client *c, const char *why)
{
	for (size_t i = 0; i < c->run->n_points; i++) {
		struct tp_point *p = &c->run->points[i];
		if (p->state != TP_POINT_PLANNED)
			continue;
		p->state = TP_POINT_SKIPPED;
		tp_fail(&p->diag, TP_CANCELLED, p->kernel, NULL, "%s", why);
	}
}

enum tp_status tp_engine_run(const struct tp_engine_request *request, struct tp_run *run,
			     struct tp_diag *diag)
{
	struct client c = {
		.request = request, .run = run, .current = NONE, .control_fd = request->control_fd
	};
	unsigned *ids = calloc(request->plan->n + 1, sizeof(*ids));
	enum tp_status status = prepare(&c, diag);
	if (!ids)
		status = tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	if (status != TP_OK)
		goto out;
	struct tp_event plan = { .kind = TP_EVENT_PLAN,
				 .n_points = (unsigned)request->plan->n,
				 .estimate_seconds = request->plan->estimate_seconds };
	tell_own(&c, &plan);
	uint64_t most = 1;
	for (size_t i = 0; i < request->n_configs; i++)
		most = TP_MAX(most, tp_config_count(&request->configs[i], TP_OPT_INVOCATIONS));
	for (; c.invocation < most && status == TP_OK && !stopped(&c); c.invocation++) {
		size_t n;
		/* A dead engine leaves points over: a fresh one goes on behind the one that was to blame. */
		while (status == TP_OK && !stopped(&c) && (n = pending(&c, ids)) > 0) {
			long before = (long)n;
			bool was_frugal = c.frugal;
			status = run_job(&c, ids, n, diag);
			if (status == TP_OK && c.invocation > 0)
				break; /* what did not work again stays as it was */
			if (status == TP_OK && !stopped(&c) && c.frugal == was_frugal &&
			    (long)pending(&c, ids) == before)
				status = tp_fail(diag, TP_CRASHED, "engine", NULL,
						 "the engine measured nothing");
		}
	}
	if (stopped(&c)) {
		skip_rest(&c, "stopped before it was measured");
		status = tp_fail(diag, TP_CANCELLED, "run", NULL, "stopped");
	} else if (status != TP_OK) {
		skip_rest(&c, "the run ended before it was measured");
	}
	struct tp_event done = { .kind = TP_EVENT_DONE };
	tp_copy(done.state, sizeof(done.state),
		status == TP_OK		 ? "complete"
		: status == TP_CANCELLED ? "cancelled"
					 : "failed");
	tell_own(&c, &done);
out:
	for (size_t i = 0; c.invocations && i < request->plan->n; i++)
		tp_stop_release(&c.invocations[i]);
	free(c.invocations);
	free(ids);
	tp_str_release(&c.line);
	return status;
}
