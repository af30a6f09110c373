/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sparse matrix in CSR format: made from a seed or read from a file, and numbered anew. */
#ifndef SPMV_MATRIX_H
#define SPMV_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

struct matrix {
	uint32_t rows; /* and as many columns */
	uint64_t *begin; /* rows + 1: where each row begins in columns and values */
	uint32_t *columns; /* ascending in each row */
	double *values;
};

/*
 * A triangle mesh of side x side nodes in a plane. Each row is a node and names the node itself
 * and its neighbours, at most seven columns. The seed scrambles the numbers of the nodes, as a mesh
 * generator that refines here and there leaves them. False: no memory.
 */
bool matrix_make_mesh(struct matrix *matrix, uint32_t side, uint64_t seed);

/*
 * Reads a square matrix from a Matrix Market file (coordinate; real, integer or pattern; general
 * or symmetric). False: `why` says what is wrong, and where.
 */
bool matrix_read(struct matrix *matrix, const char *path, char *why, unsigned why_size);

/*
 * Reverse Cuthill-McKee: order[i] is the old number of the row that shall be number i. Neighbours
 * in the mesh get numbers near each other. The caller frees it; NULL: no memory.
 */
uint32_t *matrix_rcm(const struct matrix *matrix);

/* Renumbers rows and columns alike. False: no memory, and the matrix is as before. */
bool matrix_permute(struct matrix *matrix, const uint32_t *order);

/* How far a nonzero lies from the diagonal, on average and at most. */
void matrix_distances(const struct matrix *matrix, double *mean, uint32_t *most);

void matrix_free(struct matrix *matrix);

#endif
