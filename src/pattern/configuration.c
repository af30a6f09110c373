/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns with a value for each parameter: sizes, work, names. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "pattern/pattern_parts.h"

#define BYTES_MAX 0x1p46
#define COUNT_MAX 1e18 /* of instances, and of what one of them does */

static const char *const templates[] = { "unified", "independent", "nonaffine" };

const char *tp_pattern_template_name(enum tp_pattern_template template)
{
	return templates[template];
}

static bool is_called(const char *own, const char *name, size_t len)
{
	return strlen(own) == len && memcmp(own, name, len) == 0;
}

bool tp_pattern_template_find(const char *name, size_t len, enum tp_pattern_template *template)
{
	for (size_t i = 0; i < TP_COUNT_OF(templates); i++)
		if (is_called(templates[i], name, len)) {
			*template = (enum tp_pattern_template)i;
			return true;
		}
	return false;
}

static const struct {
	const char *name, *c;
	unsigned bytes;
} types[] = {
#define ROW(id, name, c, bytes) { name, c, bytes },
	TP_PATTERN_TYPE_LIST(ROW)
#undef ROW
};

const char *tp_pattern_type_name(enum tp_pattern_type type)
{
	return types[type].name;
}

const char *tp_pattern_type_c(enum tp_pattern_type type)
{
	return types[type].c;
}

unsigned tp_pattern_type_bytes(enum tp_pattern_type type)
{
	return types[type].bytes;
}

int tp_pattern_find_array(const struct tp_pattern *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_arrays; i++)
		if (is_called(p->arrays[i].name, name, len))
			return (int)i;
	return -1;
}

int tp_pattern_find_parameter(const struct tp_pattern *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_parameters; i++)
		if (is_called(p->parameters[i].name, name, len))
			return (int)i;
	return -1;
}

int64_t tp_pattern_config_value(const struct tp_pattern_config *c, size_t parameter)
{
	int64_t value = c->values[parameter];
	bool shared_out = c->template == TP_PATTERN_INDEPENDENT &&
			  strcmp(c->pattern->parameters[parameter].name, "n") == 0;
	return shared_out ? value / c->threads : value;
}

struct scope {
	const struct tp_pattern_config *configuration;
	unsigned thread;
};

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	const struct scope *scope = context;
	const struct tp_pattern *p = scope->configuration->pattern;
	int parameter = tp_pattern_find_parameter(p, name, len);
	if (parameter >= 0)
		*value = (double)tp_pattern_config_value(scope->configuration, (size_t)parameter);
	else if (len == 1 && *name == 't')
		*value = scope->thread;
	else if (len == 7 && memcmp(name, "threads", len) == 0)
		*value = scope->configuration->threads;
	else
		return false;
	return true;
}

enum tp_status tp_pattern_config_eval(const struct tp_pattern_config *c,
				      const struct tp_pattern_text *text, unsigned thread,
				      double *value, struct tp_diag *diag)
{
	struct scope scope = { c, thread };
	enum tp_status status = tp_expression_eval(text->text, value_of, &scope, value, diag);
	if (status != TP_OK && diag)
		tp_place_text(diag->where, sizeof(diag->where), c->pattern->path, text->place);
	return status;
}

enum tp_status tp_pattern_fail(const struct tp_pattern *p, enum tp_status status,
			       struct tp_place place, const char *hint, struct tp_diag *diag,
			       const char *what)
{
	char where[sizeof(diag->where)];
	return tp_fail(diag, status, tp_place_text(where, sizeof(where), p->path, place), hint,
		       "%s", what);
}

/* A whole number from `least` on. */
static enum tp_status whole(const struct tp_pattern_config *c, const struct tp_pattern_text *text,
			    const char *what, double least, int64_t *value, struct tp_diag *diag)
{
	double found;
	char words[160];
	*value = 0;
	if (!text->text)
		return TP_OK;
	enum tp_status status = tp_pattern_config_eval(c, text, 0, &found, diag);
	if (status != TP_OK)
		return status;
	if (found < least || found > BYTES_MAX || found != floor(found)) {
		snprintf(words, sizeof(words), "%s: %.40s is %g", what, text->text, found);
		return tp_pattern_fail(
			c->pattern, found > BYTES_MAX ? TP_RESOURCE : TP_USAGE, text->place,
			least > 0 ? "a whole number from 1 on" : "a whole number from 0 on", diag,
			words);
	}
	*value = (int64_t)found;
	return TP_OK;
}

enum tp_status tp_pattern_config_layout(const struct tp_pattern_config *c,
					const struct tp_pattern_array *array,
					struct tp_pattern_layout *layout, struct tp_diag *diag)
{
	int64_t padding;
	double elements = 1;
	*layout = (struct tp_pattern_layout){ 0 };
	enum tp_status status = whole(c, &array->padding, "padding", 0, &padding, diag);
	if (status == TP_OK)
		status = whole(c, &array->offset, "offset", 0, &layout->offset, diag);
	for (size_t i = 0; i < array->n_extents && status == TP_OK; i++) {
		status = whole(c, &array->extents[i], array->name, 1, &layout->extents[i], diag);
		if (i + 1 == array->n_extents)
			layout->extents[i] += padding;
		elements *= (double)layout->extents[i];
	}
	if (status != TP_OK)
		return status;
	double bytes = (elements + (double)layout->offset) * tp_pattern_type_bytes(array->type);
	if (!(bytes <= BYTES_MAX)) {
		char words[120];
		snprintf(words, sizeof(words), "%s takes %g bytes", array->name, bytes);
		return tp_pattern_fail(c->pattern, TP_RESOURCE, array->place,
				       "give smaller parameters", diag, words);
	}
	layout->elements = (uint64_t)elements;
	layout->bytes = (uint64_t)bytes;
	return TP_OK;
}

bool tp_pattern_config_shares(const struct tp_pattern_config *c,
			      const struct tp_pattern_array *array)
{
	return c->template != TP_PATTERN_INDEPENDENT && !array->private;
}

enum tp_status tp_pattern_config_bytes(const struct tp_pattern_config *c, uint64_t *bytes,
				       struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	double sum = 0;
	for (size_t i = 0; i < p->n_arrays; i++) {
		struct tp_pattern_layout layout;
		enum tp_status status = tp_pattern_config_layout(c, &p->arrays[i], &layout, diag);
		if (status != TP_OK)
			return status;
		sum += (double)layout.bytes *
		       (tp_pattern_config_shares(c, &p->arrays[i]) ? 1 : c->threads);
	}
	if (sum > BYTES_MAX)
		return tp_pattern_fail(p, TP_RESOURCE, (struct tp_place){ 0 },
				       "give smaller parameters, or fewer threads", diag,
				       "all arrays together take more than 64 TiB");
	*bytes = (uint64_t)sum;
	return TP_OK;
}

/* What is counted: none where the text is not given, never fewer. */
static enum tp_status count_of(const struct tp_pattern_config *c,
			       const struct tp_pattern_text *text, const char *what, double *count,
			       struct tp_diag *diag)
{
	char words[160];
	if (!text->text)
		return TP_OK;
	enum tp_status status = tp_pattern_config_eval(c, text, 0, count, diag);
	if (status != TP_OK || (*count >= 0 && *count <= COUNT_MAX))
		return status;
	snprintf(words, sizeof(words), "%s: %.40s is %g", what, text->text, *count);
	return tp_pattern_fail(c->pattern, TP_USAGE, text->place, "a number from 0 to 1e18", diag,
			       words);
}

/* Instances of a statement in a pass of one copy of the arrays. */
static enum tp_status instances_of(const struct tp_pattern_config *c,
				   const struct tp_pattern_statement *s, double *instances,
				   struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	if (s->instances.text)
		return count_of(c, &s->instances, "instances", instances, diag);
	if (p->run.domain.text && p->n_statements == 1)
		return tp_pattern_count(c, instances, diag);
	return tp_pattern_fail(p, TP_USAGE, s->place, "instances: n", diag,
			       "a statement of C code says how often a pass runs it: instances");
}

/* Bytes of the elements that an instance reads and writes. */
static enum tp_status traffic_of(const struct tp_pattern_config *c,
				 const struct tp_pattern_statement *s, double instances,
				 struct tp_pattern_work *work, struct tp_diag *diag)
{
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	struct tp_arena arena = { 0 };
	struct tp_str code = { 0 };
	size_t n = 0;
	double reads = 0, writes = 0, bytes = 0;
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	if (status == TP_OK)
		status = tp_pattern_accesses(c->pattern, s, tp_str_text(&code), &arena, accesses,
					     &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		reads += accesses[i].read;
		writes += accesses[i].write;
		bytes += (accesses[i].read + accesses[i].write) *
			 tp_pattern_type_bytes(accesses[i].array->type);
	}
	double counted = reads + writes;
	if (status == TP_OK)
		status = count_of(c, &s->reads, "reads", &reads, diag);
	if (status == TP_OK)
		status = count_of(c, &s->writes, "writes", &writes, diag);
	/* Where functions hide the accesses, elements are those of the first array. */
	if (!(counted > 0) && c->pattern->n_arrays)
		bytes = (reads + writes) * tp_pattern_type_bytes(c->pattern->arrays[0].type);
	else if (counted > 0)
		bytes *= (reads + writes) / counted;
	work->reads += instances * reads;
	work->writes += instances * writes;
	work->bytes += instances * bytes;
	tp_arena_release(&arena);
	tp_str_release(&code);
	return status;
}

enum tp_status tp_pattern_config_work(const struct tp_pattern_config *c,
				      struct tp_pattern_work *work, struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	double copies = c->template == TP_PATTERN_INDEPENDENT ? c->threads : 1;
	enum tp_status status = TP_OK;
	*work = (struct tp_pattern_work){ 0 };
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++) {
		const struct tp_pattern_statement *s = &p->statements[i];
		double instances = 0, flops = 0;
		status = instances_of(c, s, &instances, diag);
		instances *= copies;
		if (status == TP_OK)
			status = count_of(c, &s->flops, "flops", &flops, diag);
		if (status == TP_OK)
			status = traffic_of(c, s, instances, work, diag);
		work->flops += instances * flops;
		if (i == 0)
			work->elements = instances;
	}
	if (status == TP_OK && p->elements.text) {
		status = count_of(c, &p->elements, "elements", &work->elements, diag);
		work->elements *= copies;
	}
	return status;
}

void tp_pattern_arguments_fill(const struct tp_pattern_config *c, unsigned thread,
			       const struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX],
			       struct tp_pattern_arguments *arguments)
{
	const struct tp_pattern *p = c->pattern;
	*arguments = (struct tp_pattern_arguments){ .thread = thread, .threads = c->threads };
	for (size_t i = 0; i < p->n_parameters; i++)
		arguments->values[i] = tp_pattern_config_value(c, i);
	for (size_t i = 0; i < p->n_arrays; i++)
		memcpy(arguments->extents[i], layouts[i].extents, sizeof(layouts[i].extents));
}

const char *tp_pattern_config_name(const struct tp_pattern_config *c, char *out, size_t size)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_str text = { 0 };
	for (size_t i = 0; i < p->n_parameters; i++)
		tp_str_printf(&text, "%s%s=%" PRId64, i ? " " : "", p->parameters[i].name,
			      c->values[i]);
	if (c->template != p->templates[0] || p->n_templates > 1)
		tp_str_printf(&text, "%s%s", text.len ? " " : "", templates[c->template]);
	if (c->nowait)
		tp_str_printf(&text, "%snowait", text.len ? " " : "");
	tp_copy(out, size, tp_str_text(&text));
	tp_str_release(&text);
	return out;
}
