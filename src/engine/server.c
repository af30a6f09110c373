/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child: takes a job, measures, sends events. Nothing is sent or read inside a window. */
#include "engine/engine.h"
#include "engine/job.h"
#include "experiment/bench.h"
#include "kernels/arch.h"
#include "machine/knobs.h"
#include "base/file.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often, between windows, events go out and commands are looked for. */
#define SEND_SECONDS   0.25
#define LISTEN_SECONDS 0.01
/* The plan counts as much as so many seconds of measuring. */
#define PACE_SECONDS 0.5
/* How long a screen may paint before measuring goes on without it. */
#define PAINT_SECONDS 0.06

enum { SEND_BYTES = 1 << 18, EXIT_PARENT_GONE = 1 };

struct server {
	int fd;
	double started, sent, listened; /* `sent`: the last progress, and with it all that waited */
	struct tp_str out; /* events waiting to be sent */
	struct tp_str heard; /* the beginning of a command whose end has not come */
	struct tp_job job;
	struct tp_plan plan;
	const struct tp_planned *current;
	unsigned n_done;
	double done_estimate, job_estimate; /* planned seconds of finished points and of all */
	double done_seconds, begun; /* what the finished ones took; when the present one began */
	bool cancelled;
	bool skip, paused, painted; /* wishes of whoever watches */
	unsigned cpus_allowed;
};

static bool send_all(struct server *s)
{
	if (!tp_write_all(s->fd, s->out.s, s->out.len))
		return false;
	tp_str_clear(&s->out);
	return true;
}

static void emit(struct server *s, struct tp_event *event)
{
	event->t = tp_now_seconds() - s->started;
	if (tp_event_write(event, &s->out) != TP_OK || s->out.len > SEND_BYTES)
		s->cancelled |= !send_all(s);
}

static void obey(struct server *s, const char *word)
{
	s->cancelled |= strcmp(word, "cancel") == 0;
	s->skip |= strcmp(word, "skip") == 0 && s->current;
	s->painted |= strcmp(word, "painted") == 0;
	if (strcmp(word, "pause") == 0)
		s->paused = true;
	if (strcmp(word, "go") == 0)
		s->paused = false;
}

/* The parent's commands, a line each. A closed socket means that nobody listens any more. */
static void listen_briefly(struct server *s)
{
	char text[256];
	ssize_t n;
	while ((n = recv(s->fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
		tp_str_add_n(&s->heard, text, (size_t)n);
	s->cancelled |= n == 0;
	size_t at = 0;
	for (char *end;
	     s->heard.len > at && (end = memchr(s->heard.s + at, '\n', s->heard.len - at));
	     at = (size_t)(end - s->heard.s) + 1) {
		*end = '\0';
		obey(s, s->heard.s + at);
	}
	if (at) {
		memmove(s->heard.s, s->heard.s + at, s->heard.len - at);
		s->heard.len -= at;
	}
	s->listened = tp_now_seconds();
}

static void emit_progress(struct server *s)
{
	double now = tp_now_seconds(), elapsed = now - s->started;
	/* Correct the plan by what the finished points really took; short ones say little of long ones. */
	double pace = (s->done_seconds + PACE_SECONDS) / (s->done_estimate + PACE_SECONDS);
	double here = s->current ? s->current->point.estimate_seconds * pace : 0;
	struct tp_event e = { .kind = TP_EVENT_PROGRESS,
			      .n_points = (unsigned)s->job.n_ids,
			      .n_done = s->n_done,
			      .elapsed_seconds = elapsed,
			      .remaining_seconds =
				      fmax(0, (s->job_estimate - s->done_estimate) * pace -
						      fmin(here, now - s->begun)),
			      .point = s->current ? s->current->point : (struct tp_point){ 0 } };
	emit(s, &e);
}

/* Waits for words for at most so long. */
static void wait_for_words(struct server *s, double seconds)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	if (poll(&p, 1, (int)(seconds * 1000)) != 0)
		listen_briefly(s);
}

/* Where every CPU is measured, whoever paints takes one of them: it is done before the next window begins. A screen paints on progress. */
static void let_paint(struct server *s)
{
	if (!s->job.watched || !s->current || s->current->point.threads < s->cpus_allowed)
		return;
	double until = tp_now_seconds() + PAINT_SECONDS, left;
	s->painted = false;
	while (!s->painted && !s->cancelled && (left = until - tp_now_seconds()) > 0)
		wait_for_words(s, left);
}

static bool go_on(void *context)
{
	struct server *s = context;
	double now = tp_now_seconds();
	if (now - s->listened > LISTEN_SECONDS)
		listen_briefly(s);
	if (now - s->sent > SEND_SECONDS) {
		s->sent = now;
		emit_progress(s);
		s->cancelled |= !send_all(s);
		let_paint(s);
	}
	return !s->cancelled && !s->skip;
}

static bool on_sample(void *context, const struct tp_sample *sample)
{
	struct server *s = context;
	struct tp_event e = { .kind = TP_EVENT_SAMPLE, .sample = *sample };
	e.point.point = s->current->point.point;
	emit(s, &e);
	return true;
}

static bool on_counts(void *context, const struct tp_counts *counts)
{
	struct server *s = context;
	struct tp_event e = { .kind = TP_EVENT_COUNTS, .counts = *counts };
	e.point.point = s->current->point.point;
	emit(s, &e);
	return true;
}

static bool on_trial(void *context, const struct tp_trial *trial)
{
	struct server *s = context;
	struct tp_event e = { .kind = TP_EVENT_TRIAL, .trial = *trial };
	e.point.point = s->current->point.point;
	emit(s, &e);
	return !s->cancelled;
}

static void emit_failure(struct server *s, enum tp_status status, const struct tp_diag *diag)
{
	struct tp_event e = { .kind = TP_EVENT_DIAG, .status = status, .diag = *diag };
	emit(s, &e);
}

static void on_note(void *context, const struct tp_diag *note)
{
	emit_failure(context, TP_OK, note);
}

/* Reads up to the end line of the job. What follows are words already: the parent need not wait for anything. */
static enum tp_status read_job(struct server *s, struct tp_diag *diag)
{
	struct tp_str text = { 0 };
	char buffer[65536];
	const char *end = "\n" TP_JOB_END "\n";
	size_t n_end = strlen(end);
	enum tp_status status = TP_OK;
	const char *found = NULL;
	while (!found) {
		ssize_t n = read(s->fd, buffer, sizeof(buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			status = tp_fail(diag, TP_IO, "engine", "this option is for tprof itself",
					 "no job arrived");
			goto out;
		}
		tp_str_add_n(&text, buffer, (size_t)n);
		if (text.oom) {
			status = tp_fail(diag, TP_NOMEM, "engine", NULL, "out of memory");
			goto out;
		}
		size_t fresh = TP_MIN(text.len, (size_t)n + n_end);
		found = memmem(text.s + text.len - fresh, fresh, end, n_end);
	}
	size_t len = (size_t)(found - text.s) + n_end;
	tp_str_add_n(&s->heard, text.s + len, text.len - len);
	text.s[len] = '\0';
	status = tp_job_parse(&s->job, text.s, diag);
out:
	tp_str_release(&text);
	return status;
}

static void run_points(struct server *s, struct tp_bench *bench)
{
	for (size_t i = 0; i < s->job.n_ids; i++)
		if (s->job.ids[i] < s->plan.n)
			s->job_estimate += s->plan.items[s->job.ids[i]].point.estimate_seconds;
	for (size_t i = 0; i < s->job.n_ids && !s->cancelled; i++) {
		if (s->job.ids[i] >= s->plan.n)
			continue;
		listen_briefly(s);
		if (s->paused)
			s->cancelled |= !send_all(s);
		while (s->paused && !s->cancelled)
			wait_for_words(s, 1);
		if (s->cancelled)
			break;
		s->current = &s->plan.items[s->job.ids[i]];
		s->begun = tp_now_seconds();
		s->skip = false;
		struct tp_event begin = { .kind = TP_EVENT_POINT_BEGIN,
					  .point = s->current->point };
		emit(s, &begin);
		s->cancelled |= !send_all(s); /* so that a crash is laid at the right door */

		struct tp_diag diag = { 0 };
		struct tp_event end = { .kind = TP_EVENT_POINT_END };
		enum tp_status status =
			s->current->experiment->run(bench, s->current, &end.point, &diag);
		bool skipped = status == TP_CANCELLED && s->skip && !s->cancelled;
		if (skipped)
			tp_fail(&end.point.diag, TP_CANCELLED, end.point.kernel, NULL,
				"skipped by hand");
		s->cancelled |= status == TP_CANCELLED && !skipped;
		s->n_done++;
		s->done_estimate += s->current->point.estimate_seconds;
		s->done_seconds += tp_now_seconds() - s->begun;
		emit(s, &end);
		s->cancelled |= !send_all(s);
		tp_point_release(&end.point);
	}
}

/* Before there are threads, which inherit both. What is refused is told and does without. */
static void set_process_knobs(const struct server *s, struct tp_diags *refused)
{
	const struct tp_config *config = &s->job.configs[0];
	struct tp_diag diag;
	if (tp_scheduler_set(tp_knobs_sysroot(), tp_config_text(config, TP_OPT_KNOBS_SCHEDULER),
			     &diag) != TP_OK)
		tp_diags_add(refused, &diag);
	if (tp_priority_set(tp_config_text(config, TP_OPT_KNOBS_PRIORITY), &diag) != TP_OK)
		tp_diags_add(refused, &diag);
}

static enum tp_status serve(struct server *s, struct tp_diag *diag)
{
	struct tp_machine machine = { 0 };
	struct tp_bench bench = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_cpu cpu;
	enum tp_status status = read_job(s, diag);
	if (status != TP_OK)
		return status;
	tp_arch_identify(&cpu);
	status = tp_machine_for_config(&machine, &cpu, &s->job.configs[0], diag);
	if (status != TP_OK)
		return status;
	machine.available_bytes = s->job.available_bytes;
	s->cpus_allowed = (unsigned)machine.n_allowed;
	status = tp_plan_make(&s->plan, &machine, &cpu, s->job.configs, s->job.n_configs, &diags);
	if (status != TP_OK && diags.n)
		*diag = diags.items[0];
	struct tp_diags refused = { 0 };
	if (status == TP_OK)
		set_process_knobs(s, &refused);
	struct tp_watch watch = { .context = s,
				  .sample = on_sample,
				  .go_on = go_on,
				  .counts = on_counts,
				  .trial = on_trial,
				  .note = on_note };
	if (status == TP_OK)
		status = tp_bench_init(&bench, &machine, &cpu, s->job.counter_hz, &watch, diag);
	if (status == TP_OK) {
		bench.invocation = s->job.invocation;
		bench.frugal = s->job.frugal;
		struct tp_event hello = { .kind = TP_EVENT_HELLO,
					  .pid = getpid(),
					  .version = PACKAGE_VERSION,
					  .counter_ghz =
						  bench.clock.counter ? bench.clock.hz * 1e-9 : 0,
					  .invocation = s->job.invocation };
		emit(s, &hello);
		for (size_t i = 0; i < refused.n; i++)
			emit_failure(s, TP_OK, &refused.items[i]);
		run_points(s, &bench);
	}
	tp_bench_release(&bench);
	tp_machine_release(&machine);
	tp_diags_release(&diags);
	tp_diags_release(&refused);
	return status;
}

int tp_engine_main(void)
{
	struct server s = { .fd = TP_ENGINE_FD };
	struct tp_diag diag = { 0 };
	int type;
	socklen_t length = sizeof(type);
	if (getsockopt(s.fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) {
		fprintf(stderr, "tprof: --engine is for tprof itself; see tprof --help\n");
		return TP_EXIT_USAGE;
	}
	fcntl(s.fd, F_SETFD, FD_CLOEXEC);
	s.started = s.sent = s.listened = tp_now_seconds();
	enum tp_status status = serve(&s, &diag);
	if (status != TP_OK)
		emit_failure(&s, status, &diag);
	struct tp_event done = { .kind = TP_EVENT_DONE };
	tp_copy(done.state, sizeof(done.state),
		status != TP_OK ? "failed"
		: s.cancelled	? "cancelled"
				: "complete");
	emit(&s, &done);
	bool heard = send_all(&s);
	tp_plan_release(&s.plan);
	tp_arena_release(&s.job.arena);
	tp_str_release(&s.out);
	tp_str_release(&s.heard);
	return !heard ? EXIT_PARENT_GONE : status == TP_OK ? TP_EXIT_OK : TP_EXIT_FAILED;
}
