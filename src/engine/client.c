/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parent's side of the engine: starts engines until every point is done, failed or skipped, and
 * merges invocations.
 */
#include "engine/child.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/recall.h"
#include "base/memory.h"
#include "machine/place.h"
#include "measure/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * An engine hangs if it says nothing for this long, and for the time that the first touch of its
 * buffers may take.
 */
#define PATIENCE_SECONDS	       30.0
#define SLOWEST_TOUCH_BYTES_PER_SECOND 1e8

enum { NONE = -1, INVOCATION_MIN = 3, SUSPECT_BYTES = 4 << 20 };

struct client {
	const struct tp_engine_request *request;
	struct tp_run *run;
	struct tp_journal *journal; /* makes the run from events */
	double counter_hz; /* learnt from the first hello */
	long current; /* point under way in the engine, or NONE */
	unsigned invocation;
	struct tp_stop_state *invocations; /* the medians of each point's invocations */
	bool greeted; /* some engine said hello */
	struct tp_wishes wishes;
	bool frugal; /* buffers only as large as each point needs */
	bool done_said;
	bool again; /* finished points are measured once more */
	enum tp_status status; /* of the last job */
	struct tp_diag diag;
	double *seconds; /* that the points of a job are estimated to take */
	struct tp_str line;
	struct tp_aside aside;
};

static bool stopped(const struct client *c)
{
	return c->wishes.stop || (c->request->stop && *c->request->stop);
}

/* An event goes into the run, then to whoever listens. */
static void pass(struct client *c, const struct tp_event *event, const char *line, size_t len)
{
	const struct tp_engine_sink *sink = c->request->sink;
	struct tp_diag diag;
	enum tp_status status = tp_journal_take(c->journal, event, &diag);
	if (status != TP_OK && c->status == TP_OK) {
		c->status = status;
		c->diag = diag;
	}
	if (sink && sink->event)
		sink->event(sink->context, event, line, len);
}

static void tick(const struct client *c)
{
	const struct tp_engine_sink *sink = c->request->sink;
	if (sink && sink->tick)
		sink->tick(sink->context);
}

/* The parent's own events look like those of the engine. */
static void pass_own(struct client *c, const struct tp_event *event)
{
	tp_str_clear(&c->line);
	if (tp_event_write(event, &c->line) == TP_OK)
		pass(c, event, tp_str_text(&c->line), c->line.len);
}

/*
 * Makes one point of all invocations: statistics over all kept windows, the interval over the
 * medians of the invocations.
 */
static void merge(struct client *c, struct tp_point *point, const struct tp_point *latest)
{
	const struct tp_planned *planned = &c->request->plan->items[point->point];
	const struct tp_repeated *repeated = planned->experiment->repeated;
	struct tp_stop_state *medians = &c->invocations[point->point];
	struct tp_stop_rule rule;
	struct tp_diag diag;
	point->flags |= latest->flags;
	point->seconds += latest->seconds;
	if (!repeated || repeated->summarise(c->request->machine, planned, point, &diag) != TP_OK)
		return;
	if (medians->n >= INVOCATION_MIN) {
		repeated->rule(c->request->machine, planned, &rule);
		struct tp_interval ci = tp_mean_interval(&medians->w, rule.confidence);
		point->ci_low = ci.low;
		point->ci_high = ci.high;
	}
	repeated->judge(c->request->machine, planned, point);
}

/* A later invocation has ended: its samples are with the others, and one event tells both. */
static void end_again(struct client *c, struct tp_point *point, const struct tp_event *event)
{
	const struct tp_point *latest = &event->point;
	if (latest->state != TP_POINT_DONE)
		return; /* the results of earlier processes stay */
	point->invocations++;
	tp_stop_add(&c->invocations[point->point], tp_point_median(latest));
	merge(c, point, latest);
	struct tp_event merged = { .kind = TP_EVENT_POINT_END, .t = event->t, .point = *point };
	pass_own(c, &merged);
}

static void end_point(struct client *c, const struct tp_event *event, const char *line, size_t len)
{
	struct tp_point *point = &c->run->points[event->point.point];
	c->current = NONE;
	if (c->invocation > 0 && point->state == TP_POINT_DONE) {
		end_again(c, point, event);
		return;
	}
	if (c->again) {
		/* The second measurement counts unless it is the less trustworthy one. */
		if (event->point.state == TP_POINT_DONE && event->point.quality <= point->quality)
			pass(c, event, line, len);
		return;
	}
	pass(c, event, line, len);
	/* Experiments that do not repeat points this way count their own processes. */
	if (c->request->plan->items[point->point].experiment->repeated)
		point->invocations = 1;
	if (point->state == TP_POINT_DONE)
		tp_stop_add(&c->invocations[point->point], tp_point_median(point));
}

/* This process reads events while windows run: not on their CPUs. */
static void step_aside(struct client *c, size_t id)
{
	if (!c->request->machine->foreign)
		tp_aside_step(&c->aside, c->run->points[id].cpus);
}

static void handle(struct client *c, const struct tp_event *event, const char *line, size_t len)
{
	if (event->point.point >= c->run->n_points)
		return; /* of no point of this plan */
	switch (event->kind) {
	case TP_EVENT_HELLO:
		c->greeted = true;
		if (event->counter_ghz > 0)
			c->counter_hz = event->counter_ghz * 1e9;
		break;
	case TP_EVENT_POINT_BEGIN:
		c->current = (long)event->point.point;
		step_aside(c, event->point.point);
		break;
	case TP_EVENT_POINT_END:
		end_point(c, event, line, len);
		return;
	case TP_EVENT_DIAG:
		c->status = event->status;
		c->diag = event->diag;
		break;
	case TP_EVENT_DONE:
		c->done_said = true;
		c->wishes.stop |= strcmp(event->state, "interrupted") == 0;
		return; /* the end of one engine is not the end of the run, which tp_engine_run
			   tells */
	default:
		break;
	}
	pass(c, event, line, len);
}

/*
 * Points share buffers, which are as large as the largest point needs. The kernel may have killed
 * the engine for them (its out-of-memory killer sends SIGKILL) while it measured a smaller point:
 * that point gets a second chance with a buffer of its own size.
 */
static bool may_be_buffers(struct client *c, struct tp_process_end end)
{
	const struct tp_planned *p = &c->request->plan->items[c->current];
	bool suspect = end.signal == SIGKILL && !c->frugal && p->buffer_bytes > SUSPECT_BYTES &&
		       p->own_bytes < p->buffer_bytes;
	c->frugal |= suspect;
	return suspect;
}

/* The engine died or hung while it measured a point: that point has failed. */
static void blame_point(struct client *c, struct tp_process_end end, bool hung)
{
	struct tp_point *point = &c->run->points[c->current];
	struct tp_diag diag;
	const char *hint = "the other points are not affected; run this one alone to look closer";
	if (hung)
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine did not answer for %.0f s and was stopped", PATIENCE_SECONDS);
	else if (end.signal == SIGKILL)
		tp_fail(&diag, TP_CRASHED, point->kernel,
			"killed from outside, or out of memory (see dmesg)",
			"the engine was killed while it measured this point");
	else if (end.signal == SIGALRM)
		tp_fail(&diag, TP_CRASHED, point->kernel,
			"is there a loop without an end? an option of the experiment allows more "
			"time",
			"the code of this point did not end in the time that it has");
	else if (end.signal)
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine died of %s while it measured this point",
			strsignal(end.signal));
	else if (end.code == TP_EXIT_MEMORY)
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine ran out of memory while it measured this point");
	else
		tp_fail(&diag, TP_CRASHED, point->kernel, hint,
			"the engine ended (exit %d) while it measured this point", end.code);
	if (point->state == TP_POINT_DONE)
		return; /* a later invocation died; the results of the earlier ones stay */
	point->state = TP_POINT_FAILED;
	point->diag = diag;
	struct tp_event event = { .kind = TP_EVENT_POINT_END, .point = *point };
	pass_own(c, &event);
}

/* Runs one engine over `ids`. Afterwards c->current is the point that was cut short, if any. */
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
		.seconds = c->seconds,
		.n_ids = n
	};
	struct tp_str text = { 0 };
	struct tp_process child;
	double patience = PATIENCE_SECONDS;
	c->current = NONE;
	c->done_said = c->greeted = false;
	c->status = TP_OK;
	for (size_t i = 0; i < n; i++) {
		const struct tp_planned *p = &c->request->plan->items[ids[i]];
		double touch =
			(double)p->buffer_bytes * p->point.threads / SLOWEST_TOUCH_BYTES_PER_SECOND;
		c->seconds[i] = p->point.estimate_seconds;
		patience =
			TP_MAX(patience, PATIENCE_SECONDS + touch + 2 * p->point.estimate_seconds);
	}
	tp_job_write(&job, &text);
	tp_aside_back(&c->aside); /* the engine may use all CPUs */
	enum tp_status status =
		text.oom ? tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory")
			 : tp_child_start(&child, text.s, text.len, c->request->program_output,
					  c->request->program_kept, diag);
	tp_str_release(&text);
	if (status != TP_OK)
		return status;
	if (n)
		step_aside(c, ids[0]);
	c->wishes.told_paused = c->wishes.skip = false;
	enum tp_child_news news;
	char *line;
	size_t len;
	while ((news = tp_child_next(&child, &c->wishes, c->request->stop, patience, &line,
				     &len)) <= TP_CHILD_QUIET) {
		struct tp_event event;
		if (news == TP_CHILD_QUIET) {
			tick(c);
			continue;
		}
		if (tp_event_parse(&event, line, len, NULL) != TP_OK)
			continue; /* an engine of another version, or noise */
		/* Listeners get whole lines; the reader has cut the newline off. */
		tp_str_clear(&c->line);
		tp_str_add_n(&c->line, line, len);
		tp_str_add(&c->line, "\n");
		handle(c, &event, tp_str_text(&c->line), c->line.len);
		if (c->done_said && stopped(c))
			break; /* its memory may take a while to go */
	}
	struct tp_process_end end = tp_child_end(&child);
	if (c->status != TP_OK) {
		*diag = c->diag;
		return c->status;
	}
	bool second_chance = c->current != NONE && !stopped(c) && news != TP_CHILD_HUNG &&
			     may_be_buffers(c, end);
	if (second_chance)
		return TP_OK;
	if (c->current != NONE && !stopped(c))
		blame_point(c, end, news == TP_CHILD_HUNG);
	else if (!c->done_said && !c->greeted && !stopped(c))
		return tp_fail(diag, TP_CRASHED, "engine",
			       "try again; if it happens again, please report it",
			       "the engine ended before it said anything (signal %d, exit %d)",
			       end.signal, end.code);
	return TP_OK;
}

static bool is_known(const struct client *c, size_t id)
{
	return c->request->known && c->request->known[id].state == TP_POINT_DONE;
}

/* Like points that are measured, so that the journal and whoever watches have them, too. */
static void tell_known(struct client *c)
{
	for (size_t i = 0; i < c->run->n_points; i++) {
		if (!is_known(c, i) || c->run->points[i].state != TP_POINT_PLANNED)
			continue;
		const struct tp_point *known = &c->request->known[i];
		struct tp_event event = { .kind = TP_EVENT_POINT_BEGIN,
					  .point = c->request->plan->items[i].point };
		pass_own(c, &event);
		event.kind = TP_EVENT_SAMPLE;
		for (size_t k = 0; k < known->n_samples; k++) {
			event.sample = known->samples[k];
			pass_own(c, &event);
		}
		event.kind = TP_EVENT_POINT_END;
		event.point = *known;
		pass_own(c, &event);
	}
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
		const struct tp_repeated *repeated = planned->experiment->repeated;
		struct tp_stop_rule own;
		if (!repeated || is_known(c, i))
			continue; /* its repetitions are its own, or those of another run */
		repeated->rule(c->request->machine, planned, &own);
		struct tp_stop_rule rule = { .max_samples = (size_t)tp_config_count(
						     planned->config, TP_OPT_INVOCATIONS),
					     .confidence = own.confidence,
					     .error = own.error,
					     .min_count = INVOCATION_MIN,
					     .basis = TP_BASIS_MEAN };
		if (p->state == TP_POINT_DONE && p->invocations == c->invocation &&
		    tp_stop_decide(&c->invocations[i], &rule, 0) == TP_GO_ON)
			ids[n++] = (unsigned)i;
	}
	return n;
}

static void tell_lost(struct client *c, size_t points)
{
	struct tp_event remark = { .kind = TP_EVENT_DIAG };
	tp_fail(&remark.diag, TP_OK, "resume", NULL,
		"%zu point%s measured anew: the record lacks the windows that those of further "
		"processes belong to",
		points, points == 1 ? " is" : "s are");
	pass_own(c, &remark);
}

/* Takes over the finished points of an earlier part of the run. */
static enum tp_status take_earlier(struct client *c)
{
	const struct tp_plan *plan = c->request->plan;
	enum tp_status status = tp_journal_continue(c->journal, c->request->earlier);
	while (c->run->n_points > plan->n)
		tp_point_release(&c->run->points[--c->run->n_points]);
	size_t lost = 0;
	for (size_t i = 0; i < c->run->n_points && status == TP_OK && !stopped(c); i++)
		if (tp_recall_is_possible(&plan->items[i], &c->run->points[i]))
			status = tp_recall_invocations(c->request->machine, &plan->items[i],
						       &c->run->points[i], &c->invocations[i]);
		else if (tp_recall_is_needed(&plan->items[i], &c->run->points[i])) {
			lost++;
			status = tp_recall_forget(c->run, &plan->items[i]);
		}
	if (lost)
		tell_lost(c, lost);
	return status;
}

static enum tp_status prepare(struct client *c, struct tp_diag *diag)
{
	const struct tp_plan *plan = c->request->plan;
	c->journal = tp_journal_new(c->run);
	c->invocations = calloc(plan->n + 1, sizeof(*c->invocations));
	if (!c->journal || !c->invocations ||
	    tp_vec_reserve((void **)&c->run->points, &c->run->cap_points, plan->n + 1,
			   sizeof(*c->run->points)) != TP_OK)
		return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	for (size_t i = 0; i < plan->n; i++) {
		c->run->points[i] = (struct tp_point){ 0 };
		if (tp_point_take(&c->run->points[i], &plan->items[i].point, &c->run->arena) !=
		    TP_OK)
			return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	}
	c->run->n_points = plan->n;
	if (c->request->earlier && take_earlier(c) != TP_OK)
		return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	return TP_OK;
}

/* Results that cannot be are measured once more, which tells a disturbance from a surprise. */
static enum tp_status measure_again(struct client *c, unsigned *ids, struct tp_diag *diag)
{
	bool *again = calloc(c->run->n_points + 1, sizeof(*again));
	struct tp_event remark = { .kind = TP_EVENT_DIAG };
	size_t n = 0;
	if (!again)
		return tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	enum tp_status status =
		tp_plan_doubts(c->request->plan, c->request->machine, c->run, again);
	/* Points of several processes have been measured again already. */
	for (size_t i = 0; i < c->run->n_points; i++)
		if (again[i] && !is_known(c, i) && c->run->points[i].state == TP_POINT_DONE &&
		    c->run->points[i].invocations <= 1 &&
		    tp_config_count(c->request->plan->items[i].config, TP_OPT_MEASURE_AGAIN))
			ids[n++] = (unsigned)i;
	free(again);
	if (status != TP_OK || !n)
		return status;
	tp_fail(&remark.diag, TP_OK, "measured again", NULL,
		"%zu point%s with results that contradict others", n, n == 1 ? "" : "s");
	pass_own(c, &remark);
	c->invocation = 0;
	c->again = true;
	run_job(c, ids, n, diag); /* if it fails, the first results stay */
	return TP_OK;
}

/* The points that were not measured. */
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
		.request = request, .run = run, .current = NONE, .wishes.fd = request->control_fd
	};
	unsigned *ids = calloc(request->plan->n + 1, sizeof(*ids));
	c.seconds = calloc(request->plan->n + 1, sizeof(*c.seconds));
	enum tp_status status = prepare(&c, diag);
	if (!ids || !c.seconds)
		status = tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
	if (status != TP_OK)
		goto out;
	struct tp_event plan = { .kind = TP_EVENT_PLAN,
				 .n_points = (unsigned)request->plan->n,
				 .estimate_seconds = request->plan->estimate_seconds };
	pass_own(&c, &plan);
	tell_known(&c);
	uint64_t most = 1;
	for (size_t i = 0; i < request->n_configs; i++)
		most = TP_MAX(most, tp_config_count(&request->configs[i], TP_OPT_INVOCATIONS));
	for (; c.invocation < most && status == TP_OK && !stopped(&c); c.invocation++) {
		size_t n;
		/* When an engine has died, a fresh one goes on with the points that are left. */
		while (status == TP_OK && !stopped(&c) && (n = pending(&c, ids)) > 0) {
			long before = (long)n;
			bool was_frugal = c.frugal;
			status = run_job(&c, ids, n, diag);
			if (status == TP_OK && c.invocation > 0)
				break; /* a later invocation that failed changes nothing */
			if (status == TP_OK && !stopped(&c) && c.frugal == was_frugal &&
			    (long)pending(&c, ids) == before)
				status = tp_fail(diag, TP_CRASHED, "engine", NULL,
						 "the engine measured nothing");
		}
	}
	if (status == TP_OK && !stopped(&c))
		status = measure_again(&c, ids, diag);
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
	pass_own(&c, &done);
	tp_journal_end(c.journal);
out:
	tp_aside_back(&c.aside);
	tp_journal_free(c.journal);
	tp_lines_release(&c.wishes.lines);
	for (size_t i = 0; c.invocations && i < request->plan->n; i++)
		tp_stop_release(&c.invocations[i]);
	free(c.invocations);
	free(ids);
	free(c.seconds);
	tp_str_release(&c.line);
	return status;
}
