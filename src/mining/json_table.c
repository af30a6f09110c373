/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/json_table.h"

#include <string.h>

#include "base/tally.h"
#include "base/text.h"
#include "table/csv.h"
#include "table/json.h"

bool tp_json_table_is(const char *text, size_t len)
{
	char last = '\0'; /* mark of JSON before `at` */
	for (size_t at = 0; at < len; at++) {
		char c = text[at];
		if (c && strchr(" \t\r\n", c))
			continue;
		if (last == '{')
			return c == '"' || c == '}';
		if (c != '{' && (c != '[' || last))
			return false;
		last = c;
	}
	return false;
}

/* Names of columns in the order in which they came. */
struct layout {
	struct tp_tally names;
};

static void release_layout(struct layout *layout)
{
	tp_tally_release(&layout->names);
}

static const char *column_name(const struct layout *layout, size_t i)
{
	return tp_str_text(&layout->names.texts) + layout->names.groups[i].text;
}

static bool is_cell(const json_t *value)
{
	return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

/* Members of a member are separate columns: "parameters": {"threads": 2}. */
static void add_members(struct layout *layout, json_t *object)
{
	const char *key, *inner;
	json_t *value, *member;
	json_object_foreach(object, key, value)
	{
		if (is_cell(value) && !tp_tally_find(&layout->names, key))
			tp_tally_add(&layout->names, key);
		if (json_is_object(value))
			json_object_foreach(value, inner, member)
			{
				if (is_cell(member) && !tp_tally_find(&layout->names, inner))
					tp_tally_add(&layout->names, inner);
			}
	}
}

static const json_t *member_of(const json_t *object, const char *name)
{
	const json_t *found = json_object_get(object, name);
	const char *key;
	json_t *value;
	if (is_cell(found))
		return found;
	json_object_foreach((json_t *)object, key, value)
	{
		found = json_is_object(value) ? json_object_get(value, name) : NULL;
		if (is_cell(found))
			return found;
	}
	return NULL;
}

static void add_value(struct tp_str *csv, const json_t *value)
{
	if (json_is_string(value))
		tp_cell_text(csv, json_string_value(value));
	else if (json_is_integer(value))
		tp_str_printf(csv, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		tp_json_add(csv, json_real(json_real_value(value)),
			    JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	else if (json_is_boolean(value))
		tp_str_add(csv, json_is_true(value) ? "true" : "false");
}

static void add_row(struct tp_str *csv, const struct layout *layout, const json_t *object,
		    const char *last)
{
	for (size_t i = 0; i < layout->names.n; i++) {
		tp_str_add(csv, i ? "," : "");
		add_value(csv, member_of(object, column_name(layout, i)));
	}
	tp_str_printf(csv, "%s%s\n", last ? "," : "", last ? last : "");
}

static void add_names(struct tp_str *csv, const struct layout *layout, const char *last)
{
	for (size_t i = 0; i < layout->names.n; i++) {
		tp_str_add(csv, i ? "," : "");
		tp_cell_text(csv, column_name(layout, i));
	}
	tp_str_printf(csv, "%s%s\n", last ? "," : "", last ? last : "");
}

static void add_list(struct tp_str *csv, const json_t *list)
{
	TP_CLEANUP(release_layout) struct layout layout = { 0 };
	for (size_t i = 0; i < json_array_size(list); i++)
		add_members(&layout, json_array_get(list, i));
	add_names(csv, &layout, NULL);
	for (size_t i = 0; i < json_array_size(list); i++)
		add_row(csv, &layout, json_array_get(list, i), NULL);
}

static bool has_times(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_array_size(json_object_get(json_array_get(list, i), "times")))
			return false;
	return true;
}

/* A row for each time that hyperfine measured; means of all of them are left out. */
static void add_times(struct tp_str *csv, const json_t *list)
{
	static const char *const means[] = { "mean",   "stddev", "median", "user",
					     "system", "min",	 "max" };
	TP_CLEANUP(release_layout) struct layout layout = { 0 };
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *result = json_array_get(list, i);
		for (size_t k = 0; k < TP_COUNT_OF(means); k++)
			json_object_del(result, means[k]);
		add_members(&layout, result);
	}
	add_names(csv, &layout, "time");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *result = json_array_get(list, i),
			     *times = json_object_get(result, "times");
		for (size_t k = 0; k < json_array_size(times); k++) {
			TP_STR time = { 0 };
			add_value(&time, json_array_get(times, k));
			add_row(csv, &layout, result, tp_str_text(&time));
		}
	}
}

static bool is_table(const json_t *list)
{
	bool any = json_array_size(list) > 0;
	for (size_t i = 0; i < json_array_size(list) && any; i++)
		any = json_is_object(json_array_get(list, i));
	return any;
}

enum tp_status tp_json_table(const char *name, const char *text, size_t len, struct tp_str *csv,
			     const char **what, struct tp_diag *diag)
{
	char where[sizeof(diag->where)];
	json_error_t error;
	json_t *root = json_loadb(text, len, JSON_ALLOW_NUL, &error);
	if (!root) {
		snprintf(where, sizeof(where), "%.150s:%d", name, error.line);
		return tp_fail(diag, TP_USAGE, where, NULL, "broken JSON: %s", error.text);
	}
	const json_t *benchmarks = json_object_get(root, "benchmarks"),
		     *results = json_object_get(root, "results");
	enum tp_status status = TP_OK;
	if (is_table(benchmarks)) {
		add_list(csv, benchmarks);
		*what = "results of Google Benchmark in JSON: a row for each benchmark";
	} else if (is_table(results) && has_times(results)) {
		add_times(csv, results);
		*what = "results of hyperfine in JSON: a row for each time, in seconds";
	} else if (is_table(results) || is_table(root)) {
		add_list(csv, is_table(results) ? results : root);
		*what = "a list of objects in JSON: a row for each";
	} else {
		status = tp_fail(diag, TP_USAGE, name,
				 "\"benchmarks\", \"results\", or a list of objects",
				 "the JSON holds no table");
	}
	json_decref(root);
	return status;
}
