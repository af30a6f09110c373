/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/event.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "record/field.h"

static const char *const kind_names[] = {
#define KIND_NAME(name, text) text,
	TP_EVENT_LIST(KIND_NAME)
#undef KIND_NAME
};

/* clang-format off */
#define E(member, name, type, rule) \
	TP_FIELD(struct tp_event, member, name, TP_FIELD_##type, TP_FIELD_##rule, TP_IN_JSON)
static const struct tp_field hello_fields[] = {
	E(version,     "version",     TEXT,     ALWAYS),
	E(counter_ghz, "counter_ghz", REAL,     NONZERO),
	E(invocation,  "invocation",  UNSIGNED, ALWAYS),
};
static const struct tp_field plan_fields[] = {
	E(n_points,         "points",           UNSIGNED, ALWAYS),
	E(estimate_seconds, "estimate_seconds", REAL,     ALWAYS),
};
static const struct tp_field progress_fields[] = {
	E(n_done,              "done",              UNSIGNED, ALWAYS),
	E(n_points,            "points",            UNSIGNED, ALWAYS),
	E(estimate_seconds,    "estimate_seconds",  REAL,     NONZERO),
	E(elapsed_seconds,     "elapsed_seconds",   REAL,     ALWAYS),
	E(remaining_seconds,   "remaining_seconds", REAL,     ALWAYS),
	E(point.point,         "point",             UNSIGNED, ALWAYS),
	E(point.median_gbps,   "median_gbps",       REAL,     NONZERO),
	E(point.median_gflops, "median_gflops",     REAL,     NONZERO),
	E(point.median_ns,     "median_ns",         REAL,     NONZERO),
};
static const struct tp_field counts_fields[] = {
	E(point.point,       "point",      UNSIGNED, ALWAYS),
	E(counts.family,     "family",     TEXT,     ALWAYS),
	E(counts.event,      "event",      TEXT,     ALWAYS),
	E(counts.row,        "row",        UNSIGNED, ALWAYS),
	E(counts.iterations, "iterations", REAL,     ALWAYS),
	E(counts.first,      "first",      UNSIGNED, ALWAYS),
};
static const struct tp_field done_fields[] = {
	E(state, "state", TEXT, ALWAYS),
};
/* clang-format on */

static const struct tp_table hello_table = { hello_fields, TP_COUNT_OF(hello_fields) },
			     plan_table = { plan_fields, TP_COUNT_OF(plan_fields) },
			     progress_table = { progress_fields, TP_COUNT_OF(progress_fields) },
			     counts_table = { counts_fields, TP_COUNT_OF(counts_fields) },
			     done_table = { done_fields, TP_COUNT_OF(done_fields) };

/* What could not be counted is null. */
static enum tp_status pack_counts(const struct tp_event *event, json_t *o)
{
	enum tp_status status = tp_fields_pack(&counts_table, TP_IN_JSON, event, o);
	json_t *list = json_array();

	if (status || !list || event->counts.n > TP_EVENT_COUNTS_MAX) {
		json_decref(list);
		return status ? status : list ? TP_INTERNAL : TP_NOMEM;
	}
	for (unsigned i = 0; i < event->counts.n && status == TP_OK; i++)
		if (json_array_append_new(list, tp_json_count(event->counts.counts[i])))
			status = TP_NOMEM;
	if (json_object_set_new(o, "counts", list))
		status = TP_NOMEM;
	return status;
}

static enum tp_status pack_body(const struct tp_event *event, json_t *o)
{
	enum tp_status status;

	switch (event->kind) {
	case TP_EVENT_HELLO:
		if (json_object_set_new(o, "pid", json_integer(event->pid)))
			return TP_NOMEM;
		return tp_fields_pack(&hello_table, TP_IN_JSON, event, o);
	case TP_EVENT_PLAN:
		return tp_fields_pack(&plan_table, TP_IN_JSON, event, o);
	case TP_EVENT_POINT_BEGIN:
		return tp_fields_pack(&tp_point_table, TP_IN_IDENTITY, &event->point, o);
	case TP_EVENT_SAMPLE:
		if (json_object_set_new(o, "point", json_integer(event->point.point)))
			return TP_NOMEM;
		return tp_fields_pack(&tp_sample_table, TP_IN_JSON, &event->sample, o);
	case TP_EVENT_COUNTS:
		return pack_counts(event, o);
	case TP_EVENT_TRIAL:
		return tp_fields_pack(&tp_trial_table, TP_IN_JSON, &event->trial, o);
	case TP_EVENT_POINT_END:
		status = tp_fields_pack(&tp_point_table, TP_IN_IDENTITY | TP_IN_FOUND,
					&event->point, o);
		if (status == TP_OK && tp_diag_has_words(&event->point.diag) &&
		    json_object_set_new(o, "diag", tp_json_diag(&event->point.diag)))
			status = TP_NOMEM;
		return status;
	case TP_EVENT_DIAG:
		if (json_object_set_new(o, "status", json_string(tp_status_name(event->status))) ||
		    json_object_set_new(o, "where", tp_json_text(event->diag.where)) ||
		    json_object_set_new(o, "what", tp_json_text(event->diag.what)) ||
		    json_object_set_new(o, "hint", tp_json_text(event->diag.hint)))
			return TP_NOMEM;
		return TP_OK;
	case TP_EVENT_PROGRESS:
		return tp_fields_pack(&progress_table, TP_IN_JSON, event, o);
	case TP_EVENT_DONE:
		return tp_fields_pack(&done_table, TP_IN_JSON, event, o);
	case TP_EVENT_COUNT:
		break;
	}
	return TP_INTERNAL;
}

enum tp_status tp_event_write(const struct tp_event *event, struct tp_str *out)
{
	enum tp_status status;
	json_t *o;

	if ((size_t)event->kind >= TP_EVENT_COUNT)
		return TP_INTERNAL;
	o = json_pack("{s:i,s:s,s:o}", "v", TP_EVENT_VERSION, "ev", kind_names[event->kind], "t",
		      tp_json_real(event->t));
	if (!o)
		return TP_NOMEM;
	status = pack_body(event, o);
	if (status) {
		json_decref(o);
		return status;
	}
	/* Counts come back as they were, whatever the repetitions were divided by. */
	status = tp_json_add(
		out, o,
		JSON_COMPACT | (event->kind == TP_EVENT_COUNTS ? JSON_REAL_PRECISION(17) : 0));
	if (status == TP_OK)
		tp_str_add(out, "\n");
	return out->oom ? TP_NOMEM : status;
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
static enum tp_status need_point(const json_t *o, struct tp_diag *diag)
{
	json_int_t id = json_integer_value(json_object_get(o, "point"));

	if (!json_is_integer(json_object_get(o, "point")) || id < 0 || id > (json_int_t)UINT_MAX)
		return tp_fail(diag, TP_USAGE, "event", NULL, "\"point\" is not a point number");
	return TP_OK;
}

static enum tp_status unpack_counts(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	struct tp_counts *c = &event->counts;
	const json_t *list = json_object_get(o, "counts");
	enum tp_status status = need_point(o, diag);

	if (status == TP_OK)
		status = tp_fields_unpack(&counts_table, o, event, "event", diag);
	if (status)
		return status;
	if (!json_is_array(list) || json_array_size(list) > TP_EVENT_COUNTS_MAX)
		return tp_fail(diag, TP_USAGE, "event", "at most 16 numbers",
			       "\"counts\" is not a list of counts");
	c->n = (unsigned)json_array_size(list);
	for (unsigned i = 0; i < c->n; i++) {
		const json_t *count = json_array_get(list, i);

		if (!json_is_number(count) && !json_is_null(count))
			return tp_fail(diag, TP_USAGE, "event", "a number or null",
				       "an entry of \"counts\" is no count");
		c->counts[i] = json_is_null(count) ? NAN : json_number_value(count);
	}
	return TP_OK;
}

static enum tp_status unpack_trial(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	enum tp_status status = need_point(o, diag);

	if (status == TP_OK && !json_is_integer(json_object_get(o, "index")))
		status = tp_fail(diag, TP_USAGE, "event", NULL,
				 "\"index\" is not the number of a configuration");
	if (status == TP_OK)
		status = tp_fields_unpack(&tp_trial_table, o, &event->trial, "event", diag);
	event->point.point = event->trial.point;
	return status;
}

static enum tp_status unpack_body(struct tp_event *event, const json_t *o, struct tp_diag *diag)
{
	enum tp_status status;

	switch (event->kind) {
	case TP_EVENT_HELLO:
		event->pid = (long)json_integer_value(json_object_get(o, "pid"));
		return tp_fields_unpack(&hello_table, o, event, "event", diag);
	case TP_EVENT_PLAN:
		return tp_fields_unpack(&plan_table, o, event, "event", diag);
	case TP_EVENT_POINT_BEGIN:
	case TP_EVENT_POINT_END:
		status = need_point(o, diag);
		if (status == TP_OK)
			tp_json_diag_read(json_object_get(o, "diag"), &event->point.diag);
		return status ? status
			      : tp_fields_unpack(&tp_point_table, o, &event->point, "event", diag);
	case TP_EVENT_SAMPLE:
		status = need_point(o, diag);
		if (status)
			return status;
		event->point.point = (unsigned)json_integer_value(json_object_get(o, "point"));
		return tp_fields_unpack(&tp_sample_table, o, &event->sample, "event", diag);
	case TP_EVENT_COUNTS:
		return unpack_counts(event, o, diag);
	case TP_EVENT_TRIAL:
		return unpack_trial(event, o, diag);
	case TP_EVENT_DIAG:
		tp_json_diag_read(o, &event->diag);
		return read_status(o, &event->status, diag);
	case TP_EVENT_PROGRESS:
		return tp_fields_unpack(&progress_table, o, event, "event", diag);
	case TP_EVENT_DONE:
		return tp_fields_unpack(&done_table, o, event, "event", diag);
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
	for (i = 0; i < TP_EVENT_COUNT && strcmp(kind, kind_names[i]) != 0; i++)
		;
	if (i == TP_EVENT_COUNT)
		return tp_fail(diag, TP_UNSUPPORTED, "event", NULL, "unknown event \"%.60s\"",
			       kind);
	event->kind = (enum tp_event_kind)i;
	event->t = json_number_value(json_object_get(o, "t"));
	return unpack_body(event, o, diag);
}

enum tp_status tp_event_parse(struct tp_event *event, const char *line, size_t len,
			      struct tp_diag *diag)
{
	enum tp_status status;
	json_error_t error;
	json_t *o;

	memset(event, 0, sizeof(*event));
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
