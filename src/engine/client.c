/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parent's side of the engine: starts engines until every point is done, failed or skipped, and
 * merges invocations.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/process.h"
#include "base/suspend.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "experiments/experiment.h"
#include "machine/place.h"
#include "measure/stop.h"
#include "record/run.h"

/* The source of requests (see control_fd of tp_engine_request), and their state. */
struct control {
	int fd; /* -1 = none, or ended */
	struct tp_lines lines;
	struct tp_wishes own, *wishes;
	bool told_paused; /* the engine's state; false for a new one */
	bool was_paused;
	double paused_at,
		paused_seconds; /* when it began; of all pauses that are over, and of Ctrl-Z */
};

enum tp_child_news { TP_CHILD_LINE, TP_CHILD_QUIET, TP_CHILD_GONE, TP_CHILD_HUNG };

/*
 * Cancel: "stop after this window", with a SIGTERM, at which every long loop of the engine gives
 * up. An engine that is inside a long window, or does not run, gets SIGKILL: an unfinished point is
 * not kept, and the user waits.
 */
#define KILL_AFTER_SECONDS 0.15

/*
 * A run that takes much longer than was announced begins no further point: memory that the host
 * has to find first, and neighbours, can make a run of seconds one of minutes.
 */
#define LATE_FACTOR  3
#define LATE_SECONDS 10

/* An engine that has finished releases its memory and ends. */
#define END_SECONDS 4.0

/* Long: each wake-up may take the CPU from a window. Signals and lines end the wait. */
enum { POLL_MS = 250, ASKED_POLL_MS = 20, WISH_BYTES = 31 };

/* Descriptor numbers unused in the child: inherited ones are closed by then. */
static void lend_streams(int output)
{
	if (output < 0) {
		close(TP_STREAM_INPUT_FD);
		close(TP_STREAM_OUTPUT_FD);
		return;
	}
	output = fcntl(output, F_DUPFD_CLOEXEC, TP_STREAM_OUTPUT_FD + 1);
	dup2(STDIN_FILENO, TP_STREAM_INPUT_FD);
	dup2(output, TP_STREAM_OUTPUT_FD);
}

/* Descriptors of tp_engine_request. */
struct lent {
	int output, kept;
};

static int take_socket(int socket, const void *context)
{
	const struct lent *lent = context;
	int kept = lent->kept < 0 ? -1 : fcntl(lent->kept, F_DUPFD_CLOEXEC, TP_STREAM_KEPT_FD + 1);
	/* The streams take the numbers after its own. */
	if (socket != TP_ENGINE_FD)
		dup2(socket, TP_ENGINE_FD);
	lend_streams(lent->output);
	if (kept >= 0)
		dup2(kept, TP_STREAM_KEPT_FD);
	else
		close(TP_STREAM_KEPT_FD);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (socket == TP_ENGINE_FD)
		fcntl(socket, F_SETFD, 0);
	return 0;
}

static struct tp_process_end child_end(struct tp_process *child)
{
	if (child->asked_at <= 0)
		return tp_process_end(child, END_SECONDS);
	kill(-child->pid, SIGKILL); /* with what it has started */
	tp_process_leave(child);
	return (struct tp_process_end){ 0 };
}

/*
 * Starts an engine and gives it its job. `program_output` and `program_kept`: see
 * tp_engine_request.
 */
static enum tp_status child_start(struct tp_process *child, const char *job, size_t len,
				  int program_output, int program_kept, struct tp_diag *diag)
{
	const struct lent lent = { program_output, program_kept };
	char *const arguments[] = { "tprof", "--engine", NULL };
	const struct tp_self_child engine = { .where = "engine",
					      .name = "the engine",
					      .arguments = arguments,
					      .prepare = take_socket,
					      .context = &lent };
	enum tp_status status = tp_process_start(child, &engine, diag);
	if (status != TP_OK || tp_write_all(child->fd, job, len))
		return status;
	child_end(child);
	return tp_fail(diag, TP_CRASHED, "engine", NULL, "the engine ended before it had its job");
}

/* True once it was killed: it sends nothing more. */
static bool ask_to_stop(struct tp_process *child)
{
	bool first = child->asked_at <= 0;
	double since = tp_process_ask(child, "cancel\n");
	if (first)
		kill(child->pid, SIGTERM);
	else if (since > KILL_AFTER_SECONDS)
		kill(child->pid, SIGKILL);
	return since > KILL_AFTER_SECONDS;
}

/* Never waits: an engine that does not listen must not keep this process from hearing it. */
static bool send_line(const struct tp_process *child, const char *line)
{
	return send(child->fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

static void hear_wishes(struct control *control)
{
	struct tp_wishes *wishes = control->wishes;
	control->lines.limit = WISH_BYTES;
	ssize_t n = tp_lines_read(&control->lines, control->fd);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		control->fd = -1;
		wishes->stop = true;
		return;
	}
	for (const char *word; (word = tp_lines_next(&control->lines, NULL));) {
		wishes->stop |= strcmp(word, "stop") == 0;
		wishes->skip |= strcmp(word, "skip") == 0;
		wishes->painted |= strcmp(word, "painted") == 0;
		if (strcmp(word, "pause") == 0)
			wishes->paused = true;
		if (strcmp(word, "go") == 0)
			wishes->paused = false;
	}
}

/* Passes the requests on. While the engine does not listen, they wait for the next call. */
static void tell_wishes(const struct tp_process *child, struct control *control)
{
	struct tp_wishes *wishes = control->wishes;
	if (wishes->skip && send_line(child, "skip\n"))
		wishes->skip = false;
	if (wishes->painted && send_line(child, "painted\n"))
		wishes->painted = false;
	if (wishes->paused != control->told_paused &&
	    send_line(child, wishes->paused ? "pause\n" : "go\n"))
		control->told_paused = wishes->paused;
	if (wishes->paused && !control->was_paused)
		control->paused_at = tp_now_seconds();
	if (!wishes->paused && control->was_paused)
		control->paused_seconds += tp_now_seconds() - control->paused_at;
	control->was_paused = wishes->paused;
}

/*
 * Waits for the next line (see tp_lines_next) and obeys commands while waiting. The command to
 * stop, or a set *stop, asks the child to cancel; if it does not obey in time, it is terminated,
 * then killed. QUIET: nothing came for a while. HUNG: the child was silent for `patience_seconds`
 * and has been killed.
 */
static enum tp_child_news child_next(struct tp_process *child, struct control *control,
				     const struct tp_engine_request *request,
				     double patience_seconds, char **line, size_t *len)
{
	const struct tp_engine_sink *sink = request->sink;
	while (!(*line = tp_lines_next(&child->lines, len))) {
		double suspended = tp_suspend_with(child->pid), now = tp_now_seconds();
		control->paused_seconds += suspended;
		bool killed = ((request->stop && *request->stop) || control->wishes->stop) &&
			      ask_to_stop(child);
		tell_wishes(child, control);
		if (suspended > 0 || control->wishes->paused)
			child->heard_at = now;
		if (now - child->heard_at > patience_seconds) {
			kill(child->pid, SIGKILL);
			return TP_CHILD_HUNG;
		}
		struct pollfd p[] = { { .fd = child->fd, .events = POLLIN },
				      { .fd = control->fd, .events = POLLIN } };
		int wait_ms = killed ? 0 : child->asked_at > 0 ? ASKED_POLL_MS : POLL_MS;
		if (sink && sink->wait) {
			sink->wait(sink->context, child->fd, wait_ms);
			wait_ms = 0;
		}
		if (poll(p, 2, wait_ms) <= 0) {
			return killed ? TP_CHILD_GONE : TP_CHILD_QUIET;
		}
		if (p[1].revents)
			hear_wishes(control);
		if (!p[0].revents)
			continue;
		if (tp_lines_read(&child->lines, child->fd) <= 0)
			return TP_CHILD_GONE;
		child->heard_at = tp_now_seconds();
	}
	return TP_CHILD_LINE;
}

/* True if the plan requires several processes for that finished point. */
static bool recall_is_needed(const struct tp_planned *planned, const struct tp_point *point)
{
	return point->state == TP_POINT_DONE && planned->experiment->repeated &&
	       tp_config_count(planned->config, TP_OPT_INVOCATIONS) > 1;
}

/* True if so, and what the earlier ones measured is there or enough. */
static bool recall_is_possible(const struct tp_planned *planned, const struct tp_point *point)
{
	/* Results may stand without their windows, where these made run.json too long. */
	return recall_is_needed(planned, point) &&
	       (point->n_samples ||
		point->invocations >= tp_config_count(planned->config, TP_OPT_INVOCATIONS));
}

/*
 * Finds the medians of the point's invocations from its windows, so that their stop rule goes on
 * where it was.
 */
static void recall_invocations(const struct tp_machine *machine, const struct tp_planned *planned,
			       const struct tp_point *point, struct tp_stop_state *medians)
{
	const struct tp_repeated *repeated = planned->experiment->repeated;
	size_t n = TP_MIN(point->invocations, (unsigned)TP_RUN_INVOCATIONS_MAX);
	TP_FREE struct tp_sample *samples = tp_alloc(point->n_samples + 1, sizeof(*samples));
	TP_FREE size_t *from = tp_alloc(n + 2, sizeof(*from)); /* where each invocation begins */
	union tp_row_room room;
	struct tp_point one = *point;

	/* Counted, then appended to those of earlier invocations. */
	for (size_t i = 0; i < point->n_samples; i++)
		if (point->samples[i].invocation < n)
			from[point->samples[i].invocation + 2]++;
	for (size_t k = 2; k < n + 2; k++)
		from[k] += from[k - 1];
	for (size_t i = 0; i < point->n_samples; i++)
		if (point->samples[i].invocation < n)
			samples[from[point->samples[i].invocation + 1]++] = point->samples[i];
	one.row = memcpy(&room, point->row, point->kind->table->row_bytes);
	for (size_t k = 0; k < n; k++) {
		one.samples = samples + from[k];
		one.n_samples = from[k + 1] - from[k];
		if (one.n_samples && repeated->summarise(machine, planned, &one, NULL) == TP_OK)
			tp_stop_add(medians, tp_point_median(&one));
	}
}

/*
 * An engine hangs if it is silent for this long, and for the time that the first touch of its
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
	bool greeted; /* some engine sent hello */
	double started; /* when its first point began; 0 = not yet */
	struct control control;
	bool frugal; /* buffers only as large as each point needs */
	bool done_said;
	bool *improves; /* points that another run gave, and that are to be measured, too */
	enum tp_status status; /* of the last job */
	struct tp_diag diag;
	double *seconds; /* that the points of a job are estimated to take */
	struct tp_str line;
	struct tp_str answer; /* TP_JOB_WITHOUT that the engine waits for; empty = it does not */
	struct tp_aside aside;
};

static bool stopped(const struct client *c)
{
	return c->control.wishes->stop || (c->request->stop && *c->request->stop);
}

/* An event goes into the run, then to the listener. */
static void pass_event(struct client *c, const struct tp_event *event, const char *line, size_t len)
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
	tp_event_write(event, &c->line);
	pass_event(c, event, tp_str_text(&c->line), c->line.len);
}

/*
 * Makes one point of all invocations: statistics over all kept windows, the interval over the
 * medians of the invocations.
 */
static void merge_invocations(struct client *c, struct tp_point *point,
			      const struct tp_point *latest)
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

/* Takes points out of the plan that nothing needs; their ids are the engine's answer. */
static void leave_unneeded(struct client *c)
{
	tp_str_clear(&c->answer);
	tp_str_add(&c->answer, TP_JOB_WITHOUT);
	for (size_t i = 0; i < c->run->n_points; i++) {
		const struct tp_planned *planned = &c->request->plan->items[i];
		struct tp_event end = { .kind = TP_EVENT_POINT_END, .point = planned->point };
		const bool is_planned = c->run->points[i].state == TP_POINT_PLANNED;
		if ((!is_planned && !c->improves[i]) || !planned->experiment->unneeded ||
		    !planned->experiment->unneeded(c->run, planned, &end.point.diag))
			continue;
		tp_str_printf(&c->answer, " %zu", i);
		c->improves[i] = false;
		end.point.state = TP_POINT_UNNEEDED;
		if (is_planned)
			pass_own(c, &end);
	}
	tp_str_add(&c->answer, "\n");
}

/* A later invocation could not measure: the results of earlier ones stay, and the run ends. */
static void lose_invocation(struct client *c, const struct tp_diag *diag)
{
	if (c->invocation == 0 || c->status != TP_OK)
		return;
	c->status = TP_FAILED;
	c->diag = *diag;
}

static void end_point(struct client *c, const struct tp_event *event, const char *line, size_t len)
{
	struct tp_point *point = &c->run->points[event->point.point];
	c->current = NONE;
	if (c->invocation > 0 && point->state == TP_POINT_DONE) {
		const struct tp_point *latest = &event->point;

		/* A later invocation has ended: its samples join the others, and one event reports
		 * both. */
		if (latest->state == TP_POINT_DONE) {
			/* the results of earlier processes stay */
			point->invocations++;
			tp_stop_add(&c->invocations[point->point], tp_point_median(latest));
			merge_invocations(c, point, latest);
			struct tp_event merged = { .kind = TP_EVENT_POINT_END,
						   .t = event->t,
						   .point = *point };
			pass_own(c, &merged);
		} else if (latest->state == TP_POINT_FAILED) {
			lose_invocation(c, &latest->diag);
		}
		return;
	}
	if (point->state == TP_POINT_DONE) {
		/* The second measurement counts unless it is the less trustworthy one. */
		if (event->point.state == TP_POINT_DONE && event->point.quality <= point->quality)
			pass_event(c, event, line, len);
		return;
	}
	pass_event(c, event, line, len);
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

static void take_event(struct client *c, const struct tp_event *event, const char *line, size_t len)
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
		if (!(c->started > 0))
			c->started = tp_now_seconds() - c->control.paused_seconds;
		c->current = (long)event->point.point;
		c->improves[c->current] = false;
		step_aside(c, event->point.point);
		break;
	case TP_EVENT_POINT_END:
		end_point(c, event, line, len);
		if (c->request->plan->items[event->point.point].experiment->unneeded)
			leave_unneeded(c);
		return;
	case TP_EVENT_DIAG:
		c->status = event->status;
		c->diag = event->diag;
		break;
	case TP_EVENT_DONE:
		c->done_said = true;
		c->control.wishes->stop |= strcmp(event->state, "interrupted") == 0;
		return; /* tp_engine_run sends the end of the run, not each engine */
	default:
		break;
	}
	pass_event(c, event, line, len);
}

/*
 * Points share buffers, which are as large as the largest point needs. The kernel may have killed
 * the engine for them (its out-of-memory killer sends SIGKILL) while it measured a smaller point:
 * that point gets a second chance with a buffer of exactly its size.
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
	const char *hint = "the other points are not affected; run only this one to look closer";
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
	if (point->state == TP_POINT_DONE) {
		lose_invocation(c, &diag);
		return;
	}
	point->state = TP_POINT_FAILED;
	point->diag = diag;
	struct tp_event event = { .kind = TP_EVENT_POINT_END, .point = *point };
	pass_own(c, &event);
}

/* How long a run may take until its last point begins; 0 = no limit. */
static double run_limit(const struct tp_engine_request *request)
{
	const struct tp_value *v = tp_config_value(&request->configs[0], TP_OPT_STOP_RUN_TIME);
	const char *word = v->items[0].text;
	if (strcmp(word, "off") == 0 || *request->machine->simulated)
		return 0;
	bool is_auto = strcmp(word, "auto") == 0;
	for (size_t i = 0; is_auto && i < request->plan->n; i++)
		if (!request->plan->items[i].experiment->is_predictable)
			return 0;
	if (is_auto)
		return LATE_FACTOR * request->plan->estimate_seconds + LATE_SECONDS;
	return v->items[0].real;
}

/* Since the first point began, without pauses. */
static double taken_seconds(const struct client *c)
{
	return c->started > 0 ? tp_now_seconds() - c->started - c->control.paused_seconds : 0;
}

static bool is_late(const struct client *c)
{
	double limit = run_limit(c->request);
	return limit > 0 && taken_seconds(c) >= limit;
}

/* Runs one engine over `ids`. Afterwards c->current is the point that was cut short, if any. */
static enum tp_status run_job(struct client *c, unsigned *ids, size_t n, struct tp_diag *diag)
{
	const double limit = run_limit(c->request);
	struct tp_job job = {
		.counter_hz = c->counter_hz,
		.available_bytes = c->request->machine->available_bytes,
		.invocation = c->invocation,
		.frugal = c->frugal,
		.limit_seconds = limit > 0 ? fmax(limit - taken_seconds(c), 1e-3) : 0,
		.watched = c->request->watched,
		.configs = (struct tp_config *)(uintptr_t)c->request->configs, /* only read */
		.n_configs = c->request->n_configs,
		.ids = ids,
		.seconds = c->seconds,
		.n_ids = n
	};
	TP_STR text = { 0 };
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
	enum tp_status status = child_start(&child, text.s, text.len, c->request->program_output,
					    c->request->program_kept, diag);
	if (status != TP_OK)
		return status;
	if (n)
		step_aside(c, ids[0]);
	c->control.told_paused = c->control.wishes->skip = false;
	enum tp_child_news news;
	char *line;
	size_t len;
	while ((news = child_next(&child, &c->control, c->request, patience, &line, &len)) <=
	       TP_CHILD_QUIET) {
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
		take_event(c, &event, tp_str_text(&c->line), c->line.len);
		if (c->answer.len)
			tp_write_all(child.fd, tp_str_text(&c->answer), c->answer.len);
		tp_str_clear(&c->answer);
		if (c->done_said && stopped(c))
			break; /* its memory may take a while to go */
	}
	tp_suspend_with(0);
	struct tp_process_end end = child_end(&child);
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
			       "the engine ended before its first event (signal %d, exit %d)",
			       end.signal, end.code);
	if (c->status != TP_OK)
		*diag = c->diag;
	return c->status;
}

static bool is_known(const struct client *c, size_t id)
{
	return c->request->known && c->request->known[id].state == TP_POINT_DONE;
}

/* Sent like measured points, so that the journal and watchers have them, too. */
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
		c->improves[i] = c->request->improves_known && !tp_point_teaches(known);
	}
}

/* Points that still need this invocation, in their order; then those that are improved. */
static size_t find_pending(const struct client *c, unsigned *ids)
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
			continue; /* its repetitions are its own, or another run's */
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
	tp_plan_order(c->request->plan, ids, n);
	for (size_t i = 0; i < c->run->n_points && c->invocation == 0; i++)
		if (c->improves[i])
			ids[n++] = (unsigned)i;
	return n;
}

/* Takes over the finished points of an earlier part of the run. */
static void take_earlier(struct client *c)
{
	const struct tp_plan *plan = c->request->plan;
	size_t lost = 0;
	tp_journal_continue(c->journal, c->request->earlier);
	while (c->run->n_points > plan->n)
		tp_point_release(&c->run->points[--c->run->n_points]);
	for (size_t i = 0; i < c->run->n_points && !stopped(c); i++)
		if (recall_is_possible(&plan->items[i], &c->run->points[i])) {
			recall_invocations(c->request->machine, &plan->items[i], &c->run->points[i],
					   &c->invocations[i]);
		} else if (recall_is_needed(&plan->items[i], &c->run->points[i])) {
			lost++;
			/* The point is no more than planned, and is measured from its first process
			 * on. */
			struct tp_point *point = &c->run->points[plan->items[i].point.point];
			tp_point_release(point);
			*point = (struct tp_point){ 0 };
			tp_run_forget(c->run, plan->items[i].point.point);
			tp_point_take(point, &plan->items[i].point, &c->run->arena);
		}
	if (lost) {
		struct tp_event remark = { .kind = TP_EVENT_DIAG };

		tp_fail(&remark.diag, TP_OK, "resume", NULL,
			"%zu point%s measured again: the record lacks the windows of their first "
			"process",
			lost, lost == 1 ? " is" : "s are");
		pass_own(c, &remark);
	}
}

static void prepare_run(struct client *c)
{
	const struct tp_plan *plan = c->request->plan;
	c->seconds = tp_alloc(plan->n + 1, sizeof(*c->seconds));
	c->journal = tp_journal_new(c->run);
	c->invocations = tp_alloc(plan->n + 1, sizeof(*c->invocations));
	c->improves = tp_alloc(plan->n + 1, sizeof(*c->improves));
	tp_plan_points(plan, c->run);
	if (c->request->earlier)
		take_earlier(c);
}

/* Impossible results are measured once more, to separate disturbances from surprises. */
static void measure_again(struct client *c, unsigned *ids, struct tp_diag *diag)
{
	TP_FREE unsigned char *again = tp_alloc(c->run->n_points + 1, sizeof(*again));
	struct tp_event remark = { .kind = TP_EVENT_DIAG };
	size_t n = 0, odd = 0;
	tp_plan_doubts(c->request->plan, c->request->machine, c->run, again);
	/* Points of several processes have been measured again already. */
	for (size_t i = 0; i < c->run->n_points; i++)
		if (again[i] && !is_known(c, i) && c->run->points[i].state == TP_POINT_DONE &&
		    c->run->points[i].invocations <= 1 &&
		    tp_config_count(c->request->plan->items[i].config, TP_OPT_MEASURE_AGAIN)) {
			ids[n++] = (unsigned)i;
			odd += (again[i] & TP_AGAIN_ODD) != 0;
		}
	if (!n)
		return;
	if (odd) {
		tp_fail(&remark.diag, TP_OK, "measured again", NULL,
			"%zu point%s with results that contradict others", odd,
			odd == 1 ? "" : "s");
		pass_own(c, &remark);
	}
	c->invocation = 0;
	run_job(c, ids, n, diag); /* if it fails, the first results stay */
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

/* The state left by a run that took too long, with messages. */
static void leave_rest(struct client *c)
{
	struct tp_event remark = { .kind = TP_EVENT_DIAG };
	char why[160], taken[24], announced[24];
	size_t left = 0;
	for (size_t i = 0; i < c->run->n_points; i++)
		left += c->run->points[i].state == TP_POINT_PLANNED;
	if (!left)
		return;
	snprintf(why, sizeof(why), "the run has taken %s, and the estimate was %s",
		 tp_format_seconds(taken, sizeof(taken), taken_seconds(c)),
		 tp_format_seconds(announced, sizeof(announced),
				   c->request->plan->estimate_seconds));
	tp_fail(&remark.diag, TP_OK, TP_OPT_STOP_RUN_TIME->key,
		"--resume measures them; a run with stop.run_time=off waits for all",
		"%zu of %zu points are left: %s", left, c->run->n_points, why);
	pass_own(c, &remark);
	skip_rest(c, why);
}

enum tp_status tp_engine_run(const struct tp_engine_request *request, struct tp_run *run,
			     struct tp_diag *diag)
{
	struct client c = {
		.request = request,
		.run = run,
		.current = NONE,
		.control.fd = request->control_fd,
	};
	c.control.wishes = request->wishes ? request->wishes : &c.control.own;
	TP_FREE unsigned *ids = tp_alloc(request->plan->n + 1, sizeof(*ids));
	enum tp_status status = TP_OK;
	prepare_run(&c);
	tp_suspend_watch();
	struct tp_event plan = { .kind = TP_EVENT_PLAN,
				 .n_points = (unsigned)request->plan->n,
				 .estimate_seconds = request->plan->estimate_seconds };
	pass_own(&c, &plan);
	tell_known(&c);
	leave_unneeded(&c); /* of a run that goes on */
	tp_str_clear(&c.answer);
	uint64_t most = 1;
	for (size_t i = 0; i < request->n_configs; i++)
		most = TP_MAX(most, tp_config_count(&request->configs[i], TP_OPT_INVOCATIONS));
	for (; c.invocation < most && status == TP_OK && !stopped(&c) && !is_late(&c);
	     c.invocation++) {
		size_t n;
		/* When an engine has died, a fresh one goes on with the points that are left. */
		while (status == TP_OK && !stopped(&c) && (n = find_pending(&c, ids)) > 0) {
			long before = (long)n;
			bool was_frugal = c.frugal;
			status = run_job(&c, ids, n, diag);
			if (is_late(&c))
				break; /* it began no more points */
			if (c.invocation > 0)
				break;
			if (status == TP_OK && !stopped(&c) && c.frugal == was_frugal &&
			    (long)find_pending(&c, ids) == before)
				status = tp_fail(diag, TP_CRASHED, "engine", NULL,
						 "the engine measured nothing");
		}
	}
	if (status == TP_OK && !stopped(&c) && !is_late(&c))
		measure_again(&c, ids, diag);
	if (status == TP_OK && !stopped(&c) && is_late(&c))
		leave_rest(&c);
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
	tp_suspend_unwatch();
	tp_journal_end(c.journal);
	tp_aside_back(&c.aside);
	tp_journal_free(c.journal);
	tp_lines_release(&c.control.lines);
	for (size_t i = 0; i < request->plan->n; i++)
		tp_stop_release(&c.invocations[i]);
	free(c.invocations);
	free(c.seconds);
	free(c.improves);
	tp_str_release(&c.line);
	tp_str_release(&c.answer);
	return status;
}
