/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The families of run.json, read (classes.c writes them). Whatever the others are indexed by is
 * checked: lengths, positions, names.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/counters/classes_json.h"
#include "experiments/counters/readings.h"
#include "record/run.h"
#include "experiments/counters/classes.h"

struct reader {
	struct tp_class *class;
	struct tp_diag *diag;
	char place[160]; /* "run.json: families.flops.events[3]" */
	char family[128]; /* "run.json: families.flops" */
	bool out_of_memory;
};

static enum tp_status refuse(struct reader *r, const char *what)
{
	return tp_fail(r->diag, TP_USAGE, r->place, NULL, "%s", what);
}

static void *room(struct reader *r, size_t n, size_t size_bytes)
{
	void *memory = tp_arena_alloc(&r->class->arena, TP_MAX(n, (size_t)1) * size_bytes);

	r->out_of_memory |= !memory;
	return memory;
}

/* The text of a key, "" where there is none. */
static const char *text(struct reader *r, const json_t *o, const char *key)
{
	const char *value = json_string_value(key ? json_object_get(o, key) : o);
	char *kept = tp_arena_strdup(&r->class->arena, value ? value : "");

	r->out_of_memory |= !kept;
	if (kept)
		tp_clean(kept, "");
	return kept ? kept : "";
}

/* NaN where there is no number. */
static double real(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *list(const json_t *o, const char *key, size_t *n)
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
	const json_t *names = list(o, key, n);
	const char **kept = room(r, *n, sizeof(*kept));

	for (size_t i = 0; kept && i < *n; i++)
		kept[i] = text(r, json_array_get(names, i), NULL);
	return kept;
}

static enum tp_status read_row(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class *c = r->class;
	const json_t *number = json_object_get(o, "row");
	json_int_t row = json_integer_value(number);

	if (!json_is_integer(number) || row < 0 || row >= TP_READINGS_MAX_ROWS)
		return refuse(r, "\"row\" is no row of a basis");
	c->rows[i] = (unsigned)row;
	c->row_names[i] = text(r, o, "name");
	c->row_groups[i] = text(r, o, "group");
	c->row_x[i] = real(o, "x");
	if (!read_numbers(json_object_get(o, "expect"), &c->expectations[i * c->n_ideals],
			  c->n_ideals))
		return refuse(r, "\"expect\" is not one number for each ideal event");
	return TP_OK;
}

static enum tp_status read_vector(struct reader *r, const json_t *o, const char *key, size_t n,
				  double **to)
{
	const json_t *values = json_object_get(o, key);
	char what[96];

	if (!values || json_is_null(values))
		return TP_OK;
	*to = room(r, n, sizeof(**to));
	if (*to && read_numbers(values, *to, n))
		return TP_OK;
	snprintf(what, sizeof(what), "\"%s\" is not a list of %zu numbers", key, n);
	return *to ? refuse(r, what) : TP_NOMEM;
}

static enum tp_status read_event(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class *c = r->class;
	struct tp_class_event *e = &c->events[i];
	const json_t *number = json_object_get(o, "order");
	json_int_t order = json_integer_value(number);
	const char *fate = json_string_value(json_object_get(o, "fate"));
	enum tp_status status;

	e->name = text(r, o, "event");
	tp_copy(e->fate, sizeof(e->fate), fate ? fate : "");
	e->noise = real(o, "noise");
	e->residual = real(o, "residual");
	e->score = real(o, "score");
	e->norm = real(o, "norm");
	e->order = -1;
	if (json_is_integer(number)) {
		if (order < 0 || (size_t)order >= c->n_chosen ||
		    c->chosen[order] != (unsigned)c->n_events)
			return refuse(r, "\"order\" is no place among the chosen events");
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
		return refuse(r, "a term is of no chosen event");
	*term = (struct tp_class_term){ i, real(o, "coefficient"), real(o, "rounded") };
	return TP_OK;
}

static enum tp_status read_metric(struct reader *r, const json_t *o, size_t i)
{
	struct tp_class_metric *m = &r->class->metrics[i];
	enum tp_status status = TP_OK;
	size_t n;
	const json_t *terms = list(o, "terms", &n);

	m->name = text(r, o, "name");
	m->symbol = text(r, o, "symbol");
	m->unit = text(r, o, "unit");
	m->defined = json_is_true(json_object_get(o, "defined"));
	m->error = real(o, "backward_error");
	m->rounded_error = real(o, "rounded_error");
	m->terms = room(r, n, sizeof(*m->terms));
	for (; m->terms && m->n_terms < n && status == TP_OK; m->n_terms++)
		status = read_term(r, json_array_get(terms, m->n_terms), &m->terms[m->n_terms]);
	return status;
}

static enum tp_status read_items(struct reader *r, const json_t *o, const char *key,
				 enum tp_status (*read)(struct reader *, const json_t *, size_t))
{
	enum tp_status status = TP_OK;
	size_t n;
	const json_t *items = list(o, key, &n);

	for (size_t i = 0; i < n && status == TP_OK && !r->out_of_memory; i++) {
		const json_t *item = json_array_get(items, i);

		snprintf(r->place, sizeof(r->place), "%s.%s[%zu]", r->family, key, i);
		status = json_is_object(item) ? read(r, item, i) : refuse(r, "not an object");
	}
	snprintf(r->place, sizeof(r->place), "%s", r->family);
	return status;
}

static enum tp_status read_limits(struct reader *r, const json_t *o)
{
	struct tp_class *c = r->class;
	const json_t *limits = json_object_get(o, "limits");

	c->tau = real(limits, "noise");
	c->residual_limit = real(limits, "residual");
	c->alpha = real(limits, "alpha");
	c->beta = real(limits, "beta");
	c->defined_limit = real(limits, "defined");
	c->spectral_norm = real(o, "spectral_norm");
	return TP_OK;
}

static enum tp_status read_family(struct reader *r, const json_t *o)
{
	struct tp_class *c = r->class;
	const json_t *run = json_object_get(o, "run"), *rows = json_object_get(o, "rows_of_basis");
	enum tp_status status;

	if (json_integer_value(run) < 0 || json_integer_value(run) >= TP_RUN_POINTS_MAX)
		return refuse(r, "\"run\" is no run of a preset");
	c->run = (unsigned)json_integer_value(run);
	c->title = text(r, o, "title");
	c->per = text(r, o, "per");
	c->source = text(r, o, "source");
	read_limits(r, o);
	c->ideals = read_names(r, o, "ideals", &c->n_ideals);
	c->absent = read_names(r, o, "absent", &c->n_absent);
	list(o, "rows", &c->n_used);
	list(o, "chosen", &c->n_chosen);
	list(o, "events", &c->n_events);
	list(o, "metrics", &c->n_metrics);
	c->n_rows = json_is_integer(rows) && json_integer_value(rows) >= 0
			    ? (size_t)json_integer_value(rows)
			    : c->n_used;
	if (c->n_ideals > TP_FAMILY_IDEALS_MAX || c->n_chosen > c->n_ideals ||
	    c->n_chosen > c->n_events)
		return refuse(
			r, "more than 256 ideal events, or more chosen events than there can be");
	c->rows = room(r, c->n_used, sizeof(*c->rows));
	c->row_names = room(r, c->n_used, sizeof(*c->row_names));
	c->row_groups = room(r, c->n_used, sizeof(*c->row_groups));
	c->row_x = room(r, c->n_used, sizeof(*c->row_x));
	c->expectations = room(r, c->n_used * c->n_ideals, sizeof(*c->expectations));
	c->events = room(r, c->n_events, sizeof(*c->events));
	c->chosen = room(r, c->n_chosen, sizeof(*c->chosen));
	c->metrics = room(r, c->n_metrics, sizeof(*c->metrics));
	if (r->out_of_memory)
		return TP_NOMEM;
	for (size_t i = 0; i < c->n_chosen; i++)
		c->chosen[i] = (unsigned)c->n_events; /* of none yet */
	status = read_items(r, o, "rows", read_row);
	if (status == TP_OK)
		status = read_items(r, o, "events", read_event);
	for (size_t i = 0; i < c->n_chosen && status == TP_OK; i++)
		if (c->chosen[i] == (unsigned)c->n_events)
			status = refuse(r, "a chosen event is not among the events");
	if (status == TP_OK)
		status = read_items(r, o, "metrics", read_metric);
	return status == TP_OK && r->out_of_memory ? TP_NOMEM : status;
}

enum tp_status tp_families_read(struct tp_run *run, const json_t *families, const char *place,
				struct tp_diag *diag)
{
	struct reader r = { .diag = diag };
	enum tp_status status = TP_OK;
	const char *name;
	json_t *o;

	snprintf(r.place, sizeof(r.place), "%.100s: families", place);
	if (families && !json_is_object(families))
		return refuse(&r, "not an object");
	if (json_object_size(families) > TP_READINGS_MAX_FAMILIES)
		return refuse(&r, "more families than a run can have");
	/* The cast: jansson's loop wants it, and changes nothing. */
	json_object_foreach((json_t *)families, name, o)
	{
		r.class = tp_run_add_row(run, &tp_class_part);
		if (!r.class)
			return TP_NOMEM;
		snprintf(r.family, sizeof(r.family), "%.80s: families.%.32s", place, name);
		snprintf(r.place, sizeof(r.place), "%s", r.family);
		if (name[0] == '\0' || !tp_copy(r.class->family, sizeof(r.class->family), name))
			return refuse(&r, "the name of a family has 1 to 31 bytes");
		status = json_is_object(o) ? read_family(&r, o) : refuse(&r, "not an object");
		if (status)
			return status;
	}
	return TP_OK;
}
