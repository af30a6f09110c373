/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of tables as JSON objects, and the JSON values that all writers share. */
#ifndef TPROF_TABLE_JSON_H
#define TPROF_TABLE_JSON_H

#include <jansson.h>

#include "table/table.h"

/* The value of a column, a new reference: null where it does not apply. */
json_t *tp_column_json(const struct tp_column *column, const void *row);
/* Writes `value` into the row; false if it is not of the column's kind. Null leaves the member. */
bool tp_column_read_json(const struct tp_column *column, const json_t *value, void *row);

/* Sets the columns of `row` that appear in any of `where` as members of `object`. */
void tp_row_pack(const struct tp_table *table, unsigned where, const void *row, json_t *object);
/* A new object with the columns that appear in JSON. */
json_t *tp_row_object(const struct tp_table *table, const void *row);
/*
 * Reads every known key into a zeroed row; absent or null leaves it. A wrong type or range is
 * TP_USAGE, with `place` as where.
 */
enum tp_status tp_row_unpack(const struct tp_table *table, const json_t *object, void *row,
			     const char *place, struct tp_diag *diag);

/* A JSON string of any bytes: what is not UTF-8 becomes '?'. */
json_t *tp_json_text(const char *text);
/* Set and append a new `value`, as jansson does, but NULL anywhere means that memory ran out. */
void tp_json_set(json_t *object, const char *key, json_t *value);
void tp_json_append(json_t *array, json_t *value);
/* A JSON real, null if it is not finite. */
json_t *tp_json_real(double value);
/* A JSON integer if it is whole and below 2^63, else like tp_json_real. */
#define TP_JSON_WHOLE_MAX 9223372036854775808.0
json_t *tp_json_count(double value);
/* {where, what, hint} as object; and back. */
json_t *tp_json_diag(const struct tp_diag *diag);
void tp_json_diag_read(const json_t *object, struct tp_diag *diag);
/*
 * Appends the text of `value`, which it takes over. Reals have 15 digits unless the flags hold
 * JSON_REAL_PRECISION(n).
 */
void tp_json_add(struct tp_str *out, json_t *value, size_t flags);

#endif
