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

enum { TP_PATTERN_WORD_BYTES = 32 };

struct tp_pattern_reader {
	struct tp_pattern *pattern;
	struct tp_faults *faults;
};

enum { SHOWN_BYTES = 64 };

/* A trimmed text of at most `most` bytes, with lines. */
/* A text of a scalar; false after a complaint. */
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

/* An expression where the key is given. */
/* An expression, or a number. */
static void pattern_take_expression(struct tp_pattern_reader *r, const struct tp_yaml_key *key,
				    struct tp_pattern_text *out)
{
	if (key->value)
		pattern_take_text(r, key->value, key->name, TP_EXPRESSION_MAX_BYTES, out);
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
	if (len == 0 || len > TP_PATTERN_WORD_BYTES || tp_identifier_length(text) < len) {
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
/* One text, or a list of them. */
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

/* "NAME(i, j)": the length of the name, and its indices. */
/* "NAME(i, j)": the length of the name, and the formals. */
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
			struct tp_pattern_parameter *parameter)
{
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

static void read_parameters(struct tp_pattern_reader *r, const struct tp_node *node)
{
	struct tp_pattern *p = r->pattern;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_PATTERN_PARAMETERS_MAX) {
		tp_faults_add(r->faults, node->place, "n: 1000, or n: {values: [1000, 2000]}",
			      "parameters: expected at most %d names with values",
			      TP_PATTERN_PARAMETERS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_pattern_parameter parameter = { .place = key->place, .help = "" };
		struct tp_yaml_key keys[] = { { .name = "values", .required = true },
					      { .name = "help" },
					      { .name = "runtime" } };
		struct tp_pattern_text help;
		if (!pattern_take_name(r, key, key->text, key->len, "parameters",
				       &parameter.name) ||
		    tp_yaml_twice(r->faults, node, key) || !key->value)
			continue;
		parameter.runtime = strcmp(parameter.name, "n") == 0;
		if (key->value->kind != TP_NODE_MAPPING) {
			take_values(r, key->value, &parameter);
		} else if (tp_yaml_keys(r->faults, key->value, parameter.name, keys,
					TP_COUNT_OF(keys))) {
			if (keys[0].value)
				take_values(r, keys[0].value, &parameter);
			if (keys[1].value &&
			    pattern_take_text(r, keys[1].value, "help", HELP_BYTES, &help))
				parameter.help = help.text;
			if (keys[2].value)
				pattern_take_bool(r, keys[2].value, "runtime", &parameter.runtime);
		}
		p->parameters[p->n_parameters++] = parameter;
	}
}

/* --- arrays and their map --- */

static void take_type(struct tp_pattern_reader *r, const struct tp_node *node,
		      enum tp_pattern_type *type)
{
	for (unsigned i = 0; i <= TP_PATTERN_COMPLEX; i++)
		if (tp_node_is(node, tp_pattern_type_name(i))) {
			*type = i;
			return;
		}
	tp_faults_add(r->faults, node->place, "double, float, int32, int64 or complex double",
		      "type: there is no such type of elements");
}

static void read_array(struct tp_pattern_reader *r, const struct tp_node *key,
		       struct tp_pattern_array *array)
{
	enum { TYPE, EXTENTS, PADDING, OFFSET, ALIGNMENT, PRIVATE, SCRATCH, KEYS };
	struct tp_yaml_key keys[KEYS] = { [TYPE] = { .name = "type" },
					  [EXTENTS] = { .name = "extents", .required = true },
					  [PADDING] = { .name = "padding" },
					  [OFFSET] = { .name = "offset" },
					  [ALIGNMENT] = { .name = "alignment" },
					  [PRIVATE] = { .name = "private" },
					  [SCRATCH] = { .name = "scratch" } };
	int64_t alignment;
	array->alignment = 64;
	if (!tp_yaml_keys(r->faults, key->value, array->name, keys, KEYS))
		return;
	if (keys[TYPE].value)
		take_type(r, keys[TYPE].value, &array->type);
	if (keys[EXTENTS].value)
		array->n_extents =
			pattern_take_texts(r, keys[EXTENTS].value, "extents", array->extents,
					   TP_PATTERN_EXTENTS_MAX, TP_EXPRESSION_MAX_BYTES);
	pattern_take_expression(r, &keys[PADDING], &array->padding);
	pattern_take_expression(r, &keys[OFFSET], &array->offset);
	if (keys[ALIGNMENT].value &&
	    pattern_take_count(r, keys[ALIGNMENT].value, "alignment", ALIGNMENT_MOST, &alignment)) {
		array->alignment = (unsigned)alignment;
		if (alignment < 16 || (alignment & (alignment - 1)))
			tp_faults_add(r->faults, keys[ALIGNMENT].value->place,
				      "a power of two from 16 to 4096",
				      "alignment: %lld bytes are not allowed",
				      (long long)alignment);
	}
	if (keys[PRIVATE].value)
		pattern_take_bool(r, keys[PRIVATE].value, "private", &array->private);
	if (keys[SCRATCH].value)
		pattern_take_bool(r, keys[SCRATCH].value, "scratch", &array->scratch);
}

static void read_arrays(struct tp_pattern_reader *r, const struct tp_node *node)
{
	struct tp_pattern *p = r->pattern;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_PATTERN_ARRAYS_MAX) {
		tp_faults_add(r->faults, node->place, "a: {type: double, extents: [n]}",
			      "arrays: expected at most %d names with their extents",
			      TP_PATTERN_ARRAYS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_pattern_array *array = &p->arrays[p->n_arrays];
		*array = (struct tp_pattern_array){ .place = key->place };
		if (!pattern_take_name(r, key, key->text, key->len, "arrays", &array->name) ||
		    tp_yaml_twice(r->faults, node, key) || !key->value)
			continue;
		read_array(r, key, array);
		p->n_arrays++;
	}
}

static void read_map(struct tp_pattern_reader *r, const struct tp_node *node)
{
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
		int found = tp_pattern_find_array(r->pattern, key->text, len);
		struct tp_pattern_array *array = found < 0 ? NULL : &r->pattern->arrays[found];
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

static void read_statements(struct tp_pattern_reader *r, const struct tp_node *node)
{
	enum { CODE, FLOPS, INSTANCES, READS, WRITES, KEYS };
	struct tp_pattern *p = r->pattern;
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) == 0 ||
	    tp_node_count(node) > TP_PATTERN_STATEMENTS_MAX) {
		tp_faults_add(r->faults, node->place, "S(i): {code: a(i) = b(i);, flops: 0}",
			      "statements: expected 1 to %d statements", TP_PATTERN_STATEMENTS_MAX);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		struct tp_yaml_key keys[KEYS] = { [CODE] = { .name = "code", .required = true },
						  [FLOPS] = { .name = "flops" },
						  [INSTANCES] = { .name = "instances" },
						  [READS] = { .name = "reads" },
						  [WRITES] = { .name = "writes" } };
		struct tp_pattern_statement *s = &p->statements[p->n_statements];
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
		if (key->value->kind == TP_NODE_SCALAR) {
			pattern_take_text(r, key->value, s->name, TP_PATTERN_TEXT_MAX, &s->code);
		} else if (tp_yaml_keys(r->faults, key->value, s->name, keys, KEYS)) {
			if (keys[CODE].value)
				pattern_take_text(r, keys[CODE].value, "code", TP_PATTERN_TEXT_MAX,
						  &s->code);
			pattern_take_expression(r, &keys[FLOPS], &s->flops);
			pattern_take_expression(r, &keys[INSTANCES], &s->instances);
			pattern_take_expression(r, &keys[READS], &s->reads);
			pattern_take_expression(r, &keys[WRITES], &s->writes);
		}
		p->n_statements++;
	}
}

static void read_part(struct tp_pattern_reader *r, const struct tp_node *node, const char *name,
		      struct tp_pattern_part *part)
{
	struct tp_yaml_key keys[] = { { .name = "c" },
				      { .name = "domain" },
				      { .name = "schedule" },
				      { .name = "parallel" } };
	int64_t depth;
	part->parallel = 0;
	if (!tp_yaml_keys(r->faults, node, name, keys, TP_COUNT_OF(keys)))
		return;
	part->given = true;
	if (keys[0].given == keys[1].given)
		tp_faults_add(r->faults, node->place, "c: with loops, or domain: and schedule:",
			      "%s: give either c or domain", name);
	if (keys[0].value)
		pattern_take_text(r, keys[0].value, "c", TP_PATTERN_TEXT_MAX, &part->c);
	if (keys[1].value)
		pattern_take_text(r, keys[1].value, "domain", TP_PATTERN_TEXT_MAX, &part->domain);
	if (keys[2].value)
		part->n_schedule =
			pattern_take_texts(r, keys[2].value, "schedule", part->schedule,
					   TP_PATTERN_RELATIONS_MAX, TP_PATTERN_TEXT_MAX);
	if (keys[1].value && !keys[2].given)
		tp_faults_add(r->faults, node->place, "schedule: [\"{ S[i] -> [i] }\"]",
			      "%s: a domain needs a schedule", name);
	if (keys[3].value && tp_node_is(keys[3].value, "none"))
		part->parallel = UINT_MAX;
	else if (keys[3].value && pattern_take_count(r, keys[3].value, "parallel", 16, &depth))
		part->parallel = (unsigned)depth;
}

/* --- the document --- */

static void read_templates(struct tp_pattern_reader *r, const struct tp_node *node)
{
	struct tp_pattern *p = r->pattern;
	struct tp_pattern_text words[3];
	size_t n = pattern_take_texts(r, node, "template", words, 3, TP_PATTERN_WORD_BYTES);
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

static void read_nowaits(struct tp_pattern_reader *r, const struct tp_node *node)
{
	struct tp_pattern *p = r->pattern;
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

static void read_root(struct tp_pattern_reader *r, const struct tp_node *root)
{
	enum {
		SUMMARY,
		TEMPLATE,
		NOWAIT,
		PARAMETERS,
		ARRAYS,
		MAP,
		STATEMENTS,
		CONTEXT,
		DECLARATIONS,
		INIT,
		RUN,
		VALIDATE,
		REFERENCE,
		ELEMENTS,
		DUPLICATES,
		KEYS
	};
	struct tp_pattern *p = r->pattern;
	struct tp_yaml_key keys[KEYS] = { [SUMMARY] = { .name = "summary", .required = true },
					  [TEMPLATE] = { .name = "template" },
					  [NOWAIT] = { .name = "nowait" },
					  [PARAMETERS] = { .name = "parameters", .required = true },
					  [ARRAYS] = { .name = "arrays", .required = true },
					  [MAP] = { .name = "map", .required = true },
					  [STATEMENTS] = { .name = "statements", .required = true },
					  [CONTEXT] = { .name = "context" },
					  [DECLARATIONS] = { .name = "declarations" },
					  [INIT] = { .name = "init", .required = true },
					  [RUN] = { .name = "run", .required = true },
					  [VALIDATE] = { .name = "validate", .required = true },
					  [REFERENCE] = { .name = "reference" },
					  [ELEMENTS] = { .name = "elements" },
					  [DUPLICATES] = { .name = "duplicates" } };
	struct tp_pattern_text summary;
	if (!tp_yaml_keys(r->faults, root, "a pattern", keys, KEYS))
		return;
	if (keys[SUMMARY].value &&
	    pattern_take_text(r, keys[SUMMARY].value, "summary", HELP_BYTES, &summary))
		p->summary = summary.text;
	if (keys[TEMPLATE].value)
		read_templates(r, keys[TEMPLATE].value);
	if (keys[NOWAIT].value)
		read_nowaits(r, keys[NOWAIT].value);
	if (keys[PARAMETERS].value)
		read_parameters(r, keys[PARAMETERS].value);
	if (keys[ARRAYS].value)
		read_arrays(r, keys[ARRAYS].value);
	if (keys[MAP].value)
		read_map(r, keys[MAP].value);
	if (keys[STATEMENTS].value)
		read_statements(r, keys[STATEMENTS].value);
	if (keys[CONTEXT].value)
		pattern_take_text(r, keys[CONTEXT].value, "context", TP_PATTERN_TEXT_MAX,
				  &p->context);
	if (keys[DECLARATIONS].value)
		pattern_take_text(r, keys[DECLARATIONS].value, "declarations", TP_PATTERN_TEXT_MAX,
				  &p->declarations);
	if (keys[INIT].value)
		read_part(r, keys[INIT].value, "init", &p->init);
	if (keys[RUN].value)
		read_part(r, keys[RUN].value, "run", &p->run);
	if (keys[VALIDATE].value && tp_node_is(keys[VALIDATE].value, "reference"))
		p->reference = true;
	else if (keys[VALIDATE].value)
		read_part(r, keys[VALIDATE].value, "validate", &p->validate);
	if (keys[REFERENCE].value)
		read_part(r, keys[REFERENCE].value, "reference", &p->plain);
	if (p->plain.given && !p->reference)
		tp_faults_add(r->faults, keys[REFERENCE].value->place, "validate: reference",
			      "reference: validate does not use it");
	if (p->reference && !p->plain.given && p->run.given && !p->run.domain.text)
		tp_faults_add(r->faults, keys[VALIDATE].value->place,
			      "write validate: {c: ...} or reference: {c: ...}",
			      "validate: reference needs a run with a domain");
	pattern_take_expression(r, &keys[ELEMENTS], &p->elements);
	if (keys[DUPLICATES].value)
		pattern_take_bool(r, keys[DUPLICATES].value, "duplicates", &p->duplicates);
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
	.folders = { { tp_path_user_config, "patterns" },
		     { tp_path_user_data, "patterns" },
		     { tp_path_data, "presets/patterns" } },
	.name_bytes = TP_PATTERN_NAME_BYTES,
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_summary,
};

static bool is_path(const char *what)
{
	size_t len = strlen(what);
	return strchr(what, '/') || (len > 5 && strcmp(what + len - 5, ".yaml") == 0);
}

enum tp_status tp_pattern_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&patterns, files, n, diag);
}

bool tp_pattern_is_known(const char *what)
{
	char path[TP_PATH_MAX];
	return !is_path(what) && tp_named_find(&patterns, what, strlen(what), path);
}

static enum tp_status not_found(const char *what, struct tp_diag *diag)
{
	char near[TP_NAME_MAX], hint[TP_NAME_MAX + 80], shown[80];
	tp_named_guess(&patterns, what, NULL, near, NULL);
	snprintf(hint, sizeof(hint),
		 *near ? "did you mean %s? --list patterns shows all"
		       : "--list patterns shows all%s; a path ends in .yaml",
		 near);
	return tp_fail(diag, TP_NOTFOUND, "pattern", hint, "there is no pattern %s",
		       tp_shown(shown, sizeof(shown), what, strlen(what)));
}

enum tp_status tp_pattern_load(struct tp_pattern *pattern, struct tp_arena *arena, const char *what,
			       struct tp_diags *diags)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t len;
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	*pattern = (struct tp_pattern){ .summary = "" };
	if (is_path(what))
		tp_copy(path, sizeof(path), what);
	else if (!tp_named_find(&patterns, what, strlen(what), path))
		status = not_found(what, &diag);
	if (status == TP_OK)
		status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status = tp_pattern_parse(pattern, arena, path, text, len, diags);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t stem = tp_named_stem(name);
	snprintf(pattern->name, sizeof(pattern->name), "%.*s", (int)(stem ? stem : strlen(name)),
		 name);
	tp_clean(pattern->name, "");
	free(text);
	return status;
}
