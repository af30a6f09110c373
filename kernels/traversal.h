/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traversals: descriptions of the counting kernels whose expectation comes from where data and code
 * lie. They are a chase, scattered stores, lines of code, and a nest of dot products. The emitter
 * turns one into code and tells how many instructions a pass has.
 */
#ifndef TPROF_KERNELS_TRAVERSAL_H
#define TPROF_KERNELS_TRAVERSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Follows once a pass the ring of pointers that begins at the data. Each load takes its address
 * from the load before it.
 */
struct tp_chase_loop {
	uint64_t accesses;
	unsigned unroll; /* loads between two branches */
};

/*
 * Stores without loads: offsets come from a generator in registers. All elements of a block are
 * written before the next block:
 *
 *     offset = (offset * multiplier + increment * stride_bytes) mod block_bytes
 *     block = (block * multiplier + block_bytes) mod (blocks * block_bytes)
 *
 * Both begin at 0. An offset is computed before its store, a block after its last store. Both
 * moduli are powers of two, multiplier mod 8 is 5, and the increment is odd. So each generator has
 * its full period, and a pass ends where it began.
 */
struct tp_scatter {
	unsigned stride_bytes;
	uint64_t block_elements, blocks; /* powers of two */
	uint32_t multiplier, increment;
	unsigned unroll;
};

/*
 * Lines of code: a pass runs through all of them once. Each has the length of a cache line, and the
 * last one holds the loop. If `full`, each begins with two conditional branches that are never
 * taken, and other instructions fill it. Otherwise a line executes only a conditional branch,
 * always taken, to the next line.
 */
struct tp_line_loop {
	uint64_t lines; /* at least 2 */
	unsigned line_bytes; /* multiple of 64 */
	bool full;
};

/* Distance of a pointer from one round of each loop to the next, in bytes. */
struct tp_nest_steps {
	int64_t depth, column, row, batch;
};

/*
 * Loops around a dot product of double precision numbers, with separate multiplications and
 * additions:
 *
 *     for batch, for row, for column: c = (accumulate ? c : 0) + sum over depth of a * b
 *
 * A trip count of 0 means that there is no such loop.
 */
struct tp_nest {
	uint64_t batches, rows, columns, depth;
	unsigned unroll; /* divides depth */
	struct tp_nest_steps a, b, c; /* c.depth is 0 */
	uint64_t b_at, c_at; /* offsets in the data; a begins there */
	bool accumulate;
};

enum tp_traversal_kind {
	TP_TRAVERSAL_CHASE,
	TP_TRAVERSAL_SCATTER,
	TP_TRAVERSAL_LINES,
	TP_TRAVERSAL_NEST
};

struct tp_traversal {
	enum tp_traversal_kind kind;
	union {
		struct tp_chase_loop chase;
		struct tp_scatter scatter;
		struct tp_line_loop lines;
		struct tp_nest nest;
	};
};

#endif
