/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y = A x, again and again, with a sparse matrix in CSR format. The numbering of the rows
 * decides how the reads of x fall upon the caches: run it with and without --rcm.
 */
#include "../roi.h"
#include "matrix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
	"usage: spmv [--rcm] [--side N] [--seed N] [--products N] [MATRIX.mtx]\n"
	"  --rcm         number the rows anew (reverse Cuthill-McKee) before multiplying\n"
	"  --side N      the mesh has N x N nodes (2-10000, default 1200)\n"
	"  --seed N      scrambles the numbers of the nodes (default 1)\n"
	"  --products N  how often to multiply (1-1000000, default 20)\n"
	"  MATRIX.mtx    a Matrix Market file in place of the mesh\n";

struct options {
	bool rcm;
	uint64_t side, seed, products;
	const char *path;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool parse_number(const char *word, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(word, &end, 10);
	return word[0] >= '0' && word[0] <= '9' && !*end && !errno && *number >= least &&
	       *number <= most;
}

static bool parse(int argc, char **argv, struct options *options)
{
	for (int i = 1; i < argc; i++) {
		const struct {
			const char *word;
			uint64_t least, most, *number;
		} numbers[] = {
			{ "--side", 2, 10000, &options->side },
			{ "--seed", 0, UINT64_MAX, &options->seed },
			{ "--products", 1, 1000000, &options->products },
		};
		unsigned k = 0;

		while (k < 3 && strcmp(argv[i], numbers[k].word))
			k++;
		if (k < 3) {
			if (++i == argc || !parse_number(argv[i], numbers[k].least, numbers[k].most,
							 numbers[k].number))
				return false;
		} else if (!strcmp(argv[i], "--rcm")) {
			options->rcm = true;
		} else if (argv[i][0] != '-' && !options->path) {
			options->path = argv[i];
		} else {
			return false;
		}
	}
	return true;
}

__attribute__((noinline)) static void spmv_csr(const struct matrix *matrix, const double *x,
					       double *y)
{
	for (uint32_t row = 0; row < matrix->rows; row++) {
		double sum = 0;

		for (uint64_t k = matrix->begin[row]; k < matrix->begin[row + 1]; k++)
			sum += matrix->values[k] * x[matrix->columns[k]];
		y[row] = sum;
	}
}

/* Weights go by the first numbering, so the sum is the same in every other. */
static double checksum(const double *y, const uint32_t *order, uint32_t rows)
{
	double sum = 0;

	for (uint32_t row = 0; row < rows; row++)
		sum += (1 + (order ? order[row] : row) % 7) * y[row];
	return sum;
}

static bool multiply(const struct matrix *matrix, const uint32_t *order,
		     const struct options *options)
{
	const uint64_t nonzeros = matrix->begin[matrix->rows];
	double *x = malloc(matrix->rows * sizeof *x), *y = malloc(matrix->rows * sizeof *y);
	double start, seconds, mean, flops;
	uint32_t most;

	if (!x || !y) {
		free(x);
		free(y);
		return false;
	}
	for (uint32_t row = 0; row < matrix->rows; row++)
		x[row] = 1 + (order ? order[row] : row) % 5;
	start = seconds_now();
	for (uint64_t i = 0; i < options->products; i++) {
		tprof_roi_begin("spmv");
		spmv_csr(matrix, x, y);
		tprof_roi_end("spmv");
	}
	seconds = seconds_now() - start;
	flops = 2 * (double)nonzeros * (double)options->products;
	matrix_distances(matrix, &mean, &most);
	printf("matrix    %" PRIu32 " rows, %" PRIu64 " nonzeros, %.1f MB; x %.1f MB\n",
	       matrix->rows, nonzeros, (12 * (double)nonzeros + 8 * (double)matrix->rows) / 1e6,
	       8 * (double)matrix->rows / 1e6);
	printf("numbers   %s; mean distance from the diagonal %.0f, at most %" PRIu32 "\n",
	       options->rcm ? "reverse Cuthill-McKee" : "as given", mean, most);
	printf("checksum  %.12g\n", checksum(y, order, matrix->rows));
	printf("flops     %.0f\n", flops);
	printf("speed     %.3f GFLOP/s (%.3f s)\n", 1e-9 * flops / seconds, seconds);
	free(x);
	free(y);
	return true;
}

int main(int argc, char **argv)
{
	struct options options = { .side = 1200, .seed = 1, .products = 20 };
	struct matrix matrix = { 0 };
	uint32_t *order = NULL;
	bool done;
	char why[200];

	if (!parse(argc, argv, &options)) {
		fputs(usage, stderr);
		return 2;
	}
	if (options.path && !matrix_read(&matrix, options.path, why, sizeof why)) {
		fprintf(stderr, "spmv: %s: %s\n", options.path, why);
		return 1;
	}
	done = options.path || matrix_make_mesh(&matrix, (uint32_t)options.side, options.seed);
	if (done && options.rcm) {
		tprof_roi_begin("reorder");
		order = matrix_rcm(&matrix);
		done = order && matrix_permute(&matrix, order);
		tprof_roi_end("reorder");
	}
	done = done && multiply(&matrix, order, &options);
	if (!done)
		fputs("spmv: there is not enough memory; try a smaller --side\n", stderr);
	free(order);
	matrix_free(&matrix);
	return done ? 0 : 1;
}
