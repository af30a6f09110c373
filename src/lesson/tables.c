/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables that a measurement of a lesson leaves, by the registries of the record. */
#include "lesson/lesson_parts.h"

#include <string.h>

#include "base/memory.h"
#include "record/point.h"

static const char points[] = "points";

/* True if an experiment of the preset has this row of the schema. */
static bool is_of(const struct tp_preset *preset, const struct tp_schema_row *row)
{
	if (!preset || !preset->n_runs)
		return true;
	for (size_t i = 0; i < preset->n_runs; i++)
		if (strcmp(tp_config_text(&preset->runs[i], TP_OPT_EXPERIMENT),
			   row->points.experiment) == 0)
			return true;
	return false;
}

static bool has_part(const struct tp_preset *preset, const struct tp_part *part)
{
	for (size_t i = 0; i < tp_schema.n; i++)
		for (size_t k = 0; k < tp_schema.rows[i]->n_parts; k++)
			if (tp_schema.rows[i]->parts[k] == part && is_of(preset, tp_schema.rows[i]))
				return true;
	return false;
}

static const struct tp_part *next_part(const struct tp_preset *preset, const struct tp_part *part)
{
	do
		part = tp_part_next(part);
	while (part && (!part->table || !part->table->name || !has_part(preset, part)));
	return part;
}

const char *tp_lesson_table_name(const struct tp_preset *preset, size_t i)
{
	const struct tp_part *part = NULL;
	if (i == 0)
		return points;
	while (i-- && (part = next_part(preset, part)))
		;
	return part ? part->table->name : NULL;
}

bool tp_lesson_table_find(const struct tp_preset *preset, const char *name,
			  struct tp_lesson_table *table)
{
	*table = (struct tp_lesson_table){ .name = points };
	if (strcmp(name, points) == 0)
		return true;
	const struct tp_part *part = NULL;
	while ((part = next_part(preset, part)) && strcmp(part->table->name, name) != 0)
		;
	if (part)
		*table = (struct tp_lesson_table){ part->table->name, part };
	return part != NULL;
}

/* The tables whose columns a row has, one after the other: NULL behind the last. */
static const struct tp_table *table_at(const struct tp_preset *preset,
				       const struct tp_lesson_table *table, size_t i)
{
	if (table->part)
		return i == 0 ? table->part->table : NULL;
	if (i == 0)
		return &tp_point_table;
	for (size_t k = 0; k < tp_schema.n; k++)
		if (tp_schema.rows[k]->points.table && is_of(preset, tp_schema.rows[k]) && --i == 0)
			return tp_schema.rows[k]->points.table;
	return NULL;
}

const struct tp_column *tp_lesson_column(const struct tp_preset *preset,
					 const struct tp_lesson_table *table, const char *name)
{
	const struct tp_table *t;
	for (size_t i = 0; (t = table_at(preset, table, i)); i++) {
		const struct tp_column *column = tp_column_find(t, name);
		/* A phrase is words for people, which nothing can be computed from. */
		if (column && column->type != TP_COLUMN_PHRASE)
			return column;
	}
	return NULL;
}

const char *tp_lesson_column_name(const struct tp_preset *preset,
				  const struct tp_lesson_table *table, size_t i)
{
	const struct tp_table *t;
	for (size_t k = 0; (t = table_at(preset, table, k)); k++)
		for (; t; t = t->base) {
			if (i < t->n)
				return t->columns[i].name;
			i -= t->n;
		}
	return NULL;
}

/* Columns without a unit of their own say it in their names. */
static const struct {
	const char *ending, *unit;
} endings[] = {
	{ "bytes_per_cycle", "bytes/cycle" },
	{ "flop_per_cycle", "FLOP/cycle" },
	{ "flop_per_byte", "FLOP/byte" },
	{ "_gbps", "GB/s" },
	{ "_gflops", "GFLOP/s" },
	{ "_ghz", "GHz" },
	{ "_ns", "ns" },
	{ "_bytes", "bytes" },
	{ "_cycles", "cycles" },
	{ "seconds", "s" },
};

const char *tp_lesson_column_unit(const struct tp_column *column)
{
	size_t len = strlen(column->name);
	if (!tp_column_is_number(column))
		return "";
	if (column->unit && strcmp(column->unit, "B") == 0)
		return "bytes";
	if (column->unit && strcmp(column->unit, "FLOP/B") == 0)
		return "FLOP/byte";
	const char *unit = column->unit ? tp_lesson_unit_find(column->unit) : NULL;
	for (size_t i = 0; i < TP_COUNT_OF(endings) && !unit; i++) {
		size_t n = strlen(endings[i].ending);
		if (len >= n && strcmp(column->name + len - n, endings[i].ending) == 0)
			unit = endings[i].unit;
	}
	return unit ? unit : "";
}
