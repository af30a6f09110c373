/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the YAML document of a pattern: the user's own folder first, then what ships with tprof. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/named.h"
#include "base/text.h"
#include "base/memory.h"
#include "pattern/pattern.h"
#include "schema/fields.h"

enum { WORD_BYTES = 32, HELP_BYTES = 200, SHOWN_BYTES = 64 };

/* --- texts and names --- */

/* struct tp_pattern_text: a text with its place */
static bool read_placed(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	struct tp_pattern_text *out = to;
	out->place = node->place;
	return tp_kind_text.read(r, field, node, &out->text);
}

/* struct tp_pattern_text[]: one text, or a list; the field's `count` counts them */
static bool read_texts(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct tp_pattern_text *out = to;
	size_t *n = (size_t *)((char *)to - field->offset + field->count);
	const bool list = node->kind == TP_NODE_SEQUENCE;
	size_t given = list ? tp_node_count(node) : 1, most = field->size / sizeof(*out);
	*n = 0;
	if (given == 0 || given > most)
		return tp_faults_add(r->faults, node->place, NULL, "%s: expected 1 to %zu entries",
				     field->key, most);
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL)
		*n += read_placed(r, field, item, &out[*n]);
	return *n == given;
}

static const struct tp_kind tp_kind_placed = { .read = read_placed },
			    tp_kind_texts = { .read = read_texts };

#define TEXT(type, member, max, ...)                                                               \
	TP_FIELD(struct type, member, #member, placed, .most = (max), .lines = true, __VA_ARGS__)
#define EXPRESSION(type, member) TEXT(type, member, TP_EXPRESSION_MAX_BYTES)
#define TEXTS(type, member, max, ...)                                                              \
	TP_FIELD(struct type, member, #member, texts, .most = (max), .lines = true,                \
		 .count = offsetof(struct type, n_##member), __VA_ARGS__)
#define FLAG(type, member) TP_FIELD(struct type, member, #member, flag)

/* Keywords of C and reserved words of patterns. */
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

/* An identifier that is not a word of C, isl or tprof. */
static bool pattern_take_name(struct tp_reader *r, const struct tp_node *node, const char *text,
			      size_t len, const char *what, const char **out)
{
	char shown[SHOWN_BYTES];
	if (len == 0 || len > WORD_BYTES || tp_identifier_length(text) < len)
		return tp_faults_add(r->faults, node->place,
				     "a letter, then at most 31 letters, digits and _",
				     "%s: \"%s\" is not a name", what,
				     tp_shown(shown, sizeof(shown), text, len));
	*out = tp_arena_strndup(r->arena, text, len);
	return !is_reserved(*out) ||
	       tp_faults_add(r->faults, node->place, "keywords of C, isl and tprof cannot be names",
			     "%s: \"%s\" has a meaning already", what, *out);
}

/* "NAME(i, j)": the length of the name, and its indices. */
static size_t pattern_take_formals(struct tp_reader *r, const struct tp_node *key, const char *what,
				   const char *formals[TP_PATTERN_FORMALS_MAX], size_t *n)
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

/* --- parameters --- */

/* int64_t *: a whole number, or a list */
static bool read_values(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	struct tp_pattern_parameter *parameter =
		(struct tp_pattern_parameter *)((char *)to - field->offset);
	const bool list = node->kind == TP_NODE_SEQUENCE;
	const struct tp_field value = { .key = parameter->name,
					.kind = &tp_kind_count,
					.size = sizeof(int64_t),
					.most = (double)(INT64_C(1) << 40) };
	size_t n = list ? tp_node_count(node) : 1;
	if (n == 0 || n > TP_PATTERN_VALUES_MAX)
		return tp_faults_add(r->faults, node->place, NULL,
				     "%s: %zu values, allowed are 1 to %d", parameter->name, n,
				     TP_PATTERN_VALUES_MAX);
	parameter->values = tp_arena_alloc(r->arena, n * sizeof(*parameter->values));
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL)
		parameter->n +=
			tp_kind_count.read(r, &value, item, &parameter->values[parameter->n]);
	return parameter->n == n;
}

static const struct tp_kind tp_kind_values = { .read = read_values };

static const struct tp_field parameter_fields[] = {
	TP_FIELD(struct tp_pattern_parameter, values, "values", values, .required = true),
	TP_FIELD(struct tp_pattern_parameter, help, "help", text, .most = HELP_BYTES,
		 .lines = true),
	FLAG(tp_pattern_parameter, runtime),
};

static bool begin_parameter(struct tp_reader *r, const struct tp_node *key, void *out)
{
	struct tp_pattern_parameter *parameter = out;
	parameter->place = key->place;
	parameter->runtime = tp_node_is(key, "n");
	return pattern_take_name(r, key, key->text, key->len, "parameters", &parameter->name);
}

static const struct tp_shape parameter_shape = {
	TP_SHAPE(parameter_fields),
	.bytes = sizeof(struct tp_pattern_parameter),
	.blank = &(const struct tp_pattern_parameter){ .help = "" },
	.begin = begin_parameter,
	.alone = &parameter_fields[0],
};

/* --- arrays and their map --- */

/* enum tp_pattern_type */
static bool read_type(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	for (unsigned i = 0; i <= TP_PATTERN_COMPLEX; i++)
		if (tp_node_is(node, tp_pattern_type_name(i))) {
			*(enum tp_pattern_type *)to = i;
			return true;
		}
	return tp_faults_add(r->faults, node->place,
			     "double, float, int32, int64 or complex double",
			     "%s: there is no such type of elements", field->key);
}

/* unsigned: a power of two */
static bool read_alignment(struct tp_reader *r, const struct tp_field *field,
			   const struct tp_node *node, void *to)
{
	const unsigned *bytes = to;
	return tp_kind_count.read(r, field, node, to) &&
	       (!(*bytes & (*bytes - 1)) ||
		tp_field_refuse(r, field, node, "a power of two from 16 to 4096"));
}

static const struct tp_kind tp_kind_type = { .read = read_type },
			    tp_kind_alignment = { read_alignment, tp_allow_count };

static const struct tp_field array_fields[] = {
	TP_FIELD(struct tp_pattern_array, type, "type", type),
	TEXTS(tp_pattern_array, extents, TP_EXPRESSION_MAX_BYTES, .required = true),
	EXPRESSION(tp_pattern_array, padding),
	EXPRESSION(tp_pattern_array, offset),
	TP_FIELD(struct tp_pattern_array, alignment, "alignment", alignment, .least = 16,
		 .most = 4096),
	FLAG(tp_pattern_array, private),
	FLAG(tp_pattern_array, scratch),
};

static bool begin_array(struct tp_reader *r, const struct tp_node *key, void *out)
{
	struct tp_pattern_array *array = out;
	array->place = key->place;
	return pattern_take_name(r, key, key->text, key->len, "arrays", &array->name);
}

static const struct tp_shape array_shape = {
	TP_SHAPE(array_fields),
	.bytes = sizeof(struct tp_pattern_array),
	.blank = &(const struct tp_pattern_array){ .alignment = 64 },
	.begin = begin_array,
};

/* {a(i, j): [k, i], ...}, into the arrays */
static bool read_map(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		     void *to __attribute__((unused)))
{
	static const struct tp_field indices =
		TEXTS(tp_pattern_array, map, TP_EXPRESSION_MAX_BYTES);
	struct tp_pattern *p = r->document;
	if (!tp_field_entries(r, field, node, TP_NODE_MAPPING))
		return false;
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
		read_texts(r, &indices, key->value, array->map);
		if (array->n_map > 1 && array->n_extents && array->n_map != array->n_extents)
			tp_faults_add(
				r->faults, key->value->place,
				"give one index per dimension, or one that counts all elements",
				"map: %s has %zu dimensions and %zu indices", array->name,
				array->n_extents, array->n_map);
	}
	return true;
}

/* --- statements and parts --- */

static const struct tp_field statement_fields[] = {
	TEXT(tp_pattern_statement, code, TP_PATTERN_TEXT_MAX, .required = true),
	EXPRESSION(tp_pattern_statement, flops),
	EXPRESSION(tp_pattern_statement, instances),
	EXPRESSION(tp_pattern_statement, reads),
	EXPRESSION(tp_pattern_statement, writes),
};

static bool begin_statement(struct tp_reader *r, const struct tp_node *key, void *out)
{
	const struct tp_pattern *p = r->document;
	struct tp_pattern_statement *s = out;
	s->place = key->place;
	size_t len = pattern_take_formals(r, key, "statements", s->formals, &s->n_formals);
	if (!len || !pattern_take_name(r, key, key->text, len, "statements", &s->name))
		return false;
	bool known = tp_pattern_find_array(p, key->text, len) >= 0;
	for (size_t i = 0; i < p->n_statements; i++)
		known |= strcmp(p->statements[i].name, s->name) == 0;
	return !known || tp_faults_add(r->faults, key->place, "give it another name",
				       "statements: %s is there already", s->name);
}

static const struct tp_shape statement_shape = { TP_SHAPE(statement_fields),
						 .bytes = sizeof(struct tp_pattern_statement),
						 .begin = begin_statement,
						 .alone = &statement_fields[0] };

/* unsigned: a depth, or none */
static bool read_parallel(struct tp_reader *r, const struct tp_field *field,
			  const struct tp_node *node, void *to)
{
	*(unsigned *)to = UINT_MAX;
	return tp_node_is(node, "none") || tp_kind_count.read(r, field, node, to);
}

static const struct tp_kind tp_kind_parallel = { read_parallel, tp_allow_count };

enum { C, DOMAIN, SCHEDULE };
static const struct tp_field part_fields[] = {
	[C] = TEXT(tp_pattern_part, c, TP_PATTERN_TEXT_MAX),
	[DOMAIN] = TEXT(tp_pattern_part, domain, TP_PATTERN_TEXT_MAX),
	[SCHEDULE] = TEXTS(tp_pattern_part, schedule, TP_PATTERN_TEXT_MAX),
	TP_FIELD(struct tp_pattern_part, parallel, "parallel", parallel, .most = 16),
};

static void check_part(struct tp_reader *r, const struct tp_node *node,
		       const struct tp_yaml_key *given, void *out)
{
	struct tp_pattern_part *part = out;
	part->given = true;
	if (given[C].given == given[DOMAIN].given)
		tp_faults_add(r->faults, node->place, "c: with loops, or domain: and schedule:",
			      "%s: give either c or domain", r->where);
	if (given[DOMAIN].value && !given[SCHEDULE].given)
		tp_faults_add(r->faults, node->place, "schedule: [\"{ S[i] -> [i] }\"]",
			      "%s: a domain needs a schedule", r->where);
}

static const struct tp_shape part_shape = { TP_SHAPE(part_fields), .check = check_part };

/* struct tp_pattern_part, or the word "reference" */
static bool read_validate(struct tp_reader *r, const struct tp_field *field,
			  const struct tp_node *node, void *to)
{
	struct tp_pattern *p = r->document;
	p->reference = tp_node_is(node, "reference");
	return p->reference || tp_kind_mapping.read(r, field, node, to);
}

/* --- the document --- */

/* enum tp_pattern_template[]: one, or a list */
static bool read_templates(struct tp_reader *r, const struct tp_field *field,
			   const struct tp_node *node, void *to)
{
	struct words {
		struct tp_pattern_text at[TP_COUNT_OF(((struct tp_pattern *)0)->templates)];
		size_t n_at;
	} words = { .n_at = 0 };
	struct tp_field each = TEXTS(words, at, WORD_BYTES);
	struct tp_pattern *p = r->document;
	each.key = field->key;
	read_texts(r, &each, node, words.at);
	p->n_templates = 0;
	for (size_t i = 0; i < words.n_at; i++) {
		const char *text = words.at[i].text;
		if (tp_pattern_template_find(text, strlen(text),
					     (enum tp_pattern_template *)to + p->n_templates))
			p->n_templates++;
		else
			tp_faults_add(r->faults, words.at[i].place,
				      "unified, independent or nonaffine",
				      "%s: there is no template of that name", field->key);
	}
	return true;
}

/* bool[2]: one, or a list */
static bool read_nowaits(struct tp_reader *r, const struct tp_field *field,
			 const struct tp_node *node, void *to)
{
	struct tp_pattern *p = r->document;
	const bool list = node->kind == TP_NODE_SEQUENCE;
	p->n_nowaits = 0;
	if (list && (tp_node_count(node) == 0 || tp_node_count(node) > 2))
		return tp_faults_add(r->faults, node->place, "true, false, or both",
				     "nowait: expected 1 or 2 values");
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL)
		p->n_nowaits += tp_kind_flag.read(r, field, item, (bool *)to + p->n_nowaits);
	return true;
}

static const struct tp_kind tp_kind_map = { .read = read_map },
			    tp_kind_validate = { .read = read_validate },
			    tp_kind_templates = { .read = read_templates },
			    tp_kind_nowaits = { read_nowaits, tp_allow_flag };

#define NAMES(member, of, max, words, ...)                                                         \
	TP_FIELD(struct tp_pattern, member, #member, names, .shape = &of,                          \
		 .count = offsetof(struct tp_pattern, n_##member), .most = (max),                  \
		 .entries = (words), .required = true, __VA_ARGS__)
#define PART(member, name, how, ...)                                                               \
	TP_FIELD(struct tp_pattern, member, name, how, .shape = &part_shape, __VA_ARGS__)
enum { VALIDATE = 11, REFERENCE };
static const struct tp_field pattern_fields[] = {
	TP_FIELD(struct tp_pattern, summary, "summary", text, .most = HELP_BYTES, .lines = true,
		 .required = true),
	TP_FIELD(struct tp_pattern, templates, "template", templates),
	TP_FIELD(struct tp_pattern, nowaits, "nowait", nowaits),
	NAMES(parameters, parameter_shape, TP_PATTERN_PARAMETERS_MAX, "names with values",
	      .hint = "n: 1000, or n: {values: [1000, 2000]}"),
	NAMES(arrays, array_shape, TP_PATTERN_ARRAYS_MAX, "names with their extents",
	      .hint = "a: {type: double, extents: [n]}"),
	{ .key = "map",
	  .kind = &tp_kind_map,
	  .most = HUGE_VAL,
	  .required = true,
	  .entries = "arrays with indices",
	  .hint = "a(i): i" },
	NAMES(statements, statement_shape, TP_PATTERN_STATEMENTS_MAX, "statements", .least = 1,
	      .hint = "S(i): {code: a(i) = b(i);, flops: 0}"),
	TEXT(tp_pattern, context, TP_PATTERN_TEXT_MAX),
	TEXT(tp_pattern, declarations, TP_PATTERN_TEXT_MAX),
	PART(init, "init", mapping, .required = true),
	PART(run, "run", mapping, .required = true),
	[VALIDATE] = PART(validate, "validate", validate, .required = true),
	[REFERENCE] = PART(plain, "reference", mapping),
	EXPRESSION(tp_pattern, elements),
	FLAG(tp_pattern, duplicates),
};

/* Names are one space: a parameter that is called like an array would hide it in C. */
static void check_pattern(struct tp_reader *r, const struct tp_node *node __attribute__((unused)),
			  const struct tp_yaml_key *given, void *out)
{
	const struct tp_pattern *p = out;
	if (p->plain.given && !p->reference)
		tp_faults_add(r->faults, given[REFERENCE].value->place, "validate: reference",
			      "reference: validate does not use it");
	if (p->reference && !p->plain.given && p->run.given && !p->run.domain.text)
		tp_faults_add(r->faults, given[VALIDATE].value->place,
			      "write validate: {c: ...} or reference: {c: ...}",
			      "validate: reference needs a run with a domain");
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

static const struct tp_yaml_kind pattern_yaml = {
	.files = "patterns",
	.one = "a pattern",
	.share = "patterns have no anchors: write the text again",
	.type = "write plain values without tags",
	.several = "one pattern a file",
	.form = "see tprof-pattern(5); text with : or # goes in quotes, or after |",
	.too_long = "put several loops into several patterns",
};

static const struct tp_shape pattern_shape = {
	.name = "a pattern", TP_SHAPE(pattern_fields), .file = &pattern_yaml, .check = check_pattern
};

enum tp_status tp_pattern_parse(struct tp_pattern *p, struct tp_arena *arena, const char *name,
				const char *text, size_t len, struct tp_diags *diags)
{
	struct tp_reader r = { .arena = arena, .document = p };
	*p = (struct tp_pattern){ .summary = "",
				  .templates = { TP_PATTERN_UNIFIED },
				  .n_templates = 1,
				  .nowaits = { false },
				  .n_nowaits = 1 };
	tp_copy(p->path, sizeof(p->path), name);
	p->arena = arena;
	p->document = tp_arena_strndup(arena, text, len);
	p->document_bytes = len;
	return tp_shape_parse(&r, &pattern_shape, name, text, len, p, diags);
}

static void read_summary(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &pattern_yaml, "summary", NULL, out, size);
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
