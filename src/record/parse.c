/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.json, read (json.c says what it holds). The caller's run is replaced only by a document that
 * is sound as a whole.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "record/field.h"
#include "record/run.h"

struct reader {
	struct tp_run *run;
	const char *name;
	struct tp_diag *diag;
	char place[160]; /* "run.json: points[3]" */
};

static enum tp_status refuse(struct reader *r, const char *what)
{
	return tp_fail(r->diag, TP_USAGE, r->place, NULL, "%s", what);
}

static void note(struct reader *r, const char *key, const char *what)
{
	struct tp_diag diag;

	tp_fail(&diag, TP_USAGE, r->name, NULL, "fact \"%.80s\" %s", key, what);
	tp_diags_add(&r->run->diags, &diag);
}

static double real(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static enum tp_status read_point(struct reader *r, const json_t *o)
{
	struct tp_point point = { 0 }, *slot;
	enum tp_status status;
	const json_t *windows = json_object_get(o, "windows");

	if (!json_is_integer(json_object_get(o, "point")))
		return refuse(r, "\"point\" is not a point number");
	status = tp_fields_unpack(&tp_point_table, o, &point, r->place, r->diag);
	if (status)
		return status;
	if (point.point >= TP_RUN_POINTS_MAX)
		return refuse(r, "\"point\" is larger than any run's");
	if (windows && !json_is_array(windows))
		return refuse(r, "\"windows\" is not a list");
	slot = tp_run_point_slot(r->run, point.point);
	if (!slot)
		return TP_NOMEM;
	if (slot->experiment[0] || slot->state != TP_POINT_PLANNED || slot->n_samples > 0)
		return refuse(r, "a second point has the same number");
	tp_json_diag_read(json_object_get(o, "diag"), &point.diag);
	*slot = point;
	for (size_t i = 0; i < json_array_size(windows); i++) {
		struct tp_sample sample = { 0 };
		const json_t *w = json_array_get(windows, i);

		if (!json_is_object(w))
			return refuse(r, "an entry of \"windows\" is not an object");
		status = tp_fields_unpack(&tp_sample_table, w, &sample, r->place, r->diag);
		if (status == TP_OK)
			status = tp_point_add_sample(slot, &sample);
		if (status)
			return status;
	}
	return TP_OK;
}

/* Appends a zeroed item to one of the run's lists. */
#define NEW_ITEM(run, list, n, cap)                                                                \
	(tp_vec_reserve((void **)&(run)->list, &(run)->cap, (run)->n + 1, sizeof(*(run)->list))    \
		 ? NULL                                                                            \
		 : memset(&(run)->list[(run)->n++], 0, sizeof(*(run)->list)))

static enum tp_status read_roof(struct reader *r, const json_t *o)
{
	struct tp_roof *roof = NEW_ITEM(r->run, roofs, n_roofs, cap_roofs);
	enum tp_status status;

	if (!roof)
		return TP_NOMEM;
	status = tp_fields_unpack(&tp_roof_table, o, roof, r->place, r->diag);
	roof->median = real(o, tp_roof_is_peak(roof) ? "median_gflops" : "median_gbps");
	roof->best = real(o, tp_roof_is_peak(roof) ? "best_gflops" : "best_gbps");
	roof->per_cycle = real(o, tp_roof_is_peak(roof) ? "flop_per_cycle" : "bytes_per_cycle");
	return status;
}

static enum tp_status read_plateau(struct reader *r, const json_t *o)
{
	struct tp_plateau *plateau = NEW_ITEM(r->run, plateaus, n_plateaus, cap_plateaus);

	if (!plateau)
		return TP_NOMEM;
	return tp_fields_unpack(&tp_plateau_table, o, plateau, r->place, r->diag);
}

static enum tp_status read_dot(struct reader *r, const json_t *o)
{
	struct tp_dot *dot = NEW_ITEM(r->run, dots, n_dots, cap_dots);

	if (!dot)
		return TP_NOMEM;
	return tp_fields_unpack(&tp_dot_table, o, dot, r->place, r->diag);
}

static enum tp_status read_study_row(struct reader *r, const json_t *o)
{
	struct tp_study_row *row = NEW_ITEM(r->run, study, n_study, cap_study);

	if (!row)
		return TP_NOMEM;
	row->loss = NAN; /* null: there was no baseline */
	return tp_fields_unpack(&tp_study_table, o, row, r->place, r->diag);
}

static enum tp_status read_trial(struct reader *r, const json_t *o)
{
	struct tp_trial trial = { 0 };
	enum tp_status status = tp_fields_unpack(&tp_trial_table, o, &trial, r->place, r->diag);

	if (status == TP_OK && !json_is_integer(json_object_get(o, "index")))
		status = refuse(r, "\"index\" is not the number of a configuration");
	return status ? status : tp_trials_put(r->run, &trial);
}

static enum tp_status read_diag(struct reader *r, const json_t *o)
{
	struct tp_diag diag;

	tp_json_diag_read(o, &diag);
	tp_diags_add(&r->run->diags, &diag);
	return TP_OK;
}

static enum tp_status read_list(struct reader *r, const json_t *root, const char *name,
				enum tp_status (*read)(struct reader *, const json_t *))
{
	const json_t *list = json_object_get(root, name);
	enum tp_status status = TP_OK;

	snprintf(r->place, sizeof(r->place), "%.100s: %s", r->name, name);
	if (list && !json_is_array(list))
		return refuse(r, "not a list");
	for (size_t i = 0; i < json_array_size(list) && status == TP_OK; i++) {
		const json_t *o = json_array_get(list, i);

		snprintf(r->place, sizeof(r->place), "%.100s: %s[%zu]", r->name, name, i);
		status = json_is_object(o) ? read(r, o) : refuse(r, "not an object");
	}
	return status;
}

/*
 * A fact, or an object of facts whose keys begin with `key`. What cannot be a fact is noted, not
 * refused.
 */
static enum tp_status read_fact(struct reader *r, const char *key, json_t *value)
{
	enum tp_status status = TP_OK;
	struct tp_fact fact;
	const char *part;
	json_t *member;

	if (json_is_object(value)) {
		json_object_foreach(value, part, member)
		{
			char joined[sizeof(fact.key) + 1];
			int n = snprintf(joined, sizeof(joined), "%s%s%s", key, part[0] ? "." : "",
					 part);

			if (n < 0 || (size_t)n >= sizeof(fact.key))
				note(r, part, "has a name too long and is left out");
			else
				status = read_fact(r, joined, member);
			if (status)
				return status;
		}
		return TP_OK;
	}
	if (strlen(key) >= sizeof(fact.key) || !tp_fact_key_allowed(key)) {
		note(r, key, "has a name that cannot be and is left out");
		return TP_OK;
	}
	if (json_is_number(value))
		return tp_run_fact_number(r->run, key, json_number_value(value));
	if (json_is_boolean(value))
		return tp_run_fact_text(r->run, key, "%s", json_is_true(value) ? "true" : "false");
	if (json_is_string(value))
		return tp_run_fact_text(r->run, key, "%s", json_string_value(value));
	if (!json_is_null(value))
		note(r, key, "is a list and is left out");
	return TP_OK;
}

static enum tp_status read_root(struct reader *r, json_t *root)
{
	static const struct {
		const char *name;
		enum tp_status (*read)(struct reader *, const json_t *);
	} lists[] = { { "points", read_point },	    { "roofs", read_roof },
		      { "plateaus", read_plateau }, { "dots", read_dot },
		      { "study", read_study_row },  { "trials", read_trial },
		      { "diags", read_diag } };
	const char *format = json_string_value(json_object_get(root, "format"));
	const char *state = json_string_value(json_object_get(root, "state")), *key;
	const json_t *version = json_object_get(root, "version");
	enum tp_status status = TP_OK;
	json_t *value;

	if (!format || strcmp(format, TP_RUN_FORMAT_NAME) != 0 || !json_is_integer(version))
		return tp_fail(r->diag, TP_USAGE, r->name, "give the run.json of a run directory",
			       "not a run: \"format\" is not \"" TP_RUN_FORMAT_NAME "\"");
	if (json_integer_value(version) != TP_RUN_FORMAT_VERSION)
		return tp_fail(r->diag, TP_UNSUPPORTED, r->name, "use the tprof that wrote it",
			       "format version %lld, this program reads %d",
			       (long long)json_integer_value(version), TP_RUN_FORMAT_VERSION);
	tp_copy(r->run->state, sizeof(r->run->state), state ? state : "");
	r->run->wall_seconds = real(root, "wall_seconds");
	json_object_foreach(root, key, value) if (status == TP_OK && tp_fact_key_allowed(key))
		status = read_fact(r, key, value);
	for (size_t i = 0; i < TP_COUNT_OF(lists) && status == TP_OK; i++)
		status = read_list(r, root, lists[i].name, lists[i].read);
	if (status == TP_OK)
		status = tp_families_read(r->run, json_object_get(root, "families"), r->name,
					  r->diag);
	if (status == TP_NOMEM)
		tp_fail(r->diag, status, r->name, NULL, "out of memory");
	return status;
}

enum tp_status tp_run_parse(struct tp_run *run, const char *name, const char *text, size_t len,
			    struct tp_diag *diag)
{
	struct tp_run fresh = { 0 };
	struct reader r = { .run = &fresh, .name = name, .diag = diag };
	enum tp_status status;
	json_error_t error;
	json_t *root = json_loadb(text, len, 0, &error);
	char place[sizeof(diag->where)];

	if (!root) {
		snprintf(place, sizeof(place), "%.140s:%d:%d", name, error.line, error.column);
		return tp_fail(diag, TP_USAGE, place, NULL, "%s", error.text);
	}
	status = json_is_object(root) ? read_root(&r, root)
				      : tp_fail(diag, TP_USAGE, name, NULL, "not a JSON object");
	json_decref(root);
	if (status) {
		tp_run_release(&fresh);
		return status;
	}
	tp_run_release(run);
	*run = fresh;
	return TP_OK;
}
