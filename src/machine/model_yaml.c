/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a machine model by the tables of model_schema.c. All errors of a file are collected, each
 * with its place, what was found and what is allowed.
 */
#include "machine/model_schema.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "kernels/isa_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No machine is slower; a simulation of one would not come to an end. */
#define LEAST_NUMBER 0.001

enum { VALUE_MAX = 256, SHOWN_BYTES = 44 };

static const struct tp_yaml_kind models = {
	.files = "machine models",
	.one = "a machine model",
	.several = "one model is one file",
	.form = "see tprof-machine(5) for the form",
	.too_long = "is this a machine model?",
	.anchors = true,
};

struct reader {
	struct tp_model *model;
	struct tp_faults *faults;
};

/* A word of the file as it can be shown: printable and short. */
static const char *shown(const struct tp_node *node, char out[SHOWN_BYTES])
{
	return tp_shown(out, SHOWN_BYTES, node->text, node->len);
}

/* Scalar text without control characters, or NULL after a complaint. */
static const char *scalar(struct reader *reader, const struct tp_node *node, const char *key,
			  char out[VALUE_MAX])
{
	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(reader->faults, node->place, NULL, "%s takes one value, not a %s",
			      key, node->kind == TP_NODE_MAPPING ? "mapping" : "list");
		return NULL;
	}
	const char *fault =
		node->len < VALUE_MAX ? tp_text_fault(node->text, node->len, "") : "is too long";
	if (fault) {
		tp_faults_add(reader->faults, node->place, NULL, "the value of %s %s", key, fault);
		return NULL;
	}
	memcpy(out, node->text, node->len + 1);
	return out;
}

static void read_list(struct reader *reader, const struct tp_model_field *field,
		      const struct tp_node *node)
{
	struct tp_model *model = reader->model;
	char text[VALUE_MAX], word[SHOWN_BYTES];
	if (node->kind != TP_NODE_SEQUENCE) {
		tp_faults_add(reader->faults, node->place, "give a list such as [0x10-0x1f, 0x61]",
			      "%s takes a list", field->key);
		return;
	}
	for (const struct tp_node *value = node->first; value; value = value->next) {
		int first, last;
		if (!scalar(reader, value, field->key, text))
			continue;
		if (!tp_model_parse_range(text, field->min, field->max, &first, &last)) {
			tp_faults_add(reader->faults, value->place,
				      "numbers from 0 to 65535 and ranges such as 0x10-0x1f",
				      "\"%s\" is not a number or a range", shown(value, word));
			continue;
		}
		for (int number = first; number <= last; number++) {
			if (model->n_match_models == TP_MODEL_MATCHES) {
				tp_faults_add(reader->faults, value->place, NULL,
					      "more than %d models are listed", TP_MODEL_MATCHES);
				return;
			}
			model->match_models[model->n_match_models++] = number;
		}
	}
}

static void add_word(struct reader *reader, const struct tp_model_field *field,
		     struct tp_model_words *words, const struct tp_node *node)
{
	char text[VALUE_MAX];
	if (!scalar(reader, node, field->key, text))
		return;
	if (!*text || strlen(text) >= sizeof(*words->at))
		tp_faults_add(reader->faults, node->place, NULL,
			      "a word of %s takes 1 to %zu characters", field->key,
			      sizeof(*words->at) - 1);
	else if (words->n == TP_MODEL_WORDS)
		tp_faults_add(reader->faults, node->place, NULL, "%s takes at most %d words",
			      field->key, TP_MODEL_WORDS);
	else
		tp_copy(words->at[words->n++], sizeof(*words->at), text);
}

/* [a, b], or one word alone. */
static void read_words(struct reader *reader, const struct tp_model_field *field,
		       struct tp_model_words *words, const struct tp_node *node)
{
	if (node->kind != TP_NODE_SEQUENCE) {
		add_word(reader, field, words, node);
		return;
	}
	for (const struct tp_node *value = node->first; value; value = value->next)
		add_word(reader, field, words, value);
}

static void read_value(struct reader *reader, const struct tp_model_field *field, void *base,
		       const struct tp_node *node)
{
	char text[VALUE_MAX], word[SHOWN_BYTES], hint[128], low[32], high[32];
	void *to = (char *)base + field->offset;
	double number = 0;
	int first = 0, last = 0;
	uint64_t bytes = 0;
	bool good;
	if (field->kind == TP_MODEL_LIST) {
		read_list(reader, field, node);
		return;
	}
	if (field->kind == TP_MODEL_WORD_LIST) {
		read_words(reader, field, to, node);
		return;
	}
	if (!scalar(reader, node, field->key, text))
		return;
	switch (field->kind) {
	case TP_MODEL_TEXT:
		if (!*text || strlen(text) >= field->size)
			tp_faults_add(reader->faults, node->place, NULL,
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
		if (good && field->kind == TP_MODEL_NUMBER && number > 0 && number < LEAST_NUMBER) {
			good = false;
			snprintf(hint, sizeof(hint), "0, or a number of at least %g", LEAST_NUMBER);
		}
		if (good && field->kind == TP_MODEL_COUNT)
			*(unsigned *)to = (unsigned)number;
		else if (good)
			*(double *)to = number;
		break;
	}
	if (!good)
		tp_faults_add(reader->faults, node->place, hint, "\"%s\" is not a value for %s",
			      shown(node, word), field->key);
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const struct tp_node *node);

static bool is_arch(const char *word)
{
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++)
		if (tp_isa_names[i].arch && strcmp(tp_isa_names[i].arch, word) == 0)
			return true;
	return false;
}

static void read_isa(struct reader *reader, const struct tp_node *key)
{
	const char *names[TP_COUNT_OF(tp_isa_names)];
	struct tp_model *model = reader->model;
	const struct tp_isa_name *name = NULL;
	char word[SHOWN_BYTES];
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		names[i] = tp_isa_names[i].name;
		if (tp_node_is(key, names[i]))
			name = &tp_isa_names[i];
	}
	if (!name) {
		struct tp_str hint = { 0 };
		const char *near = tp_nearest(shown(key, word), names, TP_COUNT_OF(names));
		if (near)
			tp_str_printf(&hint, "did you mean %s? ", near);
		tp_str_add(&hint, "ISAs: ");
		tp_str_list(&hint, names, TP_COUNT_OF(names), " and ");
		tp_faults_add(reader->faults, key->place, tp_str_text(&hint),
			      "there is no ISA \"%s\"", word);
		tp_str_release(&hint);
		return;
	}
	if (name->arch && is_arch(model->arch) && strcmp(name->arch, model->arch) != 0)
		tp_faults_add(reader->faults, key->place, NULL,
			      "%s is an ISA of %s; this model's arch is %s", name->name, name->arch,
			      model->arch);
	if (model->n_isas == TP_MODEL_ISAS)
		return; /* cannot happen: there are fewer names, and none may be repeated */
	struct tp_model_isa *isa = &model->isas[model->n_isas++];
	tp_copy(isa->name, sizeof(isa->name), name->name);
	size_t errors = tp_faults_count(reader->faults);
	read_map(reader, &tp_model_isa_table, isa, key->value);
	if (tp_faults_count(reader->faults) != errors || !key->value->closed)
		return;
	if (strcmp(isa->name, "scalar") == 0 && !isa->vector_bytes)
		isa->vector_bytes = 8;
	if (!isa->vector_bytes || (isa->vector_bytes & (isa->vector_bytes - 1)))
		tp_faults_add(reader->faults, key->value->place,
			      "a power of two, such as 32 for avx2",
			      "vector_bytes of %s is missing or not a power of two", isa->name);
}

static void read_isas(struct reader *reader, const struct tp_node *node)
{
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(reader->faults, node->place, NULL,
			      "isas takes a mapping from ISA to figures");
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next)
		if (!tp_yaml_twice(reader->faults, node, key) && key->value)
			read_isa(reader, key);
	if (!node->first && node->closed)
		tp_faults_add(reader->faults, node->place, NULL, "isas names no ISA");
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const struct tp_node *node)
{
	struct tp_yaml_key keys[TP_YAML_KEYS_MAX] = { 0 };
	for (size_t i = 0; i < table->n; i++) {
		keys[i].name = table->fields[i].key;
		keys[i].required = table->fields[i].required;
	}
	if (!tp_yaml_keys(reader->faults, node, table->name, keys, table->n))
		return;
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_model_field *field = &table->fields[i];
		if (!keys[i].value)
			continue;
		if (field->kind == TP_MODEL_MAP)
			read_map(reader, field->map, base, keys[i].value);
		else if (field->kind == TP_MODEL_ISA_MAP)
			read_isas(reader, keys[i].value);
		else
			read_value(reader, field, base, keys[i].value);
	}
}

/* arch is needed while the ISAs are read, wherever in the file it stands. */
static void read_arch_first(struct reader *reader, const struct tp_node *root)
{
	const char *names[TP_COUNT_OF(tp_isa_names)];
	struct tp_str hint = { 0 };
	const struct tp_node *value = NULL;
	char word[SHOWN_BYTES];
	size_t n = 0;
	for (const struct tp_node *key = root->first; key && !value; key = key->next)
		if (tp_node_is(key, "arch"))
			value = key->value;
	if (root->kind != TP_NODE_MAPPING || !value || value->kind != TP_NODE_SCALAR)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++) {
		const char *arch = tp_isa_names[i].arch;
		if (arch && (!n || strcmp(names[n - 1], arch) != 0))
			names[n++] = arch;
	}
	if (is_arch(value->text)) {
		tp_copy(reader->model->arch, sizeof(reader->model->arch), value->text);
		return;
	}
	tp_str_list(&hint, names, n, " or ");
	tp_faults_add(reader->faults, value->place, tp_str_text(&hint), "there is no arch \"%s\"",
		      shown(value, word));
	tp_str_release(&hint);
}

static void name_model(struct tp_model *model, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	tp_copy(model->name, sizeof(model->name), base);
	char *suffix = strstr(model->name, ".yaml");
	if (suffix && !suffix[strlen(".yaml")])
		*suffix = '\0';
}

static const struct tp_model empty = { .match_family = -1,
				       .match_stepping_min = -1,
				       .match_stepping_max = -1 };

enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	struct reader reader = { .model = model, .faults = &faults };
	struct tp_arena nodes = { 0 };
	struct tp_node *root;
	struct tp_diags unseen = { 0 };
	*model = empty;
	enum tp_status status = tp_yaml_read(text, len, &models, &nodes, &root, &faults);
	if (status != TP_OK) {
		tp_faults_add(&faults, (struct tp_place){ 0 }, NULL, "out of memory");
	} else if (root) {
		read_arch_first(&reader, root);
		read_map(&reader, &tp_model_table, model, root);
	} else if (!faults.n) {
		tp_faults_add(&faults, (struct tp_place){ 1, 1 }, models.form, "the file is empty");
	}
	if (tp_faults_flush(&faults, diags ? diags : &unseen) && status == TP_OK)
		status = TP_USAGE;
	tp_diags_release(&unseen);
	tp_arena_release(&nodes);
	if (status != TP_OK)
		*model = empty;
	else
		name_model(model, name);
	return status;
}

enum tp_status tp_model_load(struct tp_model *model, const char *path, struct tp_diags *diags)
{
	char *text = NULL;
	size_t len = 0;
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	*model = empty;
	if (status != TP_OK && diags)
		tp_diags_add(diags, &diag);
	if (status == TP_OK)
		status = tp_model_parse(model, path, text, len, diags);
	if (status == TP_OK)
		tp_copy(model->path, sizeof(model->path), path);
	free(text);
	return status;
}
