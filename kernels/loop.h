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

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"

enum tp_loop_op_kind {
	/* n instructions on integer registers */
	TP_LOOP_ADD,
	TP_LOOP_MULTIPLY,
	TP_LOOP_SHIFT,
	TP_LOOP_ADDRESS, /* adds a constant, with lea where there is one */
	/* n accesses of 8 bytes, each to a cell of its own */
	TP_LOOP_LOAD,
	TP_LOOP_STORE,
	TP_LOOP_MODIFY, /* memory += register; three instructions where there is no single one */
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

#endif
