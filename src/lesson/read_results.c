/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named results of a measurement: which row of which table. */
#include "lesson/read_parts.h"

#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/schema.h"

/* All names of one kind, for a hint; with the nearest one first. */
static void hint_names(const char *typed, const char *(*name)(const void *context, size_t i),
		       const void *context, struct tp_str *hint)
{
	const char *all[TP_POINT_COLUMNS_MAX];
	size_t n = 0;
	while (n < TP_COUNT_OF(all) && (all[n] = name(context, n)))
		n++;
	const char *near = tp_nearest(typed, all, n);
	if (near)
		tp_str_printf(hint, "did you mean %s?", near);
	else
		tp_str_list(hint, all, n, " and ");
}

struct of_table {
	const struct tp_preset *preset;
	const struct tp_lesson_table *table;
};

static const char *table_name(const void *context, size_t i)
{
	return tp_lesson_table_name(context, i);
}

static const char *column_name(const void *context, size_t i)
{
	const struct of_table *of = context;
	return tp_lesson_column_name(of->preset, of->table, i);
}

const struct tp_column *tp_lesson_take_column(struct tp_lesson_reader *r,
					      const struct tp_node *node, const char *text,
					      const struct tp_preset *preset,
					      const struct tp_lesson_table *table)
{
	const struct tp_column *column = tp_lesson_column(preset, table, text);
	struct of_table of = { preset, table };
	struct tp_str hint = { 0 };
	char shown[64];
	if (column)
		return column;
	hint_names(text, column_name, &of, &hint);
	tp_faults_add(r->faults, node->place, tp_str_text(&hint),
		      "the rows of %s here have no column %s", table->name,
		      tp_shown(shown, sizeof(shown), text, strlen(text)));
	tp_str_release(&hint);
	return NULL;
}

/* --- conditions --- */

/* The sign that a condition begins with, which is cut off. */
static unsigned take_sign(const char **text)
{
	static const struct {
		const char *sign;
		unsigned how;
	} signs[] = { { "<=", TP_AT_MOST }, { ">=", TP_AT_LEAST }, { "!=", TP_IS_NOT },
		      { "==", TP_IS },	    { "<", TP_BELOW },	   { ">", TP_ABOVE },
		      { "=", TP_IS } };
	unsigned how = TP_IS;
	for (size_t i = 0; i < TP_COUNT_OF(signs); i++) {
		size_t len = strlen(signs[i].sign);
		if (strncmp(*text, signs[i].sign, len) == 0) {
			how = signs[i].how;
			*text += len;
			break;
		}
	}
	*text += strspn(*text, " ");
	return how;
}

/* False if the column has a closed set of words, and this is none of them. */
static bool is_word_of(struct tp_lesson_reader *r, const struct tp_node *node,
		       const struct tp_column *column, const char *word)
{
	struct tp_str all = { 0 };
	unsigned index;
	if ((column->type != TP_COLUMN_WORD && column->type != TP_COLUMN_FLAGS) ||
	    tp_word_find(column->words, word, &index))
		return true;
	tp_str_add(&all, "one of ");
	tp_str_list(&all, column->words->names, column->words->n, " or ");
	tp_faults_add(r->faults, node->place, tp_str_text(&all), "%s: there is no \"%.60s\"",
		      column->name, word);
	tp_str_release(&all);
	return false;
}

static bool take_condition(struct tp_lesson_reader *r, const struct tp_node *node,
			   const struct tp_column *column, struct tp_condition *condition)
{
	struct tp_diag diag;
	const char *text, *unit = tp_lesson_column_unit(column);
	if (!tp_lesson_take_text(r, node, column->name, TP_LESSON_LINE_BYTES, false, &text))
		return false;
	*condition = (struct tp_condition){ .column = column->name, .how = take_sign(&text) };
	if (column->type == TP_COLUMN_BOOL) {
		condition->number = strcmp(text, "true") == 0;
		if (condition->number || strcmp(text, "false") == 0)
			return true;
		tp_faults_add(r->faults, node->place, NULL, "%s: true or false", column->name);
		return false;
	}
	if (tp_column_is_number(column)) {
		if (tp_lesson_number(text, unit, &condition->number, &diag) == TP_OK)
			return true;
		tp_faults_add(r->faults, node->place, *diag.hint ? diag.hint : NULL, "%s: %s",
			      column->name, diag.what);
		return false;
	}
	condition->word = text;
	if (condition->how == TP_IS || condition->how == TP_IS_NOT)
		return is_word_of(r, node, column, text);
	tp_faults_add(r->faults, node->place, "write the word, or != and the word",
		      "%s holds words, which are not less or more", column->name);
	return false;
}

struct tp_condition *tp_lesson_read_where(struct tp_lesson_reader *r, const struct tp_node *node,
					  const struct tp_preset *preset,
					  const struct tp_lesson_table *table, size_t *n)
{
	*n = 0;
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(r->faults, node->place, "where: {level: L1}",
			      "where: expected columns with values");
		return NULL;
	}
	struct tp_condition *where = tp_lesson_room(r, tp_node_count(node), sizeof(*where));
	for (const struct tp_node *key = node->first; key && where; key = key->next) {
		const struct tp_column *column =
			tp_lesson_take_column(r, key, key->text, preset, table);
		if (column && key->value && take_condition(r, key->value, column, &where[*n]))
			++*n;
	}
	return where;
}

/* --- results --- */

/* "first", "last", "largest COLUMN" or "smallest COLUMN" */
static void read_take(struct tp_lesson_reader *r, const struct tp_node *node,
		      const struct tp_preset *preset, const struct tp_lesson_table *table,
		      struct tp_result *result)
{
	static const struct {
		const char *word;
		unsigned take;
	} words[] = { { "first", TP_TAKE_FIRST },
		      { "last", TP_TAKE_LAST },
		      { "largest", TP_TAKE_LARGEST },
		      { "smallest", TP_TAKE_SMALLEST } };
	const char *text;
	size_t i = 0;
	if (!tp_lesson_take_text(r, node, "take", TP_LESSON_LINE_BYTES, false, &text))
		return;
	size_t len = strcspn(text, " ");
	const char *column = text + len + strspn(text + len, " ");
	while (i < TP_COUNT_OF(words) &&
	       (strlen(words[i].word) != len || memcmp(words[i].word, text, len) != 0))
		i++;
	if (i == TP_COUNT_OF(words) || (i < TP_TAKE_LARGEST) != !*column) {
		tp_faults_add(r->faults, node->place,
			      "first, last, largest COLUMN or smallest COLUMN",
			      "take: \"%.60s\" is not understood", text);
		return;
	}
	result->take = words[i].take;
	if (!*column)
		return;
	const struct tp_column *found = tp_lesson_take_column(r, node, column, preset, table);
	if (found && !tp_column_is_number(found))
		tp_faults_add(r->faults, node->place, NULL, "take: %s holds no numbers",
			      found->name);
	result->column = found ? found->name : NULL;
}

static void read_result(struct tp_lesson_reader *r, const struct tp_node *key,
			const struct tp_preset *preset, struct tp_result *result)
{
	struct tp_yaml_key keys[] = { { .name = "table", .required = true },
				      { .name = "where" },
				      { .name = "take" } };
	struct tp_lesson_table table;
	struct tp_str hint = { 0 };
	const char *name;
	result->table = "";
	if (!tp_yaml_keys(r->faults, key->value, result->name, keys, TP_COUNT_OF(keys)) ||
	    !keys[0].value ||
	    !tp_lesson_take_text(r, keys[0].value, "table", TP_LESSON_LINE_BYTES, false, &name))
		return;
	if (!tp_lesson_table_find(preset, name, &table)) {
		hint_names(name, table_name, preset, &hint);
		tp_faults_add(r->faults, keys[0].value->place, tp_str_text(&hint),
			      "this measurement has no table \"%.60s\"", name);
		tp_str_release(&hint);
		return;
	}
	result->table = name;
	if (keys[1].value)
		result->where =
			tp_lesson_read_where(r, keys[1].value, preset, &table, &result->n_where);
	if (keys[2].value)
		read_take(r, keys[2].value, preset, &table, result);
}

void tp_lesson_read_results(struct tp_lesson_reader *r, const struct tp_node *node,
			    struct tp_lesson_step *step)
{
	if (node->kind != TP_NODE_MAPPING || tp_node_count(node) > TP_LESSON_RESULTS_MAX) {
		tp_faults_add(r->faults, node->place, "l1: {table: plateaus, where: {level: L1}}",
			      "results: expected at most %d names with tables",
			      TP_LESSON_RESULTS_MAX);
		return;
	}
	step->results = tp_lesson_room(r, tp_node_count(node), sizeof(*step->results));
	for (const struct tp_node *key = node->first; key && step->results; key = key->next) {
		struct tp_result *result = &step->results[step->n_results];
		*result = (struct tp_result){ 0 };
		if (!key->value || !tp_lesson_take_name(r, key, "results", &result->name))
			continue;
		read_result(r, key, step->preset, result);
		step->n_results++;
	}
}
