/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 3-D 7-point stencil in three versions; each is a region of its own for tprof. */
#include "../roi.h"
#include "stencil.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct version {
	const char *name;
	void (*step)(double *to, const double *from, size_t n, size_t block);
} versions[] = {
	{ "naive", step_naive },
	{ "blocked", step_blocked },
	{ "vector", step_vector },
};

enum { VERSIONS = sizeof versions / sizeof versions[0] };

static const char usage[] =
	"usage: stencil [--size N] [--steps N] [--block N] [naive] [blocked] [vector]\n"
	"  --size N   the grid has N x N x N points (3-1000, default 200)\n"
	"  --steps N  (1-100000, default 10)\n"
	"  --block N  rows of a block (1-1000, default 16)\n"
	"Without names all three versions run.\n";

struct options {
	size_t size, steps, block;
	bool wanted[VERSIONS];
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool parse_number(const char *word, size_t least, size_t most, size_t *number)
{
	char *end;
	const unsigned long value = strtoul(word, &end, 10);

	*number = value;
	return word[0] >= '0' && word[0] <= '9' && !*end && value >= least && value <= most;
}

static bool parse(int argc, char **argv, struct options *options)
{
	bool any = false;

	for (int i = 1; i < argc; i++) {
		const struct {
			const char *word;
			size_t least, most, *number;
		} numbers[] = {
			{ "--size", 3, 1000, &options->size },
			{ "--steps", 1, 100000, &options->steps },
			{ "--block", 1, 1000, &options->block },
		};
		unsigned k = 0, v = 0;

		while (k < 3 && strcmp(argv[i], numbers[k].word))
			k++;
		while (v < VERSIONS && strcmp(argv[i], versions[v].name))
			v++;
		if (k < 3) {
			if (++i == argc || !parse_number(argv[i], numbers[k].least, numbers[k].most,
							 numbers[k].number))
				return false;
		} else if (v < VERSIONS) {
			options->wanted[v] = any = true;
		} else {
			return false;
		}
	}
	for (unsigned v = 0; v < VERSIONS && !any; v++)
		options->wanted[v] = true;
	return true;
}

/* Both grids, so that the rim, which no step writes, is the same in both. */
static void fill(double *a, double *b, size_t points)
{
	for (size_t i = 0; i < points; i++)
		a[i] = b[i] = (double)((i * 2654435761u) % 1024);
}

static void run(const struct version *version, double *grids[2], const struct options *options)
{
	const size_t n = options->size, inner = n - 2;
	const double flops =
		FLOPS_PER_POINT * (double)(inner * inner * inner) * (double)options->steps;
	double start, seconds, sum = 0;

	fill(grids[0], grids[1], n * n * n);
	start = seconds_now();
	tprof_roi_begin(version->name);
	for (size_t step = 0; step < options->steps; step++)
		version->step(grids[(step + 1) % 2], grids[step % 2], n, options->block);
	tprof_roi_end(version->name);
	seconds = seconds_now() - start;
	for (size_t i = 0; i < n * n * n; i++)
		sum += (double)(1 + i % 7) * grids[options->steps % 2][i];
	printf("%-8s checksum %.12g  flops %.0f  %.3f GFLOP/s (%.3f s)\n", version->name, sum,
	       flops, 1e-9 * flops / seconds, seconds);
}

int main(int argc, char **argv)
{
	struct options options = { .size = 200, .steps = 10, .block = 16 };
	double *grids[2];
	size_t bytes;
	bool enough;

	if (!parse(argc, argv, &options)) {
		fputs(usage, stderr);
		return 2;
	}
	bytes = options.size * options.size * options.size * sizeof **grids;
	grids[0] = malloc(bytes);
	grids[1] = malloc(bytes);
	enough = grids[0] && grids[1];
	if (enough) {
		for (unsigned v = 0; v < VERSIONS; v++) {
			if (options.wanted[v])
				run(&versions[v], grids, &options);
		}
	} else {
		fputs("stencil: there is not enough memory; try a smaller --size\n", stderr);
	}
	free(grids[0]);
	free(grids[1]);
	return enough ? 0 : 1;
}
