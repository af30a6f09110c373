/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"

/* Digits that bring a double back to all that was measured, without 0.10000000000000001. */
enum { JSON_DIGITS = 15 };

json_t *tp_json_text(const char *text)
{
	json_t *value = json_string(text);

	if (value)
		return value;
	TP_FREE char *plain = tp_strdup(text);
	for (char *p = plain; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(plain);
}

void tp_json_set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		tp_out_of_memory();
}

void tp_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		tp_out_of_memory();
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

static void read_text(const json_t *object, const char *key, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	tp_copy(to, size, text ? text : "");
	tp_clean(to, "");
}

void tp_json_diag_read(const json_t *object, struct tp_diag *diag)
{
	read_text(object, "where", diag->where, sizeof(diag->where));
	read_text(object, "what", diag->what, sizeof(diag->what));
	read_text(object, "hint", diag->hint, sizeof(diag->hint));
}

void tp_json_add(struct tp_str *out, json_t *value, size_t flags)
{
	if (!(flags & JSON_REAL_PRECISION(0x1f)))
		flags |= JSON_REAL_PRECISION(JSON_DIGITS);
	TP_FREE char *text = value ? json_dumps(value, flags | JSON_ENCODE_ANY) : NULL;
	if (!text)
		tp_out_of_memory();
	json_decref(value);
	tp_str_add(out, text);
}

json_t *tp_column_json(const struct tp_column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;
	char text[512];
	double value;

	if (!tp_column_applies(column, row))
		return json_null();
	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
		return json_integer(*(const unsigned *)at);
	case TP_COLUMN_U64:
		return json_integer((json_int_t)TP_MIN(*(const uint64_t *)at, (uint64_t)LLONG_MAX));
	case TP_COLUMN_REAL:
		return json_real(*(const double *)at);
	case TP_COLUMN_DERIVED:
		value = column->derive(row);
		return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
								   : json_real(value);
	case TP_COLUMN_BOOL:
		return json_boolean(*(const bool *)at);
	case TP_COLUMN_TEXT:
		return tp_json_text(at);
	case TP_COLUMN_FLAGS:
		return json_string(
			tp_words_join(column->words, *(const uint32_t *)at, text, sizeof(text)));
	case TP_COLUMN_WORD:
		return json_string(column->words->names[*(const unsigned *)at]);
	case TP_COLUMN_PHRASE:
		column->phrase(row, text, sizeof(text));
		return tp_json_text(text);
	}
	return NULL;
}

void tp_row_pack(const struct tp_table *table, unsigned where, const void *row, json_t *object)
{
	if (table->base)
		tp_row_pack(table->base, where, row, object);
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_column *column = &table->columns[i];

		if (column->where & where)
			tp_json_set(object, column->name, tp_column_json(column, row));
	}
}

json_t *tp_row_object(const struct tp_table *table, const void *row)
{
	json_t *object = json_object();

	tp_row_pack(table, TP_IN_JSON, row, object);
	return object;
}

bool tp_column_read_json(const struct tp_column *column, const json_t *value, void *row)
{
	void *at = (char *)row + column->offset;
	json_int_t integer = json_integer_value(value);

	if (!value || json_is_null(value))
		return true;
	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
	case TP_COLUMN_U64:
		return json_is_integer(value) && integer >= 0 &&
		       tp_column_set_whole(column, at, (uint64_t)integer);
	case TP_COLUMN_REAL:
		if (!json_is_number(value))
			return false;
		*(double *)at = json_number_value(value);
		return true;
	case TP_COLUMN_BOOL:
		if (!json_is_boolean(value))
			return false;
		*(bool *)at = json_is_true(value);
		return true;
	case TP_COLUMN_TEXT:
		if (!json_is_string(value))
			return false;
		tp_copy(at, column->size_bytes, json_string_value(value));
		tp_clean(at, "");
		return true;
	case TP_COLUMN_FLAGS:
		if (!json_is_string(value))
			return false;
		/* Flags known only to a newer version are left out. */
		tp_words_split(column->words, json_string_value(value), at);
		return true;
	case TP_COLUMN_WORD:
		return json_is_string(value) &&
		       tp_word_find(column->words, json_string_value(value), at);
	case TP_COLUMN_DERIVED:
	case TP_COLUMN_PHRASE:
		break;
	}
	return true;
}

enum tp_status tp_row_unpack(const struct tp_table *table, const json_t *object, void *row,
			     const char *place, struct tp_diag *diag)
{
	if (table->blank)
		table->blank(row);
	if (table->base) {
		enum tp_status status = tp_row_unpack(table->base, object, row, place, diag);
		if (status)
			return status;
	}
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_column *column = &table->columns[i];

		char wanted[TP_WANTED_BYTES];

		if (!tp_column_read_json(column, json_object_get(object, column->name), row))
			return tp_fail(diag, TP_USAGE, place, tp_column_wanted(column, wanted),
				       "\"%s\" has a value of the wrong kind", column->name);
	}
	return TP_OK;
}
