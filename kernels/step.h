/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executes emitted code one instruction at a time and reports each to a listener. Nothing is
 * interpreted: the CPU runs the instruction, and its addresses and branch directions are read from
 * the registers before and after it.
 */
#ifndef TPROF_KERNELS_STEP_H
#define TPROF_KERNELS_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/code.h"

enum tp_branch_kind {
	TP_BRANCH_NONE,
	TP_BRANCH_CONDITIONAL,
	TP_BRANCH_JUMP, /* unconditional, direct */
	TP_BRANCH_INDIRECT,
	TP_BRANCH_CALL,
	TP_BRANCH_RETURN
};

enum tp_fp_kind {
	TP_FP_KIND_NONE,
	TP_FP_KIND_PLAIN /* add, sub, mul, div, sqrt */,
	TP_FP_KIND_FMA
};

enum { TP_STEP_OPERANDS = 2 };

struct tp_memory_operand {
	bool load, store; /* both: read, modified, written */
	unsigned bytes;
};

/* Decoded once. */
struct tp_instruction {
	uint32_t number; /* in the order of the code, from 0 */
	uint8_t length; /* bytes of code */
	enum tp_branch_kind branch;
	size_t target; /* of a direct branch: offset in the code; SIZE_MAX = unknown or outside */
	/* later instructions wait for it (lfence): it ends a wrong path */
	bool serialising;
	enum tp_fp_kind fp;
	unsigned fp_element_bytes; /* 4, 8 */
	unsigned fp_vector_bytes; /* 16, 32, 64; 0 = scalar */
	unsigned n_operands;
	struct tp_memory_operand operand[TP_STEP_OPERANDS];
	/*
	 * arithmetic on general registers: add, sub, and, or, xor, cmp, test, shifts, mul, lea,
	 * inc, dec, mov between registers is not
	 */
	bool integer;
};

struct tp_step {
	const struct tp_instruction *instruction;
	size_t at; /* offset in the code */
	uint64_t code_address; /* of the instruction */
	uint64_t address[TP_STEP_OPERANDS]; /* of its memory operands */
	/* offset of the instruction executed after it; SIZE_MAX when it left the code */
	size_t next;
	bool taken; /* a branch that did not fall through */
};

/*
 * Called on the stepping thread after each instruction, perhaps in signal context: it must not
 * lock, allocate, or jump out.
 */
typedef void (*tp_step_listener)(void *context, const struct tp_step *step);

struct tp_stepper;

/* TP_OK if stepping works on this machine. Two instructions are tried. */
enum tp_status tp_stepper_supported(struct tp_diag *diag);

/*
 * Decodes all of `code` (borrowed, sealed). TP_UNSUPPORTED with the reason if this machine cannot
 * step, or if the code has instructions that cannot be followed: gathers, repeated string
 * instructions, system calls, changes of the trap flag.
 */
enum tp_status tp_stepper_new(struct tp_stepper **stepper, const struct tp_code *code,
			      struct tp_diag *diag);
void tp_stepper_free(struct tp_stepper *stepper);

/* Number of instructions. */
size_t tp_stepper_instructions(const struct tp_stepper *stepper);

/* The instruction at an offset, or NULL if none begins there (for wrong paths). */
const struct tp_instruction *tp_stepper_at(const struct tp_stepper *stepper, size_t offset);

/*
 * Runs the code on the calling thread. Several threads may step their own code at the same time.
 * Entry and return of the kernel are reported like everything else in the code buffer; code
 * outside it ends the run.
 *
 * On x86-64 a copy of the code runs that calls the listener by itself (about three million steps a
 * second). If the code cannot be copied, the code itself runs with a trap after each instruction
 * (below a hundred thousand steps). Stepping with traps handles SIGTRAP: the signal is unblocked
 * in this thread, and those that other processes send go to the earlier handler. Other signals and
 * faults arrive as usual.
 *
 * TP_FAILED if stepping got lost on the way. The code has still run to its end.
 */
enum tp_status tp_stepper_run(struct tp_stepper *stepper, void *data, uint64_t passes,
			      tp_step_listener listener, void *context, struct tp_diag *diag);

/*
 * Decoded code and the state of a run, for the architecture folders.
 */

/*
 * Address of an operand: the sum of a constant and up to two registers. Registers have the numbers
 * of the array that the architecture passes to `trap`.
 */
struct tp_address_form {
	int8_t base, index; /* -1 = none */
	uint8_t scale; /* of the index */
	int64_t displacement; /* the address itself if it is relative to the code */
};

/* A decoded instruction, with more than a listener may know. */
struct tp_decoded {
	struct tp_instruction instruction;
	size_t at; /* offset in the code */
	struct tp_address_form form[TP_STEP_OPERANDS];
	/*
	 * Condition of a conditional branch to the next instruction (the architecture's number),
	 * else -1. The next address does not show whether such a branch was taken, so its condition
	 * is evaluated before it runs.
	 */
	int8_t condition;
};

struct tp_stepper {
	const struct tp_code *code;
	/*
	 * The architecture calls this before the instruction at `pc` runs, with the registers at
	 * that moment, in signal context. False: there is nothing more to step.
	 */
	bool (*trap)(struct tp_stepper *stepper, uintptr_t pc, const uint64_t *registers);
	uintptr_t code_begin;
	struct tp_decoded *items;
	size_t n;
	/*
	 * A copy of the code that calls the listener, made by the architecture. It exists if
	 * `prepared` and if it was possible.
	 */
	struct tp_code copy;
	bool prepared;
	bool by_traps; /* tests force traps */
	/* for each byte of the code: 1 + number of the instruction that begins there, 0 = none */
	uint32_t *number_at;

	/* State of the current run. */
	tp_step_listener listener;
	void *context;
	/* the instruction that runs now; NULL before the first one */
	const struct tp_decoded *current;
	struct tp_step step;
	bool ended; /* the code was left */
	bool lost; /* execution reached a place that was not decoded */
};

/* The instruction that begins at an offset; NULL = none. */
static inline const struct tp_decoded *tp_stepper_decoded(const struct tp_stepper *stepper,
							  size_t offset)
{
	if (offset >= stepper->code->bytes || !stepper->number_at[offset])
		return NULL;
	return &stepper->items[stepper->number_at[offset] - 1];
}

#endif
