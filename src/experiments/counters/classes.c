/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes as text: the families of run.json, written and read again, a separate document, a table.
 */
#include "experiments/counters/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/counters/readings.h"
#include "table/csv.h"
#include "table/json.h"

enum { TP_FAMILY_IDEALS_MAX = 256 };

void tp_class_release(struct tp_class *class)
{
	tp_arena_release(&class->arena);
	*class = (struct tp_class){ 0 };
}

bool tp_class_is_round(const struct tp_class *class, const struct tp_class_metric *metric)
{
	bool rows = !(metric->rounded_row_error > 1.01 * fmax(metric->row_error, 1e-3));

	return rows && isfinite(metric->rounded_error) &&
	       (metric->rounded_error <= class->defined_limit ||
		metric->rounded_error <= 1.01 * metric->error);
}

static const double negligible = 1e-6;

/* --- JSON: one event, row or metric a line, for readers and diff --- */

static void add_json(struct tp_str *out, json_t *value)
{
	tp_json_add(out, value, 0);
}

/* "key": value; the value is taken over. */
static void add_key(struct tp_str *out, const char *key, json_t *value)
{
	tp_str_printf(out, "  \"%s\": ", key);
	add_json(out, value);
	tp_str_add(out, ",\n");
}

static json_t *numbers_json(const double *values, size_t n)
{
	json_t *list = values ? json_array() : json_null();

	for (size_t i = 0; values && i < n; i++)
		tp_json_append(list, tp_json_real(values[i]));
	return list;
}

static json_t *names_json(const char *const *texts, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		tp_json_append(list, tp_json_text(texts[i]));
	return list;
}

static const char *chosen_name(const struct tp_class *c, size_t i)
{
	return c->events[c->chosen[i]].name;
}

static json_t *chosen_json(const struct tp_class *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_chosen; i++)
		tp_json_append(list, tp_json_text(chosen_name(c, i)));
	return list;
}

static json_t *row_json(const struct tp_class *c, size_t i)
{
	return json_pack("{s:i,s:o,s:o,s:o,s:o}", "row", (int)c->rows[i], "name",
			 tp_json_text(c->row_names[i]), "group", tp_json_text(c->row_groups[i]),
			 "x", tp_json_real(c->row_x[i]), "expect",
			 numbers_json(&c->expectations[i * c->n_ideals], c->n_ideals));
}

/* The figure that an event was dropped for; NaN if none. */
static double reason_value(const struct tp_class_event *e)
{
	return strcmp(e->fate, "noisy") == 0		   ? e->noise
	       : strcmp(e->fate, "not representable") == 0 ? e->residual
	       : strcmp(e->fate, "dependent") == 0	   ? e->norm
	       : strcmp(e->fate, "irrelevant") == 0 || strcmp(e->fate, "not implemented here") == 0
		       ? 0
		       : NAN;
}

static json_t *dropped_json(const struct tp_class *c, size_t i)
{
	const struct tp_class_event *e = &c->events[i];

	return json_pack("{s:o,s:o,s:o}", "event", tp_json_text(e->name), "reason",
			 tp_json_text(e->fate), "value", tp_json_real(reason_value(e)));
}

static json_t *event_json(const struct tp_class *c, size_t i)
{
	const struct tp_class_event *e = &c->events[i];

	json_t *json = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "event",
				 tp_json_text(e->name), "fate", tp_json_text(e->fate), "order",
				 e->order >= 0 ? json_integer(e->order) : json_null(), "noise",
				 tp_json_real(e->noise), "residual", tp_json_real(e->residual),
				 "score", tp_json_real(e->score), "norm", tp_json_real(e->norm),
				 "representation", numbers_json(e->x, c->n_ideals), "dependence",
				 numbers_json(e->dependence, c->n_chosen));
	if (e->left_out >= 0)
		tp_json_set(json, "left_out", json_integer(e->left_out));
	return json;
}

static json_t *metric_json(const struct tp_class *c, size_t i)
{
	const struct tp_class_metric *m = &c->metrics[i];
	json_t *terms = json_array();

	for (size_t t = 0; t < m->n_terms; t++)
		tp_json_append(terms,
			       json_pack("{s:o,s:o,s:o}", "event",
					 tp_json_text(chosen_name(c, m->terms[t].chosen)),
					 "coefficient", tp_json_real(m->terms[t].coefficient),
					 "rounded", tp_json_real(m->terms[t].rounded)));
	json_t *json =
		json_pack("{s:o,s:o,s:o,s:b,s:o,s:o}", "name", tp_json_text(m->name), "symbol",
			  tp_json_text(m->symbol), "unit", tp_json_text(m->unit), "defined",
			  (int)m->defined, "backward_error", tp_json_real(m->error),
			  "rounded_error", tp_json_real(m->rounded_error));
	/* Earlier versions did not look at the rows. */
	if (!isnan(m->row_error)) {
		tp_json_set(json, "row_error", tp_json_real(m->row_error));
		tp_json_set(json, "rounded_row_error", tp_json_real(m->rounded_row_error));
		tp_json_set(json, "row_noise", tp_json_real(m->row_noise));
	}
	tp_json_set(json, "terms", terms);
	return json;
}

/* "key": [ one item a line ]; `want` selects events, NULL = all items. */
static void add_items(const struct tp_class *c, const char *key, size_t n,
		      json_t *(*item)(const struct tp_class *, size_t),
		      bool (*want)(const struct tp_class_event *), struct tp_str *out)
{
	const char *joint = "\n";

	tp_str_printf(out, "  \"%s\": [", key);
	for (size_t i = 0; i < n; i++) {
		if (want && !want(&c->events[i]))
			continue;
		tp_str_printf(out, "%s   ", joint);
		add_json(out, item(c, i));
		joint = ",\n";
	}
	tp_str_add(out, "\n  ],\n");
}

static bool is_dropped(const struct tp_class_event *e)
{
	return e->order < 0;
}

static void add_families(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	tp_str_add(out, "\"families\": {");
	for (size_t i = 0; i < n; i++) {
		const struct tp_class *c = &classes[i];

		tp_str_add(out, i > 0 ? ",\n " : "\n ");
		add_json(out, tp_json_text(c->family));
		tp_str_add(out, ": {\n");
		add_key(out, "run", json_integer(c->run));
		add_key(out, "title", tp_json_text(c->title));
		add_key(out, "per", tp_json_text(c->per));
		add_key(out, "source", tp_json_text(c->source));
		add_key(out, "limits",
			json_pack("{s:o,s:o,s:o,s:o,s:o}", "noise", tp_json_real(c->tau),
				  "residual", tp_json_real(c->residual_limit), "alpha",
				  tp_json_real(c->alpha), "beta", tp_json_real(c->beta), "defined",
				  tp_json_real(c->defined_limit)));
		add_key(out, "ideals", names_json(c->ideals, c->n_ideals));
		add_key(out, "absent", names_json(c->absent, c->n_absent));
		add_key(out, "rows_of_basis", json_integer((json_int_t)c->n_rows));
		add_items(c, "rows", c->n_used, row_json, NULL, out);
		add_key(out, "chosen", chosen_json(c));
		add_items(c, "dropped", c->n_events, dropped_json, is_dropped, out);
		add_items(c, "events", c->n_events, event_json, NULL, out);
		add_items(c, "metrics", c->n_metrics, metric_json, NULL, out);
		tp_str_add(out, "  \"spectral_norm\": ");
		add_json(out, tp_json_real(c->spectral_norm));
		tp_str_add(out, "\n }");
	}
	tp_str_add(out, "\n}");
}

void tp_classes_json(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	tp_str_add(out, "{\n\"format\": \"tprof-classes\",\n\"version\": 1,\n");
	add_families(classes, n, out);
	tp_str_add(out, "\n}\n");
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
}

void tp_classes_csv(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	tp_str_add(out, "family,event,fate,order,noise,residual,score,norm,representation,"
			"dependence,metrics,left_out\n");
	for (size_t i = 0; i < n; i++) {
		const struct tp_class *c = &classes[i];

		for (size_t e = 0; e < c->n_events; e++) {
			const struct tp_class_event *event_row = &c->events[e];
			const double figures[] = { event_row->noise, event_row->residual,
						   event_row->score, event_row->norm };

			tp_cell_text(out, c->family);
			tp_str_add(out, ",");
			tp_cell_text(out, event_row->name);
			tp_str_add(out, ",");
			tp_cell_text(out, event_row->fate);
			tp_str_add(out, ",");
			if (event_row->order >= 0)
				tp_str_printf(out, "%d", event_row->order);
			for (size_t k = 0; k < TP_COUNT_OF(figures); k++) {
				tp_str_add(out, ",");
				tp_cell_real(out, figures[k]);
			}
			tp_str_add(out, ",");
			add_combination(out, c, event_row->x, false);
			tp_str_add(out, ",");
			add_combination(out, c, event_row->dependence, true);
			tp_str_add(out, ",");
			add_used_by(out, c, event_row->order);
			tp_str_printf(out, ",%ld\n", TP_MAX(event_row->left_out, 0L));
		}
	}
}

/* --- the families of run.json, read: what others are indexed by is checked --- */

struct reader {
	struct tp_class *class;
	struct tp_diag *diag;
	char place[160]; /* "run.json: families.flops.events[3]" */
	char family[128]; /* "run.json: families.flops" */
};

static enum tp_status refuse_place(struct reader *r, const char *what)
{
	return tp_fail(r->diag, TP_USAGE, r->place, NULL, "%s", what);
}

static void *room_for(struct reader *r, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&r->class->arena, TP_MAX(n, (size_t)1) * size_bytes);
}

/* The text of a key, "" if missing. */
static const char *read_text(struct reader *r, const json_t *o, const char *key)
{
	const char *value = json_string_value(key ? json_object_get(o, key) : o);
	char *kept = tp_arena_strdup(&r->class->arena, value ? value : "");

	tp_clean(kept, "");
	return kept;
}

/* NaN if it is not a number. */
static double read_real(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *read_list(const json_t *o, const char *key, size_t *n)
{
	const json_t *value = json_object_get(o, key);

	*n = json_is_array(value) ? json_array_size(value) : 0;
	return value;
}

/* `n` numbers; null in it is NaN. */
static bool read_numbers(const json_t *values, double *to, size_t n)
{
	if (!json_is_array(values) || json_array_size(values) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const json_t *value = json_array_get(values, i);

		if (!json_is_number(value) && !json_is_null(value))
			return false;
		to[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	return true;
}

static const char **read_names(struct reader *r, const json_t *o, const char *key, size_t *n)
{
	const json_t *names = read_list(o, key, n);
	const char **kept = room_for(r, *n, sizeof(*kept));

	for (size_t i = 0; i < *n; i++)
		kept[i] = read_text(r, json_array_get(names, i), NULL);
	return kept;
}

static enum tp_status read_row(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class *c = r->class;
	const json_t *number = json_object_get(o, "row");
	json_int_t row = json_integer_value(number);

	if (!json_is_integer(number) || row < 0 || row >= TP_READINGS_MAX_ROWS)
		return refuse_place(r, "\"row\" is not a row of a basis");
	c->rows[i] = (unsigned)row;
	c->row_names[i] = read_text(r, o, "name");
	c->row_groups[i] = read_text(r, o, "group");
	c->row_x[i] = read_real(o, "x");
	if (!read_numbers(json_object_get(o, "expect"), &c->expectations[i * c->n_ideals],
			  c->n_ideals))
		return refuse_place(r, "\"expect\" is not one number for each ideal event");
	return TP_OK;
}

static enum tp_status read_vector(struct reader *r, const json_t *o, const char *key, size_t n,
				  double **to)
{
	const json_t *values = json_object_get(o, key);
	char what[96];

	if (!values || json_is_null(values))
		return TP_OK;
	*to = room_for(r, n, sizeof(**to));
	if (read_numbers(values, *to, n))
		return TP_OK;
	snprintf(what, sizeof(what), "\"%s\" is not a list of %zu numbers", key, n);
	return refuse_place(r, what);
}

static enum tp_status read_event(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class *c = r->class;
	struct tp_class_event *e = &c->events[i];
	const json_t *number = json_object_get(o, "order");
	const json_t *left_out = json_object_get(o, "left_out");
	json_int_t order = json_integer_value(number);
	const char *fate = json_string_value(json_object_get(o, "fate"));
	enum tp_status status;

	e->name = read_text(r, o, "event");
	tp_copy(e->fate, sizeof(e->fate), fate ? fate : "");
	e->noise = read_real(o, "noise");
	e->residual = read_real(o, "residual");
	e->score = read_real(o, "score");
	e->norm = read_real(o, "norm");
	e->left_out = left_out ? (long)json_integer_value(left_out) : -1;
	e->order = -1;
	if (json_is_integer(number)) {
		if (order < 0 || (size_t)order >= c->n_chosen ||
		    c->chosen[order] != (unsigned)c->n_events)
			return refuse_place(r, "\"order\" is not a place among the chosen events");
		e->order = (int)order;
		c->chosen[order] = (unsigned)i;
	}
	status = read_vector(r, o, "representation", c->n_ideals, &e->x);
	if (status == TP_OK)
		status = read_vector(r, o, "dependence", c->n_chosen, &e->dependence);
	return status;
}

static enum tp_status read_term(struct reader *r, const json_t *o, struct tp_class_term *term)
{
	const struct tp_class *c = r->class;
	const char *name = json_string_value(json_object_get(o, "event"));
	unsigned i = 0;

	while (name && i < c->n_chosen && strcmp(c->events[c->chosen[i]].name, name) != 0)
		i++;
	if (!name || i == c->n_chosen)
		return refuse_place(r, "a term has an event that is not chosen");
	*term = (struct tp_class_term){ i, read_real(o, "coefficient"), read_real(o, "rounded") };
	return TP_OK;
}

static enum tp_status read_metric(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class_metric *m = &r->class->metrics[i];
	enum tp_status status = TP_OK;
	size_t n;
	const json_t *terms = read_list(o, "terms", &n);

	m->name = read_text(r, o, "name");
	m->symbol = read_text(r, o, "symbol");
	m->unit = read_text(r, o, "unit");
	m->defined = json_is_true(json_object_get(o, "defined"));
	m->error = read_real(o, "backward_error");
	m->rounded_error = read_real(o, "rounded_error");
	m->row_error = read_real(o, "row_error");
	m->rounded_row_error = read_real(o, "rounded_row_error");
	m->row_noise = read_real(o, "row_noise");
	m->terms = room_for(r, n, sizeof(*m->terms));
	for (; m->n_terms < n && status == TP_OK; m->n_terms++)
		status = read_term(r, json_array_get(terms, m->n_terms), &m->terms[m->n_terms]);
	return status;
}

static enum tp_status read_items(struct reader *r, const json_t *o, const char *key,
				 enum tp_status (*read)(struct reader *, const json_t *, size_t))
{
	enum tp_status status = TP_OK;
	size_t n;
	const json_t *items = read_list(o, key, &n);

	for (size_t i = 0; i < n && status == TP_OK; i++) {
		const json_t *item = json_array_get(items, i);

		snprintf(r->place, sizeof(r->place), "%s.%s[%zu]", r->family, key, i);
		status = json_is_object(item) ? read(r, item, i) : refuse_place(r, "not an object");
	}
	snprintf(r->place, sizeof(r->place), "%s", r->family);
	return status;
}

static void read_limits(struct reader *r, const json_t *o)
{
	struct tp_class *c = r->class;
	const json_t *limits = json_object_get(o, "limits");

	c->tau = read_real(limits, "noise");
	c->residual_limit = read_real(limits, "residual");
	c->alpha = read_real(limits, "alpha");
	c->beta = read_real(limits, "beta");
	c->defined_limit = read_real(limits, "defined");
	c->spectral_norm = read_real(o, "spectral_norm");
}

static enum tp_status read_family(struct reader *r, const json_t *o)
{
	struct tp_class *c = r->class;
	const json_t *run = json_object_get(o, "run"), *rows = json_object_get(o, "rows_of_basis");
	enum tp_status status;

	if (json_integer_value(run) < 0 || json_integer_value(run) >= TP_RUN_POINTS_MAX)
		return refuse_place(r, "\"run\" is not a run of a preset");
	c->run = (unsigned)json_integer_value(run);
	c->title = read_text(r, o, "title");
	c->per = read_text(r, o, "per");
	c->source = read_text(r, o, "source");
	read_limits(r, o);
	c->ideals = read_names(r, o, "ideals", &c->n_ideals);
	c->absent = read_names(r, o, "absent", &c->n_absent);
	read_list(o, "rows", &c->n_used);
	read_list(o, "chosen", &c->n_chosen);
	read_list(o, "events", &c->n_events);
	read_list(o, "metrics", &c->n_metrics);
	c->n_rows = json_is_integer(rows) && json_integer_value(rows) >= 0
			    ? (size_t)json_integer_value(rows)
			    : c->n_used;
	if (c->n_ideals > TP_FAMILY_IDEALS_MAX || c->n_chosen > c->n_ideals ||
	    c->n_chosen > c->n_events)
		return refuse_place(
			r, "more than 256 ideal events, or more chosen events than there can be");
	c->rows = room_for(r, c->n_used, sizeof(*c->rows));
	c->row_names = room_for(r, c->n_used, sizeof(*c->row_names));
	c->row_groups = room_for(r, c->n_used, sizeof(*c->row_groups));
	c->row_x = room_for(r, c->n_used, sizeof(*c->row_x));
	c->expectations = room_for(r, c->n_used * c->n_ideals, sizeof(*c->expectations));
	c->events = room_for(r, c->n_events, sizeof(*c->events));
	c->chosen = room_for(r, c->n_chosen, sizeof(*c->chosen));
	c->metrics = room_for(r, c->n_metrics, sizeof(*c->metrics));
	for (size_t i = 0; i < c->n_chosen; i++)
		c->chosen[i] = (unsigned)c->n_events; /* of none yet */
	status = read_items(r, o, "rows", read_row);
	if (status == TP_OK)
		status = read_items(r, o, "events", read_event);
	for (size_t i = 0; i < c->n_chosen && status == TP_OK; i++)
		if (c->chosen[i] == (unsigned)c->n_events)
			status = refuse_place(r, "a chosen event is not among the events");
	if (status == TP_OK)
		status = read_items(r, o, "metrics", read_metric);
	return status;
}

/* Reads {"flops": {...}, ...} into the classes of the run. */
static enum tp_status families_read(struct tp_run *run, const json_t *families, const char *place,
				    struct tp_diag *diag)
{
	struct reader r = { .diag = diag };
	enum tp_status status = TP_OK;
	const char *name;
	json_t *o;

	snprintf(r.place, sizeof(r.place), "%.100s: families", place);
	if (families && !json_is_object(families))
		return refuse_place(&r, "not an object");
	if (json_object_size(families) > TP_READINGS_MAX_FAMILIES)
		return refuse_place(&r, "more families than a run can have");
	/* jansson's loop requires the cast, which changes nothing. */
	json_object_foreach((json_t *)families, name, o)
	{
		r.class = tp_run_add_row(run, &tp_class_part);
		snprintf(r.family, sizeof(r.family), "%.80s: families.%.32s", place, name);
		snprintf(r.place, sizeof(r.place), "%s", r.family);
		if (name[0] == '\0' || !tp_copy(r.class->family, sizeof(r.class->family), name))
			return refuse_place(&r, "the name of a family has 1 to 31 bytes");
		status = json_is_object(o) ? read_family(&r, o) : refuse_place(&r, "not an object");
		if (status)
			return status;
	}
	return TP_OK;
}

/* --- the part of a run --- */

static void release_class(void *row)
{
	tp_class_release(row);
}

static void write_json(const struct tp_rows *rows, struct tp_str *out)
{
	add_families(rows->rows, rows->n, out);
}

/* Keys of a family by the object that has them ("" is the family), and the kind of their values. */
static const struct {
	const char *of, *kind, *names;
} family_keys[] = {
	{ "", "number", "run rows_of_basis spectral_norm" },
	{ "", "string", "title per source" },
	{ "", "strings", "ideals absent chosen" },
	{ "limits", "number", "noise residual alpha beta defined" },
	{ "rows", "number", "row x" },
	{ "rows", "string", "name group" },
	{ "rows", "numbers", "expect" },
	{ "dropped", "string", "event reason" },
	{ "dropped", "number", "value" },
	{ "events", "string", "event fate" },
	{ "events", "number", "order noise residual score norm left_out" },
	{ "events", "numbers", "representation dependence" },
	{ "metrics", "string", "name symbol unit" },
	{ "metrics", "boolean", "defined" },
	{ "metrics", "number",
	  "backward_error rounded_error row_error rounded_row_error row_noise" },
	{ "terms", "string", "event" },
	{ "terms", "number", "coefficient rounded" },
};

/* The schema of a value: "number", or of a list of them: "numbers". */
static json_t *kind_schema(const char *kind)
{
	size_t n = strlen(kind);

	if (kind[n - 1] == 's')
		return json_pack("{s:[s,s],s:o}", "type", "array", "null", "items",
				 json_pack("{s:[s%,s]}", "type", kind, n - 1, "null"));
	return json_pack("{s:[s,s]}", "type", kind, "null");
}

static json_t *keys_schema(const char *of)
{
	json_t *members = json_object();
	char name[32];

	for (size_t i = 0; i < TP_COUNT_OF(family_keys); i++) {
		const char *at = strcmp(family_keys[i].of, of) == 0 ? family_keys[i].names : "";

		for (size_t n; *at; at += n + strspn(at + n, " ")) {
			n = strcspn(at, " ");
			snprintf(name, sizeof(name), "%.*s", (int)n, at);
			tp_json_set(members, name, kind_schema(family_keys[i].kind));
		}
	}
	return json_pack("{s:s,s:o}", "type", "object", "properties", members);
}

static void add_list_schema(json_t *object, const char *name, json_t *items)
{
	tp_json_set(json_object_get(object, "properties"), name,
		    json_pack("{s:s,s:o}", "type", "array", "items", items));
}

static json_t *families_schema(void)
{
	static const char *const lists[] = { "rows", "dropped", "events" };
	json_t *family = keys_schema(""), *metrics = keys_schema("metrics");

	tp_json_set(json_object_get(family, "properties"), "limits", keys_schema("limits"));
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++)
		add_list_schema(family, lists[i], keys_schema(lists[i]));
	add_list_schema(metrics, "terms", keys_schema("terms"));
	add_list_schema(family, "metrics", metrics);
	return json_pack("{s:s,s:o}", "type", "object", "additionalProperties", family);
}

static const struct tp_table classes_table = { .name = "families",
					       .row_bytes = sizeof(struct tp_class) };

const struct tp_part tp_class_part = {
	.table = &classes_table,
	.place = 4,
	.release = release_class,
	.write_json = write_json,
	.json_schema = families_schema,
	.read_json = families_read,
};
