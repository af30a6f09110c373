/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a machine model by the tables of model_schema.c. All errors of a file are collected, each with its place, what was found
 * and what is allowed.
 */
#include "machine/model_schema.h"
#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MODEL_MAX_BYTES = 65536, VALUE_MAX = 256 };

struct reader {
	const char *name; /* of the file */
	yaml_document_t document;
	struct tp_model *model;
	struct tp_diags *diags;
	size_t errors;
};

/* A word of the file as it can be shown: printable and short. */
static const char *shown(const yaml_node_t *node, char out[48])
{
	size_t n = TP_MIN(node->data.scalar.length, (size_t)40);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = node->data.scalar.value[i];
		out[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	strcpy(out + n, node->data.scalar.length > n ? "..." : "");
	return out;
}

static void complain(struct reader *reader, yaml_mark_t mark, const char *hint, const char *fmt,
		     ...) __attribute__((format(printf, 4, 5)));
static void complain(struct reader *reader, yaml_mark_t mark, const char *hint, const char *fmt,
		     ...)
{
	struct tp_diag diag;
	char where[sizeof(diag.where)], place[48], what[sizeof(diag.what)];
	snprintf(place, sizeof(place), ":%zu:%zu", mark.line + 1, mark.column + 1);
	/* Of a path too long the end is kept: the file name and the place are what one needs. */
	size_t room = sizeof(where) - 1 - strlen(place), len = strlen(reader->name);
	snprintf(where, sizeof(where), "%s%s", reader->name + (len > room ? len - room : 0), place);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	tp_fail(&diag, TP_USAGE, where, hint, "%s", what);
	if (reader->diags)
		tp_diags_add(reader->diags, &diag);
	reader->errors++;
}

/* Scalar text without control characters, or NULL after a complaint. */
static const char *scalar(struct reader *reader, const yaml_node_t *node, const char *key,
			  char out[VALUE_MAX])
{
	if (node->type != YAML_SCALAR_NODE) {
		complain(reader, node->start_mark, NULL, "%s takes one value, not a %s", key,
			 node->type == YAML_MAPPING_NODE ? "mapping" : "list");
		return NULL;
	}
	size_t n = node->data.scalar.length;
	if (n >= VALUE_MAX) {
		complain(reader, node->start_mark, NULL, "the value of %s is too long", key);
		return NULL;
	}
	memcpy(out, node->data.scalar.value, n);
	out[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)out[i] < 0x20 || out[i] == 0x7f) {
			complain(reader, node->start_mark, NULL,
				 "the value of %s holds a control character", key);
			return NULL;
		}
	return out;
}

static void read_list(struct reader *reader, const struct tp_model_field *field,
		      const yaml_node_t *node)
{
	struct tp_model *model = reader->model;
	char text[VALUE_MAX], word[48];
	if (node->type != YAML_SEQUENCE_NODE) {
		complain(reader, node->start_mark, "give a list such as [0x10-0x1f, 0x61]",
			 "%s takes a list", field->key);
		return;
	}
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		const yaml_node_t *value = yaml_document_get_node(&reader->document, *item);
		int first, last;
		if (!value || !scalar(reader, value, field->key, text))
			continue;
		if (!tp_model_parse_range(text, field->min, field->max, &first, &last)) {
			complain(reader, value->start_mark,
				 "numbers from 0 to 65535 and ranges such as 0x10-0x1f",
				 "\"%s\" is not a number or a range", shown(value, word));
			continue;
		}
		for (int number = first; number <= last; number++) {
			if (model->n_match_models == TP_MODEL_MATCHES) {
				complain(reader, value->start_mark, NULL,
					 "more than %d models are listed", TP_MODEL_MATCHES);
				return;
			}
			model->match_models[model->n_match_models++] = number;
		}
	}
}

static void read_value(struct reader *reader, const struct tp_model_field *field, void *base,
		       const yaml_node_t *node)
{
	char text[VALUE_MAX], word[48], hint[128], low[32], high[32];
	void *to = (char *)base + field->offset;
	double number = 0;
	int first = 0, last = 0;
	uint64_t bytes = 0;
	bool good;
	if (field->kind == TP_MODEL_LIST) {
		read_list(reader, field, node);
		return;
	}
	if (!scalar(reader, node, field->key, text))
		return;
	switch (field->kind) {
	case TP_MODEL_TEXT:
		if (!*text || strlen(text) >= field->size)
			complain(reader, node->start_mark, NULL,
				 "%s takes a text of 1 to %zu characters", field->key,
				 field->size - 1);
		else
			tp_copy(to, field->size, text);
		return;
	case TP_MODEL_SIZE:
		good = tp_parse_bytes(text, &bytes) && (double)bytes >= field->min &&
		       (double)bytes <= field->max;
		snprintf(hint, sizeof(hint), "a size such as 32KiB or 1MiB, from %s to %s",
			 tp_format_bytes(low, sizeof(low), (uint64_t)field->min),
			 tp_format_bytes(high, sizeof(high), (uint64_t)field->max));
		if (good)
			*(uint64_t *)to = bytes;
		break;
	case TP_MODEL_INT:
	case TP_MODEL_RANGE:
		good = tp_model_parse_range(text, field->min, field->max, &first, &last) &&
		       (field->kind == TP_MODEL_RANGE || first == last);
		snprintf(hint, sizeof(hint), "a whole number%s from %g to %g",
			 field->kind == TP_MODEL_RANGE ? ", or a range such as 0-4," : "",
			 field->min, field->max);
		if (good) {
			((int *)to)[0] = first;
			if (field->kind == TP_MODEL_RANGE)
				reader->model->match_stepping_max = last;
		}
		break;
	default:
		good = tp_model_parse_rate(text, &number) && number >= field->min &&
		       number <= field->max;
		if (field->kind == TP_MODEL_COUNT)
			good = good && number == (double)(unsigned)number;
		snprintf(hint, sizeof(hint), "%s from %g to %g",
			 field->kind == TP_MODEL_COUNT ? "a whole number"
						       : "a number, or a fraction such as 1/5,",
			 field->min, field->max);
		if (good && field->kind == TP_MODEL_COUNT)
			*(unsigned *)to = (unsigned)number;
		else if (good)
			*(double *)to = number;
		break;
	}
	if (!good)
		complain(reader, node->start_mark, hint, "\"%s\" is not a value for %s",
			 shown(node, word), field->key);
}

static void unknown_key(struct reader *reader, const struct tp_model_table *table,
			const yaml_node_t *key)
{
	const char *names[TP_MODEL_FIELDS_MAX];
	char word[48];
	struct tp_str hint = { 0 };
	for (size_t i = 0; i < table->n; i++)
		names[i] = table->fields[i].key;
	shown(key, word);
	const char *near = tp_nearest(word, names, table->n);
	if (near)
		tp_str_printf(&hint, "did you mean %s?", near);
	else
		tp_str_add(&hint, "allowed: ");
	if (!near)
		tp_str_list(&hint, names, table->n, " and ");
	complain(reader, key->start_mark, tp_str_text(&hint), "unknown key \"%s\" in %s", word,
		 table->name);
	tp_str_release(&hint);
}

static bool same_text(const yaml_node_t *node, const char *text)
{
	return node->data.scalar.length == strlen(text) &&
	       memcmp(node->data.scalar.value, text, node->data.scalar.length) == 0;
}

/* Key and value of a pair; false after a complaint about a key that is no word or stands there a second time. */
static bool take_pair(struct reader *reader, const yaml_node_t *map, const yaml_node_pair_t *pair,
		      const yaml_node_t **key, const yaml_node_t **value)
{
	char word[48];
	*key = yaml_document_get_node(&reader->document, pair->key);
	*value = yaml_document_get_node(&reader->document, pair->value);
	if (!*key || !*value)
		return false;
	if ((*key)->type != YAML_SCALAR_NODE) {
		complain(reader, (*key)->start_mark, NULL, "a key must be a word");
		return false;
	}
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
		const yaml_node_t *before = yaml_document_get_node(&reader->document, p->key);
		if (before && before->type == YAML_SCALAR_NODE &&
		    before->data.scalar.length == (*key)->data.scalar.length &&
		    memcmp(before->data.scalar.value, (*key)->data.scalar.value,
			   before->data.scalar.length) == 0) {
			complain(reader, (*key)->start_mark, "keep one of the two",
				 "\"%s\" stands here a second time (first in line %zu)",
				 shown(*key, word), before->start_mark.line + 1);
			return false;
		}
	}
	return true;
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const yaml_node_t *node);

static bool known_arch(const char *arch)
{
	for (size_t i = 0; i < TP_MODEL_ARCH_NAMES; i++)
		if (strcmp(arch, tp_model_arch_names[i]) == 0)
			return true;
	return false;
}

static void read_isa(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
	const char *names[(size_t)TP_MODEL_ISA_NAMES];
	struct tp_model *model = reader->model;
	size_t at = (size_t)TP_MODEL_ISA_NAMES;
	char word[48];
	for (size_t i = 0; i < (size_t)TP_MODEL_ISA_NAMES; i++) {
		names[i] = tp_model_isa_names[i].name;
		if (same_text(key, names[i]))
			at = i;
	}
	if (at == (size_t)TP_MODEL_ISA_NAMES) {
		struct tp_str hint = { 0 };
		const char *near = tp_nearest(shown(key, word), names, TP_COUNT_OF(names));
		if (near)
			tp_str_printf(&hint, "did you mean %s? ", near);
		tp_str_add(&hint, "ISAs: ");
		tp_str_list(&hint, names, TP_COUNT_OF(names), " and ");
		complain(reader, key->start_mark, tp_str_text(&hint), "there is no ISA \"%s\"",
			 shown(key, word));
		tp_str_release(&hint);
		return;
	}
	const char *arch = tp_model_isa_names[at].arch;
	if (arch && known_arch(model->arch) && strcmp(arch, model->arch) != 0)
		complain(reader, key->start_mark, NULL,
			 "%s is an ISA of %s; this model's arch is %s", names[at], arch,
			 model->arch);
	if (model->n_isas == TP_MODEL_ISAS)
		return; /* cannot be: there are fewer names, and none may stand twice */
	struct tp_model_isa *isa = &model->isas[model->n_isas++];
	tp_copy(isa->name, sizeof(isa->name), names[at]);
	size_t errors = reader->errors;
	read_map(reader, &tp_model_isa_table, isa, value);
	if (reader->errors != errors)
		return;
	if (strcmp(isa->name, "scalar") == 0 && !isa->vector_bytes)
		isa->vector_bytes = 8;
	if (!isa->vector_bytes || (isa->vector_bytes & (isa->vector_bytes - 1)))
		complain(reader, value->start_mark, "a power of two, such as 32 for avx2",
			 "vector_bytes of %s is missing or not a power of two", isa->name);
}

static void read_isas(struct reader *reader, const yaml_node_t *node)
{
	if (node->type != YAML_MAPPING_NODE) {
		complain(reader, node->start_mark, NULL,
			 "isas takes a mapping from ISA to figures");
		return;
	}
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key, *value;
		if (take_pair(reader, node, pair, &key, &value))
			read_isa(reader, key, value);
	}
	if (node->data.mapping.pairs.start == node->data.mapping.pairs.top)
		complain(reader, node->start_mark, NULL, "isas names no ISA");
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const yaml_node_t *node)
{
	if (node->type != YAML_MAPPING_NODE) {
		complain(reader, node->start_mark, NULL, "%s must be a mapping of keys to values",
			 table->name);
		return;
	}
	bool seen[TP_MODEL_FIELDS_MAX] = { false };
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key, *value;
		if (!take_pair(reader, node, pair, &key, &value))
			continue;
		const struct tp_model_field *field = NULL;
		for (size_t i = 0; i < table->n && !field; i++)
			if (same_text(key, table->fields[i].key)) {
				field = &table->fields[i];
				seen[i] = true;
			}
		if (!field)
			unknown_key(reader, table, key);
		else if (field->kind == TP_MODEL_MAP)
			read_map(reader, field->map, base, value);
		else if (field->kind == TP_MODEL_ISA_MAP)
			read_isas(reader, value);
		else
			read_value(reader, field, base, value);
	}
	for (size_t i = 0; i < table->n; i++)
		if (table->fields[i].required && !seen[i])
			complain(reader, node->start_mark, NULL, "%s lacks the key %s", table->name,
				 table->fields[i].key);
}

/* arch is needed while the ISAs are read, wherever in the file it stands. */
static void read_arch_first(struct reader *reader, const yaml_node_t *root)
{
	char text[VALUE_MAX], hint[96];
	for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
	     root->type == YAML_MAPPING_NODE && pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
		const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
		if (!key || !value || key->type != YAML_SCALAR_NODE || !same_text(key, "arch") ||
		    value->type != YAML_SCALAR_NODE || value->data.scalar.length >= VALUE_MAX)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)value->data.scalar.length,
			 (const char *)value->data.scalar.value);
		if (known_arch(text)) {
			tp_copy(reader->model->arch, sizeof(reader->model->arch), text);
			return;
		}
		snprintf(hint, sizeof(hint), "%s, %s or %s", tp_model_arch_names[0],
			 tp_model_arch_names[1], tp_model_arch_names[2]);
		complain(reader, value->start_mark, hint, "there is no arch \"%s\"",
			 shown(value, text));
		return;
	}
}

static void syntax_error(struct reader *reader, const yaml_parser_t *parser)
{
	yaml_mark_t mark = parser->problem_mark;
	if (parser->error == YAML_READER_ERROR) {
		/* Bytes that are no text have an offset only. */
		mark = parser->mark;
		complain(reader, mark, "save the file as UTF-8", "not YAML: %s (byte %zu)",
			 parser->problem ? parser->problem : "unreadable", parser->problem_offset);
		return;
	}
	complain(reader, mark, "see the shipped models for the form", "not YAML: %s%s%s",
		 parser->problem ? parser->problem : "unreadable", parser->context ? ", " : "",
		 parser->context ? parser->context : "");
}

static void name_model(struct tp_model *model, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	tp_copy(model->name, sizeof(model->name), base);
	char *suffix = strstr(model->name, ".yaml");
	if (suffix && !suffix[strlen(".yaml")])
		*suffix = '\0';
}

enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags)
{
	static const struct tp_model empty = { .match_family = -1,
					       .match_stepping_min = -1,
					       .match_stepping_max = -1 };
	struct reader reader = { .name = name, .model = model, .diags = diags };
	yaml_mark_t start = { 0 };
	yaml_parser_t parser;
	*model = empty;
	if (!yaml_parser_initialize(&parser)) {
		complain(&reader, start, NULL, "out of memory");
		return TP_NOMEM;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &reader.document)) {
		syntax_error(&reader, &parser);
		goto out;
	}
	const yaml_node_t *root = yaml_document_get_root_node(&reader.document);
	if (!root) {
		complain(&reader, start, "see the shipped models for the form",
			 "the file is empty");
	} else {
		read_arch_first(&reader, root);
		read_map(&reader, &tp_model_table, model, root);
	}
	yaml_document_delete(&reader.document);
	if (root && yaml_parser_load(&parser, &reader.document)) {
		root = yaml_document_get_root_node(&reader.document);
		if (root)
			complain(&reader, root->start_mark, "one model is one file",
				 "a second document follows");
		yaml_document_delete(&reader.document);
	} else if (root) {
		syntax_error(&reader, &parser);
	}
out:
	yaml_parser_delete(&parser);
	if (reader.errors) {
		*model = empty;
		return TP_USAGE;
	}
	name_model(model, name);
	return TP_OK;
}

enum tp_status tp_model_load(struct tp_model *model, const char *path, struct tp_diags *diags)
{
	char *text = NULL;
	size_t len = 0;
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_file_read(path, MODEL_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		if (diags)
			tp_diags_add(diags, &diag);
		*model = (struct tp_model){ .match_family = -1,
					    .match_stepping_min = -1,
					    .match_stepping_max = -1 };
		return status;
	}
	status = tp_model_parse(model, path, text, len, diags);
	if (status == TP_OK)
		tp_copy(model->path, sizeof(model->path), path);
	free(text);
	return status;
}
