/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/document.h"
#include "record/load.h"
#include "record/point.h"

/* An object with the table's fields; NULL when out of memory. */
static json_t *packed(const struct tp_table *table, const void *record)
{
	json_t *o = json_object();

	if (o && tp_row_pack(table, TP_IN_JSON, record, o)) {
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
	if (!(sample->core_width > 0))
		json_object_del(o, "core_width");
	if (sample->flags == 0)
		json_object_del(o, "flags");
	if (sample->invocation == 0)
		json_object_del(o, "invocation");
	return o;
}

enum tp_status tp_point_pack(const struct tp_point *point, struct tp_point_layout *layout,
			     unsigned where, json_t *object)
{
	tp_point_layout_keep(layout,
			     point->kind ? point->kind : tp_point_kind_find(point->experiment));
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;

		if ((column->where & where) &&
		    json_object_set_new(object, column->name,
					tp_column_json(column, tp_point_record(layout, i, point))))
			return TP_NOMEM;
	}
	if ((where & (TP_IN_FOUND | TP_IN_JSON)) && tp_diag_has_words(&point->diag) &&
	    json_object_set_new(object, "diag", tp_json_diag(&point->diag)))
		return TP_NOMEM;
	return TP_OK;
}

static json_t *point_object(const struct tp_point *point, struct tp_point_layout *layout)
{
	json_t *o = json_object(), *windows = json_array();
	bool ok = o && windows && tp_point_pack(point, layout, TP_IN_JSON, o) == TP_OK;

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

bool tp_diag_has_words(const struct tp_diag *diag)
{
	return diag->where[0] || diag->what[0] || diag->hint[0];
}

/* Lists have one item a line. */
static enum tp_status add_points(const struct tp_run *run, struct tp_str *out)
{
	struct tp_point_layout layout = { 0 };
	enum tp_status status = TP_OK;

	tp_str_add(out, ",\n\"points\": [");
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		status = tp_json_add(out, point_object(&run->points[i], &layout), 0);
	}
	tp_str_add(out, "\n]");
	return out->oom ? TP_NOMEM : status;
}

static enum tp_status add_diags(const struct tp_run *run, struct tp_str *out)
{
	enum tp_status status = TP_OK;

	tp_str_add(out, ",\n\"diags\": [");
	for (size_t i = 0; i < run->diags.n && status == TP_OK; i++) {
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		status = tp_json_add(out, tp_json_diag(&run->diags.items[i]), 0);
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

static enum tp_status add_rows(struct tp_str *out, const struct tp_table *table,
			       const struct tp_rows *rows)
{
	enum tp_status status = TP_OK;

	tp_str_printf(out, ",\n\"%s\": [", table->name);
	for (size_t i = 0; i < rows->n && status == TP_OK; i++) {
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		status = tp_json_add(out, packed(table, TP_ROW_AT(rows, table, i)), 0);
	}
	tp_str_add(out, "\n]");
	return out->oom ? TP_NOMEM : status;
}

/* The tables of the experiments that stand before the points, or behind them. */
static enum tp_status add_parts(const struct tp_run *run, bool late, struct tp_str *out)
{
	enum tp_status status = TP_OK;

	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p)) {
		const struct tp_rows *rows = tp_run_rows(run, p);

		if (!p->table->name || p->late != late ||
		    (rows->n == 0 && (!p->derived || p->sparse)))
			continue;
		if (p->write_json) {
			tp_str_add(out, ",\n");
			status = p->write_json(rows, out);
		} else {
			status = add_rows(out, p->table, rows);
		}
	}
	return status;
}

/* The run in a line, for lists of runs. */
static enum tp_status add_summary(const struct tp_run *run, struct tp_str *out)
{
	struct tp_run_brief brief;
	json_t *o = json_object();
	tp_run_brief(run, &brief);
	const struct {
		const char *key, *text;
	} texts[] = { { "experiments", brief.experiments },
		      { "isas", brief.isas },
		      { "threads", brief.threads },
		      { "figures", brief.figures } };
	bool ok = o;
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++)
		ok = ok && !json_object_set_new(o, texts[i].key, tp_json_text(texts[i].text));
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		ok = ok && !json_object_set_new(o, tp_quality_name((enum tp_quality)q),
						json_integer((json_int_t)brief.quality[q]));
	if (!ok) {
		json_decref(o);
		return TP_NOMEM;
	}
	tp_str_add(out, ",\n\"summary\": ");
	return tp_json_add(out, o, 0);
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
		status = add_summary(run, out);
	if (status == TP_OK)
		status = add_facts(run, out);
	/* Before the points: previews read up to there. */
	status = status ? status : add_parts(run, false, out);
	status = status ? status : add_diags(run, out);
	status = status ? status : add_points(run, out);
	status = status ? status : add_parts(run, true, out);
	tp_str_add(out, "\n}\n");
	return out->oom ? TP_NOMEM : status;
}

enum tp_status tp_run_json_within(const struct tp_run *run, size_t max_bytes, struct tp_str *out)
{
	struct tp_run brief = *run; /* borrowed, but for points and diags */
	struct tp_diag diag;
	enum tp_status status = tp_run_json(run, out);

	if (status != TP_OK || out->len <= max_bytes)
		return status;
	tp_str_clear(out);
	brief.points = malloc((run->n_points + 1) * sizeof(*brief.points));
	if (!brief.points)
		return TP_NOMEM;
	for (size_t i = 0; i < run->n_points; i++) {
		brief.points[i] = run->points[i];
		brief.points[i].n_samples = 0;
	}
	brief.diags = (struct tp_diags){ 0 };
	for (size_t i = 0; i < run->diags.n; i++)
		tp_diags_add(&brief.diags, &run->diags.items[i]);
	tp_fail(&diag, TP_RESOURCE, "run.json", NULL,
		"the windows of the points are left out: with them it would be longer than %zu "
		"bytes; journal.ndjson has them",
		max_bytes);
	tp_diags_add(&brief.diags, &diag);
	status = tp_run_json(&brief, out);
	tp_diags_release(&brief.diags);
	free(brief.points);
	return status;
}

struct tp_listing {
	json_t *array, *row;
	bool oom;
};

struct tp_listing *tp_listing_new(void)
{
	struct tp_listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return NULL;
	listing->array = json_array();
	if (!listing->array) {
		free(listing);
		return NULL;
	}
	return listing;
}

void tp_listing_free(struct tp_listing *listing)
{
	if (!listing)
		return;
	json_decref(listing->array);
	free(listing);
}

void tp_listing_row(struct tp_listing *listing)
{
	if (!listing)
		return;
	listing->row = json_object();
	if (json_array_append_new(listing->array, listing->row)) {
		listing->row = NULL;
		listing->oom = true;
	}
}

/* Takes `value` over. */
static void set(struct tp_listing *listing, const char *key, json_t *value)
{
	if (!listing || !listing->row)
		json_decref(value);
	else if (json_object_set_new(listing->row, key, value))
		listing->oom = true;
}

void tp_listing_text(struct tp_listing *listing, const char *key, const char *text)
{
	set(listing, key, text && *text ? tp_json_text(text) : json_null());
}

void tp_listing_words(struct tp_listing *listing, const char *key, const char *words)
{
	json_t *array = json_array();
	struct tp_str word = { 0 };

	for (size_t n; array && *words; words += n) {
		words += strspn(words, " ");
		n = strcspn(words, " ");
		if (n == 0)
			break;
		tp_str_clear(&word);
		tp_str_add_n(&word, words, n);
		if ((word.oom || json_array_append_new(array, tp_json_text(tp_str_text(&word)))) &&
		    listing)
			listing->oom = true;
	}
	tp_str_release(&word);
	set(listing, key, array);
}

void tp_listing_bool(struct tp_listing *listing, const char *key, bool value)
{
	set(listing, key, json_boolean(value));
}

void tp_listing_count(struct tp_listing *listing, const char *key, unsigned long long value)
{
	set(listing, key, json_integer((json_int_t)value));
}

void tp_listing_real(struct tp_listing *listing, const char *key, double value)
{
	set(listing, key, tp_json_real(value));
}

enum tp_status tp_listing_write(const struct tp_listing *listing, struct tp_str *out)
{
	if (listing->oom)
		return TP_NOMEM;
	enum tp_status status = tp_json_add(out, json_incref(listing->array), JSON_INDENT(2));
	if (status == TP_OK)
		tp_str_add(out, "\n");
	return out->oom ? TP_NOMEM : status;
}

enum tp_status tp_listing_write_under(const struct tp_listing *listing,
				      const struct tp_listing *head, const char *key,
				      struct tp_str *out)
{
	json_t *object = json_deep_copy(json_array_get(head->array, 0));

	if (listing->oom || head->oom || !object || json_object_set(object, key, listing->array)) {
		json_decref(object);
		return TP_NOMEM;
	}
	enum tp_status status = tp_json_add(out, object, JSON_INDENT(2));
	if (status == TP_OK)
		tp_str_add(out, "\n");
	return out->oom ? TP_NOMEM : status;
}
