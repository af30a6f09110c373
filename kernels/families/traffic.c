/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory traffic of operations on more data than the caches hold. Per line that is read from memory, whether a load or a store asked for it;
 * lines read a pass, in elements over those of a line:
 *
 *     dot           2 N               N so that the data are 4 and 8 times the last cache
 *     gemv          N^2 + 2 N         likewise
 *     capped-gemv   M N + M + N       rows M = 2 N; only P = min(M, N) rows of the matrix exist, so that y can be large
 *     capped-narrow M                 the same with N of half a line: the matrix stays in L1, what moves is y, read because it is stored to,
 *                                     and written
 *     gemm          3 N^2 a matrix    N small, a batch of many, each with data of its own: so what fits is read nevertheless, once
 *     dot-cached, narrow-cached, gemm-cached
 *                   the same on half of the last cache and less, per line of the data: nothing is read. They keep misses of the level before
 *                   it, and stores, apart from what goes to memory
 *
 * x of a gemv may stay in a cache, and its y is written: both are 1 / N of the whole, and neglected.
 */
#include "kernels/families/families.h"
#include "kernels/families/nest.h"

#include <math.h>
#include <stdio.h>

enum operation { DOT, GEMV, CAPPED, NARROW, GEMM };

static const struct {
	const char *name;
	enum operation operation;
	bool cached;
} kernels[] = {
	{ "dot", DOT, false },
	{ "gemv", GEMV, false },
	{ "capped-gemv", CAPPED, false },
	{ "capped-narrow", NARROW, false },
	{ "gemm", GEMM, false },
	{ "dot-cached", DOT, true },
	{ "narrow-cached", NARROW, true },
	{ "gemm-cached", GEMM, true },
};

enum { KERNELS = sizeof(kernels) / sizeof(*kernels), SIZES = 2, ROWS = KERNELS * SIZES };
enum { ELEMENT = sizeof(double) };

static unsigned first_row(unsigned kernel)
{
	return kernel * SIZES;
}

static const char *kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", kernels[kernel].name);
	return out;
}

static const char *row_name(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s %u", kernels[row / SIZES].name, row % SIZES + 1);
	return out;
}

/* Repetitions of a square problem of order n, as the literature has them. */
static uint64_t repetitions(double n)
{
	return n < 2048 ? (uint64_t)floor(514 - 0.246 * n) : 10;
}

/*
 * Data over the last cache. A real one does not forget by age alone, so its multiples are large. Where instructions are limited,
 * they are executed one by one and the cache is a model that does; then little more than the cache is enough.
 */
static double size_factor(const struct tp_counting_machine *machine, bool cached, unsigned which)
{
	static const double inside[SIZES] = { 0.375, 0.5 };
	static const double stepped[SIZES] = { 2, 3 }, real[SIZES] = { 4, 8 };
	return cached ? inside[which] : (machine->max_instructions ? stepped : real)[which];
}

static enum tp_status make(const struct tp_family *family, unsigned row, const struct tp_cpu *cpu,
			   const struct tp_counting_machine *machine, struct tp_counting *out,
			   struct tp_diag *diag)
{
	char name[32], where[64];
	snprintf(where, sizeof(where), "%s, %s", family->name, row_name(row, name, sizeof(name)));
	uint64_t last = 0;
	for (unsigned level = 1; level <= 3; level++)
		if (machine->cache_bytes[level] > last)
			last = machine->cache_bytes[level];
	unsigned line_bytes = machine->line_bytes ? machine->line_bytes : 64;
	uint64_t line = line_bytes / ELEMENT; /* in elements */
	if (!last)
		return tp_fail(diag, TP_UNSUPPORTED, where, NULL,
			       "the caches of this machine are not known");
	unsigned which = row % SIZES;
	bool cached = kernels[row / SIZES].cached;
	enum operation operation = kernels[row / SIZES].operation;
	double size = (double)last * size_factor(machine, cached, which);
	uint64_t elements = (uint64_t)size / ELEMENT, n = elements / 2 / line * line;
	uint64_t matrices = 1;
	unsigned unroll = (unsigned)line;
	if (operation == GEMV || operation == CAPPED) {
		n = (uint64_t)sqrt((double)elements) / line * line;
	} else if (operation == NARROW) {
		n = line / 2;
		unroll = (unsigned)n;
	} else if (operation == GEMM) {
		/* Two orders of whole lines; the larger order has the smaller batch. */
		n = which && !cached ? 2 * line : line;
		matrices = (uint64_t)(cached || !which ? size : size / 2) / (3 * n * n * ELEMENT);
		matrices += matrices == 0;
	}

	struct tp_nest nest;
	double read;
	switch (operation) {
	case DOT:
		nest = tp_nest_dot(n, unroll);
		read = 2 * (double)n;
		break;
	case GEMV:
		nest = tp_nest_gemv(n, n, unroll);
		read = (double)n * (double)n + 2 * (double)n;
		break;
	case CAPPED:
		nest = tp_nest_capped_gemv(2 * n, n, n, unroll);
		read = 2 * (double)n * (double)n + 3 * (double)n;
		break;
	case NARROW:
		nest = tp_nest_capped_gemv(elements / n * n, n, n, unroll);
		read = (double)(elements / n * n);
		break;
	default:
		nest = tp_nest_gemm(n, matrices, unroll);
		read = 3 * (double)n * (double)n * (double)matrices;
	}
	out->iterations = read / (double)line;
	enum tp_status status =
		tp_nest_make(&nest, tp_nest_bytes(&nest), where, cpu, machine, out, diag);
	out->passes = repetitions(sqrt((double)elements));
	return status;
}

const struct tp_family tp_family_traffic = {
	.id = TP_FAMILY_TRAFFIC,
	.name = "traffic",
	.title = "memory traffic of DOT, GEMV, capped GEMV, GEMM",
	.method = TP_COUNT_STEADY,
	.threads = true,
	.n_rows = ROWS,
	.n_kernels = KERNELS,
	.first_row = first_row,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
