/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * EVENT.data.reads and EVENT.data.writes: pointer chases through buffers of growing size, sections
 * by stride and block. The rows are the folder's own: each gets the expectation of the cache that
 * its buffer fits into.
 */
#include "experiments/counters/cat_file.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024, RANDOM_PATTERN = 3, POINTS_MAX = 16384 };

static const char *const families[] = { "dcache-read", "dcache-write" };

struct point {
	struct tp_cat_row row;
	unsigned line;
	double first, median; /* of thread 0; of all */
	bool usable;
};

struct data_state {
	double cache_bytes[TP_CAT_LEVELS];
	unsigned levels;
	struct tp_cat_row section; /* stride, block */
	bool titled; /* a section has begun, */
	bool known, random; /* which can be used; it is of the random pattern */
	unsigned threads;
	struct point *points;
	size_t n, cap;
	bool others; /* a thread but the first counted anything */
};

/* "# L1:32768 L2:1048576": what one thread has. */
static void parse_caches(struct tp_cat_file *file, struct data_state *state)
{
	const char *p = file->text + 1;

	state->levels = 0;
	for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
		unsigned level;
		double bytes;
		int used = 0;

		if (sscanf(p, "L%u:%lf%n", &level, &bytes, &used) != 2 ||
		    level != state->levels + 1 || level > TP_CAT_LEVELS || !(bytes > 0) ||
		    !isfinite(bytes)) {
			tp_cat_note(file, file->line, NULL,
				    "\"%.40s\" is no size of the next cache", p);
			return;
		}
		state->cache_bytes[state->levels++] = bytes;
		p += used;
	}
}

/* "# PTRN=3, STRIDE=64, PPB=512.000000, ThreadCount=2" */
static bool parse_section(struct tp_cat_file *file, struct data_state *state)
{
	unsigned pattern, stride, threads;
	double block;

	if (sscanf(file->text, "# PTRN=%u, STRIDE=%u, PPB=%lf, ThreadCount=%u", &pattern, &stride,
		   &block, &threads) != 4 ||
	    stride == 0 || !(block > 0 && block <= 1e9) || threads == 0 || threads > THREADS_MAX) {
		tp_cat_note(file, file->line, "what follows it is left out",
			    "no stride, block and threads in \"%.60s\"", file->text);
		return false;
	}
	state->section =
		(struct tp_cat_row){ .stride_bytes = stride, .pages_per_block = (unsigned)block };
	state->threads = threads;
	state->random = pattern == RANDOM_PATTERN;
	if (!state->random)
		tp_cat_note_once(
			file, TP_CAT_TOLD_SEQUENTIAL, NULL,
			"sections of the sequential pattern are left out: prefetching makes "
			"their misses unpredictable, no basis describes them");
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static unsigned level_of(const struct data_state *state, double bytes)
{
	for (unsigned i = 0; i < state->levels; i++)
		if (bytes <= state->cache_bytes[i])
			return i + 1;
	return state->levels ? state->levels + 1 : 0;
}

/* "bytes count count ...", a count for each thread. */
static enum tp_status parse_point(struct tp_cat_file *file, struct data_state *state)
{
	double numbers[THREADS_MAX + 1];
	size_t n = tp_cat_numbers(file, numbers, TP_COUNT_OF(numbers));
	struct point *p;

	if (n == SIZE_MAX)
		return TP_OK;
	if (n != state->threads + 1 || !(numbers[0] >= 1 && numbers[0] <= 1e18)) {
		tp_cat_note(file, file->line, "was the file cut off?",
			    "a size and %u counts belong here", state->threads);
		return TP_OK;
	}
	if (state->n >= POINTS_MAX) {
		tp_cat_note(file, file->line, NULL, "more than %d rows in a file", POINTS_MAX);
		return TP_OK;
	}
	if (tp_vec_reserve((void **)&state->points, &state->cap, state->n + 1, sizeof(*p)))
		return TP_NOMEM;
	p = &state->points[state->n++];
	*p = (struct point){ .row = state->section, .line = file->line, .first = numbers[1] };
	p->row.bytes = numbers[0];
	p->row.level = level_of(state, numbers[0]);
	p->row.memory = state->levels && p->row.level > state->levels;
	p->usable = true;
	for (size_t i = 1; i < n && p->usable; i++) {
		p->usable = tp_cat_count(file, numbers[i]);
		state->others |= i > 1 && numbers[i] != 0;
	}
	if (p->usable) {
		qsort(&numbers[1], n - 1, sizeof(*numbers), by_value);
		p->median = n % 2 ? (numbers[n / 2] + numbers[n / 2 + 1]) / 2 : numbers[n / 2];
	}
	return TP_OK;
}

static enum tp_status row_of(struct tp_cat_rows *rows, const struct tp_cat_row *row, size_t guess,
			     size_t *index)
{
	for (size_t i = 0; i < rows->n; i++) {
		/* Files of a folder have the same rows in the same order. */
		size_t at = (guess + i) % rows->n;
		const struct tp_cat_row *r = &rows->items[at];

		if (r->stride_bytes == row->stride_bytes &&
		    r->pages_per_block == row->pages_per_block && r->bytes == row->bytes) {
			*index = at;
			return TP_OK;
		}
	}
	if (tp_vec_reserve((void **)&rows->items, &rows->cap, rows->n + 1, sizeof(*row)))
		return TP_NOMEM;
	*index = rows->n;
	rows->items[rows->n++] = *row;
	return TP_OK;
}

static enum tp_status add_points(struct tp_cat_file *file, const struct data_state *state,
				 bool writes, struct tp_diag *diag)
{
	/*
	 * What counts for the whole package is read by the first thread alone, and divided by the
	 * accesses of all; the others then stand at 0, and a median over them would be 0, too.
	 */
	struct tp_cat_rows *rows = &file->cat->rows[writes];
	enum tp_status status = TP_OK;
	size_t known = rows->n;

	for (size_t i = 0; i < state->n && status == TP_OK; i++) {
		const struct point *p = &state->points[i];
		size_t index;

		status = row_of(rows, &p->row, i, &index);
		if (status == TP_OK && p->usable)
			status = tp_cat_add(file, families[writes], index,
					    state->others ? p->median : p->first, 1, diag);
		else if (status)
			tp_fail(diag, status, file->name, NULL, "out of memory");
	}
	if (status == TP_OK && known && rows->n > known)
		tp_cat_note(file, 0, "events of other buffer sizes cannot be analysed together",
			    "%zu rows that earlier files of the folder do not have",
			    rows->n - known);
	return status;
}

enum tp_status tp_cat_data(struct tp_cat_file *file, bool writes, struct tp_diag *diag)
{
	struct data_state state = { .levels = 0 };
	enum tp_status status = TP_OK;
	bool stray = false;

	while (status == TP_OK && tp_cat_next(file)) {
		const char *text = file->text;

		if (text[0] == '#' && strstr(text, "PTRN")) {
			state.titled = true;
			state.known = parse_section(file, &state);
		} else if (text[0] == '#' &&
			   strncmp(text + 1 + strspn(text + 1, " "), "L1:", 3) == 0)
			parse_caches(file, &state);
		else if (text[0] == '#')
			continue; /* the cores of the threads */
		else if (state.known && state.random)
			status = parse_point(file, &state);
		else if (!state.titled && !stray) {
			tp_cat_note(file, file->line,
				    "files of PAPI before 7.0 do not tell stride and block",
				    "rows before the first \"# PTRN=\" are left out");
			stray = true;
		}
	}
	if (status)
		tp_fail(diag, status, file->name, NULL, "%s", tp_status_name(status));
	else
		status = add_points(file, &state, writes, diag);
	free(state.points);
	return status;
}

/* --- rows of the basis --- */

static int region_of(const struct tp_basis *basis, const struct tp_cat_row *row)
{
	char name[16];

	/* Memory is what lies behind the last cache, whatever the basis calls it. */
	if (row->memory)
		return (int)basis->n_regions - 1;
	snprintf(name, sizeof(name), "L%u", row->level);
	for (size_t i = 0; i < basis->n_regions; i++)
		if (strcmp(basis->regions[i].name, name) == 0)
			return (int)i;
	return -1;
}

static enum tp_status check_rows(const struct tp_cat_rows *rows, const struct tp_basis *basis,
				 struct tp_diag *diag)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].level == 0)
			return tp_fail(diag, TP_USAGE, basis->name,
				       "add \"# L1:BYTES L2:BYTES L3:BYTES\", what one thread has "
				       "of each, as the first line of the files",
				       "files of PAPI before 7.1 do not tell the cache sizes: "
				       "which cache a buffer fits into is not known");
	if (!basis->n_regions)
		return tp_fail(diag, TP_USAGE, basis->name, "give another with --basis",
			       "the basis has no regions");
	return TP_OK;
}

enum tp_status tp_cat_basis(const struct tp_cat *cat, struct tp_basis *basis, struct tp_diag *diag)
{
	const struct tp_cat_rows *rows = NULL;
	struct tp_basis_row *made;
	struct tp_arena names = { 0 };
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < TP_COUNT_OF(families); i++)
		if (strcmp(families[i], basis->name) == 0)
			rows = &cat->rows[i];
	if (!rows || !rows->n)
		return TP_OK;
	status = check_rows(rows, basis, diag);
	if (status)
		return status;
	made = tp_arena_alloc(&names, rows->n * sizeof(*made));
	if (!made)
		status = tp_fail(diag, TP_NOMEM, basis->name, NULL, "out of memory");
	for (size_t i = 0; i < rows->n && status == TP_OK; i++) {
		const struct tp_cat_row *r = &rows->items[i];
		char text[96], group[48];

		snprintf(group, sizeof(group), "stride %u, %u pages", r->stride_bytes,
			 r->pages_per_block);
		snprintf(text, sizeof(text), "%s, %.0f bytes", group, r->bytes);
		made[i] = (struct tp_basis_row){ tp_arena_strdup(&names, text),
						 tp_arena_strdup(&names, group), r->bytes,
						 region_of(basis, r) };
		if (!made[i].name || !made[i].group)
			status = tp_fail(diag, TP_NOMEM, basis->name, NULL, "out of memory");
		else if (made[i].region < 0)
			status = tp_fail(diag, TP_USAGE, basis->name, "give another with --basis",
					 "the basis has no region L%u", r->level);
	}
	if (status == TP_OK)
		status = tp_basis_set_rows(basis, made, rows->n, diag);
	tp_arena_release(&names);
	return status;
}
