/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops: descriptions of the counting kernels that expect a number of instructions or branches
 * (flops, branch, instructions). A loop lists the operations of one iteration in order, for any
 * instruction set.
 *
 * Its data are TP_LOOP_OPERANDS_BYTES of operands and cells, then the stream. Each iteration takes
 * one byte of the stream, which repeats without end.
 */
#ifndef TPROF_KERNELS_LOOP_H
#define TPROF_KERNELS_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/code.h"

enum tp_loop_op_kind {
	/* n instructions on integer registers */
	TP_LOOP_ADD,
	TP_LOOP_MULTIPLY,
	TP_LOOP_SHIFT,
	TP_LOOP_ADDRESS, /* adds a constant, with lea if the ISA has it */
	/* n accesses of 8 bytes, each to a separate cell */
	TP_LOOP_LOAD,
	TP_LOOP_STORE,
	TP_LOOP_MODIFY, /* memory += register; three instructions if the ISA has no single one */
	/* n instructions of the loop's FP shape */
	TP_LOOP_FP,
	/*
	 * Takes the next byte of the stream, and begins it again after its end, without a branch.
	 */
	TP_LOOP_NEXT,
	/*
	 * Nothing after it executes before everything before it is done, not even on a wrong path.
	 */
	TP_LOOP_BARRIER,
	/* Branches over the next n operations: */
	TP_LOOP_JUMP, /* unconditionally */
	TP_LOOP_NEVER, /* conditional, never taken, condition ready at once */
	TP_LOOP_ALWAYS, /* conditional, always taken, condition ready at once */
	TP_LOOP_ALTERNATE, /* conditional, taken if TP_LOOP_ALTERNATE_BIT of the byte is set */
	/* conditional, taken if TP_LOOP_RANDOM_BIT is set, condition ready late */
	TP_LOOP_RANDOM,
	TP_LOOP_KINDS
};

enum { TP_LOOP_RANDOM_BIT = 1, TP_LOOP_ALTERNATE_BIT = 2 };

struct tp_loop_op {
	enum tp_loop_op_kind kind;
	unsigned n;
};

enum { TP_LOOP_MAX_OPS = 96, TP_LOOP_STREAM_LOG2_MIN = 2, TP_LOOP_STREAM_LOG2_MAX = 24 };

/*
 * Registers x <- x * a + b, fused or as alternating multiplications and additions. With a = 1/2
 * and b = 1, x goes to 2.
 */
struct tp_loop_fp {
	unsigned element_bytes; /* 4, 8; 0: the loop has no FP instructions */
	unsigned vector_bytes; /* 16, 32, 64; 0 = scalar */
	bool fused;
};

struct tp_loop {
	struct tp_loop_op ops[TP_LOOP_MAX_OPS];
	size_t n_ops;
	struct tp_loop_fp fp;
	/*
	 * Iterations of a pass, and the length of the stream if there is one. Its random bits are
	 * a de Bruijn sequence of that order (TP_LOOP_STREAM_LOG2_MIN to _MAX); its other bits
	 * alternate.
	 */
	unsigned pass_log2;
	bool stream;
};

/*
 * Data block: slots of 64 bytes with a, b, and the registers x, then the cells, then the stream.
 */
enum {
	TP_LOOP_FP_REGISTERS = 12,
	TP_LOOP_SLOT_BYTES = 64,
	TP_LOOP_CELLS_AT = 2048,
	TP_LOOP_CELLS = 256,
	TP_LOOP_OPERANDS_BYTES = 4096
};

size_t tp_loop_data_bytes(const struct tp_loop *loop);
/*
 * Writes operands for elements of 8 or 4 bytes (0: none), clears the cells, and writes the stream
 * unless stream_log2 is 0.
 */
void tp_loop_fill(void *data, unsigned element_bytes, unsigned stream_log2);

/* The instructions that were emitted. */
struct tp_loop_cost {
	unsigned op[TP_LOOP_MAX_OPS]; /* instructions */
	unsigned overhead; /* of an iteration: counting, the loop branch */
};

/*
 * Instructions of one pass, over a stream whose bits are set exactly half of the time. A loop may
 * use both bits, but no branch on one bit may skip a branch on the other.
 */
uint64_t tp_loop_instructions(const struct tp_loop *loop, const struct tp_loop_cost *cost);

/*
 * Traversals: descriptions of the counting kernels whose expectation comes from where data and code
 * lie. They are a chase, scattered stores, lines of code, and a nest of dot products. The emitter
 * turns one into code and counts the instructions of a pass.
 */

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
