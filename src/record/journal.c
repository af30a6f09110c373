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
#include "record/field.h"
#include "record/run.h"

static const size_t journal_max_bytes = (size_t)1 << 30;

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
};

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

/* Everything but the samples, which stay with the point in the run. */
static void take_over(struct tp_point *point, const struct tp_point *news)
{
	struct tp_sample *samples = point->samples;
	size_t n = point->n_samples, cap = point->cap_samples;

	*point = *news;
	point->samples = samples;
	point->n_samples = n;
	point->cap_samples = cap;
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
			tp_trials_remove(j->run, event->point.point);
			take_over(point, &event->point);
		}
		return TP_OK;
	case TP_EVENT_SAMPLE:
		return tp_point_add_sample(point, &event->sample);
	default:
		remove_samples(point, j->invocation, attempt->start);
		take_over(point, &event->point);
		attempt->start = point->n_samples;
		attempt->ended = true;
		return TP_OK;
	}
}

/* A point that is measured again overwrites what it counted before. */
static enum tp_status take_counts(struct tp_journal *j, const struct tp_counts *counts,
				  struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	for (unsigned i = 0; i < counts->n && status == TP_OK; i++)
		status = tp_readings_add(
			&j->run->readings,
			&(struct tp_reading){ .family = counts->family,
					      .event = counts->event,
					      .row = counts->row,
					      .repetition = (size_t)counts->first + i,
					      .count = counts->counts[i],
					      .iterations = counts->iterations },
			diag);
	return status;
}

static enum tp_status take_trial(struct tp_journal *j, const struct tp_trial *trial,
				 struct tp_diag *diag)
{
	if (trial->point >= TP_RUN_POINTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "point %u is larger than any run's",
			       trial->point);
	if (tp_trials_put(j->run, trial))
		return tp_fail(diag, TP_NOMEM, "event", NULL, "out of memory");
	return TP_OK;
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
	case TP_EVENT_COUNTS:
		return take_counts(j, &event->counts, diag);
	case TP_EVENT_TRIAL:
		return take_trial(j, &event->trial, diag);
	case TP_EVENT_DIAG:
		tp_diags_add(&j->run->diags, &event->diag);
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

enum tp_status tp_journal_give(struct tp_journal *j, const struct tp_point *point)
{
	struct tp_point *slot = NULL;
	struct attempt *attempt = NULL;
	enum tp_status status = slot_of(j, point->point, &slot, &attempt, NULL);

	if (status)
		return status;
	slot->n_samples = 0;
	take_over(slot, point);
	for (size_t i = 0; i < point->n_samples && status == TP_OK; i++)
		status = tp_point_add_sample(slot, &point->samples[i]);
	attempt->start = slot->n_samples;
	attempt->ended = true;
	return status;
}

static bool is_blank(const char *line, size_t n)
{
	return strspn(line, " \t\r\n") >= n;
}

/* One line; what is no event is noted with its number and left out. */
static enum tp_status read_line(struct tp_journal *j, const char *path, size_t number,
				const char *line, size_t n, bool complete)
{
	struct tp_event *event = malloc(sizeof(*event));
	struct tp_diag diag;
	enum tp_status status = TP_NOMEM;

	if (!event)
		return status;
	status = tp_event_parse(event, line, n, &diag);
	if (status == TP_OK)
		status = tp_journal_take(j, event, &diag);
	free(event);
	if (status == TP_OK || status == TP_NOMEM)
		return status;
	if (complete) { /* the last line of a killed run is cut anywhere: nothing to say about it */
		snprintf(diag.where, sizeof(diag.where), "%.150s:%zu", path, number);
		tp_diags_add(&j->run->diags, &diag);
	}
	return TP_OK;
}

static enum tp_status read_lines(struct tp_journal *j, const char *path, const char *text,
				 size_t len)
{
	enum tp_status status = TP_OK;
	size_t number = 1;

	for (size_t at = 0; at < len && status == TP_OK; number++) {
		const char *end = memchr(&text[at], '\n', len - at);
		size_t n = end ? (size_t)(end - &text[at]) : len - at;

		if (!is_blank(&text[at], n))
			status = read_line(j, path, number, &text[at], n, end);
		at += n + 1;
	}
	/*
	 * Samples of an attempt that never ended do not belong to the values of the one that did.
	 */
	for (size_t i = 0; i < j->n_attempts; i++)
		if (j->attempts[i].ended)
			j->run->points[i].n_samples = j->attempts[i].start;
	j->run->wall_seconds += j->t;
	return status;
}

enum tp_status tp_journal_read(struct tp_run *run, const char *path, struct tp_diag *diag)
{
	struct tp_run fresh = { .state = "interrupted" };
	struct tp_journal j = { .run = &fresh };
	enum tp_status status;
	char *text;
	size_t len;

	status = tp_file_read(path, journal_max_bytes, &text, &len, diag);
	if (status)
		return status;
	status = read_lines(&j, path, text, len);
	if (status)
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	else if (j.n_events == 0 && !is_blank(text, len))
		status = tp_fail(diag, TP_USAGE, path, "give the journal.ndjson of a run directory",
				 "not a journal: no line of it is an event");
	free(text);
	free(j.attempts);
	if (status) {
		tp_run_release(&fresh);
		return status;
	}
	tp_run_release(run);
	*run = fresh;
	return TP_OK;
}
