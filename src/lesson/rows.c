/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and facts of a run, as the results of a lesson name them. */
#include "lesson/values_parts.h"

#include <math.h>
#include <string.h>

#include "kernels/isa.h"
#include "record/point.h"
#include "report/facts.h"

/* A column of one row: a row of a table, or a point with what its experiment adds. */
struct cell {
	const struct tp_column *column;
	const void *record;
};

static bool point_cell(const struct tp_point *point, const char *name, struct cell *cell)
{
	*cell = (struct cell){ tp_column_find(&tp_point_table, name), point };
	if (!cell->column && point->row && point->kind && point->kind->table)
		*cell = (struct cell){ tp_column_find(point->kind->table, name), point->row };
	return cell->column != NULL;
}

static bool cell_value(const struct cell *cell, struct tp_operand *value)
{
	const struct tp_column *column = cell->column;
	const char *at = (const char *)cell->record + column->offset;
	*value = (struct tp_operand){ 0 };
	if (tp_column_is_number(column)) {
		if (!tp_column_applies(column, cell->record))
			return false;
		value->number = tp_column_number(column, cell->record);
		return isfinite(value->number);
	}
	if (column->applies && !column->applies(cell->record))
		return false;
	if (column->type == TP_COLUMN_BOOL) {
		value->number = *(const bool *)at;
		return true;
	}
	if (column->type == TP_COLUMN_WORD && *(const unsigned *)at < column->words->n)
		value->word = column->words->names[*(const unsigned *)at];
	else if (column->type == TP_COLUMN_TEXT)
		value->word = at;
	if (value->word)
		value->len = strlen(value->word);
	return value->word != NULL;
}

/* --- conditions --- */

static bool same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool number_fits(double value, const struct tp_condition *condition)
{
	switch (condition->how) {
	case TP_IS:
		return same(value, condition->number);
	case TP_IS_NOT:
		return !same(value, condition->number);
	case TP_BELOW:
		return value < condition->number && !same(value, condition->number);
	case TP_AT_MOST:
		return value < condition->number || same(value, condition->number);
	case TP_ABOVE:
		return value > condition->number && !same(value, condition->number);
	case TP_AT_LEAST:
		return value > condition->number || same(value, condition->number);
	}
	return false;
}

static bool cell_fits(const struct cell *cell, const struct tp_condition *condition)
{
	struct tp_operand value;
	unsigned index;
	if (cell->column->type == TP_COLUMN_FLAGS) {
		uint32_t bits =
			*(const uint32_t *)((const char *)cell->record + cell->column->offset);
		return tp_word_find(cell->column->words, condition->word, &index) &&
		       !!(bits & 1u << index) == (condition->how == TP_IS);
	}
	if (!cell_value(cell, &value))
		return false;
	if (!condition->word)
		return !value.word && number_fits(value.number, condition);
	return value.word &&
	       (strcmp(value.word, condition->word) == 0) == (condition->how == TP_IS);
}

bool tp_lesson_point_fits(const struct tp_point *point, const struct tp_condition *where,
			  size_t n_where)
{
	struct cell cell;
	for (size_t i = 0; i < n_where; i++)
		if (!point_cell(point, where[i].column, &cell) || !cell_fits(&cell, &where[i]))
			return false;
	return point->state == TP_POINT_DONE;
}

bool tp_lesson_point_value(const struct tp_point *point, const char *column,
			   struct tp_operand *value)
{
	struct cell cell;
	return point_cell(point, column, &cell) && cell_value(&cell, value);
}

/* --- results --- */

/* The rows of a result's table; NULL part: points. */
struct source {
	const struct tp_run *run;
	const struct tp_part *part;
	const struct tp_rows *rows;
	size_t n;
};

static bool open_source(struct source *s, const struct tp_run *run, const struct tp_result *result)
{
	struct tp_lesson_table table;
	*s = (struct source){ .run = run, .n = run->n_points };
	if (!tp_lesson_table_find(NULL, result->table, &table))
		return false;
	s->part = table.part;
	if (s->part) {
		s->rows = tp_run_rows(run, s->part);
		s->n = s->rows->n;
	}
	return true;
}

static const void *row_at(const struct source *s, size_t i)
{
	return s->part ? TP_ROW_AT(s->rows, s->part->table, i) : &s->run->points[i];
}

static bool cell_at(const struct source *s, const void *row, const char *column, struct cell *cell)
{
	if (!s->part)
		return point_cell(row, column, cell);
	*cell = (struct cell){ tp_column_find(s->part->table, column), row };
	return cell->column != NULL;
}

static bool fits(const struct source *s, const void *row, const struct tp_result *result)
{
	struct cell cell;
	if (!s->part)
		return tp_lesson_point_fits(row, result->where, result->n_where);
	for (size_t i = 0; i < result->n_where; i++)
		if (!cell_at(s, row, result->where[i].column, &cell) ||
		    !cell_fits(&cell, &result->where[i]))
			return false;
	return true;
}

static bool is_extreme(const struct tp_result *result)
{
	return result->take == TP_TAKE_LARGEST || result->take == TP_TAKE_SMALLEST;
}

const void *tp_lesson_row(const struct tp_run *run, const struct tp_result *result)
{
	struct source s;
	struct cell cell;
	struct tp_operand value;
	const void *found = NULL;
	double best = 0;
	if (!open_source(&s, run, result))
		return NULL;
	for (size_t i = 0; i < s.n; i++) {
		const void *row = row_at(&s, i);
		if (!fits(&s, row, result))
			continue;
		if (result->take == TP_TAKE_FIRST)
			return row;
		if (is_extreme(result)) {
			if (!cell_at(&s, row, result->column, &cell) || !cell_value(&cell, &value))
				continue;
			double number =
				result->take == TP_TAKE_LARGEST ? value.number : -value.number;
			if (found && number <= best)
				continue;
			best = number;
		}
		found = row;
	}
	return found;
}

bool tp_lesson_row_value(const struct tp_run *run, const struct tp_result *result,
			 const char *column, struct tp_operand *value)
{
	const void *row = tp_lesson_row(run, result);
	struct source s;
	struct cell cell;
	return row && open_source(&s, run, result) && cell_at(&s, row, column, &cell) &&
	       cell_value(&cell, value);
}

/* --- facts --- */

/*
 * Of the widest vectors that the CPU of the run has; those of the kernels that ran where it does
 * not say, as a simulated machine.
 */
static unsigned vector_bytes(const struct tp_run *run)
{
	struct tp_cpu cpu = { 0 };
	unsigned widest = 0;
	tp_copy(cpu.arch, sizeof(cpu.arch), tp_fact_text(run, "machine.arch"));
	tp_copy(cpu.features, sizeof(cpu.features), tp_fact_text(run, "machine.features"));
	for (size_t i = 0; i < tp_isa_count && *cpu.features; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		if (!tp_isa_is_apart(isa) && strcmp(isa->arch, cpu.arch) == 0 &&
		    tp_isa_supported(isa, &cpu, NULL) == TP_OK && tp_isa_vector_bytes(isa) > widest)
			widest = tp_isa_vector_bytes(isa);
	}
	for (size_t i = 0; i < run->n_points && !*cpu.features; i++) {
		const struct tp_isa *isa = tp_isa_find(tp_point_word(&run->points[i], "isa"));
		if (isa && !tp_isa_is_apart(isa) && tp_isa_vector_bytes(isa) > widest)
			widest = tp_isa_vector_bytes(isa);
	}
	return widest;
}

bool tp_lesson_fact_value(const struct tp_run *run, const struct tp_lesson_fact *fact,
			  struct tp_operand *value)
{
	const struct tp_fact *there = fact->key ? tp_run_fact(run, fact->key) : NULL;
	*value = (struct tp_operand){ 0 };
	if (!fact->key && strcmp(fact->name, "virtual") == 0) {
		value->number = *tp_fact_text(run, "machine.hypervisor") != '\0';
		return run->n_facts > 0;
	}
	if (!fact->key) {
		value->number = vector_bytes(run);
		return value->number > 0;
	}
	if (!there || there->is_number == fact->word)
		return false;
	if (fact->word)
		*value = (struct tp_operand){ there->text, strlen(there->text), 0 };
	else
		value->number = there->number;
	return true;
}
