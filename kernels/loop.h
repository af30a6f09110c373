/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop described apart from any instruction set: what one iteration does, in order. The counting kernels whose expectation is a number of
 * instructions or branches (flops, branch, instructions) are such loops; a back end turns one into code.
 *
 * Its data: TP_LOOP_OPERANDS_BYTES of operands and cells, then the stream, one byte an iteration, around and around.
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
	TP_LOOP_ADDRESS, /* lea, or what adds a constant elsewhere */
	/* n accesses of 8 bytes, each to a cell of its own */
	TP_LOOP_LOAD,
	TP_LOOP_STORE,
	TP_LOOP_MODIFY, /* memory += register; one instruction where there is such a one */
	/* n instructions of the loop's FP shape */
	TP_LOOP_FP,
	/* Takes the next byte of the stream: without a branch, also where it begins anew. */
	TP_LOOP_NEXT,
	/* Nothing after it is executed, not even on a wrong path, before all before it is done. */
	TP_LOOP_BARRIER,
	/* Branches over the next n operations: */
	TP_LOOP_JUMP, /* unconditionally */
	TP_LOOP_NEVER, /* conditional, never taken, condition ready at once */
	TP_LOOP_ALWAYS, /* conditional, always taken, likewise */
	TP_LOOP_ALTERNATE, /* conditional, taken if TP_LOOP_ALTERNATE_BIT of the byte is set */
	TP_LOOP_RANDOM, /* conditional, taken if TP_LOOP_RANDOM_BIT is set, which it learns late */
	TP_LOOP_KINDS
};

enum { TP_LOOP_RANDOM_BIT = 1, TP_LOOP_ALTERNATE_BIT = 2 };

struct tp_loop_op {
	enum tp_loop_op_kind kind;
	unsigned n;
};

enum { TP_LOOP_MAX_OPS = 96, TP_LOOP_STREAM_LOG2_MIN = 2, TP_LOOP_STREAM_LOG2_MAX = 24 };

/* Registers x <- x * a + b, fused or as alternating multiplications and additions; a = 1/2, b = 1, so that x goes to 2. */
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
	 * Iterations of a pass. With a stream its length too: a de Bruijn sequence of that order in the random bit
	 * (TP_LOOP_STREAM_LOG2_MIN to _MAX), zeros and ones by turns in the other.
	 */
	unsigned pass_log2;
	bool stream;
};

/* Data block: slots of 64 bytes with a, b, and the registers x; cells; the stream behind it. */
enum {
	TP_LOOP_FP_REGISTERS = 12,
	TP_LOOP_SLOT_BYTES = 64,
	TP_LOOP_CELLS_AT = 2048,
	TP_LOOP_CELLS = 256,
	TP_LOOP_OPERANDS_BYTES = 4096
};

size_t tp_loop_data_bytes(const struct tp_loop *loop);
/* Writes operands for elements of 8 or 4 bytes (0: none), clear cells, and the stream, unless stream_log2 is 0. */
void tp_loop_fill(void *data, unsigned element_bytes, unsigned stream_log2);

/* What the operations cost, as emitted. */
struct tp_loop_cost {
	unsigned op[TP_LOOP_MAX_OPS]; /* instructions */
	unsigned overhead; /* of an iteration: counting, the loop branch */
};

/* Room for the code of a loop whose operations are instructions of at most so many bytes. */
size_t tp_loop_code_bytes(const struct tp_loop *loop, size_t longest_bytes);

/*
 * Instructions of one pass over a stream whose bits are set exactly half of the time. A loop may ask for both bits, but not
 * one within what the other guards.
 */
uint64_t tp_loop_instructions(const struct tp_loop *loop, const struct tp_loop_cost *cost);

#endif
