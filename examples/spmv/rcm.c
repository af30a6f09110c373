/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reverse Cuthill-McKee: a walk through the graph in breadth, from a node at its rim, neighbours
 * with few edges first; then the order is turned around. If the pattern of the matrix is not
 * symmetric, a row's own columns count as its neighbours: still an order, though maybe a worse one.
 */
#include "matrix.h"

#include <stdlib.h>

struct walk {
	const struct matrix *matrix;
	uint32_t *order; /* the queue, and at last the answer */
	uint32_t *seen; /* number of the walk that last came to a node; UINT32_MAX = it has its
			   place */
	uint32_t walks;
};

static uint64_t degree(const struct matrix *matrix, uint32_t node)
{
	return matrix->begin[node + 1] - matrix->begin[node];
}

/* Queues whatever can be reached from `start`, from order[first] on; returns the end. */
static uint32_t walk_from(struct walk *walk, uint32_t start, uint32_t first, uint32_t *levels)
{
	const struct matrix *matrix = walk->matrix;
	uint32_t end = first, level_end;

	walk->walks++;
	*levels = 0;
	walk->order[end++] = start;
	walk->seen[start] = walk->walks;
	level_end = end;
	for (uint32_t at = first; at < end; at++) {
		const uint32_t node = walk->order[at], mine = end;

		if (at == level_end) {
			(*levels)++;
			level_end = end;
		}
		for (uint64_t k = matrix->begin[node]; k < matrix->begin[node + 1]; k++) {
			const uint32_t next = matrix->columns[k];
			uint32_t place = end;

			if (walk->seen[next] == walk->walks || walk->seen[next] == UINT32_MAX)
				continue;
			walk->seen[next] = walk->walks;
			for (; place > mine &&
			       degree(matrix, walk->order[place - 1]) > degree(matrix, next);
			     place--)
				walk->order[place] = walk->order[place - 1];
			walk->order[place] = next;
			end++;
		}
	}
	return end;
}

uint32_t *matrix_rcm(const struct matrix *matrix)
{
	const uint32_t rows = matrix->rows;
	struct walk walk = { .matrix = matrix };
	uint32_t done = 0;

	walk.order = malloc(((size_t)rows + 1) * sizeof *walk.order);
	walk.seen = calloc((size_t)rows + 1, sizeof *walk.seen);
	if (!walk.order || !walk.seen) {
		free(walk.order);
		free(walk.seen);
		return NULL;
	}
	for (uint32_t node = 0; node < rows; node++) {
		uint32_t start = node, levels, deepest = 0;

		if (walk.seen[node] == UINT32_MAX)
			continue;
		/* The node found last lies at the rim, seen from here: start again there. */
		for (unsigned tries = 0; tries < 4; tries++) {
			const uint32_t end = walk_from(&walk, start, done, &levels);

			if (tries && levels <= deepest)
				break;
			deepest = levels;
			start = walk.order[end - 1];
		}
		const uint32_t end = walk_from(&walk, start, done, &levels);

		for (; done < end; done++)
			walk.seen[walk.order[done]] = UINT32_MAX;
	}
	for (uint32_t i = 0; i < rows / 2; i++) {
		const uint32_t kept = walk.order[i];

		walk.order[i] = walk.order[rows - 1 - i];
		walk.order[rows - 1 - i] = kept;
	}
	free(walk.seen);
	return walk.order;
}
