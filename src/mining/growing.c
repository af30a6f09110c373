/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns that grow cell by cell until they become those of a frame. */
#include "mining/frame_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"

enum { FIRST_ROWS = 1024 };
static const size_t most_bytes = (size_t)1 << 31;

enum tp_status tp_growing_begin(struct tp_growing *g, struct tp_frame *frame)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	g->frame = frame;
	g->n_columns = frame->n_columns;
	g->max_bytes = most_bytes;
	if (pages > 0 && page_bytes > 0)
		g->max_bytes = TP_MIN(most_bytes, (size_t)pages / 2 * (size_t)page_bytes);
	g->columns = calloc(TP_MAX(frame->n_columns, (size_t)1), sizeof(*g->columns));
	return g->columns ? TP_OK : TP_NOMEM;
}

static enum tp_status stretch(void **values, size_t rows, size_t size_bytes)
{
	void *moved = realloc(*values, rows * size_bytes);
	if (moved)
		*values = moved;
	return moved ? TP_OK : TP_NOMEM;
}

static enum tp_status add_room(struct tp_growing *g)
{
	size_t rows = g->cap_rows ? 2 * g->cap_rows : FIRST_ROWS;
	for (size_t c = 0; c < g->n_columns; c++) {
		struct tp_growing_column *column = &g->columns[c];
		enum tp_status status = TP_OK;
		if (column->numbers)
			status = stretch((void **)&column->numbers, rows, sizeof(double));
		if (status == TP_OK && column->codes)
			status = stretch((void **)&column->codes, rows, sizeof(uint32_t));
		if (status != TP_OK)
			return status;
		g->bytes += (rows - g->cap_rows) * (column->numbers ? sizeof(double)
						    : column->codes ? sizeof(uint32_t)
								    : 0);
	}
	g->cap_rows = rows;
	return TP_OK;
}

enum tp_status tp_growing_row(struct tp_growing *g, struct tp_diag *diag)
{
	char most[32];
	if (g->n_rows == TP_FRAME_ROWS_MAX)
		return tp_fail(diag, TP_RESOURCE, g->frame->name, "give fewer rows",
			       "more than %d rows", TP_FRAME_ROWS_MAX);
	if (g->n_rows == g->cap_rows && add_room(g))
		return tp_fail(diag, TP_NOMEM, g->frame->name, NULL, "out of memory");
	if (g->bytes > g->max_bytes)
		return tp_fail(diag, TP_RESOURCE, g->frame->name,
			       "give fewer rows, columns or different words",
			       "the table takes more than %s of memory",
			       tp_format_bytes(most, sizeof(most), g->max_bytes));
	g->n_rows++;
	return TP_OK;
}

/* The first value says what the column is; the rows before it have none. */
static enum tp_status settle_kind(struct tp_growing *g, struct tp_growing_column *column,
				  enum tp_growing_kind kind)
{
	bool numbers = kind == TP_GROWING_NUMBERS;
	size_t size_bytes = numbers ? sizeof(double) : sizeof(uint32_t);
	enum tp_status status =
		stretch(numbers ? (void **)&column->numbers : (void **)&column->codes, g->cap_rows,
			size_bytes);
	if (status != TP_OK)
		return status;
	column->kind = kind;
	g->bytes += g->cap_rows * size_bytes;
	for (size_t i = 0; i + 1 < g->n_rows; i++)
		if (numbers)
			column->numbers[i] = NAN;
		else
			column->codes[i] = TP_FRAME_NO_WORD;
	return TP_OK;
}

enum tp_status tp_growing_as_words(struct tp_growing *g, size_t column)
{
	if (!g->cap_rows && add_room(g))
		return TP_NOMEM;
	return settle_kind(g, &g->columns[column], TP_GROWING_WORDS);
}

static enum tp_status put_word(struct tp_growing *g, struct tp_growing_column *column,
			       const char *text, size_t len)
{
	size_t before = tp_dictionary_bytes(&column->words);
	uint32_t *code = &column->codes[g->n_rows - 1];
	enum tp_status status =
		tp_dictionary_code(&column->words, &g->frame->arena, text, len, code);
	g->bytes += tp_dictionary_bytes(&column->words) - before;
	return status;
}

/* A column of numbers that is none gives its memory back. */
static void flip(struct tp_growing *g, struct tp_growing_column *column)
{
	free(column->numbers);
	column->numbers = NULL;
	column->flipped = true;
	g->bytes -= g->cap_rows * sizeof(double);
}

enum tp_status tp_growing_put(struct tp_growing *g, size_t c, const char *text, size_t len,
			      bool *infinite)
{
	struct tp_growing_column *column = &g->columns[c];
	double value = NAN;
	enum tp_status status = TP_OK;
	if (column->flipped)
		return TP_OK;
	enum tp_cell_kind kind = tp_cell_read(text, len, &value);
	if (kind != TP_CELL_MISSING && column->kind == TP_GROWING_UNKNOWN)
		status = settle_kind(g, column,
				     kind == TP_CELL_WORD ? TP_GROWING_WORDS : TP_GROWING_NUMBERS);
	if (status != TP_OK)
		return status;
	if (column->kind == TP_GROWING_WORDS && kind != TP_CELL_MISSING)
		return put_word(g, column, text, len);
	if (kind == TP_CELL_WORD) {
		flip(g, column);
		return TP_OK;
	}
	if (infinite && kind == TP_CELL_INFINITE)
		*infinite = true;
	column->n_missing += kind != TP_CELL_NUMBER;
	if (column->kind == TP_GROWING_WORDS)
		column->codes[g->n_rows - 1] = TP_FRAME_NO_WORD;
	else if (column->kind == TP_GROWING_NUMBERS)
		column->numbers[g->n_rows - 1] = kind == TP_CELL_NUMBER ? value : NAN;
	return TP_OK;
}

static enum tp_status end_column(struct tp_growing *g, struct tp_growing_column *from,
				 struct tp_frame_column *to)
{
	struct tp_arena *arena = &g->frame->arena;
	size_t n = TP_MAX(g->n_rows, (size_t)1);
	to->is_words = from->kind == TP_GROWING_WORDS;
	to->n_missing = from->n_missing;
	if (to->is_words) {
		to->codes = tp_arena_alloc(arena, n * sizeof(*to->codes));
		to->words = tp_arena_alloc(arena, from->words.n * sizeof(*to->words));
		if (!to->codes || !to->words)
			return TP_NOMEM;
		memcpy(to->codes, from->codes, g->n_rows * sizeof(*to->codes));
		memcpy(to->words, from->words.words, from->words.n * sizeof(*to->words));
		to->n_words = from->words.n;
	} else {
		to->numbers = tp_arena_alloc(arena, n * sizeof(*to->numbers));
		if (!to->numbers)
			return TP_NOMEM;
		for (size_t i = 0; i < g->n_rows; i++)
			to->numbers[i] = from->numbers ? from->numbers[i] : NAN;
	}
	free(from->numbers);
	free(from->codes);
	from->numbers = NULL;
	from->codes = NULL;
	tp_dictionary_release(&from->words);
	return TP_OK;
}

enum tp_status tp_growing_end(struct tp_growing *g)
{
	enum tp_status status = TP_OK;
	for (size_t c = 0; c < g->n_columns && status == TP_OK; c++)
		status = end_column(g, &g->columns[c], &g->frame->columns[c]);
	g->frame->n_rows = g->n_rows;
	return status;
}

void tp_growing_release(struct tp_growing *g)
{
	for (size_t c = 0; g->columns && c < g->n_columns; c++) {
		free(g->columns[c].numbers);
		free(g->columns[c].codes);
		tp_dictionary_release(&g->columns[c].words);
	}
	free(g->columns);
	*g = (struct tp_growing){ 0 };
}
