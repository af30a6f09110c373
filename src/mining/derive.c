/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions over the columns of a frame: rows that meet one, and columns computed by one. */
#include "mining/frame.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/process.h"

enum { LOOK_ROWS = 1 << 16 };

struct bound {
	struct tp_expression expression;
	const struct tp_frame_column *columns[TP_EXPRESSION_NAMES_MAX];
};

/* "cache lines" can be written cache_lines: names of expressions have no blanks. */
static bool is_name_of(const char *column, const char *name, size_t len, bool loose)
{
	size_t i = 0;
	for (; i < len && column[i]; i++)
		if (column[i] != name[i] &&
		    !(loose && name[i] == '_' && !isalnum((unsigned char)column[i])))
			return false;
	return i == len && !column[i];
}

static const struct tp_frame_column *column_of(const struct tp_frame *frame, const char *name,
					       size_t len)
{
	for (int loose = 0; loose < 2; loose++)
		for (size_t i = 0; i < frame->n_columns; i++)
			if (is_name_of(frame->columns[i].name, name, len, loose))
				return &frame->columns[i];
	return NULL;
}

static enum tp_status bind(struct bound *b, const struct tp_frame *frame, struct tp_diag *diag)
{
	for (unsigned i = 0; i < b->expression.n_names; i++) {
		char name[TP_FRAME_NAME_MAX_BYTES + 1] = "";
		const char *nearest;
		size_t len = b->expression.names[i].len;
		b->columns[i] = column_of(frame, b->expression.names[i].text, len);
		if (b->columns[i])
			continue;
		memcpy(name, b->expression.names[i].text,
		       len < sizeof(name) ? len : sizeof(name) - 1);
		tp_frame_find(frame, name, &nearest);
		return tp_expression_unknown(&b->expression, i, nearest, diag);
	}
	return TP_OK;
}

/* False if one of the values is missing. */
static bool values_of_row(const struct bound *b, size_t row, struct tp_operand *values)
{
	for (unsigned i = 0; i < b->expression.n_names; i++) {
		const struct tp_frame_column *column = b->columns[i];
		if (!column->is_words) {
			values[i] = (struct tp_operand){ .number = column->numbers[row] };
			if (isnan(values[i].number))
				return false;
			continue;
		}
		if (column->codes[row] == TP_FRAME_NO_WORD)
			return false;
		const char *word = column->words[column->codes[row]];
		values[i] = (struct tp_operand){ .word = word, .len = strlen(word) };
	}
	return true;
}

/* The result for each row; NaN where there is none. */
static enum tp_status compute(const struct bound *b, const struct tp_frame *frame, double *results,
			      struct tp_diag *diag)
{
	struct tp_operand values[TP_EXPRESSION_NAMES_MAX];
	for (size_t row = 0; row < frame->n_rows; row++) {
		results[row] = NAN;
		if (row % LOOK_ROWS == 0 && tp_stop_asked)
			return tp_fail(diag, TP_CANCELLED, frame->name, NULL, "cancelled");
		/* Words for each row would take far longer than the rows do. */
		if (values_of_row(b, row, values) &&
		    tp_expression_value(&b->expression, values, &results[row], NULL) == TP_USAGE)
			return tp_expression_value(&b->expression, values, &results[row], diag);
	}
	return TP_OK;
}

enum tp_status tp_frame_filter(struct tp_frame *frame, const char *expression, struct tp_diag *diag)
{
	struct bound b;
	double *results = NULL;
	bool *keep = NULL;
	enum tp_status status = tp_expression_read(&b.expression, expression, diag);
	if (status == TP_OK)
		status = bind(&b, frame, diag);
	if (status == TP_OK && (!(results = malloc((frame->n_rows + 1) * sizeof(*results))) ||
				!(keep = malloc((frame->n_rows + 1) * sizeof(*keep)))))
		status = tp_fail(diag, TP_NOMEM, frame->name, NULL, "out of memory");
	if (status == TP_OK)
		status = compute(&b, frame, results, diag);
	for (size_t row = 0; status == TP_OK && row < frame->n_rows; row++)
		keep[row] = !isnan(results[row]) && results[row] != 0;
	if (status == TP_OK)
		tp_frame_keep(frame, keep);
	free(results);
	free(keep);
	return status;
}

static enum tp_status add_column(struct tp_frame *frame, const char *name, size_t name_len,
				 double *numbers, struct tp_diag *diag)
{
	struct tp_frame_column *columns =
		tp_arena_alloc(&frame->arena, (frame->n_columns + 1) * sizeof(*columns));
	char *own = tp_arena_strndup(&frame->arena, name, name_len);
	if (!columns || !own)
		return tp_fail(diag, TP_NOMEM, frame->name, NULL, "out of memory");
	if (frame->n_columns)
		memcpy(columns, frame->columns, frame->n_columns * sizeof(*columns));
	struct tp_frame_column *column = &columns[frame->n_columns++];
	*column = (struct tp_frame_column){ .name = own, .role = TP_ROLE_NOTE, .numbers = numbers };
	for (size_t row = 0; row < frame->n_rows; row++)
		column->n_missing += isnan(numbers[row]) ? 1 : 0;
	frame->columns = columns;
	return TP_OK;
}

enum tp_status tp_frame_derive(struct tp_frame *frame, const char *definition, struct tp_diag *diag)
{
	struct bound b;
	size_t len;
	enum tp_status status = tp_definition_read(&b.expression, definition, &len, diag);
	const char *name = definition + strspn(definition, " ");
	if (status != TP_OK)
		return status;
	if (len > TP_FRAME_NAME_MAX_BYTES || frame->n_columns == TP_FRAME_COLUMNS_MAX)
		return tp_fail(diag, TP_USAGE, frame->name, NULL, "%s",
			       len > TP_FRAME_NAME_MAX_BYTES ? "the name of a column is too long"
							     : "there are too many columns");
	for (size_t i = 0; i < frame->n_columns; i++)
		if (is_name_of(frame->columns[i].name, name, len, false))
			return tp_fail(diag, TP_USAGE, frame->name, "give it another name",
				       "there is a column \"%.100s\" already",
				       frame->columns[i].name);
	status = bind(&b, frame, diag);
	double *numbers = NULL;
	if (status == TP_OK &&
	    !(numbers = tp_arena_alloc(&frame->arena, (frame->n_rows + 1) * sizeof(*numbers))))
		status = tp_fail(diag, TP_NOMEM, frame->name, NULL, "out of memory");
	if (status == TP_OK)
		status = compute(&b, frame, numbers, diag);
	return status == TP_OK ? add_column(frame, name, len, numbers, diag) : status;
}
