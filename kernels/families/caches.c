/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernels/families/families.h"
#include "kernels/loop.h"

/*
 * Data cache: accesses in random order to one element every `stride` bytes, one block of pages
 * after the other, in buffers whose sizes lie inside a level. Counts are per access.
 *
 * Reads chase pointers around a ring. Writes cannot do that: the load of a pointer would bring the
 * line, and every store would hit L1. The addresses of writes come from a generator in registers
 * (struct tp_scatter), so only the stores touch memory. The generator needs powers of two, so
 * all sizes are powers of two times the stride.
 */

enum { STRIDES = 2, DEPTHS = 3, REGIONS = 4, SIZES = 2 };
enum {
	KERNEL_ROWS = REGIONS * SIZES,
	KERNELS = STRIDES * DEPTHS,
	ROWS = KERNELS * KERNEL_ROWS,
	READ_UNROLL = 64,
	WRITE_UNROLL = 16,
	LEAST_ELEMENTS = 2,
};

static const unsigned strides[STRIDES] = { 64, 128 };
static const unsigned pages_per_block[DEPTHS] = { 16, 64, 512 };
static const char *const regions[REGIONS] = { "L1", "L2", "L3", "M" };

/* counting.parameters */
enum { P_STRIDE, P_ELEMENTS, P_BLOCK_ELEMENTS };

static const char *dcache_kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "stride%u ppb%u", strides[kernel / DEPTHS],
		 pages_per_block[kernel % DEPTHS]);
	return out;
}

static void dcache_row_words(unsigned row, char *out, size_t size)
{
	snprintf(out, size, "%s %u", regions[row % KERNEL_ROWS / SIZES], row % SIZES + 1);
}

static unsigned last_level(const struct tp_counting_machine *machine)
{
	unsigned last = 0;
	for (unsigned level = 1; level <= 3; level++)
		if (machine->cache_bytes[level])
			last = level;
	return last;
}

/*
 * A power of two in [low, high]; 0 if none. If there are several, the first size is a third of the
 * way up, and the second one is as far from the other end.
 */
static uint64_t power_within(double low, double high, unsigned which)
{
	int first = (int)ceil(log2(low)), last = (int)floor(log2(high));
	if (first > last)
		return 0;
	int third = (last - first) / 3;
	return UINT64_C(1) << (which ? last - third : first + third);
}

/*
 * Bytes from the first element to the end of the last one's stride. A level certainly holds a
 * buffer if it has room for the whole span, however lines map to sets. A buffer certainly exceeds
 * a level if its touched lines alone are too many. With stride 128 there is less room between two
 * levels. Where it is too little, the span is twice the level below: its lines fall into half of
 * the sets if a low bit of the address selects the set, as in nearly every L1 and L2.
 */
static enum tp_status span_of(unsigned region, unsigned which, unsigned stride,
			      const struct tp_counting_machine *machine, const char *name,
			      uint64_t *span, struct tp_diag *diag)
{
	unsigned last = last_level(machine), line = machine->line_bytes ? machine->line_bytes : 64;
	double sparse = stride > line ? (double)stride / line : 1;
	if (!last || !machine->cache_bytes[1])
		return tp_fail(diag, TP_UNSUPPORTED, name, NULL,
			       "the caches of this machine are not known");
	if (region == REGIONS - 1) {
		/* Twice and four times the last level, in lines. */
		double least = (double)machine->cache_bytes[last] * sparse * (which ? 4 : 2);
		*span = power_within(least, 2 * least, 0);
		return TP_OK;
	}
	unsigned level = region + 1;
	double upper = (double)machine->cache_bytes[level];
	if (upper <= 0)
		return tp_fail(diag, TP_UNSUPPORTED, name, NULL, "this machine has no %s",
			       regions[region]);
	if (region == 0) {
		*span = power_within(upper / (which ? 4 : 8), upper / (which ? 2 : 4), 1);
	} else {
		unsigned below = level - 1;
		while (below > 1 && !machine->cache_bytes[below])
			below--;
		double lower = (double)machine->cache_bytes[below] * sparse;
		double low = 2 * lower, high = upper / 2;
		*span = power_within(low, high, which);
		if (!*span)
			*span = power_within(1.25 * lower, 0.8 * upper, which);
		if (!*span)
			*span = power_within(low / sparse, high, which);
	}
	if (*span < (uint64_t)stride * LEAST_ELEMENTS) {
		char below[32], here[32];
		return tp_fail(diag, TP_UNSUPPORTED, name, NULL,
			       "no buffer lies safely inside %s (%s, the level before it %s)",
			       regions[region],
			       tp_format_bytes(here, sizeof(here), (uint64_t)upper),
			       tp_format_bytes(below, sizeof(below),
					       region ? machine->cache_bytes[region] : 0));
	}
	return TP_OK;
}

static uint64_t *element(void *data, uint64_t stride, uint64_t i)
{
	return (uint64_t *)((char *)data + i * stride);
}

/* While the ring is made, the first element of a block also holds: */
enum { SLOT_LAST = 1, SLOT_NEXT_BLOCK = 2 };

/*
 * Makes a random cyclic order in each block (Sattolo). Then opens each cycle before the first
 * element of its block and joins the blocks in a random cyclic order. Everything happens in place.
 */
static void fill_ring(const struct tp_counting *counting, void *data, uint64_t seed)
{
	uint64_t stride = counting->parameters[P_STRIDE];
	uint64_t block = counting->parameters[P_BLOCK_ELEMENTS];
	uint64_t blocks = counting->parameters[P_ELEMENTS] / block;

	memset(data, 0, counting->data_bytes);
	for (uint64_t b = 0; b < blocks; b++) {
		void *first = element(data, stride, b * block);
		uint64_t last = 0;
		for (uint64_t i = 0; i < block; i++)
			*element(first, stride, i) = i;
		for (uint64_t i = block - 1; i > 0; i--) {
			uint64_t j = tp_random_below(&seed, i);
			uint64_t *x = element(first, stride, i), *y = element(first, stride, j);
			uint64_t next = *x;
			*x = *y;
			*y = next;
			if (*x == 0)
				last = i;
		}
		element(first, stride, 0)[SLOT_LAST] = last;
		element(first, stride, 0)[SLOT_NEXT_BLOCK] = b;
	}
	for (uint64_t b = blocks - 1; b > 0; b--) {
		uint64_t other = tp_random_below(&seed, b);
		uint64_t *x = element(data, stride, b * block) + SLOT_NEXT_BLOCK;
		uint64_t *y = element(data, stride, other * block) + SLOT_NEXT_BLOCK;
		uint64_t next = *x;
		*x = *y;
		*y = next;
	}
	for (uint64_t b = 0; b < blocks; b++) {
		uint64_t *first = element(data, stride, b * block);
		uint64_t last = first[SLOT_LAST], next = first[SLOT_NEXT_BLOCK];
		first[SLOT_LAST] = first[SLOT_NEXT_BLOCK] = 0;
		for (uint64_t i = 0; i < block; i++) {
			uint64_t *e = element(first, stride, i);
			*e = i == last ? (uintptr_t)element(data, stride, next * block)
				       : (uintptr_t)element(first, stride, *e);
		}
	}
}

/* Stores only need pages that exist. */
static void fill_touched(const struct tp_counting *counting, void *data, uint64_t seed)
{
	memset(data, (int)(seed & 0x7f) + 1, counting->data_bytes);
}

static enum tp_status make_dcache(const struct tp_row *row, struct tp_counting *out,
				  struct tp_diag *diag)
{
	static const uint32_t multiplier = 0x19660d; /* mod 8: 5 */
	unsigned kernel = row->row / KERNEL_ROWS, region = row->row % KERNEL_ROWS / SIZES;
	unsigned stride = strides[kernel / DEPTHS];
	uint64_t page = tp_row_page_bytes(row), span = 0;
	enum tp_status status =
		span_of(region, row->row % SIZES, stride, row->machine, row->where, &span, diag);
	if (status != TP_OK)
		return status;
	uint64_t block_bytes = pages_per_block[kernel % DEPTHS] * page;
	if (block_bytes > span)
		block_bytes = span;

	bool read = row->family->id == TP_FAMILY_DCACHE_READ;
	uint64_t elements = span / stride, block_elements = block_bytes / stride;
	struct tp_traversal traversal = { .kind = TP_TRAVERSAL_CHASE,
					  .chase = { elements, READ_UNROLL } };
	if (!read) {
		traversal.kind = TP_TRAVERSAL_SCATTER;
		traversal.scatter = (struct tp_scatter){
			.stride_bytes = stride,
			.block_elements = block_elements,
			.blocks = elements / block_elements,
			.multiplier = multiplier,
			/* Odd, about 0.6 of the block: successive accesses are far apart. */
			.increment = (uint32_t)(block_elements * 5 / 8) | 1,
			.unroll = WRITE_UNROLL,
		};
	}
	out->parameters[P_STRIDE] = stride;
	out->parameters[P_ELEMENTS] = elements;
	out->parameters[P_BLOCK_ELEMENTS] = block_elements;
	out->data_bytes = (span + page - 1) / page * page;
	out->iterations = (double)elements;
	out->fill = read ? fill_ring : fill_touched;
	return tp_family_make_traversal(row, &traversal, out, diag);
}

#define DCACHE                                                                                     \
	.method = TP_COUNT_STEADY, .threads = true, .n_rows = ROWS, .n_kernels = KERNELS,          \
	.kernel_rows = KERNEL_ROWS, .kernel_name = dcache_kernel_name,                             \
	.row_words = dcache_row_words, .make = make_dcache

const struct tp_family tp_family_dcache_read = {
	.id = TP_FAMILY_DCACHE_READ,
	.name = "dcache-read",
	.title = "data cache: reads by a random pointer chase",
	DCACHE,
};

const struct tp_family tp_family_dcache_write = {
	.id = TP_FAMILY_DCACHE_WRITE,
	.name = "dcache-write",
	.title = "data cache: writes in a random order",
	DCACHE,
};

enum { CODE_KERNELS = 2, CODE_KERNEL_ROWS = 8, CODE_ROWS = CODE_KERNELS * CODE_KERNEL_ROWS };

/*
 * Instruction cache: code of growing length, run from its first line to its last, repeatedly. A
 * pass fetches each line once, and counts are per line:
 *
 *   full    two branches, and instructions after them that fill the line; all are executed sparse
 *   one instruction of each line is executed, a branch to the next line
 *
 * The two kernels have two and one conditional branches a line, so counting branches differs from
 * counting fetches. Two lengths lie inside L1i, four between L1i and L2, and two beyond L2. The
 * last two separate hits of L2 from misses of L1i.
 */

enum { INSIDE_L1 = 2, INSIDE_L2 = 4 };

static const char *const code_kernels[CODE_KERNELS] = { "full", "sparse" };

static const char *icache_kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", code_kernels[kernel]);
	return out;
}

static double code_bytes(unsigned length, double l1, double l2)
{
	static const double of_l1[INSIDE_L1] = { 0.25, 0.5 };
	if (length < INSIDE_L1)
		return l1 * of_l1[length];
	length -= INSIDE_L1;
	if (length < INSIDE_L2)
		return 2 * l1 * pow(l2 / 4 / l1, length / (INSIDE_L2 - 1.0));
	return l2 * (length == INSIDE_L2 ? 2 : 4);
}

/* The code needs no data, only an address. */
static void fill_code(const struct tp_counting *counting __attribute__((unused)), void *data,
		      uint64_t seed)
{
	*(uint64_t *)data = seed;
}

static enum tp_status make_icache(const struct tp_row *row, struct tp_counting *out,
				  struct tp_diag *diag)
{
	static const double most_bytes = 64 << 20;
	enum { LEAST_LINES = 4 };
	char a[32], b[32];
	unsigned line = tp_row_line_bytes(row);
	uint64_t l1 = row->machine->icache_bytes ? row->machine->icache_bytes
						 : row->machine->cache_bytes[1];
	uint64_t l2 = row->machine->cache_bytes[2];
	if (line % 64)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "lines of %u bytes: only multiples of 64 are known", line);
	if (l1 / 4 < LEAST_LINES * line)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "the instruction cache of this machine is %s",
			       l1 ? "too small" : "not known");
	if (row->row % CODE_KERNEL_ROWS >= INSIDE_L1 && l2 < 4 * l1)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "no code lies safely between L1i (%s) and L2 (%s)",
			       tp_format_bytes(a, sizeof(a), l1),
			       tp_format_bytes(b, sizeof(b), l2));
	double bytes = code_bytes(row->row % CODE_KERNEL_ROWS, (double)l1, (double)l2);
	if (bytes > most_bytes)
		return tp_fail(diag, TP_RESOURCE, row->where, NULL,
			       "needs %s of code, at most %s are made",
			       tp_format_bytes(a, sizeof(a), (uint64_t)bytes),
			       tp_format_bytes(b, sizeof(b), (uint64_t)most_bytes));
	const struct tp_traversal traversal = {
		.kind = TP_TRAVERSAL_LINES,
		.lines = { .lines = (uint64_t)bytes / line,
			   .line_bytes = line,
			   .full = row->row < CODE_KERNEL_ROWS },
	};
	out->data_bytes = tp_row_page_bytes(row);
	out->iterations = (double)traversal.lines.lines;
	out->fill = fill_code;
	return tp_family_make_traversal(row, &traversal, out, diag);
}

const struct tp_family tp_family_icache = {
	.id = TP_FAMILY_ICACHE,
	.name = "icache",
	.title = "instruction cache: long code, fully and sparsely used",
	.method = TP_COUNT_STEADY,
	.n_rows = CODE_ROWS,
	.n_kernels = CODE_KERNELS,
	.kernel_rows = CODE_KERNEL_ROWS,
	.kernel_name = icache_kernel_name,
	.make = make_icache,
};
