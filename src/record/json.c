/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.json, written (parse.c reads it). The document is one object: format, version, state,
 * wall_seconds, the facts as nested objects, then the lists roofs, plateaus, dots, the families of
 * counting kernels, and the lists study, diags, points and trials, with one entry a line, so that people and diff can read it too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/field.h"
#include "record/run.h"

bool tp_roof_is_peak(const struct tp_roof *roof)
{
	return strcmp(roof->level, "FP") == 0;
}

/* A roof's numbers carry their unit in the key, as the columns of points.csv do. */
#define ROOF_IF(function, condition, member)                                                       \
	static double function(const void *record)                                                 \
	{                                                                                          \
		const struct tp_roof *roof = record;                                               \
		return (condition) ? roof->member : 0;                                             \
	}
ROOF_IF(roof_median_gbps, !tp_roof_is_peak(roof), median)
ROOF_IF(roof_best_gbps, !tp_roof_is_peak(roof), best)
ROOF_IF(roof_bytes_per_cycle, !tp_roof_is_peak(roof), per_cycle)
ROOF_IF(roof_median_gflops, tp_roof_is_peak(roof), median)
ROOF_IF(roof_best_gflops, tp_roof_is_peak(roof), best)
ROOF_IF(roof_flop_per_cycle, tp_roof_is_peak(roof), per_cycle)
#undef ROOF_IF

static double roof_model_ratio(const void *record)
{
	const struct tp_roof *roof = record;

	return roof->model > 0 ? roof->median / roof->model : 0;
}

/* clang-format off */
#define ROW(record, member, name, type, rule) \
	TP_FIELD(record, member, name, TP_FIELD_##type, TP_FIELD_##rule, TP_IN_JSON)
#define DERIVED(name, function) \
	{ name, 0, 0, function, TP_FIELD_DERIVED, TP_FIELD_NONZERO, TP_IN_JSON }

#define R(member, name, type, rule) ROW(struct tp_roof, member, name, type, rule)
static const struct tp_field roof_fields[] = {
	R(run,         "run",         UNSIGNED, ALWAYS),
	R(point,       "point",       UNSIGNED, ALWAYS),
	R(isa,         "isa",         TEXT,     ALWAYS),
	R(precision,   "precision",   TEXT,     ALWAYS),
	R(threads,     "threads",     UNSIGNED, ALWAYS),
	R(level,       "level",       TEXT,     ALWAYS),
	R(loads,       "loads",       UNSIGNED, RATIO),
	R(stores,      "stores",      UNSIGNED, RATIO),
	R(nontemporal, "nontemporal", BOOL,     ALWAYS),
	R(fp_op,       "fp_op",       TEXT,     ALWAYS),
	DERIVED("median_gbps",     roof_median_gbps),
	DERIVED("best_gbps",       roof_best_gbps),
	DERIVED("median_gflops",   roof_median_gflops),
	DERIVED("best_gflops",     roof_best_gflops),
	DERIVED("bytes_per_cycle", roof_bytes_per_cycle),
	DERIVED("flop_per_cycle",  roof_flop_per_cycle),
	R(ci_low,      "ci_low",      REAL,     NONZERO),
	R(ci_high,     "ci_high",     REAL,     NONZERO),
	R(model,       "bound",       REAL,     NONZERO),
	DERIVED("model_ratio",     roof_model_ratio),
	R(ridge_flop_per_byte, "ridge_flop_per_byte", REAL, NONZERO),
	R(flags,       "flags",       FLAGS,    ALWAYS),
};

#define L(member, name, type, rule) ROW(struct tp_plateau, member, name, type, rule)
static const struct tp_field plateau_fields[] = {
	L(run,             "run",             UNSIGNED, ALWAYS),
	L(kernel,          "kernel",          TEXT,     ALWAYS),
	L(isa,             "isa",             TEXT,     ALWAYS),
	L(precision,       "precision",       TEXT,     ALWAYS),
	L(threads,         "threads",         UNSIGNED, ALWAYS),
	L(level,           "level",           TEXT,     ALWAYS),
	L(gbps,            "median_gbps",     REAL,     NONZERO),
	L(ns,              "median_ns",       REAL,     NONZERO),
	L(latency_cycles,  "latency_cycles",  REAL,     NONZERO),
	L(pages_wanted,    "pages_wanted",    TEXT,     ALWAYS),
	L(ci_low,          "ci_low",          REAL,     NONZERO),
	L(ci_high,         "ci_high",         REAL,     NONZERO),
	L(bytes_per_cycle, "bytes_per_cycle", REAL,     NONZERO),
	L(from_bytes,      "from_bytes",      U64,      ALWAYS),
	L(to_bytes,        "to_bytes",        U64,      ALWAYS),
	L(capacity_bytes,  "capacity_bytes",  U64,      NONZERO),
	L(reported_bytes,  "reported_bytes",  U64,      NONZERO),
	L(points,          "points",          UNSIGNED, ALWAYS),
};

#define D(member, name, type, rule) ROW(struct tp_dot, member, name, type, rule)
static const struct tp_field dot_fields[] = {
	D(run,              "run",              UNSIGNED, ALWAYS),
	D(point,            "point",            UNSIGNED, ALWAYS),
	D(isa,              "isa",              TEXT,     ALWAYS),
	D(precision,        "precision",        TEXT,     ALWAYS),
	D(threads,          "threads",          UNSIGNED, ALWAYS),
	D(level,            "level",            TEXT,     ALWAYS),
	D(fp_op,            "fp_op",            TEXT,     ALWAYS),
	D(ai_flop_per_byte, "ai_flop_per_byte", REAL,     ALWAYS),
	D(gflops,           "median_gflops",    REAL,     ALWAYS),
	D(roof_gflops,      "roof_gflops",      REAL,     NONZERO),
	D(distance_percent, "distance_percent", REAL,     ALWAYS),
};
/* clang-format on */

const struct tp_table tp_roof_table = { roof_fields, TP_COUNT_OF(roof_fields) };
const struct tp_table tp_plateau_table = { plateau_fields, TP_COUNT_OF(plateau_fields) };
const struct tp_table tp_dot_table = { dot_fields, TP_COUNT_OF(dot_fields) };

/* An object with the table's fields; NULL when out of memory. */
static json_t *packed(const struct tp_table *table, const void *record)
{
	json_t *o = json_object();

	if (o && tp_fields_pack(table, TP_IN_JSON, record, o)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* Only what differs from the usual is said of a window: there are many of them. */
static json_t *window(const struct tp_sample *sample)
{
	json_t *o = packed(&tp_sample_table, sample);

	if (!o)
		return NULL;
	if (!(sample->stream_gbps > 0))
		json_object_del(o, "stream_gbps");
	if (!(sample->core_ghz > 0))
		json_object_del(o, "core_ghz");
	if (sample->flags == 0)
		json_object_del(o, "flags");
	if (sample->invocation == 0)
		json_object_del(o, "invocation");
	return o;
}

static json_t *point_object(const void *record)
{
	const struct tp_point *point = record;
	json_t *o = packed(&tp_point_table, point), *windows = json_array();
	bool ok = o && windows;

	if (ok && tp_diag_has_words(&point->diag))
		ok = !json_object_set_new(o, "diag", tp_json_diag(&point->diag));
	for (size_t i = 0; ok && i < point->n_samples; i++)
		ok = !json_array_append_new(windows, window(&point->samples[i]));
	if (ok) {
		ok = !json_object_set_new(o, "windows", windows);
		windows = NULL;
	}
	json_decref(windows);
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *roof_object(const void *record)
{
	return packed(&tp_roof_table, record);
}

static json_t *plateau_object(const void *record)
{
	return packed(&tp_plateau_table, record);
}

static json_t *dot_object(const void *record)
{
	return packed(&tp_dot_table, record);
}

/* The configuration in words stands beside its numbers, for people; it is never read. */
static json_t *study_object(const void *record)
{
	const struct tp_study_row *row = record;
	char name[TP_TRIAL_NAME_MAX];
	json_t *o = packed(&tp_study_table, row);

	if (o &&
	    json_object_set_new(o, "configuration", json_string(tp_trial_name(row->size, name)))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *trial_object(const void *record)
{
	return packed(&tp_trial_table, record);
}

static json_t *diag_object(const void *record)
{
	return tp_json_diag(record);
}

/* "name": [ one item a line ] */
static enum tp_status add_list(struct tp_str *out, const char *name, const void *items, size_t n,
			       size_t size_bytes, json_t *(*object)(const void *))
{
	enum tp_status status = TP_OK;

	tp_str_printf(out, ",\n\"%s\": [", name);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		status = tp_json_add(out, object((const char *)items + i * size_bytes), 0);
	}
	tp_str_add(out, "\n]");
	return out->oom ? TP_NOMEM : status;
}

static json_t *fact_value(const struct tp_fact *fact)
{
	if (!fact->is_number)
		return tp_json_text(fact->text);
	if (fact->number > -1e15 && fact->number < 1e15 &&
	    fact->number == (double)(json_int_t)fact->number)
		return json_integer((json_int_t)fact->number);
	return tp_json_real(fact->number);
}

/*
 * Puts a fact where its dots say. Where a part of the key is taken already, as a value or as an
 * object, the rest of the key is written with its dots; an object's own value has the empty name in
 * it. No fact is lost, and reading joins the parts to the same key.
 */
static int place_fact(json_t *root, const struct tp_fact *fact)
{
	const char *rest = fact->key, *dot;
	char part[sizeof(fact->key)];
	json_t *at = root, *next;

	while ((dot = strchr(rest, '.')) && dot > rest && dot[1]) {
		snprintf(part, sizeof(part), "%.*s", (int)(dot - rest), rest);
		next = json_object_get(at, part);
		if (!next && json_object_set_new(at, part, json_object()))
			return -1;
		next = json_object_get(at, part);
		if (!json_is_object(next))
			break;
		at = next;
		rest = dot + 1;
	}
	next = json_object_get(at, rest);
	return json_is_object(next) ? json_object_set_new(next, "", fact_value(fact))
				    : json_object_set_new(at, rest, fact_value(fact));
}

static enum tp_status add_facts(const struct tp_run *run, struct tp_str *out)
{
	json_t *root = json_object(), *value;
	enum tp_status status = root ? TP_OK : TP_NOMEM;
	const char *key;

	for (size_t i = 0; i < run->n_facts && status == TP_OK; i++)
		if (place_fact(root, &run->facts[i]))
			status = TP_NOMEM;
	json_object_foreach(root, key, value)
	{
		if (status)
			break;
		tp_str_add(out, ",\n");
		status = tp_json_add(out, tp_json_text(key), 0);
		tp_str_add(out, ": ");
		if (status == TP_OK)
			status = tp_json_add(out, json_incref(value), JSON_INDENT(2));
	}
	json_decref(root);
	return status;
}

enum tp_status tp_run_json(const struct tp_run *run, struct tp_str *out)
{
	enum tp_status status;
	size_t done = 0;

	tp_str_printf(out,
		      "{\n\"format\": \"" TP_RUN_FORMAT_NAME "\",\n\"version\": %d,\n\"state\": ",
		      TP_RUN_FORMAT_VERSION);
	status = tp_json_add(out, tp_json_text(run->state), 0);
	if (status)
		return status;
	tp_str_add(out, ",\n\"wall_seconds\": ");
	status = tp_json_add(out, tp_json_real(run->wall_seconds), 0);
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	tp_str_printf(out, ",\n\"points_done\": %zu,\n\"points_planned\": %zu", done,
		      run->n_points);
	if (status == TP_OK)
		status = add_facts(run, out);
	if (status == TP_OK)
		status = add_list(out, "roofs", run->roofs, run->n_roofs, sizeof(*run->roofs),
				  roof_object);
	if (status == TP_OK)
		status = add_list(out, "plateaus", run->plateaus, run->n_plateaus,
				  sizeof(*run->plateaus), plateau_object);
	if (status == TP_OK)
		status = add_list(out, "dots", run->dots, run->n_dots, sizeof(*run->dots),
				  dot_object);
	/* Before the points: previews read up to there. */
	if (status == TP_OK && run->n_classes > 0) {
		tp_str_add(out, ",\n");
		status = tp_families_add(run->classes, run->n_classes, out);
	}
	if (status == TP_OK && run->n_study > 0)
		status = add_list(out, "study", run->study, run->n_study, sizeof(*run->study),
				  study_object);
	if (status == TP_OK)
		status = add_list(out, "diags", run->diags.items, run->diags.n,
				  sizeof(*run->diags.items), diag_object);
	if (status == TP_OK)
		status = add_list(out, "points", run->points, run->n_points, sizeof(*run->points),
				  point_object);
	if (status == TP_OK && run->n_trials > 0)
		status = add_list(out, "trials", run->trials, run->n_trials, sizeof(*run->trials),
				  trial_object);
	tp_str_add(out, "\n}\n");
	return out->oom ? TP_NOMEM : status;
}
