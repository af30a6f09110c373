/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The space of a search as a grid over two of its dimensions. */
#include "experiments/autotune/report.h"
#include "base/memory.h"
#include "experiments/autotune/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The values of a dimension, each once, rising; NULL when out of memory. */
static uint64_t *values_of(const struct tp_searched *search, int dimension, size_t *n)
{
	uint64_t *values = malloc((search->n + 1) * sizeof(*values));
	*n = 0;
	if (!values)
		return NULL;
	for (size_t i = 0; i < search->n; i++)
		values[i] = search->trials[i].size[dimension];
	qsort(values, search->n, sizeof(*values), rising);
	for (size_t i = 0; i < search->n; i++)
		if (!*n || values[*n - 1] != values[i])
			values[(*n)++] = values[i];
	*n = TP_MIN(*n, (size_t)TP_HEAT_AXIS_MAX);
	return values;
}

static bool varies(const struct tp_searched *search, int dimension)
{
	for (size_t i = 1; i < search->n; i++)
		if (search->trials[i].size[dimension] != search->trials[0].size[dimension])
			return true;
	return false;
}

/* Where a dimension only follows another one (m = n) it is no dimension of its own. */
static bool follows(const struct tp_searched *search, int dimension, int other)
{
	for (size_t i = 0; i < search->n; i++)
		if (search->trials[i].size[dimension] != search->trials[i].size[other])
			return false;
	return true;
}

static int find_dimensions(const struct tp_searched *search, int found[TP_TRIAL_DIMENSIONS])
{
	int n = 0;
	for (int d = 0; d < TP_TRIAL_DIMENSIONS; d++) {
		bool own = varies(search, d);
		for (int i = 0; i < n && own; i++)
			own = !follows(search, d, found[i]);
		if (own)
			found[n++] = d;
	}
	return n;
}

bool tp_searched_is_map(const struct tp_searched *search)
{
	int found[TP_TRIAL_DIMENSIONS];
	return find_dimensions(search, found) > 1;
}

/* Sets the axes for the pair that is wanted. */
static void choose_axes(struct tp_heat *heat, const struct tp_searched *search, unsigned pair)
{
	static const int pairs[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 },
					{ 1, 0, 2 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const int ends[][2] = { { 0, 1 }, { 1, 0 } };
	int found[TP_TRIAL_DIMENSIONS], n = find_dimensions(search, found);
	heat->x = heat->y = heat->z = -1;
	heat->pairs = 1;
	if (n == 0 && search->n)
		heat->y = 0;
	if (n == 1)
		heat->y = found[0];
	if (n == 2) {
		heat->pairs = TP_COUNT_OF(ends);
		heat->x = found[ends[pair % heat->pairs][0]];
		heat->y = found[ends[pair % heat->pairs][1]];
	}
	if (n == 3) {
		heat->pairs = TP_COUNT_OF(pairs);
		heat->x = pairs[pair % heat->pairs][0];
		heat->y = pairs[pair % heat->pairs][1];
		heat->z = pairs[pair % heat->pairs][2];
	}
}

static size_t place_of(const uint64_t *values, size_t n, uint64_t value)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (values[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && values[low] == value ? low : n;
}

/* Of two configurations of one cell: what has a value before what has none, then the faster one. */
static bool is_better(const struct tp_trial *a, const struct tp_trial *b)
{
	bool a_failed = tp_stop_word_of(a) == TP_STOP_WORD_FAILED;
	bool b_failed = tp_stop_word_of(b) == TP_STOP_WORD_FAILED;
	if (a_failed != b_failed)
		return b_failed;
	return a->value > b->value;
}

static void fill(struct tp_heat *heat, const struct tp_searched *search)
{
	for (size_t i = 0; i < search->n; i++) {
		const struct tp_trial *t = &search->trials[i];
		size_t column = 0, row = 0;
		if (heat->z >= 0 && heat->slice &&
		    t->size[heat->z] != heat->slices[heat->slice - 1])
			continue;
		if (heat->x >= 0)
			column = place_of(heat->columns, heat->n_columns, t->size[heat->x]);
		if (heat->y >= 0)
			row = place_of(heat->rows, heat->n_rows, t->size[heat->y]);
		if (column == heat->n_columns || row == heat->n_rows)
			continue;
		long *cell = &heat->cells[(heat->n_rows - 1 - row) * heat->n_columns + column];
		if (*cell < 0 || is_better(t, &search->trials[*cell]))
			*cell = (long)i;
	}
}

enum tp_status tp_heat_make(struct tp_heat *heat, const struct tp_searched *search,
			    const struct tp_heat_view *view)
{
	*heat = (struct tp_heat){ .best = search->best ? search->best->value : 0 };
	choose_axes(heat, search, view->pair);
	if (!search->n)
		return TP_OK;
	heat->n_columns = 1;
	if (heat->x >= 0 && !(heat->columns = values_of(search, heat->x, &heat->n_columns)))
		goto out;
	if (!(heat->rows = values_of(search, TP_MAX(heat->y, 0), &heat->n_rows)))
		goto out;
	if (heat->z >= 0 && !(heat->slices = values_of(search, heat->z, &heat->n_slices)))
		goto out;
	heat->slice = view->slice % (unsigned)(heat->n_slices + 1);
	heat->cells = malloc(heat->n_rows * heat->n_columns * sizeof(*heat->cells));
	if (!heat->cells)
		goto out;
	for (size_t i = 0; i < heat->n_rows * heat->n_columns; i++)
		heat->cells[i] = -1;
	fill(heat, search);
	for (size_t i = 0; i < heat->n_rows / 2; i++) {
		uint64_t swap = heat->rows[i];
		heat->rows[i] = heat->rows[heat->n_rows - 1 - i];
		heat->rows[heat->n_rows - 1 - i] = swap;
	}
	return TP_OK;
out:
	tp_heat_release(heat);
	return TP_NOMEM;
}

void tp_heat_release(struct tp_heat *heat)
{
	free(heat->columns);
	free(heat->rows);
	free(heat->slices);
	free(heat->cells);
	*heat = (struct tp_heat){ .x = -1, .y = -1, .z = -1, .pairs = 1 };
}

char tp_heat_letter(int dimension)
{
	return dimension < 0 || dimension >= TP_TRIAL_DIMENSIONS ? ' ' : "nmk"[dimension];
}

/* --- cells --- */

static const struct tp_trial *trial_at(const struct tp_searched *search, const struct tp_heat *heat,
				       size_t row, size_t column)
{
	long i = heat->cells ? heat->cells[row * heat->n_columns + column] : -1;
	return i >= 0 && (size_t)i < search->n ? &search->trials[i] : NULL;
}

enum tp_heat_state tp_heat_state_of(const struct tp_searched *search, const struct tp_heat *heat,
				    size_t row, size_t column)
{
	const struct tp_trial *t = trial_at(search, heat, row, column);
	if (!t)
		return TP_HEAT_NONE;
	if (t == search->best)
		return TP_HEAT_BEST;
	enum tp_stop_word word = tp_stop_word_of(t);
	if (word == TP_STOP_WORD_FAILED)
		return TP_HEAT_FAILED;
	if (!t->finished)
		return TP_HEAT_UNDER_WAY;
	return tp_stop_word_is_cut(word) ? TP_HEAT_CUT : TP_HEAT_WHOLE;
}

double tp_heat_share(const struct tp_searched *search, const struct tp_heat *heat, size_t row,
		     size_t column)
{
	const struct tp_trial *t = trial_at(search, heat, row, column);
	if (!t || !(t->value > 0) || !(heat->best > 0) || tp_stop_word_of(t) == TP_STOP_WORD_FAILED)
		return NAN;
	return fmin(t->value / heat->best, 1);
}

struct tp_tile tp_heat_tile(const struct tp_searched *search, const struct tp_heat *heat,
			    size_t row, size_t column)
{
	static const char marks[] = {
		[TP_HEAT_NONE] = '.', [TP_HEAT_FAILED] = 'x', [TP_HEAT_UNDER_WAY] = '~',
		[TP_HEAT_CUT] = '-',  [TP_HEAT_WHOLE] = ' ',  [TP_HEAT_BEST] = '*'
	};
	return (struct tp_tile){ .share = tp_heat_share(search, heat, row, column),
				 .mark = marks[tp_heat_state_of(search, heat, row, column)] };
}

const char *tp_heat_cell(const struct tp_searched *search, const struct tp_heat *heat, size_t row,
			 size_t column, int columns, char out[TP_TILE_BYTES])
{
	const struct tp_tile tile = tp_heat_tile(search, heat, row, column);
	return tp_tile_words(&tile, columns, out);
}

int tp_heat_cell_columns(const struct tp_heat *heat, int room)
{
	static const int widths[] = { 5, 3, 2 };
	for (size_t i = 0; i < TP_COUNT_OF(widths); i++)
		if ((int)heat->n_columns * widths[i] <= room)
			return widths[i];
	return 1;
}

const char *tp_heat_size(uint64_t size, char *out, size_t room)
{
	static const char letters[] = "KMGT";
	uint64_t unit = 1;
	int steps = 0;
	if (size < 10000) {
		snprintf(out, room, "%" PRIu64, size);
		return out;
	}
	while (steps < 4 && size >= unit * 1024) {
		unit *= 1024;
		steps++;
	}
	double v = (double)size / (double)unit;
	snprintf(out, room, v < 10 && v != floor(v) ? "%.1f%c" : "%.0f%c", v, letters[steps - 1]);
	return out;
}
