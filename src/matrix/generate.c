/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/generate.h"
#include "base/random.h"
#include "base/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A whole number below n, by the upper half of a product (Lemire 2019), without its rejection. */
static uint32_t random_below(struct maker *k, uint32_t n)
{
	return (uint32_t)(((tp_splitmix64(&k->random) >> 32) * n) >> 32);
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
			if (random_below(k, below - i) < count - n)
				numbers[n++] = i;
		return;
	}
	for (uint32_t n = 0; n < count;) {
		for (; n < count; n++)
			numbers[n] = random_below(k, below);
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
			blocks[random_below(k, per_row)] = b;
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
		uint32_t row = random_below(k, n);
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

enum tp_status tp_matrix_generate(const struct tp_matrix_source *s, uint64_t seed,
				  struct tp_matrix *matrix, struct tp_diag *diag)
{
	struct maker k = { .m = matrix, .random = seed };
	size_t scratch_items =
		s->kind == TP_MATRIX_BLOCKS ? s->number[2] + 1 : (size_t)s->n_rows + 1;
	uint32_t *scratch = malloc(scratch_items * sizeof(*scratch));
	enum tp_status status =
		tp_matrix_make(matrix, s->n_rows, s->n_columns, s->entries, s->text, diag);
	bool done = true;
	if (status == TP_OK && !scratch)
		status = tp_fail(diag, TP_NOMEM, s->text, NULL, "out of memory");
	if (status != TP_OK)
		goto out;
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
	if (!done)
		status = tp_fail(diag, TP_CANCELLED, s->text, NULL, "interrupted");
out:
	free(scratch);
	if (status != TP_OK)
		tp_matrix_release(matrix);
	return status;
}
