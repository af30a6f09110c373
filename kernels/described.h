/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code described apart from any instruction set, for the counting kernels whose expectation comes from where data and code lie: a chase, scattered
 * stores, lines of code, a nest of dot products. A back end turns one into code and tells how many instructions a pass has.
 */
#ifndef TPROF_KERNELS_DESCRIBED_H
#define TPROF_KERNELS_DESCRIBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pass follows the ring of pointers that begins at the data, once around: each load takes its address from the one before. */
struct tp_chase {
	uint64_t accesses;
	unsigned unroll; /* loads between two branches */
};

/*
 * Stores without any load: offsets come from a generator in registers. Of each block all elements are written before the next block is:
 *     offset = (offset * multiplier + increment * stride_bytes) mod block_bytes
 *     block = (block * multiplier + block_bytes) mod (blocks * block_bytes)
 * both from 0, the offset computed before its store, the block after its own. Both moduli are powers of two, multiplier mod 8 is 5, the
 * increment odd: so each generator has its full period, and after a pass both are where they began.
 */
struct tp_scatter {
	unsigned stride_bytes;
	uint64_t block_elements, blocks; /* powers of two */
	uint32_t multiplier, increment;
	unsigned unroll;
};

/*
 * Lines of code, all of them run through once a pass; each line is one cache line, the last one holds the loop. `full`: each begins with two
 * conditional branches that are never taken, and what they guard fills the line. Else its only executed instruction is a conditional branch,
 * always taken, to the next line.
 */
struct tp_lines {
	uint64_t lines; /* at least 2 */
	unsigned line_bytes; /* multiple of 64 */
	bool full;
};

/* How far a pointer is on at the next round of each loop, from where it was at the last: bytes. */
struct tp_nest_steps {
	int64_t depth, column, row, batch;
};

/*
 * Loops around a dot product of double precision numbers, not fused, one after the other:
 *     for batch, for row, for column: c = (accumulate ? c : 0) + sum over depth of a * b
 * A trip count of 0 means that there is no such loop.
 */
struct tp_nest {
	uint64_t batches, rows, columns, depth;
	unsigned unroll; /* divides depth */
	struct tp_nest_steps a, b, c; /* c.depth is 0 */
	uint64_t b_at, c_at; /* offsets in the data; a begins there */
	bool accumulate;
};

enum tp_described_kind {
	TP_DESCRIBED_CHASE,
	TP_DESCRIBED_SCATTER,
	TP_DESCRIBED_LINES,
	TP_DESCRIBED_NEST
};

struct tp_described {
	enum tp_described_kind kind;
	union {
		struct tp_chase chase;
		struct tp_scatter scatter;
		struct tp_lines lines;
		struct tp_nest nest;
	};
};

/* What a pass of a nest does, whatever the instruction set: element accesses, FP instructions, conditional branches. */
struct tp_nest_counts {
	uint64_t products, operations, loads, stores, conditionals;
};
struct tp_nest_counts tp_nest_count(const struct tp_nest *nest);

/*
 * Room for the code in a back end whose longest instruction has `longest_bytes`, and that takes at most `step_bytes` of code for a store of
 * a scatter or for a product of a nest.
 */
size_t tp_described_code_bytes(const struct tp_described *described, size_t longest_bytes,
			       size_t step_bytes);

#endif
