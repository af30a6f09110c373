/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/field.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Digits that bring a double back to all that was measured, without 0.10000000000000001. */
enum { JSON_DIGITS = 15, CSV_DIGITS = 10 };

static const char *const state_names[] = {
	[TP_POINT_PLANNED] = "planned",
	[TP_POINT_DONE] = "done",
	[TP_POINT_FAILED] = "failed",
	[TP_POINT_SKIPPED] = "skipped",
};

static const void *member(const struct tp_field *field, const void *record)
{
	return (const char *)record + field->offset;
}

static const struct tp_field *find(const struct tp_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->fields[i].name, name) == 0)
			return &table->fields[i];
	return NULL;
}

/* The value of a field that is a number of some kind. */
static double number(const struct tp_field *field, const void *record)
{
	const void *at = member(field, record);

	switch (field->type) {
	case TP_FIELD_UNSIGNED:
		return *(const unsigned *)at;
	case TP_FIELD_U64:
		return (double)*(const uint64_t *)at;
	case TP_FIELD_REAL:
		return *(const double *)at;
	case TP_FIELD_DERIVED:
		return field->derive(record);
	default:
		return 1;
	}
}

static bool applies(const struct tp_table *table, const struct tp_field *field, const void *record)
{
	const struct tp_field *loads, *stores;
	double value = number(field, record);

	if (!isfinite(value))
		return false;
	switch (field->rule) {
	case TP_FIELD_NONZERO:
		return value != 0;
	case TP_FIELD_RATIO:
		loads = find(table, "loads");
		stores = find(table, "stores");
		return number(loads, record) != 0 || number(stores, record) != 0;
	case TP_FIELD_ALWAYS:
		break;
	}
	return true;
}

json_t *tp_json_text(const char *text)
{
	json_t *value = json_string(text);
	char *plain;

	if (value)
		return value;
	plain = strdup(text);
	if (!plain)
		return NULL;
	for (char *p = plain; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(plain);
	free(plain);
	return value;
}

json_t *tp_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *tp_json_count(double value)
{
	if (value > -TP_JSON_WHOLE_MAX && value < TP_JSON_WHOLE_MAX &&
	    value == (double)(json_int_t)value)
		return json_integer((json_int_t)value);
	return tp_json_real(value);
}

json_t *tp_json_diag(const struct tp_diag *diag)
{
	return json_pack("{s:o,s:o,s:o}", "where", tp_json_text(diag->where), "what",
			 tp_json_text(diag->what), "hint", tp_json_text(diag->hint));
}

bool tp_diag_has_words(const struct tp_diag *diag)
{
	return diag->where[0] || diag->what[0] || diag->hint[0];
}

static void read_text(const json_t *object, const char *key, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	tp_copy(to, size, text ? text : "");
}

void tp_json_diag_read(const json_t *object, struct tp_diag *diag)
{
	read_text(object, "where", diag->where, sizeof(diag->where));
	read_text(object, "what", diag->what, sizeof(diag->what));
	read_text(object, "hint", diag->hint, sizeof(diag->hint));
}

enum tp_status tp_json_add(struct tp_str *out, json_t *value, size_t flags)
{
	char *text = NULL;

	if (value)
		text = json_dumps(value, flags | JSON_ENCODE_ANY |
						 (flags & JSON_REAL_PRECISION(0x1f)
							  ? 0
							  : JSON_REAL_PRECISION(JSON_DIGITS)));
	json_decref(value);
	if (!text)
		return TP_NOMEM;
	tp_str_add(out, text);
	free(text);
	return out->oom ? TP_NOMEM : TP_OK;
}

static json_t *field_value(const struct tp_table *table, const struct tp_field *field,
			   const void *record)
{
	const void *at = member(field, record);
	char text[256];
	double value;

	if (!applies(table, field, record))
		return json_null();
	switch (field->type) {
	case TP_FIELD_UNSIGNED:
		return json_integer(*(const unsigned *)at);
	case TP_FIELD_U64:
		return json_integer((json_int_t)TP_MIN(*(const uint64_t *)at, (uint64_t)LLONG_MAX));
	case TP_FIELD_REAL:
		return json_real(*(const double *)at);
	case TP_FIELD_DERIVED:
		value = field->derive(record);
		return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
								   : json_real(value);
	case TP_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case TP_FIELD_TEXT:
		return tp_json_text(at);
	case TP_FIELD_FLAGS:
		return json_string(tp_flags_text(*(const uint32_t *)at, text, sizeof(text)));
	case TP_FIELD_STATE:
		return json_string(state_names[*(const enum tp_point_state *)at]);
	}
	return NULL;
}

enum tp_status tp_fields_pack(const struct tp_table *table, unsigned where, const void *record,
			      json_t *object)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_field *field = &table->fields[i];

		if ((field->where & where) &&
		    json_object_set_new(object, field->name, field_value(table, field, record)))
			return TP_NOMEM;
	}
	return TP_OK;
}

static bool read_state(const char *text, enum tp_point_state *state)
{
	for (size_t i = 0; i < TP_COUNT_OF(state_names); i++)
		if (strcmp(text, state_names[i]) == 0) {
			*state = (enum tp_point_state)i;
			return true;
		}
	return false;
}

/* Writes `value` into the member; false if it is not of the field's kind. */
static bool field_read(const struct tp_field *field, const json_t *value, void *at)
{
	json_int_t integer = json_integer_value(value);

	switch (field->type) {
	case TP_FIELD_UNSIGNED:
		if (!json_is_integer(value) || integer < 0 || integer > (json_int_t)UINT_MAX)
			return false;
		*(unsigned *)at = (unsigned)integer;
		return true;
	case TP_FIELD_U64:
		if (!json_is_integer(value) || integer < 0)
			return false;
		*(uint64_t *)at = (uint64_t)integer;
		return true;
	case TP_FIELD_REAL:
		if (!json_is_number(value))
			return false;
		*(double *)at = json_number_value(value);
		return true;
	case TP_FIELD_BOOL:
		if (!json_is_boolean(value))
			return false;
		*(bool *)at = json_is_true(value);
		return true;
	case TP_FIELD_TEXT:
		if (!json_is_string(value))
			return false;
		tp_copy(at, field->size_bytes, json_string_value(value));
		return true;
	case TP_FIELD_FLAGS:
		if (!json_is_string(value))
			return false;
		/* Flags that a newer version knows are left out, not refused. */
		tp_flags_parse(json_string_value(value), at);
		return true;
	case TP_FIELD_STATE:
		return json_is_string(value) && read_state(json_string_value(value), at);
	case TP_FIELD_DERIVED:
		break;
	}
	return true;
}

enum tp_status tp_fields_unpack(const struct tp_table *table, const json_t *object, void *record,
				const char *place, struct tp_diag *diag)
{
	static const char *const wanted[] = {
		[TP_FIELD_UNSIGNED] = "a whole number from 0 on",
		[TP_FIELD_U64] = "a whole number from 0 on",
		[TP_FIELD_REAL] = "a number or null",
		[TP_FIELD_BOOL] = "true or false",
		[TP_FIELD_TEXT] = "a text",
		[TP_FIELD_FLAGS] = "flag names joined by |",
		[TP_FIELD_STATE] = "planned, done, failed or skipped",
		[TP_FIELD_DERIVED] = "",
	};

	for (size_t i = 0; i < table->n; i++) {
		const struct tp_field *field = &table->fields[i];
		const json_t *value = json_object_get(object, field->name);

		if (!value || json_is_null(value))
			continue;
		if (!field_read(field, value, (char *)record + field->offset))
			return tp_fail(diag, TP_USAGE, place, wanted[field->type],
				       "\"%s\" has a value of the wrong kind", field->name);
	}
	return TP_OK;
}

void tp_cell_text(struct tp_str *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		tp_str_add(out, text);
		return;
	}
	tp_str_add(out, "\"");
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			tp_str_add(out, "\"");
		tp_str_add_n(out, p, 1);
	}
	tp_str_add(out, "\"");
}

void tp_cell_real(struct tp_str *out, double value)
{
	char text[64], *comma;

	if (!isfinite(value))
		return;
	snprintf(text, sizeof(text), "%.*g", CSV_DIGITS, value);
	/* A locale must not turn one number into two cells. */
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	tp_str_add(out, text);
}

void tp_field_cell(const struct tp_table *table, const struct tp_field *field, const void *record,
		   struct tp_str *out)
{
	const void *at = member(field, record);
	char text[256];

	if (!applies(table, field, record))
		return;
	switch (field->type) {
	case TP_FIELD_UNSIGNED:
		tp_str_printf(out, "%u", *(const unsigned *)at);
		break;
	case TP_FIELD_U64:
		tp_str_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case TP_FIELD_REAL:
	case TP_FIELD_DERIVED:
		tp_cell_real(out, number(field, record));
		break;
	case TP_FIELD_BOOL:
		tp_str_add(out, *(const bool *)at ? "true" : "false");
		break;
	case TP_FIELD_TEXT:
		tp_cell_text(out, at);
		break;
	case TP_FIELD_FLAGS:
		tp_str_add(out, tp_flags_text(*(const uint32_t *)at, text, sizeof(text)));
		break;
	case TP_FIELD_STATE:
		tp_str_add(out, state_names[*(const enum tp_point_state *)at]);
		break;
	}
}
