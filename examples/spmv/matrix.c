/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

void matrix_free(struct matrix *matrix)
{
	free(matrix->begin);
	free(matrix->columns);
	free(matrix->values);
	*matrix = (struct matrix){ 0 };
}

static bool allocate(struct matrix *matrix, uint32_t rows, uint64_t nonzeros)
{
	*matrix = (struct matrix){ .rows = rows };
	matrix->begin = calloc((size_t)rows + 1, sizeof *matrix->begin);
	matrix->columns = malloc((nonzeros ? nonzeros : 1) * sizeof *matrix->columns);
	matrix->values = malloc((nonzeros ? nonzeros : 1) * sizeof *matrix->values);
	if (matrix->begin && matrix->columns && matrix->values)
		return true;
	matrix_free(matrix);
	return false;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Rows are short: insertion keeps their columns ascending. */
static uint64_t insert(struct matrix *matrix, uint64_t first, uint64_t end, uint32_t column,
		       double value)
{
	uint64_t at = end;

	for (; at > first && matrix->columns[at - 1] > column; at--) {
		matrix->columns[at] = matrix->columns[at - 1];
		matrix->values[at] = matrix->values[at - 1];
	}
	matrix->columns[at] = column;
	matrix->values[at] = value;
	return end + 1;
}

/* Multiples of 1/8: sums of them are exact in any order, so checksums do not depend on it. */
static double edge_value(uint32_t a, uint32_t b)
{
	return -(double)(1 + (a + b) % 8) / 8;
}

bool matrix_make_mesh(struct matrix *matrix, uint32_t side, uint64_t seed)
{
	static const int dx[] = { 0, -1, 1, 0, 0, -1, 1 }, dy[] = { 0, 0, 0, -1, 1, -1, 1 };
	const uint32_t rows = side * side;
	uint32_t *number = malloc(((size_t)rows + 1) * sizeof *number);
	uint32_t *node = malloc(((size_t)rows + 1) * sizeof *node);
	uint64_t end = 0;
	const bool made = number && node && allocate(matrix, rows, 7 * (uint64_t)rows);

	if (!made)
		goto out;
	for (uint32_t i = 0; i < rows; i++)
		node[i] = i;
	for (uint32_t i = rows; i > 1; i--) {
		const uint32_t j = (uint32_t)(next_random(&seed) % i), kept = node[i - 1];

		node[i - 1] = node[j];
		node[j] = kept;
	}
	for (uint32_t i = 0; i < rows; i++)
		number[node[i]] = i;
	for (uint32_t row = 0; row < rows; row++) {
		const uint32_t x = node[row] % side, y = node[row] / side;
		const uint64_t first = end;

		for (unsigned k = 0; k < 7; k++) {
			/* Beyond the left and lower edge the numbers wrap around: large, too. */
			const uint32_t nx = x + (uint32_t)dx[k], ny = y + (uint32_t)dy[k];

			if (nx < side && ny < side)
				end = insert(matrix, first, end, number[ny * side + nx],
					     k ? edge_value(node[row], ny * side + nx) : 8);
		}
		matrix->begin[row + 1] = end;
	}
out:
	free(number);
	free(node);
	return made;
}

bool matrix_permute(struct matrix *matrix, const uint32_t *order)
{
	const uint32_t rows = matrix->rows;
	uint32_t *number = malloc(((size_t)rows + 1) * sizeof *number);
	struct matrix new;
	uint64_t end = 0;

	if (!number || !allocate(&new, rows, matrix->begin[rows])) {
		free(number);
		return false;
	}
	for (uint32_t i = 0; i < rows; i++)
		number[order[i]] = i;
	for (uint32_t row = 0; row < rows; row++) {
		const uint64_t first = end;

		for (uint64_t k = matrix->begin[order[row]]; k < matrix->begin[order[row] + 1]; k++)
			end = insert(&new, first, end, number[matrix->columns[k]],
				     matrix->values[k]);
		new.begin[row + 1] = end;
	}
	free(number);
	matrix_free(matrix);
	*matrix = new;
	return true;
}

void matrix_distances(const struct matrix *matrix, double *mean, uint32_t *most)
{
	double sum = 0;

	*most = 0;
	for (uint32_t row = 0; row < matrix->rows; row++) {
		for (uint64_t k = matrix->begin[row]; k < matrix->begin[row + 1]; k++) {
			const uint32_t column = matrix->columns[k];
			const uint32_t far = column > row ? column - row : row - column;

			sum += far;
			if (far > *most)
				*most = far;
		}
	}
	*mean = matrix->begin[matrix->rows] ? sum / (double)matrix->begin[matrix->rows] : 0;
}
