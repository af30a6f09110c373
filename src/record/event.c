/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/event.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/document.h"
#include "record/limits.h"
#include "record/point.h"

static const char *const kind_names[] = {
#define KIND_NAME(name, text) text,
	TP_EVENT_LIST(KIND_NAME)
#undef KIND_NAME
};

static bool has_unit(const void *row, const char *unit)
{
	return strcmp(((const struct tp_event *)row)->point.unit, unit) == 0;
}

static bool is_gbps(const void *row)
{
	return has_unit(row, "GB/s");
}

static bool is_gflops(const void *row)
{
	return has_unit(row, "GFLOP/s");
}

static bool is_ns(const void *row)
{
	return has_unit(row, "ns");
}

/* clang-format off */
#define E(member, name, type, rule, ...) \
	TP_COLUMN(struct tp_event, member, name, type, rule, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column hello_fields[] = {
	E(version,     "version",     TEXT,     ALWAYS),
	E(counter_ghz, "counter_ghz", REAL,     NONZERO),
	E(invocation,  "invocation",  UNSIGNED, ALWAYS, .most = TP_RUN_INVOCATIONS_MAX - 1),
};

static const struct tp_column plan_fields[] = {
	E(n_points,         "points",           UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX),
	E(estimate_seconds, "estimate_seconds", REAL,     ALWAYS),
};

static const struct tp_column progress_fields[] = {
	E(n_done,              "done",              UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX),
	E(n_points,            "points",            UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX),
	E(estimate_seconds,    "estimate_seconds",  REAL,     NONZERO),
	E(elapsed_seconds,     "elapsed_seconds",   REAL,     ALWAYS),
	E(remaining_seconds,   "remaining_seconds", REAL,     ALWAYS),
	E(point.point,         "point",             UNSIGNED, ALWAYS, .most = TP_RUN_POINTS_MAX - 1),
	E(n_sources,           "sources",           UNSIGNED, NONZERO),
	E(n_compiled,          "compiled",          UNSIGNED, NONZERO),
	E(touch_bytes,         "touch_bytes",       U64,      NONZERO),
	E(touched_bytes,       "touched_bytes",     U64,      NONZERO),
	E(point.median, "median_gbps",   REAL, NONZERO, .applies = is_gbps),
	E(point.median, "median_gflops", REAL, NONZERO, .applies = is_gflops),
	E(point.median, "median_ns",     REAL, NONZERO, .applies = is_ns),
};

#define C(member, type, rule, ...) \
	TP_COLUMN(struct tp_core_now, member, #member, type, rule, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column core_fields[] = {
	C(cpu,    UNSIGNED, ALWAYS),
	C(ghz,    REAL,     ALWAYS),
	C(others, REAL,     ALWAYS),
	C(stolen, REAL,     ALWAYS),
};

static const struct tp_column done_fields[] = {
	E(state, "state", TEXT, ALWAYS),
};

/* clang-format on */

static const struct tp_table hello_table = { TP_TABLE(struct tp_event, hello_fields) },
			     plan_table = { TP_TABLE(struct tp_event, plan_fields) },
			     progress_table = { TP_TABLE(struct tp_event, progress_fields) },
			     done_table = { TP_TABLE(struct tp_event, done_fields) },
			     core_table = { TP_TABLE(struct tp_core_now, core_fields) };

static enum tp_status unpack_cores(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	const json_t *cores = json_object_get(o, "cores");
	enum tp_status status = TP_OK;

	event->n_cores = TP_MIN(json_array_size(cores), (size_t)TP_EVENT_CORES);
	for (size_t i = 0; i < event->n_cores && !status; i++)
		status = tp_row_unpack(&core_table, json_array_get(cores, i), &event->cores[i],
				       "event", diag);
	return status;
}

static void pack_body(const struct tp_event *event, json_t *o)
{
	switch (event->kind) {
	case TP_EVENT_HELLO:
		tp_json_set(o, "pid", json_integer(event->pid));
		tp_row_pack(&hello_table, TP_IN_JSON, event, o);
		break;
	case TP_EVENT_PLAN:
		tp_row_pack(&plan_table, TP_IN_JSON, event, o);
		break;
	case TP_EVENT_POINT_BEGIN:
		tp_point_pack(&event->point, TP_IN_IDENTITY, NULL, o);
		break;
	case TP_EVENT_SAMPLE:
		tp_json_set(o, "point", json_integer(event->point.point));
		tp_row_pack(&tp_sample_table, TP_IN_JSON, &event->sample, o);
		break;
	case TP_EVENT_ROW:
		tp_json_set(o, "point", json_integer(event->point.point));
		tp_row_pack(event->row_event->table, TP_IN_JSON, event->row, o);
		if (event->row_event->pack)
			event->row_event->pack(event->row, o);
		break;
	case TP_EVENT_POINT_END:
		tp_point_pack(&event->point, TP_IN_IDENTITY | TP_IN_FOUND, NULL, o);
		break;
	case TP_EVENT_DIAG:
		tp_json_set(o, "status", json_string(tp_status_name(event->status)));
		tp_json_set(o, "where", tp_json_text(event->diag.where));
		tp_json_set(o, "what", tp_json_text(event->diag.what));
		tp_json_set(o, "hint", tp_json_text(event->diag.hint));
		break;
	case TP_EVENT_PROGRESS:
		tp_row_pack(&progress_table, TP_IN_JSON, event, o);
		if (event->n_cores) {
			json_t *cores = json_array();
			tp_json_set(o, "cores", cores);
			for (size_t i = 0; i < event->n_cores; i++)
				tp_json_append(cores, tp_row_object(&core_table, &event->cores[i]));
		}
		break;
	case TP_EVENT_DONE:
		tp_row_pack(&done_table, TP_IN_JSON, event, o);
		break;
	case TP_EVENT_COUNT:
		break;
	}
}

void tp_event_write(const struct tp_event *event, struct tp_str *out)
{
	bool row = event->kind == TP_EVENT_ROW;
	json_t *o = json_pack("{s:i,s:s,s:o}", "v", TP_EVENT_VERSION, "ev",
			      row ? event->row_event->name : kind_names[event->kind], "t",
			      tp_json_real(event->t));

	pack_body(event, o);
	tp_json_add(out, o,
		    JSON_COMPACT | (row && event->row_event->exact ? JSON_REAL_PRECISION(17) : 0));
	tp_str_add(out, "\n");
}

static enum tp_status read_status(const json_t *o, enum tp_status *status, struct tp_diag *diag)
{
	const char *name = json_string_value(json_object_get(o, "status"));

	for (int i = 0; name && i < TP_STATUS_COUNT; i++)
		if (strcmp(name, tp_status_name((enum tp_status)i)) == 0) {
			*status = (enum tp_status)i;
			return TP_OK;
		}
	return tp_fail(diag, TP_USAGE, "event", NULL, "\"status\" is not a known status");
}

/* The events about a point are nothing without its number. */
static enum tp_status read_number(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	json_int_t id = json_integer_value(json_object_get(o, "point"));

	if (!json_is_integer(json_object_get(o, "point")) || id < 0 || id >= TP_RUN_POINTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "\"point\" is not a point number");
	event->point.point = (unsigned)id;
	return TP_OK;
}

static enum tp_status unpack_row(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	const struct tp_row_event *kind = event->row_event;
	enum tp_status status = read_number(event, o, diag);

	if (status)
		return status;
	event->row = &event->room;
	status = tp_row_unpack(kind->table, o, &event->room, "event", diag);
	return status || !kind->unpack ? status : kind->unpack(&event->room, o, diag);
}

static enum tp_status unpack_point(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	const char *experiment = json_string_value(json_object_get(o, "experiment"));
	enum tp_status status = read_number(event, o, diag);

	if (status)
		return status;
	event->point.kind = tp_point_kind_find(experiment ? experiment : "");
	event->point.row = event->point.kind->table ? &event->room : NULL;
	return tp_point_unpack(&event->point, NULL, o, "event", diag);
}

static enum tp_status unpack_progress(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	static const struct {
		const char *key, *unit;
	} medians[] = { { "median_gbps", "GB/s" },
			{ "median_gflops", "GFLOP/s" },
			{ "median_ns", "ns" } };

	for (size_t i = 0; i < TP_COUNT_OF(medians); i++)
		if (json_is_number(json_object_get(o, medians[i].key)))
			tp_copy(event->point.unit, sizeof(event->point.unit), medians[i].unit);
	event->point.less_is_better = is_ns(event);
	enum tp_status status = tp_row_unpack(&progress_table, o, event, "event", diag);
	return status ? status : unpack_cores(event, o, diag);
}

static enum tp_status unpack_body(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	enum tp_status status;

	switch (event->kind) {
	case TP_EVENT_HELLO:
		event->pid = (long)json_integer_value(json_object_get(o, "pid"));
		return tp_row_unpack(&hello_table, o, event, "event", diag);
	case TP_EVENT_PLAN:
		return tp_row_unpack(&plan_table, o, event, "event", diag);
	case TP_EVENT_POINT_BEGIN:
	case TP_EVENT_POINT_END:
		return unpack_point(event, o, diag);
	case TP_EVENT_SAMPLE:
		status = read_number(event, o, diag);
		return status ? status
			      : tp_row_unpack(&tp_sample_table, o, &event->sample, "event", diag);
	case TP_EVENT_ROW:
		return unpack_row(event, o, diag);
	case TP_EVENT_DIAG:
		tp_json_diag_read(o, &event->diag);
		return read_status(o, &event->status, diag);
	case TP_EVENT_PROGRESS:
		return unpack_progress(event, o, diag);
	case TP_EVENT_DONE:
		return tp_row_unpack(&done_table, o, event, "event", diag);
	case TP_EVENT_COUNT:
		break;
	}
	return TP_INTERNAL;
}

static enum tp_status unpack(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	const json_t *version = json_object_get(o, "v");
	const char *kind = json_string_value(json_object_get(o, "ev"));
	size_t i;

	if (!json_is_integer(version) || !kind)
		return tp_fail(diag, TP_USAGE, "event", NULL,
			       "not an event: no \"v\" or no \"ev\"");
	if (json_integer_value(version) != TP_EVENT_VERSION)
		return tp_fail(diag, TP_UNSUPPORTED, "event", "use the tprof that wrote it",
			       "event version %lld, this program reads %d",
			       (long long)json_integer_value(version), TP_EVENT_VERSION);
	memset(event, 0, sizeof(*event));
	event->row_event = tp_row_event_find(kind);
	for (i = 0; i < TP_EVENT_COUNT && strcmp(kind, kind_names[i]) != 0; i++)
		;
	if (event->row_event)
		i = TP_EVENT_ROW;
	else if (i == TP_EVENT_ROW)
		i = TP_EVENT_COUNT;
	if (i == TP_EVENT_COUNT)
		return tp_fail(diag, TP_UNSUPPORTED, "event", NULL, "unknown event \"%.60s\"",
			       kind);
	event->kind = (enum tp_event_kind)i;
	event->t = json_number_value(json_object_get(o, "t"));
	if (!(event->t >= 0 && event->t <= TP_RUN_SECONDS_MAX))
		return tp_fail(diag, TP_USAGE, "event", NULL, "\"t\" is not a valid time of a run");
	return unpack_body(event, o, diag);
}

enum tp_status tp_event_parse(struct tp_event *event, const char *line, size_t len,
			      struct tp_diag *diag)
{
	enum tp_status status;
	json_error_t error;
	json_t *o;

	o = json_loadb(line, len, 0, &error);
	if (!o)
		return tp_fail(diag, TP_USAGE, "event", NULL, "column %d: %s", error.column,
			       error.text);
	if (json_is_object(o))
		status = unpack(event, o, diag);
	else
		status = tp_fail(diag, TP_USAGE, "event", NULL, "not an object");
	json_decref(o);
	return status;
}

/*
 * A journal is the event stream of every process that worked on the run, one after another. A point
 * may begin several times: in fresh processes (invocations: their samples add up) and again after a
 * crash (the unfinished attempt's samples go).
 */

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
	size_t n_untold; /* lines that are not events, beyond the reported ones */
	/* reading a file: its windows, of which TP_RUN_WINDOWS_MAX are kept; NULL: all */
	const char *path;
	size_t n_windows;
	bool said; /* it contains anything but blanks */
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
	TP_RESERVE(j->attempts, j->cap_attempts, (size_t)id + 1);
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
			tp_point_take(point, &event->point, &j->run->arena);
		}
		return TP_OK;
	case TP_EVENT_SAMPLE:
		if (!j->path || j->n_windows++ < TP_RUN_WINDOWS_MAX)
			tp_point_add_sample(point, &event->sample);
		else
			tp_run_remark_windows(j->run, j->path);
		return TP_OK;
	default:
		remove_samples(point, j->invocation, attempt->start);
		if (event->point.state == TP_POINT_SKIPPED)
			tp_run_forget_early(j->run, event->point.point);
		tp_point_take(point, &event->point, &j->run->arena);
		attempt->start = point->n_samples;
		attempt->ended = true;
		return TP_OK;
	}
}

static enum tp_status take_row(struct tp_journal *j, const struct tp_event *event,
			       struct tp_diag *diag)
{
	if (event->point.point >= TP_RUN_POINTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "point %u is larger than any run's",
			       event->point.point);
	const struct tp_row_event *kind = event->row_event;
	if (kind->put)
		return kind->put(j->run, event->row, diag);
	enum tp_status status = tp_run_put_row(j->run, kind->part, event->row);
	return status ? tp_fail(diag, TP_USAGE, "event", NULL, "more %s%s than a run can have",
				kind->part->add ? "" : "rows of ", kind->table->name)
		      : TP_OK;
}

enum tp_status tp_journal_take(struct tp_journal *j, const struct tp_event *event,
			       struct tp_diag *diag)
{
	j->n_events++;
	if (event->kind == TP_EVENT_HELLO) {
		/*
		 * A new process: its clock starts at 0 again, and the run is not over until its end
		 * event.
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
	case TP_EVENT_PLAN:
		j->run->planned = TP_MIN(event->n_points, (unsigned)TP_RUN_POINTS_MAX);
		return TP_OK;
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
	struct tp_journal *j = tp_alloc(1, sizeof(*j));

	j->run = run;
	return j;
}

void tp_journal_free(struct tp_journal *j)
{
	if (j)
		free(j->attempts);
	free(j);
}

/* A finished point that was measured before the first event; its samples move. */
static enum tp_status journal_give(struct tp_journal *j, struct tp_point *point)
{
	struct tp_point *slot = NULL;
	struct attempt *attempt = NULL;
	enum tp_status status = slot_of(j, point->point, &slot, &attempt, NULL);

	if (status)
		return status;
	tp_point_release(slot);
	tp_point_take(slot, point, &j->run->arena);
	slot->samples = point->samples;
	slot->n_samples = point->n_samples;
	slot->cap_samples = point->cap_samples;
	point->samples = NULL;
	attempt->start = slot->n_samples;
	attempt->ended = true;
	return TP_OK;
}

enum tp_status tp_journal_continue(struct tp_journal *j, struct tp_run *earlier)
{
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < earlier->n_points && status == TP_OK; i++)
		if (earlier->points[i].state == TP_POINT_DONE)
			status = journal_give(j, &earlier->points[i]);
	if (status == TP_OK)
		status = tp_run_take_measured(j->run, earlier);
	for (size_t i = 0; i < earlier->n_points; i++)
		tp_point_release(&earlier->points[i]);
	free(earlier->points);
	earlier->points = NULL;
	earlier->n_points = 0;
	return status;
}

void tp_journal_end(struct tp_journal *j)
{
	for (size_t i = 0; i < j->n_attempts; i++)
		if (j->attempts[i].ended)
			j->run->points[i].n_samples = j->attempts[i].start;
	j->run->wall_seconds += j->t;
	j->t = 0;
}

/* The journal that is read. */
struct reading {
	struct tp_journal journal;
	struct tp_event event;
};

/* One line; what is not an event is noted with its number and left out. */
static enum tp_status read_line(void *context, size_t number, const char *line, size_t n,
				bool whole)
{
	struct reading *reading = context;
	struct tp_journal *j = &reading->journal;
	bool full = j->run->diags.n >= TP_DIAGS_MAX;
	struct tp_diag diag;
	enum tp_status status = TP_USAGE;

	if (line && strspn(line, " \t\r\n") >= n)
		return TP_OK;
	j->said = true;
	if (line && line[strspn(line, " \t\r")] == '{')
		status = tp_event_parse(&reading->event, line, n, &diag);
	else if (!full)
		tp_fail(&diag, status, "event", NULL, line ? "not an object" : "too long");
	if (status == TP_OK)
		status = tp_journal_take(j, &reading->event, &diag);
	if (status == TP_OK)
		return TP_OK;
	/* The last line of a killed run may be cut anywhere, without a remark. */
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
	/* too large for the stack */
	TP_FREE struct reading *reading = tp_alloc(1, sizeof(*reading));
	struct tp_journal *j = &reading->journal;
	enum tp_status status;

	j->run = &fresh;
	j->path = path;
	status =
		tp_file_lines(path, TP_JOURNAL_MAX_BYTES, LINE_MAX_BYTES, read_line, reading, diag);
	tp_journal_end(j);
	if (j->n_untold)
		tp_diags_more(&fresh.diags, j->n_untold);
	if (status == TP_OK && j->n_events == 0 && j->said)
		status = tp_fail(diag, TP_USAGE, path, "give the journal.ndjson of a run directory",
				 "not a journal: no line of it is an event");
	free(j->attempts);
	return tp_run_replace(run, &fresh, status);
}
