/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.json, written (parse.c reads it). The document is one object: format, version, state,
 * wall_seconds, the facts as nested objects, then the lists roofs, plateaus, dots, the families of
 * counting kernels, and the lists study, diags, points and trials, with one entry a line, so that
 * it suits readers and diff, too.
 */
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/document.h"
#include "record/point.h"

/* Only unusual properties of a window are written: there are many windows. */
static json_t *window_object(const struct tp_sample *sample)
{
	json_t *o = tp_row_object(&tp_sample_table, sample);

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

void tp_point_pack(const struct tp_point *point, unsigned where, const bool *shown, json_t *object)
{
	const struct tp_point_layout *layout = tp_point_layout(point);

	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;

		if (!(column->where & where) || (shown && !shown[i]))
			continue;
		json_t *value = tp_column_json(column, tp_point_record(layout, i, point));
		const char *text = json_string_value(value);
		if (shown || !(json_is_null(value) || (text && !*text)))
			tp_json_set(object, column->name, value);
		else
			json_decref(value);
	}
	const struct tp_diag *diag = &point->diag;
	if ((where & (TP_IN_FOUND | TP_IN_JSON)) && (*diag->where || *diag->what || *diag->hint))
		tp_json_set(object, "diag", tp_json_diag(diag));
}

/* Lists have one item a line. */
static void add_points(const struct tp_run *run, struct tp_str *out)
{
	bool shown[TP_POINT_COLUMNS_MAX];

	tp_run_shown_columns(run, false, shown);
	tp_str_add(out, ",\n\"points\": [");
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *point = &run->points[i];
		json_t *o = json_object(), *windows = json_array();

		tp_point_pack(point, TP_IN_JSON, shown, o);
		for (size_t k = 0; k < point->n_samples; k++)
			tp_json_append(windows, window_object(&point->samples[k]));
		tp_json_set(o, "windows", windows);
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		tp_json_add(out, o, 0);
	}
	tp_str_add(out, "\n]");
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
 * Puts a fact where its dots place it. Where a part of the key is taken already, as a value or as
 * an object, the rest of the key is written with its dots; an object's own value has the empty name
 * in it. No fact is lost, and reading joins the parts to the same key.
 */
static void place_fact(json_t *root, const struct tp_fact *fact)
{
	const char *rest = fact->key, *dot;
	char part[sizeof(fact->key)];
	json_t *at = root, *next;

	while ((dot = strchr(rest, '.')) && dot > rest && dot[1]) {
		snprintf(part, sizeof(part), "%.*s", (int)(dot - rest), rest);
		next = json_object_get(at, part);
		if (!next) {
			next = json_object();
			tp_json_set(at, part, next);
		}
		if (!json_is_object(next))
			break;
		at = next;
		rest = dot + 1;
	}
	next = json_object_get(at, rest);
	if (json_is_object(next))
		tp_json_set(next, "", fact_value(fact));
	else
		tp_json_set(at, rest, fact_value(fact));
}

static void add_facts(const struct tp_run *run, struct tp_str *out)
{
	json_t *root = json_object(), *value;
	const char *key;

	for (size_t i = 0; i < run->n_facts; i++)
		place_fact(root, &run->facts[i]);
	json_object_foreach(root, key, value)
	{
		tp_str_add(out, ",\n");
		tp_json_add(out, tp_json_text(key), 0);
		tp_str_add(out, ": ");
		tp_json_add(out, json_incref(value), JSON_INDENT(2));
	}
	json_decref(root);
}

/* The tables of the experiments that come before the points, or after them. */
static void add_parts(const struct tp_run *run, bool late, struct tp_str *out)
{
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p)) {
		const struct tp_rows *rows = tp_run_rows(run, p);

		if (!p->table->name || p->late != late ||
		    (rows->n == 0 && (!p->derived || p->sparse)))
			continue;
		if (p->write_json) {
			tp_str_add(out, ",\n");
			p->write_json(rows, out);
		} else {
			tp_str_printf(out, ",\n\"%s\": [", p->table->name);
			for (size_t i = 0; i < rows->n; i++) {
				tp_str_add(out, i > 0 ? ",\n" : "\n");
				tp_json_add(out,
					    tp_row_object(p->table, TP_ROW_AT(rows, p->table, i)),
					    0);
			}
			tp_str_add(out, "\n]");
		}
	}
}

/* The run in a line, for lists of runs. */
static void add_summary(const struct tp_run *run, struct tp_str *out)
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
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++)
		tp_json_set(o, texts[i].key, tp_json_text(texts[i].text));
	tp_json_set(o, "headline", brief.headline > 0 ? tp_json_real(brief.headline) : json_null());
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		tp_json_set(o, tp_quality_name((enum tp_quality)q),
			    json_integer((json_int_t)brief.quality[q]));
	tp_str_add(out, ",\n\"summary\": ");
	tp_json_add(out, o, 0);
}

void tp_run_json(const struct tp_run *run, struct tp_str *out)
{
	tp_str_printf(out,
		      "{\n\"format\": \"" TP_RUN_FORMAT_NAME "\",\n\"version\": %d,\n\"state\": ",
		      TP_RUN_FORMAT_VERSION);
	tp_json_add(out, tp_json_text(run->state), 0);
	tp_str_add(out, ",\n\"wall_seconds\": ");
	tp_json_add(out, tp_json_real(run->wall_seconds), 0);
	tp_str_printf(out, ",\n\"points_done\": %zu,\n\"points_planned\": %zu", tp_run_n_done(run),
		      tp_run_n_needed(run));
	add_summary(run, out);
	add_facts(run, out);
	/* Before the points: previews read up to there. */
	add_parts(run, false, out);
	tp_str_add(out, ",\n\"diags\": [");
	for (size_t i = 0; i < run->diags.n; i++) {
		tp_str_add(out, i > 0 ? ",\n" : "\n");
		tp_json_add(out, tp_json_diag(&run->diags.items[i]), 0);
	}
	tp_str_add(out, "\n]");
	add_points(run, out);
	add_parts(run, true, out);
	tp_str_add(out, "\n}\n");
}

void tp_run_json_within(const struct tp_run *run, size_t max_bytes, struct tp_str *out)
{
	struct tp_run brief = *run; /* borrowed, except points and diags */

	tp_run_json(run, out);
	if (out->len <= max_bytes)
		return;
	tp_str_clear(out);
	brief.points = tp_alloc(run->n_points, sizeof(*brief.points));
	for (size_t i = 0; i < run->n_points; i++) {
		brief.points[i] = run->points[i];
		brief.points[i].n_samples = 0;
	}
	brief.diags = (struct tp_diags){ 0 };
	for (size_t i = 0; i < run->diags.n; i++)
		tp_diags_add(&brief.diags, &run->diags.items[i]);
	tp_diags_note(&brief.diags, "run.json", NULL,
		      "the windows of the points are left out: with them it would be longer than "
		      "%zu bytes; journal.ndjson has them",
		      max_bytes);
	tp_run_json(&brief, out);
	tp_diags_release(&brief.diags);
	free(brief.points);
}

struct tp_listing {
	json_t *array, *row;
};

struct tp_listing *tp_listing_new(void)
{
	struct tp_listing *listing = tp_alloc(1, sizeof(*listing));

	listing->array = json_array();
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
	tp_json_append(listing->array, listing->row);
}

/* Takes `value` over. */
static void set_member(struct tp_listing *listing, const char *key, json_t *value)
{
	if (listing && listing->row)
		tp_json_set(listing->row, key, value);
	else
		json_decref(value);
}

void tp_listing_text(struct tp_listing *listing, const char *key, const char *text)
{
	set_member(listing, key, text && *text ? tp_json_text(text) : json_null());
}

void tp_listing_words(struct tp_listing *listing, const char *key, const char *words)
{
	json_t *array = json_array();

	for (size_t n; *(words += strspn(words, " ")); words += n) {
		n = strcspn(words, " ");
		TP_FREE char *word = tp_strndup(words, n);
		tp_json_append(array, tp_json_text(word));
	}
	set_member(listing, key, array);
}

void tp_listing_bool(struct tp_listing *listing, const char *key, bool value)
{
	set_member(listing, key, json_boolean(value));
}

void tp_listing_count(struct tp_listing *listing, const char *key, unsigned long long value)
{
	set_member(listing, key, json_integer((json_int_t)value));
}

void tp_listing_real(struct tp_listing *listing, const char *key, double value)
{
	set_member(listing, key, tp_json_real(value));
}

void tp_listing_write(const struct tp_listing *listing, struct tp_str *out)
{
	tp_json_add(out, json_incref(listing->array), JSON_INDENT(2));
	tp_str_add(out, "\n");
}

void tp_listing_write_under(const struct tp_listing *listing, const struct tp_listing *head,
			    struct tp_str *out)
{
	json_t *object = json_deep_copy(json_array_get(head->array, 0));

	tp_json_set(object, "rows", json_incref(listing->array));
	tp_json_add(out, object, JSON_INDENT(2));
	tp_str_add(out, "\n");
}
