/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/live_parts.h"
#include "base/now.h"
#include "base/vec.h"
#include "cli/keep.h"
#include "counters/classify.h"
#include "record/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line that is longer than any event is none. */
enum { LINE_MAX_BYTES = 1 << 20, WORDS_MAX_BYTES = 1 << 16 };

void tp_live_init(struct tp_live *live)
{
	*live = (struct tp_live){
		.pid = -1, .events = -1, .control = -1, .errors = -1, .current = -1
	};
}

void tp_live_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void tp_live_release(struct tp_live *live)
{
	tp_live_close(&live->control); /* a child that still runs takes this as a wish to stop */
	tp_live_close(&live->events);
	tp_live_close(&live->errors);
	tp_live_reap(live);
	tp_journal_free(live->journal);
	tp_run_release(&live->run);
	tp_run_release(&live->stored);
	tp_str_release(&live->in);
	tp_str_release(&live->err);
	free(live->text);
	tp_live_init(live);
}

bool tp_live_is_under_way(const struct tp_live *live)
{
	return live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_PAUSED ||
	       live->state == TP_LIVE_STOPPING;
}

/* --- beginning --- */

enum tp_status tp_live_begin(struct tp_live *live, struct tp_diag *diag)
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
	enum tp_status status = tp_live_spawn(live, arguments, diag);
	if (status == TP_OK)
		status = tp_live_begin(live, diag);
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

void tp_live_plan_point(struct tp_live *live, const struct tp_point *point)
{
	struct tp_run *run = &live->run;
	size_t id = point->point, results = offsetof(struct tp_point, state);
	if (id < run->n_points && run->points[id].experiment[0])
		return;
	if (tp_vec_reserve((void **)&run->points, &run->cap_points, id + 1, sizeof(*run->points)) !=
	    TP_OK)
		return;
	for (; run->n_points <= id; run->n_points++)
		run->points[run->n_points] = (struct tp_point){ .point = (unsigned)run->n_points };
	run->points[id] = *point;
	memset((char *)&run->points[id] + results, 0, sizeof(*point) - results);
}

void tp_live_expect(struct tp_live *live, const struct tp_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		tp_live_plan_point(live, &plan->items[i].point);
	live->estimate_seconds = live->remaining_seconds = plan->estimate_seconds;
	tp_live_count(live);
	live->version++;
}

/* --- results as far as they are known --- */

static void drop_results(struct tp_run *run)
{
	run->n_roofs = run->n_plateaus = run->n_dots = 0;
}

static bool is_counting(const struct tp_point *p)
{
	return strcmp(p->experiment, "counters") == 0;
}

/* Roofs, plateaus and dots from the points so far. What events count is analysed when a family is complete. */
static void reduce(struct tp_live *live)
{
	struct tp_run *run = &live->run;
	unsigned next = 0;
	drop_results(run);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_experiment *e;
		if (p->run < next || p->state != TP_POINT_DONE || is_counting(p) ||
		    !(e = tp_experiment_find(p->experiment)))
			continue;
		e->reduce(live->machine, run, p->run);
		next = p->run + 1;
	}
}

/* "flops" of the kernel "flops/dp-256-fma". */
static size_t family_length(const struct tp_point *p)
{
	return strcspn(p->kernel, "/");
}

static bool is_family_complete(const struct tp_run *run, const struct tp_point *last)
{
	size_t n = family_length(last);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->run == last->run && is_counting(p) && family_length(p) == n &&
		    strncmp(p->kernel, last->kernel, n) == 0 && p->state == TP_POINT_PLANNED)
			return false;
	}
	return true;
}

/*
 * What the events of a family count, as soon as its last point is over: the child says so only at the end of the run. What is wrong with it the
 * child says then, too.
 */
static void classify(struct tp_live *live, const struct tp_point *last)
{
	struct tp_run *run = &live->run;
	struct tp_diags ignored = { 0 };
	char name[sizeof(last->kernel) + 16];
	bool at_once = live->replay && live->speed <= 0;
	if (!is_counting(last) || at_once || !is_family_complete(run, last))
		return;
	snprintf(name, sizeof(name), "%.*s#%u", (int)family_length(last), last->kernel,
		 last->run + 1);
	const struct tp_reading_family *readings = tp_readings_family(&run->readings, name);
	if (!readings) {
		*strchr(name, '#') = '\0';
		readings = tp_readings_family(&run->readings, name);
	}
	for (size_t i = 0; i < run->n_classes; i++)
		if (run->classes[i].run == last->run && strcmp(run->classes[i].family, name) == 0)
			return;
	if (readings)
		tp_classify_into(run, readings, NULL, last->variant, last->run, &ignored);
	tp_diags_release(&ignored);
}

/* The newest counts, for people to see that it counts. */
static void take_counts(struct tp_live *live, const struct tp_event *event)
{
	live->last[live->last_at] = event->counts;
	live->last_at = (live->last_at + 1) % TP_LIVE_COUNTS;
	live->n_last = TP_MIN(live->n_last + 1, (size_t)TP_LIVE_COUNTS);
	live->n_counted += event->counts.n;
	live->counted_t = event->t;
}

static bool is_done(const struct tp_run *run, unsigned point)
{
	return point < run->n_points && run->points[point].state == TP_POINT_DONE;
}

/* A stored run knows its results: each roof and dot appears with its point. */
void tp_live_reveal(struct tp_live *live)
{
	struct tp_run *run = &live->run, *stored = &live->stored;
	drop_results(run);
	if (tp_vec_reserve((void **)&run->roofs, &run->cap_roofs, stored->n_roofs + 1,
			   sizeof(*run->roofs)) != TP_OK ||
	    tp_vec_reserve((void **)&run->dots, &run->cap_dots, stored->n_dots + 1,
			   sizeof(*run->dots)) != TP_OK)
		return;
	for (size_t i = 0; i < stored->n_roofs; i++)
		if (is_done(run, stored->roofs[i].point))
			run->roofs[run->n_roofs++] = stored->roofs[i];
	for (size_t i = 0; i < stored->n_dots; i++)
		if (is_done(run, stored->dots[i].point))
			run->dots[run->n_dots++] = stored->dots[i];
}

/* --- events --- */

/* What the child found when it began: facts, and the points of a run that goes on, of which no event tells. */
static void load_facts(struct tp_live *live)
{
	struct tp_run stored;
	if (tp_run_load(&stored, live->directory, NULL) != TP_OK)
		return;
	tp_run_copy_facts(&live->run, &stored);
	for (size_t i = 0; i < stored.n_points; i++)
		if (stored.points[i].state == TP_POINT_DONE)
			tp_journal_give(live->journal, &stored.points[i]);
	tp_run_release(&stored);
}

void tp_live_count(struct tp_live *live)
{
	live->n_done = 0;
	for (size_t i = 0; i < live->run.n_points; i++)
		live->n_done += live->run.points[i].state != TP_POINT_PLANNED;
	live->n_points = TP_MAX(live->n_points, (unsigned)live->run.n_points);
}

static void take_event(struct tp_live *live, const struct tp_event *event)
{
	if (tp_journal_take(live->journal, event, NULL) != TP_OK)
		return;
	switch (event->kind) {
	case TP_EVENT_PLAN:
		live->n_points = event->n_points;
		live->estimate_seconds = event->estimate_seconds;
		if (!live->replay) {
			live->remaining_seconds = event->estimate_seconds;
			load_facts(live);
			reduce(live);
		}
		tp_live_count(live);
		break;
	case TP_EVENT_POINT_BEGIN:
		live->current = (long)event->point.point;
		live->begun_t = event->t;
		live->n_counted = live->n_last = live->last_at = 0;
		break;
	case TP_EVENT_COUNTS:
		take_counts(live, event);
		break;
	case TP_EVENT_POINT_END:
		live->current = -1;
		tp_live_count(live);
		if (live->replay)
			tp_live_reveal(live);
		else
			reduce(live);
		if (event->point.point < live->run.n_points)
			classify(live, &live->run.points[event->point.point]);
		break;
	case TP_EVENT_PROGRESS:
		live->moment = true;
		if (!live->replay)
			live->remaining_seconds = event->remaining_seconds;
		break;
	default:
		break;
	}
	live->version++;
}

void tp_live_line(struct tp_live *live, const char *line, size_t len)
{
	struct tp_event *event = malloc(sizeof(*event));
	if (event && tp_event_parse(event, line, len, NULL) == TP_OK)
		take_event(live, event);
	free(event);
}

/* The last whole lines of the child are what matters: they say where the run is, or why there is none. */
static void keep_words(struct tp_live *live)
{
	const char *text = tp_str_text(&live->err);
	size_t room = sizeof(live->words) - 1, from = 0;
	if (live->err.len > room) {
		const char *end = strchr(text + live->err.len - room, '\n');
		from = end && end[1] ? (size_t)(end - text) + 1 : live->err.len - room;
	}
	tp_copy(live->words, sizeof(live->words), text + from);
	if (live->err.len > WORDS_MAX_BYTES) {
		size_t keep = WORDS_MAX_BYTES / 2;
		memmove(live->err.s, live->err.s + live->err.len - keep, keep + 1);
		live->err.len = keep;
	}
}

static void finish(struct tp_live *live)
{
	tp_live_close(&live->control);
	int status = tp_live_reap(live);
	if (live->errors >= 0) {
		tp_live_read(&live->errors, &live->err);
		tp_live_close(&live->errors);
		keep_words(live);
	}
	live->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	live->state = TP_LIVE_DONE;
	live->current = -1;
	live->remaining_seconds = 0;
	/* What the child wrote is the whole truth; of a child that was killed, the points that nobody measured are known from the plan alone. */
	struct tp_run stored, plan = live->run;
	if (tp_run_load(&stored, live->directory, NULL) == TP_OK && stored.n_points) {
		tp_journal_free(live->journal);
		live->journal = NULL;
		live->run = stored;
		for (size_t i = 0; i < plan.n_points; i++)
			tp_live_plan_point(live, &plan.points[i]);
		tp_run_release(&plan);
	}
	tp_live_count(live);
	live->version++;
}

/* Whole lines out of what came in; what is too long for a line is left out up to its end. */
static void take_lines(struct tp_live *live)
{
	size_t at = 0;
	for (char *end;
	     live->in.len > at && (end = memchr(live->in.s + at, '\n', live->in.len - at));
	     at = (size_t)(end - live->in.s) + 1) {
		if (!live->too_long)
			tp_live_line(live, live->in.s + at, (size_t)(end - live->in.s) - at);
		live->too_long = false;
	}
	if (at) {
		memmove(live->in.s, live->in.s + at, live->in.len - at);
		live->in.len -= at;
	}
	if (live->in.len > LINE_MAX_BYTES) {
		live->too_long = true;
		live->in.len = 0;
	}
}

static bool take_live(struct tp_live *live)
{
	uint64_t before = live->version;
	bool open = live->events >= 0 && tp_live_read(&live->events, &live->in);
	if (live->errors >= 0) {
		tp_live_read(&live->errors, &live->err);
		keep_words(live);
	}
	take_lines(live);
	if (!open)
		finish(live);
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

double tp_live_due(const struct tp_live *live, double now)
{
	return live->replay ? tp_live_replay_due(live, now) : -1;
}

bool tp_live_take(struct tp_live *live, double now)
{
	if (!tp_live_is_under_way(live))
		return false;
	if (live->replay)
		return tp_live_take_replay(live, now);
	live->elapsed_seconds = now - live->started;
	return take_live(live);
}

/* --- wishes --- */

/* False if the pipe is full; words are written whole or not at all. A reader that has gone has nobody to tell. */
static bool tell(struct tp_live *live, const char *word)
{
	ssize_t n;
	if (live->control < 0)
		return true;
	while ((n = write(live->control, word, strlen(word))) < 0 && errno == EINTR)
		;
	return n >= 0 || errno != EAGAIN;
}

void tp_live_pause(struct tp_live *live, bool pause)
{
	if (live->state != (pause ? TP_LIVE_RUNNING : TP_LIVE_PAUSED))
		return;
	if (!tell(live, pause ? "pause\n" : "go\n"))
		return;
	live->state = pause ? TP_LIVE_PAUSED : TP_LIVE_RUNNING;
	if (live->replay) {
		/* Time stands still meanwhile. */
		double now = tp_now_seconds();
		if (pause)
			live->stopped_at = now;
		else
			live->base += now - live->stopped_at;
	}
	live->version++;
}

void tp_live_skip(struct tp_live *live)
{
	tell(live, "skip\n");
}

void tp_live_stop(struct tp_live *live)
{
	if (!tp_live_is_under_way(live))
		return;
	live->version++;
	if (live->replay) {
		live->speed = 0;
		live->state = TP_LIVE_RUNNING;
		return;
	}
	live->state = TP_LIVE_STOPPING;
	if (!tell(live, "stop\n"))
		tp_live_close(&live->control); /* its end says the same */
}

void tp_live_painted(struct tp_live *live)
{
	live->moment = false;
	if (tp_live_is_under_way(live) && !live->replay)
		tell(live, "painted\n");
}
