/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/table.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool tp_table_is(const struct tp_table *table, const struct tp_table *base)
{
	while (table && table != base)
		table = table->base;
	return table != NULL;
}

const struct tp_column *tp_column_find(const struct tp_table *table, const char *name)
{
	for (; table; table = table->base)
		for (size_t i = 0; i < table->n; i++)
			if (strcmp(table->columns[i].name, name) == 0)
				return &table->columns[i];
	return NULL;
}

bool tp_column_is_number(const struct tp_column *column)
{
	return column->type == TP_COLUMN_UNSIGNED || column->type == TP_COLUMN_U64 ||
	       column->type == TP_COLUMN_REAL || column->type == TP_COLUMN_DERIVED;
}

double tp_column_number(const struct tp_column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;

	switch (column->type) {
	case TP_COLUMN_UNSIGNED:
		return *(const unsigned *)at;
	case TP_COLUMN_U64:
		return (double)*(const uint64_t *)at;
	case TP_COLUMN_REAL:
		return *(const double *)at;
	case TP_COLUMN_DERIVED:
		return column->derive(row);
	default:
		return 1;
	}
}

bool tp_column_applies(const struct tp_column *column, const void *row)
{
	if (column->applies && !column->applies(row))
		return false;
	double value = tp_column_number(column, row);
	return isfinite(value) && (column->rule != TP_COLUMN_NONZERO || value != 0);
}

static uint64_t column_most(const struct tp_column *column)
{
	return column->most			    ? column->most
	       : column->type == TP_COLUMN_UNSIGNED ? INT_MAX
						    : INT64_MAX;
}

bool tp_column_set_whole(const struct tp_column *column, void *at, uint64_t whole)
{
	if (whole > column_most(column))
		return false;
	if (column->type == TP_COLUMN_UNSIGNED)
		*(unsigned *)at = (unsigned)whole;
	else
		*(uint64_t *)at = whole;
	return true;
}

const char *tp_column_wanted(const struct tp_column *column, char out[TP_WANTED_BYTES])
{
	static const char *const wanted[] = {
		[TP_COLUMN_UNSIGNED] = NULL,
		[TP_COLUMN_U64] = NULL,
		[TP_COLUMN_REAL] = "a number or nothing (null in JSON)",
		[TP_COLUMN_BOOL] = "true or false",
		[TP_COLUMN_TEXT] = "a shorter text",
		[TP_COLUMN_WORD] = "one of the words of tprof-results(5)",
		[TP_COLUMN_FLAGS] = "flag names joined by |",
		[TP_COLUMN_DERIVED] = "",
		[TP_COLUMN_PHRASE] = "",
	};

	if (wanted[column->type])
		return wanted[column->type];
	snprintf(out, TP_WANTED_BYTES, "a whole number from 0 to %" PRIu64, column_most(column));
	return out;
}

bool tp_word_find(const struct tp_word_set *words, const char *text, unsigned *index)
{
	for (unsigned i = 0; i < words->n; i++)
		if (strcmp(text, words->names[i]) == 0) {
			*index = i;
			return true;
		}
	return false;
}

void *tp_rows_add(struct tp_rows *rows, const struct tp_table *table)
{
	rows->rows = tp_vec_grow(rows->rows, &rows->cap, rows->n + 1, table->row_bytes);
	return memset(TP_ROW_AT(rows, table, rows->n++), 0, table->row_bytes);
}

const char *tp_words_join(const struct tp_word_set *words, uint32_t bits, char *out, size_t size)
{
	size_t length = 0;

	if (size == 0)
		return "";
	out[0] = '\0';
	for (size_t i = 0; i < words->n; i++) {
		size_t need = strlen(words->names[i]) + (length > 0);

		if (!(bits & (1u << i)) || length + need >= size)
			continue;
		if (length > 0)
			out[length++] = '|';
		length += (size_t)(stpcpy(&out[length], words->names[i]) - &out[length]);
	}
	return out;
}

static bool bit_of(const struct tp_word_set *words, const char *word, size_t n, uint32_t *bits)
{
	for (size_t i = 0; i < words->n; i++)
		if (strlen(words->names[i]) == n && memcmp(words->names[i], word, n) == 0) {
			*bits |= 1u << i;
			return true;
		}
	return false;
}

bool tp_words_split(const struct tp_word_set *words, const char *text, uint32_t *bits)
{
	bool all_known = true;

	*bits = 0;
	while (*text) {
		size_t n = strcspn(text, "|");

		all_known = bit_of(words, text, n, bits) && all_known;
		text += n;
		if (*text == '|' && *++text == '\0')
			all_known = false; /* nothing after the last joint */
	}
	return all_known;
}
