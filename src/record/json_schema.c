/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A key that no table has is allowed, as later versions add keys: only at the top level it has to
 * be a fact, so that no list is without its rows.
 */
#include "record/json_schema.h"

#include <inttypes.h>

#include "base/memory.h"
#include "record/document.h"
#include "record/schema.h"

/* The schema of a type; with `null` null is allowed, too. */
static json_t *typed(const char *type, bool null)
{
	return null ? json_pack("{s:[s,s]}", "type", type, "null")
		    : json_pack("{s:s}", "type", type);
}

/* "^((a|b)([|](a|b))*)?$": any of the words, joined. */
static void flags_pattern(const struct tp_word_set *words, struct tp_str *out)
{
	TP_STR any = { 0 };

	for (size_t i = 0; i < words->n; i++)
		tp_str_printf(&any, "%s%s", i ? "|" : "", words->names[i]);
	tp_str_printf(out, "^((%s)([|](%s))*)?$", tp_str_text(&any), tp_str_text(&any));
}

static json_t *words_json(const struct tp_word_set *words, bool null)
{
	json_t *names = json_array();

	for (size_t i = 0; i < words->n; i++)
		tp_json_append(names, tp_json_text(words->names[i]));
	if (null)
		tp_json_append(names, json_null());
	return json_pack("{s:o}", "enum", names);
}

/* `optional`: rows of other experiments have no value in this column. */
static json_t *column_json(const struct tp_column *column, bool optional)
{
	bool null = optional || column->applies || column->rule == TP_COLUMN_NONZERO;
	TP_STR pattern = { 0 };
	json_t *json = NULL;

	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
	case TP_COLUMN_U64:
		json = typed("integer", null);
		tp_json_set(json, "minimum", json_integer(0));
		if (column->most && column->most < INT64_MAX)
			tp_json_set(json, "maximum", json_integer((json_int_t)column->most));
		break;
	case TP_COLUMN_REAL:
	case TP_COLUMN_DERIVED:
		json = typed("number", true); /* of a number that is not finite as well */
		break;
	case TP_COLUMN_BOOL:
		json = typed("boolean", null);
		break;
	case TP_COLUMN_FLAGS:
		json = typed("string", null);
		flags_pattern(column->words, &pattern);
		tp_json_set(json, "pattern", tp_json_text(tp_str_text(&pattern)));
		break;
	case TP_COLUMN_WORD:
		json = words_json(column->words, null);
		break;
	case TP_COLUMN_TEXT:
	case TP_COLUMN_PHRASE:
		json = typed("string", null);
		break;
	}
	return json;
}

/* Columns in their order, which get the help of the one that has it. */
struct properties {
	json_t *of; /* by the names of the columns */
	json_t *waiting; /* those before the help that is for all of them */
};

static void add_property(struct properties *p, const struct tp_column *column, bool optional)
{
	json_t *json = column_json(column, optional), *each;
	size_t i;

	tp_json_set(p->of, column->name, json);
	if (column->unit)
		tp_json_set(json, "unit", tp_json_text(column->unit));
	tp_json_append(p->waiting, json_incref(json));
	if (!column->help)
		return;
	json_array_foreach(p->waiting, i, each)
		tp_json_set(each, "description", tp_json_text(column->help));
	json_array_clear(p->waiting);
}

static void add_columns(struct properties *p, const struct tp_table *table)
{
	if (table->base)
		add_columns(p, table->base);
	for (size_t i = 0; i < table->n; i++)
		if (table->columns[i].where & TP_IN_JSON)
			add_property(p, &table->columns[i], false);
}

static json_t *object_of(struct properties *p)
{
	json_decref(p->waiting);
	return json_pack("{s:s,s:o}", "type", "object", "properties", p->of);
}

static json_t *list_of(json_t *items)
{
	return json_pack("{s:s,s:o}", "type", "array", "items", items);
}

static json_t *rows_json(const struct tp_table *table)
{
	struct properties p = { json_object(), json_array() };

	add_columns(&p, table);
	return list_of(object_of(&p));
}

static json_t *reference(const char *to)
{
	return json_pack("{s:s}", "$ref", to);
}

/* A number of any kind takes whole ones, a text takes words. */
static bool takes_more(const struct tp_column *a, const struct tp_column *b)
{
	static const unsigned char width[] = {
		[TP_COLUMN_UNSIGNED] = 1, [TP_COLUMN_U64] = 2,	   [TP_COLUMN_REAL] = 3,
		[TP_COLUMN_BOOL] = 0,	  [TP_COLUMN_TEXT] = 3,	   [TP_COLUMN_WORD] = 1,
		[TP_COLUMN_FLAGS] = 1,	  [TP_COLUMN_DERIVED] = 3, [TP_COLUMN_PHRASE] = 3,
	};

	return width[a->type] > width[b->type];
}

/* Experiments may have columns of one name: the one that takes the values of all. */
static const struct tp_column *widest_of_name(const struct tp_column *column)
{
	for (size_t i = 0; i < tp_schema()->n; i++) {
		const struct tp_column *other =
			tp_column_find(tp_schema()->rows[i]->points.table, column->name);

		if (other && takes_more(other, column))
			column = other;
	}
	return column;
}

static json_t *points_json(void)
{
	struct properties p = { json_object(), json_array() };
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));

	for (size_t i = 0; i < layout->n; i++)
		if (layout->at[i].column->where & TP_IN_JSON)
			add_property(&p, widest_of_name(layout->at[i].column),
				     layout->at[i].from != TP_FROM_CORE);
	tp_json_set(p.of, "diag", reference("#/$defs/diag"));
	tp_json_set(p.of, "windows", rows_json(&tp_sample_table));
	return list_of(object_of(&p));
}

static json_t *summary_json(void)
{
	static const char *const texts[] = { "experiments", "isas", "threads", "figures" };
	json_t *of = json_object();

	for (size_t i = 0; i < TP_COUNT_OF(texts); i++)
		tp_json_set(of, texts[i], typed("string", false));
	tp_json_set(of, "headline", typed("number", true));
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		tp_json_set(of, tp_quality_name((enum tp_quality)q), typed("integer", false));
	return json_pack("{s:s,s:o}", "type", "object", "properties", of);
}

/* What is referred to: the words of a remark, and a fact, whose name may have dots. */
static json_t *definitions(void)
{
	return json_pack("{s:{s:s,s:{s:{s:s},s:{s:s},s:{s:s}}},"
			 "s:{s:[s,s,s,s,s],s:{s:s}}}",
			 "diag", "type", "object", "properties", "where", "type", "string", "what",
			 "type", "string", "hint", "type", "string", "fact", "type", "string",
			 "number", "boolean", "null", "object", "additionalProperties", "$ref",
			 "#/$defs/fact");
}

void tp_run_json_schema(struct tp_str *out)
{
	json_t *of = json_object(), *root;

	tp_json_set(of, "format", json_pack("{s:s}", "const", TP_RUN_FORMAT_NAME));
	tp_json_set(of, "version", json_pack("{s:i}", "const", TP_RUN_FORMAT_VERSION));
	tp_json_set(
		of, "state",
		json_pack("{s:[s,s,s,s]}", "enum", "complete", "interrupted", "failed", "running"));
	tp_json_set(of, "wall_seconds", typed("number", true));
	tp_json_set(of, "points_done", typed("integer", false));
	tp_json_set(of, "points_planned", typed("integer", false));
	tp_json_set(of, "summary", summary_json());
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->table->name)
			tp_json_set(of, p->table->name,
				    p->json_schema ? p->json_schema() : rows_json(p->table));
	tp_json_set(of, "diags", list_of(reference("#/$defs/diag")));
	tp_json_set(of, "points", points_json());
	root = json_pack("{s:s,s:s,s:s,s:s,s:[s,s,s,s,s],s:o,s:{s:s},s:o}", "$schema",
			 "https://json-schema.org/draft/2020-12/schema", "title",
			 "run.json of tprof " PACKAGE_VERSION, "description",
			 "See tprof-results(5).", "type", "object", "required", "format", "version",
			 "state", "points_done", "points", "properties", of, "additionalProperties",
			 "$ref", "#/$defs/fact", "$defs", definitions());
	tp_json_add(out, root, JSON_INDENT(1));
	tp_str_add(out, "\n");
}
