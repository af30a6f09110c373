/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine itself: takes a job, measures, sends events. It sends and reads nothing inside a
 * window.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/process.h"
#include "base/suspend.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "experiments/bench.h"
#include "kernels/arch.h"
#include "machine/knobs.h"
#include "measure/sampler.h"
#include "measure/simulation.h"
#include "record/event.h"

/* Stolen ticks of the CPUs of a team, and when they were read last; 0 = never. */
struct cores {
	uint64_t stolen[TP_EVENT_CORES];
	const struct tp_team *stolen_from;
	double stolen_at;
};

/*
 * Adds the gauges' values for each CPU of the bench's team to the event, and the share of its time
 * that the hypervisor took since the last call.
 */
static void tell_cores(struct cores *cores, const struct tp_bench *bench, struct tp_event *event)
{
	uint64_t ticks[TP_EVENT_CORES] = { 0 };
	double now = tp_now_seconds(), hz = (double)sysconf(_SC_CLK_TCK);
	if (!bench || !bench->team)
		return;
	size_t n = TP_MIN((size_t)tp_team_size(bench->team), (size_t)TP_EVENT_CORES);
	bool known = cores->stolen_from == bench->team && now > cores->stolen_at;
	if (!bench->simulation)
		tp_machine_steal_each("", bench->team_cpus, n, ticks);
	for (size_t i = 0; i < n; i++) {
		struct tp_core_now *core = &event->cores[event->n_cores];
		double own, taken = known && ticks[i] > cores->stolen[i]
					    ? (double)(ticks[i] - cores->stolen[i]) / hz
					    : 0;
		core->cpu = bench->team_cpus[i];
		core->stolen = fmin(taken / (now - cores->stolen_at), 1);
		if (!tp_team_core(bench->team, (unsigned)i, &core->ghz, &own))
			continue;
		core->others = 1 - own;
		event->n_cores++;
	}
	memcpy(cores->stolen, ticks, sizeof(ticks));
	cores->stolen_from = bench->team;
	cores->stolen_at = now;
}

/* How often it sends events and looks for commands, between windows. */
#define SEND_SECONDS   0.25
#define LISTEN_SECONDS 0.01

/* The estimates of the plan count as much as this many seconds of measuring. */
#define PACE_SECONDS 0.5

/* Measuring waits so long for a screen that paints. */
#define PAINT_SECONDS 0.06

enum { SEND_BYTES = 1 << 18, EXIT_PARENT_GONE = 1, READ_NS = 1000000, READ_PAUSES = 20 };

struct server {
	int fd;
	struct tp_simulation *simulation; /* NULL = it measures */
	double started, sent,
		listened; /* `sent`: when progress, and all that waited, was sent last */
	struct tp_str out; /* events waiting to be sent */
	struct tp_lines heard; /* the job, then commands */
	struct tp_job job;
	struct tp_plan plan;
	const struct tp_planned *current;
	unsigned n_done;
	double done_estimate, job_estimate; /* planned seconds of finished points and of all */
	double done_seconds, begun; /* that finished points took; when the present one began */
	/* while code is compiled; n_found: that was compiled before it began */
	unsigned n_sources, n_compiled, n_found;
	double compile_begun;
	uint64_t touch_bytes, touched_bytes; /* of a first touch that is under way */
	double touch_begun, touch_seconds; /* when that began; what earlier ones took */
	const struct tp_bench *bench;
	struct cores cores;
	bool cancelled;
	bool interrupted; /* from within: the parent is not aware of it */
	bool skip, paused, painted; /* requests of the watcher */
	bool answered; /* the parent has sent which points are unneeded */
	unsigned cpus_allowed;
	bool streams; /* as of tp_bench */
	struct tp_output *kept; /* likewise */
};

/* Time of the run. A simulation has its own, which has nothing to do with listening and sending. */
static double run_seconds(const struct server *s)
{
	return s->simulation ? tp_simulation_now(s->simulation) : tp_now_seconds() - s->started;
}

static bool send_all(struct server *s)
{
	if (!tp_write_all(s->fd, s->out.s, s->out.len))
		return false;
	tp_str_clear(&s->out);
	/*
	 * Where every CPU is measured, the parent takes one of them when it has something to read:
	 * it reads before the next window begins.
	 */
	const struct timespec pause = { .tv_nsec = READ_NS };
	int unread = 1;
	if (!s->simulation && s->current && s->current->point.threads >= s->cpus_allowed) {
		for (int i = 0; i < READ_PAUSES && unread > 0; i++) {
			nanosleep(&pause, NULL);
			if (ioctl(s->fd, SIOCOUTQ, &unread) != 0)
				unread = 0;
		}
		nanosleep(&pause, NULL); /* it has read, and now writes its journal */
	}
	return true;
}

static void emit(struct server *s, struct tp_event *event)
{
	event->t = run_seconds(s);
	tp_event_write(event, &s->out);
	if (s->out.len > SEND_BYTES)
		s->cancelled |= !send_all(s);
}

/* Leaves out points of the job that have not begun, by their ids: " 3 4". */
static void leave_out(struct server *s, const char *ids)
{
	char *end;
	for (unsigned long id; id = strtoul(ids, &end, 10), end > ids; ids = end)
		for (size_t i = s->n_done; i < s->job.n_ids && id < s->plan.n; i++) {
			if (s->job.ids[i] != id)
				continue;
			s->job_estimate -= s->plan.items[id].point.estimate_seconds;
			s->job.n_ids--;
			memmove(&s->job.ids[i], &s->job.ids[i + 1],
				(s->job.n_ids - i) * sizeof(*s->job.ids));
		}
	s->answered = true;
}

/* Takes the parent's commands, one a line. A closed socket means that the parent has gone. */
static void listen_briefly(struct server *s)
{
	char text[256];
	ssize_t n;
	while ((n = recv(s->fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
		tp_lines_add(&s->heard, text, (size_t)n);
	s->cancelled |= n == 0 || tp_stop_asked;
	for (const char *word; (word = tp_lines_next(&s->heard, NULL));) {
		s->cancelled |= strcmp(word, "cancel") == 0;
		s->skip |= strcmp(word, "skip") == 0 && s->current;
		s->painted |= strcmp(word, "painted") == 0;
		if (strncmp(word, TP_JOB_WITHOUT, strlen(TP_JOB_WITHOUT)) == 0)
			leave_out(s, word + strlen(TP_JOB_WITHOUT));
		if (strcmp(word, "pause") == 0)
			s->paused = true;
		if (strcmp(word, "go") == 0)
			s->paused = false;
	}
	s->listened = tp_now_seconds();
}

static void emit_progress(struct server *s)
{
	double elapsed = run_seconds(s);
	/*
	 * Measured times of finished points correct the estimates. Short points predict little
	 * about long ones.
	 */
	double pace = (s->done_seconds + PACE_SECONDS) / (s->done_estimate + PACE_SECONDS);
	/* The speed of our own points does not predict a running program. */
	double own = s->current ? s->current->point.estimate_seconds : 0;
	double here = own * (s->current && !s->current->experiment->is_predictable ? 1 : pace);
	/* The first touch is not a part of the point's time. It goes on as fast as so far. */
	double touching = s->touch_bytes ? elapsed - s->touch_begun : 0, touch_left = 0;
	if (s->touch_bytes && s->touched_bytes)
		touch_left = touching * (double)(s->touch_bytes - s->touched_bytes) /
			     (double)s->touched_bytes;
	/* Results from the cache took no time. */
	double compile_left = 0;
	if (s->n_sources && s->n_compiled > s->n_found)
		compile_left = (elapsed - s->compile_begun) *
			       (double)(s->n_sources - s->n_compiled) /
			       (double)(s->n_compiled - s->n_found);
	double at_point = elapsed - s->begun - s->touch_seconds - touching;
	struct tp_event e = { .kind = TP_EVENT_PROGRESS,
			      .n_points = (unsigned)s->job.n_ids,
			      .n_done = s->n_done,
			      .elapsed_seconds = elapsed,
			      .remaining_seconds =
				      fmax(0, (s->job_estimate - s->done_estimate - own) * pace) +
				      fmax(0, here - at_point) + touch_left + compile_left,
			      .touch_bytes = s->touch_bytes,
			      .touched_bytes = s->touched_bytes,
			      .n_sources = s->n_sources,
			      .n_compiled = s->n_compiled,
			      .point = s->current ? s->current->point : (struct tp_point){ 0 } };
	tell_cores(&s->cores, s->bench, &e);
	emit(s, &e);
}

/* Waits for commands, at most this long. */
static void wait_for_words(struct server *s, double seconds)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	if (poll(&p, 1, (int)(seconds * 1000)) != 0)
		listen_briefly(s);
}

/*
 * Where every CPU is measured, a screen that paints takes one of them, so it paints before the next
 * window begins. Screens paint when they hear of progress.
 */
static void let_paint(struct server *s)
{
	if (s->simulation || !s->job.watched || !s->current ||
	    s->current->point.threads < s->cpus_allowed)
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
	return !s->cancelled && !s->skip && !tp_stop_asked;
}

static bool on_sample(void *context, const struct tp_sample *sample)
{
	struct server *s = context;
	if (tp_stop_asked)
		return false; /* it may be an incomplete window */
	struct tp_event e = { .kind = TP_EVENT_SAMPLE, .sample = *sample };
	e.point.point = s->current->point.point;
	emit(s, &e);
	return true;
}

static bool on_row(void *context, const struct tp_row_event *kind, const void *row)
{
	struct server *s = context;
	struct tp_event e = { .kind = TP_EVENT_ROW, .row_event = kind, .row = row };
	e.point.point = s->current->point.point;
	emit(s, &e);
	return !s->cancelled && !tp_stop_asked;
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

static void on_compiling(void *context, size_t done, size_t total)
{
	struct server *s = context;
	if (!s->n_sources) {
		s->compile_begun = run_seconds(s);
		s->n_found = (unsigned)done;
	}
	s->n_compiled = (unsigned)done;
	s->n_sources = done < total ? (unsigned)total : 0;
}

static void on_touching(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct server *s = context;
	double now = run_seconds(s);
	if (!s->touch_bytes)
		s->touch_begun = now;
	s->touched_bytes = done_bytes;
	s->touch_bytes = done_bytes < total_bytes ? total_bytes : 0;
	if (!s->touch_bytes)
		s->touch_seconds += now - s->touch_begun;
}

/*
 * Reads up to the end line of the job. Commands may follow at once: the parent need not wait for
 * anything.
 */
static enum tp_status read_job(struct server *s, struct tp_diag *diag)
{
	TP_STR text = { 0 };
	const char *line = NULL;
	size_t len;
	enum tp_status status = TP_OK;
	while (status == TP_OK && (!line || strcmp(line, TP_JOB_END) != 0)) {
		line = tp_lines_next(&s->heard, &len);
		if (!line && tp_lines_read(&s->heard, s->fd) <= 0)
			status = tp_fail(diag, TP_IO, "engine", "this option is for tprof itself",
					 "no job arrived");
		if (!line)
			continue;
		tp_str_add_n(&text, line, len);
		tp_str_add(&text, "\n");
	}
	if (status == TP_OK)
		status = tp_job_parse(&s->job, tp_str_text(&text), diag);
	return status;
}

/* Each experiment gets its points of the job, in one call. */
static enum tp_status prepare_points(struct server *s, struct tp_bench *bench, struct tp_diag *diag)
{
	TP_FREE const struct tp_planned **own = tp_alloc(s->job.n_ids + 1, sizeof(*own));
	enum tp_status status = TP_OK;
	const struct tp_experiment *experiment;
	for (size_t e = 0; (experiment = tp_experiment_at(e)) && status == TP_OK; e++) {
		size_t n = 0;
		for (size_t i = 0; i < s->job.n_ids && experiment->prepare; i++)
			if (s->plan.items[s->job.ids[i]].experiment == experiment)
				own[n++] = &s->plan.items[s->job.ids[i]];
		if (n)
			status = experiment->prepare(bench, own, n, diag);
	}
	s->cancelled |= status == TP_CANCELLED;
	return status == TP_CANCELLED ? TP_OK : status;
}

static void run_points(struct server *s, struct tp_bench *bench)
{
	for (size_t i = 0; i < s->job.n_ids; i++) {
		s->plan.items[s->job.ids[i]].point.estimate_seconds = s->job.seconds[i];
		s->job_estimate += s->job.seconds[i];
	}
	/* What is prepared before (code that is compiled) has its own limits. */
	double counted_from = run_seconds(s);
	for (size_t i = 0; i < s->job.n_ids && !s->cancelled; i++) {
		listen_briefly(s);
		double paused = run_seconds(s);
		if (s->paused)
			s->cancelled |= !send_all(s);
		while (s->paused && !s->cancelled)
			wait_for_words(s, 1);
		counted_from += run_seconds(s) - paused;
		if (s->cancelled)
			break;
		/* The first point was requested and begins, however late. */
		if (i > 0 && s->job.limit_seconds > 0 && !s->simulation &&
		    run_seconds(s) - counted_from > s->job.limit_seconds)
			break;
		s->current = &s->plan.items[s->job.ids[i]];
		s->begun = run_seconds(s);
		s->touch_seconds = 0;
		s->skip = false;
		struct tp_event begin = { .kind = TP_EVENT_POINT_BEGIN,
					  .point = s->current->point };
		emit(s, &begin);
		s->cancelled |= !send_all(s); /* so that a crash is blamed on the right point */

		struct tp_diag diag = { 0 };
		struct tp_event end = { .kind = TP_EVENT_POINT_END, .point = s->current->point };
		end.point.row = memcpy(&end.room, s->current->point.row,
				       s->current->point.kind->table->row_bytes);
		tp_bench_begin_point(bench, s->current);
		enum tp_status status =
			s->current->experiment->run(bench, s->current, &end.point, &diag);
		s->interrupted |= bench->interrupted;
		s->cancelled |= tp_stop_asked || s->interrupted;
		if (status != TP_OK && status != TP_CANCELLED) {
			end.point.state = TP_POINT_FAILED;
			end.point.diag = diag;
		}
		bool skipped = status == TP_CANCELLED && s->skip && !s->cancelled;
		if (skipped)
			tp_fail(&end.point.diag, TP_CANCELLED, end.point.kernel, NULL,
				"skipped by hand");
		s->cancelled |= status == TP_CANCELLED && !skipped;
		s->n_done++;
		s->done_estimate += s->current->point.estimate_seconds;
		s->done_seconds += run_seconds(s) - s->begun - end.point.touch_seconds;
		emit(s, &end);
		s->answered = !s->current->experiment->unneeded;
		s->cancelled |= !send_all(s);
		while (!s->answered && !s->cancelled)
			wait_for_words(s, 1);
		tp_point_release(&end.point);
	}
}

/*
 * Sets scheduler and priority before threads exist, which inherit both. Refusals are reported; the
 * engine goes on without them.
 */
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

/* Each invocation draws other noise, as each process of a measurement meets other noise. */
static enum tp_status begin_simulation(struct server *s, const struct tp_machine *machine,
				       struct tp_diag *diag)
{
	const struct tp_regime *regime = tp_regime_find(machine->simulated);
	uint64_t seed = tp_config_count(&s->job.configs[0], TP_OPT_SEED);
	if (!regime) /* the parent knew it */
		return tp_fail(diag, TP_INTERNAL, "engine", NULL, "no regime \"%s\"",
			       machine->simulated);
	s->simulation =
		tp_simulation_new(machine, regime, seed + ((uint64_t)s->job.invocation << 32));
	return TP_OK;
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
	for (size_t i = 0; i < s->job.n_ids && status == TP_OK; i++)
		if (s->job.ids[i] >= s->plan.n)
			status = tp_fail(diag, TP_INTERNAL, "engine", NULL,
					 "point %u was requested, and its plan has %zu points",
					 s->job.ids[i], s->plan.n);
	struct tp_diags refused = { 0 };
	tp_suspend_listen();
	tp_stop_listen(); /* until here the signal ends the process, which has nothing yet */
	if (status == TP_OK && *machine.simulated)
		status = begin_simulation(s, &machine, diag);
	else if (status == TP_OK)
		set_process_knobs(s, &refused);
	struct tp_watch watch = {
		.context = s,
		.sample = on_sample,
		.go_on = go_on,
		.row = on_row,
		.note = on_note,
		.touching = on_touching,
		.compiling = on_compiling,
	};
	if (status == TP_OK && s->simulation)
		tp_bench_simulate(&bench, s->simulation, &watch);
	else if (status == TP_OK)
		status = tp_bench_init(&bench, &machine, &cpu, s->job.counter_hz, &watch, diag);
	if (status == TP_OK) {
		bench.invocation = s->job.invocation;
		bench.frugal = s->job.frugal;
		bench.streams = s->streams;
		bench.printed = s->kept;
		struct tp_event hello = { .kind = TP_EVENT_HELLO,
					  .pid = getpid(),
					  .version = PACKAGE_VERSION,
					  .counter_ghz =
						  bench.clock.counter ? bench.clock.hz * 1e-9 : 0,
					  .invocation = s->job.invocation };
		emit(s, &hello);
		for (size_t i = 0; i < refused.n; i++)
			emit_failure(s, TP_OK, &refused.items[i]);
		s->bench = &bench;
		status = prepare_points(s, &bench, diag);
		if (status == TP_OK)
			run_points(s, &bench);
		s->bench = NULL;
		if (s->cancelled) {
			tp_bench_begin_point(&bench, NULL);
			return TP_OK; /* the kernel is faster at letting go of all that */
		}
	}
	tp_bench_release(&bench);
	tp_simulation_free(s->simulation);
	s->simulation = NULL;
	tp_machine_release(&machine);
	tp_diags_release(&diags);
	tp_diags_release(&refused);
	return status;
}

int tp_engine_main(void)
{
	struct server s = { .fd = TP_ENGINE_FD,
			    .streams = fcntl(TP_STREAM_INPUT_FD, F_SETFD, FD_CLOEXEC) == 0 &&
				       fcntl(TP_STREAM_OUTPUT_FD, F_SETFD, FD_CLOEXEC) == 0 };
	struct tp_diag diag = { 0 };
	int type;
	socklen_t length = sizeof(type);
	if (getsockopt(s.fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) {
		fprintf(stderr, "tprof: --engine is for tprof itself; see tprof --help\n");
		return TP_EXIT_USAGE;
	}
	fcntl(s.fd, F_SETFD, FD_CLOEXEC);
	/* What is there is memory for what programs print, or nothing. */
	s.kept = tp_output_map(TP_STREAM_KEPT_FD);
	if (s.kept)
		close(TP_STREAM_KEPT_FD);
	s.started = s.sent = s.listened = tp_now_seconds();
	enum tp_status status = serve(&s, &diag);
	if (status != TP_OK)
		emit_failure(&s, status, &diag);
	struct tp_event done = { .kind = TP_EVENT_DONE };
	tp_copy(done.state, sizeof(done.state),
		status != TP_OK ? "failed"
		: s.interrupted ? "interrupted"
		: s.cancelled	? "cancelled"
				: "complete");
	emit(&s, &done);
	bool heard = send_all(&s);
	if (s.cancelled)
		_exit(heard ? TP_EXIT_OK : EXIT_PARENT_GONE);
	tp_plan_release(&s.plan);
	tp_arena_release(&s.job.arena);
	tp_str_release(&s.out);
	tp_lines_release(&s.heard);
	tp_output_unmap(s.kept);
	return !heard ? EXIT_PARENT_GONE : status == TP_OK ? TP_EXIT_OK : TP_EXIT_FAILED;
}
