/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/live.h"
#include "base/vec.h"
#include "cli/keep.h"
#include "base/now.h"
#include "record/load.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 65536, JOURNAL_MAX_BYTES = 1 << 30, WORDS_BYTES = 4096 };

void tp_live_init(struct tp_live *live)
{
	*live = (struct tp_live){
		.pid = -1, .events = -1, .control = -1, .errors = -1, .current = -1
	};
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void tp_live_release(struct tp_live *live)
{
	close_end(&live->events);
	close_end(&live->control); /* a child that still runs takes this as a wish to stop */
	close_end(&live->errors);
	if (live->pid > 0)
		waitpid(live->pid, NULL, 0);
	tp_journal_free(live->journal);
	tp_run_release(&live->run);
	tp_run_release(&live->stored);
	tp_str_release(&live->in);
	tp_str_release(&live->err);
	free(live->text);
	tp_live_init(live);
}

/* --- the child --- */

/* In the child between fork and exec: only calls that are safe there. */
static void become_batch(int control, int events, int errors, char *const *arguments)
{
	dup2(control, STDIN_FILENO);
	dup2(events, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	setpgid(0, 0); /* what the terminal sends (Ctrl-Z, hangup) is for the screens */
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	static const int defaults[] = { SIGINT,	 SIGTERM, SIGPIPE, SIGTSTP, SIGWINCH, SIGCONT,
					SIGTTOU, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,   SIGABRT };
	for (size_t i = 0; i < TP_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	signal(SIGHUP, SIG_IGN); /* the screens tell it when to stop */
	execv("/proc/self/exe", arguments);
	_exit(127);
}

static enum tp_status spawn(struct tp_live *live, char *const *arguments, struct tp_diag *diag)
{
	int control[2] = { -1, -1 }, events[2] = { -1, -1 }, errors[2] = { -1, -1 };
	enum tp_status status = TP_OK;
	if (pipe2(control, O_CLOEXEC) != 0 || pipe2(events, O_CLOEXEC) != 0 ||
	    pipe2(errors, O_CLOEXEC) != 0 || (live->pid = fork()) < 0) {
		status = tp_fail(diag, TP_RESOURCE, "run", NULL, "cannot start it: %s",
				 strerror(errno));
		close_end(&control[1]);
		close_end(&events[0]);
		close_end(&errors[0]);
	} else if (live->pid == 0) {
		become_batch(control[0], events[1], errors[1], arguments);
	}
	close_end(&control[0]);
	close_end(&events[1]);
	close_end(&errors[1]);
	if (status != TP_OK)
		return status;
	live->control = control[1];
	live->events = events[0];
	live->errors = errors[0];
	fcntl(live->control, F_SETFL, O_NONBLOCK);
	fcntl(live->events, F_SETFL, O_NONBLOCK);
	fcntl(live->errors, F_SETFL, O_NONBLOCK);
	return TP_OK;
}

static enum tp_status begin(struct tp_live *live, struct tp_diag *diag)
{
	live->journal = tp_journal_new(&live->run);
	if (!live->journal)
		return tp_fail(diag, TP_NOMEM, "run", NULL, "out of memory");
	live->state = TP_LIVE_RUNNING;
	live->started = live->base = tp_now_seconds();
	live->version++;
	return TP_OK;
}

enum tp_status tp_live_resume(struct tp_live *live, const char *run_path,
			      const struct tp_machine *machine, struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	tp_copy(directory, sizeof(directory), run_path); /* may be the live run's own */
	tp_live_release(live);
	tp_copy(live->directory, sizeof(live->directory), directory);
	live->machine = machine;
	char *const arguments[] = { "tprof",	"--resume",  live->directory,
				    "--events", "--control", "--report=never",
				    NULL };
	enum tp_status status = spawn(live, arguments, diag);
	if (status == TP_OK)
		status = begin(live, diag);
	if (status != TP_OK)
		tp_live_release(live);
	return status;
}

/*
 * A new run is one that lacks all its points: what is set up becomes the stored preset of a run directory, and nothing else (environment,
 * config files) can come between the form and the measurement.
 */
enum tp_status tp_live_start(struct tp_live *live, const struct tp_preset *preset,
			     const struct tp_machine *machine, struct tp_diag *diag)
{
	struct tp_keep keep;
	char name[64];
	enum tp_status status =
		tp_keep_create(&keep, NULL, tp_keep_name(preset, name, sizeof(name)), preset, diag);
	tp_keep_close(&keep);
	if (status != TP_OK)
		return status;
	return tp_live_resume(live, keep.directory, machine, diag);
}

/* --- replay --- */

enum tp_status tp_live_replay(struct tp_live *live, const char *run_path, double speed,
			      struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 32];
	tp_live_release(live);
	snprintf(path, sizeof(path), "%s/journal.ndjson", run_path);
	enum tp_status status =
		tp_file_read(path, JOURNAL_MAX_BYTES, &live->text, &live->len, diag);
	if (status == TP_OK)
		status = tp_run_load(&live->stored, run_path, diag);
	if (status == TP_OK)
		status = begin(live, diag);
	if (status != TP_OK) {
		tp_live_release(live);
		return status;
	}
	for (size_t i = 0; i < live->stored.n_facts; i++) {
		const struct tp_fact *f = &live->stored.facts[i];
		if (f->is_number)
			tp_run_fact_number(&live->run, f->key, f->number);
		else
			tp_run_fact_text(&live->run, f->key, "%s", f->text);
	}
	tp_copy(live->directory, sizeof(live->directory), run_path);
	live->replay = true;
	live->speed = speed;
	return TP_OK;
}

/* --- results as far as they are known --- */

static void drop_results(struct tp_run *run)
{
	run->n_roofs = run->n_plateaus = run->n_dots = 0;
}

/* Roofs, plateaus and dots from the points so far. */
static void reduce(struct tp_live *live)
{
	struct tp_run *run = &live->run;
	unsigned next = 0;
	drop_results(run);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_experiment *e;
		if (p->run < next || p->state != TP_POINT_DONE ||
		    !(e = tp_experiment_find(p->experiment)))
			continue;
		e->reduce(live->machine, run, p->run);
		next = p->run + 1;
	}
}

static bool is_done(const struct tp_run *run, unsigned point)
{
	return point < run->n_points && run->points[point].state == TP_POINT_DONE;
}

/* A stored run knows its results: each appears with its point, plateaus at the end. */
static void reveal(struct tp_live *live)
{
	struct tp_run *run = &live->run, *stored = &live->stored;
	drop_results(run);
	if (tp_vec_reserve((void **)&run->roofs, &run->cap_roofs, stored->n_roofs + 1,
			   sizeof(*run->roofs)) != TP_OK ||
	    tp_vec_reserve((void **)&run->dots, &run->cap_dots, stored->n_dots + 1,
			   sizeof(*run->dots)) != TP_OK ||
	    tp_vec_reserve((void **)&run->plateaus, &run->cap_plateaus, stored->n_plateaus + 1,
			   sizeof(*run->plateaus)) != TP_OK)
		return;
	for (size_t i = 0; i < stored->n_roofs; i++)
		if (is_done(run, stored->roofs[i].point))
			run->roofs[run->n_roofs++] = stored->roofs[i];
	for (size_t i = 0; i < stored->n_dots; i++)
		if (is_done(run, stored->dots[i].point))
			run->dots[run->n_dots++] = stored->dots[i];
	if (live->state == TP_LIVE_DONE)
		for (size_t i = 0; i < stored->n_plateaus; i++)
			run->plateaus[run->n_plateaus++] = stored->plateaus[i];
}

/* --- events --- */

static void load_facts(struct tp_live *live)
{
	struct tp_run stored;
	if (tp_run_load(&stored, live->directory, NULL) != TP_OK)
		return;
	for (size_t i = 0; i < stored.n_facts; i++) {
		const struct tp_fact *f = &stored.facts[i];
		if (f->is_number)
			tp_run_fact_number(&live->run, f->key, f->number);
		else
			tp_run_fact_text(&live->run, f->key, "%s", f->text);
	}
	/* A run that goes on has points already; the events tell only of the others. */
	for (size_t i = 0; i < stored.n_points; i++)
		if (stored.points[i].state == TP_POINT_DONE)
			tp_journal_give(live->journal, &stored.points[i]);
	tp_run_release(&stored);
}

static void count_points(struct tp_live *live)
{
	live->n_done = 0;
	for (size_t i = 0; i < live->run.n_points; i++)
		live->n_done += live->run.points[i].state != TP_POINT_PLANNED;
	live->n_points = TP_MAX(live->n_points, (unsigned)live->run.n_points);
}

static void take_event(struct tp_live *live, const struct tp_event *event)
{
	tp_journal_take(live->journal, event, NULL);
	switch (event->kind) {
	case TP_EVENT_PLAN:
		live->n_points = event->n_points;
		live->estimate_seconds = live->remaining_seconds = event->estimate_seconds;
		if (!live->replay)
			load_facts(live);
		count_points(live);
		break;
	case TP_EVENT_POINT_BEGIN:
		live->current = (long)event->point.point;
		break;
	case TP_EVENT_POINT_END:
		live->current = -1;
		count_points(live);
		if (live->replay)
			reveal(live);
		else
			reduce(live);
		break;
	case TP_EVENT_PROGRESS:
		live->remaining_seconds = event->remaining_seconds;
		break;
	default:
		break;
	}
	live->version++;
}

/* One line; garbage is left out. */
static void take_line(struct tp_live *live, const char *line, size_t len, double *t)
{
	struct tp_event *event = malloc(sizeof(*event));
	if (event && tp_event_parse(event, line, len, NULL) == TP_OK) {
		if (t)
			*t = event->kind == TP_EVENT_HELLO ? -1 : event->t;
		if (!t || *t < 0 || event->kind != TP_EVENT_PROGRESS)
			take_event(live, event);
	}
	free(event);
}

/* Everything there is in a pipe; false at its end. */
static bool read_all(int *fd, struct tp_str *to)
{
	char buffer[READ_BYTES];
	ssize_t n;
	while ((n = read(*fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			tp_str_add_n(to, buffer, (size_t)n);
	if (n == 0 || errno != EAGAIN) {
		close_end(fd);
		return false;
	}
	return true;
}

/* The last words of the child are what matters: they say where the run is, or why there is none. */
static void keep_words(struct tp_live *live)
{
	size_t from = live->err.len > WORDS_BYTES ? live->err.len - WORDS_BYTES : 0;
	tp_copy(live->words, sizeof(live->words), tp_str_text(&live->err) + from);
}

static void finish(struct tp_live *live)
{
	int status = 0;
	close_end(&live->control);
	if (live->pid > 0)
		waitpid(live->pid, &status, 0);
	live->pid = -1;
	live->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	live->state = TP_LIVE_DONE;
	live->current = -1;
	live->remaining_seconds = 0;
	/* What the child wrote is the whole truth. */
	struct tp_run stored;
	if (tp_run_load(&stored, live->directory, NULL) == TP_OK && stored.n_points) {
		tp_journal_free(live->journal);
		live->journal = NULL;
		tp_run_release(&live->run);
		live->run = stored;
	}
	count_points(live);
	live->version++;
}

static bool take_live(struct tp_live *live)
{
	uint64_t before = live->version;
	bool open = live->events >= 0 && read_all(&live->events, &live->in);
	if (live->errors >= 0) {
		read_all(&live->errors, &live->err);
		keep_words(live);
	}
	size_t at = 0;
	for (char *end;
	     live->in.len > at && (end = memchr(live->in.s + at, '\n', live->in.len - at));
	     at = (size_t)(end - live->in.s) + 1)
		take_line(live, live->in.s + at, (size_t)(end - live->in.s) - at, NULL);
	if (at) {
		memmove(live->in.s, live->in.s + at, live->in.len - at);
		live->in.len -= at;
	}
	if (!open)
		finish(live);
	return live->version != before;
}

/* --- the pace of a replay --- */

/* Time of the line at `at` since the start of its process, as a number, without parsing the rest; negative: none. */
static double time_of(const char *line, size_t len)
{
	const char *t = memmem(line, len, "\"t\":", 4);
	return t ? strtod(t + 4, NULL) : -1;
}

static double line_due(const struct tp_live *live)
{
	const char *line = live->text + live->at;
	const char *end = memchr(line, '\n', live->len - live->at);
	double t = time_of(line, end ? (size_t)(end - line) : live->len - live->at);
	/* Processes follow each other: a smaller time is a new one's. What the parent says itself has none. */
	double offset = live->offset;
	if (t > 0 && t < live->last_t)
		offset += live->last_t;
	return live->speed > 0 && t > 0 ? live->base + (offset + t) / live->speed : 0;
}

static bool take_replay(struct tp_live *live, double now)
{
	uint64_t before = live->version;
	while (live->at < live->len && live->state != TP_LIVE_PAUSED && line_due(live) <= now) {
		const char *line = live->text + live->at;
		const char *end = memchr(line, '\n', live->len - live->at);
		size_t n = end ? (size_t)(end - line) : live->len - live->at;
		double t = time_of(line, n);
		if (t > 0 && t < live->last_t)
			live->offset += live->last_t;
		if (t > 0)
			live->last_t = t;
		take_line(live, line, n, NULL);
		live->at += n + 1;
	}
	if (live->at >= live->len) {
		live->state = TP_LIVE_DONE;
		live->current = -1;
		reveal(live);
		count_points(live);
		live->version++;
	}
	live->elapsed_seconds = live->offset + live->last_t;
	return live->version != before;
}

int tp_live_descriptors(const struct tp_live *live, int fds[2])
{
	int n = 0;
	if (live->events >= 0)
		fds[n++] = live->events;
	if (live->errors >= 0)
		fds[n++] = live->errors;
	return n;
}

static bool is_under_way(const struct tp_live *live)
{
	return live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_PAUSED ||
	       live->state == TP_LIVE_STOPPING;
}

double tp_live_due(const struct tp_live *live, double now)
{
	if (!live->replay || live->state != TP_LIVE_RUNNING || live->at >= live->len)
		return -1;
	return fmax(line_due(live) - now, 0);
}

bool tp_live_take(struct tp_live *live, double now)
{
	if (!is_under_way(live))
		return false;
	if (live->replay)
		return take_replay(live, now);
	live->elapsed_seconds = now - live->started;
	return take_live(live);
}

/* --- wishes --- */

/* A pipe that is full, or whose reader has gone, has nobody to tell. */
static void tell(struct tp_live *live, const char *word)
{
	if (live->control >= 0) {
		ssize_t n = write(live->control, word, strlen(word));
		(void)n;
	}
}

void tp_live_pause(struct tp_live *live, bool pause)
{
	if (live->state != (pause ? TP_LIVE_RUNNING : TP_LIVE_PAUSED))
		return;
	live->state = pause ? TP_LIVE_PAUSED : TP_LIVE_RUNNING;
	if (live->replay) {
		/* Time stands still meanwhile. */
		double now = tp_now_seconds();
		if (pause)
			live->started = now;
		else
			live->base += now - live->started;
	}
	tell(live, pause ? "pause\n" : "go\n");
	live->version++;
}

void tp_live_skip(struct tp_live *live)
{
	tell(live, "skip\n");
}

void tp_live_stop(struct tp_live *live)
{
	if (!is_under_way(live))
		return;
	if (live->replay) {
		live->at = live->len;
		live->state = TP_LIVE_RUNNING;
		return;
	}
	live->state = TP_LIVE_STOPPING;
	tell(live, "stop\n");
	live->version++;
}

void tp_live_painted(struct tp_live *live)
{
	if (is_under_way(live) && !live->replay)
		tell(live, "painted\n");
}
