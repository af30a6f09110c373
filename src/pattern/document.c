/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the YAML document of a pattern: the user's own folder first, then what ships with tprof. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/named.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "pattern/pattern.h"

enum { WORD_BYTES = 32, SHOWN_BYTES = 64 };

struct tp_pattern_reader {
	struct tp_pattern *pattern;
	struct tp_faults *faults;
};

/* A key of a mapping, and what its value becomes. */
struct field {
	const char *name;
	void (*take)(struct tp_pattern_reader *r, const struct tp_node *value,
		     const struct field *field);
	void *out;
	size_t most; /* bytes of a text; 0 = those of an expression */
	size_t *n, n_most; /* of a list of texts */
	bool required;
};

/*
 * Takes the values of a mapping. `keys`, as many as fields, tell what was given; NULL = nobody
 * asks. False after a complaint if it is no mapping.
 */
static bool read_fields(struct tp_pattern_reader *r, const struct tp_node *node, const char *where,
			const struct field *fields, size_t n, struct tp_yaml_key *keys)
{
	struct tp_yaml_key own[TP_YAML_KEYS_MAX];
	keys = keys ? keys : own;
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct tp_yaml_key){ .name = fields[i].name,
						.required = fields[i].required };
	if (!tp_yaml_keys(r->faults, node, where, keys, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (keys[i].value && fields[i].take)
			fields[i].take(r, keys[i].value, &fields[i]);
	return true;
}

/* A trimmed text of a scalar, with lines; false after a complaint. */
static bool pattern_take_text(struct tp_pattern_reader *r, const struct tp_node *node,
			      const char *what, size_t most, struct tp_pattern_text *out)
{
	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected a text", what);
		return false;
	}
	const char *text = node->text;
	size_t len = node->len;
	tp_trim(&text, &len);
	const char *fault = tp_text_fault(text, len, "\n\t");
	if (len == 0 || len > most || fault) {
		tp_faults_add(r->faults, node->place, NULL, "%s: %s%s", what,
			      fault ? "the text "
			      : len ? "the text is too long"
				    : "no text is given",
			      fault ? fault : "");
		return false;
	}
	*out = (struct tp_pattern_text){ tp_arena_strndup(r->pattern->arena, text, len),
					 node->place };
	return true;
}

static void take_text(struct tp_pattern_reader *r, const struct tp_node *node,
		      const struct field *field)
{
	pattern_take_text(r, node, field->name, field->most ? field->most : TP_EXPRESSION_MAX_BYTES,
			  field->out);
}

static bool pattern_take_bool(struct tp_pattern_reader *r, const struct tp_node *node,
			      const char *what, bool *out)
{
	if (tp_node_is(node, "true") || tp_node_is(node, "false")) {
		*out = tp_node_is(node, "true");
		return true;
	}
	tp_faults_add(r->faults, node->place, "true or false", "%s: expected true or false", what);
	return false;
}

static void take_flag(struct tp_pattern_reader *r, const struct tp_node *node,
		      const struct field *field)
{
	pattern_take_bool(r, node, field->name, field->out);
}

static bool pattern_take_count(struct tp_pattern_reader *r, const struct tp_node *node,
			       const char *what, int64_t most, int64_t *out)
{
	char *end;
	errno = 0;
	long long value = node->kind == TP_NODE_SCALAR ? strtoll(node->text, &end, 10) : -1;
	if (node->kind == TP_NODE_SCALAR && node->len && end == node->text + node->len && !errno &&
	    value >= 0 && value <= most) {
		*out = value;
		return true;
	}
	char hint[64];
	snprintf(hint, sizeof(hint), "a whole number from 0 to %lld", (long long)most);
	tp_faults_add(r->faults, node->place, hint, "%s: expected a whole number", what);
	return false;
}

/* Words of C and of ours that nothing else can be called. */
static bool is_reserved(const char *name)
{
	static const char words[] =
		"auto break case char const continue default do double else enum extern float for "
		"goto if inline int long register restrict return short signed sizeof static "
		"struct switch typedef union unsigned void volatile while main t threads args pass "
		"passes PARALLEL PARALLEL_SIMD CHECK REPEAT min max abs floor ceil and or not mod "
		"exists "
		"template "
		"nowait";
	return tp_has_word(words, name) || strncmp(name, "tp_", 3) == 0 || name[0] == '_';
}

/* An identifier that is no word of C, isl or tprof. */
static bool pattern_take_name(struct tp_pattern_reader *r, const struct tp_node *node,
			      const char *text, size_t len, const char *what, const char **out)
{
	char shown[SHOWN_BYTES];
	if (len == 0 || len > WORD_BYTES || tp_identifier_length(text) < len) {
		tp_faults_add(
			r->faults, node->place, "a letter, then at most 31 letters, digits and _",
			"%s: \"%s\" is no name", what, tp_shown(shown, sizeof(shown), text, len));
		return false;
	}
	*out = tp_arena_strndup(r->pattern->arena, text, len);
	if (!is_reserved(*out))
		return true;
	tp_faults_add(r->faults, node->place, "words of C, isl and tprof cannot be names",
		      "%s: \"%s\" has a meaning already", what, *out);
	return false;
}

/* One text, or a list of at most `most`; returns how many. */
static size_t pattern_take_texts(struct tp_pattern_reader *r, const struct tp_node *node,
				 const char *what, struct tp_pattern_text *out, size_t most,
				 size_t bytes_most)
{
	size_t n = 0;
	if (node->kind != TP_NODE_SEQUENCE)
		return pattern_take_text(r, node, what, bytes_most, &out[0]);
	if (tp_node_count(node) == 0 || tp_node_count(node) > most) {
		tp_faults_add(r->faults, node->place, NULL, "%s: expected 1 to %zu entries", what,
			      most);
		return 0;
	}
	for (const struct tp_node *item = node->first; item; item = item->next)
		n += pattern_take_text(r, item, what, bytes_most, &out[n]);
	return n;
}

static void take_texts(struct tp_pattern_reader *r, const struct tp_node *node,
		       const struct field *field)
{
	*field->n =
		pattern_take_texts(r, node, field->name, field->out, field->n_most, field->most);
}

/* "NAME(i, j)": the length of the name, and its indices. */
static size_t pattern_take_formals(struct tp_pattern_reader *r, const struct tp_node *key,
				   const char *what, const char *formals[TP_PATTERN_FORMALS_MAX],
				   size_t *n)
{
	const char *at = key->text, *form = "write NAME(i, j)";
	size_t len = tp_identifier_length(at);
	bool again = false;
	*n = 0;
	at += len;
	if (len == 0 || *at++ != '(') {
		tp_faults_add(r->faults, key->place, form, "%s: \"%.40s\" has no indices", what,
			      key->text);
		return 0;
	}
	for (;;) {
		at += strspn(at, " ");
		size_t name = tp_identifier_length(at);
		if (*n == TP_PATTERN_FORMALS_MAX ||
		    !pattern_take_name(r, key, at, name, what, &formals[*n])) {
			if (*n == TP_PATTERN_FORMALS_MAX)
				tp_faults_add(r->faults, key->place, NULL, "%s: too many indices",
					      what);
			return 0;
		}
		for (size_t i = 0; i < *n; i++)
			again |= strcmp(formals[i], formals[*n]) == 0;
		if (again) {
			tp_faults_add(r->faults, key->place, form,
				      "%s: \"%.40s\" has an index twice", what, key->text);
			return 0;
		}
		++*n;
		at += name;
		at += strspn(at, " ");
		if (*at == ')' && at + 1 == key->text + key->len)
			return len;
		if (*at++ != ',') {
			tp_faults_add(r->faults, key->place, form, "%s: \"%.40s\" has no )", what,
				      key->text);
			return 0;
		}
	}
}

enum { HELP_BYTES = 200, ALIGNMENT_MOST = 4096 };

static const struct tp_yaml_kind pattern_yaml = {
	.files = "patterns",
	.one = "a pattern",
	.share = "patterns have no anchors: write the text again",
	.type = "write plain values without tags",
	.several = "one pattern a file",
	.form = "see tprof-pattern(5); text with : or # stands in quotes, or behind |",
	.too_long = "put several loops into several patterns",
};

/* --- parameters --- */

static void take_values(struct tp_pattern_reader *r, const struct tp_node *node,
			const struct field *field)
{
	struct tp_pattern_parameter *parameter = field->out;
	size_t n = node->kind == TP_NODE_SEQUENCE ? tp_node_count(node) : 1;
	if (n == 0 || n > TP_PATTERN_VALUES_MAX) {
		tp_faults_add(r->faults, node->place, NULL, "%s: %zu values, allowed are 1 to %d",
			      parameter->name, n, TP_PATTERN_VALUES_MAX);
		return;
	}
	parameter->values = tp_arena_alloc(r->pattern->arena, n * sizeof(*parameter->values));
	const struct tp_node *item = node->kind == TP_NODE_SEQUENCE ? node->first : node;
	for (; item; item = node->kind == TP_NODE_SEQUENCE ? item->next : NULL)
		if (pattern_take_count(r, item, parameter->name, INT64_C(1) << 40,
				       &parameter->values[parameter->n]))
			parameter->n++;
}

static void read_parameters(struct tp_pattern_reader *r, const struct tp_node *node,
			    const struct field *field)
{
	struct tp_pattern *p = field->out;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_PATTERN_PARAMETERS_MAX) {
		tp_faults_add(r->faults, node->place, "n: 1000, or n: {values: [1000, 2000]}",
			      "parameters: expected at most %d names with values",
			      TP_PATTERN_PARAMETERS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_pattern_parameter parameter = { .place = key->place };
		struct tp_pattern_text help = { "", { 0 } };
		const struct field fields[] = {
			{ "values", take_values, .out = &parameter, .required = true },
			{ "help", take_text, .out = &help, .most = HELP_BYTES },
			{ "runtime", take_flag, .out = &parameter.runtime },
		};
		if (!pattern_take_name(r, key, key->text, key->len, "parameters",
				       &parameter.name) ||
		    tp_yaml_twice(r->faults, node, key) || !key->value)
			continue;
		parameter.runtime = strcmp(parameter.name, "n") == 0;
		if (key->value->kind != TP_NODE_MAPPING)
			take_values(r, key->value, &fields[0]);
		else
			read_fields(r, key->value, parameter.name, fields, TP_COUNT_OF(fields),
				    NULL);
		parameter.help = help.text;
		p->parameters[p->n_parameters++] = parameter;
	}
}

/* --- arrays and their map --- */

static void take_type(struct tp_pattern_reader *r, const struct tp_node *node,
		      const struct field *field)
{
	struct tp_pattern_array *array = field->out;
	for (unsigned i = 0; i <= TP_PATTERN_COMPLEX; i++)
		if (tp_node_is(node, tp_pattern_type_name(i))) {
			array->type = i;
			return;
		}
	tp_faults_add(r->faults, node->place, "double, float, int32, int64 or complex double",
		      "type: there is no such type of elements");
}

static void take_alignment(struct tp_pattern_reader *r, const struct tp_node *node,
			   const struct field *field)
{
	struct tp_pattern_array *array = field->out;
	int64_t alignment;
	if (!pattern_take_count(r, node, "alignment", ALIGNMENT_MOST, &alignment))
		return;
	array->alignment = (unsigned)alignment;
	if (alignment < 16 || (alignment & (alignment - 1)))
		tp_faults_add(r->faults, node->place, "a power of two from 16 to 4096",
			      "alignment: %lld bytes are not allowed", (long long)alignment);
}

static void read_arrays(struct tp_pattern_reader *r, const struct tp_node *node,
			const struct field *field)
{
	struct tp_pattern *p = field->out;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_PATTERN_ARRAYS_MAX) {
		tp_faults_add(r->faults, node->place, "a: {type: double, extents: [n]}",
			      "arrays: expected at most %d names with their extents",
			      TP_PATTERN_ARRAYS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_pattern_array *a = &p->arrays[p->n_arrays];
		const struct field fields[] = {
			{ "type", take_type, .out = a },
			{ "extents", take_texts, a->extents, .most = TP_EXPRESSION_MAX_BYTES,
			  .n = &a->n_extents, .n_most = TP_PATTERN_EXTENTS_MAX, .required = true },
			{ "padding", take_text, .out = &a->padding },
			{ "offset", take_text, .out = &a->offset },
			{ "alignment", take_alignment, .out = a },
			{ "private", take_flag, .out = &a->private },
			{ "scratch", take_flag, .out = &a->scratch },
		};
		*a = (struct tp_pattern_array){ .place = key->place, .alignment = 64 };
		if (!pattern_take_name(r, key, key->text, key->len, "arrays", &a->name) ||
		    tp_yaml_twice(r->faults, node, key) || !key->value)
			continue;
		read_fields(r, key->value, a->name, fields, TP_COUNT_OF(fields), NULL);
		p->n_arrays++;
	}
}

static void read_map(struct tp_pattern_reader *r, const struct tp_node *node,
		     const struct field *field)
{
	struct tp_pattern *p = field->out;
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(r->faults, node->place, "a(i): i",
			      "map: expected arrays with indices");
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		const char *formals[TP_PATTERN_FORMALS_MAX];
		size_t n, len = pattern_take_formals(r, key, "map", formals, &n);
		if (!len || !key->value)
			continue;
		int found = tp_pattern_find_array(p, key->text, len);
		struct tp_pattern_array *array = found < 0 ? NULL : &p->arrays[found];
		if (!array || array->n_map) {
			tp_faults_add(r->faults, key->place, NULL,
				      array ? "map: there are two maps of %.*s"
					    : "map: there is no array %.*s",
				      (int)len, key->text);
			continue;
		}
		memcpy(array->formals, formals, sizeof(formals));
		array->n_formals = n;
		array->n_map = pattern_take_texts(r, key->value, "map", array->map,
						  TP_PATTERN_EXTENTS_MAX, TP_EXPRESSION_MAX_BYTES);
		if (array->n_map > 1 && array->n_extents && array->n_map != array->n_extents)
			tp_faults_add(r->faults, key->value->place,
				      "one index a dimension, or one that counts all elements",
				      "map: %s has %zu dimensions and %zu indices", array->name,
				      array->n_extents, array->n_map);
	}
}

/* --- statements --- */

static void read_statements(struct tp_pattern_reader *r, const struct tp_node *node,
			    const struct field *field)
{
	struct tp_pattern *p = field->out;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) == 0 ||
	    tp_node_count(node) > TP_PATTERN_STATEMENTS_MAX) {
		tp_faults_add(r->faults, node->place, "S(i): {code: a(i) = b(i);, flops: 0}",
			      "statements: expected 1 to %d statements", TP_PATTERN_STATEMENTS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_pattern_statement *s = &p->statements[p->n_statements];
		const struct field fields[] = {
			{ "code", take_text, .out = &s->code, .most = TP_PATTERN_TEXT_MAX,
			  .required = true },
			{ "flops", take_text, .out = &s->flops },
			{ "instances", take_text, .out = &s->instances },
			{ "reads", take_text, .out = &s->reads },
			{ "writes", take_text, .out = &s->writes },
		};
		*s = (struct tp_pattern_statement){ .place = key->place };
		size_t len = pattern_take_formals(r, key, "statements", s->formals, &s->n_formals);
		if (!len || !pattern_take_name(r, key, key->text, len, "statements", &s->name) ||
		    !key->value)
			continue;
		bool known = tp_pattern_find_array(p, key->text, len) >= 0;
		for (size_t i = 0; i < p->n_statements; i++)
			known |= strcmp(p->statements[i].name, s->name) == 0;
		if (known) {
			tp_faults_add(r->faults, key->place, "each has a name of its own",
				      "statements: %s is there already", s->name);
			continue;
		}
		if (key->value->kind == TP_NODE_SCALAR)
			pattern_take_text(r, key->value, s->name, TP_PATTERN_TEXT_MAX, &s->code);
		else
			read_fields(r, key->value, s->name, fields, TP_COUNT_OF(fields), NULL);
		p->n_statements++;
	}
}

static void take_parallel(struct tp_pattern_reader *r, const struct tp_node *node,
			  const struct field *field)
{
	struct tp_pattern_part *part = field->out;
	int64_t depth;
	if (tp_node_is(node, "none"))
		part->parallel = UINT_MAX;
	else if (pattern_take_count(r, node, "parallel", 16, &depth))
		part->parallel = (unsigned)depth;
}

static void read_part(struct tp_pattern_reader *r, const struct tp_node *node,
		      const struct field *field)
{
	enum { C, DOMAIN, SCHEDULE, PARALLEL, KEYS };
	struct tp_pattern_part *part = field->out;
	const struct field fields[KEYS] = {
		[C] = { "c", take_text, .out = &part->c, .most = TP_PATTERN_TEXT_MAX },
		[DOMAIN] = { "domain", take_text, .out = &part->domain,
			     .most = TP_PATTERN_TEXT_MAX },
		[SCHEDULE] = { "schedule", take_texts, part->schedule, .most = TP_PATTERN_TEXT_MAX,
			       .n = &part->n_schedule, .n_most = TP_PATTERN_RELATIONS_MAX },
		[PARALLEL] = { "parallel", take_parallel, .out = part },
	};
	struct tp_yaml_key keys[KEYS];
	if (!read_fields(r, node, field->name, fields, KEYS, keys))
		return;
	part->given = true;
	if (keys[C].given == keys[DOMAIN].given)
		tp_faults_add(r->faults, node->place, "c: with loops, or domain: and schedule:",
			      "%s: give either c or domain", field->name);
	if (keys[DOMAIN].value && !keys[SCHEDULE].given)
		tp_faults_add(r->faults, node->place, "schedule: [\"{ S[i] -> [i] }\"]",
			      "%s: a domain needs a schedule", field->name);
}

/* --- the document --- */

static void read_templates(struct tp_pattern_reader *r, const struct tp_node *node,
			   const struct field *field)
{
	struct tp_pattern *p = field->out;
	struct tp_pattern_text words[3];
	size_t n = pattern_take_texts(r, node, "template", words, 3, WORD_BYTES);
	p->n_templates = 0;
	for (size_t i = 0; i < n; i++) {
		enum tp_pattern_template template;
		if (tp_pattern_template_find(words[i].text, strlen(words[i].text), &template))
			p->templates[p->n_templates++] = template;
		else
			tp_faults_add(r->faults, words[i].place,
				      "unified, independent or nonaffine",
				      "template: there is no template of that name");
	}
}

static void read_nowaits(struct tp_pattern_reader *r, const struct tp_node *node,
			 const struct field *field)
{
	struct tp_pattern *p = field->out;
	bool list = node->kind == TP_NODE_SEQUENCE;
	p->n_nowaits = 0;
	if (list && (tp_node_count(node) == 0 || tp_node_count(node) > 2)) {
		tp_faults_add(r->faults, node->place, "true, false, or both",
			      "nowait: expected 1 or 2 values");
		return;
	}
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL)
		if (pattern_take_bool(r, item, "nowait", &p->nowaits[p->n_nowaits]))
			p->n_nowaits++;
}

/* Names are one space: a parameter that is called like an array would hide it in C. */
static void check_names(struct tp_pattern_reader *r)
{
	const struct tp_pattern *p = r->pattern;
	for (size_t i = 0; i < p->n_parameters; i++) {
		const char *name = p->parameters[i].name;
		bool twice = tp_pattern_find_array(p, name, strlen(name)) >= 0;
		for (size_t s = 0; s < p->n_statements; s++)
			twice |= strcmp(p->statements[s].name, name) == 0;
		if (twice)
			tp_faults_add(r->faults, p->parameters[i].place, "choose another name",
				      "%s is the name of a parameter and of something else", name);
	}
	for (size_t i = 0; i < p->n_arrays; i++)
		if (!p->arrays[i].n_map)
			tp_faults_add(r->faults, p->arrays[i].place, "map: {a(i): i}",
				      "map: %s has none", p->arrays[i].name);
}

static void read_validate(struct tp_pattern_reader *r, const struct tp_node *node,
			  const struct field *field)
{
	struct tp_pattern *p = field->out;
	const struct field part = { .name = field->name, .out = &p->validate };
	p->reference = tp_node_is(node, "reference");
	if (!p->reference)
		read_part(r, node, &part);
}

static void read_root(struct tp_pattern_reader *r, const struct tp_node *root)
{
	enum { VALIDATE = 11, REFERENCE, KEYS = 15 };
	struct tp_pattern *p = r->pattern;
	struct tp_pattern_text summary = { "", { 0 } };
	const struct field fields[KEYS] = {
		{ "summary", take_text, .out = &summary, .most = HELP_BYTES, .required = true },
		{ "template", read_templates, .out = p },
		{ "nowait", read_nowaits, .out = p },
		{ "parameters", read_parameters, .out = p, .required = true },
		{ "arrays", read_arrays, .out = p, .required = true },
		{ "map", read_map, .out = p, .required = true },
		{ "statements", read_statements, .out = p, .required = true },
		{ "context", take_text, .out = &p->context, .most = TP_PATTERN_TEXT_MAX },
		{ "declarations", take_text, .out = &p->declarations, .most = TP_PATTERN_TEXT_MAX },
		{ "init", read_part, .out = &p->init, .required = true },
		{ "run", read_part, .out = &p->run, .required = true },
		[VALIDATE] = { "validate", read_validate, .out = p, .required = true },
		[REFERENCE] = { "reference", read_part, .out = &p->plain },
		{ "elements", take_text, .out = &p->elements },
		{ "duplicates", take_flag, .out = &p->duplicates },
	};
	struct tp_yaml_key keys[KEYS];
	if (!read_fields(r, root, "a pattern", fields, KEYS, keys))
		return;
	p->summary = summary.text;
	if (p->plain.given && !p->reference)
		tp_faults_add(r->faults, keys[REFERENCE].value->place, "validate: reference",
			      "reference: validate does not use it");
	if (p->reference && !p->plain.given && p->run.given && !p->run.domain.text)
		tp_faults_add(r->faults, keys[VALIDATE].value->place,
			      "write validate: {c: ...} or reference: {c: ...}",
			      "validate: reference needs a run with a domain");
	check_names(r);
}

enum tp_status tp_pattern_parse(struct tp_pattern *p, struct tp_arena *arena, const char *name,
				const char *text, size_t len, struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	struct tp_pattern_reader r = { .pattern = p, .faults = &faults };
	struct tp_node *root = NULL;
	*p = (struct tp_pattern){ .summary = "",
				  .templates = { TP_PATTERN_UNIFIED },
				  .n_templates = 1,
				  .nowaits = { false },
				  .n_nowaits = 1 };
	tp_copy(p->path, sizeof(p->path), name);
	p->arena = arena;
	p->document = tp_arena_strndup(arena, text, len);
	p->document_bytes = len;
	tp_yaml_read(text, len, &pattern_yaml, arena, &root, &faults);
	if (root)
		read_root(&r, root);
	else if (!tp_faults_count(&faults))
		tp_faults_add(&faults, (struct tp_place){ 0 }, "see tprof-pattern(5)",
			      "the file is empty");
	return tp_faults_flush(&faults, diags) ? TP_USAGE : TP_OK;
}

static void take_summary(const char *text __attribute__((unused)), const struct tp_node *root,
			 char *out, size_t size)
{
	for (const struct tp_node *key = root && root->kind == TP_NODE_MAPPING ? root->first : NULL;
	     key; key = key->next)
		if (tp_node_is(key, "summary") && key->value && key->value->kind == TP_NODE_SCALAR)
			tp_shown(out, size, key->value->text, key->value->len);
}

static void read_summary(const char *path, char *out, size_t size)
{
	static const struct tp_yaml_kind kind = { .files = "patterns", .one = "a pattern" };
	tp_yaml_title(path, &kind, out, size, take_summary);
}

static const struct tp_named_kind patterns = {
	.what = "patterns",
	.one = "pattern",
	.folders = { { tp_path_user_config, "patterns" },
		     { tp_path_user_data, "patterns" },
		     { tp_path_data, "presets/patterns" } },
	.name_bytes = TP_PATTERN_NAME_BYTES,
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_summary,
};

enum tp_status tp_pattern_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&patterns, files, n, diag);
}

bool tp_pattern_is_known(const char *what)
{
	return tp_named_is_known(&patterns, what);
}

enum tp_status tp_pattern_load(struct tp_pattern *pattern, struct tp_arena *arena, const char *what,
			       struct tp_diags *diags)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t len;
	struct tp_diag diag;
	*pattern = (struct tp_pattern){ .summary = "" };
	enum tp_status status = tp_named_locate(&patterns, what, path, &diag);
	if (status == TP_OK)
		status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status = tp_pattern_parse(pattern, arena, path, text, len, diags);
	const char *name = tp_path_last(path);
	size_t stem = tp_named_stem(name);
	snprintf(pattern->name, sizeof(pattern->name), "%.*s", (int)(stem ? stem : strlen(name)),
		 name);
	tp_clean(pattern->name, "");
	free(text);
	return status;
}
