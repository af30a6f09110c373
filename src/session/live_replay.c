/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays a stored run at the pace at which it was measured: its journal, or events made from its
 * points.
 */
#include "session/live_parts.h"
#include "base/now.h"
#include "base/memory.h"
#include "record/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer silence is a broken time in the journal. */
#define SILENCE_SECONDS 600.0
/*
 * Keys are heard at least so often, however much there is to replay. A replay at once shows no
 * steps unless it is huge.
 */
#define SLICE_SECONDS	      0.02
#define SLICE_AT_ONCE_SECONDS 1.0

#define SLOWEST 0.125
#define FASTEST 128.0

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
static void pass(double t, double *offset, double *last)
{
	if (t <= 0 || t > *last + SILENCE_SECONDS)
		return;
	if (t < *last)
		*offset += *last;
	*last = t;
}

static double position_after(const struct tp_live *live, size_t at)
{
	double offset = live->offset, last = live->last_t;
	pass(time_of(live->text + at, line_at(live, at)), &offset, &last);
	return offset + last;
}

static double whole_time(const struct tp_live *live)
{
	double offset = 0, last = 0;
	for (size_t at = 0, n; at < live->len; at += n + 1) {
		n = line_at(live, at);
		pass(time_of(live->text + at, n), &offset, &last);
	}
	return offset + last;
}

/* --- events of a run that has no journal --- */

static bool write_event(struct tp_str *out, struct tp_event *event, double t)
{
	event->t = t;
	return tp_event_write(event, out) == TP_OK;
}

/* The rows of a point that came with events of their own, spread over its time. */
static bool write_rows(struct tp_str *out, const struct tp_run *run, const struct tp_point *point,
		       const struct tp_row_event *event, double from, double step)
{
	const struct tp_rows *rows = tp_run_rows(run, event->part);
	const struct tp_column *column = tp_column_find(event->table, "point");
	size_t n = 0, told = 0;
	bool good = true;
	for (size_t i = 0; i < rows->n; i++)
		n += tp_column_number(column, TP_ROW_AT(rows, event->table, i)) == point->point;
	for (size_t i = 0; good && i < rows->n; i++) {
		const void *row = TP_ROW_AT(rows, event->table, i);
		struct tp_event e = { .kind = TP_EVENT_ROW,
				      .row_event = event,
				      .row = row,
				      .point.point = point->point };
		if (tp_column_number(column, row) == point->point)
			good = write_event(out, &e, from + step * (double)++told / (double)(n + 1));
	}
	return good;
}

static bool write_point(struct tp_str *out, const struct tp_run *run, const struct tp_point *point,
			double *t)
{
	struct tp_event e = { .kind = TP_EVENT_POINT_BEGIN, .point = *point };
	double step = point->seconds > 0 ? point->seconds : 0;
	bool good = write_event(out, &e, *t);
	for (size_t i = 0; i < tp_schema.n && point->kind; i++)
		for (size_t k = 0; good && &tp_schema.rows[i]->points == point->kind &&
				   k < tp_schema.rows[i]->n_events;
		     k++)
			if (tp_schema.rows[i]->events[k]->part)
				good = write_rows(out, run, point, tp_schema.rows[i]->events[k], *t,
						  step);
	for (size_t i = 0; good && i < point->n_samples; i++) {
		struct tp_event sample = { .kind = TP_EVENT_SAMPLE, .sample = point->samples[i] };
		sample.point.point = point->point;
		good = write_event(out, &sample,
				   *t + step * (double)(i + 1) / (double)(point->n_samples + 1));
	}
	*t += step;
	e.kind = TP_EVENT_POINT_END;
	return good && write_event(out, &e, *t);
}

static enum tp_status tell_from_points(struct tp_live *live, struct tp_diag *diag)
{
	struct tp_str out = { 0 };
	const struct tp_run *run = &live->stored;
	double t = 1e-6; /* 0 is no time */
	struct tp_event plan = { .kind = TP_EVENT_PLAN,
				 .n_points = (unsigned)run->n_points,
				 .estimate_seconds = run->wall_seconds };
	bool good = write_event(&out, &plan, 0);
	for (size_t i = 0; good && i < run->n_points; i++)
		if (run->points[i].state != TP_POINT_PLANNED)
			good = write_point(&out, run, &run->points[i], &t);
	live->len = out.len;
	live->text = good ? tp_str_take(&out) : NULL;
	tp_str_release(&out);
	return live->text ? TP_OK : tp_fail(diag, TP_NOMEM, "replay", NULL, "out of memory");
}

/* --- opening --- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Reads the journal beside the results, or the file itself if it is a journal. */
static void read_journal(struct tp_live *live, const char *path)
{
	char journal[TP_PATH_MAX + 32];
	bool directory = tp_is_folder(path);
	if (!directory && !ends_with(path, ".ndjson"))
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
	if (status == TP_OK && !live->text)
		status = tell_from_points(live, diag);
	if (status == TP_OK)
		status = tp_live_begin(live, diag);
	if (status != TP_OK) {
		tp_live_release(live);
		return status;
	}
	tp_run_copy_facts(&live->run, &live->stored);
	for (size_t i = 0; i < live->stored.n_points; i++)
		tp_live_plan_point(live, &live->stored.points[i]);
	tp_live_count(live);
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
	return live->speed > 0 ? live->base + position_after(live, live->at) / live->speed : 0;
}

double tp_live_replay_due(const struct tp_live *live, double now)
{
	if (live->state != TP_LIVE_RUNNING)
		return -1;
	return live->at < live->len ? fmax(line_due(live) - now, 0) : 0;
}

/* Results may have no windows (points.csv has none): then those of the journal stay. */
static void keep_windows(struct tp_run *stored, struct tp_run *told)
{
	for (size_t i = 0; i < stored->n_points && i < told->n_points; i++) {
		struct tp_point *to = &stored->points[i], *from = &told->points[i];
		if (to->n_samples || !from->n_samples)
			continue;
		tp_point_release(to);
		to->samples = from->samples;
		to->n_samples = from->n_samples;
		to->cap_samples = from->cap_samples;
		from->samples = NULL;
		from->n_samples = from->cap_samples = 0;
	}
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
		keep_windows(&live->stored, &live->run);
		tp_run_release(&live->run);
		live->run = live->stored;
		live->stored = (struct tp_run){ 0 };
	}
	tp_live_count(live);
	live->version++;
}

bool tp_live_take_replay(struct tp_live *live, double now)
{
	uint64_t before = live->version;
	double since = tp_now_seconds();
	double slice = live->speed > 0 ? SLICE_SECONDS : SLICE_AT_ONCE_SECONDS;
	live->moment = true;
	if (live->state != TP_LIVE_RUNNING)
		return false;
	while (live->at < live->len && line_due(live) <= now && tp_now_seconds() - since < slice) {
		size_t n = line_at(live, live->at);
		const char *line = live->text + live->at;
		pass(time_of(line, n), &live->offset, &live->last_t);
		tp_live_line(live, line, n);
		live->at += n + 1;
	}
	live->elapsed_seconds = live->offset + live->last_t;
	live->remaining_seconds = fmax(live->total_seconds - live->elapsed_seconds, 0);
	if (live->at >= live->len)
		end_replay(live);
	return live->version != before;
}

/* Time goes on from where it is. */
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
