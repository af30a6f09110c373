/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/process.h"
#include "base/str.h"
#include "base/text.h"
#include "matrix/market.h"

/* Rows between two looks at whether the process shall end. */
enum { LOOK_ROWS = 4096 };

/* The matrix grows row by row; rows are written in their order. */
struct maker {
	struct tp_matrix *m;
	uint32_t n, row; /* entries so far; the row that is written */
	uint64_t random;
};

static bool begin_row(struct maker *k, uint32_t row)
{
	k->row = row;
	return row % LOOK_ROWS || !tp_stop_asked;
}

static void end_row(struct maker *k)
{
	k->m->starts[k->row + 1] = k->n;
}

static void put(struct maker *k, uint32_t column, double value)
{
	k->m->columns[k->n] = column;
	k->m->values[k->n++] = value;
}

/* From -1 to 1 without 0: an odd multiple of 2^-53. */
static double random_value(struct maker *k)
{
	int64_t odd = (int64_t)(tp_splitmix64(&k->random) >> 10) | 1;
	return (double)(odd - (INT64_C(1) << 53)) * 0x1p-53;
}

static bool make_laplace(struct maker *k, uint32_t side, bool solid)
{
	uint32_t plane = side * side, n = k->m->n_rows;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = i % side, y = i / side % side, z = i / plane;
		if (!begin_row(k, i))
			return false;
		if (solid && z > 0)
			put(k, i - plane, -1);
		if (y > 0)
			put(k, i - side, -1);
		if (x > 0)
			put(k, i - 1, -1);
		put(k, i, solid ? 6 : 4);
		if (x + 1 < side)
			put(k, i + 1, -1);
		if (y + 1 < side)
			put(k, i + side, -1);
		if (solid && z + 1 < side)
			put(k, i + plane, -1);
		end_row(k);
	}
	return true;
}

static bool make_banded(struct maker *k, uint32_t width)
{
	uint32_t n = k->m->n_rows;
	for (uint32_t i = 0; i < n; i++) {
		if (!begin_row(k, i))
			return false;
		for (uint32_t j = i > width ? i - width : 0; j < n && j <= i + width; j++)
			put(k, j, random_value(k));
		end_row(k);
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void sort_numbers(uint32_t *numbers, uint32_t n)
{
	enum { FEW = 32 };
	if (n > FEW) {
		qsort(numbers, n, sizeof(*numbers), by_number);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint32_t moved = numbers[i], at = i;
		for (; at && numbers[at - 1] > moved; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = moved;
	}
}

/*
 * `count` different numbers below `below`, ascending. Few: drawn, sorted and drawn again where two
 * are equal. Many: each number is taken with the probability that is left for it (Knuth, The Art of
 * Computer Programming 2, 3.4.2, algorithm S).
 */
static void draw(struct maker *k, uint32_t *numbers, uint32_t count, uint32_t below)
{
	if (count > below / 8) {
		for (uint32_t i = 0, n = 0; n < count; i++)
			if (tp_random_below(&k->random, below - i) < count - n)
				numbers[n++] = i;
		return;
	}
	for (uint32_t n = 0; n < count;) {
		for (; n < count; n++)
			numbers[n] = (uint32_t)tp_random_below(&k->random, below);
		sort_numbers(numbers, count);
		n = count > 0;
		for (uint32_t i = 1; i < count; i++)
			if (numbers[i] != numbers[i - 1])
				numbers[n++] = numbers[i];
	}
}

static bool make_blocks(struct maker *k, uint32_t size, uint32_t per_row, uint32_t *blocks)
{
	uint32_t n = k->m->n_rows, n_blocks = (n + size - 1) / size;
	for (uint32_t b = 0; b < n_blocks; b++) {
		/* One of the drawn makes room for the block on the diagonal. */
		draw(k, blocks, per_row, n_blocks);
		bool has = false;
		for (uint32_t i = 0; i < per_row; i++)
			has |= blocks[i] == b;
		if (!has)
			blocks[tp_random_below(&k->random, per_row)] = b;
		sort_numbers(blocks, per_row);
		for (uint32_t i = b * size; i < n && i < (b + 1) * size; i++) {
			if (!begin_row(k, i))
				return false;
			for (uint32_t q = 0; q < per_row; q++)
				for (uint32_t j = blocks[q] * size;
				     j < n && j < (blocks[q] + 1) * size; j++)
					put(k, j, random_value(k));
			end_row(k);
		}
	}
	return true;
}

/* Rows of given lengths, at random places. */
static bool make_rows(struct maker *k, const uint32_t *lengths)
{
	for (uint32_t i = 0; i < k->m->n_rows; i++) {
		if (!begin_row(k, i))
			return false;
		uint32_t *columns = k->m->columns + k->n;
		draw(k, columns, lengths[i], k->m->n_columns);
		for (uint32_t q = 0; q < lengths[i]; q++)
			put(k, columns[q], random_value(k));
		end_row(k);
	}
	return true;
}

static void random_lengths(struct maker *k, uint32_t *lengths, uint64_t entries)
{
	uint32_t n = k->m->n_rows;
	/* A nearly full matrix has hardly any rows with room left, so most of each is given out. */
	uint32_t even = entries > (uint64_t)n * n / 2 ? (uint32_t)(entries / n) : 0;
	uint64_t given = (uint64_t)even * n;
	for (uint32_t i = 0; i < n; i++)
		lengths[i] = even;
	for (; given < entries; given++) {
		uint32_t row = (uint32_t)tp_random_below(&k->random, n);
		while (lengths[row] == n)
			row = row + 1 == n ? 0 : row + 1;
		lengths[row]++;
	}
}

/*
 * The row of rank k (from 1) has a length like k^-0.9, so that the number of rows of a length falls
 * like its power -2.1, as in many graphs. Ranks are scattered over the rows.
 */
static void powerlaw_lengths(struct maker *k, uint32_t *lengths, uint64_t entries)
{
	const double power = -0.9;
	uint32_t n = k->m->n_rows;
	double whole = 0, due = 0;
	uint64_t given = 0;
	for (uint32_t i = 0; i < n; i++)
		whole += pow(i + 1.0, power);
	/* What a row cannot take goes on to the next ones. */
	for (uint32_t i = 0; i < n; i++) {
		due += (double)entries * pow(i + 1.0, power) / whole;
		double want = floor(due - (double)given + 0.5);
		lengths[i] = want < 0 ? 0 : want > n ? n : (uint32_t)want;
		given += lengths[i];
	}
	for (uint32_t i = 0; given < entries && i < n; i++) {
		uint64_t room = n - lengths[i],
			 more = entries - given < room ? entries - given : room;
		lengths[i] += (uint32_t)more;
		given += more;
	}
	for (uint32_t i = 0; given > entries && i < n; i++)
		if (lengths[n - 1 - i]) {
			lengths[n - 1 - i]--;
			given--;
		}
	tp_shuffle(lengths, n, sizeof(*lengths), tp_splitmix64(&k->random));
}

/* Of any kind except a file. TP_NOMEM, TP_CANCELLED. */
static enum tp_status matrix_generate(const struct tp_matrix_source *s, uint64_t seed,
				      struct tp_matrix *matrix, struct tp_diag *diag)
{
	struct maker k = { .m = matrix, .random = seed };
	size_t scratch_items =
		s->kind == TP_MATRIX_BLOCKS ? s->number[2] + 1 : (size_t)s->n_rows + 1;
	TP_FREE uint32_t *scratch = tp_alloc(scratch_items, sizeof(*scratch));
	enum tp_status status =
		tp_matrix_make(matrix, s->n_rows, s->n_columns, s->entries, s->text, diag);
	bool done = true;
	if (status != TP_OK)
		return status;
	switch (s->kind) {
	case TP_MATRIX_LAPLACE2D:
	case TP_MATRIX_LAPLACE3D:
		done = make_laplace(&k, (uint32_t)s->number[0], s->kind == TP_MATRIX_LAPLACE3D);
		break;
	case TP_MATRIX_BANDED:
		done = make_banded(&k, (uint32_t)s->number[1]);
		break;
	case TP_MATRIX_BLOCKS:
		done = make_blocks(&k, (uint32_t)s->number[1], (uint32_t)s->number[2], scratch);
		break;
	default:
		if (s->kind == TP_MATRIX_POWERLAW)
			powerlaw_lengths(&k, scratch, s->entries);
		else
			random_lengths(&k, scratch, s->entries);
		done = make_rows(&k, scratch);
	}
	if (done)
		return TP_OK;
	tp_matrix_release(matrix);
	return tp_fail(diag, TP_CANCELLED, s->text, NULL, "interrupted");
}

static const struct {
	const char *name, *summary, *form;
	unsigned least, most; /* numbers after the colon */
} kinds[TP_MATRIX_KINDS] = {
	[TP_MATRIX_LAPLACE2D] = { "laplace2d", "5-point stencil on N x N points", "laplace2d:N", 1,
				  1 },
	[TP_MATRIX_LAPLACE3D] = { "laplace3d", "7-point stencil on N x N x N points", "laplace3d:N",
				  1, 1 },
	[TP_MATRIX_BANDED] = { "banded", "W full diagonals on either side of the main one",
			       "banded:N,W", 2, 2 },
	[TP_MATRIX_BLOCKS] = { "blocks", "dense blocks of B x B, K in each row of blocks",
			       "blocks:N,B or blocks:N,B,K", 2, 3 },
	[TP_MATRIX_RANDOM] = { "random", "NNZ random places", "random:N,NNZ", 2, 2 },
	[TP_MATRIX_POWERLAW] = { "powerlaw", "rows of very different lengths", "powerlaw:N,NNZ", 2,
				 2 },
};

enum { BLOCKS_A_ROW = 4 };

/* Reads numbers between commas; how many, or 0 if it is another list. */
static unsigned take_numbers(const char *text, uint64_t number[3])
{
	unsigned n = 0;
	while (n < 3) {
		char digits[20];
		size_t len = strcspn(text, ",");
		if (!len || len >= sizeof(digits))
			return 0;
		memcpy(digits, text, len);
		digits[len] = '\0';
		if (!tp_parse_u64(digits, &number[n]))
			return 0;
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
	return 0;
}

static enum tp_status refuse(const struct tp_matrix_source *s, struct tp_diag *diag,
			     const char *what)
{
	char hint[96];
	snprintf(hint, sizeof(hint), "%s: %s", kinds[s->kind].form, kinds[s->kind].summary);
	return tp_fail(diag, TP_USAGE, s->text, hint, "%s", what);
}

/* Rows, columns and non-zeros of what will be generated. */
static enum tp_status size_up(struct tp_matrix_source *s, unsigned n_numbers, struct tp_diag *diag)
{
	const uint64_t *n = s->number;
	char what[160];
	for (unsigned i = 0; i < n_numbers; i++)
		if (n[i] > UINT32_MAX || (!n[i] && !(i == 1 && s->kind != TP_MATRIX_BLOCKS)))
			return refuse(s, diag, n[i] ? "a number is too large" : "a number is 0");
	double rows = (double)n[0], entries = (double)n[1];
	switch (s->kind) {
	case TP_MATRIX_LAPLACE2D:
		rows = rows * rows;
		entries = 5 * rows - 4 * (double)n[0];
		break;
	case TP_MATRIX_LAPLACE3D:
		rows = rows * rows * rows;
		entries = 7 * rows - 6 * (double)n[0] * (double)n[0];
		break;
	case TP_MATRIX_BANDED:
		if (n[1] >= n[0])
			return refuse(s, diag,
				      "the matrix has fewer than W diagonals on each side");
		entries = rows * (2 * (double)n[1] + 1) - (double)n[1] * ((double)n[1] + 1);
		break;
	case TP_MATRIX_BLOCKS:
		if (n_numbers < 3)
			s->number[2] = BLOCKS_A_ROW;
		if (n[1] > n[0])
			return refuse(s, diag, "a block is larger than the matrix");
		if (s->number[2] > (n[0] + n[1] - 1) / n[1])
			s->number[2] = (n[0] + n[1] - 1) / n[1];
		entries = rows * (double)n[1] * (double)s->number[2];
		break;
	default:
		if (entries > rows * rows)
			return refuse(s, diag, "there are fewer places than non-zeros");
	}
	if (rows > TP_MATRIX_SIDE_MAX || entries > TP_MATRIX_ENTRIES_MAX) {
		snprintf(what, sizeof(what),
			 "that is %.3g rows with %.3g non-zeros; at most %d rows and %d non-zeros "
			 "are taken",
			 rows, entries, TP_MATRIX_SIDE_MAX, TP_MATRIX_ENTRIES_MAX);
		return refuse(s, diag, what);
	}
	s->n_rows = s->n_columns = (uint32_t)rows;
	s->entries = (uint64_t)entries;
	return TP_OK;
}

enum tp_status tp_matrix_source_parse(struct tp_matrix_source *s, const char *text,
				      struct tp_diag *diag)
{
	*s = (struct tp_matrix_source){ .text = text };
	const char *colon = strchr(text, ':');
	for (size_t i = 0; colon && i < TP_MATRIX_KINDS; i++)
		if (kinds[i].name && strlen(kinds[i].name) == (size_t)(colon - text) &&
		    strncmp(text, kinds[i].name, (size_t)(colon - text)) == 0) {
			s->kind = (enum tp_matrix_kind)i;
			unsigned n = take_numbers(colon + 1, s->number);
			if (n < kinds[i].least || n > kinds[i].most)
				return refuse(s, diag,
					      "other numbers are expected after the colon");
			return size_up(s, n, diag);
		}
	struct tp_market market;
	enum tp_status status = tp_market_read(text, TP_MARKET_HEAD, &market, NULL, diag);
	if (status == TP_NOTFOUND && diag)
		tp_copy(diag->hint, sizeof(diag->hint), TP_MATRIX_SOURCE_HINT);
	if (status != TP_OK)
		return status;
	s->n_rows = market.n_rows;
	s->n_columns = market.n_columns;
	s->entries = market.n_entries * (market.symmetric || market.skew ? 2 : 1);
	return TP_OK;
}

enum tp_status tp_matrix_load(const struct tp_matrix_source *s, uint64_t seed,
			      struct tp_matrix *matrix, size_t *summed, struct tp_diag *diag)
{
	struct tp_market market = { 0 };
	enum tp_status status;
	if (s->kind == TP_MATRIX_FILE)
		status = tp_market_read(s->text, TP_MARKET_MATRIX, &market, matrix, diag);
	else
		status = matrix_generate(s, seed, matrix, diag);
	*summed = market.summed;
	return status;
}
