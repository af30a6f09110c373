/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/now.h"
#include "base/memory.h"
#include "record/load.h"
#include "session/measure.h"

void tp_live_init(struct tp_live *live)
{
	*live = (struct tp_live){ .keep.journal = -1, .current = -1, .ended = -1 };
}

void tp_live_release(struct tp_live *live)
{
	tp_keep_close(&live->keep);
	tp_journal_free(live->journal);
	tp_run_release(&live->run);
	tp_run_release(&live->stored);
	tp_run_release(&live->earlier);
	tp_session_close(&live->session);
	free(live->text);
	tp_live_init(live);
}

bool tp_live_is_under_way(const struct tp_live *live)
{
	return live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_PAUSED ||
	       live->state == TP_LIVE_STOPPING;
}

/* --- beginning --- */

static void begin_live(struct tp_live *live)
{
	live->state = TP_LIVE_RUNNING;
	live->started = live->base = tp_now_seconds();
	live->version++;
}

static void count_points(struct tp_live *live)
{
	live->n_done = 0;
	for (size_t i = 0; i < live->run.n_points; i++)
		live->n_done += live->run.points[i].state != TP_POINT_PLANNED;
	live->n_points = TP_MAX(live->n_points, (unsigned)live->run.n_points);
}

static void set_time_left(struct tp_live *live, double seconds, double now)
{
	live->told_left = live->remaining_seconds = seconds;
	live->told_at = now;
}

void tp_live_start(struct tp_live *live, struct tp_session *session, const struct tp_keep *keep,
		   const struct tp_run *earlier)
{
	tp_live_release(live);
	live->session = *session;
	*session = (struct tp_session){ 0 };
	live->keep = *keep;
	live->goes_on = earlier;
	if (earlier)
		live->earlier = *earlier;
	tp_copy(live->directory, sizeof(live->directory), keep->directory);
	tp_run_call(&live->run, live->directory);
	begin_live(live);
	live->waits = true;
	const struct tp_plan *plan = &live->session.plan;
	tp_plan_points(plan, &live->run);
	live->estimate_seconds = plan->estimate_seconds;
	set_time_left(live, plan->estimate_seconds, tp_now_seconds());
	count_points(live);
}

/* --- results so far --- */

/*
 * An experiment's results as soon as a point is over: the child sends them, and their faults, only
 * at the end of the run.
 */
static void reduce_last(struct tp_live *live)
{
	if (live->ended < 0 || (size_t)live->ended >= live->run.n_points)
		return;
	const struct tp_point *last = &live->run.points[live->ended];
	const struct tp_experiment *e = tp_experiment_find(last->experiment);
	if (e && e->reduce_point)
		e->reduce_point(&live->run, last);
}

/*
 * With thousands of points, a reduction takes longer than measuring a point. The next one then
 * waits for this many times the processor time of the last.
 */
enum { REDUCTIONS_APART = 10 };

/* False if it is put off. */
static bool reduce_so_far(struct tp_live *live)
{
	const double now = tp_now_seconds();
	live->unreduced = now < live->reduces_at;
	if (live->unreduced)
		return false;
	const clock_t begun = clock();
	tp_run_reduce(&live->session.machine, &live->run, false);
	reduce_last(live);
	live->reduces_at = now + REDUCTIONS_APART * (double)(clock() - begun) / CLOCKS_PER_SEC;
	return true;
}

static bool reduces_early(const struct tp_live *live, const struct tp_event *event)
{
	const struct tp_run *run = &live->run;
	if (live->replay || live->current < 0 || (size_t)live->current >= run->n_points)
		return false;
	const struct tp_experiment *e = tp_experiment_find(run->points[live->current].experiment);
	return e && e->reduces_early == event->row_event;
}

/* A stored run has its results: the rows of a point appear with it. */
static void reveal_part(struct tp_run *run, const struct tp_run *stored, const struct tp_part *part)
{
	const struct tp_rows *rows = tp_run_rows(stored, part);
	const struct tp_column *point = tp_column_find(part->table, "point");
	for (size_t i = 0; point && i < rows->n; i++) {
		const char *row = TP_ROW_AT(rows, part->table, i);
		unsigned of = *(const unsigned *)(row + point->offset);
		void *shown = of < run->n_points && run->points[of].state == TP_POINT_DONE
				      ? tp_run_add_row(run, part)
				      : NULL;
		if (shown)
			memcpy(shown, row, part->table->row_bytes);
	}
}

/* Roofs and dots of a stored run appear as their points do, plateaus at the end. */
static void reveal_parts(struct tp_live *live)
{
	tp_run_drop_derived(&live->run);
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->derived)
			reveal_part(&live->run, &live->stored, p);
}

/* --- events --- */

/* The run has it already. */
static void take_event(struct tp_live *live, const struct tp_event *event)
{
	switch (event->kind) {
	case TP_EVENT_PLAN:
		live->n_points = event->n_points;
		live->estimate_seconds = event->estimate_seconds;
		if (!live->replay) {
			set_time_left(live, event->estimate_seconds, tp_now_seconds());
			reduce_so_far(live);
		}
		break;
	case TP_EVENT_POINT_BEGIN:
		live->current = (long)event->point.point;
		live->n_values = 0;
		break;
	case TP_EVENT_ROW:
		live->n_values +=
			event->row_event->values ? event->row_event->values(event->row) : 1;
		if (reduces_early(live, event))
			reduce_so_far(live);
		break;
	case TP_EVENT_POINT_END:
		live->current = -1;
		live->ended = (long)event->point.point;
		if (live->replay)
			reveal_parts(live);
		if (live->replay ? live->speed > 0 : !reduce_so_far(live))
			reduce_last(live);
		break;
	case TP_EVENT_PROGRESS:
		live->moment = true;
		if (!live->replay)
			set_time_left(live, event->remaining_seconds, tp_now_seconds());
		live->n_sources = event->n_sources;
		live->n_compiled = event->n_compiled;
		live->touch_bytes = event->touch_bytes;
		live->touched_bytes = event->touched_bytes;
		memcpy(live->cores, event->cores, sizeof(live->cores));
		live->n_cores = event->n_cores;
		break;
	default:
		break;
	}
	if (live->unreduced)
		reduce_so_far(live);
	live->version++;
}

/* Takes one line; garbage is left out. */
static void take_line(struct tp_live *live, const char *line, size_t len)
{
	TP_FREE struct tp_event *event = tp_alloc(1, sizeof(*event));
	if (tp_event_parse(event, line, len, NULL) == TP_OK &&
	    tp_journal_take(live->journal, event, NULL) == TP_OK)
		take_event(live, event);
}

/* --- measuring --- */

static void on_event(void *context, const struct tp_event *event,
		     const char *line __attribute__((unused)), size_t len __attribute__((unused)))
{
	take_event(context, event);
}

static void on_remark(void *context, const struct tp_diag *diag)
{
	struct tp_live *live = context;
	live->remark = *diag;
}

static void on_wait(void *context, int fd, int ms)
{
	const struct tp_live *live = context;
	live->wait(live->waiter, fd, ms);
}

void tp_live_measure(struct tp_live *live, void (*wait)(void *context, int fd, int ms),
		     void *context)
{
	struct tp_measurement m = { .session = &live->session,
				    .keep = &live->keep,
				    .earlier = live->goes_on ? &live->earlier : NULL,
				    .control_fd = -1,
				    .wishes = &live->wishes,
				    .program_output = -1,
				    .context = live,
				    .event = on_event,
				    .wait = on_wait,
				    .remark = on_remark };
	bool written;
	live->waits = false;
	live->wait = wait;
	live->waiter = context;
	enum tp_status status = tp_session_measure(&m, &live->run, &written);
	live->exit_code = tp_session_exit(&live->run, status);
	if (!written && live->exit_code != TP_EXIT_INTERRUPTED)
		live->exit_code = TP_EXIT_RESOURCE;
	tp_run_release(&live->earlier);
	tp_copy(live->directory, sizeof(live->directory), live->keep.directory);
	tp_run_call(&live->run, live->directory);
	tp_keep_close(&live->keep);
	live->state = TP_LIVE_DONE;
	live->current = -1;
	live->remaining_seconds = 0;
	count_points(live);
	live->version++;
}

/* --- replay: the journal of a stored run, or events made of its points --- */

/* A longer silence is a broken time in the journal. */
#define SILENCE_SECONDS 600.0

/*
 * Keys are heard at least so often, however much there is to replay. A replay at once shows no
 * steps unless it is huge.
 */
#define SLICE_SECONDS	      0.02
#define SLICE_AT_ONCE_SECONDS 1.0
#define SLOWEST		      0.125
#define FASTEST		      128.0

/*
 * The time of a line in seconds since the start of its process, without parsing the rest; negative:
 * none.
 */
static double time_of(const char *line, size_t len)
{
	const char *t = memmem(line, len, "\"t\":", 4);
	double seconds = t ? strtod(t + 4, NULL) : -1;
	return isfinite(seconds) ? seconds : -1;
}

static size_t line_at(const struct tp_live *live, size_t at)
{
	const char *end = memchr(live->text + at, '\n', live->len - at);
	return end ? (size_t)(end - live->text) - at : live->len - at;
}

/*
 * Moves the clock past a line. Processes follow each other: a smaller time belongs to a new one.
 * Events of the parent have no time.
 */
static void pass_line(double t, double *offset, double *last)
{
	if (t <= 0 || t > *last + SILENCE_SECONDS)
		return;
	if (t < *last)
		*offset += *last;
	*last = t;
}

static double whole_time(const struct tp_live *live)
{
	double offset = 0, last = 0;
	for (size_t at = 0, n; at < live->len; at += n + 1) {
		n = line_at(live, at);
		pass_line(time_of(live->text + at, n), &offset, &last);
	}
	return offset + last;
}

/* --- events of a run that has no journal --- */

static void write_event(struct tp_str *out, struct tp_event *event, double t)
{
	event->t = t;
	tp_event_write(event, out);
}

/* The rows of a point that came with separate events, spread over its time. */
static void write_rows(struct tp_str *out, const struct tp_run *run, const struct tp_point *point,
		       const struct tp_row_event *event, double from, double step)
{
	const struct tp_rows *rows = tp_run_rows(run, event->part);
	const struct tp_column *column = tp_column_find(event->table, "point");
	size_t n = 0, told = 0;
	for (size_t i = 0; i < rows->n; i++)
		n += tp_column_number(column, TP_ROW_AT(rows, event->table, i)) == point->point;
	for (size_t i = 0; i < rows->n; i++) {
		const void *row = TP_ROW_AT(rows, event->table, i);
		struct tp_event e = { .kind = TP_EVENT_ROW,
				      .row_event = event,
				      .row = row,
				      .point.point = point->point };
		if (tp_column_number(column, row) == point->point)
			write_event(out, &e, from + step * (double)++told / (double)(n + 1));
	}
}

static void write_point(struct tp_str *out, const struct tp_run *run, const struct tp_point *point,
			double *t)
{
	struct tp_event e = { .kind = TP_EVENT_POINT_BEGIN, .point = *point };
	double step = point->seconds > 0 ? point->seconds : 0;
	write_event(out, &e, *t);
	for (size_t i = 0; i < tp_schema()->n && point->kind; i++) {
		const struct tp_schema_row *row = tp_schema()->rows[i];
		for (size_t k = 0; &row->points == point->kind && k < row->n_events; k++)
			if (row->events[k]->part)
				write_rows(out, run, point, row->events[k], *t, step);
	}
	for (size_t i = 0; i < point->n_samples; i++) {
		struct tp_event sample = { .kind = TP_EVENT_SAMPLE, .sample = point->samples[i] };
		sample.point.point = point->point;
		write_event(out, &sample,
			    *t + step * (double)(i + 1) / (double)(point->n_samples + 1));
	}
	*t += step;
	e.kind = TP_EVENT_POINT_END;
	write_event(out, &e, *t);
}

static void tell_from_points(struct tp_live *live)
{
	TP_STR out = { 0 };
	const struct tp_run *run = &live->stored;
	double t = 1e-6; /* 0 is not time */
	struct tp_event plan = { .kind = TP_EVENT_PLAN,
				 .n_points = (unsigned)run->n_points,
				 .estimate_seconds = run->wall_seconds };
	write_event(&out, &plan, 0);
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state != TP_POINT_PLANNED)
			write_point(&out, run, &run->points[i], &t);
	live->len = out.len;
	live->text = tp_str_take(&out);
}

/* --- opening --- */

/* What is known of a point before it is measured. */
static void plan_point(struct tp_run *run, const struct tp_point *stored)
{
	const size_t results = offsetof(struct tp_point, state);
	struct tp_point planned = *stored;
	memset((char *)&planned + results, 0, offsetof(struct tp_point, kind) - results);
	tp_point_take(tp_run_point_slot(run, stored->point), &planned, &run->arena);
}

/* Reads the journal beside the results, or the file itself if it is a journal. */
static void read_journal(struct tp_live *live, const char *path)
{
	char journal[TP_PATH_MAX + 32];
	bool directory = tp_is_folder(path);
	if (!directory && !tp_ends_with(path, ".ndjson"))
		return;
	snprintf(journal, sizeof(journal), "%s%s", path, directory ? "/journal.ndjson" : "");
	if (tp_file_read(journal, TP_JOURNAL_MAX_BYTES, &live->text, &live->len, NULL) == TP_OK &&
	    !memmem(live->text, live->len, "\"point_begin\"", 13)) {
		free(live->text);
		live->text = NULL;
		live->len = 0;
	}
}

enum tp_status tp_live_replay(struct tp_live *live, const char *run_path, double speed,
			      struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	tp_copy(path, sizeof(path), run_path);
	tp_live_release(live);
	enum tp_status status = tp_run_load(&live->stored, path, diag);
	if (status == TP_OK)
		read_journal(live, path);
	if (status != TP_OK) {
		tp_live_release(live);
		return status;
	}
	if (!live->text)
		tell_from_points(live);
	begin_live(live);
	live->journal = tp_journal_new(&live->run);
	tp_run_copy_facts(&live->run, &live->stored);
	for (size_t i = 0; i < live->stored.n_points; i++)
		plan_point(&live->run, &live->stored.points[i]);
	count_points(live);
	tp_copy(live->directory, sizeof(live->directory), path);
	live->replay = true;
	live->exit_code = -1;
	live->speed = speed;
	live->total_seconds = live->remaining_seconds = whole_time(live);
	return TP_OK;
}

/* --- pace --- */

static double line_due(const struct tp_live *live)
{
	double offset = live->offset, last = live->last_t;
	if (live->speed <= 0)
		return 0;
	pass_line(time_of(live->text + live->at, line_at(live, live->at)), &offset, &last);
	return live->base + (offset + last) / live->speed;
}

/* In the end the run is the one that was stored. */
static void end_replay(struct tp_live *live)
{
	live->state = TP_LIVE_DONE;
	live->current = -1;
	live->remaining_seconds = 0;
	if (live->stored.n_points) {
		tp_journal_free(live->journal);
		live->journal = NULL;
		/* Results may have no windows (points.csv has none): then the journal's stay. */
		for (size_t i = 0; i < live->stored.n_points && i < live->run.n_points; i++) {
			struct tp_point *to = &live->stored.points[i], *from = &live->run.points[i];
			if (to->n_samples || !from->n_samples)
				continue;
			tp_point_release(to);
			to->samples = from->samples;
			to->n_samples = from->n_samples;
			to->cap_samples = from->cap_samples;
			from->samples = NULL;
			from->n_samples = from->cap_samples = 0;
		}
		tp_run_release(&live->run);
		live->run = live->stored;
		live->stored = (struct tp_run){ 0 };
	}
	count_points(live);
	live->version++;
}

static void take_replay(struct tp_live *live, double now)
{
	double since = tp_now_seconds();
	double slice = live->speed > 0 ? SLICE_SECONDS : SLICE_AT_ONCE_SECONDS;
	live->moment = true;
	if (live->state != TP_LIVE_RUNNING)
		return;
	while (live->at < live->len && line_due(live) <= now && tp_now_seconds() - since < slice) {
		size_t n = line_at(live, live->at);
		const char *line = live->text + live->at;
		pass_line(time_of(line, n), &live->offset, &live->last_t);
		take_line(live, line, n);
		live->at += n + 1;
	}
	live->elapsed_seconds = live->offset + live->last_t;
	live->remaining_seconds = fmax(live->total_seconds - live->elapsed_seconds, 0);
	if (live->at >= live->len)
		end_replay(live);
}

/* Time goes on from the current position. */
static void set_speed(struct tp_live *live, double speed)
{
	double now = live->state == TP_LIVE_PAUSED ? live->stopped_at : tp_now_seconds();
	double at = live->speed > 0 ? (now - live->base) * live->speed : live->elapsed_seconds;
	live->speed = speed;
	if (speed > 0)
		live->base = now - at / speed;
	live->version++;
}

void tp_live_pace(struct tp_live *live, bool faster)
{
	if (!live->replay || !tp_live_is_under_way(live))
		return;
	if (live->speed <= 0) {
		if (!faster)
			set_speed(live, FASTEST);
	} else if (faster) {
		set_speed(live, live->speed * 2 > FASTEST ? 0 : live->speed * 2);
	} else {
		set_speed(live, fmax(live->speed / 2, SLOWEST));
	}
}

/* --- both --- */

double tp_live_due(const struct tp_live *live, double now)
{
	if (live->replay) {
		if (live->state != TP_LIVE_RUNNING)
			return -1;
		return live->at < live->len ? fmax(line_due(live) - now, 0) : 0;
	}
	return tp_live_is_under_way(live) ? live->started + (double)(live->ticked + 1) - now : -1;
}

bool tp_live_tick(struct tp_live *live, double now)
{
	if (live->replay || !tp_live_is_under_way(live))
		return false;
	live->elapsed_seconds = now - live->started;
	if (live->state == TP_LIVE_PAUSED && live->current < 0) /* the remaining time stays */
		set_time_left(live, live->remaining_seconds, now);
	live->remaining_seconds = fmax(0, live->told_left - (now - live->told_at));
	long second = (long)live->elapsed_seconds;
	bool other = second != live->ticked;
	live->ticked = second;
	return other;
}

bool tp_live_take(struct tp_live *live, double now)
{
	uint64_t told = live->told;
	if (live->replay && tp_live_is_under_way(live))
		take_replay(live, now);
	live->told = live->version;
	if (live->told != told)
		count_points(live);
	return live->told != told;
}

/* --- requests --- */

void tp_live_pause(struct tp_live *live, bool pause)
{
	if (live->state != (pause ? TP_LIVE_RUNNING : TP_LIVE_PAUSED))
		return;
	live->wishes.paused = pause;
	live->state = pause ? TP_LIVE_PAUSED : TP_LIVE_RUNNING;
	if (live->replay) {
		/* Time stands still during it. */
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
	live->wishes.skip = true;
}

void tp_live_stop(struct tp_live *live)
{
	if (!tp_live_is_under_way(live))
		return;
	live->version++;
	live->wishes.stop = true;
	live->state = live->replay ? TP_LIVE_RUNNING : TP_LIVE_STOPPING;
	if (live->replay)
		live->speed = 0;
}

void tp_live_painted(struct tp_live *live)
{
	live->moment = false;
	live->wishes.painted = true;
}
