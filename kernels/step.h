/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emitted code executed for real, one instruction at a time: what each did is told to a listener. Nothing is interpreted: the CPU runs
 * the instruction, its addresses and branch directions are read from the registers around it.
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
	bool serialising; /* nothing younger is executed before it is done (lfence): ends a wrong path */
	enum tp_fp_kind fp;
	unsigned fp_element_bytes; /* 4, 8 */
	unsigned fp_vector_bytes; /* 16, 32, 64; 0 = scalar */
	unsigned n_operands;
	struct tp_memory_operand operand[TP_STEP_OPERANDS];
	bool integer; /* arithmetic on general registers: add, sub, and, or, xor, cmp, test, shifts, mul, lea, inc, dec, mov between registers is not */
};

struct tp_step {
	const struct tp_instruction *instruction;
	size_t at; /* offset in the code */
	uint64_t code_address; /* of the instruction */
	uint64_t address[TP_STEP_OPERANDS]; /* of its memory operands */
	size_t next; /* offset of the instruction executed after it; SIZE_MAX when it left the code */
	bool taken; /* a branch that did not fall through */
};

/* Called on the stepping thread, maybe in signal context, after each instruction: no locks, no allocation, no jump out of it. */
typedef void (*tp_step_listener)(void *context, const struct tp_step *step);

struct tp_stepper;

/* Whether stepping works here at all: two instructions are tried. */
enum tp_status tp_stepper_supported(struct tp_diag *diag);

/*
 * Decodes all of `code` (borrowed, sealed). TP_UNSUPPORTED with words where this architecture or environment cannot step, or where the code
 * holds what cannot be followed: gathers, repeated string instructions, system calls, changes of the flags' trap bit.
 */
enum tp_status tp_stepper_new(struct tp_stepper **stepper, const struct tp_code *code,
			      struct tp_diag *diag);
void tp_stepper_free(struct tp_stepper *stepper);

/* How many there are. */
size_t tp_stepper_instructions(const struct tp_stepper *stepper);

/* The instruction at an offset, or NULL if none begins there (for wrong paths). */
const struct tp_instruction *tp_stepper_at(const struct tp_stepper *stepper, size_t offset);

/*
 * Runs the code on the calling thread. Several threads may step code of their own at the same time. The kernel's own entry and return are told
 * like everything else in the code buffer; code outside it ends the run. On x86-64 a copy of the code runs that calls the listener by itself
 * (about three million steps a second), or, where the code cannot be copied, the code itself with a trap after each instruction (below a hundred
 * thousand). With traps SIGTRAP is ours meanwhile: it is unblocked in this thread, and who handled it before gets those that another
 * process sends. Other signals and faults arrive as without stepping. TP_FAILED if stepping was lost on the way; the code has then
 * run to its end nevertheless.
 */
enum tp_status tp_stepper_run(struct tp_stepper *stepper, void *data, uint64_t passes,
			      tp_step_listener listener, void *context, struct tp_diag *diag);

#endif
