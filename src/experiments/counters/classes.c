/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes as text: the families of run.json, a document of their own, a table. classes_parse.c
 * reads the first.
 */
#include "experiments/counters/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/counters/classes_json.h"
#include "table/csv.h"

void tp_class_release(struct tp_class *class)
{
	tp_arena_release(&class->arena);
	*class = (struct tp_class){ 0 };
}

bool tp_class_is_round(const struct tp_class *class, const struct tp_class_metric *metric)
{
	return isfinite(metric->rounded_error) && (metric->rounded_error <= class->defined_limit ||
						   metric->rounded_error <= 1.01 * metric->error);
}

static const double negligible = 1e-6;

/* --- JSON: one event, row or metric a line, so that people and diff can read it too --- */

/* "key": value; the value is taken over. */
static enum tp_status add_key(struct tp_str *out, const char *key, json_t *value)
{
	enum tp_status status;

	tp_str_printf(out, "  \"%s\": ", key);
	status = tp_json_add(out, value, 0);
	tp_str_add(out, ",\n");
	return status;
}

static json_t *numbers(const double *values, size_t n)
{
	json_t *list = values ? json_array() : json_null();

	for (size_t i = 0; values && list && i < n; i++)
		if (json_array_append_new(list, tp_json_real(values[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *names(const char *const *texts, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < n; i++)
		if (json_array_append_new(list, tp_json_text(texts[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *limits(const struct tp_class *c)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "noise", tp_json_real(c->tau), "residual",
			 tp_json_real(c->residual_limit), "alpha", tp_json_real(c->alpha), "beta",
			 tp_json_real(c->beta), "defined", tp_json_real(c->defined_limit));
}

static const char *chosen_name(const struct tp_class *c, size_t i)
{
	return c->events[c->chosen[i]].name;
}

static json_t *chosen(const struct tp_class *c)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < c->n_chosen; i++)
		if (json_array_append_new(list, tp_json_text(chosen_name(c, i)))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *row(const struct tp_class *c, size_t i)
{
	return json_pack("{s:i,s:o,s:o,s:o,s:o}", "row", (int)c->rows[i], "name",
			 tp_json_text(c->row_names[i]), "group", tp_json_text(c->row_groups[i]),
			 "x", tp_json_real(c->row_x[i]), "expect",
			 numbers(&c->expectations[i * c->n_ideals], c->n_ideals));
}

/* The figure that an event was dropped for; NaN where there is none. */
static double reason_value(const struct tp_class_event *e)
{
	return strcmp(e->fate, "noisy") == 0		   ? e->noise
	       : strcmp(e->fate, "not representable") == 0 ? e->residual
	       : strcmp(e->fate, "dependent") == 0	   ? e->norm
	       : strcmp(e->fate, "irrelevant") == 0	   ? 0
							   : NAN;
}

static json_t *dropped(const struct tp_class *c, size_t i)
{
	const struct tp_class_event *e = &c->events[i];

	return json_pack("{s:o,s:o,s:o}", "event", tp_json_text(e->name), "reason",
			 tp_json_text(e->fate), "value", tp_json_real(reason_value(e)));
}

static json_t *event(const struct tp_class *c, size_t i)
{
	const struct tp_class_event *e = &c->events[i];

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "event", tp_json_text(e->name),
			 "fate", tp_json_text(e->fate), "order",
			 e->order >= 0 ? json_integer(e->order) : json_null(), "noise",
			 tp_json_real(e->noise), "residual", tp_json_real(e->residual), "score",
			 tp_json_real(e->score), "norm", tp_json_real(e->norm), "representation",
			 numbers(e->x, c->n_ideals), "dependence",
			 numbers(e->dependence, c->n_chosen));
}

static json_t *metric(const struct tp_class *c, size_t i)
{
	const struct tp_class_metric *m = &c->metrics[i];
	json_t *terms = json_array();

	for (size_t t = 0; t < m->n_terms; t++)
		json_array_append_new(
			terms, json_pack("{s:o,s:o,s:o}", "event",
					 tp_json_text(chosen_name(c, m->terms[t].chosen)),
					 "coefficient", tp_json_real(m->terms[t].coefficient),
					 "rounded", tp_json_real(m->terms[t].rounded)));
	if (json_array_size(terms) != m->n_terms) {
		json_decref(terms);
		return NULL;
	}
	return json_pack("{s:o,s:o,s:o,s:b,s:o,s:o,s:o}", "name", tp_json_text(m->name), "symbol",
			 tp_json_text(m->symbol), "unit", tp_json_text(m->unit), "defined",
			 (int)m->defined, "backward_error", tp_json_real(m->error), "rounded_error",
			 tp_json_real(m->rounded_error), "terms", terms);
}

/* "key": [ one item a line ]; `want` says which events are in it, NULL = all items. */
static enum tp_status add_items(const struct tp_class *c, const char *key, size_t n,
				json_t *(*item)(const struct tp_class *, size_t),
				bool (*want)(const struct tp_class_event *), struct tp_str *out)
{
	enum tp_status status = TP_OK;
	const char *joint = "\n";

	tp_str_printf(out, "  \"%s\": [", key);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		if (want && !want(&c->events[i]))
			continue;
		tp_str_printf(out, "%s   ", joint);
		status = tp_json_add(out, item(c, i), 0);
		joint = ",\n";
	}
	tp_str_add(out, "\n  ],\n");
	return out->oom ? TP_NOMEM : status;
}

static bool is_dropped(const struct tp_class_event *e)
{
	return e->order < 0;
}

static enum tp_status add_family(const struct tp_class *c, struct tp_str *out)
{
	enum tp_status status = add_key(out, "run", json_integer(c->run));

	if (status == TP_OK)
		status = add_key(out, "title", tp_json_text(c->title));
	if (status == TP_OK)
		status = add_key(out, "per", tp_json_text(c->per));
	if (status == TP_OK)
		status = add_key(out, "source", tp_json_text(c->source));
	if (status == TP_OK)
		status = add_key(out, "limits", limits(c));
	if (status == TP_OK)
		status = add_key(out, "ideals", names(c->ideals, c->n_ideals));
	if (status == TP_OK)
		status = add_key(out, "absent", names(c->absent, c->n_absent));
	if (status == TP_OK)
		status = add_key(out, "rows_of_basis", json_integer((json_int_t)c->n_rows));
	if (status == TP_OK)
		status = add_items(c, "rows", c->n_used, row, NULL, out);
	if (status == TP_OK)
		status = add_key(out, "chosen", chosen(c));
	if (status == TP_OK)
		status = add_items(c, "dropped", c->n_events, dropped, is_dropped, out);
	if (status == TP_OK)
		status = add_items(c, "events", c->n_events, event, NULL, out);
	if (status == TP_OK)
		status = add_items(c, "metrics", c->n_metrics, metric, NULL, out);
	tp_str_add(out, "  \"spectral_norm\": ");
	return status ? status : tp_json_add(out, tp_json_real(c->spectral_norm), 0);
}

/* Two classes of one name: the second is "flops#2". */
static void key_of(const struct tp_class *classes, size_t i, char *key, size_t size)
{
	size_t same = 1;

	for (size_t k = 0; k < i; k++)
		same += strcmp(classes[k].family, classes[i].family) == 0;
	if (same == 1)
		snprintf(key, size, "%s", classes[i].family);
	else
		snprintf(key, size, "%.*s#%zu", (int)sizeof(classes[i].family) - 9,
			 classes[i].family, same);
}

static enum tp_status add_families(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	enum tp_status status = TP_OK;
	char key[sizeof(classes->family)];

	tp_str_add(out, "\"families\": {");
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		key_of(classes, i, key, sizeof(key));
		tp_str_add(out, i > 0 ? ",\n " : "\n ");
		status = tp_json_add(out, tp_json_text(key), 0);
		tp_str_add(out, ": {\n");
		if (status == TP_OK)
			status = add_family(&classes[i], out);
		tp_str_add(out, "\n }");
	}
	tp_str_add(out, "\n}");
	return out->oom ? TP_NOMEM : status;
}

enum tp_status tp_classes_json(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	enum tp_status status;

	tp_str_add(out, "{\n\"format\": \"tprof-classes\",\n\"version\": 1,\n");
	status = add_families(classes, n, out);
	tp_str_add(out, "\n}\n");
	return out->oom ? TP_NOMEM : status;
}

/* --- the table --- */

/* "1*SP_SCALAR 2*SP_SCALAR_FMA", without what rounding left. */
static void add_combination(struct tp_str *out, const struct tp_class *c, const double *weights,
			    bool of_chosen)
{
	TP_STR text = { 0 };
	size_t n = of_chosen ? c->n_chosen : c->n_ideals;
	double largest = 0;

	for (size_t i = 0; weights && i < n; i++)
		largest = fmax(largest, fabs(weights[i]));
	for (size_t i = 0; weights && i < n; i++) {
		if (!(fabs(weights[i]) > negligible * largest))
			continue;
		tp_str_add(&text, text.len ? " " : "");
		tp_cell_real(&text, weights[i]);
		tp_str_printf(&text, "*%s", of_chosen ? chosen_name(c, i) : c->ideals[i]);
	}
	tp_cell_text(out, tp_str_text(&text));
	out->oom |= text.oom;
}

static void add_used_by(struct tp_str *out, const struct tp_class *c, int order)
{
	TP_STR text = { 0 };

	for (size_t m = 0; m < c->n_metrics && order >= 0; m++)
		for (size_t t = 0; t < c->metrics[m].n_terms; t++)
			if (c->metrics[m].defined &&
			    c->metrics[m].terms[t].chosen == (unsigned)order)
				tp_str_printf(&text, "%s%s", text.len ? " " : "",
					      c->metrics[m].symbol);
	tp_cell_text(out, tp_str_text(&text));
	out->oom |= text.oom;
}

enum tp_status tp_classes_csv(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	char key[sizeof(classes->family)];

	tp_str_add(out, "family,event,fate,order,noise,residual,score,norm,representation,"
			"dependence,metrics\n");
	for (size_t i = 0; i < n; i++) {
		const struct tp_class *c = &classes[i];

		key_of(classes, i, key, sizeof(key));
		for (size_t e = 0; e < c->n_events && !out->oom; e++) {
			const struct tp_class_event *event_row = &c->events[e];
			const double figures[] = { event_row->noise, event_row->residual,
						   event_row->score, event_row->norm };

			tp_cell_text(out, key);
			tp_str_add(out, ",");
			tp_cell_text(out, event_row->name);
			tp_str_add(out, ",");
			tp_cell_text(out, event_row->fate);
			tp_str_add(out, ",");
			if (event_row->order >= 0)
				tp_str_printf(out, "%d", event_row->order);
			for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++) {
				tp_str_add(out, ",");
				tp_cell_real(out, figures[k]);
			}
			tp_str_add(out, ",");
			add_combination(out, c, event_row->x, false);
			tp_str_add(out, ",");
			add_combination(out, c, event_row->dependence, true);
			tp_str_add(out, ",");
			add_used_by(out, c, event_row->order);
			tp_str_add(out, "\n");
		}
	}
	return out->oom ? TP_NOMEM : TP_OK;
}

static void release(void *row)
{
	tp_class_release(row);
}

static enum tp_status write_json(const struct tp_rows *rows, struct tp_str *out)
{
	return add_families(rows->rows, rows->n, out);
}

static const struct tp_table table = { .name = "families", .row_bytes = sizeof(struct tp_class) };

const struct tp_part tp_class_part = {
	.table = &table,
	.place = 4,
	.release = release,
	.write_json = write_json,
	.read_json = tp_families_read,
};
