/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schema/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { SHOWN_BYTES = 64 };

/* --- single values --- */

bool tp_field_refuse(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		     const char *hint)
{
	TP_STR allowed = { 0 };
	char shown[SHOWN_BYTES];
	if (!hint)
		field->kind->allowed(field, &allowed);
	return tp_faults_add(r->faults, node->place, hint ? hint : tp_str_text(&allowed),
			     "\"%s\" is not a value for %s",
			     tp_shown(shown, sizeof(shown), node->text, node->len), field->key);
}

const char *tp_field_scalar(struct tp_reader *r, const struct tp_field *field,
			    const struct tp_node *node)
{
	const char *fault = NULL;
	if (node->kind != TP_NODE_SCALAR)
		tp_faults_add(r->faults, node->place, field->hint, "%s takes one value, not a %s",
			      field->key, node->kind == TP_NODE_MAPPING ? "mapping" : "list");
	else if ((fault = tp_text_fault(node->text, node->len, field->lines ? "\n\t" : "")))
		tp_faults_add(r->faults, node->place, NULL, "%s %s", field->key, fault);
	return node->kind == TP_NODE_SCALAR && !fault ? node->text : NULL;
}

/* A text of 1 to `most` bytes. */
static bool has_length(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, size_t len, double most)
{
	char hint[64];
	snprintf(hint, sizeof(hint), "at most %.0f characters", most);
	return (len && (double)len <= most) ||
	       tp_faults_add(r->faults, node->place, len ? hint : NULL, "%s is %s", field->key,
			     len ? "too long" : "empty");
}

static bool read_chars(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	return text && has_length(r, field, node, node->len, (double)field->size - 1) &&
	       tp_copy(to, field->size, text);
}

static bool read_text(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	size_t len = node->len;
	if (!text)
		return false;
	tp_trim(&text, &len);
	if (!has_length(r, field, node, len, field->most))
		return false;
	*(const char **)to = tp_arena_strndup(r->arena, text, len);
	return true;
}

void tp_allow_text(const struct tp_field *field __attribute__((unused)), struct tp_str *out)
{
	tp_str_add(out, "a text");
}

static bool read_flag(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	if (!tp_field_scalar(r, field, node))
		return false;
	*(bool *)to = tp_node_is(node, "true");
	return *(bool *)to || tp_node_is(node, "false") || tp_field_refuse(r, field, node, NULL);
}

void tp_allow_flag(const struct tp_field *field __attribute__((unused)), struct tp_str *out)
{
	tp_str_add(out, "true or false");
}

/* "2", "0.5" or "1/5" */
static bool parse_fraction(const char *text, double *value)
{
	const char *slash = strchr(text, '/');
	char above[32] = "";
	double below = 1;
	if (slash && (size_t)(slash - text) < sizeof(above))
		memcpy(above, text, (size_t)(slash - text));
	if (!tp_parse_double(slash ? above : text, value) ||
	    (slash && !(tp_parse_double(slash + 1, &below) && below > 0)))
		return false;
	*value /= below;
	return true;
}

static bool read_number(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	double number;
	if (!text)
		return false;
	if (!parse_fraction(text, &number) || number < field->least || number > field->most)
		return tp_field_refuse(r, field, node, NULL);
	*(double *)to = number;
	return true;
}

static void add_bounds(const struct tp_field *field, const char *comma, struct tp_str *out)
{
	if (field->most < HUGE_VAL)
		tp_str_printf(out, "%s from %.15g to %.15g", comma, field->least, field->most);
	else if (field->least > -HUGE_VAL)
		tp_str_printf(out, "%s from %.15g on", comma, field->least);
}

void tp_allow_number(const struct tp_field *field, struct tp_str *out)
{
	tp_str_add(out, "a number, or a fraction such as 1/5");
	add_bounds(field, ",", out);
}

static bool read_count(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	uint64_t number;
	if (!text)
		return false;
	if (!tp_parse_u64(text, &number) || (double)number < field->least ||
	    (double)number > field->most)
		return tp_field_refuse(r, field, node, NULL);
	if (field->size == sizeof(int64_t))
		*(int64_t *)to = (int64_t)number;
	else
		*(unsigned *)to = (unsigned)number;
	return true;
}

void tp_allow_count(const struct tp_field *field, struct tp_str *out)
{
	tp_str_add(out, "a whole number");
	add_bounds(field, "", out);
}

static bool read_size(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	uint64_t bytes;
	if (!text)
		return false;
	if (!tp_parse_bytes(text, &bytes) || (double)bytes < field->least ||
	    (double)bytes > field->most)
		return tp_field_refuse(r, field, node, NULL);
	*(uint64_t *)to = bytes;
	return true;
}

static void allow_size(const struct tp_field *field, struct tp_str *out)
{
	char low[32], high[32];
	tp_str_printf(out, "a size such as 32KiB or 1MiB, from %s to %s",
		      tp_format_bytes(low, sizeof(low), (uint64_t)field->least),
		      tp_format_bytes(high, sizeof(high), (uint64_t)field->most));
}

/* --- mappings and lists --- */

static bool read_shape(struct tp_reader *r, const struct tp_shape *shape, const char *where,
		       const struct tp_node *node, void *out)
{
	struct tp_yaml_key keys[TP_YAML_KEYS_MAX] = { 0 };
	size_t before = tp_faults_count(r->faults);
	for (size_t i = 0; i < shape->n; i++) {
		keys[i].name = shape->fields[i].key;
		keys[i].required = shape->fields[i].required;
	}
	if (!tp_yaml_keys(r->faults, node, where, keys, shape->n))
		return false;
	for (size_t i = 0; i < shape->n; i++) {
		const struct tp_field *field = &shape->fields[i];
		if (keys[i].value)
			field->kind->read(r, field, keys[i].value, (char *)out + field->offset);
	}
	r->where = where;
	if (shape->check && node->closed)
		shape->check(r, node, keys, out);
	return tp_faults_count(r->faults) == before;
}

static bool read_mapping(struct tp_reader *r, const struct tp_field *field,
			 const struct tp_node *node, void *to)
{
	const char *name = field->shape->name;
	return read_shape(r, field->shape, name ? name : field->key, node, to);
}

static void allow_mapping(const struct tp_field *field __attribute__((unused)), struct tp_str *out)
{
	tp_str_add(out, "a mapping");
}

bool tp_field_entries(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      enum tp_node_kind kind)
{
	size_t n = tp_node_count(node);
	TP_STR wanted = { 0 };
	if (node->kind == kind && (double)n <= field->most &&
	    ((double)n >= field->least || !node->closed))
		return true;
	if (kind == TP_NODE_SEQUENCE)
		tp_str_add(&wanted, "a list of ");
	if (field->least > 0)
		tp_str_printf(&wanted, "%.0f to %.0f ", field->least, field->most);
	else if (field->most < HUGE_VAL)
		tp_str_printf(&wanted, "at most %.0f ", field->most);
	return tp_faults_add(r->faults, node->place, field->hint, "%s: expected %s%s", field->key,
			     tp_str_text(&wanted), field->entries);
}

static bool read_entries(struct tp_reader *r, const struct tp_field *field,
			 const struct tp_node *node, void *to, enum tp_node_kind kind)
{
	static const struct tp_yaml_key none[TP_YAML_KEYS_MAX];
	const struct tp_shape *shape = field->shape;
	size_t *count = (size_t *)((char *)to - field->offset + field->count);
	char *at = to;
	if (!tp_field_entries(r, field, node, kind))
		return false;
	if (field->size == sizeof(at)) {
		at = tp_arena_alloc(r->arena, tp_node_count(node) * shape->bytes);
		memcpy(to, &at, sizeof(at));
	}
	for (const struct tp_node *item = node->first; item; item = item->next) {
		const struct tp_node *value = kind == TP_NODE_MAPPING ? item->value : item;
		char *entry = at + *count * shape->bytes;
		if (kind == TP_NODE_MAPPING && (tp_yaml_twice(r->faults, node, item) || !value))
			continue;
		if (shape->blank)
			memcpy(entry, shape->blank, shape->bytes);
		else
			memset(entry, 0, shape->bytes);
		if (shape->begin && !shape->begin(r, item, entry))
			continue;
		if (shape->alone && (value->kind != TP_NODE_MAPPING || !shape->n)) {
			struct tp_field alone = *shape->alone;
			if (kind == TP_NODE_MAPPING)
				alone.key = item->text;
			alone.kind->read(r, &alone, value, entry + alone.offset);
			if (shape->check)
				shape->check(r, value, none, entry);
		} else {
			read_shape(r, shape, shape->name ? shape->name : item->text, value, entry);
		}
		++*count;
	}
	return true;
}

static bool read_list(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	return read_entries(r, field, node, to, TP_NODE_SEQUENCE);
}

static bool read_names(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	return read_entries(r, field, node, to, TP_NODE_MAPPING);
}

const struct tp_kind tp_kind_chars = { read_chars, tp_allow_text };
const struct tp_kind tp_kind_text = { read_text, tp_allow_text };
const struct tp_kind tp_kind_flag = { read_flag, tp_allow_flag };
const struct tp_kind tp_kind_number = { read_number, tp_allow_number };
const struct tp_kind tp_kind_count = { read_count, tp_allow_count };
const struct tp_kind tp_kind_size = { read_size, allow_size };
const struct tp_kind tp_kind_mapping = { read_mapping, allow_mapping };
const struct tp_kind tp_kind_list = { read_list, NULL };
const struct tp_kind tp_kind_names = { read_names, allow_mapping };

/* --- files --- */

enum tp_status tp_shape_parse(struct tp_reader *r, const struct tp_shape *shape, const char *name,
			      const char *text, size_t len, void *out, struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	struct tp_node *root;
	r->faults = &faults;
	tp_yaml_read(text, len, shape->file, r->arena, &root, &faults);
	if (root)
		read_shape(r, shape, shape->name, root, out);
	else if (!tp_faults_count(&faults))
		tp_faults_add(&faults, (struct tp_place){ 1, 1 }, shape->file->form,
			      "the file is empty");
	return tp_faults_flush(&faults, diags) ? TP_USAGE : TP_OK;
}
