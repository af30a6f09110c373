/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoded code and the state of a run, for step.c and the architecture folders. Private to
 * kernels.
 */
#ifndef TPROF_KERNELS_STEPPER_H
#define TPROF_KERNELS_STEPPER_H

#include "kernels/step.h"

/*
 * Address of an operand: the sum of a constant and up to two registers. Registers have the numbers
 * of the array that the architecture passes to tp_stepper_trap().
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
	 * else -1. The place where execution goes on does not tell whether such a branch was
	 * taken, so its condition is evaluated before it runs.
	 */
	int8_t condition;
};

struct tp_stepper {
	const struct tp_code *code;
	uintptr_t code_begin;
	struct tp_decoded *items;
	size_t n;
	/*
	 * A copy of the code that calls the listener, made by the architecture. It exists if
	 * `prepared` and if it was possible.
	 */
	struct tp_code copy;
	bool prepared;
	bool by_traps; /* tests do not want the copy */
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

/*
 * The architecture calls this before the instruction at `pc` runs, with the registers at that
 * moment, in signal context. False: there is nothing more to step.
 */
bool tp_stepper_trap(struct tp_stepper *stepper, uintptr_t pc, const uint64_t *registers);

#endif
