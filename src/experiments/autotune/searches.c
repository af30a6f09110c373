/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search for the fastest configuration came to. */
#include "experiments/autotune/searches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/point.h"
#include "report/page.h"

static const struct {
	const char *word, *help;
	bool cut;
} stop_words[TP_STOP_WORD_COUNT + 1] = {
#define STOP_ROW(id, word, words, cut) [TP_STOP_WORD_##id] = { word, words, cut },
	TP_STOP_WORD_LIST(STOP_ROW)
#undef STOP_ROW
		[TP_STOP_WORD_COUNT] = { "", "under way", false },
};

enum tp_stop_word tp_stop_word_of(const struct tp_trial *trial)
{
	for (int i = 0; i < TP_STOP_WORD_COUNT; i++)
		if (strcmp(trial->stopped, stop_words[i].word) == 0)
			return (enum tp_stop_word)i;
	return TP_STOP_WORD_COUNT;
}

const char *tp_stop_word_help(enum tp_stop_word word)
{
	return stop_words[word].help;
}

bool tp_stop_word_is_cut(enum tp_stop_word word)
{
	return stop_words[word].cut;
}

double tp_classic_value(const struct tp_point *point)
{
	if (!point)
		return 0;
	bool triad = strncmp(point->kernel, "triad", 5) == 0;
	double v = triad ? tp_kernel_row(point)->median_gbps : tp_kernel_row(point)->median_gflops;
	return v > 0 && isfinite(v) ? v : 0;
}

bool tp_point_is_search(const struct tp_point *point)
{
	return strcmp(point->experiment, "autotune") == 0;
}

/*
 * "dgemm" and "openblas" of "dgemm/openblas"; the title of the library is better, if there is one.
 */
static void name_routine(struct tp_searched *search)
{
	const struct tp_point *p = search->point;
	size_t n = strcspn(p->kernel, "/");
	snprintf(search->routine, sizeof(search->routine), "%.*s", (int)n, p->kernel);
	tp_copy(search->library, sizeof(search->library),
		*tp_search_row(p)->library ? tp_search_row(p)->library
		: p->kernel[n]		   ? p->kernel + n + 1
					   : "");
	bool level = *tp_kernel_row(p)->level && !tp_level_is_fp(tp_kernel_row(p)->level);
	snprintf(search->where, sizeof(search->where), "%s%s%s",
		 level ? tp_kernel_row(p)->level : "", *tp_search_row(p)->scope && level ? " " : "",
		 tp_search_row(p)->scope);
}

/* The winner; as long as nothing was finished, the largest of what is known. */
static const struct tp_trial *best_of(const struct tp_run *run, const struct tp_searched *search)
{
	const struct tp_trial *best = tp_trials_best(run, search->point->point);
	if (best)
		return best;
	for (size_t i = 0; i < search->n; i++) {
		const struct tp_trial *t = &search->trials[i];
		if (t->value > 0 && tp_stop_word_of(t) != TP_STOP_WORD_FAILED &&
		    (!best || t->value > best->value))
			best = t;
	}
	return best;
}

/* Others advance all configurations together: the time before the best is meaningless. */
static bool goes_in_turn(const char *technique)
{
	static const char *const together[] = { "default", "hand-accuracy", "racing" };
	size_t n = strcspn(technique, "/");
	for (size_t i = 0; i < TP_COUNT_OF(together); i++)
		if (strlen(together[i]) == n && memcmp(together[i], technique, n) == 0)
			return false;
	return true;
}

bool tp_searched_of(const struct tp_run *run, unsigned point, struct tp_searched *search)
{
	*search = (struct tp_searched){ .found_seconds = NAN };
	if (point >= run->n_points || !tp_point_is_search(&run->points[point]))
		return false;
	const struct tp_point *p = search->point = &run->points[point];
	search->trials = tp_trials_of(run, p->point, &search->n);
	search->n_all = TP_MAX(search->n, (size_t)tp_search_row(p)->configurations);
	name_routine(search);
	search->unit = strcmp(search->routine, "triad") == 0 ? "GB/s" : "GFLOP/s";
	search->best = best_of(run, search);
	search->theory = p->bound > 0 && isfinite(p->bound) ? p->bound : 0;
	if (search->best) {
		search->value = search->best->value;
		search->ci_low = search->best->ci_low;
		search->ci_high = search->best->ci_high;
	}
	/* The point's own figures are final: they may come from a longer look at the winner. */
	double own = tp_classic_value(p);
	if (p->state == TP_POINT_DONE && own > 0) {
		search->value = own;
		search->ci_low = p->ci_low;
		search->ci_high = p->ci_high;
	}
	double until = 0;
	for (size_t i = 0; i < search->n; i++) {
		const struct tp_trial *t = &search->trials[i];
		search->seconds += t->seconds;
		search->n_finished += t->finished;
		search->stopped[t->finished ? tp_stop_word_of(t) : TP_STOP_WORD_COUNT]++;
		if (search->best && t->position <= search->best->position)
			until += t->seconds;
	}
	if (search->best && goes_in_turn(tp_search_row(p)->technique))
		search->found_seconds = until;
	if (p->state == TP_POINT_DONE && p->seconds > search->seconds)
		search->seconds = p->seconds;
	return true;
}

void tp_searched_stops(const struct tp_searched *search, struct tp_str *out)
{
	bool told[TP_STOP_WORD_COUNT] = { false };
	for (;;) {
		int most = -1;
		for (int i = 0; i < TP_STOP_WORD_COUNT; i++)
			if (!told[i] && search->stopped[i] &&
			    (most < 0 || search->stopped[i] > search->stopped[most]))
				most = i;
		if (most < 0)
			return;
		tp_str_printf(out, "%s%zu %s", out->len ? ", " : "", search->stopped[most],
			      stop_words[most].word);
		told[most] = true;
	}
}

/* A search learns its library only when it is over. */
bool tp_searched_is_alike(const struct tp_searched *a, const struct tp_searched *b)
{
	return a->point->run == b->point->run && a->point->threads == b->point->threads &&
	       strcmp(a->routine, b->routine) == 0 && strcmp(a->where, b->where) == 0 &&
	       (!*a->library || !*b->library || strcmp(a->library, b->library) == 0);
}

bool tp_searched_is_shown(const struct tp_run *run, size_t point)
{
	struct tp_searched own, other;
	if (!tp_searched_of(run, (unsigned)point, &own) || own.n < 2)
		return false;
	for (size_t i = 0; i < run->n_points; i++) {
		if (i == point || !tp_searched_of(run, (unsigned)i, &other) ||
		    !tp_searched_is_alike(&own, &other))
			continue;
		size_t whole = own.n - own.stopped[TP_STOP_WORD_BEATEN] -
			       own.stopped[TP_STOP_WORD_DROPPED];
		size_t other_whole = other.n - other.stopped[TP_STOP_WORD_BEATEN] -
				     other.stopped[TP_STOP_WORD_DROPPED];
		if (other_whole > whole || (other_whole == whole && i < point))
			return false;
	}
	return true;
}

bool tp_library_is_netlib(const char *title)
{
	return strncmp(title, "netlib ", 7) == 0 || strncmp(title, "BLAS blas/", 10) == 0;
}

/* --- the space as a grid over two of its dimensions --- */

static int rising(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The values of a dimension, each once, rising. */
static uint64_t *values_of(const struct tp_searched *search, int dimension, size_t *n)
{
	uint64_t *values = tp_alloc(search->n + 1, sizeof(*values));
	*n = 0;
	for (size_t i = 0; i < search->n; i++)
		values[i] = search->trials[i].size[dimension];
	qsort(values, search->n, sizeof(*values), rising);
	for (size_t i = 0; i < search->n; i++)
		if (!*n || values[*n - 1] != values[i])
			values[(*n)++] = values[i];
	*n = TP_MIN(*n, (size_t)TP_HEAT_AXIS_MAX);
	return values;
}

static bool does_vary(const struct tp_searched *search, int dimension)
{
	for (size_t i = 1; i < search->n; i++)
		if (search->trials[i].size[dimension] != search->trials[0].size[dimension])
			return true;
	return false;
}

/* A dimension that only follows another one (m = n) does not count. */
static bool does_follow(const struct tp_searched *search, int dimension, int other)
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
		bool own = does_vary(search, d);
		for (int i = 0; i < n && own; i++)
			own = !does_follow(search, d, found[i]);
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

/* Sets the axes for the requested pair. */
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

void tp_heat_make(struct tp_heat *heat, const struct tp_searched *search,
		  const struct tp_heat_view *view)
{
	*heat = (struct tp_heat){ .best = search->best ? search->best->value : 0 };
	choose_axes(heat, search, view->pair);
	if (!search->n)
		return;
	heat->n_columns = 1;
	if (heat->x >= 0)
		heat->columns = values_of(search, heat->x, &heat->n_columns);
	heat->rows = values_of(search, TP_MAX(heat->y, 0), &heat->n_rows);
	if (heat->z >= 0)
		heat->slices = values_of(search, heat->z, &heat->n_slices);
	heat->slice = view->slice % (unsigned)(heat->n_slices + 1);
	heat->cells = tp_alloc(heat->n_rows * heat->n_columns, sizeof(*heat->cells));
	for (size_t i = 0; i < heat->n_rows * heat->n_columns; i++)
		heat->cells[i] = -1;
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
	for (size_t i = 0; i < heat->n_rows / 2; i++) {
		uint64_t swap = heat->rows[i];
		heat->rows[i] = heat->rows[heat->n_rows - 1 - i];
		heat->rows[heat->n_rows - 1 - i] = swap;
	}
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
