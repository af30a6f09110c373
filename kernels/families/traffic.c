/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory traffic of operations on more data than the caches hold, per line that is read from memory
 * for a load or a store. Lines read in a pass, as elements over those of a line:
 *
 *     dot            2 N
 *     gemv           N^2 + 2 N
 *     capped-gemv    M N + M + N   M = 2 N rows, of which only min(M, N) exist: y can be large
 *     capped-narrow  M             N is half a line: the matrix stays in L1, and y moves; it is
 * read because it is stored to, and written gemm           3 N^2         each matrix: N is small,
 * and a batch of many has its own data, so data that fit are still read, once dot-cached,
 * narrow-cached, gemm-cached the same on at most half of the last cache, per line of the data:
 * nothing is read. They tell traffic of memory apart from stores and from misses of the level
 * before the last.
 *
 * N makes the data 4 and 8 times as large as the last cache. x of a gemv may stay in a cache, and
 * its y is written: both are 1 / N of the whole and neglected.
 */
#include "kernels/families/families.h"
#include "kernels/families/nest.h"
#include "kernels/traffic.h"

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

/*
 * Size of the data relative to the last cache. A real cache does not evict by age alone, so its
 * factors are large. If instructions are limited, code is stepped with a model of a cache that
 * does, and little more than its size is enough.
 */
static double size_factor(const struct tp_counting_machine *machine, bool cached, unsigned which)
{
	static const double inside[SIZES] = { 0.375, 0.5 };
	static const double stepped[SIZES] = { 2, 3 }, real[SIZES] = { 4, 8 };
	return cached ? inside[which] : (machine->max_instructions ? stepped : real)[which];
}

static enum tp_status make(const struct tp_row *row, struct tp_counting *out, struct tp_diag *diag)
{
	uint64_t last = 0;
	for (unsigned level = 1; level <= 3; level++)
		if (row->machine->cache_bytes[level] > last)
			last = row->machine->cache_bytes[level];
	uint64_t line = tp_row_line_bytes(row) / ELEMENT; /* in elements */
	if (!last)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "the caches of this machine are not known");
	unsigned which = row->row % SIZES;
	bool cached = kernels[row->row / SIZES].cached;
	enum operation operation = kernels[row->row / SIZES].operation;
	double size = (double)last * size_factor(row->machine, cached, which);
	uint64_t elements = (uint64_t)size / ELEMENT, n = elements / 2 / line * line;
	uint64_t matrices = 1;
	unsigned unroll = (unsigned)line;
	if (operation == GEMV || operation == CAPPED) {
		n = (uint64_t)sqrt((double)elements) / line * line;
	} else if (operation == NARROW) {
		n = line / 2;
		unroll = (unsigned)n;
	} else if (operation == GEMM) {
		/* Two orders that are whole lines; the larger one has the smaller batch. */
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
	enum tp_status status = tp_nest_make(row, &nest, out, diag);
	out->passes = tp_traffic_repetitions(sqrt((double)elements));
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
	.kernel_rows = SIZES,
	.kernel_name = kernel_name,
	.row_name = row_name,
	.make = make,
};
