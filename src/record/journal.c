/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A journal is the event stream of every process that worked on the run, one after another. A point
 * may begin several times: in fresh processes (invocations: their samples add up) and again after a
 * crash (the unfinished attempt's samples go).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/event.h"
#include "record/document.h"

struct attempt {
	size_t start; /* samples before this one belong to earlier attempts */
	bool ended; /* at least one attempt came to its end */
};

struct tp_journal {
	struct tp_run *run;
	struct attempt *attempts; /* index = point id */
	size_t n_attempts, cap_attempts;
	unsigned invocation;
	double t; /* of the newest event of the present process */
	size_t n_events;
	size_t n_untold; /* lines that are no events, beyond those that are told */
	/* reading a file: its windows, of which TP_RUN_WINDOWS_MAX are kept; NULL: all are */
	const char *path;
	size_t n_windows;
	bool said; /* something else than blanks stands in it */
};
/* No event is as long. */
enum { LINE_MAX_BYTES = 1 << 20 };

/* Removes the samples of one invocation among the first `end`. */
static void remove_samples(struct tp_point *point, unsigned invocation, size_t end)
{
	size_t to = 0;

	for (size_t i = 0; i < point->n_samples; i++)
		if (i >= end || point->samples[i].invocation != invocation)
			point->samples[to++] = point->samples[i];
	point->n_samples = to;
}

static enum tp_status slot_of(struct tp_journal *j, unsigned id, struct tp_point **point,
			      struct attempt **attempt, struct tp_diag *diag)
{
	if (id >= TP_RUN_POINTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "point %u is larger than any run's",
			       id);
	*point = tp_run_point_slot(j->run, id);
	if (!*point || tp_vec_reserve((void **)&j->attempts, &j->cap_attempts, (size_t)id + 1,
				      sizeof(*j->attempts)))
		return tp_fail(diag, TP_NOMEM, "event", NULL, "out of memory");
	if (j->n_attempts <= id) {
		memset(&j->attempts[j->n_attempts], 0,
		       (id + 1 - j->n_attempts) * sizeof(*j->attempts));
		j->n_attempts = (size_t)id + 1;
	}
	*attempt = &j->attempts[id];
	return TP_OK;
}

static enum tp_status point_event(struct tp_journal *j, const struct tp_event *event,
				  struct tp_diag *diag)
{
	struct tp_point *point = NULL;
	struct attempt *attempt = NULL;
	enum tp_status status = slot_of(j, event->point.point, &point, &attempt, diag);

	if (status)
		return status;
	switch (event->kind) {
	case TP_EVENT_POINT_BEGIN:
		if (attempt->ended) {
			attempt->start = point->n_samples;
		} else {
			remove_samples(point, j->invocation, point->n_samples);
			tp_run_forget(j->run, event->point.point);
			status = tp_point_take(point, &event->point, &j->run->arena);
		}
		return status;
	case TP_EVENT_SAMPLE:
		if (!j->path || j->n_windows++ < TP_RUN_WINDOWS_MAX)
			return tp_point_add_sample(point, &event->sample);
		tp_run_remark_windows(j->run, j->path);
		return TP_OK;
	default:
		remove_samples(point, j->invocation, attempt->start);
		status = tp_point_take(point, &event->point, &j->run->arena);
		attempt->start = point->n_samples;
		attempt->ended = true;
		return status;
	}
}

static enum tp_status take_row(struct tp_journal *j, const struct tp_event *event,
			       struct tp_diag *diag)
{
	if (event->point.point >= TP_RUN_POINTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "point %u is larger than any run's",
			       event->point.point);
	return event->row_event->put(j->run, event->row, diag);
}

enum tp_status tp_journal_take(struct tp_journal *j, const struct tp_event *event,
			       struct tp_diag *diag)
{
	j->n_events++;
	if (event->kind == TP_EVENT_HELLO) {
		/*
		 * A new process: its clock starts at 0 again, and the run is not over before it
		 * says so.
		 */
		j->run->wall_seconds += j->t;
		j->t = 0;
		j->invocation = event->invocation;
		tp_copy(j->run->state, sizeof(j->run->state), "interrupted");
	}
	j->t = fmax(j->t, event->t);
	switch (event->kind) {
	case TP_EVENT_POINT_BEGIN:
	case TP_EVENT_SAMPLE:
	case TP_EVENT_POINT_END:
		return point_event(j, event, diag);
	case TP_EVENT_ROW:
		return take_row(j, event, diag);
	case TP_EVENT_DIAG:
		tp_run_remark(j->run, &event->diag);
		return TP_OK;
	case TP_EVENT_DONE:
		tp_copy(j->run->state, sizeof(j->run->state),
			strcmp(event->state, "cancelled") == 0 ? "interrupted" : event->state);
		return TP_OK;
	default:
		return TP_OK;
	}
}

struct tp_journal *tp_journal_new(struct tp_run *run)
{
	struct tp_journal *j = calloc(1, sizeof(*j));

	if (j)
		j->run = run;
	return j;
}

void tp_journal_free(struct tp_journal *j)
{
	if (j)
		free(j->attempts);
	free(j);
}

/* A finished point that was measured before the first event, with its samples (copied). */
static enum tp_status journal_give(struct tp_journal *j, const struct tp_point *point)
{
	struct tp_point *slot = NULL;
	struct attempt *attempt = NULL;
	enum tp_status status = slot_of(j, point->point, &slot, &attempt, NULL);

	if (status)
		return status;
	slot->n_samples = 0;
	status = tp_point_take(slot, point, &j->run->arena);
	for (size_t i = 0; i < point->n_samples && status == TP_OK; i++)
		status = tp_point_add_sample(slot, &point->samples[i]);
	attempt->start = slot->n_samples;
	attempt->ended = true;
	return status;
}

enum tp_status tp_journal_continue(struct tp_journal *j, struct tp_run *earlier)
{
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < earlier->n_points && status == TP_OK; i++)
		if (earlier->points[i].state == TP_POINT_DONE)
			status = journal_give(j, &earlier->points[i]);
	return status ? status : tp_run_take_measured(j->run, earlier);
}

void tp_journal_end(struct tp_journal *j)
{
	for (size_t i = 0; i < j->n_attempts; i++)
		if (j->attempts[i].ended)
			j->run->points[i].n_samples = j->attempts[i].start;
	j->run->wall_seconds += j->t;
	j->t = 0;
}

static bool is_blank(const char *line, size_t n)
{
	return strspn(line, " \t\r\n") >= n;
}

/* The journal that is read. */
struct reading {
	struct tp_journal journal;
	struct tp_event event;
};

/* One line; what is no event is noted with its number and left out. */
static enum tp_status read_line(void *context, size_t number, const char *line, size_t n,
				bool whole)
{
	struct reading *reading = context;
	struct tp_journal *j = &reading->journal;
	bool full = j->run->diags.n >= TP_DIAGS_MAX;
	struct tp_diag diag;
	enum tp_status status = TP_USAGE;

	if (line && is_blank(line, n))
		return TP_OK;
	j->said = true;
	if (line && line[strspn(line, " \t\r")] == '{')
		status = tp_event_parse(&reading->event, line, n, &diag);
	else if (!full)
		tp_fail(&diag, status, "event", NULL, line ? "not an object" : "too long");
	if (status == TP_OK)
		status = tp_journal_take(j, &reading->event, &diag);
	if (status == TP_OK || status == TP_NOMEM)
		return status;
	/* The last line of a killed run is cut anywhere: nothing to say about it. */
	if (whole && full) {
		j->n_untold++;
	} else if (whole) {
		snprintf(diag.where, sizeof(diag.where), "%.150s:%zu", j->path, number);
		tp_diags_add(&j->run->diags, &diag);
	}
	return TP_OK;
}

enum tp_status tp_journal_read(struct tp_run *run, const char *path, struct tp_diag *diag)
{
	struct tp_run fresh = { .state = "interrupted" };
	struct reading *reading = calloc(1, sizeof(*reading)); /* too large for the stack */
	struct tp_journal *j = &reading->journal;
	enum tp_status status;

	if (!reading)
		return tp_fail(diag, TP_NOMEM, path, NULL, "%s", tp_status_name(TP_NOMEM));
	j->run = &fresh;
	j->path = path;
	status =
		tp_file_lines(path, TP_JOURNAL_MAX_BYTES, LINE_MAX_BYTES, read_line, reading, diag);
	tp_journal_end(j);
	if (j->n_untold)
		tp_diags_more(&fresh.diags, j->n_untold);
	if (status == TP_NOMEM)
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	else if (status == TP_OK && j->n_events == 0 && j->said)
		status = tp_fail(diag, TP_USAGE, path, "give the journal.ndjson of a run directory",
				 "not a journal: no line of it is an event");
	free(j->attempts);
	free(reading);
	if (status) {
		tp_run_release(&fresh);
		return status;
	}
	tp_run_release(run);
	*run = fresh;
	return TP_OK;
}
